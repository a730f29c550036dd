// git ls-tree.
#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/listing_format.h"
#include "commands/git/refs/abbrev.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

struct Options {
  bool recursive = false, trees = false, with_trees = false, name_only = false, object_only = false, size = false, nul = false, full_name = false, full_tree = false;
  std::optional<size_t> abbrev;
  std::optional<std::string> format;
};
constexpr Option kOptions[] = {
    Flag<&Options::trees>('d', nullptr, "only trees"),
    Flag<&Options::recursive>('r', nullptr, "go into trees"),
    Flag<&Options::with_trees>('t', nullptr, "with -r: show trees, too"),
    Flag<&Options::nul>('z', nullptr, "end lines with NUL"),
    Flag<&Options::size>('l', "long", "with sizes"),
    Flag<&Options::name_only>(0, "name-only", "names alone"),
    Flag<&Options::name_only>(0, "name-status", "likewise"),
    Flag<&Options::object_only>(0, "object-only", "ids alone"),
    Flag<&Options::full_name>(0, "full-name", "paths from the top"),
    Flag<&Options::full_tree>(0, "full-tree", "the whole tree, wherever one is"),
    Value<&Options::format>(0, "format", "FORMAT", "show %(objectname), %(path) and others"),
    CallOptional<TakeAbbrevOption<&Options::abbrev>>(0, "abbrev", "N", "ids of N digits"),
};

class Lister {
 public:
  // `prefix`: of the working directory, which paths are shown from.
  Lister(Git& git, const Options& options, Pathspec& paths, std::string prefix) : git_(git), options_(options), paths_(paths), prefix_(std::move(prefix)) {}

  Status List(const Oid& tree, const std::string& below) {
    git_.in.budget.CheckStack();
    if (below.size() > 4096) return Error(Code::kNameTooLong, "path in tree is too long");
    PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, git_.objects.ReadTree(tree));
    for (const TreeEntry& entry : entries) {
      git_.in.budget.Step();
      const std::string path = below + entry.name;
      if (!paths_.empty() && !paths_.Matches(path, git_.in.budget)) {
        if (!entry.is_tree() || !paths_.MayMatchBelow(path, git_.in.budget)) continue;
        if (options_.with_trees) PADDOCK_TRY(Print(entry, path));
        PADDOCK_TRY(List(entry.id, path + "/"));
        continue;
      }
      const bool goes_in = entry.is_tree() && options_.recursive;
      if ((!goes_in || options_.with_trees || options_.trees) && (!options_.trees || entry.is_tree())) PADDOCK_TRY(Print(entry, path));
      if (goes_in) PADDOCK_TRY(List(entry.id, path + "/"));
    }
    return {};
  }

 private:
  std::string Name(const std::string& path) const {
    if (options_.full_name || prefix_.empty()) return options_.nul ? path : git_.Quoted(path);
    return options_.nul && path.starts_with(prefix_) ? path.substr(prefix_.size()) : git_.Shown(path);
  }
  std::string Id(const Oid& id) const { return options_.abbrev ? git_.objects.Abbreviate(id, *options_.abbrev) : id.Hex(); }
  static const char* TypeText(const TreeEntry& entry) { return entry.is_tree() ? "tree" : entry.mode == kModeCommit ? "commit" : "blob"; }
  Result<std::string> Size(const TreeEntry& entry) {
    if (entry.is_tree() || entry.mode == kModeCommit) return std::string("-");
    PADDOCK_ASSIGN(const std::string data, git_.ReadBlob(entry.id));
    return std::to_string(data.size());
  }
  static std::string Padded(const std::string& text) { return std::string(text.size() < 7 ? 7 - text.size() : 0, ' ') + text; }

  Status Print(const TreeEntry& entry, const std::string& path) {
    const std::string end(1, options_.nul ? '\0' : '\n');
    if (options_.format) {
      PADDOCK_ASSIGN(const std::string text, Formatted(entry, path));
      git_.Print(text + end);
      return {};
    }
    if (options_.object_only) {
      git_.Print(Id(entry.id) + end);
      return {};
    }
    std::string line;
    if (!options_.name_only) {
      line = ModeText(entry.mode) + " " + TypeText(entry) + " " + Id(entry.id);
      if (options_.size) {
        PADDOCK_ASSIGN(const std::string size, Size(entry));
        line += " " + Padded(size);
      }
      line += "\t";
    }
    git_.Print(line + Name(path) + end);
    return {};
  }

  Result<std::string> Formatted(const TreeEntry& entry, const std::string& path) {
    return ExpandListingFormat(git_.in.budget, "ls-tree", *options_.format, [&](std::string_view atom) -> Result<std::optional<std::string>> {
      if (atom == "objectmode") return std::optional(ModeText(entry.mode));
      if (atom == "objecttype") return std::optional<std::string>(TypeText(entry));
      if (atom == "objectname") return std::optional(Id(entry.id));
      if (atom == "path") return std::optional(Name(path));
      if (atom != "objectsize" && atom != "objectsize:padded") return std::optional<std::string>();
      PADDOCK_ASSIGN(const std::string size, Size(entry));
      return std::optional(atom == "objectsize" ? size : Padded(size));
    });
  }

  Git& git_;
  const Options& options_;
  Pathspec& paths_;
  std::string prefix_;
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (operands.empty()) {
    git.Say("usage: git ls-tree [<options>] <tree-ish> [<path>...]\n");
    return 129;
  }
  const int forms = options.name_only + options.object_only + options.size;
  if (forms > 1 || (options.format && forms > 0)) {
    if (options.format) git.Say("fatal: --format can't be combined with other format-altering options\n");
    else git.Complain(options.size ? "switch `l' is incompatible with --" + std::string(options.name_only ? "name-only" : "object-only") : "option `object-only' is incompatible with --name-only");
    return 129;
  }
  auto id = ResolveObject(git, operands[0]);
  if (!id) return Error(Code::kNoEntry, "Not a valid object name " + operands[0]);
  auto tree = git.objects.Peel(*id, ObjectType::kTree);
  if (!tree) return Error(Code::kInvalid, "not a tree object");
  operands.erase(operands.begin());
  const std::string prefix = options.full_tree ? "" : git.prefix;
  if (operands.empty() && !prefix.empty()) operands.push_back("./");
  PADDOCK_ASSIGN(Pathspec paths, Pathspec::Parse(operands, prefix, git.work_tree));
  PADDOCK_TRY(Lister(git, options, paths, prefix).List(*tree, ""));
  return 0;
}

}  // namespace

extern const Subcommand kLsTree;
const Subcommand kLsTree = DefineSubcommand<Options, Run>({.name = "ls-tree", .summary = "list a tree", .synopsis = "[<options>] <tree-ish> [<path>...]", .options = kOptions});

}  // namespace paddock::git
