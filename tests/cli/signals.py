"""Ctrl-C and its kin, at the prompt and while commands run."""

import time

INTERRUPT = "\x03"


def interrupt(shell, line):
    shell.send(line + "\r")
    shell.wait("\n")
    # The terminal takes the key for a signal only once the line's own mode is back.
    shell.wait("begun")
    shell.send(INTERRUPT)
    return shell.wait()


def test_at_the_prompt_it_clears_the_line(open):
    shell = open()
    shell.send("echo never")
    shell.send(INTERRUPT)
    shell.wait("^C\r\n")
    shell.wait()
    assert shell.run("echo $?") == "130\n"


def test_it_drops_an_unfinished_command(open):
    shell = open()
    shell.send("for i in 1 2\r")
    shell.wait("\n> ")
    shell.send(INTERRUPT)
    shell.wait()
    assert shell.run("echo $?") == "130\n"


def test_it_ends_a_sleeping_command(open):
    shell = open()
    interrupt(shell, "echo begun; sleep 100; echo never")
    assert shell.run("echo $?") == "130\n"


def test_it_ends_a_loop(open):
    shell = open()
    interrupt(shell, "echo begun; while :; do :; done; echo never")
    assert shell.run("echo $?") == "130\n"
    interrupt(shell, "echo begun; while sleep 0.01; do :; done || echo never")
    assert shell.run("echo $?") == "130\n"


def test_it_ends_functions_eval_substitutions_and_pipelines(open):
    shell = open()
    for line in ("f() { sleep 100; echo never; }; echo begun; f; echo never",
                 "echo begun; eval 'sleep 100; echo never'; echo never",
                 "echo begun; x=$(sleep 100); echo never",
                 "echo begun; sleep 100 | cat; echo never",
                 "echo begun; (sleep 100; echo never); echo never",
                 "echo begun; read x; echo never",
                 "echo begun; cat; echo never",
                 "sleep 50 & echo begun; wait; echo never"):
        assert "never" not in interrupt(shell, line), line
        assert shell.run("echo $?") == "130\n", line


def test_a_trap_takes_it(open):
    shell = open()
    shell.run("trap 'echo trapped; stop=1' INT")
    assert "trapped\n" in interrupt(shell, "stop=; echo begun; while [ -z $stop ]; do :; done")
    assert shell.run("echo $stop") == "1\n"


def test_a_child_that_catches_it_decides(open):
    shell = open()
    text = interrupt(shell, "bash -c 'trap \"echo caught; exit 3\" INT; echo begun; sleep 100'; echo status $?")
    assert "caught\n" in text and "status 3\n" in text


def test_twice_in_a_second_kills(open):
    shell = open()
    shell.run("kept=1; trap '' INT")
    shell.send("echo begun; while :; do :; done\r")
    shell.wait("\nbegun")
    shell.send(INTERRUPT)
    shell.wait("^C")
    time.sleep(0.2)   # two that arrive at once are one to the program
    shell.send(INTERRUPT)
    assert "killed" in shell.wait()
    assert shell.run("echo $kept") == "1\n"


def test_background_jobs_are_left_alone(open):
    shell = open()
    shell.run("sleep 50 &")
    interrupt(shell, "echo begun; sleep 100")
    assert shell.run("jobs") == "[1]+  Running                 sleep 50 &\n"


def test_foreground_of_a_job_takes_it(open):
    shell = open()
    shell.run("{ sleep 50; } &")
    shell.send("echo begun; fg\r")
    shell.wait("\nbegun")
    shell.wait("sleep 50")
    shell.send(INTERRUPT)
    shell.wait()
    assert shell.run("jobs") == ""


def test_terminate_does_not_end_the_prompt(open):
    shell = open()
    assert shell.run("kill $$; echo here") == "here\n"
    shell.send("kill -9 $$\r")
    assert shell.end()[1] == 137
