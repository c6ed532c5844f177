import json
from datetime import UTC, datetime

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.errors import TransferError

LAYOUTS = {"model": "workspaceai", "agent": "dana", "user": "reqvibe"}
AT = datetime(2025, 3, 1, 12, tzinfo=UTC)


def talk(name, title="A talk", text="Half a \ud83d smile"):
    """A conversation with a branch, a tool, half a character and an answer that broke off."""
    asked = Message(f"{name}-u1", Role.USER, (Text(text),), AT)
    parts = (Reasoning("hm"), Text("Well."), ToolCall("c", "f", "{}"), Text("And more."))
    told = Message(f"{name}-a1", Role.ASSISTANT, parts, AT, asked.id)
    tool = Message(f"{name}-t1", Role.TOOL, (ToolResult("c", "f", "7", failed=True),), AT, told.id)
    last = Message(f"{name}-a2", Role.ASSISTANT, (Text("Seven."),), AT, tool.id)
    other = Message(f"{name}-b1", Role.ASSISTANT, (Text("Eigh"),), AT, asked.id)
    alone = Message(f"{name}-u2", Role.USER, (Text("Hello?"),), AT, last.id)

    def exchange(number, messages, state, parent=None, mode="chat"):
        return Exchange(f"{name}-{number}", name, parent, state, messages, AT, mode, "m:1")

    exchanges = (
        exchange(1, (asked, told, tool, last), ExchangeState.COMPLETE, mode="tools"),
        exchange(2, (asked, other), ExchangeState.INCOMPLETE),
        exchange(3, (alone,), ExchangeState.UNANSWERED, f"{name}-1"),
    )
    return Transcript(Session(name, title, AT, AT, alone.id, "elsewhere", "f-1"), exchanges)


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture
def kept(layout, tmp_path):
    """Keeps two conversations in files; gives them as kept, and the files."""
    with Talker.open(home=tmp_path, upstream="quote", json_files=layout) as memory:
        memory.import_transcript(talk("s1"))
        memory.import_transcript(talk("s2", "Plain", "Plain words"))
        held = sorted(memory.space.log.transcripts(), key=lambda c: c.session.id)
    files = [p for p in sorted(tmp_path.rglob("*.json")) if '"unabridged"' in p.read_text()]
    return held, files


def normal(conversation):
    return conversation.session, frozenset(conversation.exchanges)


def test_what_the_store_of_files_wrote_is_read_as_it_was_kept(read, kept):
    held, files = kept
    got = [c for path in files for c in read(path).conversations]
    assert {c.session.id: normal(c) for c in got} == {c.session.id: normal(c) for c in held}
    assert len(got) == 2


def test_it_is_read_whatever_is_seen_first(read, kept, layout):
    held, files = kept
    for form in (None, LAYOUTS[layout]):
        got = [c for path in files for c in read(path, format=form).conversations]
        assert {c.session.id for c in got} == {c.session.id for c in held}


def test_importing_into_the_memory_it_came_from_adds_nothing(read, kept, layout, tmp_path):
    _, files = kept
    with Talker.open(home=tmp_path, upstream="quote", json_files=layout) as memory:
        assert (
            sum(memory.import_transcript(c) for path in files for c in read(path).conversations)
            == 0
        )
    with Talker.open(home=tmp_path / "new", upstream="quote") as memory:
        assert (
            sum(memory.import_transcript(c) for path in files for c in read(path).conversations)
            == 6
        )


def test_an_edited_text_is_read_as_it_stands(read, kept):
    _, files = kept
    path = next(p for p in files if "Plain words" in p.read_text())
    path.write_text(path.read_text().replace("Plain words", "Other words"))
    assert "Other words" in {text for row in read(path).texts for text in row}


def test_a_bad_exchange_is_told_and_the_rest_hangs_together(read, kept):
    _, files = kept
    path = next(p for p in files if "Plain words" in p.read_text())
    data = json.loads(path.read_text())
    (block,) = (b for b in data["unabridged"]["sessions"] if b["session"]["id"] == "s2")
    bad = next(form for _, form in block["exchanges"] if form["id"] == "s2-1")
    bad["at"] = "yesterday"
    got = read(json.dumps(data))
    (plain,) = (c for c in got.conversations if c.session.id == "s2")
    assert [e.id for e in plain.exchanges] == ["s2-3"]
    assert plain.exchanges[0].parent is None
    reasons = list(got.reasons)
    assert len(reasons) == 2
    assert any("yesterday" in r for r in reasons)
    assert any("the message it shares is missing" in r for r in reasons)


@pytest.mark.parametrize("version", [2, 0])
def test_another_version_is_refused(read, kept, version):
    _, files = kept
    data = json.loads(files[0].read_text())
    data["unabridged"]["about"]["format"] = version
    with pytest.raises(TransferError, match=f"version {version}"):
        read(json.dumps(data))


def test_what_was_written_once_can_be_read_for_good(read, fixtures):
    for layout in ("model", "user"):
        got = read(fixtures / f"files-{layout}.json")
        kept = {c.session.id: len(c.exchanges) for c in got.conversations}
        assert (got.reasons, kept) == ([], {"s1": 3, "s2": 3})
