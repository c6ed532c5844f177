"""Runs every fault program, collects their figures, and prints them as a table.

    python -m tests.faults.run --long [--fresh] [--only crash,kills] [--output FILE]
    python -m tests.faults.run --short
    python -m tests.faults.run --docs

The long form is the one whose figures are published; it is resumed program by program: what is in
the file of results is not run again, unless --fresh asks for it or it failed. The short form takes a
minute or two.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
RESULTS = Path(__file__).parents[2] / "build" / "faults.json"


@dataclass(frozen=True)
class Program:
    """One program of this folder, with the counts of both forms."""

    module: str
    long: int
    short: int
    arguments: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name in the results."""
        return " ".join([self.module, *[word.strip("-") for word in self.arguments]])


BOTH = (("--store", "sqlite"), ("--store", "files"))
OURS = {
    "crash": (25_000, 240),
    "disks": (1_500, 60),
    "kills": (400, 24),
    "power": (75, 4),
    "crowd": (640, 48),
    "clocks": (60, 3),
    "migrating": (250, 6),
    "forgetting": (250, 8),
    "entrances": (1_000, 4),
    "forget_kills": (250, 10),
    "share_kills": (250, 6),
    "upstream_faults": (280, 28),
    "serve_kills": (200, 4),
}
"""Programs that take a store: counts for each store, in the long and the short form."""
OTHERS = {
    "rekeying": (300, 6),
    "long_backup": (200, 3),
    "long_damage": (10_000, 100),
    "imports": (1_000_000, 500),
}
"""Programs that do all stores at once, or concern one only."""


def programs() -> list[Program]:
    """Every program that is there, store by store."""
    found = [Program(name, *counts, store) for name, counts in OURS.items() for store in BOTH] + [
        Program(name, *counts) for name, counts in OTHERS.items()
    ]
    return [p for p in found if importlib.util.find_spec(f"tests.faults.{p.module}")]


def run(program: Program, count: int) -> dict[str, object]:
    """Run one, and give its figures."""
    argv = [sys.executable, "-m", f"tests.faults.{program.module}", "--count", str(count)]
    done = subprocess.run(
        [*argv, *program.arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    lines = done.stdout.strip().splitlines()
    try:
        figures = json.loads(lines[-1])
    except (IndexError, ValueError):
        figures = {"broken": f"exit {done.returncode}, no figures"}
    return {**figures, "count": count, "exit": done.returncode}


def words(figures: dict[str, object]) -> str:
    """Figures in one line."""
    left_out = {"fault", "store", "seed", "ok", "wrong", "count", "exit", "operations", "kinds"}
    left_out |= {"where", "traces", "first", "examples", "start", "phases"}
    kept = {name: value for name, value in figures.items() if name not in left_out}
    return ", ".join(f"{name} {value}" for name, value in kept.items())


def table(held: dict[str, dict[str, object]]) -> str:
    """The figures as a table for the documentation."""
    rows = ["| program | count | result | figures | seconds |", "|---|--:|---|---|--:|"]
    for program in programs():
        found = held.get(program.key)
        if found is None:
            rows.append(f"| `{program.key}` | {program.long:,} | not run yet | | |")
            continue
        result = (
            str(found["skipped"]) if "skipped" in found else "FAILED" if found["exit"] else "ok"
        )
        said = words({name: value for name, value in found.items() if name != "seconds"})
        seconds = found.get("seconds", "")
        rows.append(f"| `{program.key}` | {found['count']:,} | {result} | {said} | {seconds} |")
    return "\n".join(rows)


def write_table(held: dict[str, dict[str, object]]) -> None:
    """Put the table between its marks in the documentation."""
    head, begin, rest = DOCS.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    DOCS.write_text(f"{head}{begin}\n{table(held)}\n{end}{tail}")


def main() -> int:
    """Run what is asked for; the exit status says whether a must was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--long", action="store_true")
    form.add_argument("--short", action="store_true")
    form.add_argument("--docs", action="store_true", help="only write docs/reliability.md anew")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    held = json.loads(chosen.output.read_text()) if chosen.output.exists() else {}
    if chosen.docs:
        write_table(held)
        return 0
    only, failed = set(filter(None, chosen.only.split(","))), []
    for program in programs():
        if only and program.module not in only:
            continue
        count = program.short if chosen.short else program.long
        figures = held.get(program.key)
        if chosen.fresh or not figures or figures["exit"] or figures["count"] < count:
            figures = run(program, count)
            if not chosen.short:
                held[program.key] = figures
                chosen.output.parent.mkdir(exist_ok=True)
                chosen.output.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n")
        mark = "skipped" if "skipped" in figures else "ok" if not figures["exit"] else "FAILED"
        print(f"{program.key:28} {mark:8} {words(figures)}", flush=True)
        if figures["exit"]:
            failed.append(program.key)
            print("   ", figures.get("wrong", figures.get("broken")), flush=True)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
