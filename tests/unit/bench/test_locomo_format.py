import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.formats.locomo import FORMAT, load, places
from unabridged.domain.exchange import ExchangeState
from unabridged.errors import TransferError
from unabridged.transfer.formats.table import FORMATS

FIXTURE = Path(__file__).parents[2] / "fixtures" / "bench" / "locomo.json"
DATA = Path(__file__).parents[4] / "shared" / "data" / "locomo"


def test_turns_pair_up_within_a_session(read):
    got = read(FIXTURE, formats=(FORMAT, *FORMATS))
    assert got.format == "locomo"
    assert got.unread == []
    assert [len(c.exchanges) for c in got.conversations] == [3, 2, 2, 2, 1]
    first = got.conversations[0]
    assert first.exchanges[0].user.text.startswith("Runa: Hi Odo")
    assert first.exchanges[0].answer.text.startswith("Odo: Wonderful")
    assert first.exchanges[-1].state is ExchangeState.UNANSWERED
    assert first.session.created == datetime(2024, 3, 3, 9, 5, tzinfo=UTC)
    assert (
        got.conversations[1]
        .exchanges[1]
        .user.text.endswith("Look! [shares a photo of a grey dog beside a birdcage]")
    )


def test_evidence_leads_to_its_exchange_and_its_turn():
    talk = load(FIXTURE)[0]
    exchanges = {e.id: e for c in talk.sessions for e in c.exchanges}
    exchange = exchanges[talk.exchange_of[2, 2]]
    (said,) = (m.text for m in exchange.messages if m.id == talk.message_of[2, 2])
    assert said == "Odo: Oh nice! Is Biscuit good with your parrot?"
    assert len(talk.questions) == 7


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (["D1:3"], [(1, 3)]),
        (["D8:6; D9:17"], [(8, 6), (9, 17)]),
        (["D:11:26", "D30:05", "D1:1 D1:1"], [(11, 26), (30, 5), (1, 1)]),
        ([""], []),
        ([], []),
        (None, []),
        ("D4:2", [(4, 2)]),
    ],
)
def test_malformed_evidence_is_read(evidence, found):
    assert places(evidence) == found


def test_a_folder_one_conversation_and_sessions_without_a_frame_are_read(tmp_path):
    talks = json.loads(FIXTURE.read_text())
    loose = {**talks[1]["conversation"], "qa": talks[1]["qa"]}
    (tmp_path / "1.json").write_text(json.dumps(talks[0]))
    (tmp_path / "2.json").write_text(json.dumps(loose))
    found = load(tmp_path)
    assert [talk.id for talk in found] == ["talk-1", "2"]
    assert [len(talk.sessions) for talk in found] == [3, 2]
    assert found[1].exchange_of.keys() == load(FIXTURE)[1].exchange_of.keys()


def test_what_is_missing_is_told_and_passed_over(read, tmp_path):
    path = tmp_path / "odd.json"
    turns = [{"text": "one"}, "two", {"speaker": "A"}, {"speaker": "A", "text": "three"}]
    path.write_text(
        json.dumps([{"sample_id": 7, "conversation": {"session_1": turns,
                    "session_1_date_time": "31 June", "session_2": None}}])
    )  # fmt: skip
    got = read(path, formats=(FORMAT,))
    assert got.texts == [["one", "A: three"]]
    assert sorted(got.reasons) == [
        "a session whose date cannot be read", "a turn without words (2×)",
    ]  # fmt: skip
    assert load(path)[0].exchange_of.keys() == {(1, 1), (1, 4)}


def test_two_turns_of_one_id_are_both_kept(tmp_path):
    path = tmp_path / "twice.json"
    turns = [{"dia_id": "D1:1", "text": "one"}, {"dia_id": "D1:1", "text": "two"}]
    path.write_text(json.dumps({"sample_id": "t", "conversation": {"session_1": turns}}))
    (talk,) = load(path)
    assert [m.text for m in talk.sessions[0].exchanges[0].messages] == ["one", "two"]


@pytest.mark.parametrize("text", ["[]", "{}", '[{"qa": []}]', "no json", '[{"conversation": {'])
def test_what_holds_no_conversation_is_a_typed_error(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(TransferError, match=r"other\.json") as raised:
        load(path)
    assert "locomo10.json" in raised.value.hint


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the public data is not beside the checkout")
def test_every_evidence_of_the_real_file_is_a_turn():
    talks = load(DATA / "locomo4.json")
    assert sum(len(talk.message_of) for talk in talks) == 1972
    named = [
        (talk, place) for talk in talks for q in talk.questions for place in places(q["evidence"])
    ]
    assert len(named) > 600
    assert [place for talk, place in named if place not in talk.message_of] == []
    assert all(talk.unread == () for talk in talks)
