#include "commands/archive/tar_extract.h"

namespace paddock::tar {

void Unfinished::CompleteLast() {
  const Directory last = std::move(directories_.back());
  directories_.pop_back();
  c_.in.budget.Step();
  if (last.owner) static_cast<void>(c_.in.fs.SetOwner(last.path, last.owner->first, last.owner->second, vfs::Follow::kNo));
  if (last.mode) {
    if (const Status set = c_.in.fs.SetMode(last.path, *last.mode, vfs::Follow::kNo); !set) c_.Fail(last.name, "Cannot change mode", set.error());
  }
  if (last.modified) {
    if (const Status set = c_.in.fs.SetTimes(last.path, std::nullopt, last.modified, vfs::Follow::kNo); !set) c_.Fail(last.name, "Cannot utime", set.error());
  }
}

void Unfinished::CompleteDirectoriesBut(const std::string& next) {
  while (!directories_.empty()) {
    const std::string& name = directories_.back().name;
    if (name == "." || (next.size() > name.size() && next.starts_with(name) && (name.ends_with('/') || next[name.size()] == '/'))) return;
    CompleteLast();
  }
}

void Unfinished::Moved(const std::string& from, const std::string& to) {
  const auto is_there = [&](const std::string& path) { return path.starts_with(from) && (path.size() == from.size() || path[from.size()] == '/'); };
  c_.in.budget.Step(static_cast<int64_t>(directories_.size()));
  if (to.empty()) {
    std::erase_if(directories_, [&](const Directory& directory) { return is_there(directory.path); });
    return;
  }
  for (Directory& directory : directories_) {
    if (is_there(directory.path)) directory.path.replace(0, from.size(), to);
  }
}

void Unfinished::NoteLink(const vfs::Attributes& file, const std::string& path) {
  for (Placeholder& one : placeholders_) {
    if (file.device == one.device && file.inode == one.inode) one.further.push_back(path);
  }
}

void Unfinished::CompleteAll() {
  for (const Placeholder& one : placeholders_) Complete(one);
  while (!directories_.empty()) CompleteLast();
}

void Unfinished::Complete(const Placeholder& one) {
  c_.in.budget.Step();
  std::string first;
  std::vector<std::string> paths = {one.path};
  paths.insert(paths.end(), one.further.begin(), one.further.end());
  for (const std::string& path : paths) {
    // Only what still is the placeholder becomes the link.
    const auto found = c_.in.fs.Stat(path, vfs::Follow::kNo);
    if (!found || found->device != one.device || found->inode != one.inode) continue;
    static_cast<void>(c_.in.fs.RemoveFile(path));
    if (!first.empty() && c_.in.fs.MakeLink(first, path)) continue;
    if (const Status made = c_.in.fs.MakeSymlink(one.target, path); !made) {
      c_.Fail(one.name, "Cannot create symlink to " + c_.Word(one.target), made.error());
      continue;
    }
    first = path;
    if (one.modified) static_cast<void>(c_.in.fs.SetTimes(path, std::nullopt, one.modified, vfs::Follow::kNo));
  }
}

}  // namespace paddock::tar
