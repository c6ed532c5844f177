import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.responses import JSONResponse
from tests.server.asking import ELSEWHERE, ask

from unabridged.domain.permissions import Grant, Right
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.home.api_keys import KEYS, ApiKeys
from unabridged.server.auth import AuthMiddleware, refuse_to_listen
from unabridged.testing.clock import ManualClock

DIALECTS = ("/api/chat", "/v1/chat/completions")
MEMORY = ("/memory/stats", "/mcp", "/metrics")
OPEN = ("/healthz", "/readyz")


async def _inside(scope, receive, send):
    """What is behind the guard: says what was granted."""
    grant = scope["state"]["grant"]
    await JSONResponse({"grant": grant.name, "rights": sorted(grant.rights)})(scope, receive, send)


class House:
    """A guard, with the keys behind it."""

    def __init__(self, home, *, inside=_inside, limits=None, **settings):
        self.settings = Settings(home=str(home), **settings)
        self.access = ApiKeys(home)
        self.clock = ManualClock(step=timedelta())
        self.inside = inside
        self.guard = AuthMiddleware(
            self._behind,
            settings=self.settings,
            access=self.access,
            clock=self.clock,
            limits=limits,
        )

    async def _behind(self, *asked):
        await self.inside(*asked)

    def key(self, name="k", **grant):
        return self.access.create(Grant(name, **grant), self.clock.now())[1]

    def ask(self, method, path, headers=(), **how):
        return asyncio.run(ask(self.guard, method, path, headers, **how))


@pytest.fixture
def house(tmp_path):
    return House(tmp_path / "home")


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


def granted(answer):
    assert answer.status == 200, answer.everything
    return json.loads(answer.body)["grant"]


def test_without_keys_dialects_are_open_here_and_ignore_what_is_shown(house):
    for path in DIALECTS:
        for headers in ({}, bearer("ollama"), bearer("unb_x"), {"x-api-key": "dummy"}):
            assert granted(house.ask("POST", path, headers)) == "loopback"
        assert house.ask("POST", path, client=ELSEWHERE).status == 401


def test_without_keys_memory_needs_the_token(house):
    token = house.access.token()
    for path in MEMORY:
        assert house.ask("GET", path).status == 401
        assert house.ask("GET", path, bearer("x" + token)).status == 401
        assert granted(house.ask("GET", path, bearer(token))) == "token"
        assert granted(house.ask("GET", path, {"x-api-key": token})) == "token"
        assert house.ask("GET", path, bearer(token), client=ELSEWHERE).status == 401


def test_health_is_open_to_all(house):
    for _ in range(2):
        for path in OPEN:
            assert granted(house.ask("GET", path, client=ELSEWHERE)) == "nobody"
        house.key(f"k{_}")


def test_with_keys_every_other_route_needs_one(house):
    secret = house.key("phone")
    for path in DIALECTS + MEMORY:
        for headers in ({}, bearer("ollama"), bearer(secret + "x"), {"x-api-key": "dummy"}):
            answer = house.ask("GET", path, headers)
            assert answer.status == 401
            assert answer.header("www-authenticate") == "Bearer"
        for client in (("127.0.0.1", 1), ELSEWHERE):
            assert granted(house.ask("GET", path, bearer(secret), client=client)) == "phone"
        token = bearer(house.access.token())
        assert granted(house.ask("GET", path, token)) == "token"
        assert house.ask("GET", path, token, client=ELSEWHERE).status == 401


def test_keys_end_and_are_revoked_while_the_server_runs(house):
    ending = house.key("a", expires=house.clock.now() + timedelta(minutes=1))
    revoked = house.key("b")
    assert granted(house.ask("POST", "/api/chat", bearer(ending))) == "a"
    ApiKeys(house.settings.home).revoke("b", house.clock.now())
    house.clock.time += timedelta(seconds=60)
    for secret in (ending, revoked):
        answer = house.ask("POST", "/api/chat", bearer(secret))
        assert answer.status == 401
        assert secret not in answer.everything
    assert house.ask("POST", "/api/chat").status == 401, "it stays shut without a valid key"


def test_a_right_that_is_missing_is_refused(house):
    chat = house.key("chat", rights=frozenset({Right.CHAT}))
    read = house.key("read", rights=frozenset({Right.READ}))
    write = house.key("write", rights=frozenset({Right.WRITE, Right.READ}))
    table = [
        (chat, "POST", "/api/chat", 200),
        (chat, "GET", "/memory/stats", 403),
        (chat, "GET", "/metrics", 403),
        (chat, "POST", "/mcp", 403),
        (read, "POST", "/api/chat", 403),
        (read, "POST", "/v1/chat/completions", 403),
        (read, "GET", "/memory/facts", 200),
        (read, "POST", "/memory/search", 200),
        (read, "POST", "/memory/record", 403),
        (write, "POST", "/memory/record", 200),
        (write, "POST", "/memory/forget", 403),
    ]
    for secret, method, path, status in table:
        assert house.ask(method, path, bearer(secret)).status == status, (method, path)


def test_a_file_of_keys_that_cannot_be_read_lets_nobody_in(house):
    secret = house.key()
    Path(house.settings.home, "config", KEYS).write_bytes(b"{")
    for path in DIALECTS + MEMORY:
        for headers in ({}, bearer(secret)):
            answer = house.ask("POST", path, headers)
            assert answer.status == 503
            assert str(house.settings.home) not in answer.everything


def test_a_proxy_on_this_machine_does_not_make_the_world_local(house):
    for name in ("x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host"):
        assert house.ask("POST", "/api/chat", {name: "127.0.0.1"}).status == 401
        token = {**bearer(house.access.token()), name: "127.0.0.1"}
        assert house.ask("GET", "/memory/stats", token).status == 401


@pytest.mark.parametrize("client", [None, ("", 0), ("testclient", 1), ("::ffff:192.0.2.7", 1)])
def test_who_is_not_known_to_be_local_is_not(house, client):
    assert house.ask("POST", "/api/chat", client=client).status == 401


@pytest.mark.parametrize("client", [("::1", 1), ("::ffff:127.0.0.1", 1), ("127.8.8.8", 1)])
def test_every_form_of_the_loopback_is_local(house, client):
    assert house.ask("POST", "/api/chat", client=client).status == 200


def test_refusals_have_the_form_of_the_dialect(house):
    house.key()
    ollama = house.ask("POST", "/api/chat")
    assert set(json.loads(ollama.body)) == {"error"}
    error = json.loads(house.ask("POST", "/v1/responses").body)["error"]
    assert error["code"] == "invalid_api_key"
    assert error["message"]
    problem = house.ask("GET", "/memory/stats")
    assert problem.header("content-type") == "application/problem+json"
    assert json.loads(problem.body)["status"] == 401


def test_what_is_no_route_and_no_method_is_refused(house):
    for path in ("/nowhere", "/memory", "/mcpx", "/API/chat", "//api/chat", "/healthz/x"):
        assert house.ask("GET", path).status == 404, path
    for method in ("TRACE", "CONNECT", "PROPFIND", "get", ""):
        assert house.ask(method, "/api/chat").status == 405


def test_websockets_are_refused(house):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(house.guard({"type": "websocket", "path": "/api/chat"}, None, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_a_header_that_says_who_asks_twice_is_refused(house):
    token = house.access.token()
    twice = [("authorization", "Bearer x"), ("authorization", f"Bearer {token}")]
    assert house.ask("GET", "/memory/stats", twice).status == 400


def test_no_page_of_another_site_is_let_in_by_what_an_upstream_says(tmp_path):
    async def inside(scope, receive, send):
        headers = {
            "Access-Control-Allow-Origin": "*",
            "access-control-allow-headers": "x",
            "A": "b",
        }
        await JSONResponse({}, headers=headers)(scope, receive, send)

    house = House(tmp_path, inside=inside)
    answer = house.ask("GET", "/api/tags")
    assert answer.header("a") == "b"
    assert "access-control" not in answer.everything.lower()
    assert answer.header("cross-origin-resource-policy") == "same-origin"


@pytest.mark.parametrize(
    ("listen", "refused"),
    [
        ("127.0.0.1:11435", False),
        ("127.9.9.9:1", False),
        ("localhost:11435", False),
        ("[::1]:11435", False),
        ("0.0.0.0:11435", True),
        ("[::]:11435", True),
        ("192.0.2.7:11435", True),
        ("[::ffff:192.0.2.7]:1", True),
        ("memory.example:11435", True),
    ],
)
def test_it_listens_beyond_this_machine_with_a_valid_key_only(tmp_path, listen, refused):
    house = House(tmp_path, listen=listen)

    def refusal():
        try:
            refuse_to_listen(house.settings, house.access, house.clock)
        except SettingError as error:
            return "keys create" in error.hint
        return False

    assert refusal() is refused
    house.key("a", expires=house.clock.now() + timedelta(days=1))
    assert not refusal()
    house.clock.time += timedelta(seconds=86_400)
    assert refusal() is refused


def test_the_last_use_of_a_key_is_kept(house):
    secret = house.key()

    async def asked():
        await ask(house.guard, "POST", "/api/chat", bearer(secret))
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    asyncio.run(asked())
    assert ApiKeys(house.settings.home).every()[0].used == house.clock.now()


def test_the_root_opens_nothing_below_it(house):
    assert granted(house.ask("GET", "/", client=ELSEWHERE)) == "nobody"
    assert house.ask("POST", "/").status == 404
    for path in MEMORY:
        assert house.ask("GET", path).status == 401
