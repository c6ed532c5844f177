"""``python -m bench histories``: promises of condensing over random histories, counted.

Every history is made of random sessions with random readings, condensed again and again while it
grows; after each run all originals are there, condensations open up to them, every category keeps
its share verbatim, and a prompt of a random window adds up and stays within.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from unabridged.annotations.schemes import SCHEMES
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.verbatim_selection import least_kept
from unabridged.domain.annotation import Annotation, ExchangeReading, Scheme
from unabridged.domain.chat import Abilities
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.domain.settings import Settings
from unabridged.errors import PromptTooLargeError
from unabridged.language.names import names_in
from unabridged.maintenance.condense_session import CondenseTools, Trigger, candidates_of, spoken
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.memory import Memory
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.turn.conversation import Conversation

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = """
the a of and to in is was with for on Anna Oslo lamp garden dragon Theron 12 March boat budget sword
magic promise doctor 40 euros guitar rain Monday castle train letter sister deploy server recipe
""".split()
_COUNT = EstimateTokenizer().count


@dataclass
class HistoryOutcome:
    """What was found.

    Attributes:
        histories: Histories.
        runs: Runs of condensing that were used.
        refused: Runs that would have lost a critical name, and were not used.
        contexts: Prompts that were prepared.
        too_small: Windows that could not hold the message, refused in words.
        broken: What was broken to how often; empty if nothing was.
    """

    histories: int = 0
    runs: int = 0
    refused: int = 0
    contexts: int = 0
    too_small: int = 0
    broken: Counter[str] = field(default_factory=Counter)


class _Given:
    """Readings at random."""

    def __init__(self, scheme: Scheme, draw: random.Random) -> None:
        self._scheme = scheme
        self._draw = draw
        self._held: dict[str, ExchangeReading] = {}

    def of(self, exchanges: Sequence[Exchange]) -> Mapping[str, ExchangeReading]:
        """The same for an exchange each time."""
        return {exchange.id: self._one(exchange) for exchange in exchanges}

    def _one(self, exchange: Exchange) -> ExchangeReading:
        if exchange.id not in self._held:
            names = [category.name for category in self._scheme.categories]
            messages = {
                m.id: Annotation(
                    self._draw.choice(names), round(self._draw.random(), 2), by="random"
                )
                for m in exchange.messages
            }
            self._held[exchange.id] = ExchangeReading(exchange.id, self._scheme.name, messages)
        return self._held[exchange.id]


def run(count: int, progress: Callable[[str], None], seed: int = 0) -> HistoryOutcome:
    """Try this many random histories.

    Args:
        count: How many.
        progress: Called with a few words on the progress.
        seed: Where the numbers begin; the same seed gives the same histories.
    """
    found = HistoryOutcome()
    for number in range(count):
        if number % 100 == 0:
            progress(f"History {number:,} of {count:,} …")
        _one(random.Random(f"{seed}:{number}"), found)  # noqa: S311 - not for secrets
        found.histories += 1
    return found


def _one(draw: random.Random, found: HistoryOutcome) -> None:
    window = draw.choice([512, 700, 1024, 2048, 4096, 8192])
    abilities = Abilities("m", trained_window=window, source="server")
    settings = Settings(home="unused", store="memory", window=window, embedder="none")
    scheme = draw.choice(list(SCHEMES.values()))
    annotations = _Given(scheme, draw)
    model = ScriptedModel(abilities=abilities)
    with Memory.open(settings=settings, upstream=model, clock=ManualClock()) as memory:
        terms = CondenseTools(scheme, ExtractiveCondenser(_COUNT), names_in, _COUNT)
        trigger = Trigger(draw.choice([50, 200, 1000]), draw.choice([0, 6]), draw.randint(0, 6))
        condensations = Condensations(
            memory.space.dependencies.store, ManualClock(), annotations, terms, trigger
        )
        said: dict[str, Exchange] = {}
        for _ in range(draw.randint(1, 3)):
            grown = _grown(draw, said)
            memory.space.log.import_transcript(grown)
            said |= {exchange.id: exchange for exchange in grown.exchanges}
            outlook = condensations.condense("s", force=draw.random() < 0.5)
            found.runs += outlook.usable
            found.refused += bool(outlook.made and not outlook.usable)
            found.broken.update(_broken(memory, condensations, annotations, said))
        talk = memory.conversation("s")
        found.broken.update(_asked(talk, draw, window, found))


def _grown(draw: random.Random, said: Mapping[str, Exchange]) -> Transcript:
    made = list(said.values())
    for _ in range(draw.randint(1, 14)):
        number = len(made)
        at = _BEGIN + timedelta(minutes=number)
        parent = made[-1] if made else None
        user = _message(draw, f"u{number:04}", Role.USER, at)
        user = replace(user, parent=parent.messages[-1].id if parent else None)
        messages = [user]
        if draw.random() < 0.9:
            answer = _message(draw, f"a{number:04}", Role.ASSISTANT, at)
            messages.append(replace(answer, parent=user.id))
        state = ExchangeState.COMPLETE if len(messages) > 1 else ExchangeState.UNANSWERED
        name = parent.id if parent else None
        made.append(Exchange(f"e{number:04}", "s", name, state, tuple(messages), at))
    head = made[-1].messages[-1].id
    return Transcript(Session("s", "s", _BEGIN, made[-1].at, head), tuple(made))


def _message(draw: random.Random, name: str, role: Role, at: datetime) -> Message:
    text = " ".join(_sentence(draw) for _ in range(draw.randint(1, 8)))
    return Message(name, role, (Text(text),), at)


def _sentence(draw: random.Random) -> str:
    words = [draw.choice(_WORDS) for _ in range(draw.randint(1, 12))]
    return " ".join(words).capitalize() + draw.choice([".", "!", "?"])


def _broken(
    memory: Memory, condensations: Condensations, annotations: _Given, said: Mapping[str, Exchange]
) -> Iterator[str]:
    held = {exchange.id: exchange for exchange in memory.space.log.scan()}
    if {name: e.text for name, e in held.items()} != {name: e.text for name, e in said.items()}:
        yield "an original is lost"
    view = condensations.view("s")
    for one in view.condensations:
        opened = {e.id: e.text for e in condensations.expand(one.id).exchanges}
        if opened != {name: said[name].text for name in one.covers}:
            yield "a condensation does not open up to its originals"
        for line in one.lines:
            whole = said[line.exchange].messages[line.index].text
            if any(piece.strip() not in whole for piece in line.text.split("[…]")):
                yield "a sentence was not said"
    yield from _shares(condensations, annotations, list(said.values()))


def _shares(
    condensations: Condensations, annotations: _Given, path: Sequence[Exchange]
) -> Iterator[str]:
    scheme = condensations.terms.scheme
    gone = condensations.view("s").condensed()
    every: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for exchange in candidates_of(path, condensations.trigger.spared):
        judged = annotations.of([exchange])[exchange.id].messages
        for index, message in spoken(exchange):
            every[judged[message.id].category] += 1
            kept[judged[message.id].category] += (exchange.id, index) not in gone
    for name, number in every.items():
        if kept[name] < least_kept(scheme.category(name).keep, number):
            yield "a category keeps less than its share"


def _asked(
    talk: Conversation, draw: random.Random, window: int, found: HistoryOutcome
) -> Iterator[str]:
    try:
        context = talk.prepare(draw.choice(["What did Anna say?", _sentence(draw), "Hello!"]))
    except PromptTooLargeError:
        found.too_small += 1
        return
    found.contexts += 1
    parts = context.ledger.parts
    if sum(parts.values()) != window or min(parts.values()) < 0:
        yield "the parts do not add up"
    if context.ledger.prompt_tokens + (context.max_output or 0) > window:
        yield "the prompt is not within the window"
    talk.begin(context)
    if not talk.space.contexts.why(context.id).intact:
        yield "the prompt is not rendered again"
