"""The scenarios: what is said and asked, in an order that never changes.

Each is a function over a drive. Most of their contexts are further questions on a store that is
there already. What is asked lies in ``words.py`` and ``languages.py``; how the package is told, in
``driver.py``.
"""

import json
from pathlib import Path

from tests.golden.languages import SPOKEN
from tests.golden.words import (
    ANSWERS,
    CASUAL,
    CONTEXTUAL,
    DEMANDS,
    PERSONAL,
    RECALL,
    SMALL,
    STORY,
    SUMMARY,
    TECHNICAL,
    Dice,
)

SCENARIOS = {}
"""Name to a function over a drive, and the settings that it needs."""

LOOK = ("look", "Looks something up in the notes.", "query")
WEATHER = ("weather", "Tells the weather of a place on a day.", "place", "day")
SEND = ("send_mail", "Sends a mail to a person. Ask before you use it.", "person", "text")
SUMS = ("sums", "Reckons with numbers, for example 3 * (4 + 5).", "term")
WINDOWS = (512, 768, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072, 1_048_576)


def scenario(**settings):
    """Enter a function into the table."""

    def enter(function):
        SCENARIOS[function.__name__] = (function, settings)
        return function

    return enter


def talk(drive, dice, templates, count, *, answers=ANSWERS, sentences=1, pause=0):
    """Say things in the current session; gives the ids of the exchanges."""
    said = []
    for n in range(count):
        if pause and n % 5 == 4:
            drive.wait(hours=pause)
        text = dice.text(SMALL) if n % 9 == 8 else dice.long(templates, sentences)
        said.append(drive.say(text, dice.long(answers, sentences)))
    return said


def ask(drive, questions, **given):
    """Prepare contexts that nobody answers."""
    for question in questions:
        drive.prepare(question, **given)


# Plain conversations.


@scenario()
def chat(drive):
    dice = Dice("chat")
    for n in range(3):
        if n:
            drive.new_session()
        talk(drive, dice, PERSONAL, 22, pause=20)
        drive.why()
        ask(drive, dice.questions())
    drive.found("boat in Lisbon")
    drive.found(dice.text(RECALL))


@scenario(max_prompt_tokens=1_000_000)
def windows(drive):
    dice = Dice("windows")
    drive.window(131_072)
    for n in range(3):
        drive.new_session(f"Talk {n}")
        talk(drive, dice, PERSONAL + TECHNICAL, 12, sentences=4)
    drive.maintain()
    for window in WINDOWS:
        drive.window(window)
        ask(drive, dice.questions())
        if window >= 2048:
            ask(drive, dice.questions()[:2], mode="tools")


@scenario()
def verbosity(drive):
    dice = Dice("verbosity")
    talk(drive, dice, TECHNICAL, 14)
    questions = dice.questions()
    hard = "Compare both designs step by step, prove your claim, then write the code and its tests."
    for told in ("concise", "balanced", "detailed"):
        for mode in ("chat", "tools"):
            drive.reopen(verbosity=told, mode=mode)
            ask(drive, [*questions[::2], hard])


@scenario()
def settings(drive):
    """Every setting that divides or shapes a prompt."""
    dice = Dice("settings")
    talk(drive, dice, PERSONAL, 14, sentences=2)
    drive.new_session()
    talk(drive, dice, TECHNICAL, 10, sentences=2)
    drive.maintain()
    questions = dice.questions()
    for changes in (
        {"memory_cap": 700},
        {"memory_cap": 60},
        {"max_turns": 3},
        {"condenser": "none"},
        {"condenser": "none", "memory_cap": 900},
        {"min_relevance": 0.9},
        {"min_relevance": 0.0},
        {"vivid_share": 0.1, "summary_share": 0.8, "contextual_share": 0.05},
        {"recall_neighbors": True},
        {"immediate_share": 0.5, "knowledge_share": 0.0},
        {"immediate_share": 0.0, "knowledge_share": 0.6, "memory_cap": 600},
        {"max_output": 300, "max_prompt_tokens": 1500},
        {"window": 3000},
        {"system": "You are a lighthouse keeper. Answer in one line."},
        {"facts": "none"},
    ):
        drive.reopen(**changes)
        ask(drive, questions)


@scenario(embedder="none")
def words_only(drive):
    """No search by meaning."""
    dice = Dice("words only")
    for n in range(2):
        drive.new_session()
        talk(drive, dice, (PERSONAL, TECHNICAL)[n], 8)
        ask(drive, dice.questions())
    drive.maintain()
    ask(drive, dice.questions(2))


@scenario()
def languages(drive):
    for name, (said, questions) in SPOKEN.items():
        drive.new_session(name)
        for text, answer in said:
            drive.say(text, answer)
        ask(drive, questions[:2])
    drive.maintain()
    drive.new_session("Later")
    for _, questions in SPOKEN.values():
        ask(drive, questions)
    drive.window(1500)
    for _, questions in SPOKEN.values():
        ask(drive, questions[:2], mode="tools")


@scenario()
def long_exchanges(drive):
    """Exchanges that are longer than what is left: excerpts, and what is left out whole."""
    dice = Dice("long")
    for n in range(9):
        drive.say(dice.long(PERSONAL, 3 + 9 * n), dice.long(ANSWERS, 4 + 12 * (n % 5)))
    code = "\n".join(f"    value_{n} = load({n})  # {dice.text(PERSONAL)}" for n in range(120))
    drive.say(f"Here is my file:\n```python\n{code}\n```", "It loads 120 values.")
    drive.say("x" * 9000, "That is one word.")
    drive.maintain()
    drive.new_session()
    for window in (1024, 2048, 4096, 8192):
        drive.window(window)
        ask(drive, dice.questions())
        ask(drive, ["Which value does `value_77` load?"], mode="tools")
    drive.refused("word " * 20_000)
    drive.refused(" ")


@scenario(window=1200)
def tight(drive):
    """A long conversation in a small window: the shown history moves on."""
    dice = Dice("tight")
    for n in range(36):
        drive.say(dice.long(PERSONAL, 1 + n % 3), dice.long(ANSWERS, 1 + n % 2))
        if n % 12 == 11:
            drive.maintain()
            ask(drive, dice.questions())
    drive.why()
    drive.new_session()
    ask(drive, dice.questions(2))


@scenario(window=2000, mode="tools")
def tight_tools(drive):
    dice = Dice("tight tools")
    for n in range(24):
        tools = [LOOK, WEATHER, SUMS, SEND] if n % 2 else None
        context = drive.prepare(dice.long(TECHNICAL, 2), tools=tools)
        if n % 3 == 1:
            drive.rounds(context, ("look", {"query": "boat"}, dice.long(ANSWERS, 2 + n % 5)))
        drive.record(context, dice.long(ANSWERS, 1 + n % 3))
    ask(drive, dice.questions())
    drive.maintain()
    ask(drive, dice.questions())


@scenario()
def large(drive):
    """More exchanges than the newest part of an index holds."""
    dice = Dice("large")
    lines = _file(Dice("large file"), range(88), 14)
    drive.take_in("\n".join(json.dumps(line) for line in lines).encode())
    ask(drive, dice.questions(2))
    talk(drive, dice, PERSONAL + TECHNICAL, 8)
    ask(drive, dice.questions())
    drive.found(dice.text(RECALL))
    drive.forget(search="telescope Kyoto")
    ask(drive, dice.questions())


@scenario()
def images(drive):
    dice = Dice("images")
    picture, other = "data:image/png;base64,iVBORw0KGgo=", "https://example.org/boat.jpg"
    drive.say("What is on this picture?", "A boat in the harbour of Visby.", images=[picture])
    drive.say("And on these two?", "The same boat, and Elin.", images=[picture, other])
    drive.say("", "A picture without a word.", images=[other])
    talk(drive, dice, PERSONAL, 5)
    ask(drive, ["Remember the picture of the boat?", "Who was on it?"])
    ask(drive, ["Is this the same boat as before?"], images=[picture])
    drive.new_session()
    ask(drive, ["Do you remember the picture of the boat?", *dice.questions()])
    drive.sync(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What boat is this?"},
                    {"type": "image_url", "image_url": {"url": picture}},
                ],
            }
        ]
    )


@scenario()
def states(drive):
    """Answers that broke off or never came, and what the server reports of tokens."""
    dice = Dice("states")
    for n in range(12):
        context = drive.prepare(dice.text(PERSONAL))
        reported = int(context.ledger.prompt_tokens * (1 + 0.03 * n)) if n % 2 else None
        if n % 4 == 2:
            drive.record(context, "It broke off in the", state="incomplete")
        elif n % 4 == 3:
            drive.record(context, None, state="unanswered")
        else:
            drive.record(context, dice.text(ANSWERS), prompt_tokens=reported)
    drive.begin(drive.prepare("This one is never answered."))
    ask(drive, dice.questions())
    drive.new_session()
    ask(drive, dice.questions())


# Profiles.


def _profile(drive, templates, seed):
    dice = Dice(seed)
    for n in range(2):
        if n:
            drive.new_session()
        talk(drive, dice, templates, 13, sentences=1 + n, pause=30)
        drive.maintain()
        ask(drive, dice.questions())
    drive.why()
    ask(drive, dice.questions(2), mode="tools")
    drive.window(2048)
    ask(drive, dice.questions())


@scenario(profile="workspace")
def profile_workspace(drive):
    _profile(drive, TECHNICAL, "workspace")


@scenario(profile="companion")
def profile_companion(drive):
    _profile(drive, PERSONAL, "companion")


@scenario(profile="agent")
def profile_agent(drive):
    _profile(drive, TECHNICAL + PERSONAL, "agent")


@scenario(profile="requirements")
def profile_requirements(drive):
    _profile(drive, DEMANDS + PERSONAL[:4], "requirements")


@scenario(profile="story")
def profile_story(drive):
    _profile(drive, STORY, "story")


@scenario(profile="companion")
def personas(drive):
    dice = Dice("personas")
    talk(drive, dice, PERSONAL, 6)
    for name in ("companion", "analyst", "storyteller", ""):
        drive.persona(name)
        ask(drive, dice.questions())


# Tools.


@scenario()
def tool_turns(drive):
    """Whole turns: the model calls tools, fails, is asked again with what it was told."""
    dice = Dice("turns")

    def look(query: str) -> str:
        """Look something up in the notes."""
        return f"Notes on {query}: " + "The boat is blue. " * (len(query) % 7)

    def measure(thing: str, times: int = 2) -> dict[str, int]:
        """Measure a thing."""
        return {thing: 7 * times}

    tools = [look, measure]
    drive.turn("Hello there", ["Hello."])
    drive.turn("Which boat is blue?", [("look", {"query": "boat"}), "Yours."], tools, mode="tools")
    drive.turn(
        "Measure the boat and the tent, then look them up.",
        [
            ["Let me see. ", ("measure", {"thing": "boat"}), ("measure", {"thing": "tent"})],
            ("look", {"query": "boat and tent"}),
            ("measure", {"wrong": 1}),
            ("nothing", {}),
            "The boat measures 14.",
        ],
        tools,
        mode="tools",
    )
    talk(drive, dice, TECHNICAL, 6)
    drive.turn("And now?", [("search_memory", {"query": "boat"}), "Blue still."], mode="tools")
    drive.turn("What time is it?", [("current_time", {}), "Ten."], mode="tools")
    again = drive.turn("How large is the tent?", ["Fourteen."], tools, mode="tools")
    drive.turn("", ["It is 14."], tools, mode="tools", retry_of=again)
    shorter = {"refused": 2500, "window": 3000}
    drive.turn("How long may I be?", [shorter, "As long as you like."])
    drive.turn("And once more?", [{"refused": 9000, "window": None}, "Yes."], tools, mode="tools")
    drive.turn("Go on forever", [("look", {"query": "q" * 9})], tools, mode="tools", window=2048)
    ask(drive, dice.questions())
    ask(drive, dice.questions(), mode="tools")


@scenario()
def tool_rounds(drive):
    """Rounds that a caller records, tools that are offered or left out, results of every length."""
    dice = Dice("rounds")
    many = [(f"tool_{n}", dice.long(TECHNICAL, 3), "name", "place") for n in range(14)]
    for n in range(7):
        context = drive.prepare(dice.text(TECHNICAL), mode="tools", tools=[LOOK, WEATHER, SUMS])
        drive.begin(context)
        rounds = [
            ("look", {"query": dice.text(RECALL)}, dice.long(ANSWERS, 1 + n * n)),
            ("weather", {"place": "Oslo", "day": str(n)}, "Rain." * n),
        ]
        drive.rounds(context, *rounds[: 1 + n % 2])
        drive.record(context, dice.text(ANSWERS))
        if n % 3 == 2:
            drive.why()
    for window in (768, 1024, 2048, 8192):
        drive.window(window)
        ask(drive, dice.questions()[:3], mode="tools", tools=many)
        ask(drive, ["Look up the boat, please."], mode="tools", tools=[LOOK, SEND, *many[:3]])
        ask(drive, dice.questions()[2:])


# Branches.


@scenario()
def branches(drive):
    dice = Dice("branches")
    said = talk(drive, dice, PERSONAL, 8)
    drive.prepare("", retry_of=said[-1])
    retried = drive.say("", "Another answer.", retry_of=said[-1])
    drive.say("", "A third answer, longer than the others.", retry_of=retried)
    drive.say(dice.text(PERSONAL))
    drive.undo()
    drive.undo()
    edited = drive.say("I live in Bergen, not in Oslo.", "Bergen it is.")
    talk(drive, dice, PERSONAL, 3)
    ask(drive, dice.questions())
    drive.checkout(said[3])
    talk(drive, dice, TECHNICAL, 4)
    ask(drive, dice.questions())
    for leaf in drive.branches():
        drive.checkout(leaf)
        ask(drive, [dice.text(RECALL), dice.text(SUMMARY)])
    drive.checkout(edited)
    for _ in range(4):
        drive.undo()
        drive.prepare("And what did I say before?")
    drive.maintain()
    drive.new_session()
    ask(drive, dice.questions(2))
    drive.window(1024)
    ask(drive, dice.questions())


@scenario()
def sessions(drive):
    dice = Dice("sessions")
    names = []
    for n in range(6):
        drive.new_session(f"Subject {n}" if n % 2 else "")
        talk(drive, dice, (PERSONAL, TECHNICAL, STORY)[n % 3], 4)
        names.append(drive.session())
        drive.wait(days=3)
    drive.maintain()
    for name in reversed(names):
        drive.switch(name)
        ask(drive, [dice.text(SUMMARY), dice.text(RECALL)])
    drive.retitle("All about boats")
    drive.switch("All about boats")
    drive.say(dice.text(PERSONAL))
    drive.take_up("a-name-of-its-own")
    talk(drive, dice, PERSONAL, 2)
    with drive.narrowed(names[2]):
        drive.switch(names[2])
        ask(drive, dice.questions())
    ask(drive, ["What did we talk about yesterday?", "What did I say last week?"])
    drive.reopen()
    ask(drive, dice.questions())


# Clients that send their whole history.


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {"role": "assistant", "content": text}


def system(text):
    return {"role": "system", "content": text}


def called(name, tool, arguments):
    function = {"name": tool, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def result(name, text):
    return {"role": "tool", "tool_call_id": name, "content": text}


@scenario()
def synced(drive):
    """Histories that grow, and are edited, regenerated, trimmed and forked."""
    dice = Dice("synced")
    history = [system("You are a helpful assistant with a map.")]
    for n in range(14):
        history.append(user(dice.text(PERSONAL if n % 3 else TECHNICAL)))
        sent = drive.sync(history)
        answer = dice.text(ANSWERS)
        drive.answer(sent, answer)
        history.append(said(answer))
    drive.answer(drive.sync(history[:-1]), "Regenerated.")
    other = [*history[:7], user("I edited this: my boat is red."), said("Red, then.")]
    for _ in range(3):
        other.append(user(dice.text(CONTEXTUAL)))
        drive.answer(drive.sync(other), "Very well.")
        other.append(said("Very well."))
    changed = [*history[:4], said("An answer that the client wrote."), *history[5:9]]
    drive.answer(drive.sync([*changed, user("Is that so?")]), "It is.")
    trimmed = [history[0], *history[-6:], user(dice.text(RECALL))]
    drive.answer(drive.sync(trimmed), "As far as I know.")
    drive.sync([system("You are a pirate."), *history[1:], user("Who are you?")])
    drive.sync([*history, user("Do not keep this.")], record=False)
    drive.sync([*history, user("Go on with this"), said("It begins with")])
    for window in (512, 1024, 2048, 4096, 32_768):
        drive.sync([*history, user(dice.text(SUMMARY))], window=window, most=200)
    drive.sync([user(dice.text(RECALL))])
    drive.maintain()
    drive.new_session()
    ask(drive, dice.questions(2))


@scenario()
def synced_sessions(drive):
    """Clients that name their session: several at once, and one that only sends the last message."""
    dice = Dice("named")
    for n in range(20):
        name = f"client-{n % 3}"
        sent = drive.sync([user(dice.text(PERSONAL))], session=name)
        drive.answer(sent, dice.text(ANSWERS))
    drive.maintain()
    for n in range(3):
        for question in dice.questions():
            drive.sync([user(question)], session=f"client-{n}")
    drive.sync([user(dice.text(RECALL))], session="a-new-client")
    half = [user("One"), said("Two"), user("Three"), said("Four"), user("Five")]
    drive.answer(drive.sync(half, session="whole"), "Six")
    drive.answer(drive.sync([*half, said("Six"), user("Seven")], session="whole"), "Eight")
    drive.answer(drive.sync([*half[:3], said("4"), user("5")], session="whole"), "6")


@scenario()
def synced_tools(drive):
    """Tool loops of clients: the prompt stays frozen while rounds come."""
    dice = Dice("loops")
    history = [system("Use tools where they help.")]
    for n in range(8):
        history.append(user(dice.text(TECHNICAL)))
        tools = [LOOK, WEATHER, SUMS][: 1 + n % 3]
        sent = drive.sync(history, tools=tools)
        for turn in range(n % 4):
            name = f"c{n}-{turn}"
            arguments = {"query": dice.text(RECALL)}
            drive.answer(sent, calls=[(name, "look", arguments)])
            told = '{"query": "' + arguments["query"].replace('"', "'") + '"}'
            history += [called(name, "look", told), result(name, dice.long(ANSWERS, 1 + 3 * turn))]
            sent = drive.sync(history, tools=tools)
        answer = dice.text(ANSWERS)
        drive.answer(sent, answer)
        history.append(said(answer))
    history.append(user("A call that is never answered"))
    drive.answer(drive.sync(history, tools=[SEND]), calls=[("x", "send_mail", {"person": "Elin"})])
    history.append(called("x", "send_mail", '{"person": "Elin"}'))
    drive.sync([*history, user("Never mind the mail.")], tools=[SEND])
    large = [user("Look it up"), called("y", "look", "{}"), result("y", dice.long(ANSWERS, 90))]
    for window in (1024, 2048, 8192):
        drive.sync(large, tools=[LOOK], window=window)
    drive.reopen()
    drive.sync([*history, user("And after a restart?")], tools=[LOOK])
    ask(drive, dice.questions(), mode="tools")


# What is known.


@scenario(requirement_patterns="narrow")
def knowledge(drive):
    """Facts, corrections, pins and requirements, drawn by rules and given by a person."""
    dice = Dice("knowledge")
    drive.say("I live in Visby. My sister Elin lives in Lisbon.", "Noted.")
    drive.say("I work as a nurse and I am allergic to walnuts.", "Noted.")
    drive.say("My cat is called Mia. My favourite colour is green.", "A fine cat.")
    drive.say("The system must keep every backup for 90 days.", "It shall.")
    drive.maintain()
    questions = ["Where do I live?", "Recommend a dinner for me and my sister.", *dice.questions()]
    ask(drive, questions)
    drive.say("I moved: I live in Bergen now.", "Oh!")
    drive.say("Actually my favourite colour is blue.", "Blue, then.")
    drive.maintain()
    ask(drive, questions)
    pinned = drive.pin("Answer in British English.")
    last = drive.say("Never mention my boss Bruno.", "I will not.")
    drive.pin(exchange=last)
    drive.fact("My doctor is Dr. Leila Farahani.", subject="me", attribute="doctor")
    drive.fact("The spare key lies under the blue pot.", pinned=True, aliases=["house key"])
    drive.requirement("The page must load in under 200 milliseconds.", pinned=True)
    drive.requirement("Guests may not delete a booking.")
    drive.new_session()
    asked = [*questions, "Where is the house key?", "Who is my doctor?", "How fast is the page?"]
    ask(drive, asked)
    drive.correct("doctor", text="My doctor is Dr. Jonas Weber.", value="Dr. Jonas Weber")
    drive.withdraw("walnuts")
    drive.unpin(pinned)
    ask(drive, asked)
    for window in (512, 1024):
        drive.window(window)
        ask(drive, asked[:4])
    for n in range(12):
        drive.pin(f"Rule {n}: " + dice.long(DEMANDS, 2))
    drive.window(512)
    drive.refused("What are the rules?")
    drive.window(4096)
    ask(drive, asked[:4])
    drive.why()


# What was condensed.


@scenario(condense_tokens=1500, condense_messages=10, facts="none")
def condensed(drive):
    dice = Dice("condensed")
    for n in range(3):
        drive.new_session(f"Evening {n}")
        talk(drive, dice, (STORY, PERSONAL, TECHNICAL)[n], 20, sentences=2, pause=9)
        drive.maintain()
        ask(drive, dice.questions())
        talk(drive, dice, PERSONAL, 6, sentences=2)
        drive.wait(days=12)
    drive.maintain()
    ask(drive, dice.questions(2))
    drive.new_session()
    for window in (1024, 2048, 4096, 16_384):
        drive.window(window)
        ask(drive, dice.questions())
        ask(drive, [dice.text(SUMMARY)], mode="tools")
    drive.say(dice.text(SUMMARY))
    drive.why()


@scenario(profile="story", condense_tokens=900, condense_messages=8)
def condensed_story(drive):
    dice = Dice("story")
    for n in range(4):
        talk(drive, dice, STORY, 11, sentences=2)
        drive.maintain()
        drive.window((8192, 2048, 1024, 4096)[n])
        ask(drive, dice.questions())
    drive.condense(threshold=1)
    ask(drive, dice.questions())
    drive.undo()
    drive.undo()
    ask(drive, dice.questions())
    talk(drive, dice, STORY, 4)
    drive.maintain()
    drive.reopen(categories="assistant")
    ask(drive, dice.questions())


@scenario(max_sessions=2, condense_tokens=600)
def archived(drive):
    dice = Dice("archived")
    for n in range(5):
        drive.new_session(f"Week {n}")
        talk(drive, dice, PERSONAL, 6)
        drive.maintain()
        drive.wait(days=7)
    ask(drive, dice.questions(2))
    drive.switch("Week 0")
    ask(drive, dice.questions())
    drive.say(dice.text(PERSONAL))
    drive.maintain()
    ask(drive, dice.questions())


# Forgetting.


@scenario()
def forgetting(drive):
    dice = Dice("forgetting")
    first = talk(drive, dice, PERSONAL, 8)
    secret = drive.say("My secret number is 4711, tell nobody.", "I keep it.")
    drive.say("I live in Porto with my dog Rex.", "Noted.")
    name = drive.session()
    drive.maintain()
    drive.new_session("Another")
    talk(drive, dice, TECHNICAL, 6)
    asked = ["What is my secret number?", "Where do I live?", *dice.questions()]
    ask(drive, asked)
    drive.forget(secret)
    ask(drive, asked)
    drive.forget(fact=drive._fact("Porto"), with_sources=True)
    ask(drive, asked)
    drive.forget(search="bicycle")
    ask(drive, asked)
    drive.forget(first[2], first[5], with_repeats=True)
    drive.switch(name)
    ask(drive, asked)
    again = drive.prepare("My secret number is 4711, tell nobody.")
    drive.record(again, "I keep it.")
    drive.remarks()
    ask(drive, asked[:2])
    drive.sync([user("My secret number is 4711, tell nobody."), said("No."), user("Why not?")])
    drive.forget(session="Another")
    drive.maintain()
    drive.reopen()
    ask(drive, asked)
    drive.new_session()
    ask(drive, asked)
    drive.found("secret number")


@scenario(condense_tokens=700, condense_messages=6)
def forgetting_condensed(drive):
    dice = Dice("condensed and forgotten")
    said_here = talk(drive, dice, PERSONAL, 20, sentences=2)
    drive.maintain()
    drive.window(2048)
    ask(drive, dice.questions())
    drive.forget(said_here[1], said_here[4], said_here[12])
    ask(drive, dice.questions())
    drive.maintain()
    ask(drive, dice.questions())


# Sharing.


@scenario()
def sharing(drive):
    dice = Dice("sharing")
    talk(drive, dice, PERSONAL, 8)
    drive.say("My sister Marta keeps goats in Porto.", "Goats!")
    drive.pin("Marta's goats in Porto need vaccination in May.")
    drive.maintain()
    first = drive.session()
    drive.new_session("Work")
    talk(drive, dice, TECHNICAL, 5)
    drive.maintain()
    asked = ["Remember who keeps goats in Porto?", *dice.questions()]
    with drive.user("bob"):
        talk(drive, dice, STORY, 4)
        drive.maintain()
        ask(drive, asked)
    given = drive.share("bob", sessions=[first])
    with drive.user("bob"):
        ask(drive, asked)
        drive.switch(first)
        ask(drive, asked[:2])
        drive.say("Here I say more about the goats.", "More goats.")
    drive.say(dice.text(PERSONAL))
    drive.share("bob", sessions=[first])
    drive.share("bob", all_facts=True)
    handed = drive.share("cleo", kind="handoff", sessions=["Work"])
    for name in ("bob", "cleo"):
        with drive.user(name):
            ask(drive, asked)
    with drive.user("cleo"):
        talk(drive, dice, TECHNICAL, 2)
        drive.revoke(handed)
        ask(drive, asked)
    with drive.user("bob"):
        drive.revoke(given)
        ask(drive, asked)
    ask(drive, asked)


# One session alone.


@scenario(recall_scope="session")
def recall_session(drive):
    dice = Dice("alone")
    names = []
    for n in range(3):
        drive.new_session()
        drive.say(f"My sister is called {('Ottilie', 'Rosalind', 'Cornelia')[n]}.", "Noted.")
        talk(drive, dice, PERSONAL, 7, sentences=2)
        names.append(drive.session())
    drive.pin("Be brief.")
    drive.maintain()
    asked = ["Remember what my sister is called?", *dice.questions()]
    for name in names:
        drive.switch(name)
        ask(drive, asked)
        ask(drive, asked[:2], mode="tools")
    drive.window(1024)
    ask(drive, asked)
    drive.sync([user("What is my sister called?")], session=names[1])
    drive.take_up("nobody-yet")
    ask(drive, asked)
    drive.reopen(recall_scope="space")
    ask(drive, asked)


# What comes from elsewhere.


def _file(dice, days, count):
    """A file of conversations in no order of time: lines of messages with dates."""
    lines = []
    for day in days:
        turns = []
        for n in range(count):
            at = f"2025-{1 + day % 12:02}-{1 + day % 28:02}T{8 + n:02}:00:00Z"
            turns.append({"role": "user", "content": dice.text(PERSONAL), "timestamp": at})
            turns.append({"role": "assistant", "content": dice.text(ANSWERS), "timestamp": at})
        lines.append({"id": f"day-{day}", "title": f"Day {day}", "messages": turns})
    return lines


@scenario()
def imports(drive):
    """Older conversations that come after newer ones, twice, and between others."""
    dice = Dice("imports")
    talk(drive, dice, PERSONAL, 5)
    asked = [*dice.questions(), "What did I say in May 2025?", "Where did I live last year?"]
    parts = ((70, 200, 31), (5, 150), (200, 90, 11, 340))
    for days in parts:
        lines = _file(Dice(f"file {days[0]}"), days, 6)
        data = "\n".join(json.dumps(line) for line in lines).encode()
        drive.take_in(data)
        ask(drive, asked)
        drive.maintain()
        ask(drive, asked)
    drive.say(dice.text(PERSONAL))
    drive.switch("Day 150")
    ask(drive, asked[:3])
    drive.say("I go on with this one.", "Do.")
    drive.new_session()
    ask(drive, asked)
    ask(drive, [dice.text(CASUAL), dice.text(CONTEXTUAL)], mode="tools")


FILES = (
    "chatgpt-conversations.json claude-conversations.json claude-code.jsonl codex.jsonl"
    " dana-memory.json emm-memory.json lmstudio.conversation.json openai-requests.jsonl"
    " openwebui-export.json reqvibe-sessions.json sillytavern-chat.jsonl whisperengine.json"
    " workspaceai-v3.json"
).split()


@scenario()
def foreign_files(drive):
    """Files of other programs, one after the other."""
    dice = Dice("foreign")
    folder = Path(__file__).parents[1] / "fixtures" / "imports"
    for name in FILES:
        drive.take_in((folder / name).read_bytes())
        ask(drive, [dice.text(SUMMARY), dice.text(RECALL)])
    drive.maintain()
    ask(drive, dice.questions(2))
    drive.window(2048)
    ask(drive, dice.questions(), mode="tools")
