// git sparse-checkout.
#include <algorithm>

#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/worktree.h"
#include "git/config_edit.h"

namespace paddock::git {
namespace {

struct SparseOptions {
  std::optional<bool> is_cone, has_sparse_index;
  bool skips_checks = false, from_stdin = false;
};
template <auto kMember, bool kValue>
Status TakeChoice(SparseOptions& options, std::string_view) {
  options.*kMember = kValue;
  return {};
}

constexpr Option kSparseOptions[] = {
    Call<TakeChoice<&SparseOptions::is_cone, true>>(0, "cone", nullptr, "whole directories are chosen (the default)"),
    Call<TakeChoice<&SparseOptions::is_cone, false>>(0, "no-cone", nullptr, "patterns choose, as those of .gitignore"),
    Call<TakeChoice<&SparseOptions::has_sparse_index, true>>(0, "sparse-index", nullptr, "configure an index that has directories as one entry"),
    Call<TakeChoice<&SparseOptions::has_sparse_index, false>>(0, "no-sparse-index", nullptr, "do not (the default)"),
    Flag<&SparseOptions::skips_checks>(0, "skip-checks", "take any names"),
    Flag<&SparseOptions::from_stdin>(0, "stdin", "read the names from standard input"),
};

class SparseCheckout {
 public:
  SparseCheckout(Git& git, SparseOptions& options, std::vector<std::string> names) : git_(git), options_(options), names_(std::move(names)) {}

  // Of words that are for sparse checkouts alone, where there is none.
  static Error RefuseWord(std::string_view word) {
    return {Code::kInvalid, word == "add" ? "no sparse-checkout to add to" : word == "list" ? "this worktree is not sparse" : "must be in a sparse-checkout to reapply sparsity patterns"};
  }

  Result<ExitStatus> Init() {
    PADDOCK_TRY(UpdateModes());
    if (ReadPatterns(git_, false)) return Update(std::nullopt);
    if (!git_.Head()) {
      PADDOCK_TRY(WritePatterns("/*\n!/*/\n"));
      return 0;
    }
    return WriteAndUpdate(TopAlone(options_.is_cone.value_or(true)));
  }

  Result<ExitStatus> Set() {
    PADDOCK_TRY(UpdateModes());
    SparsePatterns patterns(IsCone());
    if (!IsCone() && !options_.from_stdin && names_.empty()) return WriteAndUpdate(TopAlone(false));
    PADDOCK_TRY(CheckNames());
    PADDOCK_TRY(AddNames(patterns));
    return WriteAndUpdate(std::move(patterns));
  }

  Result<ExitStatus> Add() {
    PADDOCK_TRY(CheckNames());
    std::optional<SparsePatterns> known = ReadPatterns(git_, IsCone());
    if (!IsCone()) {
      if (!known) return Error(Code::kNoEntry, "unable to load existing sparse-checkout patterns");
      PADDOCK_TRY(AddNames(*known));
      return WriteAndUpdate(std::move(*known));
    }
    SparsePatterns patterns(true);
    PADDOCK_TRY(AddNames(patterns));
    if (!known) return Error(Code::kNoEntry, "unable to load existing sparse-checkout patterns");
    if (!known->is_cone()) return Error(Code::kInvalid, "existing sparse-checkout patterns do not use cone mode");
    patterns.AddDirectoriesOf(*known, git_.in.budget);
    return WriteAndUpdate(std::move(patterns));
  }

  Result<ExitStatus> List() {
    const std::optional<SparsePatterns> patterns = ReadPatterns(git_, IsCone());
    if (!patterns) {
      git_.Warn("this worktree is not sparse (sparse-checkout file may not exist)");
      return 0;
    }
    for (const std::string& line : patterns->List()) git_.Print((patterns->is_cone() ? QuotePath(line, true) : line) + "\n");
    return 0;
  }

  Result<ExitStatus> Reapply() {
    PADDOCK_TRY(UpdateModes());
    return Update(std::nullopt);
  }

  Result<ExitStatus> Disable() {
    SparsePatterns all(false);
    all.AddPattern("/*", git_.in.budget);
    SetInMemory("core.sparsecheckout", true);
    PADDOCK_TRY(Update(std::move(all)));
    PADDOCK_TRY(SetConfig("core.sparseCheckout", false));
    PADDOCK_TRY(SetConfig("core.sparseCheckoutCone", false));
    PADDOCK_TRY(SetConfig("index.sparse", false));
    return 0;
  }

 private:
  bool IsSparse() const { return git_.config.GetBool("core.sparsecheckout", false); }
  bool IsCone() const { return git_.config.GetBool("core.sparsecheckoutcone", false); }
  void SetInMemory(std::string_view key, bool value) { git_.config.Add({ConfigEntry{*FoldConfigKey(key), value ? "true" : "false", SIZE_MAX, 0}}); }

  // In the working tree's own configuration, which is made if there is none.
  Status SetConfig(const std::string& key, bool value) {
    if (!git_.config.GetBool("extensions.worktreeconfig", false)) {
      const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath("config"));
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("config"), EditConfig(text ? *text : "", "extensions.worktreeConfig", "true", false)));
      SetInMemory("extensions.worktreeconfig", true);
    }
    const std::string path = git_.GitPath("config.worktree"), folded = *FoldConfigKey(key), word = value ? "true" : "false";
    const std::string text = vfs::ReadFile(git_.in.fs, path).value_or("");
    // A line that is there keeps its place.
    const auto edited = EditConfigMatching(text, folded, key.substr(key.find('.') + 1), word, {}, git_.in.budget);
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, path, edited ? *edited : EditConfig(text, key, word, false)));
    SetInMemory(key, value);
    return {};
  }

  Status UpdateModes() {
    const bool was_sparse = IsSparse(), records = options_.is_cone || !was_sparse;
    if (!options_.is_cone && was_sparse) options_.is_cone = IsCone();
    const bool is_cone = options_.is_cone.value_or(true);
    if (records) {
      PADDOCK_TRY(SetConfig("core.sparseCheckout", true));
      PADDOCK_TRY(SetConfig("core.sparseCheckoutCone", is_cone));
    }
    if (options_.has_sparse_index) PADDOCK_TRY(SetConfig("index.sparse", *options_.has_sparse_index));
    return {};
  }

  SparsePatterns TopAlone(bool is_cone) {
    SparsePatterns patterns(is_cone);
    std::vector<std::string> warnings;
    patterns.AddLines("/*\n!/*/\n", git_.in.budget, warnings);
    return patterns;
  }

  // Makes the operands paths from the top, and refuses those that are likely to be mistakes.
  Status CheckNames() {
    if (names_.empty()) return {};
    const bool is_below = !git_.prefix.empty();
    if (is_below && IsCone()) {
      for (std::string& name : names_) {
        PADDOCK_ASSIGN(name, git_.RepositoryPath(name));
      }
    }
    if (options_.skips_checks) return {};
    if (is_below && !IsCone()) return Error(Code::kInvalid, "please run from the toplevel directory in non-cone mode");
    for (const std::string& name : IsCone() ? names_ : std::vector<std::string>()) {
      if (name.starts_with('/')) return Error(Code::kInvalid, "specify directories rather than patterns (no leading slash)");
      if (name.starts_with('!')) return Error(Code::kInvalid, "specify directories rather than patterns.  If your directory starts with a '!', pass --skip-checks");
      if (name.find_first_of("*?[]") != std::string::npos) return Error(Code::kInvalid, "specify directories rather than patterns.  If your directory really has any of '*?[]\\' in it, pass --skip-checks");
    }
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    for (const std::string& name : names_) {
      if (index.Find(name) == nullptr) continue;
      if (IsCone()) return Error(Code::kInvalid, "'" + name + "' is not a directory; to treat it as a directory anyway, rerun with --skip-checks");
      git_.Warn("pass a leading slash before paths such as '" + name + "' if you want a single file (see NON-CONE PROBLEMS in the git-sparse-checkout manual).");
    }
    return {};
  }

  Status AddName(SparsePatterns& patterns, const std::string& name) {
    if (IsCone()) return patterns.AddDirectory(name, git_.in.budget);
    patterns.AddPattern(name, git_.in.budget);
    return {};
  }
  Status AddNames(SparsePatterns& patterns) {
    if (!options_.from_stdin) {
      for (const std::string& name : names_) PADDOCK_TRY(AddName(patterns, name));
      return {};
    }
    while (const auto text = git_.in.in.ReadLine()) {
      git_.in.budget.Step();
      const std::string line(text->text);
      if (!IsCone() || !line.starts_with('"')) {
        PADDOCK_TRY(AddName(patterns, line));
        continue;
      }
      if (line.size() < 2 || !line.ends_with('"')) return Error(Code::kSyntax, "unable to unquote C-style string '" + line + "'");
      PADDOCK_TRY(AddName(patterns, UnquotePath(line)));
    }
    return {};
  }

  Status WritePatterns(std::string_view text) {
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, vfs::DirectoryName(git_.GitPath("info/sparse-checkout"))));
    return vfs::WriteFile(git_.in.fs, git_.GitPath("info/sparse-checkout"), text);
  }
  Result<ExitStatus> WriteAndUpdate(SparsePatterns patterns) {
    const std::string text = patterns.Text();
    PADDOCK_ASSIGN(const ExitStatus status, Update(std::move(patterns)));
    PADDOCK_TRY(WritePatterns(text));
    return status;
  }

  // Makes the files follow the patterns; `patterns` absent: those of the file.
  Result<ExitStatus> Update(std::optional<SparsePatterns> patterns) {
    if (!git_.in.fs.Stat(std::string(git_.in.env.Get("GIT_INDEX_FILE", git_.GitPath("index")))) && !git_.Head()) return 0;
    if (!patterns) patterns = ActivePatterns(git_);
    if (!patterns) return 0;
    PADDOCK_ASSIGN(Index index, git_.ReadIndex());
    SparseLeftovers left;
    PADDOCK_TRY(FollowPatterns(git_, *patterns, index, false, left));
    left.Tell(git_);
    PADDOCK_TRY(git_.WriteIndex(index));
    if (patterns->is_cone()) PADDOCK_TRY(RemoveDirectories(*patterns, index));
    return 0;
  }

  // Directories out of the cone go with all that is ignored in them.
  Status RemoveDirectories(const SparsePatterns& patterns, const Index& index) {
    std::string last;   // the directory that was seen last, with a slash behind it
    if (index.HasConflicts()) return {};
    for (const IndexEntry& entry : index.entries()) {
      git_.in.budget.Step();
      if (!last.empty() && entry.path.starts_with(last)) continue;
      size_t slash = entry.path.find('/');
      while (slash != std::string::npos && patterns.IncludesDirectory(entry.path.substr(0, slash))) slash = entry.path.find('/', slash + 1);
      if (slash == std::string::npos) continue;
      last = entry.path.substr(0, slash + 1);
      PADDOCK_TRY(RemoveDirectory(last, index));
    }
    return {};
  }
  Status RemoveDirectory(const std::string& directory, const Index& index) {
    const std::string plain = directory.substr(0, directory.size() - 1);
    const auto facts = git_.in.fs.Stat(git_.FilePath(plain), vfs::Follow::kNo);
    if (!facts || !facts->is_directory()) return {};
    for (const IndexEntry& entry : index.entries()) {
      git_.in.budget.Step();
      if (entry.path.starts_with(directory) && !entry.is_skipped) return {};
    }
    PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths({":(top,literal)" + plain}));
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git_, index, UntrackedMode::kAll, paths, false));
    if (!found.files.empty()) {
      git_.Warn("directory '" + directory + "' contains untracked files, but is not in the sparse-checkout cone");
      return {};
    }
    return RemoveTree(git_.in, git_.FilePath(plain));
  }

  Git& git_;
  SparseOptions& options_;
  std::vector<std::string> names_;
};

Result<ExitStatus> RunSparseCheckout(Git& git, SparseOptions& options, Args& args) {
  std::vector<std::string> names = args.All();
  const auto refuse = [&git](const std::string& why) {
    git.Complain(why);
    git.Say("usage: git sparse-checkout (init | list | set | add | reapply | disable) [<options>]\n\n");
    return 129;
  };
  if (names.empty()) return refuse("need a subcommand");
  const std::string word = names[0];
  names.erase(names.begin());
  static constexpr std::string_view kWords[] = {"add", "disable", "init", "list", "reapply", "set"};
  if (std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords)) return refuse("unknown subcommand: `" + word + "'");
  // Which options the words have.
  const bool is_sparse = git.config.GetBool("core.sparsecheckout", false);
  if (!is_sparse && (word == "add" || word == "list" || word == "reapply")) return SparseCheckout::RefuseWord(word);
  const bool is_set = word == "set", has_modes = is_set || word == "init" || word == "reapply", has_names = is_set || word == "add";
  if (!has_modes && options.is_cone) return refuse(std::string("unknown option `") + (*options.is_cone ? "cone'" : "no-cone'"));
  if (!has_modes && options.has_sparse_index) return refuse(std::string("unknown option `") + (*options.has_sparse_index ? "sparse-index'" : "no-sparse-index'"));
  if (!has_names && options.skips_checks) return refuse("unknown option `skip-checks'");
  if (!has_names && options.from_stdin) return refuse("unknown option `stdin'");
  SparseCheckout checkout(git, options, std::move(names));
  if (word == "init") return checkout.Init();
  if (is_set) return checkout.Set();
  if (word == "add") return checkout.Add();
  if (word == "list") return checkout.List();
  return word == "reapply" ? checkout.Reapply() : checkout.Disable();
}

// Behind `set` and `add`, what looks like an option and is none is a name.
ExitStatus RunWithNames(Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) {
  const bool takes_names = args.size() > 1 && (args[1] == "set" || args[1] == "add");
  std::vector<std::string> words(args.begin(), args.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(args.size()))), names;
  for (size_t i = 2; i < args.size(); ++i) {
    in.budget.Step();
    const bool is_known = args[i] == "-h" || args[i] == "--help" || (args[i].starts_with("--") && std::any_of(std::begin(kSparseOptions), std::end(kSparseOptions), [&](const Option& one) { return std::string_view(one.long_name).starts_with(std::string_view(args[i]).substr(2)); }));
    if (takes_names && names.empty() && args[i] == "--") continue;
    if (takes_names && !is_known) names.push_back(std::move(args[i]));
    else words.push_back(std::move(args[i]));
  }
  if (!names.empty()) words.emplace_back("--");
  words.insert(words.end(), names.begin(), names.end());
  return DefineSubcommand<SparseOptions, RunSparseCheckout>({}).run(in, self, git, std::move(words));
}

}  // namespace

Status BeginSparse(Git& git) {
  SparseOptions options;
  const auto done = SparseCheckout(git, options, {}).Set();
  return done ? Status() : Status(done.error());
}

extern const Subcommand kSparseCheckout;
const Subcommand kSparseCheckout = {.name = "sparse-checkout", .summary = "have only a part of the files in the working tree", .synopsis = "(init | list | set | add | reapply | disable) [<options>]", .options = kSparseOptions, .needs = Subcommand::Needs::kWorkTree, .run = RunWithNames};

}  // namespace paddock::git
