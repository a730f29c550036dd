// Incremental backups: the snapshot file of --listed-incremental, and the lists of names that directories carry in such archives.
//
// Source: GNU tar's manual, "Format of the Incremental Snapshot Files" (format 2) and "Dumpdir".

#include <charconv>

#include "base/budget.h"
#include "commands/archive/tar.h"

namespace paddock::tar {
namespace {

constexpr std::string_view kHead = "GNU tar-";
constexpr std::string_view kFormat = "-2\n";

// Takes texts that end in NUL from the front; a missing end makes it bad.
class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}
  bool is_bad() const { return is_bad_; }
  bool is_empty() const { return rest_.empty(); }
  std::string_view Text() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      is_bad_ = true;
      return {};
    }
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  int64_t Number() {
    const std::string_view text = Text();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) is_bad_ = true;
    return value;
  }

 private:
  std::string_view rest_;
  bool is_bad_ = false;
};

void PutNumber(std::string& out, uint64_t number) {
  out += std::to_string(number);
  out += '\0';
}

}  // namespace

Result<Snapshot> Snapshot::Parse(std::string_view text, Budget& budget) {
  Snapshot snapshot;
  if (text.empty()) return snapshot;
  const size_t line = text.find('\n');
  if (!text.starts_with(kHead) || line == std::string_view::npos || !text.substr(0, line + 1).ends_with(kFormat)) return Error(Code::kSyntax, "Unsupported incremental format");
  Fields fields(text.substr(line + 1));
  snapshot.time.seconds = fields.Number();
  snapshot.time.nanos = static_cast<int32_t>(fields.Number());
  snapshot.is_new = false;
  while (!fields.is_empty() && !fields.is_bad()) {
    budget.Step(8);
    static_cast<void>(fields.Number());   // of NFS
    static_cast<void>(fields.Number());
    static_cast<void>(fields.Number());
    const auto device = static_cast<uint64_t>(fields.Number());
    const auto inode = static_cast<uint64_t>(fields.Number());
    const std::string name(fields.Text());
    while (!fields.is_bad() && !fields.Text().empty()) budget.Step();
    static_cast<void>(fields.Text());
    if (!fields.is_bad()) snapshot.directories[name] = {.device = device, .inode = inode};
  }
  if (fields.is_bad()) return Error(Code::kSyntax, "Unexpected field value in snapshot file");
  return snapshot;
}

std::string Snapshot::Encode(Budget& budget) const {
  std::string text = std::string(kHead) + "1.34" + std::string(kFormat);
  PutNumber(text, static_cast<uint64_t>(time.seconds));
  PutNumber(text, static_cast<uint64_t>(time.nanos));
  for (const auto& [name, directory] : directories) {
    budget.Step(8);
    PutNumber(text, 0);
    PutNumber(text, static_cast<uint64_t>(directory.modified.seconds));
    PutNumber(text, static_cast<uint64_t>(directory.modified.nanos));
    PutNumber(text, directory.device);
    PutNumber(text, directory.inode);
    text += name + '\0' + directory.names + '\0' + '\0';
  }
  return text;
}

std::set<std::string, std::less<>> NamesOfDump(std::string_view dump, Budget& budget) {
  std::set<std::string, std::less<>> names;
  while (!dump.empty()) {
    budget.Step();
    const size_t end = std::min(dump.find('\0'), dump.size());
    if (end == 0) break;
    if (std::string_view("YND").find(dump[0]) != std::string_view::npos) names.emplace(dump.substr(1, end - 1));
    dump.remove_prefix(std::min(end + 1, dump.size()));
  }
  return names;
}

}  // namespace paddock::tar
