"""A lock between processes; the system lets go of it when its process ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unabridged.disk.atomic_write import FILE_MODE, of_the_system
from unabridged.errors import StoreBusyError


@contextmanager
def locked(path: Path, timeout: float) -> Iterator[None]:
    """Hold a lock while the block runs.

    Args:
        path: A file that is there for the lock only; made if it is missing, and never removed.
        timeout: Seconds to wait for others.

    Raises:
        StoreBusyError: Others kept it for longer.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - for stores of files only

    lock = FileLock(path, timeout=timeout, mode=FILE_MODE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise StoreBusyError(
            f"Other programs keep {path} locked.",
            hint="Try again in a moment; nothing was written.",
        ) from None
    except OSError as error:
        raise of_the_system(error, path) from error
    try:
        yield
    finally:
        lock.release()
