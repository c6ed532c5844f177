from datetime import UTC, datetime, timedelta

import pytest

from unabridged.cli.parse_moment import parse_end
from unabridged.errors import InputError

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_keys_are_made_listed_and_revoked(run, tmp_path):
    assert "no API key yet" in run("keys", "list").out
    made = run("keys", "create", "phone", "--user", "ann", "--right", "chat", "--expires", "30d")
    assert made.code == 0
    secret = made.out.strip()
    assert secret.startswith("unb_")
    assert secret not in made.err
    assert "user ann" in made.err
    assert "any user" not in made.err
    listed = run("keys", "list")
    assert "phone" in listed.out
    assert secret not in listed.out
    [key] = run("keys", "list", "--json").data
    assert key["rights"] == ["chat"]
    assert key["state"] == "valid"
    assert key["user"] == "ann"
    assert secret.split("_")[1] == key["id"]
    assert secret not in (tmp_path / "home" / "config" / "keys.json").read_text()
    assert run("keys", "revoke", "phone").code == 0
    assert run("keys", "list", "--json").data[0]["state"] == "revoked"
    assert run("keys", "revoke", "phone").code == 3


def test_a_key_without_a_user_says_so_and_may_not_forget(run):
    made = run("keys", "create", "all", "--json")
    assert made.data["rights"] == ["chat", "read", "write"]
    assert made.data["key"].startswith("unb_")
    assert "any user" in run("keys", "create", "another").err
    assert run("keys", "create", "all").code == 2


def test_help_tells_the_two_kinds_of_key_apart(run):
    assert "`unabridged key`" in " ".join(run("keys", "--help").out.split())
    assert "`unabridged keys`" in " ".join(run("key", "--help").out.split())


def test_ends_are_read():
    assert parse_end("90d", NOW) == NOW + timedelta(days=90)
    assert parse_end("12h", NOW) == NOW + timedelta(hours=12)
    assert parse_end("2W", NOW) == NOW + timedelta(weeks=2)
    assert parse_end("2027-01-31", NOW) == datetime(2027, 1, 31, tzinfo=UTC)
    for wrong in ("", "soon", "0d", "-1d", "9999999d"):
        with pytest.raises(InputError):
            parse_end(wrong, NOW)


def test_a_key_that_opens_nothing_under_its_profile_says_so(run):
    made = run("keys", "create", "lab", "--user", "ann", "--agent", "coder", "--profile", "agent")
    assert "opens nothing" not in made.err
    wrong = ("--user", "ann", "--agent", "coder", "--profile", "requirements")
    told = run("keys", "create", "desk", *wrong).err
    assert (
        "opens nothing with the profile requirements, because all agents share one memory" in told
    )
    assert "all users" not in told
