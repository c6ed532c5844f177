import asyncio
import json
import os
import random

import pytest
from starlette.responses import JSONResponse
from tests.server.asking import ask
from tests.server.test_guard import House, bearer

from unabridged.errors import RequestRefusedError
from unabridged.server.limits import Rates, RequestLimits, check_depth

PATHS = ("/api/chat", "/v1/chat/completions", "/v1/embeddings")
SMALL = RequestLimits(body=1000, pause=0.05, seconds=0.2)


HERE = {"client": ("127.0.0.1", 1), "state": {"account": os.geteuid()}}


def small(tmp_path, **settings):
    return House(tmp_path / "home", limits=SMALL, **settings)


def test_a_body_may_have_so_many_bytes_and_no_more(tmp_path):
    house = small(tmp_path)
    for path in PATHS:
        assert house.ask("POST", path, body=b"x" * 1000).status == 200
        assert house.ask("POST", path, body=b"x" * 1001).status == 413
        assert house.ask("POST", path, pieces=[b"x" * 400] * 3).status == 413
        assert house.ask("POST", path, {"content-length": "1001"}, pieces=[None]).status == 413
        huge = house.ask("POST", path, {"content-length": "9" * 4000}, pieces=[None])
        assert huge.status == 413
        assert huge.header("connection") == "close"


def test_a_body_that_is_too_large_is_not_read_to_its_end(tmp_path):
    house = small(tmp_path)
    pieces = [b"x" * 600] * 1000

    async def asked():
        left = list(pieces)

        async def receive():
            return {"type": "http.request", "body": left.pop(), "more_body": True}

        async def send(message):
            said.append(message)

        said = []
        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "method": "POST", "path": "/api/chat", "headers": headers}
        await house.guard({**scope, **HERE}, receive, send)
        return said[0]["status"], len(left)

    assert asyncio.run(asked()) == (413, 998)


def test_files_go_on_as_they_come_and_are_counted(tmp_path):
    house = small(tmp_path)

    async def inside(scope, receive, send):
        sizes = []
        while True:
            message = await receive()
            sizes.append(len(message["body"]))
            if not message["more_body"]:
                break
        await JSONResponse(sizes)(scope, receive, send)

    house.inside = inside
    path = "/api/blobs/sha256:0"
    assert house.ask("POST", path, pieces=[b"x" * 500] * 2).body == b"[500,500]"
    with pytest.raises(RequestRefusedError, match="1,000"):
        house.ask("POST", path, pieces=[b"x" * 500] * 3)
    assert house.ask("POST", path, {"content-length": "1001"}).status == 413


@pytest.mark.parametrize("length", ["-1", "+5", "1e3", "", "0x10", "5, 5", "٣"])
def test_a_length_that_is_no_number_is_refused(tmp_path, length):
    answer = small(tmp_path).ask("POST", "/api/chat", {"content-length": length.encode()})
    assert answer.status == 400


def test_slow_bodies_are_given_up(tmp_path):
    house = small(tmp_path)

    async def asked(receive):
        said = []

        async def send(message):
            said.append(message)

        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "method": "POST", "path": "/v1/responses", "headers": headers}
        await house.guard({**scope, **HERE}, receive, send)
        return said[0]["status"], json.loads(said[1]["body"])["error"]["code"]

    async def never():
        await asyncio.Event().wait()

    async def drops():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    for receive in (never, drops):
        assert asyncio.run(asked(receive)) == (408, "too_slow")


def test_a_client_that_leaves_is_not_answered_and_reaches_nothing(tmp_path):
    house = small(tmp_path)
    reached = []

    async def inside(scope, receive, send):
        reached.append(scope["path"])

    house.inside = inside
    answer = house.ask("POST", "/api/chat", pieces=[b"{", None])
    assert (answer.status, reached) == (0, [])


def nested(depth, opening="[", closing="]"):
    return (opening * depth + closing * depth).encode()


def test_json_may_be_so_deep_and_no_deeper(tmp_path):
    house = House(tmp_path / "home")
    for path in PATHS:
        assert house.ask("POST", path, body=nested(64)).status == 200
        for body in (
            nested(65),
            nested(65, '{"a":', "}").replace(b":}", b":1}"),
            b" \n" + nested(65),
            b'{"a": "]]]]]]' + b'", "b": ' + nested(64) + b"}",
            b'{"\\"]": ' + nested(64) + b"}",
            b"[" * 1_000_000,
        ):
            answer = house.ask("POST", path, body=body)
            assert answer.status == 400, body[:40]
            assert "64" in answer.everything


def test_brackets_in_strings_are_no_depth():
    limits = RequestLimits(body=10**9)
    for text in ("[" * 5000, '\\"[' * 5000, "[" * 500 + "\\\\"):
        check_depth(json.dumps({"messages": [{"content": text}]}).encode(), limits)
    flat = [{"role": "user", "content": "x"}] * 5000
    check_depth(json.dumps(flat).encode(), limits)


def test_depth_is_what_a_reader_of_json_counts():
    def depth_of(value):
        below = value.values() if isinstance(value, dict) else value
        nests = isinstance(value, dict | list)
        return 1 + max((depth_of(v) for v in below), default=0) if nests else 0

    def made(rng, left):
        if left == 0 or rng.random() < 0.2:
            return rng.choice(["", "[", '"]', "\\", 'a\\"{', 1, None])
        if rng.random() < 0.5:
            return [made(rng, left - 1) for _ in range(rng.randint(0, 3))]
        return {rng.choice(["[", "}", '"']): made(rng, left - 1) for _ in range(2)}

    rng = random.Random(6)
    seen = set()
    for _ in range(500):
        value = [made(rng, 6)]
        body, depth = json.dumps(value).encode(), depth_of(value)
        seen.add(depth)
        check_depth(body, RequestLimits(body=1, depth=depth))
        if depth > 1:
            with pytest.raises(RequestRefusedError):
                check_depth(body, RequestLimits(body=1, depth=depth - 1))
    assert {2, 3, 4, 5} <= seen


def test_looking_at_depth_takes_time_in_proportion():
    """A pattern that goes back would take hours over these; the limit of every test ends it."""
    limits = RequestLimits(body=10**9)
    for unit in (b'\\"', b'"', b"\\", b'"\\', b"]"):
        body = b"[" * 64 + b'"' + unit * 500_000
        check_depth(body, limits)


def test_headers_may_be_so_many_and_so_large(tmp_path):
    house = House(tmp_path / "home")
    many = {f"x-{n}": "1" for n in range(127)}
    assert house.ask("GET", "/api/tags", many).status == 200
    assert house.ask("GET", "/api/tags", {**many, "x-more": "1"}).status == 431
    assert house.ask("GET", "/api/tags", {"x": "y" * 32_700}).status == 200
    assert house.ask("GET", "/api/tags", {"x": "y" * 32_769}).status == 431
    assert house.ask("GET", "/healthz", {"x": "y" * 32_769}).status == 431


def test_a_key_may_ask_so_often_in_a_minute():
    rates = Rates(3)
    for _ in range(3):
        rates.take("a", 100.0)
    with pytest.raises(RequestRefusedError) as refused:
        rates.take("a", 100.0)
    assert (refused.value.status, refused.value.wait) == (429, 20)
    rates.take("b", 100.0)
    rates.take("a", 100.0 + refused.value.wait)
    with pytest.raises(RequestRefusedError):
        rates.take("a", 121.0)
    for _ in range(3):
        rates.take("a", 1000.0)
    with pytest.raises(RequestRefusedError):
        rates.take("a", 1000.0)


def test_who_asks_too_often_is_told_when_to_come_back_and_others_are_served(tmp_path):
    house = House(tmp_path / "home", rate_limit=2)
    one, two = house.key("one"), house.key("two")

    async def asked():
        for secret, expected in [(one, 200), (one, 200), (one, 429), (two, 200), ("x", 401)]:
            answer = await ask(house.guard, "POST", "/v1/responses", bearer(secret))
            assert answer.status == expected
            if expected == 429:
                assert 1 <= int(answer.header("retry-after")) <= 30
        health = await ask(house.guard, "GET", "/healthz")
        assert health.status == 200

    asyncio.run(asked())


def test_so_many_answers_are_on_their_way_at_once(tmp_path):
    house = House(tmp_path / "home", max_streams=2)
    going = asyncio.Event

    async def asked():
        go = going()

        async def inside(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await go.wait()
            if scope["path"] == "/v1/completions":
                raise RuntimeError
            await send({"type": "http.response.body", "body": b""})

        house.inside = inside
        paths = ("/api/chat", "/v1/completions")
        tasks = [asyncio.ensure_future(ask(house.guard, "POST", path)) for path in paths]
        await asyncio.sleep(0)
        refused = await ask(house.guard, "POST", "/api/chat")
        assert (refused.status, refused.header("retry-after")) == (429, "1")
        left = asyncio.ensure_future(ask(house.guard, "GET", "/api/tags"))
        go.set()
        done = await asyncio.gather(*tasks, left, return_exceptions=True)
        assert isinstance(done[1], RuntimeError)
        go.clear()
        tasks = [asyncio.ensure_future(ask(house.guard, "POST", "/api/chat")) for _ in range(2)]
        await asyncio.sleep(0)
        assert (await ask(house.guard, "POST", "/api/chat")).status == 429
        go.set()
        assert [answer.status for answer in await asyncio.gather(*tasks)] == [200, 200]

    asyncio.run(asked())
