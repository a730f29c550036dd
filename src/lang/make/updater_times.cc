// How old files are, and where VPATH, vpath, GPATH and .LIBPATTERNS find them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lang/make/updater.h"

namespace paddock::make {

bool Updater::FindInVpath(File& file) {
  if (file.name.starts_with('/') || file.ignores_vpath) return false;
  const auto try_in = [&](const std::string& directory) {
    budget_.Step();
    const std::string path = directory + (directory.ends_with('/') ? "" : "/") + file.name;
    const File* const known = graph_.Find(WithoutDots(path));
    const auto time = session_.host().ModifyTime(path);
    if (!time && (known == nullptr || !known->is_target)) return false;
    file.path = path;
    if (known != nullptr && (known->time == kNewest || known->time == kOldest)) {   // of -W and -o
      file.time = known->time;
    } else if (time) {
      file.time = *time;
    }
    return true;
  };
  for (const VpathRule& rule : graph_.vpaths) {
    if (!PercentPattern(rule.pattern).Match(file.name)) continue;
    for (const std::string& directory : rule.directories) {
      if (try_in(directory)) return true;
    }
  }
  if (session_.Find("VPATH") == nullptr) return false;
  std::string list = session_.ValueOf("VPATH");
  std::replace(list.begin(), list.end(), ':', ' ');
  for (const std::string_view directory : SplitWords(list, budget_)) {
    if (try_in(std::string(directory))) return true;
  }
  return false;
}

// -lNAME: the first of what .LIBPATTERNS makes of it that is here; else the one found earliest in the paths.
bool Updater::FindLibrary(File& file) {
  if (!file.name.starts_with("-l") || file.name.size() == 2) return false;
  const std::string patterns = session_.ValueOf(".LIBPATTERNS");
  std::pair<size_t, size_t> best{SIZE_MAX, SIZE_MAX};
  std::string path;
  const auto try_at = [&](const std::string& name, size_t rule, size_t index) {
    budget_.Step(4);
    const auto time = session_.host().ModifyTime(name);
    if (!time || std::pair(rule, index) >= best) return;
    best = {rule, index};
    path = name;
    file.time = *time;
  };
  std::string list = session_.Find("VPATH") == nullptr ? "" : session_.ValueOf("VPATH");
  std::replace(list.begin(), list.end(), ':', ' ');
  for (const std::string_view word : SplitWords(patterns, budget_)) {
    const PercentPattern pattern(word);
    if (!pattern.has_percent()) {
      session_.Warn({}, ".LIBPATTERNS element '" + std::string(word) + "' is not a pattern");
      continue;
    }
    const std::string name = pattern.Fill(std::string_view(file.name).substr(2));
    if (const auto time = session_.host().ModifyTime(name)) {
      file.path = name;
      file.time = *time;
      return true;
    }
    for (size_t i = 0; i < graph_.vpaths.size(); ++i) {
      if (!PercentPattern(graph_.vpaths[i].pattern).Match(name)) continue;
      for (size_t k = 0; k < graph_.vpaths[i].directories.size(); ++k) try_at(graph_.vpaths[i].directories[k] + "/" + name, i, k);
    }
    size_t index = 0;
    for (const std::string_view directory : SplitWords(list, budget_)) try_at(std::string(directory) + "/" + name, graph_.vpaths.size(), index++);
    for (const char* const directory : {"/lib/", "/usr/lib/", "/usr/local/lib/"}) try_at(directory + name, graph_.vpaths.size(), index++);
  }
  if (path.empty()) return false;
  file.path = path;
  return true;
}

// Where a file was found may be another one of the makefiles; or it is in GPATH and gets its name from there.
void Updater::Rename(File& file) {
  File* const known = graph_.Find(file.path);
  if (known != nullptr && known != &file) return graph_.Merge(file, *known);
  if (session_.Find("GPATH") == nullptr) return;
  const auto bare = [](std::string_view directory) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
    return directory;
  };
  std::string list = session_.ValueOf("GPATH");
  std::replace(list.begin(), list.end(), ':', ' ');
  const std::string_view directory = bare(std::string_view(file.path).substr(0, file.path.size() - std::min(file.path.size(), file.name.size())));
  for (const std::string_view word : SplitWords(list, budget_)) {
    if (bare(word) != directory) continue;
    file.name = file.path;
    return;
  }
}

// A member is where its archive is found.
Nanoseconds Updater::TimeOfMember(File& file) {
  const std::string name = file.name;
  const MemberName parts = *AsMember(name);
  File* archive = graph_.Enter(std::string(parts.archive));
  TimeOf(*archive);
  while (archive->same != nullptr) archive = archive->same;
  if (archive->path != parts.archive) file.name = file.path = archive->path + "(" + std::string(parts.member) + ")";
  file.time = session_.TimeOfName(file.path).value_or(kMissing);
  if (!file.first_time) file.first_time = file.time;
  return *file.time;
}

Nanoseconds Updater::TimeOf(File& file) {
  budget_.CheckStack();
  if (file.same != nullptr) return TimeOf(*file.same);
  if (file.time) {
    if (!file.first_time) file.first_time = file.time;
    return *file.time;
  }
  budget_.Step(4);
  if (file.is_phony) {
    file.time = kMissing;
    if (!file.first_time) file.first_time = kMissing;
    return kMissing;
  }
  if (AsMember(file.name)) return TimeOfMember(file);
  const auto time = session_.host().ModifyTime(file.path);
  file.time = time ? *time : kMissing;
  if (!time && file.path == file.name && (FindInVpath(file) || FindLibrary(file))) {
    Rename(file);
    if (file.same != nullptr) return TimeOf(*file.same);
  }
  if (!file.first_time) file.first_time = file.time;
  if (time && *time > session_.host().Now()) WarnOfFuture(file);
  return *file.time;
}

void Updater::WarnOfFuture(const File& file) {
  if (std::exchange(saw_future_, true)) return;
  // Two digits of it: the exact time would only be noise.
  const double seconds = std::chrono::duration<double>(*file.time - session_.host().Now()).count();
  char text[32];
  std::snprintf(text, sizeof text, seconds >= 99 ? "%.0f" : "%.2g", seconds >= 99 ? std::floor(seconds) : seconds);
  session_.Warn({}, "Warning: File '" + file.name + "' has modification time " + text + " s in the future");
}

}  // namespace paddock::make
