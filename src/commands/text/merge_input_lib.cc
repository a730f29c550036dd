#include "commands/text/merge_input.h"

#include "commands/input_files.h"

namespace paddock {

Result<std::string> ReadMergeInput(Invocation& in, const std::string& name) {
  auto file = InputFile::Open(in, name);
  if (!file) return file.error();
  std::string text = file->input().ReadAll();
  if (!file->input().status()) return file->input().status().error();
  return text;
}

bool IsBinaryText(std::string_view text) {
  constexpr size_t kProbe = 4096;
  return text.substr(0, kProbe).find('\0') != std::string_view::npos;
}

std::string WithoutCarriageReturns(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') kept += text[i];
  }
  return kept;
}

}  // namespace paddock
