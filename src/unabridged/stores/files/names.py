"""What the files are called: the names of the seeds where they are unique, a digest where not.

The conversion is that of WorkspaceAI's plan (``:``, ``.`` and blanks become ``-``, all in small
letters); names that two spaces would share, or that a file cannot have, get a digest of the exact
names. Nothing of a name leads out of the folder: what is left of it is ``a-z 0-9 - _``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from unabridged.domain.scope import DEFAULT_NAME, Space
from unabridged.errors import SettingError
from unabridged.stores.codec import pack

JSON = ".json"
PACKED = ".gz"
LAYOUTS = ("model", "agent", "user")
SESSION_END = "_conversation"
FOLDERS = {"model": "memory", "agent": "chats", "user": "conversations"}
"""The folder of the home in which each layout keeps its files."""
SPACE_END = "_space"
_SESSIONS = "sessions"
_LONGEST = 64
_UNSAFE = re.compile(r"[^a-z0-9_-]")
_MARKED = re.compile(r"-[0-9a-f]{16}\Z")
_SESSION = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_ULID_LENGTH = 26
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one space lie.

    Attributes:
        folder: Their folder.
        stem: What all their names begin with.
        main: The name of the file that is always there, without what says that it is packed.
    """

    folder: Path
    stem: str
    main: str

    @property
    def path(self) -> Path:
        """The file that is always there, where it is not packed."""
        return self.folder / self.main

    @property
    def lock(self) -> Path:
        """The file that is there to be locked."""
        return self.folder / f".{self.stem}.lock"

    @property
    def intent(self) -> Path:
        """The file that says what is to be put in place together."""
        return self.folder / f".{self.stem}.intent"

    @property
    def seal(self) -> Path:
        """The file that seals the others, where there is a key or an anchor."""
        return self.folder / f"{self.stem}.seal.json"

    def log(self, number: int) -> str:
        """The name of the companion of a number."""
        return f"{self.stem}.log-{number}.jsonl"

    def archive(self, number: int) -> str:
        """The name of the archive of a number."""
        return f"{self.stem}.archive-{number}{JSON}{PACKED}"

    def session(self, session_id: str) -> str:
        """The name of a session's own file; see ``session_name``."""
        return f"{self.stem}_{session_name(session_id)}{SESSION_END}{JSON}"


def model_name(model: str) -> str:
    """Convert a model's name as WorkspaceAI does: ``qwen2.5:7b`` is ``qwen2-5-7b``."""
    return _UNSAFE.sub("-", model.lower())


def session_name(session_id: str) -> str:
    """Give what stands for a session in a file's name; never two for the same, on any disk."""
    plain = _SESSION.fullmatch(session_id) and not _MARKED.search(session_id)
    if (plain and len(session_id) != _ULID_LENGTH) or _ULID.fullmatch(session_id):
        return session_id
    slug = model_name(session_id).replace("_", "-").strip("-")[:24]
    return f"{slug or 'session'}-{_mark(session_id)}"


def place_of(
    root: Path, space: Space, layout: str, held: Callable[[Place], Space | None] | None = None
) -> Place:
    """Give the place of a space.

    Args:
        root: The folder of the layout.
        space: The space.
        layout: ``model``, ``agent`` or ``user``.
        held: Says which space lies in a place, None where there is nothing; without it nothing is
            there.
    """
    plain, marked = _places(root, space, layout)
    if plain is None or (held is not None and held(marked) == space):
        return marked
    there = held(plain) if held is not None else None
    return plain if there in (None, space) else marked


def custom_place(path: Path) -> Place:
    """Give the place of a file that a person named.

    Raises:
        SettingError: It names no file.
    """
    name = path.name.removesuffix(PACKED)
    stem = name.removesuffix(JSON)
    if not stem or path.is_dir():
        raise SettingError(
            f"custom_filepath {path} names no file.", hint="Give the path of a file: memory.json."
        )
    return Place(path.parent, stem, name)


def _places(root: Path, space: Space, layout: str) -> tuple[Place | None, Place]:
    """The place with the plain name, where it can be had, and the one with a digest."""
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
    plain = _place(root, name, layout) if usable else None
    return plain, _place(root, f"{slug}-{mark}", layout)


def _place(root: Path, name: str, layout: str) -> Place:
    if layout == "user":
        return Place(root / name, _SESSIONS, f"{_SESSIONS}{JSON}")
    main = f"{name}{SPACE_END}{JSON}" if layout == "agent" else f"{name}{JSON}"
    return Place(root, name, main)


def _others(*names: str) -> str:
    return next((name for name in names if name not in ("", DEFAULT_NAME)), DEFAULT_NAME)


def _mark(*names: str) -> str:
    """A digest of exact names (BLAKE2b, 8 bytes), as 16 hexadecimal digits."""
    return blake2b(pack(list(names)), digest_size=8).hexdigest()
