import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.webpage import PageEntry, write_html, write_index

AT = datetime(2025, 1, 2, 3, 4, tzinfo=UTC)
EVIL = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\x00\ud800</p></main>"


def said(number, *parts, parent=None, state=ExchangeState.COMPLETE, **more):
    user = Message(f"u{number}", Role.USER, (Text(f"question {number}"),), AT)
    answer = Message(f"a{number}", Role.ASSISTANT, parts, AT)
    return Exchange(f"e{number}", "s", parent, state, (user, answer), AT, **more)


def conversation(*exchanges, title="Tea", head=None):
    held = Session("s", title, AT, AT, head or exchanges[-1].messages[-1].id)
    return Transcript(held, exchanges)


def page(*conversations):
    stream = io.BytesIO()
    write_html(conversations, stream)
    return stream.getvalue().decode("utf-8")


class Seen(HTMLParser):
    """What a browser would find: tags with attributes, and whether they nest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


ALLOWED = set(
    "html head meta title style body main header h1 h2 p a span time nav ol li article section div "
    "pre code details summary img".split()
)


def test_no_word_of_a_conversation_becomes_markup():
    parts = (
        Text(EVIL), Text(f"```{EVIL}\n{EVIL}\n```"), Image(EVIL), Image("javascript:alert(1)"),
        Image("http://example.org/x.png"), ToolCall(EVIL, EVIL, EVIL), ToolResult(EVIL, EVIL, EVIL),
        Reasoning(EVIL),
    )  # fmt: skip
    evil = said(1, *parts, model=EVIL)
    evil = replace(evil, id=EVIL)
    seen = Seen(page(conversation(evil, title=EVIL), conversation(evil, title=EVIL)))
    assert seen.open == []
    assert {tag for tag, _ in seen.tags} <= ALLOWED
    attributes = {(tag, name) for tag, attrs in seen.tags for name in attrs}
    assert not {name for _, name in attributes if name.startswith("on")}
    assert not [a for tag, a in seen.tags if tag == "img"]
    assert all(a["href"].startswith("#") for tag, a in seen.tags if tag == "a")
    assert "<script>alert(1)</script>" in "".join(seen.words)


def test_nothing_is_fetched_and_nothing_runs():
    text = page(conversation(said(1, Text("x"), Image("data:image/png;base64,iVBORw0KGgo="))))
    assert "default-src 'none'" in text
    assert text.count("<img ") == 1
    assert not re.search(r"""(src|href)=["'](?!#|data:image/)""", text)
    assert "@import" not in text
    assert "url(" not in text


def test_each_exchange_has_a_place_and_a_date():
    text = page(conversation(said(1, Text("one")), said(2, Text("two"), parent="e1")))
    assert 'id="x-e1"' in text
    assert 'href="#x-e2"' in text
    assert text.count("2 January 2025, 03:04") == 2


def test_tool_calls_and_thoughts_are_folded():
    parts = (
        Reasoning("hm"),
        ToolCall("c", "add", '{"a": 1}'),
        ToolResult("c", "add", "2", failed=True),
    )
    text = page(conversation(said(1, *parts, Text("two"))))
    assert re.findall("<summary>(.*?)</summary>", text) == ["Thought", "Called add", "add failed"]


def test_other_branches_are_there_too():
    one, old, new = (
        said(1, Text("1")),
        said(2, Text("old"), parent="e1"),
        said(3, Text("new"), parent="e1"),
    )
    text = page(conversation(one, old, new, head="a3"))
    assert "1 more on other branches" in text
    assert text.index("new") < text.index("Other branches (1)") < text.index(">old<")


@pytest.mark.parametrize("state", [s for s in ExchangeState if s is not ExchangeState.COMPLETE])
def test_what_has_no_whole_answer_says_so(state):
    text = page(conversation(said(1, Text("x"), state=state)))
    said_so = ("Waiting for the answer.", "No answer.", "The answer breaks off here.")
    assert any(f'class="meta">{words}' in text for words in said_so)


def test_an_index_leads_to_every_page_the_newest_first():
    old, new = Session("a", "Old & odd", AT, AT), Session("b", "", AT, AT.replace(year=2026))
    stream = io.BytesIO()
    assert write_index([PageEntry(old, 2, "old.html"), PageEntry(new, 1, "new.html")], stream) == 3
    text = stream.getvalue().decode()
    Seen(text)
    assert text.index("new.html") < text.index("old.html")
    assert "Old &amp; odd" in text
    assert "Untitled" in text


def test_code_is_shown_as_code_and_the_words_around_it_as_words():
    text = page(conversation(said(1, Text("before\n```python\na < b\n```\nafter"))))
    assert "<pre><code>a &lt; b\n</code></pre>" in text
    assert ">before<" in text
    assert ">after<" in text
