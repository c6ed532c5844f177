import random
from pathlib import Path

import pytest

from unabridged.domain.scope import SpaceId
from unabridged.projections.json_files.file_paths import custom_paths, paths_of, session_name

ROOT = Path("root")


def nobody(_paths):
    return None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("qwen2.5:7b", "qwen2-5-7b.json"),
        ("llama3.1:8b", "llama3-1-8b.json"),
        ("claude-3-haiku", "claude-3-haiku.json"),
        ("gpt-4o-mini", "gpt-4o-mini.json"),
        ("Qwen 2.5", "qwen-2-5.json"),
    ],
)
def test_models_have_the_names_of_the_seed(model, name):
    assert paths_of(ROOT, SpaceId("default", "default", model), "model", nobody).main == name


@pytest.mark.parametrize(
    ("space", "layout", "path"),
    [
        (SpaceId(), "model", "default.json"),
        (SpaceId("ann"), "model", "ann.json"),
        (SpaceId("ann", "helper"), "model", "helper.json"),
        (SpaceId("ann", "agent_alpha"), "agent", "agent_alpha_s_conversation.json"),
        (SpaceId("ann"), "user", "ann/sessions.json"),
    ],
)
def test_every_layout_has_its_names(space, layout, path):
    paths = paths_of(ROOT, space, layout, nobody)
    assert paths.folder / paths.name("s") == ROOT / path


def test_a_session_has_a_file_of_danas_name():
    place = paths_of(ROOT, SpaceId("ann", "agent_alpha"), "agent", nobody)
    assert place.name("001") == "agent_alpha_001_conversation.json"


def test_two_that_meet_in_one_name_are_told_apart():
    folder = Folder("model")
    one, two = (folder.take(SpaceId("u", "a", model)) for model in ("a:b", "a.b"))
    assert one.main == "a-b.json"
    assert two.main.startswith("a-b-")
    assert folder.take(SpaceId("u", "a", "a:b")) == one
    assert folder.take(SpaceId("u", "a", "a.b")) == two


@pytest.mark.parametrize(
    "model", ["con", "../../etc/passwd", "日本語", "-", "a" * 200, "x-" + "0" * 16]
)
def test_a_name_that_no_file_can_have_gets_a_digest(model):
    place = paths_of(ROOT, SpaceId("u", "a", model), "model", nobody)
    assert place.folder == ROOT
    assert place.stem[-17] == "-"


class Folder:
    """The files of a layout: which space took which name."""

    def __init__(self, layout):
        self.layout = layout
        self.held = {}

    def take(self, space):
        place = paths_of(ROOT, space, self.layout, self.held.get)
        there = self.held.setdefault(place, space)
        assert there == space, f"{space} and {there} meet in {place}"
        return place


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["model", "agent", "user"])
def test_no_two_of_a_hundred_thousand_names_meet_and_none_escapes(layout):
    rng = random.Random(5)
    folder = Folder(layout)
    parts = ["a", "A", "b", ".", ":", "/", "\\", "-", "_", " ", "é", "日", "..", "con", "0" * 16]
    spaces = {
        SpaceId(*("".join(rng.choices(parts, k=rng.randint(1, 5))) for _ in range(3)))
        for _ in range(35_000)
    }
    places = {}
    for space in spaces:
        place = folder.take(space)
        depth = 2 if layout == "user" else 1
        path = (place.folder / place.name("s")).relative_to(ROOT)
        assert len(path.parts) == depth
        assert set("".join(path.parts)) <= set(ALLOWED)
        places[str(path).lower()] = space
    assert len(places) == len(spaces)


ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789-_."


def test_no_two_sessions_meet_and_none_escapes():
    rng = random.Random(6)
    parts = ["a", "A", "b", ".", "/", "-", "_", " ", "é", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "0" * 16]
    ids = {"".join(rng.choices(parts, k=rng.randint(1, 4))) for _ in range(100_000)}
    ids |= {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"}
    names = {session_name(name).lower() for name in ids}
    assert len(names) == len(ids)
    assert set("".join(names)) <= set(ALLOWED) - {"_", "."}


def test_a_file_of_ones_own_choice(tmp_path):
    place = custom_paths(tmp_path / "my memory.json.gz", "model")
    assert (place.stem, place.main) == ("my memory", "my memory.json")
