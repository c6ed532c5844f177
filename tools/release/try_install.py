"""Install a wheel into an empty environment of each Python, without extras, and use it.

Usage: python tools/release/try_install.py WHEEL [--python PROGRAM]… [--extra NAME]…
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
STEPS: Sequence[tuple[Sequence[str], str]] = (
    (("--version",), "unabridged "),
    (("--help",), "Usage: unabridged"),
    (("ask", "My boat is called Kittiwake.", "--upstream", "quote"), ""),
    (("ask", "What is my boat called?", "--upstream", "quote"), "Kittiwake"),
    (("search", "boat"), "Kittiwake"),
    (("why",), "tokens"),
    (("doctor",), "unabridged "),
)
"""Arguments of the command, and what it must print; its exit code must be 0."""

IN_PYTHON = """
from unabridged import Memory
with Memory.open(upstream="quote") as memory:
    context = memory.prepare("My dog is called Bilbo.")
    memory.record(context, "Noted.")
    assert "Bilbo" in memory.search("dog")[0].exchange.user.text
"""
IMPORTING = """
import time
begun = time.perf_counter()
import unabridged
print(time.perf_counter() - begun)
"""
TIMED = 7
"""How often the import is timed; the fastest counts."""


def try_wheel(wheel: Path, python: str, extras: Sequence[str] = ()) -> str:
    """Install a wheel for one Python and use it; return a line of figures.

    Raises:
        SystemExit: A step failed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run([python, "-m", "venv", folder / "venv"], folder)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        interpreter = programs / "python"
        wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, wanted], folder, inherit=True)
        use([programs / "unabridged"], interpreter, folder)
        number = _run([interpreter, "-c", "import sys; print(sys.version.split()[0])"], folder)
        timed = [float(_run([interpreter, "-c", IMPORTING], folder)) for _ in range(TIMED)]
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"Python {number.strip()}: works; import {min(timed) * 1000:.1f} ms; {size / 1e6:.0f} MB"


def use(
    command: Sequence[str | Path],
    interpreter: Path | str,
    folder: Path,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Use an installed package: the command, then the API.

    Raises:
        SystemExit: A step failed.
    """
    for words, expected in STEPS:
        said = _run([*command, *words], folder, variables)
        if expected not in said:
            raise SystemExit(f"unabridged {' '.join(words)} printed no {expected!r}:\n{said}")
    _run([interpreter, "-W", "error", "-c", IN_PYTHON], folder, variables)


def _run(
    words: Sequence[str | Path],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    *,
    inherit: bool = False,
) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    mine = {"HOME": str(folder), "UNABRIDGED_HOME": str(folder / "home"), "PYTHONUTF8": "1"}
    ran = subprocess.run(
        words,
        cwd=folder,
        env=None if inherit else {**kept, **mine, **(variables or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        told = " ".join(str(word) for word in words)
        raise SystemExit(f"{told}\nended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main() -> None:
    """Try the wheel with every Python that is named, else with every one that is found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", metavar="PROGRAM", default=[])
    parser.add_argument("--extra", action="append", metavar="NAME", default=[])
    asked = parser.parse_args()
    found = asked.python or [each for each in PYTHONS if shutil.which(each)]
    for python in found or [sys.executable]:
        print(try_wheel(asked.wheel.resolve(), python, asked.extra), flush=True)
    missing = [] if asked.python else [each for each in PYTHONS if each not in found]
    for each in missing:
        print(f"Not tried: {each} is not on the path.")


if __name__ == "__main__":
    main()
