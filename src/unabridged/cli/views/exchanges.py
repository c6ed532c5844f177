"""Exchanges as text; no message is clipped."""

from unabridged.cli.format import moment
from unabridged.cli.paint import paint, width
from unabridged.cli.shown_text import shown_text
from unabridged.cli.terminal_text import clip, wrap
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)


def exchange_lines(exchange: Exchange) -> list[str]:
    """Return an exchange as lines, with its date, id, model and state."""
    facts = [moment(exchange.at), exchange.id, exchange.model or ""]
    if exchange.state is not ExchangeState.COMPLETE:
        facts.append(exchange.state.value)
    lines: list[str] = [paint("  ".join(fact for fact in facts if fact), "dim")]
    for message in exchange.messages:
        lines += _message_lines(message)
    return [*lines, ""]


def _message_lines(message: Message) -> list[str]:
    first = paint("› ", "accent") if message.role is Role.USER else "  "
    style = "bold" if message.role is Role.USER else ""
    lines: list[str] = []
    for part in message.parts:
        match part:
            case Text(text):
                lines += [paint(line, style) for line in wrap(text, width() - 2)]
            case ToolCall(name=name, arguments=arguments):
                said = f"calls {name}({arguments})"
                lines += [paint(line, "dim") for line in wrap(said, width() - 2)]
            case ToolResult(name=name, text=text):
                said = f"{name} gave: {text}"
                lines += [paint(line, "dim") for line in wrap(said, width() - 2)]
            case Image(uri):
                lines.append(paint(f"[image, {len(uri):,} characters of address]", "dim"))
            case Foreign(kind, data):
                lines.append(paint(f"[{kind}, {len(data):,} characters]", "dim"))
            case Reasoning(text):
                lines.append(paint(f"[thought, {len(text):,} characters]", "dim"))
    return [(first if place == 0 else "  ") + line for place, line in enumerate(lines)]


def spoken_lines(exchange: Exchange, most: int | None = None) -> list[str]:
    """Return what both sides said, without dates and tools.

    Args:
        exchange: The exchange.
        most: The most lines of each side; None for all.
    """
    answer = exchange.answer
    said = [("› ", "accent", exchange.user.text)]
    said += [("  ", "", answer.text)] if answer else [("  ", "", "(no answer)")]
    lines = []
    for sign, style, text in said:
        room = width() - 2
        words = [line for line in wrap(shown_text(text).strip(), room) if line]
        if most and len(words) > most:
            words = [*words[: most - 1], clip(words[most - 1], room - 2) + " …"]
        for place, line in enumerate(words):
            lines.append((paint(sign, style) if place == 0 else "  ") + line)
    return lines
