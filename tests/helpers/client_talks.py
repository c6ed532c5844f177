"""Random conversations as programs send them, in the four dialects of clients.

A talk is made of ``Said``: what somebody said, in no dialect. ``body_of`` writes it in one. Every
text, call, result and picture carries a mark that stands nowhere else, so that it can be found.
"""

import base64
import json
import math
from dataclasses import dataclass, field

from tests.helpers.strict_rules import sign

OPENAI, OLLAMA, ANTHROPIC, RESPONSES = "openai", "ollama", "anthropic", "responses"
WORDS = (
    "harbour lantern copper Tuesday invoice the and of a was moved to port 7777 because however"
    " compile error line 40 straße Größe naïve 東京 データ привет мир file.py {x} <tag> \\n ```py"
).split()
REASONS = ("reasoning_content", "reasoning", "thinking")


@dataclass
class Said:
    """One message: ``parts`` beside its text, ``calls`` as id, name and arguments."""

    role: str
    text: str
    parts: list = field(default_factory=list)
    reasoning: str = ""
    calls: list = field(default_factory=list)
    call: tuple = ()
    extra: dict = field(default_factory=dict)


@dataclass
class Talk:
    """A conversation and its tools; ``reasons`` is the field that its thoughts are sent in."""

    said: list
    tools: list
    reasons: str = "reasoning_content"
    fields: dict = field(default_factory=dict)

    @property
    def in_loop(self):
        """Whether a tool loop is open: the newest message is a result."""
        return self.said[-1].role == "tool"


class Talker:
    """Makes talks of a dialect from a random source; ``characters`` bounds one talk's text."""

    def __init__(self, random, dialect, *, foreign):
        self.random, self.dialect, self.foreign = random, dialect, foreign
        self._marks = 0
        self._own = f"{random.randrange(1 << 40):x}"

    def mark(self):
        self._marks += 1
        return f"[{self._own}-{self._marks}]"

    def words(self, characters):
        mark, few = self.mark(), self.random.choices(WORDS, k=40)
        line = " ".join(few) + " "
        body = (line * (characters // len(line) + 1))[: max(0, characters - 2 * len(mark))]
        return f"{mark} {body} {mark}"

    def talk(self, characters, messages, tools):
        """A talk of about so many characters in so many messages, with so many tools."""
        shared = characters // (messages + max(1, tools // 4))
        made = Talk([], [self.tool(n, shared) for n in range(tools)])
        made.reasons = self.random.choice(REASONS) if self.dialect == OPENAI else "thinking"
        if messages > 1 and self.random.random() < 0.6:
            made.said.append(Said("system", self.words(shared)))
        if self.dialect == OPENAI and messages > 2 and self.random.random() < 0.2:
            made.said.append(Said("developer", self.words(shared)))
        while len(made.said) < messages:
            self._exchange(made, messages - len(made.said), shared)
        if made.tools and not made.in_loop and self.random.random() < 0.25:
            self.round(made, shared)
        made.fields = self._fields(made)
        return made

    def _exchange(self, made, room, shared):
        r = self.random
        if room > 6 and self.dialect != ANTHROPIC and r.random() < 0.1:
            made.said.append(Said("system", self.words(shared)))
        made.said.append(self.user(shared))
        if room > 5 and r.random() < 0.1:
            made.said.append(self.user(shared))
        rounds = r.randrange(4) if made.tools and room > 3 else 0
        for _ in range(rounds):
            self.round(made, shared)
        if room < 3 or (rounds and room < 9 and r.random() < 0.5):
            return
        made.said.append(self.answer(shared))
        if room <= len(made.said):
            made.said.append(self.user(shared))

    def user(self, characters):
        said = Said("user", self.words(max(20, characters)))
        r = self.random
        if r.random() < 0.15:
            said.parts.append(("text", self.words(40)))
        if r.random() < 0.1:
            said.parts.append(("image", base64.b64encode(self.mark().encode()).decode()))
        if self.foreign and r.random() < 0.1:
            said.parts.append((r.choice(("audio", "file", "unknown")), self.mark()))
        if self.dialect == OPENAI and r.random() < 0.1:
            said.extra["name"] = "ada"
        return self._extended(said)

    def _extended(self, said):
        if self.foreign and self.random.random() < 0.05:
            said.extra["x_client"] = {"flag": self.mark(), "deep": [1, None, {"a": 2.5}]}
        return said

    def answer(self, characters):
        said = Said("assistant", self.words(max(20, characters)))
        if self.random.random() < 0.4:
            said.reasoning = self.words(60)
        if self.foreign and self.dialect == OPENAI and self.random.random() < 0.05:
            said.parts.append(("refusal", self.mark()))
        return self._extended(said)

    def round(self, made, characters):
        """Calls, one or several at once, with their results."""
        r = self.random
        text = self.words(30) if r.random() < 0.5 else ""
        said = Said("assistant", text, reasoning=self.words(60) if r.random() < 0.7 else "")
        for _ in range(r.choice((1, 1, 1, 2, 4))):
            name = r.choice(made.tools)
            said.calls.append((f"call_{self.mark()[1:-1]}", name["name"], {"a": self.mark()}))
        made.said.append(self._extended(said))
        for call in said.calls:
            result = Said("tool", self.words(max(20, characters)), call=call)
            if r.random() < 0.1:
                result.parts.append(("text", self.words(30)))
            if self.foreign and r.random() < 0.1:
                result.parts.append(("image", base64.b64encode(self.mark().encode()).decode()))
            made.said.append(result)

    def tool(self, number, characters):
        about = self.words(min(2_000, max(20, characters // 4)))
        schema = {
            "type": "object",
            "properties": {"a": {"type": "string", "description": self.mark()}},
            "required": ["a"],
            "additionalProperties": False,
        }
        return {"name": f"tool_{number}", "description": about, "parameters": schema}

    def _fields(self, made):
        r, fields = self.random, {}
        if r.random() < 0.3:
            fields["temperature" if self.dialect != OLLAMA else "keep_alive"] = 1
        if self.dialect == OPENAI:
            if made.tools and r.random() < 0.5:
                one = {"type": "function", "function": {"name": made.tools[-1]["name"]}}
                fields["tool_choice"] = r.choice(("auto", "required", one))
                fields["parallel_tool_calls"] = r.random() < 0.5
            if self.foreign and r.random() < 0.2:
                fields["x_program"] = {"trace": self.mark(), "list": [1, 2, None]}
        return fields


def sizes(random, window, *, most_characters, most_messages=1_000, most_tools=500):
    """How large a talk is: its characters, messages and tools, from nothing to beyond the window."""
    filled = random.choice((0.02, 0.1, 0.3, 0.7, 0.95, 1.1, 1.6, 3.0))
    characters = min(most_characters, int(filled * window * 4 * random.uniform(0.8, 1.2)))
    messages = int(math.exp(random.uniform(0, math.log(min(most_messages, characters // 60 + 2)))))
    few = random.random() < 0.4
    tools = 0 if few else int(math.exp(random.uniform(0, math.log(most_tools))))
    return characters, messages, min(tools, characters // 100)


# One talk in each dialect


def body_of(talk, dialect, model, *, stream):
    """The request's body, as a program of the dialect writes it."""
    made = {"model": model, "stream": stream, **talk.fields, **_WRITERS[dialect](talk)}
    if not talk.tools:
        made.pop("tools", None)
    return made


def _openai_part(kind, value):
    return {
        "text": {"type": "text", "text": value},
        "refusal": {"type": "refusal", "refusal": value},
        "image": {
            "type": "image_url",
            "image_url": {"url": f"data:image/png;base64,{value}", "detail": "low"},
        },
        "audio": {"type": "input_audio", "input_audio": {"data": value, "format": "wav"}},
        "file": {"type": "file", "file": {"file_data": value, "filename": "a.pdf"}},
        "unknown": {"type": "x_note", "x_note": {"value": value}},
    }[kind]


def _openai(talk):
    messages = []
    for said in talk.said:
        content = said.text
        if said.parts:
            content = [_openai_part("text", said.text), *(_openai_part(*p) for p in said.parts)]
        message = {"role": said.role, "content": content, **said.extra}
        if said.reasoning:
            message[talk.reasons] = said.reasoning
        if said.calls:
            message["content"] = content or None
            message["tool_calls"] = [
                {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
                for i, n, a in said.calls
            ]
        if said.call:
            message["tool_call_id"] = said.call[0]
        messages.append(message)
    return {"messages": messages, "tools": _functions(talk)}


def _functions(talk):
    return [{"type": "function", "function": tool} for tool in talk.tools]


def _ollama(talk):
    messages = []
    for said in talk.said:
        texts = [said.text, *(value for kind, value in said.parts if kind == "text")]
        message = {"role": said.role, "content": "\n".join(texts), **said.extra}
        images = [value for kind, value in said.parts if kind == "image"]
        if images:
            message["images"] = images
        if said.reasoning:
            message["thinking"] = said.reasoning
        if said.calls:
            message["tool_calls"] = [
                {"function": {"name": name, "arguments": given}} for _, name, given in said.calls
            ]
        if said.call:
            message["tool_name"] = said.call[1]
        messages.append(message)
    return {"messages": messages, "tools": _functions(talk)}


def _anthropic_part(kind, value):
    source = {"type": "base64", "media_type": "image/png", "data": value}
    if kind == "image":
        return {"type": "image", "source": source}
    if kind in {"file", "audio"}:
        text = {"type": "text", "media_type": "text/plain", "data": value}
        return {"type": "document", "source": text, "title": "a.txt"}
    return {"type": "text", "text": value}


def _anthropic(talk):
    """Results join the user's message after them, as Anthropic's own clients send them."""
    system, messages = [], []
    for said in talk.said:
        if said.role == "system":
            system.append({"type": "text", "text": said.text})
            continue
        role = "assistant" if said.role == "assistant" else "user"
        blocks = [_anthropic_part(*part) for part in said.parts]
        if said.text:
            blocks.insert(0, {"type": "text", "text": said.text})
        if said.call:
            blocks = [{"type": "tool_result", "tool_use_id": said.call[0], "content": blocks}]
        if said.reasoning:
            signed = {"thinking": said.reasoning, "signature": sign(said.reasoning)}
            blocks.insert(0, {"type": "thinking", **signed})
        blocks += [
            {"type": "tool_use", "id": i, "name": n, "input": given} for i, n, given in said.calls
        ]
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    tools = [
        {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
        for t in talk.tools
    ]
    made = {"messages": messages, "tools": tools, "max_tokens": 500}
    if system:
        system[-1]["cache_control"] = {"type": "ephemeral"}
        made["system"] = system
    return made


def _responses_part(kind, value, role):
    if kind == "image":
        return {"type": "input_image", "image_url": f"data:image/png;base64,{value}"}
    if kind in {"file", "audio", "unknown"}:
        return {"type": "input_file", "file_data": value, "filename": "a.pdf"}
    return {"type": "output_text" if role == "assistant" else "input_text", "text": value}


def _responses(talk):
    items = []
    for said in talk.said:
        parts = [("text", said.text), *said.parts] if said.text else said.parts
        content = [_responses_part(*part, said.role) for part in parts]
        if said.reasoning:
            summary = [{"type": "summary_text", "text": said.reasoning}]
            made = {"type": "reasoning", "id": f"rs_{len(items)}", "summary": summary}
            items.append({**made, "encrypted_content": f"sealed {said.reasoning}"})
        if said.call:
            output = said.text if not said.parts else content
            items.append(
                {"type": "function_call_output", "call_id": said.call[0], "output": output}
            )
        elif content:
            items.append({"type": "message", "role": said.role, "content": content})
        items += [
            {"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(given)}
            for i, n, given in said.calls
        ]
    tools = [{"type": "function", **tool} for tool in talk.tools]
    return {"input": items, "tools": tools, "store": False}


_WRITERS = {OPENAI: _openai, OLLAMA: _ollama, ANTHROPIC: _anthropic, RESPONSES: _responses}
