import json
import lzma
import string
from pathlib import Path

import pytest

from unabridged.domain.message import Image, Role, Text
from unabridged.server.auxiliary_requests import RULES, side_request
from unabridged.wire.incoming_message import IncomingMessage

FIXTURES = Path(__file__).parents[2] / "fixtures"
DATA = Path(__file__).parents[3].parent / "shared" / "data" / "longmemeval" / "sessions.jsonl.xz"

SIDE = [
    json.loads(line)
    for line in (FIXTURES / "side" / "requests.jsonl").read_text("utf-8").splitlines()
]
SAID = (FIXTURES / "side" / "conversations.txt").read_text("utf-8").splitlines()
TALK = [
    ("system", "You are a helpful assistant."),
    ("user", "How do I prune an old apple tree?"),
    ("assistant", "In winter, a third at most."),
]


def drafts(messages):
    return [IncomingMessage(Role(role), (Text(text),)) for role, text in messages]


@pytest.mark.parametrize("row", SIDE, ids=[f"{i}-{row['name']}" for i, row in enumerate(SIDE)])
def test_a_side_request_is_told_by_its_rule(row):
    assert side_request(drafts(row["messages"]), row.get("body", {})) == row["name"]


def test_every_rule_has_a_request_that_only_it_tells():
    told = {row["name"] for row in SIDE}
    assert {rule.name for rule in RULES} <= told
    texts = [" ".join(text.split()).casefold() for row in SIDE for _, text in row["messages"]]
    for rule in RULES:
        assert any(
            rule.begins.match(text) and all(words in text for words in rule.holds) for text in texts
        ), rule


def test_rules_are_written_as_texts_are_compared():
    for rule in RULES:
        plain = rule.begins.pattern.replace("\\d", "").replace("\\s", "")
        for words in (plain, *rule.holds):
            assert not set(words) & set(string.ascii_uppercase), rule
            assert "  " not in words, rule


@pytest.mark.parametrize("text", SAID)
def test_what_a_person_says_is_no_side_request(text):
    assert side_request(drafts([("user", text)]), {"model": "m", "stream": True}) == ""
    assert side_request(drafts([*TALK, ("user", text)]), {}) == ""
    assert side_request(drafts([("system", "Be kind."), ("user", text)]), {}) == ""


def test_no_message_of_the_intent_fixtures_is_a_side_request():
    rows = [
        line.split("\t")
        for name in ("dev", "heldout", "untouched", "varied")
        for line in (FIXTURES / "intent" / f"{name}.tsv").read_text("utf-8").splitlines()[1:]
    ]
    assert len(rows) > 2_000
    taken = [row for row in rows if any(side_request(drafts([("user", t)]), {}) for t in row)]
    assert taken == []


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the public data lie beside the checkout")
@pytest.mark.slow
def test_no_message_of_public_conversations_is_a_side_request():
    said = 0
    with lzma.open(DATA, "rt", encoding="utf-8") as lines:
        for line in lines:
            for turn in json.loads(line)["turns"]:
                if turn["role"] == "user":
                    said += 1
                    alone = drafts([("user", turn["content"])])
                    assert side_request(alone, {}) == "", turn["content"]
    assert said > 10_000


def test_a_template_quoted_in_a_conversation_is_no_side_request():
    title = next(row for row in SIDE if row["name"] == "open-webui title")["messages"][-1][1]
    assert side_request(drafts([*TALK, ("user", title)]), {}) == ""
    assert side_request(drafts([("user", f"What does this do?\n\n{title}")]), {}) == ""


def test_a_side_request_in_the_history_does_not_make_the_conversation_one():
    row = next(row for row in SIDE if row["name"] == "nextchat title")
    later = [*row["messages"], ("assistant", "Pruning"), ("user", "And the pear?")]
    assert side_request(drafts(later), {}) == ""


def test_a_long_message_is_told_by_its_beginning_and_end():
    text = (
        f"Here is the query:\n{'apple ' * 50_000}\n\nCreate a concise, 3-5 word phrase as a title "
    )
    text += "for the previous query. RESPOND ONLY WITH THE TITLE TEXT."
    assert side_request(drafts([("user", text)]), {}) == "open-webui title"


def test_an_instruction_behind_a_tool_result_is_found():
    row = next(row for row in SIDE if row["name"] == "nextchat title")["messages"]
    parts = (Text("[result] ok"), Image("data:image/png;base64,AA=="), Text(row[-1][1]))
    assert (
        side_request([*drafts(row[:-1]), IncomingMessage(Role.USER, parts)], {}) == "nextchat title"
    )


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"metadata": {"task": "title_generation"}}, "open-webui title"),
        ({"metadata": {"task": "context_compaction"}}, "open-webui compaction"),
        ({"metadata": {"task": "homework"}}, ""),
        ({"metadata": {"task": ["title_generation"]}}, ""),
        ({"metadata": "title_generation"}, ""),
        ({"suffix": "\n\nprint(x)"}, "editor autocompletion"),
        ({"suffix": ""}, ""),
        ({"suffix": None}, ""),
    ],
)
def test_what_the_body_says(body, name):
    assert side_request(drafts([("user", "How do I prune?")]), body) == name


def test_no_messages_are_no_side_request():
    assert side_request([], {}) == ""
    assert side_request(drafts([("assistant", "### Task: Generate a concise title")]), {}) == ""
