#include "commands/text/file_list.h"

#include "commands/input_files.h"
#include "text/quote.h"

namespace paddock {

Result<std::vector<std::string>> ReadFileList(Invocation& in, const std::string& from,
                                              std::string_view open_complaint) {
  const bool is_utf8 = in.locale.is_utf8;
  auto file = InputFile::Open(in, from);
  if (!file) {
    const std::string what = open_complaint.empty()
                                 ? "cannot open " + QuoteFile(from, is_utf8) + " for reading"
                                 : std::string(open_complaint) + ": " + QuoteSubject(from, is_utf8);
    return Error(file.error().code, what + ": " + std::string(file.error().Text()));
  }
  std::vector<std::string> names;
  while (const auto name = file->input().ReadLine('\0')) names.emplace_back(name->text);
  if (const Status& status = file->input().status(); !status) {
    return Error(status.error().code,
                 QuoteSubject(from, is_utf8) + ": read error: " + std::string(status.error().Text()));
  }
  return names;
}

Status CheckListedName(const Invocation& in, std::string_view name, std::string_view from, size_t index) {
  const bool is_utf8 = in.locale.is_utf8;
  if (from == "-" && name == "-") {
    return Error(Code::kInvalid, "when reading file names from stdin, no file name of " +
                                     QuoteFile(name, is_utf8) + " allowed");
  }
  if (!name.empty()) return {};
  if (from.empty()) return Error(Code::kInvalid, "invalid zero-length file name");
  return Error(Code::kInvalid, QuoteSubject(from, is_utf8) + ":" + std::to_string(index + 1) +
                                   ": invalid zero-length file name");
}

}  // namespace paddock
