"""SpacePool: the settings of each agent, one thread at a time, and their end."""

import threading

import pytest

from unabridged import config
from unabridged.config.agents import by_agent
from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.scope import Scope
from unabridged.errors import SettingError, StoreClosedError
from unabridged.wiring.lanes import SpacePool

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
    with pytest.raises(SettingError, match="no table"):
        by_agent(home=home, environ={})


def test_a_lane_holds_the_settings_of_its_agent(home):
    settings = config.load(home=home, environ={}, upstream="quote")
    pool = SpacePool(settings, agents=by_agent(home=home, environ={}, upstream="quote"))
    seen = {}
    for user, agent in (("ann", "coder"), ("ann", "home"), ("bob", "chef")):
        with pool.hold(Scope(user, agent)) as memory:
            seen[user, agent] = memory.settings.mode, memory.settings.max_turns
            assert (memory.scope.user, memory.scope.agent) == (user, agent)
    pool.close()
    assert seen == {
        ("ann", "coder"): (Mode.TOOLS, None),
        ("ann", "home"): (Mode.CHAT, 7),
        ("bob", "chef"): (Mode.CHAT, None),
    }


def test_who_waits_while_the_lanes_are_closed_opens_nothing_again(tmp_path):
    pool = SpacePool(config.load(home=tmp_path, environ={}, upstream="quote"))
    inside, told = threading.Event(), []

    def wait():
        inside.set()
        try:
            with pool.hold(Scope()):
                told.append("held")
        except StoreClosedError:
            told.append("closed")

    with pool.hold(Scope()):
        waiting = threading.Thread(target=wait)
        waiting.start()
        inside.wait(5)
        closing = threading.Thread(target=pool.close)
        closing.start()
        while not pool._closed:
            pass
    waiting.join(5)
    closing.join(5)
    assert told == ["closed"]
    assert pool.open_spaces() == []
