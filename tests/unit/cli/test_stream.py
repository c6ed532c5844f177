import pytest
from hypothesis import given, strategies as st

from unabridged.cli.chat.markdown import Blocks, hard_breaks

TEXT = """# Head

One paragraph
of two lines.

```python
a = 1

b = 2
```

1. first

2. second

   more of it

End. 你好"""


def blocks_of(text, step):
    blocks, found = Blocks(), []
    for place in range(0, len(text), step):
        found += blocks.feed(text[place : place + step])
    return [*found, blocks.rest()]


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
def test_blocks_are_the_same_however_the_text_comes(step):
    assert [block.strip("\n") for block in blocks_of(TEXT, step)] == [
        "# Head",
        "One paragraph\nof two lines.",
        "```python\na = 1\n\nb = 2\n```",
        "1. first\n\n2. second\n\n   more of it",
        "End. 你好",
    ]


MARKDOWN = st.lists(
    st.sampled_from(["a", "- b", "1. c", "```", "~~~", "  d", "", "|", "1", "-", "x y"])
).map("\n".join)


@given(MARKDOWN, st.integers(1, 9))
def test_no_character_is_lost(text, step):
    found = blocks_of(text, step)
    assert "".join(found) == text
    assert found == blocks_of(text, 1)


def test_line_breaks_are_kept_outside_code_and_tables():
    assert hard_breaks("a\nb\n\nc") == "a  \nb\n\nc"
    assert hard_breaks("```\na\nb\n```\nc") == "```\na\nb\n```\nc"
    assert hard_breaks("| a |\n|---|\n| b |") == "| a |\n|---|\n| b |"
