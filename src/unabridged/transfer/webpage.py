"""Exports HTML for people to read and print: one page that needs no other file.

It has no script and fetches no address: a content security policy in the page forbids both. Every
word of the conversation is escaped. Pictures are shown if their bytes are in the message.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, assert_never

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.current_path import current_path
from unabridged.transfer.times import in_words

_SPEAKERS = {
    Role.USER: "You",
    Role.ASSISTANT: "Assistant",
    Role.TOOL: "Tool",
    Role.SYSTEM: "System",
}
_STATES = {
    ExchangeState.OPEN: "Waiting for the answer.",
    ExchangeState.UNANSWERED: "No answer.",
    ExchangeState.INCOMPLETE: "The answer breaks off here.",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that a page must not contain (HTML, 13.2.3.5); shown as U+FFFD."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}")
_FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1`*[ \t]*$", re.DOTALL | re.MULTILINE)
_ANCHOR = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A line of the index of a folder."""

    session: Session
    exchanges: int
    file: str


def write_html(conversations: Iterable[Transcript], stream: BinaryIO) -> int:
    """Write conversations as one page, with a table of contents if there are several.

    Returns:
        The number of exchanges written.
    """
    held = list(conversations)
    titles = [_title(conversation.session) for conversation in held]
    stream.write(_bytes(_head(titles[0] if len(held) == 1 else "Conversations")))
    if len(held) > 1:
        stream.writelines(map(_bytes, _contents(held)))
    for conversation in held:
        stream.writelines(map(_bytes, _conversation(conversation)))
    stream.write(_bytes(_FOOT))
    return sum(len(conversation.exchanges) for conversation in held)


def write_index(entries: Sequence[PageEntry], stream: BinaryIO) -> int:
    """Write the page with links to others, the newest first.

    Returns:
        The number of exchanges in the pages.
    """
    stream.write(_bytes(_head("Conversations")))
    stream.write(_bytes('<header class="top"><h1>Conversations</h1></header>\n<nav><ol>\n'))
    for entry in sorted(entries, key=lambda e: (e.session.updated, e.session.id), reverse=True):
        said = _row(entry.file, entry.session, entry.exchanges)
        stream.write(_bytes(said))
    stream.write(_bytes("</ol></nav>\n" + _FOOT))
    return sum(entry.exchanges for entry in entries)


def _head(title: str) -> str:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
    )


_FOOT = "</main>\n</body>\n</html>\n"


def _contents(held: Sequence[Transcript]) -> Iterator[str]:
    yield '<header class="top"><h1>Conversations</h1></header>\n<nav><ol>\n'
    for conversation in held:
        link = f"#{_anchor('s', conversation.session.id)}"
        yield _row(link, conversation.session, len(conversation.exchanges))
    yield "</ol></nav>\n"


def _row(link: str, session: Session, exchanges: int) -> str:
    return (
        f'<li><a href="{_escaped(link)}" dir="auto">{_escaped(_title(session))}</a> '
        f'<span class="meta">{in_words(session.created)} · {_count(exchanges)}</span></li>\n'
    )


def _conversation(conversation: Transcript) -> Iterator[str]:
    session, path = conversation.session, current_path(conversation)
    shown = {exchange.id for exchange in path}
    others = [exchange for exchange in conversation.exchanges if exchange.id not in shown]
    yield f'<article class="session" id="{_anchor("s", session.id)}">\n<header>\n'
    yield f'<h1 dir="auto">{_escaped(_title(session))}</h1>\n<p class="meta">'
    yield f"{in_words(session.created)} · {_count(len(path))}"
    if others:
        yield f" · {len(others):,} more on other branches"
    yield "</p>\n</header>\n"
    for exchange in path:
        yield from _exchange(exchange)
    if others:
        yield f"<details><summary>Other branches ({len(others):,})</summary>\n"
        for exchange in others:
            yield from _exchange(exchange)
        yield "</details>\n"
    yield "</article>\n"


def _exchange(exchange: Exchange) -> Iterator[str]:
    anchor = _anchor("x", exchange.id)
    yield f'<section id="{anchor}">\n<p class="meta">'
    yield f'<a href="#{anchor}"><time datetime="{exchange.at.isoformat()}">'
    yield f"{in_words(exchange.at)}, {exchange.at:%H:%M}</time></a>"
    if exchange.model:
        yield f" · {_escaped(exchange.model)}"
    yield "</p>\n"
    for message in exchange.messages:
        yield from _message(message)
    if exchange.state in _STATES:
        yield f'<p class="meta">{_STATES[exchange.state]}</p>\n'
    yield "</section>\n"


def _message(message: Message) -> Iterator[str]:
    yield f'<div class="message {message.role.value}">\n<h2>{_SPEAKERS[message.role]}</h2>\n'
    for part in message.parts:
        yield _part(part)
    yield "</div>\n"


def _part(part: Part) -> str:
    match part:
        case Text(text):
            return _text(text)
        case Image(uri):
            if _PICTURE.fullmatch(uri):
                return f'<p><img src="{uri}" alt="A picture"></p>\n'
            return f'<p class="meta">A picture: <code>{_escaped(uri[:200])}</code></p>\n'
        case ToolCall(name=name, arguments=arguments):
            return _folded(f"Called {name}", arguments)
        case ToolResult(name=name, text=text, failed=failed):
            what = "failed" if failed else "gave"
            return _folded(f"{name or 'The tool'} {what}", text)
        case Reasoning(text=said) | Foreign(data=said):
            return _folded("Thought" if isinstance(part, Reasoning) else "Other content", said)
        case _:
            assert_never(part)


def _text(text: str) -> str:
    pieces, at = [], 0
    for fence in _FENCE.finditer(text):
        pieces += [_words(text[at : fence.start()]), _code(fence[3])]
        at = fence.end()
    return "".join([*pieces, _words(text[at:])])


def _words(text: str) -> str:
    return (
        f'<p class="words" dir="auto">{_escaped(text.strip(chr(10)))}</p>\n' if text.strip() else ""
    )


def _code(text: str) -> str:
    return f"<pre><code>{_escaped(text)}</code></pre>\n"


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{_escaped(summary)}</summary>\n{_code(text)}</details>\n"


def _title(session: Session) -> str:
    return session.title or "Untitled"


def _count(exchanges: int) -> str:
    return "1 exchange" if exchanges == 1 else f"{exchanges:,} exchanges"


def _anchor(kind: str, name: str) -> str:
    if not _ANCHOR.search(name):
        return f"{kind}-{name}"
    return f"{kind}--{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _escaped(text: str) -> str:
    return html.escape(_CONTROL.sub("\ufffd", text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


_STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d1f21; --soft: #6a6f75;
  --line: #dfe1e3; --said: #eef3f7; --code: #f3f3ef; --link: #0b5ea8; }
@media (prefers-color-scheme: dark) { :root { --paper: #17191c; --ink: #e4e5e7; --soft: #9aa0a6;
  --line: #33373c; --said: #222932; --code: #1f2226; --link: #7fb6ea; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; letter-spacing: .02em; margin: 0 0 .25rem; color: var(--soft); font-weight: 600; }
a { color: var(--link); text-underline-offset: .15em; }
.meta { color: var(--soft); font-size: .85rem; margin: 0; }
.meta a { color: inherit; text-decoration: none; }
.meta a:hover, .meta a:focus-visible { text-decoration: underline; }
.session { margin: 0 0 4rem; }
.session > header, .top { border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: 1.5rem; }
section { padding: .75rem 0 1rem; scroll-margin-top: 1rem; }
section:target > .meta { color: var(--link); }
.message { margin: .6rem 0; padding: .1rem 0; }
.user { background: var(--said); border-radius: .6rem; padding: .7rem 1rem; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem;
  margin: .5rem 0; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
img { max-width: 100%; height: auto; border-radius: .4rem; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav { margin-bottom: 3rem; }
nav li { padding: .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --said: #fff; --code: #fff; --link: #000; }
  main { max-width: none; padding: 0; }
  body { font-size: 10.5pt; }
  .user { border: 1px solid var(--line); }
  .session + .session { break-before: page; }
  h1, h2, section > .meta { break-after: avoid; }
  pre, img { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
"""System fonts, light and dark, good on paper."""
