"""Sessions know the working folder that their program names; recall prefers the same folder."""

import pytest
from tests.helpers.agent_talks import assistant, request, result, system, user
from tests.helpers.client_talks import ANTHROPIC, OPENAI
from tests.helpers.front_door import opened
from tests.server.clients import http
from tests.server.test_program_sessions import records

from unabridged.domain.record import RecordKind

BOAT, HOUSE = "/home/ada/boat", "/home/ada/my house"
PROGRAMS = {
    "codex": lambda folder: [
        user(f"<environment_context>\n  <cwd>{folder}</cwd>\n  <shell>bash</shell>\n</environment_context>")
    ],
    "claude code": lambda folder: [
        system(f"You are Claude Code.\n<env>\nWorking directory: {folder}\nIs a git repo: Yes\n</env>")
    ],
    "claude code 2": lambda folder: [
        system(f"# Environment\n - Primary working directory: {folder}\n - Is a git repo: true")
    ],
    "opencode": lambda folder: [
        system(f"Environment:\n<env>\n  Working directory: {folder}\n  Platform: linux\n</env>")
    ],
    "qwen code": lambda folder: [
        user(f"This is the Qwen Code.\nI'm currently working in the directory: {folder}\nHere is")
    ],
    "gemini cli": lambda folder: [
        user(
            "This is the Gemini CLI.\n"
            f"I'm currently working in the following directories:\n  - {folder}\nHere"
        )
    ],
    "cline": lambda folder: [],
}  # fmt: skip


def said(program, folder, text):
    if program == "cline":
        about = f"# VSCode Open Tabs\n\n# Current Working Directory ({folder}) Files\na.py"
        return [
            user(f"<task>{text}</task>\n<environment_details>\n{about}\n</environment_details>")
        ]
    return [*PROGRAMS[program](folder), user(text)]


@pytest.fixture
def door(serving):
    with opened(serving, OPENAI, profile="coding") as made:
        yield made


def put(door, program, folder, text, **headers):
    return door.ask(OPENAI, request(OPENAI, said(program, folder, text), many_tools=2), **headers)


def sessions(door):
    with http(door.url, headers=door.url.bearer) as client:
        return client.get("/memory/sessions").json()["items"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_sessions_are_listed_with_their_folder(door, program):
    put(door, program, BOAT, "How long is the keel?")
    put(door, program, HOUSE, "How high is the roof?")
    door.ask(OPENAI, request(OPENAI, [user("What is a keel?")]))
    assert [one["folder"] for one in sessions(door)] == ["", HOUSE, BOAT]


@pytest.mark.parametrize("program", ["codex", "claude code", "cline"])
def test_the_same_folder_is_recalled_first(door, program):
    """The newer and equally relevant answer of another folder comes second, or not at all."""
    rule = "We decided that the tests of this project run with the command make {}."
    put(door, program, BOAT, rule.format("sail"))
    put(door, program, HOUSE, rule.format("hammer"))
    for folder, near, far in (
        (BOAT, "make sail", "make hammer"),
        (HOUSE, "make hammer", "make sail"),
    ):
        question = "Which command did we decide on for the tests of this project?"
        arrived = put(door, program, folder, question)["messages"][-1]["content"]
        assert near in arrived
        assert far not in arrived or arrived.index(near) < arrived.index(far)


def test_what_only_another_folder_knows_is_recalled(door):
    put(door, "codex", BOAT, "We decided that the harbour master is called Grimsdottir.")
    arrived = put(door, "codex", HOUSE, "What is the harbour master called?")
    assert "Grimsdottir" in arrived["messages"][-1]["content"]


def test_a_folder_in_what_a_tool_returned_names_none(door):
    listed = "Working directory: /etc"
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    talk = [user("Look."), assistant("", tool_calls=[call]), result(OPENAI, 1, listed)]
    door.ask(OPENAI, request(OPENAI, talk, many_tools=2))
    assert [one["folder"] for one in sessions(door)] == [""]


def test_the_last_folder_counts(door):
    talk = said("codex", BOAT, "How long is the keel?")
    put(door, "codex", BOAT, "How long is the keel?")
    moved = [*talk, assistant("Yes."), *said("codex", HOUSE, "And the roof?")]
    door.ask(OPENAI, request(OPENAI, moved, many_tools=2))
    (one,) = sessions(door)
    assert one["folder"] == HOUSE


def test_anthropics_system_prompt_names_it(serving):
    with opened(serving, ANTHROPIC, profile="coding") as door:
        body = request(ANTHROPIC, [user("How long is the keel?")])
        body["system"] = [{"type": "text", "text": f"<env>\nWorking directory: {BOAT}\n</env>"}]
        door.ask(ANTHROPIC, body)
        assert [one["folder"] for one in sessions(door)] == [BOAT]


def test_readonly_stores_no_folder_and_forgetting_removes_it(door):
    put(door, "codex", BOAT, "Not this one.", **{"x-unabridged": "readonly"})
    assert sessions(door) == []
    put(door, "codex", BOAT, "How long is the keel?")
    (one,) = sessions(door)
    assert [each.body for each in records(door.url, RecordKind.FOLDER)] == [{"folder": BOAT}]
    with http(door.url, headers=door.url.bearer) as client:
        plan = client.post("/memory/forget", json={"session": one["id"]}).json()
        done = client.post(f"/memory/forget/{plan['id']}", json={})
        assert done.status_code == 200, done.text
    assert records(door.url, RecordKind.FOLDER) == []
