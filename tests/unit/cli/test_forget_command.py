import json
from pathlib import Path

import pytest

SECRET = "My cousin Xylophonia lives behind the old brewery in Ulaanbaatar."


def raw(home):
    files = (path for path in Path(home).rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files)


@pytest.fixture
def said(run):
    """Two exchanges, the first of which is to be forgotten."""
    for text in (SECRET, "Quite another thing, about mountains and snow."):
        assert run("ask", text).code == 0


def found(run, words):
    return [one["exchange"]["id"] for one in run("search", words, "--json").data]


def test_an_exchange_is_shown_and_then_forgotten(run, said, tmp_path):
    (gone,) = found(run, "Xylophonia")[:1]
    plan = run("forget", gone, "--dry-run")
    assert plan.code == 0
    assert "1 exchange would be forgotten" in plan.out
    assert "Xylophonia" in plan.out
    assert run("forget", gone, "--dry-run", "--json").data["exchanges"][0]["id"] == gone
    refused = run("forget", gone)
    assert refused.code == 2
    assert "--yes" in refused.err
    assert b"Xylophonia" in raw(tmp_path / "home")
    told = run("forget", gone, "--yes", "-o", str(tmp_path / "receipt.json"))
    assert told.code == 0, told.err
    assert "none found" in told.out
    assert b"Xylophonia" not in raw(tmp_path / "home")
    (kept,) = json.loads((tmp_path / "receipt.json").read_text())
    assert kept["exchanges"] == 1
    assert "Xylophonia" not in json.dumps(kept)
    assert run("forget", gone, "--yes").code == 3
    assert run("forget", found(run, "mountains")[0], "-o", str(tmp_path / "receipt.json")).code == 2


def test_receipts_are_listed_shown_and_lifted(run, said):
    assert "Nothing was forgotten" in run("receipts").out
    run("forget", "--search", "Xylophonia brewery", "--yes")
    (one,) = run("receipts", "--json").data
    assert one["genuine"] is True
    name = one["id"]
    assert name in run("receipts").out
    assert "1 exchange" in run("receipts", name[-6:]).out
    again = run("ask", SECRET)
    assert "Forgotten before" in again.err
    assert found(run, "Xylophonia") == []
    assert run("forget", "--lift", name[-6:]).code == 0
    assert "lifted" in run("receipts").out
    run("ask", SECRET)
    assert len(found(run, "Xylophonia")) == 1
    assert run("forget", "--lift", "nothing").code == 3


def test_what_contradicts_itself_or_names_nothing_is_refused(run, said):
    assert run("forget").code == 2
    assert run("forget", "--space", "--session", "1").code == 2
    assert run("forget", "--search", "nothingofthekind", "--yes").code == 3
    assert run("forget", "--resume").out == "No run was interrupted.\n"


def test_a_whole_space_is_wiped(run, said, tmp_path):
    run("ask", "This is of another agent.", "--agent", "other")
    assert run("forget", "--space").code == 2
    told = run("forget", "--space", "--yes", "--json")
    (receipt,) = told.data
    assert receipt["what"] == "space"
    assert receipt["exchanges"] == 2
    assert b"Xylophonia" not in raw(tmp_path / "home")
    assert [s["space"]["agent"] for s in run("spaces", "--json").data] == ["other"]
    assert found(run, "Xylophonia") == []
    assert len(run("receipts", "--json").data) == 1


def test_every_space_of_a_user_is_wiped(run, tmp_path):
    for agent in ("one", "two"):
        run("ask", SECRET, "--user", "ann", "--agent", agent)
    run("ask", "This is of another user.", "--user", "bob")
    told = run("forget", "--all-of", "ann", "--yes", "--json")
    assert len(told.data) == 2
    assert b"Xylophonia" not in raw(tmp_path / "home")
    assert [s["space"]["user"] for s in run("spaces", "--json").data] == ["bob"]
    assert run("forget", "--all-of", "ann", "--yes").code == 3


def test_a_fact_goes_and_what_was_said_stays(run):
    run("ask", "I live in Berlin and my dog is called Rex.")
    run("facts", "learn")
    number = next(
        n
        for n, fact in enumerate(run("facts", "list", "--json").data, 1)
        if "Berlin" in fact["text"]
    )
    assert run("forget", "--fact", str(number), "--yes").code == 0
    assert "Berlin" not in run("facts").out
    assert len(found(run, "Berlin")) == 1


def test_an_import_says_what_was_forgotten(run, said, tmp_path):
    (tmp_path / "all.jsonl").write_text(run("export").out)
    run("forget", "--search", "Xylophonia", "--yes")
    told = run("import", str(tmp_path / "all.jsonl"))
    assert "forgotten before" in told.err
    assert found(run, "Xylophonia") == []


def test_the_chat_shows_and_does_not_forget_unasked(run):
    ran = run("chat", text=f"{SECRET}\n/forget\n/search Xylophonia\n/forget 1\n/forget 9\n")
    assert ran.code != 0
    assert "1 exchange would be forgotten" in ran.out
    assert "Cannot ask for confirmation" in ran.err
    assert "has no result 9" in ran.err
    assert len(found(run, "Xylophonia")) == 1
