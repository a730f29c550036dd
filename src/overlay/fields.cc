#include "overlay/fields.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/descriptor.h"

namespace paddock::overlay {
namespace {

Error Failure(const char* name) { return Error(static_cast<Code>(errno), std::string(name) + ": " + std::strerror(errno)); }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string EscapeWord(std::string_view word) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  if (word.empty()) return "%";
  std::string text;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '%') {
      text += c;
    } else {
      text += '%';
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

std::optional<std::string> UnescapeWord(std::string_view word) {
  if (word == "%") return std::string();
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    if (i + 2 >= word.size()) return std::nullopt;
    const int high = HexValue(word[i + 1]), low = HexValue(word[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return text;
}

std::vector<std::string_view> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t blank = line.find(' ');
    words.push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) break;
    line.remove_prefix(blank + 1);
  }
  return words;
}

std::optional<uint64_t> ParseNumber(std::string_view word) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return number;
}

Result<std::string> ReadSmallFile(int directory, const char* name, size_t most) {
  const Descriptor file(openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return Failure(name);
  std::string text;
  std::array<char, 64 << 10> block;
  while (true) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure(name);
    if (got == 0) return text;
    if (text.size() + static_cast<size_t>(got) > most) return Error(Code::kFileTooBig, std::string(name) + ": larger than any that Paddock writes");
    text.append(block.data(), static_cast<size_t>(got));
  }
}

Status ReplaceSmallFile(int directory, const char* name, std::string_view content) {
  const std::string temporary = std::string(name) + ".new";
  const auto fail = [&] {
    const Error error = Failure(name);
    unlinkat(directory, temporary.c_str(), 0);
    return error;
  };
  {
    const Descriptor file(openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return Failure(name);
    while (!content.empty()) {
      const ssize_t written = write(file.get(), content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return fail();
      content.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (renameat(directory, temporary.c_str(), directory, name) != 0) return fail();
  return {};
}

}  // namespace paddock::overlay
