"""A message that bears several tool results is sent as several: the session goes on after it."""

from tests.helpers.talker import Talker

from unabridged.domain.message import Role, ToolCall, ToolResult
from unabridged.models.scripted import ScriptedModel


def test_several_results_in_one_message_are_counted_once(tmp_path):
    with Talker.open(tmp_path / "home", upstream=ScriptedModel()) as memory:
        context = memory.prepare("Look at both.", mode="tools")
        memory.begin(context)
        calls = [ToolCall(name, "look", "{}") for name in "ab"]
        results = [ToolResult(name, "look", f"There is {name}.") for name in "ab"]
        memory.record_tools(
            context,
            [memory.space.message(Role.ASSISTANT, calls), memory.space.message(Role.TOOL, results)],
        )
        memory.record(context, "I saw both.")
        second = memory.prepare("And now?", mode="tools")
        assert [m["content"] for m in second.messages if m["role"] == "tool"] == [
            "There is a.",
            "There is b.",
        ]
        assert sum(second.ledger.parts.values()) == second.ledger.window
        memory.record(second, "Nothing else.")
        third = memory.prepare("Again?", mode="tools")
        assert third.ledger.prefix_reuse > 0.5
        assert memory.why(second.id).intact
