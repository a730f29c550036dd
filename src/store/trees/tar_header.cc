#include "store/trees/tar_header.h"

#include <algorithm>

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr size_t kRecord = 512;
constexpr uint64_t kMaxOctal = (uint64_t{1} << 33) - 1;  // eleven digits

// "length key=value\n", whose length counts itself.
void AddRecord(std::string& text, std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  text += std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

void PutOctal(char* field, size_t size, uint64_t value) {
  for (size_t i = size - 1; i > 0; --i, value >>= 3) field[i - 1] = static_cast<char>('0' + (value & 7));
  field[size - 1] = '\0';
}

char KindOf(FileType type) {
  switch (type) {
    case FileType::kFile: return '0';
    case FileType::kSymlink: return '2';
    case FileType::kCharDevice: return '3';
    case FileType::kBlockDevice: return '4';
    case FileType::kDirectory: return '5';
    case FileType::kFifo: return '6';
    case FileType::kSocket: break;
  }
  return '\0';
}

std::string EncodeRecord(char kind, const TarEntry& entry) {
  char record[kRecord] = {};
  entry.path.copy(record, 100);
  PutOctal(record + 100, 8, entry.mode);
  PutOctal(record + 108, 8, std::min<uint64_t>(entry.uid, 07777777));
  PutOctal(record + 116, 8, std::min<uint64_t>(entry.gid, 07777777));
  PutOctal(record + 124, 12, std::min(entry.size, kMaxOctal));
  const int64_t seconds = std::chrono::floor<std::chrono::seconds>(entry.modify_time).count();
  PutOctal(record + 136, 12, static_cast<uint64_t>(std::clamp<int64_t>(seconds, 0, static_cast<int64_t>(kMaxOctal))));
  record[156] = kind;
  entry.target.copy(record + 157, 100);
  std::string_view("ustar\00000", 8).copy(record + 257, 8);
  if (kind == '3' || kind == '4') {
    PutOctal(record + 329, 8, std::min<uint64_t>(entry.special >> 8, 07777777));
    PutOctal(record + 337, 8, entry.special & 0xff);
  }
  std::fill_n(record + 148, 8, ' ');
  uint64_t sum = 0;
  for (const char c : record) sum += static_cast<unsigned char>(c);
  PutOctal(record + 148, 7, sum);
  return std::string(record, kRecord);
}

}  // namespace

std::string EncodeTarHeader(const TarEntry& entry) {
  std::string records;
  if (entry.path.size() > 100) AddRecord(records, "path", entry.path);
  if (entry.target.size() > 100) AddRecord(records, "linkpath", entry.target);
  if (entry.size > kMaxOctal) AddRecord(records, "size", std::to_string(entry.size));
  if (entry.uid > 07777777) AddRecord(records, "uid", std::to_string(entry.uid));
  if (entry.gid > 07777777) AddRecord(records, "gid", std::to_string(entry.gid));
  const int64_t time = entry.modify_time.count();
  if (time % 1'000'000'000 != 0 || time < 0 || time / 1'000'000'000 > static_cast<int64_t>(kMaxOctal)) {
    const uint64_t magnitude = time < 0 ? uint64_t{0} - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
    std::string fraction = std::to_string(magnitude % 1'000'000'000);
    fraction.insert(0, 9 - fraction.size(), '0');
    AddRecord(records, "mtime", (time < 0 ? "-" : "") + std::to_string(magnitude / 1'000'000'000) + "." + fraction);
  }
  std::string header;
  if (!records.empty()) {
    header = EncodeRecord('x', {.path = "PaxHeaders/" + entry.path.substr(0, 80), .mode = 0644, .size = records.size()});
    records.resize((records.size() + kRecord - 1) / kRecord * kRecord);
    header += records;
  }
  return header + EncodeRecord(entry.is_hard_link ? '1' : KindOf(entry.type), entry);
}

}  // namespace paddock::trees
