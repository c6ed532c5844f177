"""``unabridged doctor``."""

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.paint import paint, width
from unabridged.cli.text import pad, safe, wrap
from unabridged.wiring import diagnose

_SIGNS = {True: ("✓", "good"), False: ("✗", "bad"), None: ("·", "dim")}


@click.command(
    "doctor",
    epilog=example("unabridged doctor", "unabridged doctor --json --ollama http://127.0.0.1:11434"),
)
@common("home", "user", "agent", "model", "upstream", "ollama_url", "openai_url", "gguf", "json")
@invoked
def command(invocation: Invocation) -> None:
    """Check what is installed, what answers, and whether the store is sound.

    It ends with exit code 1 where something is at fault, and changes nothing.
    """
    findings = diagnose(invocation.settings())
    if invocation.json:
        invocation.emit(findings)
    else:
        topic_room = max((len(finding.topic) for finding in findings), default=0)
        room = width() - topic_room - 4
        for finding in findings:
            sign, style = _SIGNS[finding.ok]
            lines = wrap(safe(finding.text), room)
            lines += [paint(line, "dim") for line in wrap(safe(finding.hint), room) if line]
            head = f"{paint(sign, style)} {pad(finding.topic, topic_room)}  "
            for place, line in enumerate(lines):
                echo((head if place == 0 else " " * (topic_room + 4)) + line)
    if any(finding.ok is False for finding in findings):
        raise click.exceptions.Exit(1)
