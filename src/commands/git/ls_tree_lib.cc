// git ls-tree.
#include <algorithm>
#include <charconv>

#include "commands/git/diff.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct Options {
  bool recursive = false, trees = false, with_trees = false, name_only = false, object_only = false, size = false, nul = false, full_name = false, full_tree = false;
  std::optional<size_t> abbrev;
  std::optional<std::string> format;
};
Status TakeAbbrev(Options& options, std::string_view value) {
  int64_t digits = 7;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, digits));
  options.abbrev = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}
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
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "ids of N digits"),
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
    std::string text;
    std::string_view format = *options_.format;
    while (!format.empty()) {
      git_.in.budget.Step();
      const size_t percent = format.find('%');
      text += format.substr(0, percent);
      if (percent == std::string_view::npos) break;
      format.remove_prefix(percent + 1);
      unsigned byte = 0;
      if (format.starts_with('%')) {
        text += '%';
        format.remove_prefix(1);
        continue;
      }
      if (format.size() > 2 && format[0] == 'x' && std::from_chars(format.data() + 1, format.data() + 3, byte, 16).ptr == format.data() + 3) {
        text += static_cast<char>(byte);
        format.remove_prefix(3);
        continue;
      }
      const size_t end = format.find(')');
      if (!format.starts_with('(')) return Error(Code::kSyntax, "bad ls-tree format: element '" + std::string(format) + "' does not start with '('");
      if (end == std::string_view::npos) return Error(Code::kSyntax, "bad ls-tree format: element '" + std::string(format) + "' does not end in ')'");
      const std::string_view atom = format.substr(1, end - 1);
      format.remove_prefix(end + 1);
      if (atom == "objectmode") text += ModeText(entry.mode);
      else if (atom == "objecttype") text += TypeText(entry);
      else if (atom == "objectname") text += Id(entry.id);
      else if (atom == "path") text += Name(path);
      else if (atom == "objectsize" || atom == "objectsize:padded") {
        PADDOCK_ASSIGN(const std::string size, Size(entry));
        text += atom == "objectsize" ? size : Padded(size);
      } else {
        return Error(Code::kSyntax, "bad ls-tree format: %(" + std::string(atom) + ")");
      }
    }
    return text;
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
