"""A stream that is read ahead loses nothing, waits for its reader, and ends when it is stopped."""

import asyncio

import pytest

from unabridged.net import read_ahead
from unabridged.net.read_ahead import ReadAhead


def test_what_has_arrived_is_taken_together_and_what_comes_later_alone():
    async def go():
        later = asyncio.Event()

        async def source():
            yield b"one "
            yield b"two "
            await later.wait()
            yield b"three"

        found = []
        async for data in ReadAhead(source()).pieces():
            found.append(data)
            later.set()
        return found

    assert asyncio.run(go()) == [b"one two ", b"three"]


def test_an_empty_stream_ends():
    async def go():
        async def source():
            return
            yield b""

        return [data async for data in ReadAhead(source()).pieces()]

    assert asyncio.run(go()) == []


def test_a_fault_comes_behind_what_arrived_before_it():
    async def go():
        async def source():
            yield b"one"
            raise OSError("gone")

        pieces = ReadAhead(source()).pieces()
        assert await anext(pieces) == b"one"
        with pytest.raises(OSError, match="gone"):
            await anext(pieces)

    asyncio.run(go())


def test_it_reads_no_further_than_its_limit_until_that_is_taken(monkeypatch):
    monkeypatch.setattr(read_ahead, "MOST_BYTES", 100)

    async def go():
        given = 0

        async def source():
            nonlocal given
            for _ in range(50):
                given += 1
                yield b"0123456789"

        ahead = ReadAhead(source())
        await asyncio.sleep(0.01)
        assert given == 10
        pieces = ahead.pieces()
        first = await anext(pieces)
        return first, [data async for data in pieces]

    first, rest = asyncio.run(go())
    assert len(first) == 100
    assert b"".join([first, *rest]) == b"0123456789" * 50


def test_stopping_ends_the_stream_where_it_waits():
    async def go():
        ended = []

        async def source():
            try:
                yield b"one"
                await asyncio.sleep(60)
            finally:
                ended.append(True)

        ahead = ReadAhead(source())
        pieces = ahead.pieces()
        assert await anext(pieces) == b"one"
        await ahead.stop()
        assert ended == [True]
        await ahead.stop()

    asyncio.run(go())
