"""What a person wrote into a file is shown and adopted, undone, or refused with its line."""

import json
from dataclasses import replace

import pytest
from tests.opened import count_from
from tests.unit.projections.json_files.conftest import SPACE

from unabridged.domain.file_edit import EditKind
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import InputError, StoreDamagedError, StoreEditedError
from unabridged.home.followed_spaces import JsonFolder
from unabridged.home.spaces import SpacesFolder
from unabridged.projections.json_files.adopt import FileAdoption
from unabridged.projections.json_files.json_files import JsonFiles
from unabridged.testing.log_writer import START, LogWriter

LAYOUTS = ["model", "agent", "user"]
FIELDS = {"model": "current_conversation", "agent": "history"}
PATHS = {
    "model": "qwen2-5-7b.json",
    "agent": "tests_s1_conversation.json",
    "user": "ada/sessions.json",
}


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


class Letters:
    """Counts letters."""

    identity = "letters"
    exact = True

    def count(self, text):
        return len(text)


class Edits:
    """A space with three exchanges, and its file in the hands of a person."""

    def __init__(self, bench, layout, **options):
        self.count = 0
        self.bench, self.layout, self.options = bench, layout, options
        self.store = bench.open(layout, **options)
        self.talk = LogWriter(self.store)
        self.said = [self.talk.say(f"question {n}", f"answer {n}") for n in (1, 2, 3)]
        self.store.put([Record(RecordKind.FACT, "f", START, {"a": 1}, (self.said[1].id,))])
        self.path = bench.folder / PATHS[layout]

    def turns(self, file):
        return (
            file["sessions"][0]["messages"] if self.layout == "user" else file[FIELDS[self.layout]]
        )

    def edit(self, change):
        file = json.loads(self.path.read_text(encoding="utf-8"))
        change(file, self.turns(file))
        self.path.write_text(json.dumps(file, ensure_ascii=False, indent=2), encoding="utf-8")

    def replace(self, old, new):
        data = self.path.read_text(encoding="utf-8")
        assert old in data
        self.path.write_text(data.replace(old, new, 1), encoding="utf-8")

    def turn(self, user, answer):
        return {
            "model": [{"user": {"content": user}, "assistant": {"content": answer}}],
            "agent": [{"user_input": user, "agent_response": answer}],
            "user": [
                {"role": "user", "content": user},
                {"role": "assistant", "content": answer},
            ],
        }[self.layout]

    @property
    def size(self):
        return 2 if self.layout == "user" else 1

    def new_id(self):
        self.count += 1
        return f"new-{self.count:03}"

    def now(self):
        return START

    def open(self, asked=SPACE):
        folder = JsonFolder(self.bench.folder, self.layout, **self.options)
        return FileAdoption(
            self.path,
            self.layout,
            asked=asked,
            locate=folder.paths,
            open_log=SpacesFolder(self.bench.databases).open,
            clock=self,
            tokenizer=Letters(),
        )

    def adopt(self, **options):
        adoption = self.open()
        view = adoption.view(undo=options.get("undo", False))
        adoption.take(view, **options)
        self.store = self.bench.again(self.store, **self.options)
        return view

    def path_texts(self):
        seen = self.store.recent("s1", 99)
        return [(x.user.text, x.answer.text if x.answer else "") for x in seen]


@pytest.fixture
def edits(bench, layout):
    return Edits(bench, layout)


def kinds(view):
    return [edit.kind for edit in view.edits]


def test_a_sound_file_has_nothing_to_take_over(edits):
    view = edits.open().view()
    assert view.sound
    assert view.edits == ()


def test_edited_words_are_a_branch_beside_the_old_ones(edits):
    edits.replace("answer 2", "a better answer")
    view = edits.adopt()
    [edit] = view.edits
    assert (edit.kind, edit.place) == (EditKind.EDITED, 2)
    assert edit.user == ("question 2", "question 2")
    assert edit.answer == ("answer 2", "a better answer")
    assert edits.path_texts() == [
        ("question 1", "answer 1"),
        ("question 2", "a better answer"),
        ("question 3", "answer 3"),
    ]
    old = edits.store.get([edits.said[1].id])[edits.said[1].id]
    assert old == edits.said[1]
    new = edits.store.recent("s1", 2)[0]
    assert new.user == old.user
    assert (new.parent, new.answer.tokens) == (old.parent, len("a better answer"))
    assert [r.id for r in edits.store.records(RecordKind.FACT)] == ["f"]
    assert edits.store.check() == []


def test_an_edited_question_takes_what_followed_along(edits):
    edits.replace("question 1", "another question")
    edits.adopt()
    one, two, three = edits.store.recent("s1", 9)
    assert (one.user.text, one.answer.text) == ("another question", "answer 1")
    assert [x.text for x in (two, three)] == [x.text for x in edits.said[1:]]
    assert two.parent == one.id
    assert two.user.parent == one.messages[-1].id
    assert list(edits.store.get(x.id for x in edits.said).values()) == edits.said


def test_one_can_go_on_talking_after_it(edits):
    edits.replace("answer 3", "the last word")
    edits.adopt()
    talk = LogWriter(edits.store)
    talk.header = edits.store.session("s1")
    talk.parent = edits.store.recent("s1", 1)[0].id
    count_from(talk, 900)
    said = talk.say("and now?", "on")
    assert edits.bench.again(edits.store).recent("s1", 2)[1] == said


def test_what_was_put_in_gets_ids_and_its_place(edits):
    at = edits.size
    edits.edit(lambda _, turns: turns.__setitem__(slice(at, at), edits.turn("put in", "really")))
    view = edits.adopt()
    assert kinds(view) == [EditKind.ADDED]
    assert [u for u, _ in edits.path_texts()] == [
        "question 1",
        "put in",
        "question 2",
        "question 3",
    ]


def test_what_was_taken_out_stays_beside_the_path(edits):
    size = edits.size
    edits.edit(lambda _, turns: turns.__delitem__(slice(size, 2 * size)))
    view = edits.adopt()
    assert kinds(view) == [EditKind.REMOVED]
    assert [u for u, _ in edits.path_texts()] == ["question 1", "question 3"]
    assert edits.store.get([edits.said[1].id])[edits.said[1].id] == edits.said[1]
    assert edits.store.totals().exchanges == 4


def test_what_was_taken_out_can_be_forgotten(edits):
    size = edits.size
    edits.edit(lambda _, turns: turns.__delitem__(slice(size, 2 * size)))
    edits.adopt(forget_removed=True)
    assert edits.store.totals().exchanges == 2
    assert edits.store.records(RecordKind.FACT) == []
    assert b"question 2" not in b"".join(edits.bench.everything().values())


def test_everything_can_be_taken_out(edits):
    edits.edit(lambda _, turns: turns.clear())
    assert kinds(edits.adopt()) == [EditKind.REMOVED] * 3
    assert edits.path_texts() == []
    assert edits.store.totals().exchanges == 3


def test_several_changes_at_once(edits):
    size = edits.size

    def change(_, turns):
        del turns[:size]
        turns += edits.turn("a new end", "")

    edits.edit(change)
    edits.replace("question 3", "question three")
    edits.adopt()
    assert [u for u, _ in edits.path_texts()] == ["question 2", "question three", "a new end"]


def test_a_title_is_adopted(edits):
    if edits.layout == "model":
        pytest.skip("its format has no titles")
    header = edits.store.session("s1")
    edits.store.set_session(replace(header, title="Questions"), header.head)
    edits.replace('"title": "Questions"', '"title": "Answers"')
    view = edits.adopt()
    assert kinds(view) == [EditKind.TITLE]
    assert edits.store.session("s1").title == "Answers"


def test_undoing_writes_the_file_as_it_was(edits):
    before = edits.store.scan()
    data = edits.path.read_bytes()
    for wrong in (data.replace(b"answer 2", b"no"), data[: len(data) // 2], b"", b"\x00" * 100):
        edits.path.write_bytes(wrong)
        edits.adopt(undo=True)
        assert edits.store.scan() == before
        assert [r.id for r in edits.store.records(RecordKind.FACT)] == ["f"]


def test_a_file_that_is_no_json_is_refused_with_its_line(edits):
    lines = edits.path.read_text().splitlines()
    lines[4] = lines[4].replace('"', "", 1)
    edits.path.write_text("\n".join(lines))
    with pytest.raises(StoreDamagedError, match=r"line 5, column \d+"):
        edits.open().view()


@pytest.mark.parametrize("wrong", ["answer", "extra", "list"])
def test_what_cannot_be_adopted_is_refused_with_its_line(edits, wrong):
    def change(file, turns):
        turn = turns[-1]
        if wrong == "extra":
            turn["mood"] = "good"
        elif wrong == "list":
            file["unabridged"]["sessions"] = {}
        elif edits.layout == "model":
            turn["assistant"]["content"] = 42
        else:
            turn["agent_response" if edits.layout == "agent" else "content"] = 42

    edits.edit(change)
    before = edits.path.read_bytes()
    with pytest.raises(StoreEditedError, match=r"line \d+: ") as caught:
        edits.open().view()
    number = int(str(caught.value).split("line ")[1].split(":")[0])
    line = edits.path.read_text().splitlines()[number - 1]
    expected = {"answer": "42", "extra": "{", "list": '"sessions": {'}[wrong]
    assert expected in line
    assert edits.path.read_bytes() == before


def test_messages_that_do_not_alternate_are_refused(bench):
    edits = Edits(bench, "user")
    edits.edit(lambda _, turns: turns.append({"role": "assistant", "content": "and more"}))
    with pytest.raises(StoreEditedError, match="answers nothing"):
        edits.open().view()
    edits.edit(lambda _, turns: turns.__setitem__(-1, {"role": "system", "content": "x"}))
    with pytest.raises(StoreEditedError, match="the role 'system'"):
        edits.open().view()


def test_a_new_session_is_adopted_in_the_user_layout(bench):
    edits = Edits(bench, "user")
    session = {"id": "mine", "messages": edits.turn("by hand", "yes"), "title": "Written"}
    edits.edit(lambda file, _: file["sessions"].append(session))
    edits.adopt()
    assert edits.store.session("mine").title == "Written"
    assert edits.store.recent("mine", 1)[0].answer.text == "yes"


def test_other_sessions_stay_as_they_are(edits):
    other = LogWriter(edits.store, "s2")
    kept = other.say("other", "session")
    header = edits.store.session("s2")
    edits.store.set_session(replace(header, updated=START), header.head)
    third = LogWriter(edits.store, "s3").say("archived", "long ago")
    header = edits.store.session("s3")
    edits.store.set_session(replace(header, archived=START, updated=START), header.head)
    edits.replace("answer 2", "changed")
    edits.adopt()
    assert edits.store.recent("s2", 9) == [kept]
    assert edits.store.recent("s3", 9) == [third]


def test_in_the_layout_of_many_files_each_edit_is_adopted_by_itself(bench):
    edits = Edits(bench, "agent")
    LogWriter(edits.store, "s2").say("second", "session")
    other = bench.folder / "tests_s2_conversation.json"
    other.write_bytes(other.read_bytes().replace(b"second", b"zweite"))
    edits.replace("answer 2", "changed")
    view = edits.open().view()
    assert len(view.edits) == 1
    edits.open().take(view)
    assert b"zweite" in other.read_bytes()
    assert "s2" in str(bench.again(edits.store).troubles[0])
    edits.store = bench.opened[-1]
    edits.path = other
    edits.adopt()
    assert edits.store.recent("s2", 1)[0].user.text == "zweite"
    assert edits.path_texts()[1] == ("question 2", "changed")


def test_tool_rounds_and_shared_questions_survive_an_edit(bench, layout):
    edits = Edits(bench, layout)
    begun = edits.talk.begin("use a tool")
    call = edits.talk.message([ToolCall("c", "read", "{}")], Role.ASSISTANT, parent=begun.user.id)
    result = edits.talk.message([ToolResult("c", "read", "42")], Role.TOOL, parent=call.id)
    edits.talk.write(replace(begun, messages=(call, result)), result.id)
    old = edits.talk.answer(replace(begun, messages=(*begun.messages, call, result)), "it is 42")
    twin = edits.talk.regenerate(old, "it is forty-two")
    edits.replace("it is forty-two", "it is 6 times 7")
    edits.replace("question 1", "question one")
    edits.adopt()
    path = edits.store.recent("s1", 9)
    assert path[-1].answer.text == "it is 6 times 7"
    left = edits.store.get([old.id, twin.id])
    assert [m.text for m in left[old.id].messages][-1] == "it is 42"
    assert left[old.id].messages[1].parts == call.parts
    assert left[twin.id].answer.text == "it is forty-two"
    assert left[twin.id].user == left[old.id].user


def test_a_file_carried_here_without_its_log_is_adopted_with_its_ids(bench, layout):
    edits = Edits(bench, layout)
    edits.talk.regenerate(edits.said[2], "another answer 3")
    said, path = edits.store.scan(), edits.store.recent("s1", 9)
    edits.store.close()
    for file in (*bench.databases.iterdir(), *bench.folder.rglob(".*")):
        file.unlink()
    view = edits.adopt()
    assert kinds(view) == [EditKind.ADDED] * 4
    assert edits.store.scan() == said
    assert edits.store.recent("s1", 9) == path
    assert edits.store.records(RecordKind.FACT) == []
    assert edits.store.troubles == []


def test_what_was_said_since_the_edit_follows_it(edits):
    """The log went on after the file was edited: nothing of that is taken out by adopting."""
    edits.replace("answer 2", "a better answer")
    edits.talk.say("question 4", "answer 4")
    view = edits.adopt()
    assert kinds(view) == [EditKind.EDITED]
    assert [answer for _, answer in edits.path_texts()] == [
        "answer 1",
        "a better answer",
        "answer 3",
        "answer 4",
    ]
    assert edits.store.troubles == []
    assert edits.open().view().sound


def test_an_edit_that_was_adopted_and_not_written_again_is_not_adopted_twice(edits, monkeypatch):
    edits.replace("answer 2", "a better answer")
    adoption = edits.open()
    view = adoption.view()
    with monkeypatch.context() as m:
        m.setattr(JsonFiles, "write_again", lambda *_: None)
        adoption.take(view)
    count = edits.bench.again(edits.store).totals().exchanges
    again = edits.open().view()
    assert (again.edits, again.sound) == ((), False)
    edits.adopt()
    assert edits.store.totals().exchanges == count
    assert edits.store.troubles == []


def test_a_file_of_the_seed_is_adopted(bench):
    bench.folder.mkdir()
    turn = {"user": {"content": "Hello", "tokens": 5}, "assistant": {"content": "Hi", "tokens": 8}}
    turn["metadata"] = {"timestamp": "2025-09-04T10:00:00Z", "mode": "chat", "total_tokens": 13}
    seed = {"metadata": {"version": "3.0", "model": "qwen2.5:7b"}, "current_conversation": [turn]}
    seed |= {"recent_conversations": [{"summary": "x"}], "summarized_conversations": []}
    (bench.folder / PATHS["model"]).write_text(json.dumps(seed))
    edits = Edits.__new__(Edits)
    edits.bench, edits.layout, edits.count, edits.options = bench, "model", 0, {}
    edits.path = bench.folder / PATHS["model"]
    adoption = edits.open()
    view = adoption.view()
    assert "1 summaries" in " ".join(view.notes)
    adoption.take(view)
    [said] = bench.open().scan()
    assert (said.user.text, said.answer.text) == ("Hello", "Hi")
    assert said.at.isoformat() == "2025-09-04T10:00:00+00:00"
    assert said.user.parts == (Text("Hello"),)


def test_a_file_that_changed_since_it_was_shown_is_shown_again(edits):
    edits.replace("answer 2", "one thing")
    adoption = edits.open()
    view = adoption.view()
    edits.replace("one thing", "another")
    with pytest.raises(StoreEditedError, match="changed since"):
        adoption.take(view)


def test_files_that_no_person_edits_are_refused(edits):
    edits.path = edits.bench.folder / ".x.state"
    edits.path.write_text("")
    with pytest.raises(InputError, match="not a file of a space"):
        edits.open()
