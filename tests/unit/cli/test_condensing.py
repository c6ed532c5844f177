"""Condensing, opening and judging, as commands and in the chat."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.cli.main import COMMANDS
from unabridged.errors import StoreError
from unabridged.space.maintenance import Maintenance

SAID = [
    ("We decide to use PostgreSQL for the ledger.", "Noted: PostgreSQL for the ledger."),
    ("How are you?", "Fine, thanks for asking!"),
    ("What is an index?", "An index is a table of where words stand. It makes searches fast."),
    ("Nice weather today.", "Indeed, the sun is out and the birds are singing in the trees."),
    ("The deadline must be 3 May.", "The deadline is 3 May, then."),
    ("I walked the dog.", "Dogs love walks. A long walk keeps a dog calm in the evening."),
    ("Which port does it use?", "It listens on port 5432 by default. You can change the port."),
    ("Thanks!", "You are welcome."),
    ("What is a trigger?", "A trigger runs when a row changes. It can write to another table."),
    ("Good night.", "Good night, sleep well."),
    ("My name is Aldric.", "Pleased to meet you, Aldric."),
    ("Tell me about vacuum.", "Vacuum removes dead rows. It runs by itself as a rule."),
]


@pytest.fixture
def talked(run, tmp_path, monkeypatch):
    """A home with one long session, and a limit that it exceeds."""
    at = datetime(2026, 5, 1, 9, tzinfo=UTC)
    lines = []
    for number, (user, answer) in enumerate(SAID):
        for role, text in (("user", user), ("assistant", answer)):
            stamp = (at + timedelta(minutes=number)).isoformat()
            lines.append(json.dumps({"role": role, "content": text, "timestamp": stamp}))
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(lines))
    assert run("import", str(path)).code == 0
    monkeypatch.setenv("UNABRIDGED_CONDENSE_TOKENS", "100")
    return run


def test_a_run_says_how_long_it_took_and_stats_repeat_it(talked):
    (done,) = talked("condense", "--json").data["sessions"]
    assert 0 < done["seconds"] < 5
    stats = talked("stats", "--json").data["condensing"]
    assert stats["seconds"] == done["seconds"]
    assert f", in {done['seconds']:.2f} s" in talked("stats").out
    shown = talked("condense", "--test", "--session", "1").out
    assert "took " in shown or "Nothing is due" in shown


def test_stats_name_every_category_that_was_judged(talked):
    talked("annotations", "stats")
    counts = {
        c["name"]: c["messages"] for c in talked("stats", "--json").data["readings"]["categories"]
    }
    told = " ".join(talked("stats").out.split())
    named = [f"{name.replace('_', ' ')} {number}" for name, number in counts.items() if number]
    assert len(named) > 3
    assert all(each in told for each in named)


def test_a_test_changes_nothing_and_a_run_does_what_it_showed(talked):
    before = talked("expand", "--json").data
    tested = talked("condense", "--test", "--json").data
    assert tested["test"] is True
    (planned,) = tested["sessions"]
    assert planned["due"] is True
    assert sum(planned["condense"].values()) > 0
    assert tested["stats"]["runs"] == 0
    assert talked("expand", "--json").data == before
    ran = talked("condense", "--json").data
    (done,) = ran["sessions"]
    assert [one["id"] for one in done["made"]] == [one["id"] for one in planned["made"]]
    assert ran["stats"]["runs"] == 1
    assert ran["stats"]["messages_condensed"] == sum(done["condense"].values())
    assert ran["stats"]["tokens_saved"] > 0
    assert ran["stats"]["by_category"] == done["condense"]
    again = talked("condense", "--json").data
    assert again["stats"] == ran["stats"]


def test_a_run_is_told_to_people_with_its_check(talked):
    tested = talked("condense", "--test", "--session", "1").out
    assert "would be" in tested
    assert "Nothing was changed" in tested
    assert "verbatim" in tested
    assert "fewer tokens" in tested
    listed = talked("condense", "--test").out
    assert "→" in listed
    told = talked("condense").out
    assert "1 run" in told
    assert "last run" in told
    assert "shares kept" in told
    assert max(map(len, (tested + listed + told).splitlines())) <= 80
    assert "No run is due" in talked("condense").out.replace("no run is due", "No run is due")


def test_nothing_is_due_below_the_limit_unless_forced(talked, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_CONDENSE_TOKENS", "25000")
    assert talked("condense", "--json").data["stats"]["runs"] == 0
    assert "due above 25,000" in talked("condense", "--session", "1").out
    assert talked("condense", "--force", "--json").data["stats"]["runs"] == 1


def test_contradictions_and_names_of_nothing_are_errors(talked):
    assert talked("condense", "--test", "--force").code == 2
    assert talked("condense", "--session", "nowhere").code == 3
    for wanted in ("c-0000000000", "c-", "zebra"):
        ran = talked("expand", wanted)
        assert ran.code == 3
        assert "hint:" in ran.err


def test_expanding_gives_the_exact_originals(talked):
    talked("condense")
    listed = talked("expand", "--json").data
    one = next(each for each in listed if each["level"] == "exchanges")
    opened = talked("expand", one["id"], "--json").data
    said = dict(SAID)
    assert [each["id"] for each in opened["exchanges"]] == one["covers"]
    for exchange in opened["exchanges"]:
        assert said[exchange["message"]] == exchange["text"]
    text = talked("expand", one["id"][:8]).out
    assert "It replaces" in text
    assert all(exchange["message"] in text for exchange in opened["exchanges"])
    assert one["id"] in talked("expand").out
    assert "Nothing is condensed" in talked("expand", "--user", "nobody").out


def test_categories_are_shown_counted_and_corrected(talked):
    shown = talked("annotations", "list", "--limit", "3", "--json").data
    assert len(shown) == 3
    assert {"category", "importance", "by"} <= set(next(iter(shown[0]["messages"].values())))
    assert "verbatim" in talked("annotations", "categories").out
    for words in ((), ("categories",)):
        assert max(map(len, talked("annotations", *words).out.splitlines())) <= 80
    counts = talked("annotations", "stats", "--json").data
    assert counts["pending"] == 0
    assert sum(each["messages"] for each in counts["categories"]) == 2 * len(SAID)
    wanted = shown[0]["exchange"]
    corrected = talked("annotations", "set", wanted, "Small", "talk", "--json").data
    assert "user" in {each["by"] for each in corrected["messages"].values()}
    stats = talked("annotations", "stats")
    assert "user 1" in stats.out
    set_answer = ("annotations", "set", wanted, "decision", "--side", "assistant")
    assert "1.00" in talked(*set_answer, "--importance", "1").out


def test_what_cannot_be_corrected_is_an_error(talked):
    (wanted,) = (one["id"] for one in talked("show", "--limit", "1", "--json").data)
    refused = talked("annotations", "set", wanted, "nonsense")
    assert refused.code == 2
    assert "small_talk" in refused.err
    assert talked("annotations", "set", "00000000", "decision").code == 3
    assert talked("annotations", "set", wanted).code == 2
    assert talked("annotations", "set", wanted, "decision", "--importance", "2").code == 2


def test_figures_tell_what_is_known_judged_and_condensed(talked):
    talked("condense")
    data = talked("stats", "--json").data
    assert data["condensing"]["runs"] == 1
    assert data["readings"]["pending"] == 0
    assert set(data["facts"]) == {"current", "pinned", "disputed"}
    text = talked("stats").out
    for word in ("known", "classified", "condensed", "last run", "check"):
        assert word in text
    assert data["wholes"] == 1
    assert "1 summary of whole conversations" in text
    empty = talked("stats", "--user", "nobody").out
    assert "nothing yet" in empty
    assert "summary of whole" not in empty


def test_the_chat_has_the_same_commands(talked):
    lines = ["/condense test", "/expand", "/condense", "/condense force", "/expand"]
    lines += ["/semantic show", "/semantic stats", "/memory stats", "/facts"]
    ran = talked("chat", "--session", "1", text="\n".join(lines) + "\n")
    assert ran.code == 0, ran.err
    assert "Nothing was changed" in ran.out
    assert "c-" in ran.out
    assert "Nothing is condensed yet" in talked("chat", "--user", "nobody", text="/expand\n").err
    one = talked("expand", "--json").data[0]["id"]
    assert "It replaces" in talked("chat", text=f"/expand {one}\n").out


def test_a_test_in_the_chat_changes_nothing(talked):
    ran = talked("chat", "--session", "1", text="/condense test\n")
    assert "verbatim" in ran.out
    assert talked("stats", "--json").data["condensing"]["runs"] == 0
    talked("chat", "--session", "1", text="/condense\n")
    assert talked("stats", "--json").data["condensing"]["runs"] == 1


def test_the_chat_condenses_when_forced(talked, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_CONDENSE_TOKENS", "25000")
    ran = talked("chat", "--session", "1", text="/condense\n/condense force\n")
    assert "Nothing is due" in ran.out
    assert "/condense force runs it" in ran.err
    assert talked("stats", "--json").data["condensing"]["runs"] == 1


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/condense everything", "/condense force"),
        ("/condense test now", "/condense force"),
        ("/expand c-0000000000", "/expand"),
        ("/semantic set", "/semantic show"),
        ("/semantic set 00000000 decision", "/search WORDS"),
        ("/facts nonsense", "/facts add"),
        ("/facts add", "/facts add"),
        ("/facts pin 99", "number"),
        ("/facts forget", "/facts forget"),
    ],
)
def test_slips_in_the_chat_say_what_to_do(talked, line, hint):
    ran = talked("chat", "--session", "1", text=f"{line}\n")
    assert ran.code != 0
    assert hint in ran.err


def test_a_session_that_has_not_begun_cannot_be_condensed(run):
    ran = run("chat", text="/condense\n")
    assert ran.code == 3
    assert "Say something first" in ran.err
    assert "no session" in run("condense").out


def test_facts_are_added_pinned_shown_and_taken_back(run):
    lines = ["/facts add I like tea.", "/facts", "/facts pin 1", "/facts why 1", "/facts unpin 1"]
    ran = run("chat", text="\n".join([*lines, "/facts forget 1", "/facts"]) + "\n")
    assert ran.code == 0, ran.err
    assert "I like tea." in ran.out
    assert "Nothing is known yet" in ran.err
    assert run("stats", "--json").data["facts"]["current"] == 0


def test_a_correction_in_the_chat_counts(talked):
    (wanted,) = (one["id"] for one in talked("show", "--limit", "1", "--json").data)
    ran = talked("chat", "--session", "1", text=f"/semantic set {wanted} small talk\n")
    assert ran.code == 0, ran.err
    assert "small talk" in ran.out
    assert talked("annotations", "stats", "--json").data["by"]["user"] == 1


@pytest.mark.parametrize("command", ["chat", "ask"])
def test_what_was_said_is_judged_and_learnt_from_after_the_answer(run, command):
    said = "I live in Lisbon."
    ran = run("chat", text=f"{said}\n") if command == "chat" else run("ask", said)
    assert ran.code == 0
    data = run("stats", "--json").data
    assert data["readings"]["pending"] == 0
    assert data["facts"]["current"] == 1


def test_what_was_imported_is_judged_and_learnt_from(talked):
    data = talked("stats", "--json").data
    assert data["readings"]["pending"] == 0
    assert data["facts"]["current"] >= 1


def test_tending_that_is_stopped_is_put_off(run, tmp_path, monkeypatch):
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"role": "user", "content": "I live in Lisbon."}) + "\n")

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Maintenance, "run", stopped)
    ran = run("import", str(path))
    assert ran.code == 0
    assert "unabridged condense" in " ".join(ran.err.split())
    assert run("stats", "--json").data["exchanges"] == 1


def test_a_failure_of_tending_is_a_note(run, monkeypatch):
    def failing(*_, **__):
        raise StoreError("No room.", hint="Make some.")

    monkeypatch.setattr(Maintenance, "run", failing)
    ran = run("chat", text="hello\nhello again\n")
    assert ran.code == 0
    assert ran.err.count("No room.") == 1
    assert run("ask", "hello").code == 0
    assert run("condense").code == 5


def test_they_are_commands():
    assert {"condense", "expand", "annotations", "topics"} <= set(COMMANDS)


def test_the_tokens_of_the_last_prompt_say_what_they_hold(run):
    lines = "My cat is called Ada.\nMy dog is called Bo.\nAnd who is Ada?\n"
    ran = run("chat", text=f"{lines}/memory tokens\n")
    (immediate,) = (line for line in ran.out.splitlines() if line.startswith("immediate"))
    assert "2 exchanges" in immediate
