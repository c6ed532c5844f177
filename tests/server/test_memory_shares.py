"""Shares over HTTP: given, listed, revoked; and only between spaces that a key reaches both."""

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.domain.permissions import ALL_RIGHTS, Grant, Right
from unabridged.domain.scope import Scope
from unabridged.home.api_keys import ApiKeys

TO = {"user": "ann", "agent": "coder"}
SAID = {"user": "I live in Zurich.", "assistant": "Noted."}


@pytest.fixture(params=["none", "agent"])
def url(serving, tmp_path, request):
    return serving(home=tmp_path / "home", upstream="quote", json_files=request.param)


@pytest.fixture
def of(url, tmp_path):
    """Gives a client for a key of its own."""
    access, made = ApiKeys(str(tmp_path / "home")), []

    def client(name, agent="work", rights=ALL_RIGHTS, **given):
        grant = Grant(name, user="ann", rights=frozenset(rights), **given)
        key = access.create(grant, url.service.clock.now())[1]
        headers = {"Authorization": f"Bearer {key}"}
        if "agent" not in given:
            headers["X-Unabridged-Agent"] = agent
        made.append(httpx2.Client(base_url=str(url), headers=headers, timeout=30))
        return made[-1]

    yield client
    for one in made:
        one.close()


def facts(url, agent):
    with talking(url.service.pool, Scope("ann", agent)) as memory:
        memory.facts.learn_pending()
        return memory.facts.all()


def test_a_session_is_shared_and_taken_back(url, of):
    http = of("wide")
    session = http.post("/memory/exchanges", json=SAID).json()["exchange"]["session"]
    body, key = {"to": TO, "sessions": [session]}, {"Idempotency-Key": "one"}
    first = http.post("/memory/shares", json=body, headers=key)
    assert first.status_code == 201, first.text
    view = first.json()
    assert (view["state"], view["exchanges"]) == ("held", 1)
    assert http.post("/memory/shares", json=body, headers=key).json() == view
    assert http.get("/memory/shares").json()["items"] == [view]
    (fact,) = facts(url, "coder")
    assert fact.origin.space == "ann/work"
    coder = of("coder", agent="coder")
    (taken,) = coder.get("/memory/shares").json()["items"]
    assert (taken["share"]["id"], taken["share"]["side"]) == (view["share"]["id"], "taken")
    done = coder.post(f"/memory/shares/{taken['share']['id']}/revoke", json={})
    assert (done.status_code, done.json()["state"]) == (200, "revoked")
    assert http.get("/memory/shares").json()["items"][0]["state"] == "revoked"
    assert facts(url, "coder") == []
    assert coder.get("/memory/exchanges").json()["items"] == []


def test_a_session_is_handed_off(url, of):
    http = of("wide")
    session = http.post("/memory/exchanges", json=SAID).json()["exchange"]["session"]
    wrong = {"to": TO, "sessions": [session], "handoff": True, "all_facts": True}
    assert http.post("/memory/shares", json=wrong).status_code == 400
    done = http.post("/memory/shares", json=wrong | {"all_facts": False})
    assert (done.status_code, done.json()["share"]["kind"]) == (201, "handoff")
    with talking(url.service.pool, Scope("ann", "coder")) as memory:
        assert memory.space.sessions.all()[0].id == session


def test_a_key_shares_between_spaces_that_it_reaches_both(url, of):
    wide = of("wide")
    session = wide.post("/memory/exchanges", json=SAID).json()["exchange"]["session"]
    body = {"to": TO, "sessions": [session]}
    assert of("work", agent="work").post("/memory/shares", json=body).status_code == 201
    narrow = of("narrow", session=session)
    assert narrow.post("/memory/shares", json=body).status_code == 403
    assert narrow.get("/memory/shares").status_code == 403
    other = body | {"to": {"user": "bob", "agent": "work"}}
    assert wide.post("/memory/shares", json=other).status_code == 403
    reader = of("reader", rights={Right.READ})
    assert reader.post("/memory/shares", json=body).status_code == 403
    assert reader.get("/memory/shares").status_code == 200
    (view,) = wide.get("/memory/shares").json()["items"]
    path = f"/memory/shares/{view['share']['id']}/revoke"
    writer = of("writer", rights={Right.READ, Right.WRITE})
    assert writer.post(path, json={}).status_code == 403
    assert wide.post("/memory/shares/nothing/revoke", json={}).status_code == 404
    assert wide.post(path, json={}).status_code == 200


def test_a_key_for_one_user_gives_nothing_to_what_all_users_share(serving, tmp_path):
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True, mode=0o700)
    (home / "config" / "unabridged.toml").write_text('[agents.pool]\nisolation = ["agent"]\n')
    home.chmod(0o700)
    url = serving(home=home, upstream="quote")
    secret = ApiKeys(str(home)).create(Grant("ann", user="ann"), url.service.clock.now())[1]
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=str(url), headers=headers, timeout=30) as http:
        session = http.post("/memory/exchanges", json=SAID).json()["exchange"]["session"]
        body = {"to": {"user": "ann", "agent": "pool"}, "sessions": [session]}
        refused = http.post("/memory/shares", json=body)
        assert refused.status_code == 403
        assert "does not reach the space 'pool'" in refused.json()["detail"]
    assert len(list((home / "spaces").glob("*.db"))) == 1


def test_a_key_with_a_profile_shares_under_it(serving, tmp_path):
    url = serving(home=tmp_path / "home", upstream="quote")
    grant = Grant("lab", user="ann", profile="agent")
    secret = ApiKeys(str(tmp_path / "home")).create(grant, url.service.clock.now())[1]
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=str(url), headers=headers, timeout=30) as http:
        session = http.post("/memory/exchanges", json=SAID).json()["exchange"]["session"]
        body = {"to": TO, "sessions": [session]}
        share = http.post("/memory/shares", json=body).json()["share"]["id"]
        there = {"X-Unabridged-Agent": "coder"}
        assert [s["id"] for s in http.get("/memory/sessions", headers=there).json()["items"]]
        done = http.post(f"/memory/shares/{share}/revoke", json={})
        assert done.json()["state"] == "revoked"
        assert http.get("/memory/exchanges", headers=there).json()["items"] == []
    assert list((tmp_path / "home").glob("chats/*.json"))
