#include "drivers/docker/plain/file_script.h"

#include <sys/stat.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>

#include "drivers/docker/plain/shell_text.h"
#include "text/utf8.h"

namespace paddock::docker {
namespace {

constexpr int kOwnStatus = 100, kMostOwnStatus = 199;
constexpr int kNotExecutable = 126, kNotFound = 127;

template <class T>
std::optional<T> Number(std::string_view text, int base = 10) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view Cut(std::string_view& rest, char separator) {
  const size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// "2026-11-22 23:53:35.477482501 +0000", with or without a fraction.
std::optional<Nanoseconds> ParseTime(std::string_view text) {
  const auto year = Number<int>(Cut(text, '-'));
  const auto month = Number<unsigned>(Cut(text, '-'));
  const auto day = Number<unsigned>(Cut(text, ' '));
  std::string_view clock = Cut(text, ' ');
  if (text != "+0000" || !year || !month || !day) return std::nullopt;
  const auto hours = Number<int>(Cut(clock, ':'));
  const auto minutes = Number<int>(Cut(clock, ':'));
  const auto seconds = Number<int>(Cut(clock, '.'));
  std::string fraction(clock);
  if (fraction.size() > 9 || !hours || !minutes || !seconds) return std::nullopt;
  fraction.resize(9, '0');
  const auto nanoseconds = Number<int64_t>(fraction);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
  // Within what 64 bits of nanoseconds hold.
  if (!nanoseconds || !date.ok() || *year < 1678 || *year > 2261 || *hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59 || *seconds < 0 || *seconds > 60) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds) + Nanoseconds(*nanoseconds);
}

}  // namespace

std::string ExitWith(Code code) { return "exit " + std::to_string(kOwnStatus + static_cast<int>(code)); }

Result<std::string> Understand(Result<ShellChannel::Answer> answer) {
  if (!answer) return answer.error();
  const int status = answer->status;
  if (status == 0) return std::move(answer->bytes);
  if (status == kNotFound || status == kNotExecutable) {
    return Error(Code::kNotSupported, "without the agent this takes a tool that the image does not have: " + HarmlessLine(answer->bytes.substr(0, 200)));
  }
  if (status > kOwnStatus && status < 128) return static_cast<Code>(status - kOwnStatus);
  if (const auto code = CodeOfMessage(answer->bytes)) return *code;
  if (status == 128 + SIGXFSZ) return Code::kFileTooBig;
  if (status > kOwnStatus && status <= kMostOwnStatus && answer->bytes.empty()) return static_cast<Code>(status - kOwnStatus);
  return Error(Code::kIo, "a tool of the image says: " + HarmlessLine(answer->bytes.substr(0, 200)));
}

Result<std::string> RunFileScript(Inside& inside, std::string_view script, size_t most) { return Understand(inside.Ask(script, most)); }

std::string StatCommand(const std::string& quoted, bool follows) {
  return std::string("stat ") + (follows ? "-L " : "") + "-c '%f %u %g %h %s %i %d %t %T %b|%x|%y|%z' " + quoted;
}

vfs::FileType TypeOfMode(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR: return vfs::FileType::kDirectory;
    case S_IFLNK: return vfs::FileType::kSymlink;
    case S_IFIFO: return vfs::FileType::kFifo;
    case S_IFCHR: return vfs::FileType::kCharDevice;
    case S_IFBLK: return vfs::FileType::kBlockDevice;
    case S_IFSOCK: return vfs::FileType::kSocket;
    default: return vfs::FileType::kFile;
  }
}

Result<vfs::Attributes> ParseAttributes(std::string_view line) {
  const Error not_understood(Code::kIo, "the image's stat prints what is not understood");
  if (line.ends_with('\n')) line.remove_suffix(1);
  std::string_view numbers = Cut(line, '|');
  const auto mode = Number<uint32_t>(Cut(numbers, ' '), 16);
  vfs::Attributes attributes;
  const auto uid = Number<uint32_t>(Cut(numbers, ' ')), gid = Number<uint32_t>(Cut(numbers, ' ')), links = Number<uint32_t>(Cut(numbers, ' '));
  std::array<std::optional<uint64_t>, 3> sizes;   // size, inode, device
  for (auto& one : sizes) one = Number<uint64_t>(Cut(numbers, ' '));
  const auto major = Number<uint32_t>(Cut(numbers, ' '), 16), minor = Number<uint32_t>(Cut(numbers, ' '), 16);
  const auto blocks = Number<uint64_t>(numbers);
  const auto accessed = ParseTime(Cut(line, '|')), modified = ParseTime(Cut(line, '|')), changed = ParseTime(line);
  if (!mode || !uid || !gid || !links || !sizes[0] || !sizes[1] || !sizes[2] || !major || !minor || !blocks || !accessed || !modified || !changed) return not_understood;
  attributes.type = TypeOfMode(*mode);
  attributes.mode = *mode & 07777;
  attributes.uid = *uid;
  attributes.gid = *gid;
  attributes.links = *links;
  attributes.size = *sizes[0];
  attributes.inode = *sizes[1];
  attributes.device = *sizes[2];
  attributes.special = uint64_t{*major} << 8 | (*minor & 0xff);
  attributes.blocks = *blocks;
  attributes.access_time = *accessed;
  attributes.modify_time = *modified;
  attributes.change_time = *changed;
  return attributes;
}

std::string IdentityOf(const vfs::Attributes& attributes) { return std::to_string(attributes.device) + ":" + std::to_string(attributes.inode); }

}  // namespace paddock::docker
