"""Count the tokens of a prompt: texts, messages, tools, and the template around them."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from unabridged.budget.calibration import IMAGE, TEMPLATE, Calibration
from unabridged.domain.chat import ToolSpec
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.ports import Tokenizer

PER_MESSAGE = 5
"""Template tokens around a message: ChatML and Llama 3 take five."""

PER_PROMPT = 3
"""Template tokens that open the answer."""

PER_CALL = 12
"""Tokens around a tool call, its result, or a tool's definition."""

IMAGE_TOKENS = 1_105
"""Tokens of any image: one of 1,024 x 1,024 in high detail, by OpenAI's vision guide. Common open
models take 576 to about 1,000.
"""

FOREIGN_TEXT = 16_384
"""Characters up to which a part of a kind that memory does not read counts as text."""

_MEMO = 8_192
"""Messages whose count is cached, by digest: their words are not held."""
_DIGEST_BYTES = 16


class Counter:
    """Counts under one tokenizer and calibration.

    Args:
        tokenizer: Counts or estimates texts.
        calibration: The model's calibration under this tokenizer; one for another tokenizer is
            ignored.
    """

    def __init__(self, tokenizer: Tokenizer, calibration: Calibration | None = None) -> None:
        self._tokenizer = tokenizer
        given = calibration or Calibration()
        self._calibration = given.fitting(tokenizer.identity, exact=tokenizer.exact)
        self._known: dict[bytes, int] = {}

    @property
    def identity(self) -> str:
        return self._tokenizer.identity

    @property
    def calibration(self) -> Calibration:
        """The calibration that corrects its counts."""
        return self._calibration

    def text(self, text: str) -> int:
        """Return the tokens of a text without any template."""
        if not text:
            return 0
        if self._calibration.neutral:
            return self._tokenizer.count(text)
        return max(1, self._calibration.apply(self._tokenizer.by_script(text)))

    def plain(self, message: Message) -> int:
        """Return the tokens of a message's content before calibration, as stored with it."""
        return sum(map(self._part_plain, message.parts))

    def parts(self, message: Message) -> int:
        """Return the tokens of a message's content: text, calls, results, images; no reasoning.

        The stored count is used if it is valid: same tokenizer, and no ratios to apply.
        """
        known = message.tokens if message.tokenizer == self.identity else None
        if known is not None and self._calibration.neutral:
            return known
        name = _digest(message.parts)
        count = self._known.get(name)
        if count is None:
            count = sum(map(self._part, message.parts))
            if len(self._known) >= _MEMO:  # a conversation that continues is counted again
                self._known = {}
            self._known[name] = count
        return count

    def sent(self, message: Message) -> int:
        """Return the tokens of a client's message as it is sent: with its reasoning."""
        thought = sum(self.text(p.text) for p in message.parts if isinstance(p, Reasoning))
        return self.message(message) + thought

    def message(self, message: Message) -> int:
        """Return the tokens of a message in a prompt, with the template around it."""
        return self.parts(message) + self._flat(TEMPLATE, PER_MESSAGE)

    def tool(self, tool: ToolSpec) -> int:
        """Return the tokens of a tool's definition in a prompt."""
        return self.text(tool_text(tool)) + self._flat(TEMPLATE, PER_CALL)

    def opening(self) -> int:
        """Return the template tokens of a prompt in addition to those of its messages."""
        return self._flat(TEMPLATE, PER_PROMPT)

    def prompt(self, messages: Iterable[Message], tools: Iterable[ToolSpec] = ()) -> int:
        """Return the tokens of a whole prompt: its messages, its tools and its opening."""
        return sum(map(self.message, messages)) + sum(map(self.tool, tools)) + self.opening()

    def by_script(
        self, messages: Iterable[Message], tools: Iterable[ToolSpec] = ()
    ) -> Mapping[str, float]:
        found: defaultdict[str, float] = defaultdict(float)
        texts = [tool_text(tool) for tool in tools]
        found[TEMPLATE] = float(PER_PROMPT + PER_CALL * len(texts))
        for message in messages:
            found[TEMPLATE] += PER_MESSAGE
            for part in message.parts:
                text, kind, flat = _priced(part)
                text = part.text if isinstance(part, Reasoning) else text
                texts.append(text)
                found[kind] += flat
        for text in texts:
            for name, count in self._tokenizer.by_script(text).items():
                found[name] += count
        return {name: count for name, count in found.items() if count}

    def _flat(self, kind: str, planned: int) -> int:
        # To the nearest: rounding up five tokens of each of many short messages adds up.
        return math.floor(planned * self._calibration.ratios.get(kind, 1.0) + 0.5)

    def _part(self, part: Part) -> int:
        text, kind, flat = _priced(part)
        return self.text(text) + self._flat(kind, flat)

    def _part_plain(self, part: Part) -> int:
        text, _, flat = _priced(part)
        return (self._tokenizer.count(text) if text else 0) + flat


def _priced(part: Part) -> tuple[str, str, int]:
    match part:
        case Text(text):
            return text, TEMPLATE, 0
        case ToolCall(name=name, arguments=arguments):
            return f"{name} {arguments}", TEMPLATE, PER_CALL
        case ToolResult(name=name, text=text):
            return f"{name} {text}", TEMPLATE, PER_CALL
        case Image():
            return "", IMAGE, IMAGE_TOKENS
        case Reasoning():
            return "", TEMPLATE, 0
        case Foreign(data=data):
            # A file of many characters is counted like an image: servers read it, not its Base64.
            return ("", IMAGE, IMAGE_TOKENS) if len(data) > FOREIGN_TEXT else (data, TEMPLATE, 0)


def _digest(parts: Iterable[Part]) -> bytes:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        text, kind, flat = _priced(part)
        digest.update(f"{kind} {flat} {len(text)} ".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def tool_text(tool: ToolSpec) -> str:
    """Return a tool as the JSON that most templates put into the prompt."""
    if tool.given is not None:
        return json.dumps(tool.given, default=_plain)
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return json.dumps({"type": "function", "function": function}, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(
        f"a tool's schema contains a {type(value).__name__}, which JSON cannot represent"
    )
