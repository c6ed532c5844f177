"""Personas on the command line and in the chat."""


def test_a_role_of_another_program_is_listed_and_used(run, tmp_path):
    folder = tmp_path / "home" / "config" / "personas"
    folder.mkdir(parents=True)
    (folder / "engineer.json").write_text('{"prompt": "You ask for the measure."}')
    (folder / "broken.json").write_text("{")
    listed = run("personas")
    assert listed.code == 0
    assert "You ask for the measure." in listed.out
    assert "invalid" in listed.out
    rows = {row["name"]: row for row in run("personas", "--json").data}
    assert rows["engineer"]["text"] == "You ask for the measure."
    assert "not JSON" in rows["broken"]["error"]
    assert run("ask", "Hello", "--persona", "broken").code == 2
    assert run("ask", "Hello", "--persona", "engineer").code == 0
    assert "You ask for the measure." in run("why", "--prompt").out


def test_the_chat_goes_on_as_another_persona(run):
    lines = ["Hello", "/persona", "/persona Analyst", "/persona analyst", "The tool must be quick."]
    ran = run("chat", text="\n".join(lines) + "\n")
    assert ran.code == 0, ran.err
    assert "storyteller" in ran.out
    assert "analyst answers from your next message on" in ran.err
    assert "analyst answers already" in ran.err
    assert "You are a requirements analyst." in run("why", "--prompt").out
    wrong = run("chat", text="/persona anlyst\n")
    assert "Did you mean 'analyst'?" in wrong.err
    back = run("chat", "--persona", "analyst", text="/persona none\nHello\n")
    assert back.code == 0
    assert "requirements analyst" not in run("why", "--prompt").out
