"""Overlays over several runs, at once, killed, and over their limit."""

import json
import os
import signal
import time


def wait_for_run(box):
    """Until the code inside has made the file `ready`."""
    for _ in range(600):
        # One that is still being made has a name with a dot.
        if any((path / "tree/upper/ready").exists() for path in box.overlays() if not path.name.startswith(".")):
            return
        time.sleep(0.05)
    raise AssertionError("the run does not begin")


def test_a_later_run_goes_on(box):
    box.write("a", "1\n")
    box.run("echo 2 >> a; mkdir d; echo x > d/f")
    assert box.run("cat a d/f; rm d/f; rmdir d").stdout == "1\n2\nx\n"
    assert box.read("a") == "1\n"
    assert box.paddock("diff", "--names", status=1).stdout == "M a\n"


def test_two_runs_do_not_share_an_overlay(box):
    box.write("a", "x\n")
    first = box.start("run", "-i", "process", "--overlay", "--", "/bin/sh", "-c", "touch ready; sleep 60")
    try:
        wait_for_run(box)
        done = box.run("true", status=125)
        assert f"in use by another run (process {first.pid})" in done.stderr, done.stderr
        assert box.run("echo ok", "--overlay-name", "other").stdout == "ok\n"
        looked = box.paddock("diff", "--names", status=1)
        assert looked.stdout == 'A ready\n' and "still at work" in looked.stderr
        box.paddock("apply", "--yes", status=2)
        box.paddock("discard", "--yes", status=2)
    finally:
        first.terminate()
        first.communicate()


def test_a_killed_run_leaves_a_usable_overlay(box):
    box.write("a", "x\n")
    box.write("b", "x\n")
    first = box.start("run", "-i", "process", "--overlay", "--", "/bin/sh", "-c", "echo y > a; echo y > b; touch ready; exec sleep 60")
    wait_for_run(box)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    box.write("b", "edited on the host\n")
    names = box.paddock("diff", "--names", status=1).stdout.splitlines()
    assert names[0] == "M a" and names[1].startswith("M b (conflict"), names
    assert box.run("cat a").stdout == "y\n"
    box.paddock("apply", "--yes", status=1)
    assert box.read("a") == "y\n" and box.read("b") == "edited on the host\n"


def test_a_killed_apply_can_be_done_again(box):
    count = 3000
    box.run(f"i=0; while [ $i -lt {count} ]; do echo $i > f$i; i=$((i+1)); done; mkdir d; echo x > d/f")
    for delay in (0.02, 0.05, 0.1):
        applying = box.start("apply", "--yes")
        time.sleep(delay)
        applying.kill()
        applying.communicate()
    box.paddock("apply", "--yes", status=0 if box.overlays() else None)
    left = [name for name in os.listdir(box.workspace) if not name.startswith(".paddock-apply-")]
    assert len(left) == count + 1
    assert all(box.read(f"f{i}") == f"{i}\n" for i in range(count))
    assert box.overlays() == []


def test_another_directory_in_its_place_is_refused(box):
    box.write("a", "x\n")
    box.run("echo y > a")
    box.workspace.rename(box.folder / "moved")
    box.workspace.mkdir()
    box.own(box.workspace)
    assert "another directory" in box.run("true", status=125).stderr
    box.paddock("discard", "--yes", status=0)
    box.run("true")


def test_the_state_is_not_seen_inside(box):
    box.write("a", "x\n")
    box.run("echo secret-of-an-overlay > a")
    script = f"ls -A {box.state}/paddock; cat {box.state}/paddock/overlays/*/about; mv {box.state} {box.folder}/moved && echo MOVED; " \
             f"mkdir -p {box.state}/paddock/overlays/x && echo MADE; rm -rf {box.state}/paddock/* && ls -A {box.state}"
    for preset in ("workspace", "trusted"):
        done = box.paddock("run", "-i", "process", "--preset", preset, "--allow-write", box.folder, "--", "/bin/sh", "-c", script)
        assert "overlays" not in done.stdout and "MOVED" not in done.stdout and "MADE" not in done.stdout, done.stdout
        assert "workspace" not in done.stdout, done.stdout
    box.paddock("run", "-i", "process", "--allow-read", box.state / "paddock" / "overlays", "--", "/bin/true", status=125)
    assert "secret-of-an-overlay" in box.paddock("diff", status=1).stdout


def test_a_workspace_that_holds_the_state_is_refused(box):
    done = box.paddock("run", "-i", "process", "--overlay", "--workspace", box.folder, "--", "/bin/true", status=125)
    assert "holds the overlays" in done.stderr, done.stderr


def stopped_for_disk(box, script, limit="disk"):
    done = box.paddock("run", "-i", "process", "--overlay", "--json", "--limits", "disk=16M,time=50s", "--", "/bin/sh", "-c", script)
    end = json.loads(done.stdout)["termination"]
    return end["reason"] == "disk" and end["limit"] == limit


def test_too_much_on_the_disk_ends_the_run(box):
    assert stopped_for_disk(box, "dd if=/dev/zero of=big bs=1M count=3000 status=none; sleep 60")
    # What it wrote is still there, and still too much.
    assert stopped_for_disk(box, "sleep 60")
    box.paddock("discard", "--yes", status=0)
    assert not stopped_for_disk(box, "dd if=/dev/zero of=fits bs=1M count=10 status=none")


def test_too_much_in_deleted_files_ends_the_run(box):
    assert stopped_for_disk(box, "exec 3>f; rm f; dd if=/dev/zero bs=1M count=3000 status=none >&3; sleep 60")


def test_too_much_behind_a_shut_door_ends_the_run(box):
    assert stopped_for_disk(box, "mkdir s; cd s; (sleep 0.1; chmod 0 .) & dd if=/dev/zero of=f bs=1M count=3000 status=none; sleep 60")


def test_too_many_files_end_the_run(box):
    assert stopped_for_disk(box, "i=0; while :; do : > f$i; i=$((i+1)); done", limit="files")


def test_too_much_just_before_the_end_is_told(box):
    assert stopped_for_disk(box, "dd if=/dev/zero of=big bs=1M count=20 status=none")
