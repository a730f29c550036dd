#include "commands/sys/parallel_profiles.h"

#include <algorithm>

namespace paddock {
namespace {

// The words of a shell, line by line; what begins with # is a comment.
void AddWords(Invocation& in, std::string_view text, std::vector<std::string>& words) {
  std::string word;
  bool has_word = false, is_comment = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    in.budget.Step();
    const char c = text[i];
    if (is_comment) {
      is_comment = c != '\n';
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size()) word += text[++i];
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      has_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      has_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else if (c == '#' && !has_word) {
      is_comment = true;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(std::move(word));
}

}  // namespace

std::string ParallelHome(Invocation& in) { return std::string(in.env.Get("PARALLEL_HOME", std::string(in.env.Get("HOME", "/")) + "/.parallel")); }

std::optional<std::vector<std::string>> UnpackParallelScript(Invocation& in) {
  // The kernel hands the rest of the first line over as one word.
  if (in.args.size() < 3 || !in.args[1].starts_with("--") || in.args[1].find(' ') == std::string::npos) return std::nullopt;
  std::vector<std::string> words = {in.args[0]};
  AddWords(in, in.args[1], words);
  const auto is_wrapper = std::find(words.begin(), words.end(), "--shebang-wrap");
  const std::string& script = in.args[2];
  if (is_wrapper != words.end()) {
    words.erase(is_wrapper);
    words.push_back(script);
    if (in.args.size() > 3) words.emplace_back(":::");
    words.insert(words.end(), in.args.begin() + 3, in.args.end());
    return words;
  }
  const auto is_list = std::find_if(words.begin(), words.end(), [](const std::string& word) { return word == "--shebang" || word == "--hashbang"; });
  if (is_list == words.end()) return std::nullopt;
  *is_list = "--skip-first-line";
  words.insert(words.begin() + 1, {"-a", script});
  words.insert(words.end(), in.args.begin() + 3, in.args.end());
  return words;
}

std::vector<std::string> WithParallelProfiles(Invocation& in) {
  constexpr uint64_t kLongest = 1 << 20;
  std::vector<std::string> words = {in.args[0]}, profiles = {"config"};
  bool is_plain = false;
  for (size_t i = 1; i < in.args.size() && in.args[i] != ":::" && in.args[i] != "::::"; ++i) {
    const std::string& word = in.args[i];
    if (word == "--plain") is_plain = true;
    if ((word == "-J" || word == "--profile") && i + 1 < in.args.size()) profiles.push_back(in.args[i + 1]);
    if (word.starts_with("--profile=")) profiles.push_back(word.substr(10));
  }
  const std::string home = ParallelHome(in);
  for (const std::string& name : is_plain ? std::vector<std::string>() : profiles) {
    const auto text = vfs::ReadFile(in.fs, name.find('/') == std::string::npos ? vfs::JoinPath(home, name) : name, kLongest);
    if (text) AddWords(in, *text, words);   // one that is not there is none, as for the real one
  }
  if (!is_plain) AddWords(in, in.env.Get("PARALLEL", ""), words);
  words.insert(words.end(), in.args.begin() + 1, in.args.end());
  return words;
}

}  // namespace paddock
