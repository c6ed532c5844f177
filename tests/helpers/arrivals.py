"""Whether what a client sent arrived upstream: unchanged, refused, or counted as left out.

``faults`` gives a line for each thing that is wrong with one request, and none where all is right.
"""

import json
import re
from dataclasses import dataclass

from tests.helpers.atoms import MARK, atoms, holds, is_somewhere, schemas
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI, RESPONSES
from tests.helpers.strict_rules import blocks_of
from tests.helpers.strict_server import tokens

PATHS = {
    OPENAI: "/v1/chat/completions",
    OLLAMA: "/api/chat",
    ANTHROPIC: "/v1/messages",
    RESPONSES: "/v1/responses",
}
LEFT_OUT = re.compile(r"messages=(\d+), tokens=(\d+)")
MEMORY = re.compile(
    r"<recalled note=.*?</recalled>|<recalled-earlier .*?</recalled-earlier>", re.DOTALL
)
OLLAMA_WORDS = re.compile(r"exceeds the available context size \(\d+ tokens\)")
CONTEXT_WORDS = re.compile(r"maximum context length is \d+ tokens", re.IGNORECASE)
"""What LiteLLM and others look for, in OpenAI's and Ollama's dialect."""
ANTHROPIC_WORDS = re.compile(r"prompt is too long: \d+ tokens > \d+ maximum")
OURS = frozenset("model stream stream_options messages tools options truncate shift".split())
"""Fields of a body that the server may set."""
BOUNDS = frozenset(["max_tokens", "max_completion_tokens"])
"""Fields that the server may add where a client sends none."""
OUR_OPTIONS = frozenset(["num_ctx", "num_predict"])
PARTS_OF_ONE_DIALECT = ("input_audio", "file", "x_note", "document", "input_file", "audio")


@dataclass
class Sent:
    """A request, where it went and what came back."""

    dialect: str
    upstream: str
    body: dict
    window: int
    in_loop: bool
    status: int
    headers: dict
    answer: str


def fits_clearly(sent):
    """Whether a request fits so well that no estimate of its tokens can doubt it."""
    pictures = sum(json.dumps(sent.body).count(f'"{k}"') for k in ("image", "image_url", "images"))
    files = sum(json.dumps(sent.body).count(f'"{kind}"') for kind in PARTS_OF_ONE_DIALECT)
    asked = sent.body.get("max_tokens") or 0
    return 3 * _size(sent.body) + 3_000 * (pictures + files) + asked < 0.6 * sent.window


def _size(body):
    listed = body.get("messages") or body.get("input") or []
    return tokens({**body, "messages": listed})


def faults(sent, chats):
    """What is wrong; ``chats`` are the requests that the upstream got meanwhile."""
    if sent.status != 200:
        return _refused(sent, chats)
    arrived = [chat for chat in chats if chat.status == 200]
    if not arrived:
        return ["answered, but nothing arrived upstream"]
    body = arrived[-1].body
    same = sent.dialect == sent.upstream
    found = _same(sent, body) if same else _other(sent, body)
    if fits_clearly(sent) and "x-unabridged-left-out" in sent.headers:
        found.append("left out although all fits")
    return found


def _refused(sent, chats):
    if sent.status >= 500:
        return [f"status {sent.status}: {sent.answer[:200]}"]
    if is_context_error(sent.dialect, sent.status, sent.answer):
        if fits_clearly(sent):
            return [f"refused as too long although it fits: {sent.answer[:200]}"]
        if any(chat.status == 200 for chat in chats):
            return ["refused after it was answered upstream"]
        return []
    foreign = sent.dialect != sent.upstream and any(
        kind in sent.answer for kind in PARTS_OF_ONE_DIALECT
    )
    return [] if foreign else [f"refused: {sent.status} {sent.answer[:300]}"]


def is_context_error(dialect, status, answer):
    """Whether an answer is the dialect's own error for a prompt that is too long."""
    try:
        error = json.loads(answer)["error"]
    except (ValueError, TypeError, KeyError):
        return False
    if status != 400:
        return False
    if dialect == OLLAMA:
        return isinstance(error, str) and bool(OLLAMA_WORDS.search(error))
    if dialect == ANTHROPIC:
        known = error.get("type") == "invalid_request_error"
        return known and bool(ANTHROPIC_WORDS.search(error.get("message", "")))
    known = error.get("code") == "context_length_exceeded"
    return known and bool(CONTEXT_WORDS.search(error.get("message", "")))


# The same dialect: compared as it came


def _same(sent, body):
    found = []
    if sent.body.get("tools", []) != body.get("tools", []):
        lost = len(sent.body.get("tools", ())) - len(body.get("tools", ()))
        found.append(f"tools changed, {lost} of {len(sent.body.get('tools', ()))} missing")
    found += [
        f"field {name!r} changed: {str(body.get(name))[:80]}"
        for name in sent.body.keys() - OURS
        if name not in body or body[name] != sent.body[name]
    ]
    given, options = sent.body.get("options") or {}, body.get("options") or {}
    if {**options, **given} != options or options.keys() - given.keys() - OUR_OPTIONS:
        found.append(f"options changed: {options}")
    found += [f"field {name!r} added" for name in body.keys() - sent.body.keys() - OURS - BOUNDS]
    listed = sent.body["messages"]
    kept, strange = align(listed, body["messages"])
    found += [f"nobody sent: {str(each)[:160]}" for each in strange]
    return found + _fenced(listed, kept) + _gaps(sent, listed, kept)


def _fenced(listed, kept):
    """What is wrong with text before what a user said: only the first kept message may have it."""
    users = [place for place, got in kept if got["role"] == "user" and _is_persons(listed[place])]
    before = [place for place, got in kept if has_text_before(listed[place], got)]
    first = users[:1] if len(kept) < len(listed) else []
    if before == first:
        return []
    return [f"text put before what a user said at {before}, expected at {first}"]


def has_text_before(message, got):
    """Whether text was put before what a message says."""
    if message == got:
        return False
    wanted, after = blocks_of(message), blocks_of(got)
    if isinstance(message["content"], str) and isinstance(got["content"], str):
        return not got["content"].startswith(message["content"])
    return after[: len(wanted)] != wanted


def align(listed, arrived):
    """Which messages arrived, in order, and what arrived that nobody sent so."""
    kept, strange, at = [], [], 0
    for got in arrived:
        place = next((n for n in range(at, len(listed)) if is_same(listed[n], got)), None)
        if place is None:
            strange.append(got)
        else:
            kept.append((place, got))
            at = place + 1
    return kept, strange


def is_same(message, got):
    """Whether a message arrived: unchanged, but for text around what a user said."""
    if message == got:
        return True
    if message.get("role") != "user" or got.get("role") != "user" or not _is_persons(message):
        return False
    before, after = message["content"], got.get("content")
    if {**message, "content": after} != got:
        return False
    if isinstance(before, str) and isinstance(after, str):
        return before in MEMORY.sub("", after)  # which may tell again what was left out
    wanted = blocks_of(message)
    after = after if isinstance(after, list) else []
    for at in range(len(after) - len(wanted) + 1):
        around = after[:at] + after[at + len(wanted) :]
        if after[at : at + len(wanted)] == wanted:
            return all(part.keys() == {"type", "text"} for part in around)
    return False


def _is_persons(message):
    """Whether a person said it: Anthropic's results alone are no message of a person."""
    return any(block["type"] != "tool_result" for block in blocks_of(message))


def _gaps(sent, listed, kept):
    """What is wrong with what did not arrive."""
    places = {place for place, _ in kept}
    missing = [place for place in range(len(listed)) if place not in places]
    header = sent.headers.get("x-unabridged-left-out")
    if not missing and header is None:
        return []
    if header is None:
        return [f"{len(missing)} of {len(listed)} messages missing, not counted: {missing[:5]}"]
    counted = LEFT_OUT.fullmatch(header)
    if counted is None:
        return [f"header not readable: {header!r}"]
    found = []
    if int(counted[1]) != len(missing):
        found.append(f"{len(missing)} messages missing, {counted[1]} counted")
    size = _size({"messages": [listed[place] for place in missing]})
    # The words of these texts are random: where the tokenizer is unknown, they count by the worst.
    if not size / 3 <= int(counted[2]) <= size * 5 + 100:
        found.append(f"about {size} tokens missing, {counted[2]} counted")
    if sent.in_loop and missing:
        found.append("left out while a tool loop is open")
    return found + (_badly_left(listed, missing) if missing else [])


def _badly_left(listed, missing):
    """Only the oldest closed exchanges may be left out."""
    found = []
    newest = max(n for n, m in enumerate(listed) if m["role"] == "user" and _is_persons(m))
    late = [place for place in missing if place >= newest]
    if late:
        found.append(f"left out of the newest exchange: {late}")
    first_kept = missing[-1] + 1
    turns = [n for n, m in enumerate(listed) if m["role"] not in {"system", "developer"}]
    older = [n for n in turns if n < first_kept and n not in missing]
    if older:
        found.append(f"older messages kept than those left out: {older[:5]}")
    following = [n for n in turns if n >= first_kept]
    if following and listed[following[0]]["role"] != "user":
        found.append(f"an exchange was cut in two at message {following[0]}")
    return found


# Another dialect: compared by what is in it


def _without_memory(atom):
    """An atom without what memory added: it may tell again what was left out."""
    role, kind, value = atom
    return (role, kind, MEMORY.sub("", value)) if kind == "text" else atom


def _other(sent, body):
    found = _tools(sent, body)
    wanted = atoms(sent.dialect, sent.body)
    got = [_without_memory(atom) for each in atoms(sent.upstream, body) for atom in each]
    lost = _lost(sent, wanted, got, json.dumps(body, ensure_ascii=False))
    marks = set(MARK.findall(json.dumps(sent.body, ensure_ascii=False)))
    for role, kind, value in got:
        if kind == "text" and value and not marks & set(MARK.findall(value)):
            found.append(f"nobody sent: {role} {value[:120]!r}")
    if not lost:
        return found
    header = LEFT_OUT.fullmatch(sent.headers.get("x-unabridged-left-out", ""))
    if header is None:
        some = next(iter(lost.values()))[0]
        return [*found, f"{len(lost)} of {len(wanted)} messages lost, not counted: {some}"[:300]]
    text = json.dumps(body, ensure_ascii=False)
    due = {n: [a for a in wanted[n] if not _is_excused(sent, a, text)] for n in lost}
    torn = [place for place, atoms_lost in lost.items() if len(atoms_lost) < len(due[place])]
    if torn:
        found.append(f"messages in part left out: {torn[:5]}")
    gone = max(lost)  # what needs no counting alone may be counted with what is left out
    free = sum(all(_is_excused(sent, a, text) for a in each) for each in wanted[:gone])
    if not len(lost) <= int(header[1]) <= len(lost) + free:
        found.append(f"{len(lost)} messages missing, {header[1]} counted")
    if sent.in_loop:
        found.append("left out while a tool loop is open")
    newest = max(
        place for place, each in enumerate(wanted) if any(a[:2] == ("user", "text") for a in each)
    )
    if max(lost) >= newest:
        found.append("left out of the newest exchange")
    return found


def _has_no_place(sent, atom):
    """Whether Anthropic refuses it from others: system messages amid, thoughts it did not sign."""
    return sent.upstream == ANTHROPIC and (atom[0] == "system" or atom[1] == "reasoning")


def _is_excused(sent, atom, text):
    """Whether an atom is all right though no such atom arrived."""
    if _has_no_place(sent, atom):
        return atom[1] == "reasoning" or is_somewhere(atom, text)
    return atom[1] == "other" and is_somewhere(atom, text)


def _lost(sent, wanted, got, text):
    """What did not arrive in its order: the missing atoms by the place of their message."""
    lost, at = {}, 0
    pictures = {atom[2] for atom in got if atom[1] == "image"}
    for number, each in enumerate(wanted):
        for atom in each:
            if atom[1] == "image" and atom[2] in pictures:
                continue
            place = next((n for n in range(at, len(got)) if holds(got[n], atom)), None)
            if place is not None and atom[1] != "other":
                at = place
            elif not _is_excused(sent, atom, text):
                lost.setdefault(number, []).append(atom)
    return lost


def _tools(sent, body):
    wanted, got = schemas(sent.body), schemas(body)
    if wanted == got:
        return []
    return [f"tools changed, {len(wanted) - len(got)} of {len(wanted)} missing"]
