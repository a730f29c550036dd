#!/usr/bin/env python3
"""Runs the unit tests that talk to a container engine against real ones: a private Docker Engine and a private Podman service.

    run_engines.py [--unit-tests FILE] [--filter PATTERN] [-v]

Takes root. An engine that is not installed is skipped, with the reason. The last line is "N passed, N failed, N skipped".
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True

import engines_for_test  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unit-tests", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "unit_tests")
    parser.add_argument("--filter", default="RealEngine*:Files*/Container:Files*/PlainContainer", help="of GoogleTest; what else it names is run, too")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    passed = failed = skipped = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-engines-", dir="/var/tmp"))   # where overlays can be
    try:
        with engines_for_test.started(folder) as engines:
            for name, reason in engines.missing.items():
                print(f"skip {name}: {reason}")
                skipped += 1
            for engine in engines.running:
                report = folder / f"{engine.name}.json"
                environment = {**os.environ, "PADDOCK_TEST_ENGINES": f"{engine.name}=unix://{engine.socket}"}
                run = subprocess.run([arguments.unit_tests, f"--gtest_filter={arguments.filter}", f"--gtest_output=json:{report}"], env=environment, capture_output=True,
                                     text=True, errors="replace", timeout=900)
                if not report.exists():
                    print(f"FAIL {engine.name}: the tests ended with status {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-500:]}")
                    failed += 1
                    continue
                for suite in json.loads(report.read_text())["testsuites"]:
                    for case in suite["testsuite"]:
                        title = f"{engine.name}: {suite['name']}.{case['name']}"
                        if case.get("result") == "SKIPPED":
                            print(f"skip {title}")
                            skipped += 1
                        elif case.get("failures"):
                            print(f"FAIL {title}\n" + "\n".join(failure["failure"] for failure in case["failures"]))
                            failed += 1
                        else:
                            passed += 1
                            if arguments.verbose:
                                print(f"ok {title} ({case['time']})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
