#include "commands/file/ownership.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "commands/file_facts.h"
#include "text/quote.h"

namespace paddock {
namespace {

using Report = OwnershipOptions::Report;
using Walk = OwnershipOptions::Walk;

constexpr size_t kDeepest = 4096;   // directories inside each other

constexpr uint32_t kUnchanged = std::numeric_limits<uint32_t>::max();   // to the kernel

// "1000" or "+1000".
std::optional<uint32_t> ParseId(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

// Sets what the words mean, or gives what is wrong with them.
const char* ParseGroup(UserNames& names, std::string_view text, Ownership& to) {
  const GroupRecord* const named = text.starts_with('+') ? nullptr : names.Group(text);
  to.gid = named != nullptr ? std::optional(named->gid) : ParseId(text);
  if (!to.gid) return "invalid group";
  to.group = std::string(text);
  return nullptr;
}

// `separator`: where in the text, or npos.
const char* ParseSpec(UserNames& names, std::string_view text, size_t separator, Ownership& to) {
  const std::string_view user = text.substr(0, separator);
  const bool has_separator = separator != text.npos;
  const std::string_view group = has_separator ? text.substr(separator + 1) : std::string_view();
  if (!user.empty()) {
    const UserRecord* const named = user.starts_with('+') ? nullptr : names.User(user);
    if (named == nullptr && has_separator && group.empty()) return "invalid spec";   // a number has no login group
    to.uid = named != nullptr ? std::optional(named->uid) : ParseId(user);
    if (!to.uid || to.uid == kUnchanged) return "invalid user";
    if (named != nullptr && has_separator && group.empty()) {
      to.gid = named->gid;
      to.group = names.GroupText(named->gid);
    }
    to.user = std::string(user);
  }
  if (group.empty()) return nullptr;
  if (const char* const wrong = ParseGroup(names, group, to)) return wrong;
  return to.gid == kUnchanged ? "invalid group" : nullptr;
}

const char* ParseOwner(UserNames& names, std::string_view text, Ownership& to) {
  const size_t colon = text.find(':');
  const char* const wrong = ParseSpec(names, text, colon, to);
  const size_t dot = text.find('.');
  if (wrong == nullptr || colon != text.npos || dot == text.npos) return wrong;
  Ownership other;   // "user.group", as long ago
  if (ParseSpec(names, text, dot, other) != nullptr) return wrong;
  to = std::move(other);
  return nullptr;
}

class Changer {
 public:
  Changer(Invocation& in, const OwnershipOptions& options, UserNames& names, Ownership wanted, Ownership required)
      : in_(in), o_(options), names_(names), wanted_(std::move(wanted)), required_(std::move(required)),
        follows_(options.dereferences.value_or(!options.recursive || options.walk != Walk::kPhysical)) {}

  bool ChangeOperand(const std::string& path) { return Visit(path, 0); }

 private:
  std::string Shown(std::string_view path) const { return QuoteFile(path, in_.locale.is_utf8); }

  bool Complain(const std::string& message, const Error& error) {
    if (!o_.silent) in_.Fail(message, error);
    return false;
  }

  bool Visit(const std::string& path, size_t depth) {
    in_.budget.Step();
    in_.budget.CheckStack();
    const auto itself = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!itself) {
      const bool is_told = Complain("cannot access " + Shown(path), itself.error());
      Tell(path, false, nullptr);
      return is_told;
    }
    vfs::Attributes seen = *itself;
    const bool enters_link = o_.recursive && (o_.walk == Walk::kLogical || (o_.walk == Walk::kOperands && depth == 0));
    bool ok = true;
    if (itself->is_symlink() && (follows_ || enters_link)) {
      if (const auto target = in_.fs.Stat(path)) {
        seen = *target;
      } else if (follows_) {
        ok = Complain("cannot dereference " + Shown(path), target.error());
      }
    }
    if (o_.recursive && seen.is_directory() && (!itself->is_symlink() || enters_link)) {
      if (o_.preserves_root && IsRoot(seen)) return RefuseRoot(path);
      if (IsAround(seen)) return true;   // a link that leads back
      if (depth >= kDeepest) return Complain(Shown(path), Error(Code::kNameTooLong));
      around_.push_back(seen);
      ok = VisitInside(path, depth) && ok;
      around_.pop_back();
    }
    return Change(path, follows_ ? seen : *itself, ok) && ok;
  }

  bool VisitInside(const std::string& directory, size_t depth) {
    const auto entries = in_.fs.List(directory);
    if (!entries) return Complain("cannot read directory " + Shown(directory), entries.error());
    bool ok = true;
    for (const vfs::DirectoryEntry& entry : *entries) ok = Visit(vfs::JoinPath(directory, entry.name), depth + 1) && ok;
    return ok;
  }

  bool IsRoot(const vfs::Attributes& attributes) {
    const auto root = in_.fs.Stat("/");
    return root && IsSameFile(*root, attributes);
  }

  bool IsAround(const vfs::Attributes& directory) const {
    return std::any_of(around_.begin(), around_.end(), [&](const vfs::Attributes& one) { return IsSameFile(one, directory); });
  }

  bool RefuseRoot(const std::string& path) {
    in_.Fail("it is dangerous to operate recursively on " + Shown(path) + (path == "/" ? "" : " (same as " + Shown("/") + ")"));
    in_.Fail("use --no-preserve-root to override this failsafe");
    return false;
  }

  bool Change(const std::string& path, const vfs::Attributes& found, bool was_found) {
    const bool applies = was_found && (!required_.uid || *required_.uid == found.uid) && (!required_.gid || *required_.gid == found.gid);
    bool ok = was_found;
    if (applies) {
      if (const Status set = in_.fs.SetOwner(path, wanted_.uid, wanted_.gid, follows_ ? vfs::Follow::kYes : vfs::Follow::kNo); !set) {
        ok = Complain((wanted_.uid ? "changing ownership of " : "changing group of ") + Shown(path), set.error());
      }
    }
    const bool is_other = (wanted_.uid && *wanted_.uid != found.uid) || (wanted_.gid && *wanted_.gid != found.gid);
    Tell(path, ok, was_found ? &found : nullptr, applies && ok && is_other);
    return ok;
  }

  // "user", "user:group" or "group"; nothing where neither is named.
  static std::string Pair(const std::optional<std::string>& user, const std::optional<std::string>& group) {
    if (!user) return group.value_or("");
    return group ? *user + ":" + *group : *user;
  }

  void Tell(const std::string& path, bool ok, const vfs::Attributes* found, bool is_changed = false) {
    if (o_.report == Report::kNone || (o_.report == Report::kChanges && !is_changed)) return;
    const std::string to = Pair(wanted_.user, wanted_.group);
    std::optional<std::string> user, group;
    if (found != nullptr && wanted_.user) user = names_.UserText(found->uid);
    if (found != nullptr && wanted_.group) group = names_.GroupText(found->gid);
    const std::string before = Pair(user, group);
    const bool is_named = wanted_.user || wanted_.group;
    const std::string what = wanted_.user || !wanted_.group ? "ownership of " : "group of ";
    const std::string from = before.empty() ? "" : " from " + before;
    std::string line;
    if (!ok) line = "failed to change " + what + Shown(path) + (is_named ? from + " to " + to : "");
    else if (is_changed) line = "changed " + what + Shown(path) + from + " to " + to;
    else line = what + Shown(path) + " retained" + (is_named ? " as " + before : "");
    in_.out.WriteLine(line);
  }

  Invocation& in_;
  const OwnershipOptions& o_;
  UserNames& names_;
  const Ownership wanted_, required_;
  const bool follows_;
  std::vector<vfs::Attributes> around_;   // the directories that we are in
};

}  // namespace

ExitStatus ChangeOwnership(Invocation& in, const OwnershipOptions& options, std::vector<std::string> operands, bool has_users) {
  const bool is_utf8 = in.locale.is_utf8;
  if (options.recursive && options.walk == Walk::kPhysical && options.dereferences.value_or(false)) {
    return in.Fail("-R --dereference requires either -H or -L");
  }
  const size_t words = options.reference ? 0 : 1;
  if (operands.size() <= words) {
    if (operands.empty()) return in.Usage("missing operand");
    return in.Usage("missing operand after " + Quote(operands.back(), is_utf8));
  }
  UserNames names(in.fs, in.budget);
  Ownership wanted, required;
  if (options.from) {
    if (const char* wrong = ParseOwner(names, *options.from, required)) return in.Fail(std::string(wrong) + ": " + Quote(*options.from, is_utf8));
  }
  if (options.reference) {
    const auto found = in.fs.Stat(*options.reference);
    if (!found) return in.Fail("failed to get attributes of " + QuoteFile(*options.reference, is_utf8), found.error());
    if (has_users) {
      wanted.uid = found->uid;
      wanted.user = names.UserText(found->uid);
    }
    wanted.gid = found->gid;
    wanted.group = names.GroupText(found->gid);
  } else {
    const std::string& text = operands.front();
    const char* wrong = nullptr;
    if (has_users) wrong = ParseOwner(names, text, wanted);
    else if (!text.empty()) wrong = ParseGroup(names, text, wanted);
    if (wrong != nullptr) return in.Fail(std::string(wrong) + ": " + Quote(text, is_utf8));
    if (wanted.gid == kUnchanged) wanted.gid.reset();   // chgrp lets it stand for that
    operands.erase(operands.begin());
  }
  Changer changer(in, options, names, std::move(wanted), std::move(required));
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    if (!changer.ChangeOperand(path)) status = 1;
  }
  return status;
}

}  // namespace paddock
