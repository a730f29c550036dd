#include <algorithm>
#include <array>

#include "commands/file/fd.h"

namespace paddock::fd {
namespace {

// Longest first: "{/}" must not be taken for "{" and the rest.
constexpr std::array<std::string_view, 5> kPlaceholders = {"{/.}", "{//}", "{/}", "{.}", "{}"};

std::string_view PlaceholderAt(std::string_view text) {
  for (const std::string_view one : kPlaceholders) {
    if (text.starts_with(one)) return one;
  }
  return {};
}

bool HasPlaceholder(std::string_view word) {
  for (size_t at = word.find('{'); at != std::string_view::npos; at = word.find('{', at + 1)) {
    if (!PlaceholderAt(word.substr(at)).empty()) return true;
  }
  return false;
}

std::string Parent(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
// A name without what follows its last dot, which may not be its first byte.
std::string Stem(std::string name) {
  const size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot != 0 && name != "..") name.resize(dot);
  return name;
}

std::string Value(std::string_view placeholder, const std::string& path) {
  if (placeholder == "{}") return path;
  if (placeholder == "{//}") return Parent(path);
  const std::string name = vfs::BaseName(path);
  if (placeholder == "{/}") return name;
  if (placeholder == "{/.}") return Stem(name);
  std::string shorter = vfs::JoinPath(Parent(path), Stem(name));
  if (shorter.starts_with("./")) shorter.erase(0, 2);
  return shorter;
}

}  // namespace

std::string WithSeparator(std::string_view path, std::string_view separator) {
  if (separator == "/") return std::string(path);
  std::string text;
  for (const char c : path) {
    if (c == '/') text.append(separator);
    else text += c;
  }
  return text;
}

CommandTemplate::CommandTemplate(std::vector<std::string> words, std::string separator) : words_(std::move(words)), separator_(std::move(separator)) {
  count_ = static_cast<size_t>(std::count_if(words_.begin(), words_.end(), HasPlaceholder));
  if (count_ > 0) return;
  words_.emplace_back("{}");
  count_ = 1;
}

bool CommandTemplate::has_fixed_program() const { return !HasPlaceholder(words_[0]); }

std::string CommandTemplate::FillWord(std::string_view word, const std::string& path) const {
  std::string text;
  while (!word.empty()) {
    const std::string_view placeholder = PlaceholderAt(word);
    if (placeholder.empty()) {
      text += word[0];
      word.remove_prefix(1);
    } else {
      text += WithSeparator(Value(placeholder, path), separator_);
      word.remove_prefix(placeholder.size());
    }
  }
  return text;
}

std::vector<std::string> CommandTemplate::Fill(const std::string& path) const {
  std::vector<std::string> words;
  for (const std::string& word : words_) words.push_back(FillWord(word, path));
  return words;
}

std::vector<std::string> CommandTemplate::FillAll(const std::vector<std::string>& paths, Budget& budget) const {
  std::vector<std::string> words;
  for (const std::string& word : words_) {
    if (!HasPlaceholder(word)) {
      words.push_back(word);
      continue;
    }
    for (const std::string& path : paths) {
      budget.Step();
      words.push_back(FillWord(word, path));
    }
  }
  return words;
}

bool RunCommandLine(Invocation& in, std::vector<std::string> words) {
  in.out.Flush();
  const std::string name = words[0];
  const auto status = in.launcher.Run(in.process, {.args = std::move(words), .environment = &in.env});
  if (status) return *status == 0;
  if (status.error().code == Code::kNoEntry) in.err.Write("[fd error]: Command not found: " + name + "\n");
  else in.err.Write("[fd error]: Problem while executing command: " + std::string(status.error().Text()) + " (os error " + std::to_string(static_cast<int>(status.error().code)) + ")\n");
  return false;
}

}  // namespace paddock::fd
