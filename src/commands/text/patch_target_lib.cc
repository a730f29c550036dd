// Which file a patch is for, and what becomes of it.
#include <algorithm>
#include <limits>

#include "commands/file_facts.h"
#include "commands/text/patch_session.h"
#include "text/diff/patch_names.h"

namespace paddock {
namespace {

constexpr uint32_t kTypeBits = 0170000;
constexpr uint32_t kSymlinkBits = 0120000;

size_t CountComponents(std::string_view name) {
  size_t count = 0;
  for (size_t i = 0; i < name.size(); ++i) count += name[i] != '/' && (i == 0 || name[i - 1] == '/');
  return count;
}

// The best of some names: fewest components, then the shortest last one, then the shortest, then the first.
std::optional<size_t> BestName(const std::array<std::optional<std::string>, kPatchNames>& names, const std::array<bool, kPatchNames>& counts) {
  std::optional<size_t> best;
  const auto rank = [&names](size_t i) { return std::make_tuple(CountComponents(*names[i]), vfs::BaseName(*names[i]).size(), names[i]->size()); };
  for (size_t i = 0; i < kPatchNames; ++i) {
    if (names[i] && counts[i] && (!best || rank(i) < rank(*best))) best = i;
  }
  return best;
}

bool HasParentComponent(std::string_view name) {
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::optional<std::string> PatchSession::ChooseName(const PatchHeader& header, const Target& target) {
  std::array<std::optional<std::string>, kPatchNames> names;
  for (size_t i = 0; i < kPatchNames; ++i) {
    if (header.names[i]) names[i] = StripComponents(*header.names[i], settings_.strip);
  }
  if (!settings_.posix && (names[kOldName] || names[kNewName])) names[kIndexName].reset();
  std::array<bool, kPatchNames> exists{};
  for (size_t i = 0; i < kPatchNames; ++i) {
    if (!names[i]) continue;
    const bool is_absolute = names[i]->starts_with('/');
    exists[i] = (is_absolute || files_.StaysInside(*names[i])) && files_.Stat(*names[i], settings_.follows_symlinks).has_value();
  }
  std::optional<size_t> best;
  if (settings_.posix) {
    for (size_t i = kPatchNames; i-- > 0;) {
      if (exists[i]) best = i;
    }
  } else {
    best = BestName(names, exists);
  }
  if (!best && header.absent[target.reverse ? 1 : 0] > 0) {
    std::array<size_t, kPatchNames> missing{};
    size_t fewest = std::numeric_limits<size_t>::max();
    for (size_t i = 0; i < kPatchNames; ++i) {
      if (!names[i]) continue;
      std::string directory = vfs::DirectoryName(*names[i]);
      for (; directory != "." && directory != "/" && !in_.fs.Stat(directory); directory = vfs::DirectoryName(directory)) ++missing[i];
      fewest = std::min(fewest, missing[i]);
    }
    std::array<bool, kPatchNames> counts{};
    for (size_t i = 0; i < kPatchNames; ++i) counts[i] = missing[i] == fewest;
    best = BestName(names, counts);
  }
  // A deletion of what is not there is told as such.
  if (!best && header.absent[target.reverse ? 0 : 1] > 0) best = BestName(names, {true, true, true});
  if (!best) return std::nullopt;
  const std::string& name = *names[*best];
  if ((name.starts_with('/') && in_.fs.cwd() != "/") || HasParentComponent(name) || name.find('\n') != std::string::npos) {
    Say("Ignoring potentially dangerous file name " + Quoted(name) + "\n");
    return std::nullopt;
  }
  return name;
}

// Renames and copies need both names. False when there are not two good ones.
bool PatchSession::ChooseBoth(const PatchHeader& header, Target& target) {
  std::array<std::optional<std::string>, 2> names;
  for (size_t i = 0; i < 2; ++i) {
    if (header.names[i]) names[i] = StripComponents(*header.names[i], settings_.strip);
    if (names[i] && (names[i]->starts_with('/') || HasParentComponent(*names[i]))) {
      Say("Ignoring potentially dangerous file name " + Quoted(*names[i]) + "\n");
      names[i].reset();
    }
  }
  if (!names[0] || !names[1]) return false;
  const size_t from = target.reverse ? 1 : 0;
  const auto is_there = [&](const std::string& name) { return files_.StaysInside(name) && files_.Stat(name, settings_.follows_symlinks).has_value(); };
  if (header.is_copy && target.reverse) {
    target.in_name = target.out_name = *names[0];
    return is_there(target.in_name);
  }
  target.in_name = *names[from];
  target.out_name = *names[1 - from];
  if (is_there(target.in_name)) return true;
  if (header.is_copy && is_there(target.out_name)) {   // copied before: then it is like any patch of the copy
    target.in_name = target.out_name;
    return true;
  }
  target.was_renamed_before = header.is_rename && is_there(target.out_name);
  return target.was_renamed_before;
}

void PatchSession::AskForFile(const PatchHeader& header, Target& target) {
  if (!settings_.silent) {
    Say("can't find file to patch at input line " + std::to_string(header.line) + "\n");
    if (header.kind != PatchKind::kEd) Say(settings_.strip == -1 ? "Perhaps you should have used the -p or --strip option?\n" : "Perhaps you used the wrong -p or --strip option?\n");
  }
  SayLead(header);
  const auto give_up = [&](std::string_view text) {
    if (!text.empty()) Say(text);
    target.skips = target.skips_rejects = true;
  };
  while (true) {
    in_.budget.Step();
    if (settings_.force || settings_.batch) return give_up("No file to patch.  Skipping patch.\n");
    const std::string answer = Ask("File to patch: ");
    if (!answer.empty()) {
      if (const auto found = in_.fs.Stat(answer)) {
        target.in_name = target.out_name = answer;
        target.is_known = target.is_unsafe = true;
        return;
      } else {
        Say(Quoted(answer) + ": " + std::string(found.error().Text()) + "\n");
      }
    }
    if (!Ask("Skip this patch? [y] ").starts_with('n')) return give_up(settings_.silent ? "" : "Skipping patch.\n");
  }
}

Status PatchSession::Choose(const PatchHeader& header, Target& target) {
  if (file_) {
    target.in_name = target.out_name = *file_;
    target.is_known = target.is_unsafe = true;
    if (settings_.verbose) SayLead(header);
  } else if (header.is_rename || header.is_copy) {
    if (settings_.verbose) SayLead(header);
    target.is_known = ChooseBoth(header, target);
    if (!target.is_known) {
      Say(std::string("Cannot ") + (header.is_rename ? "rename" : "copy") + " file without two valid file names\n");
      target.skips = target.skips_rejects = true;
      return {};
    }
  } else if (auto name = ChooseName(header, target)) {
    if (settings_.verbose) SayLead(header);
    target.in_name = target.out_name = std::move(*name);
    target.is_known = true;
  } else {
    AskForFile(header, target);
    if (!target.is_known) return {};
  }
  const bool is_queued = std::any_of(delayed_.begin(), delayed_.end(), [&](const Delayed& file) { return file.path == target.in_name; });
  if (is_queued && !header.is_rename && !header.is_copy) PADDOCK_TRY(FlushDelayed());
  const auto attributes = files_.Stat(target.in_name, settings_.follows_symlinks);
  if (attributes && !attributes->is_file()) return {};
  if (header.is_rename || header.is_copy) return {};
  const bool was_skipping = target.skips;
  CheckDirection(header, target, attributes.has_value(), !attributes || attributes->size == 0);
  if (target.skips && !was_skipping) target.skips_rejects = true;
  return {};
}

// Looks at the file; false when it is none to be patched.
bool PatchSession::Inspect(const PatchHeader& header, Target& target) {
  const std::string& source = target.was_renamed_before ? target.out_name : target.in_name;
  target.attributes = files_.Stat(source, settings_.follows_symlinks);
  const auto old_mode = header.modes[target.reverse ? 1 : 0], new_mode = header.modes[target.reverse ? 0 : 1];
  const uint32_t type = old_mode.value_or(new_mode.value_or(0100644)) & kTypeBits;
  target.is_symlink = type == kSymlinkBits && header.is_git;
  const auto refuse = [&](const char* kind) {
    Say("File " + Quoted(source) + " is not a " + kind + " -- refusing to patch\n");
    target.skips = true;
    return false;
  };
  if (target.attributes && target.is_symlink && !target.attributes->is_symlink()) return refuse("symbolic link");
  if (target.attributes && !target.is_symlink && !target.attributes->is_file()) return refuse("regular file");
  if (!target.attributes) return true;
  if (settings_.read_only != PatchSettings::ReadOnly::kIgnore && !target.is_symlink && !settings_.output && !in_.fs.Access(source, 2)) {
    const bool fails = settings_.read_only == PatchSettings::ReadOnly::kFail;
    Say("File " + Quoted(source) + " is read-only; " + (fails ? "refusing to patch" : "trying to patch anyway") + "\n");
    if (fails) {
      target.skips = true;
      return false;
    }
  }
  auto content = files_.Read(source, *target.attributes);
  if (!content) {
    Say(Quoted(source) + ": " + std::string(content.error().Text()) + "\n");
    target.skips = true;
    return false;
  }
  target.content = std::move(*content);
  return true;
}

Status PatchSession::CheckPrerequisite(const PatchHeader& header, const Target& target) {
  const std::string& version = header.prerequisite;
  if (version.empty() || target.reverse) return {};
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  bool has_it = false;
  for (size_t at = target.content.find(version); at != std::string::npos && !has_it; at = target.content.find(version, at + 1)) {
    in_.budget.Step();
    const size_t end = at + version.size();
    has_it = (at == 0 || is_blank(target.content[at - 1])) && (end == target.content.size() || is_blank(target.content[end]));
  }
  if (has_it) {
    if (settings_.verbose) Say("Good.  This file appears to be the " + version + " version.\n");
    return {};
  }
  if (settings_.force) {
    if (!settings_.silent) Say("Warning: this file doesn't appear to be the " + version + " version -- patching anyway.\n");
    return {};
  }
  if (settings_.batch) return Error(Code::kSyntax, "This file doesn't appear to be the " + version + " version -- aborting.");
  if (Ask("This file doesn't appear to be the " + version + " version -- patch anyway? [n] ").starts_with('y')) return {};
  return Error(Code::kSyntax, "aborted");
}

Result<ExitStatus> PatchSession::ApplyScript(const PatchHeader&, Target& target) {
  if (target.skips) {
    while (parser_->NextScriptLine()) in_.budget.Step();
    return 1;
  }
  target.attributes = files_.Stat(target.in_name, true);
  if (target.attributes) {
    PADDOCK_ASSIGN(target.content, files_.Read(target.in_name, *target.attributes));
  }
  if (!settings_.dry_run && !target.content.empty() && !target.content.ends_with('\n')) in_.out.Write("Newline appended\n");   // as ed says
  const auto result = RunEdScript(target.content, *parser_, in_.budget);
  if (!result) {
    in_.out.Write("?\n");
    return Error(Code::kSyntax, "ed FAILED");
  }
  if (settings_.dry_run) return 0;
  if (settings_.output) {
    output_ += *result;
    has_output_ = true;
    return 0;
  }
  if (settings_.backs_up) PADDOCK_TRY(files_.BackUp(target.out_name, target.attributes, target.content));
  const uint32_t mode = target.attributes ? target.attributes->mode : 0666 & ~in_.fs.umask();
  PADDOCK_TRY(files_.Write(target.out_name, *result, mode, false));
  return 0;
}

std::optional<TimePoint> PatchSession::NewTime(const PatchHeader& header, const Target& target, size_t side) {
  if (!settings_.sets_utc && !settings_.sets_local_time) return std::nullopt;
  const auto& old_time = header.times[1 - side];
  const auto& new_time = header.times[side];
  if (!new_time) return std::nullopt;
  const auto decline = [&](const char* why) {
    Say("Not setting time of file " + Quoted(target.out_name) + " (" + why + " mismatch)\n");
    return std::nullopt;
  };
  if (!settings_.force && target.attributes && old_time && ToTimePoint(target.attributes->modify_time) != *old_time) return decline("time");
  if (!settings_.force && target.is_mismatch) return decline("contents");
  return new_time;
}

// Puts the result where it belongs. False when a file that should be gone is not empty.
Result<bool> PatchSession::Store(const PatchHeader& header, Target& target, std::string content) {
  const size_t old_side = target.reverse ? 1 : 0, new_side = 1 - old_side;
  if (settings_.output) {
    if (settings_.dry_run) return true;
    if (*settings_.output == "-") in_.out.Write(content);
    else output_ += content;
    has_output_ = true;
    return true;
  }
  const bool backs_up = settings_.backs_up || (settings_.backs_up_mismatch && target.is_mismatch);
  const int absent = header.absent[new_side];
  const bool may_remove = (absent == 2 && !settings_.posix) || settings_.removes_empty;
  bool is_good = true;
  if (header.is_copy && target.reverse) return true;
  if (content.empty() && may_remove && (absent > 0 || settings_.removes_empty) && !header.is_rename && !header.is_copy) {
    if (backs_up && !settings_.dry_run) PADDOCK_TRY(files_.BackUp(target.out_name, target.attributes, target.content));
    if (target.attributes) files_.RemoveLater(target.out_name);
    return true;
  }
  if (!content.empty() && absent == 2) {
    if (!settings_.silent) Say("Not deleting file " + Quoted(target.out_name) + " as content differs from patch\n");
    is_good = false;
  }
  const auto time = NewTime(header, target, new_side);
  if (settings_.dry_run) return is_good;
  const uint32_t before = target.attributes ? target.attributes->mode : 0666 & ~in_.fs.umask();
  // A mode that stays the same says nothing of the file's own.
  const bool sets_mode = header.modes[new_side] && (header.modes[new_side] != header.modes[old_side] || !target.attributes);
  const uint32_t mode = sets_mode ? *header.modes[new_side] & 0777 : before;
  if (backs_up) {
    const auto there = files_.Stat(target.out_name, false);
    PADDOCK_TRY(files_.BackUp(target.out_name, there, target.in_name == target.out_name ? target.content : std::string()));
    if (header.is_rename && !target.was_renamed_before) PADDOCK_TRY(files_.BackUp(target.in_name, target.attributes, target.content));
  }
  if (target.changes_nothing && target.in_name == target.out_name && !time) return is_good;
  PADDOCK_TRY(files_.MakeParents(target.out_name));
  delayed_.push_back({target.out_name, std::move(content), mode, target.is_symlink, time});
  files_.ForgetRemoval(target.out_name);
  if (header.is_rename && !target.was_renamed_before) files_.RemoveLater(target.in_name);
  if (!header.is_git) PADDOCK_TRY(FlushDelayed());
  return is_good;
}

Status PatchSession::WriteOut(const Delayed& file) {
  PADDOCK_TRY(files_.Write(file.path, file.content, file.mode, file.is_symlink));
  if (!file.time) return {};
  const auto time = FromTimePoint(*file.time);
  if (time) static_cast<void>(in_.fs.SetTimes(file.path, *time, *time));
  return {};
}

Status PatchSession::FlushDelayed() {
  std::vector<Delayed> files;
  files.swap(delayed_);
  for (const Delayed& file : files) {
    in_.budget.Step();
    PADDOCK_TRY(WriteOut(file));
  }
  return {};
}

}  // namespace paddock
