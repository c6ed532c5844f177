"""How this copy was installed, and the command that adds to it."""

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME = "unabridged"
IMAGE_EXTRAS = "image-extras.txt"
"""The file that a container image has in its environment: the extras that it was built with."""


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation."""
    return command_for(extra, _source(), Path(sys.prefix), _current())


def command_for(extra: str, source: Mapping[str, Any] | None, prefix: Path, current: Path) -> str:
    """Return the command that adds an extra to an installation.

    Args:
        extra: The extra of ``unabridged``.
        source: The content of ``direct_url.json``; None if the package came from an index.
        prefix: The environment that it is installed in.
        current: The working directory; paths below it are shown relative to it.
    """
    image = prefix / IMAGE_EXTRAS
    if image.exists():
        extras = _joined(image.read_text("utf-8").strip().split(","), extra)
        return f"docker build --build-arg EXTRAS={extras} -f deploy/Containerfile -t {NAME} ."
    if (prefix / "uv-receipt.toml").exists():
        extras = _joined(_uv_extras(prefix / "uv-receipt.toml"), extra)
        return f"uv tool install {_target(source, extras, current)}"
    if (prefix / "pipx_metadata.json").exists():  # pipx calls pip in the environment's folder
        return f"pipx runpip {prefix.name} install {_target(source, extra, prefix)}"
    target = _target(source, extra, current)
    editable = "-e " if source and source.get("dir_info", {}).get("editable") else ""
    return f"{pip_command(prefix, current, plain=source is None)} install {editable}{target}"


def pip_command(
    prefix: Path | None = None, current: Path | None = None, *, plain: bool = False
) -> str:
    """Return how to call pip for an environment; ``plain`` for an active one."""
    prefix, current = prefix or Path(sys.prefix), current or _current()
    folder = prefix / ("Scripts" if os.name == "nt" else "bin")
    pip = folder / ("pip.exe" if os.name == "nt" else "pip")
    if plain:
        return "pip"
    if pip.exists():
        return _quoted(_near(pip, current))
    return f"{_quoted(_near(folder / 'python', current))} -m pip"


def _current() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the folder was removed: every path is shown whole
        return Path(sys.prefix) / "removed"


def _source() -> Mapping[str, Any] | None:
    try:
        found: Distribution = distribution(NAME)
    except PackageNotFoundError:
        return None
    text = found.read_text("direct_url.json")
    source: Mapping[str, Any] | None = json.loads(text) if text else None
    return source


def _target(source: Mapping[str, Any] | None, extras: str, current: Path) -> str:
    if source is None:
        return _quoted(f"{NAME}[{extras}]", always=True)
    url = str(source["url"])
    if urlsplit(url).scheme != "file":
        return _quoted(f"{NAME}[{extras}] @ {url}", always=True)
    place = _near(Path(url2pathname(urlsplit(url).path)), current)
    if os.sep not in place and place != ".":
        place = f".{os.sep}{place}"  # else pip takes it for the name of a package
    return _quoted(f"{place}[{extras}]", always=True)


def _uv_extras(receipt: Path) -> list[str]:
    listed = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
    return [extra for each in listed if each["name"] == NAME for extra in each.get("extras", ())]


def _joined(extras: list[str], extra: str) -> str:
    return ",".join(dict.fromkeys([*filter(None, extras), extra]))


def _near(path: Path, current: Path) -> str:
    return str(path.relative_to(current)) if path.is_relative_to(current) else str(path)


def _quoted(text: str, *, always: bool = False) -> str:
    if os.name == "nt":
        return f'"{text}"' if always or " " in text else text
    return f"'{text}'" if always and "'" not in text else shlex.quote(text)
