"""docs/seeds.md and docs/seeds/: where every item of the five documents is in this program.

How it is kept true. Each row of a table begins with its id and, in an HTML comment, the lines of the
document that it speaks for: ``| W-07 <!-- 42-52, 486 --> | …``; a heading of a page carries the
lines of the document's headings likewise.

- Code marks in the columns *Here* and *Shown by* are looked up: files, names in them (by the syntax
  tree; in a profile the line itself), settings, commands and their options, tests.
- Where the documents lie beside the checkout (``../shared/seeds``), each page names the SHA-256 of
  its own, so a document that changes has to be read again; every quotation “…” must stand in the
  row's lines; and every line of a document that holds a word must be among the lines of some row
  (or, for its headings, of a heading). So no row can be dropped, and nothing can be added to a
  document, without a failure that names the lines. One row speaks for ``MOST_LINES`` lines at most,
  lest one stand for everything.
"""

import ast
import hashlib
import re
from functools import cache
from pathlib import Path

import pytest

from bench.main import bench
from unabridged.config import PREFIX
from unabridged.domain.settings import Settings

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "unabridged"
INDEX = CHECKOUT / "docs" / "seeds.md"
DOCUMENTS = CHECKOUT.parent / "shared" / "seeds"
PAGES = {
    "W": ("workspaceai", "workspaceai-unified-memory.md"),
    "E": ("whisperengine", "whisperengine-fidelity-first.md"),
    "D": ("dana", "dana-conversation-memory.md"),
    "R": ("reqvibe", "reqvibe-memory-management.md"),
    "M": ("emm", "emm-condensation.md"),
}
STATES = ("kept", "mended", "merged", "later")
MOST_LINES = 32
"""Lines with words for which one row speaks at most."""
ROW = re.compile(r"\| ([A-Z]-\d\d+) <!-- ([\d, -]+) --> \| (.+) \|")
ID = re.compile(r"\b[WEDRM]-\d\d+\b")
REFERENCE = (CHECKOUT / "docs" / "reference" / "cli.md").read_text("utf-8")
REASON = re.compile(r"design \d|\]\(\.\./adr/\d{4}-")
FILE = re.compile(r"[\w./<>{}-]+\.(?:py|toml|md|sql|txt|json)|(?:[\w.-]+/)+")


class Row:
    def __init__(self, name, spans, cells):
        self.id, self.lines = name, set(lines_of(spans))
        self.says, self.here, self.shown, self.state = cells

    @property
    def kind(self):
        return re.match(r"\w*", self.state).group()


def lines_of(spans):
    for span in spans.split(","):
        first, _, last = span.strip().partition("-")
        yield from range(int(first), int(last or first) + 1)


@cache
def page_of(letter):
    return (CHECKOUT / "docs" / "seeds" / f"{PAGES[letter][0]}.md").read_text("utf-8")


@cache
def rows_of(letter):
    found = []
    for line in page_of(letter).splitlines():
        if line.startswith(f"| {letter}-"):
            match = ROW.fullmatch(line)
            assert match, line
            cells = re.split(r"(?<!\\) \| ", match[3])
            assert len(cells) == 4, line
            found.append(Row(match[1], match[2], cells))
    return found


def every_row():
    return [row for letter in PAGES for row in rows_of(letter)]


def document_of(letter):
    path = DOCUMENTS / PAGES[letter][1]
    if not path.is_file():
        pytest.skip("the five documents are not beside the checkout")
    return path.read_bytes()


def plain(text):
    """Text without markup, boxes and line breaks, as quotations are compared."""
    return " ".join(re.sub(r"[*`│├─└>]", " ", re.sub(r"\\([|_])", r"\1", text)).split())


@cache
def tree_of(path):
    return ast.parse(path.read_text("utf-8"))


@cache
def names_of(path):
    """Functions, classes, constants and attributes of a module; members as ``Class.member``."""

    def members(body, before=""):
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield before + node.name
            if isinstance(node, ast.ClassDef):
                yield from members(node.body, f"{before}{node.name}.")
            for target in [*getattr(node, "targets", ()), getattr(node, "target", None)]:
                for each in getattr(target, "elts", [target]):
                    if isinstance(each, ast.Name):
                        yield before + each.id

    return set(members(tree_of(path).body))


def file_of(mark):
    places = [SOURCE / mark, CHECKOUT / mark, CHECKOUT / "docs" / mark]
    return next((place for place in places if place.exists()), None)


def section_of(command):
    """The part of the command reference that is about a command; empty where there is none."""
    found = re.search(
        rf"^## {re.escape(command)}\n(.*?)(?=^## )", REFERENCE, re.MULTILINE | re.DOTALL
    )
    return found[1] if found else ""


def wrong_command(mark):
    words = mark.split()
    for count in range(len(words), 0, -1):
        if section := section_of(" ".join(words[:count])):
            options = [word for word in words[count:] if word.startswith("--")]
            missing = [word for word in options if f"`{word}" not in section]
            return f"{mark}: {missing}" if missing or (count == 1 and len(words) > 1) else ""
    return f"no command: {mark}"


def wrong_benchmark(mark):
    name, *words = mark.split()[3:]
    command = bench.commands.get(name)
    if command is None:
        return f"no benchmark: {mark}"
    known = {flag for each in command.params for flag in each.opts}
    missing = [word for word in words if word.startswith("--") and word not in known]
    return f"{mark}: {missing}" if missing else ""


def wrong_test(mark):
    path, _, name = mark.partition("::")
    if not (CHECKOUT / path).is_file():
        return f"no file: {mark}"
    return "" if name.replace("::", ".") in names_of(CHECKOUT / path) else f"no test: {mark}"


def wrong_chat_command(mark):
    said = REFERENCE.partition("## In the chat")[2].partition("## Settings")[0]
    return "" if f"`{mark}" in said else f"no chat command: {mark}"


def wrong_option(mark):
    return "" if f"- `{mark}" in REFERENCE else f"no option: {mark}"


def wrong_route(mark):
    said = (CHECKOUT / "docs" / "reference" / "http.md").read_text("utf-8")
    return "" if f"### `{mark}`" in said else f"no route: {mark}"


def wrong_variable(mark):
    known = {PREFIX + name.upper() for name in Settings.__dataclass_fields__}
    return "" if mark in known else f"no variable: {mark}"


def wrong_name(mark, path):
    """A name in the file that was named before it, a line of a profile, or a setting."""
    if path is not None and path.suffix == ".py" and mark in names_of(path):
        return ""
    if path is not None and path.suffix == ".toml":
        return "" if mark in path.read_text("utf-8").splitlines() else f"not set: {mark}"
    return "" if mark in Settings.__dataclass_fields__ else f"nothing of the name: {mark}"


LOOKUPS = (
    (r".+::.+", wrong_test),
    (r"unabridged\b.*", wrong_command),
    (r"python -m bench\b.*", wrong_benchmark),
    (r"/.+|(?:t|chat): …", wrong_chat_command),
    (r"--.+", wrong_option),
    (r"(?:GET|POST|PATCH|DELETE) /.+", wrong_route),
    (r"UNABRIDGED_.+", wrong_variable),
)


def wrong_marks(text):
    """What the code marks of a cell name and is not there."""
    path = None
    for mark in re.findall(r"`([^`]+)`", text):
        lookup = next((look for form, look in LOOKUPS if re.fullmatch(form, mark)), None)
        if lookup is not None:
            yield from filter(None, [lookup(mark)])
        elif FILE.fullmatch(mark):
            path = file_of(mark)
            yield from [] if path else [f"no file: {mark}"]
        else:
            yield from filter(None, [wrong_name(mark, path)])


@pytest.mark.parametrize("letter", PAGES)
def test_rows_are_numbered_one_after_another(letter):
    numbers = [int(row.id.partition("-")[2]) for row in rows_of(letter)]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert numbers


@pytest.mark.parametrize("letter", PAGES)
def test_what_a_row_names_is_there(letter):
    wrong = {
        row.id: found
        for row in rows_of(letter)
        if (found := [*wrong_marks(row.here), *wrong_marks(row.shown), *wrong_marks(row.state)])
    }
    assert wrong == {}


def test_rows_of_benchmarks_that_are_named_are_there():
    code = "".join(path.read_text("utf-8") for path in (CHECKOUT / "bench").rglob("*.py"))
    named = {name for row in every_row() for name in re.findall(r"row “([^”]+)”", row.shown)}
    assert named
    assert [name for name in sorted(named) if f'"{name}"' not in code] == []


@pytest.mark.parametrize("letter", PAGES)
def test_every_row_has_what_its_state_needs(letter):
    for row in rows_of(letter):
        assert row.kind in STATES, row.id
        tested = "::" in row.shown or "`python -m bench" in row.shown
        if row.kind in ("kept", "mended"):
            assert "`" in row.here, f"{row.id}: where is it?"
            assert tested, f"{row.id}: what shows it?"
        if row.kind == "mended":
            assert REASON.search(row.state), f"{row.id}: why?"
        if row.kind == "merged":
            said = f"{row.here} {row.shown} {row.state}"
            assert ID.search(said) or tested, f"{row.id}: with what?"
        if row.kind in ("merged", "later"):
            assert len(row.state.split()) > 3, f"{row.id}: why?"
        if row.kind == "kept":
            assert row.state == "kept", f"{row.id}: a kept row needs no words"


def test_rows_that_are_named_are_there():
    there = {row.id for row in every_row()}
    said = INDEX.read_text("utf-8") + "".join(map(page_of, PAGES))
    assert set(ID.findall(said)) == there


def test_the_head_counts_the_rows():
    head = INDEX.read_text("utf-8")
    total = dict.fromkeys(STATES, 0)
    for letter, (page, _) in PAGES.items():
        counts = {s: sum(row.kind == s for row in rows_of(letter)) for s in STATES}
        total = {s: total[s] + counts[s] for s in STATES}
        figures = " | ".join(str(n) for n in (sum(counts.values()), *counts.values()))
        assert f"](seeds/{page}.md) | {figures} |" in head, f"{page}: {figures}"
    figures = " | ".join(str(n) for n in (sum(total.values()), *total.values()))
    assert f"| all | {figures} |" in head, figures


@pytest.mark.data
@pytest.mark.parametrize("letter", PAGES)
def test_the_document_is_the_one_that_was_read(letter):
    digest = hashlib.sha256(document_of(letter)).hexdigest()
    assert f"<!-- {PAGES[letter][1]} sha256 {digest} -->" in page_of(letter)


@pytest.mark.data
@pytest.mark.parametrize("letter", PAGES)
def test_quotations_stand_in_their_lines(letter):
    lines = document_of(letter).decode().splitlines()
    wrong = []
    for row in rows_of(letter):
        said = plain("\n".join(lines[n - 1] for n in sorted(row.lines)))
        quotes = re.findall(r"“([^”]+)”", row.says)
        assert quotes, f"{row.id} quotes nothing"
        wrong += [f"{row.id}: {quote}" for quote in quotes if plain(quote) not in said]
    assert wrong == []


@pytest.mark.data
@pytest.mark.parametrize("letter", PAGES)
def test_every_line_of_the_document_has_a_row(letter):
    lines = document_of(letter).decode().splitlines()
    worded = {n for n, line in enumerate(lines, 1) if re.search(r"\w", line)}
    worded -= {n for n in worded if re.fullmatch(r"\s*```\w*", lines[n - 1])}
    spans = re.findall(r"^#+ .*<!-- ([\d, -]+) -->$", page_of(letter), re.MULTILINE)
    headed = {n for each in spans for n in lines_of(each)}
    assert [lines[n - 1] for n in sorted(headed) if not lines[n - 1].startswith("#")] == []
    cited = {n for row in rows_of(letter) for n in row.lines} | headed
    assert [f"{n}: {lines[n - 1]}" for n in sorted(worded - cited)] == []
    large = {row.id: len(row.lines & worded) for row in rows_of(letter)}
    assert {name: size for name, size in large.items() if size > MOST_LINES} == {}
