"""PrecisionMemBench: what a memory of beliefs must and must not return for a message.

Form of the data: ``beliefs.seed.json`` (beliefs with aliases, scope, status and what superseded
them) and ``retrieval.cases.json`` (a query, its scopes, and what is expected); next to them
``session-retrieval.cases.json`` (turns, each with expectations of its own).

How it is mapped. Each scope of each user is a space of its own, so that scopes are kept apart as
spaces are; a case asks the books of its scopes. A belief becomes a fact: ``content`` its text,
``canonical_name`` its attribute (words of it only, numbers and underscores as spaces), ``aliases``
its aliases, ``pinned`` a pin. A superseded belief is a fact that a person replaced by the one named
in ``superseded_by``; one that is resolved was taken back. ``relevantBeliefs.shouldOnlyInclude`` is
what ``bearing`` must return next to pinned facts, and ``mustExclude`` and ``mustNotSurface`` what it
must not; ``pinnedFacts`` and ``openQuestions`` are what must be, or must not be, among the pinned.

Left out: ``user:universal`` beliefs and ``personaPrelude`` (a persona's description, which this
memory does not write), ``budget`` beyond its number of beliefs, ``topicRetrieval``, and what a
session case creates or changes between turns. That an open question is not among ``pinnedFacts`` but
among ``openQuestions`` is left out too: pinned is pinned here.

A case counts as one of *must not return* where it names beliefs that must not be returned, or its
query shares a word with a belief that was superseded or resolved.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.recall.recall_baselines import Bm25
from unabridged.domain.scope import SpaceId
from unabridged.errors import TransferError
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.statements import Statement, to_record, withdrawn
from unabridged.language.words import query_terms
from unabridged.ports import Clock, Embedder
from unabridged.stores.in_memory import InMemoryStore

BELIEFS = "beliefs.seed.json"
CASES = "retrieval.cases.json"
SESSIONS = "session-retrieval.cases.json"
OWNER = "test-user"
UNIVERSAL = "user:universal"
LIMIT = 12
"""Facts that are asked for."""


@dataclass(frozen=True, slots=True)
class ExpectedBeliefs:
    """What one query must and must not return.

    Attributes:
        id: The case's name.
        query: The message.
        scopes: Where it asks.
        user: Who asks.
        must: Beliefs that must be returned because they are relevant.
        only: Whether only these and pinned ones may be returned.
        never: Beliefs that must not be returned in any way.
        pinned: Beliefs that must be among the pinned.
        unpinned: Beliefs that must not be among the pinned.
        limit: Beliefs that may be returned at most.
    """

    id: str
    query: str
    scopes: tuple[str, ...]
    user: str = OWNER
    must: frozenset[str] = frozenset()
    only: bool = False
    never: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    unpinned: frozenset[str] = frozenset()
    limit: int = LIMIT


@dataclass(slots=True)
class BeliefTally:
    """The results of one system.

    Attributes:
        wanted: Beliefs that had to be returned.
        returned: Those of them that were.
        forbidden: Cases that name beliefs which must not be returned, or match such.
        violated: Those of them in which one was.
        exact: Cases that say what alone may be returned.
        beside: Those of them that returned something else.
        failures: The cases that went wrong, in words.
    """

    wanted: int = 0
    returned: int = 0
    forbidden: int = 0
    violated: int = 0
    exact: int = 0
    beside: int = 0
    failures: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The figures, with shares."""
        return {
            "must_return": self.wanted,
            "must_return_recall": self.returned / self.wanted if self.wanted else 1.0,
            "must_not_return_cases": self.forbidden,
            "must_not_return_violated": self.violated / self.forbidden if self.forbidden else 0.0,
            "only_cases": self.exact,
            "only_violated": self.beside / self.exact if self.exact else 0.0,
            "failures": self.failures,
        }


class BeliefBook:
    """The beliefs of the data, as facts in books: one for each user and scope.

    Args:
        beliefs: Their records.
        clock: The time.
        embedder: Compares meanings.
    """

    def __init__(
        self, beliefs: Sequence[Mapping[str, Any]], clock: Clock, embedder: Embedder | None
    ) -> None:
        self.texts = {str(b["_id"]): _words_of(b) for b in beliefs}
        self.scope_of = {str(b["_id"]): (str(b["user_id"]), tuple(b["scope"])) for b in beliefs}
        self.gone = frozenset(str(b["_id"]) for b in beliefs if _is_over(b))
        self.questions = frozenset(str(b["_id"]) for b in beliefs if b["type"] == "open_question")
        older = {str(b["superseded_by"]): str(b["_id"]) for b in beliefs if b["superseded_by"]}
        placed: defaultdict[tuple[str, str], list[Statement]] = defaultdict(list)
        for belief in beliefs:
            for scope in belief["scope"]:
                if scope != UNIVERSAL:
                    owner = (str(belief["user_id"]), str(scope))
                    placed[owner].append(_statement(belief, older.get(str(belief["_id"]))))
        self._knowledge = {}
        for owner, statements in placed.items():
            store = InMemoryStore(SpaceId(*owner))
            store.put([to_record(statement) for statement in statements])
            self._knowledge[owner] = Facts(store, clock, embedder)

    def bearing(self, case: ExpectedBeliefs) -> list[str]:
        """Return the beliefs that are relevant to a case's query, without the pinned, best first."""
        found = [
            (b.score, b.fact.id)
            for book in self._asked(case)
            for b in book.bearing(case.query, case.limit)
            if not b.fact.pinned
        ]
        room = max(0, case.limit - len(self.pinned(case)))
        ranked = [name for _, name in sorted(found, key=lambda each: -each[0])]
        return list(dict.fromkeys(ranked))[: room if case.limit < LIMIT else LIMIT]

    def pinned(self, case: ExpectedBeliefs) -> list[str]:
        """Return the beliefs that every prompt of a case's scopes carries."""
        return [f.id for book in self._asked(case) for f in book.pinned()]

    def _asked(self, case: ExpectedBeliefs) -> list[Facts]:
        owners = [(case.user, scope) for scope in case.scopes]
        return [self._knowledge[owner] for owner in owners if owner in self._knowledge]


def _statement(belief: Mapping[str, Any], older: str | None) -> Statement:
    statement = Statement(
        id=str(belief["_id"]),
        text=str(belief["content"]),
        since=datetime.fromisoformat(str(belief["created_at"])),
        attribute=str(belief["canonical_name"]).replace("_", " "),
        pinned=bool(belief["pinned"]) and not _is_over(belief),
        replaces=older,
        aliases=tuple(map(str, belief["aliases"])),
    )
    resolved = belief.get("resolved_at")
    return withdrawn(statement, datetime.fromisoformat(str(resolved))) if resolved else statement


def _is_over(belief: Mapping[str, Any]) -> bool:
    return belief["epistemic_status"] == "superseded" or bool(belief.get("resolved_at"))


def _words_of(belief: Mapping[str, Any]) -> str:
    name = str(belief["canonical_name"]).replace("_", " ")
    return " ".join((name, *map(str, belief["aliases"]), str(belief["content"])))


def load(data: str | Path) -> tuple[list[dict[str, Any]], list[ExpectedBeliefs]]:
    """Read the beliefs and the cases.

    Raises:
        TransferError: The folder does not hold them.
    """
    folder = Path(data)
    try:
        beliefs = json.loads((folder / BELIEFS).read_text(encoding="utf-8"))
        cases = json.loads((folder / CASES).read_text(encoding="utf-8"))
        beside = folder / SESSIONS
        sessions = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else []
    except (OSError, ValueError) as error:
        raise TransferError(
            f"{str(data)!r} does not hold PrecisionMemBench: {error}.",
            hint=f"Give the folder of {BELIEFS} and {CASES}.",
        ) from error
    expected = [_expected(case) for case in cases]
    for session in sessions:
        for turn in session["turns"]:
            name = f"{session['caseId']}/{turn['turnIndex']}"
            given = {"caseId": name, "query": turn["userMessage"], **turn}
            expected.append(_expected(given))
    return beliefs, expected


def _expected(case: Mapping[str, Any]) -> ExpectedBeliefs:
    expect = case.get("expect") or {}
    relevant = expect.get("relevantBeliefs") or {}
    pinned = expect.get("pinnedFacts") or relevant.get("pinnedFacts") or {}
    questions = expect.get("openQuestions") or {}
    noise = expect.get("noiseCheck") or {}
    never = {*relevant.get("mustExclude", ()), *noise.get("mustNotSurface", ())}
    unpinned = {*pinned.get("mustExclude", ()), *questions.get("mustExclude", ())}
    asked = {*pinned.get("mustInclude", ()), *questions.get("mustInclude", ())}
    return ExpectedBeliefs(
        id=str(case["caseId"]),
        query=str(case["query"]),
        scopes=tuple(case["scope"]),
        user=str(case.get("userId", OWNER)),
        must=frozenset(relevant.get("shouldOnlyInclude", ())),
        only="shouldOnlyInclude" in relevant,
        never=frozenset(never),
        pinned=frozenset(asked),
        unpinned=frozenset(unpinned - asked),
        limit=int((case.get("budget") or {}).get("maxBeliefs", LIMIT)),
    )


def run(data: str | Path, clock: Clock, embedder: Embedder | None) -> dict[str, Any]:
    """Ask every case of the facts, and of BM25 over the same texts.

    Args:
        data: The folder.
        clock: The time.
        embedder: Compares meanings; None to go by words only.

    Returns:
        The figures of both, by name.

    Raises:
        TransferError: The folder does not hold the data.
    """
    records, cases = load(data)
    beliefs = BeliefBook(records, clock, embedder)
    ours, theirs, blind = BeliefTally(), BeliefTally(), BeliefTally()
    for case in cases:
        found = beliefs.bearing(case)
        pinned = beliefs.pinned(case)
        _judge(ours, case, found, pinned, beliefs)
        for tally, keep in ((theirs, True), (blind, False)):
            texts = _in_reach(case, beliefs, living=keep)
            ranked = Bm25(texts).rank(case.query, case.limit) if texts else []
            _judge(tally, case, [name for name in ranked if name not in pinned], pinned, beliefs)
    return {
        "cases": len(cases),
        "beliefs": len(records),
        "facts": ours.as_dict(),
        "bm25": theirs.as_dict(),
        "bm25_stateless": blind.as_dict(),
    }


def _in_reach(case: ExpectedBeliefs, beliefs: BeliefBook, *, living: bool) -> dict[str, str]:
    return {
        name: text
        for name, text in beliefs.texts.items()
        if beliefs.scope_of[name][0] == case.user
        and set(beliefs.scope_of[name][1]) & set(case.scopes)
        and not (living and name in beliefs.gone)
    }


def _is_lure(case: ExpectedBeliefs, beliefs: BeliefBook) -> bool:
    reach = {name for name in beliefs.gone if beliefs.scope_of[name][0] == case.user}
    asked = set(query_terms(case.query))
    return any(
        asked & set(query_terms(beliefs.texts[name]))
        for name in reach
        if set(beliefs.scope_of[name][1]) & set(case.scopes)
    )


def _judge(
    tally: BeliefTally,
    case: ExpectedBeliefs,
    found: Sequence[str],
    pinned: Sequence[str],
    beliefs: BeliefBook,
) -> None:
    returned = {*found, *pinned}
    tally.wanted += len(case.must)
    tally.returned += len(case.must & returned)
    if missed := sorted(case.must - returned):
        tally.failures.append(f"{case.id}: lacks {', '.join(missed)}")
    tally.wanted += len(case.pinned)
    tally.returned += len(case.pinned & set(pinned))
    never = (case.never | beliefs.gone) - case.must
    named = bool(case.never or case.unpinned)
    tally.forbidden += named or _is_lure(case, beliefs)
    bad = sorted((returned & never) | (set(pinned) & case.unpinned - beliefs.questions))
    if bad:
        tally.violated += 1
        tally.failures.append(f"{case.id}: must not return {', '.join(bad)}")
    if case.only:
        tally.exact += 1
        if others := sorted(set(found) - case.must):
            tally.beside += 1
            tally.failures.append(f"{case.id}: also returns {', '.join(others)}")
