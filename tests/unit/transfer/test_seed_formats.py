import json

import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.fact import Requirement
from unabridged.domain.message import Role
from unabridged.transfer.formats import dana
from unabridged.transfer.times import UNDATED

SUMMARY = "summary whose originals are gone, marked as a summary"


@pytest.fixture
def load(fixtures):
    return lambda name: json.loads((fixtures / name).read_bytes())


def test_workspaceai_v1_has_no_model_and_none_is_guessed(read, fixtures):
    got = read(fixtures / "workspaceai-v1.json")
    (talk,) = got.conversations
    assert got.format == "workspaceai"
    assert got.texts == [
        ["Where do herons nest?", "In tall trees near water.", "And owls?", "In hollows."]
    ]
    assert [e.model for e in talk.exchanges] == [None, None]
    assert talk.exchanges[1].parent == talk.exchanges[0].id
    assert talk.exchanges[1].at.isoformat() == "2025-09-01T10:02:00+00:00"
    assert talk.session.title == "Where do herons nest?"


def test_a_model_that_is_given_fills_only_gaps(read, fixtures):
    old = read(fixtures / "workspaceai-v1.json", model="mine").conversations[0]
    assert [e.model for e in old.exchanges] == ["mine", "mine"]
    new = read(fixtures / "workspaceai-v3.json", model="mine").conversations[-1]
    assert [e.model for e in new.exchanges] == ["qwen2.5:7b", "qwen2.5:3b"]
    plain = read(fixtures / "workspaceai-v1.json")
    assert plain.ids == [e.id for e in old.exchanges]


def test_workspaceai_v1_as_a_bare_list_and_as_v2_are_the_same_conversation(read, fixtures, load):
    plain = read(fixtures / "workspaceai-v1.json")
    bare = read(json.dumps(load("workspaceai-v1.json")["current_conversation"]))
    migrated = read(fixtures / "workspaceai-v2.json")
    assert plain.ids == bare.ids == migrated.ids
    sessions = {g.conversations[0].session.id for g in (plain, bare, migrated)}
    assert len(sessions) == 1


def test_workspaceai_a_conversation_that_became_an_earlier_one_keeps_its_ids(read, load):
    before = load("workspaceai-v1.json")
    talk = before["current_conversation"]
    after = {"current_conversation": [], "recent_conversations": [
        {"date": "2025-09-02T00:00:00", "exchanges": talk}, talk]}  # fmt: skip
    assert read(json.dumps(after)).ids == read(json.dumps(before)).ids * 2


def test_workspaceai_v3_modes_models_and_messages_with_roles(read, fixtures):
    got = read(fixtures / "workspaceai-v3.json")
    earlier, current = got.conversations[-2:]
    assert [(e.mode, e.model) for e in current.exchanges] == [
        ("tools", "qwen2.5:7b"), ("chat", "qwen2.5:3b")]  # fmt: skip
    assert [m.text for m in earlier.exchanges[0].messages] == ["Name a reed.", "Bulrush."]
    assert earlier.exchanges[0].messages[1].at.second == 9


def test_workspaceai_summaries_are_kept_and_say_what_they_are(read, fixtures):
    got = read(fixtures / "workspaceai-v3.json")
    ferns, moss = got.conversations[:2]
    (exchange,) = ferns.exchanges
    assert exchange.user.text.startswith("[Only this summary is left of what was said here.")
    assert "2025-08-01T00:00:00 to 2025-08-09T00:00:00" in exchange.user.text
    assert exchange.answer.text == "Several talks about ferns"
    assert exchange.at.isoformat() == "2025-08-01T00:00:00+00:00"
    assert moss.session.title == "Summary: A talk about moss on north walls"
    assert "8 exchanges" in moss.exchanges[0].user.text
    assert got.reasons.count(SUMMARY) == 2
    assert "a conversation of which nothing is left, not even a summary" in got.reasons
    aside = next(u.raw for u in got.unread if u.reason == SUMMARY)
    assert b"Several talks about ferns" in aside


def test_workspaceai_an_exchange_without_a_user_is_opened_by_a_line_in_brackets(read):
    rows = [{"user": "", "assistant": "Hello?"}, {"user": "Hi.", "assistant": None}, {"user": 3}]
    got = read(json.dumps({"current_conversation": rows}))
    assert got.texts == [["[The user's side was not kept.]", "Hello?", "Hi."]]
    assert got.conversations[0].exchanges[1].state is ExchangeState.UNANSWERED
    assert got.reasons == ["empty exchange"]
    assert got.conversations[0].session.title == "Hi."


def test_workspaceai_longer_files_add_only_what_is_new(read, load):
    data = load("workspaceai-v1.json")
    before = read(json.dumps(data)).ids
    data["current_conversation"].append({"user": "And rooks?", "assistant": "In rookeries."})
    assert read(json.dumps(data)).ids[:2] == before


def test_dana_turns_ids_and_times(read, fixtures):
    got = read(fixtures / "dana-memory.json")
    (talk,) = got.conversations
    kept, third, fourth = talk.exchanges
    assert (got.format, talk.session.foreign_id) == ("dana", "d-1")
    assert [m.text for m in third.messages] == ["Third question", "Third answer"]
    assert (third.model, fourth.model) == (None, "local:small")
    assert third.at.isoformat() == "2025-08-03T07:56:00+00:00"
    assert (third.parent, fourth.parent) == (kept.id, third.id)
    assert kept.answer.text == "They spoke of two boats"
    assert talk.session.title == "Third question"
    assert set(got.reasons) == {
        "redundant summary",
        "metadata block",
        SUMMARY,
    }


def test_dana_a_later_file_without_the_oldest_turns_adds_the_newest(read, load):
    data = load("dana-memory.json")
    before = read(json.dumps(data)).ids
    data["history"] = [data["history"][1], {
        "turn_id": "t5", "user_input": "Fifth", "agent_response": "5.",
        "timestamp": "2025-08-03T07:59:00Z"}]  # fmt: skip
    after = read(json.dumps(data)).ids
    assert len(set(after) - set(before)) == 2
    assert before[2] in after


def test_dana_turns_that_are_a_list_by_themselves(read, load):
    turns = load("dana-memory.json")["history"]
    assert read(json.dumps(turns)).texts[0][0] == "Third question"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("agent_alpha_001_conversation.json", ("agent_alpha", "001")),
        ("a_b_conversation", ("a", "b")),
        ("conversation_memory.json", None),
        ("_conversation.json", None),
    ],
)
def test_dana_names_of_files(name, parts):
    assert dana.named(name) == parts


def test_reqvibe_sessions_greetings_and_requirements(read, fixtures):
    got = read(fixtures / "reqvibe-sessions.json")
    (ferry,) = got.conversations
    assert got.format == "reqvibe"
    assert (ferry.session.title, ferry.session.foreign_id) == ("Ferry booking", "r-1")
    assert ferry.session.created.isoformat() == "2024-01-01T12:00:00+00:00"
    assert {e.model for e in ferry.exchanges} == {"deepseek-v3.1"}
    assert got.texts[0] == [
        "[The conversation begins with the other side.]", "What shall it do?",
        "Passengers book a ferry.", "REQ-001: Passengers shall book a ferry."]  # fmt: skip
    (needed,) = (item for item in got.items if isinstance(item, Requirement))
    assert (needed.id, needed.rationale, needed.originator) == (
        "REQ-001", "Fewer queues", "Harbour office")  # fmt: skip
    assert needed.at == ferry.session.created
    assert got.reasons == [
        "system message",
        "a requirement without an id or a text",
        "a session whose messages are gone",
    ]


def test_reqvibe_all_its_shapes_give_the_same(read, fixtures, load):
    whole = read(fixtures / "reqvibe-sessions.json")
    first, second = load("reqvibe-sessions.json")["sessions"]
    named = {each["id"]: {k: v for k, v in each.items() if k != "id"} for each in (first, second)}
    for shape in (first, [first, second], {"sessions": named}, named):
        got = read(json.dumps(shape))
        assert (got.format, got.ids) == ("reqvibe", whole.ids)


def test_reqvibe_requirements_of_the_whole_file_are_undated(read):
    got = read(json.dumps({"sessions": [{"id": "x", "messages": [
        {"role": "user", "content": "hi"}]}], "requirements": [
            {"id": "REQ-9", "text": "It shall hum", "type": "Constraint", "priority": "Must"},
            "no"]}))  # fmt: skip
    (needed,) = (item for item in got.items if isinstance(item, Requirement))
    assert (needed.type, needed.priority, needed.at) == ("constraint", "must", UNDATED)
    assert got.reasons == ["a requirement without an id or a text"]


def test_emm_condensed_messages_stay_where_they_stood(read, fixtures):
    got = read(fixtures / "emm-memory.json")
    (story,) = got.conversations
    assert got.format == "emm"
    assert got.texts[0] == [
        "[Only this summary is left of what was said here.]",
        "[4 world details discussed: stairs, lamps]",
        "I light the lamp.",
        "The stair glows green.",
        "[Only this summary is left of what was said here. Category: emotional_significance.]",
        "[2 emotional moments: fear]",
        "I run.",
    ]
    assert story.session.title == "I light the lamp."
    assert [e.user.role for e in story.exchanges] == [Role.USER] * 4
    assert set(got.reasons) == {
        "story engine state",
        "system message",
        f"{SUMMARY} (2×)",
    }


def test_emm_a_message_without_an_id_and_one_that_comes_twice(read, load):
    data = load("emm-memory.json")
    del data["messages"][1]["id"]
    data["messages"] += [data["messages"][5], data["messages"][6]]
    got = read(json.dumps(data))
    assert len(got.ids) == 4
    assert "repeated message (2×)" in got.reasons


def memory(name, role, text, time, **more):
    return {"id": name, "user_id": "ann", "content": text, "timestamp": time, "score": 0.5,
            "metadata": {"role": role}, **more}  # fmt: skip


def test_whisperengine_loose_messages_are_paired_within_a_minute(read, fixtures):
    got = read(fixtures / "whisperengine.json")
    (talk,) = got.conversations
    assert got.format == "whisperengine"
    assert [[m.text for m in e.messages] for e in talk.exchanges] == [
        ["Which paint?", "Linseed."],
        ["Blue?", "Blue, then."],
        ["[What this answers was said more than a minute before, or was not kept.]",
         "By the way, it dried."],
    ]  # fmt: skip
    assert [e.parent for e in talk.exchanges] == [None, *(e.id for e in talk.exchanges[:2])]
    assert talk.session.foreign_id == "ann"


def test_whisperengine_order_does_not_matter_and_more_adds_only_more(read, load):
    loose = load("whisperengine.json")
    before = read(json.dumps(loose))
    assert read(json.dumps(loose[::-1])).ids == before.ids
    more = [memory("u3", "user", "Done.", "2025-10-02T10:00:00"), *loose]
    assert set(read(json.dumps(more)).ids) > set(before.ids)


def test_whisperengine_points_of_its_store_users_apart_and_notes_told(read, as_lines):
    def point(user, source, text, seconds):
        return {"id": f"{user}{seconds}", "payload": {
            "user_id": user, "memory_type": "conversation", "content": text, "source": source,
            "timestamp_unix": 1760000000 + seconds}}  # fmt: skip

    note = {"id": "n", "payload": {"user_id": "a", "memory_type": "fact", "content": "likes tea"}}
    got = read(as_lines(
        point("a", "user_message", "Tea?", 0), point("b", "user_message", "Ale?", 1), note,
        point("a", "bot_response", "Gladly.", 61), point("b", "bot_response", "Here.", 60)))  # fmt: skip
    a, b = got.conversations
    assert [m.text for m in b.exchanges[0].messages] == ["Ale?", "Here."]
    assert a.exchanges[0].state is ExchangeState.UNANSWERED
    assert a.exchanges[1].answer.text == "Gladly."
    assert got.reasons == ["unrelated memory"]
    assert b"likes tea" in got.unread[0].raw
