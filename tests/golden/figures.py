"""How much is found and how well is condensed, on parts of public data: a few figures to compare.

The data lie beside the checkout, or in ``--data FOLDER``. ``python -m tests.golden.record --figures``
writes the file; with ``--check`` it only compares.
"""

import json
import lzma
import re
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.golden.driver import Drive

DATA = Path(__file__).parents[3] / "shared" / "data"
FIGURES = Path(__file__).parent / "figures.json"
FOUND = (1, 5, 10)
CAPS = (2000, 8000)
EVERY_LOCOMO = 8
"""Of the questions of a conversation, each eighth is asked."""
EVERY_LONGMEMEVAL = 6
DIGITS = 3


@contextmanager
def _drive(**settings):
    with tempfile.TemporaryDirectory() as folder:
        drive = Drive("figures", "sqlite", Path(folder), max_prompt_tokens=64_000, **settings)
        drive.window(131_072)
        try:
            yield drive
        finally:
            drive.close()


def _session(name, at, turns):
    """A line of a file: a session of messages a minute apart."""
    messages = [
        {"role": role, "content": text, "time": (at + timedelta(minutes=n)).isoformat()}
        for n, (role, text) in enumerate(turns)
    ]
    return json.dumps({"id": name, "title": name, "messages": messages})


def _asked(drive, question, gold):
    """What one question gives: how much of its gold is found, and stands in prompts."""
    ranked = drive.ranked(question, max(FOUND))
    found = {f"frac@{k}": len(gold & set(ranked[:k])) / len(gold) for k in FOUND}
    first = next((1 / n for n, one in enumerate(ranked, 1) if one in gold), 0.0)
    covered = {}
    for cap in CAPS:
        with _capped(drive, cap):
            held = drive.whole(drive.prepare(question))
        covered[f"whole in {cap}"] = len(gold & held) / len(gold)
    return {**found, "mrr": first, **covered}


@contextmanager
def _capped(drive, cap):
    drive.reopen(memory_cap=cap)
    drive.new_session()
    yield


def _means(rows):
    names = rows[0] if rows else ()
    means = {name: round(sum(row[name] for row in rows) / len(rows), DIGITS) for name in names}
    return {"questions": len(rows), **means}


def locomo(folder):
    """Conversations of two people over months; two turns are an exchange."""
    rows, condensed = [], []
    for talk in json.loads((folder / "locomo" / "locomo4.json").read_text("utf-8")):
        lines, places, last = _locomo_sessions(talk["conversation"])
        with _drive() as drive:
            drive.take_in("\n".join(lines).encode())
            drive.clock.time = last + timedelta(days=1)
            asked = [one for one in talk["qa"] if one["category"] != 5]
            for one in asked[::EVERY_LOCOMO]:
                named = re.findall(r"D:?(\d+):0*(\d+)", " ".join(one["evidence"]))
                gold = {places[at] for at in named if at in places}
                if gold:
                    rows.append(_asked(drive, one["question"], gold))
        condensed.append(_condensed(lines[0], lines[1:], last))
    return {"recall": _means(rows), "condensed": condensed}


def _locomo_sessions(conversation):
    lines, places, last = [], {}, datetime(2020, 1, 1, tzinfo=UTC)
    for number in range(1, 99):
        turns = conversation.get(f"session_{number}")
        if not turns:
            continue
        date = conversation[f"session_{number}_date_time"]
        at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        said = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        name = f"session {number}"
        lines.append(
            _session(name, at, [(("user", "assistant")[n % 2], t) for n, t in enumerate(said)])
        )
        for n, turn in enumerate(turns):
            place = re.findall(r"D:?(\d+):0*(\d+)", turn["dia_id"])[0]
            places[place] = (name, said[n - n % 2])
        last = max(last, at)
    return lines, places, last


def _condensed(first, others, last):
    """What condensing one long session keeps: all of a conversation as one."""
    messages = [m for line in (first, *others) for m in json.loads(line)["messages"]]
    line = json.dumps({"id": "all", "title": "all", "messages": messages})
    with _drive(condense_tokens=2000) as drive:
        drive.take_in(line.encode())
        drive.clock.time = last + timedelta(days=1)
        drive.switch("all")
        drive.condense(threshold=2000)
        told = drive.coherence()
    return {name: round(value, DIGITS) for name, value in told.items()}


def longmemeval(folder):
    """Histories of some fifty sessions; each question is asked of its own."""
    base = folder / "longmemeval"
    questions = [json.loads(x) for x in (base / "questions.jsonl").read_text("utf-8").splitlines()]
    chosen = [q for q in questions if any(q["answer_turns"].values())][::EVERY_LONGMEMEVAL]
    wanted = {name for one in chosen for name in one["haystack_session_ids"]}
    sessions = {}
    with lzma.open(base / "sessions.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            held = json.loads(line)
            if held["id"] in wanted:
                sessions[held["id"]] = held["turns"]
    return {"recall": _means([_longmemeval(one, sessions) for one in chosen])}


def _longmemeval(one, sessions):
    pairs = zip(one["haystack_session_ids"], one["haystack_dates"], strict=True)
    lines = [_session(name, _date(at), _turns(sessions[name])) for name, at in dict(pairs).items()]
    gold = set()
    for name, turns in one["answer_turns"].items():
        said = sessions[name]
        for n in turns:
            users = [i for i in range(n + 1) if said[i]["role"] == "user"]
            gold |= {(name, said[i]["content"]) for i in users[-1:]}
    with _drive() as drive:
        drive.take_in("\n".join(lines).encode())
        drive.clock.time = _date(one["question_date"])
        return _asked(drive, one["question"], gold)


def _turns(turns):
    return [(turn["role"], turn["content"]) for turn in turns]


def _date(text):
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def measured(folder=DATA):
    """Every figure, to the third digit."""
    return {"locomo": locomo(folder), "longmemeval": longmemeval(folder)}
