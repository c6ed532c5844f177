"""No control byte of any stored or given text reaches a terminal, from any command."""

import io
import json
import os
import sys
from datetime import UTC, datetime

import pytest
from tests.helpers.hostile import CONTROLS, HOSTILE, SEQUENCES, reached

from unabridged.cli.main import COMMANDS
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.native_jsonl import write_jsonl

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
    pytest.mark.slow,
]
if sys.platform != "win32":
    from tests.helpers.on_terminal import OnTerminal

AT = datetime(2026, 5, 1, tzinfo=UTC)
RUN = """
import json, sys, time
from unabridged.cli.main import cli
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(errors="replace")
codes = []
for words in json.load(open(sys.argv[1])):
    codes.append([words, cli.run(words)])
json.dump(codes, open(sys.argv[2], "w"))
"""
ALONE = {"serve", "mcp", "tour", "chat", "recover", "migrate"}
"""Commands that serve, or that work on other files than a space: they have tests of their own."""


def hostile_exchange(number, parent):
    name = f"x{number}-{CONTROLS}"
    user = Message(
        f"u{number}", Role.USER, (Text(f"What about {HOSTILE}? I live in {HOSTILE}."),), AT
    )
    call = Message(
        f"c{number}",
        Role.ASSISTANT,
        (
            Reasoning(HOSTILE),
            ToolCall(f"call{HOSTILE}", f"look{HOSTILE}", json.dumps({"a": HOSTILE})),
            Foreign(f"kind{HOSTILE}", HOSTILE),
            Image(f"http://x/{HOSTILE}"),
        ),
        AT,
        f"u{number}",
    )
    result = ToolResult(f"call{HOSTILE}", f"look{HOSTILE}", HOSTILE)
    told = Message(f"r{number}", Role.TOOL, (result,), AT, f"c{number}")
    answer = Message(f"a{number}", Role.ASSISTANT, (Text(f"Yes, {HOSTILE}."),), AT, f"r{number}")
    messages = (user, call, told, answer)
    state = ExchangeState.COMPLETE
    return Exchange(name, "s1", parent, state, messages, AT, model=f"model{HOSTILE}")


def commands(folder):
    """Every command, on a space in which every field is hostile."""
    exchange = hostile_exchange(1, None)
    session = Session("s1", f"Title {HOSTILE}", AT, AT, exchange.messages[-1].id)
    stream = io.BytesIO()
    write_jsonl([Transcript(session, (exchange,))], stream)
    name = "".join(sign for sign in HOSTILE if sign not in "/\0")[:60]
    file = folder / f"{name}.jsonl"
    file.write_bytes(stream.getvalue())
    (folder / f"broken {name}.json").write_bytes(b'{"mapping": ' + HOSTILE.encode())
    config = folder / "home" / "config"
    (config / "personas").mkdir(parents=True)
    (config / "personas" / "odd.txt").write_text(f"You are {HOSTILE}")
    (config / "profiles").mkdir()
    said = json.dumps(HOSTILE)
    (config / "profiles" / "odd.toml").write_text(
        f"title = {said}\nabout = {said}\n[settings]\nmodel = {said}\n[reasons]\nmodel = {said}\n"
    )
    (config / "profiles" / "broken.toml").write_text(f"title = {CONTROLS}")
    given = [f"--{field}" for field in ("rationale", "fit-criterion", "originator")]
    told = [word for field in given for word in (field, HOSTILE)]
    forms = ("jsonl", "v3", "markdown", "html", "messages")
    return [
        ["import", str(file)], ["import", str(folder / f"broken {name}.json")],
        ["import", str(folder / f"none {name}.json")], ["import", "--find", str(folder), "--all"],
        ["facts", "add", "--pin", f"My tea is {HOSTILE}"], ["facts", "add", f"I live in {HOSTILE}"],
        ["facts", "learn"], ["requirements", "add", f"The tea must {HOSTILE}", *told],
        ["requirements", "add", f"=The tea must not {HOSTILE}"], ["requirements", "learn"],
        *(
            [one, *more]
            for one in ("facts", "requirements")
            for more in ([], ["show", "1"], ["history", "1"], ["show", HOSTILE], ["--json"])
        ),
        ["requirements", "conflicts"],
        *(["requirements", "export", "--format", form] for form in ("markdown", "csv", "json")),
        ["show", "--session", "1"], ["show", "--session", "1", "--json"],
        ["show", "--session", HOSTILE], ["show", HOSTILE],
        ["why", "--prompt"], ["ask", f"Where is my {HOSTILE}?"],
        ["ask", "Where is my tea?", "--model", HOSTILE, "--json"],
        ["ask", "Hello", "--upstream", "http://127.0.0.1:9/" + HOSTILE],
        ["sessions"], ["sessions", "--json"], ["search", "tea"], ["search", HOSTILE],
        ["search", "tea", "--json"], ["topics"], ["topics", "--json"], ["topics", HOSTILE],
        ["why"], ["why", "--json"], ["why", HOSTILE], ["stats"], ["stats", "--json"],
        ["annotations", "list"], ["annotations", "list", "--json"], ["annotations", "stats"],
        ["annotations", "set", HOSTILE, "decision"], ["condense", "--test"],
        ["condense", "--force", "--session", "2"], ["condense"], ["condense", "--session", HOSTILE],
        ["expand"], ["expand", HOSTILE],
        *(["export", "--format", form] for form in forms),
        *(["export", "--session", "2", "--format", form] for form in forms),
        ["export", "--format", "markdown", "-o", str(folder / f"out {name}/")],
        ["adopt", HOSTILE], ["share", "to", "ann/odd", "--session", "2", "--yes"], ["share", "to", HOSTILE], ["share", "list"],
        ["share", "revoke", HOSTILE], ["forget", "--search", f"none{HOSTILE}", "--yes"],
        ["forget", HOSTILE, "--yes"], ["forget", "--search", "tea", "--dry-run"],
        ["receipts"], ["receipts", HOSTILE], ["backup", "create"], ["backup", "list"],
        ["backup", "verify", HOSTILE], ["backup", "restore", HOSTILE, "--yes"], ["verify"],
        ["archive", "--session", "2"], ["archive", "--session", HOSTILE], ["key"], ["key", HOSTILE],
        ["audit"], ["audit", "--json"], ["audit", "--since", HOSTILE],
        ["backup", "verify", "--read-data"],
        ["doctor"], ["doctor", "--json"], ["connect"], ["connect", HOSTILE],
        ["connect", "open-webui", "--url", f"http://x/{HOSTILE}"],
        ["keys", "create", f"k{HOSTILE}"], ["keys", "create", "k", "--user", HOSTILE],
        ["keys", "list"], ["keys", "revoke", HOSTILE],
        ["config"], ["config", "set", "model", HOSTILE], ["config"], ["config", "--json"],
        ["config", "set", HOSTILE, "x"], ["config", "unset", "model"], ["models"],
        ["profiles"], ["profiles", "show", "odd"], ["profiles", "show", "broken"],
        ["profiles", "show", HOSTILE], ["stats", "--profile", "odd"], ["config", "--profile", "odd"],
        ["personas"], ["personas", "show", "odd"], ["personas", "show", HOSTILE],
        ["ask", "Hi", "--persona", "odd"], ["spaces"], ["spaces", "--json"],
        ["ask", "Hi", "--user", f"u{HOSTILE}", "--agent", f"a{HOSTILE}"], ["spaces"],
        ["spaces", "rename", HOSTILE, "x"], [HOSTILE], ["--set", f"x={HOSTILE}", "stats"],
        ["--profile", HOSTILE, "stats"], ["show", f"--{HOSTILE}"], ["--debug", "show", HOSTILE],
        ["forget", "--session", "2", "--yes"], ["receipts"],
    ]  # fmt: skip


@pytest.fixture
def env(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name != "OLLAMA_HOST"}
    home = str(tmp_path / "home")
    return {
        **kept,
        "UNABRIDGED_HOME": home,
        "UNABRIDGED_UPSTREAM": "quote",
        "TERM": "xterm-256color",
    }


def test_every_command_shows_every_field_and_sends_no_control_of_it(tmp_path, env):
    lines = commands(tmp_path)
    assert {words[0] for words in lines} >= set(COMMANDS) - ALONE
    lines = [[word.replace("\0", "") for word in words] for words in lines]  # no shell passes NUL
    (tmp_path / "lines.json").write_text(json.dumps(lines))
    with OnTerminal(
        RUN, str(tmp_path / "lines.json"), str(tmp_path / "codes.json"), env=env
    ) as shown:
        assert shown.ended(280) == 0, shown.text[-2000:]
        raw = shown.raw
    codes = json.loads((tmp_path / "codes.json").read_text())
    text = raw.decode("utf-8", "replace")
    assert "This is a bug" not in text
    assert sum(code == 0 for _, code in codes) > 60, [(w, c) for w, c in codes if c]
    assert reached(raw) == []
    assert text.count("tea\ufffd]0;owned\ufffd") > 30


CHAT = """
import sys
from unabridged.factory import open_memory
from unabridged.domain.chat import Abilities, StreamChunk
from unabridged.errors import UpstreamError

said = open(sys.argv.pop(), newline="").read()

class Odd:
    model, provider, turns = said, said, 0
    def abilities(self):
        return Abilities(self.model, trained_window=8192)
    def chat(self, request):
        self.turns += 1
        if self.turns == 2:
            raise UpstreamError(said, hint=said)
        yield StreamChunk(reasoning=said)
        for piece in ("# ", said, "\\n\\n- `", *said, "`\\n\\n| a | b |\\n|--|--|\\n| ", said, " | x |\\n"):
            yield StreamChunk(text=piece)
        yield StreamChunk(done=True)
    def close(self):
        pass

model = Odd()
open_memory.choose_model = lambda *_: (model, said)
from unabridged.cli.main import main
main()
"""


def test_the_chat_sends_no_control_of_an_answer_an_error_or_a_command(tmp_path, env):
    (tmp_path / "said").write_text(HOSTILE, newline="")
    env = {**env, "UNABRIDGED_UPSTREAM": ""}
    asked = ["Hello tea", "Again", "Once more"]
    looked = [
        "/search tea",
        "/why",
        "/sessions",
        "/show",
        "/facts",
        "/topics",
        "/model",
        "/stats",
        "/x\u202ey",
    ]
    with OnTerminal(CHAT, "chat", str(tmp_path / "said"), env=env) as shown:
        shown.until("Ctrl-D to quit")
        shown.type("".join(f"{line}\r" for line in [*asked, *looked]) + "\x04")
        shown.ended()
        raw = shown.raw
    assert raw.decode("utf-8", "replace").count("tea\ufffd") > 5
    assert reached(raw) == []


def test_the_check_sees_each_control():
    for sequence in SEQUENCES:
        assert reached(f"tea{sequence},\r\n".encode()), sequence
    assert reached(b"a\rCR")
    assert not reached(b"\x1b[1m\x1b[38;5;4mtea\x1b[0m\r\n\r\n")
