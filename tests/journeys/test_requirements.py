"""ReqVIBE's sessions: several users, requirements out of talk, limits that archive, roles, caches."""

import csv
import hashlib
import io
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.helpers.talker import Talker
from tests.journeys.house import prompts

from unabridged.domain.context import Tier
from unabridged.domain.permissions import Grant
from unabridged.factory.home import available_models
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.clock import ManualClock
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

FIXTURES = Path(__file__).parents[1] / "fixtures" / "requirements"
VOLERE = (
    "type", "rationale", "fit_criterion", "originator", "satisfaction", "dissatisfaction",
    "priority", "conflicts",
)  # fmt: skip


def conversation(name):
    return json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))["exchanges"]


ANSWERS = {
    each["user"]: each["assistant"] for name in ("clinic", "verein") for each in conversation(name)
}


@pytest.fixture
def model():
    """An analyst that answers as the conversations have it."""

    def answer(body):
        last = body["messages"][-1]["content"]
        return next((said for asked, said in ANSWERS.items() if last.endswith(asked)), "Noted.")

    with OllamaTestServer(answer) as server:
        yield server


def talk(place, user, name):
    said = "\n".join(each["user"] for each in conversation(name))
    place.run("chat", "--user", user, "--new", text=said + "\n")


def file_of(place, user):
    return place.home / "conversations" / user / "sessions.json"


def sessions_of(place, user):
    return json.loads(file_of(place, user).read_text("utf-8"))["sessions"]


@pytest.mark.long
def test_requirements_of_two_users_are_drawn_shown_corrected_and_exported(model, house):
    place = house(model.url, "requirements")
    talk(place, "marta", "clinic")
    talk(place, "heike", "verein")
    for user, name in (("marta", "clinic"), ("heike", "verein")):
        said = conversation(name)
        drawn = place.data("requirements", "--user", user)
        wanted = [quote for each in said for quote in each["states"]]
        assert [r["id"] for r in drawn] == [f"REQ-{n + 1}" for n in range(len(drawn))]
        assert len(drawn) >= 0.9 * len(wanted)
        users = {each["user"] for each in said}
        for each in drawn:
            assert any(quote in each["quote"] for quote in wanted), each["quote"]
            assert set(VOLERE) <= set(each)
            shown = place.data("show", each["exchange"], "--user", user)
            assert each["quote"] in json.dumps(shown, ensure_ascii=False)
            assert any(each["quote"] in text for text in users)
        [session] = sessions_of(place, user)
        assert set(session) == {"id", "messages", "title", "created_at", "model"}
        assert session["title"].startswith(said[0]["user"][:20])
        assert session["model"] == "llama3.2:latest"
        assert session["messages"] == [
            {"role": role, "content": each[key]}
            for each in said
            for role, key in (("user", "user"), ("assistant", "assistant"))
        ]
    assert "Mitglieder" not in place.run("requirements", "--user", "marta")
    found = place.data("search", "--user", "heike", "vaccination of dogs")
    assert "vaccination" not in json.dumps(found)


def test_a_contradiction_is_shown_settled_and_the_list_leaves_in_three_formats(model, house):
    place = house(model.url, "requirements")
    talk(place, "marta", "clinic")
    mine = ("--user", "marta")
    (pair,) = place.data("requirements", "conflicts", *mine)
    one, other = pair["one"]["id"], pair["other"]["id"]
    told = place.run("requirements", "conflicts", *mine)
    assert "at least 30 days" in told
    assert "at least 90 days" in told
    place.run("requirements", "edit", one, *mine, "--priority", "wont", "--rationale", "Now 90.")
    place.run("requirements", "forget", other, *mine)
    assert place.data("requirements", "conflicts", *mine) == []
    place.run(
        "requirements", "edit", one, *mine,
        "Deleted appointments should be recoverable for at least 90 days.",
    )  # fmt: skip
    history = place.data("requirements", "history", one, *mine)
    assert "at least 30 days" in json.dumps(history)
    listed = place.data("requirements", *mine)
    assert other not in {each["id"] for each in listed}
    markdown = place.run("requirements", "export", *mine)
    rows = list(
        csv.DictReader(io.StringIO(place.run("requirements", "export", "--format", "csv", *mine)))
    )
    exported = json.loads(place.run("requirements", "export", "--format", "json", *mine))
    assert len(rows) == len(listed)
    for each in listed:
        assert f"## {each['id']}\n" in markdown
        assert each["text"] in markdown
        assert each["text"] in {row["text"] for row in rows}
        assert each["text"] in json.dumps(exported, ensure_ascii=False)
    place.run("chat", *mine, text="Nothing more for today.\n")
    assert place.data("requirements", *mine) == listed  # what was withdrawn stays so


def test_the_eleventh_session_archives_the_oldest_and_nothing_is_cut(model, house):
    place = house(model.url, "requirements")
    mine = ("--user", "marta")
    long = "The whole minutes: " + "we went through every shelf and wrote it down. " * 40
    for n in range(13):
        text = f"Meeting {n} is about the {n}th depot. {long}End of meeting {n}."
        place.run("ask", *mine, "--new", text)
    active = sessions_of(place, "marta")
    assert len(active) == 10
    for session in active:
        [asked, _] = session["messages"]
        assert asked["content"].endswith(f"End of meeting {session['title'].split()[1]}.")
    assert len(place.data("sessions", *mine)) == 10
    archived = place.data("sessions", "--archived", *mine)
    assert [each["title"].split()[1] for each in archived] == ["2", "1", "0"]
    [found] = place.data("search", *mine, "--limit", "1", "meeting 0 about the 0th depot")
    assert f"{long}End of meeting 0." in json.dumps(found)
    oldest = archived[-1]["id"]
    place.run("chat", *mine, "--session", oldest, text="Where were we?\n")
    assert "End of meeting 0." in prompts(model)[-1]


@pytest.mark.long
def test_a_megabyte_stays_active_and_the_rest_is_archived_whole(model, house):
    place = house(model.url, "requirements")
    mine = {**place.settings, "user": "marta"}
    page = "Every line of the protocol is kept as it was said. " * 600  # 30 kB
    texts = {}
    with Talker.open(**mine) as memory:
        for n in range(6):
            memory.new_session(f"Day {n}")
            for m in range(8):
                text = f"Day {n}, part {m}: {page}"
                exchange = memory.record(memory.prepare(text), "Noted.")
                texts[exchange.id] = text
            for _ in memory.maintain():
                pass
        archived = [s.session.title for s in memory.sessions() if s.session.archived]
        assert archived
        assert set(archived) <= {f"Day {n}" for n in range(5)}
        assert sum(len(t) for t in texts.values()) > 1_048_576
    with Talker.open(**mine) as memory:
        assert {i: memory.get(i).user.text for i in texts} == texts
        assert memory.space.search("protocol of day 0, part 3", 1)


def test_what_is_not_saved_and_what_is_ephemeral_leaves_nothing(model, house):
    place = house(model.url, "requirements")
    mine = ("--user", "marta")
    off = ("--set", "auto_save=no")
    place.run("ask", *mine, *off, "The portal must be free.")
    assert not file_of(place, "marta").exists() or sessions_of(place, "marta") == []
    place.run(
        "chat", *mine, *off, text="The portal must be blue.\n/save\nThe portal must be red.\n"
    )
    kept = file_of(place, "marta").read_text("utf-8")
    assert "must be blue" in kept
    assert "must be red" not in kept
    assert [r["text"] for r in place.data("requirements", *mine)] == ["The portal must be blue."]
    place.run("chat", *mine, "--ephemeral", text="The portal must be green.\n/save\n")
    assert "green" not in "".join(p.read_text("utf-8") for p in all_files(place))
    assert file_of(place, "marta").read_text("utf-8") == kept


def all_files(place):
    return [p for p in place.home.rglob("*") if p.is_file() and p.suffix in (".json", ".jsonl")]


@pytest.mark.long
def test_sessions_are_switched_and_there_again_after_logging_in(model, house):
    place = house(model.url, "requirements")
    mine = ("--user", "marta")
    place.run("chat", *mine, text="The till must print.\n/new Stock\nThe stock must be counted.\n")
    place.run("chat", *mine, text="/switch The till must print.\nAnd in colour.\n")
    place.run("chat", *mine, "--session", "Stock", text="Every evening.\n")
    held = {
        s["title"]: [m["content"] for m in s["messages"][::2]] for s in sessions_of(place, "marta")
    }
    assert held == {
        "The till must print.": ["The till must print.", "And in colour."],
        "Stock": ["The stock must be counted.", "Every evening."],
    }
    before = file_of(place, "marta").read_bytes()
    place.apart("sessions", *mine)  # another process: logging out and in
    assert file_of(place, "marta").read_bytes() == before
    place.apart("ask", *mine, "--session", "Stock", "And on Sundays?")
    asked = prompts(model)[-1]
    assert "The stock must be counted." in asked
    assert "Every evening." in asked


def test_what_did_not_change_is_not_written_again(model, house):
    place = house(model.url, "requirements")
    mine = {**place.settings, "user": "marta"}
    with Talker.open(**mine) as memory:
        memory.chat("The till must print.").finish()
        for _ in memory.maintain():
            pass
    path = file_of(place, "marta")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    seen = (path.stat().st_mtime, path.stat().st_ino, hashlib.sha256(path.read_bytes()).digest())
    with Talker.open(**mine) as memory:
        assert memory.save() == 0
        for conversation_ in list(memory.space.log.transcripts()):
            assert memory.import_transcript(conversation_) == 0
        memory.space.log.import_records(list(memory.space.log.records()))
        for _ in memory.maintain():
            pass
        memory.space.search("till")
        memory.rename(memory.header.title)
    for command in (
        ["sessions"],
        ["stats"],
        ["requirements"],
        ["export"],
        ["requirements", "learn"],
    ):
        place.run(*command, "--user", "marta")
    assert seen == (
        path.stat().st_mtime, path.stat().st_ino, hashlib.sha256(path.read_bytes()).digest()
    )  # fmt: skip
    with Talker.open(**mine) as memory:
        memory.chat("And scan.").finish()
    assert path.stat().st_mtime > 1_000_000_000


def test_the_list_of_models_is_asked_for_once_an_hour_and_used_stale(house):
    clock = ManualClock(step=timedelta())
    with OllamaTestServer(models=[OllamaEntry("qwen2.5:3b")]) as server:
        place = house(server.url, "requirements")
        settings = Talker.open(**place.settings, ephemeral=True)
        chosen = settings.space.settings
        settings.close()

        def listed():
            lines = available_models(chosen, clock)
            return [line.model for line in lines if line.provider == "ollama" and line.model]

        def asked():
            return len([r for r in server.requests if r.path == "/api/tags"])

        before = asked()
        assert listed() == ["qwen2.5:3b"]
        assert listed() == ["qwen2.5:3b"]
        assert asked() == before + 1
        server.models.append(OllamaEntry("llama3.2:latest"))
        clock.time += timedelta(seconds=3_599)
        assert listed() == ["qwen2.5:3b"]
        clock.time += timedelta(seconds=2)
        assert set(listed()) == {"qwen2.5:3b", "llama3.2:latest"}
        assert asked() == before + 2
    clock.time += timedelta(days=2)  # the server is away now
    assert set(listed()) == {"qwen2.5:3b", "llama3.2:latest"}


def test_3500_tokens_of_messages_go_to_the_model_the_most_recent_first(model, house):
    place = house(model.url, "requirements")
    with Talker.open(**place.settings, user="marta") as memory:
        for n in range(60):
            text = (
                f"Point {n}: " + f"the depot {n} keeps its shelves in order {n} times a week. " * 8
            )
            memory.record(memory.prepare(text), "Noted.")
        context = memory.prepare("And what comes next?")
        assert context.budget.memory <= 3_500
        parts = context.ledger.parts
        held = sum(parts[t] for t in ("immediate", "recent", "semantic", "knowledge"))
        assert 0.6 * 3_500 < held <= 3_500
        assert sum(parts.values()) == context.ledger.window
        recent = [m["content"] for m in context.messages if m["role"] == "user"][:-1]
        assert recent[-1].startswith("Point 59:")
        numbers = [int(t.split(":")[0].split()[1]) for t in recent if t.startswith("Point")]
        assert numbers == sorted(numbers)
        assert numbers[-3:] == [57, 58, 59]
        whole = {e.user.text for e in memory.exchanges(100)}
        for row in context.ledger.kept(Tier.IMMEDIATE):
            assert memory.get(row.id).user.text in whole
            assert memory.get(row.id).user.text in "\n".join(recent)
        wide = Talker.open(**place.settings, user="marta", memory_cap=9_000)
        assert wide.prepare("And what comes next?").budget.memory > 3_500
        wide.close()


def test_roles_are_personas_and_another_program_s_come_along(model, house):
    place = house(model.url, "requirements")
    folder = place.home / "config" / "personas"
    folder.mkdir(parents=True)
    (folder / "elicitor.json").write_text(
        json.dumps(
            {"id": 3, "title": "Elicitor", "system_prompt": "You ask one question at a time."}
        )
    )
    mine = ("--user", "marta")
    place.run("ask", *mine, "The till must print.")
    place.run("ask", *mine, "--persona", "elicitor", "In colour.")
    place.run("chat", *mine, text="And fast.\n/persona elicitor\nVery fast.\n")
    systems = [body["messages"][0]["content"] for body in model.sent("/api/chat")]
    analyst, elicitor = "You are a requirements analyst.", "You ask one question at a time."
    assert [s.startswith(analyst) for s in systems] == [True, False, True, False]
    assert [s.startswith(elicitor) for s in systems] == [False, True, False, True]


@pytest.mark.slow
def test_two_users_with_keys_talk_through_the_server_with_the_official_client(model, house):
    import openai

    place = house(model.url, "requirements")
    clock = ManualClock()
    access = ApiKeys(place.home)
    place.home.mkdir(exist_ok=True)
    keys = {
        user: access.create(Grant(user, user=user), clock.now())[1] for user in ("marta", "heike")
    }
    url = place.serve()
    for user, name in (("marta", "clinic"), ("heike", "verein")):
        with openai.OpenAI(base_url=f"{url}/v1", api_key=keys[user], max_retries=0) as client:
            history = []
            for each in conversation(name)[:8]:
                history.append({"role": "user", "content": each["user"]})
                answer = client.chat.completions.create(model="llama3.2", messages=history)
                history.append({"role": "assistant", "content": answer.choices[0].message.content})
    place.end()
    for user in keys:
        place.run("requirements", "learn", "--user", user)  # what the server had no time for
    for user, name, other in (("marta", "clinic", "verein"), ("heike", "verein", "clinic")):
        said = conversation(name)[:8]
        [session] = sessions_of(place, user)
        assert [m["content"] for m in session["messages"][::2]] == [each["user"] for each in said]
        drawn = [r["quote"] for r in place.data("requirements", "--user", user)]
        for quote in (q for each in said for q in each["states"]):
            assert any(quote in each for each in drawn), quote
        foreign = conversation(other)[1]["user"]
        assert foreign not in file_of(place, user).read_text("utf-8")
