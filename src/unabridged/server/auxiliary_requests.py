"""Side requests: what a program asks the model for itself, outside the conversation.

Titles, tags, follow-up questions, search queries, emoji, completions of a half-typed line and
summaries for the program's own memory arrive at the same address as people's messages. Rules
recognise them, so that they neither recall nor record. A rule names the beginning of a prompt that
a program is known to send, and more of it if a person could write the same beginning. Requests of
programs that are not listed count as conversation.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.wire.incoming_message import IncomingMessage

HEAD = 8_192
"""Characters at the beginning of a message that are read."""
TAIL = 4_096
"""Characters at its end that are read too, if it is longer."""

FILLINGS = "editor autocompletion"
"""The name of a request for the text between two pieces of a file."""

_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("<|fim_middle|>", ("<|fim_prefix|>", "<|fim_suffix|>")),
    ("<fim_middle>", ("<fim_prefix>", "<fim_suffix>")),
    ("<[fim-middle]>", ("<[fim-prefix]>", "<[fim-suffix]>")),
    ("<｜fim▁end｜>", ("<｜fim▁begin｜>", "<｜fim▁hole｜>")),
    ("<MID>", ("<PRE>", "<SUF>")),
)
"""How a prompt for a middle part ends, and what comes before (continuedev/continue: core/
autocomplete/templating/AutocompleteTemplate.ts; Code Llama's own form)."""

_TASKS: Mapping[str, str] = {
    "title_generation": "open-webui title",
    "follow_up_generation": "open-webui follow-ups",
    "tags_generation": "open-webui tags",
    "emoji_generation": "open-webui emoji",
    "query_generation": "open-webui search queries",
    "image_prompt_generation": "open-webui image prompt",
    "autocomplete_generation": "open-webui autocompletion",
    "function_calling": "open-webui tool choice",
    "moa_response_generation": "open-webui merged answer",
    "context_compaction": "open-webui compaction",
}
"""``metadata.task`` of a request, if the program sends it (open-webui: constants.py, TASKS)."""


@dataclass(frozen=True, slots=True)
class AuxiliaryRule:
    """One rule of ``side_rules.toml``.

    Attributes:
        name: The program and what it asks for.
        where: The messages that are checked: ``system``, ``only``, ``last``.
        begins: How such a message begins.
        holds: Texts that it must contain, all of them.
    """

    name: str
    where: frozenset[str]
    begins: re.Pattern[str]
    holds: tuple[str, ...] = ()


def _read() -> tuple[AuxiliaryRule, ...]:
    text = resources.files(__package__).joinpath("side_rules.toml").read_text("utf-8")
    return tuple(
        AuxiliaryRule(
            row["name"],
            frozenset(row["where"]),
            re.compile(row["begins"]),
            (*row.get("holds", ()),),
        )
        for row in tomllib.loads(text)["rules"]
    )


RULES = _read()
"""The rules; the first match wins."""


def side_request(drafts: Sequence[IncomingMessage], body: Mapping[str, Any]) -> str:
    """Return the name of the matching rule (program and purpose); empty for a conversation."""
    if task := _task(body):
        return task
    if _filling(drafts, body):
        return FILLINGS
    systems = [_plain(draft.text) for draft in drafts if draft.role is Role.SYSTEM]
    said = [draft for draft in drafts if draft.role is not Role.SYSTEM]
    alone = len(said) == 1 and said[0].role is Role.USER
    only = [_plain(said[0].text)] if alone else []
    texts = {"system": systems, "only": only, "last": [*_last(drafts)]}
    for rule in RULES:
        if any(_fits(rule, text) for where in rule.where for text in texts[where]):
            return rule.name
    return ""


def _fits(rule: AuxiliaryRule, text: str) -> bool:
    return rule.begins.match(text) is not None and all(words in text for words in rule.holds)


def _last(drafts: Sequence[IncomingMessage]) -> Iterator[str]:
    if not drafts or drafts[-1].role not in {Role.USER, Role.SYSTEM}:
        return
    yield _plain(drafts[-1].text)
    texts = [part.text for part in drafts[-1].parts if isinstance(part, Text)]
    if len(texts) > 1:
        yield from map(_plain, texts)


def _plain(text: str) -> str:
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]} {text[-TAIL:]}"
    return " ".join(text.split()).casefold()


def _task(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    task = metadata.get("task") if isinstance(metadata, Mapping) else None
    return _TASKS.get(task, "") if isinstance(task, str) else ""


def _filling(drafts: Sequence[IncomingMessage], body: Mapping[str, Any]) -> bool:
    suffix = body.get("suffix")
    if isinstance(suffix, str) and suffix:
        return True
    if not drafts or drafts[-1].role is not Role.USER:
        return False
    text = drafts[-1].text
    end = text[-TAIL:].rstrip()
    return any(
        end.endswith(ending) and all(mark in text for mark in marks) for ending, marks in _ENDINGS
    )
