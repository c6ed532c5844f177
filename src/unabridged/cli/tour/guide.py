"""The guide: shows the steps of the tour to a person, or gives them to a program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import click

from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import paint, width
from unabridged.cli.text import cells, wrap
from unabridged.cli.tour.script import Chapter, Step
from unabridged.cli.tour.stage import Stage

PROMPT = "$ "
_RULE = "──"
_KEYS = "Enter goes on · n next chapter · q leaves"


class Key(Enum):
    """What a person wants at a pause."""

    ON = "on"
    NEXT = "next"
    LEAVE = "leave"


Pause = Callable[[], Key]
"""Waits for a person."""


@dataclass(slots=True)
class Ran:
    """A command line with what it wrote."""

    command: str
    output: str


@dataclass(slots=True)
class Played:
    """A step with what its commands wrote."""

    chapter: str
    why: str
    look: str
    ran: list[Ran] = field(default_factory=list)


def play(stage: Stage, chapters: Sequence[Chapter]) -> list[Played]:
    """Run every step and give it with its output."""
    played = []
    for chapter in chapters:
        for step in chapter.steps:
            ran = [Ran(line, stage.output(line)) for line in stage.lines(step)]
            played.append(Played(chapter.name, _told(step.why, stage), step.look, ran))
    return played


def guide(stage: Stage, chapters: Sequence[Chapter], pause: Pause) -> bool:
    """Show the chapters, one step at a time.

    Args:
        stage: Where commands are run.
        chapters: What to show.
        pause: Waits after each step.

    Returns:
        Whether it was seen to its end.
    """
    for chapter in chapters:
        for number, step in enumerate(chapter.steps, 1):
            _head(chapter, number)
            _show(stage, step)
            last = chapter is chapters[-1] and number == len(chapter.steps)
            key = Key.ON if last else pause()
            if key is Key.LEAVE:
                return False
            if key is Key.NEXT:
                break
    return True


def wait() -> Key:
    """Wait for a key on the terminal.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    echo(_KEYS, "dim", end=False)
    try:
        while True:
            match click.getchar().lower():
                case "\r" | "\n" | " ":
                    return Key.ON
                case "n":
                    return Key.NEXT
                case "q" | "\x1b" | "\x04":
                    return Key.LEAVE
                case _:
                    continue
    except EOFError:
        return Key.LEAVE
    finally:
        echo("\r" + " " * cells(_KEYS) + "\r", end=False)


def go_on() -> Key:
    """Wait for nobody."""
    return Key.ON


def _head(chapter: Chapter, number: int) -> None:
    """Draw the line above a step."""
    said = f"{_RULE} {chapter.name} {number}/{len(chapter.steps)} · {chapter.title} "
    echo(said + "─" * max(0, width() - cells(said)), "accent")


def _show(stage: Stage, step: Step) -> None:
    echo_lines(wrap(_told(step.why, stage), width()))
    for line in stage.lines(step):
        echo()
        echo(paint(PROMPT, "dim") + paint(line, "bold"))
        stage.run(line)
    if step.look:
        echo()
        echo_lines(paint(line, "good") for line in wrap(f"→ {step.look}", width()))
    echo()


def _told(text: str, stage: Stage) -> str:
    """Fill in where the tour plays."""
    return text.replace("{folder}", str(stage.folder))
