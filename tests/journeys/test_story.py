"""A long story, condensed by what its messages are: the critical lines stay, word for word.

The seed is EMM's: six categories with the share that stays verbatim, a run above 25,000 tokens with
at least 20 messages, the newest five never touched, test mode, and its debug commands in the chat.
"""

import json
import math
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.helpers.talker import Talker
from tests.journeys.house import prompts

from unabridged.testing.ollama_server import OllamaTestServer

EPISODE = Path(__file__).parents[3] / "shared" / "data" / "crd3" / "C1E001.dialogue.json"
KEEP = {
    "story critical": 0.9, "character focused": 0.8, "relationship dynamics": 0.7,
    "emotional significance": 0.6, "world building": 0.5, "standard": 0.4,
}  # fmt: skip
"""The seed's shares."""
CRITICAL = (
    "The Dark Lord Morvane has returned to threaten the realm of Ysmere.",
    "Only the Sword of Dawn can defeat Morvane.",
    "You are the chosen hero of the prophecy, Aldric.",
    "Queen Ilsabet is dead; her brother Corvin murdered her.",
    "The Sword of Dawn was broken into three shards.",
)
NAMES = ("Morvane", "Ysmere", "Sword of Dawn", "Aldric", "Ilsabet", "Corvin")
ANSWER = "The torch burns low."
LINE = "I open the chapel door."
SPARED = 5
_ENDS = re.compile(r"(?<=[.!?])\s+")


def story(tokens):
    """Exchanges of about so many tokens: a seeded grammar, with critical lines planted in it."""
    rng = random.Random(5)
    rooms = "hallway cellar courtyard kitchen tower stable chapel armoury library".split()
    things = "torch rope lantern bucket ladder barrel blanket candle stool broom".split()
    verbs = "lift move light carry count open close wipe drop tie".split()
    critical, made, size = list(CRITICAL), [], 0
    while size < tokens:
        n = len(made)
        user = " ".join(
            f"I {rng.choice(verbs)} the {rng.choice(things)} and walk to the {rng.choice(rooms)}."
            for _ in range(3)
        )
        answer = " ".join(
            f"The {rng.choice(rooms)} is quiet, and a {rng.choice(things)} stands by the wall."
            for _ in range(6)
        )
        if n % 13 == 4 and critical:
            answer = critical.pop(0)
        elif n % 17 == 6:
            user = f"My name is Aldric, and I trained as a paladin for {rng.randint(3, 9)} years."
        elif n % 19 == 8:
            answer = "The castle was built 500 years ago by the dwarves of the northern mountains."
        elif n % 23 == 9:
            user = "I am terrified and furious, and I cannot stop crying for my lost brother!"
        made.append((user, answer))
        size += (len(user) + len(answer)) // 4
    return made


def rows(turns):
    """The same as an import takes them, half a minute apart."""
    at = datetime.now(UTC) - timedelta(days=2)
    for n, (user, answer) in enumerate(turns):
        for role, text in (("user", user), ("assistant", answer)):
            at += timedelta(seconds=15)
            yield {"role": role, "content": text, "time": at.isoformat(), "session": "ysmere",
                   "title": "Ysmere", "n": n}  # fmt: skip


@pytest.fixture
def model():
    with OllamaTestServer(ANSWER, count=lambda text: len(text) // 4) as server:
        yield server


@pytest.fixture
def begun(house, model, tmp_path):
    """Give a function that makes a home with a story of so many tokens in it."""

    def make(turns):
        one = house(model.url, "story")
        path = tmp_path / "story.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows(turns)), "utf-8")
        one.run("import", str(path))
        return one

    return make


def chat(house, *lines):
    """Say lines in the chat, one process; give what it shows for each, commands repeated."""
    return house.apart("chat", "--session", "Ysmere", text="\n".join(lines) + "\n")


def known(turns, *more):
    """Every message, and every sentence of one."""
    said = {text for turn in turns for text in turn} | {ANSWER, LINE, *more}
    return said, {sentence for text in said for sentence in _ENDS.split(text)}


def sentences(text):
    """The sentences of a text, without the marks that stand where some are left away."""
    return _ENDS.split(re.sub(r" ?\[?…\]? ?", " ", text).strip())


def assert_never_cut(server, turns, *more):
    """The model never saw a part of a message that is no whole sentence of it."""
    said, parts = known(turns, *more)
    assert server.sent("/api/chat")
    for body in server.sent("/api/chat"):
        system, *history = body["messages"]
        for message in history[:-1]:
            assert message["content"] in said
        fence, _, own = history[-1]["content"].rpartition("</recalled>\n\n")
        assert own in said
        _, _, earlier = system["content"].partition("<recalled-earlier")
        for line in [*earlier.splitlines()[1:], *fence.splitlines()]:
            bare = re.sub(r"^(?:user|assistant): |</?recalled[^>]*>", "", line).strip()
            if bare and not line.startswith(("[", "<recalled-fact")):
                assert set(sentences(bare)) <= parts, line


def test_a_run_is_due_above_25_000_tokens_and_not_before(begun):
    small = begun(story(22_000))
    assert small.data("stats")["tokens"] <= 25_000
    assert "a run is due above 25,000" in chat(small, "/condense")
    stats = small.data("stats")["condensing"]
    assert (stats["runs"], stats["messages_condensed"]) == (0, 0)


def test_few_messages_are_never_condensed_however_long(begun, model):
    house = begun([(" ".join(["I walk on and on and on."] * 900), "So it is.")] * 9)
    assert house.data("stats")["tokens"] > 25_000
    house.run("condense")
    assert house.data("stats")["condensing"]["runs"] == 0
    house.run("ask", "--session", "Ysmere", LINE)
    house.run("condense")
    assert house.data("stats")["condensing"]["runs"] == 1


@pytest.mark.slow
def test_the_story_is_condensed_and_its_critical_lines_stay(begun, model):
    turns = story(33_000)
    house = begun(turns)
    assert house.data("stats")["tokens"] > 25_000
    house.run("condense")
    stats = house.data("stats")["condensing"]
    assert stats["runs"] == 1
    assert 0 < stats["seconds"] < 5
    check = stats["coherence"]
    assert check["critical_kept"] >= 0.9
    assert check["shares_kept"]
    assert check["in_order"]
    assert check["lost_critical"] == []
    assert not set(check["lost_names"]) & set(NAMES)
    assert check["tokens_after"] < 0.75 * check["tokens_before"]
    chat(house, LINE)
    (prompt,) = prompts(model)
    assert all(any(line in turn for turn in turns) for line in CRITICAL)
    assert all(line in prompt for line in CRITICAL)
    assert all(name in prompt for name in NAMES)
    places = [prompt.index(line) for line in CRITICAL]
    assert places == sorted(places)
    assert_never_cut(model, turns)
    newest = [m["content"] for m in model.sent("/api/chat")[0]["messages"][1:-1]]
    told = [text for turn in turns for text in turn]
    assert newest[-SPARED:] == told[-SPARED:]
    why = house.data("why")
    assert sum(why["parts"].values()) == why["window"] == 32_768


def test_each_category_keeps_its_share_and_the_newest_five_are_spared(begun):
    turns = story(33_000)
    house = begun(turns)
    house.run("condense", "--force")
    with Talker.open(**house.settings) as memory:
        session = memory.sessions()[0].session.id
        path = memory.switch(session) and memory.exchanges(10_000)
        messages = [(e, i, m) for e in path for i, m in enumerate(e.messages)]
        read = memory.space.annotations.of(path)
        made = [one for one in memory.space.condensations.condensations() if one.messages]
        gone = {tuple(each) for one in made for each in one.messages}
        spared = {(e.id, i) for e, i, _ in messages[-SPARED:]}
        assert gone
        assert not gone & spared
        counts = {name: [0, 0] for name in KEEP}
        for exchange, index, message in messages[: -SPARED - 1]:
            name = read[exchange.id].messages[message.id].category.replace("_", " ")
            counts[name][0] += 1
            counts[name][1] += (exchange.id, index) not in gone
        assert sum(each > 0 for each, _ in counts.values()) >= 5
        for name, (every, verbatim) in counts.items():
            assert verbatim >= math.ceil(KEEP[name] * every - 1e-9), name


@pytest.mark.long
def test_a_new_process_finds_it_condensed_and_opens_the_originals(begun, model):
    turns = story(33_000)
    house = begun(turns)
    house.apart("condense")
    listed = json.loads(house.apart("expand", "--json"))
    ids = [one["id"] for one in listed if one["level"] == "exchanges"]
    assert ids
    parts = known(turns)[1]
    for name in ids:
        opened = json.loads(house.apart("expand", name, "--json"))
        covered = [
            tuple(part["text"] for m in e["messages"] for part in m["parts"])
            for e in opened["exchanges"]
        ]
        assert covered
        assert set(covered) <= set(turns)
        one = opened["condensation"]
        told = {part for line in one["lines"] for part in sentences(line["text"])}
        assert told <= parts
    assert json.loads(house.apart("stats", "--json"))["exchanges"] == len(turns)


@pytest.mark.long
def test_every_debug_command_of_the_seed_does_what_it_says(begun, model):
    turns = story(33_000)
    house = begun(turns)
    shown = chat(house, LINE, "/memory stats", "/memory tokens")
    assert re.search(rf"kept +{len(turns) + 1} exchanges in 1 session", shown)
    assert re.search(r"condensed +[\d,]+ messages in \d+ runs?, [\d,]+ tokens saved", shown)
    assert re.search(r"last run .*, in \d+\.\d\d s", shown)
    assert "story critical 5" in " ".join(shown.split())
    assert re.search(r"recent +[\d,]+ +\d", shown)
    assert re.search(r"reserve +[\d,]+", shown)
    runs = house.data("stats")["condensing"]["runs"]
    shown = chat(house, "/semantic show", "/semantic stats")
    for name, share in KEEP.items():
        assert re.search(rf"{name} +{100 * share:.0f} %", shown), name
    assert f"{len(turns) + 1} exchanges classified, 0 pending · scheme story" in shown
    shown = chat(house, "/condense test")
    assert "Nothing was changed (--test)." in shown
    assert "order kept" in shown
    assert re.search(r"took +\d+\.\d\d s", shown)
    assert house.data("stats")["condensing"]["runs"] == runs
    shown = chat(house, "/condense")
    assert "Nothing is due." in shown
    shown = chat(house, "/condense force")
    assert re.search(r"story critical +5 +0", shown)
    assert "/expand ID" not in shown.splitlines()[0]
    assert house.data("stats")["condensing"]["runs"] == runs + 1


def test_test_mode_condenses_often(house, model):
    turns = story(3_000)
    one = house(model.url, "story")
    words = [user for user, _ in turns]
    assert len(words) >= 20
    one.apart("chat", "--set", "condense_tokens=500", text="\n".join(words) + "\n")
    often = one.data("stats")["condensing"]
    assert often["runs"] >= 3
    assert often["coherence"]["in_order"]
    assert_never_cut(model, turns, *words)


@pytest.mark.data
@pytest.mark.long
def test_an_hour_of_real_play_is_condensed(begun, model):
    if not EPISODE.is_file():
        pytest.skip("the public data is not beside the checkout")
    turns = json.loads(EPISODE.read_text("utf-8"))["TURNS"]
    told = [f"{' and '.join(t['NAMES'])}: {' '.join(t['UTTERANCES'])}" for t in turns]
    pairs = list(zip(told[::2], told[1::2], strict=False))[:700]
    house = begun(pairs)
    stats = house.data("stats")
    if not stats["condensing"]["runs"]:
        house.run("condense")
        stats = house.data("stats")
    assert stats["tokens"] > 25_000
    check = stats["condensing"]["coherence"]
    assert check["shares_kept"]
    assert check["in_order"]
    assert check["lost_critical"] == []
    assert check["tokens_after"] < check["tokens_before"]
    assert stats["condensing"]["seconds"] < 5
    chat(house, LINE)
    said = {text for pair in pairs for text in pair}
    for message in model.sent("/api/chat")[-1]["messages"][1:-1]:
        assert message["content"] in said
