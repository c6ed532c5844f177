"""Sentence transformers of the Hugging Face hub, downloaded on request into the home.

The package ``huggingface_hub`` (extra ``onnx``) downloads them. A downloaded one is an ordinary
folder and needs neither the package nor the network.
"""

import importlib
import importlib.util
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unabridged.embeddings.onnx_session import EXTRA
from unabridged.embeddings.transformer import (
    LENGTH,
    MODEL,
    POOLING,
    PROMPTS,
    TOKENIZER,
    is_model,
    look,
)
from unabridged.errors import MissingExtraError, SettingError, UpstreamAwayError

FOLDER = "embedders"
PACKAGE = "huggingface_hub"
_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
_WANTED = (MODEL, f"onnx/{MODEL}", TOKENIZER, PROMPTS, POOLING, LENGTH)
_SPACE_MB = 1000
_FOLDER_HINT = (
    "or use a folder with model.onnx and tokenizer.json: "
    "`unabridged config set embedder onnx:FOLDER`"
)

Download = Callable[[str, Path], None]
"""Downloads the needed files of a repository into a folder."""


def is_name(text: str) -> bool:
    """Return whether a text names a repository of the hub: ``REPO/NAME``."""
    return _NAME.fullmatch(text) is not None


def location(name: str, cache_folder: Path) -> Path:
    """Return the folder of a downloaded model."""
    return cache_folder / FOLDER / name.replace("/", "--")


def fetched(name: str, cache_folder: Path) -> Path | None:
    """Return a model's folder if it was downloaded."""
    folder = location(name, cache_folder)
    return folder if is_model(folder) else None


def fetch(
    name: str,
    cache_folder: Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    download: Download | None = None,
) -> Path:
    """Download a model of the hub, unless it exists.

    Args:
        name: ``REPO/NAME``, its name on the hub.
        cache_folder: The home's cache folder; the model is stored in its ``embedders``.
        progress: Called with a line for each step.
        download: Downloads the files; None uses ``huggingface_hub``.

    Returns:
        The folder, which appears once it is complete.

    Raises:
        MissingExtraError: ``huggingface_hub`` is not installed.
        SettingError: The repository has no usable model, or the folder cannot be written.
        UpstreamAwayError: The hub cannot be reached, or does not have the model.
    """
    there = fetched(name, cache_folder)
    if there is not None:
        progress(f"{name} exists already.")
        return there
    target = location(name, cache_folder)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as temporary:
            made = Path(temporary) / "made"
            made.mkdir(mode=0o700)
            progress(f"Fetching {name} from the Hugging Face hub …")
            (download or _download)(name, made)
            shutil.rmtree(made / ".cache", ignore_errors=True)  # the package's notes
            look(made)
            shutil.rmtree(target, ignore_errors=True)
            made.replace(target)
    except OSError as error:
        raise SettingError(
            f"The model cannot be written to {target.parent}: {error.strerror}.",
            hint=f"Check that the folder can be written and the disk has {_SPACE_MB} MB free.",
        ) from error
    progress(f"{name} is ready.")
    return target


def _download(name: str, folder: Path) -> None:
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(PACKAGE, EXTRA)
    hub: Any = importlib.import_module(PACKAGE)  # an extra
    errors: Any = importlib.import_module(f"{PACKAGE}.errors")
    transport: Any = importlib.import_module("httpx2")  # its own dependency
    away = (
        errors.HfHubHTTPError,
        errors.LocalEntryNotFoundError,
        errors.OfflineModeIsEnabled,
        transport.HTTPError,
    )
    try:
        hub.snapshot_download(name, local_dir=folder, allow_patterns=list(_WANTED))
    except errors.RepositoryNotFoundError as error:
        raise UpstreamAwayError(
            f"The Hugging Face hub has no public model {name!r}.",
            hint=f"Check the name, {_FOLDER_HINT}.",
        ) from error
    except away as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise UpstreamAwayError(
            f"{name} cannot be downloaded from the Hugging Face hub: {said}",
            hint=f"Check the network, {_FOLDER_HINT}.",
        ) from error
    except errors.HFValidationError as error:
        raise SettingError(
            f"{name!r} is not a valid name on the Hugging Face hub: {error}",
            hint=f"Use REPO/NAME, {_FOLDER_HINT}.",
        ) from error
