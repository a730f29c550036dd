// Names in the workspace that tools of the host obey later: written inside, and looked for outside when the sandbox has
// ended. The workspace is the stage's own; it holds a git repository and a directory "nested" with another.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

// The stage looks for the mark in the whole workspace.
Verdict Write(const Facts& facts, const std::string& path, int extra_flags = O_CREAT) {
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) mkdir(path.substr(0, slash).c_str(), 0755);
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | extra_flags, 0755);
  if (file < 0) return Held(path + ": " + std::strerror(errno));
  const std::string mark = "# " + facts.Text("mark") + "\n";
  const ssize_t written = write(file, mark.data(), mark.size());
  close(file);
  return Held(written < 0 ? path + ": " + std::strerror(errno) : path + " was written inside; it may not stay");
}

Verdict GitHook(const Facts& facts) { return Write(facts, ".git/hooks/pre-commit"); }
Verdict GitConfig(const Facts& facts) { return Write(facts, ".git/config", 0); }
Verdict NestedHook(const Facts& facts) { return Write(facts, "nested/.git/hooks/post-checkout"); }
Verdict NewRepository(const Facts& facts) { return Write(facts, "fresh/deep/.git/hooks/pre-push"); }
Verdict ShellStart(const Facts& facts) { return Write(facts, ".bashrc"); }
Verdict EditorTasks(const Facts& facts) { return Write(facts, ".vscode/tasks.json"); }
Verdict AgentSettings(const Facts& facts) { return Write(facts, ".claude/settings.json"); }
Verdict ToolServers(const Facts& facts) { return Write(facts, ".mcp.json"); }
Verdict OtherCase(const Facts& facts) { return Write(facts, "other/.GIT/hooks/pre-commit"); }

Verdict Replace(const Facts& facts) {
  const Verdict made = Write(facts, "replacement");
  if (rename("replacement", ".git/hooks/commit-msg") == 0) return made;
  const std::string why = std::strerror(errno);
  unlink("replacement");
  return Held(".git/hooks/commit-msg by rename: " + why);
}

Verdict MoveParent(const Facts& facts) {
  if (rename(".git", ".git-old") != 0) return Held(std::string("moving .git away: ") + std::strerror(errno));
  mkdir(".git", 0755);
  return Write(facts, ".git/hooks/pre-rebase");
}

Verdict LinkedDirectory(const Facts& facts) {
  mkdir("attic", 0755);
  mkdir("attic/hooks", 0755);
  mkdir("linked", 0755);
  if (symlink("../attic", "linked/.git") != 0) return Held(std::string("a link named .git: ") + std::strerror(errno));
  const Verdict verdict = Write(facts, "linked/.git/hooks/pre-commit");
  return verdict;
}

constexpr Probe kProbes[] = {
    {"names/git-hook", ".git/hooks of the workspace", GitHook, Needs::kEnd, ".git/hooks/pre-commit"},
    {"names/git-config", ".git/config, which can name programs", GitConfig, Needs::kEnd, ".git/config"},
    {"names/nested-hook", "hooks of a repository deeper down", NestedHook, Needs::kEnd, "nested/.git/hooks/post-checkout"},
    {"names/new-repository", "hooks of a repository that was not there", NewRepository, Needs::kEnd, "fresh/deep/.git/hooks/pre-push"},
    {"names/shell-start", "a shell's start file", ShellStart, Needs::kEnd, ".bashrc"},
    {"names/editor-tasks", "an editor's tasks", EditorTasks, Needs::kEnd, ".vscode/tasks.json"},
    {"names/agent-settings", "an agent's settings", AgentSettings, Needs::kEnd, ".claude/settings.json"},
    {"names/tool-servers", "an agent's tool servers", ToolServers, Needs::kEnd, ".mcp.json"},
    {"names/other-case", "the same names in capitals", OtherCase, Needs::kEnd, "other/.GIT/hooks/pre-commit"},
    {"names/rename", "a file renamed into place", Replace, Needs::kEnd, ".git/hooks/commit-msg"},
    {"names/move-parent", "the directory above moved away", MoveParent, Needs::kEnd, ".git/hooks/pre-rebase"},
    {"names/linked", "a link in the place of a protected directory", LinkedDirectory, Needs::kEnd, "linked/.git/hooks/pre-commit"},
};

}  // namespace

std::span<const Probe> NameProbes() { return kProbes; }

}  // namespace paddock::escape
