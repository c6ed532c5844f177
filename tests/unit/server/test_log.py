import io
import json

import pytest

from unabridged.clock import SystemClock
from unabridged.errors import StoreError
from unabridged.server.log import AccessLogLine, RequestLog

ACCESS = AccessLogLine("POST", "/api/chat", 200, 0.0123, 456, True, "ann's key", "01JCONTEXT")


def lines(form, do):
    stream = io.StringIO()
    do(RequestLog(SystemClock(), form, stream))
    return stream.getvalue().splitlines()


def test_a_line_says_what_was_asked_and_not_what_was_said():
    (line,) = lines("text", lambda log: log.access(ACCESS))
    time, _, rest = line.partition(" ")
    assert time.endswith("+00:00")
    assert rest == (
        "method=POST route=/api/chat status=200 ms=12.3 bytes=456 "
        'key="ann\'s key" context=01JCONTEXT'
    )


def test_json_lines_are_json():
    (line,) = lines("json", lambda log: log.access(ACCESS))
    data = json.loads(line)
    assert list(data) == [
        "time",
        "method",
        "route",
        "status",
        "ms",
        "bytes",
        "whole",
        "key",
        "context",
    ]
    assert data["ms"] == 12.3


def test_none_is_silent():
    assert lines("none", lambda log: log.access(ACCESS)) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_name_poses_as_a_second_line(form):
    forged = AccessLogLine(
        "GET", "other", 404, 0.1, 1, True, "k\n2026 status=200 \x1b[2J\u2028key=x"
    )
    (line,) = lines(form, lambda log: log.access(forged))
    assert line.isprintable()


@pytest.mark.parametrize("form", ["text", "json"])
def test_of_an_error_its_kind_and_place_are_told_and_not_its_words(form):
    def deep():
        raise StoreError("my pin is 4711", hint="my other pin is 4712")

    def fail(log):
        try:
            deep()
        except StoreError as error:
            log.failed(error, "/api/chat")

    (line,) = lines(form, fail)
    assert "StoreError" in line
    assert "test_log.py:" in line
    assert "deep" in line
    assert "471" not in line
