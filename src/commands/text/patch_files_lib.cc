#include <algorithm>
#include <deque>

#include "commands/text/patch_session.h"

namespace paddock {

bool PatchFiles::StaysInside(std::string_view path) const {
  constexpr int kMostLinks = 40;
  const auto here = in_.fs.Canonical(".");
  // What an absolute path has below the working directory.
  const auto below = [&here](std::string_view absolute) -> std::optional<std::string_view> {
    if (!here || !absolute.starts_with(*here)) return std::nullopt;
    absolute.remove_prefix(here->size());
    if (*here != "/" && !absolute.empty() && absolute[0] != '/') return std::nullopt;
    return absolute;
  };
  if (path.starts_with('/') && !(here && *here == "/")) return false;
  std::deque<std::string> left;
  const auto push_front = [&left](std::string_view text) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('/', begin), text.size());
      if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    left.insert(left.begin(), parts.begin(), parts.end());
  };
  push_front(path);
  std::vector<std::string> at;
  for (int links = 0; !left.empty();) {
    in_.budget.Step();
    const std::string name = left.front();
    left.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      if (at.empty()) return false;
      at.pop_back();
      continue;
    }
    at.push_back(name);
    if (left.empty()) break;
    std::string reached;
    for (const std::string& part : at) reached = reached.empty() ? part : vfs::JoinPath(reached, part);
    const auto attributes = in_.fs.Stat(reached, vfs::Follow::kNo);
    if (!attributes || !attributes->is_symlink()) continue;
    const auto target = in_.fs.ReadLink(reached);
    if (!target || ++links > kMostLinks) return false;
    at.pop_back();
    if (!target->starts_with('/')) {
      push_front(*target);
      continue;
    }
    const auto inside = below(*target);
    if (!inside) return false;
    at.clear();
    push_front(*inside);
  }
  return true;
}

std::optional<vfs::Attributes> PatchFiles::Stat(const std::string& path, bool follows) const {
  if (removals_.contains(path)) return std::nullopt;
  const auto attributes = in_.fs.Stat(path, follows ? vfs::Follow::kYes : vfs::Follow::kNo);
  if (!attributes) return std::nullopt;
  return *attributes;
}

Result<std::string> PatchFiles::Read(const std::string& path, const vfs::Attributes& attributes) const {
  if (attributes.is_symlink() && !settings_.follows_symlinks) return in_.fs.ReadLink(path);
  in_.budget.WillAllocate(attributes.size);
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(path, vfs::OpenFlags::Read()));
  Input input(*file, in_.budget);
  std::string text = input.ReadAll();
  PADDOCK_TRY(input.status());
  return text;
}

Error PatchFiles::Fatal(std::string_view what, const std::string& path, const Error& error) const {
  return Error(error.code, std::string(what) + " " + Quoted(path) + " : " + std::string(error.Text()));
}

std::string PatchFiles::BackupName(const std::string& path) const {
  const std::string directory = vfs::DirectoryName(path);
  const std::string base = vfs::BaseName(path);
  const bool has_directory = path.find('/') != std::string::npos;
  const auto in_place = [&](const std::string& name) { return has_directory ? vfs::JoinPath(directory, name) : name; };
  if (settings_.has_simple_name) {
    std::string name = settings_.base_prefix + base;
    name = settings_.prefix + (has_directory ? directory + "/" : std::string()) + name;
    return settings_.prefix.empty() && settings_.base_prefix.empty() ? path + settings_.suffix : name + (settings_.has_suffix ? settings_.suffix : "");
  }
  uint64_t highest = 0;
  if (settings_.backup != PatchBackup::kSimple) {
    if (const auto entries = in_.fs.List(has_directory ? directory : ".")) {
      for (const auto& entry : *entries) {
        in_.budget.Step();
        const std::string_view name = entry.name;
        if (!name.starts_with(base + ".~") || !name.ends_with('~') || name.size() < base.size() + 4) continue;
        const std::string_view digits = name.substr(base.size() + 2, name.size() - base.size() - 3);
        if (digits.find_first_not_of("0123456789") != std::string_view::npos || digits.size() > 15) continue;
        highest = std::max<uint64_t>(highest, std::stoull(std::string(digits)));
      }
    }
  }
  if (settings_.backup == PatchBackup::kNumbered || highest > 0) return in_place(base + ".~" + std::to_string(highest + 1) + "~");
  return path + settings_.suffix;
}

Status PatchFiles::BackUp(const std::string& path, const std::optional<vfs::Attributes>& attributes, std::string_view content) {
  if (!backed_up_.insert(path).second) return {};
  const std::string name = BackupName(path);
  if (!attributes) return Write(name, "", 0666 & ~in_.fs.umask(), false);
  PADDOCK_TRY(Write(name, content, attributes->mode, attributes->is_symlink()));
  if (!attributes->is_symlink()) static_cast<void>(in_.fs.SetTimes(name, attributes->access_time, attributes->modify_time));
  return {};
}

Status PatchFiles::MakeParents(const std::string& path) {
  const std::string directory = vfs::DirectoryName(path);
  if (path.find('/') == std::string::npos) return {};
  if (const Status made = vfs::MakeDirectories(in_.fs, directory); !made) return Fatal("Can't create directory", directory, made.error());
  return {};
}

Status PatchFiles::Write(const std::string& path, std::string_view content, uint32_t mode, bool is_symlink) {
  ForgetRemoval(path);
  PADDOCK_TRY(MakeParents(path));
  constexpr int kMostTries = 100;
  for (int attempt = 0;; ++attempt) {
    const std::string draft = path + ".o" + std::to_string(attempt);
    if (is_symlink) {
      const Status made = in_.fs.MakeSymlink(content, draft);
      if (!made && made.error().code == Code::kExists && attempt < kMostTries) continue;
      if (!made) return Fatal("Can't create symbolic link", path, made.error());
    } else {
      auto file = in_.fs.Open(draft, {.write = true, .create = true, .exclusive = true, .no_follow = true}, mode & 0777);
      if (!file && file.error().code == Code::kExists && attempt < kMostTries) continue;
      if (!file) return Fatal("Can't create file", path, file.error());
      if (const Status written = (*file)->Write(content); !written) {
        static_cast<void>(in_.fs.RemoveFile(draft));
        return Error(written.error().code, "write error : " + std::string(written.error().Text()));
      }
      static_cast<void>(in_.fs.SetMode(draft, mode & 0777));
    }
    if (const Status renamed = in_.fs.Rename(draft, path); !renamed) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return Error(renamed.error().code, "Can't rename file " + Quoted(draft) + " to " + Quoted(path) + " : " + std::string(renamed.error().Text()));
    }
    return {};
  }
}

void PatchFiles::RemoveLater(const std::string& path) {
  removals_.insert(path);
  removal_order_.push_back(path);
}

Status PatchFiles::RemoveMarked() {
  for (const std::string& path : removal_order_) {
    in_.budget.Step();
    if (!removals_.contains(path)) continue;
    if (settings_.verbose) in_.out.Write("Removing file " + Quoted(path) + "\n");
    if (settings_.dry_run) continue;
    if (const Status removed = in_.fs.RemoveFile(path); !removed) return Fatal("Can't remove file", path, removed.error());
    for (std::string directory = vfs::DirectoryName(path); path.find('/') != std::string::npos && directory != "." && directory != "/";
         directory = vfs::DirectoryName(directory)) {
      if (!in_.fs.RemoveDirectory(directory)) break;
      if (settings_.verbose) in_.out.Write("Removed empty directory " + Quoted(directory) + "\n");
    }
  }
  removals_.clear();
  return {};
}

Status PatchFiles::Append(const std::string& path, std::string_view text) {
  const bool is_first = begun_.insert(path).second;
  // A file of an earlier run gives way, with its mode and its other names.
  if (const auto old = in_.fs.Stat(path); is_first && old && old->is_file()) static_cast<void>(in_.fs.RemoveFile(path));
  auto file = in_.fs.Open(path, {.write = true, .append = !is_first, .create = true, .truncate = is_first});
  if (!file) return Fatal("Can't create file", path, file.error());
  if (const Status written = (*file)->Write(text); !written) return Error(written.error().code, "write error : " + std::string(written.error().Text()));
  return {};
}

}  // namespace paddock
