"""A model with prepared answers, for tests and demonstrations."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk, Usage
from unabridged.domain.message import ToolCall
from unabridged.errors import UnabridgedError, UpstreamRefusedError

Step = str | ToolCall | UnabridgedError | StreamChunk
"""Words, a tool call, an error to raise, or a chunk as it is."""
Answer = Step | Sequence[Step]
Script = Answer | Callable[[ChatRequest], Answer]
"""One answer, or a function that makes it from the request."""


def words(text: str) -> Iterator[str]:
    """Split a text into words for streaming; nothing is lost."""
    yield from re.findall(r"\S+\s*|\s+", text)


class ScriptedModel:
    """Returns prepared answers, one for each request, in order; the last one again and again.

    Args:
        abilities: The abilities that it reports.
        count: Counts the tokens of a text, for its reported usage; None to report none.
    """

    def __init__(
        self,
        script: Iterable[Script] = ("Yes.",),
        *,
        abilities: Abilities | None = None,
        count: Callable[[str], int] | None = None,
        model: str = "scripted",
    ) -> None:
        self._script = list(script)
        self._next = 0
        self._abilities = abilities or Abilities(
            model, trained_window=8_192, tools=True, vision=True, reasoning=False, source="server"
        )
        self._count = count
        self._model = model
        self.requests: list[ChatRequest] = []
        """Every request so far."""
        self.closed = False

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return "scripted"

    def abilities(self) -> Abilities:
        return self._abilities

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        """Return the next answer.

        Raises:
            UnabridgedError: An error in the script.
        """
        self.requests.append(request)
        said: list[str] = []
        finish = "stop"
        for step in self._answer(request):
            if isinstance(step, UnabridgedError):
                raise step
            if isinstance(step, ToolCall):
                finish = "tool_calls"
                yield StreamChunk(calls=(step,))
            elif isinstance(step, StreamChunk):
                yield step
                if step.done:
                    return
            else:
                said.append(step)
                yield from (StreamChunk(text=word) for word in words(step))
        yield StreamChunk(done=True, finish=finish, usage=self._usage(request, "".join(said)))

    def close(self) -> None:
        self.closed = True

    def _answer(self, request: ChatRequest) -> Sequence[Step]:
        if not self._script:
            raise UpstreamRefusedError(
                "The script holds no answer.", hint="Pass at least one answer."
            )
        script = self._script[min(self._next, len(self._script) - 1)]
        self._next += 1
        answer = script(request) if callable(script) else script
        if isinstance(answer, (str, ToolCall, UnabridgedError, StreamChunk)):
            return (answer,)
        return answer

    def _usage(self, request: ChatRequest, said: str) -> Usage | None:
        if self._count is None:
            return None
        prompt = sum(self._count(message.text) for message in request.messages)
        return Usage(prompt=prompt, answer=self._count(said))
