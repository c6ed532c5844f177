"""The blobs of a store in memory: each is kept once, as long as anything uses it."""

from collections import Counter
from collections.abc import Iterable

from unabridged.domain.blob import Blob

MESSAGE = "message"
"""The kind of a user that is a message; that of a record is the record's."""
User = tuple[str, str]
"""Kind and id of what uses a blob."""


class MemoryBlobs:
    """Blobs by digest, with what uses each."""

    def __init__(self) -> None:
        self._blobs: dict[str, Blob] = {}
        self._uses: dict[User, tuple[str, ...]] = {}
        self._counts: Counter[str] = Counter()

    def use(self, user: User, blobs: Iterable[Blob]) -> None:
        """Keep blobs for a message or record that uses none yet."""
        found = {blob.digest: blob for blob in blobs}
        if found:
            self._blobs |= found
            self._uses[user] = tuple(found)
            self._counts.update(found.keys())

    def release(self, user: User) -> None:
        """Remove the uses of a message or record, and each blob of which that was the last use."""
        for name in self._uses.pop(user, ()):
            self._counts[name] -= 1
            if not self._counts[name]:
                del self._counts[name], self._blobs[name]

    def get(self, digests: Iterable[str]) -> dict[str, Blob]:
        """Return blobs by digest; those that are not kept are missing."""
        return {name: self._blobs[name] for name in digests if name in self._blobs}

    def of(self, user: User) -> list[Blob]:
        """Return the blobs that a message or record uses."""
        return [self._blobs[name] for name in self._uses.get(user, ())]
