"""``unabridged doctor``."""

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo_lines
from unabridged.cli.paint import paint, width
from unabridged.cli.terminal_text import cells, pad, safe, wrap
from unabridged.domain.results import Diagnosis
from unabridged.factory.home import diagnose

_SIGNS = {True: ("✓", "good"), False: ("✗", "bad"), None: ("·", "dim")}
TOPIC_ROOM = 22
"""Cells of the first column."""


@click.command(
    "doctor",
    epilog=example(
        "unabridged doctor",
        "unabridged doctor --repair",
        "unabridged doctor --json --ollama http://127.0.0.1:11434",
    ),
)
@click.option(
    "--repair", is_flag=True, help="Mend indices and rights, and remove what was left half written."
)
@common(
    "home", "profile", "set", "user", "agent", "model", "upstream", "ollama_url", "openai_url",
    "gguf", "json",
)  # fmt: skip
@invoked
def command(invocation: Invocation, *, repair: bool) -> None:
    """Check what is installed, what answers, and whether the store is sound.

    It ends with exit code 1 where something is at fault, and changes nothing but with --repair; only what a killed program had begun with a space (a rename, a restore) is finished, as by every opening. A damaged space is never repaired by it: `unabridged recover` does that.
    """
    findings = []
    for finding in diagnose(invocation.settings(), repair=repair):
        findings.append(finding)
        if not invocation.json:
            echo_lines(_lines(finding))
    if invocation.json:
        invocation.emit(findings)
    if any(finding.ok is False for finding in findings):
        raise click.exceptions.Exit(1)


def _lines(finding: Diagnosis) -> list[str]:
    room = width() - TOPIC_ROOM - 4
    sign, style = _SIGNS[finding.ok]
    lines = wrap(safe(finding.text), room)
    if finding.hint:
        lines += [paint(line, "dim") for line in wrap(safe(finding.hint), room)]
    topic, indent = safe(finding.topic), " " * (TOPIC_ROOM + 4)
    if cells(topic) > TOPIC_ROOM:  # a space's name, which must not be cut: it tells two apart
        return [f"{paint(sign, style)} {topic}", *(indent + line for line in lines)]
    head = f"{paint(sign, style)} {pad(topic, TOPIC_ROOM)}  "
    return [(head if n == 0 else indent) + line for n, line in enumerate(lines)]
