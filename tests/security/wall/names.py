"""Protected names: files of the workspace that the host's own programs run or obey later. Each probe leaves something in a
place where git, a shell, an editor or an agent would find it once the sandbox is gone."""

import os
import shutil

from .probe import any_of, changes, holds_mark, leaks, probe
from .scratch import mount

DEEP = "a/b/c/d/e/f"


def nested(world):
    """Repositories below the workspace: one deep, one worktree, one submodule, and what the world's own repository has not."""
    git = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": world.home, "PATH": "/usr/bin:/bin"}
    os.makedirs(f"{world.work}/{DEEP}")
    world.run_as_user(["chown", "-R", f"{world.uid}:{world.gid}", f"{world.work}/a"]) if world.uid == 0 else None
    for folder in ("a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e", DEEP):
        os.chown(f"{world.work}/{folder}", world.uid, world.gid)
    world.run_as_user(["git", "init", "-q", f"{world.work}/{DEEP}"], env=git)
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    world.run_as_user(["git", "-C", world.work, *identity, "commit", "-q", "--allow-empty", "-m", "x"], env=git)
    world.run_as_user(["git", "-C", world.work, "worktree", "add", "-q", "tree"], env=git)
    world.write(f"{world.work}/.git/modules/part/config", "[core]\n", 0o644)
    world.write(f"{world.work}/{DEEP}/.envrc", "export B=1\n", 0o644)
    world.write(f"{world.work}/bare.git/HEAD", "ref: refs/heads/main\n", 0o644)
    world.write(f"{world.work}/bare.git/config", "[core]\n\tbare = true\n", 0o644)


def name(label, trick, script, *paths, judge=None, **more):
    """Escapes when one of the paths, relative to the workspace, holds the probe's word."""
    probe(f"names/{label}", trick, script, judge or any_of(*(holds_mark("{W}/" + path, path) for path in paths)), setup=nested, alone=True, **more)


ABSENT = {
    "hook": ".git/hooks/pre-commit", "shell-start": ".bashrc", "login-start": ".profile", "zsh-start": ".zshenv", "git-config": ".gitconfig",
    "worktree-config": ".git/config.worktree", "common-directory": ".git/commondir", "attributes": ".git/info/attributes",
    "agent-settings": ".claude/settings.json", "agent-local-settings": ".claude/settings.local.json", "agent-commands": ".claude/commands/go.md",
    "agent-roles": ".claude/agents/helper.md", "agent-skills": ".claude/skills/x/SKILL.md", "tool-servers": ".mcp.json", "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml", "gemini": ".gemini/settings.json", "editor-settings": ".vscode/settings.json", "editor-launch": ".vscode/launch.json",
    "editor-idea": ".idea/workspace.xml", "container": ".devcontainer/devcontainer.json", "husky-push": ".husky/pre-push", "direnv": ".direnv/rc",
    "mise": "mise.toml", "npm-config": ".npmrc", "yarn-config": ".yarnrc.yml", "cargo-config": ".cargo/config.toml", "debugger": ".gdbinit",
    "vim": ".exrc", "emacs": ".dir-locals.el", "ssh": ".ssh/config", "ripgrep": ".ripgreprc", "nested-envrc": f"{DEEP}/.vscode/tasks.json",
    "lefthook-toml": "lefthook.toml", "mise-local": "mise.local.toml", "mise-folder": ".config/mise/config.toml", "emacs-second": ".dir-locals-2.el", "helix": ".helix/languages.toml",
    "vim-local": ".lvimrc", "visual-studio": ".vs/tasks.vs.json", "opencode-comments": "opencode.jsonc", "roo": ".roo/mcp.json", "copilot-hooks": ".github/hooks/x.json",
    "claude-plugin": ".claude-plugin/plugin.json", "python-debugger": ".pdbrc", "r-profile": ".Rprofile", "ruby-shell": ".irbrc", "haskell-shell": ".ghci", "ocaml-shell": ".ocamlinit",
    "elixir-shell": ".iex.exs", "octave": ".octaverc", "maven": ".mvn/extensions.xml", "yarn-release": ".yarn/releases/yarn.cjs", "bun": "bunfig.toml", "uv": "uv.toml",
    "pnpm-module": ".pnpmfile.mjs", "sapling": ".sl/config", "home-programs": ".local/bin/ls", "home-launcher": ".local/share/applications/x.desktop", "home-session": ".xsessionrc",
    "home-environment": ".config/environment.d/x.conf", "mail-forward": ".forward",
    "pre-commit": ".pre-commit-config.yaml", "lefthook": "lefthook.yml", "inputrc": ".inputrc", "curl": ".curlrc", "bazel": ".bazelrc",
}
# What is only looked for is written in one start; what tricks need is alone.
for label, path in ABSENT.items():
    probe(f"names/absent-{label}", f"{path}, which is not there yet", f"mkdir -p \"$(dirname {path})\"; echo $MARK > {path}",
          holds_mark("{W}/" + path, path), setup=(nested if label == "hook" else None))
for label, path in (("hook", ".git/hooks/post-commit"), ("config", ".git/config"), ("envrc", ".envrc"), ("tasks", ".vscode/tasks.json"),
                    ("modules", ".gitmodules"), ("husky", ".husky/pre-commit"), ("nested-hook", f"{DEEP}/.git/hooks/pre-push"),
                    ("nested-config", f"{DEEP}/.git/config"), ("nested-envrc", f"{DEEP}/.envrc"), ("module-config", ".git/modules/part/config"),
                    ("module-hook", ".git/modules/part/hooks/post-checkout"), ("worktree-pointer", "tree/.git"), ("worktree-data", ".git/worktrees/tree/commondir"),
                    ("worktree-own-config", ".git/worktrees/tree/config.worktree"), ("bare-config", "bare.git/config")):
    name(f"write-{label}", f"{path}", f"mkdir -p \"$(dirname {path})\"; echo $MARK >> {path}", path)

EVIL = "mkdir -p evil/hooks; echo $MARK > evil/hooks/pre-commit; echo $MARK > evil/config; echo ref: refs/heads/main > evil/HEAD; chmod +x evil/hooks/pre-commit; "
HOOK, CONFIG = ".git/hooks/pre-commit", ".git/config"
name("rename-onto", "a file renamed onto a protected name", "echo $MARK > x1; mv x1 .git/hooks/pre-commit; mv -f x1 .envrc", HOOK, ".envrc")
name("rename-parent", "the parent renamed, changed and renamed back",
     "mv .git git2; echo $MARK > git2/hooks/pre-commit; echo $MARK >> git2/config; mv git2 .git", HOOK, CONFIG)
name("rename-hooks", "the directory of the hooks replaced", EVIL + "mv .git/hooks old; mv evil/hooks .git/hooks", HOOK)
name("replace-git", "the whole repository replaced", EVIL + "mv .git old.git; mv evil .git", HOOK, CONFIG)
name("link-hooks", "the hooks replaced by a link into the workspace", EVIL + "rm -rf .git/hooks; ln -s ../evil/hooks .git/hooks", HOOK)
name("link-git", "the repository replaced by a link", EVIL + "mv .git old.git; ln -s evil .git", HOOK, CONFIG)
name("pointer-git", "the repository replaced by a pointer file", EVIL + "mv .git old.git; echo gitdir: evil > .git",
     judge=lambda look: "the pointer leads to the sandbox's own repository" if os.path.isfile(f"{look.world.work}/.git") else None)
name("pointer-worktree", "a worktree's pointer led elsewhere", EVIL + "echo gitdir: $W/evil > tree/.git; echo gitdir: $W/evil > n; mv n tree/.git",
     judge=changes("{W}/tree/.git"))
name("pointer-data", "a worktree's way to the common directory led elsewhere", EVIL + "echo $W/evil > .git/worktrees/tree/commondir",
     judge=changes("{W}/.git/worktrees/tree/commondir"))
name("pointer-back", "a worktree that the sandbox adds, with hooks of its own", EVIL + "mkdir -p .git/worktrees/new; echo $W/evil > .git/worktrees/new/commondir; "
     "mkdir new; echo gitdir: $W/.git/worktrees/new > new/.git", judge=changes("{W}/.git/hooks", "{W}/.git/config"), bites=())
name("hard-link-out", "a second name for a hook, and a change through it", "ln .git/hooks/post-commit alias; echo $MARK >> alias", ".git/hooks/post-commit")
name("hard-link-in", "a hook as a second name for an own file", "echo $MARK > mine; ln mine .git/hooks/pre-commit; ln -f mine .envrc", HOOK, ".envrc")
name("unnamed", "an unnamed file given a protected name", "$P temp-link . .git/hooks/pre-commit $MARK; $P temp-link .git/hooks .git/hooks/pre-push $MARK",
     HOOK, ".git/hooks/pre-push")
name("exchange", "two names exchanged in one call", "echo $MARK > x2; $P exchange x2 .git/hooks/post-commit; echo $MARK > x3; $P exchange x3 .envrc",
     ".git/hooks/post-commit", ".envrc")
name("by-proc", "a protected name by /proc/self/cwd and /proc/self/root",
     "echo $MARK > /proc/self/cwd/.git/hooks/pre-commit; echo $MARK >> /proc/self/root$W/.git/config; cd .git && echo $MARK >> /proc/self/cwd/config", HOOK, CONFIG)
name("by-dots", "a protected name spelled with dots", "echo $MARK > .git/./hooks/../hooks//pre-commit; echo $MARK >> src/../.envrc; cd src && echo $MARK >> ../.git/config", HOOK, ".envrc", CONFIG)
name("by-link", "a protected name through a link to its directory", "ln -s .git g; ln -s .git/hooks h; echo $MARK > h/pre-commit; echo $MARK >> g/config", HOOK, CONFIG)
name("by-link-deep", "a protected name through a link to the directory above the workspace", "ln -s $W w; ln -s .. up; echo $MARK >> w/.envrc; echo $MARK > up/project/.git/hooks/pre-commit", ".envrc", HOOK)
name("remove", "a protected file removed", "rm -f .envrc; rm -rf .git/hooks; rm -f .vscode/tasks.json", judge=changes("{W}/.envrc", "{W}/.git/hooks", "{W}/.vscode/tasks.json"))
name("remove-again", "a protected file removed and written anew", "rm -f .envrc .git/config; echo $MARK > .envrc; echo $MARK > .git/config", ".envrc", CONFIG)
name("mode", "a sample hook made executable, or a hook's mode changed", "chmod 777 .git/hooks/post-commit; chmod 600 .envrc",
     judge=changes("{W}/.git/hooks/post-commit", "{W}/.envrc"))
name("truncate", "a protected file emptied", "truncate -s 0 .git/config; : > .envrc", judge=changes("{W}/.git/config", "{W}/.envrc"))
name("git-itself", "git config, which writes a new file and renames it", "git config core.hooksPath $W/evil; git config core.fsmonitor $MARK",
     judge=changes("{W}/.git/config"))
name("git-clone-hook", "a repository that the sandbox makes, with a hook", "git init -q fresh; mkdir -p fresh/.git/hooks; echo $MARK > fresh/.git/hooks/pre-commit; chmod +x fresh/.git/hooks/pre-commit",
     "fresh/.git/hooks/pre-commit")
name("rename-into-being", "a directory that gets a protected name at the end", EVIL + "mkdir sub; mv evil sub/.git; mkdir v; echo $MARK > v/tasks.json; mkdir proj; mv v proj/.vscode",
     "sub/.git/hooks/pre-commit", "proj/.vscode/tasks.json")
name("race", "a directory swapped for a link while a hook is written", EVIL + "mkdir real; ln -s $W/.git/hooks swap; $P race-write $W/real $W/swap $W/real/pre-commit $MARK", HOOK, seconds=15)
name("race-rename", "renames of the parent in a loop, writes in another", "( n=0; while [ $n -lt 400 ]; do mv .git .g 2>/dev/null; mv .g .git 2>/dev/null; n=$((n+1)); done ) & "
     "n=0; while [ $n -lt 2000 ]; do echo $MARK > .g/hooks/pre-commit; echo $MARK > .git/hooks/pre-commit; n=$((n+1)); done 2>/dev/null; wait", HOOK, seconds=25)
name("case", "a protected name in capitals, for file systems that do not care", "mkdir -p .GIT/HOOKS; echo $MARK > .GIT/HOOKS/pre-commit", HOOK, bites=())
name("later", "a daemon that writes after the command has ended", "$P daemon $MARK 2 $W/.envrc; $P daemon $MARK 2 $W/.git/hooks/pre-commit", ".envrc", HOOK,
     judge=lambda look: later(look), control="echo $MARK >> .envrc")
name("many-directories", "a protected name deeper than a scan looks", "d=$(printf 'x/%.0s' $(seq 1 60)); mkdir -p $d.git/hooks && echo $MARK > $d.git/hooks/pre-commit && git init -q y && echo $MARK > y/.envrc",
     judge=any_of(holds_mark("{W}/" + "x/" * 60 + ".git/hooks/pre-commit", "a deep hook"), holds_mark("{W}/y/.envrc", "y/.envrc")))
name("ignored", "a protected name in a directory that git ignores", "echo build/ >> .gitignore; mkdir -p build/.git/hooks build/.vscode; echo $MARK > build/.git/hooks/pre-commit; echo $MARK > build/.vscode/tasks.json",
     "build/.git/hooks/pre-commit", "build/.vscode/tasks.json")


def later(look):
    import time
    time.sleep(2.5)
    return any_of(holds_mark("{W}/.envrc"), holds_mark("{W}/.git/hooks/pre-commit"))(look)


def own_policy(world):
    """A project that brings a policy of its own."""
    for path in (".paddock.toml", "paddock.toml", ".paddock/policy.toml", ".paddock.json", ".config/paddock/policy.toml"):
        world.write(f"{world.work}/{path}", 'preset = "trusted"\n[files]\nread = ["/"]\n' if path.endswith("toml") else '{"preset": "trusted"}', 0o644)
    world.write(f"{world.work}/.srt-settings.json", '{"network": {"allowedDomains": ["*"], "deniedDomains": []}, "filesystem": {"denyRead": [], "allowWrite": ["/"], "denyWrite": []}}', 0o644)


probe("names/project-policy", "a policy that lies in the project itself", "cat $H/.ssh/id_ed25519; echo $MARK > $H/probe-policy",
      any_of(leaks("ssh"), holds_mark("{H}/probe-policy")), setup=own_policy, alone=True)


def configured(world):
    """Repositories whose own configuration names files of the tree, written as people do."""
    nested(world)
    write = world.write
    for path in ("tools/hooks/pre-commit", "team.gitconfig", "tools/clean.sh", "real/more.gitconfig"):
        write(f"{world.work}/{path}", "# ours\n", 0o755)
    os.symlink("real", f"{world.work}/link")
    os.lchown(f"{world.work}/link", world.uid, world.gid)
    with open(f"{world.work}/.git/config", "a", encoding="utf-8") as file:
        file.write('[core]\n\teditor = vi # ours\n\thooksPath = "tools/hooks"\n[alias]\n\tlg = "log --format=\\"%h\\""\n'
                   '[include]\n\tpath = ../team.gitconfig\n\tpath = ../link/more.gitconfig\n\tpath = ../later/team.gitconfig\n[filter "x"]\n\tclean = sh ./tools/clean.sh %f\n')
    with open(f"{world.work}/{DEEP}/.git/config", "a", encoding="utf-8") as file:
        file.write("[core]\n\thooksPath = my/hooks\n")
    with open(f"{world.home}/.gitconfig", "a", encoding="utf-8") as file:
        file.write("[core]\n\thooksPath = .team/hooks\n")


def volume(world):
    """A directory of the workspace that is a mount of its own."""
    nested(world)
    os.makedirs(f"{world.work}/volume")
    mount("tmpfs", f"{world.work}/volume", "tmpfs", 0, f"mode=755,uid={world.uid},gid={world.gid}")
    git = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": world.home, "PATH": "/usr/bin:/bin"}
    world.run_as_user(["git", "init", "-q", f"{world.work}/volume/repo"], env=git)


def named(label, trick, script, *paths, setup=configured, **more):
    probe(f"names/{label}", trick, script, any_of(*(holds_mark("{W}/" + path, path) for path in paths)), setup=setup, alone=True, **more)


named("configured-hooks", "hooks that the repository's configuration keeps elsewhere", "echo $MARK >> tools/hooks/pre-commit; echo $MARK > tools/hooks/post-checkout; "
      "mv tools t2; mkdir -p tools/hooks; echo $MARK > tools/hooks/pre-push", "tools/hooks/pre-commit", "tools/hooks/post-checkout", "tools/hooks/pre-push")
named("configured-include", "a configuration that the repository's own includes", "echo $MARK >> team.gitconfig; rm -f team.gitconfig; echo $MARK > team.gitconfig", "team.gitconfig")
named("configured-include-link", "the same through a link, which is led elsewhere", "mkdir evil; echo $MARK > evil/more.gitconfig; echo $MARK >> real/more.gitconfig; rm link; ln -s evil link",
      "link/more.gitconfig", "real/more.gitconfig")
named("configured-include-absent", "an included configuration that is not there yet", "mkdir -p later; echo $MARK > later/team.gitconfig", "later/team.gitconfig")
named("configured-include-absent-link", "the same through a new link", "mkdir evil; echo $MARK > evil/team.gitconfig; ln -s evil later", "later/team.gitconfig")
named("configured-filter", "a filter that the configuration starts out of the tree", "echo $MARK >> tools/clean.sh", "tools/clean.sh")
named("configured-hooks-absent", "named hooks that are not there yet, in a repository below", f"cd {DEEP}; mkdir -p my/hooks; echo $MARK > my/hooks/pre-commit", f"{DEEP}/my/hooks/pre-commit")
named("configured-hooks-user", "hooks that the user's configuration names for all repositories", "mkdir -p .team/hooks; echo $MARK > .team/hooks/pre-commit; git init -q fresh; "
      "mkdir -p fresh/.team/hooks; echo $MARK > fresh/.team/hooks/pre-commit", ".team/hooks/pre-commit", "fresh/.team/hooks/pre-commit")
named("volume", "protected names on a mount below the workspace", "cd volume; echo $MARK > .envrc; mkdir .vscode; echo $MARK > .vscode/tasks.json; echo $MARK > repo/.git/hooks/pre-commit; "
      "echo $MARK >> repo/.git/config", "volume/.envrc", "volume/.vscode/tasks.json", "volume/repo/.git/hooks/pre-commit", "volume/repo/.git/config", setup=volume)


def own_programs(world, start):
    """Paddock itself lies in the workspace, as where somebody builds it; the next run would start what lies there."""
    shutil.copytree("/opt/paddock/bin", f"{world.work}/bin", ignore=shutil.ignore_patterns("unit_tests", "*_bench", "fuzz*", "generate*"))
    for path in (f"{world.work}/bin", *(f"{world.work}/bin/{name}" for name in os.listdir(f"{world.work}/bin"))):
        os.chown(path, world.uid, world.gid)
    mark = world.mark("names/own-programs")
    script = f"cd bin; for p in paddock paddock-guest; do rm -f $p; echo {mark} > $p; mv -f $p x; echo {mark} > $p; done; cd ..; mv bin b; mkdir bin; echo {mark} > bin/paddock-guest"
    start(["sh", "-c", script], program=f"{world.work}/bin/paddock").wait(30)
    return ""


probe("names/own-programs", "the wall's own programs, which lie in the workspace", judge=any_of(*(holds_mark("{W}/bin/" + one, one) for one in ("paddock", "paddock-guest"))),
      drive=own_programs, alone=True)
