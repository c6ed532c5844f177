import json


def test_our_own_conversation_is_whole_and_its_questions_point_into_it(read, fixtures):
    got = read(fixtures / "own-haystack.jsonl")
    sessions = {c.session.foreign_id: c.exchanges for c in got.conversations}
    questions = json.loads((fixtures / "own-questions.json").read_bytes())["questions"]
    assert (got.unread, len(sessions), len(got.ids)) == ([], 12, 52)
    assert all(e.answer for exchanges in sessions.values() for e in exchanges)
    assert len({q["question_id"] for q in questions}) == len(questions) == 20
    for question in questions:
        assert question["gold"]
        for gold in question["gold"]:
            assert sessions[gold["session"]][gold["exchange"]].text
