"""paddock session, and paddock diff of a daemon's states."""

import json
import pathlib
import tempfile

from client.user import Cases, User

case = Cases()


@case("sessions: made, shown, their tools called, deleted")
def life(daemon):
    user = User(daemon.start())
    made = user.text("session", "create", "-l", "a=b", "-c", "bashkit_shell", "work").strip()
    assert made.startswith("ses_")
    lines = user.text("session", "ls").splitlines()
    assert lines[0].split() == ["ID", "NAME", "AGENT", "HARNESS", "CREATED"] and lines[1].split()[:2] == [made, "work"], lines
    assert user.text("session", "ls", "-q", "-l", "a=b").strip() == made and user.text("session", "ls", "-q", "-l", "a=c") == ""
    assert json.loads(user.text("session", "ls", "--json"))[0]["id"] == made
    shown = json.loads(user.text("session", "show", "work"))
    assert shown["id"] == made and shown["labels"] == {"a": "b"} and shown["capabilities"], shown
    tools = user.text("session", "tools", "work")
    assert tools.split()[:1] == ["TOOL"] and "\nbash " in tools, tools
    assert json.loads(user.text("session", "tools", "-f", "anthropic", "work"))["tools"][0]["input_schema"]
    assert "hi 5" in user.text("session", "call", "work", "bash", '{"commands":"x=5; echo hi $x"}')
    assert "again 5" in user.text("session", "call", "work", "bash", "-", input=b'{"commands":"echo again $x"}')
    answer = json.loads(user.text("session", "call", "--json", "work", "bash", '{"commands":"echo out"}'))
    assert answer["is_error"] is False and "out" in answer["content"], answer
    assert "commands" in user.complaint("session", "call", "work", "bash", '{"command":"x"}', status=1)
    assert "no_such_tool" in user.complaint("session", "call", "work", "no_such_tool", status=1)
    assert "JSON object" in user.complaint("session", "call", "work", "bash", "[]", status=1)
    assert "no session 'absent'" in user.complaint("session", "show", "absent", status=1)
    assert "SESSION TOOL" in user.complaint("session", "call", "work", status=2)
    assert "no such verb" in user.complaint("session", "frob", status=2)
    assert "JSON object" in user.complaint("session", "create", "-c", "sandbox=5", status=1)
    user.text("session", "rm", "work")
    assert user.text("session", "ls", "-q") == ""


@case("sessions: files and keys")
def storage(daemon):
    user = User(daemon.start())
    user.text("session", "create", "-c", "session_storage", "work")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        (folder / "dir" / "sub").mkdir(parents=True)
        (folder / "dir" / "sub" / "f").write_text("text")
        user.text("session", "storage", "put", "work", str(folder / "dir"), "/")
        user.text("session", "storage", "put", "work", "-", "/note", input=b"piped")
        names = [line.split()[-1] for line in user.text("session", "storage", "ls", "work").splitlines()[1:]]
        assert names == ["dir", "note"], names
        assert json.loads(user.text("session", "storage", "ls", "--json", "work", "/dir/sub"))[0]["name"] == "f"
        assert user.text("session", "storage", "get", "work", "/note", "-") == "piped"
        user.text("session", "storage", "get", "work", "/dir", str(folder / "back"))
        assert (folder / "back" / "sub" / "f").read_text() == "text"
        user.text("session", "storage", "rm", "work", "/dir", "/note")
        assert user.text("session", "storage", "ls", "work").count("\n") == 1
        assert "/note" in user.complaint("session", "storage", "get", "work", "/note", str(folder / "none"), status=1)
        assert "absolute" in user.complaint("session", "storage", "put", "work", str(folder / "dir"), "x", status=1)
        # No way out of the session's files.
        user.text("session", "storage", "put", "work", "-", "/../../escaped", input=b"x")
        assert [line.split()[-1] for line in user.text("session", "storage", "ls", "work").splitlines()[1:]] == ["escaped"]
    user.text("session", "kv", "set", "work", "a/b", "one two")
    user.text("session", "kv", "set", "work", "c", "three")
    assert user.text("session", "kv", "ls", "work") == "a/b\nc\n" and user.text("session", "kv", "ls", "work", "a") == "a/b\n"
    assert user.text("session", "kv", "get", "work", "a/b") == "one two\n"
    user.text("session", "kv", "rm", "work", "a/b", "c")
    assert user.text("session", "kv", "ls", "work") == ""


@case("diff of a sandbox and of snapshots, apart from an overlay's")
def diff(daemon):
    user = User(daemon.start())
    user.text("create", "dev")
    assert "no snapshot to compare with" in user.complaint("diff", "dev:", status=2)
    user.text("exec", "-c", "printf 'one\\ntwo\\n' > a; mkdir d; echo x > d/f", "dev")
    base = user.text("snapshot", "create", "dev", "base").strip()
    assert user.run("diff", "dev:").returncode == 0 and user.run("diff", "base:").stdout == b""
    user.text("exec", "-c", "echo three >> a; chmod 700 d; rm d/f; printf 'new\\033[2J\\n' > b", "dev")
    names = "M /home/agent/a\nA /home/agent/b\nM /home/agent/d/\nD /home/agent/d/f\n"
    assert user.text("diff", "--names", "dev:", status=1) == names
    assert user.text("diff", "--names", "base:", status=1) == names and user.text("diff", "--names", base, "dev:", status=1) == names
    assert user.text("diff", "--names", "dev:/home/agent/d", status=1) == "M /home/agent/d/\nD /home/agent/d/f\n"
    patch = user.text("diff", "dev:", status=1)
    assert "--- a/home/agent/a\n+++ b/home/agent/a\n@@" in patch and "\n+three\n" in patch and "--- /dev/null\n+++ b/home/agent/b" in patch, patch
    assert "M /home/agent/d/ (0755 -> 0700)" in patch, patch
    assert " /home/agent/a | +1 -0\n" in user.text("diff", "--stat", "dev:", status=1)
    assert len(json.loads(user.text("diff", "--json", "dev:", status=1))["changes"]) == 4
    user.text("snapshot", "create", "dev", "later")
    assert user.run("diff", "dev:").returncode == 0
    assert user.text("diff", "--names", "base:", "later:", status=1) == names
    user.text("create", "-s", "base", "other")
    assert user.run("diff", "other:").returncode == 0
    assert user.text("diff", "--names", "later:", "other:", status=1).startswith("M /home/agent/a\nD /home/agent/b\n")
    assert "the first of two is a snapshot" in user.complaint("diff", "dev:", "other:", status=2)
    user.text("create", "base")
    assert "both called 'base'" in user.complaint("diff", "base:", status=2)
    assert "no sandbox and no snapshot 'absent'" in user.complaint("diff", "absent:", status=2)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:   # without a colon: an overlay's
        assert "daemon" not in user.run("diff", "-w", folder, "dev").stderr.decode()
        assert "not both" in user.complaint("diff", "dev:", "./x", status=2)
