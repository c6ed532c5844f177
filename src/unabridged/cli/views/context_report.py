"""The account of a prompt: in sentences, in detail with ids, and as data."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from unabridged.cli.format import count, date, day, moment, percent
from unabridged.cli.output import plain
from unabridged.cli.paint import PARTS, STYLES, bar, paint
from unabridged.cli.terminal_text import cells, clip, one_line, pad, wrap
from unabridged.domain.context import Decision, ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.intent import Intent
from unabridged.domain.reasons import AROUND
from unabridged.domain.results import ContextReport
from unabridged.errors import NotFoundError
from unabridged.space.space import Space

_SIGNS = {Decision.KEPT: "●", Decision.CONDENSED: "◐", Decision.LEFT_OUT: "○"}
SHOWN = 12
"""The most items of a kind to name."""
CLOSE = 0.5
"""The relevance from which an exchange that shares no word is more than loosely related."""
LOOSE = "loosely related in meaning or date"
"""Why exchanges came along that are named together and share no word with the message."""
_FRAMED = (Tier.KNOWLEDGE, Tier.SEMANTIC)
"""Parts with words of ours around their contents."""
NAMED = 5
"""The most items with the same reason to name."""
_WORDS = "words: "
"""Marks the words of the message in the reason of a fact."""
_FACT_REASONS = {"meaning": "is related in meaning", "pinned": "it is in every prompt"}
"""Reasons of facts, in words that continue a sentence."""
_NAMES: Mapping[str, tuple[str, str]] = {
    "system": ("instructions", "the system prompt: who answers, and how"),
    "tools": ("tools", "definitions of the tools on offer"),
    "knowledge": ("facts", "pinned texts and known facts"),
    "history": ("sent", "earlier messages, as the client sent them"),
    "recent": ("older", "messages of this session before those"),
    "immediate": ("history", "earlier messages of this session"),
    "semantic": ("recalled", "from memory, for this message"),
    "message": ("message", "what you wrote"),
    "answer": ("answer", "kept free for the answer"),
    "margin": ("margin", "in case the server counts more tokens"),
    "reserve": ("reserve", "left over: nothing more was chosen for it"),
    "unused": ("unused", "excluded from memory by the setting {bound}"),
}
"""The parts of a window in words for people: name and meaning."""
_INTENTS: Mapping[Intent, tuple[str, str]] = {
    Intent.VIVID_RECALL: (
        "You asked for details, so whole exchanges came first.",
        "You asked for details, but no exchange was recalled.",
    ),
    Intent.SUMMARY: (
        "You asked for an overview, so summaries came first.",
        "This looked like a request for an overview, but no summary was relevant.",
    ),
    Intent.CONTEXTUAL: ("Memory was searched for what is relevant to this message.",) * 2,
    Intent.CASUAL: ("This is small talk, so memory was not searched.",) * 2,
}
"""What the message asked of memory: if that came along, and if it did not."""
_ASKED = {Intent.VIVID_RECALL: Decision.KEPT, Intent.SUMMARY: Decision.CONDENSED}
"""What came along in the semantic tier if the request was met."""


def account_data(account: ContextReport, *, prompt: bool = False) -> dict[str, Any]:
    """Return an account for JSON."""
    ledger = plain(account.ledger)
    rest = {"count": ledger.pop("rest_count"), "tokens": ledger.pop("rest_tokens")}
    data = {
        "id": account.id,
        "at": account.at,
        "hash": account.hash,
        "intact": account.intact,
        "missing": account.missing,
        "words": account.words,
        **ledger,
        "prompt_tokens": account.ledger.prompt_tokens,
        "rest": rest,
        "usage": account.usage,
    }
    return {**data, "messages": account.messages} if prompt else data


def titles_of(space: Space, account: ContextReport) -> dict[str, str]:
    """Return the titles of the sessions that an account names, by id."""
    ids = {row.session for row in account.ledger.rows if row.session}
    found = (space.sessions.get(name) for name in ids)
    return {session.id: one_line(session.title) for session in found if session}


def account_of(space: Space, wanted: str | None) -> ContextReport:
    """Return the account of a context by its id, by default the last.

    Raises:
        NotFoundError: There is none.
    """
    try:
        return space.contexts.why(wanted)
    except NotFoundError as error:
        if wanted:
            raise
        raise NotFoundError("Nothing was asked yet.", hint="Say something first.") from error


def account_lines(
    account: ContextReport, room: int, *, colour: bool, titles: Mapping[str, str] | None = None
) -> list[str]:
    """Return an account for people, in lines of at most ``room`` cells.

    Args:
        account: The account.
        room: Cells of a line.
        colour: Whether to show colours; without them the bar is drawn in letters.
        titles: The titles of sessions, by id.
    """
    ledger = account.ledger
    lines = [*_heading(account, room), ""]
    lines += _window(ledger, room, colour=colour)
    for title, said in (
        ("What came along", _came(account, titles or {})),
        ("What was left out", _left_out(account)),
    ):
        lines += _section(title, said, room, clipped=True)
    return [*lines, *_notes(account, room)]


def detail_lines(account: ContextReport, room: int, *, colour: bool) -> list[str]:
    """Return everything an account holds: ids, figures and every candidate."""
    ledger = account.ledger
    lines = [*_figures(account, room), ""]
    lines += _window(ledger, room, colour=colour, merged=False)
    lines += _section("Every candidate", _candidates(account), room)
    if ledger.rest_count:
        lines += _broken(f"○ {_rest(ledger)}", room, "dim")
    return [*lines, *_notes(account, room), *_proof(account, room)]


def _heading(account: ContextReport, room: int) -> list[str]:
    ledger = account.ledger
    asked = account.texts.get(account.id, "")
    lines = wrap(f"“{asked}”", room) if asked else []
    share = _share(ledger.prompt_tokens, ledger.window)
    facts = f"{moment(account.at)} · {ledger.model} · "
    facts += f"{ledger.prompt_tokens:,} of {ledger.window:,} tokens sent ({share})"
    return [*lines, *_broken(facts, room, "dim"), *_broken(_intent(ledger), room)]


def _intent(ledger: Ledger) -> str:
    met, unmet = _INTENTS[ledger.intent]
    came = {row.decision for row in ledger.kept(Tier.SEMANTIC)}
    return met if _ASKED.get(ledger.intent) in came else unmet


def _window(ledger: Ledger, room: int, *, colour: bool, merged: bool = True) -> list[str]:
    parts = dict(ledger.parts)
    if merged:
        parts["immediate"] = parts.get("immediate", 0) + parts.pop("recent", 0)
    known = [name for name in PARTS if parts.get(name)]
    names = [*known, *sorted(name for name in parts if name not in PARTS and parts[name])]
    rows = [_part(name, ledger) for name in names]
    figures = [f"{parts[name]:,}" for name in names]
    wide = max(cells(name) for name, _ in [*rows, ("window", "")])
    total = f"{ledger.window:,}"
    lines = [bar(parts, room, colour=colour)]
    for name, (title, meaning), tokens in zip(names, rows, figures, strict=True):
        letter, block, _ = PARTS.get(name, ("?", "█", ""))
        sign = paint(block, name if name in STYLES else "dim") if colour else letter
        figure = f" {pad(title, wide)}  {tokens:>{len(total)}}  "
        figure += f"{_share(parts[name], ledger.window):>5}  "
        head = cells(figure) + 1
        first, *more = wrap(meaning, max(8, room - head))
        lines.append(sign + (figure + paint(first, "dim") if first else figure.rstrip()))
        lines += [" " * head + paint(line, "dim") for line in more]
    return [*lines, f"  {pad('window', wide)}  {total}  {_share(ledger.window, ledger.window):>5}"]


def _part(name: str, ledger: Ledger) -> tuple[str, str]:
    title, meaning = _NAMES.get(name, (name, PARTS.get(name, ("", "", ""))[2]))
    left = [row.tokens for row in ledger.rows if row.decision is Decision.LEFT_OUT]
    if name == "reserve" and left and ledger.parts[name] < min(left):
        meaning = "left over, too small for what was left out"
    return title, meaning.format(bound=ledger.bound or "of a limit")


def _share(tokens: int, window: int) -> str:
    share = 100 * tokens / window if window else 0
    return f"{share:.0f}%" if share >= 1 else "<1%"


def _section(title: str, said: Iterator[str], room: int, *, clipped: bool = False) -> list[str]:
    lines = [line for one in said for line in _hanging(one, room, clipped=clipped)]
    return ["", paint(title, "bold"), *lines] if lines else []


def _hanging(text: str, room: int, *, clipped: bool) -> list[str]:
    # Lines after the first are dim notes; a clipped one is a quotation.
    said, *notes = text.split("\n")
    first, *more = wrap(said[2:], room - 2)
    shown = [clip(note, room - 2) for note in notes]
    if not clipped:
        shown = [line for note in notes for line in wrap(note, room - 2)]
    lines = [said[:2] + first, *("  " + line for line in more)]
    return [*lines, *("  " + paint(line, "dim") for line in shown)]


def _came(account: ContextReport, titles: Mapping[str, str]) -> Iterator[str]:
    rows = [row for row in account.ledger.rows if row.decision is not Decision.LEFT_OUT]
    yield from _history(account, rows)
    recalled = [row for row in rows if row.tier is Tier.SEMANTIC]
    recalled.sort(key=lambda row: -(row.score or 0))
    close = [row for row in recalled if not _loose(row, account)]
    for row in close[:SHOWN]:
        yield f"{_SIGNS[row.decision]} {_recalled(row, account, titles)}{_quoted(row, account)}"
    yield from _more(len(close), "exchange", "recalled")
    for reason, is_near in ((LOOSE, False), (AROUND, True)):
        some = [r for r in recalled if _loose(r, account) and (r.score is None) is is_near]
        if some:
            yield _group(Decision.KEPT, some, "exchange", reason, account)
    facts = [row for row in rows if row.kind is ItemKind.FACT]
    for row in facts[:SHOWN]:
        what = account.texts.get(row.id, "A fact")
        yield f"● Fact “{what}”{_since(row)}: {_fact_reason(row)}."
    yield from _more(len(facts), "fact", "included")
    if tools := [row.id for row in rows if row.kind is ItemKind.TOOL]:
        yield f"● Tools on offer: {', '.join(tools)}."
    if frames := [(tier, n) for tier in _FRAMED if (n := account.ledger.frame(tier)) > 0]:
        said = ", ".join(f"{_NAMES[tier.value][0]} {n:,}" for tier, n in frames)
        yield f"● Tokens of the frame around them: {said}."
    if not rows:
        yield "  Nothing: the prompt is your message and the instructions."


def _history(account: ContextReport, rows: Sequence[LedgerRow]) -> Iterator[str]:
    said = [row for row in rows if row.tier in (Tier.IMMEDIATE, Tier.RECENT)]
    for decision, reason in (
        (Decision.KEPT, "earlier in this session"),
        (Decision.CONDENSED, "earlier in this session, shortened to whole sentences"),
    ):
        some = [r for r in said if r.kind is ItemKind.EXCHANGE and r.decision is decision]
        some.sort(key=lambda row: row.id, reverse=True)
        if some:
            yield _group(decision, some, "exchange", reason, account)
    for row in said:
        if row.kind is ItemKind.CONDENSATION:
            yield f"{_SIGNS[row.decision]} {_sentence(row.reason)}"


def _recalled(row: LedgerRow, account: ContextReport, titles: Mapping[str, str]) -> str:
    title = clip(titles.get(row.session or "", ""), 60)
    where = f", “{title}”" if title else ""
    words = _as_asked(account, account.words.get(row.id, ()))
    if row.kind is ItemKind.CONDENSATION:
        why = row.reason
    else:
        why = f"mentions {_listed(words)}" if words else "related in meaning or date"
    if row.sentences:
        why += "; too long to come whole, so its most relevant sentences came"
    return f"Recalled from {date(row.at) or 'an earlier session'}{where}: {why}."


def _loose(row: LedgerRow, account: ContextReport) -> bool:
    if row.kind is not ItemKind.EXCHANGE or account.words.get(row.id):
        return False
    return row.score is None or row.score < CLOSE


def _as_asked(account: ContextReport, words: Sequence[str]) -> list[str]:
    asked = {word.lower(): word for word in re.findall(r"\w+", account.texts.get(account.id, ""))}
    return [asked.get(word, word) for word in words]


def _fact_reason(row: LedgerRow) -> str:
    said = [_FACT_REASONS.get(part, part) for part in row.reason.split("; ") if part]
    if said and said[0].startswith(_WORDS):
        said[0] = f"mentions {_listed(said[0].removeprefix(_WORDS).split(', '))}"
    return _and(said) or "relevant to your message"


def _quoted(row: LedgerRow, account: ContextReport) -> str:
    text = account.texts.get(row.id, "")
    return f"\n“{text}”" if text else ""


def _left_out(account: ContextReport) -> Iterator[str]:
    rows = [row for row in account.ledger.rows if row.decision is Decision.LEFT_OUT]
    rows.sort(key=lambda row: (row.kind.value, row.reason))
    for (kind, reason), group in groupby(rows, lambda row: (row.kind, row.reason)):
        thing = "tool definition" if kind is ItemKind.TOOL else kind.value
        yield _group(Decision.LEFT_OUT, list(group), thing, reason, account)
    if account.ledger.rest_count:
        yield f"○ {_rest(account.ledger)}"


def _group(
    decision: Decision, rows: Sequence[LedgerRow], thing: str, reason: str, account: ContextReport
) -> str:
    tokens = count(sum(row.tokens for row in rows), "token")
    said = f"{_SIGNS[decision]} {count(len(rows), thing)} ({tokens}): {reason}."
    notes = [_named(row, account) for row in rows[:NAMED]]
    notes += [f"and {len(rows) - NAMED:,} more"] if len(rows) > NAMED else []
    return "\n".join([said, *notes])


def _named(row: LedgerRow, account: ContextReport) -> str:
    what = account.texts.get(row.id, row.id)
    when = date(row.at)
    return f"{when}: “{what}”" if when else f"“{what}”"


def _rest(ledger: Ledger) -> str:
    number = ledger.rest_count
    tokens = count(ledger.rest_tokens, "token")
    why = "not relevant enough to this message, or not searched"
    if ledger.intent is Intent.CASUAL:
        why = "small talk needs no search"
    return f"{count(number, 'other exchange')} ({tokens}): {why}."


def _candidates(account: ContextReport) -> Iterator[str]:
    order = list(Decision)
    for row in sorted(account.ledger.rows, key=lambda row: order.index(row.decision)):
        tier = row.tier.value if row.tier else row.kind.value
        score = "" if row.score is None else f"{row.score:.2f}"
        facts = [tier, count(row.tokens, "token"), day(row.at), score, row.id]
        why = row.reason
        if words := account.words.get(row.id):
            why += f" (words: {', '.join(words)})"
        yield "\n".join(
            [
                f"{_SIGNS[row.decision]} {'  '.join(filter(None, facts))}",
                f"{row.decision.value.capitalize()}: {why}",
                *_quoted(row, account).split("\n")[1:],
            ]
        )


def _figures(account: ContextReport, room: int) -> list[str]:
    ledger = account.ledger
    signals = f" ({', '.join(ledger.signals[:3])})" if ledger.signals else ""
    said = [
        f"{account.id} · {moment(account.at)} · {ledger.model}",
        f"intent {ledger.intent.value}{signals}, complexity {ledger.complexity:.2f}",
        f"{ledger.prompt_tokens:,} tokens planned of {ledger.window:,}, "
        f"counted by {ledger.tokenizer}",
    ]
    if ledger.prefix_reuse is not None:
        said.append(f"{percent(ledger.prefix_reuse)} cache-reusable: the same as the last prompt")
    return [line for text in said for line in _broken(text, room, "dim")]


def _notes(account: ContextReport, room: int) -> list[str]:
    lines = []
    if (usage := account.usage) and usage.prompt is not None:
        answer = "" if usage.answer is None else f" and {usage.answer:,} in the answer"
        counted = f"The server counted {count(usage.prompt, 'token')} in the prompt{answer}."
        lines += _broken(counted, room, "dim")
    for note in account.ledger.notes:
        lines += _broken(f"Note: {note.rstrip('.')}.", room, "warn")
    if not account.intact:
        gone = len(account.missing)
        because = f": {count(gone, 'part')} of it {'was' if gone == 1 else 'were'} forgotten"
        lines += _broken(
            f"This prompt cannot be shown again{because if gone else ''}.", room, "warn"
        )
    return ["", *lines] if lines else []


def _proof(account: ContextReport, room: int) -> list[str]:
    if account.intact:
        said = "Rendered again from what is stored, the prompt is the same byte for byte"
        return ["", *_broken(f"{said} (SHA-256 {account.hash}).", room, "dim")]
    missing = f"Forgotten since: {', '.join(account.missing)}."
    return _broken(missing, room, "warn") if account.missing else []


def _more(number: int, thing: str, verb: str) -> Iterator[str]:
    if number > SHOWN:
        yield f"● {count(number - SHOWN, f'more {thing}')} {verb}."


def _since(row: LedgerRow) -> str:
    return f" ({date(row.at)})" if row.at else ""


def _listed(words: Sequence[str]) -> str:
    return _and([f"“{word}”" for word in words])


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _broken(text: str, room: int, style: str = "") -> list[str]:
    return [paint(line, style) for line in wrap(text, room)]
