// Operations of datamash that make one value of one value.
#include <algorithm>
#include <cmath>

#include "commands/data/datamash_names.h"
#include "text/base64.h"
#include "text/digest.h"
#include "vfs/file_system.h"

namespace paddock::datamash {
namespace {

constexpr std::string_view kDigits = "0123456789";

Answer Number(long double value) { return {.number = value == 0 ? 0 : value, .text = {}}; }   // no negative zero
Answer Text(std::string text) { return {.number = {}, .text = std::move(text)}; }

long double Bin(long double value, long double size) {
  long double bucket = std::trunc(value / size);
  if (value < 0) bucket -= 1;
  return bucket * size;
}

// Peter Weinberger's hash in a word of 64 bits.
uint64_t Hash(std::string_view text) {
  uint64_t hash = 0;
  for (const char c : text) hash = static_cast<unsigned char>(c) + ((hash << 9) | (hash >> 55));
  return hash;
}

// The first run of characters that can be part of such a number, and what a reader of numbers makes of it.
long double GetNumber(std::string_view text, char type) {
  std::string_view allowed = kDigits;
  if (type == 'i') allowed = "+-0123456789";
  if (type == 'd') allowed = "+-.0123456789";
  if (type == 'p') allowed = ".0123456789";
  if (type == 'h') allowed = "0123456789abcdefABCDEF";
  if (type == 'o') allowed = "01234567";
  const size_t begin = text.find_first_of(allowed);
  if (begin == std::string_view::npos) return 0;
  const std::string run(text.substr(begin, text.find_first_not_of(allowed, begin) - begin));
  if (type == 'd' || type == 'p') return std::strtold(run.c_str(), nullptr);
  if (type == 'h' || type == 'o') return static_cast<long double>(std::strtoull(run.c_str(), nullptr, type == 'h' ? 16 : 8));
  return static_cast<long double>(std::strtoll(run.c_str(), nullptr, 10));
}

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where the word of letters and digits at the end of name[0…end) begins (at its dot), or `end`.
size_t LastWord(std::string_view name, size_t end) {
  size_t at = end;
  while (at > 0 && IsAlphanumeric(name[at - 1])) --at;
  return at == end || at < 2 || name[at - 1] != '.' ? end : at - 1;
}

// Where the ending of a file name begins, or its size. That of a packed file takes the word before along: "tar.gz".
size_t EndingOf(std::string_view name) {
  constexpr std::string_view kPackers[] = {"gz", "bz2", "xz", "lz", "gpg"};
  if (name.size() > 1 && name.ends_with('.')) return name.size() - 1;
  const size_t begin = LastWord(name, name.size());
  const bool is_packed = begin < name.size() && std::ranges::find(kPackers, name.substr(begin + 1)) != std::end(kPackers);
  return is_packed ? LastWord(name, begin) : begin;
}

std::string BaseName(std::string_view text) { return text.empty() ? "" : vfs::BaseName(text); }

}  // namespace

Result<Answer> Apply(const Operation& operation, const Parameter& parameter, std::string_view text, long double number) {
  switch (static_cast<LineOperation>(operation.id)) {
    case LineOperation::kBase64: return Text(EncodeBase64(text));
    case LineOperation::kDebase64: {
      auto plain = DecodeBase64(text);
      if (!plain || text.size() % 4 != 0) return Code::kSyntax;
      return Text(std::move(*plain));
    }
    case LineOperation::kMd5: return Text(HexOf(DigestOf(DigestAlgorithm::kMd5, text)));
    case LineOperation::kSha1: return Text(HexOf(DigestOf(DigestAlgorithm::kSha1, text)));
    case LineOperation::kSha224: return Text(HexOf(DigestOf(DigestAlgorithm::kSha224, text)));
    case LineOperation::kSha256: return Text(HexOf(DigestOf(DigestAlgorithm::kSha256, text)));
    case LineOperation::kSha384: return Text(HexOf(DigestOf(DigestAlgorithm::kSha384, text)));
    case LineOperation::kSha512: return Text(HexOf(DigestOf(DigestAlgorithm::kSha512, text)));
    case LineOperation::kBin: return Number(Bin(number, parameter.number));
    case LineOperation::kStrbin: return Number(static_cast<long double>(Hash(text) % static_cast<uint64_t>(parameter.number)));
    case LineOperation::kRound: return Number(std::round(number));
    case LineOperation::kFloor: return Number(std::floor(number));
    case LineOperation::kCeil: return Number(std::ceil(number));
    case LineOperation::kTrunc: return Number(std::trunc(number));
    case LineOperation::kFrac: return Number(number - std::trunc(number));
    case LineOperation::kDirname: return Text(vfs::DirectoryName(text));
    case LineOperation::kBasename: return Text(BaseName(text));
    case LineOperation::kBarename: {
      const std::string name = BaseName(text);
      return Text(name.substr(0, EndingOf(name)));
    }
    case LineOperation::kExtname: {
      const std::string name = BaseName(text);
      const size_t ending = EndingOf(name);
      return Text(ending < name.size() ? name.substr(ending + 1) : "");
    }
    case LineOperation::kGetnum: return Answer{.number = GetNumber(text, parameter.letter), .text = {}};
    case LineOperation::kCut: return Text(std::string(text));
  }
  return Code::kInternal;
}

}  // namespace paddock::datamash
