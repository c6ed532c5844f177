"""What tools were asked and returned is found: by ``search`` always, and by recall."""

import json

import httpx2
import pytest
from tests.helpers.agent_talks import assistant, called, filler, request, result, user
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_server import StrictModel

PATH = "src/file_3.py"
MIDDLE = "The flux capacitor drifted."
LOG = f"Building harbour-crane.\n{filler(12_000)}{MIDDLE}{filler(12_000)}\nfatal: mooring overflow"


def loop(dialect, log=LOG, name="inspect_keel"):
    call, got = called(dialect, 3, name=name), result(dialect, 3, log)
    return [user("Look at it, please."), call, got]


@pytest.fixture(params=[OPENAI, OLLAMA, ANTHROPIC])
def door(serving, request):
    models = [StrictModel(window=131_072)]
    with opened(serving, request.param, "All seems well.", models=models, profile="coding") as made:
        made.dialect = request.param
        yield made


def put(door, *messages, tools=3):
    return door.ask(door.dialect, request(door.dialect, list(messages), many_tools=tools))


def found(door, query, **more):
    answer = httpx2.post(
        f"{door.url}/memory/search",
        json={"query": query, **more},
        headers=door.url.bearer,
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


def talk(door):
    put(door, user("Hello there, what can you do?"))
    put(door, *loop(door.dialect))


@pytest.mark.parametrize(
    "query", ["inspect_keel", PATH, "harbour-crane build", "mooring overflow", "the mooring"]
)
def test_search_finds_names_arguments_and_both_ends_of_results(door, query):
    talk(door)
    for role in ({}, {"role": "tool"}):
        (first, *_) = found(door, query, **role)
        assert first["exchange"]["messages"][0]["parts"][0]["text"] == "Look at it, please."
        assert first["matched"]
    assert found(door, query, role="user") == []


def test_an_exact_search_reads_the_whole_result(door):
    talk(door)
    for more in ({"exact": True}, {"exact": True, "role": "tool"}):
        (one,) = found(door, MIDDLE, **more)
        assert "Look at it" in json.dumps(one)
    assert len(found(door, f'"{MIDDLE}"')) == 1
    assert found(door, MIDDLE, exact=True, role="assistant") == []


def test_a_new_conversation_recalls_by_what_a_tool_returned(door):
    talk(door)
    arrived = put(door, user("What did we see about the mooring overflow in harbour-crane?"))
    assert "Look at it, please." in json.dumps(arrived)


def test_large_results_do_not_hide_what_was_said(door):
    put(door, user("The skipper's dog is called Bosun."))
    for n in range(6):
        log = f"{n} {filler(25_000)}"
        put(
            door, user(f"Run build {n}."), *loop(door.dialect, log)[1:], assistant("Ok."), user("?")
        )
    (first, *_) = found(door, "What is the skipper's dog called?")
    assert "Bosun" in json.dumps(first)
