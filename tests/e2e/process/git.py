"""git."""

import os

from .case import driven, script

ME = """
export GIT_AUTHOR_NAME=Me GIT_AUTHOR_EMAIL=me@example.org GIT_COMMITTER_NAME=Me GIT_COMMITTER_EMAIL=me@example.org
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.defaultBranch GIT_CONFIG_VALUE_0=main
"""

script("git/commit", "git", "init, commits, branches, a merge, a rebase, a stash", ME + """
git init -q; echo a > a; git add a; git commit -qm one
git switch -qc side; echo b > b; git add b; git commit -qm two
git switch -q main; echo c > c; git add c; git commit -qm three
git merge -q side -m merged; git switch -q side; git rebase -q main
echo more >> a; git stash -q; git stash pop -q; git diff --stat | tail -1
git log --format=%s main; git fsck --no-progress --no-dangling && git gc -q && git status --short
""", out=" 1 file changed, 1 insertion(+)\nmerged\nthree\ntwo\none\n M a", needs=("git",))

script("git/clone", "git", "a clone of a local repository, a push into it, a clone by file://", ME + """
git init -q --bare origin.git; git clone -q origin.git one 2>/dev/null
cd one; echo a > a; git add a; git commit -qm one; git push -q origin main
cd ..; git clone -q "file://$PWD/origin.git" two; cat two/a
""", out="a", needs=("git",))


def repository(box):
    """A repository of the host with one commit, outside the workspace."""
    path = box.directory("repository")
    who = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    box.host("git", "init", "-q", "-b", "main", cwd=path)
    (path / "a").write_text("a\n")
    box.host("git", "add", "a", cwd=path)
    box.host("git", *who, "commit", "-qm", "one", cwd=path)
    return path


@driven("git/clone-of-the-host", "git", "a clone of a repository that `--allow-read` shows", needs=("git",))
def clone_of_the_host(box):
    path = repository(box)
    ended = box.run(f"git clone -q {path} copy && cat copy/a", options=("--allow-read", str(path)), check=0)
    assert ended.out == "a\n", ended
    ended = box.run(f"cd {path} && git -c user.name=Me -c user.email=me@example.org commit -qm two --allow-empty",
                    options=("--allow-read", str(path)))
    assert ended.status != 0 and "Read-only file system" in ended.err, ended


@driven("git/hooks-are-protected", "git", "in the host's repository commits work, and its hooks and configuration stay as they were", needs=("git",))
def hooks_are_protected(box):
    path = repository(box)
    before = (path / ".git" / "config").read_text()
    ended = box.run("set -e" + ME + """
echo b > b; git add b; git commit -qm two; git log --format=%s
echo evil > .git/hooks/post-commit || echo 'no hook'; git config core.pager evil || echo 'no configuration'
""", workspace=path, check=0)
    assert ended.out.startswith("two\none\n"), ended
    assert not (path / ".git" / "hooks" / "post-commit").exists(), ended
    assert (path / ".git" / "config").read_text() == before, ended


@driven("git/linked-worktree", "git", "the workspace is a linked worktree: commits, branches, a stash; its main repository lies outside", needs=("git",))
def linked_worktree(box):
    path = repository(box)
    tree = box.base / "parent"
    tree.mkdir()
    os.chown(tree, box.uid, box.gid)
    linked = tree / "linked"
    box.host("git", "worktree", "add", "-q", "-b", "side", str(linked), cwd=path)
    ended = box.run("set -e" + ME + """
git status --short; echo b > b; git add b; git commit -qm two; git log --format=%s
git switch -qc third; echo more >> b; git stash -q; git stash pop -q; git commit -qam three; git rev-parse --abbrev-ref HEAD
""", workspace=linked, check=0)
    assert ended.out == "two\none\nthird\n", ended
    assert box.host("git", "log", "--format=%s", "third", cwd=path) == "three\ntwo\none\n"
    assert box.host("git", "status", "--short", cwd=path) == ""
    box.host("git", "fsck", "--no-progress", "--no-dangling", cwd=path)
    # What would act on the host later holds, through the pointer too.
    box.run("echo evil > $(git rev-parse --git-common-dir)/hooks/post-commit; git config core.pager evil; true", workspace=linked)
    assert not (path / ".git" / "hooks" / "post-commit").exists(), "a hook of the main repository was made"
    assert "evil" not in (path / ".git" / "config").read_text(), "the main repository's configuration was changed"
