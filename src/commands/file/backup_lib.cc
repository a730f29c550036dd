#include "commands/file/backup.h"

#include <algorithm>
#include <charconv>

#include "text/choice.h"

namespace paddock {
namespace {

constexpr Choice kControls[] = {
    {"none", static_cast<int>(BackupControl::kNone)},         {"off", static_cast<int>(BackupControl::kNone)},
    {"simple", static_cast<int>(BackupControl::kSimple)},     {"never", static_cast<int>(BackupControl::kSimple)},
    {"existing", static_cast<int>(BackupControl::kExisting)}, {"nil", static_cast<int>(BackupControl::kExisting)},
    {"numbered", static_cast<int>(BackupControl::kNumbered)}, {"t", static_cast<int>(BackupControl::kNumbered)},
};

// The highest N of "base.~N~" beside the file; 0 if there is none.
uint64_t HighestNumber(vfs::FileSystem& fs, const std::string& path) {
  const auto entries = fs.List(vfs::DirectoryName(path));
  if (!entries) return 0;
  const std::string prefix = vfs::BaseName(path) + ".~";
  uint64_t highest = 0;
  for (const vfs::DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (!name.starts_with(prefix) || !name.ends_with('~') || name.size() < prefix.size() + 2) continue;
    const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - 1);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) highest = std::max(highest, number);
  }
  return highest;
}

}  // namespace

std::string Backup::NameFor(vfs::FileSystem& fs, const std::string& path) const {
  std::string base = path;
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  if (control == BackupControl::kSimple) return base + suffix;
  const uint64_t highest = HighestNumber(fs, base);
  if (highest == 0 && control == BackupControl::kExisting) return base + suffix;
  return base + ".~" + std::to_string(highest + 1) + "~";
}

std::optional<Backup> ResolveBackup(Invocation& in, const BackupOptions& options) {
  Backup backup;
  if (!options.wanted) return backup;
  const std::string variable(in.env.Get("VERSION_CONTROL", ""));
  backup.control = BackupControl::kExisting;
  const bool is_given = options.control && !options.control->empty();
  if (const std::string& text = is_given ? *options.control : variable; !text.empty()) {
    const auto found = FindChoice(is_given ? "backup type" : "$VERSION_CONTROL", text, kControls, in.locale.is_utf8);
    if (!found) {
      in.Usage(found.error().message);
      return std::nullopt;
    }
    backup.control = static_cast<BackupControl>(*found);
  }
  const std::string suffix = options.suffix.value_or(std::string(in.env.Get("SIMPLE_BACKUP_SUFFIX", "")));
  if (!suffix.empty() && suffix.find('/') == std::string::npos) backup.suffix = suffix;
  return backup;
}

}  // namespace paddock
