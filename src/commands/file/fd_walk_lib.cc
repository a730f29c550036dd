#include <algorithm>

#include "commands/file/fd.h"

namespace paddock::fd {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

class Walker {
 public:
  Walker(Invocation& in, const Search& search, const std::function<bool(const Hit&)>& visit)
      : in_(in), search_(search), visit_(visit), ignores_(in, search) {}

  Result<bool> Run(const std::string& root) {
    const auto found = in_.fs.Stat(root.empty() ? "." : root);
    if (!found) {
      Complain(root, found.error());
      return true;
    }
    const std::string absolute = vfs::NormalizePath(root.empty() ? in_.fs.cwd() : vfs::JoinPath(in_.fs.cwd(), root));
    device_ = found->device;
    const bool goes_on = Directory(root, absolute, ignores_.LoadAbove(absolute), *found, 0);
    if (failure_) return *failure_;
    return goes_on;
  }

 private:
  void Complain(const std::string& path, const Error& error) {
    if (!search_.shows_errors) return;
    in_.out.Flush();
    in_.err.Write("[fd error]: " + path + ": " + std::string(error.Text()) + " (os error " + std::to_string(static_cast<int>(error.code)) + ")\n");
  }

  bool Directory(const std::string& shown, const std::string& absolute, const IgnoreLevel* above, const vfs::Attributes& self, uint64_t depth) {
    in_.budget.CheckStack();
    if (search_.max_depth && depth >= *search_.max_depth) return true;
    auto entries = in_.fs.List(absolute);
    if (!entries) {
      Complain(shown, entries.error());
      return true;
    }
    open_.push_back(self);
    const IgnoreLevel* level = ignores_.Enter(absolute, above);
    bool goes_on = true;
    for (const auto& entry : *entries) {
      in_.budget.Step();
      goes_on = Entry(shown.empty() ? entry.name : vfs::JoinPath(shown, entry.name), vfs::JoinPath(absolute, entry.name), entry.name, level, depth + 1);
      if (!goes_on) break;
    }
    ignores_.Leave();
    open_.pop_back();
    return goes_on;
  }

  bool Entry(const std::string& shown, const std::string& absolute, const std::string& name, const IgnoreLevel* level, uint64_t depth) {
    auto found = in_.fs.Stat(absolute, search_.follows ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found && search_.follows) found = in_.fs.Stat(absolute, vfs::Follow::kNo);   // a link to nowhere is shown as a link
    if (!found) {
      Complain(shown, found.error());
      return true;
    }
    if (!IsWanted(level, absolute, name, found->is_directory())) return true;
    if (search_.follows && found->is_directory() && std::any_of(open_.begin(), open_.end(), [&](const auto& open) { return IsSameFile(open, *found); })) {
      if (search_.shows_errors) in_.err.Write("[fd error]: File system loop found: " + shown + " points to an ancestor\n");
      return true;
    }
    const auto is_hit = IsHit(absolute, name, *found, depth);
    if (!is_hit) {
      failure_ = is_hit.error();
      return false;
    }
    if (*is_hit) {
      if (!visit_({shown, found->is_directory()})) return false;
      if (search_.prunes) return true;
    }
    if (!found->is_directory() || (search_.stays_on_device && found->device != device_)) return true;
    return Directory(shown, absolute, level, *found, depth);
  }

  // By ignore files, -E and -H.
  bool IsWanted(const IgnoreLevel* level, const std::string& absolute, const std::string& name, bool is_directory) {
    if (!search_.excludes.empty()) {
      const std::string base = search_.exclude_base == "/" ? "/" : search_.exclude_base + "/";
      const std::string_view path = absolute.starts_with(base) ? std::string_view(absolute).substr(base.size()) : std::string_view(absolute);
      if (search_.excludes.Check(path, is_directory, in_.budget) == IgnoreVerdict::kKeep) return false;   // written with a '!'
    }
    const IgnoreVerdict verdict = ignores_.Check(level, absolute, is_directory);
    if (verdict == IgnoreVerdict::kIgnore) return false;
    return search_.shows_hidden || verdict == IgnoreVerdict::kKeep || !name.starts_with('.');
  }

  Result<bool> IsHit(const std::string& absolute, const std::string& name, const vfs::Attributes& file, uint64_t depth) {
    if (search_.min_depth && depth < *search_.min_depth) return false;
    for (const NamePattern& pattern : search_.patterns) {
      PADDOCK_ASSIGN(const bool is_match, pattern.Matches(search_.matches_paths ? absolute : name, in_.budget));
      if (!is_match) return false;
    }
    if (!search_.suffixes.empty()) {
      const std::string lower = LowerCase(name);
      const auto has = [&](const std::string& suffix) { return lower.size() > suffix.size() && lower.ends_with(suffix); };
      if (!std::any_of(search_.suffixes.begin(), search_.suffixes.end(), has)) return false;
    }
    if (search_.types.any && !HasType(absolute, file)) return false;
    if (search_.owner && !search_.owner->Matches(file)) return false;
    if (!search_.sizes.empty()) {
      const auto fits = [&](const SizeFilter& filter) { return filter.Matches(file.size); };
      if (!file.is_file() || !std::all_of(search_.sizes.begin(), search_.sizes.end(), fits)) return false;
    }
    const TimePoint changed = ToTimePoint(file.modify_time);
    return !(search_.after && changed < *search_.after) && !(search_.before && changed > *search_.before);
  }

  bool HasType(const std::string& absolute, const vfs::Attributes& file) {
    const Types& types = search_.types;
    const bool is_right = file.is_file()        ? types.files
                          : file.is_directory() ? types.directories
                          : file.is_symlink()   ? types.symlinks
                          : file.type == vfs::FileType::kSocket ? types.sockets
                          : file.type == vfs::FileType::kFifo   ? types.pipes
                                                                : false;
    if (!is_right) return false;
    if (types.executables && (file.mode & 0111) == 0) return false;
    if (!types.empties) return true;
    if (!file.is_directory()) return file.is_file() && file.size == 0;
    const auto entries = in_.fs.List(absolute);
    return entries && entries->empty();
  }

  Invocation& in_;
  const Search& search_;
  const std::function<bool(const Hit&)>& visit_;
  IgnoreFiles ignores_;
  std::vector<vfs::Attributes> open_;
  uint64_t device_ = 0;
  std::optional<Error> failure_;   // of a pattern: ends the walk
};

}  // namespace

Result<bool> Walk(Invocation& in, const Search& search, const std::string& root, const std::function<bool(const Hit&)>& visit) {
  return Walker(in, search, visit).Run(root);
}

}  // namespace paddock::fd
