from unabridged.testing.tokenizers import TokenizerContract
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer


class TestEstimate(TokenizerContract):
    def tokenizer(self):
        return EstimateTokenizer()


class TestO200k(TokenizerContract):
    def tokenizer(self):
        return TiktokenTokenizer("o200k_base")


class TestCl100k(TokenizerContract):
    def tokenizer(self):
        return TiktokenTokenizer("cl100k_base")
