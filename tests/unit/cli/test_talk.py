import pytest
from tests.helpers.talker import Talker

from unabridged.cli.chat.chat_session import AGAIN, SILENT, STOPPED, UNSENT, Chat
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
    assert "A new session begins" in first.notes[0]
    assert KEYS in first.notes
    assert "/why" in first.commands
    second = talk(memory, Model())
    assert second.notes[0].startswith("Going on with “My cat is called Ada.” · 1 exchange · last")


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
    assert any("Another program went on" in note for note in mine.notes)
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


@pytest.mark.parametrize("saves", [True, False])
def test_who_leaves_is_asked_whether_to_save_what_is_not_saved(tmp_path, monkeypatch, saves):
    """ReqVIBE saves at logout; here a person is asked, where saving is off."""
    asked = []

    def answer(text, **_):
        asked.append(text)
        return saves

    monkeypatch.setattr("unabridged.cli.chat.loop.click.confirm", answer)
    off = load(home=tmp_path, environ={}, upstream="quote", json_files="model", auto_save=False)
    person = Person("My boat is called Fermata.")
    with Talker.open(settings=off, upstream=Model()) as memory:
        converse(Chat(memory.talk, person))
    assert [text.partition(" ")[0] for text in asked] == ["Save"]
    assert any("not saved yet: /save" in note for note in person.notes)
    with Talker.open(settings=off) as memory:
        said = [one.user.text for one in memory.exchanges()]
    assert said == (["My boat is called Fermata."] if saves else [])
    on = load(home=tmp_path / "on", environ={}, upstream="quote", json_files="model")
    with Talker.open(settings=on, upstream=Model()) as memory:
        converse(Chat(memory.talk, Person("Hello.")))
    assert len(asked) == 1
