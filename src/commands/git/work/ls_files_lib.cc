// git ls-files.
#include <algorithm>
#include <charconv>

#include "commands/git/listing_format.h"
#include "commands/git/refs/abbrev.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/ignore_rules.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/unsupported_parts.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct Options {
  bool cached = false, deleted = false, modified = false, others = false, ignored = false, stage = false, unmerged = false, resolved = false, killed = false, nul = false, tags = false, assumed_tags = false, eol = false;
  bool standard = false, full_name = false, fails = false, directory = false, no_empty = false, with_empty = false, deduplicates = false, monitored_tags = false, debug = false, sparse = false, recurses = false;
  std::vector<std::string> patterns, files, per_directory;
  std::optional<std::string> with_tree, format;
  std::optional<size_t> abbrev;
};
constexpr Option kOptions[] = {
    Flag<&Options::nul>('z', nullptr, "end lines with NUL"),
    Flag<&Options::tags>('t', nullptr, "show what each file is by a letter"),
    Flag<&Options::assumed_tags>('v', nullptr, "the same, in lower case for files assumed unchanged"),
    Flag<&Options::monitored_tags>('f', nullptr, "the same, in lower case for files that a monitor watches (there is none)"),
    Flag<&Options::cached>('c', "cached", "show what is in the index (the default)"),
    Flag<&Options::deleted>('d', "deleted", "show deleted files"),
    Flag<&Options::modified>('m', "modified", "show changed files"),
    Flag<&Options::others>('o', "others", "show untracked files"),
    Flag<&Options::ignored>('i', "ignored", "with -c or -o: only ignored files"),
    Flag<&Options::stage>('s', "stage", "show modes, objects and stages"),
    Flag<&Options::killed>('k', "killed", "show files that are in the way"),
    Flag<&Options::directory>(0, "directory", "show untracked directories instead of what is in them"),
    Flag<&Options::eol>(0, "eol", "show how lines end"),
    Flag<&Options::no_empty>(0, "no-empty-directory", "with --directory: without empty ones"),
    Flag<&Options::with_empty>(0, "empty-directory", "with them (the default)"),
    Flag<&Options::unmerged>('u', "unmerged", "show unmerged files"),
    Flag<&Options::resolved>(0, "resolve-undo", "show what conflicts that were resolved had been"),
    Value<&Options::patterns>('x', "exclude", "PATTERN", "take what matches for ignored"),
    Value<&Options::files>('X', "exclude-from", "FILE", "read such patterns from FILE"),
    Value<&Options::per_directory>(0, "exclude-per-directory", "FILE", "read such patterns from FILE in each directory"),
    Flag<&Options::standard>(0, "exclude-standard", "read the usual ignore files"),
    Flag<&Options::full_name>(0, "full-name", "paths from the top"),
    Flag<&Options::fails>(0, "error-unmatch", "fail when an operand matches nothing"),
    Value<&Options::with_tree>(0, "with-tree", "TREE", "as if what a tree has were still in the index"),
    CallOptional<TakeAbbrevOption<&Options::abbrev>>(0, "abbrev", "N", "ids of N digits"),
    Flag<&Options::recurses>(0, "recurse-submodules", "those of submodules, too (refused where there are any)"),
    Flag<&Options::sparse>(0, "sparse", "show directories that the index has as one entry"),
    Flag<&Options::debug>(0, "debug", "show what is known of each file"),
    Flag<&Options::deduplicates>(0, "deduplicate", "each name once"),
    Value<&Options::format>(0, "format", "FORMAT", "show %(objectname), %(path) and others"),
};

// What is not in the index.
class Others {
 public:
  Others(Git& git, const Options& options, const Index& index, Pathspec& paths, IgnoreRules& rules) : git_(git), options_(options), index_(index), paths_(paths), rules_(rules) {}

  std::vector<std::string> Find() {
    Visit("", false);
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  bool IsKnown(const std::string& path) {
    for (int stage = 0; stage < 4; ++stage) {
      if (index_.Find(path, stage) != nullptr) return true;
    }
    return false;
  }

  bool HasFiles(const std::string& directory) {
    git_.in.budget.CheckStack();
    const auto list = git_.in.fs.List(git_.FilePath(directory));
    if (!list) return false;
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step();
      if (entry.type != vfs::FileType::kDirectory || HasFiles(directory + entry.name + "/")) return true;
    }
    return false;
  }

  // `is_hidden`: a rule hides the directory, and with it all that is in it.
  void Visit(const std::string& directory, bool is_hidden) {
    git_.in.budget.CheckStack();
    const auto list = git_.in.fs.List(git_.FilePath(directory));
    if (!list) return;
    rules_.Enter(directory);
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step(4);
      if (entry.name == ".git") continue;
      const std::string path = directory + entry.name;
      const bool is_directory = entry.type == vfs::FileType::kDirectory;
      if (!is_directory && entry.type != vfs::FileType::kFile && entry.type != vfs::FileType::kSymlink) continue;
      const bool hides = is_hidden || rules_.Hides(path, is_directory);
      if (!is_directory) {
        if (!IsKnown(path) && hides == options_.ignored && (paths_.empty() || paths_.Matches(path, git_.in.budget))) found_.push_back(path);
        continue;
      }
      if (!paths_.empty() && !paths_.MayMatchBelow(path, git_.in.budget)) continue;
      const bool has_known = index_.HasBelow(path);
      if (IsGitDirectory(git_.in.fs, git_.FilePath(path) + "/.git") && !has_known) {
        if (index_.Find(path) == nullptr && hides == options_.ignored) found_.push_back(path + "/");
        continue;
      }
      if (hides && !options_.ignored && !has_known) continue;
      const bool is_whole = options_.directory && !has_known && (paths_.empty() || paths_.Matches(path, git_.in.budget));
      if (is_whole && hides == options_.ignored) {
        if (!options_.no_empty || options_.with_empty || HasFiles(path + "/")) found_.push_back(path + "/");
        continue;
      }
      Visit(path + "/", hides);
    }
    rules_.Leave();
  }

  Git& git_;
  const Options& options_;
  const Index& index_;
  Pathspec& paths_;
  IgnoreRules& rules_;
  std::vector<std::string> found_;
};

// "lf", "crlf", "mixed", "none" or "-text".
std::string EndOfLine(std::string_view text) {
  if (LooksBinary(text)) return "-text";
  size_t crlf = 0, lf = 0;
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) (at > 0 && text[at - 1] == '\r' ? crlf : lf) += 1;
  return crlf > 0 && lf > 0 ? "mixed" : crlf > 0 ? "crlf" : lf > 0 ? "lf" : "none";
}

class Listing {
 public:
  Listing(Git& git, const Options& options) : git_(git), options_(options) {}

  std::string Shown(const std::string& path) const {
    if (options_.nul) return options_.full_name || !path.starts_with(git_.prefix) ? path : path.substr(git_.prefix.size());
    return options_.full_name ? git_.Quoted(path) : git_.Shown(path);
  }

  Status Print(const IndexEntry& entry, char tag) {
    if (options_.format) {
      PADDOCK_ASSIGN(const std::string text, Formatted(entry));
      return Line(text);
    }
    std::string text = Tag(tag, entry.is_assumed);
    if (options_.stage || options_.unmerged) text += ModeText(entry.mode) + " " + Id(entry.id) + " " + std::to_string(entry.stage) + "\t";
    if (options_.eol) {
      PADDOCK_ASSIGN(const std::string ends, Ends(entry));
      text += ends;
    }
    PADDOCK_TRY(Line(text + Shown(entry.path)));
    if (options_.debug) PrintFacts(entry);
    return {};
  }
  Status PrintResolved(const std::string& path, const ResolvedConflict& conflict) {
    for (size_t i = 0; i < 3; ++i) {
      if (conflict.modes[i] == 0) continue;
      PADDOCK_TRY(Line(Tag('U', false) + ModeText(conflict.modes[i]) + " " + Id(conflict.ids[i]) + " " + std::to_string(i + 1) + "\t" + Shown(path)));
    }
    return {};
  }
  Status PrintOther(const std::string& path, char tag) {
    std::string text = Tag(tag, false);
    if (options_.eol) {
      PADDOCK_ASSIGN(const auto content, ReadRawFile(git_, path));
      text += "i/      w/" + Padded(content ? EndOfLine(content->data) : "", 5) + " attr/" + Padded(EolAttributes(git_, path), 17) + "\t";
    }
    return Line(text + Shown(path));
  }

 private:
  std::string Id(const Oid& id) const { return options_.abbrev ? git_.objects.Abbreviate(id, *options_.abbrev) : id.Hex(); }
  static std::string Padded(std::string text, size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  }
  std::string Tag(char tag, bool is_assumed) const {
    if (!options_.tags && !options_.assumed_tags && !options_.monitored_tags) return {};
    if (options_.assumed_tags && is_assumed) tag = static_cast<char>(tag - 'A' + 'a');
    return std::string(1, tag) + " ";
  }
  void PrintFacts(const IndexEntry& entry) {
    const auto number = [](uint32_t value) { return std::to_string(value); };
    const uint32_t flags = static_cast<uint32_t>(entry.stage) << 12 | (entry.is_assumed ? 0x8000 : 0) | (entry.is_intended ? 0x20000000 : 0) | (entry.is_skipped ? 0x40000000 : 0) | (entry.is_intended || entry.is_skipped ? 0x4000 : 0);
    char hex[16];
    const auto end = std::to_chars(hex, hex + sizeof hex, flags, 16).ptr;
    git_.Print("  ctime: " + number(entry.change_seconds) + ":" + number(entry.change_nanos) + "\n  mtime: " + number(entry.modify_seconds) + ":" + number(entry.modify_nanos) + "\n  dev: " + number(entry.device) + "\tino: " + number(entry.inode) +
               "\n  uid: " + number(entry.uid) + "\tgid: " + number(entry.gid) + "\n  size: " + number(entry.size) + "\tflags: " + std::string(hex, end) + "\n");
  }
  Status Line(const std::string& text) {
    if (options_.deduplicates && text == last_) return {};
    last_ = text;
    git_.Print(text + (options_.nul ? '\0' : '\n'));
    return {};
  }
  Result<std::string> Ends(const IndexEntry& entry) {
    std::string in_index, in_work;
    if ((entry.mode & 0170000) == 0100000) {
      PADDOCK_ASSIGN(const std::string blob, git_.ReadBlob(entry.id));
      in_index = EndOfLine(blob);
      PADDOCK_ASSIGN(const auto content, ReadRawFile(git_, entry.path));
      if (content && content->mode != kModeLink) in_work = EndOfLine(content->data);
    }
    return "i/" + Padded(in_index, 5) + " w/" + Padded(in_work, 5) + " attr/" + Padded(EolAttributes(git_, entry.path), 17) + "\t";
  }
  Result<std::string> Formatted(const IndexEntry& entry) {
    return ExpandListingFormat(git_.in.budget, "ls-files", *options_.format, [&](std::string_view atom) -> Result<std::optional<std::string>> {
      if (atom == "objectmode") return std::optional(ModeText(entry.mode));
      if (atom == "objectname") return std::optional(Id(entry.id));
      if (atom == "stage") return std::optional(std::to_string(entry.stage));
      if (atom == "path") return std::optional(Shown(entry.path));
      return std::optional<std::string>();
    });
  }

  Git& git_;
  const Options& options_;
  std::string last_ = "\n";
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  std::vector<std::string> operands = args.All();
  const bool has_operands = !operands.empty();
  // What is only left out is left out of where one is.
  const bool only_excludes = std::all_of(operands.begin(), operands.end(), [](const std::string& operand) {
    return operand.starts_with(":!") || operand.starts_with(":^") || (operand.starts_with(":(") && operand.substr(0, operand.find(')')).find("exclude") != std::string::npos);
  });
  if (only_excludes && !git.prefix.empty()) operands.push_back(".");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  if (options.format && (options.stage || options.others || options.killed || options.resolved || options.tags || options.assumed_tags || options.monitored_tags || options.eol || options.deduplicates)) {
    git.Say("fatal: ls-files --format cannot be used with -s, -o, -k, -t, --resolve-undo, --deduplicate, --eol\n");
    return 129;
  }
  IgnoreRules rules(git);
  if (options.standard) rules.AddStandard();
  for (const std::string& pattern : options.patterns) rules.AddPattern(pattern);
  for (const std::string& file : options.files) PADDOCK_TRY(rules.AddFile(file));
  for (const std::string& name : options.per_directory) rules.AddPerDirectory(name);
  if (options.ignored && !options.others && !options.cached) return Error(Code::kInvalid, "ls-files -i must be used with either -o or -c");
  if (options.ignored && rules.empty()) return Error(Code::kInvalid, "ls-files --ignored needs some exclude pattern");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (options.with_tree) {
    const auto id = ResolveObject(git, *options.with_tree);
    if (!id) return Error(Code::kNoEntry, "tree-ish " + *options.with_tree + " not found.");
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*id));
    for (const auto& [path, item] : files) {
      if (index.Find(path) != nullptr) continue;
      IndexEntry entry;
      entry.path = path;
      entry.mode = item.mode;
      entry.id = item.id;
      index.Put(std::move(entry));
    }
  }
  if (options.recurses) {
    if (options.deleted || options.others || options.unmerged || options.killed || options.modified || options.with_tree) return Error(Code::kInvalid, "ls-files --recurse-submodules unsupported mode");
    if (options.fails) return Error(Code::kInvalid, "ls-files --recurse-submodules does not support --error-unmatch");
    PADDOCK_TRY(RefuseSubmodules(git, index));
  }
  Listing listing(git, options);
  if (options.sparse) PADDOCK_TRY(CollapseDirectories(git, index));
  if (options.others) {
    for (const std::string& path : Others(git, options, index, paths, rules).Find()) PADDOCK_TRY(listing.PrintOther(path, '?'));
  }
  if (options.killed) {
    // Files where the index has a directory.
    std::set<std::string> killed;
    for (const IndexEntry& entry : index.entries()) {
      git.in.budget.Step();
      for (size_t slash = entry.path.find('/'); slash != std::string::npos; slash = entry.path.find('/', slash + 1)) {
        const auto facts = git.in.fs.Stat(git.FilePath(entry.path.substr(0, slash)), vfs::Follow::kNo);
        if (facts && !facts->is_directory()) killed.insert(entry.path.substr(0, slash));
      }
    }
    for (const std::string& path : killed) PADDOCK_TRY(listing.PrintOther(path, 'K'));
  }
  const bool is_listing = options.cached || options.stage || options.unmerged || !(options.deleted || options.modified || options.others || options.killed || options.resolved);
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (!paths.empty() && !paths.Matches(entry.path, git.in.budget)) continue;
    if (options.ignored) {
      const IgnoreRule* rule = rules.FindFor(entry.path, false);
      if (rule == nullptr || rule->glob.is_negative()) continue;
    }
    if (is_listing && (!options.unmerged || entry.stage != 0)) PADDOCK_TRY(listing.Print(entry, entry.stage != 0 ? 'M' : entry.is_skipped ? 'S' : 'H'));
    if ((!options.deleted && !options.modified) || entry.is_skipped) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git, entry.path, false));
    if (!file && options.deleted) PADDOCK_TRY(listing.Print(entry, 'R'));
    if (options.modified && (!file || file->id != entry.id || file->mode != entry.mode)) PADDOCK_TRY(listing.Print(entry, 'C'));
  }
  for (const auto& [path, conflict] : index.resolved()) {
    git.in.budget.Step();
    if (!options.resolved) break;
    if (paths.empty() || paths.Matches(path, git.in.budget)) PADDOCK_TRY(listing.PrintResolved(path, conflict));
  }
  if (options.fails && has_operands && !paths.Unmatched().empty()) {
    for (const std::string& operand : paths.Unmatched()) git.Complain("pathspec '" + operand + "' did not match any file(s) known to git");
    git.Say("Did you forget to 'git add'?\n");
    return 1;
  }
  return 0;
}

}  // namespace

extern const Subcommand kLsFiles;
const Subcommand kLsFiles = DefineSubcommand<Options, Run>({.name = "ls-files", .summary = "list the files of the index", .synopsis = "[<options>] [<file>...]", .options = kOptions});

}  // namespace paddock::git
