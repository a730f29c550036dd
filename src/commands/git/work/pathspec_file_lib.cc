#include "commands/git/work/pathspec_file.h"

#include "commands/input_files.h"

namespace paddock::git {
namespace {

// The name in C's quotes, as git writes it.
Result<std::string> Unquoted(std::string_view text) {
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? Result<std::string>(name) : Result<std::string>(Error(Code::kInvalid));
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i >= text.size()) break;
    static constexpr std::string_view kLetters = "abtnvfr\"\\", kBytes = "\a\b\t\n\v\f\r\"\\";
    if (const size_t at = kLetters.find(text[i]); at != std::string_view::npos) {
      name += kBytes[at];
      continue;
    }
    if (i + 2 >= text.size() || text[i] < '0' || text[i] > '3') break;
    name += static_cast<char>((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
    i += 2;
  }
  return Error(Code::kInvalid);
}

}  // namespace

Status TakePathspecFile(Git& git, const std::string& file, bool ends_with_nul, std::vector<std::string>& operands) {
  auto input = InputFile::Open(git.in, file);
  if (!input) return Error(input.error().code, "could not open '" + file + "' for reading: " + std::string(input.error().Text()));
  const std::string text = input->input().ReadAll();
  const char end = ends_with_nul ? '\0' : '\n';
  for (size_t at = 0; at < text.size();) {
    git.in.budget.Step();
    const size_t stop = std::min(text.find(end, at), text.size());
    std::string_view line = std::string_view(text).substr(at, stop - at);
    at = stop + 1;
    if (!ends_with_nul && line.ends_with('\r')) line.remove_suffix(1);
    if (ends_with_nul || !line.starts_with('"')) {
      operands.emplace_back(line);
      continue;
    }
    const auto name = Unquoted(line);
    if (!name) return Error(Code::kInvalid, "line is badly quoted: " + std::string(line));
    operands.push_back(*name);
  }
  return {};
}

Status TakePathspecFile(Git& git, const std::string& file, bool ends_with_nul, Args& args) {
  if (file.empty()) return ends_with_nul ? Status(Error(Code::kInvalid, "the option '--pathspec-file-nul' requires '--pathspec-from-file'")) : Status();
  if (!args.All().empty()) return Error(Code::kInvalid, "'--pathspec-from-file' and pathspec arguments cannot be used together");
  return TakePathspecFile(git, file, ends_with_nul, args.paths);
}

}  // namespace paddock::git
