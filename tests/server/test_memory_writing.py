"""Memory over HTTP, written to: contexts and answers, exchanges, facts, requirements, forgetting, files."""

import json
from pathlib import Path

import httpx2
import pytest
from tests.helpers.talker import Talker, talking
from tests.opened import store_of

from unabridged.clock import SystemClock
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.file_transfer import import_file
from unabridged.home.api_keys import ApiKeys
from unabridged.space.idempotency import Idempotency
from unabridged.wire.json_api import from_plain


@pytest.fixture
def url(serving):
    return serving(upstream="quote")


@pytest.fixture
def http(url):
    with httpx2.Client(base_url=str(url), headers=url.bearer, timeout=30) as client:
        yield client


def post(http, path, body=None, key=None, status=200):
    headers = {"Idempotency-Key": key} if key else {}
    answer = http.post(path, json=body if body is not None else {}, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def said(http):
    items = http.get("/memory/exchanges").json()["items"]
    return [from_plain(Exchange, item) for item in items]


def test_prepare_begin_step_record(http):
    prepared = post(http, "/memory/prepare", {"message": "Which tool is best?", "mode": "tools"})
    context = from_plain(Context, prepared)
    assert context.new_session
    assert context.messages[-1]["content"].endswith("Which tool is best?")
    assert sum(context.ledger.parts.values()) == context.ledger.window
    assert said(http) == []  # preparing stores nothing
    path = f"/memory/contexts/{context.id}"
    begun = post(http, f"{path}/begin", {"title": "Tools"})["exchange"]
    assert (begun["state"], begun["id"]) == ("open", context.id)
    call = {"type": "tool_call", "id": "1", "name": "look", "arguments": "{}"}
    result = {"type": "tool_result", "call_id": "1", "name": "look", "text": "a hammer"}
    told = {
        "messages": [{"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [result]}]
    }
    assert len(post(http, f"{path}/step", told)["exchange"]["messages"]) == 3
    usage = {"prompt": 321, "answer": 5}
    done = post(http, f"{path}/record", {"reply": "The hammer.", "usage": usage})["exchange"]
    assert (done["state"], len(done["messages"])) == ("complete", 4)
    assert http.get("/memory/sessions").json()["items"][0]["title"] == "Tools"
    assert http.get(path).json()["usage"] == {**usage, "cached": None}
    again = http.post(f"{path}/record", json={"reply": "Another."})
    assert (again.status_code, again.json()["type"]) == (400, "urn:unabridged:input")


def test_a_tool_result_without_its_call_is_refused(http):
    context = post(http, "/memory/prepare", {"message": "Hello"})
    result = {"type": "tool_result", "call_id": "9", "name": "look", "text": "x"}
    answer = http.post(
        f"/memory/contexts/{context['id']}/step",
        json={"messages": [{"role": "tool", "parts": [result]}]},
    )
    assert answer.status_code == 400
    assert said(http) == []


def test_the_title_of_one_request_is_never_that_of_another(http):
    first = post(http, "/memory/prepare", {"message": "First"})
    second = post(http, "/memory/prepare", {"message": "Second"})
    post(http, f"/memory/contexts/{first['id']}/begin", {"title": "Mine"})
    post(http, f"/memory/contexts/{second['id']}/begin")
    titles = {s["title"] for s in http.get("/memory/sessions").json()["items"]}
    assert titles == {"Mine", "Second"}


def test_a_session_that_a_header_names_is_begun_where_it_is_not_there(http):
    http.headers["X-Unabridged-Session"] = "thread-7"
    context = post(http, "/memory/prepare", {"message": "First"})
    assert (context["scope"]["session"], context["new_session"]) == ("thread-7", True)
    post(http, f"/memory/contexts/{context['id']}/record", {"reply": "Yes."})
    post(http, "/memory/exchanges", {"user": "Second"}, status=201)
    context = post(http, "/memory/prepare", {"message": "Third"})
    assert (context["scope"]["session"], context["new_session"]) == ("thread-7", False)
    del http.headers["X-Unabridged-Session"]
    assert [e.session for e in said(http)] == ["thread-7", "thread-7"]
    http.headers["X-Unabridged-Session"] = "thread-8"
    post(http, "/memory/exchanges", {"user": "Elsewhere"}, status=201)
    sessions = http.get("/memory/sessions").json()["items"]
    assert [s["id"] for s in sessions] == ["thread-8"]


def test_a_context_belongs_to_who_prepared_it(http):
    context = post(http, "/memory/prepare", {"message": "Mine"})
    answer = http.post(
        f"/memory/contexts/{context['id']}/record",
        json={"reply": "x"},
        headers={"X-Unabridged-User": "eve"},
    )
    assert answer.status_code == 404


def test_preparing_may_store_the_message_at_once(http):
    context = post(http, "/memory/prepare?begin=true", {"message": "Keep this"}, key="k1")
    assert [e.user.text for e in said(http)] == ["Keep this"]
    again = post(http, "/memory/prepare?begin=true", {"message": "Keep this"}, key="k1")
    assert again == context
    assert len(said(http)) == 1


def test_what_was_begun_is_answered_after_the_server_was_started_anew(serving, http):
    context = post(http, "/memory/prepare?begin=true", {"message": "Hello"})
    other = serving(upstream="quote")
    with httpx2.Client(base_url=str(other), headers=other.bearer) as client:
        path = f"/memory/contexts/{context['id']}"
        body = {"reply": "Hi.", "usage": {"prompt": 7}}
        done = post(client, f"{path}/record", body)["exchange"]
        assert done["state"] == "complete"
        assert client.get(path).json()["usage"]["prompt"] == 7


def test_an_exchange_is_recorded_in_one_step_and_goes_on_with_its_session(http):
    first = post(
        http,
        "/memory/exchanges",
        {"user": "My dog is called Rex.", "assistant": "Nice.", "at": "2026-01-02T10:00:00Z"},
        status=201,
    )["exchange"]
    post(
        http,
        "/memory/exchanges",
        {"user": "And my cat Tom.", "session": first["session"]},
        status=201,
    )
    path = http.get(f"/memory/sessions/{first['session']}/exchanges").json()["items"]
    assert [e["state"] for e in path] == ["unanswered", "complete"]
    assert path[0]["parent"] == first["id"]
    assert first["at"].startswith("2026-01-02T10:00")
    found = post(http, "/memory/search", {"query": "dog Rex"})["items"]
    assert found[0]["exchange"]["id"] == first["id"]
    begun = post(http, "/memory/exchanges", {"user": "x", "session": "mine"}, status=201)
    assert begun["exchange"]["session"] == "mine"


WRITES = [
    ("/memory/exchanges", {"user": "Once"}, "/memory/exchanges"),
    ("/memory/messages", {"messages": [{"role": "user", "content": "Once"}]}, "/memory/exchanges"),
    ("/memory/sessions", {"title": "Once"}, "/memory/sessions"),
    ("/memory/facts", {"text": "Once only"}, "/memory/facts"),
    ("/memory/pins", {"text": "Once only"}, "/memory/pins"),
    ("/memory/requirements", {"text": "It must be once."}, "/memory/requirements"),
]


@pytest.mark.parametrize(("path", "body", "listed"), WRITES, ids=lambda value: str(value)[:20])
def test_a_repeated_request_is_done_once(serving, http, path, body, listed):
    first = post(http, path, body, key="one", status=201)
    assert post(http, path, body, key="one", status=201) == first
    other = http.post(path, json={**body, "x": 1}, headers={"Idempotency-Key": "one"})
    assert other.status_code == 422
    again = serving(upstream="quote")  # a restart
    with httpx2.Client(base_url=str(again), headers=again.bearer) as client:
        assert post(client, path, body, key="one", status=201) == first
    assert len(http.get(listed).json()["items"]) == 1
    post(http, path, body, key="two", status=201)
    # A fact that holds already is not added again.
    assert len(http.get(listed).json()["items"]) == (1 if listed == "/memory/facts" else 2)


@pytest.mark.parametrize(("path", "body", "listed"), WRITES, ids=lambda value: str(value)[:20])
def test_a_request_that_was_killed_after_it_wrote_is_not_done_twice(
    http, monkeypatch, path, body, listed
):
    real = Idempotency.put

    class KilledError(Exception):
        pass

    def put(self, *args, done):
        if done:
            raise KilledError
        real(self, *args, done=done)

    monkeypatch.setattr(Idempotency, "put", put)
    assert http.post(path, json=body, headers={"Idempotency-Key": "one"}).status_code == 500
    monkeypatch.setattr(Idempotency, "put", real)
    post(http, path, body, key="one", status=201)
    assert len(http.get(listed).json()["items"]) == 1


def test_another_body_under_the_same_key_is_refused(http):
    post(http, "/memory/facts", {"text": "A"}, key="one", status=201)
    answer = http.post("/memory/facts", json={"text": "B"}, headers={"Idempotency-Key": "one"})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:unabridged:http:key-reused")


def test_a_request_that_failed_may_be_repeated_under_its_key(http):
    body = {"user": "x", "session": ".."}
    headers = {"Idempotency-Key": "one"}
    assert http.post("/memory/exchanges", json=body, headers=headers).status_code == 400
    assert http.post("/memory/exchanges", json=body, headers=headers).status_code == 400


def test_what_is_kept_of_a_request_holds_no_words(http, url):
    post(http, "/memory/exchanges", {"user": "zanzibar secret"}, key="zanzibar-key", status=201)
    post(http, "/memory/facts", {"text": "zanzibar fact"}, key="k2", status=201)
    url.service.pool.close()
    with Talker.open(settings=url.settings) as memory:
        from unabridged.domain.record import RecordKind

        kept = store_of(memory).records(RecordKind.REQUEST)
        assert len(kept) == 2
        assert "zanzibar" not in repr(kept)


def test_facts_are_listed_corrected_pinned_and_taken_back(http):
    fact = post(http, "/memory/facts", {"text": "I live in Ghent."}, status=201)
    path = f"/memory/facts/{fact['id']}"
    tag = http.get(path).headers["etag"]
    changed = http.patch(path, json={"text": "I live in Bruges."}, headers={"If-Match": tag}).json()
    assert changed["text"] == "I live in Bruges."
    listed = http.get("/memory/facts").json()["items"]
    assert [f["text"] for f in listed] == ["I live in Bruges."]
    new = f"/memory/facts/{changed['id']}"
    assert http.patch(new, json={"pinned": True}).json()["pinned"]
    assert [p["text"] for p in http.get("/memory/pins").json()["items"]] == ["I live in Bruges."]
    assert len(http.get(f"{new}/history").json()["items"]) >= 2
    assert http.delete(new, headers={"If-Match": '"other"'}).status_code == 412
    assert http.delete(new).json()["text"] == "I live in Bruges."
    assert "I live in Bruges." not in http.get("/memory/facts").text


def test_requirements_are_added_changed_and_taken_back(http):
    made = post(
        http,
        "/memory/requirements",
        {"text": "It must start in 1 s.", "priority": "must"},
        status=201,
    )
    path = f"/memory/requirements/{made['id']}"
    tag = http.get(path).headers["etag"]
    changed = http.patch(path, json={"satisfaction": 4, "pinned": True}, headers={"If-Match": tag})
    assert (changed.json()["satisfaction"], changed.json()["pinned"]) == (4, True)
    assert http.patch(path, json={"satisfaction": 5}, headers={"If-Match": tag}).status_code == 412
    assert http.delete(path).json()["text"] == "It must start in 1 s."
    assert http.get(path).status_code == 404


def test_forgetting_is_planned_first_and_gives_a_receipt(http):
    made = post(http, "/memory/exchanges", {"user": "The code is 4711."}, status=201)["exchange"]
    post(http, "/memory/exchanges", {"user": "Good morning."}, status=201)
    plan = post(http, "/memory/forget", {"exchanges": [made["id"]]})
    assert [e["id"] for e in plan["exchanges"]] == [made["id"]]
    assert len(said(http)) == 2  # nothing is changed yet
    receipt = post(http, f"/memory/forget/{plan['id']}", key="f")
    assert (receipt["exchanges"], receipt["id"]) == (1, plan["id"])
    assert post(http, f"/memory/forget/{plan['id']}", key="f") == receipt
    assert [e.user.text for e in said(http)] == ["Good morning."]
    kept = receipt | {"genuine": True}
    assert http.get(f"/memory/receipts/{plan['id']}").json() == kept
    assert http.get("/memory/receipts").json()["items"] == [kept]
    nothing = http.post("/memory/forget", json={})
    assert nothing.status_code == 400


def test_a_key_for_one_session_reaches_nothing_else(http, url):
    mine = post(http, "/memory/exchanges", {"user": "Mine"}, status=201)["exchange"]
    other = post(http, "/memory/exchanges", {"user": "Others"}, status=201)["exchange"]
    grant = Grant("one", session=mine["session"])
    _, secret = ApiKeys(url.settings.home).create(grant, SystemClock().now())
    with httpx2.Client(base_url=str(url), headers={"Authorization": f"Bearer {secret}"}) as client:
        assert [e.user.text for e in said(client)] == ["Mine"]
        assert client.get(f"/memory/exchanges/{other['id']}").status_code == 404
        assert post(client, "/memory/exchanges", {"user": "Go on"}, status=201)
        named = client.post("/memory/exchanges", json={"user": "x", "session": other["session"]})
        assert named.status_code == 404
        for path in ("facts", "pins", "requirements", "stats", "spaces", "receipts"):
            assert client.get(f"/memory/{path}").status_code == 403, path
        for path in ("forget", "tend", "sessions", "facts", "import"):
            body = {"exchanges": [mine["id"]]} if path == "forget" else {"text": "x"}
            body = body if path in ("forget", "facts") else {}
            assert client.post(f"/memory/{path}", json=body).status_code == 403, path
        whole = client.get("/memory/export").text
        assert "Mine" in whole
        assert "Others" not in whole


def test_what_was_forgotten_is_not_stored_when_it_comes_again(http):
    body = {"user": "The code is 4711, never tell.", "assistant": "I will not."}
    made = post(http, "/memory/exchanges", body, status=201)["exchange"]
    plan = post(http, "/memory/forget", {"exchanges": [made["id"]]})
    post(http, f"/memory/forget/{plan['id']}")
    again = post(http, "/memory/exchanges", body, status=201)
    assert again["exchange"] is None
    assert again["notes"]
    assert said(http) == []


def test_an_export_is_imported_into_another_memory(http):
    for text in ("One", "Two"):
        post(http, "/memory/exchanges", {"user": text, "assistant": "Yes."}, status=201)
    post(http, "/memory/facts", {"text": "I like rye."}, status=201)
    whole = http.get("/memory/export")
    assert whole.headers["content-type"] == "application/x-ndjson"
    other = {"X-Unabridged-User": "bob", "Content-Type": "application/octet-stream"}
    told = http.post("/memory/import", content=whole.content, headers=other).json()
    assert (told["format"], told["conversations"], told["added"]) == ("unabridged", 2, 2)
    assert (told["failed"], told["complete"]) == ([], True)
    again = http.post("/memory/import", content=whole.content, headers=other).json()
    assert again["added"] == 0
    there = http.get("/memory/export", headers={"X-Unabridged-User": "bob"}).content
    assert [line for line in whole.iter_lines() if '"exchange"' in line] == [
        line for line in there.decode().splitlines() if '"exchange"' in line
    ]
    facts = http.get("/memory/facts", headers={"X-Unabridged-User": "bob"}).json()["items"]
    assert [f["text"] for f in facts] == ["I like rye."]


def test_a_conversation_whose_messages_are_of_another_is_kept_aside(http, url, tmp_path):
    made = post(http, "/memory/exchanges", {"user": "Rye?", "assistant": "Yes."}, status=201)
    text = http.get("/memory/export").text
    for name in ("id", "session"):
        text = text.replace(made["exchange"][name], SystemClock().new_id())
    media = {"Content-Type": "application/octet-stream"}
    told = http.post("/memory/import", content=text.encode(), headers=media).json()
    assert (told["conversations"], told["added"], told["failed_count"]) == (1, 0, 1)
    assert told["failed"][0]["reason"].startswith("not stored")
    (kept,) = (Path(url.settings.home) / "imports").iterdir()
    assert "Rye?" in json.loads(kept.read_text("utf-8"))["raw"]
    path = tmp_path / "other.jsonl"
    path.write_text(text, "utf-8")
    with talking(url.service.pool, Scope()) as memory:
        result = import_file(memory.space, path)
    assert (result.conversations, result.added, len(result.failed)) == (1, 0, 1)
    assert not result.is_complete


@pytest.mark.parametrize("form", ["jsonl", "v3", "markdown", "html", "messages"])
def test_every_form_of_export_is_given(http, form):
    empty = http.get("/memory/export", params={"format": form})
    assert empty.status_code == (404 if form == "v3" else 200)  # no JSON is empty
    post(http, "/memory/exchanges", {"user": "Wonderful words", "assistant": "Yes."}, status=201)
    whole = http.get("/memory/export", params={"format": form})
    assert "Wonderful words" in whole.text
    assert "attachment" in whole.headers["content-disposition"]


def test_a_file_that_is_nothing_known_is_refused(http, url):
    answer = http.post("/memory/import", content=b"\x00\x01nothing")
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:unabridged:unknown-format")
    assert list((Path(url.settings.home) / "cache").iterdir()) == []


def test_condensing_and_tending(http):
    session = None
    for n in range(30):
        body = {
            "user": f"Chapter {n}: the dragon flew to tower {n}.",
            "assistant": "It did so. " * 20,
        }
        if session:
            body["session"] = session
        session = post(http, "/memory/exchanges", body, status=201)["exchange"]["session"]
    plan = post(http, "/memory/condensations", {"session": session, "force": True, "dry_run": True})
    assert http.get("/memory/condensations").json()["items"] == []  # it is being talked in
    done = post(http, "/memory/condensations", {"session": session, "force": True})
    assert done["session"] == plan["session"] == session
    listed = http.get("/memory/condensations").json()["items"]
    assert {c["id"] for c in done["made"]} == {c["id"] for c in listed} != set()
    opened = http.get(f"/memory/condensations/{listed[0]['id']}").json()
    assert [e["id"] for e in opened["exchanges"]] == listed[0]["covers"]
    maintained = post(http, "/memory/tend", {"pages": 1})
    assert "condense" in {stage["stage"] for stage in maintained["stages"]}


def test_keys_expire_after_a_day(http, url):
    from datetime import timedelta

    post(http, "/memory/facts", {"text": "A"}, key="one", status=201)
    url.service.pool.close()
    clock = SystemClock()
    with Talker.open(settings=url.settings) as memory:
        from unabridged.domain.record import RecordKind

        (record,) = store_of(memory).records(RecordKind.REQUEST)
        later = type("Later", (), {"now": lambda self: clock.now() + timedelta(hours=25)})()
        assert Idempotency(store_of(memory), clock).get(record.id) is not None
        assert Idempotency(store_of(memory), later).get(record.id) is None
        assert Idempotency(store_of(memory), clock).clean_up("00") == 0
        assert Idempotency(store_of(memory), later).clean_up("01") == 0
        assert Idempotency(store_of(memory), later).clean_up("00") == 1
        assert store_of(memory).records(RecordKind.REQUEST) == []


def test_the_document_is_openapi_and_names_every_route(http, url):
    made = http.get("/memory/openapi.json").json()
    assert made["openapi"].startswith("3.1")
    routes = {r.path for r in url.app.routes if r.path.startswith("/memory/")}
    hidden = {"/memory/openapi.json", "/memory/{rest:path}"}
    assert set(made["paths"]) == routes - hidden
    text = json.dumps(made)
    assert "x-raw-body" not in text
