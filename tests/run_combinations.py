#!/usr/bin/env python3
"""Makes up command lines from a seed, runs each on the real tool and on Paddock, and compares what both did.

    run_combinations.py [--paddock FILE] [--seed N] [--count N] [--seconds N] [--filter RE] [--case N] [--no-shrink]
                        [--oracle-path DIR] [-v]

Options come from the tables of `paddock commands --json`; the values that they take, operands, scripts and input files from the grammars in
tests/combinations/*.toml (tests/combinations/README.md says how those are written). Standard output and error, the status and the files left must
be equal. --count is the number of lines for each command (a grammar may ask for a multiple by `share`); with --seconds, counts
are repeated with new numbers until the time is over. --filter is matched against the names of grammars.

A case is named by seed, grammar and number, which make it up again: --seed 7 --filter '^sort$' --case 31. What differs is shrunk: options,
operands and lines of the input that do not matter are taken away, and the rest is printed as lines that can be pasted. Cases which match a
line of tests/combinations/known.txt count as skipped. The last line is "N passed, N failed, N skipped".

Many cases share one shell on each side, each in a directory of its own; where that shell does not end well, each gets its own.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

import run_spec

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRAMMARS = ROOT / "tests" / "combinations"
TOGETHER = 40   # cases that share a shell
SHRINK_STEPS = 120
MTIME = "2024-03-05 06:07:08"
PLACE = re.compile(r"<([a-z][a-z0-9_]*)(?::([a-z0-9_|]+))?(\?)?>")


class Part:
    """A piece of a command line; `loose` ones may be taken away by the shrinker ("cluster": short options; "valued": with a value)."""

    def __init__(self, text, loose=False):
        self.text, self.loose = text, loose


class Line:
    """One case: the parts of its line, and the files that it reads (name -> bytes, or a setup command for what is no plain file)."""

    def __init__(self, name, parts, files, setup):
        self.name, self.parts, self.files, self.setup = name, parts, files, setup

    def text(self):
        return re.sub(r"(?<=\S) {2,}", " ", "".join(part.text for part in self.parts)).strip()

    def pasteable(self):
        lines = [f"printf {printf_word(content)} > {name}" for name, content in self.files.items()]
        lines += [command for command in self.setup if command]
        return "\n".join([*lines, self.text()])


def printf_word(content):
    text = "".join(chr(b) if 32 <= b < 127 and b not in b"\\%'" else {10: "\\n", 9: "\\t", 13: "\\r", 92: "\\\\", 37: "%%"}.get(b, f"\\{b:03o}") for b in content)
    return f"'{text}'"


class Grammar:
    """What one table of a TOML file says: how lines of one command are made."""

    def __init__(self, name, table, common, options):
        self.name = name
        self.command = table.get("command", name)
        self.lines = table["lines"]
        self.rules = {**common["rules"], **table.get("rules", {})}
        self.kinds = {**common["inputs"], **table.get("inputs", {})}
        self.files = table.get("files", common["files"])
        self.share = table.get("share", 1)
        self.stderr = table.get("stderr", "exact")   # or "any": both say something or both do not
        self.needs = table.get("needs")
        self.apart = table.get("apart", False)   # values only as words of their own
        self.repeats = set(table.get("repeats", []))
        self.options = list(self.spellings(options, table.get("arguments", {}), set(table.get("never", [])), table.get("only")))
        self.extra = table.get("options", [])

    def spellings(self, options, arguments, never, only):
        for option in options:
            names = (["-" + option["short"]] if "short" in option else []) + (["--" + option["long"]] if "long" in option else [])
            if never & set(names) or {"--help", "--version"} & set(names) or "help" not in option or (only is not None and not set(only) & set(names)):
                continue
            values = next((arguments[name] for name in names if name in arguments), None)
            if option["argument"] == "required" and values is None:
                continue
            yield names, option["argument"], values


class Maker:
    """Makes one case up from its number."""

    def __init__(self, grammar, seed, number):
        self.grammar = grammar
        self.random = random.Random(f"{seed}/{grammar.name}/{number}")
        self.name = f"--seed {seed} --filter '^{re.escape(grammar.name)}$' --case {number}"
        self.files, self.setup = {}, []
        self.valued = set()   # options with a value are given once, unless the grammar says otherwise

    def line(self):
        parts = self.expand(self.random.choice(self.grammar.lines), 0)
        return Line(self.name, parts, self.files, self.setup)

    def expand(self, text, depth, loose=False):
        """The parts of a template."""
        if depth > 30:
            raise SystemExit(f"{self.grammar.name}: rules without an end: {text}")
        parts, at = [], 0
        for place in PLACE.finditer(text):
            parts.append(Part(text[at:place.start()], loose))
            at = place.end()
            name, kinds, maybe = place.groups()
            if maybe and self.random.random() < 0.5:
                continue
            if name == "options":
                parts += self.some_options()
            elif name == "file":
                parts.append(Part(self.file(kinds), loose))
            elif name == "files":
                parts += [Part(" " + self.file(kinds), True) for _ in range(self.random.choice([1, 1, 1, 2, 2, 3]))]
            elif name == "some":   # <some:rule>: one to four of a rule
                for _ in range(self.random.choice([1, 1, 2, 2, 3, 4])):
                    parts += self.whole(" <" + kinds + ">", depth)
            elif name in self.grammar.rules:
                inner = self.expand(self.random.choice(self.grammar.rules[name]), depth + 1)
                parts += [Part("".join(part.text for part in inner), True)] if maybe else inner
            else:
                raise SystemExit(f"{self.grammar.name}: no rule <{name}>")
        return [*parts, Part(text[at:], loose)]

    def whole(self, text, depth):
        return [Part("".join(part.text for part in self.expand(text, depth + 1)), True)]

    def plain(self, text):
        return "".join(part.text for part in self.expand(text, 0))

    def some_options(self):
        parts = []
        for _ in range(self.random.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4])):
            pool = len(self.grammar.options) + len(self.grammar.extra)
            if not pool:
                break
            pick = self.random.randrange(pool)
            if pick >= len(self.grammar.options):
                parts.append(Part(" " + self.plain(self.grammar.extra[pick - len(self.grammar.options)]), True))
                continue
            names, kind, values = self.grammar.options[pick]
            name = self.random.choice(names)
            if values is not None:
                if names[0] in self.valued and names[0] not in self.grammar.repeats:
                    continue
                self.valued.add(names[0])
            if values is None or (kind == "optional" and self.random.random() < 0.3):
                if len(name) == 2 and parts and re.fullmatch(r" -[A-Za-z]+", parts[-1].text) and parts[-1].loose == "cluster" and self.random.random() < 0.4:
                    parts.append(Part(name[1:], "cluster"))   # behind the option before it, as in -nr
                else:
                    parts.append(Part(" " + name, "cluster" if len(name) == 2 else True))
                continue
            value = self.plain(self.random.choice(values))
            glue = "=" if name.startswith("--") else "" if kind == "optional" else self.random.choice(["", " "])
            if kind == "required" and (self.grammar.apart or name.startswith("--") and self.random.random() < 0.2):
                glue = " "
            parts.append(Part(f" {name}{glue}{value}", "valued"))
        return parts

    def file(self, kinds):
        """The name of an input, made when it is a new one."""
        kind = self.random.choice(kinds.split("|") if kinds else self.grammar.files)
        if kind == "known" or (not kinds and self.files and self.random.random() < 0.1):
            return self.random.choice(list(self.files) or ["missing"])
        if kind in ("missing", "stdin"):
            return {"missing": "missing", "stdin": "-"}[kind]
        number = len(self.files) + 1
        if kind == "dir":
            self.setup.append("mkdir -p dir")
            return "dir"
        if kind in ("link", "unreadable"):
            name = f"{kind}{number}"
            inner = self.file("words")
            self.setup.append(f"ln -s {inner} {name}" if kind == "link" else f"cp {inner} {name}; chmod 0 {name}")
            return name
        if kind == "loose":
            self.setup.append("ln -sf nowhere loose")
            return "loose"
        name = f"f{number}"
        self.files[name] = self.content(kind)
        return name

    def content(self, kind):
        table = self.grammar.kinds.get(kind)
        if table is None:
            raise SystemExit(f"{self.grammar.name}: no inputs {kind}")
        low, high = table.get("count", [0, 8])
        lines = [self.plain(self.random.choice(table["lines"])) for _ in range(self.random.randint(low, high))]
        if table.get("sorted"):
            lines.sort(key=lambda line: line.encode())
        if table.get("repeat"):
            lines = [line for line in lines for _ in range(self.random.choice([1, 1, 2, 3]))]
        end = table.get("end", "\n")
        text = "".join(line + end for line in lines)
        if lines and self.random.random() < table.get("cut", 0.1):
            text = text[:-len(end)]
        return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())


class Known:
    """Differences that are there on purpose: `GRAMMAR: REGEX`, found in the command line or in the difference, below a comment that says why."""

    def __init__(self, path):
        self.entries = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                name, colon, pattern = line.partition(": ")
                if not colon:
                    raise SystemExit(f"{path.name}: not 'GRAMMAR: REGEX': {line}")
                self.entries.append((re.compile(name + "$"), re.compile(pattern, re.M)))

    def has(self, grammar, line, report):
        return any(name.match(grammar) and pattern.search(f"{line}\n{report}") for name, pattern in self.entries)


def script_of(lines):
    text = "umask 022\n"
    for k, line in enumerate(lines):
        text += f"mkdir -p {k}\n"
        if line.setup:
            text += f"(cd {k}; {'; '.join(line.setup)})\n"
    text += f"find . -exec touch -h -d '{MTIME}' {{}} + 2>/dev/null\n"
    for k, line in enumerate(lines):
        text += f"(cd {k}; eval {shlex.quote(line.text())}\n) > {k}.out 2> {k}.err; echo $? > {k}.rc\n"
        if line.setup or "chmod" in line.text():
            text += f"chmod -R u+rwX {k}\n"   # so that both sides can be read back
    return text


def content_of(entry):
    return run_spec.unb64(entry["b64"]) if entry and entry.get("b64") is not None else None


class Result:
    """What one side did with one line."""

    def __init__(self, outcome, k):
        files = outcome.files or {}
        self.problem = outcome.problem
        self.out, self.err, self.status = (content_of(files.get(f"{k}.{end}")) for end in ("out", "err", "rc"))
        if self.status is None:
            self.problem = self.problem or "it did not end"
        self.files = run_spec.normal_files({path[len(f"{k}/"):]: entry for path, entry in files.items() if path.startswith(f"{k}/")})


def difference(real, ours, stderr):
    """The differences as text; empty when there are none."""
    if ours.problem:
        return ours.problem + "\n"
    report = "" if real.status == ours.status else f"status: real {real.status.decode().strip()}, paddock {ours.status.decode().strip()}\n"
    if real.out != ours.out:
        report += run_spec.diff("stdout", real.out, ours.out)
    if real.err != ours.err and (stderr == "exact" or bool(real.err) != bool(ours.err)):
        report += run_spec.diff("stderr", real.err, ours.err)
    for path in sorted(real.files.keys() | ours.files.keys()):
        a, b = real.files.get(path), ours.files.get(path)
        if a and b and content_of(b) is None:   # one that its owner may not read is not in the reply
            a = {**a, **{key: b[key] for key in b if key == "b64"}}
        if a != b:
            report += f"file {path}: real: {run_spec.describe(a)}; paddock: {run_spec.describe(b)}\n"
            if content_of(a) is not None and content_of(b) is not None:
                report += run_spec.diff(path, content_of(a), content_of(b))
    return report


class Run:
    def __init__(self, options):
        self.options = options
        self.oracle = run_spec.Oracle("bash", False)
        self.paddock = run_spec.Paddock(str(options.paddock))
        self.known = Known(GRAMMARS / "known.txt")
        self.passed = self.failed = self.skipped = 0
        self.seen = collections.Counter()

    def both(self, lines):
        """The results of some lines that share a shell."""
        case = run_spec.Case("combinations", 0, "lines")
        case.script = script_of(lines)
        case.files = {f"{k}/{name}": content for k, line in enumerate(lines) for name, content in line.files.items()}
        if self.options.oracle_path:
            case.env["PATH"] = f"{self.options.oracle_path}:/usr/local/bin:/usr/bin:/bin"
        top = tempfile.mkdtemp(prefix="combinations-")
        try:
            real = self.oracle.run_in(case, top)
        finally:
            shutil.rmtree(top, ignore_errors=True)
        case.env = {}
        ours = self.paddock.run(case, real.cwd)
        return [(Result(real, k), Result(ours, k)) for k in range(len(lines))]

    def has_tool(self, grammar):
        if grammar.needs is None:
            return True
        command, pattern = grammar.needs
        path = f"{self.options.oracle_path or ''}:/usr/local/bin:/usr/bin:/bin"
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, env={"PATH": path})
        return re.search(pattern, done.stdout) is not None

    def report(self, line, grammar):
        """The difference of one line that has a shell of its own; None when the real tool does not end."""
        (real, ours), = self.both([line])
        return None if real.problem else difference(real, ours, grammar.stderr)

    def group(self, grammar, lines):
        results = self.both(lines)
        if any(side.problem for pair in results for side in pair):
            results = [pair for line in lines for pair in self.both([line])]
        for line, (real, ours) in zip(lines, results):
            if real.problem:
                self.skipped += 1
                if self.options.verbose:
                    print(f"skip {line.name}: the real tool: {real.problem}\n  {line.text()}")
            elif difference(real, ours, grammar.stderr):
                report = self.report(line, grammar)
                if report:
                    self.fail(grammar, line, report)
                else:
                    self.passed += 1   # something that races, or depends on the second in which it runs
            else:
                self.passed += 1

    def fail(self, grammar, line, report):
        name = line.name
        if not self.options.no_shrink:
            line, report = self.shrink(grammar, line, report)
            if self.known.has(grammar.name, line.text(), report) or is_order_of_complaints(line, report):
                self.skipped += 1
                return
        self.failed += 1
        self.seen[grammar.name] += 1
        print(f"FAIL {name}\n{line.pasteable()}\n{report[:2500].rstrip()}\n", flush=True)

    def shrink(self, grammar, line, report):
        steps = 0

        def still_differs(smaller):
            nonlocal steps
            steps += 1
            found = self.report(smaller, grammar) if steps < SHRINK_STEPS else ""
            return found if found and same_sort(found, report) else ""
        k = len(line.parts) - 1
        while k >= 0:
            if line.parts[k].loose:
                smaller = Line(line.name, line.parts[:k] + line.parts[k + 1:], line.files, line.setup)
                following = line.parts[k + 1].text if k + 1 < len(line.parts) else ""
                if line.parts[k].loose == "cluster" and line.parts[k].text.startswith(" ") and following and line.parts[k + 1].loose == "cluster" and not following.startswith(" "):
                    smaller.parts = line.parts[:k] + [Part(" -" + following, "cluster")] + line.parts[k + 2:]
                found = still_differs(smaller)
                if found:
                    line, report = smaller, found
            k -= 1
        for name in list(line.files):
            if not re.search(rf"\b{name}\b", line.text() + " ".join(line.setup)):
                smaller = Line(line.name, line.parts, {other: content for other, content in line.files.items() if other != name}, line.setup)
                found = still_differs(smaller)
                if found:
                    line, report = smaller, found
                    continue
            pieces = re.findall(rb"[^\n]*\n|[^\n]+$", line.files[name])
            size = max(1, len(pieces) // 2)
            while size:
                at = 0
                while at < len(pieces):
                    fewer = pieces[:at] + pieces[at + size:]
                    smaller = Line(line.name, line.parts, {**line.files, name: b"".join(fewer)}, line.setup)
                    found = still_differs(smaller)
                    if found:
                        pieces, line, report = fewer, smaller, found
                    else:
                        at += size
                size //= 2
        return line, report

    def close(self):
        self.paddock.stop()


def same_sort(one, other):
    """Whether two reports show differences of the same kind, so that shrinking stays with what it began with."""
    def kinds(report):
        return {word for word in ("--- stdout", "--- stderr", "status:", "file ") if re.search("^" + word, report, re.M)}
    return bool(kinds(one) & kinds(other)) or not kinds(other)


def is_order_of_complaints(line, report):
    """Whether both refuse a line that has several faults, and differ in which one they name."""
    return report.startswith("--- stderr") and sum(part.loose == "valued" for part in line.parts) > 1


def read_grammars(paddock, wanted):
    tables = {}
    for path in sorted(GRAMMARS.glob("*.toml")):
        try:
            read = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as e:
            raise SystemExit(f"{path.name}: {e}")
        if set(tables) & set(read):
            raise SystemExit(f"{path.name}: second grammar of {set(tables) & set(read)}")
        tables |= read
    common = tables.pop("common")
    listed = json.loads(subprocess.run([paddock, "commands", "--json"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60).stdout)
    options = {name: command["options"] for command in listed for name in [command["name"], *command["aliases"]]}
    return [Grammar(name, table, common, options.get(table.get("command", name), [])) for name, table in tables.items() if re.search(wanted, name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--count", default=60, type=int, help="lines for each command")
    parser.add_argument("--seconds", default=0, type=float, help="go on until so much time is over")
    parser.add_argument("--filter", default="", metavar="RE", help="only grammars whose name matches")
    parser.add_argument("--case", type=int, help="only the line of this number")
    parser.add_argument("--most", default=20, type=int, metavar="N", help="leave a command alone after N failures")
    parser.add_argument("--oracle-path", metavar="DIR", help="where real tools are looked for first, say a newer jq")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each line")
    run = Run(parser.parse_args())
    options = run.options
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    grammars = read_grammars(options.paddock, options.filter)
    until = time.monotonic() + options.seconds
    lines_of = collections.Counter()
    begin = 0
    try:
        while True:
            for grammar in grammars:
                if not run.has_tool(grammar):
                    run.skipped += 1
                    continue
                count = max(1, round(options.count * grammar.share))
                numbers = [options.case] if options.case is not None else range(begin * count, (begin + 1) * count)
                lines = [Maker(grammar, options.seed, number).line() for number in numbers]
                for at in range(0, len(lines), TOGETHER):
                    if run.seen[grammar.name] >= options.most:
                        break
                    if options.verbose:
                        print("".join(f"{grammar.name}: {line.text()}\n" for line in lines[at:at + TOGETHER]), end="", flush=True)
                    run.group(grammar, lines[at:at + TOGETHER])
                    lines_of[grammar.name] += len(lines[at:at + TOGETHER])
            begin += 1
            if time.monotonic() >= until or options.case is not None:
                break
    finally:
        run.close()
    for name, count in lines_of.items():
        print(f"{name:12} {count:6} lines, {run.seen[name]} differ")
    print(f"{run.passed} passed, {run.failed} failed, {run.skipped} skipped")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
