"""The seal of a space in files: one small file over the digests of all others.

Whoever edits a file by hand and knows nothing of digests is noticed by them alone. With a key, the seal
shows that nobody without it wrote, removed or put back any of the files; with an anchor outside of
the home, that the whole space is not an older one. Without both there is no such file.

Its form is JSON: ``{"format": 1, "mark": …, "write": …, "state": …, "proof": …}``: the mark of the key
(empty for none), the number of the write, the digest over the names and digests of the files, and
the digest, keyed where there is a key, over all that.
"""

from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from unabridged.domain.chain import DIGEST_BYTES, Signet
from unabridged.domain.proof import Sealed
from unabridged.errors import StoreError, StoreKeyError, StoreTamperedError
from unabridged.stores.anchor import Mooring
from unabridged.stores.codec import pack
from unabridged.stores.files import paper
from unabridged.stores.files.encrypting import Encryption
from unabridged.stores.files.names import Place
from unabridged.stores.guard import Guard

FORMAT = 1
_HINT = (
    "Somebody changed the files past the program. Nothing was written; restore them from a backup, "
    "or take them over as they are with: unabridged key seal"
)


class _Seal(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    mark: str
    write: int
    state: str
    proof: str


class SealFile:
    """The seal of one space.

    Args:
        place: Where the space lies.
        space: Its names.
        guard: What it is proved by.
        encryption: How files are encrypted; None for not at all.
    """

    def __init__(
        self,
        place: Place,
        space: Mapping[str, str],
        guard: Guard,
        encryption: Encryption | None = None,
    ) -> None:
        self._encryption = encryption
        self._place = place
        self._space = space
        self._guard = guard
        self.sealed: Sealed | None = None
        self._mark = ""

    def prove(self, write: int, digests: Mapping[str, str], *, empty: bool) -> None:
        """Compare what was read with the seal and the anchor.

        Args:
            write: The number of the write that was read.
            digests: The digest of each file, by its name.
            empty: Whether the space holds nothing yet.

        Raises:
            StoreKeyError: It is not sealed under the key, and is not to be now.
            StoreTamperedError: A file is not what was written, or all of them are older.
        """
        signet, state = self._guard.signet, self._state(digests)
        found = self._read()
        self.sealed, self._mark = None, found.mark if found else ""
        if found is not None:
            self.sealed = Sealed(mark=found.mark, writes=found.write, root=found.state)
            known = found.mark in ("", signet.mark)
            if (known and self._proof(found) != found.proof) or found.state != state:
                if not self._guard.adopts:
                    raise self._tampered("a file is not what was written, or an older one")
            elif found.write != write and not self._guard.adopts:
                raise self._tampered(f"write {found.write} is sealed, and write {write} is there")
        wanted = signet.mark if self._guard.strict and not self._guard.adopts else self._mark
        if self._mark != wanted and wanted and not empty:
            raise self._refused(wanted)
        self._compare(write, state)

    def take_up(self) -> None:
        """Go on from the seal that is there, whatever it says of the files."""
        found = self._read()
        self._mark = found.mark if found else ""
        if found is not None:
            self.sealed = Sealed(mark=found.mark, writes=found.write, root=found.state)

    def told(self, write: int, digests: Mapping[str, str]) -> bytes | None:
        """Give the seal that goes with a write; None where none is kept.

        Raises:
            StoreKeyError: The space is sealed under a key that is not at hand.
        """
        signet = self._guard.signet
        if self._mark and self._mark != signet.mark:
            raise self._refused(signet.mark)
        if not signet.mark and self._guard.anchor is None and self.sealed is None:
            return None
        seal = _Seal(FORMAT, signet.mark, write, self._state(digests), "")
        seal.proof = self._proof(seal)
        self.sealed = Sealed(mark=seal.mark, writes=write, root=seal.state)
        self._mark = seal.mark
        return msgspec.json.format(msgspec.json.encode(seal), indent=2) + b"\n"

    def moor(self, write: int, digests: Mapping[str, str]) -> None:
        """Tell the anchor how far the space has come, when that is written.

        A space that begins anew (its first write) takes the place of one that lay there before.
        """
        if self._guard.anchor is not None:
            mooring = self._mooring(write, self._state(digests))
            anew = write <= 1 or self._guard.adopts
            self._guard.anchor.remember(self._known_as, mooring, anew=anew)

    def _compare(self, write: int, state: str) -> None:
        anchor = self._guard.anchor
        if anchor is None:
            return
        held = anchor.recall(self._known_as)
        if held is None:
            return
        behind = held.writes > write or (held.writes == write and held.state != state)
        if behind and not self._guard.adopts:
            raise self._tampered(
                f"it is not the space that the anchor {anchor.path} remembers, or an older one: "
                f"write {write}, state {state}; the anchor has write {held.writes}, state {held.state}"
            )

    def _read(self) -> _Seal | None:
        try:
            data = paper.read(self._place.seal, self._encryption)
        except FileNotFoundError:
            return None
        try:
            found = msgspec.json.decode(data, type=_Seal)
        except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._tampered(f"its seal cannot be read ({error})") from error
        if found.format > FORMAT:
            raise self._tampered("its seal is of a newer version")
        return found

    def _state(self, digests: Mapping[str, str]) -> str:
        return blake2b(pack(sorted(digests.items())), digest_size=DIGEST_BYTES).hexdigest()

    def _proof(self, seal: _Seal) -> str:
        signet = self._guard.signet if seal.mark else Signet()
        said = pack([dict(self._space), seal.mark, seal.write, seal.state])
        return signet.row("files", said).hex()

    @property
    def _known_as(self) -> str:
        return f"files {self._place.path.absolute()}"

    def _mooring(self, write: int, state: str) -> Mooring:
        path, mark = str(self._place.path.absolute()), self._guard.signet.mark
        return Mooring(file=path, mark=mark, writes=write, number=0, root="", state=state)

    def _tampered(self, what: str) -> StoreTamperedError:
        return StoreTamperedError(f"{self._place.path}: {what}.", hint=_HINT)

    def _refused(self, given: str) -> StoreError:
        if not self._mark:
            return StoreKeyError(
                f"{self._place.path} is not sealed under the key {given}.",
                hint="If the key is new, seal it once with: unabridged key seal. If it was sealed "
                "before, somebody took the seal away.",
            )
        have = f"is {given}" if given else "is missing"
        return StoreKeyError(
            f"{self._place.path} is sealed under the key {self._mark}, and the key {have}.",
            hint="Name where the key lies with the setting `key`.",
        )
