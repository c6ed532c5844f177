"""Generates conversations: the same for the same seed on every machine.

Words follow Zipf's law over a vocabulary of made-up words after the commonest real ones, so that a
text index has rare and common terms as in real text. Each conversation has a topic of its own words.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session

VOCABULARY = 30_000
"""Different words; with Zipf's law about what a million words of chat hold."""
USER_WORDS, ANSWER_WORDS = 40, 150
"""Mean lengths of the two sides of an exchange."""
EXCHANGES = 10
"""Exchanges of a conversation."""
LONG = 0.03
"""Share of answers that are eight times as long."""
GERMAN, CHINESE = 0.06, 0.04
"""Shares of conversations in other languages."""
TOPIC_WORDS, TOPIC_SHARE = 24, 0.12
"""Words of a conversation's own topic, and how much of the text they are."""

_BEGIN = datetime(2025, 1, 1, 8, 0, tzinfo=UTC)
_COMMON = """
the to and of a in is that for you it with on i are be your can this my or have as not but at if
will an so what from one do more some when there which they was how we make use like time just other
get also could would about than may first them then should want each way help work day need good
between these any through good people most new after well back very where know two only think
""".split()
_GERMAN = """
der die und das ist nicht ich wir auf mit für eine auch von den dass wie aber noch werden haben kann
Wohnung Fahrrad Arbeit Wochenende Großmutter Küche Termin Versicherung Garten Straße Bewerbung Katze
möchte sollte gestern morgen wieder vielleicht natürlich ungefähr besser schreiben erklären fahren
""".split()
_CHINESE = (
    "我们的是了在人有他这中大来上个国到说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行"
    "所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
)
_SYLLABLES = (
    "ba be ca co da de di el en fa fi ga go ha hi in ja ka la le li lo ma me mi mo na ne ni no "
    "or pa pe qui ra re ri ro sa se si ta te ti to ul va ve vi wa we"
)


@dataclass(frozen=True, slots=True)
class TalkSize:
    """How long exchanges are.

    Attributes:
        user_words: Words of the user's side, in the mean.
        answer_words: Words of the answer, in the mean.
        vocabulary: The number of different words.
        knee: The rank from which on words are rarer than Zipf's law has them: by its square.
        common: From how high up topics draw their words: 1 from everywhere alike, more from above.
    """

    user_words: int = USER_WORDS
    answer_words: int = ANSWER_WORDS
    vocabulary: int = VOCABULARY
    knee: int = VOCABULARY
    common: float = 1.0


MIXED = TalkSize()
"""As people chat with a model about anything; richer in words than they are."""
SHORT = TalkSize(27, 27, 100_000, 500, 8.0)
"""As in LoCoMo, in length and in different words: two turns between friends."""
LENGTHY = TalkSize(45, 275, 100_000, 3_000, 6.0)
"""As in LongMemEval: a model's full answers."""


class TalkGenerator:
    """Draws conversations and messages.

    Args:
        seed: Equal seeds draw equal conversations.
        size: How long their exchanges are.
    """

    def __init__(self, seed: int = 7, size: TalkSize = MIXED) -> None:
        self._size = size
        self._chance = random.Random(seed)  # noqa: S311 - test text, no secret
        self._words = [*_COMMON, *self._made_up(size.vocabulary - len(_COMMON))]
        shares = (min(1.0, size.knee / (rank + 1)) / (rank + 3) for rank in range(size.vocabulary))
        self._weights = list(accumulate(shares))
        self._rarer = self._words[200:]
        self._count = 0
        self.topics: list[Sequence[str]] = []
        """The topic of every conversation that was drawn."""

    def _made_up(self, count: int) -> list[str]:
        syllables = _SYLLABLES.split()
        made: dict[str, None] = {}
        while len(made) < count:
            long = 3 if count <= VOCABULARY else 4
            made[
                "".join(self._chance.choices(syllables, k=self._chance.choice((1, 2, 3, long))))
            ] = None
        return sorted(made, key=len)  # common words are short

    def conversations(self, exchanges: int) -> Iterator[Transcript]:
        """Draw conversations that hold this many exchanges together."""
        while exchanges > 0:
            size = min(EXCHANGES, exchanges)
            yield self.conversation(size)
            exchanges -= size

    def conversation(self, size: int = EXCHANGES) -> Transcript:
        """Draw one conversation."""
        topic = self._topic()
        self.topics.append(topic)
        number = len(self.topics)
        name = f"{number:026d}"
        at = _BEGIN + timedelta(minutes=5 * number)
        drawn: list[Exchange] = []
        head: str | None = None
        for _ in range(size):
            exchange = self._exchange(name, topic, at, drawn[-1].id if drawn else None, head)
            head = exchange.messages[-1].id
            drawn.append(exchange)
        title = " ".join(topic[:4])
        return Transcript(Session(name, title, at, at, head, "bench", name), tuple(drawn))

    def _topic(self) -> Sequence[str]:
        kind = self._chance.random()
        if kind < GERMAN:
            return self._chance.sample(_GERMAN, TOPIC_WORDS)
        if kind < GERMAN + CHINESE:
            return self._chance.sample(_CHINESE, TOPIC_WORDS)
        if self._size.common == 1.0:
            return [self._chance.choice(self._rarer) for _ in range(TOPIC_WORDS)]
        draws = (self._chance.random() ** self._size.common for _ in range(TOPIC_WORDS))
        return [self._rarer[int(len(self._rarer) * draw)] for draw in draws]

    def _exchange(
        self, session: str, topic: Sequence[str], at: datetime, parent: str | None, head: str | None
    ) -> Exchange:
        self._count += 1
        name = f"{self._count:026d}"
        user = Message(f"{name}-u", Role.USER, (Text(self.said(topic)),), at, head)
        answer = Message(f"{name}-a", Role.ASSISTANT, (Text(self.answered(topic)),), at, user.id)
        return Exchange(name, session, parent, ExchangeState.COMPLETE, (user, answer), at)

    def said(self, topic: Sequence[str]) -> str:
        """Draw a user's message on a topic."""
        return self._text(topic, self._length(self._size.user_words))

    def answered(self, topic: Sequence[str]) -> str:
        """Draw an answer on a topic."""
        longer = 8 if self._chance.random() < LONG else 1
        return self._text(topic, longer * self._length(self._size.answer_words))

    def _length(self, mean: int) -> int:
        return max(3, int(self._chance.gauss(mean, mean / 3)))

    def _text(self, topic: Sequence[str], words: int) -> str:
        if len(topic[0]) == 1:
            return self._chinese(topic, words)
        other = topic[0] in _GERMAN
        drawn = (
            self._chance.choices(_GERMAN, k=words)
            if other
            else self._chance.choices(self._words, cum_weights=self._weights, k=words)
        )
        for place in range(words):
            if self._chance.random() < TOPIC_SHARE:
                drawn[place] = self._chance.choice(topic)
        place = 0
        while place < words:
            drawn[place] = drawn[place].capitalize()
            place += self._chance.randint(7, 18)
            drawn[min(place, words) - 1] += self._chance.choice("....?!")
        return " ".join(drawn)

    def _chinese(self, topic: Sequence[str], words: int) -> str:
        drawn = self._chance.choices(_CHINESE, k=2 * words)
        for place in range(0, len(drawn), 7):
            drawn[place] = self._chance.choice(topic)
        for place in range(19, len(drawn), 20):
            drawn[place] += "。"
        return "".join(drawn)

    def question(self, topic: Sequence[str]) -> str:
        """Draw a message that is relevant to a topic, of any intent; never the copy of a stored one."""
        shape = self._chance.choices(list(_SHAPES), weights=list(_SHAPES.values()))[0]
        few = self._chance.sample(list(topic), 3)
        return shape.format(*few, more=self.said(topic) if "{more}" in shape else "")

    def asked(self, topic: Sequence[str]) -> str:
        """Draw a question of about ten words, as LoCoMo's are, that is relevant to a topic."""
        few = self._chance.sample(list(topic), 2)
        rest = [self._words[100 + int(1_000 * self._chance.random() ** 2)] for _ in range(2)]
        return self._chance.choice(_QUESTIONS).format(*few, *rest)


_QUESTIONS = (
    "What did you tell me about {0} and {1} when we had {2} and {3}?",
    "When was it that {2} came up with {0}, {3} and the {1}?",
    "Do you remember which {0} I said was better than the {1} for {2}?",
    "Who helped with the {0} after {1} and {3}, and why {2}?",
)

_SHAPES = {
    "hi": 1,
    "thanks, that's great!": 1,
    "ok, good night": 1,
    "Do you remember what you told me about {0} and {1}?": 1,
    "What was the name of the {0} that we talked about, the one with {1} and {2}?": 1,
    "What have we discussed about {0} so far?": 1,
    "Catch me up on {0} and {1}.": 1,
    "Like last time, please help me with {0} and {1}.": 2,
    "Write a short plan for {0} with {1}, as a list. {more}": 2,
    "Analyze {0} in detail, explain how {1} works, list the issues and suggest improvements.": 2,
    "{more}": 6,
}
"""Shapes of messages and their weights."""
