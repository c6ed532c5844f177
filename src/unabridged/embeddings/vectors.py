"""Functions on vectors for all embedders."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unabridged.errors import UpstreamBrokenError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def unit(vectors: "Floats") -> "Floats":
    """Scale each row to length 1; rows of zeros stay."""
    import numpy as np  # noqa: PLC0415 - slow to import

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Floats = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return made


def checked(rows: Sequence[Sequence[float]], wanted: int) -> "Floats":
    """Return the vectors of a server's answer.

    Raises:
        UpstreamBrokenError: They are too few, of different lengths, or not numbers.
    """
    import numpy as np  # noqa: PLC0415 - slow to import

    try:
        found = np.array(rows, np.float32)
    except (TypeError, ValueError):
        found = np.zeros(0, np.float32)
    if found.ndim != 2 or len(found) != wanted or not found.shape[1] or not _finite(found):
        raise UpstreamBrokenError(
            f"The server's answer does not contain a vector for each of {wanted} texts.",
            hint="Check that the model makes embeddings, and read the server's log.",
        )
    return found


def _finite(found: "Floats") -> bool:
    import numpy as np  # noqa: PLC0415 - slow to import

    return bool(np.isfinite(found).all())
