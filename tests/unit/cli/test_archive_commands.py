def talk(run, count=4):
    for n in range(count):
        assert run("ask", "--new", f"my pet number {n} is called Ada{n}").code == 0


def test_limits_archive_and_stats_say_so(run, monkeypatch):
    talk(run)
    assert run("archive").code == 2
    monkeypatch.setenv("UNABRIDGED_MAX_SESSIONS", "2")
    said = run("archive", "--json").data
    assert len(said["sessions"]) == 2
    assert "2 of 2 sessions" in run("stats").out
    assert run("stats", "--json").data["use"]["archived"] == 2
    assert "Ada0" in run("search", "pet Ada0").out
    shown = run("sessions")
    assert "2 sessions archived: --archived" in shown.out
    assert "number 0" not in shown.out
    assert "number 0" in run("sessions", "--archived").out
    assert [row["number"] for row in run("sessions", "--archived", "--json").data] == [3, 4]
    assert "Nothing" in run("archive").out


def test_one_session_and_back(run):
    talk(run, 2)
    assert "archived" in run("archive", "--session", "2").out
    assert "Restored" in run("archive", "--restore", "2").out
    assert "Nothing" in run("archive", "--restore", "2").out
    run("archive", "--session", "2")
    assert run("ask", "--session", "2", "what is it called?").code == 0
    assert run("sessions", "--archived", "--json").data == []
    assert run("archive", "--restore", "nothing like it").code == 3
