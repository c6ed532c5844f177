"""What a person does: bring a past along, be remembered, talk on over restarts, modes and models."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.helpers.talker import Talker

from bench.formats.longmemeval import question_haystack
from unabridged.domain.context import Decision, Tier
from unabridged.domain.exchange import ExchangeState
from unabridged.errors import PromptTooLargeError, UpstreamAwayError, UpstreamBrokenError
from unabridged.testing.clock import ManualClock
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply
from unabridged.transfer.detect_format import open_file

CHECKOUT = Path(__file__).parents[2]
OWN = CHECKOUT / "tests" / "fixtures" / "imports"
QUESTION = "09d032c9"
DATA = CHECKOUT.parent / "shared" / "data" / "longmemeval"


def words(text: str) -> int:
    """A crude count that is of the size of real tokens."""
    return max(1, len(text) // 4)


def own_questions() -> list[dict]:
    return json.loads((OWN / "own-questions.json").read_text("utf-8"))["questions"]


def bring_own(memory: Talker) -> dict[tuple[str, int], str]:
    """Take over the project's own conversation; place to exchange id."""
    places = {}
    with open_file(OWN / "own-haystack.jsonl") as reader:
        for conversation in reader:
            memory.import_transcript(conversation)
            for n, exchange in enumerate(conversation.exchanges):
                places[conversation.session.foreign_id, n] = exchange.id
    return places


def held_whole(context, exchange_id: str) -> bool:
    """Whether an exchange stands in the prompt, every word of both sides."""
    rows = [r for r in context.ledger.rows if r.id == exchange_id and r.decision is Decision.KEPT]
    return bool(rows)


def test_a_question_about_a_brought_past_finds_its_exchange_whole(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as memory:
        places = bring_own(memory)
        memory.new_session()
        found = 0
        vivid = [q for q in own_questions() if q.get("intent") == "vivid_recall" and q["gold"]]
        for question in vivid:
            context = memory.prepare(question["question"])
            wanted = [places[gold["session"], gold["exchange"]] for gold in question["gold"]]
            hits = [held_whole(context, exchange_id) for exchange_id in wanted]
            found += all(hits)
            for exchange_id, hit in zip(wanted, hits, strict=True):
                if hit:
                    exchange = memory.get(exchange_id)
                    assert exchange.user.text in context.prompt[-1].text
                    assert exchange.answer.text in context.prompt[-1].text
        assert len(vivid) >= 5
        assert found >= 0.7 * len(vivid)


@pytest.mark.data
def test_a_real_longmemeval_question_finds_its_gold_exchange_whole(tmp_path):
    if not DATA.is_dir():
        pytest.skip("the public data is not beside the checkout")
    haystack = question_haystack(DATA / "questions.jsonl", DATA / "sessions.jsonl.xz", QUESTION)
    with Talker.open(tmp_path, upstream="quote", max_prompt_tokens=16_000, window=32_000) as memory:
        for conversation in haystack.conversations:
            memory.import_transcript(conversation)
        memory.new_session()
        context = memory.prepare(haystack.question["question"])
        assert all(held_whole(context, gold) for gold in haystack.gold)
        assert sum(context.ledger.parts.values()) == context.ledger.window


def ollama(server, name="llama3.2", **more):
    return {"upstream": "ollama", "ollama_url": server.url, "model": name, **more}


def test_a_conversation_over_a_restart_a_mode_and_a_model(tmp_path):
    entries = (OllamaEntry("llama3.2:latest", day=2), OllamaEntry("qwen2.5:3b", trained=32_768))
    with OllamaTestServer("Noted.", models=entries, count=words) as server:
        with Talker.open(tmp_path, **ollama(server)) as memory:
            first = memory.chat("My dog is called Waldi.").finish()
            assert first.state is ExchangeState.COMPLETE
        with Talker.open(tmp_path, **ollama(server)) as memory:
            turn = memory.chat("Which tools have you got?", mode="tools")
            turn.finish()
            assert turn.context.tools
            assert "Waldi" in str(turn.context.messages)
        with Talker.open(tmp_path, **ollama(server, "qwen2.5:3b")) as memory:
            turn = memory.chat("What is my dog called?")
            turn.finish()
            assert turn.context.tools is None
            assert "Waldi" in str(turn.context.messages)
            assert [e.model for e in memory.exchanges()] == [
                "llama3.2:latest",
                "llama3.2:latest",
                "qwen2.5:3b",
            ]
        sent = [r.body for r in server.requests if r.path == "/api/chat"]
        assert [body["model"] for body in sent][-1] == "qwen2.5:3b"
        assert sent[0]["options"]["num_ctx"] > 0
        assert sent[0]["truncate"] is False
        assert "Waldi" in json.dumps(sent[-1]["messages"])


def test_tools_are_called_and_stored_with_the_exchange(tmp_path):
    from unabridged.domain.message import Role, ToolCall

    call = ToolCall("c1", "lucky_number", '{"person": "Ann"}')
    script = [ScriptedReply("", calls=(call,)), ScriptedReply("It is 7.")]

    def lucky_number(person: str) -> int:
        """Give somebody's lucky number."""
        return len(person) + 4

    with OpenAITestServer(script, count=words) as server:
        settings = {"upstream": "openai", "openai_url": server.url + "/v1"}
        with Talker.open(tmp_path, **settings) as memory:
            turn = memory.chat("What is Ann's lucky number?", mode="tools", tools=[lucky_number])
            exchange = turn.finish()
            assert [m.role for m in exchange.messages] == [
                Role.USER,
                Role.ASSISTANT,
                Role.TOOL,
                Role.ASSISTANT,
            ]
            assert exchange.messages[2].results[0].text == "7"
            again = memory.prepare("And Bob's?", mode="chat")
            assert [m["role"] for m in again.messages].count("tool") == 1
        asked = [r.body for r in server.requests if r.path.endswith("/chat/completions")]
        assert asked[0]["tools"][0]["function"]["name"] == "lucky_number"
        first, second = (json.dumps(body["messages"]) for body in asked)
        assert second.startswith(first.removesuffix("]"))


def test_what_was_said_survives_an_upstream_that_fails(tmp_path):
    with OllamaTestServer(
        ScriptedReply("One two three four", breaks=True, after=2), count=words
    ) as server:
        with Talker.open(tmp_path, **ollama(server)) as memory:
            with pytest.raises(UpstreamBrokenError):
                memory.chat("Count to four.").finish()
            (exchange,) = memory.exchanges()
            assert exchange.state is ExchangeState.INCOMPLETE
            assert exchange.answer.text.startswith("One")
        url = server.url
    with Talker.open(tmp_path, upstream="ollama", ollama_url=url, model="llama3.2") as memory:
        with pytest.raises(UpstreamAwayError):
            memory.chat("Are you there?").finish()
        assert memory.exchanges()[-1].state is ExchangeState.UNANSWERED
        assert memory.exchanges()[-1].user.text == "Are you there?"


def test_a_refusal_for_length_leads_to_one_more_preparation(tmp_path):
    def tokens(text: str) -> int:
        return 2 * len(text.split())

    past = " ".join(f"word{n}" for n in range(150))
    server = OllamaTestServer("Fine.", count=tokens)
    with server, Talker.open(tmp_path, **ollama(server, window=2048)) as memory:
        for n in range(12):
            memory.record(memory.prepare(f"{n} {past}"), f"{past} {n}")
        turn = memory.chat(f"What now? {past}")
        exchange = turn.finish()
        assert exchange.state is ExchangeState.COMPLETE
        refused = [r for r in server.requests if r.path == "/api/chat"]
        assert len(refused) in (1, 2)
        if len(refused) == 2:
            assert turn.notes
            assert len(refused[1].body["messages"]) <= len(refused[0].body["messages"])
        account = memory.why(exchange.id)
        assert account.intact


class SmallerThanTold(OllamaTestServer):
    """A server that neither takes the window it is told nor refuses what is longer."""

    def _load(self, entry, body):
        return 600


def test_a_truncation_by_the_server_is_said(tmp_path):
    past = " ".join(f"word{n}" for n in range(60))
    server = SmallerThanTold("Fine.", count=words, truncates=True)
    with server, Talker.open(tmp_path, **ollama(server, window=8192)) as memory:
        first = memory.chat("Hello.")
        first.finish()
        assert first.notes == []
        for n in range(20):
            memory.record(memory.prepare(f"{n} {past}"), past)
        turn = memory.chat("And now?")
        turn.finish()
        assert server.cut[-1] > 0
        assert any("may have cut the prompt" in note for note in turn.notes)
        assert memory.stats().calibration["llama3.2:latest"]["reports"] <= 1
        again = memory.prepare("And now?")
        assert again.ledger.prompt_tokens >= 0.9 * turn.context.ledger.prompt_tokens


def test_a_message_larger_than_the_window_is_refused_before_anything_is_sent(tmp_path):
    with OllamaTestServer("Fine.", count=words) as server:
        with Talker.open(tmp_path, **ollama(server, window=1024)) as memory:
            with pytest.raises(PromptTooLargeError) as refusal:
                memory.chat("long " * 3000)
            assert refusal.value.over > 0
            assert "window" in refusal.value.hint
            assert memory.exchanges() == []
        assert not [r for r in server.requests if r.path == "/api/chat"]


def test_spaces_never_meet(tmp_path):
    with Talker.open(tmp_path, upstream="quote", user="ann") as ann:
        ann.record(ann.prepare("My secret is a blue elephant."), "I keep it.")
    with Talker.open(tmp_path, upstream="quote", user="bob") as bob:
        assert bob.space.search("blue elephant") == []
        assert "elephant" not in str(bob.prepare("Remember the blue elephant?").messages[:-1])
        assert bob.stats().exchanges == 0


def test_quote_answers_from_memory_and_invents_nothing(tmp_path):
    clock = ManualClock(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))
    with Talker.open(tmp_path, upstream="quote", clock=clock) as memory:
        memory.chat("The cheese classification project uses a ResNet-18.").finish()
        memory.new_session()
        turn = memory.chat("What does the cheese classification project use?")
        turn.finish()
        assert "21 November" in turn.text()
        assert "The cheese classification project uses a ResNet-18." in turn.text()
        turn = memory.chat("What is the capital of Peru?")
        turn.finish()
        assert "Lima" not in turn.text()


def test_nothing_is_written_outside_the_home(tmp_path, monkeypatch):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("HOME", str(elsewhere))
    monkeypatch.setenv("XDG_DATA_HOME", str(elsewhere / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(elsewhere / "cache"))
    with Talker.open(home, upstream="quote") as memory:
        bring_own(memory)
        memory.chat("hello").finish()
        memory.space.pins.add("I like brie.")
        memory.space.search("cheese")
    assert list(elsewhere.rglob("*")) == []
    assert (home / "spaces").is_dir()
    assert (home.stat().st_mode & 0o777) == 0o700
    for path in (home / "spaces").rglob("*"):
        assert (path.stat().st_mode & 0o777) == (0o700 if path.is_dir() else 0o600)


def test_recalled_text_is_in_the_semantic_tier_with_its_date(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as memory:
        bring_own(memory)
        memory.new_session()
        context = memory.prepare("Do you remember the cheese classification project?")
        rows = context.ledger.kept(Tier.SEMANTIC)
        assert rows
        assert all(row.at is not None and row.session for row in rows)
        assert "<recalled-exchange date=" in context.prompt[-1].text
        exchange = memory.begin(context)
        assert "<recalled" not in exchange.user.text
