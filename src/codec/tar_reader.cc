#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/budget.h"
#include "codec/tar.h"

namespace paddock::codec {
namespace {

constexpr uint64_t kMostBytes = INT64_MAX;
constexpr size_t kMostExtents = 1 << 22;

std::string Field(const char* block, size_t at, size_t size) {
  const void* end = std::memchr(block + at, '\0', size);
  return std::string(block + at, end == nullptr ? size : static_cast<size_t>(static_cast<const char*>(end) - (block + at)));
}

// Octal digits between blanks, or base 256. Nothing for what is no number; `negative` tells of one below zero.
std::optional<uint64_t> NumberIn(const char* block, size_t at, size_t size, bool& negative) {
  negative = false;
  const auto* field = reinterpret_cast<const unsigned char*>(block + at);
  if ((field[0] & 0x80) != 0) {
    negative = (field[0] & 0x40) != 0;
    uint64_t value = negative ? UINT64_MAX << 6 | (field[0] & 0x3f) : field[0] & 0x3f;
    for (size_t i = 1; i < size; ++i) {
      const uint64_t top = value >> 55;
      if (top != 0 && top != 0x1ff) return std::nullopt;
      value = value << 8 | field[i];
    }
    if (negative != (value >> 63 != 0)) return std::nullopt;
    return value;
  }
  size_t i = 0;
  while (i < size && (field[i] == ' ' || (i == 0 && field[i] == '\0'))) ++i;
  if (i == size || field[i] == '\0') return 0;
  uint64_t value = 0;
  const size_t first = i;
  for (; i < size && field[i] >= '0' && field[i] <= '7'; ++i) value = value << 3 | (field[i] - '0');
  if (i == first || (i < size && field[i] != ' ' && field[i] != '\0')) return std::nullopt;
  return value;
}

bool HasGoodChecksum(const char* block) {
  bool negative = false;
  const auto stated = NumberIn(block, 148, 8, negative);
  if (!stated) return false;
  uint64_t plain = 0;
  int64_t with_sign = 0;
  for (size_t i = 0; i < kTarBlock; ++i) {
    const char byte = i >= 148 && i < 156 ? ' ' : block[i];
    plain += static_cast<unsigned char>(byte);
    with_sign += static_cast<signed char>(byte);
  }
  return *stated == plain || static_cast<int64_t>(*stated) == with_sign;
}

template <class T>
std::optional<T> Decimal(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "1700000000.25", down to the nanosecond; rounded down.
bool ParseTime(std::string_view text, int64_t& seconds, int32_t& nanos) {
  const size_t dot = std::min(text.find('.'), text.size());
  const bool is_negative = text.starts_with('-');
  const auto whole = Decimal<int64_t>(text.substr(0, dot));
  if (!whole) return false;
  int32_t fraction = 0, scale = 100'000'000;
  for (size_t i = dot + 1; i < text.size(); ++i, scale /= 10) {
    if (text[i] < '0' || text[i] > '9') return false;
    fraction += (text[i] - '0') * scale;
  }
  seconds = *whole;
  nanos = fraction;
  if (is_negative && fraction > 0) {
    if (seconds == INT64_MIN) return false;
    --seconds;
    nanos = 1'000'000'000 - fraction;
  }
  return true;
}

std::optional<Nanoseconds> TimeOf(std::string_view text) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  constexpr int64_t kFar = 9'000'000'000;   // what nanoseconds hold
  if (!ParseTime(text, seconds, nanos) || seconds > kFar || seconds < -kFar) return std::nullopt;
  return std::chrono::seconds(seconds) + Nanoseconds(nanos);
}

}  // namespace

Status TarReader::Fill() {
  if (!block_.bytes.empty()) return {};
  PADDOCK_ASSIGN(block_, in_.ReadBlock(128 << 10));
  return {};
}

Result<bool> TarReader::ReadBlock(char* block) {
  size_t have = 0;
  while (have < kTarBlock) {
    PADDOCK_TRY(Fill());
    if (block_.bytes.empty()) return false;   // of a part of a block nothing is said
    const size_t count = std::min(kTarBlock - have, block_.bytes.size());
    std::memcpy(block + have, block_.bytes.data(), count);
    block_.bytes.remove_prefix(count);
    have += count;
    taken_ += count;
  }
  return true;
}

Status TarReader::ReadBytes(uint64_t count, const std::function<Status(std::string_view)>& visit) {
  while (count > 0) {
    PADDOCK_TRY(Fill());
    if (block_.bytes.empty()) return Error(Code::kCorrupt, "Unexpected EOF in archive");
    const std::string_view part = block_.bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(count, SIZE_MAX)));
    budget_.Step(static_cast<int64_t>(part.size() / 512 + 1));
    block_.bytes.remove_prefix(part.size());
    taken_ += part.size();
    count -= part.size();
    PADDOCK_TRY(visit(part));
  }
  return {};
}

Status TarReader::SkipPadding() {
  const uint64_t count = std::exchange(padding_, 0);
  return ReadBytes(count, [](std::string_view) -> Status { return {}; });
}

Status TarReader::Skip() {
  PADDOCK_TRY(ReadBytes(std::exchange(data_left_, 0), [](std::string_view) -> Status { return {}; }));
  return SkipPadding();
}

Result<std::string> TarReader::ReadText(uint64_t size) {
  std::string text;
  PADDOCK_TRY(ReadBytes(size, [&](std::string_view part) -> Status {
    budget_.WillAllocate(2 * (text.size() + part.size()));
    text += part;
    return {};
  }));
  raw_ += text;
  padding_ = (kTarBlock - size % kTarBlock) % kTarBlock;
  raw_.append(padding_, '\0');
  PADDOCK_TRY(SkipPadding());
  return text;
}

void TarReader::ParsePax(std::string_view text, Records& records) {
  std::string offsets, lengths;   // of GNU's first sparse form, where keys are repeated
  while (!text.empty()) {
    budget_.Step();
    const size_t blank = text.find(' ');
    const auto length = blank == std::string_view::npos ? std::nullopt : Decimal<uint64_t>(text.substr(0, blank));
    if (!length || *length <= blank + 1 || *length > text.size() || text[*length - 1] != '\n') {
      complaints_.emplace_back(blank == std::string_view::npos || length ? "Malformed extended header: missing newline" : "Malformed extended header: missing length");
      break;
    }
    const std::string_view record = text.substr(blank + 1, *length - blank - 2);
    text.remove_prefix(*length);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) {
      complaints_.emplace_back("Malformed extended header: missing equal sign");
      break;
    }
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "GNU.sparse.offset") offsets.append(value).push_back(',');
    else if (key == "GNU.sparse.numbytes") lengths.append(value).push_back(',');
    else if (value.empty()) records.erase(std::string(key));
    else records.insert_or_assign(std::string(key), std::string(value));
  }
  if (!offsets.empty()) records["GNU.sparse.offset"] = offsets;
  if (!lengths.empty()) records["GNU.sparse.numbytes"] = lengths;
}

std::optional<uint64_t> TarReader::Number(const char* block, size_t at, size_t size, const char* what) {
  bool negative = false;
  const auto value = NumberIn(block, at, size, negative);
  if (value && !negative && *value <= kMostBytes) return value;
  if (value && negative) complaints_.push_back("Archive value " + std::to_string(static_cast<int64_t>(*value)) + " is out of " + what + " range");
  else if (value || (block[at] & 0x80) != 0) complaints_.push_back("Archive base-256 value is out of " + std::string(what) + " range");
  else complaints_.push_back("Archive contains '" + Field(block, at, size) + "' where numeric " + what + " value expected");
  return std::nullopt;
}

void TarReader::ParseHeader(const char* block, TarMember& member) {
  member.name = Field(block, 0, 100);
  member.type = block[156] == '\0' ? '0' : block[156];
  member.link = Field(block, 157, 100);
  const bool is_ustar = std::memcmp(block + 257, "ustar\0", 6) == 0;
  const bool is_gnu = std::memcmp(block + 257, "ustar  ", 8) == 0;
  member.format = is_ustar ? TarFormat::kUstar : is_gnu ? TarFormat::kGnu : TarFormat::kV7;
  if (is_ustar && block[345] != '\0') member.name = Field(block, 345, 155) + "/" + member.name;
  if (is_ustar || is_gnu) {
    member.user = Field(block, 265, 32);
    member.group = Field(block, 297, 32);
    member.major = Number(block, 329, 8, "major_t").value_or(0);
    member.minor = Number(block, 337, 8, "minor_t").value_or(0);
  }
  member.mode = static_cast<uint32_t>(Number(block, 100, 8, "mode_t").value_or(0) & 07777);
  member.uid = Number(block, 108, 8, "uid_t").value_or(0);
  member.gid = Number(block, 116, 8, "gid_t").value_or(0);
  bool negative = false;
  const auto modified = NumberIn(block, 136, 12, negative);
  if (!modified) static_cast<void>(Number(block, 136, 12, "time_t"));
  member.modified = static_cast<int64_t>(modified.value_or(0));
  const auto size = Number(block, 124, 12, "off_t");
  member.stored = member.size = size.value_or(0);
}

void TarReader::ApplyPax(const Records& records, TarMember& member) {
  const auto number = [&](const std::string& text, uint64_t& value) {
    if (const auto parsed = Decimal<uint64_t>(text); parsed && *parsed <= kMostBytes) value = *parsed;
    else complaints_.push_back("Malformed extended header: invalid number");
  };
  for (const auto& [key, value] : records) {
    const std::string text = value.substr(0, value.find('\0'));
    if (key == "path") member.name = text;
    else if (key == "linkpath") member.link = text;
    else if (key == "uname") member.user = text;
    else if (key == "gname") member.group = text;
    else if (key == "uid") number(text, member.uid);
    else if (key == "gid") number(text, member.gid);
    else if (key == "size") {
      number(text, member.stored);
      member.size = member.stored;
    } else if (key == "mtime") {
      if (!ParseTime(text, member.modified, member.modified_nanos)) complaints_.push_back("Malformed extended header: invalid mtime=" + text);
    } else if (key == "atime") {
      member.accessed = TimeOf(text);
    } else if (key == "ctime") {
      member.changed = TimeOf(text);
    }
  }
}

void TarReader::CheckExtents(TarMember& member) {
  uint64_t at = 0, stored = 0;
  std::erase_if(member.extents, [](const TarExtent& extent) { return extent.length == 0; });
  for (const TarExtent& extent : member.extents) {
    budget_.Step();
    if (extent.offset < at || extent.offset > member.size || extent.length > member.size - extent.offset || extent.length > data_left_ - stored) {
      complaints_.push_back(member.name + ": invalid sparse archive member");
      member.extents.clear();
      member.size = 0;
      break;
    }
    at = extent.offset + extent.length;
    stored += extent.length;
  }
  member.is_sparse = true;
}

Status TarReader::ReadOldSparse(const char* block, TarMember& member) {
  const auto take = [&](const char* from, size_t count) {
    for (size_t i = 0; i < count; ++i, from += 24) {
      bool negative = false;
      const auto offset = NumberIn(from, 0, 12, negative), length = NumberIn(from, 12, 12, negative);
      if (from[12] == '\0' || !offset || !length) return;
      member.extents.push_back({*offset, *length});
    }
  };
  bool negative = false;
  const auto size = NumberIn(block, 483, 12, negative);
  member.size = size && !negative && *size <= kMostBytes ? *size : 0;
  take(block + 386, 4);
  bool has_more = block[482] != '\0';
  char extension[kTarBlock];
  while (has_more) {
    PADDOCK_ASSIGN(const bool came, ReadBlock(extension));
    if (!came) return Error(Code::kCorrupt, "Unexpected EOF in archive");
    if (member.extents.size() > kMostExtents) return Error(Code::kCorrupt, "too many parts of a sparse file");
    budget_.Step(16);
    raw_.append(extension, kTarBlock);
    take(extension, 21);
    has_more = extension[504] != '\0';
  }
  CheckExtents(member);
  return {};
}

// The map of GNU's form 1.0, which stands in front of the content: decimal numbers, a line each.
Status TarReader::ReadSparseMap(TarMember& member) {
  char block[kTarBlock];
  size_t at = kTarBlock;
  const auto number = [&]() -> Result<uint64_t> {
    std::string digits;
    while (true) {
      if (at == kTarBlock) {
        if (data_left_ < kTarBlock) return Error(Code::kCorrupt, "malformed sparse archive member");
        PADDOCK_ASSIGN(const bool came, ReadBlock(block));
        if (!came) return Error(Code::kCorrupt, "Unexpected EOF in archive");
        raw_.append(block, kTarBlock);
        data_left_ -= kTarBlock;
        at = 0;
      }
      const char c = block[at++];
      if (c == '\n') break;
      if (c < '0' || c > '9' || digits.size() > 20) return Error(Code::kCorrupt, "malformed sparse archive member");
      digits += c;
    }
    const auto value = Decimal<uint64_t>(digits);
    if (!value) return Error(Code::kCorrupt, "malformed sparse archive member");
    return *value;
  };
  PADDOCK_ASSIGN(const uint64_t count, number());
  if (count > kMostExtents) return Error(Code::kCorrupt, "too many parts of a sparse file");
  for (uint64_t i = 0; i < count; ++i) {
    budget_.Step();
    PADDOCK_ASSIGN(const uint64_t offset, number());
    PADDOCK_ASSIGN(const uint64_t length, number());
    member.extents.push_back({offset, length});
  }
  return {};
}

Status TarReader::ReadPaxSparse(const Records& records, TarMember& member) {
  const auto find = [&](const char* key) {
    const auto it = records.find(key);
    return it == records.end() ? nullptr : &it->second;
  };
  const std::string* real = find("GNU.sparse.realsize");
  if (real == nullptr) real = find("GNU.sparse.size");
  if (real == nullptr) return {};
  member.size = Decimal<uint64_t>(*real).value_or(0);
  if (member.size > kMostBytes) member.size = 0;
  if (const std::string* name = find("GNU.sparse.name")) member.name = name->substr(0, name->find('\0'));
  const auto list = [](const std::string* text) {
    std::vector<uint64_t> numbers;
    std::string_view rest = text == nullptr ? std::string_view() : std::string_view(*text);
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      numbers.push_back(Decimal<uint64_t>(rest.substr(0, comma)).value_or(UINT64_MAX));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return numbers;
  };
  if (const std::string* major = find("GNU.sparse.major"); major != nullptr && *major == "1") {
    PADDOCK_TRY(ReadSparseMap(member));
  } else if (const std::string* map = find("GNU.sparse.map")) {
    const std::vector<uint64_t> numbers = list(map);
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) member.extents.push_back({numbers[i], numbers[i + 1]});
  } else {
    const std::vector<uint64_t> offsets = list(find("GNU.sparse.offset")), lengths = list(find("GNU.sparse.numbytes"));
    for (size_t i = 0; i < std::min(offsets.size(), lengths.size()); ++i) member.extents.push_back({offsets[i], lengths[i]});
  }
  CheckExtents(member);
  return {};
}

Result<TarReader::Found> TarReader::Next(TarMember& member) {
  PADDOCK_TRY(Skip());
  extents_.clear();
  is_sparse_ = false;
  raw_.clear();
  member_block_ = block();
  Records records = global_;
  std::optional<std::string> long_name, long_link;
  bool is_pax = false;
  char block[kTarBlock];
  while (true) {
    budget_.Step(16);
    PADDOCK_ASSIGN(const bool came, ReadBlock(block));
    if (!came) return Found::kEnd;
    if (std::all_of(block, block + kTarBlock, [](char c) { return c == '\0'; })) return Found::kZeros;
    if (!HasGoodChecksum(block)) return Found::kBad;
    budget_.WillAllocate(2 * raw_.size() + kTarBlock);
    raw_.append(block, kTarBlock);
    member = {};
    ParseHeader(block, member);
    const bool is_extended = member.type == 'x' || member.type == 'X' || member.type == 'g';
    if (!is_extended && member.type != 'L' && member.type != 'K') break;
    PADDOCK_ASSIGN(std::string text, ReadText(member.stored));
    if (is_extended) {
      is_pax = true;
      ParsePax(text, member.type == 'g' ? global_ : records);
      if (member.type == 'g') records = global_;
      continue;
    }
    text.resize(std::min(text.find('\0'), text.size()));
    (member.type == 'L' ? long_name : long_link) = std::move(text);
  }
  if (long_name) member.name = std::move(*long_name);
  if (long_link) member.link = std::move(*long_link);
  if (is_pax || !global_.empty()) {
    member.format = TarFormat::kPax;
    ApplyPax(records, member);
  }
  // Some archives carry a hard link's content, all others none; the other kinds have no content whatever their header says.
  if (member.type == '2' || member.type == '3' || member.type == '4' || member.type == '5' || member.type == '6') {
    if (member.type != '5' || member.format != TarFormat::kV7) member.stored = member.size = 0;
  }
  if (member.type == '1' && member.format != TarFormat::kPax) member.stored = member.size = 0;
  data_left_ = member.stored;
  padding_ = (kTarBlock - member.stored % kTarBlock) % kTarBlock;
  if (member.type == 'S') PADDOCK_TRY(ReadOldSparse(block, member));
  else if (is_pax) PADDOCK_TRY(ReadPaxSparse(records, member));
  is_sparse_ = member.is_sparse;
  extents_ = member.extents;
  size_ = member.size;
  return Found::kMember;
}

Status TarReader::ReadContent(const std::function<Status(std::string_view)>& data, const std::function<Status(uint64_t)>& hole) {
  if (!is_sparse_) return ReadBytes(std::exchange(data_left_, 0), data);
  uint64_t at = 0;
  for (const TarExtent& extent : extents_) {
    if (extent.offset > at) PADDOCK_TRY(hole(extent.offset - at));
    data_left_ -= extent.length;
    PADDOCK_TRY(ReadBytes(extent.length, data));
    at = extent.offset + extent.length;
  }
  if (at < size_) return hole(size_ - at);
  return {};
}

}  // namespace paddock::codec
