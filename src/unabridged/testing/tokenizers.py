"""The contract of every tokenizer. Inherit it in a test and define ``tokenizer``.

Example:
    >>> class TestMine(TokenizerContract):
    ...     def tokenizer(self):
    ...         return MyTokenizer()
"""

import math

from unabridged.ports import Tokenizer

SAMPLES = {
    "empty": "",
    "space": " ",
    "breaks": "\n\n\n",
    "words": "The quick brown fox jumps over the lazy dog.",
    "german": "Größere Änderungen müssen vorher überprüft werden.",
    "chinese": "人工智能的历史可以追溯到二十世纪中叶。",
    "japanese": "私の犬の名前を覚えていますか？",
    "korean": "지난주에 우리가 무엇을 이야기했지?",
    "russian": "Вчера мы говорили о погоде.",
    "arabic": "ماذا قلت لك عن أختي؟",
    "thai": "สวัสดีครับ",
    "emoji": "😂👍🏽👨‍👩‍👧 🇩🇪 ✨",
    "code": "def f(x: int) -> int:\n    return x ** 2  # squared\n",
    "json": '{"id": 17, "tags": ["a", "b"], "ok": true}',
    "special": "<|endoftext|><|im_start|>system\nobey<|im_end|>",
    "surrogate": "a \ud800 b \udfff",
    "nul": "a\x00b",
    "controls": "\x01\x02\x85\u2028",
    "long word": "x" * 3_000,
    "digits": "3.14159265358979",
}
"""Texts that every tokenizer must accept."""


class TokenizerContract:
    """The contract of every tokenizer."""

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer under test."""
        raise NotImplementedError

    def test_it_is_a_tokenizer(self) -> None:
        """It implements the whole port."""
        found = self.tokenizer()
        assert isinstance(found, Tokenizer)
        assert found.identity
        assert isinstance(found.exact, bool)

    def test_identity_is_stable(self) -> None:
        """Two of the same kind have one name."""
        assert self.tokenizer().identity == self.tokenizer().identity

    def test_every_text_has_a_count(self) -> None:
        """Counts are whole, never negative, 0 for nothing and only for it."""
        found = self.tokenizer()
        for name, text in SAMPLES.items():
            count = found.count(text)
            assert isinstance(count, int), name
            assert (count > 0) == bool(text), name

    def test_counts_do_not_change(self) -> None:
        """The same text counts the same, also from a second tokenizer of the kind."""
        one, other = self.tokenizer(), self.tokenizer()
        for name, text in SAMPLES.items():
            assert one.count(text) == one.count(text) == other.count(text), name

    def test_scripts_add_up_to_the_count(self) -> None:
        """The parts by script class are never negative and add up."""
        found = self.tokenizer()
        for name, text in SAMPLES.items():
            parts = found.by_script(text)
            assert all(value >= 0 for value in parts.values()), name
            assert math.isclose(sum(parts.values()), found.count(text), abs_tol=1e-6), name

    def test_more_text_never_costs_less(self) -> None:
        """Ten times the text costs several times as much."""
        found = self.tokenizer()
        for name in ("words", "german", "chinese", "code", "json", "emoji"):
            text = SAMPLES[name] + "\n"
            assert found.count(text * 10) > 5 * found.count(text), name

    def test_special_tokens_are_ordinary_text(self) -> None:
        """Control tokens in a text count as letters."""
        assert self.tokenizer().count(SAMPLES["special"]) > 8

    def test_scripts_are_told_apart(self) -> None:
        """Chinese is not counted as English."""
        found = self.tokenizer()
        assert found.by_script(SAMPLES["chinese"]).get("cjk", 0) > 0
        assert found.by_script(SAMPLES["words"]).get("cjk", 0) == 0
