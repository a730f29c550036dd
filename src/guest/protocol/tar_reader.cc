#include <algorithm>
#include <charconv>
#include <cstring>

#include "guest/protocol/tar.h"

namespace paddock::guest {
namespace {

// Of the records or the long name in front of one entry.
constexpr size_t kMaxExtensionBytes = 64 * 1024;
constexpr int64_t kSecond = 1'000'000'000;

// Fields of a header. Source: POSIX.1-2017 pax, "ustar Interchange Format".
struct Field {
  size_t begin;
  size_t size;
  std::string_view In(std::string_view block) const { return block.substr(begin, size); }
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUid{108, 8}, kGid{116, 8}, kSize{124, 12}, kTime{136, 12}, kChecksum{148, 8},
    kTarget{157, 100}, kMagic{257, 6}, kMajor{329, 8}, kMinor{337, 8}, kPrefix{345, 155};
constexpr size_t kType = 156;

Error Broken(std::string_view what) { return Error(Code::kInvalid, "not a tar archive, or a broken one: " + std::string(what)); }

std::string_view UpToNul(std::string_view text) { return text.substr(0, text.find('\0')); }

// Octal, or GNU's big-endian binary with the top bit set.
std::optional<int64_t> Number(std::string_view field) {
  const auto first = static_cast<unsigned char>(field[0]);
  if ((first & 0x80) != 0) {
    // Bit 6 is the sign of what two's complement then has.
    uint64_t value = (first & 0x40) != 0 ? ~uint64_t{0} : 0;
    const uint64_t sign = value >> 56;
    value = value << 6 | (first & 0x3f);
    for (size_t i = 1; i < field.size(); ++i) {
      // What is shifted out must have been sign only.
      if ((value >> 56) != sign) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    if (value >> 63 != (sign & 1)) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  field = UpToNul(field);
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  if (field.empty()) return 0;
  int64_t value = 0;
  const auto parsed = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (parsed.ec != std::errc() || parsed.ptr != field.data() + field.size() || value < 0) return std::nullopt;
  return value;
}

bool HasChecksum(std::string_view block) {
  const auto expected = Number(kChecksum.In(block));
  int64_t plain = 0, with_signs = 0;   // some writers add chars that have a sign
  for (size_t i = 0; i < block.size(); ++i) {
    const char byte = i >= kChecksum.begin && i < kChecksum.begin + kChecksum.size ? ' ' : block[i];
    plain += static_cast<unsigned char>(byte);
    with_signs += static_cast<signed char>(byte);
  }
  return expected && (*expected == plain || *expected == with_signs);
}

template <class T>
bool ParseDecimal(std::string_view text, T& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// "1700000000.123456789", of either sign.
std::optional<int64_t> ParseTime(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  int64_t seconds = 0, result = 0;
  if (!ParseDecimal(text.substr(0, point), seconds)) return std::nullopt;
  int64_t nanoseconds = 0, unit = kSecond / 10;
  for (const char digit : text.substr(std::min(point + 1, text.size()))) {
    if (digit < '0' || digit > '9') return std::nullopt;
    nanoseconds += (digit - '0') * unit;
    unit /= 10;
  }
  if (text.starts_with('-')) nanoseconds = -nanoseconds;
  if (__builtin_mul_overflow(seconds, kSecond, &result)) return std::nullopt;
  if (__builtin_add_overflow(result, nanoseconds, &result)) return std::nullopt;
  return result;
}

TarEntry::Kind KindOf(char type) {
  switch (type) {
    case '\0': case '0': case '7': return TarEntry::Kind::kFile;
    case '1': return TarEntry::Kind::kHardLink;
    case '2': return TarEntry::Kind::kSymlink;
    case '3': return TarEntry::Kind::kCharacterDevice;
    case '4': return TarEntry::Kind::kBlockDevice;
    case '5': return TarEntry::Kind::kDirectory;
    case '6': return TarEntry::Kind::kFifo;
    default: return TarEntry::Kind::kOther;
  }
}

bool IsExtension(char type) { return type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K'; }

}  // namespace

Status TarReader::Feed(std::string_view bytes, Visitor& visitor) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::kDone:
        return {};
      case State::kHeader: {
        const size_t count = std::min(bytes.size(), kTarBlock - block_.size());
        block_ += bytes.substr(0, count);
        bytes.remove_prefix(count);
        if (block_.size() < kTarBlock) return {};
        const std::string block = std::move(block_);
        block_.clear();
        PADDOCK_TRY(TakeHeader(block, visitor));
        break;
      }
      case State::kContent:
      case State::kExtension: {
        const std::string_view piece = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())));
        bytes.remove_prefix(piece.size());
        left_ -= piece.size();
        if (state_ == State::kExtension) {
          extension_ += piece;
        } else {
          visitor.Data(piece);
        }
        if (left_ > 0) return {};
        if (state_ == State::kExtension) {
          PADDOCK_TRY(TakeExtension());
        } else {
          visitor.End();
        }
        state_ = padding_ > 0 ? State::kPadding : State::kHeader;
        break;
      }
      case State::kPadding: {
        const auto count = static_cast<size_t>(std::min<uint64_t>(padding_, bytes.size()));
        bytes.remove_prefix(count);
        padding_ -= count;
        if (padding_ == 0) state_ = State::kHeader;
        break;
      }
    }
  }
  return {};
}

Status TarReader::Finish() const {
  if (state_ == State::kDone || (state_ == State::kHeader && block_.empty() && extension_type_ == 0)) return {};
  return Broken("it ends within an entry");
}

Status TarReader::TakeHeader(std::string_view block, Visitor& visitor) {
  if (block.find_first_not_of('\0') == std::string_view::npos) {
    state_ = State::kDone;
    return {};
  }
  if (!HasChecksum(block)) return Broken("a header has a wrong checksum");
  const char type = block[kType];
  const auto size = Number(kSize.In(block));
  if (!size || *size < 0) return Broken("a header has a malformed size");
  if (type == 'S') return Error(Code::kNotSupported, "sparse files of GNU's old format; write the archive with --format=posix");
  if (!IsExtension(type)) return BeginEntry(block, type, static_cast<uint64_t>(*size), visitor);
  if (static_cast<uint64_t>(*size) > kMaxExtensionBytes) return Broken("an extended header is too long");
  extension_type_ = type;
  extension_.clear();
  left_ = static_cast<uint64_t>(*size);
  padding_ = TarPadding(left_);
  state_ = State::kExtension;
  return left_ > 0 ? Status() : TakeExtension();
}

Status TarReader::BeginEntry(std::string_view block, char type, uint64_t size, Visitor& visitor) {
  const Override given = std::exchange(next_, {});
  extension_type_ = 0;
  TarEntry entry;
  entry.kind = KindOf(type);
  entry.name = UpToNul(kName.In(block));
  const std::string_view prefix = UpToNul(kPrefix.In(block));
  if (kMagic.In(block) == std::string_view("ustar\0", 6) && !prefix.empty()) entry.name = std::string(prefix) + "/" + entry.name;
  entry.target = UpToNul(kTarget.In(block));
  const auto mode = Number(kMode.In(block)), time = Number(kTime.In(block));
  const auto uid = Number(kUid.In(block)), gid = Number(kGid.In(block));
  if (!mode || !uid || !gid || !time || *uid < 0 || *gid < 0) return Broken("a header has a malformed number");
  entry.mode = static_cast<uint32_t>(*mode & 07777);
  entry.uid = given.uid.value_or(static_cast<uint64_t>(*uid));
  entry.gid = given.gid.value_or(static_cast<uint64_t>(*gid));
  const int64_t seconds = std::clamp(*time, INT64_MIN / kSecond, INT64_MAX / kSecond);
  entry.modified_ns = given.modified_ns.value_or(seconds * kSecond);
  if (given.name) entry.name = *given.name;
  if (given.target) entry.target = *given.target;
  if (entry.kind == TarEntry::Kind::kFile && entry.name.ends_with('/')) entry.kind = TarEntry::Kind::kDirectory;
  if (entry.kind == TarEntry::Kind::kCharacterDevice || entry.kind == TarEntry::Kind::kBlockDevice) {
    entry.device_major = static_cast<uint32_t>(Number(kMajor.In(block)).value_or(0));
    entry.device_minor = static_cast<uint32_t>(Number(kMinor.In(block)).value_or(0));
  }
  // What is in the archive are its pieces and a map of them.
  if (given.is_sparse) entry.kind = TarEntry::Kind::kOther;
  // Only these have content; old writers give others a size all the same.
  const bool has_content = entry.kind == TarEntry::Kind::kFile || entry.kind == TarEntry::Kind::kOther;
  entry.size = has_content ? given.size.value_or(size) : 0;
  left_ = entry.size;
  padding_ = TarPadding(left_);
  visitor.Begin(entry);
  if (left_ > 0) {
    state_ = State::kContent;
  } else {
    visitor.End();
    state_ = State::kHeader;
  }
  return {};
}

Status TarReader::TakeExtension() {
  state_ = padding_ > 0 ? State::kPadding : State::kHeader;
  const std::string records = std::move(extension_);
  extension_.clear();
  // Of all entries that follow: nothing that is needed here.
  if (extension_type_ == 'g') {
    extension_type_ = 0;
    return {};
  }
  if (extension_type_ == 'L' || extension_type_ == 'K') {
    (extension_type_ == 'L' ? next_.name : next_.target) = std::string(UpToNul(records));
    return {};
  }
  for (std::string_view rest = records; !rest.empty();) {
    // "LENGTH KEY=VALUE\n", the length of all of it.
    const size_t space = rest.find(' ');
    size_t length = 0;
    if (space == std::string_view::npos || !ParseDecimal(rest.substr(0, space), length) || length < space + 2 ||
        length > rest.size() || rest[length - 1] != '\n') {
      return Broken("an extended header is malformed");
    }
    const std::string_view record = rest.substr(space + 1, length - space - 2);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) return Broken("an extended header is malformed");
    PADDOCK_TRY(TakeRecord(record.substr(0, equals), record.substr(equals + 1)));
    rest.remove_prefix(length);
  }
  return {};
}

Status TarReader::TakeRecord(std::string_view key, std::string_view value) {
  bool is_good = true;
  const auto number = [&](std::optional<uint64_t>& to) {
    uint64_t parsed = 0;
    is_good = ParseDecimal(value, parsed) && parsed <= INT64_MAX;
    to = parsed;
  };
  if (key == "path") {
    next_.name = std::string(value);
  } else if (key == "linkpath") {
    next_.target = std::string(value);
  } else if (key == "size") {
    number(next_.size);
  } else if (key == "uid") {
    number(next_.uid);
  } else if (key == "gid") {
    number(next_.gid);
  } else if (key == "mtime") {
    next_.modified_ns = ParseTime(value);
    is_good = next_.modified_ns.has_value();
  } else if (key.starts_with("GNU.sparse.")) {
    next_.is_sparse = true;
    if (key == "GNU.sparse.name") next_.name = std::string(value);
  }
  return is_good ? Status() : Status(Broken("an extended header has a malformed number"));
}

}  // namespace paddock::guest
