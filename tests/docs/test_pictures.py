"""The pictures of the README are whole, private and small, and show commands that exist."""

import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest
from tools.pictures.drawing import BACKGROUND, PALETTE, draw_line, draw_recording, plain, runs
from tools.pictures.recording import record
from tools.pictures.scene import CONVERSATIONS, STEPS, write_export

from unabridged.cli.chat.commands import COMMANDS
from unabridged.cli.main import cli
from unabridged.transfer.detect_format import open_file

FOLDER = Path(__file__).parents[2] / "docs" / "images"
README = (FOLDER.parents[1] / "README.md").read_text("utf-8")
PICTURES = sorted(FOLDER.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 150_000
PRIVATE = re.compile(r"/(?:home|root|tmp|Users|var|work)\b|[\w-]+@[\w-]+:|localhost")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_valid_small_and_needs_nothing_else(picture):
    text = picture.read_text("utf-8")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text
    assert len(text.encode()) < MOST_BYTES
    kinds = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert kinds <= {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "path",
        "circle",
        "g",
        "text",
        "animate",
    }
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "url(" not in text


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_names_no_machine_and_no_folder(picture):
    words = "\n".join(ET.fromstring(picture.read_text("utf-8")).itertext())
    assert not PRIVATE.search(words)


def test_the_readme_shows_every_picture():
    assert PICTURES
    assert [each.name for each in PICTURES if f"docs/images/{each.name}" not in README] == []


def test_the_recording_shows_every_line_of_the_scene():
    words = "".join(ET.parse(FOLDER / "cast.svg").getroot().itertext())
    assert [step.line for step in STEPS if step.line not in words] == []


@pytest.mark.parametrize(
    "line", [step.line for step in STEPS if step.line.startswith("unabridged")]
)
def test_every_command_of_the_scene_is_there(line):
    name, command, words = cli.resolve_command(click.Context(cli), shlex.split(line)[1:])
    command.make_parser(click.Context(command, info_name=name)).parse_args(list(words))


def test_every_chat_command_of_the_scene_is_there():
    typed = {step.line.split()[0] for step in STEPS if step.line.startswith("/")}
    assert typed
    assert typed <= {command.name for command in COMMANDS}


def test_the_export_of_the_scene_is_read_as_one_of_chatgpt(tmp_path):
    write_export(tmp_path / "conversations.json")
    with open_file(tmp_path / "conversations.json") as opened:
        assert opened.format == "chatgpt"
        assert len(list(opened)) == len(CONVERSATIONS)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_the_scene_can_be_recorded_again():
    recording = record()
    assert [step.shot for step in STEPS if step.shot] == list(recording.shots)
    seen = "\n".join(plain(line) for screen, _ in recording.frames for line in screen)
    assert "9:40" in seen
    assert "16,384" in "\n".join(map(plain, recording.shots["why"]))
    assert not PRIVATE.search(seen)


def test_colours_spaces_and_marks_of_a_terminal():
    line = "\x1b[1;31mred\x1b[0m  plain \x1b[38;5;16mx\x1b[48;2;1;2;3my<\x1b[0m"
    assert plain(line) == "red  plain xy<"
    assert [(run.column, run.text) for run in runs(line)] == [
        (0, "red"),
        (5, "plain"),
        (11, "x"),
        (12, "y<"),
    ]
    drawn = draw_line(line)
    assert f'fill="{PALETTE[1]}" class="b"' in drawn
    assert 'fill="#010203"' in drawn
    assert "y&lt;" in drawn
    assert BACKGROUND in draw_line("\x1b[7m reversed \x1b[0m")


def test_a_recording_shows_each_frame_at_its_time_and_nothing_else():
    frames = [(("a", "b"), 1.0), (("a", "c"), 2.0), (("d", ""), 1.0), (("a", "c"), 4.0)]
    root = ET.fromstring(draw_recording(frames, 10, 2, "title", "said"))
    shown = [
        (int(group.get("transform").split()[-1][:-1]), group.find(f"{SVG}text").text, group)
        for group in root.iter(f"{SVG}g")
        if group.get("opacity")
    ]
    begin = 0.0
    for screen, seconds in frames:
        at = (begin + seconds / 2) / 8
        lines = {row: text for row, text, group in shown if _visible(group, at)}
        assert [lines[row] for row in sorted(lines)] == [text for text in screen if text]
        begin += seconds
    still = [text for _, text, group in shown if group.get("opacity") == "1"]
    assert still == ["a", "c"]


def _visible(group, at):
    animate = group.find(f"{SVG}animate")
    if animate is None:
        return True
    times = [float(time) for time in animate.get("keyTimes").split(";")]
    values = animate.get("values").split(";")
    return [value for time, value in zip(times, values, strict=True) if time <= at][-1] == "1"
