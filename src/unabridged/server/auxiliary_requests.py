"""Side requests: what a program asks the model for itself, outside the conversation.

Titles, tags, follow-up questions, search queries, emoji, completions of a half-typed line and
summaries for the program's own memory arrive at the same address as people's messages. Rules
recognise them, so that they neither recall nor record. A rule names the beginning of a prompt that
a program is known to send, and more of it if a person could write the same beginning. Requests of
programs that are not listed count as conversation. A file ``config/side_rules.toml`` of the home adds
rules in the same form, which are tried first.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from unabridged.domain.message import Role, Text
from unabridged.errors import SettingError
from unabridged.wire.incoming_message import IncomingMessage
from unabridged.wire.lenient_json import mapping, number

FILE = "side_rules.toml"
"""The file of our rules, and that of a person's own in the home's folder ``config``."""

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
        max_tokens: The most tokens that the request allows for its answer; None for any number.
    """

    name: str
    where: frozenset[str]
    begins: re.Pattern[str]
    holds: tuple[str, ...] = ()
    max_tokens: int | None = None


_PLACES = frozenset({"system", "only", "last"})
_FIELDS = frozenset({"name", "where", "begins", "holds", "max_tokens"})


def _rules_of(text: str) -> tuple[AuxiliaryRule, ...]:
    rows = tomllib.loads(text)["rules"]
    return tuple(_rule(number, row) for number, row in enumerate(rows, 1))


def _rule(number: int, row: Mapping[str, Any]) -> AuxiliaryRule:
    # Raises ValueError or TypeError that says which row is wrong.
    if unknown := set(row) - _FIELDS:
        raise ValueError(f"rule {number} has the field {min(unknown)}")
    name, where, begins = row.get("name"), row.get("where"), row.get("begins")
    if not isinstance(name, str) or not isinstance(begins, str) or not name or not begins:
        raise ValueError(f"rule {number} needs a name and a beginning")
    if not isinstance(where, list) or not where or not set(where) <= _PLACES:
        raise ValueError(f"rule {number} needs where: {', '.join(sorted(_PLACES))}")
    try:
        pattern = re.compile(begins, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"rule {number} begins with no pattern: {error}") from error
    holds = tuple(" ".join(words.split()).casefold() for words in row.get("holds", ()))
    return AuxiliaryRule(name, frozenset(where), pattern, holds, row.get("max_tokens"))


RULES = _rules_of(resources.files(__package__).joinpath(FILE).read_text("utf-8"))
"""The rules that come with the package."""


def rules_of(home: str | os.PathLike[str]) -> tuple[AuxiliaryRule, ...]:
    """Return all rules of a home in their order, the person's own first; the first match wins.

    Raises:
        SettingError: The file of a person's own rules cannot be used.
    """
    path = Path(home) / "config" / FILE
    try:
        return (*_rules_of(path.read_text("utf-8")), *RULES)
    except FileNotFoundError:
        return RULES
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = "it has no [[rules]]" if isinstance(error, KeyError) else error
        raise SettingError(
            f"{path} cannot be used: {reason}.",
            hint="docs/howto/serve.md shows the form of a rule. Correct the file, or remove it.",
        ) from error


def side_request(
    drafts: Sequence[IncomingMessage],
    body: Mapping[str, Any],
    rules: Sequence[AuxiliaryRule] = RULES,
) -> str:
    """Return the name of the matching rule (program and purpose); empty for a conversation."""
    if task := _task(body):
        return task
    if _filling(drafts, body):
        return FILLINGS
    systems = [text for draft in drafts if draft.role is Role.SYSTEM for text in _texts(draft)]
    said = [draft for draft in drafts if draft.role is not Role.SYSTEM]
    alone = len(said) == 1 and said[0].role is Role.USER
    # Claude Code puts a system message, the date, behind what it asks for itself.
    last = [draft for draft in (*said[-1:], *drafts[-1:]) if draft.role in {Role.USER, Role.SYSTEM}]
    texts = {
        "system": systems,
        "only": [*_texts(said[0])] if alone else [],
        "last": [text for draft in last for text in _texts(draft)],
    }
    most = _max_tokens(body)
    for rule in rules:
        if rule.max_tokens is not None and not 0 < most <= rule.max_tokens:
            continue
        if any(_fits(rule, text) for where in rule.where for text in texts[where]):
            return rule.name
    return ""


def _fits(rule: AuxiliaryRule, text: str) -> bool:
    return rule.begins.match(text) is not None and all(words in text for words in rule.holds)


def _max_tokens(body: Mapping[str, Any]) -> int:
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    found = [body.get(name) for name in names]
    found.append(mapping(body.get("options")).get("num_predict"))
    return next((most for most in map(number, found) if most), 0)


def _texts(draft: IncomingMessage) -> Iterator[str]:
    # The whole text, and each part: programs put texts of their own before the prompt.
    yield _plain(draft.text)
    texts = [part.text for part in draft.parts if isinstance(part, Text)]
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
