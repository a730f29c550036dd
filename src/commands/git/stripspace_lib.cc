// git stripspace and var.
#include <algorithm>

#include "commands/git/config_files.h"
#include "commands/git/shell_words.h"
#include "commands/git/work/commit.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct StripOptions {
  bool strips = false, comments = false;
};
constexpr Option kStripOptions[] = {
    Flag<&StripOptions::strips>('s', "strip-comments", "take out lines that begin with #"),
    Flag<&StripOptions::comments>('c', "comment-lines", "put # before each line"),
};
Result<ExitStatus> RunStripspace(Invocation& in, Git*, StripOptions& options, Args&) {
  const std::string text = in.in.ReadAll();
  in.budget.Step(static_cast<int64_t>(1 + text.size() / 16));
  if (!options.comments) {
    in.out.Write(CleanMessage(text, options.strips));
    return 0;
  }
  for (const std::string_view line : SplitLines(text)) in.out.Write((line == "\n" || line[0] == '\t' ? "#" : "# ") + std::string(line) + (line.ends_with('\n') ? "" : "\n"));
  return 0;
}

struct VarOptions {
  bool lists = false;
};
constexpr Option kVarOptions[] = {Flag<&VarOptions::lists>('l', nullptr, "all of them, and the configuration")};
Result<ExitStatus> RunVar(Git& git, VarOptions& options, Args& args) {
  const auto editor = [&]() -> std::string {
    if (const auto value = git.in.env.Get("GIT_EDITOR")) return std::string(*value);
    if (const auto value = git.config.Get("core.editor")) return *value;
    if (const auto value = git.in.env.Get("VISUAL"); value && git.in.env.Get("TERM", "dumb") != "dumb") return std::string(*value);
    return std::string(git.in.env.Get("EDITOR", git.in.env.Get("TERM", "dumb") == "dumb" ? "" : "editor"));
  };
  static constexpr std::string_view kNames[] = {"GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_DEFAULT_BRANCH"};
  const auto value_of = [&](std::string_view name) -> Result<std::string> {
    if (name == "GIT_COMMITTER_IDENT") return git.Committer();
    if (name == "GIT_AUTHOR_IDENT") return git.Author();
    if (name == "GIT_EDITOR") return editor();
    if (name == "GIT_SEQUENCE_EDITOR") return std::string(git.in.env.Get("GIT_SEQUENCE_EDITOR", git.config.Get("sequence.editor", editor())));
    if (name == "GIT_PAGER") return PagerOf(git);
    return DefaultBranch(git.in.env, git.config).value_or("master");
  };
  const std::vector<std::string> operands = args.All();
  if (options.lists) {
    for (const ConfigEntry& entry : git.config.entries()) git.Print(entry.key + "=" + entry.value.value_or("") + "\n");
    for (const std::string_view name : kNames) {
      PADDOCK_ASSIGN(const std::string value, value_of(name));
      if (!value.empty()) git.Print(std::string(name) + "=" + value + "\n");
    }
    return 0;
  }
  if (operands.size() != 1 || std::find(std::begin(kNames), std::end(kNames), operands[0]) == std::end(kNames)) {
    git.Say("usage: git var (-l | <variable>)\n");
    return 129;
  }
  PADDOCK_ASSIGN(const std::string value, value_of(operands[0]));
  if (value.empty() && operands[0].ends_with("EDITOR")) return Error(Code::kInvalid, "Terminal is dumb, but EDITOR unset");
  if (value.empty()) return 1;
  git.Print(value + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kStripspace, kVar;
const Subcommand kStripspace = DefineFreeSubcommand<StripOptions, RunStripspace>({.name = "stripspace", .summary = "take needless blanks out of a text", .synopsis = "[-s | --strip-comments]\n[-c | --comment-lines]", .options = kStripOptions, .needs = Needs::kMaybeRepository});
const Subcommand kVar = DefineSubcommand<VarOptions, RunVar>({.name = "var", .summary = "show who commits and what runs", .synopsis = "(-l | <variable>)", .options = kVarOptions});

}  // namespace paddock::git
