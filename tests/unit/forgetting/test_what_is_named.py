"""What may be named together, and whose plan is carried out, at every front end."""

import pytest
from click.testing import CliRunner

from unabridged import Memory
from unabridged.cli.main import cli
from unabridged.errors import InputError, NotFoundError


@pytest.fixture
def home(tmp_path):
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        for session, text in (
            ("s1", "alpha gamma"),
            ("s2", "beta gamma"),
            ("s2", "beta delta"),
            ("s3", "gamma epsilon"),
        ):
            memory.record(memory.prepare(text, session=session), "Noted.")
        memory.facts.add("I like beta.")
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with Memory.open(home, upstream="quote") as memory:
        yield memory


def left(memory):
    return sorted(exchange.user.text for exchange in memory.space.log.scan())


def test_a_session_limits_a_search_as_it_does_when_looking(memory):
    seen = [hit.exchange.user.text for hit in memory.search("gamma", session="s2")]
    plan = memory.plan_forget(session="s2", search="gamma")
    assert [exchange.user.text for exchange in plan.exchanges] == seen == ["beta gamma"]
    assert plan.what == "search"
    assert memory.forget(session="s2", search="gamma").exchanges == 1
    assert left(memory) == ["alpha gamma", "beta delta", "gamma epsilon"]


@pytest.mark.parametrize(
    "named",
    [
        {"fact": "1", "session": "s2"},
        {"fact": "1", "search": "gamma"},
        {"ids": ["whole"], "session": "s2"},
        {"ids": ["whole"], "search": "gamma"},
        {"ids": ["whole"], "fact": "1"},
        {"session": "s2", "search": ""},
        {"session": "s2", "search": "  "},
        {"search": ""},
        {},
    ],
)
@pytest.mark.parametrize("method", ["plan_forget", "forget"])
def test_what_could_be_meant_in_two_ways_is_refused(memory, method, named):
    before = left(memory), memory.facts.all(), memory.space.forgetting.receipts()
    given = dict(named)
    ids = [memory.get(memory.space.log.scan()[0].id).id for _ in given.pop("ids", ())]
    with pytest.raises(InputError) as refusal:
        getattr(memory, method)(*ids, **given)
    assert refusal.value.hint
    assert (left(memory), memory.facts.all(), memory.space.forgetting.receipts()) == before


def test_the_command_line_narrows_and_refuses_too(home, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(home))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    refused = CliRunner().invoke(cli, ["forget", "--session", "s2", "--fact", "1", "--yes"])
    assert refused.exit_code != 0
    assert "together" in refused.stderr
    done = CliRunner().invoke(cli, ["forget", "--session", "s2", "--search", "gamma", "--yes"])
    assert done.exit_code == 0
    with Memory.open(home, upstream="quote") as memory:
        assert left(memory) == ["alpha gamma", "beta delta", "gamma epsilon"]
        assert memory.facts.all()


def test_a_plan_of_another_memory_is_refused(memory, tmp_path):
    for other in (
        Memory.open(tmp_path / "home", user="bob", upstream="quote"),
        Memory.open(tmp_path / "other", upstream="quote"),
    ):
        with other:
            other.record(other.prepare("secret gamma"), "Noted.")
            other.facts.add("Bob likes rum.")
            for plan in (other.plan_forget(search="gamma"), other.plan_forget(fact="1")):
                with pytest.raises(InputError, match=r"for the memory|of another memory"):
                    memory.forget(plan)
            assert left(other) == ["secret gamma"]
    assert memory.space.forgetting.receipts() == []


def test_a_stale_plan_is_refused_and_one_that_was_carried_out_returns_its_receipt(memory):
    plan = memory.plan_forget(search="gamma")
    same = memory.plan_forget(session="s2")
    receipt = memory.forget(plan)
    assert memory.forget(plan) == receipt
    with pytest.raises(InputError, match="changed since"):
        memory.forget(same)
    talk = memory.conversation("s4")
    context = talk.prepare("zeta")
    talk.begin(context)
    half = memory.plan_forget(context.id)
    talk.record(context, "eta")
    with pytest.raises(InputError, match="changed since"):
        memory.forget(half)
    fact = memory.plan_forget(fact="1")
    memory.facts.withdraw("1")
    with pytest.raises(InputError, match="changed since"):
        memory.forget(fact)
    assert len(memory.space.forgetting.receipts()) == 1
    with pytest.raises(NotFoundError):
        memory.get(plan.exchanges[0].id)
