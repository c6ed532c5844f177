"""The fresh text has the form that its README states; its answers are where it says."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "data" / "fresh"
CONVERSATIONS = sorted((FOLDER / "conversations").glob("*.json"))
ROWS = {
    "disclosures": (260, {"text", "facts", "must_say"}),
    "requirements": (260, {"text", "requirements", "kind"}),
    "feelings": (150, {"text", "feeling", "strength"}),
    "intents": (300, {"text", "wants"}),
    "known": (40, {"facts", "asks"}),
    "standing": (40, {"instruction", "applies", "applies_not"}),
    "plot": (10, {"messages"}),
}
SETS = {"development", "aside"}


def rows(name):
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def halves(found):
    counts = Counter(one["set"] for one in found)
    return counts.keys() == SETS and abs(counts["development"] - counts["aside"]) <= 2


def test_there_are_thirty_conversations_half_of_them_set_aside():
    found = [json.loads(path.read_text("utf-8")) for path in CONVERSATIONS]
    assert len(found) == 30
    assert halves(found)
    assert sum(len(one["questions"]) for one in found) == 300
    assert sum(len(one["overviews"]) for one in found) == 60


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.stem)
def test_the_answers_are_in_the_exchanges_that_are_named(path):
    talk = json.loads(path.read_text("utf-8"))
    assert talk["id"] == path.stem
    said = {one["n"]: f"{one['user']}\n{one['assistant']}".casefold() for one in talk["exchanges"]}
    assert [*said] == [*range(1, len(said) + 1)]
    assert 20 <= len(said) <= 40
    times = [datetime.fromisoformat(one["at"]) for one in talk["exchanges"]]
    assert times == sorted(times)
    for question in talk["questions"]:
        there = "\n".join(said[n] for n in question["from"])
        assert [word for word in question["must_say"] if word.casefold() not in there] == []
    for overview in talk["overviews"]:
        assert overview["upto"] in said
        assert overview["must"]
        assert overview["must_not"]


@pytest.mark.parametrize("name", ROWS)
def test_the_messages_have_their_labels(name):
    count, fields = ROWS[name]
    found = rows(name)
    assert len(found) == count
    assert halves(found)
    assert all(fields <= one.keys() for one in found)
    assert len({one["id"] for one in found}) == count
