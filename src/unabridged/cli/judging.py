"""Judging what was not judged yet, with a bar where that takes its time."""

from unabridged.cli.progress import Stages
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
    with Stages(quiet=quiet) as stages:
        for step in memory.readings.read_pending():
            stages.show("Judging", step.done, total)
