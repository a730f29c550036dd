#!/usr/bin/env python3
"""Checks `paddock commands`, and compares the options of each command with those that the real tool's --help lists.

    run_options.py [--paddock FILE] [--filter RE] [--matrix] [-v]

An option of the real tool that ours does not have fails, unless tests/options_left_out.txt says why it is left out; so does a line of
that file which is no longer true. A command without a real tool on this machine is skipped. The last line is "N passed, N failed, N skipped".
Where --help is only a part (GNU parallel), the options are those of the installed page; for sqlite3 the dot-commands count, too.
A reason that begins with "no option: " says that what was found is none (a part of an example; a name that the real tool refuses).
--matrix prints a line for each command: how many options the real tool has, how many of them ours has, and which of those no
case types (tests/commands, tests/virtual_net): in the command's own file, or behind one of its names in another one.
Each subcommand of git is a row of its own, "git-add": its options are those of `git add -h`.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT_OUT = ROOT / "tests" / "options_left_out.txt"

# Tools that explain themselves by something else than --help.
HELP = {"xxd": ["-h"], "zip": ["-h2"], "unzip": ["-hh"], "jq": ["-h"], "7z": ["--help"], "which": None, "mawk": None, "nawk": None,
        "curl": ["--help", "all"], "ps": ["--help", "all"], "sqlite3": ["-help"],
        "kill": None, "time": None, "true": None, "false": None, "echo": None, "printf": None, "test": None, "[": None, "pwd": None,
        "bzless": None, "bzmore": None, "zstdless": None}   # the last ones hand --help on to another program
# Tools whose help is a part of what they know: their page lists the rest.
PAGES = {"parallel": ["man", "parallel"]}
# More that the tool lists: sqlite3 has commands behind a dot.
MORE_HELP = {"sqlite3": ["sqlite3", ":memory:", ".help"]}
# Tools whose options are words behind one dash, listed anywhere in the text or in the heads of lines.
WORDS = {"find"}
WORD_HEADS = {"sqlite3"}
# Subcommands of git with words behind them that have options of their own.
GIT_WORDS = {"bisect": [], "bundle": ["create", "verify", "unbundle"], "commit-graph": ["write", "verify"], "notes": ["list", "add", "append", "show", "remove"], "reflog": ["expire", "delete"],
             "remote": ["add", "rename", "show", "prune", "update", "get-url", "set-url", "set-branches", "set-head"],
             "sparse-checkout": ["init", "set", "add", "reapply"], "stash": ["push", "pop", "apply", "drop", "show", "store"], "worktree": ["add", "list", "lock", "move", "prune", "remove", "unlock"]}
TOKEN = re.compile(r"(?<![\w-])(--[A-Za-z0-9][\w-]*|-[A-Za-z0-9@#?])(?![\w-])")
WORD = re.compile(r"(?<![\w-])(-[A-Za-z][A-Za-z0-9_]*)")


def options_of(text, name):
    """The options that a help text lists: in the heads of the lines that begin with one."""
    if name in WORDS:
        return {word for word in WORD.findall(text)}
    found = set()
    if name in WORD_HEADS:
        for dash, negation, word in re.findall(r"^ *([-.])(\[no\])?([a-z]\w*)", text, re.M | re.I):
            found |= {dash + word} | ({dash + "no" + word} if negation else set())
        return found
    if name in PAGES:   # heads at the margin of the options, before the examples
        text = "\n".join(re.findall(r"^ {7}(-.*)$", re.split(r"^OPTIONS? FOR|^EXAMPLE|^SPREADING", text, maxsplit=1, flags=re.M)[0], re.M))
    if name == "ps":   # letters without a dash
        for line in text.splitlines():
            head = re.split(r"\s{2,}", line.strip(), maxsplit=1)[0] if re.match(r"  ", line) or re.match(r" {1,8}-", line) else ""
            found |= set(re.findall(r"(?:^|, )([A-Za-z])(?=,|$| <)", head))
    for line in text.splitlines():
        if not re.match(r"\s*-", line):
            continue
        head = re.split(r"\s{2,}|\t", line.strip(), maxsplit=1)[0]
        found.update(TOKEN.findall(re.sub(r"\[=[^\]]*\]|=\S+", " ", head)))
    return found


def real_help(name):
    """What the real tool says of itself; None without it."""
    arguments = HELP.get(name, ["--help"])
    program = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if arguments is None or program is None:
        return None
    text = ""
    for command in [PAGES.get(name, [program, *arguments]), *([MORE_HELP[name]] if name in MORE_HELP else [])]:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60,
                                  env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "COLUMNS": "200", "MANWIDTH": "200"})
        except (OSError, subprocess.TimeoutExpired):
            return None
        text += done.stdout + done.stderr
    return text


def real_git_help(name):
    """What `git NAME -h` says of the real one, and of the words behind it."""
    text = ""
    for words in [[], *([word] for word in GIT_WORDS.get(name, []))] if shutil.which("git") else []:
        done = subprocess.run(["git", name, *words, "-h"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=20, cwd="/",
                              env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"})
        text += done.stdout + done.stderr + "\n"
    return text


def git_options_of(text):
    """The options of such a text: those at the heads of lines, and those in the lines of usage."""
    text = re.sub(r"--\[no-\]", "--", text)
    usage = " ".join(re.findall(r"^(?:usage:|   or:| {8,}\[).*$", text, re.M))
    return options_of(text, "git") | {option for option in TOKEN.findall(re.sub(r"=\S+", " ", re.sub(r"[\[\]()|]", " ", usage)))}


def read_left_out():
    """{(command, option): reason}"""
    listed = {}
    for number, line in enumerate(LEFT_OUT.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = re.fullmatch(r"(\S+) ([-.]\S+|[A-Za-z]): (\S.*)", line)
        if not entry:
            raise SystemExit(f"{LEFT_OUT.name}:{number}: not 'COMMAND OPTION: reason'")
        listed[entry[1], entry[2]] = entry[3]
    return listed


def lines_that_call(names):
    """What our cases type behind a command's names (its own first): the whole of its own files, and its calls in the files of others."""
    call = re.compile(r"(?<![\w./-])(?:" + "|".join(re.escape(name) for name in names) + r")(?= )([^;|&()]*)")
    lines = []
    for path in [*(ROOT / "tests" / "commands").glob("*/*.test"), *(ROOT / "tests" / "virtual_net").glob("*.cases"), ROOT / "tests" / "run_virtual_net.py"]:
        text = path.read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            lines += [line] if path.stem == names[0] else [] if line.startswith("#") else call.findall(line)
    return lines


def lines_that_call_git(name):
    """What our cases type behind `git NAME`, with any options before the NAME."""
    call = re.compile(rf"(?<![\w./-])git(?: -[Cc] \S+| --[\w=./-]+)* {re.escape(name)}(?= )([^;|&()]*)")
    lines = []
    for path in [*(ROOT / "tests" / "commands" / "git").glob("*.test"), *(ROOT / "tests" / "virtual_net").glob("*.cases"), ROOT / "tests" / "run_virtual_net.py"]:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            lines += [] if line.startswith("#") else call.findall(line)
    return lines


def is_typed(option, lines, name=""):
    if name in WORD_HEADS:
        return any(re.search(rf"(?:(?<![\w.-])|(?<=\\n))-?{re.escape(option)}(?!\w)", line) for line in lines)
    if not option.startswith("-"):   # a letter of ps
        return any(re.search(rf"(?:\bps|^) +(?:-\S+ +)*[A-Za-z]*{option}", line) for line in lines)
    if option.startswith("--"):   # or an abbreviation of it
        return any(option.startswith(word) for line in lines for word in re.findall(r"(?<![\w-])--[A-Za-z0-9][\w-]*", line))
    return any(re.search(rf"(?<![\w-])-[A-Za-z0-9]*{re.escape(option[1])}", line) for line in lines)


class Run:
    def __init__(self, options):
        self.options = options
        self.left_out = read_left_out()
        self.passed = self.failed = self.skipped = 0
        self.theirs = self.ours = 0   # options of all commands, for --matrix

    def fail(self, text):
        self.failed += 1
        print(f"FAIL {text}")

    def our_help(self, name):
        arguments = HELP.get(name) or ["--help"]
        text = ""
        for words in [[name, *arguments], *([MORE_HELP[name]] if name in MORE_HELP else [])]:
            done = subprocess.run([self.options.paddock, "run", "--", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
            text += done.stdout + done.stderr
        return text

    def is_refused(self, name, option, takes_value):
        """Of options that are parsed but not shown: some are other spellings, some are known only to be refused."""
        done = subprocess.run([self.options.paddock, "run", "--", name, option, *["x"] * takes_value], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
        return "not supported" in done.stderr or "cannot be changed here" in done.stderr

    def command(self, command, name):
        text = real_help(name)
        theirs = options_of(text, name) if text else set()
        theirs -= {"--help", "--version"}
        if not theirs:
            self.skipped += 1
            if self.options.verbose:
                print(f"skip {name}: no real tool here that lists options")
            return
        our_text = self.our_help(name)
        ours = options_of(our_text, name) if name in WORD_HEADS or name == "ps" else set()
        ours |= set(WORD.findall(our_text)) | set(TOKEN.findall(our_text))
        for option in command["options"]:
            names = ({"-" + option["short"]} if "short" in option else set()) | ({"--" + option["long"]} if "long" in option else set())
            if "help" in option or not self.is_refused(name, min(names), option["argument"] == "required"):
                ours |= names
        self.judge(name, theirs, ours, command["name"])
        if self.options.matrix:
            twins = {"-" + option["short"]: "--" + option["long"] for option in command["options"] if "short" in option and "long" in option}
            twins |= {long: short for short, long in twins.items()}
            lines = lines_that_call([command["name"], *command["aliases"]])
            theirs = {option for option in theirs if not any(self.left_out.get((known, option), "").startswith("no option: ") for known in (name, command["name"]))}
            self.row(name, theirs, ours, [option for option in sorted(theirs & ours) if not is_typed(option, lines, name) and not (option in twins and is_typed(twins[option], lines, name))])

    def git_subcommand(self, name):
        row = f"git-{name}"
        theirs = git_options_of(real_git_help(name)) - {"-h", "--help"}
        if not theirs:
            self.skipped += 1
            return
        help_text = ask(self.options.paddock, "run", "--", "git", name, "-h").stdout   # one table for all words
        ours = git_options_of(help_text)
        self.judge(row, theirs, ours)
        if self.options.matrix:
            theirs = {option for option in theirs if not self.left_out.get((row, option), "").startswith("no option: ")}
            lines = lines_that_call_git(name)
            twins = dict(re.findall(r"(-\w), (--[\w-]+)", help_text))
            twins |= {long: short for short, long in twins.items()}
            self.row(row, theirs, ours, [option for option in sorted(theirs & ours) if not is_typed(option, lines) and not (option in twins and is_typed(twins[option], lines))])

    def judge(self, name, theirs, ours, alias_of=None):
        """Fails for what is missing without a reason, and for reasons that are no longer true."""
        missing = sorted(theirs - ours)
        unexplained = [option for option in missing if not {(name, option), (alias_of, option)} & self.left_out.keys()]   # an alias leaves out the same
        if unexplained:
            self.fail(f"{name}: has no {' '.join(unexplained)}, and tests/options_left_out.txt does not say why")
        else:
            self.passed += 1
        for listed_name, option in self.left_out:
            if listed_name == name and option not in missing:
                self.fail(f"tests/options_left_out.txt: {name} {option}: " + ("it is there" if option in theirs else "the real tool has no such option"))

    def row(self, name, theirs, ours, untyped):
        """A line of the matrix."""
        self.theirs += len(theirs)
        self.ours += len(theirs & ours)
        print(f"{name:16} {len(theirs):3} options, ours {len(theirs & ours):3}" + (f"; not in a case: {' '.join(untyped)}" if untyped else ""))


def ask(paddock, *arguments):
    return subprocess.run([paddock, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)


def the_list_is_whole(run, commands):
    """`paddock commands` in its forms, and the page that is made of it."""
    paddock = run.options.paddock
    names = [command["name"] for command in commands]
    table = ask(paddock, "commands").stdout
    help_text = ask(paddock, "run", "--", "rev", "--help").stdout
    unknown = ask(paddock, "commands", "rev", "no-such-command")
    bad = ask(paddock, "commands", "--nonsense")
    with tempfile.TemporaryDirectory() as place:
        page = pathlib.Path(place) / "commands.md"
        made = subprocess.run([ROOT / "tools" / "commands_page", "--paddock", paddock, "--output", page], capture_output=True, text=True)
        sections = re.findall(r"^### (\S+)$", page.read_text(encoding="utf-8") if page.exists() else "", re.M)
    for is_so, what in [(names == sorted(names) and len(set(names)) == len(names), "names are sorted, each once"),
                        (all(re.search(rf"^{re.escape(name)}[ ,]", table, re.M) for name in names), "the table has every command"),
                        (bool(help_text) and ask(paddock, "commands", "rev").stdout == help_text, "a NAME prints that command's --help"),
                        (unknown.returncode == 1 and "'no-such-command'" in unknown.stderr, "an unknown NAME is told, status 1"),
                        (bad.returncode == 2 and "--nonsense" in bad.stderr, "an unknown option is told, status 2"),
                        (made.returncode == 0 and sorted(sections) == names, f"docs/commands.md has a section for each: {made.stderr.strip()}")]:
        if is_so:
            run.passed += 1
        else:
            run.fail(f"paddock commands: {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--filter", default="", metavar="RE")
    parser.add_argument("--matrix", action="store_true", help="print a line for each command")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print what is skipped")
    run = Run(parser.parse_args())
    commands = json.loads(ask(run.options.paddock, "commands", "--json").stdout)
    the_list_is_whole(run, commands)
    for command in commands:
        for name in [command["name"], *command["aliases"]]:
            if re.search(run.options.filter, name):
                run.command(command, name)
    for name in re.findall(r"^   (\S+)  +\S", ask(run.options.paddock, "run", "--", "git", "--help").stdout, re.M):
        if re.search(run.options.filter, f"git-{name}"):
            run.git_subcommand(name)
    if run.options.matrix:
        print(f"all: {run.theirs} options, ours {run.ours}, {100 * run.ours / max(run.theirs, 1):.1f} %")
    print(f"{run.passed} passed, {run.failed} failed, {run.skipped} skipped")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
