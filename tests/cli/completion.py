"""What Tab completes."""

TAB = "\t"


def listing(shell, line):
    """Types a line that ends in a Tab with several completions; the words that another Tab shows."""
    shell.send(line + TAB)
    shell.wait("\n")
    words = shell.wait().split()
    shell.send("\x03")
    shell.wait("^C\r\n")
    shell.wait()
    return words


def test_commands(open):
    shell = open()
    assert shell.run("sha256s" + TAB + "< /dev/null").startswith("e3b0c442")
    shell.run("my_function() { echo mine; }; alias my_alias='echo aliased'")
    assert shell.run("my_f" + TAB) == "mine\n"
    assert shell.run("my_a" + TAB) == "aliased\n"
    assert shell.run("true && printe" + TAB + "HOME") == "/home/agent\n"
    assert {"unalias", "uname"} <= set(listing(shell, "una" + TAB))


def test_programs_of_the_path(open):
    shell = open()
    shell.run("mkdir bin; echo 'echo own' > bin/own-tool; chmod +x bin/own-tool; PATH=$PATH:~/bin")
    assert shell.run("own-" + TAB) == "own\n"
    assert shell.run("bin/ow" + TAB) == "own\n"
    assert shell.run("~/bin/ow" + TAB) == "own\n"


def test_files(open):
    shell = open()
    shell.run("mkdir -p dir/sub; echo content > dir/file.txt; touch dir/.hidden alpha1 alpha2")
    assert shell.run("cat di" + TAB + "fi" + TAB) == "content\n"
    assert shell.run("echo ~/dir/s" + TAB) == "/home/agent/dir/sub/\n"
    assert shell.run("echo $HOME/dir/s" + TAB) == "/home/agent/dir/sub/\n"
    assert shell.run("echo al" + TAB + "1") == "alpha1\n"
    assert listing(shell, "ls alpha" + TAB) == ["alpha1", "alpha2"]
    assert listing(shell, "ls dir/" + TAB) == ["file.txt", "sub/"]
    assert shell.run("ls dir/.h" + TAB) == "dir/.hidden\n"
    assert shell.run("cd di" + TAB + "; pwd") == "/home/agent/dir\n"
    assert shell.run("echo x > fil" + TAB + "; cat file.txt") == "x\n"


def test_odd_names_are_quoted(open):
    shell = open()
    shell.run("""touch 'a b$c'"'"'d' 'two words' '\u00e9t\u00e9'""")
    assert shell.run("echo a" + TAB) == "a b$c'd\n"
    assert shell.run("echo a\\ " + TAB) == "a b$c'd\n"
    assert shell.run('echo "tw' + TAB) == "two words\n"
    assert shell.run("echo 'tw" + TAB) == "two words\n"
    assert shell.run("echo two\\ w" + TAB) == "two words\n"
    assert shell.run("echo \u00e9" + TAB) == "\u00e9t\u00e9\n"


def test_variables(open):
    shell = open()
    shell.run("long_variable=value")
    assert shell.run("echo $long_" + TAB + "x") == "value x\n"
    assert shell.run("echo ${long_" + TAB + "x") == "valuex\n"
    assert shell.run('echo "$long_' + TAB + '."') == "value.\n"
    assert shell.run("unset long_v" + TAB + "; echo ${long_variable-unset}") == "unset\n"


def test_options(open):
    shell = open()
    assert shell.run("printf 'b\\na\\n' | sort --rev" + TAB) == "b\na\n"
    assert "--reverse" in listing(shell, "sort --r" + TAB)
    assert shell.run("printf 'a:b\\n' | cut --deli" + TAB + ": -f2") == "b\n"
    assert "-p" in listing(shell, "read -" + TAB)


def test_rules_of_complete(open):
    shell = open()
    shell.run("complete -W 'apple banana' echo")
    assert shell.run("echo ap" + TAB + "x") == "apple x\n"
    shell.run("_f() { COMPREPLY=(\"$1-$2-$3-$COMP_CWORD-${#COMP_WORDS[@]}\"); }; complete -F _f printf")
    assert shell.run("printf '%s-\\n' a w" + TAB) == "a-\nprintf-w-a-3-4-\n"
    shell.run("complete -o nospace -W only= true")
    assert shell.run("true on" + TAB + "x; echo $_") == "only=x\n"


def test_nothing_to_complete_changes_nothing(open):
    shell = open()
    assert shell.run("echo nosuchthing" + TAB) == "nosuchthing\n"
    assert shell.run("echo 'a" + TAB + "b'") == "ab\n"


def test_many_candidates_are_asked_for(open):
    shell = open()
    shell.run("for i in {100..250}; do echo > f$i; done")
    shell.send("ls f" + TAB + TAB)
    shell.wait("Display all 151 possibilities? (y or n)")
    shell.send("n")
    shell.wait()
    assert shell.run("123") == "f123\n"


def test_inside_substitutions(open):
    shell = open()
    shell.run("echo content > onlyfile")
    assert shell.run("echo $(cat onlyf" + TAB + ")") == "content\n"
