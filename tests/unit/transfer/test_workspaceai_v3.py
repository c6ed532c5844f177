import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.workspaceai_v3 import RECENT, ExportHeader, documents, told

START = datetime(2025, 9, 1, 10, tzinfo=UTC)


def said(name, day=0, model="qwen2.5:7b", parent=None):
    at = START + timedelta(days=day)
    user = Message(f"{name}u", Role.USER, (Text(f"hello {name}"),), at, tokens=5, tokenizer="t")
    answer = Message(f"{name}a", Role.ASSISTANT, (Text("hi"),), at, tokens=3, tokenizer="t")
    return Exchange(
        name, "", parent, ExchangeState.COMPLETE, (user, answer), at, mode="tools", model=model
    )


def talk(name, *exchanges, day=0):
    at = START + timedelta(days=day)
    own = tuple(replace(exchange, session=name) for exchange in exchanges)
    head = own[-1].messages[-1].id
    return Transcript(Session(name, f"Title {name}", at, at, head), own)


def test_the_newest_session_is_current_and_others_are_recent_then_summarized():
    talks = [talk(f"s{n}", said(f"x{n}", n), day=n) for n in range(RECENT + 3)]
    about = ExportHeader(summary=lambda s: "About tea" if s.id == "s0" else "", window=32768)
    (found,) = documents(talks, about)
    data = json.loads(found.encoded())
    assert data["metadata"] == {
        "version": "3.0",
        "model": "qwen2.5:7b",
        "created": "2025-09-01T10:00:00+00:00",
        "last_updated": "2025-09-13T10:00:00+00:00",
        "total_exchanges": RECENT + 3,
        "total_tokens": 8 * (RECENT + 3),
        "context_window": 32768,
    }
    (exchange,) = data["current_conversation"]
    assert exchange["user"] == {"content": "hello x12", "tokens": 5}
    assert exchange["assistant"] == {"content": "hi", "tokens": 3}
    assert exchange["metadata"]["mode"] == "tools"
    assert exchange["metadata"]["total_tokens"] == 8
    assert len(data["recent_conversations"]) == RECENT
    assert data["recent_conversations"][0]["summary"] == "Title s11"
    oldest = data["summarized_conversations"][-1]
    assert oldest["summary"] == "About tea"
    assert oldest["date_range"] == "2025-09-01 to 2025-09-01"
    assert (oldest["exchange_count"], oldest["total_tokens"]) == (1, 8)
    assert oldest["exchanges"][0]["user"]["content"] == "hello x0"


def test_each_model_has_a_document_and_none_is_guessed():
    both = talk(
        "s",
        said("a"),
        said("b", model="llama3.1:8b", parent="a"),
        said("c", model=None, parent="b"),
    )
    found = {one.model: one for one in documents([both])}
    assert set(found) == {None, "qwen2.5:7b", "llama3.1:8b"}
    assert found[None].data["metadata"]["model"] is None
    assert all(one.exchanges == 1 for one in found.values())


def context(exchange, complexity, window):
    ledger = {"complexity": complexity, "window": window}
    return Record(RecordKind.CONTEXT, exchange, START, {"manifest": {"ledger": ledger}})


def test_what_contexts_tell_is_written_with_their_exchanges():
    both = talk("s", said("a"), said("b", parent="a"), said("c", model="llama3", parent="b"))
    other = Record(RecordKind.FACT, "c", START, {"manifest": 1})
    asked = told([context("a", 0.1, 8192), context("b", 0.8, 32768), other])
    llama, qwen = documents([both], ExportHeader(asked=asked))
    scores = [x["metadata"]["complexity_score"] for x in qwen.data["current_conversation"]]
    assert scores == [0.1, 0.8]
    assert qwen.data["metadata"]["context_window"] == 32768
    assert "complexity_score" not in llama.data["current_conversation"][0]["metadata"]
    assert llama.data["metadata"]["context_window"] is None


def test_an_unanswered_question_and_half_a_character_are_written():
    held = said("a")
    user = replace(held.user, parts=(Text("so \ud83d"),))
    asked = replace(held, messages=(user,), state=ExchangeState.UNANSWERED)
    talks = [Transcript(Session("s", "t", START, START, user.id), (replace(asked, session="s"),))]
    (exchange,) = json.loads(next(iter(documents(talks))).encoded())["current_conversation"]
    assert exchange["user"]["content"] == "so ?"
    assert exchange["assistant"] == {"content": "", "tokens": 0}
