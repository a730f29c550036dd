#include <charconv>

#include "commands/git/mail/am.h"
#include "commands/git/shell_words.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostStateBytes = 64 << 20;

// What stands in a shell's quotes; nothing when it is malformed.
std::optional<std::string> ShellUnquoted(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text[0] == '\\' && text.size() > 1) {
      plain += text[1];
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text[0] == '\'' ? text.find('\'', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    plain += text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  }
  return plain;
}

// The options of apply, as one line of words in quotes.
std::string ApplyWords(const AmOptions& options) {
  std::string text;
  const auto add = [&text](const std::string& word) { text += " " + InShellQuotes(word); };
  if (options.strip) add("-p" + std::to_string(*options.strip));
  if (options.context) add("-C" + std::to_string(*options.context));
  if (!options.directory.empty()) add("--directory=" + options.directory);
  if (!options.whitespace.empty()) add("--whitespace=" + options.whitespace);
  if (options.ignores_blanks) add("--ignore-whitespace");
  if (options.rejects) add("--reject");
  for (const auto& [is_included, pattern] : options.limits) add((is_included ? "--include=" : "--exclude=") + pattern);
  return text;
}

}  // namespace

Status AmState::Write(std::string_view name, std::string_view text) {
  return vfs::WriteFile(git_.in.fs, Path(name), std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n"));
}

Result<std::string> AmState::ReadWhole(std::string_view name) const { return vfs::ReadFile(git_.in.fs, Path(name), kMostStateBytes); }

std::string AmState::Read(std::string_view name) const {
  auto text = ReadWhole(name);
  if (!text) return {};
  if (text->ends_with('\n')) text->pop_back();
  return std::move(*text);
}

std::string AmState::Number(int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

Status AmState::Remove() {
  const std::string folder = git_.GitPath("rebase-apply");
  PADDOCK_ASSIGN(const auto list, git_.in.fs.List(folder));
  for (const vfs::DirectoryEntry& entry : list) {
    if (entry.type != vfs::FileType::kDirectory) PADDOCK_TRY(git_.in.fs.RemoveFile(folder + "/" + entry.name));
  }
  return git_.in.fs.RemoveDirectory(folder);
}

Status AmState::WriteOptions(const AmOptions& options) {
  const std::string keep = options.keeps ? "t" : options.keeps_non_patch ? "b" : "f";
  const auto flag = [](bool value) { return value ? "t" : "f"; };
  PADDOCK_TRY(Write("threeway", flag(options.three_way)));
  PADDOCK_TRY(Write("quiet", flag(options.quiet)));
  PADDOCK_TRY(Write("sign", flag(options.signoff)));
  PADDOCK_TRY(Write("utf8", flag(options.recodes.value_or(true))));
  PADDOCK_TRY(Write("keep", keep));
  PADDOCK_TRY(Write("messageid", flag(options.message_id)));
  PADDOCK_TRY(Write("scissors", options.scissors ? "t" : options.no_scissors ? "f" : ""));
  PADDOCK_TRY(Write("quoted-cr", options.quoted_return));
  PADDOCK_TRY(Write("apply-opt", ApplyWords(options)));
  return {};
}

Status AmState::TakeApplyWords(std::string_view text, AmOptions& options) const {
  while (!text.empty()) {
    git_.in.budget.Step();
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    size_t end = 0;
    for (bool is_quoted = false; end < text.size() && (is_quoted || text[end] != ' '); ++end) is_quoted ^= text[end] == '\'';
    const auto word = ShellUnquoted(text.substr(0, end));
    text.remove_prefix(end);
    const auto value = [&](std::string_view lead) { return word->substr(lead.size()); };
    if (!word) return Error(Code::kSyntax, "could not parse '.git/rebase-apply/apply-opt'");
    int64_t number = 0;
    if (word->starts_with("-p") && ParseOptionValue(value("-p"), number)) options.strip = number;
    else if (word->starts_with("-C") && ParseOptionValue(value("-C"), number)) options.context = number;
    else if (word->starts_with("--directory=")) options.directory = value("--directory=");
    else if (word->starts_with("--whitespace=")) options.whitespace = value("--whitespace=");
    else if (word->starts_with("--include=")) options.limits.emplace_back(true, value("--include="));
    else if (word->starts_with("--exclude=")) options.limits.emplace_back(false, value("--exclude="));
    else if (*word == "--ignore-whitespace" || *word == "--ignore-space-change") options.ignores_blanks = true;
    else if (*word == "--reject") options.rejects = true;
    else return Error(Code::kNotSupported, "option '" + *word + "' of the session is not supported");
  }
  return {};
}

Result<std::pair<int64_t, int64_t>> AmState::ReadNextAndLast() const {
  const auto number = [this](const char* name, int64_t& out) {
    const std::string text = Read(name);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc{} && out >= 0 && out < 1000000;
  };
  int64_t next = 0, last = 0;
  if (!number("next", next) || !number("last", last)) return Error(Code::kSyntax, "could not parse '.git/rebase-apply/next'");
  return std::pair(next, last);
}

Status AmState::ReadOptions(AmOptions& options) const {
  options.three_way = (options.three_way || Read("threeway") == "t") && !options.no_three_way;
  options.quiet |= Read("quiet") == "t";
  options.signoff |= Read("sign") == "t";
  options.message_id |= Read("messageid") == "t";
  options.keeps = Read("keep") == "t";
  options.keeps_non_patch = Read("keep") == "b";
  options.scissors = Read("scissors") == "t";
  options.recodes = Read("utf8") == "t";
  options.quoted_return = Read("quoted-cr");
  options.is_rebasing = git_.in.fs.Stat(Path("rebasing")).has_value();
  return TakeApplyWords(Read("apply-opt"), options);
}

Status AmState::WriteAuthor(const CurrentMail& mail) {
  return Write("author-script", "GIT_AUTHOR_NAME=" + InShellQuotes(mail.name) + "\nGIT_AUTHOR_EMAIL=" + InShellQuotes(mail.email) + "\nGIT_AUTHOR_DATE=" + InShellQuotes(mail.date) + "\n");
}

std::string AmState::ReadMessage() const {
  std::string message = Read("final-commit");
  if (!message.empty()) message += '\n';
  return message;
}

Result<CurrentMail> AmState::ReadCurrent() const {
  CurrentMail mail;
  const std::string script = Read("author-script");
  const std::string_view names[] = {"GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE="};
  std::string* const fields[] = {&mail.name, &mail.email, &mail.date};
  size_t begin = 0;
  for (size_t i = 0; i < 3; ++i) {
    const size_t end = i < 2 ? script.find("\n" + std::string(names[i + 1]), begin) : script.size();
    const std::string_view line = std::string_view(script).substr(begin, std::min(end, script.size()) - begin);
    auto value = line.starts_with(names[i]) && end != std::string::npos ? ShellUnquoted(line.substr(names[i].size())) : std::nullopt;
    if (!value) return Error(Code::kSyntax, "could not parse author script");
    *fields[i] = std::move(*value);
    begin = std::min(script.size(), end + 1);
  }
  mail.message = ReadMessage();
  if (auto patch = ReadWhole("patch")) mail.patch = std::move(*patch);
  return mail;
}

}  // namespace paddock::git
