"""Write down what the scenarios give: ``python -m tests.golden.record``.

``prompts.jsonl`` is what is compared, a line for each context; ``rendered.json.xz`` holds the same
prompts whole, so that a difference can be shown; ``snapshots/`` holds what programs see;
``figures.json`` how much is found of public data.
"""

import argparse
import json
import lzma
import sys
import tempfile
from pathlib import Path

from tests.golden.driver import Drive, Line, canonical, digest
from tests.golden.scenarios import SCENARIOS

FOLDER = Path(__file__).parent
PROMPTS = FOLDER / "prompts.jsonl"
RENDERED = FOLDER / "rendered.json.xz"
COLUMNS = ("name", "hash", "prompt", "account", "tokens")


def run(name, store="sqlite"):
    """Run one scenario over one kind of store, in a folder that is then gone; gives its lines."""
    function, settings = SCENARIOS[name]
    with tempfile.TemporaryDirectory() as folder:
        drive = Drive(name, store, Path(folder), **settings)
        try:
            function(drive)
        finally:
            drive.close()
    return drive.lines


def row(line):
    """A line as it is compared."""
    return dict(zip(COLUMNS, (line.name, *line.digests), strict=True))


def read():
    """The recorded lines, by scenario."""
    found = {}
    for text in PROMPTS.read_text("utf-8").splitlines():
        held = json.loads(text)
        found.setdefault(held["name"].partition("/")[0], []).append(held)
    return found


def whole(line):
    """A line as people read it: a message after the other, then the account."""
    data = {"tools": line.tools, "account": line.account}
    texts = [json.dumps(message, ensure_ascii=False, indent=1) for message in line.messages]
    texts = [text.replace("\\n", "\n") for text in texts]
    return "\n".join([*texts, json.dumps(data, ensure_ascii=False, indent=1)]) + "\n"


def packed(lines):
    """Every line whole; messages that are the same in several lines are kept once."""
    held, rows = {}, {}
    for line in lines:
        places = []
        for message in line.messages:
            text = canonical(message)
            places.append(held.setdefault(text, len(held)))
        rows[line.name] = [places, line.tools, line.account]
    data = {"messages": [json.loads(text) for text in held], "lines": rows}
    return lzma.compress(canonical(data).encode("ascii"), preset=9)


def unpacked():
    """What ``packed`` was given, as plain data."""
    return json.loads(lzma.decompress(RENDERED.read_bytes()))


def renderings(names):
    """Recorded lines as people read them."""
    data = unpacked()
    found = {}
    for name in names:
        places, tools, account = data["lines"][name]
        messages = [data["messages"][n] for n in places]
        found[name] = whole(Line(name, "", 0, messages, tools, account))
    return found


def show(names):
    """Run scenarios and print their lines."""
    for name in names:
        for line in run(name):
            print(canonical(row(line)))


def record_prompts():
    """Run everything and write it down."""
    lines = [line for name in SCENARIOS for line in run(name)]
    text = "".join(canonical(row(line)) + "\n" for line in lines)
    PROMPTS.write_text(text, encoding="utf-8")
    RENDERED.write_bytes(packed(lines))
    contexts = sum(bool(line.hash) for line in lines)
    print(f"{len(lines)} lines, {contexts} contexts: {digest(text)}")


def record_snapshots():
    """Write down what programs see."""
    from tests.golden import snapshots

    snapshots.FOLDER.mkdir(exist_ok=True)
    for name, write in snapshots.KINDS.items():
        (snapshots.FOLDER / name).write_text(write(), encoding="utf-8")


def record_figures(folder, *, check):
    """Write down figures on public data, or compare them."""
    from tests.golden import figures

    text = json.dumps(figures.measured(folder or figures.DATA), indent=1) + "\n"
    if not check:
        figures.FIGURES.write_text(text, encoding="utf-8")
    elif text != figures.FIGURES.read_text("utf-8"):
        sys.exit(f"not as recorded: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--snapshots", action="store_true", help="only what programs see")
    parser.add_argument("--figures", action="store_true", help="only figures on public data")
    parser.add_argument("--data", type=Path, help="where the public data lie")
    parser.add_argument("--check", action="store_true", help="compare figures, write nothing")
    parser.add_argument("--show", nargs="+", metavar="NAME", help="print scenarios, write nothing")
    given = parser.parse_args()
    if given.figures:
        record_figures(given.data, check=given.check)
    elif given.show:
        show(given.show)
    elif given.snapshots:
        record_snapshots()
    else:
        record_prompts()


if __name__ == "__main__":
    main()
