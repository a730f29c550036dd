#include <algorithm>

#include "base/budget.h"
#include "commands/ignore_files.h"

namespace paddock {
namespace {

constexpr size_t kMostAlternatives = 256;
constexpr size_t kMostParts = 128;
constexpr uint64_t kLargestIgnoreFile = 4 << 20;

Error GlobError(std::string_view glob, std::string_view why) {
  return Error(Code::kSyntax, "error parsing glob '" + std::string(glob) + "': " + std::string(why));
}

// Where a set [...] that begins here ends, or npos.
size_t SetEnd(std::string_view text, size_t at) {
  size_t i = at + 1;
  if (i < text.size() && (text[i] == '!' || text[i] == '^')) ++i;
  if (i < text.size() && text[i] == ']') ++i;
  while (i < text.size() && text[i] != ']') ++i;
  return i < text.size() ? i : std::string_view::npos;
}

Status ExpandBraces(std::string_view whole, std::string_view text, std::vector<std::string>& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] == '[') {
      i = SetEnd(text, i);
      if (i == std::string_view::npos) return GlobError(whole, "unclosed character class; missing ']'");
      continue;
    }
    if (text[i] == '}') return GlobError(whole, "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)");
    if (text[i] != '{') continue;
    std::vector<std::string_view> choices;
    size_t begin = i + 1, depth = 1, end = i + 1;
    for (; end < text.size() && depth > 0; ++end) {
      if (text[end] == '\\') ++end;
      else if (text[end] == '{') return GlobError(whole, "nested alternate groups are not allowed");
      else if (text[end] == '}') --depth;
      if (end >= text.size()) break;
      if ((text[end] == ',' && depth == 1) || depth == 0) {
        choices.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    if (depth > 0) return GlobError(whole, "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
    for (const std::string_view choice : choices) {
      std::string one(text.substr(0, i));
      one.append(choice).append(text.substr(end));
      PADDOCK_TRY(ExpandBraces(whole, one, out));
      if (out.size() > kMostAlternatives) return GlobError(whole, "too many alternatives");
    }
    return {};
  }
  out.emplace_back(text);
  return {};
}

}  // namespace

Result<IgnoreGlob> IgnoreGlob::Parse(std::string_view text, bool ignores_case, bool has_braces) {
  const std::string_view whole = text;
  IgnoreGlob glob;
  if (text.starts_with('!')) {
    glob.is_negative_ = true;
    text.remove_prefix(1);
  } else if (text.starts_with("\\!") || text.starts_with("\\#")) {
    text.remove_prefix(1);
  }
  if (text.ends_with('/')) {
    glob.is_for_directories_ = true;
    text.remove_suffix(1);
  }
  bool is_anchored = text.starts_with('/');
  if (is_anchored) text.remove_prefix(1);
  is_anchored |= text.find('/') != std::string_view::npos;
  std::vector<std::string> choices;
  if (has_braces) {
    PADDOCK_TRY(ExpandBraces(whole, text, choices));
  } else {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') ++i;
      else if (text[i] == '[' && (i = SetEnd(text, i)) == std::string_view::npos) return GlobError(whole, "unclosed character class; missing ']'");
    }
    choices.emplace_back(text);
  }
  const ComponentGlobRules rules{.names = {.extglob = false, .ignore_case = ignores_case}, .is_for_any_depth = !is_anchored, .last_stars_need_a_name = true};
  for (const std::string& choice : choices) {
    glob.alternatives_.emplace_back(choice, rules);
    if (glob.alternatives_.back().size() > kMostParts) return GlobError(whole, "too many parts");
  }
  return glob;
}

bool IgnoreGlob::Matches(std::string_view path, bool is_directory, Budget& budget) const {
  if (is_for_directories_ && !is_directory) return false;
  const std::vector<std::string_view> names = PathNames(path);
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const ComponentGlob& one) { return one.Matches(names, budget); });
}

void IgnoreGlobList::AddLines(std::string_view text, bool ignores_case, Budget& budget, std::vector<std::string>* complaints) {
  constexpr size_t kMostComplaints = 100;
  size_t number = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    auto glob = IgnoreGlob::Parse(line, ignores_case, false);
    if (glob) globs_.push_back(std::move(*glob));
    else if (complaints != nullptr && complaints->size() < kMostComplaints) complaints->push_back("line " + std::to_string(number) + ": " + std::string(glob.error().Text()));
  }
}

IgnoreVerdict IgnoreGlobList::Check(std::string_view path, bool is_directory, Budget& budget) const {
  for (size_t i = globs_.size(); i-- > 0;) {
    if (globs_[i].Matches(path, is_directory, budget)) return globs_[i].is_negative() ? IgnoreVerdict::kKeep : IgnoreVerdict::kIgnore;
  }
  return IgnoreVerdict::kNone;
}

bool IgnoreGlobList::has_positive() const {
  return std::any_of(globs_.begin(), globs_.end(), [](const IgnoreGlob& glob) { return !glob.is_negative(); });
}

const IgnoreLevel* IgnoreFiles::LoadAbove(const std::string& directory) {
  return settings_.uses_parents && directory != "/" ? LoadChain(vfs::DirectoryName(directory)) : nullptr;
}

const IgnoreLevel* IgnoreFiles::LoadChain(const std::string& directory) {
  in_.budget.CheckStack();
  const IgnoreLevel* above = directory == "/" ? nullptr : LoadChain(vfs::DirectoryName(directory));
  return Enter(directory, above);
}

const IgnoreLevel* IgnoreFiles::Enter(const std::string& directory, const IgnoreLevel* above, const std::string& shown) {
  auto level = std::make_unique<IgnoreLevel>();
  level->above = above;
  level->directory = directory;
  const auto read = [&](const char* name, IgnoreGlobList& list) {
    const auto text = vfs::ReadFile(in_.fs, vfs::JoinPath(directory, name), kLargestIgnoreFile);
    if (!text) return;
    std::vector<std::string> complaints;
    list.AddLines(*text, settings_.ignores_case, in_.budget, &complaints);
    if (!settings_.says_ignore_messages) return;
    for (const std::string& complaint : complaints) {
      in_.out.Flush();
      in_.err.Write(vfs::JoinPath(shown.empty() ? directory : shown, name) + ": " + complaint + "\n");
    }
  };
  if (settings_.uses_dot_ignore) {
    read(settings_.own_name, level->own);
    read(".ignore", level->dot);
  }
  if (settings_.uses_vcs) {
    level->has_git = in_.fs.Stat(vfs::JoinPath(directory, ".git")).has_value();
    read(".gitignore", level->git);
    if (settings_.uses_exclude && level->has_git) read(".git/info/exclude", level->exclude);
  }
  levels_.push_back(std::move(level));
  return levels_.back().get();
}

IgnoreVerdict IgnoreFiles::Check(const IgnoreLevel* level, const std::string& absolute, bool is_directory) const {
  IgnoreVerdict own = IgnoreVerdict::kNone, dot = IgnoreVerdict::kNone, git = IgnoreVerdict::kNone, exclude = IgnoreVerdict::kNone;
  bool is_in_repository = !settings_.requires_git;
  for (const IgnoreLevel* at = level; at != nullptr && !is_in_repository; at = at->above) is_in_repository = at->has_git;
  bool has_left_repository = false;
  for (const IgnoreLevel* at = level; at != nullptr; at = at->above) {
    in_.budget.Step();
    const std::string_view path = std::string_view(absolute).substr(at->directory == "/" ? 1 : at->directory.size() + 1);
    const auto check = [&](const IgnoreGlobList& list, IgnoreVerdict& verdict) {
      if (verdict == IgnoreVerdict::kNone && !list.empty()) verdict = list.Check(path, is_directory, in_.budget);
    };
    check(at->own, own);
    check(at->dot, dot);
    if (is_in_repository && !has_left_repository) {
      check(at->git, git);
      check(at->exclude, exclude);
    }
    has_left_repository |= at->has_git;
  }
  for (const IgnoreVerdict verdict : {own, dot, git, exclude}) {
    if (verdict != IgnoreVerdict::kNone) return verdict;
  }
  if (settings_.explicit_files.empty()) return IgnoreVerdict::kNone;
  const std::string cwd = in_.fs.cwd() == "/" ? "/" : in_.fs.cwd() + "/";
  return absolute.starts_with(cwd) ? settings_.explicit_files.Check(std::string_view(absolute).substr(cwd.size()), is_directory, in_.budget)
                                   : IgnoreVerdict::kNone;
}

}  // namespace paddock
