"""A space takes the embedder that it is opened with, also where its first exchange waits."""

import shutil
from pathlib import Path

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import IDENTITY
from unabridged.home.spaces import SpacesFolder
from unabridged.models.scripted import ScriptedModel

FORMATS = Path(__file__).parents[1] / "fixtures" / "formats"


def begun(home):
    """Store a question that got no answer before the program ended."""
    with Talker.open(home, upstream=ScriptedModel(("Yes.",))) as memory:
        memory.begin(memory.prepare("My physician told me to avoid peanuts."))


def by_meaning(memory, question):
    """What a question finds that shares no word with it."""
    return [found.exchange.user.text for found in memory.space.search(question, min_relevance=0)]


def test_where_the_first_question_was_never_answered(tmp_path):
    begun(tmp_path)
    with Talker.open(tmp_path) as memory:
        assert store_of(memory).embedded_by() == IDENTITY
        found = by_meaning(memory, "doctor nut allergy")
    assert found == ["My physician told me to avoid peanuts."]


def test_where_only_its_sessions_are_listed_first(tmp_path):
    begun(tmp_path)
    with Talker.open(tmp_path) as memory:
        memory.sessions()
        memory.stats()
    with Talker.open(tmp_path) as memory:
        assert store_of(memory).embedded_by() == IDENTITY


@pytest.mark.parametrize("folder", sorted(FORMATS.glob("sqlite-*")), ids=lambda f: f.name)
def test_a_file_of_an_older_format_is_searched_by_meaning(folder, tmp_path):
    space = SpaceId("ada", "formats", "model:1")
    path = SpacesFolder(tmp_path / "spaces").path_of(space)
    path.parent.mkdir(exist_ok=True)
    shutil.copy(folder / "space.db", path)
    names = {"user": "ada", "agent": "formats", "model": "model:1"}
    isolation = ("user", "agent", "model")
    with Talker.open(tmp_path, isolation=isolation, upstream="quote", **names) as memory:
        assert memory.stats().exchanges == 15
        assert store_of(memory).embedded_by() == IDENTITY
        assert store_of(memory).missing_vectors(IDENTITY, 100) == []
        assert "I went to the tower" in by_meaning(memory, "visiting a skyscraper")
