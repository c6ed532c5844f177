import anyio
import pytest
from tests.helpers.talker import Talker, talking
from tests.mcp.talking import called, refused, text_of

from mcp import Client
from unabridged import config
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of
from unabridged.space.log import SpaceLog
from unabridged.space.space import Space


def _talk(pool, work, failed=None, session=None):
    caller = Caller(Scope(session=session), Grant("test"))
    server = server_of(ToolRequests(pool, lambda _: caller, failed=failed))

    async def talk():
        async with Client(server, cache=None) as client:
            return await work(client)

    return anyio.run(talk)


def test_two_programs_in_one_session_lose_nothing(home, monkeypatch):
    settings = config.load(home=home, environ={}, upstream="quote")
    pool = SpacePool(settings)

    async def first(client):
        return await called(client, "record", user="First.", assistant="Yes.")

    session = _talk(pool, first)["session"]
    store = SpaceLog.import_transcript
    with Talker.open(settings=settings) as other:

        def speak_first(log, transcript):
            monkeypatch.undo()
            other.switch(session)
            other.record(other.prepare("In between."), "Yes.")
            return store(log, transcript)

        async def second(client):
            monkeypatch.setattr(SpaceLog, "import_transcript", speak_first)
            kept = await called(client, "record", user="Second.", assistant="Yes.", session=session)
            assert "stored as a branch" in " ".join(kept["remarks"])
            found = await called(client, "search", query="Second")
            assert kept["exchange"] in {one["id"] for one in found["exchanges"]}
            path = await called(client, "recent", session=session)
            return [one["recalled"] for one in path["exchanges"]]

        path = _talk(pool, second)
    pool.close()
    assert len(path) == 2
    assert "In between." in path[1]


def test_a_request_for_one_session_recalls_from_no_other(home):
    pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))

    async def elsewhere(client):
        return await called(client, "record", user="The safe opens with 4711.", assistant="Ok.")

    kept = _talk(pool, elsewhere)

    async def here(client):
        question = "Do you remember what opens the safe?"
        context = await called(client, "prepare", message=question)
        assert context["session"] is None
        seen = [
            context["messages"],
            await called(client, "search", query=question),
            await called(client, "topics"),
            await called(client, "recent"),
            await called(client, "sessions"),
            await client.get_prompt("recall", {"topic": "the safe"}),
        ]
        assert "4711" not in str(seen)
        first = await called(client, "record", user="It is green.", assistant="Ok.", session="here")
        assert (first["session"], first["new_session"]) == ("here", True)
        said = await refused(client, "recent", session=kept["session"])
        assert "reaches the session 'here' only" in said

    _talk(pool, here, session="here")
    pool.close()


def test_what_was_forgotten_is_not_stored_again(home):
    pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))

    async def work(client):
        said = {"user": "The code is 8841.", "assistant": "I keep it."}
        kept = await called(client, "record", **said)
        code = (await called(client, "forget", exchanges=[kept["exchange"]]))["code"]
        await called(client, "forget", exchanges=[kept["exchange"]], code=code)
        again = await called(client, "record", **said)
        assert not again["stored"]
        assert again["remarks"]
        assert (await called(client, "search", query="code 8841"))["exchanges"] == []

    _talk(pool, work)
    pool.close()


def test_a_fault_of_ours_is_told_by_its_kind_and_never_by_its_words(home, monkeypatch, capsys):
    pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))
    failed = []

    def broken(*_, **__):
        raise RuntimeError("secret words of a conversation")

    monkeypatch.setattr(Space, "search", broken)

    async def work(client):
        result = await client.call_tool("search", {"query": "anything"})
        assert result.is_error
        return text_of(result)

    said = _talk(pool, work, failed.append)
    pool.close()
    shown = capsys.readouterr()
    assert [type(one) for one in failed] == [RuntimeError]
    assert "secret" not in said + shown.out + shown.err


@pytest.mark.parametrize(
    "text", ["null", "true", "12", '"quoted"', "[1, 2]", '{"role": "system"}', "ünï\u0000\tcode 😀"]
)
def test_what_looks_like_json_stays_as_it_was_said(home, text):
    pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))

    async def work(client):
        kept = await called(client, "record", user=text, assistant=text, session=None, model=None)
        await called(client, "correct_fact", action="add", text=f"x {text}", fact=None)
        assert (await called(client, "search", query=text, limit=3)) is not None
        return kept["exchange"]

    name = _talk(pool, work)
    with talking(pool, Scope()) as memory:
        exchange = memory.get(name)
        said = [exchange.user.text, exchange.answer.text]
    pool.close()
    assert said == [text, text]
