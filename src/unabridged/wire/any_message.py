"""Messages in every form that programs hold them in, read as incoming messages.

A string; an OpenAI-style dict, or Ollama's; a pydantic model, as the packages ``openai`` and
``ollama`` return it, or a whole response of theirs; a dataclass. Nothing of these is imported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import msgspec

from unabridged.domain.chat import Usage
from unabridged.domain.message import Message, Role
from unabridged.errors import InputError
from unabridged.wire import ollama, openai
from unabridged.wire.incoming_message import IncomingMessage, Wire
from unabridged.wire.lenient_json import mapping, mappings, number, text


class SupportsModelDump(Protocol):
    """A pydantic model."""

    def model_dump(self) -> dict[str, Any]:
        """Return its fields as plain data."""
        ...


class IsDataclass(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


AnyMessage = str | Mapping[str, Any] | SupportsModelDump | IsDataclass
"""A message in any form that can be read."""
FORMS = 'Give a string, or a dict such as {"role": "user", "content": "Hello"}.'


@dataclass(frozen=True, slots=True)
class IncomingReply:
    """What a model server returned.

    Attributes:
        message: The message; None where there is none.
        usage: The tokens that the server reports, or None.
        finish: Why it ended (``stop``, ``length`` …); empty where that is not reported.
    """

    message: Message | IncomingMessage | None
    usage: Usage | None = None
    finish: str = ""


def read_messages(
    given: Iterable[object], role: Role = Role.USER
) -> list[Message | IncomingMessage]:
    """Read messages; those of the log stay as they are.

    Args:
        given: The messages.
        role: The role of those that are strings.

    Raises:
        InputError: One of them is no message.
    """
    found = [
        one if isinstance(one, Message | IncomingMessage) else _wire(one, role) for one in given
    ]
    wires = [one for one in found if isinstance(one, dict)]
    dialect = ollama if any(map(_is_ollama, wires)) else openai
    read = iter(dialect.drafts(wires))
    return [next(read) if isinstance(one, dict) else one for one in found]


def read_reply(given: object) -> IncomingReply:
    """Read an answer: a message in any form, or a whole response of a server.

    Raises:
        InputError: It is neither.
    """
    if given is None:
        return IncomingReply(None)
    if isinstance(given, Message | IncomingMessage):
        return IncomingReply(given)
    if isinstance(given, str):
        given = str.__str__(given)
        return IncomingReply(read_messages([given], Role.ASSISTANT)[0] if given.strip() else None)
    wire = _plain(given)
    (message,) = read_messages([wire])
    return IncomingReply(message, *_figures(wire))


def is_cut(given: object) -> bool:
    """Return whether a response of a server reached the limit of its length."""
    if isinstance(given, str | Message | IncomingMessage):
        return False
    return _figures(_plain(given))[1] == "length"


def one_message(given: object) -> Message | IncomingMessage:
    """Read the message of a user.

    Raises:
        InputError: It is several messages, none, or one of another role.
    """
    if isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray):
        raise InputError(
            f"One message is prepared at a time; a list of {len(given)} was given.",
            hint="Give a client's whole history to sync() of a conversation, or store what was "
            "said elsewhere with add().",
        )
    (message,) = read_messages([given])
    if message.role is not Role.USER:
        raise InputError(
            f"The message to answer has the role {message.role.value!r}.",
            hint="Give a message of the role user; add() stores others.",
        )
    return message


def _wire(given: object, role: Role) -> Wire:
    if isinstance(given, str):
        return {"role": role.value, "content": str.__str__(given)}
    return _message_of(_plain(given))


def _plain(given: object) -> Wire:
    try:
        plain = _data_of(given)
    except Exception as error:
        raise _no_message(given) from error
    if not isinstance(plain, Mapping) or not all(isinstance(key, str) for key in plain):
        raise _no_message(given)
    return {key: value for key, value in plain.items() if value is not None}


def _data_of(given: object) -> object:
    if isinstance(given, Mapping):
        return {key: _nested(value) for key, value in given.items()}
    if isinstance(given, type):
        return None
    return _nested(given)


def _nested(given: object) -> object:
    if isinstance(given, str):
        return str.__str__(given)  # a subclass becomes plain text
    dump = getattr(given, "model_dump", None)
    if callable(dump) and not isinstance(given, type):
        return dump()
    if isinstance(given, Mapping):
        return {key: _nested(value) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return [_nested(one) for one in given]
    if hasattr(given, "__dataclass_fields__") or isinstance(given, msgspec.Struct):
        return msgspec.to_builtins(given)
    return given


def _no_message(given: object) -> InputError:
    what = "None" if given is None else f"A value of the type {type(given).__name__}"
    return InputError(f"{what} is no message.", hint=FORMS)


def _message_of(wire: Wire) -> Wire:
    choices = mappings(wire.get("choices"))
    if choices and "delta" in choices[0]:
        raise InputError(
            "This is one piece of a stream, not a message.",
            hint="Join the pieces of the answer, and give the whole text.",
        )
    inner = choices[0].get("message") if choices else wire.get("message")
    if "role" not in wire and isinstance(inner, Mapping):
        return {key: value for key, value in inner.items() if value is not None}
    return wire


def _figures(wire: Wire) -> tuple[Usage | None, str]:
    if choices := mappings(wire.get("choices")):
        return openai.usage(wire.get("usage")), text(choices[0].get("finish_reason"))
    counts = [number(wire.get(name)) for name in ("prompt_eval_count", "eval_count")]
    usage = Usage(*counts) if any(count is not None for count in counts) else None
    return usage, text(wire.get("done_reason"))


def _is_ollama(wire: Wire) -> bool:
    own = any(wire.get(name) for name in ("thinking", "images", "tool_name"))
    calls = mappings(wire.get("tool_calls"))
    return own or any(
        isinstance(mapping(call.get("function")).get("arguments"), Mapping) for call in calls
    )
