"""The log of `llm`. The fixtures were written by its releases 0.27.1 and 0.36, with a scripted model."""

import io
import lzma
import random

import apsw
import pytest
from tests.opened import connection_of

from unabridged.domain.message import Image, Role, ToolCall, ToolResult
from unabridged.errors import TransferError, UnknownFormatError
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.foreign_database import ForeignDatabase


@pytest.fixture
def log(fixtures):
    return lzma.decompress((fixtures / "llm-logs.db.xz").read_bytes())


@pytest.fixture
def made(tmp_path):
    """Make a database of statements."""

    def make(*statements):
        path = tmp_path / f"made-{len(list(tmp_path.iterdir()))}.db"
        connection = apsw.Connection(str(path))
        for statement in statements:
            connection.execute(statement)
        connection.close()
        return path.read_bytes()

    return make


def titles(got):
    return [conversation.session.title for conversation in got.conversations]


def test_both_generations_of_tables_are_read(read, log):
    got = read(log)
    assert got.format == "llm"
    assert titles(got) == [
        "Suggest a name for a pet pelican", "How many beds are there?", "What is on this picture?",
        "A fragment about tulips. Sum it…", "A new thread begins", "How many beds are there now?",
        "A fragment about lilies. Sum it…"]  # fmt: skip
    assert got.items == read(log).items


def test_a_conversation_that_goes_on_after_the_update_is_one(read, log, fixtures):
    before = read(fixtures / "llm-logs-0.27.db.xz")
    after = read(log)
    assert set(before.ids) < set(after.ids)
    said = [exchange.user.text for exchange in after.conversations[0].exchanges]
    assert said == [
        "Suggest a name for a pet pelican",
        "Now one for a pet walrus",
        "One for a toad",
    ]
    assert before.conversations[0].session.id == after.conversations[0].session.id


@pytest.mark.parametrize("place", [1, 5])
def test_tool_calls_stay_with_their_results(read, log, place):
    (exchange,) = read(log).conversations[place].exchanges
    roles = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert [message.role for message in exchange.messages] == roles
    assert exchange.messages[1].parts == (ToolCall("tc_1", "count_beds", '{"garden": "north"}'),)
    assert exchange.messages[2].parts == (ToolResult("tc_1", "count_beds", "3"),)
    assert exchange.model == "scripted"


def test_pictures_and_fragments_are_kept(read, log):
    picture, old, new = (read(log).conversations[place].exchanges[0].user for place in (2, 3, 6))
    assert picture.parts[1:] == (
        Image("data:image/png;base64,iVBORw0KGgoxMjM="), Image("https://example.org/a.png"))  # fmt: skip
    assert old.text == "A fragment about tulips.\nSum it up"
    assert new.text == "A fragment about lilies.\nSum it up again"
    assert str(old.at)[:10] == "2026-11-22"


def test_a_file_is_read_in_place_and_not_touched(read, log, tmp_path):
    path = tmp_path / "logs.db"
    path.write_bytes(log)
    path.chmod(0o400)
    assert read(path).ids == read(log).ids
    assert [entry.name for entry in tmp_path.iterdir()] == ["logs.db"]
    assert path.read_bytes() == log


def test_a_file_with_a_write_ahead_log_is_read(read, log):
    assert read(log[:18] + b"\x02\x02" + log[20:]).ids == read(log).ids


def test_forks_are_branches_and_system_messages_are_counted(read, made):
    schema = (
        "CREATE TABLE threads (id, name, tip_message_hash, forked_from)",
        "CREATE TABLE turns (id, thread_id, parent_message_hash, tip_message_hash, model, datetime_utc)",
        "CREATE TABLE messages (hash, parent_hash, role)",
        "CREATE TABLE parts (id INTEGER PRIMARY KEY, message_hash, position, type, text, payload)",
        "INSERT INTO threads VALUES ('t', 'T', 'c', NULL), ('f', NULL, 'e', 't')",
        "INSERT INTO messages VALUES ('s', NULL, 'system'), ('a', 's', 'user'), ('b', 'a', 'assistant'),"
        " ('c', 'b', 'user'), ('d', 'b', 'user'), ('e', 'd', 'assistant')",
        "INSERT INTO turns VALUES ('1', 't', 'a', 'b', 'm', '2026-01-01T00:00:00Z'),"
        " ('2', 'f', 'd', 'e', 'n', '2026-01-02T00:00:00Z')",
        *(f"INSERT INTO parts VALUES (NULL, '{x}', 0, 'text', '{x}!', NULL)" for x in "sabcde"),
        "INSERT INTO parts VALUES (NULL, 'e', 1, 'reasoning', 'hm', NULL), (NULL, 'e', 2, 'smell', 'x', '{')",
    )
    got = read(made(*schema))
    (conversation,) = got.conversations
    first, fork = conversation.exchanges
    assert ([m.text for m in first.messages], [m.text for m in fork.messages]) == (
        ["a!", "b!"], ["d!", "e!"])  # fmt: skip
    assert (fork.parent, fork.model, str(fork.at)[:10]) == (first.id, "n", "2026-01-02")
    assert {"system message", "content of the type 'smell'", "a part that is not JSON"} <= set(
        got.reasons
    )


def test_another_programs_file_is_refused_by_name(read, made):
    with pytest.raises(UnknownFormatError, match="'places'"):
        read(made("CREATE TABLE places (url)"))


def test_views_and_virtual_tables_are_not_read(read, made):
    data = made(
        "CREATE TABLE turns (id)",
        "CREATE VIEW responses AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x AS id, 'p' AS prompt, 'r' AS response FROM n",
        "CREATE VIRTUAL TABLE tool_calls USING fts5(response_id)",
    )
    assert read(data).items == []


def test_what_a_damaged_file_still_holds_is_given_and_the_rest_told(read, log):
    chance = random.Random(5)
    whole = read(log)
    for _ in range(150):
        data = bytearray(log)
        for _ in range(chance.randint(1, 30)):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        try:
            got = read(bytes(data[: chance.choice([len(data), chance.randrange(len(data))])]))
        except TransferError:
            continue
        assert got.unread or len(got.items) <= len(whole.items)


def test_rows_that_repeat_a_long_text_end_at_a_bound(made, monkeypatch):
    monkeypatch.setattr("unabridged.transfer.foreign_database._GIVEN_FREE", 1 << 20)
    data = made(
        "CREATE TABLE responses (id, prompt, response, conversation_id)",
        "CREATE TABLE fragments (id INTEGER PRIMARY KEY, content)",
        "CREATE TABLE prompt_fragments (response_id, fragment_id)",
        "INSERT INTO fragments VALUES (1, printf('%.*c', 100000, 'x'))",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000)"
        " INSERT INTO prompt_fragments SELECT 'r', 1 FROM n",
        "INSERT INTO responses VALUES ('r', 'p', 'a', 'c')",
    )
    with pytest.raises(TransferError, match="far more text"), open_file(io.BytesIO(data)) as reader:
        list(reader)


def test_nothing_can_be_written_and_no_other_file_reached(log):
    database = ForeignDatabase(io.BytesIO(log))
    for statement in (
        "INSERT INTO responses (id) VALUES ('x')",
        "ATTACH 'other.db' AS other",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''",
        "SELECT load_extension('x')",
        "CREATE TEMP TABLE t AS SELECT randomblob(10)",
    ):
        with pytest.raises(apsw.Error):
            list(connection_of(database).execute(statement))
    database.close()
    database.close()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_of_every_encoding_and_of_none_are_read(read, made, encoding):
    got = read(made(
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE responses (id, prompt, response)",
        "INSERT INTO responses VALUES (1, 'grüß dich ☃', CAST(x'f09f' AS TEXT)), (2, x'00', 7)",
    ))  # fmt: skip
    (conversation,) = got.conversations
    assert conversation.exchanges[0].user.text == "grüß dich ☃"
    assert conversation.exchanges[0].answer is not None
