"""The figures that commands show of one memory agree, with branches and with frames too."""

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.cli.local_call import local_call, perform_named
from unabridged.cli.views.context_report import account_lines
from unabridged.cli.views.lists import token_lines
from unabridged.cli.views.stats import figures_lines
from unabridged.domain.condensation import Condensation, Level
from unabridged.domain.context import Tier
from unabridged.topics.of_space import topics


@pytest.fixture
def memory(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as opened:
        for n in range(5):
            opened.conversation().chat(f"My dog Burek number {n} likes cheese in Gdansk.").finish()
        talk = opened.conversation()
        talk.chat("Please tell me what the garden needs in spring.").finish()
        first = store_of(opened).recent(talk.session, 1)[0]
        for _ in range(2):  # a retry shares the message of the user
            talk.chat("", retry_of=first.id).finish()
        yield opened


def test_a_message_of_several_branches_counts_once(memory):
    list(memory.maintain())
    stats, space = memory.space.stats(), memory.space
    judged = space.annotations.stats()
    assert stats.messages == 2 * stats.exchanges - 2
    assert sum(each.messages for each in judged.categories) == stats.messages
    assert sum(judged.by.values()) == stats.messages
    assert sum(topic.tokens for topic in topics(store_of(memory))) == stats.tokens
    shown = "\n".join(figures_lines(perform_named(local_call(space), "stats")))
    assert f"{stats.messages} messages of {stats.exchanges} exchanges; 0 exchanges" in shown


def test_summaries_of_wholes_are_not_said_to_be_nothing(memory, monkeypatch):
    assert "nothing yet" in "\n".join(
        figures_lines(perform_named(local_call(memory.space), "stats"))
    )
    held = memory.space.condensations
    whole = [one for level in Level if level is not Level.EXCHANGES for one in _condensed(level)]
    monkeypatch.setattr(type(held), "condensations", lambda _: whole)
    shown = "\n".join(figures_lines(perform_named(local_call(memory.space), "stats")))
    assert "nothing yet" not in shown
    assert f"{len(whole)} summar" in shown


def _condensed(level):
    one = object.__new__(Condensation)
    object.__setattr__(one, "level", level)
    return [one]


def test_the_listed_tokens_add_up_to_every_part_of_a_prompt(memory):
    memory.facts.learn_pending()
    memory.pin("Call me Ann.")
    memory.conversation().chat("What does my dog Burek like?").finish()
    report = memory.space.contexts.why()
    ledger = report.ledger
    for tier in Tier:
        listed = sum(row.tokens for row in ledger.kept(tier))
        assert listed + ledger.frame(tier) == ledger.parts[tier.value]
    frame = ledger.frame(Tier.SEMANTIC)
    assert frame > 0
    assert f"recalled {frame}" in " ".join(account_lines(report, 78, colour=False))
    shown = "\n".join(token_lines(memory.space.contexts.tokens(), ledger))
    assert f"{frame} tokens of frame" in " ".join(shown.split())
