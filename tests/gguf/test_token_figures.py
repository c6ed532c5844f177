"""How near the estimate of tokens comes to the embedded model's tokenizer."""

from unabridged.evals.tokens import run
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer


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
