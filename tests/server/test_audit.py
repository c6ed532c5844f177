"""The audit log: who read, exported, shared and forgot, without content, and unchanged."""

import json
import multiprocessing
from datetime import timedelta

import anyio
import httpx2
import pytest
from click.testing import CliRunner
from mcp.client.streamable_http import streamable_http_client
from tests.helpers.waiting import until
from tests.mcp.talking import called

from mcp import Client
from unabridged import config
from unabridged.cli.main import COMMANDS, cli
from unabridged.cli.plain_command import PlainCommand
from unabridged.client import RemoteMemory
from unabridged.clock import SystemClock
from unabridged.domain.audit import Audit, Outcome
from unabridged.domain.permissions import ALL_RIGHTS, Grant
from unabridged.domain.scope import SpaceId
from unabridged.home.api_keys import ApiKeys
from unabridged.home.audit_log import AuditLog, entries
from unabridged.home.verify import verify
from unabridged.mcp.http_transport import mcp_mount
from unabridged.operations import TABLE
from unabridged.operations.operation import Effect
from unabridged.server.resolve_scope import scope_of
from unabridged.testing.clock import ManualClock

ADDS = {each.name for each in TABLE if each.effect is Effect.WRITES} - {"shares.add", "import"}
"""What only adds or changes is in the history, with its time."""
SPACE = SpaceId("zephyrine", "coder", "")
WORD = "Ulaanbaatar"


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


def log_of(home):
    return b"".join(path.read_bytes() for path in sorted((home / "logs" / "audit").iterdir()))


def file_of(home):
    [path] = (home / "logs" / "audit").glob("*.jsonl")
    return path


def settings_of(tmp_path, **chosen):
    (tmp_path / "home").mkdir(mode=0o700, exist_ok=True)
    return config.load(home=tmp_path / "home", environ={}, upstream="quote", **chosen)


def noted(settings, *whats, clock=None):
    log = AuditLog(settings, clock or SystemClock())
    for what in whats:
        log.note(Audit.ACTS, "k1", what, SPACE, outcome=Outcome.DONE, count=2)


def flaws(settings):
    return [flaw for proof in verify(settings) for flaw in proof.flaws]


def test_every_operation_that_reads_exports_shares_or_forgets_is_in_it():
    assert {each.name for each in TABLE if each.audit is None} == ADDS
    acts = {each.name for each in TABLE if each.audit is Audit.ACTS}
    assert acts >= {"export", "import", "shares.add", "shares.revoke", "forget.run"}
    assert acts >= {each.name for each in TABLE if each.effect is Effect.DESTROYS or each.transfer}


def test_every_command_that_moves_or_keeps_memory_is_in_it():
    context = cli.make_context("unabridged", ["config"])
    entered = {}
    for name in COMMANDS:
        command = cli.get_command(context, name)
        below = getattr(command, "commands", {"": command})
        for sub, each in below.items():
            if isinstance(each, PlainCommand) and each.audit:
                entered[f"{name} {sub}".strip()] = each.audit
    assert set(entered) == {
        "export", "import", "migrate", "share to", "share hand-off",
        "backup create", "backup restore", "backup prune",
        "keys create", "keys revoke",
        "key change", "key retire", "key seal", "key encrypt", "key decrypt",
        "requirements export", "requirements import",
        "spaces rename", "spaces merge", "spaces copy",
    }  # fmt: skip


def test_who_did_what_over_http_is_entered_without_content(serving, tmp_path):
    home = tmp_path / "home"
    url = serving(home=home)
    access = ApiKeys(str(home))
    key, secret = access.create(
        Grant("phone of ann", user="ann", rights=ALL_RIGHTS), SystemClock().now()
    )
    with RemoteMemory(url, key=secret) as memory:
        memory.record(memory.prepare(f"The boat is in {WORD}."), "A fine place.")
        for _ in range(3):
            memory.search(WORD)
    with httpx2.Client(base_url=f"{url}/memory", headers=bearer(secret), timeout=30) as client:
        assert WORD in client.get("/export").text
        assert b'"what":"export"' in log_of(home)  # before the answer
        plan = client.post("/forget", json={"search": WORD}).json()
        assert client.post(f"/forget/{plan['id']}").status_code == 200
        assert b'"what":"forget.run"' in log_of(home)
        assert client.get("/audit").status_code == 403
    with httpx2.Client(base_url=f"{url}/memory", headers=url.bearer, timeout=30) as client:
        first = client.get("/audit", params={"limit": 2}).json()
        assert len(first["items"]) == 2
        rest = client.get("/audit", params={"cursor": first["next"]}).json()
    found = {one["what"]: one for one in [*first["items"], *rest["items"]]}
    assert {one["who"] for one in found.values()} == {key.id}
    assert found["search"]["times"] >= 1
    assert sum(e.times for e in entries(url.settings) if e.what == "search") == 3
    assert found["forget.run"]["count"] == 1
    assert found["export"]["name"] == "ann/default"
    for secret_word in (WORD, "boat", "phone", secret, "ann"):
        assert secret_word.encode() not in log_of(home)
    assert flaws(url.settings) == []


def test_what_is_refused_and_what_fails_is_entered(serving, tmp_path):
    url = serving(home=tmp_path / "home")
    grant = Grant("narrow", user="ann", session="desk", rights=ALL_RIGHTS)
    secret = ApiKeys(url.settings.home).create(grant, SystemClock().now())[1]
    with httpx2.Client(base_url=f"{url}/memory", timeout=30) as client:
        client.post("/exchanges", json={"user": "Hi.", "session": "desk"}, headers=bearer(secret))
        assert client.get("/exchanges/nothing", headers=bearer(secret)).status_code == 404
    url.service.pool.close()
    assert [(e.what, e.outcome) for e in entries(url.settings)] == [("exchanges.get", "failed")]


def test_reads_over_mcp_are_entered(serving, tmp_path):
    url = serving(home=tmp_path / "home")

    async def talk():
        headers = url.bearer
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(f"{served}/mcp", http_client=http), cache=None) as client,
        ):
            await called(client, "record", user=f"Boat in {WORD}.", assistant="Fine.")
            await called(client, "search", query=WORD)
            found = await client.list_resources()
            await client.read_resource(found.resources[0].uri)

    route = mcp_mount(url.service.pool, scope_of)
    served = serving(home=tmp_path / "home", more=[route])
    anyio.run(talk)
    url.service.pool.close()
    whats = until(lambda: {e.what for e in entries(url.settings)})
    assert {"search", "sessions.list", "sessions.exchanges"} <= whats


@pytest.mark.parametrize("how", ["change", "remove", "reorder", "cut", "drop", "rehead"])
def test_a_changed_or_removed_entry_is_noticed(tmp_path, how):
    settings = settings_of(tmp_path)
    noted(settings, "export", "search", "forget.run", "export")
    assert flaws(settings) == []
    path = file_of(tmp_path / "home")
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "change":
        lines[1] = lines[1].replace(b"search", b"stats!")
    elif how == "remove":
        del lines[1]
    elif how == "reorder":
        lines[1:3] = lines[2:0:-1]
    elif how == "cut":
        del lines[-1]
    elif how == "rehead":
        (path.parent / "head.json").unlink()
    path.write_bytes(b"".join(lines)) if how != "drop" else path.unlink()
    assert flaws(settings)
    if how in {"cut", "drop"}:  # what comes later does not hide it
        noted(settings, "search")
        assert flaws(settings)


def test_with_a_checkpoint_the_whole_log_cannot_be_put_back(tmp_path):
    settings = settings_of(tmp_path, checkpoint_file=str(tmp_path / "checkpoint"))
    noted(settings, "export")
    folder = tmp_path / "home" / "logs" / "audit"
    older = {path: path.read_bytes() for path in folder.iterdir()}
    noted(settings, "forget.run")
    for path, data in older.items():
        path.write_bytes(data)
    assert any("2 were written" in flaw for flaw in flaws(settings))
    for path in folder.iterdir():
        path.unlink()
    assert flaws(settings)


def test_a_key_begins_a_chain_that_nobody_without_it_continues(tmp_path):
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    key.chmod(0o600)
    plain = settings_of(tmp_path)
    noted(plain, "export")
    keyed = settings_of(tmp_path, key=f"file:{key}")
    noted(keyed, "search")
    assert [entry.what for entry in entries(keyed)] == ["export", "search"]
    assert flaws(keyed) == []
    assert any("is missing" in flaw for flaw in flaws(plain))


def test_what_was_being_written_at_a_kill_is_dropped(tmp_path):
    settings = settings_of(tmp_path)
    noted(settings, "export")
    with file_of(tmp_path / "home").open("ab") as file:
        file.write(b'{"number":2,"at":"20')
    assert flaws(settings) == []
    noted(settings, "search")
    assert [entry.what for entry in entries(settings)] == ["export", "search"]
    assert flaws(settings) == []


def _note_many(settings, number):
    noted(settings, *[f"act{number}"] * 10)


def test_several_processes_write_at_once(tmp_path):
    settings = settings_of(tmp_path)
    spawn = multiprocessing.get_context("fork")
    running = [spawn.Process(target=_note_many, args=(settings, n)) for n in range(4)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert len(entries(settings)) == 40
    assert flaws(settings) == []


def _note_until_killed(settings, pipe):
    clock = ManualClock(step=timedelta(hours=6))
    for number in range(100_000):
        noted(settings, f"act{number}", clock=clock)
        pipe.send(number)


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    settings = settings_of(tmp_path, audit_days=2)
    spawn = multiprocessing.get_context("fork")
    for kill in range(6):
        ours, theirs = spawn.Pipe(duplex=False)
        process = spawn.Process(target=_note_until_killed, args=(settings, theirs))
        process.start()
        acknowledged = [ours.recv() for _ in range(5 + 3 * kill)]
        process.kill()
        process.join()
        while ours.poll():
            acknowledged.append(ours.recv())
        assert flaws(settings) == []
        found = [entry.what for entry in entries(settings)]
        assert f"act{acknowledged[-1]}" in found


def test_old_entries_go_and_the_rest_still_holds(tmp_path):
    settings = settings_of(tmp_path, audit_days=10)
    clock = ManualClock(step=timedelta(days=1))
    noted(settings, *map(str, range(30)), clock=clock)
    kept = [int(entry.what) for entry in entries(settings)]
    assert kept == list(range(30 - len(kept), 30))
    assert 10 <= len(kept) <= 12
    assert flaws(settings) == []
    path = file_of(tmp_path / "home")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    assert flaws(settings), "one more than its age removes"


def test_forgetting_every_space_of_a_person_leaves_no_name(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("UNABRIDGED_HOME", str(home))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.setenv("UNABRIDGED_ISOLATION", "user,agent")

    def run(*words):
        result = CliRunner().invoke(cli, list(words))
        assert result.exit_code == 0, result.output
        return result.stdout

    run("ask", "--user", "zephyrine", f"The boat is in {WORD}.")
    run("export", "--user", "zephyrine", "-o", str(tmp_path / "out.jsonl"))
    assert "zephyrine" in run("audit")
    run("search", "--user", "zephyrine", WORD)
    assert '"search"' not in run("audit", "--json"), "this account may read the files anyway"
    run("--set", "audit=all", "search", "--user", "zephyrine", WORD)
    assert '"search"' in run("audit", "--json")
    run("forget", "--all-of", "zephyrine", "--yes")
    shown = run("audit", "--json")
    assert "spaces.forget" in shown
    assert "zephyrine" not in shown
    assert b"zephyrine" not in log_of(home)
    assert WORD.encode() not in log_of(home)
    assert "audit log" in run("verify")
    assert run("audit", "--since", "1h")
    before = log_of(home)
    run("--set", "audit=none", "keys", "create", "phone")
    assert log_of(home) == before


def test_an_export_that_cannot_be_entered_is_not_given_out(serving, tmp_path):
    home = tmp_path / "home"
    url = serving(home=home)
    (home / "logs").mkdir(mode=0o700, exist_ok=True)
    (home / "logs" / "audit").write_text("in the way")
    with httpx2.Client(base_url=f"{url}/memory", headers=url.bearer, timeout=30) as client:
        assert client.post("/exchanges", json={"user": WORD}).status_code == 201
        answer = client.get("/export")
        assert answer.status_code >= 500
        assert WORD not in answer.text
        assert "audit" in answer.text
        assert client.post("/search", json={"query": WORD}).status_code == 200
        until(lambda: url.service.pool.audit.trouble)
        told = client.get(f"{url}/readyz")
        assert (told.status_code, "audit" in told.json()["warnings"]) == (200, True)
        (home / "logs" / "audit").unlink()
        assert client.get("/export").status_code == 200
    assert {e.what for e in entries(url.settings)} == {"export", "search"}


def test_a_command_warns_if_the_log_cannot_be_written(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("UNABRIDGED_HOME", str(home))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    CliRunner().invoke(cli, ["ask", "Hello."])
    (home / "logs").mkdir(mode=0o700, exist_ok=True)
    (home / "logs" / "audit").write_text("in the way")
    result = CliRunner().invoke(cli, ["export"])
    assert result.exit_code == 0
    assert "Hello." in result.stdout
    assert "audit log cannot be written" in result.stderr


def test_doctor_says_that_an_entry_was_changed(tmp_path, monkeypatch):
    settings = settings_of(tmp_path)
    monkeypatch.setenv("UNABRIDGED_HOME", settings.home)
    noted(settings, "export")
    path = file_of(tmp_path / "home")
    path.write_bytes(path.read_bytes().replace(b'"k1"', b'"k2"'))
    told = CliRunner().invoke(cli, ["doctor", "--json"])
    found = [one for one in json.loads(told.stdout) if one["topic"] == "audit log"]
    assert [one["ok"] for one in found] == [False]
