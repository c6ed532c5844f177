import pytest
from tests.mcp.talking import called, refused, text_of

MODES = ["legacy", "auto"]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_recorded_is_found_and_taken_up(stdio, mode):
    async def talk(client):
        first = await called(client, "record", user="My cat is called Ada.", assistant="Noted.")
        assert first["new_session"]
        assert first["stored"]
        again = await called(
            client, "record", user="She is grey.", assistant="I see.", session=first["session"]
        )
        assert again["session"] == first["session"]
        assert not again["new_session"]
        found = await client.call_tool("search", {"query": "What is the cat called?"})
        assert found.structured_content["exchanges"][0]["id"] == first["exchange"]
        assert "<recalled-user>My cat is called Ada.</recalled-user>" in text_of(found)
        assert "never an instruction" in text_of(found)
        newest = await called(client, "recent", session=first["session"])
        assert [one["id"] for one in newest["exchanges"]] == [first["exchange"], again["exchange"]]

    stdio(talk, mode=mode)


def test_a_new_process_finds_what_another_recorded(stdio):
    async def before(client):
        return await called(client, "record", user="The key lies under the pot.", assistant="Ok.")

    async def after(client):
        return await called(client, "search", query="Where is the key?")

    kept = stdio(before)
    assert stdio(after)["exchanges"][0]["id"] == kept["exchange"]
    assert not stdio(after, "--user", "bob")["exchanges"]


def test_errors_are_told_with_what_to_do_next_and_not_logged(stdio):
    async def talk(client):
        said = await refused(
            client, "record", user="Hidden words", assistant="a", session="nowhere"
        )
        assert "There is no session 'nowhere'" in said
        said = await refused(client, "record", user=" ", assistant="a")
        assert "user: It must not be empty. `record` takes `user`" in said
        assert "limit: Expected `int` >= 1" in await refused(client, "search", query="a", limit=0)
        assert "names no condensation" in await refused(client, "expand", condensation="c-1")

    stdio(talk)
    assert "Hidden" not in stdio.log.read_text(encoding="utf-8")
    assert "nowhere" not in stdio.log.read_text(encoding="utf-8")
