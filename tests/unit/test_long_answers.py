"""An answer of millions of characters: what later prompts still read of it."""

from hashlib import blake2b

import msgspec
import pytest

from unabridged import Memory
from unabridged.context import excerpt
from unabridged.domain.hash_chain import DIGEST_BYTES, MacKey
from unabridged.language import sentences as language
from unabridged.language.sentences import leading_sentences, sentences
from unabridged.retrieval import analyze
from unabridged.stores.sqlite import rows

LINES = [
    f"In the year {n} the garden had {n * 7} trees, e.g. pears. “Fine!” Was it so?\n"
    for n in range(40)
]
LONG = "".join(LINES) * 1_000


@pytest.fixture
def read(monkeypatch):
    """Count the characters that are cut into words and into sentences."""
    counted = {"words": 0, "sentences": 0}
    words, split = analyze.words_by_sentence, language.sentences

    def count_words(text):
        counted["words"] += len(text)
        return words(text)

    def count_sentences(text, *rules):
        counted["sentences"] += len(text)
        return split(text, *rules)

    monkeypatch.setattr(analyze, "words_by_sentence", count_words)
    monkeypatch.setattr(language, "sentences", count_sentences)
    monkeypatch.setattr(excerpt, "sentences", count_sentences)
    return counted


def talk(home, answer):
    with Memory.open(home, upstream="quote") as memory:
        memory.add(
            [{"role": "user", "content": "Write."}, {"role": "assistant", "content": answer}]
        )


def test_a_later_prompt_does_not_read_a_long_answer_again(tmp_path, read):
    talk(tmp_path, LONG)
    assert len(LONG) > 2_500_000
    assert read["words"] >= len(LONG)  # once, while it is written
    read["words"] = read["sentences"] = 0
    with Memory.open(tmp_path, upstream="quote") as memory:
        context = memory.prepare("How many trees had the garden?")
    assert read["words"] < 10_000
    assert read["sentences"] < 12 * excerpt.LONGEST
    said = "\n".join(str(message["content"]) for message in context.messages)
    assert "+ sentences; whole: " in said


def test_a_killed_process_leaves_nothing_to_analyse_again(tmp_path, read):
    memory = Memory.open(tmp_path, upstream="quote")
    memory.add([{"role": "user", "content": "Write."}, {"role": "assistant", "content": LONG}])
    read["words"] = 0
    with Memory.open(tmp_path, upstream="quote") as other:  # as if the first were killed
        assert other.search("garden trees")[0].matched
    assert read["words"] < 10_000
    memory.close()


@pytest.mark.parametrize("limit", [1, 17, 400, 5_000])
def test_the_first_sentences_are_those_of_the_whole(limit):
    text = "".join(LINES) + "```\ncode. More.\n```\nEnd."
    first, whole = leading_sentences(text, limit)
    assert first == sentences(text)[: len(first)]
    assert whole == (len(text) <= limit)
    assert len("".join(first)) <= limit or whole


def test_words_of_parts_are_those_of_the_whole(monkeypatch):
    text = "".join(LINES) + "getUserId user_name\t1,200 Zürich 東京都は大きい don't " + "x" * 900
    wanted = analyze.Analyzer().read_texts([("Question", text, "")], embed=False)[0].words
    monkeypatch.setattr(analyze, "AT_ONCE", 64)
    text_read = analyze.Analyzer().read_texts([("Question", text[:-900], "")], embed=False)[0].words
    assert set(text_read.keys.tolist()) <= set(wanted.keys.tolist())
    times = dict(zip(wanted.keys.tolist(), wanted.answer.tolist(), strict=True))
    for key, count in zip(text_read.keys.tolist(), text_read.answer.tolist(), strict=True):
        assert times[key] == count


@pytest.mark.parametrize("size", [0, 200, 65_535, 65_536, 200_000])
def test_digests_of_long_columns_are_those_of_short_ones(size):
    columns = (7, "id", None, b"x" * size)
    packed = msgspec.msgpack.Encoder().encode(("message", *columns))
    assert rows.digest("message", columns) == blake2b(packed, digest_size=16).digest()
    parts = (b"salt", b"\1session", b"b" * size)
    said = b"".join(len(part).to_bytes(8, "big") for part in parts) + b"".join(parts)
    whole = blake2b(said, key=b"k" * 32, digest_size=DIGEST_BYTES, person=b"promise")
    assert MacKey(b"k" * 32, "mark").promise(b"salt", "session", [parts[2]]) == whole.digest()
