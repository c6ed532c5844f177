"""What a crash or a person left beside the files of a space."""

import re
from collections.abc import Collection

from unabridged.disk import durable
from unabridged.errors import StoreDamagedError
from unabridged.stores.files.names import Place

_GLOB = re.compile(r"([*?\[])")


def refuse_orphan(place: Place) -> None:
    """Refuse to begin a space anew where its companion is still there.

    Raises:
        StoreDamagedError: It is.
    """
    stem = _GLOB.sub(r"[\1]", place.stem)
    found = sorted(place.folder.glob(f"{stem}.log-*.jsonl"))
    if found:
        raise StoreDamagedError(
            f"{place.path} is missing, and {found[0].name} is there.",
            hint="Put the file back, from a backup; the companion alone is not opened.",
        )


def sweep(place: Place, keep: Collection[str]) -> None:
    """Remove what a crash left unfinished. Nothing of it was ever acknowledged.

    Args:
        place: Where the space lies.
        keep: The names of the companion and the archive that count.
    """
    stem, main = re.escape(place.stem), re.escape(place.main)
    old = re.compile(rf"{stem}\.(log-[0-9]+\.jsonl|archive-[0-9]+\.json\.gz)")
    draft = re.compile(
        rf"\.({main}(\.gz)?|{stem}(_[A-Za-z0-9-]+_conversation\.json(\.gz)?"
        rf"|\.log-[0-9]+\.jsonl|\.archive-[0-9]+\.json\.gz|\.seal\.json))"
        rf"\.[0-9a-f]+{durable.UNFINISHED}"
    )
    for path in place.folder.iterdir():
        name = path.name
        if (old.fullmatch(name) and name not in keep) or draft.fullmatch(name):
            durable.remove(path)
