// fd - find entries in the file system
//
// usage: fd [OPTIONS] [pattern] [path]...
// Skips what ignore files name and hidden files; the pattern is a regular expression for the name. Results come in the order of names.
//
// Exit status: 0; with -q 1 when nothing was found; 1 for trouble and when a command failed; 2 for a usage error.
// Source: fd 8.6 (Debian's fdfind), away from a terminal.
// Differs: patterns are PCRE's, which takes a little more than Rust's and words its complaints differently; smart case looks at ASCII letters.
// Commands run one after the other in the order of names. The global ignore files of git and fd are not read; --color always is refused.

#include <algorithm>

#include "commands/file/fd.h"
#include "commands/input_files.h"
#include "proc/process.h"

namespace paddock {
namespace {

using fd::CommandTemplate;

constexpr ExitStatus kUsageError = 2;
constexpr uint64_t kLargestIgnoreFile = 4 << 20;
constexpr size_t kMostArgumentBytes = 1 << 20;
constexpr std::string_view kMore = "\n\nFor more information try '--help'\n";

enum class Case { kSmart, kSensitive, kInsensitive };
enum class Mode { kPrint, kEach, kBatch, kList };

struct Options {
  fd::Search search;
  fd::PatternSettings::Kind kind = fd::PatternSettings::Kind::kRegex;
  bool is_glob = false, is_fixed = false;
  Case case_mode = Case::kSmart;
  std::vector<std::string> patterns, excludes, ignore_files, search_paths, sizes;
  std::optional<std::string> owner, after, before, base;
  std::string separator = "/";
  bool absolute = false, zero = false, quiet = false, lists = false, keeps_plain = false, no_ignore = false, no_vcs = false;
  bool has_exact = false, has_min = false, has_max = false;
  uint64_t most = 0, batch_size = 0;   // 0: no limit
  Mode mode = Mode::kPrint;
  std::vector<CommandTemplate> commands;
  std::vector<std::vector<std::string>> raw_commands;
  bool wants_version = false, wants_help = false;
};

template <auto kMember, bool kValue>
Status S(Options& options, std::string_view) {
  options.search.*kMember = kValue;
  return {};
}
template <bool kValue>
Status NoIgnore(Options& options, std::string_view) {
  options.no_ignore = !kValue;
  return {};
}
Status Unrestricted(Options& options, std::string_view) {
  options.no_ignore = true;
  options.search.shows_hidden = true;
  return {};
}
Status MaxDepth(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.max_depth, fd::ParseNumber("--max-depth <depth>", text));
  options.has_max = true;
  return {};
}
Status MinDepth(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.min_depth, fd::ParseNumber("--min-depth <depth>", text));
  options.has_min = true;
  return {};
}
Status ExactDepth(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.max_depth, fd::ParseNumber("--exact-depth <depth>", text));
  options.search.min_depth = options.search.max_depth;
  options.has_exact = true;
  return {};
}
Status Type(Options& options, std::string_view text) { return options.search.types.Add(text); }
Status Extension(Options& options, std::string_view text) {
  while (text.starts_with('.')) text.remove_prefix(1);
  std::string suffix = "." + std::string(text);
  for (char& c : suffix) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  options.search.suffixes.push_back(std::move(suffix));
  return {};
}
Status Size(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(const fd::SizeFilter filter, fd::SizeFilter::Parse(text));
  options.search.sizes.push_back(filter);
  return {};
}
Status Color(Options&, std::string_view text) {
  if (text == "auto" || text == "never") return {};
  if (text == "always") return Error(Code::kInvalid, "error: colors are not supported here\n");
  return Error(Code::kInvalid, "error: '" + std::string(text) + "' isn't a valid value for '--color <when>'\n  [possible values: auto, always, never]" + std::string(kMore));
}
// How many threads there are shows in nothing but the order of results, which is always that of names here.
Status Threads(Options&, std::string_view text) {
  PADDOCK_ASSIGN(const uint64_t count, fd::ParseNumber("--threads <num>", text));
  if (count == 0 || count > UINT32_MAX) return fd::BadValue("--threads <num>", text, std::string(text) + " is not in 1..=4294967295");
  return {};
}
Status MaxResults(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.most, fd::ParseNumber("--max-results <count>", text));
  return {};
}
Status One(Options& options, std::string_view) {
  options.most = 1;
  return {};
}
Status BatchSize(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.batch_size, fd::ParseNumber("--batch-size <size>", text));
  return {};
}
// Taken off the command line before options are read.
Status TakenBefore(Options&, std::string_view) { return {}; }

constexpr Option kOptions[] = {
    Call<S<&fd::Search::shows_hidden, true>>('H', "hidden", nullptr, "show hidden files and directories, too"),
    Call<S<&fd::Search::shows_hidden, false>>(0, "no-hidden", nullptr, nullptr),
    Call<NoIgnore<false>>('I', "no-ignore", nullptr, "show what ignore files leave out"),
    Call<NoIgnore<true>>(0, "ignore", nullptr, nullptr),
    Set<&Options::no_vcs, true>(0, "no-ignore-vcs", "show what .gitignore files leave out"),
    Set<&Options::no_vcs, false>(0, "ignore-vcs", nullptr),
    Call<S<&fd::Search::uses_parents, false>>(0, "no-ignore-parent", nullptr, "do not look at ignore files of directories above"),
    Call<Unrestricted>('u', "unrestricted", nullptr, "same as '--no-ignore --hidden'"),
    Set<&Options::case_mode, Case::kSensitive>('s', "case-sensitive", "upper and lower case differ"),
    Set<&Options::case_mode, Case::kInsensitive>('i', "ignore-case", "upper and lower case are the same (the default for a pattern without upper case)"),
    Flag<&Options::is_glob>('g', "glob", "the pattern is a glob, for the whole name"),
    Set<&Options::is_glob, false>(0, "regex", "the pattern is a regular expression (the default)"),
    Flag<&Options::is_fixed>('F', "fixed-strings", "the pattern is plain text"),
    Flag<&Options::is_fixed>(0, "literal", nullptr),
    Value<&Options::patterns>(0, "and", "pattern", "one more pattern that has to match"),
    Flag<&Options::absolute>('a', "absolute-path", "show absolute paths"),
    Set<&Options::absolute, false>(0, "relative-path", nullptr),
    Flag<&Options::lists>('l', "list-details", "show results as 'ls -l' does"),
    Call<S<&fd::Search::follows, true>>('L', "follow", nullptr, "go into symbolic links to directories"),
    Call<S<&fd::Search::follows, false>>(0, "no-follow", nullptr, nullptr),
    Call<S<&fd::Search::matches_paths, true>>('p', "full-path", nullptr, "match the absolute path, not the name"),
    Flag<&Options::zero>('0', "print0", "a NUL byte, not a newline, after each result"),
    Call<MaxDepth>('d', "max-depth", "depth", "do not go deeper"),
    Call<MaxDepth>(0, "maxdepth", "depth", nullptr),
    Call<MinDepth>(0, "min-depth", "depth", "only show results at least that deep"),
    Call<ExactDepth>(0, "exact-depth", "depth", "only show results that deep"),
    Value<&Options::excludes>('E', "exclude", "pattern", "leave out what matches the glob"),
    Call<S<&fd::Search::prunes, true>>(0, "prune", nullptr, "do not go into directories that match"),
    Call<Type>('t', "type", "filetype", "file (f), directory (d), symlink (l), socket (s), pipe (p), executable (x), empty (e)"),
    Call<Extension>('e', "extension", "ext", "only names with that extension"),
    Call<Size>('S', "size", "size", "only files of that size: <+-><NUM><UNIT>"),
    Value<&Options::after>(0, "changed-within", "date|dur", "changed after the date, or no longer ago"),
    Value<&Options::after>(0, "change-newer-than", "date|dur", nullptr),
    Value<&Options::after>(0, "newer", "date|dur", nullptr),
    Value<&Options::after>(0, "changed-after", "date|dur", nullptr),
    Value<&Options::before>(0, "changed-before", "date|dur", "changed before the date, or longer ago"),
    Value<&Options::before>(0, "change-older-than", "date|dur", nullptr),
    Value<&Options::before>(0, "older", "date|dur", nullptr),
    Value<&Options::owner>('o', "owner", "user:group", "only what belongs to these; '!' in front: to others"),
    Call<TakenBefore>('x', "exec", "cmd", "run a command for each result; up to ';' or the end"),
    Call<TakenBefore>('X', "exec-batch", "cmd", "run a command with all results"),
    Call<BatchSize>(0, "batch-size", "size", "no more than that many results for one command of -X"),
    Value<&Options::ignore_files>(0, "ignore-file", "path", "one more ignore file"),
    Call<Color>('c', "color", "when", "auto or never"),
    Call<Threads>('j', "threads", "num", "number of threads"),
    Call<MaxResults>(0, "max-results", "count", "end after that many results"),
    Call<One>('1', nullptr, nullptr, "end after one result"),
    Flag<&Options::quiet>('q', "quiet", "print nothing; status 0 if there is a result, else 1"),
    Flag<&Options::quiet>(0, "has-results", nullptr),
    Call<S<&fd::Search::shows_errors, true>>(0, "show-errors", nullptr, "tell of directories that cannot be read and links that lead nowhere"),
    Value<&Options::base>(0, "base-directory", "path", "work in that directory"),
    Value<&Options::separator>(0, "path-separator", "separator", "what is printed for a slash"),
    Value<&Options::search_paths>(0, "search-path", "search-path", "where to search, instead of [path]"),
    Flag<&Options::keeps_plain>(0, "strip-cwd-prefix", "no './' in front for -0, -x and -X"),
    Call<S<&fd::Search::stays_on_device, true>>(0, "one-file-system", nullptr, "stay on one file system"),
    Flag<&Options::wants_help>('h', nullptr, nullptr),
    Flag<&Options::wants_version>('V', nullptr, nullptr),
};

ExitStatus Say(Invocation& in, std::string_view text, ExitStatus status) {
  in.out.Flush();
  in.err.Write(text);
  return status;
}
ExitStatus Trouble(Invocation& in, std::string_view text) { return Say(in, "[fd error]: " + std::string(text) + "\n", 1); }
std::string UsageLine(Invocation& in, std::string_view rest) { return "\n\nUsage: " + std::string(in.name()) + " " + std::string(rest) + std::string(kMore); }

const Option* FindOption(std::string_view name) {
  for (const Option& option : kOptions) {
    if (name.size() == 1 ? option.short_name == name[0] : option.long_name != nullptr && option.long_name == name) return &option;
  }
  return nullptr;
}

// Reads -x and -X, which take words up to a ';', off the command line.
class CommandTaker {
 public:
  CommandTaker(std::span<const std::string> args, Options& options) : args_(args), options_(options) {}

  Result<std::vector<std::string>> Take() {
    rest_.push_back(args_[0]);
    for (at_ = 1; at_ < args_.size(); ++at_) {
      const std::string& word = args_[at_];
      if (word == "--") break;
      if (word.starts_with("--")) PADDOCK_TRY(TakeLong(word));
      else if (word.size() > 1 && word[0] == '-') PADDOCK_TRY(TakeShort(word));
      else rest_.push_back(word);
    }
    for (; at_ < args_.size(); ++at_) rest_.push_back(args_[at_]);
    return std::move(rest_);
  }

 private:
  Status TakeLong(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (name == "exec" || name == "exec-batch") {
      if (equals == std::string::npos) return TakeCommand(name == "exec" ? 'x' : 'X', "");
      return Keep(name == "exec" ? 'x' : 'X', {word.substr(equals + 1)});
    }
    rest_.push_back(word);
    const Option* option = FindOption(name);
    if (option != nullptr && name.size() > 1 && option->argument == OptionArgument::kRequired && equals == std::string::npos) TakeValue();
    return {};
  }
  Status TakeShort(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      if (word[i] == 'x' || word[i] == 'X') {
        if (i > 1) rest_.push_back(word.substr(0, i));
        std::string first = word.substr(i + 1);
        if (first.starts_with('=')) first.erase(0, 1);
        return TakeCommand(word[i], first);
      }
      const Option* option = FindOption(std::string_view(word).substr(i, 1));
      if (option == nullptr || option->argument != OptionArgument::kRequired) continue;
      const bool has_equals = i + 1 < word.size() && word[i + 1] == '=';
      rest_.push_back(has_equals ? word.substr(0, i + 1) + word.substr(i + 2) : word);
      if (i + 1 == word.size()) TakeValue();
      return {};
    }
    rest_.push_back(word);
    return {};
  }
  void TakeValue() {
    if (at_ + 1 < args_.size()) rest_.push_back(args_[++at_]);
  }
  Status TakeCommand(char letter, const std::string& first) {
    std::vector<std::string> words;
    if (!first.empty()) {
      words.push_back(first);
      return Keep(letter, std::move(words));
    }
    while (at_ + 1 < args_.size() && args_[++at_] != ";") words.push_back(args_[at_]);
    return Keep(letter, std::move(words));
  }
  Status Keep(char letter, std::vector<std::string> words) {
    const Mode mode = letter == 'x' ? Mode::kEach : Mode::kBatch;
    const std::string name = letter == 'x' ? "--exec <cmd>..." : "--exec-batch <cmd>...";
    if (words.empty()) return Error(Code::kInvalid, "error: The argument '" + name + "' requires a value but none was supplied" + std::string(kMore));
    options_.mode = mode;
    options_.raw_commands.push_back(std::move(words));
    return {};
  }

  std::span<const std::string> args_;
  Options& options_;
  size_t at_ = 1;
  std::vector<std::string> rest_;
};

// clap's words for what getopt says.
std::string Complaint(Invocation& in, std::string_view message) {
  const size_t quote = message.find('\'');
  std::string word(message.substr(quote + 1, message.rfind('\'') - quote - 1));
  if (message.find("requires an argument") != std::string_view::npos) {
    const Option* option = FindOption(word.starts_with("--") ? word.substr(2) : word);
    if (option != nullptr) word = std::string("--") + option->long_name + " <" + option->value_name + ">";
    return "error: The argument '" + word + "' requires a value but none was supplied" + std::string(kMore);
  }
  if (message.starts_with("invalid option --")) word = "-" + word;
  return "error: Found argument '" + word + "' which wasn't expected, or isn't valid in this context\n\n  If you tried to supply '" + word +
         "' as a value rather than a flag, use '-- " + word + "'" + UsageLine(in, "[OPTIONS] [pattern] [path]...");
}

// Options that cannot stand together; empty when all is well.
std::string Conflict(Invocation& in, const Options& options, bool has_pattern, bool has_paths) {
  const auto clash = [&](const std::string& a, const std::string& b) {
    return "error: The argument '" + a + "' cannot be used with '" + b + "'" + UsageLine(in, a + (has_pattern ? " <pattern> [path]..." : " [pattern] [path]..."));
  };
  if (options.has_exact && options.has_max) return clash("--exact-depth <depth>", "--max-depth <depth>");
  if (options.has_exact && options.has_min) return clash("--exact-depth <depth>", "--min-depth <depth>");
  if (options.search.prunes && !options.search.sizes.empty()) return clash("--prune", "--size <size>");
  if (options.search.prunes && options.has_exact) return clash("--prune", "--exact-depth <depth>");
  if (options.is_fixed && options.is_glob) return clash("--fixed-strings", "--glob");
  if (options.lists && options.mode == Mode::kEach) return clash("--list-details", "--exec <cmd>...");
  if (options.lists && options.mode == Mode::kBatch) return clash("--list-details", "--exec-batch <cmd>...");
  if (!options.search_paths.empty() && has_paths) return clash("--search-path <search-path>", "[path]...");
  return {};
}

std::string BadBatch(Invocation& in, std::string_view why) { return "error: " + std::string(why) + UsageLine(in, "[OPTIONS] [pattern] [path]..."); }

class Run {
 public:
  Run(Invocation& in, Options& options) : in_(in), options_(options), names_(in.fs, in.budget) {}

  ExitStatus Do(std::vector<std::string> operands) {
    const bool has_pattern = !operands.empty();
    if (const std::string conflict = Conflict(in_, options_, has_pattern, operands.size() > 1); !conflict.empty()) return Say(in_, conflict, kUsageError);
    if (const ExitStatus status = MakeCommands()) return status;
    if (options_.owner) {
      auto owner = fd::OwnerFilter::Parse(*options_.owner, names_);
      if (!owner) return Say(in_, owner.error().Text(), kUsageError);
      options_.search.owner = *owner;
    }
    if (options_.base) {
      const auto found = in_.fs.Stat(*options_.base);
      if (!found || !found->is_directory() || !in_.process.files().ChangeDirectory(*options_.base)) {
        return Trouble(in_, "The '--base-directory' path '" + *options_.base + "' is not a directory.");
      }
    }
    const std::string pattern = has_pattern ? operands[0] : "";
    if (const ExitStatus status = CheckSlash(pattern)) return status;
    std::vector<std::string> roots = options_.search_paths;
    if (roots.empty() && has_pattern) roots.assign(operands.begin() + 1, operands.end());
    if (const ExitStatus status = CheckRoots(roots)) return status;
    if (const ExitStatus status = Prepare(pattern, roots[0])) return status;
    // By components: "a/b" comes before "a.c".
    const auto key = [](std::string path) {
      std::replace(path.begin(), path.end(), '/', '\0');
      return path;
    };
    std::stable_sort(roots.begin(), roots.end(), [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
    return Search(roots);
  }

 private:
  ExitStatus MakeCommands() {
    for (auto& words : options_.raw_commands) {
      CommandTemplate one(std::move(words), options_.separator);
      if (options_.mode == Mode::kBatch) {
        if (one.placeholder_count() > 1) return Say(in_, BadBatch(in_, "Only one placeholder allowed for batch commands"), kUsageError);
        if (!one.has_fixed_program()) return Say(in_, BadBatch(in_, "First argument of exec-batch is expected to be a fixed executable"), kUsageError);
      }
      options_.commands.push_back(std::move(one));
    }
    if (!options_.lists) return 0;
    options_.mode = Mode::kBatch;
    options_.commands.emplace_back(std::vector<std::string>{"ls", "-l", "--human-readable", "--directory", "--color=never"}, options_.separator);
    return 0;
  }

  ExitStatus CheckSlash(const std::string& pattern) {
    if (options_.search.matches_paths || pattern.find('/') == std::string::npos) return 0;
    const auto found = in_.fs.Stat(pattern);
    if (!found || !found->is_directory()) return 0;
    return Trouble(in_, "The search pattern '" + pattern + "' contains a path-separation character ('/') and will not lead to any search results.\n\n" +
                            "If you want to search for all files inside the '" + pattern + "' directory, use a match-all pattern:\n\n  fd . '" + pattern +
                            "'\n\nInstead, if you want your pattern to match the full file path, use:\n\n  fd --full-path '" + pattern + "'");
  }

  ExitStatus CheckRoots(std::vector<std::string>& roots) {
    is_plain_ = roots.empty() && (options_.keeps_plain || !(options_.zero || options_.mode != Mode::kPrint));
    if (roots.empty()) {
      roots.emplace_back(".");
      return 0;
    }
    std::erase_if(roots, [&](const std::string& root) {
      const auto found = in_.fs.Stat(root);
      if (found && found->is_directory()) return false;
      Trouble(in_, "Search path '" + root + "' is not a directory.");
      return true;
    });
    if (roots.empty()) return Trouble(in_, "No valid search paths given.");
    return 0;
  }

  ExitStatus Prepare(const std::string& pattern, const std::string& first_root) {
    fd::Search& search = options_.search;
    search.own_name = ".fdignore";
    search.uses_dot_ignore = !options_.no_ignore;
    search.uses_vcs = !options_.no_ignore && !options_.no_vcs;
    search.exclude_base = vfs::NormalizePath(vfs::JoinPath(in_.fs.cwd(), first_root));
    fd::PatternSettings settings;
    settings.kind = options_.is_glob && !pattern.empty() ? fd::PatternSettings::Kind::kGlob : options_.is_fixed ? fd::PatternSettings::Kind::kLiteral : fd::PatternSettings::Kind::kRegex;
    settings.is_for_paths = search.matches_paths;
    options_.patterns.insert(options_.patterns.begin(), pattern);
    bool has_uppercase = false;
    for (const std::string& one : options_.patterns) has_uppercase |= fd::HasUppercase(one, settings.kind);
    settings.ignores_case = options_.case_mode == Case::kInsensitive || (options_.case_mode == Case::kSmart && !has_uppercase);
    for (const std::string& one : options_.patterns) {
      if (!search.shows_hidden && fd::WantsLeadingDot(one, settings.kind)) {
        return Trouble(in_, "The pattern(s) seems to only match files with a leading dot, but hidden files are filtered by default. "
                            "Consider adding -H/--hidden to search hidden files as well or adjust your search pattern(s).");
      }
      auto parsed = fd::NamePattern::Parse(one, settings);
      if (!parsed) return Trouble(in_, parsed.error().Text());
      search.patterns.push_back(std::move(*parsed));
    }
    fd::Types& types = search.types;
    if (types.empties && !types.files && !types.directories) types.files = types.directories = true;
    return PrepareLists();
  }

  ExitStatus PrepareLists() {
    fd::Search& search = options_.search;
    const TimePoint now = Now(in_.clock);
    const TimeZone zone = LocalZone(in_.env);
    for (auto [text, moment] : {std::pair(&options_.after, &search.after), std::pair(&options_.before, &search.before)}) {
      if (!*text) continue;
      *moment = fd::ParseMoment(**text, now, zone, in_.budget);
      if (!*moment) return Trouble(in_, "'" + **text + "' is not a valid date or duration. See 'fd --help'.");
    }
    for (const std::string& text : options_.excludes) {
      auto glob = IgnoreGlob::Parse("!" + text, false, true);
      if (!glob) return Trouble(in_, "Malformed exclude pattern: " + std::string(glob.error().Text()));
      search.excludes.Add(std::move(*glob));
    }
    for (const std::string& path : options_.ignore_files) {
      const auto text = vfs::ReadFile(in_.fs, path, kLargestIgnoreFile);
      if (text) {
        search.explicit_files.AddLines(*text, false, in_.budget);
        continue;
      }
      const Error& error = text.error();
      Trouble(in_, "Malformed pattern in custom ignore file. " + path + ": " + std::string(error.Text()) + " (os error " + std::to_string(static_cast<int>(error.code)) + ").");
    }
    return 0;
  }

  ExitStatus Search(const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
      std::string shown = root;
      if (options_.absolute) shown = vfs::NormalizePath(vfs::JoinPath(in_.fs.cwd(), root));
      else if (is_plain_) shown.clear();
      const auto goes_on = fd::Walk(in_, options_.search, shown, [&](const fd::Hit& hit) { return Take(hit); });
      if (!goes_on) return Trouble(in_, std::string(goes_on.error().Text()));
      if (!*goes_on) break;
    }
    if (options_.mode == Mode::kBatch) RunBatch();
    if (options_.quiet && options_.mode == Mode::kPrint) return count_ > 0 ? 0 : 1;
    return has_failed_ ? 1 : 0;
  }

  bool Take(const fd::Hit& hit) {
    ++count_;
    if (options_.mode == Mode::kBatch) {
      in_.budget.WillAllocate(hit.path.size() + sizeof(std::string));
      batch_bytes_ += hit.path.size() + 1;
      batch_.push_back(hit.path);
      if (batch_.size() == options_.batch_size || batch_bytes_ >= kMostArgumentBytes) RunBatch();
    } else if (options_.mode == Mode::kEach) {
      for (const CommandTemplate& command : options_.commands) {
        if (fd::RunCommandLine(in_, command.Fill(hit.path))) continue;
        has_failed_ = true;
        break;
      }
    } else if (options_.quiet) {
      return false;
    } else {
      in_.out.Write(fd::WithSeparator(hit.path, options_.separator));
      if (hit.is_directory) in_.out.Write(options_.separator);
      in_.out.Put(options_.zero ? '\0' : '\n');
    }
    return count_ != options_.most && in_.out.status();
  }

  void RunBatch() {
    if (batch_.empty()) return;
    for (const CommandTemplate& command : options_.commands) {
      if (fd::RunCommandLine(in_, command.FillAll(batch_, in_.budget))) continue;
      has_failed_ = true;
      break;
    }
    batch_.clear();
    batch_bytes_ = 0;
  }

  Invocation& in_;
  Options& options_;
  UserNames names_;
  bool is_plain_ = false, has_failed_ = false;
  uint64_t count_ = 0;
  std::vector<std::string> batch_;
  size_t batch_bytes_ = 0;
};

ExitStatus Main(Invocation& in) {
  Options options;
  const auto args = CommandTaker(in.args, options).Take();
  if (!args) return Say(in, args.error().Text(), kUsageError);
  const auto parsed = ParseOptions(*args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    const std::string text(parsed.error().Text());
    return Say(in, parsed.error().code == Code::kSyntax ? Complaint(in, text) : text, kUsageError);
  }
  if (parsed->wants_help || options.wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (parsed->wants_version || options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  return Run(in, options).Do(parsed->operands);
}

constexpr const char* kAliases[] = {"fdfind"};

}  // namespace

extern const Command kCommand_fd;
const Command kCommand_fd = {
    .name = "fd",
    .aliases = kAliases,
    .summary = "find entries in the file system",
    .synopsis = "[OPTIONS] [pattern] [path]...",
    .options = kOptions,
    .usage_status = kUsageError,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Main,
};

}  // namespace paddock
