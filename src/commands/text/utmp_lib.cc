#include "commands/text/utmp.h"

#include <cstring>

#include "commands/input_files.h"
#include "proc/kernel.h"

namespace paddock {
namespace {

// Layout of struct utmp on 64-bit Linux, little-endian.
constexpr size_t kRecordSize = 384;
constexpr size_t kPid = 4, kLine = 8, kId = 40, kUser = 44, kHost = 76, kTermination = 332, kExit = 334, kSeconds = 340,
                 kAddress = 348;

int64_t Number(std::string_view record, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(record[at + i]);
  return size == 2 ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
}
std::string Text(std::string_view record, size_t at, size_t size) {
  const std::string_view field = record.substr(at, size);
  return std::string(field.substr(0, field.find('\0')));
}

LoginRecord Decode(std::string_view bytes) {
  LoginRecord record;
  record.type = static_cast<int>(Number(bytes, 0, 2));
  record.pid = static_cast<int32_t>(Number(bytes, kPid, 4));
  record.line = Text(bytes, kLine, 32);
  record.id = Text(bytes, kId, 4);
  record.user = Text(bytes, kUser, 32);
  record.host = Text(bytes, kHost, 256);
  record.termination = static_cast<int>(Number(bytes, kTermination, 2));
  record.exit = static_cast<int>(Number(bytes, kExit, 2));
  record.seconds = Number(bytes, kSeconds, 4);
  std::memcpy(record.address.data(), bytes.data() + kAddress, record.address.size());
  return record;
}

}  // namespace

std::vector<LoginRecord> ReadLogins(Invocation& in, const std::string& path, bool drops_gone) {
  std::vector<LoginRecord> records;
  auto file = InputFile::OpenPath(in, path);
  if (!file) return records;
  std::array<char, kRecordSize> bytes;
  while (file->input().Read(bytes.data(), bytes.size()) == bytes.size()) {
    in.budget.Step(8);
    LoginRecord record = Decode({bytes.data(), bytes.size()});
    const bool is_gone = drops_gone && IsSession(record) && record.pid > 0 && !in.kernel.Signal(in.process, record.pid, 0);
    if (!is_gone) records.push_back(std::move(record));
  }
  return records;
}

bool IsSession(const LoginRecord& record) { return record.type == LoginRecord::kUser && !record.user.empty(); }

}  // namespace paddock
