"""Write a synthetic ChatGPT export, shaped like the real ones of 2024 to 2026.

Each conversation is a tree with a root without a message, hidden system messages, the context of
custom instructions, regenerated answers, edited questions and now and then a tool call. The words
come from ``bench.generator``, so the same seed writes the same file.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.generator import MIXED, TalkGenerator, TalkSize

EXCHANGES_PER_CONVERSATION = 12
REGENERATED, EDITED, WITH_TOOL, WITH_CONTEXT = 0.05, 0.03, 0.04, 0.3
"""Shares of exchanges with a second answer, with a rewritten question, with a tool call; share of
conversations with custom instructions."""
_FIRST_TIME = 1_690_000_000.0

Node = dict[str, Any]


@dataclass(slots=True)
class _Tree:
    """The nodes of one conversation."""

    chance: random.Random
    at: float
    mapping: dict[str, Node] = field(default_factory=dict)

    def add(self, parent: str | None, message: Node | None) -> str:
        key = str(UUID(int=self.chance.getrandbits(128), version=4))
        if message is not None:
            message["id"] = key
        self.mapping[key] = {"id": key, "message": message, "parent": parent, "children": []}
        if parent is not None:
            self.mapping[parent]["children"].append(key)
        return key

    def message(
        self, role: str, content: Node, *, recipient: str = "all", name: str | None = None,
        hidden: bool = False,
    ) -> Node:  # fmt: skip
        self.at += self.chance.uniform(2, 90)
        metadata: Node = {"request_id": f"{self.chance.getrandbits(64):016x}-FRA"}
        if hidden:
            metadata["is_visually_hidden_from_conversation"] = True
        if role == "assistant":
            metadata |= {
                "finish_details": {"type": "stop", "stop_tokens": [200002]},
                "is_complete": True,
                "citations": [],
                "content_references": [],
                "gizmo_id": None,
                "message_type": "next",
                "model_slug": "gpt-4o",
                "default_model_slug": "gpt-4o",
                "parent_id": "",
                "model_switcher_deny": [],
            }
        elif role == "user":
            metadata |= {
                "selected_github_repos": [],
                "serialization_metadata": {"custom_symbol_offsets": []},
                "message_source": None,
                "timestamp_": "absolute",
                "message_type": None,
            }
        return {
            "id": "",
            "author": {"role": role, "name": name, "metadata": {}},
            "create_time": self.at if role != "system" else None,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": role == "assistant" or None,
            "weight": 0.0 if hidden else 1.0,
            "metadata": metadata,
            "recipient": recipient,
            "channel": None,
        }


def write_export(path: Path, exchanges: int, seed: int = 7, size: TalkSize = MIXED) -> int:
    """Write an export with at least this number of exchanges, and return how many it has."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for conversation, held in _conversations(exchanges, seed, size):
            file.write(",\n " if count else "")
            json.dump(conversation, file)
            count += held
        file.write("]")
    return count


def _conversations(exchanges: int, seed: int, size: TalkSize) -> Iterator[tuple[Node, int]]:
    talk = TalkGenerator(seed, size)
    chance = random.Random(seed)  # noqa: S311 - test text, no secret
    number = left = 0
    left = exchanges
    while left > 0:
        wanted = min(left, max(2, round(chance.gauss(EXCHANGES_PER_CONVERSATION, 5))))
        made, held = _conversation(talk, chance, number, wanted)
        yield made, held
        number, left = number + 1, left - held


def _conversation(
    talk: TalkGenerator, chance: random.Random, number: int, wanted: int
) -> tuple[Node, int]:
    drawn = talk.conversation(0)
    topic = talk.topics[-1]
    begun = _FIRST_TIME + 40_000 * number
    tree = _Tree(chance, begun)
    above = tree.add(None, None)
    above = tree.add(above, tree.message("system", _text(""), hidden=True))
    if chance.random() < WITH_CONTEXT:
        content = {
            "content_type": "user_editable_context",
            "user_profile": "Preferred name: Sam",
            "user_instructions": "Answer briefly.",
        }
        above = tree.add(above, tree.message("user", content, hidden=True))
    held = 0
    while held < wanted:
        made, above = _exchange(tree, talk, topic, above)
        held += made
    identity = str(UUID(int=chance.getrandbits(128), version=4))
    return {
        "title": drawn.session.title,
        "create_time": begun,
        "update_time": tree.at,
        "mapping": tree.mapping,
        "moderation_results": [],
        "current_node": above,
        "plugin_ids": None,
        "conversation_id": identity,
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "gpt-4o",
        "id": identity,
    }, held


def _exchange(tree: _Tree, talk: TalkGenerator, topic: Any, above: str) -> tuple[int, str]:
    chance, count = tree.chance, 1
    if chance.random() < EDITED:
        first = tree.add(above, tree.message("user", _text(talk.said(topic))))
        tree.add(first, tree.message("assistant", _text(talk.answered(topic))))
        count += 1
    asked = tree.add(above, tree.message("user", _text(talk.said(topic))))
    if chance.random() < WITH_TOOL:
        code = {"content_type": "code", "language": "unknown", "text": '{"query": "weather"}'}
        call = tree.add(asked, tree.message("assistant", code, recipient="web"))
        found = {"content_type": "tether_quote", "url": "example.org", "text": talk.said(topic)}
        result = tree.add(call, tree.message("tool", found, name="web"))
        return count, tree.add(result, tree.message("assistant", _text(talk.answered(topic))))
    if chance.random() < REGENERATED:
        tree.add(asked, tree.message("assistant", _text(talk.answered(topic))))
        count += 1
    return count, tree.add(asked, tree.message("assistant", _text(talk.answered(topic))))


def _text(text: str) -> Node:
    return {"content_type": "text", "parts": [text]}
