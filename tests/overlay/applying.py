"""paddock apply and discard."""

import os
import subprocess

EDITS = r"""
echo more >> text; chmod 700 script; rm gone; rm -rf old; mkdir old; echo new > old/d
mkdir -p new/deep; echo hello > new/deep/file; ln -s /etc/hostname link
rm -rf was-dir; echo file > was-dir; rm was-file; mkdir was-file; echo in > was-file/in
mv moving moved; chmod 750 kept-dir
"""


def fill(box):
    for name in ("text", "script", "gone", "old/a", "old/b/c", "was-dir/x/y", "was-file", "moving", "kept-dir/f", "untouched"):
        box.write(name, f"{name}\n")


def test_everything_is_carried_over(box):
    fill(box)
    direct = box.copy("direct")
    box.host(EDITS, direct)
    before = tree(box.workspace)
    box.run(EDITS)
    assert tree(box.workspace) == before
    box.paddock("apply", "--yes", status=0)
    assert tree(box.workspace) == tree(direct)
    owners = {path.lstat().st_uid for path in [box.workspace, *box.workspace.rglob("*")]}
    assert owners == {box.uid}, owners
    assert box.overlays() == []
    box.paddock("diff", status=0)


def test_root_works_in_somebody_elses_directory(box):
    if not box.is_root:
        raise Skip("takes root")
    box.write("a", "x\n")
    for path in (box.workspace, box.workspace / "a"):
        os.chown(path, 4321, 8765)
    box.run("echo y > a; mkdir d; echo z > d/new; ln -s a l")
    box.paddock("apply", "--yes", status=0)
    for name in ("a", "d", "d/new", "l"):
        status = (box.workspace / name).lstat()
        assert (status.st_uid, status.st_gid) == (4321, 8765), name


def test_nothing_happens_unasked(box):
    box.write("a", "x\n")
    box.run("echo y > a")
    assert "M a\n" in box.paddock("apply", "--dry-run", status=0).stdout
    box.paddock("apply", status=2)
    box.paddock("discard", status=2)
    assert box.read("a") == "x\n"
    box.paddock("diff", status=1)
    box.paddock("discard", "--yes", status=0)
    assert box.read("a") == "x\n"
    assert box.overlays() == []


def test_a_conflict_is_left_out(box):
    for name in ("mine", "theirs", "deleted", "touched"):
        box.write(name, f"{name}\n")
    box.run("for f in mine theirs deleted touched; do echo changed > $f; done; echo new > both")
    box.write("mine", "edited on the host\n")
    box.write("both", "made on the host\n")
    box.write("touched", "touched\n")
    (box.workspace / "deleted").unlink()
    done = box.paddock("apply", "--yes", status=1)
    assert done.stderr.count("conflict:") == 3, done.stderr
    assert box.read("mine") == "edited on the host\n" and box.read("both") == "made on the host\n"
    assert box.read("theirs") == "changed\n" and box.read("touched") == "changed\n"
    assert not (box.workspace / "deleted").exists()
    names = box.paddock("diff", "--names", status=1).stdout
    assert [line.split()[1] for line in names.splitlines()] == ["both", "deleted", "mine"], names
    box.paddock("apply", "--yes", "--force", status=0)
    assert box.read("mine") == "changed\n" and box.read("both") == "new\n" and box.read("deleted") == "changed\n"


def test_a_new_file_in_a_deleted_directory_stays(box):
    box.write("d/old", "x\n")
    box.run("rm -rf d")
    box.write("d/new", "made on the host\n")
    box.paddock("apply", "--yes", status=1)
    assert box.read("d/new") == "made on the host\n"


def test_protected_names_wait_for_a_word(box):
    box.write("a", "x\n")
    box.run("echo y > a; mkdir -p .git/hooks sub/.Vscode; echo '#!/bin/sh' > .git/hooks/pre-commit; echo '{}' > sub/.Vscode/tasks.json; echo x > .bashrc")
    done = box.paddock("apply", "--yes", status=1)
    assert "protected (.bashrc)" in done.stderr, done.stderr
    assert box.read("a") == "y\n"
    for name in (".git/hooks", "sub/.Vscode", ".bashrc"):
        assert not (box.workspace / name).exists(), name
    box.paddock("apply", "--yes", "--include-protected", ".bashrc", status=1)
    assert box.read(".bashrc") == "x\n"
    assert not (box.workspace / ".git/hooks").exists()
    box.paddock("apply", "--yes", "--include-protected", ".", status=0)
    assert (box.workspace / ".git/hooks/pre-commit").exists() and box.overlays() == []


def test_some_paths_first(box):
    box.write("a", "x\n")
    box.run("echo y > a; mkdir -p n/m; echo 1 > n/m/one; echo 2 > n/m/two")
    box.paddock("apply", "--yes", "n/m/one", status=0)
    assert box.read("n/m/one") == "1\n" and box.read("a") == "x\n"
    names = box.paddock("diff", "--names", status=1).stdout
    assert names == "M a\nA n/m/two\n", names
    box.run("cat n/m/one n/m/two a")
    box.paddock("apply", "--yes", status=0)
    assert box.read("n/m/two") == "2\n"


def test_what_never_belongs_outside(box):
    box.run("mkfifo pipe; echo x > fine; echo x > program")
    (box.upper() / "program").chmod(0o6755)
    done = box.paddock("apply", "--yes", status=1)
    assert done.stderr.count("refused:") == 2, done.stderr
    assert sorted(os.listdir(box.workspace)) == ["fine"]


def test_a_link_in_the_workspaces_place_is_not_followed(box):
    box.write("d/f", "x\n")
    box.run("echo evil > d/f; echo evil > d/g")
    outside = box.folder / "outside"
    (box.workspace / "d").rename(outside)
    (box.workspace / "d").symlink_to(outside)
    before = tree(outside)
    box.paddock("apply", "--yes", "--force")
    assert tree(outside) == before


def test_a_full_disk_loses_nothing(box):
    if not box.is_root:
        raise Skip("mounting takes root")
    script = f"""
    mount -t tmpfs -o size=1m,mode=755 none {box.workspace} && cd {box.workspace} && echo old > a && echo old > big || exit 99
    P={box.binary}
    $P run -i process --overlay -- /bin/sh -c 'echo new > a; dd if=/dev/zero of=big bs=1M count=3 status=none' || exit 98
    $P apply --yes; [ $? = 2 ] || exit 97
    [ "$(cat big)" = old ] || exit 96
    [ -z "$(ls -A | grep paddock)" ] || exit 95
    $P diff --names big | grep -q 'M big' || exit 94
    mount -o remount,size=8m {box.workspace} && $P apply --yes || exit 93
    [ "$(stat -c %s big)" = 3145728 ] && [ "$(cat a)" = new ] || exit 92
    """
    done = subprocess.run(["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script], env=box.environment(),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}"
