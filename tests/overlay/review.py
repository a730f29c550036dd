"""paddock diff: what it shows, compared with git."""

import base64
import json
import re
import shutil
import subprocess

# What a busy afternoon leaves behind; nothing is moved, since git would find the move in a way of its own.
EDITS = r"""
printf 'one\nTWO\nthree\nfour\n' > text
printf 'no newline' > tail
chmod 755 script
rm gone; rm -rf old
mkdir -p new/deep; printf 'hello\n' > new/deep/file; printf '' > new/empty
ln -s text link; ln -sfn elsewhere relinked
printf 'a\000c' > binary
printf 'spaced\n' > 'a b'
"""


def fill(box):
    for name, content in {"text": "one\ntwo\nthree\n", "tail": "newline\n", "script": "#!/bin/sh\n", "gone": "bye\n", "binary": b"a\0b",
                          "old/a": "1\n", "old/b/c": "2\n", "same": "same\n", "a b": "x\n"}.items():
        box.write(name, content)
    (box.workspace / "relinked").symlink_to("text")
    box.own(box.workspace / "relinked")


def test_the_patch_is_what_git_says(box):
    if shutil.which("git") is None:
        raise Skip("git is missing")
    fill(box)
    direct = box.copy("direct")
    as_git = "git -c user.name=x -c user.email=x@example.org -c core.quotePath=false "
    box.host(f"git init -q && git add -A && {as_git} commit -q -m x", direct)
    box.host(EDITS, direct)
    box.host(f"git add -A && {as_git} diff --cached --no-renames > ../patch", direct)
    git = (box.folder / "patch").read_text(errors="surrogateescape")
    # Without the names of git's objects, and what it takes for the name of a function.
    git = "".join(re.sub("^(@@ .* @@) .*", r"\1", line) for line in git.splitlines(keepends=True) if not line.startswith("index "))
    box.run(EDITS)
    ours = box.paddock("diff", status=1).stdout
    assert ours == git, f"--- ours\n{ours}\n--- git's\n{git}"


def test_git_can_apply_the_patch(box):
    if shutil.which("git") is None:
        raise Skip("git is missing")
    fill(box)
    edits = EDITS.replace("printf 'a\\000c' > binary", "") + "\nmv same moved; printf 'x\\n' > \"$(printf 'odd\\nname')\"\n"
    copy, direct = box.copy("copy"), box.copy("direct")
    box.host(edits, direct)
    box.run(edits)
    patch = box.paddock("diff", status=1).stdout
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=copy, input=patch, text=True, check=True)
    files = lambda found: {name: what for name, what in found.items() if what[0] != "directory"}
    assert files(tree(copy)) == files(tree(direct))


def test_exit_codes(box):
    box.write("a", "x\n")
    box.paddock("diff", status=0)
    box.run("true")
    box.paddock("diff", status=0)
    box.run("touch a; echo y > a; echo x > a")
    box.paddock("diff", status=0)
    box.run("echo y > a")
    box.paddock("diff", status=1)
    box.paddock("diff", "/etc", status=2)
    box.paddock("diff", "--workspace", box.folder / "none", status=2)


def test_names_stat_and_json(box):
    box.write("a", "x\n")
    box.write("moving", "some content\n")
    box.run(r"printf 'x\ny\n' > a; mv moving moved; mkfifo pipe; mkdir .vscode; echo '{}' > .vscode/tasks.json; : > \"$(printf 'b\377')\"".replace('\\"', '"'))
    names = box.paddock("diff", "--names", status=1).stdout
    assert names.splitlines() == ["A .vscode/ (protected: .vscode)", "A .vscode/tasks.json (protected: .vscode)", "M a", 'A "b\\377"',
                                  "A moved (was moving)", "D moving", "A pipe (refused: a fifo)"], names
    stat = box.paddock("diff", "--stat", status=1).stdout
    assert " a | +1 -0\n" in stat and stat.endswith(" 6 files changed, +2 -0\n"), stat
    changes = json.loads(box.paddock("diff", "--json", status=1).stdout)["changes"]
    found = {change.get("path"): change for change in changes}
    assert found["a"]["change"] == "modified" and found["a"]["after"]["size"] == 4
    assert found["moved"]["renamed_from"] == "moving"
    assert found["pipe"]["refused"] == "a fifo"
    assert [base64.b64decode(change["path_base64"]) for change in changes if "path_base64" in change] == [b"b\xff"]


def test_paths_choose(box):
    box.write("sub/a", "x\n")
    box.write("b", "x\n")
    box.run("echo y > sub/a; echo y > b")
    assert box.paddock("diff", "--names", "sub", status=1).stdout == "M sub/a\n"
    # From below, the workspace is found; paths start where the caller is.
    assert box.paddock("diff", "--names", "a", cwd=box.workspace / "sub", status=1).stdout == "M sub/a\n"
    box.paddock("diff", "c", status=0)


def test_overlays_are_listed(box):
    box.paddock("diff", "--list", status=0)
    box.run("echo x > a", "--overlay-name", "second")
    listed = box.paddock("diff", "--list", status=1).stdout
    assert listed.startswith(f"{box.workspace}  second  since 2"), listed
    box.paddock("diff", status=0)
    box.paddock("diff", "--overlay-name", "second", status=1)
