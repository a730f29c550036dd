// Who files belong to in the archive. --owner-map and --group-map read lines "OLD NEW[:ID]", numbers with '+' in front.

#include <charconv>

#include "commands/archive/tar_create.h"
#include "commands/input_files.h"

namespace paddock::tar {
namespace {

class Reader {
 public:
  Reader(Context& context, bool is_group) : c_(context), is_group_(is_group) {}

  Result<OwnerMap> Read(const std::string& name) {
    auto file = InputFile::OpenPath(c_.in, name);
    if (!file) return c_.Fatal(c_.Shown(name) + ": Cannot open: " + std::string(file.error().Text()));
    OwnerMap map;
    size_t number = 0;
    while (const auto line = file->input().ReadLine()) {
      where_ = c_.Shown(name) + ":" + std::to_string(++number) + ": ";
      const auto words = QuotedWords(line->text, true);
      if (!words) return c_.Fatal(where_ + "cannot split line: missing closing quote");
      if (words->empty()) continue;
      if (words->size() != 2) {
        Complain("malformed line");
        continue;
      }
      const auto old_id = (*words)[0].starts_with('+') ? Number((*words)[0].substr(1)) : Lookup((*words)[0]);
      const auto choice = old_id ? NewOwner((*words)[1]) : std::nullopt;
      if (choice) map.emplace(*old_id, *choice);
    }
    if (!file->input().status()) return c_.Fatal(c_.Shown(name) + ": Read error: " + std::string(file->input().status().error().Text()));
    if (has_failed_) return c_.Fatal("errors reading map file");
    return map;
  }

 private:
  void Complain(const std::string& what) {
    c_.Warn(where_ + what);
    has_failed_ = true;
  }
  std::optional<uint64_t> Number(const std::string& digits) {
    uint64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && value <= UINT32_MAX) return value;
    Complain(std::string("invalid ") + (is_group_ ? "GID" : "UID") + ": " + digits);
    return std::nullopt;
  }
  std::optional<uint64_t> Lookup(const std::string& name) {
    if (is_group_) {
      if (const GroupRecord* group = c_.names.Group(name)) return group->gid;
    } else if (const UserRecord* user = c_.names.User(name)) {
      return user->uid;
    }
    Complain(std::string("can't obtain ") + (is_group_ ? "GID" : "UID") + " of " + name);
    return std::nullopt;
  }
  std::string NameOf(uint64_t id) {
    if (is_group_) {
      const GroupRecord* group = c_.names.Group(static_cast<uint32_t>(id));
      return group == nullptr ? std::string() : group->name;
    }
    const UserRecord* user = c_.names.User(static_cast<uint32_t>(id));
    return user == nullptr ? std::string() : user->name;
  }
  std::optional<OwnerChoice> NewOwner(const std::string& text) {
    OwnerChoice choice;
    const size_t colon = text.find(':');
    if (text.starts_with('+')) {
      choice.id = Number(text.substr(1));
      if (choice.id) choice.name = NameOf(*choice.id);
    } else {
      choice.name = text.substr(0, colon);
      choice.id = colon == std::string::npos ? Lookup(text) : Number(text.substr(colon + 1));
    }
    return choice.id ? std::optional(choice) : std::nullopt;
  }

  Context& c_;
  bool is_group_;
  bool has_failed_ = false;
  std::string where_;
};

}  // namespace

Result<OwnerMap> ReadOwnerMap(Context& context, const std::string& name, bool is_group) { return Reader(context, is_group).Read(name); }

void MemberOwners::Fill(codec::TarMember& member, const vfs::Attributes& found, bool has_names) {
  const auto chosen = [](const OwnerMap& map, uint32_t id, const OwnerChoice& otherwise) -> const OwnerChoice& {
    const auto it = map.find(id);
    return it == map.end() ? otherwise : it->second;
  };
  const OwnerChoice& owner = chosen(c_.o.owner_map, found.uid, c_.o.owner);
  const OwnerChoice& group = chosen(c_.o.group_map, found.gid, c_.o.group);
  member.uid = owner.id.value_or(found.uid);
  member.gid = group.id.value_or(found.gid);
  if (c_.o.numeric_owner || !has_names) return;
  member.user = owner.name ? *owner.name : UserName(static_cast<uint32_t>(member.uid));
  member.group = group.name ? *group.name : GroupName(static_cast<uint32_t>(member.gid));
}

const std::string& MemberOwners::UserName(uint32_t uid) {
  if (!user_ || user_->first != uid) {
    const UserRecord* user = c_.names.User(uid);
    user_ = {uid, user == nullptr ? std::string() : user->name};
  }
  return user_->second;
}

const std::string& MemberOwners::GroupName(uint32_t gid) {
  if (!group_ || group_->first != gid) {
    const GroupRecord* group = c_.names.Group(gid);
    group_ = {gid, group == nullptr ? std::string() : group->name};
  }
  return group_->second;
}

}  // namespace paddock::tar
