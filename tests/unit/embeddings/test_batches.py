import numpy as np
import pytest

from unabridged.embeddings.server_embedder import (
    BATCH_CHARS,
    BATCH_TEXTS,
    LEAST_CHARS,
    Asking,
    halve,
)
from unabridged.errors import ContextRefusedError, UpstreamBrokenError


def lengths(texts):
    return [[float(len(text)), 1.0] for text in texts]


def test_batches_hold_so_many_texts_and_characters():
    asked = []

    def ask(texts):
        asked.append(list(texts))
        return lengths(texts)

    many = ["a"] * (BATCH_TEXTS + 1)
    Asking(ask).vectors(many)
    assert [len(batch) for batch in asked] == [BATCH_TEXTS, 1]
    asked.clear()
    long = "b" * (BATCH_CHARS // 2)
    Asking(ask).vectors([long, long, long, "c" * 2 * BATCH_CHARS, "d"])
    assert [len(batch) for batch in asked] == [2, 1, 1, 1]
    assert [text for batch in asked for text in batch][-1] == "d"


def test_blank_texts_cost_no_request():
    asked = []

    def ask(texts):
        asked.append(list(texts))
        return lengths(texts)

    made = Asking(ask).vectors(["", "abc", "  "])
    assert asked == [["abc"]]
    assert made.any(axis=1).tolist() == [False, True, False]


def test_a_refused_text_comes_in_halves_and_its_neighbours_whole():
    asked = []

    def ask(texts):
        if any(len(text) > 600 for text in texts):
            raise ContextRefusedError("too long", hint="")
        asked.extend(texts)
        return [[float(text.count("a")), float(text.count("b"))] for text in texts]

    long = "a " * 400 + "b " * 400
    made = Asking(ask).vectors(["a", long, "b"])
    assert "".join(asked[1:-1]) == long
    assert made[[0, 2]].tolist() == [[1, 0], [0, 1]]
    assert made[1] == pytest.approx([0.7071, 0.7071], abs=0.02)


def test_a_short_text_that_is_refused_fails():
    def ask(texts):
        raise ContextRefusedError("too long", hint="")

    with pytest.raises(UpstreamBrokenError, match="refuses a text") as caught:
        Asking(ask).vectors(["a " * 200])
    assert caught.value.hint


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[1.0, 2.0]],
        [[1.0], [2.0], [3.0]],
        [[1.0, 2.0], [1.0]],
        [[], []],
        [[1.0, None], [1.0, 2.0]],
        [["a", "b"], ["c", "d"]],
        [[float("nan"), 1.0], [1.0, 1.0]],
        None,
    ],
)
def test_answers_that_do_not_fit_are_told(rows):
    with pytest.raises(UpstreamBrokenError) as caught:
        Asking(lambda texts: rows).vectors(["a", "b"])
    assert caught.value.hint


def test_another_dimension_is_never_mixed_in():
    answers = iter([[[1.0, 0.0]], [[1.0, 0.0, 0.0]]])
    asking = Asking(lambda texts: next(answers))
    assert asking.vectors(["a"]).shape == (1, 2)
    with pytest.raises(UpstreamBrokenError, match="vectors of 3 numbers"):
        asking.vectors(["b"])


def test_zeros_stay_zeros():
    made = Asking(lambda texts: [[0.0, 0.0] for _ in texts]).vectors(["a"])
    assert np.isfinite(made).all()
    assert not made.any()


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("word " * 30 + "end. " + "word " * 29, "end. "),
        ("one two\n" * 40, "two\n"),
        ("word " * 100, "word "),
        ("x" * 500, "x"),
        ("字" * 120 + "。" + " " + "字" * 120, "。 "),
    ],
)
def test_halves_end_where_something_ends(text, end):
    first, second = halve(text)
    assert first + second == text
    assert first.endswith(end)
    assert min(len(first), len(second)) >= len(text) // 4 - 1


def test_what_is_short_has_no_halves():
    assert halve("a" * LEAST_CHARS) is None
