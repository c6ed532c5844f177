import pytest

from bench.condense import random_histories
from bench.condense.random_histories import run
from unabridged.condense import coherence, verbatim_selection


def quiet(_):
    pass


@pytest.mark.slow
def test_random_histories_break_nothing():
    found = run(60, quiet)
    assert found.broken == {}
    assert found.histories == 60
    assert found.runs > 30
    assert found.contexts > 40


@pytest.mark.slow
def test_it_notices_shares_that_are_rounded_down(monkeypatch):
    """As in the seed: `int(n * ratio)`; and where the check of a run overlooks it."""

    def rounded_down(share, count):
        return int(share * count)

    monkeypatch.setattr(verbatim_selection, "least_kept", rounded_down)
    assert run(40, quiet).refused
    monkeypatch.setattr(coherence, "least_kept", rounded_down)
    assert run(40, quiet).broken["a category keeps less than its share"]


def test_it_notices_a_sentence_that_was_not_said(monkeypatch):
    real = random_histories.ExtractiveCondenser.condense

    def inventive(self, sources, limit, about=()):
        draft = real(self, sources, limit, about)
        if draft is None:
            return None
        lines = tuple(
            random_histories.replace(line, text=line.text + " Indeed.") for line in draft.lines
        )
        return random_histories.replace(draft, lines=lines)

    monkeypatch.setattr(random_histories.ExtractiveCondenser, "condense", inventive)
    assert run(20, quiet).broken["a sentence was not said"]
