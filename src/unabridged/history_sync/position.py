"""How far a client's history is stored, and after which exchange it continues."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Role
from unabridged.domain.settings import is_off_record
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.history_sync.normalize_history import (
    Atom,
    NormalizedExchange,
    answer_of,
    begins,
    digest_of,
    has_tools,
    plain_words,
    rest_of,
    run_together,
    spoken,
)
from unabridged.history_sync.path_index import Node, PathIndex

MOST_GROWING = 200
"""The newest exchanges without a whole answer that are examined if a client's list begins within
one.
"""
MOST_JOINED = 32
"""The newest exchanges with the same question whose answers are compared word by word."""
LEAST_WRAPPING = 200
"""Characters that a wrapper around a question has at least; with less it was edited."""
RUN = 4
"""Exchanges after a gap that are compared together."""
LEAST_EVIDENCE = 24
"""Characters that a run of exchanges within a session must have: a client that begins with "hi" and
"hello" has not left out what came before.
"""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """The position of a history in the log.

    Attributes:
        path: Ids of the stored exchanges that are the client's, in its order; None for one that was
            forgotten and passes through. What the client has after them is new.
        parent: The last of them that is stored, or None.
    """

    path: tuple[str | None, ...] = ()
    parent: Node | None = None

    @property
    def known(self) -> int:
        """How many of the client's exchanges were found."""
        return len(self.path)


NOWHERE = LogPosition()


class PositionFinder:
    """Looks a client's history up.

    Args:
        index: The paths of the space.
        session: Only this session; None for every one.
        passes: Whether an exchange of the client was forgotten, given its position.
    """

    def __init__(
        self,
        index: PathIndex,
        session: str | None,
        passes: Callable[[int], bool],
    ) -> None:
        self._index = index
        self._session = session
        self.passes = passes
        self._fresh: dict[str, Exchange | None] = {}
        self._exactly: set[str] = set()

    def place(
        self, history: Sequence[NormalizedExchange], asked: NormalizedExchange
    ) -> LogPosition:
        """Find the position of a history.

        Args:
            history: The client's exchanges before the last, oldest first.
            asked: The last one, which needs an answer.
        """
        if not history:
            return NOWHERE
        whole = self._from_summary(history) or self._walk(history, None, gaps=False)
        if whole.known < len(history):
            others = [
                self._from_within(history, gaps=False),
                self._walk(history, None, gaps=True),
                self._from_within(history, gaps=True),
            ]
            whole = max((whole, *others), key=lambda walk: walk.known)  # the first of equals
        after = history[whole.known] if whole.known < len(history) else asked
        return whole.ended(after, self._index, self._exactly) if whole.known else NOWHERE

    def _from_summary(self, history: Sequence[NormalizedExchange]) -> "_Walk | None":
        # What the client sends before its newest summary is stored where it was said.
        for n in range(len(history) - 1, -1, -1) if self._index.summaries else ():
            opened = self._index.opened(history[n].opening)
            found = [one for one in opened if one.id in self._index.summaries]
            if start := self.alike(history[n], found):
                walk = self._walk(history[n:], start, gaps=False)
                return _Walk([*[None] * n, *walk.levels], walk.last)
        return None

    def _walk(
        self,
        history: Sequence[NormalizedExchange],
        start: "list[Node] | None",
        *,
        gaps: bool,
    ) -> "_Walk":
        levels: list[dict[str, Node] | None] = []
        above: dict[str, Node] = {}
        firm, last = 0, above
        for n, each in enumerate(history):
            same, bare = (start, []) if n == 0 and start is not None else self._next(each, above)
            if not same and gaps and above:
                same = self._below(history[n : n + RUN], set(above))
            if same or bare:
                above = {node.id: node for node in (*same, *bare)}
                levels.append(above)
                if same:
                    firm, last = n + 1, {node.id: node for node in same}
            elif self.passes(n):
                levels.append(None)
                firm += firm == n
            else:
                break
        return _Walk(levels[:firm], last)

    def _below(self, history: Sequence[NormalizedExchange], above: set[str]) -> list[Node]:
        if sum(each.size for each in history) < LEAST_EVIDENCE:
            return []
        found = self._anywhere(history[:2])
        return [node for node in found if self._index.is_below(node, above)]

    def _anywhere(self, history: Sequence[NormalizedExchange]) -> list[Node]:
        each = history[0]
        if each.user is None:
            return self._ending_with(history)
        found = self.alike(each, list(self._index.opened(each.opening)))
        return found or self._wrapped(each, self._index.every())

    def _next(
        self, each: NormalizedExchange, above: dict[str, Node]
    ) -> tuple[list[Node], list[Node]]:
        parents: list[str | None] = [*above] or [None]
        # The turns that a client kept beside its summary follow what the summary follows.
        parents += [node.parent for node in above.values() if node.id in self._index.summaries]
        same: list[Node] = []
        bare: list[Node] = []
        for name in parents:
            found = self.alike(each, list(self._index.behind(name, each.opening)))
            same += found or self._wrapped(each, self._index.following(name))
            if not each.atoms:
                bare += self._index.behind(name, each.opening)
        return same, [node for node in bare if self._is_here(node) and node not in same]

    def alike(self, each: NormalizedExchange, nodes: Sequence[Node]) -> list[Node]:
        """Return those of the stored exchanges that say what the client's does."""
        return self._alike(each, nodes) or self._joined(each, nodes)

    def _joined(self, each: NormalizedExchange, nodes: Iterable[Node]) -> list[Node]:
        if not each.atoms:
            return []
        words = run_together(each.atoms)
        names = sorted(node.id for node in nodes if node.rest and self._is_here(node))
        pairs = self._stored(names[-MOST_JOINED:])
        return [node for node, exchange in pairs if run_together(rest_of(exchange)) == words]

    def _wrapped(self, each: NormalizedExchange, nodes: Iterable[Node]) -> list[Node]:
        if each.user is None or each.size < LEAST_EVIDENCE:
            return []
        if not self._index.is_answered_by(each.answer):  # of all exchanges few are compared
            return []
        asked = plain_words(each.user.text, Role.USER)
        near = [n.id for n in nodes if n.answer == each.answer and self._is_here(n)]
        found: list[Node] = []
        for node, exchange in self._stored(near if asked else ()):
            whole = plain_words(exchange.user.text, Role.USER)
            if len(whole) >= len(asked) + LEAST_WRAPPING and asked in whole:
                found.append(node)
        return found

    def _from_within(self, history: Sequence[NormalizedExchange], *, gaps: bool) -> "_Walk":
        start = self._anywhere(history[:2])
        walk = self._walk(history, start, gaps=gaps) if start else _Walk([], {})
        size = sum(each.size for each in history[: walk.known])
        return walk if size >= LEAST_EVIDENCE else _Walk([], {})

    def _ending_with(self, history: Sequence[NormalizedExchange]) -> list[Node]:
        half = history[0]
        if not half.atoms:
            return []
        names: list[str] = []
        if len(history) > 1 and history[1].user is not None:  # it shows where to look
            names = [n.parent for n in self._anywhere(history[1:2]) if n.parent is not None]
        if not names:
            last = digest_of(half.atoms[-1:])
            here = [node for node in self._index.every() if self._is_here(node)]
            names = [node.id for node in here if last in {node.rest, node.answer}]
            names += sorted(node.id for node in here if not node.rest)[-MOST_GROWING:]
        return [
            node
            for node, exchange in self._stored(list(dict.fromkeys(names)))
            if _ends(exchange, half.atoms, rest_of(exchange))
        ]

    def _is_here(self, node: Node) -> bool:
        return self._session is None or node.session == self._session

    def _alike(self, each: NormalizedExchange, nodes: Iterable[Node]) -> list[Node]:
        found: list[Node] = []
        growing: list[str] = []
        for node in nodes:
            if not self._is_here(node):
                continue
            if not node.rest:
                growing.append(node.id)
            elif node.rest == each.ending:
                found.append(node)
                self._exactly.add(node.id)
            elif node.answer and node.answer == each.answer:
                found.append(node)  # the client stores only the answer
        for node, exchange in self._stored(growing):
            said = rest_of(exchange)
            if said == each.atoms:
                found.append(node)
                self._exactly.add(node.id)
            elif _is_as_much(exchange, said, each):
                found.append(node)
        return found

    def _stored(self, names: Sequence[str]) -> list[tuple[Node, Exchange]]:
        new = [name for name in names if name not in self._fresh]
        if new:
            found = self._index.shelf.get(new)
            self._fresh |= {name: found.get(name) for name in new}
        pairs = []
        for name in names:
            exchange = self._fresh[name]
            if exchange is not None:
                pairs.append((self._index.settle(exchange), exchange))
        return pairs

    def grown(self, parent: str | None, asked: NormalizedExchange) -> Exchange | None:
        """Return the stored exchange that a request continues: all its content was sent with it.

        One that others follow is not continued: what came before them must not change.

        Args:
            parent: What it must follow, or None.
            asked: The last of the client's exchanges.
        """
        if not has_tools(asked.atoms):
            return None
        names = [n.id for n in self._index.behind(parent, asked.opening) if self._is_here(n)]
        best: tuple[int, str] = (0, "")
        found: Exchange | None = None
        for _, exchange in self._stored(names):
            said = rest_of(exchange)
            fits = said and said == asked.atoms[: len(said)] and has_tools(said)
            ended = exchange.state is ExchangeState.COMPLETE or self._index.is_followed(exchange.id)
            if fits and not ended:
                key = (len(said), exchange.id)
                best, found = (key, exchange) if key > best else (best, found)
        return found

    def twins(self, parent: str | None, asked: NormalizedExchange) -> list[Node]:
        """Return those that follow an exchange with the same user message, oldest first."""
        found = self._index.behind(parent, asked.opening)
        return sorted(node for node in found if self._is_here(node))


def _is_as_much(exchange: Exchange, said: Sequence[Atom], each: NormalizedExchange) -> bool:
    if exchange.state is ExchangeState.COMPLETE:
        last = answer_of(said)
        return last is not None and digest_of([last]) == each.answer
    return begins(each.atoms, said) or begins(each.atoms, spoken(said))


def _ends(exchange: Exchange, tail: Sequence[Atom], said: Sequence[Atom]) -> bool:
    whole, end = run_together(said), run_together(tail)
    if not end or len(end) > len(whole):
        return False
    part = whole[len(whole) - len(end) :]
    if exchange.state is not ExchangeState.COMPLETE:
        return begins(end, part)
    (kind, text), (other, last) = part[0], end[0]
    return kind == other and text.endswith(last) and part[1:] == end[1:]


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far a walk got.

    Attributes:
        levels: The stored exchanges that each of the client's may be; None for a forgotten one.
        last: Those that it reached.
    """

    levels: Sequence[dict[str, Node] | None]
    last: dict[str, Node]

    @property
    def known(self) -> int:
        """How many of the client's exchanges were found."""
        return len(self.levels) if self.last else 0

    def ended(self, after: NormalizedExchange, index: PathIndex, exactly: set[str]) -> LogPosition:
        """Choose among those that it reached, and return the path.

        Those that are word for word the client's come first, then those whose next exchange is the
        client's next one, then the newest.
        """

        def rank(node: Node) -> tuple[bool, bool, str]:
            asked_already = any(True for _ in index.behind(node.id, after.opening))
            return (node.id in exactly, asked_already, node.id)

        end = max(self.last.values(), key=rank)
        path: list[str | None] = []
        node: Node | None = end
        for level in reversed(self.levels):
            while level is not None and node is not None and node.id not in level:
                node = index.node(node.parent) if node.parent else None  # left out by the client
            path.append(node.id if level is not None and node is not None else None)
            if level is not None and node is not None:
                node = index.node(node.parent) if node.parent else None
        return LogPosition(tuple(path[::-1]), end)


def passing(
    said: Sequence[NormalizedExchange], forgotten_index: ForgottenIndex, off_record: str
) -> Callable[[int], bool]:
    """Return what decides whether a client's exchange, by position, reaches the model but no store.

    It was forgotten here, or begins with the words of the setting ``off_record``.
    """

    def is_private(n: int) -> bool:
        user = said[n].user
        return user is not None and is_off_record(user.text, off_record)

    if forgotten_index.is_idle():
        return is_private

    @cache
    def passes(n: int) -> bool:
        if is_private(n):
            return True
        before = _texts(said[n - 1])[-1:] if n else []
        last = before[0] if before else None
        for role, text in _texts(said[n]):
            if forgotten_index.recognises(text, role, last):
                return True
            last = (role, text)
        return False

    return passes


def _texts(said: NormalizedExchange) -> list[tuple[Role, str]]:
    drafts = (said.user, *said.rest) if said.user else said.rest
    spoken = [(draft.role, plain_words(draft.text, draft.role)) for draft in drafts]
    return [(role, text) for role, text in spoken if role is not Role.TOOL and text]
