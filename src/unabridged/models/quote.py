"""An upstream without a model: it answers with dated quotations from memory.

It invents nothing. If nothing in memory answers the message, it says so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.domain.exchange import QUOTING
from unabridged.domain.message import Message, Role
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.questions import is_question
from unabridged.language.sentences import sentences
from unabridged.language.words import query_terms, terms
from unabridged.ports import Clock

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
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
MOST = 3
"""The most quotations in one answer."""
LONGEST = 400
"""Characters up to which a text is quoted whole; a longer one by sentences."""
WINDOW = 1_048_576
"""Tokens that it may be given: it reads memory itself, so the window only bounds the ledger."""
_ABOUT_ME = lazy_pattern(
    r"\b(?:(?:what|who)\b.*\b(?:know|remember|learn(?:ed|t)?|stored?|have|told you)\b.*\babout (?:me|myself)"
    r"|(?:tell|show) me (?:something |everything |all )?about (?:me|myself)"
    r"|(?:tell|show|list) (?:me )?(?:everything|all) (?:that )?you know(?: about me)?"
    r"|who (?:am i|i am)|what do you know|wer bin ich|qui suis[- ]je|quién soy"
    r"|was wei(?:ß|ss)t du(?: alles)? über mich|que sais[- ]tu de moi|qué sabes de mí"
    r")(?: so far| already| now| then| please)?$",
    re.IGNORECASE,
)
"""Asks for everything that is known of the person."""
MOST_KNOWN = 40
"""Facts and pins that one answer lists."""
_ASKS = lazy_pattern(
    r"(?:please )?(?:(?:what|who|where|when|how|which)(?:['’]?(?:s|re|d))?|say|explain|describe"
    r"|summari[sz]e|(?:give|help|write|read) me|repeat)\b",
    re.IGNORECASE,
)
"""The beginnings of questions and requests without a question mark."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that may be quoted.

    Attributes:
        verb: What the user did; empty for saying or asking.
        answer: The model's answer, or empty.
    """

    text: str
    at: datetime
    verb: str = ""
    answer: str = ""


class QuoteModel:
    """Answers from memory.

    Args:
        find: Returns what answers a question, the best first.
        clock: Gives the year: dates of this year are told without it.
        own_words: Takes recalled text out of a user message, so that the question is what the
            person said.
        keeps: Whether what is said is stored.
        known: Returns the facts and pins that the question reaches, as texts.
    """

    def __init__(
        self,
        find: Callable[[str], Sequence[Quotation]],
        clock: Clock,
        *,
        own_words: Callable[[str], str] | None = None,
        keeps: bool = True,
        known: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._find = find
        self._clock = clock
        self._own_words = own_words or (lambda text: text)
        self._keeps = keeps
        self._known = known

    @property
    def model(self) -> str:
        return MODEL

    @property
    def provider(self) -> str:
        return QUOTING

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
        """Do nothing: it holds nothing open."""

    def answer(self, question: str) -> str:
        """Return the whole answer to a question or statement."""
        plain = " ".join(re.sub(r"[^\w\s']", " ", question.casefold()).split())
        if plain in GREETINGS:
            return "Hello. Tell me something, or ask me about what you told me."
        if plain in THANKS:
            return "You are welcome."
        if _ABOUT_ME.search(plain) and (known := self._known()):
            return _listed(known)
        if not (is_question(question) or _ASKS.match(question.strip())):
            return "Noted." if self._keeps else "Noted, for this chat only."
        found = self._find(question)[:MOST]
        if not found:
            return "I have nothing about that in memory."
        return "\n\n".join(self._quoted(one, question) for one in found)

    def _question(self, messages: Sequence[Message]) -> str:
        for message in reversed(messages):
            if message.role is Role.USER:
                return self._own_words(message.text).strip()
        return ""

    def _quoted(self, one: Quotation, question: str) -> str:
        verb = one.verb or ("asked" if is_question(one.text) else "said")
        told = f"On {self._day(one.at)} you {verb}: “{_short(one.text, question)}”"
        if not one.answer:
            return told
        return f"{told}\nThe answer was: “{_short(one.answer, question)}”"

    def _day(self, at: datetime) -> str:
        now = self._clock.now()
        at = at.astimezone(now.tzinfo)
        day = f"{at.day} {_MONTHS[at.month - 1]}"
        return day if at.year == now.year else f"{day} {at.year}"


def _listed(known: Sequence[str]) -> str:
    lines = [f"- {text}" for text in known[:MOST_KNOWN]]
    if len(known) > MOST_KNOWN:
        lines.append(f"- and {len(known) - MOST_KNOWN:,} more")
    return "\n".join(["This is what I know about you:", *lines])


def _short(text: str, question: str) -> str:
    # Quote whole sentences around the best one; "[…]" marks what is left out.
    if len(text) <= LONGEST:
        return text
    pieces = sentences(text)
    asked = set(query_terms(question))
    first = max(range(len(pieces)), key=lambda n: len(asked.intersection(terms(pieces[n]))))
    last = first + 1
    while True:
        after = len(pieces[last]) if last < len(pieces) else LONGEST
        before = len(pieces[first - 1]) if first else LONGEST
        room = LONGEST - sum(map(len, pieces[first:last]))
        if min(after, before) > room:
            break
        first, last = (first, last + 1) if after <= before else (first - 1, last)
    said = "".join(pieces[first:last]).strip()
    return f"{'[…] ' if first else ''}{said}{' […]' if last < len(pieces) else ''}"
