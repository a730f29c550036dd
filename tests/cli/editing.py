"""Keys of the line editor."""


def test_movement_and_deletion(open):
    shell = open()
    assert shell.run("cho hello\x01e\x05 there\x17you") == "hello you\n"        # ^A ^E ^W
    assert shell.run("echo abXc\x02\x08\x05d") == "abcd\n"                       # ^B backspace ^E
    assert shell.run("junk\x15echo clean") == "clean\n"                          # ^U
    assert shell.run("echo keep drop\x1bb\x0b") == "keep\n"                      # M-b ^K
    assert shell.run("echo Xab\x1b[D\x1b[D\x1b[D\x1b[3~") == "ab\n"              # left, delete


def test_kill_and_yank(open):
    shell = open()
    assert shell.run("one\x15echo \x19 \x19") == "one one\n"


def test_history_keys(open):
    shell = open()
    shell.run("echo first")
    shell.run("echo second")
    assert shell.run("\x10\x10") == "first\n"              # ^P
    assert shell.run("\x1b[A\x1b[A\x1b[A\x1b[B") == "second\n"  # up, down


def test_reverse_search(open):
    shell = open()
    shell.run("echo needle one")
    shell.run("echo hay")
    shell.send("\x12needle")
    shell.send("\x1b")
    shell.send("\x05 more\r")
    shell.wait("needle one more\r\n")


def test_utf8(open):
    shell = open()
    assert shell.run("echo h\u00e9\u4e16\x08\u754c") == "h\u00e9\u754c\n"
    assert shell.run("echo \u00fc\u00f6\x02\x08\u00e4") == "\u00e4\u00f6\n"
    assert shell.run("x=\u00e9\u00e9; echo ${#x}") == "2\n"


def test_multi_line_constructs(open):
    shell = open()
    shell.send("for i in 1 2\r")
    shell.wait("\n> ")
    shell.send("do echo n$i\r")
    shell.wait("\n> ")
    assert shell.run("done") == "n1\nn2\n"
    shell.send("echo 'open\r")
    shell.wait("\n> ")
    assert shell.run("quote'") == "open\nquote\n"
    shell.send("cat <<E\r")
    shell.wait("\n> ")
    shell.send("body\r")
    shell.wait("\n> ")
    assert shell.run("E") == "body\n"
    shell.send("echo a\\\r")
    shell.wait("\n> ")
    assert shell.run("b") == "ab\n"


def test_end_of_input_inside_a_construct(open):
    shell = open()
    shell.send("echo 'open\r")
    shell.wait("\n> ")
    shell.send("\x04")
    assert "unexpected EOF while looking for matching `''" in shell.wait()
    assert shell.run("echo on") == "on\n"


def test_pasted_lines_run_in_order(open):
    shell = open()
    shell.send("a=1\nfor i in x y; do\necho $a$i\ndone\necho last\n")
    shell.wait("\n1x\r\n1y\r\n")
    shell.wait("\nlast\r\n")
    shell.wait()


def test_long_lines(open):
    shell = open(size=(24, 40), term="xterm")
    shell.send("echo " + "x" * 300 + " | wc -c\r")
    shell.wait("301\r\n")


def test_prompt_with_colours(open):
    shell = open(prompt=None, term="xterm")
    shell.wait("$ ")
    shell.send("PS1='\\[\\e[32m\\]g\\[\\e[0m\\]> '\r")
    shell.wait("\x1b[32mg\x1b[0m> ")
    shell.send("echo two\nlines")
    shell.wait("two\r\n")
