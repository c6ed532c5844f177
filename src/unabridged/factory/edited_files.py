"""Finds the layout and space of a file that a person edited."""

from dataclasses import replace
from pathlib import Path

from unabridged.clock import SystemClock
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.errors import InputError
from unabridged.home.followed_spaces import json_folder
from unabridged.home.open_spaces import databases_of, space_from
from unabridged.ports import Clock
from unabridged.projections.json_files.adopt import FileAdoption
from unabridged.projections.json_files.file_paths import FOLDERS
from unabridged.tokens.estimate import EstimateTokenizer


def adoption_of(settings: Settings, path: Path, clock: Clock | None = None) -> FileAdoption:
    """Open a readable file of a home, even an edited or damaged one.

    Raises:
        NotFoundError: There is no such file.
        InputError: It is not a file of this home.
        SettingError: The home is encrypted.
    """
    chosen = replace(settings, json_files=_layout(settings, path))
    scope = Scope(chosen.user, chosen.agent, chosen.model or None)
    folder = json_folder(chosen)
    return FileAdoption(
        path.absolute(),
        chosen.json_files,
        asked=space_from(scope, chosen),
        locate=folder.paths,
        open_log=databases_of(chosen).open,
        clock=clock or SystemClock(),
        tokenizer=EstimateTokenizer(),
    )


def _layout(settings: Settings, path: Path) -> str:
    folder, home = path.absolute().resolve().parent, Path(settings.home).resolve()
    for layout, name in FOLDERS.items():
        if home / name == (folder.parent if layout == "user" else folder):
            return layout
    custom = Path(settings.json_path).resolve() if settings.json_path else None
    if custom is not None and custom.parent == folder:
        return settings.json_files
    raise InputError(
        f"{path} is not in a folder of the home {settings.home}.",
        hint="Name its home with --home; for files of other programs: unabridged import",
    )
