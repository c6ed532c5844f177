"""What coding agents send: many tools, long histories, tool loops, in each chat dialect.

``SAYS`` knows how a dialect writes a call and its result; the rest builds whole lists from it.
"""

import json

from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI
from tests.helpers.strict_rules import sign

from unabridged.domain.message import ToolCall
from unabridged.testing.replies import ScriptedReply

FILL = "def handle(request): return router.dispatch(request, retries=3)  # keep the old path. "


def filler(tokens, about=""):
    """A text of about so many tokens."""
    return (about + " " + FILL * (tokens * 4 // len(FILL) + 1))[: tokens * 4]


def tool(name, tokens=100):
    """A function of about so many tokens, as OpenAI and Ollama take it."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    about = filler(tokens, f"Use {name} on a file.")
    return {
        "type": "function",
        "function": {"name": name, "description": about, "parameters": schema},
    }


def tools(many, tokens=100):
    names = "bash edit read write grep glob list patch todowrite webfetch task view plan".split()
    return [tool(names[n] if n < len(names) else f"tool_{n}", tokens) for n in range(many)]


def anthropic_tools(many, tokens=100):
    made = [each["function"] for each in tools(many, tokens)]
    return [
        {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
        for t in made
    ]


def system(text):
    return {"role": "system", "content": text}


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def called(dialect, number, *, thought="", name="read", said=""):
    """An assistant's message that calls one tool."""
    given = {"path": f"src/file_{number}.py"}
    if dialect == ANTHROPIC:
        blocks = [{"type": "tool_use", "id": f"call_{number}", "name": name, "input": given}]
        if said:
            blocks.insert(0, {"type": "text", "text": said})
        if thought:
            block = {"type": "thinking", "thinking": thought, "signature": sign(thought)}
            blocks.insert(0, block)
        return {"role": "assistant", "content": blocks}
    arguments = given if dialect == OLLAMA else json.dumps(given)
    call = {"id": f"call_{number}", "function": {"name": name, "arguments": arguments}}
    if dialect == OPENAI:
        call["type"] = "function"
    message = assistant(said, tool_calls=[call])
    if thought:
        message["thinking" if dialect == OLLAMA else "reasoning_content"] = thought
    return message


def result(dialect, number, text):
    if dialect == ANTHROPIC:
        block = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": text}
        return {"role": "user", "content": [block]}
    if dialect == OLLAMA:
        return {"role": "tool", "tool_name": "read", "content": text}
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": text}


def rounds(dialect, many, tokens, *, thought="", first=0):
    """So many calls with results of so many tokens."""
    made = []
    for number in range(first, first + many):
        made.append(called(dialect, number, thought=thought and f"{thought} {number}"))
        made.append(result(dialect, number, filler(tokens, f"# file {number}")))
    return made


def agent_requests(dialect, turns, steps, *, prompt_tokens=2_000, result_tokens=250, ask=None):
    """Each request of an agent's conversation, as its list of messages and the upstream's reply.

    A turn is a question, some rounds of one tool, and an answer.
    """
    ask = ask or (lambda turn: f"Please change module {turn}: it must retry three times.")
    listed = [] if dialect == ANTHROPIC else [system(filler(prompt_tokens, "You are a coder."))]
    number = 0
    for turn in range(turns):
        listed.append(user(ask(turn)))
        for _ in range(steps - 1):
            given = json.dumps({"path": f"src/file_{number}.py"})
            call = ToolCall(f"call_{number}", "read", given)
            thought = f"I must read file {number} first."
            yield list(listed), ScriptedReply("", calls=(call,), reasoning=thought)
            listed += rounds(dialect, 1, result_tokens, first=number, thought="I must read file")
            number += 1
        answer = f"Module {turn} is changed, and its {turn + 3} tests pass."
        yield list(listed), ScriptedReply(answer)
        listed.append(assistant(answer))


def request(dialect, messages, *, many_tools=0, tool_tokens=100, **fields):
    """A body of a dialect."""
    body = {"model": "m", "messages": messages, "stream": False, **fields}
    if dialect == ANTHROPIC:
        body = {"max_tokens": 500, **body}
        made = anthropic_tools(many_tools, tool_tokens)
    else:
        made = tools(many_tools, tool_tokens)
    return {**body, "tools": made} if made else body
