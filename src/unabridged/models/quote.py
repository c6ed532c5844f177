"""An upstream that needs no model: it answers with what was said before, quoted whole.

It invents nothing: every word of substance is a quotation with its date, and where memory holds
nothing that bears on the message, it says so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Role
from unabridged.language.questions import is_question
from unabridged.ports import Clock
from unabridged.retrieval.echo_filter import QUOTING, only_quotes

MODEL = QUOTING
GREETINGS = frozenset(
    """
    hi hello hey hiya howdy greetings yo hallo servus moin bonjour salut hola buenas ciao salve
    olá oi hej merhaba привет здравствуйте 你好 您好 こんにちは 안녕 안녕하세요
    """.split()
) | {
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
    "guten morgen",
    "guten tag",
    "guten abend",
    "hello there",
    "hi there",
    "hey there",
}
THANKS = frozenset(
    "thanks thx merci danke gracias grazie obrigado obrigada 谢谢 감사합니다".split()
) | {
    "thank you",
    "thank you very much",
    "many thanks",
    "vielen dank",
    "ありがとう",
}
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
MOST = 5
"""Exchanges quoted in one answer."""
WINDOW = 1_048_576
"""Tokens that it may be given: it reads memory itself, so the window only bounds what the ledger shows."""


class QuoteModel:
    """Answers from memory.

    Args:
        recall: Gives the exchanges that bear on a question, best evidence first.
        clock: Says what year it is: dates of this year are told without it.
        facts: Gives what is pinned; quoted where it bears on the question.
        own_words: Takes what was recalled for the prompt out of a user message, so that the
            question is what the person said.
        keeps: Whether what is said is stored; an ephemeral chat takes no note.
    """

    def __init__(
        self,
        recall: Callable[[str], Sequence[Exchange]],
        clock: Clock,
        *,
        facts: Callable[[str], Sequence[str]] | None = None,
        own_words: Callable[[str], str] | None = None,
        keeps: bool = True,
    ) -> None:
        self._recall = recall
        self._clock = clock
        self._facts = facts or (lambda _: ())
        self._own_words = own_words or (lambda text: text)
        self._keeps = keeps

    @property
    def model(self) -> str:
        return MODEL

    @property
    def provider(self) -> str:
        return "quote"

    def abilities(self) -> Abilities:
        return Abilities(
            MODEL,
            trained_window=WINDOW,
            tools=False,
            vision=False,
            reasoning=False,
            source="server",
            family=MODEL,
        )

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        question = self._question(request.messages)
        for word in re.findall(r"\S+\s*|\s+", self.answer(question)):
            yield StreamChunk(text=word)
        yield StreamChunk(done=True, finish="stop")

    def close(self) -> None:
        """Nothing is held."""

    def answer(self, question: str) -> str:
        """Give the whole answer to a question or statement."""
        plain = " ".join(re.sub(r"[^\w\s']", " ", question.casefold()).split())
        if plain in GREETINGS:
            return "Hello. I answer by quoting what you have told me; ask me, or tell me something."
        if plain in THANKS:
            return "You are welcome."
        facts = list(self._facts(question))
        found = self._bearing(question)
        asks = is_question(question)
        if not facts and not found:
            return self._nothing(asks=asks)
        said = [f"You asked me to keep in mind: “{fact}”" for fact in facts]
        said += [self._quoted(exchange) for exchange in found]
        if not asks:
            said.insert(0, f"{self._note()} It goes with what I have from before:")
        return "\n\n".join(said)

    def _question(self, messages: Sequence[Message]) -> str:
        for message in reversed(messages):
            if message.role is Role.USER:
                return self._own_words(message.text).strip()
        return ""

    def _bearing(self, question: str) -> list[Exchange]:
        found = [e for e in self._recall(question) if e.user.text.strip() != question]
        telling = [e for e in found if not only_quotes(e)]
        return telling[:MOST]

    def _quoted(self, exchange: Exchange) -> str:
        day = self._day(exchange.at)
        verb = "asked" if is_question(exchange.user.text) else "said"
        told = f"On {day} you {verb}: “{exchange.user.text}”"
        answer = exchange.answer
        if answer is None or exchange.model == MODEL:
            return told
        return f"{told}\nThe answer was: “{answer.text}”"

    def _day(self, at: datetime) -> str:
        now = self._clock.now()
        at = at.astimezone(now.tzinfo)
        day = f"{at.day} {_MONTHS[at.month - 1]}"
        return day if at.year == now.year else f"{day} {at.year}"

    def _note(self) -> str:
        return "I have taken note of that." if self._keeps else "Nothing of this is stored."

    def _nothing(self, *, asks: bool) -> str:
        if not asks:
            return self._note()
        nothing = "I have nothing about that in memory."
        return f"{nothing} I have taken note of your question." if self._keeps else nothing
