// What every subcommand does with the repository: paths, the index, trees, messages.
#include <algorithm>

#include "commands/git/git.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/ignore_files.h"
#include "git/tree_reader.h"
#include "proc/process.h"
#include "text/diff/patch_names.h"

namespace paddock::git {
namespace {

std::string Lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return low;
}

bool HasGlobByte(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

}  // namespace

std::string QuotePath(std::string_view path, bool quotes_high) {
  std::string quoted;
  bool needs = false;
  for (const char c : path) {
    const unsigned char byte = static_cast<unsigned char>(c);
    static constexpr std::string_view kNamed = "\a\b\t\n\v\f\r";
    if (const size_t at = kNamed.find(c); at != std::string_view::npos && c != '\0') {
      quoted += {'\\', "abtnvfr"[at]};
      needs = true;
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
      needs = true;
    } else if (byte < 32 || byte == 127 || (byte > 127 && quotes_high)) {
      quoted += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
      needs = true;
    } else {
      quoted += c;
    }
  }
  return needs ? "\"" + quoted + "\"" : quoted;
}

std::string UnquotePath(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  std::string_view rest = text;
  auto plain = TakeQuotedName(rest);
  return plain && rest.empty() ? std::move(*plain) : std::string(text);
}

Result<Pathspec> Pathspec::Parse(const std::vector<std::string>& operands, std::string_view prefix, std::string_view work_tree) {
  Pathspec spec;
  for (const std::string& operand : operands) {
    Item item;
    item.text = operand;
    std::string_view text = operand;
    if (text.empty()) return Error(Code::kInvalid, "empty string is not a valid pathspec. please use . instead if you meant to match all paths");
    bool is_from_top = false;
    bool is_literal = false, has_glob_magic = false;
    if (text.starts_with(":(")) {
      const size_t close = text.find(')');
      if (close == std::string_view::npos) return Error(Code::kSyntax, "Missing ')' at the end of pathspec magic in '" + operand + "'");
      std::string_view words = text.substr(2, close - 2);
      text.remove_prefix(close + 1);
      while (!words.empty()) {
        const size_t comma = std::min(words.find(','), words.size());
        const std::string_view word = words.substr(0, comma);
        words.remove_prefix(std::min(comma + 1, words.size()));
        if (word == "exclude") item.is_excluded = true;
        else if (word == "top") is_from_top = true;
        else if (word == "icase") item.ignores_case = true;
        else if (word == "literal") is_literal = true;
        else if (word == "glob") has_glob_magic = true;
        else if (word.starts_with("attr:")) return Error(Code::kNotSupported, "pathspec magic 'attr' is not supported: '" + operand + "'");
        else if (!word.empty()) return Error(Code::kSyntax, "Invalid pathspec magic '" + std::string(word) + "' in '" + operand + "'");
      }
      if (is_literal && has_glob_magic) return Error(Code::kSyntax, operand + ": 'literal' and 'glob' are incompatible");
    } else if (text.starts_with(':')) {
      text.remove_prefix(1);
      while (!text.empty() && (text[0] == '!' || text[0] == '^' || text[0] == '/')) {
        if (text[0] == '/') is_from_top = true;
        else item.is_excluded = true;
        text.remove_prefix(1);
      }
      if (text.starts_with(':')) text.remove_prefix(1);
    }
    std::string path;
    if (text.starts_with('/')) {
      path = vfs::NormalizePath(text);
      const std::string top = work_tree == "/" ? "/" : std::string(work_tree) + "/";
      if (path == work_tree) path = "";
      else if (path.starts_with(top)) path = path.substr(top.size());
      else return Error(Code::kInvalid, operand + ": '" + operand + "' is outside repository at '" + std::string(work_tree) + "'");
    } else {
      path = vfs::NormalizePath((is_from_top ? std::string() : std::string(prefix)) + std::string(text));
      if (path == "..") path = "../";
      if (path.starts_with("../")) return Error(Code::kInvalid, operand + ": '" + operand + "' is outside repository at '" + std::string(work_tree) + "'");
    }
    item.is_directory = text.ends_with('/');
    item.path = path == "." ? "" : path;
    item.is_glob = !is_literal && HasGlobByte(item.path);
    if (has_glob_magic && item.is_glob) {
      auto glob = IgnoreGlob::Parse("/" + item.path, item.ignores_case, false);
      if (!glob) return Error(Code::kSyntax, "bad pattern '" + operand + "'");
      item.glob = std::make_shared<const IgnoreGlob>(std::move(*glob));
    }
    if (item.ignores_case) item.path = Lowered(item.path);
    spec.items_.push_back(std::move(item));
  }
  return spec;
}

bool Pathspec::ItemMatches(const Item& item, std::string_view path, Budget& budget) {
  budget.Step();
  if (item.glob && item.glob->Matches(path, false, budget)) return true;
  std::string low;
  if (item.ignores_case) path = low = Lowered(path);
  if (item.path.empty()) return true;
  if (path.starts_with(item.path)) {
    if (path.size() == item.path.size()) return !item.is_directory;
    if (path[item.path.size()] == '/') return true;
  }
  if (!item.is_glob || item.glob) return false;
  PatternFlags flags;
  flags.extglob = false;
  flags.is_utf8 = false;
  return Pattern(item.path, flags).Matches(path, budget);
}

bool Pathspec::Matches(std::string_view path, Budget& budget) {
  bool has_positive = false, matches = false;
  for (Item& item : items_) {
    if (item.is_excluded) {
      if (ItemMatches(item, path, budget)) {
        item.has_matched = true;
        return false;
      }
      continue;
    }
    has_positive = true;
    if (ItemMatches(item, path, budget)) item.has_matched = matches = true;
  }
  return matches || !has_positive;
}

bool Pathspec::MayMatchBelow(std::string_view directory, Budget& budget) const {
  bool has_positive = false;
  for (const Item& item : items_) {
    budget.Step();
    if (item.is_excluded) continue;
    has_positive = true;
    if (item.is_glob || item.ignores_case || item.path.empty() || directory.starts_with(item.path) || item.path.starts_with(std::string(directory) + "/")) return true;
  }
  return !has_positive;
}

std::vector<std::string> Pathspec::Unmatched() const {
  std::vector<std::string> unmatched;
  for (const Item& item : items_) {
    if (!item.has_matched && !item.is_excluded) unmatched.push_back(item.text);
  }
  return unmatched;
}

std::vector<std::string> Pathspec::Paths() const {
  std::vector<std::string> paths;
  for (const Item& item : items_) paths.push_back(item.path);
  return paths;
}

std::vector<std::string> Args::All() const {
  std::vector<std::string> all = operands;
  all.insert(all.end(), paths.begin(), paths.end());
  return all;
}

ExitStatus Git::Complain(std::string_view text, ExitStatus status) {
  Say("error: " + std::string(text) + "\n");
  return status;
}
void Git::Warn(std::string_view text) { Say("warning: " + std::string(text) + "\n"); }
void Git::Say(std::string_view text) {
  in.out.Flush();
  in.err.Write(text);
}

std::string Git::Quoted(std::string_view path) const { return QuotePath(path, config.GetBool("core.quotepath", true)); }

std::string Git::Shown(std::string_view path) const {
  std::string_view at = prefix;
  std::string up;
  while (!at.empty() && !path.starts_with(at)) {
    at.remove_suffix(1);
    const size_t slash = at.rfind('/');
    at = at.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
    up += "../";
  }
  std::string shown = up + std::string(path.substr(at.size()));
  if (shown.empty()) shown = "./";
  return Quoted(shown);
}

Result<std::string> Git::RepositoryPath(std::string_view operand) const {
  PADDOCK_ASSIGN(const Pathspec spec, Pathspec::Parse({std::string(operand)}, prefix, work_tree));
  return spec.Paths().front();
}

Result<Index> Git::ReadIndex() {
  const std::string path = std::string(in.env.Get("GIT_INDEX_FILE", GitPath("index")));
  const auto facts = in.fs.Stat(path);
  if (!facts) return Index();
  in.budget.WillAllocate(4 * facts->size);
  PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(in.fs, path));
  PADDOCK_ASSIGN(Index index, Index::Parse(text, in.budget));
  PADDOCK_TRY(ExpandDirectories(*this, index));
  ForgetPresent(*this, index);
  return index;
}

Status Git::WriteIndex(const Index& index) {
  const std::string path = std::string(in.env.Get("GIT_INDEX_FILE", GitPath("index")));
  if (in.fs.Stat(path + ".lock", vfs::Follow::kNo)) {
    return Error(Code::kExists, "Unable to create '" + path + ".lock': File exists.\n\nAnother git process seems to be running in this repository, e.g.\n"
                 "an editor opened by 'git commit'. Please make sure all processes\nare terminated then try again. If it still fails, a git process\n"
                 "may have crashed in this repository earlier:\nremove the file manually to continue.");
  }
  if (config.GetBool("index.sparse", false)) {
    Index small = index;
    PADDOCK_TRY(CollapseDirectories(*this, small));
    PADDOCK_TRY(vfs::WriteFile(in.fs, path + ".lock", small.Text()));
  } else {
    PADDOCK_TRY(vfs::WriteFile(in.fs, path + ".lock", index.Text()));
  }
  return in.fs.Rename(path + ".lock", path);
}

Result<std::string> Git::ReadBlob(const Oid& id) {
  PADDOCK_ASSIGN(Object object, objects.ReadTyped(id, ObjectType::kBlob));
  return std::move(object.data);
}

namespace {

// Adds the files below one tree.
Status FlattenInto(Git& git, const Oid& tree, const std::string& prefix, FlatTree& out) {
  git.in.budget.CheckStack();
  if (prefix.size() > 4096) return Error(Code::kNameTooLong, "path in tree is too long");
  PADDOCK_ASSIGN(const ObjectPtr object, git.objects.ShareTyped(tree, ObjectType::kTree));
  for (TreeReader entry(object->data);;) {
    git.in.budget.Step(8);
    PADDOCK_ASSIGN(const bool is_there, entry.Next());
    if (!is_there) return {};
    std::string path = prefix + std::string(entry.name());
    if (entry.is_tree()) {
      PADDOCK_TRY(FlattenInto(git, entry.id(), path + "/", out));
    } else {
      git.in.budget.WillAllocate(path.size() + 200);
      out.insert_or_assign(out.end(), std::move(path), TreeItem{entry.mode(), entry.id()});
    }
  }
}

}  // namespace

Result<Oid> Git::RequireHead() {
  const auto head = Head();
  if (!head) return Error(Code::kNoEntry, "your current branch '" + ShortRef(HeadBranch().value_or("HEAD")) + "' does not have any commits yet");
  return *head;
}

Result<FlatTree> Git::Flatten(const Oid& tree) {
  FlatTree flat;
  PADDOCK_TRY(FlattenInto(*this, tree, "", flat));
  return flat;
}

Result<FlatTree> Git::FlattenCommit(const Oid& commit) {
  PADDOCK_ASSIGN(const Oid tree, objects.Peel(commit, ObjectType::kTree));
  return Flatten(tree);
}

namespace {

// Writes the tree of the entries [begin, end), whose paths begin with `prefix` bytes in common.
Result<Oid> WriteLevel(Git& git, const std::vector<const IndexEntry*>& entries, size_t begin, size_t end, size_t prefix) {
  git.in.budget.CheckStack();
  std::vector<TreeEntry> tree;
  while (begin < end) {
    git.in.budget.Step();
    const std::string_view rest = std::string_view(entries[begin]->path).substr(prefix);
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) {
      tree.push_back({entries[begin]->mode, std::string(rest), entries[begin]->id});
      ++begin;
      continue;
    }
    size_t last = begin + 1;
    while (last < end && std::string_view(entries[last]->path).substr(prefix).starts_with(rest.substr(0, slash + 1))) ++last;
    PADDOCK_ASSIGN(const Oid id, WriteLevel(git, entries, begin, last, prefix + slash + 1));
    tree.push_back({kModeTree, std::string(rest.substr(0, slash)), id});
    begin = last;
  }
  return git.objects.Write(ObjectType::kTree, TreeText(std::move(tree)));
}

}  // namespace

Result<Oid> Git::WriteTree(const Index& index) {
  std::vector<const IndexEntry*> entries;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0) return Error(Code::kInvalid, "git-write-tree: error building trees");
    if (!entry.is_intended) entries.push_back(&entry);
  }
  return WriteLevel(*this, entries, 0, entries.size(), 0);
}

Status Git::Edit(const std::string& path, std::string_view other) {
  std::string editor(other);
  if (editor.empty()) {
    if (const auto value = in.env.Get("GIT_EDITOR")) editor = *value;
    else if (const auto set = config.Get("core.editor")) editor = *set;
    else if (const auto visual = in.env.Get("VISUAL"); visual && in.env.Get("TERM", "dumb") != "dumb") editor = *visual;
    else if (const auto general = in.env.Get("EDITOR")) editor = *general;
  }
  if (editor.empty()) {
    Say("error: Terminal is dumb, but EDITOR unset\n");
    return Error(Code::kInvalid, "Please supply the message using either -m or -F option.");
  }
  if (editor == ":") return {};
  in.out.Flush();
  ChildSpec spec{.args = {"sh", "-c", editor + " \"$@\"", editor, path}, .environment = &in.env};
  const auto status = in.launcher.Run(in.process, spec);
  if (!status || *status != 0) {
    Say("error: There was a problem with the editor '" + editor + "'.\n");
    if (!other.empty()) return Error(Code::kInvalid, "the editor failed");
    return Error(Code::kInvalid, "Please supply the message using either -m or -F option.");
  }
  return {};
}

}  // namespace paddock::git
