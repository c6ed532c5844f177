import json
from pathlib import Path

import pytest

from bench.condense import crd3
from bench.condense.condense_baselines import same_size
from bench.condense.condense_check import CondenseChecks, CondenseTrial
from bench.condense.condense_text import SplitTexts
from unabridged.domain.condensation import CondensationDraft, Line
from unabridged.errors import TransferError

DATA = Path(__file__).parents[4] / "shared" / "data" / "crd3"


def turn(number, name, *lines):
    return {"NUMBER": number, "NAMES": [name], "UTTERANCES": list(lines)}


TURNS = [
    turn(0, "MATT", "You enter a dark cellar full", "of dwarven barrels. Roll!"),
    turn(1, "LAURA", "Seventeen."),
    turn(2, "MATT", "Behind the barrels a goblin sharpens a rusty axe. It stares."),
    turn(3, "LAURA", "Matt, I shoot the goblin."),
]
CHUNKS = [
    {"CHUNK": "Laura enters a cellar of dwarven barrels.", "TURNS": TURNS[:3]},
    {"CHUNK": "A goblin with a rusty axe attacks Matt; she shoots.", "TURNS": TURNS[2:]},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "e_2_0.json").write_text(json.dumps(CHUNKS))
    (tmp_path / "e.dialogue.json").write_text(json.dumps({"TURNS": []}))
    return tmp_path


def test_turns_are_read_once_and_used_where_they_share_enough_words(folder):
    (episode,) = crd3.load(folder)
    assert [s.text for s in episode.sources] == [
        "Matt: You enter a dark cellar full of dwarven barrels. Roll!",
        "Laura: Seventeen.",
        "Matt: Behind the barrels a goblin sharpens a rusty axe. It stares.",
        "Laura: Matt, I shoot the goblin.",
    ]
    # The last shares two words only; names of speakers do not count.
    assert episode.used == {
        "0": {"enter", "cellar", "dwarven", "barrel"},
        "2": {"goblin", "rusty", "axe"},
    }


def test_precision_and_recall_count_turns_of_which_something_is_left(folder):
    (episode,) = crd3.load(folder)
    lines = (
        Line("Laura: Seventeen.", "1"),
        Line("Matt: Behind the barrels a goblin sharpens a rusty axe.", "2"),
    )
    everything = [s.exchange for s in episode.sources]
    assert crd3.compared(episode, everything, CondensationDraft(lines, 1, "x")) == {
        "recall": (1, 2), "precision": (1, 2), "covered": (3, 7),
    }  # fmt: skip
    assert crd3.compared(episode, ["0"], CondensationDraft(lines, 1, "x"))["precision"] == (0, 0)
    touched = (Line("It stares.", "2"),)
    assert crd3.compared(episode, everything, CondensationDraft(touched, 1, "x"))["covered"] == (
        0,
        7,
    )


def test_methods_are_measured_at_each_size(folder):
    texts = SplitTexts(lambda text: len(text.split()))
    trial = CondenseTrial(same_size(texts), texts, CondenseChecks(texts), lambda _: None)
    found = crd3.measure(crd3.load(folder), trial)
    assert list(found.groups) == ["10%", "25%"]
    newest = found.figures("25%")["newest"]
    assert newest["recall"].mean == 0.5  # "It stares." of the third turn, and the last
    assert newest["precision"].mean == 0.5
    assert "2 of 4 turns" in found.about


@pytest.mark.parametrize("text", ["{", "{}", '[{"x": 1}]'])
def test_what_is_no_episode_is_a_typed_error(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(TransferError) as raised:
        crd3.load(tmp_path)
    assert raised.value.hint


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="CRD3 does not lie beside the checkout")
def test_the_real_episodes_are_read():
    episodes = crd3.load(DATA)
    assert [len(each.sources) for each in episodes] == [2160, 2882, 2858]
    for each in episodes:
        assert 0.01 < len(each.used) / len(each.sources) < 0.2
