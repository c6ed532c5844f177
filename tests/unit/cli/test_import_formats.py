from pathlib import Path

import pytest

from unabridged.transfer.formats.table import FORMATS

IMPORTS = Path(__file__).parents[2] / "fixtures" / "imports"
FILES = {
    "workspaceai-v1.json": ("workspaceai", 2),
    "workspaceai-v3.json": ("workspaceai", 5),
    "dana-memory.json": ("dana", 3),
    "reqvibe-sessions.json": ("reqvibe", 2),
    "emm-memory.json": ("emm", 4),
    "openwebui-export.json": ("openwebui", 3),
    "sillytavern-chat.jsonl": ("sillytavern", 5),
    "lmstudio.conversation.json": ("lmstudio", 4),
    "whisperengine.json": ("whisperengine", 3),
}


def test_every_format_is_counted_added_once_and_found(run):
    files = [str(IMPORTS / name) for name in FILES]
    dry = run("import", *files, "--dry-run", "--json")
    assert [(f["format"], f["exchanges"]) for f in dry.data["files"]] == list(FILES.values())
    assert run("sessions", "--json").data == []
    first, second = (run("import", *files, "--json").data["files"] for _ in range(2))
    assert [file["added"] for file in first] == [count for _, count in FILES.values()]
    assert {file["added"] for file in second} == {0}
    assert "1,222 degrees." in run("search", "hot kiln").out


def test_the_model_is_asked_for_and_not_guessed(run):
    path = str(IMPORTS / "workspaceai-v1.json")
    run("import", path)
    run("import", path, "--model", "mine:1b", "--user", "ann")
    assert run("stats", "--json").data["models"] == {"unknown": 2}
    assert run("stats", "--user", "ann", "--json").data["models"] == {"mine:1b": 2}


def test_requirements_come_along_once(run):
    path = str(IMPORTS / "reqvibe-sessions.json")
    assert "1 requirement" in run("import", path, "--dry-run").out
    assert "Imported 1 requirement." in run("import", path).out
    assert "requirement" not in run("import", path).out
    (held,) = run("requirements", "list", "--json").data
    assert (held["text"], held["originator"]) == ("Passengers shall book a ferry", "Harbour office")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_the_help_names_every_format(run, form):
    said = " ".join(run("import", "--help").out.split())
    assert form.title in said
    assert form.name in said
