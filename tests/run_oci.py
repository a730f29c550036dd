#!/usr/bin/env python3
"""Runs the unit tests of containers without an engine against real runtimes: crun, runc, and gVisor where that works.

    run_oci.py [--unit-tests FILE] [--runtimes NAME,…] [--filter PATTERN] [-v]

Takes root, and busybox-static for a root file system. A runtime that is not installed is skipped, with the reason. The last line is
"N passed, N failed, N skipped".
"""

import argparse
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True

import engines_for_test  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unit-tests", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "unit_tests")
    parser.add_argument("--runtimes", default="crun,runc,runsc")
    parser.add_argument("--filter", help="of the tests (gtest)")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        print("skip: takes root\n0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = skipped = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-oci-", dir="/var/tmp"))   # where overlays can be
    try:
        (folder / "root").mkdir()
        with tarfile.open(fileobj=io.BytesIO(engines_for_test.busybox_root())) as tar:
            tar.extractall(folder / "root")
        # A program that tries calls no shell makes.
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise RuntimeError("no C compiler (apt install gcc)")
        subprocess.run([compiler, "-static", "-O1", "-o", folder / "root" / "bin" / "refused_calls", ROOT / "tests" / "refused_calls.c"], check=True)
        for runtime in arguments.runtimes.split(","):
            if not shutil.which(runtime, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"):
                print(f"skip {runtime}: it is not installed (apt install {runtime})")
                skipped += 1
                continue
            report = folder / f"{runtime}.json"
            environment = {**os.environ, "PADDOCK_TEST_OCI": runtime, "PADDOCK_TEST_OCI_FOLDER": str(folder)}
            # Where gVisor does not work every case would find that out by itself, for seconds.
            tests = arguments.filter or ("RealRuntime*" if runtime == "runsc" else "RealRuntime*:Files/*/Oci")
            try:
                run = subprocess.run([arguments.unit_tests, f"--gtest_filter={tests}", f"--gtest_output=json:{report}"], env=environment, capture_output=True,
                                     text=True, errors="replace", timeout=600)
            except subprocess.TimeoutExpired as late:
                begun = [line for line in (late.stdout or b"").decode(errors="replace").splitlines() if line.startswith("[ RUN")]
                print(f"FAIL {runtime}: the tests hang in {begun[-1] if begun else 'none'}")
                failed += 1
                continue
            if not report.exists():
                print(f"FAIL {runtime}: the tests ended with status {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-500:]}")
                failed += 1
                continue
            for reason in sorted(set(re.findall(r": Skipped\n(.*)", run.stdout))):
                print(f"{runtime}: some are skipped: {reason[:900]}")
            for suite in json.loads(report.read_text())["testsuites"]:
                for case in suite["testsuite"]:
                    title = f"{runtime}: {suite['name']}.{case['name']}"
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
    except RuntimeError as error:
        print(f"skip: {error}")
        skipped += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
