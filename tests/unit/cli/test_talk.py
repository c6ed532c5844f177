import pytest
from click import unstyle
from tests.helpers.talker import Talker

from unabridged.cli.chat.chat_session import AGAIN, SILENT, STOPPED, UNSENT, Chat
from unabridged.cli.chat.commands import COMMANDS, GROUPS
from unabridged.cli.chat.loop import KEYS, LEAVE, converse
from unabridged.config import load
from unabridged.domain.chat import Abilities, StreamChunk, Usage
from unabridged.errors import UpstreamBrokenError


class Person:
    """A screen with somebody in front: gives what is typed and keeps what is shown."""

    interactive = True

    def __init__(self, *typed):
        self.typed = list(typed)
        self.drafts, self.notes, self.lines, self.errors = [], [], [], []
        self.answers, self.waits = [], 0

    def open(self, memory, commands):
        self.commands = commands

    def read(self, draft=""):
        self.drafts.append(draft)
        if not self.typed:
            return None
        given = self.typed.pop(0)
        if given is KeyboardInterrupt:
            raise KeyboardInterrupt
        return given

    def begin_answer(self):
        self.waits += 1
        self.answers.append("")

    def delta(self, text, reasoning):
        self.answers[-1] += text

    def working(self, text):
        self.notes.append(text)

    def end_answer(self):
        self.answers[-1] += "|"

    def say(self, lines):
        self.lines += lines

    def note(self, text, style="dim"):
        self.notes.append(text)

    def error(self, error):
        self.errors.append(error)


class Model:
    """A model that answers what it is told; an error in the script is raised."""

    model, provider = "told", "scripted"

    def __init__(self, *script):
        self.script = list(script)

    def abilities(self):
        return Abilities(self.model, trained_window=8192)

    def chat(self, request):
        said = self.script.pop(0) if self.script else ["Yes."]
        for piece in said:
            if isinstance(piece, BaseException):
                raise piece
            yield StreamChunk(text=piece)
        yield StreamChunk(done=True, finish="stop", usage=Usage(prompt=50, answer=1))

    def close(self):
        pass


@pytest.fixture
def memory(tmp_path):
    def opened(model):
        settings = load(home=tmp_path / "home", environ={}, upstream="quote")
        return Talker.open(settings=settings, upstream=model)

    return opened


def talk(memory, model, *typed):
    person = Person(*typed)
    with memory(model) as opened:
        converse(Chat(opened.talk, person))
    return person


def test_a_greeting_says_who_answers_and_where_it_goes_on(memory):
    first = talk(memory, Model(), "My cat is called Ada.")
    assert "told (scripted)" in first.lines[1]
    assert "starts a new session" in first.notes[0]
    assert KEYS in first.notes
    assert "/why" in first.commands
    second = talk(memory, Model())
    assert second.notes[0].startswith("Continuing “My cat is called Ada.” · 1 exchange · last")
    assert [line.strip() for line in map(unstyle, second.lines[2:])] == [
        "› My cat is called Ada.",
        "Yes.",
    ]


def test_each_answer_has_its_line(memory):
    person = talk(memory, Model(["It ", "is."]), "Is it?")
    assert person.answers == ["It is.|"]
    assert person.notes[-1].startswith("nothing recalled · 50 of 8,192 tokens")


def test_ctrl_c_stops_an_answer_and_the_conversation_goes_on(memory):
    model = Model(["Half an ", KeyboardInterrupt()], ["Whole."])
    person = talk(memory, model, "one", "two")
    assert person.answers == ["Half an |", "Whole.|"]
    assert STOPPED in person.notes
    with memory(Model()) as opened:
        states = [(one.state.value, one.answer.text) for one in opened.exchanges()]
    assert states == [("incomplete", "Half an "), ("complete", "Whole.")]


def test_ctrl_c_before_the_first_word_keeps_the_message(memory):
    person = talk(memory, Model([KeyboardInterrupt()]), "one", "/retry")
    assert SILENT in person.notes
    assert person.answers == ["|", "Yes.|"]


def test_ctrl_c_while_a_prompt_is_prepared_stores_nothing(memory, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    person = Person("one", "two")
    with memory(Model()) as opened:
        with monkeypatch.context() as patched:
            patched.setattr(opened.talk, "chat", interrupted)
            person.typed = ["one"]
            converse(Chat(opened.talk, person))
        person.typed = ["two"]
        converse(Chat(opened.talk, person))
        assert [one.user.text for one in opened.exchanges()] == ["two"]
    assert UNSENT in person.notes


def test_a_sign_of_life_comes_before_the_prompt_is_prepared(memory, monkeypatch):
    person = Person("one")
    with memory(Model()) as opened:
        chat = opened.talk.chat

        def late(*words, **options):
            assert person.waits == 1
            return chat(*words, **options)

        monkeypatch.setattr(opened, "chat", late)
        converse(Chat(opened.talk, person))
    assert person.answers == ["Yes.|"]


def test_ctrl_c_on_an_empty_line_tells_how_to_leave(memory):
    person = talk(memory, Model(), KeyboardInterrupt, "one")
    assert LEAVE in person.notes
    assert person.answers == ["Yes.|"]


def test_a_broken_answer_can_be_asked_for_again(memory):
    broken = UpstreamBrokenError("The answer broke off.", hint="Try again.")
    person = talk(memory, Model(["Half", broken], ["Whole."]), "one", "/retry")
    assert person.errors == [broken]
    assert AGAIN in person.notes
    assert person.answers == ["Half|", "Whole.|"]


def test_edit_offers_the_last_message_and_ctrl_c_leaves_all_as_it_was(memory):
    person = talk(memory, Model(), "one", "two", "/edit", KeyboardInterrupt, "/edit", "three")
    assert person.drafts.count("two") == 2
    with memory(Model()) as opened:
        assert [one.user.text for one in opened.exchanges()] == ["one", "three"]


def test_another_program_on_the_same_session(memory):
    mine = Person("one", "two", "three")
    with memory(Model()) as opened, memory(Model()) as other:
        chat = opened.talk.chat

        def chat_late(text, **options):
            turn = chat(text, **options)
            if text == "two" and other.header is None:
                other.switch("1")
                other.record(other.prepare("meanwhile"), "Hm.")
            return turn

        opened.talk.chat = chat_late
        converse(Chat(opened.talk, mine))
        said = [one.user.text for one in opened.exchanges()]
    assert said == ["one", "meanwhile", "two", "three"]
    assert any("Another program wrote" in note for note in mine.notes)
    assert mine.errors == []


def test_commands_with_two_words_and_arguments_in_any_case(memory):
    person = talk(memory, Model(), "one", "/MEMORY Stats", "/title  Two  words ", "/memory")
    assert any("1 exchange in 1 session" in line for line in person.lines)
    assert any("“Two words”" in note for note in person.notes)
    assert "/memory" in person.errors[0].hint


def test_forgetting_asks_and_clears_what_was_typed(tmp_path):
    person = Person("/forget", "no", "/forget", "YES", "/quit")
    with Talker.open(tmp_path / "home", upstream="quote") as memory:
        memory.record(memory.prepare("My cousin lives behind the old brewery."), "I see.")
        converse(Chat(memory.talk, person))
        assert memory.exchanges() == []
        assert len(memory.space.forgetting.receipts()) == 1
    assert "Nothing was forgotten." in person.notes
    assert any("brewery" in line for line in person.lines)
    assert not person.errors


@pytest.mark.parametrize(("said", "saves"), [("y", True), ("", True), ("yes", True), ("n", False)])
def test_who_leaves_is_asked_whether_to_save_what_is_not_saved(tmp_path, said, saves):
    """ReqVIBE saves at logout; here a person is asked, where saving is off."""
    off = load(home=tmp_path, environ={}, upstream="quote", json_files="model", auto_save=False)
    person = Person("My boat is called Fermata.", "/quit", said)
    with Talker.open(settings=off, upstream=Model()) as memory:
        converse(Chat(memory.talk, person))
    assert sum(note.startswith("Save ") for note in person.notes) == 1
    assert any("not saved yet: /save" in note for note in person.notes)
    with Talker.open(settings=off) as memory:
        kept = [one.user.text for one in memory.exchanges()]
    assert kept == (["My boat is called Fermata."] if saves else [])


def test_nobody_is_asked_where_everything_is_saved(tmp_path):
    on = load(home=tmp_path / "on", environ={}, upstream="quote", json_files="model")
    person = Person("Hello.")
    with Talker.open(settings=on, upstream=Model()) as memory:
        converse(Chat(memory.talk, person))
    assert not any(note.startswith("Save ") for note in person.notes)


@pytest.mark.parametrize(
    ("said", "forgotten"),
    [("y", True), ("Yes", True), ("", False), ("n", False), ("no", False), ("yeah", False)],
)
def test_a_confirmation_takes_y_and_yes(tmp_path, said, forgotten):
    person = Person("/forget", said, "/quit")
    with Talker.open(tmp_path / "home", upstream="quote") as memory:
        memory.record(memory.prepare("My cousin lives behind the old brewery."), "I see.")
        converse(Chat(memory.talk, person))
        assert (memory.exchanges() == []) is forgotten


def test_history_shows_the_last_exchanges(memory):
    person = talk(memory, Model(["1."], ["2."], ["3."]), "one", "two", "three", "/history 2")
    shown = [unstyle(line).strip() for line in person.lines[2:]]
    assert [line for line in shown if line and not line[0].isdecimal()] == ["› two", "› three"]
    assert [line for line in shown if line.endswith(".")] == ["2.", "3."]
    assert "one" not in " ".join(shown)
    person = talk(memory, Model(), "/history", "/history 0", "/history few")
    assert any(unstyle(line) == "› one" for line in person.lines)
    assert [error.hint for error in person.errors] == ["/history 10"] * 2


def test_a_long_last_exchange_is_clipped_when_a_session_is_continued(memory):
    talk(memory, Model(["word " * 400]), "\n".join(f"line {number}" for number in range(9)))
    person = talk(memory, Model())
    shown = [unstyle(line) for line in person.lines[2:]]
    assert len(shown) == 6
    assert shown[2].endswith("line 2 …")
    assert shown[5].endswith("…")


def test_tags_of_prompts_are_not_shown_and_stay_stored(memory):
    said = [
        "<think>hm</th",
        "ink>\n<recal",
        'led-fact since="2024-05-03">The dog ',
        "</recalled",
        "-fact>",
    ]
    person = talk(memory, Model(said), "Who?", "/history")
    assert person.answers == ["The dog |"]
    assert any(unstyle(line).strip() == "The dog" for line in person.lines)
    with memory(Model()) as opened:
        assert opened.exchanges()[0].answer.text == "".join(said)


def test_help_is_short_in_groups_and_explains_a_command(memory):
    person = talk(memory, Model(), "/help")
    shown = [unstyle(line) for line in person.lines[2:]]
    assert len(shown) <= 22
    assert [line.split()[0] for line in shown if line[:1].isalpha() and line[:6] != "Before"] == [
        "Conversation", "Memory", "Look", "Answers", "Other",
    ]  # fmt: skip
    person = talk(memory, Model(), "/help facts", "/help look up", "/help /forget", "/help histroy")
    shown = "\n".join(unstyle(line) for line in person.lines)
    assert "/facts why NUMBER [verbose]\n  Show where a fact comes from, word for word." in shown
    assert "Find exchanges." in shown
    assert "/forget topic the old flat" in shown
    assert "Did you mean /history?" in person.errors[0].hint


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/hist", "Did you mean /history?"),
        ("/swich 1", "Did you mean /switch?"),
        ("/remember", "/remember I am allergic to nuts."),
        ("/facts pin", "/facts pin 3"),
        ("/requirements edit 3", "/requirements edit 3 The page"),
        ("/quit now", "/help quit"),
    ],
)
def test_a_slip_says_what_to_type(memory, line, hint):
    person = talk(memory, Model(), line)
    assert hint in person.errors[0].hint


def test_every_command_is_in_a_group_and_its_example_begins_with_its_name():
    for each in COMMANDS:
        assert each.group in GROUPS
        assert each.help.endswith(".")
        assert not each.example or each.example.startswith(f"{each.name} ")
        assert each.example or not each.argument or each.argument.startswith("[")


def test_the_first_screen_without_a_model_says_what_answers_and_how_to_get_one(tmp_path):
    settings = load(home=tmp_path, environ={}, ollama_url="http://127.0.0.1:9")
    person = Person()
    with Talker.open(settings=settings) as opened:
        converse(Chat(opened.talk, person))
    said = person.notes[0]
    assert "quotations" in said
    assert "unabridged models get smollm2" in said
    assert "ollama pull" in said


def test_ctrl_c_in_a_command_goes_back_to_the_prompt(memory, monkeypatch):
    person = Person("/sessions", "one")
    with memory(Model()) as opened:

        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(opened.space.sessions, "all", interrupted)
        converse(Chat(opened.talk, person))
    assert "Stopped." in person.notes
    assert person.answers == ["Yes.|"]
