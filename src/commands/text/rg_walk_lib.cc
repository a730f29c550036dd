#include <algorithm>

#include "base/budget.h"
#include "commands/file_facts.h"
#include "commands/stat_ahead.h"
#include "commands/text/rg_files.h"

namespace paddock {
namespace {

class Walk {
 public:
  Walk(Invocation& in, const RgWalkSettings& settings, const std::function<bool(const std::string&, bool)>& visit)
      : in_(in), settings_(settings), visit_(visit), ignores_(in, settings) {}

  bool Run(const std::string& root) {
    const auto found = in_.fs.Stat(root.empty() ? "." : root);
    if (!found) {
      Complain(root, found.error());
      return true;
    }
    if (!found->is_directory()) {
      visit_(root, true);
      return has_failed_;
    }
    const std::string absolute = vfs::NormalizePath(root.empty() ? in_.fs.cwd() : vfs::JoinPath(in_.fs.cwd(), root));
    device_ = found->device;
    is_default_ = root.empty();
    const IgnoreLevel* above = ignores_.LoadAbove(absolute);
    std::string shown = root;
    while (shown.size() > 1 && shown.ends_with('/')) shown.pop_back();
    Directory(shown, absolute, above, *found, 0, false);
    return has_failed_;
  }

 private:
  void Complain(const std::string& path, const Error& error) {
    has_failed_ = true;
    if (!settings_.says_messages) return;
    const std::string reason = std::string(error.Text()) + " (os error " + std::to_string(static_cast<int>(error.code)) + ")";
    in_.out.Flush();
    in_.err.Write(path + ": " + reason + "\n");
  }

  IgnoreVerdict CheckTypes(std::string_view name) const {
    const auto matches = [&](const std::vector<std::pair<std::string, IgnoreGlob>>& types) {
      return std::any_of(types.begin(), types.end(), [&](const auto& type) { return type.second.Matches(name, false, in_.budget); });
    };
    if (matches(settings_.refused_types)) return IgnoreVerdict::kIgnore;
    if (settings_.selected_types.empty()) return IgnoreVerdict::kNone;
    return matches(settings_.selected_types) ? IgnoreVerdict::kKeep : IgnoreVerdict::kIgnore;
  }

  bool IsWanted(const IgnoreLevel* level, const std::string& absolute, const std::string& name, bool is_directory) const {
    if (!settings_.overrides.empty()) {
      const std::string cwd = in_.fs.cwd() == "/" ? "/" : in_.fs.cwd() + "/";
      const std::string_view path = absolute.starts_with(cwd) ? std::string_view(absolute).substr(cwd.size()) : std::string_view(absolute);
      const IgnoreVerdict verdict = settings_.overrides.Check(path, is_directory, in_.budget);
      if (verdict == IgnoreVerdict::kIgnore) return true;    // a plain -g asks for it
      if (verdict == IgnoreVerdict::kKeep) return false;
      if (!is_directory && settings_.overrides.has_positive()) return false;
    }
    IgnoreVerdict verdict = ignores_.Check(level, absolute, is_directory);
    if (verdict == IgnoreVerdict::kIgnore) return false;
    if (!is_directory && !(settings_.selected_types.empty() && settings_.refused_types.empty())) {
      const IgnoreVerdict type = CheckTypes(name);
      if (type == IgnoreVerdict::kIgnore) return false;
      if (type == IgnoreVerdict::kKeep) verdict = type;
    }
    return settings_.shows_hidden || verdict == IgnoreVerdict::kKeep || !name.starts_with('.');
  }

  bool Directory(const std::string& shown, const std::string& absolute, const IgnoreLevel* above, const vfs::Attributes& self, uint64_t depth, bool is_link) {
    in_.budget.CheckStack();
    if (settings_.max_depth && depth >= *settings_.max_depth) return true;
    for (const vfs::Attributes& open : open_) {
      if (!is_link || !IsSameFile(open, self)) continue;
      has_failed_ = true;
      if (settings_.says_messages) in_.err.Write(shown + ": File system loop found: " + shown + " points to an ancestor\n");
      return true;
    }
    open_.push_back(self);
    const IgnoreLevel* level = ignores_.Enter(absolute, above, is_default_ ? (shown.empty() ? "." : "./" + shown) : shown);
    auto entries = in_.fs.List(absolute);
    bool goes_on = true;
    if (!entries) {
      Complain(shown, entries.error());
    } else {
      if (settings_.is_reversed) std::reverse(entries->begin(), entries->end());
      StatAhead ahead;
      for (size_t i = 0; i < entries->size(); ++i) {
        in_.budget.Step();
        const Result<vfs::Attributes>* seen = nullptr;
        if (!settings_.follows) seen = &ahead.Of(in_.fs, absolute, *entries, i);
        goes_on = Entry(shown, absolute, level, (*entries)[i].name, depth, seen);
        if (!goes_on) break;
      }
    }
    open_.pop_back();
    ignores_.Leave();
    return goes_on;
  }

  // `seen`: its attributes, if they were looked at already.
  bool Entry(const std::string& shown, const std::string& absolute, const IgnoreLevel* level, const std::string& name, uint64_t depth, const Result<vfs::Attributes>* seen) {
    const std::string path = vfs::JoinPath(absolute, name);
    const auto found = seen != nullptr ? *seen : in_.fs.Stat(path, settings_.follows ? vfs::Follow::kYes : vfs::Follow::kNo);
    const std::string shown_path = shown.empty() ? name : vfs::JoinPath(shown, name);
    if (!found) {
      Complain(shown_path, found.error());
      return true;
    }
    if (found->is_symlink()) return true;
    if (!IsWanted(level, path, name, found->is_directory())) return true;
    if (found->is_directory()) {
      if (settings_.stays_on_device && found->device != device_) return true;
      const bool is_link = settings_.follows && in_.fs.Stat(path, vfs::Follow::kNo).value_or({}).is_symlink();
      return Directory(shown_path, path, level, *found, depth + 1, is_link);
    }
    if (!found->is_file()) return true;
    if (settings_.max_size && found->size > *settings_.max_size) return true;
    return visit_(shown_path, false);
  }

  Invocation& in_;
  const RgWalkSettings& settings_;
  const std::function<bool(const std::string&, bool)>& visit_;
  IgnoreFiles ignores_;
  std::vector<vfs::Attributes> open_;
  uint64_t device_ = 0;
  bool is_default_ = false;   // no path was given: it is called "." in messages about ignore files alone
  bool has_failed_ = false;
};

}  // namespace

bool WalkForRg(Invocation& in, const RgWalkSettings& settings, const std::string& root, const std::function<bool(const std::string&, bool)>& visit) {
  return Walk(in, settings, visit).Run(root);
}

}  // namespace paddock
