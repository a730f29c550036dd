// git - keep the history of a tree of files
//
// usage: git [-C PATH] [-c NAME=VALUE] [--git-dir=PATH] [--work-tree=PATH] [-p|--no-pager] COMMAND [ARGS]
//
// Exit status: 0; 1 for errors of a subcommand; 128 for a fatal one; 129 for a wrong option.
// Source: the manual pages of git 2.39; the format of repositories is theirs, both ways.
// Differs: repositories are reached by path and by http(s)://, where the sandbox's policy allows the host: git's smart protocol, with
// basic authentication; no ssh, git:// or dumb HTTP. Hooks that are run: pre-commit, prepare-commit-msg (with an editor), commit-msg,
// post-commit, post-checkout, post-rewrite, pre-merge-commit, post-merge, pre-rebase, pre-push, applypatch-msg, pre-applypatch,
// post-applypatch, and of pushes into repositories by path pre-receive, update, post-receive, post-update and push-to-checkout; others are
// passed over. Partial clones fetch everything.
// No filter processes and pagers; references below refs/replace/ and info/grafts are not looked at; filter-branch does not wait behind its
// warning and has no --state-branch; SHA-1 repositories with an index of version 2 or 3.

#include "commands/git/git.h"

#include <algorithm>

#include "commands/git/similar_command.h"
#include "commands/git/config_files.h"
#include "commands/git/subcommands.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr std::string_view kExecPath = "/usr/lib/git-core";

struct GlobalOptions {
  std::string git_dir, work_tree;
  bool is_bare = false;
  bool has_no_pager = false;
  std::vector<std::pair<std::string, std::string>> config;
  std::vector<std::string> args;   // the subcommand and all behind it
  std::string subcommand;
};

ExitStatus ShowUsage(Invocation& in, int status) {
  std::string text = "usage: git [--version] [--help] [-C <path>] [-c <name>=<value>] [-p | --no-pager]\n"
                     "           [--bare] [--git-dir=<path>] [--work-tree=<path>] <command> [<args>]\n\nCommands:\n";
  for (const git::Subcommand* command : git::AllSubcommands()) {
    std::string name = command->name;
    name.resize(std::max<size_t>(name.size() + 2, 16), ' ');
    text += "   " + name + command->summary + "\n";
  }
  in.out.Write(text);
  return status;
}

// Reads the options before the subcommand. The exit status when that is the end.
std::optional<ExitStatus> ReadGlobals(Invocation& in, GlobalOptions& options) {
  size_t i = 1;
  const auto die = [&in](std::string_view text) {
    in.err.Write(std::string(text) + "\n");
    return 129;
  };
  for (; i < in.args.size() && in.args[i].starts_with('-'); ++i) {
    in.budget.Step();
    const std::string_view arg = in.args[i];
    const auto value_of = [&](std::string_view name, std::string& value) -> bool {
      if (arg.starts_with(std::string(name) + "=")) value = arg.substr(name.size() + 1);
      else if (arg == name && i + 1 < in.args.size()) value = in.args[++i];
      else return false;
      return true;
    };
    if (arg == "--version" || arg == "-v") {
      in.out.Write("git version 2.39.5 (Paddock)\n");
      return 0;
    }
    if (arg == "--help" || arg == "-h") return ShowUsage(in, 0);
    if (arg == "--no-pager" || arg == "-P") {
      options.has_no_pager = true;
      continue;
    }
    if (arg == "-p" || arg == "--paginate" || arg == "--no-optional-locks" || arg == "--no-replace-objects") {
      continue;
    }
    if (arg == "--bare") {
      options.is_bare = true;
      continue;
    }
    if (value_of("--git-dir", options.git_dir) || value_of("--work-tree", options.work_tree)) continue;
    if (arg == "-C") {
      if (++i >= in.args.size()) return die("no directory given for '-C'");
      if (in.args[i].empty()) continue;
      if (const Status status = in.process.files().ChangeDirectory(in.args[i]); !status) {
        in.err.Write("fatal: cannot change to '" + in.args[i] + "': " + std::string(status.error().Text()) + "\n");
        return 128;
      }
      continue;
    }
    if (arg == "-c") {
      if (++i >= in.args.size()) return die("-c expects a configuration string");
      const size_t equals = in.args[i].find('=');
      options.config.emplace_back(in.args[i].substr(0, equals), equals == std::string::npos ? "true" : in.args[i].substr(equals + 1));
      continue;
    }
    if (arg == "--config-env" || arg.starts_with("--config-env=")) {
      const size_t begin = std::string_view("--config-env=").size();
      if (arg.size() < begin && i + 1 >= in.args.size()) return die("no config key given for --config-env");
      const std::string text = arg.size() < begin ? in.args[++i] : std::string(arg.substr(begin));
      const size_t equals = text.rfind('=');
      if (equals == std::string::npos || equals == 0) return git::Die(in, Error(Code::kInvalid, "invalid config format: " + text));
      const std::string variable = text.substr(equals + 1);
      if (variable.empty()) return git::Die(in, Error(Code::kInvalid, "missing environment variable name for configuration '" + text.substr(0, equals) + "'"));
      const auto value = in.env.Get(variable);
      if (!value) return git::Die(in, Error(Code::kInvalid, "missing environment variable '" + variable + "' for configuration '" + text.substr(0, equals) + "'"));
      options.config.emplace_back(text.substr(0, equals), *value);
      continue;
    }
    constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {
        {"--exec-path", kExecPath}, {"--html-path", "/usr/share/doc/git/html"}, {"--man-path", "/usr/share/man"}, {"--info-path", "/usr/share/info"}};
    if (const auto place = std::ranges::find(kPlaces, arg, &std::pair<std::string_view, std::string_view>::first); place != std::end(kPlaces)) {
      in.out.WriteLine(arg == "--exec-path" ? in.env.Get("GIT_EXEC_PATH", place->second) : place->second);
      return 0;
    }
    in.err.Write("unknown option: " + in.args[i] + "\n");
    ShowUsage(in, 0);
    return 129;
  }
  if (i >= in.args.size()) return ShowUsage(in, 1);
  options.subcommand = in.args[i];
  options.args.assign(in.args.begin() + static_cast<std::ptrdiff_t>(i), in.args.end());
  return std::nullopt;
}

const git::Subcommand* FindSubcommand(std::string_view name) {
  for (const git::Subcommand* command : git::AllSubcommands()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

// Splits an alias into words, as git does: quotes and backslashes.
std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
      continue;
    }
    has_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) quote = c;
    else if (c == quote) quote = 0;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size()) word += text[++i];
    else word += c;
  }
  if (has_word) words.push_back(std::move(word));
  return words;
}

// The environment with what the options before the subcommand said.
Environment WithGlobals(Invocation& in, const GlobalOptions& options) {
  Environment environment = in.env;
  size_t count = 0;
  for (; environment.Get("GIT_CONFIG_KEY_" + std::to_string(count)) && count < 1000; ++count) in.budget.Step();
  if (!environment.Get("GIT_CONFIG_COUNT")) count = 0;
  for (const auto& [key, value] : options.config) {
    environment.Set("GIT_CONFIG_KEY_" + std::to_string(count), value.empty() && key.empty() ? "" : key);
    environment.Set("GIT_CONFIG_VALUE_" + std::to_string(count), value);
    environment.Set("GIT_CONFIG_COUNT", std::to_string(++count));
  }
  return environment;
}

// `git NAME` runs the program git-NAME of the PATH, which is how people add commands. Nothing when there is none.
std::optional<ExitStatus> RunProgram(Invocation& in, const GlobalOptions& options) {
  const std::string name = "git-" + options.subcommand;
  if (name.find('/') != std::string::npos || !in.launcher.FindProgram(in.process, in.env, name)) return std::nullopt;
  Environment environment = in.env;
  environment.Set("GIT_EXEC_PATH", kExecPath);
  environment.Set("PATH", std::string(kExecPath) + ":" + std::string(in.env.Get("PATH", "")));
  if (!options.git_dir.empty()) environment.Set("GIT_DIR", options.git_dir);
  if (options.is_bare && options.git_dir.empty()) environment.Set("GIT_DIR", in.fs.cwd());
  if (!options.work_tree.empty()) environment.Set("GIT_WORK_TREE", options.work_tree);
  if (options.has_no_pager) environment.Set("GIT_PAGER", "cat");
  std::vector<std::string> args = options.args;
  args[0] = name;
  in.out.Flush();
  const auto status = in.launcher.Run(in.process, {.args = std::move(args), .environment = &environment});
  return status ? *status : 128;
}

// The names behind "git-" of what is in the PATH.
void AddPrograms(Invocation& in, std::vector<std::string>& names) {
  std::string_view path = in.env.Get("PATH", "");
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    const std::string directory(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    in.budget.Step();
    const auto entries = directory.empty() ? Result<std::vector<vfs::DirectoryEntry>>(Error(Code::kNoEntry)) : in.fs.List(directory);
    if (!entries) continue;
    for (const vfs::DirectoryEntry& entry : *entries) {
      in.budget.Step();
      constexpr int kExecute = 1;
      if (entry.name.starts_with("git-") && in.fs.Access(directory + "/" + entry.name, kExecute)) names.push_back(entry.name.substr(4));
    }
  }
}

// A shell alias ("!cmd") runs at the top of the tree.
ExitStatus RunShellAlias(Invocation& in, git::Git* git, std::string_view text, const GlobalOptions& options) {
  std::vector<std::string> args = {"sh", "-c", std::string(text) + " \"$@\"", std::string(text)};
  args.insert(args.end(), options.args.begin() + 1, options.args.end());
  Environment environment = in.env;
  if (git != nullptr) environment.Set("GIT_PREFIX", git->prefix);
  ChildSpec spec{.args = std::move(args), .environment = &environment};
  if (git != nullptr && !git->work_tree.empty()) spec.cwd = git->work_tree;
  in.out.Flush();
  const auto status = in.launcher.Run(in.process, spec);
  return status ? *status : 128;
}

ExitStatus ComplainOfCommand(Invocation& in, const git::Config& config, const std::string& word) {
  std::vector<std::string> known;
  AddPrograms(in, known);
  for (const git::ConfigEntry& entry : config.entries()) {
    if (entry.key.starts_with("alias.")) known.push_back(entry.key.substr(6));
  }
  for (const git::Subcommand* command : git::AllSubcommands()) known.emplace_back(command->name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::vector<std::string> similar = git::SimilarCommands(word, known, in.budget);
  std::string text = "git: '" + word + "' is not a git command. See 'git --help'.\n";
  if (!similar.empty()) text += similar.size() == 1 ? "\nThe most similar command is\n" : "\nThe most similar commands are\n";
  for (const std::string& name : similar) text += "\t" + name + "\n";
  in.err.Write(text);
  return 1;
}

ExitStatus Dispatch(Invocation& in, GlobalOptions options) {
  std::optional<git::Git> git;
  Status missing;
  if (auto place = git::FindRepository(in, options.git_dir, options.work_tree)) {
    git.emplace(in, place->git_dir, options.is_bare ? std::string() : place->work_tree, place->is_bare || options.is_bare, place->common_dir);
  } else {
    missing = place.error();
  }
  std::vector<git::ConfigFile> files;
  auto config = git::ReadConfigFiles(in, git ? &*git : nullptr, files);
  if (!config) return git::Die(in, config.error());
  if (git) {
    git->config = *config;
    const Status taken = git::TakeConfig(*git, files, /*is_being_mended=*/options.subcommand == "config");
    if (!taken) return git::Die(in, taken.error());
    if (config->GetBool("core.bare", false) && options.work_tree.empty() && !in.env.Get("GIT_WORK_TREE") && git->git_dir == git->common_dir) {
      git->is_bare = true;
      git->work_tree.clear();
    }
    if (const auto version = config->Get("core.repositoryformatversion"); version && *version != "0" && config->Get("extensions.objectformat", "sha1") != "sha1") {
      return git::Die(in, Error(Code::kNotSupported, "repositories with other hashes than SHA-1 are not supported"));
    }
  }
  const git::Subcommand* command = FindSubcommand(options.subcommand);
  for (int depth = 0; command == nullptr && depth < 10; ++depth) {
    if (const auto status = RunProgram(in, options)) return *status;
    const auto alias = config->Get("alias." + git::FoldConfigKey("alias." + options.subcommand).value_or("alias.").substr(6));
    if (!alias) break;
    if (alias->starts_with('!')) return RunShellAlias(in, git ? &*git : nullptr, std::string_view(*alias).substr(1), options);
    std::vector<std::string> words = SplitWords(*alias);
    if (words.empty() || words[0] == options.subcommand) break;
    words.insert(words.end(), options.args.begin() + 1, options.args.end());
    options.args = std::move(words);
    options.subcommand = options.args[0];
    command = FindSubcommand(options.subcommand);
  }
  if (command == nullptr) {
    return ComplainOfCommand(in, *config, options.subcommand);
  }
  using Needs = git::Subcommand::Needs;
  const bool wants_help = std::find(options.args.begin(), options.args.end(), "--help") != options.args.end() || (options.args.size() == 2 && options.args[1] == "-h");
  if (!wants_help) {
    if (!git && (command->needs == Needs::kRepository || command->needs == Needs::kWorkTree)) return git::Die(in, missing.error());
    if (git && command->needs == Needs::kWorkTree && git->work_tree.empty()) return git::Die(in, Error(Code::kInvalid, std::string(git::kNeedsWorkTree)));
  }
  return command->run(in, *command, git ? &*git : nullptr, std::move(options.args));
}

ExitStatus Run(Invocation& in) {
  GlobalOptions options;
  if (const auto status = ReadGlobals(in, options)) return *status;
  if (options.subcommand == "help") {
    const git::Subcommand* command = options.args.size() > 1 ? FindSubcommand(options.args[1]) : nullptr;
    if (command == nullptr) return ShowUsage(in, 0);
    return command->run(in, *command, nullptr, {options.args[1], "--help"});
  }
  if (options.subcommand == "version") {
    in.out.Write("git version 2.39.5 (Paddock)\n");
    return 0;
  }
  if (options.config.empty()) return Dispatch(in, std::move(options));
  const Environment environment = WithGlobals(in, options);
  Invocation inner{in.args, in.in, in.out, in.err, in.fs, environment, in.budget, in.clock, in.process, in.kernel, in.launcher, in.command, in.locale};
  return Dispatch(inner, std::move(options));
}

}  // namespace

namespace git {

ExitStatus Die(Invocation& in, const Error& error) {
  in.out.Flush();
  in.err.Write("fatal: " + std::string(error.Text()) + "\n");
  return 128;
}

namespace {

// getopt's complaint in git's words.
std::string GitComplaint(std::string_view text) {
  const auto quoted = [&text]() {
    const size_t begin = text.find('\''), end = text.rfind('\'');
    return begin == std::string_view::npos || end <= begin ? std::string(text) : std::string(text.substr(begin + 1, end - begin - 1));
  };
  if (text.starts_with("unrecognized option '--")) {
    const std::string name = quoted().substr(2);
    return "unknown option `" + name.substr(0, name.find('=')) + "'";
  }
  if (text.starts_with("invalid option -- ")) return "unknown switch `" + quoted() + "'";
  if (text.starts_with("option requires an argument -- ")) return "switch `" + quoted() + "' requires a value";
  if (text.starts_with("option '--") && text.ends_with("requires an argument")) return "option `" + quoted().substr(2) + "' requires a value";
  if (text.starts_with("option '--") && text.ends_with("allow an argument")) {
    const std::string_view name = text.substr(10);
    return "option `" + std::string(name.substr(0, name.find('\''))) + "' takes no value";
  }
  return std::string(text);
}

// Spells abbreviated options out where git would: there is no --version among those of a subcommand to mistake them for.
void CompleteLongOptions(std::vector<std::string>& args, std::span<const Option> table) {
  for (size_t i = 1; i < args.size(); ++i) {
    if (!args[i].starts_with("--")) continue;
    const size_t end = std::min(args[i].find('='), args[i].size());
    const std::string_view name = std::string_view(args[i]).substr(2, end - 2);
    const Option* found = nullptr;
    bool is_settled = name.empty();
    for (const Option& option : table) {
      if (option.long_name == nullptr || !std::string_view(option.long_name).starts_with(name)) continue;
      is_settled |= found != nullptr || option.long_name == name;
      found = &option;
    }
    if (found != nullptr && !is_settled) args[i].replace(2, end - 2, found->long_name);
  }
}

std::string UsageText(const Subcommand& self) {
  std::string text;
  std::string_view synopsis = self.synopsis;
  const char* lead = "usage: ";
  while (true) {
    const size_t end = synopsis.find('\n');
    text += lead + std::string("git ") + self.name + " " + std::string(synopsis.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    synopsis.remove_prefix(end + 1);
    lead = "   or: ";
  }
  return text + "\n" + OptionHelp(self.options);
}

// Commands that show commits or differences take what they do not know for an option of revisions, and complain of the whole word.
std::optional<ExitStatus> ComplainOfRevisionOption(Invocation& in, const Subcommand& self, std::string_view complaint, const std::vector<std::string>& args) {
  const std::string_view name = self.name;
  const bool is_fatal = name == "log" || name == "show" || name == "whatchanged" || name == "format-patch";
  const bool is_parsed = name == "shortlog" || name == "blame" || name == "annotate";
  if (!is_fatal && !is_parsed && name != "diff") return std::nullopt;
  const std::string_view what = complaint.substr(complaint.find('`') + 1);
  const std::string wrong(what.substr(0, what.size() - 1));
  const bool is_long = complaint.starts_with("unknown option");
  const auto word = std::find_if(args.begin() + 1, args.end(), [&](const std::string& arg) {
    if (is_long) return arg == "--" + wrong || arg.starts_with("--" + wrong + "=");
    return arg.size() > 1 && arg[0] == '-' && arg[1] != '-' && arg.find(wrong) != std::string::npos;
  });
  const std::string shown = word == args.end() ? wrong : *word;
  if (is_fatal) return Die(in, Error(Code::kInvalid, "unrecognized argument: " + shown));
  in.err.Write("error: " + (is_parsed ? "unknown option `" + shown + "'" : "invalid option: " + shown) + "\n" + UsageText(self));
  return 129;
}

}  // namespace

std::optional<Args> PrepareSubcommand(Invocation& in, const Subcommand& self, void* options, const std::vector<std::string>& args, ExitStatus* status) {
  Args result;
  const auto dashes = std::find(args.begin() + 1, args.end(), "--");
  result.has_dashes = dashes != args.end();
  if (result.has_dashes) result.paths.assign(dashes + 1, args.end());
  std::vector<std::string> before(args.begin(), dashes);
  if (before.size() == 2 && before[1] == "-h") {
    in.out.Write(UsageText(self));
    *status = 129;
    return std::nullopt;
  }
  CompleteLongOptions(before, self.options);
  auto parsed = ParseOptions(before, self.options, options, self.rules);
  if (!parsed) {
    if (parsed.error().code == Code::kInvalid) {
      *status = Die(in, parsed.error());
      return std::nullopt;
    }
    const std::string complaint = GitComplaint(parsed.error().Text());
    if (complaint.starts_with("unknown option `") || complaint.starts_with("unknown switch `")) {   // not "unknown group type: …"
      if (const auto said = ComplainOfRevisionOption(in, self, complaint, before)) {
        *status = *said;
        return std::nullopt;
      }
    }
    in.err.Write("error: " + complaint + "\n");
    if (parsed.error().code == Code::kSyntax && complaint.starts_with("unknown ")) in.err.Write(UsageText(self));
    *status = 129;
    return std::nullopt;
  }
  if (parsed->wants_help) {
    in.out.Write("git " + std::string(self.name) + " - " + self.summary + "\n\n" + UsageText(self));
    *status = 0;
    return std::nullopt;
  }
  if (parsed->wants_version) {
    in.err.Write("error: unknown option `version'\n");
    *status = 129;
    return std::nullopt;
  }
  result.operands = std::move(parsed->operands);
  return result;
}

}  // namespace git

extern const Command kCommand_git;
const Command kCommand_git = {
    .name = "git",
    .summary = "keep the history of a tree of files",
    .synopsis = "[-C PATH] [-c NAME=VALUE] [--git-dir=PATH] [--work-tree=PATH] COMMAND [ARGS]",
    .details = "git COMMAND --help tells the options of a command.\n",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
