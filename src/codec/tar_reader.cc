#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "codec/tar.h"
#include "codec/tar_fields.h"

namespace paddock::codec {
namespace {

constexpr uint64_t kMostBytes = INT64_MAX;
constexpr size_t kMostExtents = 1 << 22;

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
    const auto record = TakePaxRecord(text);
    if (!record) {
      complaints_.push_back("Malformed extended header: " + record.error().message);
      break;
    }
    const auto [key, value] = *record;
    if (key == "GNU.sparse.offset") offsets.append(value).push_back(',');
    else if (key == "GNU.sparse.numbytes") lengths.append(value).push_back(',');
    else if (value.empty()) records.erase(std::string(key));
    else records.insert_or_assign(std::string(key), std::string(value));
  }
  if (!offsets.empty()) records["GNU.sparse.offset"] = offsets;
  if (!lengths.empty()) records["GNU.sparse.numbytes"] = lengths;
}

std::optional<uint64_t> TarReader::Number(const char* block, size_t at, size_t size, const char* what) {
  const auto found = FindTarNumber(block, at, size);
  if (found && !found->is_negative && found->value <= kMostBytes) return found->value;
  if (found && found->is_negative) complaints_.push_back("Archive value " + std::to_string(static_cast<int64_t>(found->value)) + " is out of " + what + " range");
  else if (found || (block[at] & 0x80) != 0) complaints_.push_back("Archive base-256 value is out of " + std::string(what) + " range");
  else complaints_.push_back("Archive contains '" + std::string(TarText(block, at, size)) + "' where numeric " + what + " value expected");
  return std::nullopt;
}

void TarReader::ParseHeader(const char* block, TarMember& member) {
  member.name = TarText(block, 0, 100);
  member.type = block[156] == '\0' ? '0' : block[156];
  member.link = TarText(block, 157, 100);
  const bool is_ustar = std::memcmp(block + 257, "ustar\0", 6) == 0;
  const bool is_gnu = std::memcmp(block + 257, "ustar  ", 8) == 0;
  member.format = is_ustar ? TarFormat::kUstar : is_gnu ? TarFormat::kGnu : TarFormat::kV7;
  if (is_ustar && block[345] != '\0') member.name = std::string(TarText(block, 345, 155)) + "/" + member.name;
  if (is_ustar || is_gnu) {
    member.user = TarText(block, 265, 32);
    member.group = TarText(block, 297, 32);
    member.major = Number(block, 329, 8, "major_t").value_or(0);
    member.minor = Number(block, 337, 8, "minor_t").value_or(0);
  }
  member.mode = static_cast<uint32_t>(Number(block, 100, 8, "mode_t").value_or(0) & 07777);
  member.uid = Number(block, 108, 8, "uid_t").value_or(0);
  member.gid = Number(block, 116, 8, "gid_t").value_or(0);
  const auto modified = FindTarNumber(block, 136, 12);
  if (!modified) static_cast<void>(Number(block, 136, 12, "time_t"));
  member.modified = static_cast<int64_t>(modified.value_or(TarNumber()).value);
  const auto size = Number(block, 124, 12, "off_t");
  member.stored = member.size = size.value_or(0);
  if (member.type == 'M' && !is_ustar) member.continued_at = Number(block, 369, 12, "off_t").value_or(0);
}

void TarReader::ApplyPax(const Records& records, TarMember& member) {
  const auto number = [&](const std::string& text, uint64_t& value) {
    if (const auto parsed = PaxNumber<uint64_t>(text); parsed && *parsed <= kMostBytes) value = *parsed;
    else complaints_.push_back("Malformed extended header: invalid number");
  };
  for (const auto& [key, value] : records) {
    const std::string text = value.substr(0, value.find('\0'));
    if (key == "path") member.name = text;
    else if (key == "linkpath") member.link = text;
    else if (key == "GNU.dumpdir") member.names = value;
    else if (key == "uname") member.user = text;
    else if (key == "gname") member.group = text;
    else if (key == "uid") number(text, member.uid);
    else if (key == "gid") number(text, member.gid);
    else if (key == "size") {
      number(text, member.stored);
      member.size = member.stored;
    } else if (key == "mtime") {
      if (const auto time = ParsePaxTime(text)) {
        member.modified = time->seconds;
        member.modified_nanos = time->nanos;
      } else {
        complaints_.push_back("Malformed extended header: invalid mtime=" + text);
      }
    } else if (key == "atime") {
      member.accessed = ParsePaxNanoseconds(text);
    } else if (key == "ctime") {
      member.changed = ParsePaxNanoseconds(text);
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
      const auto offset = FindTarNumber(from, 0, 12), length = FindTarNumber(from, 12, 12);
      if (from[12] == '\0' || !offset || !length) return;
      member.extents.push_back({offset->value, length->value});
    }
  };
  const auto size = FindTarNumber(block, 483, 12);
  member.size = size && !size->is_negative && size->value <= kMostBytes ? size->value : 0;
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
    const auto value = PaxNumber<uint64_t>(digits);
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
  member.size = PaxNumber<uint64_t>(*real).value_or(0);
  if (member.size > kMostBytes) member.size = 0;
  if (const std::string* name = find("GNU.sparse.name")) member.name = name->substr(0, name->find('\0'));
  const auto list = [](const std::string* text) {
    std::vector<uint64_t> numbers;
    std::string_view rest = text == nullptr ? std::string_view() : std::string_view(*text);
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      numbers.push_back(PaxNumber<uint64_t>(rest.substr(0, comma)).value_or(UINT64_MAX));
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
    if (!HasTarChecksum(block)) return Found::kBad;
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
      const auto label = global_.find("GNU.volume.label");
      if (member.type == 'g' && tells_labels_ && label != global_.end()) {
        const int64_t time = member.modified;
        member = {};
        member.name = label->second;
        member.type = 'V';
        member.modified = time;
        member.format = TarFormat::kPax;
        global_.erase(label);
        return Found::kMember;
      }
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
  content_name_ = member.name;
  content_total_ = member.stored;
  content_end_ = taken_ + data_left_;
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

std::optional<std::string> FindPaxRecord(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto record = TakePaxRecord(text);
    if (!record) break;
    if (record->key == key) return std::string(record->value);
  }
  return std::nullopt;
}

}  // namespace paddock::codec
