// How rsync writes one file, and what it compares before.
#include <algorithm>

#include "commands/file/rsync_receiver.h"
#include "proc/kernel.h"
#include "text/date/duration.h"

namespace paddock::rsync {

void Receiver::GroupLinks() {
  if (!s_.hard_links) return;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<const Entry*>> groups;
  for (const Entry& entry : session_.entries) {
    in_.budget.Step();
    if (!entry.is_directory() && entry.attributes.links > 1) groups[{entry.attributes.device, entry.attributes.inode}].push_back(&entry);
  }
  for (auto entry = session_.entries.begin(); entry != session_.entries.end(); ++entry) {
    const auto group = groups.find({entry->attributes.device, entry->attributes.inode});
    if (entry->is_directory() || group == groups.end() || group->second.back() != &*entry) continue;
    for (size_t i = group->second.size() - 1; i-- > 0;) {
      further_names_.emplace_back(group->second[i], &*entry);
      is_further_name_.insert(group->second[i]);
    }
  }
}

uint32_t Receiver::WantedMode(const Entry& entry, const vfs::Attributes* there) const {
  uint32_t mode = session_.modes.Apply(entry.attributes.mode, entry.is_directory());
  if (s_.perms) return mode;
  if (there == nullptr) return mode & 0777 & ~in_.fs.umask();
  if (s_.executability && entry.attributes.is_file()) {
    if ((mode & 0111) == 0) return there->mode & ~0111u;
    if ((there->mode & 0111) == 0) return there->mode | ((there->mode & 0444) >> 2);
  }
  return there->mode;
}

bool Receiver::KeepsTime(const Entry& entry) const {
  return s_.times && !(entry.is_directory() && s_.omit_dir_times) && !(entry.attributes.is_symlink() && s_.omit_link_times);
}

bool Receiver::HasSameTime(const vfs::Attributes& a, const vfs::Attributes& b) const {
  const int64_t x = a.modify_time.count(), y = b.modify_time.count();
  const auto floor = [](int64_t t) { return t / kSecond - (t % kSecond < 0 ? 1 : 0); };
  const int64_t difference = floor(x) - floor(y);
  return s_.modify_window < 0 ? x == y : std::abs(difference) <= s_.modify_window;
}

Changes Receiver::Compare(const Entry& entry, const vfs::Attributes& there) const {
  Changes changes;
  changes.time = KeepsTime(entry) && !HasSameTime(entry.attributes, there);
  changes.mode = !entry.attributes.is_symlink() && WantedMode(entry, &there) != there.mode;
  changes.owner = s_.owner && (s_.super || in_.fs.credentials().uid == 0) && entry.attributes.uid != there.uid;
  changes.group = s_.group && MaySetGroup(entry) && entry.attributes.gid != there.gid;
  return changes;
}

bool Receiver::MaySetGroup(const Entry& entry) const { return (s_.super || in_.fs.credentials().uid == 0) || entry.attributes.gid == in_.fs.credentials().gid; }

void Receiver::Adjust(const Entry& entry, const std::string& path, bool is_new, uint32_t mode) {
  const bool may_own = (s_.super || in_.fs.credentials().uid == 0);
  std::optional<uint32_t> uid, gid;
  if (s_.owner && may_own) uid = entry.attributes.uid;
  if (s_.group && MaySetGroup(entry)) gid = entry.attributes.gid;
  const auto now = in_.fs.Stat(path, vfs::Follow::kNo);
  if (!now) return;
  if ((uid && *uid != now->uid) || (gid && *gid != now->gid)) {
    if (const Status set = in_.fs.SetOwner(path, uid, gid, vfs::Follow::kNo); !set) Fail("receiver", "chown", path, set.error());
  }
  if (!entry.attributes.is_symlink() && (is_new || now->mode != mode) && !entry.is_directory()) {
    if (const Status set = in_.fs.SetMode(path, mode); !set) Fail("receiver", "failed to set permissions on", path, set.error());
  }
  if (entry.is_directory() || !KeepsTime(entry) || (!is_new && HasSameTime(entry.attributes, *now))) return;
  std::optional<Nanoseconds> access;
  if (s_.atimes) access = entry.attributes.access_time;
  if (const Status set = in_.fs.SetTimes(path, access, entry.attributes.modify_time, vfs::Follow::kNo); !set) Fail("receiver", "failed to set times on", path, set.error());
}

void Receiver::HardLink(const Entry& entry, const Entry& leader) {
  if (IsBelowSkipped(entry)) return;
  const std::string path = PathOf(entry), first = PathOf(leader);
  const auto there = in_.fs.Stat(path, vfs::Follow::kNo), made = in_.fs.Stat(first, vfs::Follow::kNo);
  if (!there && s_.existing) return;
  if (there && s_.ignore_existing) return;
  if (entry.attributes.is_file()) total_size_ += entry.attributes.size;
  Changes changes;
  if (there && made && IsSameFile(*there, *made)) {
    Report(entry, changes);
    return;
  }
  changes.is_linked = true;
  changes.is_new = !there.has_value();
  if (!s_.dry_run) {
    if (there && !MakeRoom(entry, path, *there)) return;
    if (const Status linked = in_.fs.MakeLink(first, path); !linked) {
      Fail("generator", "link", path, linked.error());
      return;
    }
  }
  Report(entry, changes, leader.name);
  if (s_.remove_source && !s_.dry_run) static_cast<void>(in_.fs.RemoveFile(entry.source));
}

bool Receiver::HasSameContent(const std::string& a, const std::string& b) {
  auto x = in_.fs.Open(a, vfs::OpenFlags::Read()), y = in_.fs.Open(b, vfs::OpenFlags::Read());
  if (!x || !y) return false;
  Input one(**x, in_.budget), two(**y, in_.budget);
  while (true) {
    const std::string_view p = one.Peek(), q = two.Peek();
    const size_t size = std::min(p.size(), q.size());
    if (size == 0) return p.empty() && q.empty() && one.status() && two.status();
    if (p.substr(0, size) != q.substr(0, size)) return false;
    one.Consume(size);
    two.Consume(size);
  }
}

bool Receiver::IsSame(const Entry& entry, const std::string& path, const vfs::Attributes& there) {
  if (entry.attributes.size != there.size) return false;
  if (s_.checksum) return HasSameContent(entry.source, path);
  if (s_.size_only) return true;
  return !s_.ignore_times && HasSameTime(entry.attributes, there);
}

std::optional<std::pair<std::string, vfs::Attributes>> Receiver::FindAlternative(const Entry& entry, std::optional<vfs::Attributes>* other) {
  for (const std::string& directory : s_.alternatives) {
    const std::string base = vfs::JoinPath(root_, directory);
    const std::string path = entry.name == "." ? base : vfs::JoinPath(base, entry.name);
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found || found->type != entry.attributes.type) continue;
    if (entry.is_directory() || IsSame(entry, path, *found)) return std::pair(path, *found);
    if (other != nullptr && !*other) *other = *found;
  }
  return std::nullopt;
}

bool Receiver::File(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
  if (there != nullptr && s_.update && there->modify_time.count() / kSecond > entry.attributes.modify_time.count() / kSecond) {
    if (s_.InfoLevel("SKIP") > 0) session_.Say(entry.name + " is newer");
    return false;
  }
  Changes changes;
  std::optional<vfs::Attributes> other;
  if (there != nullptr) {
    changes = Compare(entry, *there);
    changes.size = entry.attributes.size != there->size;
    if (IsSame(entry, path, *there)) {
      if (!s_.dry_run) Adjust(entry, path, false, WantedMode(entry, there));
      Report(entry, changes);
      return true;
    }
    if (s_.checksum) changes.content = true;
    if (!s_.times) changes.transfer_time = true;
  } else if (!s_.alternatives.empty()) {
    if (const auto same = FindAlternative(entry, &other)) return FromAlternative(entry, path, same->first, same->second);
  }
  if (other) {
    changes = Compare(entry, *other);
    changes.size = entry.attributes.size != other->size;
  }
  changes.is_new = there == nullptr && !other;
  changes.is_transferred = true;
  if (there != nullptr && s_.appends) return Append(entry, path, *there, changes);
  if (s_.dry_run) {
    ++transferred_;
    transferred_bytes_ += entry.attributes.size;
    Report(entry, changes);
    return true;
  }
  auto from = in_.fs.Open(entry.source, vfs::OpenFlags::Read());
  if (!from) {
    Fail("sender", "send_files failed to open", entry.source, from.error());
    return false;
  }
  Report(entry, changes);
  if (!Copy(entry, **from, path, there)) return false;
  ++transferred_;
  transferred_bytes_ += entry.attributes.size;
  Progress(entry.attributes.size);
  return true;
}

bool Receiver::FromAlternative(const Entry& entry, const std::string& path, const std::string& other, const vfs::Attributes& found) {
  Changes changes = Compare(entry, found);
  if (s_.alternative == Settings::Alternative::kCompare && !changes.any()) return true;
  if (!s_.dry_run) {
    if (s_.alternative == Settings::Alternative::kLink && !changes.any()) {
      if (const Status linked = in_.fs.MakeLink(other, path); !linked) {
        Fail("generator", "link", path, linked.error());
        return false;
      }
    } else {
      auto from = in_.fs.Open(other, vfs::OpenFlags::Read());
      if (!from || !Copy(entry, **from, path, nullptr)) return false;
      changes.is_local = true;
    }
  }
  Report(entry, changes);
  return true;
}

std::string Receiver::PartialDirectory(const std::string& path) const {
  return s_.partial_dir.starts_with('/') ? s_.partial_dir : vfs::JoinPath(vfs::DirectoryName(path), s_.partial_dir);
}

void Receiver::PutDelayed() {
  for (const Delayed& file : delayed_) {
    in_.budget.Step();
    if (s_.backup && in_.fs.Stat(file.path, vfs::Follow::kNo)) static_cast<void>(Backup(file.name, file.path));
    if (const Status moved = in_.fs.Rename(file.temporary, file.path); !moved) Fail("receiver", "rename", file.temporary, moved.error());
    static_cast<void>(in_.fs.RemoveDirectory(PartialDirectory(file.path)));   // while others are in it, it stays
  }
  delayed_.clear();
}

bool Receiver::HasSameBeginning(const std::string& a, const std::string& b, uint64_t bytes) {
  auto x = in_.fs.Open(a, vfs::OpenFlags::Read()), y = in_.fs.Open(b, vfs::OpenFlags::Read());
  if (!x || !y) return false;
  Input one(**x, in_.budget), two(**y, in_.budget);
  while (bytes > 0) {
    const std::string_view p = one.Peek(), q = two.Peek();
    const size_t size = std::min({p.size(), q.size(), static_cast<size_t>(bytes)});
    if (size == 0 || p.substr(0, size) != q.substr(0, size)) return false;
    one.Consume(size);
    two.Consume(size);
    bytes -= size;
  }
  return true;
}

bool Receiver::Append(const Entry& entry, const std::string& path, const vfs::Attributes& there, Changes changes) {
  if (there.size >= entry.attributes.size) return false;
  ++transferred_;
  transferred_bytes_ += entry.attributes.size - there.size;
  if (s_.dry_run) {
    Report(entry, changes);
    return true;
  }
  auto from = in_.fs.Open(entry.source, vfs::OpenFlags::Read());
  if (!from) {
    Fail("sender", "send_files failed to open", entry.source, from.error());
    return false;
  }
  Report(entry, changes);
  bool goes_on = true;
  if (s_.verifies_append && !HasSameBeginning(entry.source, path, there.size)) {
    in_.out.Flush();
    in_.err.WriteLine("WARNING: " + entry.name + " failed verification -- update retained (will try again).");
    vfs::Attributes written = there;   // what the first attempt leaves has no times of the other side yet
    written.modify_time = in_.clock.RealNow();
    Changes again;
    again.is_transferred = true;
    again.time = KeepsTime(entry) && !HasSameTime(entry.attributes, written);
    again.transfer_time = changes.transfer_time;
    Report(entry, again);
    goes_on = false;
  }
  auto to = in_.fs.Open(path, goes_on ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
  if (!to) {
    Fail("receiver", "open", path, to.error());
    return false;
  }
  Input input(**from, in_.budget);
  for (uint64_t left = goes_on ? there.size : 0; left > 0;) {
    const size_t size = std::min(input.Peek().size(), static_cast<size_t>(left));
    if (size == 0) break;
    input.Consume(size);
    left -= size;
  }
  const Status written = Pour(input, **to);
  to->reset();
  if (!written) {
    Fail("receiver", "write failed on", path, written.error());
    return false;
  }
  Adjust(entry, path, true, WantedMode(entry, &there));
  return true;
}

Status Receiver::Pour(Input& input, vfs::OpenFile& to) {
  while (true) {
    const std::string_view bytes = input.Peek();
    if (bytes.empty()) return input.status();
    PADDOCK_TRY(to.Write(bytes));
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 32));
    if (s_.is_slowed) {
      const double seconds = static_cast<double>(bytes.size()) / static_cast<double>(s_.bytes_a_second);
      PADDOCK_TRY(in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + ToNanoseconds(seconds)));
    }
    input.Consume(bytes.size());
  }
}

bool Receiver::Copy(const Entry& entry, vfs::OpenFile& from, const std::string& path, const vfs::Attributes* there) {
  const uint32_t mode = WantedMode(entry, there);
  if (s_.delay_updates) static_cast<void>(vfs::MakeDirectories(in_.fs, PartialDirectory(path)));
  const std::string directory = s_.delay_updates ? PartialDirectory(path) : s_.temp_dir.empty() ? vfs::DirectoryName(path) : vfs::JoinPath(root_, s_.temp_dir);
  const std::string temporary = s_.inplace ? path : vfs::JoinPath(directory, "." + vfs::BaseName(path) + ".rsync-" + std::to_string(++temporaries_));
  if (("/" + s_.temp_dir + "/").find("/../") != std::string::npos) {
    Fail("receiver", "mkstemp", vfs::JoinPath(s_.temp_dir, vfs::BaseName(path) + ".XXXXXX"), Code::kInvalid);
    return false;
  }
  auto to = in_.fs.Open(temporary, {.write = true, .create = true, .exclusive = !s_.inplace, .truncate = true, .no_follow = true}, 0600);
  if (!to) {
    Fail("receiver", s_.inplace ? "open" : "mkstemp", temporary, to.error());
    return false;
  }
  Input input(from, in_.budget);
  const Status written = entry.is_copied_device ? Status() : Pour(input, **to);
  to->reset();
  if (!written) {
    Fail("receiver", "write failed on", path, written.error());
    if (!s_.partial_dir.empty()) {
      static_cast<void>(vfs::MakeDirectories(in_.fs, PartialDirectory(path)));
      static_cast<void>(in_.fs.Rename(temporary, vfs::JoinPath(PartialDirectory(path), vfs::BaseName(path))));
    } else if (s_.partial && !s_.inplace) static_cast<void>(in_.fs.Rename(temporary, path));
    else if (!s_.inplace) static_cast<void>(in_.fs.RemoveFile(temporary));
    return false;
  }
  if (!s_.inplace) {
    Adjust(entry, temporary, true, mode);
    if (s_.delay_updates) {
      delayed_.push_back({entry.name, temporary, path});
      return true;
    }
    if (there != nullptr && s_.backup) static_cast<void>(Backup(entry.name, path));
    if (const Status moved = in_.fs.Rename(temporary, path); !moved) {
      Fail("receiver", "rename", temporary, moved.error());
      static_cast<void>(in_.fs.RemoveFile(temporary));
      return false;
    }
    return true;
  }
  Adjust(entry, path, true, mode);
  return true;
}

}  // namespace paddock::rsync
