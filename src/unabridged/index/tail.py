"""The tail: the newest entries, in memory, until they are sealed into a segment."""

from unabridged.index.centres import Centres
from unabridged.index.entry import Entry


class Tail:
    """Entries that no segment holds. Not for several threads at once.

    Args:
        embedder: The identity of the embedder of their vectors; empty for none.
        dimension: Its dimension.
        centres: What passages are listed by, where the space has centres.
    """

    def __init__(
        self, embedder: str = "", dimension: int = 0, centres: Centres | None = None
    ) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        """How many exchanges it holds."""
        raise NotImplementedError

    def __contains__(self, place: int) -> bool:
        raise NotImplementedError

    @property
    def passages(self) -> int:
        """How many vectors it holds."""
        raise NotImplementedError

    def put(self, entry: Entry) -> None:
        """Take an entry; one of the same place is replaced.

        Raises:
            ValueError: Its vectors are of another dimension.
        """
        raise NotImplementedError

    def remove(self, place: int) -> bool:
        """Take an entry out, bytes and all; whether there was one."""
        raise NotImplementedError

    def entries(self) -> list[Entry]:
        """All that it holds, by place; what ``segment.build`` takes to seal it."""
        raise NotImplementedError

    def clear(self) -> None:
        """Take everything out."""
        raise NotImplementedError
