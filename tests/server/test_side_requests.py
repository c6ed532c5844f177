"""What programs ask for themselves is answered, and neither recalled nor stored."""

import json
from pathlib import Path

import httpx2
import pytest
from tests.server.test_chat import held

from unabridged.errors import SettingError
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

MODEL = "llama3.2:latest"
FACT = "My boat is called Sardine and she is nine metres long."
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures/side/requests.jsonl")
    .read_text("utf-8")
    .splitlines()
]
AGENTS = ("claude-code", "codex", "opencode", "qwen-code", "cline", "agent ", "open-webui")
PROGRAMS = [row for row in ROWS if row["name"].startswith(AGENTS)]


@pytest.fixture(scope="module")
def upstreams():
    entries = [OpenAIEntry(MODEL)]
    with (
        OllamaTestServer(models=[OllamaEntry(MODEL)]) as ollama,
        OpenAITestServer(models=entries, window=32_768) as openai,
    ):
        yield {
            "ollama": (ollama, {"ollama_url": ollama.url}),
            "openai": (openai, {"openai_url": openai.base_url}),
        }


def chat(client, url, messages, **more):
    body = {"model": MODEL, "messages": messages, **more}
    return client.post(f"{url}/v1/chat/completions", json=body)


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_requests_of_programs_are_answered_and_leave_nothing(serving, upstreams, kind):
    upstream, where = upstreams[kind]
    url = serving(upstream=kind, **where)
    with httpx2.Client(timeout=30) as client:
        chat(client, url, [{"role": "user", "content": FACT}])
        before = held(url)
        for row in PROGRAMS:
            messages = [{"role": role, "content": text} for role, text in row["messages"]]
            answer = chat(client, url, messages, **row.get("body", {}))
            assert answer.json()["choices"][0]["message"]["content"] == "Yes.", row["name"]
            assert answer.headers["x-unabridged-way"] == row["name"]
            sent = upstream.requests[-1].body["messages"]
            assert [m["content"] for m in sent] == [text for _, text in row["messages"]]
        assert held(url) == before
        assert len(before) == 1


def test_an_instruction_behind_a_programs_own_part_is_found(serving, upstreams):
    _, where = upstreams["openai"]
    url = serving(upstream="openai", **where)
    title = next(row for row in PROGRAMS if row["name"] == "claude-code title")["messages"][0][1]
    parts = [{"type": "text", "text": text} for text in ("You are Claude Code.", title)]
    messages = [{"role": "system", "content": parts}, {"role": "user", "content": "Fix it."}]
    with httpx2.Client(timeout=30) as client:
        answer = chat(client, url, messages)
    assert answer.headers["x-unabridged-way"] == "claude-code title"
    assert held(url) == []


def test_a_persons_own_rules_are_tried_first(serving, upstreams, tmp_path):
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True)
    (folder / "side_rules.toml").write_text(
        '[[rules]]\nname = "my title"\nwhere = ["only"]\nbegins = "Name this chat"\n'
        'holds = ["In  five words"]\n\n'
        '[[rules]]\nname = "mine"\nwhere = ["last"]\nbegins = "you are performing a context"\n\n'
        '[[rules]]\nname = "short"\nwhere = ["only"]\nbegins = "say"\nmax_tokens = 5\n'
    )
    _, where = upstreams["openai"]
    url = serving(upstream="openai", **where)
    compaction = next(row for row in ROWS if row["name"] == "codex compaction")["messages"][-1][1]
    ways = {}
    with httpx2.Client(timeout=30) as client:
        for text, more in [
            ("name this\nchat, in five words.", {}),
            ("Name this chat after my boat.", {}),
            (compaction, {}),
            ("Say yes.", {"max_tokens": 5}),
            ("Say yes.", {"max_tokens": 6}),
        ]:
            answer = chat(client, url, [{"role": "user", "content": text}], **more)
            ways[text, more.get("max_tokens")] = answer.headers.get("x-unabridged-way")
    assert list(ways.values()) == ["my title", None, "mine", "short", None]
    assert len(held(url)) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules", "cannot be used"),
        ("x = 1", "no [[rules]]"),
        ('[[rules]]\nname = "x"\nwhere = ["only"]', "needs a name and a beginning"),
        ('[[rules]]\nname = "x"\nbegins = "a"\nwhere = ["first"]', "needs where"),
        ('[[rules]]\nname = "x"\nbegins = "("\nwhere = ["only"]', "no pattern"),
        ('[[rules]]\nnmae = "x"', "nmae"),
        ('[[rules]]\nname = "x"\nbegins = "a"\nwhere = ["only"]\nholds = [1]', "cannot be used"),
    ],
)
def test_a_file_of_rules_that_cannot_be_used_is_said_at_the_start(serving, tmp_path, text, said):
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True)
    (folder / "side_rules.toml").write_text(text)
    with pytest.raises(SettingError) as caught:
        serving(upstream="quote")
    assert said in str(caught.value)
    assert "side_rules.toml" in str(caught.value)


@pytest.mark.parametrize("setting", [None, 12_288])
def test_all_requests_of_a_model_have_one_window(serving, setting):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url, window=setting)
        side = next(row for row in ROWS if row["name"] == "open-webui title")["messages"][-1][1]
        both = ("/api/chat", "/v1/chat/completions")
        with httpx2.Client(timeout=30) as client:
            for text in (side, FACT, side):
                for path in both:
                    messages = [{"role": "user", "content": text}]
                    body = {"model": MODEL, "messages": messages, "stream": False}
                    assert client.post(url + path, json=body).status_code == 200
            for path, body in [
                ("/api/chat", {"messages": []}),
                ("/api/generate", {"prompt": ""}),
                ("/api/generate", {"prompt": side}),
                ("/api/generate", {"prompt": FACT}),
                ("/api/generate", {"prompt": "def f(", "suffix": "return x"}),
                ("/v1/completions", {"prompt": "def f("}),
            ]:
                said = {"model": MODEL, "stream": False, **body}
                assert client.post(url + path, json=said).status_code == 200
            own = {"model": MODEL, "stream": False, "options": {"num_ctx": 2_048}}
            client.post(f"{url}/api/generate", json={**own, "prompt": side})
        asked = [r.body for r in upstream.requests if r.path in ("/api/chat", "/api/generate")]
    windows = [body["options"]["num_ctx"] for body in asked]
    assert windows == [setting or 16_384] * 12 + [2_048]


def test_off_changes_nothing_for_an_ollama(serving):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url)
        body = {"model": MODEL, "messages": [{"role": "user", "content": FACT}], "stream": False}
        with httpx2.Client(timeout=30) as client:
            client.post(f"{url}/api/chat", json=body, headers={"X-Unabridged": "off"})
        assert upstream.sent("/api/chat") == [body]
