"""The history file and the history list."""

import stat
import time


def entries(path):
    return path.read_text().splitlines()


def wait_for(path, last):
    for _ in range(200):
        if path.exists() and last in path.read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"{last} does not come to {path}")


def test_default_place_and_mode(open):
    shell = open(history=True)
    shell.run("echo kept")
    shell.send("exit\r")
    shell.end()
    path = open.home / ".local/state/paddock/history"
    assert entries(path) == ["echo kept", "exit"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_state_directory_of_the_user(open):
    shell = open(history=True, env={"XDG_STATE_HOME": str(open.home / "state")})
    shell.run("echo there")
    assert entries(open.home / "state/paddock/history") == ["echo there"]


def test_the_next_session_has_it(open):
    path = open.home / "h"
    shell = open("--history", str(path), history=True)
    shell.run("echo from before")
    shell.send("exit\r")
    shell.end()
    shell = open("--history", str(path), history=True)
    assert shell.run("\x10\x10") == "from before\n"
    # The sandbox itself sees only what was typed into it.
    assert shell.run("history") == "    1  echo from before\n    2  history\n"


def test_no_history_writes_nothing(open):
    shell = open()
    shell.run("echo secret")
    shell.send("exit\r")
    shell.end()
    assert not (open.home / ".local").exists()


def test_a_killed_session_loses_nothing(open):
    path = open.home / "h"
    shell = open("--history", str(path), history=True)
    shell.run("echo one")
    shell.send("sleep 100\r")
    wait_for(path, "sleep 100")
    shell.child.kill(9)
    shell.end()
    assert entries(path) == ["echo one", "sleep 100"]


def test_multi_line_commands_are_one_entry(open):
    path = open.home / "h"
    shell = open("--history", str(path), history=True)
    shell.send("cat <<'E'\r")
    shell.wait("\n> ")
    shell.send("a\\b\r")
    shell.wait("\n> ")
    assert shell.run("E") == "a\\b\n"
    shell.send("exit\r")
    shell.end()
    shell = open("--history", str(path), history=True)
    shell.send("\x10\x10\r")
    shell.wait("\na\\b\r\n")


def test_control_variables_keep_lines_out(open):
    path = open.home / "h"
    shell = open("--history", str(path), history=True)
    shell.run("HISTCONTROL=ignoreboth")
    shell.run(" echo hidden")
    shell.run("echo twice")
    shell.run("echo twice")
    assert entries(path) == ["HISTCONTROL=ignoreboth", "echo twice"]
    assert "hidden" not in shell.run("history")


def test_the_file_stays_bounded(open):
    path = open.home / "h"
    path.write_text("".join(f"echo {i}\n" for i in range(25000)))
    path.chmod(0o600)
    shell = open("--history", str(path), history=True)
    shell.run("echo new")
    kept = entries(path)
    assert len(kept) == 10001 and kept[-1] == "echo new" and kept[0] == "echo 15000"


def test_an_unusable_file_is_told_of(open):
    shell = open("--history", str(open.home), history=True, prompt=None)
    shell.wait("history is not kept")
    shell.wait("$ ")
