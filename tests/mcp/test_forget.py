import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult
from tests.mcp.http import Running
from tests.mcp.talking import called, refused, text_of


@pytest.fixture(params=["legacy", "auto"])
def mode(request):
    return request.param


@pytest.fixture
def talk(home, mode):
    """Run a coroutine function with a client, over HTTP."""
    with Running(home) as server:
        yield lambda work, **options: server.talk(work, mode=mode, **options)


class Person:
    """Answers what it is asked, and keeps the questions."""

    def __init__(self, action, content=None):
        self.answer = ElicitResult(action=action, content=content)
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params.message)
        return self.answer


async def _record(client):
    return await called(client, "record", user="My PIN is 9137.", assistant="I keep it.")


async def _is_there(client, kept):
    try:
        read = await client.read_resource(f"unabridged://exchange/{kept['exchange']}")
    except MCPError:
        return False
    return "9137" in read.contents[0].text


def test_a_person_who_agrees_is_asked_once_and_it_is_gone(talk):
    person = Person("accept", {"forget": True})

    async def work(client):
        kept = await _record(client)
        done = await called(client, "forget", exchanges=[kept["exchange"]])
        assert done["status"] == "forgotten"
        assert done["receipt"]
        assert done["left"] == 0
        assert not await _is_there(client, kept)
        again = await refused(client, "forget", exchanges=[kept["exchange"]])
        assert "no exchange" in again.casefold()

    talk(work, elicitation_callback=person)
    assert len(person.asked) == 1
    assert "My PIN is 9137." in person.asked[0]


def test_a_person_is_asked_over_standard_input_too(stdio, mode):
    person = Person("decline")

    async def work(client):
        kept = await _record(client)
        assert (await called(client, "forget", search="PIN"))["status"] == "declined"
        assert await _is_there(client, kept)

    stdio(work, mode=mode, elicitation_callback=person)
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    "person",
    [Person("decline"), Person("cancel"), Person("accept", {"forget": False})],
    ids=["declines", "cancels", "leaves the box empty"],
)
def test_a_person_who_does_not_agree_loses_nothing(talk, person):
    async def work(client):
        kept = await _record(client)
        done = await called(client, "forget", exchanges=[kept["exchange"]], code="0123456789")
        assert done["status"] == "declined"
        assert await _is_there(client, kept)

    talk(work, elicitation_callback=person)
    assert person.asked


def test_an_answer_that_says_nothing_is_no_consent(talk):
    async def work(client):
        kept = await _record(client)
        await refused(client, "forget", exchanges=[kept["exchange"]])
        assert await _is_there(client, kept)

    talk(work, elicitation_callback=Person("accept", {"else": 1}))


def test_without_a_person_a_plan_comes_first_and_its_code_carries_it_out(talk):
    async def work(client):
        kept = await _record(client)
        wanted = {"exchanges": [kept["exchange"]]}
        planned = await client.call_tool("forget", wanted)
        assert "Nothing was forgotten yet" in text_of(planned)
        assert "My PIN is 9137." in text_of(planned)
        plan = planned.structured_content
        assert (plan["status"], plan["exchanges"]) == ("planned", wanted["exchanges"])
        assert "does not match what would be forgotten" in await refused(
            client, "forget", **wanted, code="0"
        )
        assert await _is_there(client, kept)
        done = await called(client, "forget", **wanted, code=plan["code"])
        assert done["status"] == "forgotten"
        assert not await _is_there(client, kept)

    talk(work)


def test_a_code_is_for_its_plan_only(talk):
    async def work(client):
        kept = await _record(client)
        whole = {"session": kept["session"]}
        code = (await called(client, "forget", **whole))["code"]
        await called(client, "record", user="More.", assistant="Yes.", session=kept["session"])
        assert "does not match what would be forgotten" in await refused(
            client, "forget", **whole, code=code
        )
        assert await _is_there(client, kept)
        code = (await called(client, "forget", **whole))["code"]
        done = await called(client, "forget", **whole, code=code)
        assert len(done["exchanges"]) == 2

    talk(work)


def test_nothing_named_and_nothing_found_are_told_apart(talk):
    async def work(client):
        assert "Nothing to forget was named" in await refused(client, "forget")
        assert (await called(client, "forget", search="zebra"))["status"] == "nothing"

    talk(work)


def test_one_persons_code_is_not_anothers(home, mode):
    async def plan(client):
        kept = await _record(client)
        return await called(client, "forget", exchanges=[kept["exchange"]])

    with Running(home) as server:
        planned = server.talk(plan, "ann", mode=mode)

        async def other(client):
            wanted = planned["exchanges"]
            assert "does not match" in await refused(
                client, "forget", exchanges=wanted, code=planned["code"]
            )

        server.talk(other, "one_forgetter", mode=mode)
