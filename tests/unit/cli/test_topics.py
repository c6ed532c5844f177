import json
from datetime import UTC, datetime, timedelta

import pytest

SAID = {
    "guitar": [
        ("Which strings suit my acoustic guitar?", "Bronze strings suit an acoustic guitar."),
        ("How do I tune the guitar by ear?", "Tune the low string first, then fret by fret."),
        ("Show me guitar chords.", "Begin with the guitar chords G, C and D."),
    ],
    "tax": [
        ("Which expenses lower my income tax?", "Travel expenses lower the income tax."),
        ("When is the tax return due?", "The tax return is due at the end of July."),
    ],
    "small": [("Hi!", "Hello!")],
}


@pytest.fixture
def talked(run, tmp_path):
    """A home with three sessions in three months."""
    for number, (name, said) in enumerate(SAID.items()):
        lines = []
        at = datetime(2026, 3 + number, 15, 12, tzinfo=UTC)
        for place, (user, answer) in enumerate(said):
            for role, text in (("user", user), ("assistant", answer)):
                stamp = (at + timedelta(minutes=place)).isoformat()
                lines.append(json.dumps({"role": role, "content": text, "timestamp": stamp}))
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(lines))
        assert run("import", str(path)).code == 0
    return run


def test_topics_are_listed_with_names_sizes_and_dates(talked):
    data = talked("topics", "--json").data
    assert [len(topic["exchanges"]) for topic in data] == [3, 2, 1]
    assert "guitar" in data[0]["name"]
    assert "tax" in data[1]["name"]
    assert [topic["other"] for topic in data] == [False, False, True]
    stats = talked("stats", "--json").data
    assert sum(topic["tokens"] for topic in data) == stats["tokens"]
    text = talked("topics").out
    assert "guitar" in text
    assert "2026-03" in text
    assert "small talk and other" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_wide_terminal_shows_sessions_and_days(talked, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    text = talked("topics").out
    assert "sessions" in text
    assert "2026-03-15" in text


def test_one_topic_is_opened(talked):
    assert "How do I tune the guitar by ear?" in talked("topics", "--show", "1").out
    shown = talked("topics", "--show", "other", "--json").data
    assert shown["exchanges"][0]["message"] == "Hi!"
    assert "… and 2 more: --limit 3" in talked("topics", "--show", "1", "--limit", "1").out
    for wanted in ("99", "0", "guitar", "-1"):
        ran = talked("topics", f"--show={wanted}")
        assert ran.code == 3
        assert "unabridged topics" in ran.err


def test_what_does_not_fit_is_summed_up_and_the_rest_is_never_hidden(talked):
    text = talked("topics", "--limit", "1").out
    assert "1 smaller topic with 2 exchanges" in text
    assert "small talk and other" in text


def test_a_time_or_a_session_can_be_chosen(talked):
    def held(*options):
        found = talked("topics", "--json", *options).data
        return sum(len(topic["exchanges"]) for topic in found)

    assert held("--since", "2026-04-15") == 3
    assert held("--until", "2026-04-15") == 5
    assert held("--since", "2026-04-15", "--until", "2026-04-15") == 2
    assert held("--since", "2027-01-01") == 0
    oldest = str(len(talked("sessions", "--json").data))
    assert held("--session", oldest) in {1, 2, 3}
    assert talked("topics", "--since", "2026-05-01", "--until", "2026-04-01").code == 2
    assert talked("topics", "--since", "May").code == 2
    assert talked("topics", "--session", "nowhere").code == 3


def test_nothing_is_said_of_nothing(run):
    assert run("topics").out == "There is no exchange in this period.\n"
    assert run("topics", "--json").data == []
