// What options leave of the files that differ, and in which order.
#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/diff/diff_renames.h"
#include "commands/git/refs/revision.h"
#include "text/diff/unified_diff.h"
#include "text/pattern.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestOrderFile = 1 << 20;

size_t CountOf(std::string_view text, std::string_view word, Budget& budget) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    budget.Step();
    ++count;
  }
  return count;
}

Result<size_t> CountMatches(std::string_view text, const Regex& regex, Budget& budget) {
  size_t count = 0;
  std::vector<RegexGroup> groups(1);
  for (size_t at = 0; at <= text.size();) {
    budget.Step();
    PADDOCK_ASSIGN(const bool found, regex.Search(text, at, &groups, budget));
    if (!found) break;
    ++count;
    at = std::max(groups[0].end, groups[0].begin + 1);
  }
  return count;
}

// Whether a line of a patch matches.
class MatchSink final : public HunkSink {
 public:
  MatchSink(const Regex& regex, Budget& budget) : regex_(regex), budget_(budget) {}
  void Fragment(std::string_view, std::string_view) override {}
  void Line(char mark, std::string_view line) override {
    if (mark == ' ' || matches) return;
    const auto found = regex_.Search(line, 0, nullptr, budget_);
    matches = found && *found;
  }
  bool matches = false;

 private:
  const Regex& regex_;
  Budget& budget_;
};

// -S, -G and --find-object.
class Pickaxe {
 public:
  static Result<Pickaxe> Parse(Git& git, const DiffOptions& options) {
    Pickaxe pickaxe(git, options);
    const std::string& pattern = options.pickaxe_regex.empty() ? options.pickaxe : options.pickaxe_regex;
    if (!pattern.empty() && (!options.pickaxe_regex.empty() || options.pickaxe_is_regex)) {
      auto compiled = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false});
      if (!compiled) return Error(Code::kInvalid, "invalid regex: " + std::string(compiled.error().Text()));
      pickaxe.regex_ = std::make_shared<Regex>(std::move(*compiled));
    }
    if (!options.find_object.empty()) {
      auto id = ResolveObject(git, options.find_object);
      if (!id) return Error(Code::kRange, "unable to resolve '" + options.find_object + "'");
      pickaxe.object_ = *id;
    }
    return pickaxe;
  }

  bool is_needed() const { return !options_.pickaxe.empty() || !options_.pickaxe_regex.empty() || object_; }
  Result<bool> Picks(const FileDiff& file) const {
    if (object_) return (file.old_mode != 0 && !file.old_is_file && file.old_id == *object_) || (file.new_mode != 0 && !file.new_is_file && file.new_id == *object_);
    if (file.status == 'U') return false;
    PADDOCK_ASSIGN(const std::string before, ContentOf(git_, file, false));
    PADDOCK_ASSIGN(const std::string after, ContentOf(git_, file, true));
    if (!options_.pickaxe_regex.empty()) {
      if (!options_.as_text && (LooksBinary(before) || LooksBinary(after))) return false;
      DiffOptions plain = options_;
      plain.context = 0;
      plain.function_context = false;
      MatchSink sink(*regex_, git_.in.budget);
      WalkHunks(before, after, plain, git_.in.budget, {}, sink);
      return sink.matches;
    }
    if (!regex_) return CountOf(before, options_.pickaxe, git_.in.budget) != CountOf(after, options_.pickaxe, git_.in.budget);
    PADDOCK_ASSIGN(const size_t old_count, CountMatches(before, *regex_, git_.in.budget));
    PADDOCK_ASSIGN(const size_t new_count, CountMatches(after, *regex_, git_.in.budget));
    return old_count != new_count;
  }

 private:
  Pickaxe(Git& git, const DiffOptions& options) : git_(git), options_(options) {}
  Git& git_;
  const DiffOptions& options_;
  std::shared_ptr<Regex> regex_;
  std::optional<Oid> object_;
};

void Swap(FileDiff& file) {
  std::swap(file.old_path, file.new_path);
  std::swap(file.old_mode, file.new_mode);
  std::swap(file.old_id, file.new_id);
  std::swap(file.old_text, file.new_text);
  std::swap(file.old_is_file, file.new_is_file);
  if (file.status == 'A') file.status = 'D';
  else if (file.status == 'D') file.status = 'A';
}

// What comes first by -O: the first pattern that matches a file or a directory that it is in.
Status OrderFiles(Git& git, std::vector<FileDiff>& files, const std::string& name) {
  const auto text = vfs::ReadFile(git.in.fs, name, kLargestOrderFile);
  if (!text) return Error(text.error().code, "failed to read orderfile '" + name + "': " + std::string(text.error().Text()));
  std::vector<Pattern> patterns;
  PatternFlags flags;
  flags.extglob = false;
  for (std::string_view line : SplitLines(*text)) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (!line.empty() && line[0] != '#') patterns.emplace_back(std::string(line), flags);
  }
  const auto place = [&](std::string path) {
    for (size_t i = 0; i < patterns.size(); ++i) {
      for (std::string part = path; !part.empty(); part.resize(part.rfind('/') == std::string::npos ? 0 : part.rfind('/'))) {
        git.in.budget.Step();
        if (patterns[i].Matches(part, git.in.budget)) return i;
      }
    }
    return patterns.size();
  };
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < files.size(); ++i) order.emplace_back(place(files[i].new_path), i);
  std::stable_sort(order.begin(), order.end());
  std::vector<FileDiff> sorted;
  for (const auto& [rank, index] : order) sorted.push_back(std::move(files[index]));
  files = std::move(sorted);
  return {};
}

// --skip-to and --rotate-to.
Status RotateFiles(std::vector<FileDiff>& files, const DiffOptions& options) {
  const bool skips = !options.skip_to.empty();
  const std::string& name = skips ? options.skip_to : options.rotate_to;
  if (name.empty() || files.empty()) return {};
  const auto at = std::find_if(files.begin(), files.end(), [&](const FileDiff& file) { return options.needs_rotation ? file.new_path == name : file.new_path >= name; });
  if (at == files.end()) return options.needs_rotation ? Status(Error(Code::kNoEntry, "No such path '" + name + "' in the diff")) : Status();
  if (skips) files.erase(files.begin(), at);
  else std::rotate(files.begin(), at, files.end());
  return {};
}

// --diff-filter: capitals choose, small letters leave out; B: rewrites; *: all or none.
void FilterFiles(std::vector<FileDiff>& files, const std::string& filter) {
  static constexpr std::string_view kLetters = "ACDMRTUXB";
  bool excludes = false, all_or_none = false;
  std::string chosen;
  for (const char c : filter) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    excludes |= c != upper;
  }
  if (excludes) chosen = kLetters;
  for (const char c : filter) {
    if (c == '*') all_or_none = true;
    else if (c >= 'a' && c <= 'z') std::erase(chosen, static_cast<char>(c - 'a' + 'A'));
    else chosen += c;
  }
  const auto is_chosen = [&](const FileDiff& file) { return chosen.find(file.status == 'M' && file.dissimilarity > 0 ? 'B' : file.status) != std::string::npos; };
  if (all_or_none) {
    if (std::none_of(files.begin(), files.end(), is_chosen)) files.clear();
    return;
  }
  std::erase_if(files, [&](const FileDiff& file) { return !is_chosen(file); });
}

}  // namespace

Status Arrange(Git& git, std::vector<FileDiff>& files, const DiffOptions& options, Pathspec& paths, const FlatTree* before) {
  const auto is_wanted = [&](const FileDiff& file) { return paths.empty() || options.follows || paths.Matches(file.new_path, git.in.budget) || paths.Matches(file.old_path, git.in.budget); };
  std::erase_if(files, [&](const FileDiff& file) { return !is_wanted(file); });
  if (options.ignores_submodules) std::erase_if(files, [](const FileDiff& file) { return file.new_mode == kModeCommit || (file.new_mode == 0 && file.old_mode == kModeCommit); });
  if (options.is_relative) {
    std::string below = options.relative_to.empty() ? git.prefix : vfs::NormalizePath(git.prefix + options.relative_to);
    if (!below.empty() && !below.ends_with('/')) below += '/';
    std::erase_if(files, [&](const FileDiff& file) { return !file.new_path.starts_with(below); });
    for (FileDiff& file : files) {
      file.file_path = file.new_path;
      file.old_path = file.new_path = file.new_path.substr(below.size());
    }
  }
  if (options.reverse) std::for_each(files.begin(), files.end(), Swap);
  const std::string by_config = git.config.Get("diff.renames", "true");
  RenameRules rules;
  rules.finds_renames = !options.no_renames && (options.find_renames || options.follows || by_config == "copies" || by_config == "copy" || ParseConfigBool(by_config).value_or(true));
  rules.finds_copies = options.finds_copies || (!options.find_renames && (by_config == "copies" || by_config == "copy"));
  rules.least_score = options.find_renames.value_or(kWholeScore / 2);
  rules.takes_empty = options.takes_empty_renames;
  rules.break_score = options.break_score;
  rules.merge_score = options.merge_score;
  rules.limit = options.rename_limit;
  if (rules.limit < 0 && !ParseOptionValue(git.config.Get("diff.renamelimit", "1000"), rules.limit)) rules.limit = 1000;
  if (rules.finds_renames && options.finds_copies_harder && before != nullptr) {
    std::map<std::string_view, bool> changed;
    for (const FileDiff& file : files) changed[file.old_path] = true;
    for (const auto& [path, item] : *before) {
      FileDiff same;
      same.old_path = same.new_path = path;
      same.old_mode = same.new_mode = item.mode;
      same.old_id = same.new_id = item.id;
      if (!changed.contains(path) && is_wanted(same)) rules.unchanged.push_back(std::move(same));
    }
  }
  if (rules.finds_renames || rules.break_score >= 0) PADDOCK_TRY(FindRenames(git, files, rules));
  if (options.follows && !paths.empty()) std::erase_if(files, [&](const FileDiff& file) { return !paths.Matches(file.new_path, git.in.budget); });
  PADDOCK_ASSIGN(const Pickaxe pickaxe, Pickaxe::Parse(git, options));
  if (pickaxe.is_needed()) {
    std::vector<FileDiff> kept;
    for (const FileDiff& file : files) {
      PADDOCK_ASSIGN(const bool keeps, pickaxe.Picks(file));
      if (keeps) kept.push_back(file);
      if (keeps && options.pickaxe_all) break;
    }
    if (!options.pickaxe_all || kept.empty()) files = std::move(kept);
  }
  const std::string order = options.order_file.empty() ? git.config.Get("diff.orderfile", "") : options.order_file;
  if (!order.empty()) PADDOCK_TRY(OrderFiles(git, files, order));
  PADDOCK_TRY(RotateFiles(files, options));
  if (!options.filter.empty()) FilterFiles(files, options.filter);
  return {};
}

}  // namespace paddock::git
