"""Errors that every store raises."""

from unabridged.errors import (
    DuplicateIdError,
    MissingParentError,
    StoreClosedError,
    StoreError,
    StoreForkedError,
)

_AGAIN = "Read the session again and repeat; nothing was written."


def closed() -> StoreClosedError:
    """Return the error of a closed store."""
    return StoreClosedError("The store is closed.", hint="Open it again.")


def forked() -> StoreForkedError:
    """Return the error of a store that the parent process opened."""
    return StoreForkedError(
        "The memory was opened before this process was forked.",
        hint="Open it again in this process. The parent may continue; nothing was changed.",
    )


def duplicate(message_id: str) -> DuplicateIdError:
    """Return the error of a duplicate message id."""
    return DuplicateIdError(
        f"A message with the id {message_id!r} is stored already.",
        hint="Use a new message id, or admit the whole conversation; nothing was written.",
    )


def stray_parent(exchange_id: str, parent: str) -> MissingParentError:
    """Return the error of an unknown parent."""
    return MissingParentError(
        f"Exchange {exchange_id!r} follows {parent!r}, which is not in the space.", hint=_AGAIN
    )


def stray_opening(exchange_id: str, opened_by: str) -> MissingParentError:
    """Return the error of an unknown shared message."""
    return MissingParentError(
        f"Exchange {exchange_id!r} shares message {opened_by!r}, which is not in the space.",
        hint=_AGAIN,
    )


def stray_head(session_id: str, head: str) -> StoreError:
    """Return the error of a head outside the session."""
    return StoreError(
        f"Session {session_id!r} cannot have {head!r} as its head: it is not its message.",
        hint=_AGAIN,
    )


def wrong_session(exchange_id: str, session_id: str) -> StoreError:
    """Return the error of an exchange in the wrong session."""
    return StoreError(
        f"Exchange {exchange_id!r} does not belong to session {session_id!r}.",
        hint="Write each exchange to its own session; nothing was written.",
    )


def empty(exchange_id: str) -> StoreError:
    """Return the error of an exchange without a message."""
    return StoreError(
        f"Exchange {exchange_id!r} has no message.",
        hint="Add the user's message, or name the stored one that opens it.",
    )
