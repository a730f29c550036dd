// git rev-parse. Its words are taken one after the other: each option holds for what stands behind it, and what is no option of its
// own is passed on.
#include <algorithm>
#include <charconv>

#include "commands/git/option_spec.h"
#include "commands/git/refs/revision.h"
#include "commands/git/shell_words.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct ParseoptOptions : ScriptRules {};
constexpr Option kParseoptOptions[] = {
    Flag<&ParseoptOptions::keeps_dashes>(0, "keep-dashdash", "keep the first -- among the operands"),
    Flag<&ParseoptOptions::stops_at_operand>(0, "stop-at-non-option", "what stands behind the first operand is no option"),
    Flag<&ParseoptOptions::sticks_long>(0, "stuck-long", "options by their long names, values behind ="),
};
constexpr Subcommand kParseopt{.name = "rev-parse --parseopt", .summary = "read the options of a script", .synopsis = "[<options>] -- [<args>...]", .options = kParseoptOptions};

// `args` begin with "--parseopt".
ExitStatus RunParseopt(Invocation& in, const std::vector<std::string>& args) {
  ParseoptOptions rules;
  ExitStatus status = 0;
  const auto parsed = PrepareSubcommand(in, kParseopt, &rules, args, &status);
  if (!parsed) return status;
  if (!parsed->has_dashes || !parsed->operands.empty()) return PrepareSubcommand(in, kParseopt, &rules, {args[0], "-h"}, &status), status;
  const auto spec = OptionSpec::Parse(in.in.ReadAll(), in.budget);
  if (!spec) return Die(in, spec.error());
  const ScriptAnswer answer = spec->Read(parsed->paths, rules, in.budget);
  in.err.Write(answer.err);
  in.out.Write(answer.out);
  return answer.status;
}

// What a shell that calls git has to forget to get into another repository.
constexpr std::string_view kLocalVariables[] = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
    "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR"};

// Options of rev-list, which --revs-only lets through: whole words, and words before a value.
constexpr std::string_view kRevisionFlags[] = {"--all", "--bisect", "--dense", "--branches", "--header", "--ignore-missing", "--max-parents", "--min-parents", "--no-max-parents", "--no-min-parents", "--merges", "--no-merges",
    "--objects", "--objects-edge", "--parents", "--pretty", "--remotes", "--show-all", "--sparse", "--tags", "--topo-order", "--date-order", "--unpacked", "--early-output"};
constexpr std::string_view kRevisionValues[] = {"--branches=", "--glob=", "--max-age=", "--max-count=", "--max-parents=", "--min-age=", "--min-parents=", "--remotes=", "--tags="};

bool IsRevisionFlag(std::string_view flag) {
  if (flag.starts_with("-n") || (flag.size() > 1 && flag[0] == '-' && flag[1] >= '0' && flag[1] <= '9')) return true;
  return std::find(std::begin(kRevisionFlags), std::end(kRevisionFlags), flag) != std::end(kRevisionFlags) ||
         std::any_of(std::begin(kRevisionValues), std::end(kRevisionValues), [flag](std::string_view lead) { return flag.starts_with(lead); });
}

class RevParse {
 public:
  RevParse(Git& git, std::vector<std::string> args) : git_(git), args_(std::move(args)) {}

  Result<ExitStatus> Run() {
    PADDOCK_ASSIGN(here_, git_.in.fs.Canonical("."));
    const auto dashes = std::find(args_.begin() + 1, args_.end(), "--");
    has_dashes_ = dashes != args_.end();
    for (at_ = 1; at_ < args_.size(); ++at_) {
      git_.in.budget.Step(4);
      const std::string& arg = args_[at_];
      if (is_file_part_ || arg == "--") {
        PADDOCK_TRY(TakeFile(arg));
      } else if (arg.starts_with('-') && !ends_options_) {
        PADDOCK_ASSIGN(const bool is_known, TakeOption(arg));
        if (!is_known && ShowFlag(arg) && verifies_) return Single();
      } else {
        PADDOCK_TRY(TakeName(arg));
      }
      if (fails_) return Single();
    }
    if (!verifies_) {
      ShowDefault();
    } else if (count_ == 1) {
      Show(is_reversed_, id_, name_);
    } else if (count_ > 1 || !ShowDefault()) {
      return Single();
    }
    return 0;
  }

 private:
  Result<ExitStatus> Single() const {
    if (is_quiet_) return 1;
    return Error(Code::kNoEntry, "Needed a single revision");
  }
  void Print(const std::string& text) { git_.Print(quotes_ ? InShellQuotes(text) + " " : text + "\n"); }
  bool ShowFlag(const std::string& arg) {
    if (!shows_flags_ || !(IsRevisionFlag(arg) ? shows_revisions_ : shows_others_)) return false;
    Print(arg);
    return true;
  }
  bool ShowDefault() {
    if (!default_) return false;
    const std::string name = *std::exchange(default_, std::nullopt);
    const auto id = ResolveObject(git_, name);
    if (id) Show(false, *id, name);
    return id.has_value();
  }
  bool ShowFile(const std::string& arg, bool has_prefix) {
    ShowDefault();
    if (!shows_names_ || !shows_others_) return false;
    Print(has_prefix && prefix_ ? *prefix_ + arg : arg);
    return true;
  }

  // The full name of the reference that a name means, also by way of @{upstream} and @{-1}.
  std::optional<std::string> FullRef(std::string name) {
    if (const size_t at = name.find("@{"); at != std::string::npos && name.ends_with('}')) {
      const std::string inside = name.substr(at + 2, name.size() - at - 3);
      if (inside == "u" || inside == "upstream" || inside == "push") return UpstreamOf(git_, at == 0 || name.substr(0, at) == "HEAD" ? ShortRef(git_.HeadBranch().value_or("")) : name.substr(0, at));
      size_t count = 0;
      if (inside.starts_with('-')) std::from_chars(inside.data() + 1, inside.data() + inside.size(), count);
      if (at != 0 || count == 0) return std::nullopt;
      const auto branch = PreviousBranch(git_, count);
      if (!branch) return std::nullopt;
      name = *branch;
    }
    auto full = FindRef(git_, name);
    if (!full) return std::nullopt;
    const auto target = git_.refs.ReadSymbolic(*full);
    return target ? target : full;
  }
  void Show(bool is_reversed, const Oid& id, const std::optional<std::string>& name) {
    if (!shows_revisions_) return;
    default_.reset();
    const std::string mark = is_reversed != inverts_ ? "^" : "";
    if (name && (is_symbolic_full_ || is_abbreviated_ref_)) {
      if (const auto full = FullRef(*name)) Print(mark + (is_abbreviated_ref_ ? ShortRef(*full) : *full));
    } else if (name && is_symbolic_) {
      Print(mark + *name);
    } else {
      Print(mark + (digits_ ? git_.objects.Abbreviate(id, *digits_) : id.Hex()));
    }
  }

  Status TakeFile(const std::string& arg) {
    if (!is_file_part_ && arg == "--") {
      is_file_part_ = is_behind_dashes_ = true;
      if (shows_flags_ || shows_revisions_) ShowFile(arg, false);
      return {};
    }
    if (!ShowFile(arg, true) || is_behind_dashes_) return {};
    if (arg.starts_with('-')) return Error(Code::kInvalid, "option '" + arg + "' must come before non-option arguments");
    if (IsFile(arg)) return {};
    return Error(Code::kNoEntry, arg + ": no such path in the working tree.\nUse 'git <command> -- <path>...' to specify paths that do not exist locally.");
  }
  bool IsFile(const std::string& name) { return !git_.work_tree.empty() && git_.in.fs.Stat(prefix_ ? git_.FilePath(*prefix_ + name) : name).has_value(); }

  Status TakeName(const std::string& arg) {
    PADDOCK_ASSIGN(const bool is_range, TakeRange(arg));
    if (is_range) return {};
    PADDOCK_ASSIGN(const bool has_parents, TakeParents(arg));
    if (has_parents) return {};
    const bool is_reversed = arg.starts_with('^');
    const std::string name = arg.substr(is_reversed ? 1 : 0);
    const auto id = ResolveObject(git_, name);
    if (id) {
      if (!verifies_) return Show(is_reversed, *id, name), Status();
      ++count_;
      is_reversed_ = is_reversed;
      id_ = *id;
      name_ = name;
      return {};
    }
    if (!id.error().message.empty() && !verifies_ && !IsFile(arg)) {
      // What a path lacks is found out once the word was shown.
      if (id.error().message.starts_with("path '")) ShowFile(arg, true);
      return id.error();
    }
    fails_ = verifies_;
    if (fails_) return {};
    if (has_dashes_) return Error(Code::kNoEntry, "bad revision '" + arg + "'");
    is_file_part_ = true;
    if (!ShowFile(arg, true)) {
      at_ = args_.size();   // the rest is nobody's
      return {};
    }
    if (arg.starts_with('-')) return Error(Code::kInvalid, "option '" + arg + "' must come before non-option arguments");
    if (IsFile(arg)) return {};
    return AmbiguousArgument(arg);
  }
  // A..B and A...B.
  Result<bool> TakeRange(const std::string& arg) {
    const size_t dots = arg.find("..");
    if (dots == std::string::npos || arg == "..") return false;
    const bool is_symmetric = arg.compare(dots, 3, "...") == 0;
    std::string from = arg.substr(0, dots), to = arg.substr(dots + (is_symmetric ? 3 : 2));
    if (from.empty()) from = "HEAD";
    if (to.empty()) to = "HEAD";
    const auto first = ResolveObject(git_, from), second = ResolveObject(git_, to);
    if (!first || !second) return false;
    Show(false, *second, to);
    Show(!is_symmetric, *first, from);
    if (!is_symmetric) return true;
    const auto a = git_.objects.Peel(*first, ObjectType::kCommit), b = git_.objects.Peel(*second, ObjectType::kCommit);
    if (!a || !b) return true;
    History history(git_);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*a, *b));
    for (const Oid& base : bases) Show(true, base, std::nullopt);
    return true;
  }
  // A^@, A^! and A^-N.
  Result<bool> TakeParents(const std::string& arg) {
    const size_t mark = arg.rfind('^');
    if (mark == std::string::npos || mark == 0 || mark + 1 == arg.size()) return false;
    const char kind = arg[mark + 1];
    const std::string_view tail = std::string_view(arg).substr(mark + 2);
    size_t wanted = kind == '-' ? 1 : 0;
    if (kind != '!' && kind != '@' && kind != '-') return false;
    if (!tail.empty()) {
      const auto read = std::from_chars(tail.data(), tail.data() + tail.size(), wanted);
      if (kind != '-' || read.ec != std::errc{} || read.ptr != tail.data() + tail.size() || wanted == 0) return false;
    }
    const std::string name = arg.substr(0, mark);
    const auto id = ResolveObject(git_, name);
    const auto commit = id ? git_.objects.Peel(*id, ObjectType::kCommit) : id;
    if (!commit) return false;
    PADDOCK_ASSIGN(const Commit content, git_.objects.ReadCommit(*commit));
    if (wanted > content.parents.size()) return false;
    if (kind != '@') Show(false, *id, name);
    const bool is_symbolic = is_symbolic_ || is_symbolic_full_;
    for (size_t i = 0; i < content.parents.size(); ++i) {
      if (wanted != 0 && i + 1 != wanted) continue;
      Show(kind != '@', content.parents[i], is_symbolic ? std::optional(name + "^" + std::to_string(i + 1)) : std::nullopt);
    }
    return true;
  }

  // The value of "--name=VALUE"; an empty one for "--name".
  static std::optional<std::string> ValueOf(const std::string& arg, std::string_view name) {
    if (arg == name) return std::string();
    if (arg.starts_with(name) && arg[name.size()] == '=') return arg.substr(name.size() + 1);
    return std::nullopt;
  }
  Result<std::string> NextWord(const std::string& option) {
    if (at_ + 1 >= args_.size()) return Error(Code::kInvalid, option + " requires an argument");
    return args_[++at_];
  }
  // False for what is none of its own.
  Result<bool> TakeOption(const std::string& arg) {
    if (TakeSwitch(arg)) return true;
    if (arg == "--default" || arg == "--prefix") {
      PADDOCK_ASSIGN(std::string value, NextWord(arg));
      (arg == "--default" ? default_ : prefix_) = std::move(value);
    } else if (arg == "-n") {
      PADDOCK_ASSIGN(const std::string value, NextWord(arg));
      if (shows_flags_ && shows_revisions_) Print(arg), Print(value);
    } else if (const auto digits = ValueOf(arg, "--short")) {
      shows_flags_ = shows_others_ = false;
      verifies_ = true;
      uint64_t number = 0;
      if (!digits->empty()) std::from_chars(digits->data(), digits->data() + digits->size(), number);
      digits_ = digits->empty() ? 0 : std::clamp<size_t>(number, 4, 40);
    } else if (const auto mode = ValueOf(arg, "--abbrev-ref")) {
      if (!mode->empty() && *mode != "strict" && *mode != "loose") return Error(Code::kInvalid, "unknown mode for --abbrev-ref: " + *mode);
      is_abbreviated_ref_ = true;
    } else if (const auto format = ValueOf(arg, "--path-format")) {
      if (format->empty()) return Error(Code::kInvalid, "--path-format requires an argument");
      if (*format != "absolute" && *format != "relative") return Error(Code::kInvalid, "unknown argument to --path-format: " + *format);
      path_format_ = *format == "absolute" ? PathFormat::kAbsolute : PathFormat::kRelative;
    } else if (const auto object_format = ValueOf(arg, "--show-object-format")) {
      if (!object_format->empty() && *object_format != "storage" && *object_format != "input" && *object_format != "output") return Error(Code::kInvalid, "unknown mode for --show-object-format: " + *object_format);
      git_.Print("sha1\n");
    } else if (arg.starts_with("--since=") || arg.starts_with("--after=") || arg.starts_with("--until=") || arg.starts_with("--before=")) {
      ShowFlag((arg[2] == 's' || arg[2] == 'a' ? "--max-age=" : "--min-age=") + std::to_string(git_.ReadDate(arg.substr(arg.find('=') + 1)).seconds));
    } else if (arg.starts_with("--disambiguate=")) {
      const std::string prefix = arg.substr(arg.find('=') + 1);
      if (prefix.size() < 4) return true;
      for (const Oid& id : git_.objects.FindPrefix(prefix)) Show(false, id, std::nullopt);
    } else if (arg == "--show-superproject-working-tree") {
      return Error(Code::kNotSupported, "--show-superproject-working-tree is not supported");
    } else if (TakeRefs(arg)) {
    } else {
      return TakePlace(arg);
    }
    return true;
  }
  bool TakeSwitch(const std::string& arg) {
    if (arg == "--verify") verifies_ = true, shows_flags_ = shows_others_ = false;
    else if (arg == "-q" || arg == "--quiet") is_quiet_ = true;
    else if (arg == "--revs-only") shows_others_ = false;
    else if (arg == "--no-revs") shows_revisions_ = false;
    else if (arg == "--flags") shows_names_ = false;
    else if (arg == "--no-flags") shows_flags_ = false;
    else if (arg == "--sq") quotes_ = true;
    else if (arg == "--not") inverts_ = !inverts_;
    else if (arg == "--symbolic") is_symbolic_ = true;
    else if (arg == "--symbolic-full-name") is_symbolic_full_ = true;
    else if (arg == "--end-of-options") ends_options_ = true, static_cast<void>((shows_flags_ || shows_revisions_) && ShowFile(arg, false));
    else return false;
    return true;
  }

  // --all, --branches and their like.
  bool TakeRefs(const std::string& arg) {
    static constexpr struct {
      std::string_view option, folder;
    } kFolders[] = {{"--branches", "refs/heads/"}, {"--tags", "refs/tags/"}, {"--remotes", "refs/remotes/"}, {"--glob", ""}};
    if (arg.starts_with("--exclude=")) return excluded_.push_back(arg.substr(10)), true;
    if (arg == "--all") return ShowRefs("refs/", "", false), true;
    if (arg == "--bisect") {
      ShowRefs("refs/bisect/bad", "", false);
      ShowRefs("refs/bisect/good", "", true);
      return true;
    }
    for (const auto& [option, folder] : kFolders) {
      const auto pattern = ValueOf(arg, option);
      if (!pattern || (folder.empty() && pattern->empty())) continue;
      std::string full = pattern->empty() || pattern->starts_with("refs/") ? *pattern : (folder.empty() ? "refs/" : std::string(folder)) + *pattern;
      if (!full.empty() && full.find_first_of("*?[") == std::string::npos) full += full.ends_with('/') ? "*" : "/*";
      ShowRefs(std::string(folder.empty() ? "refs/" : folder), full, false);
      return true;
    }
    return false;
  }
  void ShowRefs(const std::string& prefix, const std::string& glob, bool is_reversed) {
    PatternFlags flags;
    flags.extglob = false;
    for (const auto& [name, id] : git_.refs.List(prefix)) {
      git_.in.budget.Step();
      // Of names below a folder the patterns to leave out say only the rest.
      const std::string tail = prefix.ends_with('/') && prefix != "refs/" ? name.substr(prefix.size()) : name;
      const bool is_excluded = std::any_of(excluded_.begin(), excluded_.end(), [&, &full = name](const std::string& pattern) { return Pattern(pattern, flags).Matches(full, git_.in.budget) || Pattern(pattern, flags).Matches(tail, git_.in.budget); });
      if (!is_excluded && (glob.empty() || Pattern(glob, flags).Matches(name, git_.in.budget))) Show(is_reversed, id, tail);
    }
    excluded_.clear();
  }

  enum class PathFormat { kUsual, kAbsolute, kRelative };
  enum class UsualPath { kAsItIs, kRelativeInside };
  // A path of the repository, as --path-format has it; `usual`: when it says nothing.
  void PrintPath(const std::string& path, UsualPath usual) {
    const bool is_relative = path_format_ == PathFormat::kRelative || (path_format_ == PathFormat::kUsual && usual == UsualPath::kRelativeInside && (path == here_ || path.starts_with(here_ + "/") || git_.common_dir == vfs::JoinPath(git_.work_tree, ".git")));
    git_.Print((is_relative ? RelativePath(path) : path) + "\n");
  }
  std::string RelativePath(const std::string& path) const {
    size_t same = 0;
    const std::string from = here_ == "/" ? "/" : here_ + "/", to = path == "/" ? "/" : path + "/";
    for (size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i) {
      if (from[i] == '/') same = i + 1;
    }
    std::string text;
    for (const char c : std::string_view(from).substr(same)) text += c == '/' ? "../" : "";
    const std::string below = to.substr(std::min(same, to.size()));
    if (below.empty()) return text.empty() ? "./" : text;
    return text + below.substr(0, below.size() - 1);
  }
  // What is asked of the repository's place.
  Result<bool> TakePlace(const std::string& arg) {
    const bool is_in_git = here_ == git_.git_dir || here_.starts_with(git_.git_dir + "/");
    const auto tell = [this](bool is_so) { git_.Print(is_so ? "true\n" : "false\n"); };
    if (arg == "--git-path") {
      PADDOCK_ASSIGN(const std::string name, NextWord(arg));
      PrintPath(git_.GitPath(name), UsualPath::kRelativeInside);
    } else if (arg == "--show-toplevel") {
      if (git_.work_tree.empty() || is_in_git) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
      PrintPath(git_.work_tree, UsualPath::kAsItIs);
    } else if (arg == "--show-prefix") {
      git_.Print(git_.prefix + "\n");
    } else if (arg == "--show-cdup") {
      for (const char c : git_.prefix) git_.Print(c == '/' ? "../" : "");
      git_.Print("\n");
    } else if (arg == "--absolute-git-dir") {
      git_.Print(git_.git_dir + "\n");
    } else if (arg == "--git-dir") {
      const auto given = git_.in.env.Get("GIT_DIR");
      if (path_format_ != PathFormat::kUsual) PrintPath(git_.git_dir, UsualPath::kAsItIs);
      else git_.Print((given ? std::string(*given) : git_.git_dir == vfs::JoinPath(here_, ".git") ? ".git" : git_.git_dir == here_ ? "." : git_.git_dir) + "\n");
    } else if (arg == "--git-common-dir") {
      PrintPath(git_.common_dir, UsualPath::kRelativeInside);
    } else if (arg == "--is-inside-git-dir") {
      tell(is_in_git);
    } else if (arg == "--is-inside-work-tree") {
      tell(!git_.work_tree.empty() && !is_in_git);
    } else if (arg == "--is-bare-repository") {
      tell(git_.config.GetBool("core.bare", git_.is_bare));
    } else if (arg == "--is-shallow-repository") {
      tell(git_.in.fs.Stat(git_.GitPath("shallow")).has_value());
    } else if (arg == "--shared-index-path") {
      // No index is split.
    } else {
      return false;
    }
    return true;
  }

  Git& git_;
  std::vector<std::string> args_;
  std::string here_;
  size_t at_ = 1;
  bool has_dashes_ = false, is_file_part_ = false, is_behind_dashes_ = false, ends_options_ = false, fails_ = false;
  bool shows_flags_ = true, shows_names_ = true, shows_revisions_ = true, shows_others_ = true;   // what is printed: others are no words of rev-list
  bool verifies_ = false, is_quiet_ = false, quotes_ = false, inverts_ = false, is_symbolic_ = false, is_symbolic_full_ = false, is_abbreviated_ref_ = false;
  std::optional<size_t> digits_;   // of short ids; 0: as many as it takes
  PathFormat path_format_ = PathFormat::kUsual;
  std::optional<std::string> default_, prefix_;
  std::vector<std::string> excluded_;
  size_t count_ = 0;   // of names, with --verify; the last one:
  bool is_reversed_ = false;
  Oid id_;
  std::string name_;
};

// For the help alone: the words are read in their order by RevParse.
struct RevParseHelp {};
Status Shown(RevParseHelp&, std::string_view) { return {}; }
constexpr Option kOptions[] = {
    Call<Shown>(0, "parseopt", nullptr, "read the options of a script: --parseopt [OPTIONS] -- ARGS"),
    Call<Shown>(0, "sq-quote", nullptr, "quote the words behind it for a shell"),
    Call<Shown>(0, "verify", nullptr, "one object, or fail"),
    Call<Shown>('q', "quiet", nullptr, "with --verify: fail in silence"),
    Call<Shown>(0, "default", "NAME", "when no other name is there"),
    CallOptional<Shown>(0, "short", "N", "a short id"),
    CallOptional<Shown>(0, "abbrev-ref", "MODE", "the short name of a reference"),
    Call<Shown>(0, "symbolic", nullptr, "names as they were written"),
    Call<Shown>(0, "symbolic-full-name", nullptr, "the full name of a reference"),
    Call<Shown>(0, "not", nullptr, "the other way around, from here on"),
    Call<Shown>(0, "sq", nullptr, "all in a line, quoted for a shell"),
    Call<Shown>(0, "revs-only", nullptr, "only what rev-list takes"),
    Call<Shown>(0, "no-revs", nullptr, "only the rest"),
    Call<Shown>(0, "flags", nullptr, "only options"),
    Call<Shown>(0, "no-flags", nullptr, "no options"),
    Call<Shown>(0, "all", nullptr, "all references"),
    CallOptional<Shown>(0, "branches", "PATTERN", "all branches"),
    CallOptional<Shown>(0, "tags", "PATTERN", "all tags"),
    CallOptional<Shown>(0, "remotes", "PATTERN", "all remote branches"),
    Call<Shown>(0, "glob", "PATTERN", "references that match"),
    Call<Shown>(0, "exclude", "PATTERN", "without references that match, for the next of these"),
    Call<Shown>(0, "bisect", nullptr, "the references of a bisection"),
    Call<Shown>(0, "disambiguate", "PREFIX", "all objects whose ids begin so"),
    Call<Shown>(0, "since", "DATE", "--max-age for rev-list"),
    Call<Shown>(0, "until", "DATE", "--min-age for rev-list"),
    Call<Shown>(0, "prefix", "DIRECTORY", "files are below that directory"),
    Call<Shown>(0, "path-format", "FORMAT", "paths are absolute or relative"),
    Call<Shown>(0, "show-toplevel", nullptr, "the top of the working tree"),
    Call<Shown>(0, "show-prefix", nullptr, "the working directory from the top"),
    Call<Shown>(0, "show-cdup", nullptr, "the top from the working directory"),
    Call<Shown>(0, "git-dir", nullptr, "the directory of the repository"),
    Call<Shown>(0, "git-common-dir", nullptr, "the same of the main working tree"),
    Call<Shown>(0, "absolute-git-dir", nullptr, "the directory of the repository, absolute"),
    Call<Shown>(0, "git-path", "NAME", "where that file of the repository is"),
    Call<Shown>(0, "is-inside-work-tree", nullptr, "true in a working tree"),
    Call<Shown>(0, "is-inside-git-dir", nullptr, "true below .git"),
    Call<Shown>(0, "is-bare-repository", nullptr, "true for a bare repository"),
    Call<Shown>(0, "is-shallow-repository", nullptr, "true when history is cut"),
    CallOptional<Shown>(0, "show-object-format", "USE", "how ids are made"),
    Call<Shown>(0, "local-env-vars", nullptr, "variables that are about this repository"),
};

constexpr Subcommand DefineRevParse(Subcommand subcommand) {
  subcommand.needs = Subcommand::Needs::kMaybeRepository;   // what scripts ask about words goes without
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    const std::string first = args.size() > 1 ? args[1] : "";
    if (first == "--parseopt") return RunParseopt(in, {args.begin() + 1, args.end()});
    if (first == "--sq-quote") {
      std::string text;
      for (size_t i = 2; i < args.size(); ++i) text += " " + InShellQuotes(args[i]);
      in.out.Write(text + "\n");
      return 0;
    }
    if (first == "--local-env-vars") {
      for (const std::string_view name : kLocalVariables) in.out.Write(std::string(name) + "\n");
      return 0;
    }
    if (first == "-h" || first == "--help") {
      RevParseHelp none;
      ExitStatus status = 0;
      PrepareSubcommand(in, self, &none, {args[0], first}, &status);
      return status;
    }
    if (git == nullptr) {
      const auto place = FindRepository(in, "", "");
      return Die(in, place ? Error(Code::kNoEntry, std::string(kNoRepository)) : place.error());
    }
    const Result<ExitStatus> status = RevParse(*git, std::move(args)).Run();
    return status ? *status : Die(in, status.error());
  };
  return subcommand;
}

}  // namespace

extern const Subcommand kRevParse;
const Subcommand kRevParse = DefineRevParse({.name = "rev-parse", .summary = "tell what a name means", .synopsis = "--parseopt [<options>] -- [<args>...]\n--sq-quote [<arg>...]\n[<options>] [<arg>...]", .options = kOptions});

}  // namespace paddock::git
