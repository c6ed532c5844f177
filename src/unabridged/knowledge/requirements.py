"""The requirements of one space, each with the fields of a Volere snow card."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from threading import RLock
from typing import Any

from unabridged.domain.arguments import checks_arguments
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact, FactChange, Requirement
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.short_repr import counted, short
from unabridged.errors import NotFoundError, StoreClosedError
from unabridged.knowledge.llm_extraction import ModelDrawer, learn_page, model_stater
from unabridged.knowledge.requirement_patterns import (
    NARROW,
    RequirementMatch,
    RequirementRules,
    conflict,
    described,
    gist,
)
from unabridged.knowledge.requirement_records import (
    Card,
    checked,
    emptied,
    key_of,
    name_of,
    numbered,
    read,
    to_record,
    with_step,
)
from unabridged.knowledge.statements import PERSON, folded, is_sealed
from unabridged.language.strip_pasted import own_words
from unabridged.log.cursor import LogCursor
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import ChatModel, Clock, Store

PROGRESS = "requirements"
"""The id of the record that stores how far learning has come."""
LAST = "requirement-number"
"""The id of the record that holds the highest number so far: none is used twice."""

Stater = Callable[[str], Iterable[RequirementMatch]]
"""Extracts requirements from the user's words, each with a quote."""


@dataclass(frozen=True, slots=True)
class _View:
    revision: int
    cards: list[Card]


@checks_arguments
class Requirements:
    """The requirements of one space. Several processes may open one each."""

    def __init__(self, store: Store, clock: Clock, rules: RequirementRules = NARROW) -> None:
        self._store = store
        self._watch = RecordWatch(store, RecordKind.REQUIREMENT)
        self._clock = clock
        self._rules = rules
        self._cursor = LogCursor(store, clock, PROGRESS, rules.version)
        self._lock = RLock()
        self._seen: _View | None = None

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        try:
            return short(self, counted(len(self.all()), "requirement"))
        except StoreClosedError:
            return short(self, "closed")

    def all(self, *, withdrawn: bool = False) -> list[Requirement]:
        """Return the requirements in the order of their numbers, with their conflicts.

        Args:
            withdrawn: Include withdrawn ones; only the id of these is left.
        """
        return [
            card.requirement
            for card in self._view().cards
            if withdrawn or not card.requirement.withdrawn
        ]

    def pinned(self) -> list[Fact]:
        """Return the pinned requirements as facts: the ids are those of their records."""
        return [
            Fact(card.key, card.requirement.text, card.requirement.at, pinned=True)
            for card in self._view().cards
            if card.requirement.pinned and not card.requirement.withdrawn
        ]

    def get(self, wanted: str) -> Requirement:
        """Return a requirement by its id or its number.

        Raises:
            NotFoundError: There is none.
        """
        return self._find(wanted).requirement

    def history(self, wanted: str) -> tuple[FactChange, ...]:
        """Return the history of a requirement, the oldest step first."""
        return self.get(wanted).history

    def conflicts(self) -> list[tuple[Requirement, Requirement]]:
        """Return the pairs that conflict: by numbers, must against must not, or a person."""
        held = {each.id: each for each in self.all()}
        pairs = {
            tuple(sorted((each.id, other), key=_number))
            for each in held.values()
            for other in each.conflicts
            if other in held
        }
        ordered = sorted(pairs, key=lambda pair: (_number(pair[0]), _number(pair[1])))
        return [(held[one], held[other]) for one, other in ordered]

    def add(self, /, text: str, **fields: Any) -> Requirement:
        """Add a requirement that a person states; missing fields follow from the wording.

        ``fields`` are any of ``requirement_records.FIELDS``.

        Raises:
            InputError: The text is empty, a field is unknown, or a value is invalid.
        """
        words = checked("text", text)
        given = {name: checked(name, value) for name, value in fields.items()}
        told = described(words)
        at = self._clock.now()
        requirement = Requirement(
            id="",
            text=words,
            at=at,
            type=told.type,
            rationale=told.rationale,
            fit_criterion=told.fit_criterion,
            originator=told.originator or PERSON,
            priority=told.priority,
        )
        requirement = with_step(replace(requirement, **given), at, "added")
        return self._enter([(self._clock.new_id(), requirement)])[0]

    def edit(self, /, wanted: str, **fields: Any) -> Requirement:
        """Change fields of a requirement; the history keeps the old text.

        ``fields`` are any of ``requirement_records.FIELDS``.

        Raises:
            InputError: A field is unknown, or a value is invalid.
            NotFoundError: There is none.
        """
        card = self._find(wanted)
        given = {name: checked(name, value) for name, value in fields.items()}
        changed = replace(self._stored(card), **given)
        return self._change(card, with_step(changed, self._clock.now(), "edited"))

    def pin(self, wanted: str) -> Requirement:
        """Add a requirement to every prompt."""
        return self._set_pin(wanted, pinned=True)

    def unpin(self, wanted: str) -> Requirement:
        """Remove a requirement's pin."""
        return self._set_pin(wanted, pinned=False)

    def withdraw(self, wanted: str) -> Requirement:
        """Withdraw a requirement: its text is removed, its number stays; it is not learned again.

        Returns:
            The requirement as it was, with its text for the last time.
        """
        card = self._find(wanted)
        self._store.put([to_record(emptied(card, self._clock.now()))])
        self._store.erase(())  # which wipes the bytes
        return card.requirement

    def admit(self, requirements: Iterable[Requirement]) -> int:
        """Import requirements from elsewhere; skip those whose words are already here.

        Returns:
            How many were new. An imported one whose number is taken gets another.
        """
        here = {folded(card.requirement.text) for card in self._view().cards}
        news: list[tuple[str, Requirement]] = []
        for each in requirements:
            if each.text.strip() and folded(each.text) not in here and not each.withdrawn:
                here.add(folded(each.text))
                bare = replace(each, exchange=None)
                news.append((self._clock.new_id(), with_step(bare, self._clock.now(), "added")))
        self._enter(news)
        return len(news)

    def learn(self, exchanges: Iterable[Exchange], stater: Stater | None = None) -> int:
        """Learn requirements from the user's words; a second run adds nothing.

        Returns:
            How many were new.
        """
        draw = stater or self._rules.draw
        view = self._view()
        keys = {card.key for card in view.cards}
        said = {folded(card.requirement.quote or card.requirement.text) for card in view.cards}
        seals = [(c.seal, c.requirement.history[-1].at) for c in view.cards if c.seal]
        news: list[tuple[str, Requirement]] = []
        for exchange in exchanges:
            for each in draw(own_words(exchange.user.text)):
                words, key = folded(each.quote), key_of(exchange.id, each.quote)
                known = key in keys or words in said or each.quote not in exchange.user.text
                if known or is_sealed((s for s, at in seals if exchange.at <= at), words):
                    continue
                keys.add(key)
                said.add(words)
                news.append((key, _drawn(each, exchange)))
        self._enter(news)
        return len(news)

    def learn_pending(self, limit: int = 500, stater: Stater | None = None) -> int:
        """Learn requirements from unread exchanges, from where the last run stopped.

        Returns:
            How many exchanges were read; 0 if none are left. If the model fails, the rules continue
            alone.
        """
        return learn_page(self._cursor, limit, lambda page: self.learn(page, stater), stater)

    @property
    def waits(self) -> bool:
        """Return whether there are unread exchanges."""
        return self._cursor.waits

    def asking(self, model: ChatModel) -> ModelDrawer[str, RequirementMatch]:
        """Return what extracts requirements with a model too, for ``learn``."""
        return model_stater(model, self._rules.draw)

    def _view(self) -> _View:
        with self._lock:
            revision = self._watch.version()
            if self._seen is None or self._seen.revision != revision:
                records = self._store.records(RecordKind.REQUIREMENT)
                cards = _with_conflicts(numbered(read(records)))
                self._seen = _View(revision, cards)
            return self._seen

    def _find(self, wanted: str) -> Card:
        digits = wanted.upper().removeprefix("REQ-")
        for card in self._view().cards:
            if digits == str(card.number) and not card.requirement.withdrawn:
                return card
        raise NotFoundError(
            f"There is no requirement {wanted!r}.",
            hint="List them: `unabridged requirements list`, or requirements.all() in Python.",
        )

    def _stored(self, card: Card) -> Requirement:
        (record,) = self._store.records(RecordKind.REQUIREMENT, ids=[card.key])
        return replace(card.requirement, conflicts=tuple(record.body["conflicts"]))

    def _change(self, card: Card, requirement: Requirement) -> Requirement:
        self._store.put([to_record(replace(card, requirement=requirement))])
        return self.get(requirement.id)

    def _set_pin(self, wanted: str, *, pinned: bool) -> Requirement:
        card = self._find(wanted)
        if card.requirement.pinned is pinned:
            return card.requirement
        changed = replace(self._stored(card), pinned=pinned)
        what = "pinned" if pinned else "unpinned"
        return self._change(card, with_step(changed, self._clock.now(), what))

    def _enter(self, news: Sequence[tuple[str, Requirement]]) -> list[Requirement]:
        if not news:
            return []
        held = self._store.records(RecordKind.PROGRESS, ids=[LAST])
        last = int(held[0].body["number"]) if held else 0
        last = max([last, *(card.number for card in self._view().cards)])
        cards = [
            Card(key, last + place, requirement) for place, (key, requirement) in enumerate(news, 1)
        ]
        mark = {"number": last + len(cards)}
        records = [to_record(card) for card in cards]
        self._store.put([*records, Record(RecordKind.PROGRESS, LAST, self._clock.now(), mark)])
        keys = {key for key, _ in news}
        return [card.requirement for card in self._view().cards if card.key in keys]


def _drawn(each: RequirementMatch, exchange: Exchange) -> Requirement:
    return Requirement(
        id="",
        text=each.text,
        at=exchange.at,
        type=each.type,
        rationale=each.rationale,
        fit_criterion=each.fit_criterion,
        originator=each.originator or PERSON,
        priority=each.priority,
        quote=each.quote,
        exchange=exchange.id,
        by=each.by,
        history=(FactChange(exchange.at, each.by, "added", each.text),),
    )


def _with_conflicts(cards: list[Card]) -> list[Card]:
    # The conflicts of cards, those set by a person and those in their wording.
    held = [card for card in cards if not card.requirement.withdrawn]
    gists = [gist(card.requirement.text) for card in held]
    against: dict[int, set[int]] = {card.number: set() for card in held}
    for one, other in combinations(range(len(held)), 2):
        if gists[one].terms & gists[other].terms and conflict(gists[one], gists[other]):
            against[held[one].number].add(held[other].number)
            against[held[other].number].add(held[one].number)
    for card in held:
        for name in card.requirement.conflicts:
            other_number = _number(name)
            if other_number in against:
                against[card.number].add(other_number)
                against[other_number].add(card.number)
    return [
        replace(
            card,
            requirement=replace(
                card.requirement,
                conflicts=tuple(map(name_of, sorted(against.get(card.number, ())))),
            ),
        )
        for card in cards
    ]


def _number(name: str) -> int:
    digits = name.removeprefix("REQ-")
    return int(digits) if digits.isdecimal() else 0
