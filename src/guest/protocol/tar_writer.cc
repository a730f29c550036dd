#include <cstdio>
#include <cstring>

#include "guest/protocol/tar.h"

namespace paddock::guest {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kMaxShortName = 100;
constexpr uint64_t kMaxOctal8 = 07777777, kMaxOctal12 = 077777777777;

char TypeOf(TarEntry::Kind kind) {
  switch (kind) {
    case TarEntry::Kind::kFile: return '0';
    case TarEntry::Kind::kHardLink: return '1';
    case TarEntry::Kind::kSymlink: return '2';
    case TarEntry::Kind::kCharacterDevice: return '3';
    case TarEntry::Kind::kBlockDevice: return '4';
    case TarEntry::Kind::kDirectory: return '5';
    case TarEntry::Kind::kFifo: return '6';
    case TarEntry::Kind::kOther: break;
  }
  PADDOCK_CHECK(false);
}

// The length counts itself.
std::string Record(std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) length = std::to_string(length).size() + rest;
  std::string record = std::to_string(length);
  record += ' ';
  record += key;
  record += '=';
  record += value;
  record += '\n';
  return record;
}

std::string TimeText(int64_t nanoseconds) {
  // Toward minus infinity and up again would need two signs: the text has one for both parts.
  const uint64_t size = nanoseconds < 0 ? uint64_t{0} - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  char text[40];
  std::snprintf(text, sizeof text, "%s%llu.%09llu", nanoseconds < 0 ? "-" : "", static_cast<unsigned long long>(size / kSecond),
                static_cast<unsigned long long>(size % kSecond));
  return text;
}

void PutOctal(std::string& block, size_t begin, size_t size, uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llo", static_cast<int>(size - 1), static_cast<unsigned long long>(value));
  block.replace(begin, size - 1, text, size - 1);
}

void PutText(std::string& block, size_t begin, std::string_view text) { block.replace(begin, text.size(), text); }

void AppendBlock(std::string& out, const TarEntry& entry, char type, uint64_t size) {
  std::string block(kTarBlock, '\0');
  PutText(block, 0, std::string_view(entry.name).substr(0, kMaxShortName));
  PutOctal(block, 100, 8, entry.mode & 07777);
  PutOctal(block, 108, 8, entry.uid <= kMaxOctal8 ? entry.uid : 0);
  PutOctal(block, 116, 8, entry.gid <= kMaxOctal8 ? entry.gid : 0);
  PutOctal(block, 124, 12, size <= kMaxOctal12 ? size : 0);
  const int64_t seconds = entry.modified_ns / kSecond;
  PutOctal(block, 136, 12, seconds >= 0 && static_cast<uint64_t>(seconds) <= kMaxOctal12 ? static_cast<uint64_t>(seconds) : 0);
  PutText(block, 148, "        ");
  block[156] = type;
  PutText(block, 157, std::string_view(entry.target).substr(0, kMaxShortName));
  PutText(block, 257, std::string_view("ustar\00000", 8));
  PutOctal(block, 329, 8, entry.device_major & kMaxOctal8);
  PutOctal(block, 337, 8, entry.device_minor & kMaxOctal8);
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  PutOctal(block, 148, 7, sum);   // six digits, NUL, and the space that is there
  block[154] = '\0';
  out += block;
}

}  // namespace

std::string EncodeTarHeader(const TarEntry& entry) {
  PADDOCK_CHECK(!entry.name.empty());
  const uint64_t size = entry.kind == TarEntry::Kind::kFile ? entry.size : 0;
  std::string records;
  if (entry.name.size() > kMaxShortName) records += Record("path", entry.name);
  if (entry.target.size() > kMaxShortName) records += Record("linkpath", entry.target);
  if (size > kMaxOctal12) records += Record("size", std::to_string(size));
  if (entry.uid > kMaxOctal8) records += Record("uid", std::to_string(entry.uid));
  if (entry.gid > kMaxOctal8) records += Record("gid", std::to_string(entry.gid));
  const bool has_whole_time = entry.modified_ns % kSecond == 0 && entry.modified_ns >= 0 &&
                              static_cast<uint64_t>(entry.modified_ns / kSecond) <= kMaxOctal12;
  if (!has_whole_time) records += Record("mtime", TimeText(entry.modified_ns));
  std::string out;
  if (!records.empty()) {
    TarEntry pax;
    pax.name = "paddock.pax";
    AppendBlock(out, pax, 'x', records.size());
    out += records;
    out.append(TarPadding(records.size()), '\0');
  }
  AppendBlock(out, entry, TypeOf(entry.kind), size);
  return out;
}

}  // namespace paddock::guest
