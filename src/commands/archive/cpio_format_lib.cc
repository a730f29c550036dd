#include <algorithm>
#include <cstdio>

#include "commands/archive/cpio.h"
#include "commands/file_facts.h"
#include "text/date/time_format.h"
#include "text/mode.h"

namespace paddock::cpio {
namespace {

constexpr uint64_t kMostName = 64 << 10;

Error Premature() { return Error(Code::kCorrupt, "premature end of file"); }

uint64_t Octal(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '7') value = value * 8 + static_cast<uint64_t>(c - '0');
  }
  return value;
}
uint64_t Hex(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return value;
}
bool IsTarHead(std::string_view block) {
  if (block.size() < codec::kTarBlock) return false;
  uint64_t sum = 0;
  for (size_t i = 0; i < codec::kTarBlock; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block[i]);
  return block[0] != '\0' && sum == Octal(block.substr(148, 6));
}
uint32_t TypeOfTar(char type) {
  switch (type) {
    case '2': return 0120000;
    case '3': return 0020000;
    case '4': return 0060000;
    case '5': return 0040000;
    case '6': return 0010000;
    default: return 0100000;
  }
}

}  // namespace

// --- reading

uint64_t Reader::bytes() const { return tar_ ? tar_->bytes_taken() + taken_ : taken_; }

Result<std::string> Reader::Take(uint64_t count) {
  std::string text;
  while (text.size() < count) {
    PADDOCK_ASSIGN(const Block block, source_.ReadBlock(static_cast<size_t>(count) - text.size()));
    if (block.bytes.empty()) return Premature();
    text += block.bytes;
    taken_ += block.bytes.size();
    c_.in.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
  }
  return text;
}

Status Reader::Pass(uint64_t count, ByteSink* sink, uint32_t* sum) {
  while (count > 0) {
    PADDOCK_ASSIGN(const Block block, source_.ReadBlock(static_cast<size_t>(std::min<uint64_t>(count, 64 << 10))));
    if (block.bytes.empty()) return Premature();
    taken_ += block.bytes.size();
    count -= block.bytes.size();
    c_.in.budget.Step(static_cast<int64_t>(block.bytes.size() / 256 + 1));
    if (sum != nullptr) {
      for (const char c : block.bytes) *sum += static_cast<unsigned char>(c);
    }
    if (sink != nullptr) PADDOCK_TRY(sink->Write(block.bytes));
  }
  return {};
}

// Skips what is no header, and knows the form by the first one.
Status Reader::Find() {
  uint64_t junk = 0;
  const auto may_be = [&](Form form) { return form_ == form || (form_ == Form::kUnknown && (c_.o.form == Form::kUnknown || c_.o.form == form)); };
  while (true) {
    PADDOCK_ASSIGN(const std::string_view head, source_.Look(form_ == Form::kUnknown && junk == 0 ? codec::kTarBlock : 6));
    std::optional<Form> found;
    if (head.starts_with("070701") && may_be(Form::kNewc)) found = Form::kNewc;
    else if (head.starts_with("070702") && may_be(Form::kCrc)) found = Form::kCrc;
    else if (head.starts_with("070707") && may_be(Form::kOdc)) found = Form::kOdc;
    else if ((head.starts_with("\xc7\x71") || head.starts_with("\x71\xc7")) && may_be(Form::kBinary)) found = Form::kBinary;
    else if (form_ == Form::kUnknown && IsTarHead(head) && (may_be(Form::kTar) || may_be(Form::kUstar))) found = Form::kTar;
    if (found) {
      if (junk > 0) c_.Warn("warning: skipped " + std::to_string(junk) + " byte" + (junk == 1 ? "" : "s") + " of junk");
      form_ = *found;
      is_swapped_ = head[0] == '\x71';
      return {};
    }
    if (head.size() < 6) {
      return Error(Code::kCorrupt, form_ == Form::kUnknown && c_.o.form == Form::kUnknown ? "premature end of archive" : "premature end of file");
    }
    PADDOCK_TRY(Pass(1, nullptr, nullptr));
    ++junk;
  }
}

Result<std::optional<Entry>> Reader::Next() {
  PADDOCK_TRY(Content(nullptr));
  if (tar_) return NextTar();
  PADDOCK_TRY(Find());
  if (form_ == Form::kTar) {
    tar_.emplace(source_, c_.in.budget);
    return NextTar();
  }
  Entry entry;
  if (form_ == Form::kOdc) PADDOCK_TRY(ReadText(entry));
  else if (form_ == Form::kBinary) PADDOCK_TRY(ReadBinary(entry));
  else PADDOCK_TRY(ReadNew(entry));
  entry.name.resize(std::min(entry.name.find('\0'), entry.name.size()));
  if (entry.name == "TRAILER!!!") return std::optional<Entry>();
  left_ = entry.size;
  padding_ = PaddingAfter(entry.size, form_);
  if (entry.is_symlink()) {
    if (entry.size > kMostName) return Error(Code::kCorrupt, entry.name + ": stored filename length is out of range");
    PADDOCK_ASSIGN(entry.link, Take(std::exchange(left_, 0)));
    entry.link.resize(std::min(entry.link.find('\0'), entry.link.size()));
  }
  return std::optional(std::move(entry));
}

Result<std::optional<Entry>> Reader::NextTar() {
  codec::TarMember member;
  while (true) {
    PADDOCK_ASSIGN(const auto found, tar_->Next(member));
    if (found == codec::TarReader::Found::kZeros || found == codec::TarReader::Found::kEnd) return std::optional<Entry>();
    if (found == codec::TarReader::Found::kBad) {
      c_.Warn("invalid header: checksum error");
      continue;
    }
    break;
  }
  Entry entry;
  entry.name = member.name;
  entry.link = member.link;
  entry.mode = (member.mode & 07777) | (member.name.ends_with('/') ? 0040000 : TypeOfTar(member.type));
  entry.uid = member.uid;
  entry.gid = member.gid;
  entry.size = member.size;
  entry.time = member.modified;
  entry.special_major = member.major;
  entry.special_minor = member.minor;
  entry.is_hard_link = member.type == '1';
  return std::optional(std::move(entry));
}

Status Reader::Content(ByteSink* sink, uint32_t* sum) {
  if (tar_) {
    return tar_->ReadContent([&](std::string_view bytes) -> Status { return sink == nullptr ? Status() : sink->Write(bytes); },
                             [&](uint64_t count) -> Status {
                               const std::string zeros(4096, '\0');
                               for (; count > 0; count -= std::min<uint64_t>(count, zeros.size())) {
                                 c_.in.budget.Step(4);
                                 if (sink != nullptr) PADDOCK_TRY(sink->Write(std::string_view(zeros).substr(0, static_cast<size_t>(std::min<uint64_t>(count, zeros.size())))));
                               }
                               return {};
                             });
  }
  PADDOCK_TRY(Pass(std::exchange(left_, 0), sink, sum));
  return Pass(std::exchange(padding_, 0), nullptr, nullptr);
}

Status Reader::ReadText(Entry& entry) {
  PADDOCK_ASSIGN(const std::string head, Take(76));
  const std::string_view text = head;
  const auto field = [&](size_t at, size_t size) { return Octal(text.substr(at, size)); };
  entry.major = field(6, 6) >> 8;
  entry.minor = field(6, 6) & 0xff;
  entry.inode = field(12, 6);
  entry.mode = static_cast<uint32_t>(field(18, 6));
  entry.uid = field(24, 6);
  entry.gid = field(30, 6);
  entry.links = field(36, 6);
  entry.special_major = field(42, 6) >> 8;
  entry.special_minor = field(42, 6) & 0xff;
  entry.time = static_cast<int64_t>(field(48, 11));
  entry.size = field(65, 11);
  PADDOCK_ASSIGN(entry.name, Take(field(59, 6)));
  return {};
}

Status Reader::ReadBinary(Entry& entry) {
  PADDOCK_ASSIGN(const std::string head, Take(26));
  const auto half = [&](size_t index) {
    const auto low = static_cast<unsigned char>(head[2 * index + (is_swapped_ ? 1 : 0)]), high = static_cast<unsigned char>(head[2 * index + (is_swapped_ ? 0 : 1)]);
    return static_cast<uint64_t>(high << 8 | low);
  };
  entry.major = half(1) >> 8;
  entry.minor = half(1) & 0xff;
  entry.inode = half(2);
  entry.mode = static_cast<uint32_t>(half(3));
  entry.uid = half(4);
  entry.gid = half(5);
  entry.links = half(6);
  entry.special_major = half(7) >> 8;
  entry.special_minor = half(7) & 0xff;
  entry.time = static_cast<int64_t>(half(8) << 16 | half(9));
  entry.size = half(11) << 16 | half(12);
  const uint64_t name_size = half(10);
  PADDOCK_ASSIGN(entry.name, Take(name_size));
  return Pass(name_size & 1, nullptr, nullptr);
}

Status Reader::ReadNew(Entry& entry) {
  PADDOCK_ASSIGN(const std::string head, Take(110));
  const std::string_view text = head;
  const auto field = [&](size_t index) { return Hex(text.substr(6 + 8 * index, 8)); };
  entry.inode = field(0);
  entry.mode = static_cast<uint32_t>(field(1));
  entry.uid = field(2);
  entry.gid = field(3);
  entry.links = field(4);
  entry.time = static_cast<int64_t>(field(5));
  entry.size = field(6);
  entry.major = field(7);
  entry.minor = field(8);
  entry.special_major = field(9);
  entry.special_minor = field(10);
  entry.sum = static_cast<uint32_t>(field(12));
  const uint64_t name_size = field(11);
  if (name_size > kMostName) return Error(Code::kCorrupt, "premature end of file");
  PADDOCK_ASSIGN(entry.name, Take(name_size));
  return Pass((4 - (110 + name_size) % 4) % 4, nullptr, nullptr);
}

// --- writing

uint64_t PaddingAfter(uint64_t size, Form form) {
  switch (form) {
    case Form::kNewc:
    case Form::kCrc: return (4 - size % 4) % 4;
    case Form::kBinary: return size % 2;
    case Form::kTar:
    case Form::kUstar: return (512 - size % 512) % 512;
    default: return 0;
  }
}

namespace {

Result<std::string> EncodeTar(const Entry& entry, Form form) {
  codec::TarMember member;
  member.name = entry.name + (entry.is_directory() && !entry.name.ends_with('/') ? "/" : "");
  member.link = entry.link;
  member.mode = entry.mode & 07777;
  member.uid = entry.uid;
  member.gid = entry.gid;
  member.modified = entry.time;
  member.major = entry.special_major;
  member.minor = entry.special_minor;
  switch (entry.type()) {
    case 0120000: member.type = '2'; break;
    case 0020000: member.type = '3'; break;
    case 0060000: member.type = '4'; break;
    case 0040000: member.type = '5'; break;
    case 0010000: member.type = '6'; break;
    default: member.type = entry.is_hard_link ? '1' : '0';
  }
  member.size = member.stored = member.type == '0' ? entry.size : 0;
  codec::TarHeaderOptions options;
  options.format = form == Form::kTar ? codec::TarFormat::kV7 : codec::TarFormat::kUstar;
  return codec::EncodeTarHeader(member, options);
}

Result<std::string> EncodeBinary(const Entry& entry) {
  if (entry.size > UINT32_MAX) return Error(Code::kRange, "value size is out of range");
  std::string text;
  const auto put = [&](uint64_t value) { text += {static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff)}; };
  put(070707);
  put((entry.major & 0xff) << 8 | (entry.minor & 0xff));
  for (const uint64_t value : {entry.inode, uint64_t{entry.mode}, entry.uid, entry.gid, entry.links}) put(value);
  put((entry.special_major & 0xff) << 8 | (entry.special_minor & 0xff));
  const auto time = static_cast<uint64_t>(entry.time);
  for (const uint64_t value : {time >> 16, time, uint64_t{entry.name.size() + 1}, entry.size >> 16, entry.size}) put(value);
  text += entry.name + '\0';
  if (text.size() % 2 != 0) text += '\0';
  return text;
}

}  // namespace

Result<std::string> EncodeHeader(const Entry& entry, Form form) {
  if (form == Form::kTar || form == Form::kUstar) return EncodeTar(entry, form);
  if (form == Form::kBinary || form == Form::kUnknown) return EncodeBinary(entry);
  char head[160];
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  const uint64_t name_size = entry.name.size() + 1;
  if (form == Form::kOdc) {
    if (entry.size >> 33 != 0) return Error(Code::kRange, "value size is out of range");
    const uint64_t mask = 0777777;
    std::snprintf(head, sizeof head, "070707%06llo%06llo%06llo%06llo%06llo%06llo%06llo%011llo%06llo%011llo", number(((entry.major & 0xff) << 8 | (entry.minor & 0xff)) & mask), number(entry.inode & mask),
                  number(entry.mode & mask), number(entry.uid & mask), number(entry.gid & mask), number(entry.links & mask), number((entry.special_major << 8 | (entry.special_minor & 0xff)) & mask),
                  number(static_cast<uint64_t>(entry.time) & ((uint64_t{1} << 33) - 1)), number(name_size & mask), number(entry.size));
    return head + entry.name + '\0';
  }
  if (entry.size > UINT32_MAX) return Error(Code::kRange, "value size is out of range");
  std::snprintf(head, sizeof head, "%s%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX%08llX", form == Form::kCrc ? "070702" : "070701", number(entry.inode & UINT32_MAX), number(entry.mode),
                number(entry.uid), number(entry.gid), number(entry.links), number(static_cast<uint64_t>(entry.time) & UINT32_MAX), number(entry.size), number(entry.major & UINT32_MAX), number(entry.minor & UINT32_MAX),
                number(entry.special_major), number(entry.special_minor), number(name_size), number(entry.sum));
  std::string text = head + entry.name + '\0';
  text.append((4 - text.size() % 4) % 4, '\0');
  return text;
}

Entry EntryOf(const std::string& name, const vfs::Attributes& attributes) {
  Entry entry;
  entry.name = name;
  entry.mode = RawMode(attributes);
  entry.inode = attributes.inode;
  entry.uid = attributes.uid;
  entry.gid = attributes.gid;
  entry.links = attributes.links;
  entry.size = attributes.is_file() ? attributes.size : 0;
  entry.major = attributes.device >> 8;
  entry.minor = attributes.device & 0xff;
  entry.special_major = attributes.special >> 8;
  entry.special_minor = attributes.special & 0xff;
  entry.time = ToTimePoint(attributes.modify_time).seconds;
  return entry;
}

std::string ListLine(Context& c, const Entry& entry) {
  const char kLetters[] = {'?', 'p', 'c', '?', 'd', '?', 'b', '?', '-', '?', 'l', '?', 's', '?', '?', '?'};
  const std::string user = c.o.numeric ? std::to_string(entry.uid) : c.names.UserText(static_cast<uint32_t>(entry.uid));
  const std::string group = c.o.numeric ? std::to_string(entry.gid) : c.names.GroupText(static_cast<uint32_t>(entry.gid));
  char text[160];
  std::snprintf(text, sizeof text, " %3llu %-8.40s %-8.40s ", static_cast<unsigned long long>(entry.links), user.c_str(), group.c_str());
  std::string line = ModeString(kLetters[entry.mode >> 12 & 15], entry.mode & 07777) + text;
  const bool is_device = entry.type() == 0020000 || entry.type() == 0060000;
  if (is_device) std::snprintf(text, sizeof text, "%3llu, %3llu ", static_cast<unsigned long long>(entry.special_major), static_cast<unsigned long long>(entry.special_minor));
  else std::snprintf(text, sizeof text, "%8llu ", static_cast<unsigned long long>(entry.size));
  const TimePoint moment{entry.time, 0};
  const int64_t age = Now(c.in.clock).seconds - entry.time;
  const bool is_recent = age >= 0 && age <= 6 * 30 * 24 * 3600;
  line += text + FormatTime(is_recent ? "%b %e %H:%M " : "%b %e  %Y ", LocalZone(c.in.env).ToLocal(moment.seconds), moment, c.in.budget) + entry.name;
  return line + (entry.is_symlink() ? " -> " + entry.link : "") + "\n";
}

}  // namespace paddock::cpio
