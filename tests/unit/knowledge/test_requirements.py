import csv
import io
import json

import pytest
from tests.helpers.hostile import HOSTILE
from tests.opened import unaware

from unabridged.domain.control_characters import without_controls
from unabridged.domain.record import RecordKind
from unabridged.errors import InputError, NotFoundError, TransferError
from unabridged.knowledge.requirement_patterns import conflict, gist, stated
from unabridged.knowledge.requirements import Requirements
from unabridged.transfer.requirements import from_json, to_csv, to_json, to_markdown


@pytest.fixture
def requirements(talk, clock):
    return Requirements(talk.store, clock)


STATED = [
    ("The system must encrypt all passwords.", "non-functional", "must"),
    ("The app should show the newest orders first.", "functional", "should"),
    ("Users need to be able to reset their password.", "functional", "must"),
    ("We need a dark mode.", "functional", "must"),
    ("Our platform has to respond within 2 seconds.", "non-functional", "must"),
    ("The website could offer a newsletter.", "functional", "could"),
    ("The system must comply with the GDPR.", "constraint", "must"),
    ("The software shall run on Windows 11.", "constraint", "must"),
    ("The app must not store credit card numbers.", "functional", "must"),
    ("As a teacher, I want to export grades so that parents can see them.", "functional", "should"),
    ("The deadline is 1 March and our budget is 20,000 euros.", "constraint", "must"),
    ("Das System muss innerhalb von 3 Sekunden antworten.", "non-functional", "must"),
    ("Wir brauchen eine Suche nach Kunden.", "functional", "must"),
    ("Die Anwendung sollte eine Exportfunktion haben.", "functional", "should"),
]


@pytest.mark.parametrize(("text", "kind", "priority"), STATED, ids=[s[0] for s in STATED])
def test_what_must_be_is_drawn_with_its_type_and_priority(text, kind, priority):
    if text.startswith("The deadline"):
        text = "The deadline is 1 March for the system. Our budget is 20,000 euros."
    found = list(stated(text))
    assert found
    assert (found[0].type, found[0].priority) == (kind, priority)
    assert all(each.quote in text for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "Must the system encrypt passwords?",
        "If the system must encrypt passwords, tell me how.",
        "We need to talk about lunch.",
        "I must go now.",
        "You should try the cake.",
        "The essay must have 500 words.",
        "It should be fine.",
        "```\nThe system must not crash.\n```",
        "> The system must not crash.",
        "The weather should be better tomorrow.",
    ],
)
def test_what_is_no_requirement_is_not_drawn(text):
    assert list(stated(text)) == []


def test_reason_measure_and_role_are_taken_from_the_words():
    (story,) = stated("As a nurse, I want to see alarms within 2 seconds so that nobody dies.")
    assert (story.originator, story.rationale) == ("nurse", "nobody dies")
    assert story.fit_criterion == "within 2 seconds"


def test_bullets_are_single_requirements():
    text = "Notes:\n- The system must log every login.\n- Users must confirm their email.\n"
    assert [each.text for each in stated(text)] == [
        "The system must log every login.",
        "Users must confirm their email.",
    ]


def test_learning_twice_and_in_two_books_adds_nothing(talk, requirements, clock):
    exchanges = [
        talk.say("The system must encrypt all data."),
        talk.say("The system must encrypt all data. The app should be fast."),
    ]
    other = Requirements(talk.store, clock)
    assert (requirements.learn(exchanges), other.learn(exchanges)) == (2, 0)
    first, second = other.all()
    assert (first.id, second.id) == ("REQ-1", "REQ-2")
    assert (first.exchange, first.quote) == (exchanges[0].id, "The system must encrypt all data.")
    assert [r.exchanges for r in talk.store.records(RecordKind.REQUIREMENT)] != []


def test_two_writers_who_give_one_number_end_with_two(talk, requirements, clock):
    other = Requirements(talk.store, clock)
    requirements.all()
    other.all()
    with unaware(other):
        requirements.add("The system must start.")
        held = talk.store.records(RecordKind.PROGRESS)
        talk.store.delete(RecordKind.PROGRESS, [record.id for record in held])
        other._enter([("zz", requirements.get("1"))])
    names = [each.id for each in requirements.all()]
    assert names == ["REQ-1", "REQ-2"] == [each.id for each in other.all()]
    assert requirements.edit("REQ-2", priority="could").id == "REQ-2"
    assert requirements.add("The system must stop.").id == "REQ-3"


def test_a_number_is_never_given_twice(talk, requirements):
    exchange = talk.say("The system must encrypt all data.")
    requirements.learn([exchange])
    talk.store.erase([exchange.id])
    assert requirements.all() == []
    assert requirements.add("The system must start.").id == "REQ-2"


def test_fields_are_changed_checked_and_remembered(requirements):
    made = requirements.add("The system must answer within 2 seconds.", originator="Ann")
    assert (made.type, made.priority, made.originator) == ("non-functional", "must", "Ann")
    edited = requirements.edit(
        made.id, text="The system must answer within 1 second.", satisfaction="4"
    )
    assert edited.satisfaction == 4
    assert [(c.what, c.text) for c in requirements.history("1")] == [
        ("added", "The system must answer within 2 seconds."),
        ("edited", "The system must answer within 1 second."),
    ]
    assert requirements.pin("1").pinned
    assert not requirements.unpin("req-1").pinned
    for wrong in ({"satisfaction": 6}, {"type": "odd"}, {"colour": "red"}, {"text": " "}):
        with pytest.raises(InputError):
            requirements.edit("1", **wrong)
    with pytest.raises(NotFoundError):
        requirements.edit("REQ-9", text="x")


def test_a_withdrawn_requirement_leaves_its_number_and_no_words(talk, requirements):
    exchange = talk.say("The system must show quokkas.")
    requirements.learn([exchange])
    requirements.edit("1", text="The system must show two quokkas.")
    assert requirements.withdraw("1").text == "The system must show two quokkas."
    assert "quokka" not in str([r.body for r in talk.store.records(RecordKind.REQUIREMENT)])
    assert requirements.all() == []
    assert requirements.learn([exchange]) == 0
    (gone,) = requirements.all(withdrawn=True)
    assert (gone.id, gone.text, gone.withdrawn) == ("REQ-1", "", True)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (
            "The system must respond within 2 seconds.",
            "The system must respond within 5 seconds.",
            True,
        ),
        ("The system must respond within 2 seconds.", "It must respond within 2000 ms.", False),
        ("The app must store addresses.", "The app must not store addresses.", True),
        ("The app must store addresses.", "The app must not delete invoices.", False),
        ("The app must hold 100 users.", "The app must respond within 5 seconds.", False),
        ("Uploads must be at most 10 MB.", "Uploads must be at most 20 MB.", True),
    ],
)
def test_conflicts_are_other_numbers_or_what_one_forbids(one, other, wanted):
    assert conflict(gist(one), gist(other)) is wanted


def test_conflicts_are_shown_on_both_and_told_ones_too(requirements):
    requirements.add("The system must respond within 2 seconds.")
    requirements.add("The system must respond within 5 seconds.")
    requirements.add("The system must be blue.", conflicts="REQ-1")
    first, second, third = requirements.all()
    assert first.conflicts == ("REQ-2", "REQ-3")
    assert (second.conflicts, third.conflicts) == (("REQ-1",), ("REQ-1",))
    assert [(a.id, b.id) for a, b in requirements.conflicts()] == [
        ("REQ-1", "REQ-2"),
        ("REQ-1", "REQ-3"),
    ]
    requirements.edit("2", text="The system must respond within 2 seconds, always.")
    assert requirements.get("2").conflicts == ()


def test_what_waits_is_read_once(talk, requirements):
    for number in range(3):
        talk.say(f"The system must have {number} doors.")
    assert [requirements.learn_pending(2) for _ in range(3)] == [2, 1, 0]
    assert len(requirements.all()) == 3


def test_json_is_read_again_whole_and_admitted_once(talk, requirements, clock):
    requirements.learn([talk.say("The system must encrypt all data.")])
    requirements.add('=HYPERLINK("x") must be "quoted", really.', rationale="-1+1")
    held = requirements.all()
    assert from_json(to_json(held)) == held
    other = Requirements(type(talk)().store, clock)
    assert (other.admit(held), other.admit(held)) == (2, 0)
    assert [each.text for each in other.all()] == [each.text for each in held]
    for wrong in ("", "[1]", '{"requirements": [{"id": 1}]}', "null"):
        with pytest.raises(TransferError):
            from_json(wrong)


def test_no_cell_of_a_table_begins_a_formula(requirements):
    requirements.add('=cmd|"/c calc"!A1 must not run', rationale="@SUM(1)", fit_criterion="+1")
    rows = list(csv.DictReader(io.StringIO(to_csv(requirements.all()))))
    assert rows[0]["text"] == '\'=cmd|"/c calc"!A1 must not run'
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in rows[0].values())
    assert rows[0]["id"] == "REQ-1"
    for text in ("\r=1 must", "\n=1 must", " =1 must", "\uff1d1 must", "\u00a0@x must"):
        requirements.add(f"{text} {HOSTILE}")
    table = to_csv(requirements.all())
    cells = [row["text"] for row in csv.DictReader(io.StringIO(table))]
    assert not any(cell.lstrip().startswith(("=", "@", "\uff1d")) for cell in cells)
    for form in (table.replace("\r\n", "\n"), to_markdown(requirements.all())):
        assert without_controls(form) == form
    shown = to_json(requirements.all())
    assert without_controls(shown) == shown
    assert from_json(shown) == requirements.all()


def test_markdown_shows_every_field_that_is_filled_and_begins_nothing(requirements):
    requirements.add("The system must <b>shout</b> *loudly*.", rationale="because", satisfaction=3)
    text = to_markdown(requirements.all())
    assert "## REQ-1" in text
    assert "\\<b>shout\\</b> \\*loudly\\*" in text
    assert "- Customer satisfaction: 3" in text
    assert "- Rationale: because" in text
    assert json.loads(to_json(requirements.all()))["requirements"][0]["satisfaction"] == 3
