"""The companion, as a person has it: a life told over weeks, remembered whole when it is asked for.

The seed is WhisperEngine's: vivid recall of whole exchanges, overviews of condensations, small talk
with nothing recalled, tiers of 16,000 tokens in a window of 24,576.
"""

import json
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import openai
import pytest
from tests.helpers.talker import Talker
from tests.journeys.house import asked_last

from unabridged.domain.context import Tier
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

TOLD = Path(__file__).parents[1] / "fixtures" / "journeys" / "companion.txt"
CHEESE = (72, 63, 49, 36)
"""How many days ago the project was talked about."""
WINDOW, CAP = 24_576, 16_000
REMEMBER = "Remember that cheese classification project I worked on?"
DETAILS = (
    "honour Odile and her Morbier", "Success is at least 85 %",  # goals
    "41 % on the ones that visitors took", "one prediction takes nine seconds",  # challenges
    "88 % on the sixty!", "daylight solved the lamp", "1.4 seconds",  # what solved it
    "I feel like a fraud", "I laughed out loud in the cellar", "Old Perrault wept",  # feelings
)  # fmt: skip
_ENDS = re.compile(r"(?<=[.!?])\s+")
_TAG = re.compile(r"</?recalled[^>]*>")


def told(now):
    """The messages of a life, dated back from now, as an import takes them."""
    rows = []
    for line in TOLD.read_text("utf-8").splitlines():
        if line.startswith("== "):
            ago, title = line[3:].split(" | ")
            at = (now - timedelta(days=int(ago))).replace(hour=12, minute=0, second=0)
            continue
        role = {"U": "user", "A": "assistant"}[line[0]]
        rows.append({"role": role, "content": line[3:], "time": at.isoformat(), "title": title,
                     "session": f"ago-{ago}"})  # fmt: skip
        at += timedelta(seconds=30)
    return rows


def pairs(rows, *ago):
    """What both said, with the day, in the sessions so many days ago."""
    names = {f"ago-{days}" for days in ago}
    chosen = [row for row in rows if row["session"] in names]
    couples = zip(chosen[::2], chosen[1::2], strict=True)
    return [(u["content"], a["content"], u["time"][:10]) for u, a in couples]


def sentences(text):
    return [each for each in _ENDS.split(text.strip()) if each]


def assert_nothing_is_cut(body, rows, *own):
    """Every part of a prompt is a whole message, or whole sentences of one; give the fence."""
    said = {row["content"] for row in rows} | set(own) | {ANSWER}
    known = {sentence for text in said for sentence in sentences(text)}
    system, *history, newest = body["messages"]
    for message in history:
        text = message["content"]
        assert text in said or all(part in known for part in sentences(text)), text
    fence, _, words = newest["content"].rpartition("</recalled>\n\n")
    assert words in said
    _, _, earlier = system["content"].partition("<recalled-earlier")
    for line in [*fence.splitlines(), *earlier.splitlines()[1:]]:
        bare = re.sub(r"^(?:user|assistant): ", "", _TAG.sub("", line)).strip()
        if line.startswith(("<recalled-fact", "[")) or not bare:
            continue
        for part in re.split(r" ?\[?…\]? ?", bare):
            assert all(sentence in known for sentence in sentences(part)), line
    return fence


ANSWER = "Tell me more about it."


@pytest.fixture
def model():
    entries = (OllamaEntry(day=2), OllamaEntry("qwen2.5:7b", trained=32_768))
    with OllamaTestServer(ANSWER, models=entries, count=lambda text: len(text) // 4) as server:
        yield server


@pytest.fixture
def life(house, model, tmp_path):
    """A home with weeks of talk in it, and its messages."""
    rows = told(datetime.now(UTC))
    assert len(rows) // 2 >= 60
    assert len({row["session"] for row in rows}) >= 12
    one = house(model.url, "companion")
    bring(one, tmp_path / "life.jsonl", rows)
    return one, rows


def bring(house, path, rows, *words):
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    house.run("import", str(path), *words)


def ask(house, model, text, *words):
    """Ask; give the account of the prompt, and the prompt as the model got it."""
    house.run("ask", *words, text)
    scope = words if words[:1] in {("--agent",), ("--user",)} else ()
    return house.data("why", *scope), model.sent("/api/chat")[-1]


def kept(why, tier):
    return [r for r in why["rows"] if r["tier"] == tier and r["decision"] != "left out"]


def test_who_asks_remember_gets_the_project_whole(life, model):
    house, rows = life
    why, body = ask(house, model, REMEMBER, "--new")
    assert why["intent"] == "vivid_recall"
    fence = assert_nothing_is_cut(body, rows, REMEMBER)
    project = pairs(rows, *CHEESE)
    assert len(project) >= 20
    for user, answer, day in project:
        place = fence.index(f"<recalled-user>{user}</recalled-user>")
        both = fence[place : fence.index("</recalled-exchange>", place)]
        assert f"<recalled-assistant>{answer}</recalled-assistant>" in both
        assert fence[fence.rindex("<recalled-exchange", 0, place) :].startswith(
            f'<recalled-exchange date="{day}'
        )
    assert all(detail in fence for detail in DETAILS)
    assert {row["decision"] for row in kept(why, "semantic")} == {"kept"}
    days = re.findall(r'<recalled-exchange date="([^"]+)"', fence)
    assert days == sorted(days)


def test_who_asks_for_an_overview_gets_condensations(life, model):
    house, rows = life
    why, body = ask(house, model, "What did we discuss last month?", "--new")
    assert why["intent"] == "summary"
    fence = assert_nothing_is_cut(body, rows, "What did we discuss last month?")
    last = (datetime.now(UTC).replace(day=1) - timedelta(days=1)).strftime("%Y-%m")
    overviews = [row for row in why["rows"] if row["kind"] == "condensation"]
    talks = {row["session"] for row in rows if row["time"].startswith(last)}
    months = [row["at"][:7] for row in overviews]
    assert months[: 2 * len(talks)].count(last) == len(talks)
    assert fence.count(f'<recalled-summary date="{last}') == len(talks) >= 2
    assert all(row["decision"] == "condensed" and row["tokens"] < 250 for row in overviews)


def test_a_passing_mention_is_background_and_a_greeting_nothing(life, model):
    house, rows = life
    vivid, _ = ask(house, model, REMEMBER, "--new")
    mention = "I'm baking again, kind of like that cheese thing"
    why, body = ask(house, model, mention, "--new")
    fence = assert_nothing_is_cut(body, rows, mention, REMEMBER)
    assert why["intent"] == "contextual"
    assert "cheese classification project" in fence
    assert "rye flour" in fence
    assert 0 < why["parts"]["semantic"] < vivid["parts"]["semantic"]
    assert why["parts"]["semantic"] <= 0.3636 * 11_000
    why, body = ask(house, model, "Hi!", "--new")
    assert why["intent"] == "casual"
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert asked_last(body) == "Hi!"
    assert "semantic" not in {r["tier"] for r in why["rows"]}


def long_past(rows, minutes=1):
    """A talk of more tokens than memory holds: one session, generated, with what was felt in it."""
    rng = random.Random(7)
    things = "boiler fence ledger bicycle kettle orchard stove garden letter drawer".split()
    done = "cleaned mended moved painted sorted counted measured carried".split()
    start = datetime.now(UTC) - timedelta(days=3)
    made = []

    def sentence(n):
        thing, other = rng.sample(things, 2)
        return f"On round {n} the {thing} was {rng.choice(done)} beside the {other} again."

    for n in range(220):
        user = " ".join(sentence(n) for _ in range(2))
        answer = " ".join(sentence(n) for _ in range(4))
        if n == 40:
            user = FELT
        if n == 44:
            user = FORWARD
        for role, text in (("user", user), ("assistant", answer)):
            at = start + timedelta(minutes=minutes * 2 * n + (role == "assistant"))
            made.append({"role": role, "content": text, "time": at.isoformat(),
                         "session": "long", "title": "A long talk"})  # fmt: skip
    return [*rows, *made]


FELT = "My brother died last night. I am devastated, I cannot stop crying, I loved him so much."
FORWARD = "Let's talk about the letter he left me later, I cannot open it yet."


@pytest.fixture
def long(house, model, tmp_path):
    one = house(model.url, "companion")
    rows = long_past([])
    bring(one, tmp_path / "long.jsonl", rows)
    return one, rows


@pytest.mark.long
def test_a_long_talk_fills_the_tiers_and_cuts_nothing(long, model):
    house, rows = long
    texts = [f"And on round {220 + n} the bicycle was moved beside the stove." for n in range(12)]
    shares = []
    for text in texts:
        why, body = ask(house, model, text, "--session", "A long talk")
        assert_nothing_is_cut(body, rows, *texts)
        parts = why["parts"]
        assert sum(parts.values()) == why["window"] == WINDOW
        memory = sum(parts.get(tier, 0) for tier in Tier)
        assert memory <= CAP
        assert why["bound"] == "memory_cap"
        assert parts["immediate"] <= 0.1875 * CAP
        assert parts.get("knowledge", 0) <= 0.125 * CAP
        assert 3 <= len(kept(why, "immediate")) <= 5
        shares.append(memory / CAP)
        roles = [m["role"] for m in body["messages"][1:-1]]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
    assert min(shares) >= 0.6, shares


def test_what_was_felt_and_what_was_put_off_stay_whole_longest(long, model):
    house, rows = long
    _, body = ask(house, model, "And today the fence was painted.", "--session", "A long talk")
    history = [m["content"] for m in body["messages"][1:-1]]
    assert FELT in history
    assert FORWARD in history
    around = {row["content"] for row in rows[60:120]} - {FELT, FORWARD}
    beside = {row["content"] for n in (81, 89) for row in rows[n : n + 1]}  # their answers
    assert beside <= around
    assert not [text for text in history if text in around - beside]
    assert history.index(FELT) < history.index(FORWARD)


def test_another_user_and_another_agent_know_nothing_of_it(life, model):
    house, rows = life
    for scope in (("--agent", "nova"), ("--user", "bob")):
        why, body = ask(house, model, REMEMBER, *scope)
        said = json.dumps(body["messages"][:-1]) + asked_last(body).removesuffix(REMEMBER)
        assert "Morbier" not in said
        assert "recalled>" not in asked_last(body)
        assert not kept(why, "semantic")
        assert house.data("stats", *scope)["exchanges"] == 1
    why, body = ask(house, model, REMEMBER, "--new")
    assert "Morbier" in asked_last(body)
    assert house.data("stats")["exchanges"] == len(rows) // 2 + 1


def test_a_rich_persona_fits_and_memory_gives_way(life, model):
    house, rows = life
    trait = "Elena is a marine biologist from Cádiz who answers with warmth and a joke. "
    (house.home / "config" / "personas").mkdir(parents=True, exist_ok=True)
    (house.home / "config" / "personas" / "elena.txt").write_text(trait * 340, "utf-8")
    why, body = ask(house, model, REMEMBER, "--new", "--set", "persona=elena")
    parts = why["parts"]
    assert 6_000 <= parts["system"] <= 8_500
    assert body["messages"][0]["content"].startswith((trait * 340).strip())
    assert sum(parts.values()) == WINDOW
    assert all(detail in asked_last(body) for detail in DETAILS)
    assert why["budget_available"] < CAP
    plain, _ = ask(house, model, REMEMBER, "--new")
    assert plain["budget_available"] == CAP
    assert parts.get("unused", 0) < plain["parts"]["unused"]
    assert_nothing_is_cut(body, rows, REMEMBER)


def test_another_model_remembers_the_same(life, model):
    house, _ = life
    _, first = ask(house, model, REMEMBER, "--new")
    house.run("ask", "--new", "--model", "qwen2.5:7b", REMEMBER)
    second = model.sent("/api/chat")[-1]
    assert (first["model"], second["model"]) == ("llama3.2:latest", "qwen2.5:7b")
    assert all(detail in asked_last(second) for detail in DETAILS)
    assert second["options"]["num_ctx"] == WINDOW


def test_loose_messages_are_paired_within_a_minute(house, model, tmp_path):
    at = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
    loose = [
        (0, "user", "My boat is called Fermata."), (41, "bot", "A pause held on the water."),
        (600, "user", "The mast is oak."), (661, "bot", "Oak is heavy for a mast."),
    ]  # fmt: skip
    memories = [
        {"id": f"m{n}", "user_id": "ann", "content": text, "score": 0.5,
         "timestamp": (at + timedelta(seconds=after)).isoformat(), "metadata": {"role": role}}
        for n, (after, role, text) in enumerate(loose)
    ]  # fmt: skip
    path = tmp_path / "memories.json"
    path.write_text(json.dumps(memories[::-1]), "utf-8")
    one = house(model.url, "companion")
    one.run("import", str(path))
    with Talker.open(**one.settings) as memory:
        (talk,) = memory.space.log.transcripts()
        said = [(e.user.text, e.answer and e.answer.text) for e in talk.exchanges]
    assert said[0] == ("My boat is called Fermata.", "A pause held on the water.")
    assert said[1] == ("The mast is oak.", None)
    assert said[2][1] == "Oak is heavy for a mast."
    assert said[2][0].startswith("[")
    _, body = ask(one, model, "Remember what my boat is called?", "--new")
    assert "A pause held on the water." in asked_last(body)


@pytest.mark.long
def test_a_client_of_the_server_is_remembered_too(life, model):
    house, _ = life
    url = house.serve("--profile", "companion")
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        answer = client.chat.completions.create(
            model="llama3.2", messages=[{"role": "user", "content": REMEMBER}]
        )
        assert answer.choices[0].message.content == ANSWER
        body = model.sent("/api/chat")[-1]
        assert all(detail in asked_last(body) for detail in DETAILS)
        (message,) = body["messages"]  # the character of the program, not ours
        assert message["role"] == "user"
        assert message["content"].startswith(f"{REMEMBER}\n")
    token = ApiKeys(house.home).token()  # which may name users
    with openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0) as client:
        client.chat.completions.create(
            model="llama3.2", messages=[{"role": "user", "content": REMEMBER}], user="bob"
        )
        assert "Morbier" not in json.dumps(model.sent("/api/chat")[-1]["messages"])
