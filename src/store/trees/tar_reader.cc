#include "store/trees/tar_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/tar_fields.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr size_t kRecord = 512;
constexpr uint64_t kMaxText = 1 << 20;          // of a long name or a pax header
constexpr size_t kMaxExtents = 1 << 20;
constexpr uint64_t kMaxSize = uint64_t{1} << 46;
constexpr int kMaxExtraHeaders = 64;            // before one file

// Unlike codec's reader this one refuses what is damaged: a tree is taken whole or not at all.
Error Bad(const std::string& why) { return {Code::kSyntax, "malformed tar archive: " + why}; }

// Nothing for what is no number, is negative or too large for 63 bits.
std::optional<uint64_t> NumberIn(const char* record, size_t offset, size_t size) {
  const auto number = codec::FindTarNumber(record, offset, size);
  return number && !number->is_negative && number->value <= INT64_MAX ? std::optional(number->value) : std::nullopt;
}

}  // namespace

Status TarReader::ReadBytes(uint64_t count, const std::function<Status(std::string_view)>& visit) {
  while (count > 0) {
    if (block_.bytes.empty()) {
      PADDOCK_ASSIGN(block_, in_.ReadBlock(128 << 10));
      if (block_.bytes.empty()) return Bad("it ends too early");
    }
    const size_t taken = static_cast<size_t>(std::min<uint64_t>(count, block_.bytes.size()));
    PADDOCK_TRY(visit(block_.bytes.substr(0, taken)));
    block_.bytes.remove_prefix(taken);
    count -= taken;
  }
  return {};
}

Result<bool> TarReader::ReadRecord(char* record) {
  if (block_.bytes.empty()) {
    PADDOCK_ASSIGN(block_, in_.ReadBlock(128 << 10));
    if (block_.bytes.empty()) return false;
  }
  size_t filled = 0;
  PADDOCK_TRY(ReadBytes(kRecord, [&](std::string_view bytes) {
    bytes.copy(record + filled, bytes.size());
    filled += bytes.size();
    return Status();
  }));
  return true;
}

Status TarReader::SkipPadding() {
  const uint64_t rest = std::exchange(data_left_, 0) + std::exchange(padding_, 0);
  return ReadBytes(rest, [](std::string_view) { return Status(); });
}

Result<std::string> TarReader::ReadText(uint64_t size, const char* what) {
  if (size > kMaxText) return Error(Code::kLimit, std::string("a ") + what + " of the tar archive is longer than 1 MiB");
  std::string text;
  PADDOCK_TRY(ReadBytes(size, [&text](std::string_view bytes) {
    text += bytes;
    return Status();
  }));
  padding_ = (kRecord - size % kRecord) % kRecord;
  PADDOCK_TRY(SkipPadding());
  return text;
}

Status TarReader::ParsePax(const std::string& text, Records& records) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto record = codec::TakePaxRecord(rest);
    if (!record) return Bad("a pax record: " + record.error().message);
    if (record->key.empty()) return Bad("a pax record without keyword");
    const std::string key(record->key), value(record->value);
    // The oldest sparse format repeats its keywords.
    std::string& slot = records[key];
    if (key == "GNU.sparse.offset" || key == "GNU.sparse.numbytes") slot += value + ",";
    else slot = value;
  }
  return {};
}

Status TarReader::ApplyPax(const Records& records, TarEntry& entry, uint64_t& stored) {
  for (const auto& [key, value] : records) {
    if (key == "path" || key == "GNU.sparse.name") {
      if (key == "path" && records.count("GNU.sparse.name") != 0) continue;
      entry.path = value;
    } else if (key == "linkpath") {
      entry.target = value;
    } else if (key == "size") {
      const auto size = codec::PaxNumber<uint64_t>(value);
      if (!size || *size > kMaxSize) return Bad("an impossible size");
      stored = *size;
    } else if (key == "uid" || key == "gid") {
      const auto number = codec::PaxNumber<uint32_t>(value);
      if (!number) return Bad("an impossible owner");
      (key == "uid" ? entry.uid : entry.gid) = *number;
    } else if (key == "mtime") {
      const auto time = codec::ParsePaxNanoseconds(value);
      if (!time) return Bad("an impossible time");
      entry.modify_time = *time;
    }
  }
  return {};
}

Status TarReader::CheckExtents(const TarEntry& entry) {
  uint64_t end = 0;
  uint64_t total = 0;
  for (const Extent& extent : extents_) {
    if (extent.offset < end || extent.length > kMaxSize || extent.offset > entry.size || extent.length > entry.size - extent.offset) {
      return Bad("impossible pieces of a sparse file");
    }
    end = extent.offset + extent.length;
    total += extent.length;
  }
  if (total != data_left_) return Bad("the pieces of a sparse file are not what is stored");
  is_sparse_ = true;
  return {};
}

Status TarReader::ReadGnuSparse(const char* record, TarEntry& entry) {
  const auto add = [this](const char* at) {
    const auto offset = NumberIn(at, 0, 12);
    const auto length = NumberIn(at, 12, 12);
    if (!offset || !length || extents_.size() >= kMaxExtents) return false;
    if (*offset != 0 || *length != 0 || at[0] != '\0') extents_.push_back({*offset, *length});
    return true;
  };
  const auto real = NumberIn(record, 483, 12);
  if (!real || *real > kMaxSize) return Bad("an impossible size");
  entry.size = *real;
  for (size_t i = 0; i < 4; ++i) {
    if (!add(record + 386 + 24 * i)) return Bad("impossible pieces of a sparse file");
  }
  char more[kRecord];
  for (bool is_extended = record[482] != '\0'; is_extended; is_extended = more[504] != '\0') {
    PADDOCK_ASSIGN(const bool came, ReadRecord(more));
    if (!came) return Bad("it ends too early");
    for (size_t i = 0; i < 21; ++i) {
      if (!add(more + 24 * i)) return Bad("impossible pieces of a sparse file");
    }
  }
  return CheckExtents(entry);
}

// Format 1.0: decimal lines in front of the data, filled up to a record.
Status TarReader::ReadSparseMap(TarEntry& entry) {
  std::string line;
  std::vector<uint64_t> numbers;
  uint64_t wanted = 1;
  uint64_t read = 0;
  char record[kRecord];
  while (numbers.size() < wanted) {
    if (data_left_ < kRecord) return Bad("the map of a sparse file is cut off");
    PADDOCK_ASSIGN(const bool came, ReadRecord(record));
    if (!came) return Bad("it ends too early");
    data_left_ -= kRecord;
    read += kRecord;
    for (const char c : std::string_view(record, kRecord)) {
      if (numbers.size() == wanted) break;
      if (c != '\n') {
        line += c;
        if (line.size() > 20) return Bad("an impossible map of a sparse file");
        continue;
      }
      const auto number = codec::PaxNumber<uint64_t>(line);
      line.clear();
      if (!number || (numbers.empty() && *number > kMaxExtents)) return Bad("an impossible map of a sparse file");
      numbers.push_back(*number);
      if (numbers.size() == 1) wanted = 1 + 2 * *number;
    }
  }
  for (size_t i = 1; i + 1 < numbers.size(); i += 2) extents_.push_back({numbers[i], numbers[i + 1]});
  return CheckExtents(entry);
}

Status TarReader::ReadPaxSparse(const Records& records, TarEntry& entry) {
  const auto find = [&records](std::string_view key) -> const std::string* {
    const auto it = records.find(key);
    return it == records.end() ? nullptr : &it->second;
  };
  const std::string* real = find("GNU.sparse.realsize");
  if (real == nullptr) real = find("GNU.sparse.size");
  if (real == nullptr) return {};
  const auto size = codec::PaxNumber<uint64_t>(*real);
  if (!size || *size > kMaxSize) return Bad("an impossible size");
  entry.size = *size;
  if (const std::string* major = find("GNU.sparse.major"); major != nullptr && *major == "1") return ReadSparseMap(entry);
  // 0.1 has offsets and lengths in turn, 0.0 in two records.
  std::vector<uint64_t> lists[2];
  const auto parse = [](const std::string* text, std::vector<uint64_t>& list) {
    std::string_view rest = text == nullptr ? std::string_view() : std::string_view(*text);
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      const auto number = codec::PaxNumber<uint64_t>(rest.substr(0, comma));
      if (!number) return false;
      list.push_back(*number);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return true;
  };
  if (const std::string* map = find("GNU.sparse.map")) {
    if (!parse(map, lists[0]) || lists[0].size() % 2 != 0) return Bad("an impossible map of a sparse file");
    for (size_t i = 0; i < lists[0].size(); i += 2) extents_.push_back({lists[0][i], lists[0][i + 1]});
  } else {
    if (!parse(find("GNU.sparse.offset"), lists[0]) || !parse(find("GNU.sparse.numbytes"), lists[1]) ||
        lists[0].size() != lists[1].size()) {
      return Bad("an impossible map of a sparse file");
    }
    for (size_t i = 0; i < lists[0].size(); ++i) extents_.push_back({lists[0][i], lists[1][i]});
  }
  return CheckExtents(entry);
}

Result<std::optional<TarEntry>> TarReader::Next() {
  PADDOCK_TRY(SkipPadding());
  is_sparse_ = false;
  extents_.clear();
  Records records = global_;
  std::string long_path, long_target;
  bool has_long_path = false, has_long_target = false;
  char record[kRecord];
  for (int extra = 0; extra <= kMaxExtraHeaders; ++extra) {
    PADDOCK_ASSIGN(const bool came, ReadRecord(record));
    // Two records of zeros end an archive; a file that just stops is taken as well, as tar does.
    if (!came || std::all_of(record, record + kRecord, [](char c) { return c == '\0'; })) return std::optional<TarEntry>();
    if (!codec::HasTarChecksum(record)) return Bad("the checksum of a header does not match");
    const auto size_field = NumberIn(record, 124, 12);
    if (!size_field || *size_field > kMaxSize) return Bad("an impossible size");
    const char kind = record[156];
    if (kind == 'x' || kind == 'g') {
      PADDOCK_ASSIGN(const std::string text, ReadText(*size_field, "pax header"));
      PADDOCK_TRY(ParsePax(text, kind == 'g' ? global_ : records));
      if (kind == 'g') records.insert(global_.begin(), global_.end());
      continue;
    }
    if (kind == 'L' || kind == 'K') {
      PADDOCK_ASSIGN(std::string text, ReadText(*size_field, "long name"));
      text.resize(std::min(text.find('\0'), text.size()));
      (kind == 'L' ? has_long_path : has_long_target) = true;
      (kind == 'L' ? long_path : long_target) = std::move(text);
      continue;
    }

    TarEntry entry;
    entry.path = codec::TarText(record, 0, 100);
    // POSIX's magic; GNU's own format uses these bytes otherwise.
    if (std::memcmp(record + 257, "ustar\0", 6) == 0 && record[345] != '\0') {
      entry.path = std::string(codec::TarText(record, 345, 155)) + "/" + entry.path;
    }
    entry.target = codec::TarText(record, 157, 100);
    if (has_long_path) entry.path = long_path;
    if (has_long_target) entry.target = long_target;
    const auto mode = NumberIn(record, 100, 8);
    const auto uid = NumberIn(record, 108, 8);
    const auto gid = NumberIn(record, 116, 8);
    const auto major = NumberIn(record, 329, 8);
    const auto minor = NumberIn(record, 337, 8);
    if (!mode) return Bad("an impossible mode");
    entry.mode = static_cast<uint32_t>(*mode & 07777);
    entry.uid = static_cast<uint32_t>(uid.value_or(0) & UINT32_MAX);
    entry.gid = static_cast<uint32_t>(gid.value_or(0) & UINT32_MAX);
    // Before 1970 it is base 256, in two's complement.
    const auto seconds = static_cast<int64_t>(codec::FindTarNumber(record, 136, 12).value_or(codec::TarNumber()).value);
    entry.modify_time = std::chrono::seconds(std::clamp<int64_t>(seconds, -9'000'000'000, 9'000'000'000));
    uint64_t stored = *size_field;
    PADDOCK_TRY(ApplyPax(records, entry, stored));
    if (entry.path.empty() || entry.path.find('\0') != std::string::npos || entry.target.find('\0') != std::string::npos) {
      return Bad("an impossible name");
    }
    switch (kind) {
      case '1': entry.is_hard_link = true; break;
      case '2': entry.type = FileType::kSymlink; break;
      case '3': entry.type = FileType::kCharDevice; break;
      case '4': entry.type = FileType::kBlockDevice; break;
      case '5': entry.type = FileType::kDirectory; break;
      case '6': entry.type = FileType::kFifo; break;
      default: entry.type = entry.path.back() == '/' ? FileType::kDirectory : FileType::kFile;
    }
    if (kind == '3' || kind == '4') {
      if (!major || !minor || *major > 0xffffff || *minor > 0xff'ffff) return Bad("an impossible device");
      entry.special = *major << 8 | *minor;
    }
    // Some archives carry a hard link's content, and all others none; other kinds have no content that is of use.
    data_left_ = stored;
    padding_ = (kRecord - stored % kRecord) % kRecord;
    if (entry.type == FileType::kFile && !entry.is_hard_link) {
      entry.size = stored;
      if (kind == 'S') PADDOCK_TRY(ReadGnuSparse(record, entry));
      else PADDOCK_TRY(ReadPaxSparse(records, entry));
    }
    size_ = entry.size;
    entry.is_sparse = is_sparse_;
    return std::optional<TarEntry>(std::move(entry));
  }
  return Bad("too many headers before a file");
}

Status TarReader::ReadContent(const std::function<Status(std::string_view)>& data, const std::function<Status(uint64_t)>& hole) {
  if (!is_sparse_) return ReadBytes(std::exchange(data_left_, 0), data);
  uint64_t at = 0;
  for (const Extent& extent : extents_) {
    if (extent.offset > at) PADDOCK_TRY(hole(extent.offset - at));
    data_left_ -= extent.length;
    PADDOCK_TRY(ReadBytes(extent.length, data));
    at = extent.offset + extent.length;
  }
  if (at < size_) return hole(size_ - at);
  return {};
}

}  // namespace paddock::trees
