import json


def test_lines_from_a_pipe_are_messages_and_commands(run):
    ran = run("chat", text="My cat is called Ada.\n\nWhat is my cat called?\n/memory stats\n")
    assert ran.code == 0
    assert "Ada" in ran.out
    assert "2 exchanges in 1 session" in ran.out
    assert "recalled" in ran.err


def test_without_any_model_it_says_once_how_to_get_one(run, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "auto")
    monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", "http://127.0.0.1:9")
    ran = run("chat", text="hello\nand hello\n")
    assert ran.code == 0
    assert ran.err.count("ollama") == 1


def test_every_command_of_the_table_runs(run):
    lines = [
        "My cat is called Ada.",
        "/title Cats",
        "/sessions",
        "/switch Cats",
        "/switch",
        "/retry",
        "/branch",
        "/branch 2",
        "/edit My cat is called Bea.",
        "/undo",
        "/why",
        "/search cat",
        "/memory stats",
        "/memory tokens",
        "/remember I am allergic to nuts.",
        "My cat is called Dee.",
        "/pin",
        "/pins",
        "/unpin 1",
        "/model",
        "/model quote",
        "/mode tools",
        "/mode",
        "/new Dogs",
        "My dog is called Bo.",
        "/sessions",
        "/help",
        "/quit",
        "never said",
    ]
    ran = run("chat", text="\n".join(lines) + "\n")
    assert ran.code == 0, ran.err
    assert "error" not in ran.err
    assert "Bo" in run("search", "dog").out
    assert "never said" not in run("export").out
    titles = {line["title"] for line in run("sessions", "--json").data}
    assert titles == {"Cats", "Dogs"}


def test_an_unknown_command_names_the_nearest_and_fails_in_the_end(run):
    ran = run("chat", text="/swich 1\nhello\n")
    assert ran.code == 2
    assert "Did you mean /switch?" in ran.err
    assert run("stats", "--json").data["exchanges"] == 1


def test_two_slashes_begin_a_message_with_one(run):
    run("chat", text="//etc/hosts is a file.\n")
    assert run("show", "--json").data[0]["message"] == "/etc/hosts is a file."


def test_prefixes_choose_the_mode_of_one_message(run):
    run("chat", text="t: with tools\nchat: without\nT:again\nplain\n")
    said = [(one["message"], one["mode"]) for one in run("show", "--json").data]
    assert said == [
        ("with tools", "tools"),
        ("without", "chat"),
        ("again", "tools"),
        ("plain", "chat"),
    ]


def test_the_mode_can_be_changed_for_all(run):
    run("chat", text="/mode tools\none\nchat: two\n/mode nonsense\n")
    assert [one["mode"] for one in run("show", "--json").data] == ["tools", "chat"]


def test_retry_answers_the_same_message_again(run):
    run("chat", text="one\ntwo\n/retry\n")
    shown = run("show", "--json").data
    assert [one["message"] for one in shown] == ["one", "two"]
    exported = run("export").out
    assert exported.count('"exchange"') == 3


def test_edit_keeps_what_was_said_as_a_branch(run):
    ran = run("chat", text="one\ntwo\n/edit three\n/branch\n")
    assert [one["message"] for one in run("show", "--json").data] == ["one", "three"]
    assert "two" in ran.out


def test_an_edit_that_cannot_be_sent_changes_nothing(run, monkeypatch):
    run("chat", text="one\ntwo\n")
    ran = run("chat", "--window", "512", text="/edit " + "long words " * 2000 + "\n")
    assert ran.code == 4
    assert [one["message"] for one in run("show", "--json").data] == ["one", "two"]


def test_undo_steps_back(run):
    ran = run("chat", text="one\ntwo\n/undo\n/undo\n/undo\n")
    assert run("show", "--json").data == []
    assert "two" in run("export").out
    assert "nothing to step back" in ran.err


def test_remembered_words_are_in_every_prompt(run):
    run("chat", text="/remember I am allergic to nuts.\n/new\nWhat shall I eat?\n")
    prompt = json.dumps(run("why", "--json", "--prompt").data["messages"])
    assert "allergic to nuts" in prompt


def test_json_gives_a_line_for_each_answer(run):
    ran = run("chat", "--json", text="one\n/memory stats\ntwo\n")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line.get("message") for line in lines] == ["one", None, "two"]
    assert lines[1]["lines"]


def test_an_ephemeral_chat_keeps_nothing(run):
    ran = run("chat", "--ephemeral", text="My cat is called Ada.\nWhat is my cat called?\n")
    assert "Ada" in ran.out
    assert run("stats", "--json").data["exchanges"] == 0


def test_errors_do_not_end_the_conversation(run):
    ran = run("chat", text="/show\n/switch nowhere\n/why\nhello\n")
    assert ran.code != 0
    assert run("stats", "--json").data["exchanges"] == 1
