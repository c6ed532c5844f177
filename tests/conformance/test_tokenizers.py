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


@pytest.mark.gguf
class TestGguf(TokenizerContract):
    @pytest.fixture(autouse=True)
    def _model(self, smollm2):
        self.path = str(smollm2)
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
