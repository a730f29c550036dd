#include "shell/state/history.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "shell/shell.h"
#include "text/pattern.h"

namespace paddock::shell {
namespace {

// Goes over the source of a command and knows at each line's end how the next one is joined to it.
class LineJoiner {
 public:
  LineJoiner(std::string_view source, bool keeps_lines) : source_(source), keeps_lines_(keeps_lines) {}

  std::string Join() {
    for (; at_ < source_.size(); ++at_) {
      const char c = source_[at_];
      if (c == '\n' && nesting_.empty() && !delimiters_.empty()) {
        EndBodyLine();
      } else if (in_body_) {
        result_ += c;
      } else if (c == '\n' && nesting_.empty()) {
        EndLine();
      } else {
        Take(c);
      }
    }
    return std::move(result_);
  }

 private:
  void Take(char c) {
    if (c != '\\' || at_ + 1 >= source_.size() || Quote() == '\'') {
      Nest(c);
      result_ += c;
      return;
    }
    const char next = source_[++at_];
    if (next != '\n') result_.append({c, next});
  }

  char Quote() const { return nesting_.empty() ? '\0' : nesting_.back(); }

  // Quotes, $( ) and the comments and here-documents that may hold them.
  void Nest(char c) {
    const char quote = Quote();
    if (quote == '\'' || quote == '`') {
      if (c == quote) nesting_.pop_back();
      return;
    }
    if (quote != '\0' && c == quote) {
      nesting_.pop_back();
    } else if (c == '`' || c == '"' || (c == '\'' && quote != '"')) {
      nesting_ += c;
    } else if (c == '(' && at_ > 0 && source_[at_ - 1] == '$') {
      nesting_ += ')';
    } else if (quote == ')' && c == '(') {
      nesting_ += ')';
    } else if (quote == '\0' && c == '<' && source_.substr(at_, 2) == "<<" && source_.substr(at_, 3) != "<<<" &&
               (at_ == 0 || source_[at_ - 1] != '<')) {
      NoteDelimiter();
    }
  }

  // Remembers the word behind << as what ends a body.
  void NoteDelimiter() {
    size_t i = at_ + 2;
    while (i < source_.size() && std::string_view("- \t").find(source_[i]) != std::string_view::npos) ++i;
    std::string word;
    for (; i < source_.size() && std::string_view(" \t\n;&|<>()").find(source_[i]) == std::string_view::npos; ++i) {
      if (std::string_view("'\"\\").find(source_[i]) == std::string_view::npos) word += source_[i];
    }
    delimiters_.push_back(std::move(word));
  }

  // The line's break while here-documents are pending: the body begins or goes on.
  void EndBodyLine() {
    if (in_body_) {
      std::string_view line = std::string_view(result_).substr(result_.rfind('\n') + 1);
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == delimiters_.front()) delimiters_.erase(delimiters_.begin());
    }
    result_ += '\n';
    in_body_ = !delimiters_.empty();
  }

  void EndLine() {
    if (at_ + 1 >= source_.size()) return;
    result_ += keeps_lines_ ? "\n" : NeedsSemicolon() ? "; " : " ";
  }

  // True unless what stands before the line's end goes on behind it.
  bool NeedsSemicolon() const {
    const size_t last = result_.find_last_not_of(" \t");
    if (last == std::string::npos) return false;
    const char c = result_[last];
    if (c == ')') {
      const size_t before = result_.find_last_not_of(" \t", last - 1);
      const bool is_function = last > 0 && before != std::string::npos && result_[before] == '(';
      return !is_function && std::count(result_.begin(), result_.end(), '(') >=
                                 std::count(result_.begin(), result_.end(), ')');
    }
    if (std::string_view("{(;&|").find(c) != std::string_view::npos) return false;
    const size_t array = result_.rfind("=(");
    if (array != std::string::npos && result_.find(')', array) == std::string::npos) return false;
    const size_t begin = result_.find_last_of(" \t\n;&|(", last) + 1;   // npos + 1 is 0
    const std::string_view word = std::string_view(result_).substr(begin, last + 1 - begin);
    constexpr std::array<std::string_view, 8> kOpen = {"do", "then", "else", "if", "while", "until", "in", "elif"};
    return std::find(kOpen.begin(), kOpen.end(), word) == kOpen.end();
  }

  std::string_view source_;
  bool keeps_lines_;
  size_t at_ = 0;
  std::string result_;
  std::string nesting_;                    // closing characters of open quotes and substitutions
  std::vector<std::string> delimiters_;    // of here-documents whose body is to come
  bool in_body_ = false;
};

bool HasWord(std::string_view list, std::string_view word) {
  const std::string padded = ":" + std::string(list) + ":";
  return padded.find(":" + std::string(word) + ":") != std::string::npos;
}

bool IsIgnored(Shell& shell, const std::string& line) {
  const std::string patterns = shell.GetOr("HISTIGNORE", "");
  std::string_view rest = patterns;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    std::string pattern(rest.substr(0, colon));
    const auto& lines = shell.history->lines;
    if (pattern == "&") pattern = lines.empty() ? "" : lines.back();
    if (Pattern(pattern, {.extglob = true, .is_utf8 = shell.locale().is_utf8}).Matches(line, shell.budget())) return true;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return false;
}

// One entry on its way into the list.
void Record(Shell& shell, std::string line) {
  const std::string control = shell.GetOr("HISTCONTROL", "");
  const bool ignores_both = HasWord(control, "ignoreboth");
  if ((ignores_both || HasWord(control, "ignorespace")) && line.starts_with(' ')) return;
  const auto& lines = shell.history->lines;
  if ((ignores_both || HasWord(control, "ignoredups")) && !lines.empty() && lines.back() == line) return;
  if (IsIgnored(shell, line)) return;
  if (HasWord(control, "erasedups")) std::erase(MutableHistory(shell).lines, line);
  AddHistory(shell, std::move(line));
}

}  // namespace

HistoryList& MutableHistory(Shell& shell) {
  if (shell.history.use_count() > 1) shell.history = std::make_shared<HistoryList>(*shell.history);
  return *shell.history;
}

void LimitHistory(Shell& shell) {
  const auto text = shell.Get("HISTSIZE");
  if (!text) return;
  int64_t most = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), most);
  if (error != std::errc() || end != text->data() + text->size() || most < 0) return;
  if (shell.history->lines.size() <= static_cast<uint64_t>(most)) return;
  HistoryList& history = MutableHistory(shell);
  const size_t excess = history.lines.size() - static_cast<size_t>(most);
  history.lines.erase(history.lines.begin(), history.lines.begin() + static_cast<std::ptrdiff_t>(excess));
  history.dropped += excess;
}

void AddHistory(Shell& shell, std::string line) {
  shell.budget().WillAllocate(line.size());
  MutableHistory(shell).lines.push_back(std::move(line));
  LimitHistory(shell);
  shell.has_recorded_line = true;
  shell.has_pushed_line = false;
}

bool ReadHistoryFile(Shell& shell, const std::string& path) {
  const auto text = vfs::ReadFile(shell.files(), path);
  if (!text) return false;
  std::string_view rest = *text;
  while (!rest.empty()) {
    shell.budget().Step();
    const size_t end = rest.find('\n');
    if (end != 0) AddHistory(shell, std::string(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return true;
}

void RecordCommand(Shell& shell, std::string_view source) {
  shell.budget().Step(1 + static_cast<int64_t>(source.size() / 16));
  shell.has_recorded_line = false;
  // Blank lines before the command go, comments become entries of their own.
  while (!source.empty()) {
    const size_t end = source.find('\n');
    const std::string_view line = source.substr(0, end);
    const size_t first = line.find_first_not_of(" \t");
    const bool is_blank = first == std::string_view::npos;
    if (!is_blank && line[first] != '#') break;
    if (!is_blank) Record(shell, std::string(line));
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
  }
  if (source.empty()) return;
  Record(shell, LineJoiner(source, shell.options.Get(ShoptOption::kLithist)).Join());
}

}  // namespace paddock::shell
