"""Judging what was not judged yet, with a bar where that takes its time."""

from unabridged.cli.progress import Stages
from unabridged.space.space import Space


def judge_pending(space: Space, *, quiet: bool) -> None:
    """Judge every message that was not judged yet; what was done stays when it is interrupted.

    Args:
        space: Where they are.
        quiet: Whether no bar is shown.
    """
    total = space.annotations.stats().pending
    if not total:
        return
    with Stages(quiet=quiet) as stages:
        for step in space.annotations.read_pending():
            stages.show("Judging", step.done, total)
