"""Judging what was not judged yet, with a bar where that takes its time."""

import sys

import click

from unabridged.wiring import Memory


def judge_pending(memory: Memory, *, quiet: bool) -> None:
    """Judge every message that was not judged yet; what was done stays when it is interrupted.

    Args:
        memory: Where they are.
        quiet: Whether no bar is shown.
    """
    total = memory.readings.stats().pending
    if not total:
        return
    with click.progressbar(
        length=total,
        label="Judging",
        file=sys.stderr,
        hidden=quiet or not sys.stderr.isatty(),
        width=30,
    ) as bar:
        for step in memory.readings.read_pending():
            bar.update(max(0, min(step.done, total) - bar.pos))
