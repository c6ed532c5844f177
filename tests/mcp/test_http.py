import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from tests.mcp.http import Running
from tests.mcp.talking import called, refused, text_of

from unabridged.domain.scope import Scope

MODES = ["legacy", "auto"]


@pytest.fixture
def running(home):
    with Running(home) as server:
        yield server


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


def test_every_tool_says_what_it_does_and_to_what(running, mode):
    async def talk(client):
        return {one.name: one for one in (await client.list_tools()).tools}

    tools = running.talk(talk, mode=mode)
    assert set(tools) == {
        "search", "recent", "sessions", "topics", "expand", "prepare", "record", "list_facts",
        "correct_fact", "receipts", "forget",
    }  # fmt: skip
    for tool in tools.values():
        assert tool.title
        assert len(tool.description) > 40
        assert tool.output_schema["type"] == "object"
        described = tool.input_schema.get("properties", {}).values()
        assert all("type" in one or "anyOf" in one or "enum" in one for one in described)
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reading == set(tools) - {"record", "correct_fact", "forget"}
    destroying = {name for name, tool in tools.items() if tool.annotations.destructive_hint}
    assert destroying == {"correct_fact", "forget"}
    assert "planned" not in tools["forget"].input_schema["properties"]
    assert "consent" not in tools["forget"].input_schema["properties"]


def test_a_conversation_is_recorded_prepared_and_read(running, mode):
    async def talk(client):
        first = await called(client, "record", user="I live in Oslo.", assistant="A fine town.")
        session = first["session"]
        context = await called(client, "prepare", message="Where do I live?", session=session)
        assert sum(context["parts"].values()) == context["window"]
        assert context["messages"][-1]["content"].endswith("Where do I live?")
        assert context["session"] == session
        elsewhere = await client.call_tool("prepare", {"message": "Do you remember where I live?"})
        assert "<recalled-user>I live in Oslo.</recalled-user>" in str(
            elsewhere.structured_content["messages"]
        )
        assert text_of(elsewhere).count("</recalled>") == 1
        listed = await called(client, "sessions")
        assert listed["sessions"][0]["id"] == session
        assert listed["sessions"][0]["exchanges"] == 1
        read = await client.read_resource(f"unabridged://session/{session}")
        assert "I live in Oslo." in read.contents[0].text
        read = await client.read_resource(f"unabridged://exchange/{first['exchange']}")
        assert "A fine town." in read.contents[0].text

    running.talk(talk, mode=mode)
    assert running.recorded == [Scope(user="ann")]


def test_facts_are_listed_and_corrected(running, mode):
    async def talk(client):
        added = await called(client, "correct_fact", action="add", text="My sister is Eva.")
        fact = added["fact"]["id"]
        await called(client, "correct_fact", action="pin", fact=fact)
        facts = (await called(client, "list_facts"))["facts"]
        assert [(one["id"], one["pinned"]) for one in facts] == [(fact, True)]
        changed = await called(
            client, "correct_fact", action="correct", fact=fact, text="My sister is Ida."
        )
        assert "Ida" in changed["fact"]["recalled"]
        near = await called(client, "list_facts", about="Who is my sister?")
        assert ["Ida" in one["recalled"] for one in near["facts"]] == [True]
        new = changed["fact"]["id"]
        await called(client, "correct_fact", action="remove", fact=new)
        assert "Ida" not in str(await called(client, "list_facts", state="all"))
        said = await refused(client, "correct_fact", action="add")
        assert "`add` needs `text`" in said
        assert "There is no fact" in await refused(
            client, "correct_fact", action="pin", fact="nothing"
        )

    running.talk(talk, mode=mode)


def test_one_users_memory_is_not_anothers(running, mode):
    async def ann(client):
        kept = await called(client, "record", user="The safe opens with 4711.", assistant="Ok.")
        await called(client, "correct_fact", action="add", text="The safe is green.")
        return kept

    kept = running.talk(ann, mode=mode)

    async def bob(client):
        seen = [
            await client.call_tool("search", {"query": "What opens the safe?"}),
            await client.call_tool("recent", {}),
            await client.call_tool("recent", {"session": kept["session"]}),
            await client.call_tool("sessions", {}),
            await client.call_tool("sessions", {"cursor": kept["session"]}),
            await client.call_tool("list_facts", {"about": "safe"}),
            await client.call_tool("prepare", {"message": "What opens the safe?"}),
            await client.call_tool("forget", {"exchanges": [kept["exchange"]]}),
            await client.call_tool(
                "record", {"user": "a", "assistant": "b", "session": kept["session"]}
            ),
            await client.list_resources(),
            await client.get_prompt("recall", {"topic": "the safe"}),
            await client.get_prompt("catch_up", {}),
            await client.complete(
                *_completing(""),
            ),
        ]
        for uri in (f"session/{kept['session']}", f"exchange/{kept['exchange']}"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"unabridged://{uri}")
            seen.append(caught.value)
        return "".join(map(str, seen))

    seen = running.talk(bob, "bob", mode=mode)
    assert "4711" not in seen
    assert "green" not in seen


def _completing(value):
    from mcp.types import ResourceTemplateReference

    ref = ResourceTemplateReference(uri="unabridged://session/{id}")
    return ref, {"name": "id", "value": value}


def test_a_key_does_what_it_allows_and_no_more(running, mode):
    async def talk(client):
        said = await refused(client, "record", user="a", assistant="b")
        assert "lacks the right 'write'" in said
        said = await refused(client, "correct_fact", action="add", text="a")
        assert "lacks the right 'write'" in said
        assert "lacks the right 'forget'" in await refused(client, "forget", search="a")
        assert (await called(client, "search", query="a"))["exchanges"] == []
        names = {one.name for one in (await client.list_tools()).tools}
        assert not names & {"record", "correct_fact", "forget"}
        assert "search" in names

    running.talk(talk, "reader", mode=mode)

    async def write(client):
        await called(client, "record", user="a", assistant="b")
        assert "lacks the right 'forget'" in await refused(client, "forget", search="a")

    running.talk(write, "writer", mode=mode)


def test_a_key_for_one_session_reaches_no_other(running, mode):
    async def ann(client):
        return await called(client, "record", user="The other tale of Ada.", assistant="Yes.")

    other = running.talk(ann, mode=mode)

    async def one(client):
        kept = await called(client, "record", user="This tale of Ada.", assistant="Yes.")
        assert kept["session"] == "one"
        assert [s["id"] for s in (await called(client, "sessions"))["sessions"]] == ["one"]
        again = await called(client, "record", user="More of it.", assistant="Yes.")
        assert (again["session"], again["new_session"]) == ("one", False)
        found = await called(client, "search", query="tale of Ada")
        assert {one["session"] for one in found["exchanges"]} == {"one"}
        assert "reaches the session 'one' only" in await refused(
            client, "recent", session=other["session"]
        )
        for tool, more in (
            ("list_facts", {}),
            ("correct_fact", {"action": "add", "text": "Ada is a queen."}),
            ("forget", {"search": "Ada"}),
            ("forget", {"exchanges": [kept["exchange"]]}),
            ("receipts", {}),
        ):
            assert "This key is for one session" in await refused(client, tool, **more)
        with pytest.raises(MCPError):
            await client.read_resource(f"unabridged://exchange/{other['exchange']}")

    running.talk(one, "one", mode=mode)


def test_a_session_of_the_protocol_belongs_to_who_began_it(running):
    def post(key, session=None, method="initialize", **params):
        headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json, text/event-stream",
        }
        if session:
            headers |= {"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx2.post(running.url, headers=headers, json=body, timeout=30)

    begun = post(
        "ann",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "a", "version": "1"},
    )
    session = begun.headers["mcp-session-id"]
    assert post("bob", session, "tools/list").status_code == 404
    assert post("ann", session, "tools/list").status_code == 200
    assert post("ann", "f" * 32, "tools/list").status_code == 404
    assert post("nobody").status_code == 401


def test_sessions_are_listed_page_by_page_and_completed(running, mode):
    async def talk(client):
        for place in range(53):
            await called(client, "record", user=f"Tale {place}", assistant="Yes.")
        first = await client.list_resources()
        assert len(first.resources) == 50
        second = await client.list_resources(cursor=first.next_cursor)
        assert len(second.resources) == 3
        assert second.next_cursor is None
        uris = {one.uri for one in [*first.resources, *second.resources]}
        assert len(uris) == 53
        with pytest.raises(MCPError, match="first page"):
            await client.list_resources(cursor="nowhere")
        done = await client.complete(*_completing("tale 17"))
        assert len(done.completion.values) == 1
        page = await called(client, "sessions", limit=50)
        rest = await called(client, "sessions", limit=50, cursor=page["next"])
        assert len(rest["sessions"]) == 3
        assert rest["next"] is None

    running.talk(talk, mode=mode)


def test_prompts_bring_what_bears_on_them(running, mode):
    async def talk(client):
        kept = await called(client, "record", user="The Aurora ships in May.", assistant="Noted.")
        assert {one.name for one in (await client.list_prompts()).prompts} == {"recall", "catch_up"}
        recall = await client.get_prompt("recall", {"topic": "Aurora"})
        assert "The Aurora ships in May." in recall.messages[0].content.text
        latest = await client.get_prompt("catch_up", {"session": kept["session"]})
        assert "The Aurora ships in May." in latest.messages[0].content.text
        with pytest.raises(MCPError, match="no session"):
            await client.get_prompt("catch_up", {"session": "nowhere"})

    running.talk(talk, mode=mode)


def test_a_client_goes_on_after_the_server_began_again(home, mode):
    async def before(client):
        return await called(client, "record", user="Before the end.", assistant="Yes.")

    with Running(home) as server:
        kept = server.talk(before, mode=mode)

    async def after(client):
        await called(client, "record", user="After it.", assistant="Yes.", session=kept["session"])
        return await called(client, "recent", session=kept["session"])

    with Running(home) as server:
        said = server.talk(after, mode=mode)
    assert len(said["exchanges"]) == 2
