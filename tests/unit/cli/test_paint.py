import click
from hypothesis import given, strategies as st

from unabridged.cli.paint import PARTS, Column, bar, table
from unabridged.cli.terminal_text import cells


@given(
    st.dictionaries(st.sampled_from([*PARTS, "other"]), st.integers(0, 2_000_000), min_size=1),
    st.integers(20, 200),
    st.booleans(),
)
def test_a_bar_fills_its_room_and_shows_every_part(parts, room, colour):
    drawn = click.unstyle(bar(parts, room, colour=colour))
    if not any(parts.values()):
        assert drawn == ""
        return
    assert cells(drawn) == room
    if not colour:
        for name, tokens in parts.items():
            assert (PARTS.get(name, "?")[0] in drawn) == (tokens > 0)


def test_a_bar_is_in_proportion():
    drawn = bar({"message": 250, "answer": 750}, 40, colour=False)
    assert drawn == "M" * 10 + "a" * 30


def test_a_table_gives_way_where_the_room_is_narrow():
    columns = [Column("n", right=True), Column("what", flexible=True), Column("why", flexible=True)]
    rows = [("1", "x" * 50, "short"), ("22", "你好" * 20, "y" * 30)]
    for room in (40, 60, 100):
        lines = [click.unstyle(line) for line in table(columns, rows, room)]
        assert all(cells(line) <= room for line in lines)
        assert lines[1].startswith(" 1  xxxx")
        assert lines[2].startswith("22  你好")


def test_a_table_cannot_be_steered_by_what_it_shows():
    lines = table([Column("")], [("\x1b[2Jgone\nnext",)], 40)
    assert lines == ["\ufffd[2Jgone next"]
