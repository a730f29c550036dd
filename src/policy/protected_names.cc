// The default protected names. What is left out on purpose: names that builds must write and that no tool of the host
// runs unasked (Makefile, package.json, justfile, .env, CLAUDE.md, AGENTS.md, CI workflows): a review of the change is
// their guard.

#include "policy/preset.h"

namespace paddock::policy {

const std::vector<std::string>& DefaultProtectedNames() {
  static const std::vector<std::string> names = {
      // Shells and logins: run when a shell starts.
      ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
      ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".config/fish", ".xprofile",
      ".xinitrc", ".xsession", ".config/autostart", ".config/systemd", ".pam_environment",
      // git: programs by configuration, hooks, filters.
      ".git/config", ".git/config.worktree", ".git/hooks", ".git/info/attributes", ".git/commondir", ".gitconfig", ".gitmodules",
      ".config/git", ".githooks", ".husky", "lefthook.yml", ".lefthook.yml", "lefthook-local.yml", ".pre-commit-config.yaml",
      // Other version control: hooks and programs by configuration.
      ".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".jj/repo/config.toml",
      // Entering a directory.
      ".envrc", ".direnv", ".mise.toml", "mise.toml", ".rtx.toml",
      // Editors: tasks, interpreters, plugins and local start files.
      ".vscode", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua",
      ".vim", ".config/nvim", ".emacs", ".emacs.d", ".dir-locals.el", ".sublime-project",
      // Agents: settings that widen rights, commands, hooks, servers to start.
      ".claude/settings.json", ".claude/settings.local.json", ".claude/commands", ".claude/agents", ".claude/skills",
      ".claude/hooks", ".claude/plugins", ".claude.json", ".mcp.json", ".cursor", ".cursorrules", ".codex", ".agents",
      ".gemini/settings.json", ".gemini/commands", ".gemini/extensions", ".windsurf", ".continue", ".kiro", ".aider.conf.yml",
      ".opencode", "opencode.json", ".amazonq",
      // Tools that read options, and with them programs or registries, from where they stand.
      ".ripgreprc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pypirc", ".cargo/config", ".cargo/config.toml",
      ".bazelrc", ".gdbinit", ".lldbinit", ".sqliterc", ".psqlrc", ".curlrc", ".wgetrc", ".tmux.conf", ".screenrc", ".ackrc",
      // Keys and credentials.
      ".ssh", ".aws", ".gnupg", ".netrc", ".kube", ".docker/config.json",
  };
  return names;
}

}  // namespace paddock::policy
