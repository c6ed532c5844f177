"""What a program puts into a person's message, in parts of its own, reaches the model and no memory."""

import httpx2
from tests.clients.held import conversations
from tests.helpers.client_talks import OLLAMA, OPENAI
from tests.helpers.front_door import opened

SKILLS = "<system-reminder>\nThe following skills are available: batch, review.\n</system-reminder>"
DATE = "<system-reminder>\nThe current date is Thursday.\n</system-reminder>"
FACT, QUESTION = "My boat Sardine is nine metres long.", "How long is my boat Sardine?"


def said(*texts):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def ask(door, *messages, **headers):
    body = {"model": "m", "messages": list(messages)}
    with httpx2.Client(timeout=30) as client:
        answer = client.post(f"{door.url.v1}/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def test_a_reminder_goes_on_and_is_neither_recalled_nor_a_title(serving):
    with opened(serving, OPENAI) as door:
        ask(door, said(SKILLS, DATE, FACT))
        ask(door, said(SKILLS, DATE, QUESTION))
        skills, date, *own = (
            part["text"] for part in door.upstream_body()["messages"][0]["content"]
        )
        assert (skills, date) == (SKILLS, DATE)
        assert "nine metres" in "".join(own)
        assert "system-reminder" not in "".join(own)
        titles = {one.session.title for one in conversations(door.url)}
        assert titles == {FACT, QUESTION}


def test_a_conversation_continues_where_its_program_moves_a_reminder(serving):
    with opened(serving, OPENAI) as door:
        first = ask(door, said(SKILLS, DATE, FACT))
        then = ask(
            door, said(SKILLS, FACT), {"role": "assistant", "content": "Yes."}, said(DATE, QUESTION)
        )
        assert then.headers["x-unabridged-session"] == first.headers["x-unabridged-session"]
        (one,) = conversations(door.url)
        assert [each.user.text for each in one.exchanges] == [FACT, QUESTION]


def test_a_message_that_is_nothing_else_is_what_was_said(serving):
    with opened(serving, OPENAI) as door:
        ask(door, said(DATE))
        (one,) = conversations(door.url)
        assert one.exchanges[0].user.text == DATE


def test_a_reminder_is_text_for_ollama(serving):
    with opened(serving, OLLAMA) as door:
        ask(door, said(SKILLS, FACT))
        assert door.upstream_body()["messages"][0]["content"] == f"{SKILLS}\n{FACT}"
