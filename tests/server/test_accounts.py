"""Who may ask without a key: another account of this machine, in truth, over real connections."""

import json
import os
import shutil
import socket
import subprocess
from types import SimpleNamespace

import httpx2
import pytest
from tests.helpers import program
from tests.server.asking import ELSEWHERE
from tests.server.conftest import bearer
from tests.server.test_chat import held
from tests.server.test_guard import House

from unabridged.cli.commands.serve_command import access_lines
from unabridged.clock import SystemClock
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.settings import Settings
from unabridged.home.api_keys import ApiKeys
from unabridged.server import local_accounts

NOBODY, OWNER = 65_534, 12_345
CHAT = {"model": "quote", "messages": [{"role": "user", "content": "My cat is called Mira."}]}
PATHS = ("/api/chat", "/v1/chat/completions")


def needs(*programs):
    if os.geteuid() != 0:
        pytest.skip("only root can act as another account")
    if local_accounts.in_container():
        pytest.skip("in a container nobody may ask without a key")
    if missing := [name for name in programs if shutil.which(name) is None]:
        pytest.skip(f"there is no {', '.join(missing)}")


def ask_as(account, url, *more):
    """The status that a program of an account gets for a chat."""
    body = json.dumps({**CHAT, "stream": False})
    curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*", "-d", body]
    command = ["setpriv", f"--reuid={account}", "--clear-groups", *curl, *more, url]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("path", PATHS)
def test_another_account_neither_asks_nor_leaves_anything(serving, path):
    needs("setpriv", "curl")
    url = serving(upstream="quote")
    for more in ([], ["-H", "Authorization: Bearer ollama"], ["-H", "X-Unabridged: off"]):
        assert ask_as(NOBODY, url + path, *more) == 401
    assert held(url) == []
    assert ask_as(0, url + path) == 200
    assert len(held(url)) == 1
    token = ["-H", f"Authorization: {url.bearer['Authorization']}"]
    assert ask_as(NOBODY, url + path, *token) == 200


def test_the_servers_own_account_and_root_may_ask(serving, monkeypatch):
    needs("setpriv", "curl")
    url = serving(upstream="quote")
    monkeypatch.setattr(local_accounts, "os", SimpleNamespace(geteuid=lambda: OWNER))
    asked = {account: ask_as(account, f"{url}/api/chat") for account in (OWNER, 0, OWNER + 1)}
    assert asked == {OWNER: 200, 0: 200, OWNER + 1: 401}


def test_the_command_notes_the_account_of_each_connection(tmp_path):
    needs("setpriv", "curl")
    words = ["serve", "--port", "0", "--json", "--log", "json", "--home", str(tmp_path / "home")]
    pipe = subprocess.PIPE
    process = program.start(*words, "--upstream", "quote", stdout=pipe, stderr=pipe, text=True)
    try:
        url = json.loads(process.stdout.readline())["url"]
        asked = [ask_as(account, f"{url}/api/chat") for account in (NOBODY, 0, NOBODY)]
    finally:
        process.terminate()
        _, log = process.communicate(timeout=60)
    assert asked == [401, 200, 401]
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert [line["key"] for line in lines] == ["", "loopback", ""]


@pytest.mark.parametrize("look", [local_accounts.asked_account, local_accounts.read_account])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_owner_of_a_connection_is_known_until_it_is_closed(look, host):
    def owner():
        return look(client[:2], ours[:2])

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        with socket.create_connection(server.getsockname()[:2]) as connection:
            accepted, client = server.accept()
            ours = accepted.getsockname()
            assert owner() == os.geteuid()
            assert local_accounts.account_of(client[:2], ours[:2]) == os.geteuid()
            connection.sendall(b"x")
        assert owner() is None, "a closed connection shows account 0 and no inode"
        accepted.close()
        client = (client[0], 9)
        assert owner() is None, "there is no such connection"


def test_a_request_whose_program_has_gone_is_refused_before_its_body(tmp_path):
    house = House(tmp_path / "home", require_key="auto")
    for account in (NOBODY, -1):
        answer = house.ask("POST", "/api/chat", body=b"[" * 1000, account=account)
        expected = 401 if not local_accounts.is_ours(account) else 200
        assert answer.status == expected


@pytest.mark.parametrize(
    ("setting", "account", "status"),
    [("never", NOBODY, 200), ("always", 0, 401), ("always", NOBODY, 401)],
)
def test_the_setting_decides_who_needs_a_key(tmp_path, setting, account, status):
    house = House(tmp_path / "home", require_key=setting)
    for path in PATHS:
        assert house.ask("POST", path, account=account).status == status
    token = bearer(house.access.token())
    assert house.ask("POST", "/api/chat", token, account=account).status == 200


def test_in_a_container_a_key_is_needed_and_the_error_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(local_accounts, "in_container", lambda: True)
    house = House(tmp_path / "home")
    answer = house.ask("POST", "/api/chat", account=0)
    assert answer.status == 401
    assert "in a container" in answer.everything
    assert "unabridged keys create" in answer.everything


def test_where_accounts_are_unknown_the_loopback_is_open(tmp_path, monkeypatch):
    monkeypatch.setattr(local_accounts.sys, "platform", "darwin")
    house = House(tmp_path / "home")
    assert house.ask("POST", "/api/chat", account=NOBODY).status == 200
    (first, offer, _) = access_lines(house.settings, house.access)
    assert first.startswith("Every account on this machine chats without a key")
    assert "require_key always" in offer


def test_through_a_proxy_a_key_is_needed_and_the_error_says_why(tmp_path):
    house = House(tmp_path / "home")
    for name in ("forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"):
        answer = house.ask("POST", "/api/chat", {name: "1"})
        assert answer.status == 401
        assert "through a proxy" in answer.everything
    assert "other machines" in house.ask("POST", "/api/chat", client=ELSEWHERE).everything


def test_naming_a_user_needs_a_key_that_may(serving):
    url = serving(upstream="quote")
    access, now = ApiKeys(url.settings.home), SystemClock().now()
    with httpx2.Client(timeout=30) as client:

        def status(headers, **body):
            path = f"{url}/v1/chat/completions"
            return client.post(path, json={**CHAT, **body}, headers=headers).status_code

        as_ann = {"X-Unabridged-User": "ann"}
        assert status(as_ann) == 403
        assert status({}, user="ann") == 200  # a program says so that knows nothing of memory
        assert status({"X-Unabridged-User": url.settings.user}) == 200
        assert held(url, "ann") == []
        assert status({**url.bearer, **as_ann}) == 200
        _, free = access.create(Grant("page", rights=frozenset({Right.CHAT})), now)
        _, bobs = access.create(Grant("phone", user="bob"), now)
        assert status({**bearer(free), **as_ann}) == status(bearer(free), user="ann") == 200
        assert status({**bearer(bobs), **as_ann}) == 403


def test_a_key_for_one_sees_no_metrics_of_others(serving):
    url = serving(upstream="quote")
    access, now = ApiKeys(url.settings.home), SystemClock().now()
    grants = [{"user": "ann"}, {"agent": "cook"}, {"session": "one"}, {}]
    keys = [access.create(Grant(f"k{n}", **grant), now)[1] for n, grant in enumerate(grants)]
    with httpx2.Client(timeout=30) as client:
        told = [client.get(f"{url}/metrics", headers=bearer(key)).status_code for key in keys]
    assert told == [403, 403, 403, 200]


@pytest.mark.parametrize(
    "path", [*PATHS, "/v1/responses", "/api/generate", "/v1/completions", "/memory/search"]
)
def test_invalid_utf8_in_a_body_is_a_client_error(serving, path):
    url = serving(upstream="quote")
    said = json.dumps({**CHAT, "input": "x", "prompt": "x", "query": "x"}).encode()
    headers = {**url.bearer, "content-type": "application/json"}
    with httpx2.Client(timeout=30) as client:
        answer = client.post(url + path, content=said.replace(b"cat", b"\xff"), headers=headers)
    assert answer.status_code == 400
    assert "JSON" in answer.text


def test_the_start_says_who_reaches_whose_memory(tmp_path):
    access, clock = ApiKeys(tmp_path), SystemClock()
    settings = Settings(home=str(tmp_path), user="zoe")
    said = " ".join(access_lines(settings, access))
    if not local_accounts.in_container():
        assert "Programs of your account and root chat without a key" in said
        assert "the memory of the user zoe" in said
    access.create(Grant("page"), clock.now())
    access.create(Grant("phone", user="ann"), clock.now())
    access.create(Grant("gone", user="bob"), clock.now())
    access.revoke("gone", clock.now())
    said = " ".join(access_lines(settings, access))
    assert "Every request needs an API key." in said
    assert "page reaches any user's memory." in said
    assert "phone reaches the memory of the user ann." in said
    assert "bob" not in said
    for number in range(9):
        access.create(Grant(f"more{number}"), clock.now())
    assert "5 more keys: unabridged keys list" in " ".join(access_lines(settings, access))
