"""What facts are measured by: on data written for these tests, in the forms of the data sets."""

import json

import pytest

from bench.facts import facts_benchmark, precisionmembench
from unabridged.errors import TransferError
from unabridged.testing.clock import ManualClock


def belief(name, content, **more):
    given = {
        "_id": name,
        "user_id": "test-user",
        "type": "preference",
        "canonical_name": name.removeprefix("b-").replace("-", "_"),
        "aliases": [],
        "content": content,
        "scope": ["domain:home"],
        "epistemic_status": "active",
        "pinned": False,
        "superseded_by": None,
        "resolved_at": None,
        "created_at": "2026-05-01T00:00:00Z",
    }
    return given | more


BELIEFS = [
    belief("b-kettle", "Boils water in a copper kettle.", aliases=["teapot"]),
    belief(
        "b-stove-old",
        "Cooked on a gas stove.",
        aliases=["gas"],
        epistemic_status="superseded",
        superseded_by="b-stove",
    ),
    belief("b-stove", "Cooks on an induction stove.", aliases=["hob"], pinned=True),
    belief("b-oven", "Was choosing an oven.", resolved_at="2026-06-01T00:00:00Z"),
    belief("b-boat", "Rows a copper boat.", scope=["domain:sea"]),
]
CASES = [
    {
        "caseId": "alias",
        "scope": ["domain:home"],
        "query": "Where is my teapot?",
        "expect": {
            "relevantBeliefs": {"shouldOnlyInclude": ["b-kettle"], "mustExclude": ["b-boat"]},
            "pinnedFacts": {"mustInclude": ["b-stove"]},
        },
    },
    {
        "caseId": "gone",
        "scope": ["domain:home"],
        "query": "Does the gas stove need an oven?",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}},
    },
    {
        "caseId": "nobody",
        "userId": "new",
        "scope": ["domain:home"],
        "query": "copper kettle",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}},
    },
]


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "pmb"
    place.mkdir()
    (place / precisionmembench.BELIEFS).write_text(json.dumps(BELIEFS))
    (place / precisionmembench.CASES).write_text(json.dumps(CASES))
    return place


def test_what_must_and_must_not_be_returned_is_counted(folder):
    found = precisionmembench.run(folder, ManualClock(), None)
    ours = found["facts"]
    assert (ours["must_return"], ours["must_return_recall"]) == (2, 1.0)
    assert (ours["must_not_return_cases"], ours["must_not_return_violated"]) == (2, 0.0)
    assert (ours["only_cases"], ours["only_violated"], ours["failures"]) == (3, 0.0, [])
    blind = found["bm25_stateless"]
    assert blind["must_not_return_violated"] == 0.5
    assert any("gone: must not return b-oven, b-stove-old" in f for f in blind["failures"])


def test_a_miss_and_a_leak_are_failures(folder):
    cases = [
        {
            "caseId": "miss",
            "scope": ["domain:home"],
            "query": "nothing of the kind",
            "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["b-kettle"]}},
        },
        {
            "caseId": "leak",
            "scope": ["domain:home"],
            "query": "my kettle",
            "expect": {"relevantBeliefs": {"mustExclude": ["b-kettle"]}},
        },
    ]
    (folder / precisionmembench.CASES).write_text(json.dumps(cases))
    ours = precisionmembench.run(folder, ManualClock(), None)["facts"]
    assert ours["must_return_recall"] == 0.0
    assert ours["must_not_return_violated"] == 1.0
    assert ours["failures"] == ["miss: lacks b-kettle", "leak: must not return b-kettle"]


def test_turns_of_sessions_are_cases_of_their_own(folder):
    turns = [
        {
            "turnIndex": 3,
            "scope": ["domain:home"],
            "userMessage": "Is the teapot clean?",
            "expect": {
                "relevantBeliefs": {"shouldOnlyInclude": ["b-kettle"]},
                "noiseCheck": {"mustNotSurface": ["b-stove-old"]},
            },
        }
    ]
    (folder / precisionmembench.SESSIONS).write_text(json.dumps([{"caseId": "s", "turns": turns}]))
    _, cases = precisionmembench.load(folder)
    assert cases[-1].id == "s/3"
    assert cases[-1].never == {"b-stove-old"}
    assert precisionmembench.run(folder, ManualClock(), None)["facts"]["failures"] == []


def test_what_is_drawn_is_counted_by_kind_and_timed(tmp_path):
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I love hiking. I live in Oslo."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "I live in Rome."},
    ]
    talk = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    place = tmp_path / "data" / "locomo"
    place.mkdir(parents=True)
    file = place / "locomo1.json"
    file.write_text(json.dumps([{"sample_id": "c", "conversation": talk, "qa": []}]))
    for data in (tmp_path / "data", place, file):
        found = facts_benchmark.run(data, progress=lambda _: None, sample=5)
        (figures,) = found["drawn"]
        assert (figures["data"], figures["exchanges"], figures["facts"]) == ("locomo", 1, 2)
        assert figures["per_100"] == 200
        assert figures["kinds"] == {"likes": 1, "lives in": 1, "others": 0}
        assert {row["subject"] for row in found["sample"]} == {"Ann"}
        assert found["bearing"]["facts"] == 2


def test_a_folder_of_nothing_is_said(tmp_path):
    with pytest.raises(TransferError):
        facts_benchmark.run(tmp_path, progress=lambda _: None)
    with pytest.raises(TransferError):
        precisionmembench.load(tmp_path)
