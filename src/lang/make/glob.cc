// Names of files by pattern: $(wildcard), targets and prerequisites.
#include <algorithm>

#include "lang/make/session.h"
#include "lang/make/words.h"
#include "text/pattern.h"

namespace paddock::make {
namespace {

void Walk(Session& session, const std::string& before, std::string_view rest, std::vector<std::string>& found) {
  session.budget().CheckStack();
  session.budget().Step();
  const size_t slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  const std::string_view after = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  const auto go_on = [&](const std::string& name) {
    if (slash == std::string_view::npos) {
      found.push_back(name);
    } else if (after.empty()) {
      found.push_back(name + "/");
    } else {
      Walk(session, name + "/", after, found);
    }
  };
  if (!HasWildcard(part)) {
    const std::string name = before + std::string(part);
    if (part.empty()) return slash == std::string_view::npos ? void() : Walk(session, before + "/", after, found);
    if (session.host().ModifyTime(slash == std::string_view::npos ? name : name + "/")) go_on(name);
    return;
  }
  const Pattern pattern(part, {.extglob = false, .leading_dot_special = true});
  for (const DirectoryName& entry : session.host().List(before.empty() ? "." : before)) {
    session.budget().Step();
    if (!pattern.Matches(entry.name, session.budget())) continue;
    if (slash != std::string_view::npos && !session.host().ModifyTime(before + entry.name + "/")) continue;
    go_on(before + entry.name);
  }
}

// The members of archives that match, those of each archive in order of their names.
std::vector<std::string> GlobMembers(Session& session, const MemberName& name) {
  std::vector<std::string> found;
  const std::string archive(name.archive);
  const Pattern pattern(name.member, {.extglob = false, .leading_dot_special = true});
  for (const std::string& each : HasWildcard(archive) ? Glob(session, archive) : std::vector{archive}) {
    const auto members = session.host().Members(each);
    const auto begin = static_cast<std::ptrdiff_t>(found.size());
    for (const ArchiveMember& member : members ? *members : std::vector<ArchiveMember>()) {
      session.budget().Step();
      session.budget().WillAllocate(each.size());
      if (pattern.Matches(member.name, session.budget())) found.push_back(each + "(" + member.name + ")");
    }
    std::sort(found.begin() + begin, found.end());
  }
  return found;
}

}  // namespace

bool HasWildcard(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }

std::vector<std::string> Glob(Session& session, const std::string& pattern) {
  std::vector<std::string> found;
  if (const auto parts = AsMember(pattern)) return GlobMembers(session, *parts);
  std::string name = pattern;
  if (name == "~" || name.starts_with("~/")) name = session.ValueOf("HOME") + name.substr(1);
  if (!HasWildcard(name)) {
    if (session.host().ModifyTime(name)) found.push_back(name);
    return found;
  }
  const bool is_absolute = name.starts_with('/');
  Walk(session, is_absolute ? "/" : "", std::string_view(name).substr(is_absolute ? name.find_first_not_of('/') : 0), found);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace paddock::make
