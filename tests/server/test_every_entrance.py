"""A random word, written wherever a text can enter, is gone from the whole home once forgotten."""

import random

import pytest
from tests.helpers.entrances import (
    ENTRANCES,
    NAMES,
    NOT_STORED,
    Home,
    places,
    text_fields,
    word_of,
)

from unabridged.factory.home import Home as HomeOnDisk
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

IN_A_NAME = {"Preparation.session", "RecordExchangeBody.session", "AddedBody.session"}
"""A search lists these, and takes them where it is told to take what it lists."""
IN_TWO_BRANCHES = {"regenerated"}
"""The current path has one of them."""
IN_NO_TEXT = {"RecordExchangeBody.model"}
"""A search does not find these; they go with their exchange."""


@pytest.fixture
def upstream():
    with OpenAITestServer("The second one.", models=[OpenAIEntry("m")], window=100_000) as server:
        yield server


@pytest.fixture
def entered(serving, upstream, tmp_path, request):
    """A home that everything entered, in an order of its own; and the words."""
    files = request.param
    url = serving(upstream="openai", openai_url=upstream.base_url, json_files=files)
    home = Home(url, tmp_path / "home")
    words = {entrance: word_of(entrance, files) for entrance in ENTRANCES}
    order = sorted(ENTRANCES)
    random.Random(files).shuffle(order)
    for entrance in order:
        home.enter(entrance, words[entrance])
    home.memory("POST", "/tend")
    missing = words.keys() - places(home.home, words).keys()
    assert not missing, "these never entered, so nothing is tested with them"
    return home, words


def test_the_table_is_complete():
    named = {name for names in NAMES.values() for name in names}
    assert text_fields() - named == {name for name in ENTRANCES if "." in name}


def test_some_of_what_comes_is_not_stored(serving, upstream, tmp_path):
    url = serving(upstream="openai", openai_url=upstream.base_url)
    home = Home(url, tmp_path / "home")
    words = {entrance: word_of(entrance, 0) for entrance in NOT_STORED}
    for entrance, enter in NOT_STORED.items():
        enter(home, words[entrance])
    assert places(home.home, words) == {}


@pytest.mark.parametrize("entered", ["model"], indirect=True)
def test_it_is_forgotten_by_its_words(entered):
    home, words = entered
    for entrance in sorted(words.keys() - IN_NO_TEXT):
        receipt = home.forget(search=words[entrance], with_repeats=entrance in IN_A_NAME)
        assert places(home.home, {entrance: words[entrance]}) == {}
        assert (entrance, receipt["left"]) == (entrance, 0)


@pytest.mark.parametrize("entered", ["agent"], indirect=True)
def test_it_is_forgotten_with_what_holds_it(entered):
    home, words = entered
    rng = random.Random(1)
    for entrance, made in home.made.items():
        for fact in made.facts:
            home.forget(fact=fact)
        for requirement in made.requirements:
            home.memory("DELETE", f"/requirements/{requirement}")
        by_session = entrance in IN_TWO_BRANCHES or rng.random() < 0.5
        for session in made.sessions:
            exchanges = home.exchanges(session)
            if by_session and exchanges:
                home.forget(session=session)
            elif exchanges:
                home.forget(exchanges=exchanges)
            else:
                home.forget(search=words[entrance])
        assert places(home.home, {entrance: words[entrance]}) == {}


@pytest.mark.parametrize("entered", ["user", "agent"], indirect=True)
def test_it_is_forgotten_with_the_space(entered):
    home, words = entered
    settings = home.url.settings
    home.url.service.pool.close()
    on_disk = HomeOnDisk(settings)
    for plan in on_disk.plan_forgetting([info.space for info in on_disk.spaces()]):
        on_disk.forget(plan)
    assert places(home.home, words) == {}
