"""What a session keeps from line to line, and how it ends."""

import subprocess


def test_state_stays_from_line_to_line(open):
    shell = open()
    shell.run("x=5; f() { echo f$1; }; cd /tmp; umask 027; set -f; alias hi='echo alias'; exec 3>kept")
    assert shell.run("echo $x $PWD $(umask); f 1; hi; echo *") == "5 /tmp 0027\nf1\nalias\n*\n"
    assert shell.run("echo to3 >&3; cat kept") == "to3\n"


def test_exit_gives_its_status(open):
    shell = open()
    shell.send("exit 7\r")
    assert shell.end() == ("exit 7\nexit\n", 7)


def test_end_of_input_gives_the_last_status(open):
    shell = open()
    shell.run("false")
    shell.send("\x04")
    assert shell.end() == ("\nexit\n", 1)


def test_exit_trap_runs_at_the_end(open):
    shell = open()
    shell.run("trap 'echo bye; exit 3' EXIT")
    shell.send("\x04")
    text, status = shell.end()
    assert "exit\nbye\n" in text and status == 3


def test_ignoreeof_says_how_to_leave(open):
    shell = open()
    shell.run("IGNOREEOF=1")
    shell.send("\x04")
    assert shell.wait() == '\nUse "exit" to leave the shell.\n'
    shell.send("\x04")
    assert shell.end()[1] == 0


def test_facts_of_a_terminal(open):
    shell = open()
    assert shell.run("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo tty") == "tty\n"
    assert {"i", "m", "s"} <= set(shell.run("echo $-").strip())
    assert shell.run("echo hi | { [ -t 0 ] || echo pipe; }") == "pipe\n"


def test_default_prompt_names_the_place(open):
    shell = open(prompt=None)
    shell.wait("agent@paddock:~$ ")
    shell.send("cd /usr/bin\r")
    shell.wait("agent@paddock:/usr/bin$ ")


def test_prompt_expands_and_prompt_command_runs(open):
    shell = open(prompt=None)
    shell.wait("$ ")
    shell.send("PS1='<$? \\W $(echo sub)> '; PROMPT_COMMAND='echo PC; false'\r")
    shell.wait("PC\r\n<0 ~ sub> ")
    shell.send("(exit 9)\r")
    shell.wait("PC\r\n<9 ~ sub> ")


def test_messages_have_no_line_numbers(open):
    shell = open()
    assert shell.run("nosuch; echo $?") == "bash: nosuch: command not found\n127\n"
    assert shell.run("echo )") == "bash: syntax error near unexpected token `)'\n"
    assert shell.run("echo $?") == "2\n"


def test_commands_read_the_terminal(open):
    shell = open()
    shell.send("read -p 'name: ' name\r")
    shell.wait("name: ")
    shell.send("Ada L\r")
    shell.wait()
    assert shell.run("echo $name") == "Ada L\n"
    shell.send("cat\r")
    shell.wait("\n")
    shell.send("one\r")
    shell.wait("one\r\none\r\n")
    shell.send("\x04")
    shell.wait()
    assert shell.run("echo still here") == "still here\n"


def test_output_streams_live(open):
    shell = open()
    shell.send("echo first; read x; echo got $x\r")
    shell.wait("\r\nfirst\r\n")
    shell.send("y\r")
    shell.wait("got y\r\n")


def test_filters_answer_line_by_line(open):
    shell = open()
    for command in ("sed s/^/got:/", "awk '{print \"got:\" $0}'", "grep one", "tr o 0"):
        shell.send(command + "\r")
        shell.wait("\n")
        shell.send("one\r")
        shell.wait("\r\n")
        shell.wait("ne\r\n")
        shell.send("\x04")
        shell.wait()


def test_background_job_is_told_before_the_prompt(open):
    shell = open()
    assert shell.run("sleep 0.1 &").startswith("[1] ")
    assert shell.run("sleep 0.3") == "[1]+  Done                    sleep 0.1\n"
    assert shell.run("jobs") == ""


def test_background_jobs_run_while_the_prompt_waits(open):
    shell = open()
    shell.run("{ sleep 0.2; echo from background; } &")
    shell.wait("from background")


def test_background_reader_is_stopped(open):
    shell = open()
    # Told at the next prompt or the one after it.
    assert "[1]+  Stopped                 cat\n" in shell.run("cat &") + shell.run("sleep 0.1")
    shell.send("fg\r")
    shell.wait("\ncat\r\n")
    shell.send("line\r")
    shell.wait("line\r\nline\r\n")
    shell.send("\x04")
    shell.wait()


def test_limit_stops_the_line_only(open):
    shell = open("--limits", "memory=64M,time=60s")
    shell.run("kept=yes")
    assert "oom" in shell.run("x=x; while :; do x=$x$x; done")
    assert shell.run("echo $? $kept ${#x}") == "125 yes 0\n"


def test_timeout_of_the_prompt(open):
    shell = open()
    shell.send("TMOUT=1\r")
    shell.wait("timed out waiting for input: auto-logout")
    assert shell.end()[1] == 0


def test_hang_up_ends_the_session(open):
    shell = open()
    shell.run("trap 'echo x' EXIT")
    shell.child.kill(1)
    assert shell.end()[1] == 129


def test_resize_reaches_the_shell(open):
    shell = open(size=(30, 100))
    assert shell.run("echo $COLUMNS $LINES") == "100 30\n"
    shell.child.setwinsize(40, 120)
    assert shell.run("echo $COLUMNS $LINES") == "120 40\n"


def test_startup_file_of_the_sandbox(open):
    (open.home / "inside").mkdir()
    (open.home / "inside" / ".bashrc").write_text("alias ll='echo listed'\nfrom_rc=1\n")
    shell = open("--mount", f"{open.home}/inside:/home/agent")
    assert shell.run("ll $from_rc") == "listed 1\n"


def from_input(open, text, *options):
    done = subprocess.run([open.binary, "shell", *options], input=text.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=30, check=False)
    return done.stdout.decode(), done.returncode


def test_stdin_that_is_no_terminal(open):
    assert from_input(open, "echo a\nread x\nline\necho $x; exit 3\necho no\n") == ("a\nline\n", 3)
    assert from_input(open, "cat <<E\nbody\nE\nif true\nthen echo 'two\nlines'\nfi") == ("body\ntwo\nlines\n", 0)


def test_stdin_runs_statement_by_statement(open):
    assert from_input(open, "echo first\necho )\n")[0].startswith("first\n")


def test_options_are_those_of_run(open):
    assert from_input(open, "echo $A; pwd\n", "--env", "A=1", "--cwd", "/tmp") == ("1\n/tmp\n", 0)
    assert from_input(open, "", "--cwd", "/nosuch")[1] == 2
    assert from_input(open, "", "--nosuch")[1] == 2
    assert from_input(open, "", "one", "two")[1] == 2
    assert from_input(open, "", "--mount", "/tmp:/x", "sandbox")[1] == 2   # of a daemon: has its own


def test_help_names_the_options(open):
    text, status = from_input(open, "", "--help")
    assert status == 0
    for option in ("--mount", "--env", "--cwd", "--limits", "--history", "--no-history"):
        assert option in text
