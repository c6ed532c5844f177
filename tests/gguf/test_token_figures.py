"""How near the estimate of tokens comes to the embedded model's tokenizer."""

import pytest

from bench.core.token_errors import run
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer


@pytest.mark.long
def test_figures_against_the_embedded_models_tokenizer(smollm2):
    truth = GgufTokenizer(str(smollm2))
    try:
        rows = run(EstimateTokenizer(), truth, conversations=220)
    finally:
        truth.close()
    assert rows[-1]["under_margin"] == 0
    assert rows[-1]["conversations"] >= 220
    for row in rows:
        assert row["learned_mean_error"] < 0.05, row
