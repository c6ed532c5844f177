"""The score of a message as its formula gives it: 1 - exp(-1.6 x the sum of its weights)."""

import math

import pytest

from unabridged.budget.complexity import complexity
from unabridged.domain.budget import Mode


def score(weight):
    return round(1 - math.exp(-1.6 * weight), 3)


def length(words):
    return 0.30 * min(1.0, math.log(words / 3) / math.log(400 / 3))


CASES = {
    "": 0.0,
    "x x x": 0.0,
    "x x x x": length(4),
    "x " * 40: length(40),
    "x " * 400: length(400),
    "x " * 499: 0.30,
    "x, x; x": 0.06,
    "x,x;x，x；x": 0.12 + length(5),
    "x、x。x": 0.06,
    ",,,,": 0.12,
    ",,,,,": 0.15,
    ",,,,,,,": 0.15,
    "x and x": 0.03,
    "x and x then x": 0.06 + length(5),
    "x und x y x": 0.06 + length(5),
    "- x": 0.06,
    "* x\n  1) x\n\t12. x": 0.18 + length(5),
    "-x": 0.0,
    "123. x": 0.0,
    "x\n- \n- \n- \n- ": 0.24,
    "x\n- \n- \n- \n- \n- ": 0.30,
    "x\n- \n- \n- \n- \n- \n- ": 0.30,
    "?": 0.0,
    "x? x?": 0.12,
    "x?? x！？": 0.12,
    "????": 0.0,
    "? ? ?": 0.24,
    "? ? ? ? ?": 0.48,
    "? ? ? ? ? ?": 0.48,
    "``` x": 0.15,
    "`` x": 0.0,
    "explain x": 0.14,
    "Explain, explain": 0.14 + 0.03,
    "explain describe": 0.14,
    "in depth": 0.18,
    "explain briefly": 0.07,
    "TL;DR explain": (0.14 + 0.03) / 2,
    "写": 0.16,
    "解释 x": 0.14,
    "一二三四五六七八": length(1 + 4),
    "ab กขคงจฉชซ": length(2 + 4),
    "かきくけこさし x": length(2 + 3),
}


@pytest.mark.parametrize(("text", "weight"), CASES.items())
def test_weights_add_up(text, weight):
    asked = any(word in text.lower() for word in ("explain", "depth", "写", "解释"))
    more = (0.02 if "brief" in text or "TL" in text else 0.04) if asked else 0.0
    assert complexity(text, Mode.CHAT) == score(weight)
    assert complexity(text, Mode.TOOLS) == score(weight + more)


def test_of_a_long_text_the_first_and_the_last_500_characters_are_read():
    def with_explain_at(place, size=1_001):
        text = ["."] * size
        text[place : place + 9] = " explain "
        return complexity("".join(text), Mode.CHAT)

    assert with_explain_at(300) == with_explain_at(600) == score(0.14)
    assert with_explain_at(491) == score(0.14)
    assert with_explain_at(493) == with_explain_at(495) == 0.0
    assert with_explain_at(493, 1_000) == score(0.14)
    assert with_explain_at(501, 1_001) == score(0.14)
    assert with_explain_at(700, 1_400) == with_explain_at(892, 1_400) == 0.0


def test_the_whole_length_of_a_long_text_counts():
    for words in (500, 501, 502, 700, 2_000):
        text = "xxxxxxx " * words
        read = 125 if words * 8 > 1_000 else words
        assert complexity(text, Mode.CHAT) == score(length(round(read * len(text) / 1_001)))
    text = "." * 1_500 + " x x x x x x"
    assert complexity(text, Mode.CHAT) == score(length(round(6 * len(text) / 1_001)))
