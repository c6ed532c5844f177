"""The guide: shows the steps of the tour to a person, or returns them to a program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import click

from unabridged.cli.output import echo, echo_lines, overwrite
from unabridged.cli.paint import paint, width
from unabridged.cli.terminal_text import cells, wrap
from unabridged.cli.tour.script import Chapter, TourStep
from unabridged.cli.tour.stage import Stage

PROMPT = "$ "
LOOK = "→ "
_RULE = "──"
_KEYS = "Enter to continue · n for the next chapter · q to quit"


class TourKey(Enum):
    """A person's choice at a pause."""

    ON = "on"
    NEXT = "next"
    LEAVE = "leave"


Pause = Callable[[], TourKey]
"""Waits for a person."""


@dataclass(slots=True)
class Ran:
    """A command line with its output."""

    command: str
    output: str


@dataclass(slots=True)
class Played:
    """A step with the output of its commands."""

    chapter: str
    why: str
    look: str
    ran: list[Ran]
    next: list[tuple[str, str]]


def play(stage: Stage, chapters: Sequence[Chapter]) -> list[Played]:
    """Run every step and return it with its output."""
    played = []
    for chapter in chapters:
        with stage.at_home(chapter.name):
            for step in chapter.steps:
                ran = [Ran(line, stage.output(line)) for line in stage.lines(step)]
                said = (_told(step.why, stage), step.look)
                played.append(Played(chapter.name, *said, ran, list(step.next)))
    return played


def guide(stage: Stage, chapters: Sequence[Chapter], pause: Pause) -> bool:
    """Show the chapters, one step at a time.

    Returns:
        Whether everything was shown.
    """
    for chapter in chapters:
        with stage.at_home(chapter.name):
            key = _guide(stage, chapter, pause, last=chapter is chapters[-1])
        if key is TourKey.LEAVE:
            return False
    return True


def _guide(stage: Stage, chapter: Chapter, pause: Pause, *, last: bool) -> TourKey:
    for number, step in enumerate(chapter.steps, 1):
        _head(chapter, number)
        _show(stage, step)
        if last and number == len(chapter.steps):
            break
        key = pause()
        if key is not TourKey.ON:
            return key
    return TourKey.ON


def wait() -> TourKey:
    """Wait for a key on the terminal.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    echo(_KEYS, "dim", end=False)
    try:
        while True:
            match click.getchar().lower():
                case "\r" | "\n" | " ":
                    return TourKey.ON
                case "n":
                    return TourKey.NEXT
                case "q" | "\x1b" | "\x04":
                    return TourKey.LEAVE
                case _:
                    continue
    except EOFError:
        return TourKey.LEAVE
    finally:
        overwrite(" " * cells(_KEYS))
        overwrite("")


def go_on() -> TourKey:
    """Continue without waiting."""
    return TourKey.ON


def _head(chapter: Chapter, number: int) -> None:
    said = f"{_RULE} {chapter.name} {number}/{len(chapter.steps)} · {chapter.title} "
    echo(said + "─" * max(0, width() - cells(said)), "accent")


def _show(stage: Stage, step: TourStep) -> None:
    echo_lines(wrap(_told(step.why, stage), width()))
    for number, line in enumerate(stage.lines(step)):
        if not (step.brief and number):
            echo()
        echo(paint(PROMPT, "dim") + paint(line, "bold"))
        if step.brief:
            echo(stage.output(line), end=False)
        else:
            stage.run(line)
    for line, what in step.next:
        echo()
        echo(line, "bold")
        echo_lines(paint(f"  {part}", "dim") for part in wrap(what, width() - 2))
    if step.look:
        echo()
        first, *rest = wrap(step.look, width() - cells(LOOK))
        echo(LOOK + first, "good")
        echo_lines(paint(" " * cells(LOOK) + part, "good") for part in rest)
    echo()


def _told(text: str, stage: Stage) -> str:
    return text.replace("{folder}", str(stage.folder))
