#include "drivers/docker/plain/shell_text.h"

#include "text/utf8.h"

namespace paddock::docker {
namespace {

struct Wording {
  std::string_view text;
  Code code;
};

constexpr Wording kWordings[] = {
    {"No such file or directory", Code::kNoEntry},
    {"Directory nonexistent", Code::kNoEntry},
    {"nonexistent directory", Code::kNoEntry},
    {"Not a directory", Code::kNotDirectory},
    {"File exists", Code::kExists},
    {"Permission denied", Code::kAccess},
    {"Operation not permitted", Code::kNotPermitted},
    {"Is a directory", Code::kIsDirectory},
    {"Directory not empty", Code::kNotEmpty},
    {"Too many levels of symbolic links", Code::kLoop},
    {"Symbolic link loop", Code::kLoop},
    {"Read-only file system", Code::kReadOnly},
    {"No space left on device", Code::kNoSpace},
    {"File name too long", Code::kNameTooLong},
    {"Filename too long", Code::kNameTooLong},
    {"Invalid argument", Code::kInvalid},
    {"Disk quota exceeded", Code::kQuota},
    {"Quota exceeded", Code::kQuota},
    {"Invalid cross-device link", Code::kCrossDevice},
    {"Cross-device link", Code::kCrossDevice},
    {"File too large", Code::kFileTooBig},
    {"Text file busy", Code::kTextBusy},
    {"Device or resource busy", Code::kBusy},
    {"Resource busy", Code::kBusy},
    {"Too many links", Code::kTooManyLinks},
    {"Operation not supported", Code::kNotSupported},
    {"Not supported", Code::kNotSupported},
    {"Input/output error", Code::kIo},
    {"I/O error", Code::kIo},
    {"Cannot allocate memory", Code::kNoMemory},
    {"Out of memory", Code::kNoMemory},
    {"Resource temporarily unavailable", Code::kAgain},
};

}  // namespace

std::string Quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') word += "'\\''";
    else word += c;
  }
  return word + "'";
}

std::string PrintfFormat(std::string_view bytes) {
  std::string format;
  format.reserve(bytes.size() * 4 + 2);
  format += '\'';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '/' || c == '.' || c == ',';
    if (is_plain) {
      format += c;
      continue;
    }
    format += '\\';
    format += static_cast<char>('0' + (byte >> 6));
    format += static_cast<char>('0' + (byte >> 3 & 7));
    format += static_cast<char>('0' + (byte & 7));
  }
  return format + '\'';
}

std::optional<Code> CodeOfMessage(std::string_view message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
  for (const Wording& one : kWordings) {
    if (message.ends_with(one.text)) return one.code;
  }
  return std::nullopt;
}

bool IsCarried(std::string_view text) { return text.find('\0') == text.npos && IsValidUtf8(text); }

}  // namespace paddock::docker
