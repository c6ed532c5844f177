from dataclasses import replace
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NameRefusedError, PermissionRefusedError
from unabridged.server.resolve_scope import scope_of

FREE = Grant("free")


def asked(grant=FREE, *headers, **settings):
    chosen = Settings(**settings)
    pool = SimpleNamespace(settings_of=lambda agent, profile: replace(chosen, agent=agent))
    service = SimpleNamespace(settings=chosen, pool=pool)
    app = SimpleNamespace(state=SimpleNamespace(service=service))
    raw = [(f"x-unabridged-{name}".encode(), value) for name, value in headers]
    return Request({"type": "http", "headers": raw, "app": app, "state": {"grant": grant}})


def test_the_settings_say_whose_memory_it_is_where_nothing_else_does():
    assert scope_of(asked(user="ada", agent="cook")) == Scope("ada", "cook")


def test_headers_name_what_the_key_leaves_free_and_win_over_the_user_field():
    request = asked(FREE, ("user", b" ada "), ("agent", b"cook"), ("session", b"s1"))
    assert scope_of(request, "bob") == Scope("ada", "cook", None, "s1")
    assert scope_of(asked(FREE), "bob") == Scope("bob")


def test_a_key_for_one_user_reaches_no_other():
    grant = Grant("k", user="ada", agent="cook", session="s1")
    assert scope_of(asked(grant), "bob") == Scope("ada", "cook", None, "s1")
    assert scope_of(asked(grant, ("user", b"ada"))).user == "ada"
    for field in ("user", "agent", "session"):
        with pytest.raises(PermissionRefusedError) as refused:
            scope_of(asked(grant, (field, b"bob")))
        assert "ada" not in str(refused.value)


@pytest.mark.parametrize("name", [b"", b"  ", b"a\nb", b"\xff", b"x" * 201, "a\u202eb".encode()])
def test_names_that_cannot_be_used_are_refused(name):
    with pytest.raises(NameRefusedError):
        scope_of(asked(FREE, ("user", name)))


def test_a_user_field_that_cannot_be_used_is_refused():
    with pytest.raises(NameRefusedError):
        scope_of(asked(FREE), "a\nb")


def test_a_header_that_is_there_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        scope_of(asked(FREE, ("user", b"ada"), ("user", b"ada")))


def test_names_come_as_utf_8():
    assert scope_of(asked(FREE, ("user", "Zoë 李".encode()))).user == "Zoë 李"


def test_a_key_for_one_user_is_refused_where_users_share_a_memory():
    with pytest.raises(PermissionRefusedError, match="one memory"):
        scope_of(asked(Grant("k", user="ada"), isolation=("agent",)))


def test_a_model_is_part_of_the_scope_where_models_have_memories_of_their_own():
    apart = ("user", "agent", "model")
    assert scope_of(asked(), model="llama3.2").model is None
    assert scope_of(asked(isolation=apart), model="llama3.2").model == "llama3.2"
    assert scope_of(asked(isolation=apart, model="qwen3")).model == "qwen3"
    named = asked(FREE, ("model", b"phi4"), isolation=apart, model="qwen3")
    assert scope_of(named).model == "phi4"
    assert scope_of(named, model="llama3.2").model == "llama3.2"


def test_a_key_says_under_which_profile():
    assert scope_of(asked(Grant("k", profile="story"))).profile == "story"
