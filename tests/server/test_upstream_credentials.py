"""Whose key goes to an upstream of Anthropic's dialect: the client's or the settings', never ours."""

import httpx2
import pytest
from tests.server.conftest import bearer

from unabridged.domain.permissions import Grant
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.anthropic_server import MODEL, AnthropicTestServer

BODY = {"model": MODEL, "max_tokens": 9, "messages": [{"role": "user", "content": "Hello."}]}
THEIRS = "sk-ant-the-clients-own-key"
VERSION = {"anthropic-version": "2023-06-01", "anthropic-beta": "some-beta-1"}


@pytest.fixture
def upstream():
    with AnthropicTestServer("Yes.") as server:
        yield server


@pytest.fixture
def served(serving, upstream):
    return serving(upstream="anthropic", anthropic_url=upstream.url)


def ask(served, headers, path="/v1/messages"):
    return httpx2.post(f"{served}{path}", json=BODY, headers={**VERSION, **headers}, timeout=20)


def shown(upstream):
    received = upstream.requests[-1].headers
    return received.get("authorization"), received.get("x-api-key")


def key_of(served):
    grant = Grant("loopback")  # a name that our own grant has too
    return ApiKeys(served.settings.home).create(grant, served.service.clock.now())[1]


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
def test_without_a_key_of_ours_the_clients_goes_on(served, upstream, path):
    assert ask(served, {"x-api-key": THEIRS}, path).status_code == 200
    assert shown(upstream) == (None, THEIRS)
    assert ask(served, bearer(THEIRS), path).status_code == 200
    assert shown(upstream) == (f"Bearer {THEIRS}", None)
    assert upstream.requests[-1].headers["anthropic-beta"] == "some-beta-1"


def test_the_token_stays_here(served, upstream):
    assert ask(served, served.bearer).status_code == 200
    assert shown(upstream) == (None, None)


def test_a_key_of_ours_stays_here(served, upstream):
    ours = key_of(served)
    for headers in (bearer(ours), {"x-api-key": ours}):
        assert ask(served, headers).status_code == 200
        assert shown(upstream) == (None, None)


def test_a_key_of_ours_goes_beside_the_clients(served, upstream):
    ours = key_of(served)
    for own, passed in (
        ({"x-api-key": THEIRS}, (None, THEIRS)),
        (bearer(THEIRS), (f"Bearer {THEIRS}", None)),
    ):
        assert ask(served, {"X-Unabridged-Key": ours, **own}).status_code == 200
        assert shown(upstream) == passed
    assert ours not in str(upstream.requests)


def test_the_clients_key_alone_is_refused_where_ours_is_needed(served, upstream):
    key_of(served)
    refused = ask(served, {"x-api-key": THEIRS})
    assert refused.status_code == 401
    assert refused.json()["error"]["type"] == "authentication_error"
    assert not upstream.sent("/v1/messages")


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
def test_the_settings_key_comes_before_the_clients(serving, upstream, path):
    upstream.key = "sk-ant-of-the-settings"
    served = serving(
        upstream="anthropic", anthropic_url=upstream.url, anthropic_key="sk-ant-of-the-settings"
    )
    assert ask(served, {"x-api-key": THEIRS}, path).status_code == 200
    assert shown(upstream) == (None, "sk-ant-of-the-settings")
    assert ask(served, bearer(THEIRS), path).status_code == 200
    assert shown(upstream) == (None, "sk-ant-of-the-settings")


def test_no_key_is_stored_or_logged(served, upstream, capfd, tmp_path):
    upstream.key = "another"
    refused = ask(served, {"x-api-key": THEIRS})
    assert refused.json()["error"]["type"] == "authentication_error"
    upstream.key = ""
    ask(served, {"x-api-key": THEIRS})
    assert THEIRS not in "".join(capfd.readouterr())
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not any(THEIRS.encode() in file.read_bytes() for file in files)


def test_a_client_of_another_dialect_shows_its_key_to_nobody(served, upstream):
    body = {"model": MODEL, "messages": BODY["messages"]}
    told = httpx2.post(
        f"{served.v1}/chat/completions", json=body, headers=bearer(THEIRS), timeout=20
    )
    assert told.status_code == 200
    assert shown(upstream) == (None, None)


LISTS = ("/api/tags", "/v1/models")


@pytest.mark.parametrize("path", LISTS)
def test_models_are_listed_with_the_clients_key(serving, path):
    with AnthropicTestServer("Yes.", key=THEIRS) as upstream:
        url = serving(upstream="anthropic", anthropic_url=upstream.url)
        for headers in (bearer(THEIRS), {"x-api-key": THEIRS}):
            listed = httpx2.get(f"{url}{path}", headers=headers, timeout=20)
            assert listed.status_code == 200
            assert MODEL in listed.text


@pytest.mark.parametrize("path", LISTS)
def test_without_a_key_the_model_of_the_settings_is_listed(serving, path):
    with AnthropicTestServer("Yes.", key=THEIRS) as upstream:
        for model in ("", MODEL):
            url = serving(upstream="anthropic", anthropic_url=upstream.url, model=model)
            listed = httpx2.get(f"{url}{path}", timeout=20)
            assert listed.status_code == 200
            assert (MODEL in listed.text) == bool(model)
