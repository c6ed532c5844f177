"""``unabridged doctor``."""

import click

from unabridged.cli.options import ANSWERING, Invocation
from unabridged.cli.output import echo_lines
from unabridged.cli.paint import paint, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import cells, pad, wrap
from unabridged.domain.results import Diagnosis

_SIGNS = {True: ("✓", "good"), False: ("✗", "bad"), None: ("·", "dim")}
TOPIC_ROOM = 22
"""Width in cells of the first column."""


@plain_command(
    "doctor",
    "unabridged doctor",
    "unabridged doctor --repair",
    "unabridged doctor --json --ollama http://127.0.0.1:11434",
    options=(*ANSWERING, "json"),
)
@click.option(
    "--repair",
    is_flag=True,
    help="Repair indexes and file permissions, and remove unfinished files.",
)
def command(invocation: Invocation, *, repair: bool) -> None:
    """Check the installation, the model servers and the store.

    If something is wrong, it ends with exit code 1. It changes nothing without --repair, but completes an interrupted rename or restore, as every command does. It never repairs a damaged space; use `unabridged recover`.
    """
    from unabridged.factory.home import diagnose  # noqa: PLC0415 - slow, and help needs none of it

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
    lines = wrap(finding.text, room)
    if finding.hint:
        lines += [paint(line, "dim") for line in wrap(finding.hint, room)]
    topic, indent = finding.topic, " " * (TOPIC_ROOM + 4)
    if cells(topic) > TOPIC_ROOM:  # the name of a space must not be cut
        return [paint(sign, style) + f" {topic}", *(indent + line for line in lines)]
    head = paint(sign, style) + f" {pad(topic, TOPIC_ROOM)}  "
    return [(head if n == 0 else indent) + line for n, line in enumerate(lines)]
