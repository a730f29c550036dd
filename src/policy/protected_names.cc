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
      ".xinitrc", ".xsession", ".config/autostart", ".config/systemd", ".pam_environment", ".bash_completion", ".logout", ".xsessionrc",
      ".xinputrc", ".config/environment.d", ".config/plasma-workspace", ".config/zsh", ".config/nushell", ".config/powershell",
      ".local/bin", ".local/share/applications", ".local/share/systemd", ".local/share/dbus-1", ".oh-my-zsh", ".forward", ".procmailrc",
      ".rhosts", ".shosts", ".k5login",
      // Desktops and terminals: programs by configuration.
      ".config/sway", ".config/hypr", ".config/i3", ".i3", ".xmonad", ".config/awesome", ".config/bspwm", ".config/qtile", ".config/kitty",
      ".config/alacritty", ".config/wezterm", ".wezterm.lua", ".config/tmux",
      // git: programs by configuration, hooks, filters.
      ".git/config", ".git/config.worktree", ".git/hooks", ".git/info/attributes", ".git/commondir", ".gitconfig", ".gitmodules",
      ".config/git", ".githooks", ".husky", "lefthook.yml", ".lefthook.yml", "lefthook-local.yml", ".pre-commit-config.yaml",
      "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", ".lefthook.toml", "lefthook.json", ".lefthook.json", ".lefthook-local.yml",
      "lefthook-local.yaml", ".lefthook-local.yaml", ".lefthook", ".overcommit.yml", ".git-hooks", ".gitlint",
      // Other version control: hooks and programs by configuration.
      ".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".jj/repo/config.toml", ".jj/repo/workspace-config.toml", ".sl/config",
      ".pijul/config",
      // Entering a directory.
      ".envrc", ".direnv", ".mise.toml", "mise.toml", ".rtx.toml", ".mise.local.toml", "mise.local.toml", ".mise", "mise/config.toml",
      ".config/mise", ".config/mise.toml", ".autoenv", ".autoenv.zsh", ".shadowenv.d", ".localrc",
      // Editors: tasks, interpreters, plugins and local start files.
      ".vscode", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua",
      ".vim", ".config/nvim", ".emacs", ".emacs.d", ".dir-locals.el", ".sublime-project",
      ".dir-locals-2.el", ".gvimrc", ".lvimrc", ".local.vimrc", ".vimrc.local", ".spacemacs", ".doom.d", ".config/emacs", ".config/vim",
      ".helix", ".config/helix", ".config/zed", ".kakrc", ".vs", ".nova", ".theia", ".lapce", ".config/Code", ".config/VSCodium",
      ".config/Cursor", ".vscode-server", ".cursor-server",
      // Agents: settings that widen rights, commands, hooks, servers to start.
      ".claude/settings.json", ".claude/settings.local.json", ".claude/commands", ".claude/agents", ".claude/skills",
      ".claude/hooks", ".claude/plugins", ".claude.json", ".mcp.json", ".cursor", ".cursorrules", ".codex", ".agents",
      ".gemini/settings.json", ".gemini/commands", ".gemini/extensions", ".windsurf", ".continue", ".kiro", ".aider.conf.yml",
      ".opencode", "opencode.json", "opencode.jsonc", ".amazonq", ".claude/output-styles", ".claude/statusline.sh", ".claude-plugin",
      ".gemini/.env", ".gemini/policies", ".github/hooks", ".copilot", ".qwen", ".roo", ".roomodes", ".clinerules", ".cline", ".trae", ".junie",
      ".kilocode", ".kilocodemodes", ".augment", ".factory", ".crush", ".crush.json", "crush.json", ".goose", ".openhands", ".amp", ".zencoder",
      ".warp", ".windsurfrules", ".continuerc.json", ".rovodev", ".mcp",
      // Tools that read options, and with them programs or registries, from where they stand.
      ".ripgreprc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pypirc", ".cargo/config", ".cargo/config.toml",
      ".bazelrc", ".gdbinit", ".lldbinit", ".sqliterc", ".psqlrc", ".curlrc", ".wgetrc", ".tmux.conf", ".screenrc", ".ackrc",
      ".pnpmfile.mjs", ".yarn/releases", ".yarn/plugins", "bunfig.toml", "uv.toml", ".mvn", ".bazeliskrc", ".terraformrc", ".config/pip", ".config/uv",
      ".config/gh", ".config/gdb", ".gdbearlyinit", ".pdbrc", ".pdbrc.py", ".irbrc", ".pryrc", ".byebugrc", ".rdbgrc", ".Rprofile", ".Renviron",
      ".ghci", ".ocamlinit", ".iex.exs", ".erlang", ".octaverc", ".tclshrc", ".wishrc", ".gnuplot", ".mailcap", ".nanorc",
      // Keys and credentials.
      ".ssh", ".aws", ".gnupg", ".netrc", ".kube", ".docker/config.json", ".pgpass", ".my.cnf", ".mylogin.cnf",
  };
  return names;
}

}  // namespace paddock::policy
