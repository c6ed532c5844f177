"""What every store refuses, in the same words."""

from unabridged.errors import DuplicateIdError, StoreClosedError, StoreError

_AGAIN = "Read the session again and repeat; nothing was written."


def closed() -> StoreClosedError:
    """The store was closed before."""
    return StoreClosedError("The store is closed.", hint="Open it again.")


def duplicate(message_id: str) -> DuplicateIdError:
    """A message id is taken."""
    return DuplicateIdError(
        f"A message with the id {message_id!r} is stored already.",
        hint="Give the message a fresh id, or admit the conversation whole; nothing was written.",
    )


def stray_parent(exchange_id: str, parent: str) -> StoreError:
    """An exchange follows one that is not stored."""
    return StoreError(
        f"Exchange {exchange_id!r} follows {parent!r}, which the space does not hold.", hint=_AGAIN
    )


def stray_opening(exchange_id: str, opened_by: str) -> StoreError:
    """An exchange shares a message that is not stored."""
    return StoreError(
        f"Exchange {exchange_id!r} shares message {opened_by!r}, which the space does not hold.",
        hint=_AGAIN,
    )


def stray_head(session_id: str, head: str) -> StoreError:
    """A session's head is no message of it."""
    return StoreError(
        f"Session {session_id!r} cannot have {head!r} as its head: it is no message of it.",
        hint=_AGAIN,
    )


def wrong_session(exchange_id: str, session_id: str) -> StoreError:
    """An exchange belongs to another session than the one it is written to."""
    return StoreError(
        f"Exchange {exchange_id!r} does not belong to session {session_id!r}.",
        hint="Write each exchange to its own session; nothing was written.",
    )


def empty(exchange_id: str) -> StoreError:
    """An exchange without a message."""
    return StoreError(
        f"Exchange {exchange_id!r} has no message.",
        hint="Give it the user's message, or name the stored one that opens it.",
    )
