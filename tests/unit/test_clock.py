from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from hypothesis import given, strategies as st

from unabridged.clock import SystemClock, ulid


def test_ids_rise_and_never_meet():
    clock = SystemClock()
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: [clock.new_id() for _ in range(500)], range(4)))
    assert all(one == sorted(one) for one in ids)
    assert len({each for one in ids for each in one}) == 2000


def test_ids_rise_while_the_clock_steps_back(monkeypatch):
    clock = SystemClock()
    now = datetime(2026, 11, 21, tzinfo=UTC)
    times = iter([now, now - timedelta(hours=1), now - timedelta(hours=2)])
    monkeypatch.setattr(clock, "now", lambda: next(times))
    ids = [clock.new_id() for _ in range(3)]
    assert ids == sorted(ids)


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**80 - 1), st.integers(0, 2**48 - 1))
def test_a_ulid_sorts_by_its_time(milliseconds, randomness, later):
    one = ulid(milliseconds, randomness)
    assert len(one) == 26
    if later > milliseconds:
        assert ulid(later, 0) > one


def test_a_known_ulid_is_written_as_the_format_says():
    assert ulid(1469918176385, 0)[:10] == "01ARYZ6S41"
