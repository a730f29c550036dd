"""What `paddock run` says after an end that its caller can do something about."""

import subprocess


def run(open, *arguments):
    done = subprocess.run([open.binary, "run", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


def test_a_limit_names_the_option_that_sets_it(open):
    for limits, script, status, name in (("time=0.2", "while :; do :; done", 124, "time"), ("memory=20M", "x=x; while :; do x=$x$x; done", 125, "memory"),
                                         ("steps=100000", "while :; do :; done", 125, "steps")):
        code, said = run(open, "--limits", limits, script)
        assert code == status, (code, said)
        assert said.startswith("paddock: stopped: "), said
        assert said.endswith(f"\npaddock: '--limits {name}=VALUE' sets that limit, 0 for none\n"), said


def test_a_missing_command_names_where_commands_are(open):
    code, said = run(open, "nosuch")
    assert code == 127, code
    assert said.startswith("bash: line 1: nosuch: command not found\npaddock: 'paddock commands' lists "), said
    assert "'--isolation process'" in said, said


def test_other_ends_say_nothing(open):
    assert run(open, "exit 3") == (3, "")
    assert run(open, "true") == (0, "")


def test_json_keeps_to_its_object(open):
    assert run(open, "--json", "nosuch")[1] == ""
