import pytest

from bench.core.token_errors import run
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_the_estimate_is_never_under_by_more_than_the_margin(encoding):
    rows = run(EstimateTokenizer(), TiktokenTokenizer(encoding), conversations=300)
    assert rows[-1]["under_margin"] == 0
    for row in rows:
        assert row["learned_mean_error"] < 0.08, row


def test_a_tokenizer_measured_against_itself_has_no_error():
    exact = TiktokenTokenizer("cl100k_base")
    rows = run(exact, exact, conversations=20)
    assert rows[-1]["mean_error"] == rows[-1]["worst_under"] == 0


def test_other_texts_are_a_kind_of_their_own():
    rows = run(
        EstimateTokenizer(),
        TiktokenTokenizer("cl100k_base"),
        conversations=22,
        texts=["The ship sailed at dawn and never came back. " * 40],
    )
    assert "sampled" in {row["kind"] for row in rows}


def test_the_same_seed_gives_the_same_rows():
    one, other = (
        run(EstimateTokenizer(), TiktokenTokenizer("cl100k_base"), conversations=20, seed=3)
        for _ in range(2)
    )
    assert one == other
