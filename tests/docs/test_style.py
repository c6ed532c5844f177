"""The texts avoid words that read like a translation."""

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SCOPE = (
    "docs/seeds/*.md",
    "README.md",
    "AGENTS.md",
    "docs/*.md",
    "docs/adr/*.md",
    "docs/howto/*.md",
    "docs/start/*.md",
)
"""Globs of the texts that are checked; widen them to `src/**/*.py` once its texts are plain."""
AVOID = {
    "anew": "again; from scratch",
    "at most so many": "up to N",
    "bears? on": "is relevant to",
    "beside": "next to; in addition to; with",
    "comes? to be": "becomes; is",
    "g(?:oes|o|oing) on": "continues",
    "gives? back": "return; recover",
    "is no (?:JSON|text|terminal)": "is invalid JSON; is not a text; is not a terminal",
    "it is told": "the server reports",
    "lest": "so that … not",
    "lies? (?:in|beside|next|below|under|between|there)": "is in; is stored in",
    "meanwhile": "in the meantime; while",
    "of (?:its|their|his|her) own": "its own; separate",
    "shall": "must; imperative",
    "so many": "the given number",
    "stands? (?:for|in|at|there|beside|whole|alone)": "is; replaces; appears",
    "takes? (?:the|its|their) place": "replaces",
    "t(?:ook|aken?|akes) over": "import; adopt",
    "upkeep": "maintenance",
    "whosoever|whatsoever": "whoever; any",
}
"""Patterns with what to write instead, in alphabetical order."""
QUOTED = re.compile(
    r"```.*?```|`[^`\n]*`|“[^”]*”|\]\([^)]*\)|<!-- figures -->.*?<!-- end", re.DOTALL
)
"""Code, quotations, targets of links and generated figures are not our words."""
ALLOWED = {
    "docs/benchmarks.md": (
        "memory.json taken over",
    ),  # the row of a report that the benchmark writes
}
"""Phrases that stay, by file."""


def texts():
    return sorted({path for glob in SCOPE for path in CHECKOUT.glob(glob)})


def found(text):
    """Return the words to avoid that a text contains, with what to write instead."""
    words = re.compile(rf"\b(?:{'|'.join(f'({pattern})' for pattern in AVOID)})\b", re.IGNORECASE)
    advice = list(AVOID.values())
    return [(match[0], advice[match.lastindex - 1]) for match in words.finditer(text)]


@pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_a_text_avoids_words_that_read_like_a_translation(path):
    text = QUOTED.sub(" ", path.read_text("utf-8"))
    for phrase in ALLOWED.get(str(path.relative_to(CHECKOUT)), ()):
        text = text.replace(phrase, "")
    assert found(" ".join(text.split())) == []


def test_the_check_finds_words_and_leaves_quotations():
    assert found("It stands for so many rows.") == [
        ("stands for", "is; replaces; appears"),
        ("so many", "the given number"),
    ]
    assert found("Nothing shallow lies flat; the band stands.") == []
    assert QUOTED.sub(" ", "see `anew`, “beside” and [x](anew.md)").split() == [
        "see",
        ",",
        "and",
        "[x",
    ]


def test_everything_allowed_is_still_there():
    for name, phrases in ALLOWED.items():
        text = (CHECKOUT / name).read_text("utf-8")
        assert [phrase for phrase in phrases if phrase not in text] == []


def said_by_errors(tree):
    """Yield the texts of errors and hints in a module, with their lines."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        given = node.args[:1] if name.endswith("Error") else []
        given += [keyword.value for keyword in node.keywords if keyword.arg in {"hint", "note"}]
        for text in given:
            yield node.lineno, "".join(_literal(part) for part in getattr(text, "values", [text]))


def _literal(part):
    is_text = isinstance(part, ast.Constant) and isinstance(part.value, str)
    return part.value if is_text else "X"


def test_errors_and_hints_avoid_words_that_read_like_a_translation():
    seen, wrong = 0, []
    for path in sorted((CHECKOUT / "src" / "unabridged").rglob("*.py")):
        for line, text in said_by_errors(ast.parse(path.read_text("utf-8"))):
            seen += 1
            words = [*found(text), *re.findall(r"\b(?:[Mm]end|lies|the argument:)\b", text)]
            if words and "There is no text" not in text:
                wrong.append((f"{path.name}:{line}", text, words))
    assert wrong == []
    assert seen > 500
