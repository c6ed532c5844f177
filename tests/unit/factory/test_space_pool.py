"""SpacePool: the settings of each agent, one thread at a time, and their end."""

import threading

import pytest

from unabridged import config
from unabridged.config.agent_settings import by_agent
from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.scope import Scope
from unabridged.errors import SettingError, StoreClosedError
from unabridged.factory.space_pool import SpacePool

FILE = """
verbosity = "concise"
agent = "home"

[agents.coder]
mode = "tools"
verbosity = "detailed"

[agents.home]
max_turns = 7
"""


@pytest.fixture
def home(tmp_path):
    path = config.file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(FILE)
    return tmp_path


def test_each_agent_has_its_table_and_no_other_has_it(home):
    found = by_agent(home=home, environ={})
    coder, own, other = found.of("coder"), found.of("home"), found.of("any")
    assert (coder.agent, coder.mode, coder.verbosity) == ("coder", Mode.TOOLS, Verbosity.DETAILED)
    assert (own.agent, own.max_turns, own.verbosity) == ("home", 7, Verbosity.CONCISE)
    assert (other.agent, other.max_turns, other.mode) == ("any", None, Mode.CHAT)
    assert found.of("").agent == ""


def test_variables_and_options_hold_over_every_table(home):
    found = by_agent(
        home=home, environ={"UNABRIDGED_VERBOSITY": "balanced"}, mode="chat", agent="x"
    )
    assert found.of("coder").mode is Mode.CHAT
    assert found.of("coder").verbosity is Verbosity.BALANCED
    assert found.of("home").max_turns == 7


def test_a_table_that_cannot_be_used_is_told_before_anything_starts(home):
    config.file_of(home).write_text('[agents.coder]\nmode = "sideways"\n')
    with pytest.raises(SettingError, match="agent coder"):
        by_agent(home=home, environ={})
    config.file_of(home).write_text("agents = 3\n")
    with pytest.raises(SettingError, match="not a table"):
        by_agent(home=home, environ={})


def test_a_lane_holds_the_settings_of_its_agent(home):
    settings = config.load(home=home, environ={}, upstream="quote")
    pool = SpacePool(settings, agents=by_agent(home=home, environ={}, upstream="quote"))
    seen = {}
    for user, agent in (("ann", "coder"), ("ann", "home"), ("bob", "chef")):
        with pool.use(Scope(user, agent)) as space:
            seen[user, agent] = space.settings.mode, space.settings.max_turns
            assert (space.scope.user, space.scope.agent) == (user, agent)
    pool.close()
    assert seen == {
        ("ann", "coder"): (Mode.TOOLS, None),
        ("ann", "home"): (Mode.CHAT, 7),
        ("bob", "chef"): (Mode.CHAT, None),
    }


def test_who_uses_a_space_while_the_pool_is_closed_ends_and_nobody_begins(tmp_path):
    pool = SpacePool(config.load(home=tmp_path, environ={}, upstream="quote"))
    with pool.use(Scope()) as space:
        pool.close()
        assert space.stats().exchanges == 0
        with pytest.raises(StoreClosedError), pool.use(Scope()):
            pass
    with pytest.raises(StoreClosedError):
        space.stats()
    assert pool.open_spaces() == []


def test_threads_share_one_space(tmp_path):
    pool = SpacePool(config.load(home=tmp_path, environ={}, upstream="quote"))
    both, spaces = threading.Barrier(2, timeout=20), []

    def use():
        with pool.use(Scope()) as space:
            both.wait()  # neither waits for the other to leave
            spaces.append(space)

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    pool.close()
    assert len(spaces) == 2
    assert spaces[0] is spaces[1]


def test_who_only_looks_begins_no_space_and_hinders_nobody_who_does(tmp_path):
    pool = SpacePool(config.load(home=tmp_path, environ={}, upstream="quote"))
    with pool.use(Scope(), create=False) as empty:
        assert empty.is_placeholder
        with pool.use(Scope()) as space:
            assert not space.is_placeholder
            with pool.use(Scope(), create=False) as same:
                assert same is space
    pool.close()
