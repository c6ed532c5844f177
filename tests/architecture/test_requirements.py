"""The locks: every package has a version and hashes, and none has the address of an index."""

import re
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
LOCKS = sorted((CHECKOUT / "requirements").glob("*.txt"))
WANTED = {
    "chat.txt": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["chat"],
        *PROJECT["dependency-groups"]["build"],
    ],
    "dev.txt": [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]],
    "clients.txt": PROJECT["dependency-groups"]["clients"],
    "programs.txt": PROJECT["dependency-groups"]["programs"],
    "docs.txt": PROJECT["dependency-groups"]["docs"],
    "sqlite3mc.txt": PROJECT["dependency-groups"]["sqlite3mc"],
    "vocabularies.txt": [],  # data that tests read, pinned by hand
}


def name_of(requirement):
    return re.split(r"[\[<>=; ]", requirement)[0].lower()


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_hashes_and_no_address(path):
    text = path.read_text("utf-8")
    assert "://" not in text
    blocks = [each for each in re.split(r"\n(?=[a-z0-9])", text) if each[0] != "#"]
    assert [block for block in blocks if "--hash=sha256:" not in block] == []
    assert [block for block in blocks if not re.match(r"[a-z0-9._-]+==[\w.]+", block)] == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_what_the_project_names(path):
    held = {name_of(line) for line in path.read_text("utf-8").splitlines() if line[:1].isalnum()}
    assert {name_of(each) for each in WANTED[path.name]} <= held


def test_setup_does_not_install_the_docs_site():
    assert "zensical" not in (CHECKOUT / "requirements" / "dev.txt").read_text("utf-8")
