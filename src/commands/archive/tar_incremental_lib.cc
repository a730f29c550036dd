// Source: GNU tar's manual, "Format of the Incremental Snapshot Files" (format 2) and "Dumpdir".

#include <algorithm>
#include <charconv>

#include "base/budget.h"
#include "commands/archive/tar_incremental.h"
#include "commands/file_facts.h"

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

void SortForIncrements(std::span<Name> names) {
  const auto is_before = [](const Name& a, const Name& b) {
    const auto bare = [](const Name& name) { return std::string_view(name.text).substr(0, name.text.find_last_not_of('/') + 1); };
    return bare(a) < bare(b);
  };
  if (names.size() < 2) return;
  if (names.size() == 2) {
    if (is_before(names[1], names[0])) std::swap(names[0], names[1]);
    return;
  }
  // Of equal ones that of the second half goes first.
  const size_t half = (names.size() + 1) / 2;
  SortForIncrements(names.first(half));
  SortForIncrements(names.subspan(half));
  std::vector<Name> merged;
  size_t a = 0, b = half;
  while (a < half && b < names.size()) merged.push_back(std::move(is_before(names[a], names[b]) ? names[a++] : names[b++]));
  while (a < half) merged.push_back(std::move(names[a++]));
  std::move(merged.begin(), merged.end(), names.begin());
}

std::map<std::string, char, std::less<>> NamesOfDump(std::string_view dump, Budget& budget) {
  std::map<std::string, char, std::less<>> names;
  while (!dump.empty()) {
    budget.Step();
    const size_t end = std::min(dump.find('\0'), dump.size());
    if (end == 0) break;
    if (std::string_view("YND").find(dump[0]) != std::string_view::npos) names.emplace(dump.substr(1, end - 1), dump[0]);
    dump.remove_prefix(std::min(end + 1, dump.size()));
  }
  return names;
}

std::string RenamesForDump(const std::map<std::string, std::string>& renamed, Budget& budget) {
  std::map<std::string, std::string> by_old;
  for (const auto& [now, old] : renamed) by_old.emplace(old, now);
  std::set<std::string> done;
  std::string steps;
  const auto step = [&](char kind, const std::string& name) { steps += kind + name + '\0'; };
  // From the end of a chain back, so that each name is free once it is taken.
  const auto go_back = [&](std::string now, const std::string& last) {
    for (auto it = renamed.find(now); it != renamed.end() && it->first != last && done.insert(it->first).second; it = renamed.find(it->second)) {
      budget.Step();
      step('R', it->second);
      step('T', it->first);
    }
  };
  // Parents first: what is below them is told by their new names.
  std::vector<std::pair<std::string, std::string>> ordered(by_old.begin(), by_old.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return std::count(a.second.begin(), a.second.end(), '/') < std::count(b.second.begin(), b.second.end(), '/'); });
  for (const auto& [old, now] : ordered) {
    if (done.contains(now)) continue;
    auto last = by_old.find(now);
    std::string end = now;
    for (; last != by_old.end() && last->second != now; last = by_old.find(end)) {
      budget.Step();
      end = last->second;
    }
    if (last == by_old.end()) {
      go_back(end, "");
      continue;
    }
    // It goes round.
    last = by_old.find(now);
    const size_t slash = now.rfind('/');
    step('X', slash == std::string::npos ? "." : now.substr(0, slash));
    step('R', now);
    step('T', "");
    go_back(now, last->second);
    done.insert(last->second);
    step('R', "");
    step('T', last->second);
  }
  return steps;
}

std::vector<std::pair<char, std::string>> RenamesOfDump(std::string_view dump, Budget& budget) {
  std::vector<std::pair<char, std::string>> steps;
  while (!dump.empty() && dump[0] != '\0') {
    budget.Step();
    const size_t end = std::min(dump.find('\0'), dump.size());
    if (dump[0] == 'X' || dump[0] == 'R' || dump[0] == 'T') steps.emplace_back(dump[0], dump.substr(1, end - 1));
    dump.remove_prefix(std::min(end + 1, dump.size()));
  }
  return steps;
}

Status BackupHistory::Read() {
  made_.time = ToTimePoint(c_.in.clock.RealNow());
  if (c_.o.snapshot.empty() || c_.o.starts_again) return {};
  const auto text = vfs::ReadFile(c_.in.fs, c_.o.snapshot);
  if (!text && text.error().code == Code::kNoEntry) return {};
  if (!text) return c_.Fatal(c_.Shown(c_.o.snapshot) + ": Cannot open: " + std::string(text.error().Text()));
  auto known = Snapshot::Parse(*text, c_.in.budget);
  if (!known) return c_.Fatal(c_.Shown(c_.o.snapshot) + ": " + std::string(known.error().Text()));
  known_ = std::move(*known);
  return {};
}

bool BackupHistory::IsUnchanged(const vfs::Attributes& found) const {
  return !known_.is_new && ToTimePoint(found.modify_time) < known_.time && ToTimePoint(found.change_time) < known_.time;
}

// What the last backup called the directory, if it knew it. One that is not where its parent has taken it was renamed.
std::optional<std::string> BackupHistory::NameBefore(const std::string& path, const vfs::Attributes& found) {
  if (by_identity_.empty()) {
    for (const auto& [name, directory] : known_.directories) by_identity_[{directory.device, directory.inode}] = name;
  }
  const auto known = by_identity_.find({found.device, found.inode});
  if (known == by_identity_.end()) return std::nullopt;
  const auto same = known_.directories.find(path);
  const bool is_same = same != known_.directories.end() && same->second.inode == found.inode && same->second.device == found.device;
  const std::string before = is_same ? path : known->second;
  names_before_[path] = before;
  const size_t slash = path.rfind('/');
  const auto parent = names_before_.find(slash == std::string::npos ? path : path.substr(0, slash));
  const std::string expected = slash == std::string::npos || parent == names_before_.end() ? path : parent->second + path.substr(slash);
  if (before == expected) return before;
  std::string old = before;   // where it is once its parents were renamed
  for (const auto& [now, then] : renamed_) {
    if (then.size() < old.size() && old.starts_with(then) && old[then.size()] == '/') {
      old = now + old.substr(then.size());
      break;
    }
  }
  if (old == path) return before;
  renamed_[path] = old;
  if (c_.o.verbose > 0) c_.Warn("rename-directory", c_.Shown(path) + ": Directory has been renamed from " + c_.Word(old));
  return before;
}

bool BackupHistory::IsNew(const std::string& path, const vfs::Attributes& found) {
  const bool is_new = !NameBefore(path, found);
  if (is_new && c_.o.verbose > 0) c_.Warn("new-directory", c_.Shown(path) + ": Directory is new");
  return is_new;
}

void BackupHistory::Remember(const std::string& path, const vfs::Attributes& found, const std::string& names) {
  made_.directories[path] = {.device = found.device, .inode = found.inode, .modified = ToTimePoint(found.modify_time), .names = names};
}

void BackupHistory::Keep() const {
  if (c_.o.snapshot.empty()) return;
  if (const Status written = vfs::WriteFile(c_.in.fs, c_.o.snapshot, made_.Encode(c_.in.budget)); !written) c_.Fail(c_.o.snapshot, "Cannot open", written.error());
}

}  // namespace paddock::tar
