"""Memory over HTTP, looked at: sessions, exchanges, search, ledgers, pages, ETags, problems."""

import httpx2
import pytest
from tests.helpers.talker import Talker

from unabridged.domain.exchange import Exchange
from unabridged.domain.results import ContextReport, SearchResult, Stats
from unabridged.wire.json_api import from_plain

SAID = [
    ("My sister's name is Marta and she lives in Porto.", "Noted: Marta in Porto."),
    ("What is a good bread for beginners?", "A no-knead loaf."),
    ("How long does it bake?", "45 minutes, covered for the first 30."),
]


@pytest.fixture
def url(serving):
    """A server whose memory holds two sessions."""
    address = serving(upstream="quote")
    with Talker.open(settings=address.settings) as memory:
        for session in ("family", "bread"):
            memory.new_session(session)
            for user, answer in SAID[:1] if session == "family" else SAID[1:]:
                memory.record(memory.prepare(user), answer)
    return address


@pytest.fixture
def http(url):
    with httpx2.Client(base_url=str(url), headers=url.bearer) as client:
        yield client


def test_sessions_are_listed_page_by_page_the_last_updated_first(http):
    first = http.get("/memory/sessions", params={"limit": 1})
    assert [s["title"] for s in first.json()["items"]] == ["bread"]
    assert first.json()["items"][0]["exchanges"] == 2
    link = first.headers["link"]
    second = http.get(link[1 : link.index(">")])
    assert [s["title"] for s in second.json()["items"]] == ["family"]
    assert second.json()["next"] is None
    assert "link" not in second.headers


def test_a_session_is_found_by_what_it_is_called(http):
    found = http.get("/memory/sessions", params={"called": "family"}).json()["items"]
    assert [s["title"] for s in found] == ["family"]
    assert http.get("/memory/sessions", params={"called": "nothing"}).status_code == 404


def test_exchanges_of_a_session_come_the_newest_first_and_all_the_oldest_first(http):
    session = http.get("/memory/sessions", params={"called": "bread"}).json()["items"][0]["id"]
    got, cursor = [], {}
    for _ in range(2):
        page = http.get(f"/memory/sessions/{session}/exchanges", params={"limit": 1, **cursor})
        got += [from_plain(Exchange, item).user.text for item in page.json()["items"]]
        cursor = {"cursor": page.json()["next"]}
    assert got == [SAID[2][0], SAID[1][0]]
    assert cursor == {"cursor": None}
    got, cursor = [], {}
    while cursor is not None:
        page = http.get("/memory/exchanges", params={"limit": 2, **cursor}).json()
        got += [from_plain(Exchange, item).user.text for item in page["items"]]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert got == [user for user, _ in SAID]


def test_values_come_back_as_they_are_in_memory(http, url):
    found = [
        from_plain(SearchResult, item)
        for item in http.post("/memory/search", json={"query": "sister in Porto"}).json()["items"]
    ]
    stats = from_plain(Stats, http.get("/memory/stats").json())
    account = from_plain(ContextReport, http.get("/memory/contexts/last").json())
    url.service.pool.close()
    with Talker.open(settings=url.settings) as memory:
        assert found[0].exchange == memory.get(found[0].exchange.id)
        assert found[0].session_title == "family"
        assert stats == memory.stats()
        assert account == memory.why()


def test_what_the_client_has_is_not_sent_again(http):
    first = http.get("/memory/sessions")
    again = http.get("/memory/sessions", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = http.get("/memory/sessions", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


def test_head_gives_what_get_gives_but_the_body(http):
    shown, asked = http.get("/memory/sessions"), http.head("/memory/sessions")
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["etag"] == shown.headers["etag"]
    assert asked.headers["content-length"] == shown.headers["content-length"]
    assert http.head("/memory/search").status_code == 405


def test_a_session_is_changed_only_as_the_client_saw_it(http):
    session = http.get("/memory/sessions", params={"called": "bread"}).json()["items"][0]["id"]
    path = f"/memory/sessions/{session}"
    tag = http.get(path).headers["etag"]
    changed = http.patch(path, json={"title": "baking"}, headers={"If-Match": tag})
    assert changed.json()["title"] == "baking"
    late = http.patch(path, json={"title": "late"}, headers={"If-Match": tag})
    assert (late.status_code, late.json()["type"]) == (412, "urn:unabridged:http:changed-meanwhile")
    archived = http.patch(path, json={"archived": True}).json()
    assert archived["archived"] is not None
    assert http.patch(path, json={"archived": False}).json()["archived"] is None
    assert http.get(path).json()["title"] == "baking"


def test_a_request_for_one_session_reaches_no_other(http):
    sessions = {s["title"]: s["id"] for s in http.get("/memory/sessions").json()["items"]}
    exchange = http.get(f"/memory/sessions/{sessions['family']}/exchanges").json()["items"][0]
    http.headers["X-Unabridged-Session"] = sessions["bread"]
    assert [s["title"] for s in http.get("/memory/sessions").json()["items"]] == ["bread"]
    assert http.get(f"/memory/sessions/{sessions['family']}").status_code == 404
    assert http.get(f"/memory/exchanges/{exchange['id']}").status_code == 404
    assert http.get(f"/memory/contexts/{exchange['id']}").status_code == 404
    assert len(http.get("/memory/exchanges").json()["items"]) == 2
    found = http.post("/memory/search", json={"query": "Marta Porto sister"}).json()["items"]
    assert {f["exchange"]["session"] for f in found} <= {sessions["bread"]}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("GET", "/memory/nowhere", {}, 404),
        ("GET", "/memory/exchanges/none-of-this", {}, 404),
        ("GET", "/memory/exchanges/abc%00", {}, 404),
        ("GET", "/memory/exchanges/abc%EE%80%80", {}, 404),
        ("PUT", "/memory/sessions", {}, 405),
        ("GET", "/memory/sessions?limit=0", {}, 422),
        ("GET", "/memory/sessions?cursor=zz", {}, 400),
        ("GET", f"/memory/sessions?cursor={(b'[' * 2000).hex()}", {}, 400),
        ("GET", "/memory/sessions?limits=3", {}, 422),
        ("GET", f"/memory/facts/{'9' * 199}", {}, 404),
        ("GET", f"/memory/facts/{'9' * 6000}", {}, 422),
        ("POST", "/memory/search", {"content": b"{", "headers": {"Content-Type": "application/json"}}, 400),
        ("POST", "/memory/search", {"content": b"query=x", "headers": {"Content-Type": "text/plain"}}, 415),
        ("POST", "/memory/search", {"json": {"query": "x", "limit": "3"}}, 422),
        ("POST", "/memory/search", {"json": {"query": " "}}, 422),
        ("POST", "/memory/search", {"json": {"query": "x", "other": 1}}, 422),
    ],
)  # fmt: skip
def test_every_error_is_a_problem(http, method, path, sent, status):
    answer = http.request(method, path, **sent)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status
    assert {"type", "title", "detail", "hint"} <= told.keys()
    assert told["detail"]
    assert told["hint"]


def test_spaces_are_those_that_the_key_reaches(http):
    (space,) = http.get("/memory/spaces").json()["items"]
    assert (space["name"], space["sessions"], space["exchanges"]) == ("default/default", 2, 3)
