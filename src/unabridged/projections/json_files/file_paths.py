"""The names of files: those of the seeds if they are unique, else with a digest.

The conversion is that of WorkspaceAI's plan (``:``, ``.`` and blanks become ``-``, all in lower
case). Names that two spaces would share, or that a file cannot have, get a digest of the exact
names. No name leads out of the folder: it has only ``a-z 0-9 - _``.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from unabridged.disk.atomic_write import UNFINISHED
from unabridged.domain.scope import DEFAULT_NAME, SpaceId
from unabridged.errors import SettingError
from unabridged.language.lazy_pattern import lazy_pattern

JSON = ".json"
PACKED = ".gz"
SESSION_END = "_conversation"
FOLDERS = {"model": "memory", "agent": "chats", "user": "conversations"}
"""The folder of the home for the files of each layout."""
DAMAGED = ".damaged"
"""The suffix of a file set aside, before a number."""
_SESSIONS = "sessions"
_LONGEST = 64
_UNSAFE = lazy_pattern(r"[^a-z0-9_-]")
_MARKED = lazy_pattern(r"-[0-9a-f]{16}\Z")
_SESSION = lazy_pattern(r"[a-z0-9][a-z0-9-]{0,63}")
_ULID_LENGTH = 26
_ULID = lazy_pattern(r"[0-9A-HJKMNP-TV-Z]{26}")
_DEVICES = lazy_pattern(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")


@dataclass(frozen=True, slots=True)
class FilePaths:
    """The paths of the files of one space.

    Attributes:
        folder: Their folder.
        stem: The prefix of all their names.
        main: The name of the only file; empty if each session has one.
    """

    folder: Path
    stem: str
    main: str = ""

    @property
    def lock(self) -> Path:
        """Return the lock file."""
        return self.folder / f".{self.stem}.lock"

    @property
    def state(self) -> Path:
        """Return the file with the state of the last writing."""
        return self.folder / f".{self.stem}.state"

    def name(self, session_id: str) -> str:
        """Return the name of a session's file."""
        return self.main or f"{self.stem}_{session_name(session_id)}{SESSION_END}{JSON}"

    def files(self) -> list[Path]:
        """Return every existing readable file of the space, compressed or not."""
        return self._found(rf"({self._names})(\.gz)?")

    def all_files(self) -> list[Path]:
        """Return every file of the space, including those set aside and leftovers of crashes."""
        end = rf"({re.escape(DAMAGED)}-[0-9]+|\.[0-9a-f]+{re.escape(UNFINISHED)})?"
        own = rf"\.?({self._names})(\.gz)?{end}"
        stem = re.escape(self.stem)
        return self._found(rf"{own}|\.{stem}\.(state|lock)|\.+{stem}\.state{end}")

    def drafts(self) -> list[Path]:
        """Return the unfinished files of a crash."""
        return [path for path in self.all_files() if path.name.endswith(UNFINISHED)]

    @property
    def _names(self) -> str:
        if self.main:
            return re.escape(self.main)
        return rf"{re.escape(self.stem)}_[A-Za-z0-9-]+{SESSION_END}{re.escape(JSON)}"

    def _found(self, pattern: str) -> list[Path]:
        if not self.folder.is_dir():
            return []
        names = re.compile(pattern)
        return sorted(path for path in self.folder.iterdir() if names.fullmatch(path.name))


def model_name(model: str) -> str:
    """Convert a model's name as WorkspaceAI does: ``qwen2.5:7b`` is ``qwen2-5-7b``."""
    return _UNSAFE.sub("-", model.lower())


def session_name(session_id: str) -> str:
    """Return a session's part of a file name, unique on any disk."""
    plain = _SESSION.fullmatch(session_id) and not _MARKED.search(session_id)
    if (plain and len(session_id) != _ULID_LENGTH) or _ULID.fullmatch(session_id):
        return session_id
    slug = model_name(session_id).replace("_", "-").strip("-")[:24]
    return f"{slug or 'session'}-{_mark(session_id)}"


def paths_of(
    root: Path,
    space: SpaceId,
    layout: str,
    held: Callable[[FilePaths], SpaceId | None],
) -> FilePaths:
    """Return the paths of a space; ``held`` returns the space whose files are at a path."""
    plain, marked = _candidates(root, space, layout)
    if plain is None or held(marked) == space:
        return marked
    return plain if held(plain) in (None, space) else marked


def custom_paths(path: Path, layout: str) -> FilePaths:
    """Return the paths of a file chosen by the user.

    Raises:
        SettingError: It is not the path of a file.
    """
    name = path.name.removesuffix(PACKED)
    stem = name.removesuffix(JSON)
    if not stem or path.is_dir():
        raise SettingError(
            f"json_path {path} is not the path of a file.",
            hint="Set json_path to the path of a file, such as memory.json.",
        )
    return FilePaths(path.parent, stem, "" if layout == "agent" else name)


def _candidates(root: Path, space: SpaceId, layout: str) -> tuple[FilePaths | None, FilePaths]:
    words = {
        "model": space.model or _others(space.agent, space.user),
        "agent": space.agent or _others(space.model, space.user),
        "user": space.user or _others(space.agent, space.model),
    }[layout]
    name = model_name(words)
    usable = (
        bool(name.strip("-_"))
        and len(name) <= _LONGEST
        and name[0] not in "-_"
        and not _MARKED.search(name)
        and not _DEVICES.fullmatch(name)
    )
    mark = _mark(space.user, space.agent, space.model)
    slug = name.strip("-_")[:24] or "space"
    plain = _paths(root, name, layout) if usable else None
    return plain, _paths(root, f"{slug}-{mark}", layout)


def _paths(root: Path, name: str, layout: str) -> FilePaths:
    if layout == "user":
        return FilePaths(root / name, _SESSIONS, f"{_SESSIONS}{JSON}")
    return FilePaths(root, name, "" if layout == "agent" else f"{name}{JSON}")


def _others(*names: str) -> str:
    return next((name for name in names if name not in ("", DEFAULT_NAME)), DEFAULT_NAME)


def _mark(*names: str) -> str:
    # A digest of exact names (BLAKE2b, 8 bytes), as 16 hexadecimal digits.
    said = json.dumps(names, ensure_ascii=False, separators=(",", ":"))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
