from datetime import UTC, datetime

import pytest

from unabridged.domain.message import ToolCall
from unabridged.errors import ToolError
from unabridged.factory import load_tools
from unabridged.space.tools import call_tool, tool_from

CODE = '''
import json
from pathlib import Path

def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b

def shout(text: str) -> str:
    """Say it loud."""
    return text.upper()

def _hidden() -> str:
    return "no"
'''


@pytest.fixture
def tools_file(tmp_path):
    path = tmp_path / "my tools.py"
    path.write_text(CODE, encoding="utf-8")
    return path


def test_every_public_function_of_a_file_is_a_tool(tools_file):
    tools = load_tools.load(str(tools_file))
    assert [tool.spec.name for tool in tools] == ["add", "shout"]
    assert call_tool(tools, ToolCall("1", "add", '{"a": 2}')).text == "3"


def test_one_function_of_a_file_or_module_can_be_named(tools_file):
    assert [t.spec.name for t in load_tools.load(f"{tools_file}:shout")] == ["shout"]


def test_an_entry_point_is_found_by_its_name(tmp_path, monkeypatch):
    package = tmp_path / "site"
    (package / "extra_tools-1.0.dist-info").mkdir(parents=True)
    (package / "extra_tools.py").write_text(CODE, encoding="utf-8")
    dist = package / "extra_tools-1.0.dist-info"
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-tools\nVersion: 1.0\n")
    (dist / "entry_points.txt").write_text("[unabridged.tools]\nadder = extra_tools:add\n")
    monkeypatch.syspath_prepend(str(package))
    assert [t.spec.name for t in load_tools.load("adder")] == ["add"]
    assert [t.spec.name for t in load_tools.load("extra_tools:shout")] == ["shout"]


def test_what_a_tool_prints_stays_out_of_the_answer(tmp_path, capsys):
    path = tmp_path / "loud.py"
    path.write_text('def loud() -> str:\n    print("noise")\n    return "done"\n', encoding="utf-8")
    result = call_tool(load_tools.load(str(path)), ToolCall("1", "loud", "{}"))
    shown = capsys.readouterr()
    assert (result.text, shown.out, shown.err) == ("done", "", "noise\n")


@pytest.mark.parametrize(
    "spec", ["nowhere.py", "no_such_module:f", "no_such_entry", "textwrap:no_such_function"]
)
def test_what_cannot_be_found_is_said(spec):
    with pytest.raises(ToolError) as refusal:
        load_tools.load(spec)
    assert refusal.value.hint


def test_a_file_that_fails_is_said_with_its_reason(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0", encoding="utf-8")
    with pytest.raises(ToolError, match="ZeroDivisionError"):
        load_tools.load(str(path))
    path.write_text("X = 1", encoding="utf-8")
    with pytest.raises(ToolError, match="no public function"):
        load_tools.load(str(path))
    assert [file.name for file in tmp_path.iterdir()] == ["broken.py"]


def test_two_tools_of_one_name_are_refused():
    def current_time() -> str:
        return "never"

    mine = tool_from(current_time)
    built_in = load_tools.built_in(lambda: datetime(2026, 11, 21, tzinfo=UTC), lambda *_: [])
    with pytest.raises(ToolError, match="current_time"):
        load_tools.unique([*built_in, mine])
    assert [t.spec.name for t in load_tools.unique(built_in)] == ["current_time", "search_memory"]
