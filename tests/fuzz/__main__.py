"""Fuzzes every file format that is read and every importer; see ``docs/reliability.md``.

    python -m tests.fuzz [--seconds 60] [--only NAME,NAME] [--seed N] [--fresh]
    python -m tests.fuzz --only NAME --input FILE
    python -m tests.fuzz --list

Each target runs in a separate process. Inputs with a new outcome are kept in ``build/fuzz/corpus``
and changed further in later runs; crashes are kept in ``build/fuzz/crashes``, each with the command
that repeats it. An interrupted run continues with the first target that it has not finished; after
the last target, the next run begins the next round, with another seed.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from tests.faults.bench import quick_folder
from tests.fuzz import worker
from tests.fuzz.table import TARGETS

FOLDER = Path(__file__).parents[2] / "build" / "fuzz"
STALE_SECONDS = 45
"""Seconds after which a process that is still at one input is killed: it hangs where no signal reaches."""
_COLUMNS = ("inputs", "seconds", "outcomes", "corpus", "new", "grown_mib", "crashes")


def supervised(name, seconds, seed, folder):
    """Fuzz a target in a process, and give its figures."""
    argv = [sys.executable, "-W", "ignore", "-m", "tests.fuzz", "--worker", "--only", name]
    argv += ["--seconds", str(seconds), "--seed", str(seed), "--folder", str(folder)]
    errors = folder / "current" / f"{name}.stderr"
    current = errors.with_suffix("")
    errors.parent.mkdir(parents=True, exist_ok=True)
    current.unlink(missing_ok=True)
    began = time.monotonic()
    with errors.open("wb") as told:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=told, text=True)
        why = _watched(process, current)
        output = process.communicate()[0]
    lines = output.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        told = f"{why or f'the process ended with {process.returncode}'}\n" + errors.read_text(
            "utf-8", "replace"
        )
        data = current.read_bytes() if current.exists() else b""
        path = worker.write_crash(folder / "crashes", name, data, told)
        return {"crashes": 1, "seconds": round(time.monotonic() - began), "ended": str(path)}


def _watched(process, current):
    last, since = None, time.monotonic()
    while True:
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            seen = current.stat().st_mtime_ns if current.exists() else None
            if seen != last:
                last, since = seen, time.monotonic()
            elif seen is not None and time.monotonic() - since > STALE_SECONDS:
                process.kill()
                return f"one input took more than {STALE_SECONDS} s"
        else:
            return ""


def table(figures):
    """Return figures as a table for the documentation."""
    rows = [f"| target | {' | '.join(_COLUMNS)} |", f"|---|{'--:|' * len(_COLUMNS)}"]
    for name, found in figures.items():
        rows.append(f"| `{name}` | {' | '.join(str(found.get(c, '')) for c in _COLUMNS)} |")
    total = {c: sum(found.get(c, 0) for found in figures.values()) for c in _COLUMNS}
    rows.append(f"| all {len(figures)} | {' | '.join(f'{total[c]:,}' for c in _COLUMNS)} |")
    return "\n".join(rows)


def fuzz(names, seconds, seed, *, fresh):
    """Run the targets that the state has not finished; returns every figure of the round."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "state.json"
    state = json.loads(path.read_text()) if path.exists() and not fresh else {}
    if not state or all(name in state["figures"] for name in TARGETS):
        state = {"round": state.get("round", 0) + 1, "figures": {}}
    for name in names:
        held = state["figures"].get(name)
        if held and not held["crashes"] and held["seconds"] >= seconds:
            continue
        figures = supervised(name, seconds, seed or state["round"], FOLDER)
        state["figures"][name] = figures
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(state, indent=1))
        draft.replace(path)
        print(name, json.dumps(figures), flush=True)
    return {name: state["figures"][name] for name in TARGETS if name in state["figures"]}


def repeat(name, path):
    """Read one input again and show what comes of it."""
    place = quick_folder("fuzz")
    with TARGETS[name].opened(place) as subject:
        sign, crash = worker.judge(subject, path.read_bytes())
    print(crash or sign)
    return 1 if crash else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--seed", type=int, default=0, help="default: the number of the round")
    parser.add_argument("--fresh", action="store_true", help="begin again; the corpus stays")
    parser.add_argument("--input", type=Path, help="read one file instead")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the last figures only")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=FOLDER, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    names = [name for name in chosen.only.split(",") if name] or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"no target {unknown[0]!r}; see --list")
    if chosen.list:
        print("\n".join(TARGETS))
        return 0
    if chosen.input:
        return repeat(names[0], chosen.input)
    if chosen.worker:
        worker.main(TARGETS[names[0]], chosen.seconds, chosen.seed, chosen.folder)
        return 0
    figures = fuzz([] if chosen.table else names, chosen.seconds, chosen.seed, fresh=chosen.fresh)
    print(table(figures))
    return 1 if any(found["crashes"] for found in figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
