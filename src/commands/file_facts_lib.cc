#include "commands/file_facts.h"

#include "proc/process.h"
#include "text/mode.h"

namespace paddock {

using vfs::FileType;

char TypeLetter(FileType type) {
  switch (type) {
    case FileType::kFile: return '-';
    case FileType::kDirectory: return 'd';
    case FileType::kSymlink: return 'l';
    case FileType::kFifo: return 'p';
    case FileType::kCharDevice: return 'c';
    case FileType::kBlockDevice: return 'b';
    case FileType::kSocket: return 's';
  }
  return '?';
}

uint32_t RawMode(const vfs::Attributes& attributes) {
  switch (attributes.type) {
    case FileType::kFile: return 0100000 | attributes.mode;
    case FileType::kDirectory: return 0040000 | attributes.mode;
    case FileType::kSymlink: return 0120000 | attributes.mode;
    case FileType::kFifo: return 0010000 | attributes.mode;
    case FileType::kCharDevice: return 0020000 | attributes.mode;
    case FileType::kBlockDevice: return 0060000 | attributes.mode;
    case FileType::kSocket: return 0140000 | attributes.mode;
  }
  return attributes.mode;
}

std::string ModeText(const vfs::Attributes& attributes) {
  return ModeString(TypeLetter(attributes.type), attributes.mode);
}

std::string_view TypeText(const vfs::Attributes& attributes) {
  switch (attributes.type) {
    case FileType::kFile: return attributes.size == 0 ? "regular empty file" : "regular file";
    case FileType::kDirectory: return "directory";
    case FileType::kSymlink: return "symbolic link";
    case FileType::kFifo: return "fifo";
    case FileType::kCharDevice: return "character special file";
    case FileType::kBlockDevice: return "block special file";
    case FileType::kSocket: return "socket";
  }
  return "weird file";
}

bool IsSameFile(const vfs::Attributes& a, const vfs::Attributes& b) {
  return a.inode == b.inode && a.device == b.device;
}

TimePoint ToTimePoint(Nanoseconds since_1970) {
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t seconds = since_1970.count() / kSecond;
  int64_t nanos = since_1970.count() % kSecond;
  if (nanos < 0) {
    nanos += kSecond;
    --seconds;
  }
  return {seconds, static_cast<int32_t>(nanos)};
}

std::optional<Nanoseconds> FromTimePoint(const TimePoint& moment) {
  int64_t total = 0;
  if (__builtin_mul_overflow(moment.seconds, int64_t{1'000'000'000}, &total) ||
      __builtin_add_overflow(total, moment.nanos, &total)) {
    return std::nullopt;
  }
  return Nanoseconds(total);
}

TimePoint Now(const Clock& clock) { return ToTimePoint(clock.RealNow()); }

TimeZone LocalZone(const Environment& environment) { return TimeZone::FromTz(environment.Get("TZ")); }

bool IsTerminal(Invocation& in, int number) {
  const vfs::OpenFilePtr& file = in.process.descriptors().Get(number);
  return file != nullptr && file->is_terminal();
}

proc::Kernel::WindowSize WindowOf(Invocation& in) {
  for (int number = 0; number < 3; ++number) {
    if (IsTerminal(in, number)) return in.process.kernel().window_size();
  }
  return {};
}

bool Confirm(Invocation& in, std::string_view question) {
  in.out.Flush();
  in.err.Write(std::string(in.name()) + ": " + std::string(question));
  const auto line = in.in.ReadLine();
  return line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y');
}

}  // namespace paddock
