#!/usr/bin/env python3
"""Gives every option of every command that takes a value the worst ones: numbers at and beyond every edge, nothing, formats, devices.

    run_hostile_options.py [--paddock FILE] [--filter RE] [--seed N] [--seconds N] [-v]

Unlike tests/security nothing is written down for each: the options are those that `paddock commands` tells, so that a new one is tried without
being asked for. What must hold is that the program survives (scripts run in one `paddock batch`; what was running when it dies has killed it), that each
script ends in time by its limits, and that the program's memory stays bounded. What the commands say is the business of tests/commands.
An option's values are tried in an order that the seed decides, all options one value further each turn, until all are done or the seconds are over (90;
0 for all). The last line is "N passed, N failed, N skipped"; a case is one option with one value.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VALUES = ["", "0", "-1", "1", "255", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808",
          "18446744073709551616", "99999999999999999999999999", "1e308", "-1e-308", "nan", "inf", "0x7fffffffffffffff", "1000000000", "1G", "9999999999E",
          "1,2,3,1000000000", "1-9223372036854775807", "%s%n%999999999d", "%", "\\", "[", "(", "*", "'", "\xff\xfe", "\n", "a" * 5000, "/dev/zero", "/dev/full",
          "/dev/stdin", "/proc/self/mem", "..", "f", "d", "-"]
# What runs until it is told to stop has nothing to do with its options.
ENDLESS = {"yes", "sleep", "watch", "top"}
LIMITS = "memory=128M,output=1M,steps=3e7,disk=50M,files=10000,processes=100"
SCRIPT_MS = 1000
HUNG_S = 60           # of a script that its limits should have ended; other work on the machine is allowed for
HOST_BYTES = 2 << 30  # far above the limit of a script

FILES = {"/home/agent/f": {"text": "b 2 x\na 1 y\n\n\t3 z\n"}, "/home/agent/g": {"b64": "Af8AgMMowqAKCg=="}, "/home/agent/d/f": {"text": "a\n"}}


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def script_of(name, option, value):
    """The option with its value as one word, as two, and behind a file; with a file as input and without operands."""
    joined = f"{option}={value}" if option.startswith("--") else option + value
    return (f"{name} {quoted(joined)} f < f > o 2> e\n{name} {option} {quoted(value)} f g < f > o 2> e\n"
            f"{name} f {option} {quoted(value)} < g > o 2> e\n{name} {option} {quoted(value)} < f > o 2> e\nexit 0\n")


def options_of(paddock, pattern):
    listed = json.loads(subprocess.run([paddock, "commands", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout)
    found = []
    for command in listed:
        if command["name"] in ENDLESS or not re.search(pattern, command["name"]):
            continue
        for option in command["options"]:
            if option["argument"] != "none":
                found.append((command["name"], "--" + option["long"] if "long" in option else "-" + option["short"]))
    return found


class Batch:
    """One `paddock batch`, started anew when it has died."""

    def __init__(self, paddock):
        self.paddock = paddock
        self.start()

    def start(self):
        self.child = subprocess.Popen([self.paddock, "batch", "--limits", LIMITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.child.stdout.readline()

    def end(self):
        self.child.kill()
        self.child.communicate()

    def run(self, script):
        """What went wrong, or None."""
        hung = threading.Timer(HUNG_S, self.child.kill)
        hung.start()
        began = time.monotonic()
        try:
            self.child.stdin.write(json.dumps({"script": script, "files": FILES, "timeout_ms": SCRIPT_MS}).encode() + b"\n")
            self.child.stdin.flush()
            reply = self.child.stdout.readline()
        except OSError:
            reply = b""
        finally:
            hung.cancel()
        if not reply:
            text = self.child.stderr.read().decode(errors="replace")
            status = self.child.wait()
            self.start()
            return f"not ended after {HUNG_S} s" if time.monotonic() - began >= HUNG_S else f"the program died with {status}: {text[-2000:]}"
        told = json.loads(reply)
        if "error" in told and not told["error"].startswith("paddock: stopped"):
            return f"no result: {told['error']}"
        memory = pathlib.Path(f"/proc/{self.child.pid}/statm").read_text().split()
        if int(memory[1]) * 4096 > HOST_BYTES:
            self.end()
            self.start()
            return f"the program holds {int(memory[1]) * 4096 >> 20} MiB"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock", type=pathlib.Path)
    parser.add_argument("--filter", default="", metavar="RE", help="only commands whose name matches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=90, help="0 tries every value of every option")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print each case with its time")
    arguments = parser.parse_args()

    options = options_of(arguments.paddock, arguments.filter)
    orders = {}
    for option in options:
        orders[option] = VALUES[:]
        random.Random(f"{arguments.seed} {option}").shuffle(orders[option])
    batch = Batch(arguments.paddock)
    passed = failed = 0
    began = time.monotonic()
    cases = [(option, turn) for turn in range(len(VALUES)) for option in options]
    for option, turn in cases:
        if arguments.seconds and time.monotonic() - began > arguments.seconds:
            break
        value = orders[option][turn]
        started = time.monotonic()
        trouble = batch.run(script_of(*option, value))
        if trouble:
            failed += 1
            print(f"FAIL {option[0]} {option[1]} {value[:60]!r}: {trouble}", flush=True)
        else:
            passed += 1
        if arguments.verbose:
            print(f"{time.monotonic() - started:7.2f} s  {option[0]} {option[1]} {value[:60]!r}", flush=True)
    batch.end()
    left = len(cases) - passed - failed
    if left:
        print(f"{left} of {len(cases)} cases not tried: the time was over (--seconds 0 tries all)")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
