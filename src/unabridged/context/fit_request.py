"""Fit a client's request into the window: what memory added goes first, then ``fit`` decides.

The request itself is never shortened in silence. If it does not fit without the earlier recall
blocks, it is refused, or its oldest closed exchanges are condensed; the answer then says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unabridged.budget.allocate import ANSWER_LOW, least_answer
from unabridged.condense.history_summary import HistorySummary, Stands, drafted, sources_of
from unabridged.context.history import (
    BLOCK_SHARE,
    EARLIER_SHARE,
    FITTINGS,
    FRAME_TOKENS,
    LEAST_EARLIER,
    WORDS_SHARE,
    earlier_tokens,
)
from unabridged.context.types import (
    ClientRequest,
    EarlierBlock,
    FittedRequest,
    PromptPlan,
)
from unabridged.domain.client_history import Fit
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role
from unabridged.errors import PromptTooLargeError

HINT = (
    "Compact the conversation, offer fewer tools, set a larger window, or set fit to condense. "
    "Nothing was sent and nothing was cut."
)

FIXED_HINT = (
    "System messages, tools and the newest message are never condensed. Send less of them, or set "
    "a larger window. Nothing was sent and nothing was cut."
)


@dataclass(frozen=True, slots=True)
class RequestBefore:
    """How the previous request of the conversation was fitted.

    Attributes:
        since: The exchange from which on blocks may be rendered; empty for every one.
        kept: The first stored exchange that was not condensed; empty if none was condensed.
        earlier: What replaced those before it, or None.
        ahead: How many exchanges before ``kept`` were not condensed either; none of them is stored.
    """

    since: str = ""
    kept: str = ""
    earlier: HistorySummary | None = None
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Tokens of a client's request.

    ``spoken`` are the exchanges with a user's message, ``joined`` those whose first message shares
    its item with the exchange before.
    """

    system: int
    tools: int
    exchanges: Sequence[int]
    newest: int
    blocks: Mapping[int, int]
    spoken: frozenset[int]
    joined: frozenset[int]

    @property
    def fixed(self) -> int:
        return self.system + self.tools + self.newest


def fit_request(
    plan: PromptPlan,
    client: ClientRequest,
    blocks: Mapping[int, EarlierBlock],
    before: RequestBefore,
    name: str,
) -> FittedRequest:
    """Decide what of a client's request, and of what memory added to it before, is sent.

    Args:
        plan: The terms.
        client: The request.
        blocks: The earlier recall blocks, by the position of their exchange in the path.
        before: How the previous request was fitted.
        name: The id of the exchange that the request begins or continues.

    Raises:
        PromptTooLargeError: It does not fit, and is to be refused.
    """
    path = client.synced.path
    sizes = _sizes(plan, client, blocks)
    limit = plan.window - least_answer(plan.window)
    whole = sizes.fixed + sum(sizes.exchanges)
    left_out = 0
    earlier: HistorySummary | None = None
    if whole > limit:
        if not _condenses(client):
            raise PromptTooLargeError(whole + least_answer(plan.window), plan.window, hint=HINT)
        left_out, earlier = _condensed(plan, client, sizes, before, limit)
    gone = sum(sizes.exchanges[:left_out])
    names = [*(one.id for one in path), name]
    there = sizes.spoken.intersection(n for n, block in blocks.items() if block.text)
    shown = [n for n in sorted(there) if n >= left_out and names[n] >= before.since]
    most = limit if plan.max_prompt_tokens is None else plan.max_prompt_tokens
    room = limit - (whole - gone + earlier_tokens(plan, earlier))
    since, added = before.since, sum(sizes.blocks[n] for n in shown)
    if added > min(room, most):
        # The block of a tool loop that is open stays, if it can: the loop began with it.
        since, shown = name, [n for n in shown if n == len(path) and sizes.blocks[n] <= room]
    kept = {n: blocks[n] for n in shown}
    return FittedRequest(
        blocks=kept,
        since=since,
        left_out=left_out,
        earlier=earlier,
        system=sizes.system,
        tools=sizes.tools,
        history=sum(sizes.exchanges)
        - gone
        + sum(sizes.blocks[n] for n in kept)
        + earlier_tokens(plan, earlier),
        newest=sizes.newest,
        left_out_tokens=gone,
        held=frozenset(
            (*names[left_out:-1], *(i for block in kept.values() for i in block.exchanges))
        ),
        told=frozenset(i for block in kept.values() for i in block.facts),
    )


def before_of(manifest: Mapping[str, Any] | None, earlier: HistorySummary | None) -> RequestBefore:
    """Return how a request was fitted, from the manifest of its context."""
    if manifest is None or "client" not in manifest:
        return RequestBefore()
    client = manifest["client"]
    lost = bool(manifest["earlier"]) and earlier is None  # forgotten: condensed from what is left
    kept = "" if lost else client["kept"]
    return RequestBefore(client["since"], kept, earlier, client["ahead"])


def _sizes(plan: PromptPlan, client: ClientRequest, blocks: Mapping[int, EarlierBlock]) -> _Sizes:
    last = len(client.synced.path)
    exchanges = [0] * (last + 1)
    system = 0
    for one in client.synced.messages:
        tokens = plan.counter.sent(one.message)
        if one.exchange is None:
            system += tokens
        else:
            exchanges[one.exchange] += tokens
    return _Sizes(
        system=system,
        tools=sum(plan.counter.tool(tool) for tool in plan.tools),
        exchanges=exchanges[:last],
        newest=exchanges[last] + plan.counter.opening(),
        blocks={n: plan.counter.text(block.text) for n, block in blocks.items()},
        spoken=frozenset(
            one.exchange
            for one in client.synced.messages
            if one.exchange is not None and one.message.role is Role.USER
        ),
        joined=_joined(client),
    )


def _joined(client: ClientRequest) -> frozenset[int]:
    first: dict[int, int] = {}
    for one in client.synced.messages:
        if one.exchange is not None:
            first.setdefault(one.exchange, one.items)
    return frozenset(n for n, items in first.items() if not items)


def _condenses(client: ClientRequest) -> bool:
    if client.fit is Fit.AUTO:
        return not client.synced.rounds
    return client.fit is Fit.CONDENSE


def _condensed(
    plan: PromptPlan, client: ClientRequest, sizes: _Sizes, before: RequestBefore, limit: int
) -> tuple[int, HistorySummary]:
    path: Sequence[Exchange] = client.synced.path
    kept = next((n for n, one in enumerate(path) if one.id == before.kept), 0)
    first = kept - before.ahead
    if first > 0 and first in sizes.spoken:
        again = before.earlier or _bare(plan, path, first)
        took = sizes.fixed + sum(sizes.exchanges[first:]) + earlier_tokens(plan, again)
        if took <= limit:
            return first, again
    room = _room(plan, sizes, limit)
    if not client.synced.stored:
        path = _named_alike(client)
        steady = replace(sizes, newest=0)  # the newest message changes from request to request
        free = _room(plan, steady, limit)
        usual = min(limit, round((1 - ANSWER_LOW) * plan.window))
        kept = _replayed(path, steady, int((BLOCK_SHARE - EARLIER_SHARE) * free), usual)
        summary = _told(plan, client, path, kept, int(EARLIER_SHARE * free))
        took = sizes.fixed + sum(sizes.exchanges[kept:]) + earlier_tokens(plan, summary)
        if kept and took <= limit:
            return kept, summary
    most = int(EARLIER_SHARE * room)
    kept = _boundary(plan, path, sizes, int(BLOCK_SHARE * room) - most, limit)
    summary = _told(plan, client, path, kept, most)
    if sizes.fixed + sum(sizes.exchanges[kept:]) + earlier_tokens(plan, summary) > limit:
        summary = _bare(plan, path, kept)
    return kept, summary


def _named_alike(client: ClientRequest) -> list[Exchange]:
    # Nothing is stored of the request, so that its exchanges have other ids and times each time.
    return [
        replace(one, id=str(n), at=one.at.replace(hour=0, minute=0, second=0, microsecond=0))
        if one.id in client.synced.unstored
        else one
        for n, one in enumerate(client.synced.path)
    ]


def _replayed(path: Sequence[Exchange], sizes: _Sizes, room: int, limit: int) -> int:
    # Where the boundary would be if every request of the conversation had been stored: it moves
    # only when it must, so that the next request begins with the same bytes.
    places = _places(path, sizes)
    kept = 0
    for n in range(1, len(path) + 1):
        if sizes.fixed + sum(sizes.exchanges[kept:n]) > limit:
            here = [place for place in places if kept < place < n] or [kept]
            fits = (place for place in here if sum(sizes.exchanges[place:n]) <= room)
            kept = next(fits, here[-1])
    return kept


def _told(
    plan: PromptPlan, client: ClientRequest, path: Sequence[Exchange], kept: int, most: int
) -> HistorySummary:
    # What was forgotten is never stored again.
    kept_out = client.synced.unstored if client.synced.stored else ()
    known = [one for one in path[:kept] if one.id not in kept_out]
    before = path[kept].id if kept < len(path) else ""
    return _summary(plan, known, before, most) or _bare(plan, path, kept)


def _room(plan: PromptPlan, sizes: _Sizes, limit: int) -> int:
    room = min(limit, round((1 - ANSWER_LOW) * plan.window)) - sizes.fixed
    if room <= 0:
        room = limit - sizes.fixed
    if room < 0:
        needed = sizes.fixed + least_answer(plan.window)
        raise PromptTooLargeError(needed, plan.window, hint=FIXED_HINT)
    return room


def _boundary(
    plan: PromptPlan, path: Sequence[Exchange], sizes: _Sizes, room: int, limit: int
) -> int:
    # The first exchange that is kept: those from it on fit the room, or are as few as they can be.
    # What says that others are missing has to fit as well.
    last = len(path)
    while last and _is_asked(path[last - 1]):
        last -= 1
    places = _places(path, sizes)
    last = next((n for n in places if n >= last), places[-1] if places else 0)
    needed = sizes.fixed + sum(sizes.exchanges)
    for n in places:
        kept = sum(sizes.exchanges[n:])
        if n > last:
            break
        if n < last and kept > room:
            continue
        needed = sizes.fixed + kept + earlier_tokens(plan, _bare(plan, path, n))
        if needed <= limit:
            return n
    raise PromptTooLargeError(needed + least_answer(plan.window), plan.window, hint=HINT)


def _places(path: Sequence[Exchange], sizes: _Sizes) -> list[int]:
    # The words that replace others go before a user's message. An item is sent whole, or not at all.
    return [n for n in range(1, len(path) + 1) if n in sizes.spoken and n not in sizes.joined]


def _is_asked(exchange: Exchange) -> bool:
    # What a client sends right before its newest message belongs to it.
    return all(message.role is Role.USER for message in exchange.messages)


def _bare(plan: PromptPlan, path: Sequence[Exchange], kept: int) -> HistorySummary:
    # Without words, it says how many are missing.
    before = path[kept].id if kept < len(path) else ""
    return HistorySummary((), (), kept, _tokens(plan, path[:kept]), (), before, "")


def _tokens(plan: PromptPlan, exchanges: Sequence[Exchange]) -> int:
    return sum(plan.counter.parts(m) for exchange in exchanges for m in exchange.messages)


def _summary(
    plan: PromptPlan, gone: Sequence[Exchange], before: str, most: int
) -> HistorySummary | None:
    sources = [source for exchange in gone for source in sources_of(exchange, {}, {})]
    if plan.condenser is None or most < LEAST_EARLIER or not sources:
        return None
    tokens = _tokens(plan, gone)
    room = WORDS_SHARE * (most - FRAME_TOKENS)
    for _ in range(FITTINGS):
        draft = plan.condenser.condense(sources, int(room))
        if draft is None or not draft.lines:
            return None
        made = drafted(draft, sources, Stands(len(gone), tokens, (), before))
        took = earlier_tokens(plan, made)
        if took <= most:
            return made
        room *= 0.95 * most / took  # names and dates precede the words
    return None
