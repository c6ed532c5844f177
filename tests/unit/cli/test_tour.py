import itertools
import json
import os
import tempfile
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from unabridged.cli.main import COMMANDS, cli
from unabridged.cli.tour import guide as guiding
from unabridged.cli.tour.guide import TourKey, guide
from unabridged.cli.tour.script import FOLDER, TourStep, chapters, chosen
from unabridged.cli.tour.stage import stage
from unabridged.config.isolated import alone
from unabridged.errors import InputError, NotFoundError, UnabridgedError

NAMES = [chapter.name for chapter in chapters()]
ROOM = 80
SPARED = {"start", "end"}
"""Chapters that show no profile."""


@pytest.fixture
def away(tmp_path, monkeypatch):
    """Folders that are passing lie here, where they can be counted."""
    folder = tmp_path / "passing"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def tour(away, tmp_path, monkeypatch):
    """Runs the tour from a folder of its own, with a person's home and environment about it."""
    monkeypatch.setenv("COLUMNS", str(ROOM))
    monkeypatch.chdir(tmp_path)

    def call(*words):
        return CliRunner().invoke(cli, ["tour", *words])

    return call


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_a_chapter_runs_alone_and_shows_what_it_promises(tour, away, name):
    ran = tour(name, "--json")
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    (chapter,) = chosen([name])
    for step, got in zip(chapter.steps, told["steps"], strict=True):
        assert len(got["ran"]) == len(step.run)
        assert "{folder}" not in got["why"]
        written = "\n".join(each["output"] for each in got["ran"])
        for piece in step.shows:
            assert piece in written, (step.run, piece, written)
        for each in got["ran"]:
            assert "{" not in each["command"]
            assert "error:" not in each["output"]
            assert len(f"$ {each['command']}") <= ROOM
    assert told["folder"] is None
    assert not list(away.iterdir())


def test_every_step_says_why_and_promises_what_is_tested():
    for chapter in chapters():
        for step in chapter.steps:
            assert step.why
            assert step.next or (step.run and step.look and step.shows), step.why
            for line in step.run:
                assert line.split()[0] in {"unabridged", "ls"}
            for line, what in step.next:
                words = [word for word in line.split()[1:] if word in COMMANDS]
                assert words
                assert what


def test_every_profile_has_a_chapter(run):
    profiles = {each["name"] for each in run("profiles", "--json").data}
    assert set(NAMES) - SPARED == profiles - {"coding"}  # which needs an agent, and a model


@pytest.mark.slow
def test_the_whole_tour_is_told_in_order(tour, away):
    ran = tour("--no-pause")
    assert ran.exit_code == 0, ran.output
    places = [ran.stdout.index(f"── {name} 1/") for name in NAMES]
    assert places == sorted(places)
    assert ran.stdout.startswith("About five minutes.")
    assert "$ unabridged why\n" in ran.stdout
    assert "→ The bar is the whole window" in ran.stdout
    assert "\x1b" not in ran.stdout
    assert "q to quit" not in ran.stdout
    assert ran.stdout.endswith("Your own home folder was never touched.\n")
    assert not list(away.iterdir())


def test_what_it_says_fits_the_width(tour):
    shown = tour("start", "end").stdout.splitlines()
    assert shown[0].startswith("── start 1/")
    quoted = ("On ", "The answer", "/", "default")
    told = [line for line in shown if not line.startswith(quoted)]
    assert max(map(len, told)) <= ROOM


@pytest.mark.slow
def test_nothing_of_a_person_is_read_or_touched(tour, away, tmp_path, monkeypatch):
    own = tmp_path / "own"
    (own / "config").mkdir(parents=True)
    (own / "config" / "unabridged.toml").write_text("this is = no toml", "utf-8")
    for name, value in {
        "HOME": own, "XDG_DATA_HOME": own, "UNABRIDGED_HOME": own, "UNABRIDGED_PROFILE": "agent",
        "UNABRIDGED_MODEL": "", "UNABRIDGED_UPSTREAM": "openai", "UNABRIDGED_WINDOW": "no number",
        "UNABRIDGED_NO_SETTING": "x", "OLLAMA_HOST": "///", "OPENAI_API_KEY": "k",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    before, environment, place = tree(tmp_path), dict(os.environ), Path.cwd()
    ran = tour("companion", "--json")
    assert ran.exit_code == 0, ran.output
    assert tree(tmp_path) == before
    assert dict(os.environ) == environment
    assert Path.cwd() == place


def test_what_is_kept_can_be_looked_at(tour, run, tmp_path):
    keep = tmp_path / "keep"
    ran = tour("story", "--keep", "keep")
    assert ran.exit_code == 0, ran.output
    said = " ".join(ran.stdout.split())
    assert f"unabridged --home {keep / 'story'} sessions" in said
    assert "The Lamp of Orrin Head" in run("--home", str(keep / "story"), "sessions").out
    assert (keep / "cheese.jsonl").is_file()
    again = tour("start", "--keep", str(keep), "--json")
    assert again.exit_code == 2
    assert json.loads(again.stderr)["hint"] == "Choose an empty or a new folder: --keep FOLDER"


def test_a_folder_that_is_empty_may_be_kept_and_a_file_not(tmp_path):
    (tmp_path / "empty").mkdir()
    with stage(tmp_path / "empty") as played:
        assert played.folder == tmp_path / "empty"
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(InputError, match="exists already"), stage(tmp_path / "file"):
        pass
    with pytest.raises(InputError, match="Cannot create"), stage(tmp_path / "file" / "below"):
        pass
    assert (tmp_path / "file").read_text("utf-8") == "x"


def test_the_list_of_chapters(tour):
    assert [each["name"] for each in json.loads(tour("--list", "--json").stdout)] == NAMES
    shown = tour("--list").stdout
    for chapter in chapters():
        assert f"{chapter.name:<12}" in shown


def test_an_unknown_chapter_names_the_nearest(tour):
    ran = tour("companian")
    assert ran.exit_code == 3
    assert "Did you mean 'companion'?" in ran.stderr
    with pytest.raises(NotFoundError):
        chosen(["start", "nowhere"])


def keys(*pressed):
    given = iter(pressed)
    return lambda: next(given)


@pytest.mark.slow
def test_keys_go_on_jump_and_leave(away, capsys):
    with stage() as played:
        assert not guide(
            played, chapters(), keys(TourKey.ON, TourKey.NEXT, TourKey.ON, TourKey.LEAVE)
        )
    shown = capsys.readouterr().out
    assert [name in shown for name in ("start 2/", "start 3/", "companion 1/", "companion 2/")] == [
        True, False, True, True,
    ]  # fmt: skip
    assert "companion 3/" not in shown
    assert not list(away.iterdir())


def test_after_the_last_step_nobody_waits(away, capsys):
    (start,) = chosen(["start"])
    with stage() as played:
        assert guide(played, [start], keys(*itertools.repeat(TourKey.ON, len(start.steps) - 1)))


@pytest.mark.parametrize(
    ("pressed", "wanted"),
    [
        ("\r", TourKey.ON), (" ", TourKey.ON), ("x\n", TourKey.ON), ("n", TourKey.NEXT), ("N", TourKey.NEXT),
        ("q", TourKey.LEAVE), ("Q", TourKey.LEAVE), ("\x1b", TourKey.LEAVE),
    ],
)  # fmt: skip
def test_what_a_key_means(pressed, wanted, monkeypatch, capsys):
    left = iter(pressed)
    monkeypatch.setattr(guiding.click, "getchar", lambda: next(left))
    assert guiding.wait() is wanted


def test_the_end_of_input_leaves(monkeypatch, capsys):
    def ended():
        raise EOFError

    monkeypatch.setattr(guiding.click, "getchar", ended)
    assert guiding.wait() is TourKey.LEAVE


def test_a_command_that_fails_ends_the_tour_in_order(away, capsys):
    failed = pytest.raises(UnabridgedError, match=r"failed \(3\)")
    with failed, stage() as played, played.at_home("x"):
        played.run("unabridged show 01AAAA")
    assert not list(away.iterdir())
    with pytest.raises(UnabridgedError), stage() as played, played.at_home("x"):
        played.output("unabridged show 01AAAA")
    assert "There is no" in capsys.readouterr().err


def test_ctrl_c_in_a_command_ends_the_tour_and_leaves_nothing(away, monkeypatch):
    def interrupted(*_words, **_extra):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "make_context", interrupted)
    with pytest.raises(KeyboardInterrupt), stage() as played:
        played.run("unabridged spaces")
    assert not list(away.iterdir())


def test_what_a_command_writes_can_go_into_a_file(away):
    with stage() as played, played.at_home("x"):
        played.run("unabridged profiles > list.txt")
        assert "companion" in (played.folder / "list.txt").read_text("utf-8")


def test_a_value_is_found_out_by_a_command(away):
    step = TourStep(
        "why", ("unabridged show {id}",), find={"id": ("unabridged profiles", "2.name")}
    )
    by_name = TourStep("why", ("x {it}",), find={"it": ("unabridged profiles", "name=story.seed")})
    with stage() as played, played.at_home("x"):
        assert played.lines(step) == ["unabridged show companion"]
        assert played.lines(by_name) == ["x EMM"]


def test_variables_are_hidden_and_come_back(tmp_path):
    environ = {"UNABRIDGED_MODEL": "m", "UNABRIDGED_HOME": "h", "OLLAMA_HOST": "o", "PATH": "p"}
    before = dict(environ)
    with alone(tmp_path, environ, upstream="quote"):
        assert environ == {
            "UNABRIDGED_HOME": str(tmp_path), "UNABRIDGED_UPSTREAM": "quote", "PATH": "p",
        }  # fmt: skip
    assert environ == before


def test_the_conversations_are_dated_and_lie_beside_the_script():
    table = tomllib.loads((FOLDER / "tour.toml").read_text("utf-8"))
    used = {
        word
        for chapter in table["chapters"]
        for step in chapter["steps"]
        for line in step.get("run", ())
        for word in line.split()
        if word.endswith(".jsonl")
    }
    assert len(used) == 5
    for name in used:
        lines = [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]
        times = [line["time"] for line in lines]
        assert times == sorted(times)
        assert all(time.startswith("2025-") for time in times)
