import json
from pathlib import Path

import pytest

A, B = ("--user", "ann", "--agent", "work"), ("--user", "ann", "--agent", "coder")


@pytest.fixture
def said(run):
    assert run("ask", "I live in Zurich.", *A).code == 0
    assert run("facts", "learn", *A).code == 0
    return run


def test_a_session_is_shared_listed_and_revoked(said):
    told = said("share", "to", "ann/coder", "--session", "1", "--dry-run", *A)
    assert told.out.startswith("Would copy to ann/coder: 1 new exchange and 1 new fact.")
    assert said("share", "list", *A).out.startswith("Nothing was shared")
    ran = said("share", "to", "ann/coder", "--session", "1", *A)
    assert ran.code == 0, ran.err
    assert "Shared with ann/coder: 1 new exchange and 1 new fact." in ran.out
    (view,) = said("share", "list", "--json", *A).data
    share = view["share"]
    assert (view["state"], share["side"], view["exchanges"]) == ("held", "given", 1)
    assert "→" in said("share", "list", *A).out
    assert "←" in said("share", "list", *B).out
    assert "Zurich" in said("show", *B).out
    assert "ann/work" in said("facts", *B).out
    assert "ann/work" in said("facts", "show", "1", *B).out
    assert said("facts", "list", "--json", *B).data[0]["origin"]["space"] == "ann/work"
    told = said("forget", "--session", "1", "--dry-run", *A).out
    assert f"ann/coder (unabridged share revoke {share['id']})" in told.replace("\n", "")
    ran = said("share", "revoke", share["id"][-6:], *B)
    assert ran.code == 0, ran.err
    assert "Forgotten: 1 exchange" in ran.out
    assert "Zurich" not in said("show", *B).out
    assert "revoked" in said("share", "list", *A).out
    assert said("share", "revoke", share["id"], "--json", *A).data["receipt"] is None


def test_several_spaces_are_given_to_at_once(said):
    done = said("share", "to", "ann/coder", "team/pool", "--all-facts", "--json", *A).data
    assert [one["facts"] for one in done] == [1, 1]
    assert said("facts", "--json", "--user", "team", "--agent", "pool").data[0]["exchange"] is None


def test_a_session_is_handed_off(said):
    ran = said("share", "hand-off", "ann/coder", *A)
    assert ran.code == 0, ran.err
    assert "Handed off to ann/coder" in ran.out
    assert "→ ann/coder" in said("sessions", *A).out
    assert said("sessions", "--json", *A).data[0]["handed_to"] == ["ann/coder"]
    assert "Handed off to ann/coder" in said("show", *A).out
    assert "handed off" in said("share", "list", *A).out
    assert said("ask", "Where do I live?", *B).code == 0
    assert [line["exchanges"] for line in said("sessions", "--json", *B).data] == [2]
    again = said("share", "hand-off", "ann/coder", "--session", "1", "--json", *A).data
    assert (again["exchanges"], again["share"]["kind"]) == (0, "handoff")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("share", "to", "--session", "1"), 2, "Missing argument 'SPACE"),
        (("share", "to", "ann", "--session", "1"), 2, "not the name of a space"),
        (("share", "to", "ann/coder"), 2, "Nothing to share"),
        (("share", "to", "ann/work", "--session", "1"), 2, "itself"),
        (("share", "to", "ann/coder", "--session", "9"), 3, "no session"),
        (("share", "revoke", "7K2QMD"), 3, "no share"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_hint(said, words, code, told):
    ran = said(*words, *A)
    assert ran.code == code
    assert told in ran.err


def test_the_settings_of_the_other_agent_say_where_its_space_lies(said, tmp_path):
    file = tmp_path / "home" / "config" / "unabridged.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        '[agents.coder]\njson_files = "model"\n[agents.apart]\nisolation = ["user", "agent", "model"]\n'
    )
    assert said("share", "to", "ann/coder", "--session", "1", *A).code == 0
    assert list((tmp_path / "home" / "memory").glob("*coder*"))
    assert "Zurich" in said("show", *B).out
    ran = said("share", "to", "ann/apart", "--session", "1", *A)
    assert (ran.code, "name one" in ran.err) == (2, True)
    assert said("share", "to", "ann/apart/llama3:latest", "--session", "1", *A).code == 0
    apart = ("--user", "ann", "--agent", "apart", "--model", "llama3")
    assert "Zurich" in said("show", *apart).out


def test_the_chat_shares_and_hands_off(said):
    ran = said(
        "chat", "--session", "1", *A, text="/share ann/coder\n/handoff\n/handoff team/pool\n"
    )
    assert "Shared with ann/coder: 1 new exchange" in ran.out
    assert "needs SPACE" in ran.out + ran.err
    assert "Handed off to team/pool" in ran.out
    kinds = [
        json.loads(json.dumps(s))["share"]["kind"] for s in said("share", "list", "--json", *A).data
    ]
    assert kinds == ["share", "handoff"]


def test_taking_a_fact_back_says_who_still_holds_it(said):
    (done,) = said("share", "to", "ann/coder", "--all-facts", "--json", *A).data
    ran = said("facts", "forget", "1", *A)
    named = f"ann/coder (unabridged share revoke {done['share']['id']})"
    assert f"Still in {named}. Share again to withdraw it there." in ran.out
    assert "Zurich" in said("facts", *B).out
    said("share", "to", "ann/coder", "--all-facts", *A)
    assert "Zurich" not in said("facts", *B).out


def test_a_backup_brings_nothing_back_that_was_revoked_unless_it_is_there_again(said):
    share = ("share", "to", "ann/coder", "--session", "1", *A)
    said(*share)
    name = Path(said("backup", "create", "--json", *B).data["backup"]["path"]).name
    restored = ("backup", "restore", name, "--replace")
    said("share", "revoke", said("share", "list", "--json", *A).data[0]["share"]["id"], *A)
    assert "forgotten since" in said(*restored).out
    assert "Zurich" not in said("show", *B).out
    said(*share)
    assert "Zurich" in said("show", *B).out
    assert said(*restored).code == 0
    assert "Zurich" in said("show", *B).out


@pytest.mark.parametrize(
    ("profile", "other", "there"),
    [
        ("agent", "ann/coder", B),
        ("workspace", "ann/work/qwen2.5:7b", (*A, "--model", "qwen2.5:7b")),
    ],
)
def test_the_chat_shares_under_the_profile_of_the_call(run, profile, other, there):
    under = ("--profile", profile)
    told = run("chat", *under, *A, text=f"I live in Zurich.\n/share {other}\n")
    assert f"Shared with {other}: 1 new exchange" in told.out, told.err
    assert "Zurich" in run("show", *under, *there).out


def test_an_agent_whose_users_have_one_memory_is_given_to_there(said, tmp_path):
    assert said("config", "set", "isolation", "agent", "--agent", "pool").code == 0
    done = said("share", "to", "team/pool", "--all-facts", *A)
    assert "Shared with pool: 0 new exchanges and 1 new fact." in done.out, done.err
    for user in ("bob", "team"):
        assert "Zurich" in said("facts", "--user", user, "--agent", "pool").out
    (view,) = said("share", "list", "--json", *A).data
    assert said("share", "revoke", view["share"]["id"], *A).code == 0
    assert "Zurich" not in said("facts", "--user", "bob", "--agent", "pool").out


def test_nothing_is_begun_by_sharing_from_a_space_that_is_not_there(said):
    done = said("share", "to", "ann/coder", "--all-facts", "--user", "ann", "--agent", "wrok")
    assert done.code == 3
    assert "no space 'ann/wrok'" in done.err
    assert said("share", "revoke", "7K2QMD", "--user", "ann", "--agent", "wrok").code == 3
    assert [row["space"]["agent"] for row in said("spaces", "--json").data] == ["work"]


def test_a_model_is_named_only_where_models_are_apart(said):
    done = said("share", "to", "ann/coder/qwen2.5:7b", "--session", "1", *A)
    assert done.code == 2
    assert "Name it ann/coder." in done.err
