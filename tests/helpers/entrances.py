"""Every place where a text can enter a home, through a program's request or a memory operation."""

import gzip
import json
import random
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args, get_origin
from urllib.parse import quote

import httpx2
import msgspec

from unabridged.operations import TABLE
from unabridged.operations.operation import Effect

CHAT = "/v1/chat/completions"
MEMORY = "/memory"
PLAIN = frozenset({"ToolBody.name", "idempotency key"})
"""Entrances that take ASCII only."""


def word_of(entrance, seed):
    """A name that nobody else has, with a letter that UTF-16 and JSON write in other bytes."""
    rng = random.Random(f"{entrance}-{seed}")
    start = "Zub" if entrance in PLAIN else "Żub"
    return start + "".join(rng.choice("bcdfghjklmnpqrtvwxz") for _ in range(11))


def forms(word):
    plain = {word, word.casefold(), word[1:], word[1:].upper(), "Z" + word[1:], "z" + word[1:]}
    return {form for one in plain for form in (one.encode(), one.encode("utf-16-le"))} | {
        json.dumps(word)[1:-1].encode()
    }


def bytes_of(home):
    """Every byte of every file of a home, with its path; what is packed is unpacked too."""
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        data = name.encode()
        if path.is_file():
            held = path.read_bytes()
            data += b"\0" + held + (gzip.decompress(held) if held[:2] == b"\x1f\x8b" else b"")
        yield name, data


def places(home, words):
    """Which files have which of some words: entrances by file."""
    found = {}
    for name, data in bytes_of(home):
        for entrance, word in words.items():
            if any(form in data for form in forms(word)):
                found.setdefault(entrance, []).append(name)
    return found


@dataclass
class Made:
    """The ids of what an entrance made."""

    sessions: list[str]
    facts: list[str]
    requirements: list[str]


class Home:
    """A server over one home.

    Attributes:
        home: Its folder.
        made: What each entrance made.
    """

    def __init__(self, url, home):
        self.url, self.home = url, home
        self.made = {}

    def enter(self, entrance, word):
        """Write a word in an entrance."""
        before = self.ids()
        ENTRANCES[entrance](self, word)
        new = (sorted(now - old) for now, old in zip(self.ids(), before, strict=True))
        self.made[entrance] = Made(*new)

    def ids(self):
        return tuple(self._ids(kind) for kind in ("sessions", "facts", "requirements"))

    def _ids(self, kind):
        items, cursor = [], ""
        while cursor is not None:
            page = self.memory("GET", f"/{kind}?{cursor}")
            items += page["items"]
            cursor = f"cursor={page['next']}" if page.get("next") else None
        return {each["id"] for each in items}

    def exchanges(self, session):
        found = self.memory("GET", f"/sessions/{quote(session)}/exchanges")["items"]
        return [each["id"] for each in found]

    def forget(self, **wanted):
        plan = self.memory("POST", "/forget", wanted)
        return self.memory("POST", f"/forget/{plan['id']}")

    def ask(self, method, path, body=None, status=None, **headers):
        sent = json.dumps(body).encode() if body is not None else None
        key = {"Content-Type": "application/json", **self.url.bearer, **headers}
        got = httpx2.request(method, f"{self.url}{path}", content=sent, headers=key, timeout=60)
        assert (got.status_code == status) if status else got.is_success, got.text
        return got

    def memory(self, method, path, body=None, **headers):
        return self.ask(method, MEMORY + path, body, **headers).json()

    def chat(self, text="Which train is fast?", more=(), headers=(), first=(), **fields):
        messages = [*first, {"role": "user", "content": text}, *more]
        body = {"model": "m", "messages": messages, **fields}
        got = self.ask("POST", CHAT, body, **dict(headers))
        return got.headers.get("x-unabridged-exchange") or got.headers["x-unabridged-context"]

    def added(self, *parts, role="assistant", text="Which train is fast?"):
        said = [{"role": "user", "content": text}, {"role": role, "parts": list(parts)}]
        return self.memory("POST", "/messages", {"messages": said})

    def context(self, **fields):
        return self.memory(
            "POST", "/prepare?begin=true", {"message": "Which train is fast?", **fields}
        )["id"]


def tool(name="look", description="Looks.", parameters=None):
    schema = parameters or {"type": "object", "properties": {}}
    return {"name": name, "description": description, "parameters": schema}


def offered(**given):
    return [{"type": "function", "function": tool(**given)}]


CALL = {"type": "tool_call", "id": "c1", "name": "look", "arguments": "{}"}
RESULT = {"type": "tool_result", "call_id": "c1", "name": "look", "text": "It is there."}


def round_of(call=CALL, result=RESULT, *more):
    def enter(home, word):
        name = home.context()
        messages = [
            {"role": "assistant", "parts": [*more, call]},
            {"role": "tool", "parts": [result]},
        ]
        said = json.dumps({"messages": messages}).replace("{w}", word)
        home.memory("POST", f"/contexts/{name}/step", json.loads(said))
        home.memory("POST", f"/contexts/{name}/record", {"reply": "It is there."})

    return enter


def edited_fact(home, word):
    made = home.memory("POST", "/facts", {"text": f"Ann is afraid of {word}."})
    home.memory("PATCH", f"/facts/{made['id']}", {"text": "Ann is afraid of nothing."})


def changed_value(home, word):
    given = {"text": "Bo likes tea.", "attribute": "likes", "value": "tea"}
    made = home.memory("POST", "/facts", given)
    home.memory("PATCH", f"/facts/{made['id']}", {"value": word})


def edited_requirement(home, word):
    made = home.memory("POST", "/requirements", {"text": f"The system must export {word}."})
    home.memory("PATCH", f"/requirements/{made['id']}", {"text": "The system must export PDF."})


def renamed(home, word):
    made = home.memory("POST", "/sessions", {"title": "About nothing"})
    home.memory("PATCH", f"/sessions/{made['id']}", {"title": f"About {word}"})


def titled(home, word):
    asked = {"message": "Which train is fast?", "session": f"new-{sum(map(ord, word))}"}
    name = home.memory("POST", "/prepare", asked)["id"]
    home.memory("POST", f"/contexts/{name}/begin", {"title": f"About {word}"})
    home.memory("POST", f"/contexts/{name}/record", {"reply": "Yes."})


def imported(home, word):
    exported = {
        "messages": [
            {"role": "user", "content": "Where is it?", "note": word},
            {"role": "assistant", "content": f"{word} is there."},
        ]
    }
    home.ask("POST", "/memory/import", exported)


def shared_prompt(home, word):
    """A system prompt in two contexts: it goes with the last of them."""
    for _ in range(2):
        name = home.context(mode="tools", tools=[tool(description=f"Looks for {word}.")])
        home.memory("POST", f"/contexts/{name}/record", {"reply": "Yes."})


def regenerated(home, word):
    """An answer that was asked for twice: two branches with one user message."""
    name = home.context(message=f"Who is {word}, of all people?")
    home.memory("POST", f"/contexts/{name}/record", {"reply": "Nobody."})
    again = home.context(message="", retry_of=name)
    home.memory("POST", f"/contexts/{again}/record", {"reply": "Somebody."})


def answered(home, word, **parts):
    name = home.context()
    home.memory("POST", f"/contexts/{name}/record", parts)


def recalled(home, word):
    """A word that another conversation's prompt recalled."""
    home.chat(f"My dentist is called {word} and works in Oslo.")
    home.chat("What is my dentist called, who works in Oslo?")


def tool_loop(home, word, call=None, result=None, **fields):
    one = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    rounds = [
        {"role": "assistant", "content": None, "tool_calls": [one | (call or {})], **fields},
        {"role": "tool", "tool_call_id": "c1", "content": result or "It is there."},
    ]
    home.chat(
        f"Which train is fast, look {sum(map(ord, word))} times!", more=rounds, tools=offered()
    )


def asked(*parts):
    """A chat whose user message has parts beside a text."""

    def enter(home, word):
        said = json.loads(json.dumps(parts).replace("{w}", word))
        content = [{"type": "text", "text": "What is that?"}, *said]
        home.ask("POST", CHAT, {"model": "m", "messages": [{"role": "user", "content": content}]})

    return enter


FOLDER = "You are Claude Code.\n<env>\nWorking directory: /work/{}/src\n</env>"
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/{w}"}}
FILE = {"type": "file", "file": {"filename": "{w}", "file_data": "AA=="}}

ENTRANCES = {
    # What a program sends.
    "chat user": lambda h, w: h.chat(f"My cousin {w} lives in Oslo."),
    "chat name": lambda h, w: h.chat(first=[{"role": "user", "name": w, "content": "Hello?"}]),
    "chat field": lambda h, w: h.chat(first=[{"role": "user", "note": w, "content": "Hello!"}]),
    "chat image": asked(IMAGE),
    "chat file": asked(FILE),
    "chat call": lambda h, w: tool_loop(
        h, w, call={"function": {"name": f"look_{w}", "arguments": "{}"}}
    ),
    "chat arguments": lambda h, w: tool_loop(
        h, w, call={"function": {"name": "look", "arguments": json.dumps({"for": w})}}
    ),
    "chat result": lambda h, w: tool_loop(h, w, result=f"{w} was found."),
    "chat reasoning": lambda h, w: tool_loop(h, w, reasoning_content=f"I think of {w}."),
    "chat recalled": recalled,
    "chat folder": lambda h, w: h.chat(
        "Which train?", first=[{"role": "system", "content": FOLDER.format(w)}]
    ),
    # What memory is given: each text of each operation that writes.
    "Preparation.message": lambda h, w: h.context(message=f"My cousin {w} lives in Oslo."),
    "Preparation.images": lambda h, w: h.context(images=[f"https://example.org/{w}"]),
    "Preparation.session": lambda h, w: h.context(session=f"about {w}"),
    "ToolBody.name": lambda h, w: h.context(mode="tools", tools=[tool(name=f"look_{w}")]),
    "ToolBody.description": shared_prompt,
    "ToolBody.parameters": lambda h, w: h.context(
        mode="tools", tools=[tool(parameters={"type": "object", "properties": {w: {}}})]
    ),
    "Beginning.title": titled,
    "ToolCallBody.name": round_of({**CALL, "name": "look {w}"}, {**RESULT, "name": "look"}),
    "ToolResultBody.name": round_of(CALL, {**RESULT, "name": "look {w}"}),
    "ToolCallBody.id": round_of({**CALL, "id": "c {w}"}, {**RESULT, "call_id": "c {w}"}),
    "ToolCallBody.arguments": round_of({**CALL, "arguments": '{"for": "{w}"}'}),
    "ToolResultBody.text": round_of(CALL, {**RESULT, "text": "{w} was found."}),
    "ReasoningBody.text": round_of(CALL, RESULT, {"type": "reasoning", "text": "I think of {w}."}),
    "AnswerBody.reply": lambda h, w: answered(h, w, reply=f"That is {w}."),
    "TextBody.text": lambda h, w: answered(h, w, parts=[{"type": "text", "text": f"It is {w}."}]),
    "RecordExchangeBody.user": lambda h, w: h.memory(
        "POST", "/exchanges", {"user": f"Where is {w}?"}
    ),
    "RecordExchangeBody.assistant": lambda h, w: h.memory(
        "POST", "/exchanges", {"user": "Where?", "assistant": f"{w} is there."}
    ),
    "RecordExchangeBody.title": lambda h, w: h.memory(
        "POST", "/exchanges", {"user": "Where?", "assistant": "There.", "title": f"About {w}"}
    ),
    "RecordExchangeBody.session": lambda h, w: h.memory(
        "POST", "/exchanges", {"user": "Where?", "assistant": "There.", "session": f"about {w}"}
    ),
    "RecordExchangeBody.model": lambda h, w: h.memory(
        "POST", "/exchanges", {"user": "Where?", "assistant": "There.", "model": f"model {w}"}
    ),
    "SaidBody.content": lambda h, w: h.memory(
        "POST", "/messages", {"messages": [{"role": "user", "content": f"Where is {w}?"}]}
    ),
    "AddedBody.session": lambda h, w: h.memory(
        "POST",
        "/messages",
        {"messages": [{"role": "user", "content": "Where is it?"}], "session": f"about {w}"},
    ),
    "ForeignBody.data": lambda h, w: h.added(
        {"type": "text", "text": "Here."},
        {"type": "foreign", "kind": "file", "data": json.dumps({"file": w})},
    ),
    "ImageBody.uri": lambda h, w: h.added(
        {"type": "text", "text": "Here."}, {"type": "image", "uri": f"https://example.org/{w}"}
    ),
    "NewSession.title": lambda h, w: h.memory("POST", "/sessions", {"title": f"About {w}"}),
    "SessionChange.title": renamed,
    "NewFact.text": lambda h, w: h.memory("POST", "/facts", {"text": f"Ann is afraid of {w}."}),
    "NewFact.subject": lambda h, w: h.memory(
        "POST", "/facts", {"text": "Is afraid.", "subject": w}
    ),
    "NewFact.attribute": lambda h, w: h.memory(
        "POST", "/facts", {"text": "Is so.", "attribute": f"likes {w}", "value": "much"}
    ),
    "NewFact.value": lambda h, w: h.memory(
        "POST", "/facts", {"text": "Is it.", "attribute": "likes", "value": w}
    ),
    "NewFact.aliases": lambda h, w: h.memory("POST", "/facts", {"text": "Is all.", "aliases": [w]}),
    "FactChangeBody.text": edited_fact,
    "FactChangeBody.value": changed_value,
    "NewPin.text": lambda h, w: h.memory("POST", "/pins", {"text": f"Always greet {w}."}),
    "NewRequirement.text": lambda h, w: h.memory(
        "POST", "/requirements", {"text": f"The system must export {w}."}
    ),
    "RequirementFields.rationale": lambda h, w: h.memory(
        "POST", "/requirements", {"text": "It must print.", "rationale": f"{w} said so."}
    ),
    "RequirementFields.originator": lambda h, w: h.memory(
        "POST", "/requirements", {"text": "It must sing.", "originator": w}
    ),
    "RequirementFields.fit_criterion": lambda h, w: h.memory(
        "POST", "/requirements", {"text": "It must hum.", "fit_criterion": f"{w} hears it."}
    ),
    "RequirementChange.text": edited_requirement,
    "import": imported,
    "regenerated": regenerated,
}
NOT_STORED = {
    "chat system": lambda h, w: h.chat(first=[{"role": "system", "content": f"I am {w}."}]),
    "chat developer": lambda h, w: h.chat(first=[{"role": "developer", "content": f"I am {w}."}]),
    "chat tool": lambda h, w: h.chat(tools=offered(name=f"look_{w}")),
    "chat tool text": lambda h, w: h.chat(tools=offered(description=f"Looks for {w}.")),
    "chat tool schema": lambda h, w: h.chat(
        tools=offered(parameters={"type": "object", "properties": {w: {"type": "string"}}})
    ),
    "chat metadata": lambda h, w: h.chat(metadata={"about": w}),
    "chat user field": lambda h, w: h.chat(safety_identifier=w),
    "chat cache key": lambda h, w: h.chat(prompt_cache_key=f"talk {w}"),
    "idempotency key": lambda h, w: h.memory(
        "POST", "/pins", {"text": "Greet all."}, **{"Idempotency-Key": w}
    ),
    "search": lambda h, w: h.memory("POST", "/search", {"query": f"Where is {w}?"}),
}
"""What passes through, or is asked, and leaves no byte."""
NAMES = MappingProxyType(
    {
        "a thing that is there": (
            "SessionChange.session", "Preparation.retry_of", "Beginning.context", "Round.context",
            "AnswerBody.context", "FactChangeBody.fact", "withdraw_fact.fact", "NewPin.exchange",
            "unpin.pin", "RequirementFields.conflicts", "RequirementChange.requirement",
            "withdraw_requirement.requirement", "AnnotationChange.exchange", "Condensing.session",
            "PlanName.plan", "NewShare.sessions", "NewShare.facts", "ShareName.share",
        ),
        "one of a list": ("AnnotationChange.category", "ForeignBody.kind", "Importing.format"),
        "a space, which goes as a whole": (
            "OtherSpace.user", "OtherSpace.agent", "OtherSpace.model",
        ),
        "the same as a field above": ("Importing.model", "ToolResultBody.call_id"),
    }
)  # fmt: skip
"""Fields that hold no text of a person, by why."""


def text_fields():
    """Every field of every operation that writes which takes a string: ``Params.field``."""
    writing = [each for each in TABLE if each.effect is not Effect.READS]
    writing += [each for each in TABLE if each.name == "contexts.prepare"]
    return {name for each in writing for name in _strings(each.params, "")}


def _strings(kind, name):
    if kind is str:
        yield name
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            bases = [base for base in kind.__mro__ if issubclass(base, msgspec.Struct)][:-1]
            owner = next(b for b in reversed(bases) if field.name in b.__struct_fields__)
            yield from _strings(field.type, f"{owner.__name__}.{field.name}")
    elif get_origin(kind) is not Literal:
        for each in get_args(kind):
            yield from _strings(each, name)
