"""What a person wrote into a file is shown and taken over, undone, or refused with its line."""

import json
from dataclasses import replace

import pytest
from tests.opened import count_from
from tests.unit.stores.files.conftest import SPACE

from unabridged.disk.cipher import AesGcm
from unabridged.domain.adoption import EditKind
from unabridged.domain.chain import Signet
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import InputError, StoreDamagedError, StoreEditedError
from unabridged.stores.anchor import Anchor
from unabridged.stores.files.adoption import FileAdoption
from unabridged.stores.files.encrypting import Encryption
from unabridged.stores.files.taking import Means
from unabridged.stores.guard import Guard
from unabridged.testing.talk import START, Talk

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


class Desk:
    """A space with three exchanges, and its file in the hands of a person."""

    def __init__(self, bench, layout, **options):
        self.bench, self.layout, self.options = bench, layout, options
        self.store = bench.open(layout, **options)
        self.talk = Talk(self.store)
        self.said = [self.talk.say(f"question {n}", f"answer {n}") for n in (1, 2, 3)]
        self.store.put([Record(RecordKind.FACT, "f", START, {"a": 1}, (self.said[1].id,))])
        self.path = bench.folder / PATHS[layout]
        self.count = 0

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

    def open(self, asked=SPACE):
        return FileAdoption(
            self.path,
            self.layout,
            spaces=self.bench.spaces(self.layout, **self.options),
            asked=asked,
            means=Means(START, self.new_id, len, "letters"),
        )

    def adopt(self, **options):
        adoption = self.open()
        view = adoption.view(undo=options.get("undo", False))
        self.count = 0
        adoption.take(view, **options)
        self.store = self.bench.again(self.store, **self.options)
        return view

    def path_texts(self):
        seen = self.store.recent("s1", 99)
        return [(x.user.text, x.answer.text if x.answer else "") for x in seen]


@pytest.fixture
def desk(bench, layout):
    return Desk(bench, layout)


def kinds(view):
    return [edit.kind for edit in view.edits]


def test_a_sound_file_has_nothing_to_take_over(desk):
    view = desk.open().view()
    assert view.sound
    assert view.edits == ()


def test_edited_words_are_a_branch_beside_the_old_ones(desk):
    desk.replace("answer 2", "a better answer")
    with pytest.raises(StoreEditedError):
        desk.store.scan()
    view = desk.adopt()
    [edit] = view.edits
    assert (edit.kind, edit.place) == (EditKind.EDITED, 2)
    assert edit.user == ("question 2", "question 2")
    assert edit.answer == ("answer 2", "a better answer")
    assert desk.path_texts() == [
        ("question 1", "answer 1"),
        ("question 2", "a better answer"),
        ("question 3", "answer 3"),
    ]
    old = desk.store.get([desk.said[1].id])[desk.said[1].id]
    assert old == desk.said[1]
    new = desk.store.recent("s1", 2)[0]
    assert new.user == old.user
    assert (new.parent, new.answer.tokens) == (old.parent, len("a better answer"))
    assert [r.id for r in desk.store.records(RecordKind.FACT)] == ["f"]
    assert desk.store.check() == []


def test_an_edited_question_takes_what_followed_along(desk):
    desk.replace("question 1", "another question")
    desk.adopt()
    one, two, three = desk.store.recent("s1", 9)
    assert (one.user.text, one.answer.text) == ("another question", "answer 1")
    assert (two.id, three.id) == (desk.said[1].id, desk.said[2].id)
    assert two.parent == one.id
    assert two.user.parent == one.messages[-1].id
    assert desk.store.get([desk.said[0].id])[desk.said[0].id] == desk.said[0]


def test_one_can_go_on_talking_after_it(desk):
    desk.replace("answer 3", "the last word")
    desk.adopt()
    talk = Talk(desk.store)
    talk.header = desk.store.session("s1")
    talk.parent = desk.store.recent("s1", 1)[0].id
    count_from(talk, 900)
    said = talk.say("and now?", "on")
    assert desk.bench.again(desk.store).recent("s1", 2)[1] == said


def test_what_was_put_in_gets_ids_and_its_place(desk):
    at = desk.size
    desk.edit(lambda _, turns: turns.__setitem__(slice(at, at), desk.turn("put in", "really")))
    view = desk.adopt()
    assert kinds(view) == [EditKind.ADDED]
    assert [u for u, _ in desk.path_texts()] == ["question 1", "put in", "question 2", "question 3"]


def test_what_was_taken_out_stays_beside_the_path(desk):
    size = desk.size
    desk.edit(lambda _, turns: turns.__delitem__(slice(size, 2 * size)))
    view = desk.adopt()
    assert kinds(view) == [EditKind.REMOVED]
    assert [u for u, _ in desk.path_texts()] == ["question 1", "question 3"]
    assert desk.store.get([desk.said[1].id])[desk.said[1].id] == desk.said[1]
    assert desk.store.totals().exchanges == 3


def test_what_was_taken_out_can_be_forgotten(desk):
    size = desk.size
    desk.edit(lambda _, turns: turns.__delitem__(slice(size, 2 * size)))
    desk.adopt(forget_removed=True)
    assert desk.store.totals().exchanges == 2
    assert desk.store.records(RecordKind.FACT) == []
    assert b"question 2" not in b"".join(desk.bench.everything().values())


def test_everything_can_be_taken_out(desk):
    desk.edit(lambda _, turns: turns.clear())
    assert kinds(desk.adopt()) == [EditKind.REMOVED] * 3
    assert desk.path_texts() == []
    assert desk.store.totals().exchanges == 3


def test_several_changes_at_once(desk):
    size = desk.size

    def change(_, turns):
        del turns[:size]
        turns += desk.turn("a new end", "")

    desk.edit(change)
    desk.replace("question 3", "question three")
    desk.adopt()
    assert [u for u, _ in desk.path_texts()] == ["question 2", "question three", "a new end"]


def test_a_title_is_taken_over(desk):
    if desk.layout == "model":
        pytest.skip("its format has no titles")
    header = desk.store.session("s1")
    desk.store.amend(replace(header, title="Questions"), header.head)
    desk.replace('"title": "Questions"', '"title": "Answers"')
    view = desk.adopt()
    assert kinds(view) == [EditKind.TITLE]
    assert desk.store.session("s1").title == "Answers"


def test_undoing_writes_the_file_as_it_was(desk):
    before = desk.store.scan()
    data = desk.path.read_bytes()
    for wrong in (data.replace(b"answer 2", b"no"), data[: len(data) // 2], b"", b"\x00" * 100):
        desk.path.write_bytes(wrong)
        desk.adopt(undo=True)
        assert desk.store.scan() == before
        assert [r.id for r in desk.store.records(RecordKind.FACT)] == ["f"]


def test_a_file_that_is_no_json_is_refused_with_its_line(desk):
    lines = desk.path.read_text().splitlines()
    lines[4] = lines[4].replace('"', "", 1)
    desk.path.write_text("\n".join(lines))
    with pytest.raises(StoreDamagedError, match=r"line 5, column \d+"):
        desk.open().view()


@pytest.mark.parametrize("wrong", ["answer", "extra", "list"])
def test_what_cannot_be_taken_over_is_refused_with_its_line(desk, wrong):
    def change(file, turns):
        turn = turns[-1]
        if wrong == "extra":
            turn["mood"] = "good"
        elif wrong == "list":
            file["unabridged"]["sessions"] = {}
        elif desk.layout == "model":
            turn["assistant"]["content"] = 42
        else:
            turn["agent_response" if desk.layout == "agent" else "content"] = 42

    desk.edit(change)
    before = desk.path.read_bytes()
    with pytest.raises(StoreEditedError, match=r"line \d+: ") as caught:
        desk.open().view()
    number = int(str(caught.value).split("line ")[1].split(":")[0])
    line = desk.path.read_text().splitlines()[number - 1]
    expected = {"answer": "42", "extra": "{", "list": '"sessions": {'}[wrong]
    assert expected in line
    assert desk.path.read_bytes() == before


def test_messages_that_do_not_alternate_are_refused(bench):
    desk = Desk(bench, "user")
    desk.edit(lambda _, turns: turns.append({"role": "assistant", "content": "and more"}))
    with pytest.raises(StoreEditedError, match="answers nothing"):
        desk.open().view()
    desk.edit(lambda _, turns: turns.__setitem__(-1, {"role": "system", "content": "x"}))
    with pytest.raises(StoreEditedError, match="the role 'system'"):
        desk.open().view()


def test_a_new_session_is_taken_over_in_the_user_layout(bench):
    desk = Desk(bench, "user")
    session = {"id": "mine", "messages": desk.turn("by hand", "yes"), "title": "Written"}
    desk.edit(lambda file, _: file["sessions"].append(session))
    desk.adopt()
    assert desk.store.session("mine").title == "Written"
    assert desk.store.recent("mine", 1)[0].answer.text == "yes"


def test_other_sessions_stay_as_they_are(desk):
    other = Talk(desk.store, "s2")
    kept = other.say("other", "session")
    header = desk.store.session("s2")
    desk.store.amend(replace(header, updated=START), header.head)
    third = Talk(desk.store, "s3").say("archived", "long ago")
    header = desk.store.session("s3")
    desk.store.amend(replace(header, archived=START, updated=START), header.head)
    desk.replace("answer 2", "changed")
    desk.adopt()
    assert desk.store.recent("s2", 9) == [kept]
    assert desk.store.recent("s3", 9) == [third]


def test_in_the_layout_of_many_files_each_edit_is_taken_over_by_itself(bench):
    desk = Desk(bench, "agent")
    Talk(desk.store, "s2").say("second", "session")
    other = bench.folder / "tests_s2_conversation.json"
    other.write_bytes(other.read_bytes().replace(b"second", b"zweite"))
    desk.replace("answer 2", "changed")
    view = desk.open().view()
    assert len(view.edits) == 1
    desk.count = 0
    desk.open().take(view)
    assert b"zweite" in other.read_bytes()
    with pytest.raises(StoreEditedError, match="s2"):
        desk.store.scan()
    desk.path = other
    desk.adopt()
    assert desk.store.recent("s2", 1)[0].user.text == "zweite"
    assert desk.path_texts()[1] == ("question 2", "changed")


def test_tool_rounds_and_shared_questions_survive_an_edit(bench, layout):
    desk = Desk(bench, layout)
    begun = desk.talk.begin("use a tool")
    call = desk.talk.message([ToolCall("c", "read", "{}")], Role.ASSISTANT, parent=begun.user.id)
    result = desk.talk.message([ToolResult("c", "read", "42")], Role.TOOL, parent=call.id)
    desk.talk.write(replace(begun, messages=(call, result)), result.id)
    old = desk.talk.answer(replace(begun, messages=(*begun.messages, call, result)), "it is 42")
    twin = desk.talk.regenerate(old, "it is forty-two")
    desk.replace("it is forty-two", "it is 6 times 7")
    desk.replace("question 1", "question one")
    desk.adopt()
    path = desk.store.recent("s1", 9)
    assert path[-1].answer.text == "it is 6 times 7"
    left = desk.store.get([old.id, twin.id])
    assert [m.text for m in left[old.id].messages][-1] == "it is 42"
    assert left[old.id].messages[1].parts == call.parts
    assert left[twin.id].answer.text == "it is forty-two"
    assert left[twin.id].user == left[old.id].user


def test_a_file_carried_here_without_its_companion_is_taken_over(bench, layout):
    desk = Desk(bench, layout)
    said = desk.store.scan()
    [log] = bench.folder.rglob("*.jsonl")
    log.unlink()
    if layout == "agent":
        desk.path = bench.folder / "tests_space.json"
        with pytest.raises(StoreDamagedError, match="missing"):
            bench.again(desk.store)
        desk.path = bench.folder / PATHS[layout]
    view = desk.adopt()
    assert "companion is missing" in view.notes[0]
    assert [(x.user.text, x.answer.text) for x in desk.store.scan()] == [
        (x.user.text, x.answer.text) for x in said
    ]
    assert desk.store.records(RecordKind.FACT) == []
    if layout == "model":
        assert desk.store.scan() == said


def test_a_file_of_the_seed_is_taken_over(bench):
    bench.folder.mkdir()
    turn = {"user": {"content": "Hello", "tokens": 5}, "assistant": {"content": "Hi", "tokens": 8}}
    turn["metadata"] = {"timestamp": "2025-09-04T10:00:00Z", "mode": "chat", "total_tokens": 13}
    seed = {"metadata": {"version": "3.0", "model": "qwen2.5:7b"}, "current_conversation": [turn]}
    seed |= {"recent_conversations": [{"summary": "x"}], "summarized_conversations": []}
    (bench.folder / PATHS["model"]).write_text(json.dumps(seed))
    desk = Desk.__new__(Desk)
    desk.bench, desk.layout, desk.count, desk.options = bench, "model", 0, {}
    desk.path = bench.folder / PATHS["model"]
    adoption = desk.open()
    view = adoption.view()
    assert "1 summaries" in " ".join(view.notes)
    desk.count = 0
    adoption.take(view)
    [said] = bench.open().scan()
    assert (said.user.text, said.answer.text) == ("Hello", "Hi")
    assert said.at.isoformat() == "2025-09-04T10:00:00+00:00"
    assert said.user.parts == (Text("Hello"),)


def test_a_file_that_changed_since_it_was_shown_is_shown_again(desk):
    desk.replace("answer 2", "one thing")
    adoption = desk.open()
    view = adoption.view()
    desk.replace("one thing", "another")
    with pytest.raises(StoreEditedError, match="changed since"):
        adoption.take(view)


def test_files_that_no_person_edits_are_refused(desk):
    desk.path = desk.bench.folder / "x.jsonl"
    desk.path.write_text("")
    with pytest.raises(InputError, match="no file of a space"):
        desk.open()


def test_an_edit_is_taken_over_under_a_key_and_an_anchor(bench, layout, tmp_path):
    signet = Signet(b"k" * 32, "mark")
    guard = Guard(signet, Anchor(tmp_path / "anchor", signet))
    desk = Desk(bench, layout, guard=guard)
    Talk(desk.store, "s2").say("another", "session")
    desk.replace("answer 2", "changed")
    with pytest.raises(StoreDamagedError):
        bench.again(desk.store, guard=guard)
    desk.adopt()
    assert desk.path_texts()[1] == ("question 2", "changed")
    assert desk.store.check() == []
    Talk(desk.store, "s3").say("goes", "on")
    assert len(bench.again(desk.store, guard=guard).sessions()) == 3


def test_an_encrypted_file_is_written_anew_from_its_companion(bench, layout):
    encryption = Encryption(AesGcm(b"k" * 32), encrypts=True)
    desk = Desk(bench, layout, encryption=encryption)
    said = desk.store.scan()
    data = desk.path.read_bytes()
    desk.path.write_bytes(data[:-30] + b"X" + data[-29:])
    with pytest.raises(StoreDamagedError):
        desk.open().view()
    desk.adopt(undo=True)
    assert desk.store.scan() == said
    assert b"question" not in desk.path.read_bytes()
