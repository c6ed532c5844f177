"""Passing: which exchanges of a client were forgotten here. They reach the model, and no store."""

from collections.abc import Callable, Sequence
from functools import cache

from unabridged.domain.message import Role
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.history_sync.normalize_history import NormalizedExchange, plain_words


def passing(
    said: Sequence[NormalizedExchange], forgotten_index: ForgottenIndex
) -> Callable[[int], bool]:
    """Give what says of each of a client's exchanges whether a message of it was forgotten.

    Args:
        said: The client's exchanges.
        forgotten_index: Recognises what was forgotten.
    """
    if forgotten_index.is_idle():
        return lambda _: False

    @cache
    def passes(n: int) -> bool:
        before = _spoken(said[n - 1])[-1:] if n else []
        last = before[0] if before else None
        for role, text in _spoken(said[n]):
            if forgotten_index.recognises(text, role, last):
                return True
            last = (role, text)
        return False

    return passes


def _spoken(said: NormalizedExchange) -> list[tuple[Role, str]]:
    drafts = (said.user, *said.rest) if said.user else said.rest
    spoken = [(draft.role, plain_words(draft.text, draft.role)) for draft in drafts]
    return [(role, text) for role, text in spoken if role is not Role.TOOL and text]
