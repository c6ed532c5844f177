import asyncio

import pytest
from tests.server.asking import ask
from tests.server.planted import bearer, planted
from tests.server.test_guard import House

OWN = ("127.0.0.1:11435", "localhost:11435", "[::1]:11435", "LOCALHOST", "memory.example:8443")
FOREIGN = (
    "evil.example",
    "evil.example:11435",
    "127.0.0.1.evil.example:11435",
    "localhost.evil.example",
    "localhost.",
    "127.1:11435",
    "2130706433",
    "0.0.0.0:11435",
    "[::]:11435",
    "[::ffff:127.0.0.1]:11435",
    "192.0.2.7:11435",
)
BROKEN = (
    None,
    "",
    " ",
    "evil.example@127.0.0.1",
    "127.0.0.1:11435, evil.example",
    "127.0.0.1:11435/evil",
    "http://127.0.0.1:11435",
    "127.0.0.1:port",
    "127.0.0.1:11435\tevil",
    "127.0.0.1#evil",
    "lo\u00ffcalhost",
)
SITES = (
    "http://evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:3000",
    "http://localhost:11435",
    "http://127.0.0.1:11435.evil.example",
    "http://127.0.0.1:11435@evil.example",
    "http://evil.example/http://127.0.0.1:11435",
    "null",
    "",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    "vscode-webview://abc",
    "ftp://127.0.0.1:11435",
    "127.0.0.1:11435",
    "http://127.0.0.1:11435 http://evil.example",
)
"""Origins of pages that are not the server's own, for the Host 127.0.0.1:11435."""
PAGES = [
    *({"origin": site} for site in SITES),
    *({"sec-fetch-site": site} for site in ("cross-site", "same-site", "", "CROSS-SITE", "x")),
    {"origin": "http://127.0.0.1:11435", "sec-fetch-site": "cross-site"},
]
TYPES = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
"""What a page may send to another site without asking first (the Fetch standard, 4.9)."""


def test_every_route_is_asked_by_its_own_names_and_by_its_own_pages_only(tmp_path):
    """Host × Origin × route, with the token, which opens everything: what fails, fails for these."""
    index_queries = []

    async def asked():
        async with planted(tmp_path / "home", hosts=("memory.example",)) as house:
            token = bearer(house.access.token())
            for template, methods in house.routes().items():
                path = house.path(template)
                for method in sorted(methods & {"GET", "POST", "DELETE"}):
                    for host in (*FOREIGN, *BROKEN):
                        answer = await house.ask(method, path, token, host=host)
                        index_queries.append((method, path, host, answer.status, {400, 403}))
                    for page in PAGES:
                        answer = await house.ask(method, path, {**token, **page})
                        index_queries.append((method, path, page, answer.status, {403}))
                        assert "access-control" not in answer.everything.lower()
                    if method == "POST":
                        for kind in TYPES:
                            sent = {"origin": "http://evil.example", "content-type": kind}
                            answer = await house.ask(method, path, {**token, **sent}, body=b"{}")
                            index_queries.append((method, path, kind, answer.status, {403}))

    asyncio.run(asked())
    assert [
        index_query for index_query in index_queries if index_query[3] not in index_query[4]
    ] == []
    assert len(index_queries) > 1000


def test_a_preflight_of_another_site_gets_nothing(tmp_path):
    house = House(tmp_path / "home")
    sent = {
        "origin": "http://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    for path in ("/api/chat", "/v1/chat/completions", "/memory/search", "/mcp"):
        answer = house.ask("OPTIONS", path, sent)
        assert answer.status == 403
        assert "access-control" not in answer.everything.lower()


def test_names_of_its_own_are_let_in(tmp_path):
    house = House(tmp_path / "home", hosts=("memory.example", "Other.Example:9"))
    for host in (*OWN, "other.example"):
        assert house.ask("GET", "/api/tags", host=host).status == 200
        own = {"origin": f"http://{host.lower()}", "sec-fetch-site": "same-origin"}
        assert house.ask("GET", "/api/tags", own, host=host).status == 200


def test_its_own_page_behind_a_proxy_that_encrypts_is_let_in(tmp_path):
    house = House(tmp_path / "home", hosts=("memory.example",))
    for origin, host, status in [
        ("https://memory.example", "memory.example", 200),
        ("https://memory.example:443", "memory.example", 200),
        ("http://memory.example", "memory.example:80", 200),
        ("https://memory.example:8443", "memory.example:8443", 200),
        ("https://memory.example:8443", "memory.example", 403),
        ("http://[::1]:11435", "[::1]:11435", 200),
    ]:
        answer = house.ask("GET", "/api/tags", {"origin": origin}, host=host)
        assert answer.status == status, (origin, host)


def test_two_hosts_or_origins_are_refused(tmp_path):
    house = House(tmp_path / "home")
    own = "127.0.0.1:11435"
    for twice in (
        [("host", own), ("host", "evil.example")],
        [("host", own), ("host", own)],
        [("host", own), ("origin", f"http://{own}"), ("origin", "http://evil.example")],
        [("host", own), ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")],
    ):
        assert house.ask("GET", "/healthz", twice).status == 400


@pytest.mark.parametrize("server", [("192.0.2.9", 80), ("fd00::9", 80), ("::ffff:192.0.2.9", 80)])
def test_the_address_that_was_reached_is_a_name(tmp_path, server):
    house = House(tmp_path / "home")

    async def asked(host):
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        headers = [(b"host", host.encode())]
        scope = {"type": "http", "method": "GET", "path": "/healthz", "headers": headers}
        await house.guard({**scope, "server": server, "client": None}, receive, send)
        return sent[0]["status"]

    name = "[fd00::9]" if server[0] == "fd00::9" else "192.0.2.9"
    assert asyncio.run(asked(f"{name}:80")) == 200
    assert asyncio.run(asked("192.0.2.10")) == 403


def test_curl_without_a_content_type_works(tmp_path):
    house = House(tmp_path / "home")
    for kind in ({}, {"content-type": "application/x-www-form-urlencoded"}):
        answer = asyncio.run(ask(house.guard, "POST", "/api/chat", kind, body=b"{}"))
        assert answer.status == 200
