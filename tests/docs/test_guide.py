"""The programs of the guide run, and print what the guide shows."""

import re
from pathlib import Path

import pytest

from unabridged.domain.message import ToolCall
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply

GUIDE = (Path(__file__).parents[2] / "docs" / "guide.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8080/v1"
ULID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


def programs():
    """Return every program with the task that it belongs to and the output that is shown."""
    tasks = re.split(r"^## ", GUIDE, flags=re.MULTILINE)[1:]
    found = []
    for task in tasks:
        pairs = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", task, re.DOTALL)
        assert len(pairs) == task.count("```python"), "a program without its output"
        found += [
            pytest.param(*pair, id=f"{task.splitlines()[0]} {n}") for n, pair in enumerate(pairs)
        ]
    return found


def answer(body):
    """Answer as the guide's model does."""
    messages = body["messages"]
    last = messages[-1]
    if last["role"] == "tool":
        return f"It is {last['content']}."
    if body.get("tools"):
        return ScriptedReply(calls=(ToolCall("call_1", "temperature", '{"city": "Bern"}'),))
    return "Her train leaves at 9:40." if last["content"].endswith("?") else "Noted."


@pytest.mark.parametrize(("code", "shown"), programs())
def test_a_program_of_the_guide_prints_what_is_shown(code, shown, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with OpenAITestServer(answer, window=8192) as server:
        source = code.replace(ADDRESS, server.base_url)
        scope = {"__name__": "__main__"}
        exec(compile(source, "guide.md", "exec"), scope)
        if "client" in scope:
            scope["client"].close()
    assert ULID.sub("…", capsys.readouterr().out) == shown


def test_there_are_ten_tasks():
    assert re.findall(r"^## (\d+)\.", GUIDE, re.MULTILINE) == [str(n) for n in range(1, 11)]
