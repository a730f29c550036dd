// The list of files that rsync sends.
#include <algorithm>

#include "commands/file/rsync.h"
#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "text/date/time_format.h"
#include "text/path_glob.h"

namespace paddock::rsync {
namespace {

class Lister {
 public:
  explicit Lister(Session& session) : session_(session), settings_(session.settings), in_(session.in) {}

  // One operand.
  void Add(const std::string& operand) {
    if (settings_.relative) {
      AddRelative(operand, "");
      return;
    }
    const std::string last = vfs::BaseName(operand);
    const bool is_contents = operand.ends_with('/') || last == "." || last == "..";
    const std::string path = operand;
    const auto found = Look(path, is_contents, last, is_contents);
    if (!found) return;
    if (is_contents) {
      if (!found->is_directory()) {
        AddEntry(vfs::BaseName(operand), path, *found);
      } else if (!settings_.recursive && !settings_.dirs) {
        session_.Say("skipping directory .");
      } else {
        AddEntry(".", path, *found);
        Contents("", path, session_.entries.size() - 1);
      }
      return;
    }
    AddNamed(last, path, *found);
  }

  // A name of --files-from below `directory`, or an operand of -R.
  void AddRelative(const std::string& operand, const std::string& directory) {
    std::string path = directory.empty() ? operand : vfs::JoinPath(directory, operand.starts_with('/') ? operand.substr(1) : operand);
    std::string name = operand;
    std::string prefix = directory;
    if (const size_t cut = ("/" + operand).find("/./"); cut != std::string::npos && directory.empty()) {
      prefix = cut == 0 ? "." : operand.substr(0, cut);
      name = operand.substr(cut + 2);
    }
    const bool has_slash = operand.ends_with('/');
    name = vfs::NormalizePath(name);
    while (name.starts_with('/')) name.erase(0, 1);
    if (name.empty()) name = ".";
    if (operand.starts_with('/') && prefix.empty()) prefix = "/";
    const auto found = Look(path, has_slash, name);
    if (!found) return;
    if (name == ".") {
      AddEntry(".", path, *found);
      if (found->is_directory()) Contents("", path, session_.entries.size() - 1);
      return;
    }
    if (settings_.implied_dirs) {
      for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
        const std::string parent = name.substr(0, slash);
        const std::string parent_path = prefix.empty() ? parent : vfs::JoinPath(prefix, parent);
        const auto attributes = in_.fs.Stat(parent_path);
        if (!attributes) continue;
        AddEntry(parent, parent_path, *attributes);
        session_.entries.back().is_implied = true;
      }
    }
    AddNamed(name, path, *found, has_slash);
  }

 private:
  void SayNotRegular(const std::string& name) {
    if (settings_.InfoLevel("NONREG") > 0) session_.Say("skipping non-regular file \"" + name + "\"");
  }
  // Where --delete-missing-args deletes what is not there: `missing_name`.
  std::optional<vfs::Attributes> Look(const std::string& path, bool follows, const std::string& missing_name = {}, bool is_contents = false) {
    auto found = in_.fs.Stat(path, settings_.copy_links || follows ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (found) return *found;
    const bool is_dangling = settings_.copy_links && in_.fs.Stat(path, vfs::Follow::kNo).has_value();
    if (is_dangling) {
      in_.out.Flush();
      in_.err.WriteLine("symlink has no referent: \"" + session_.Absolute(path) + "\"");
      session_.has_failed = true;
      return std::nullopt;
    }
    if (settings_.delete_missing && found.error().code == Code::kNoEntry) {
      session_.missing.push_back(missing_name);
      return std::nullopt;
    }
    if (settings_.ignore_missing && found.error().code == Code::kNoEntry) return std::nullopt;
    // Of "x/" the contents are sent, from inside.
    const size_t end = path.find_last_not_of('/');
    if (is_contents && end != std::string::npos && end + 1 < path.size()) session_.Complain("sender", "change_dir", session_.Absolute(path.substr(0, end + 1)), found.error());
    else session_.Complain("sender", "link_stat", session_.Absolute(path), found.error());
    session_.has_failed = session_.has_read_error = true;
    return std::nullopt;
  }

  void AddNamed(const std::string& name, const std::string& path, const vfs::Attributes& attributes, bool lists = false) {
    if (session_.filter.IsExcluded(name, attributes.is_directory(), Filter::Side::kSender)) return;
    if (attributes.is_directory() && !settings_.recursive && !settings_.dirs) {
      session_.Say("skipping directory " + name);
      return;
    }
    if (!AddEntry(name, path, attributes)) return;
    if (attributes.is_directory() && (settings_.recursive || lists)) Contents(name, path, session_.entries.size() - 1);
  }

  bool IsSafe(const std::string& target, const std::string& name) const {
    if (target.empty() || target.starts_with('/')) return false;
    auto depth = std::count(name.begin(), name.end(), '/');
    for (size_t at = 0; at < target.size();) {
      const size_t end = std::min(target.find('/', at), target.size());
      const std::string part = target.substr(at, end - at);
      if (part == "..") {
        if (--depth < 0) return false;
      } else if (!part.empty() && part != ".") {
        ++depth;
      }
      at = end + 1;
    }
    return true;
  }

  static bool IsDevice(const vfs::Attributes& attributes) { return attributes.type == vfs::FileType::kCharDevice || attributes.type == vfs::FileType::kBlockDevice; }

  bool AddEntry(const std::string& name, const std::string& path, const vfs::Attributes& given) {
    vfs::Attributes attributes = given;
    const bool is_device = IsDevice(attributes);
    if (is_device && settings_.copy_devices) {   // a character device has no size, so nothing of it is copied
      attributes.type = vfs::FileType::kFile;
      attributes.size = 0;
    }
    in_.budget.Step();
    in_.budget.WillAllocate(name.size() + path.size() + sizeof(Entry));
    Entry entry{name, path, {}, attributes};
    entry.is_copied_device = is_device && settings_.copy_devices;
    if (attributes.is_symlink()) {
      if (!settings_.links && !settings_.list_only) {
        SayNotRegular(name);
        return false;
      }
      auto target = in_.fs.ReadLink(path);
      if (!target) {
        session_.Complain("sender", "readlink_stat", session_.Absolute(path), target.error());
        session_.has_failed = true;
        return false;
      }
      entry.target = *target;
      if (!IsSafe(*target, name)) {
        if (settings_.copy_unsafe_links) {
          const auto followed = in_.fs.Stat(path);
          if (!followed) {
            in_.err.WriteLine("symlink has no referent: \"" + session_.Absolute(path) + "\"");
            session_.has_failed = true;
            return false;
          }
          if (settings_.InfoLevel("SYMSAFE") > 0) session_.Say("copying unsafe symlink \"" + name + "\" -> \"" + *target + "\"");
          entry.attributes = *followed;
        } else if (settings_.safe_links) {
          if (settings_.InfoLevel("NAME") > 0) session_.Say("ignoring unsafe symlink \"" + name + "\" -> \"" + *target + "\"");
          return false;
        }
      }
    } else if (!attributes.is_directory() && !attributes.is_file()) {
      if (settings_.drops_special || (is_device ? !settings_.devices : !settings_.specials)) {
        SayNotRegular(name);
        return false;
      }
    }
    session_.entries.push_back(std::move(entry));
    return true;
  }

  void Contents(const std::string& name, const std::string& path, size_t index) {
    in_.budget.CheckStack();
    session_.filter.Enter(name, path);
    auto list = in_.fs.List(path);
    if (!list) {
      session_.Complain("sender", "opendir", session_.Absolute(path), list.error());
      session_.has_failed = session_.has_read_error = true;
      return;
    }
    session_.entries[index].has_contents = true;
    for (const vfs::DirectoryEntry& item : *list) {
      const std::string below = name.empty() ? item.name : name + "/" + item.name;
      const std::string item_path = vfs::JoinPath(path, item.name);
      // A left-out link is not looked behind.
      const auto plain = in_.fs.Stat(item_path, vfs::Follow::kNo);
      if (!plain || session_.filter.IsExcluded(below, plain->is_directory(), Filter::Side::kSender)) continue;
      vfs::Attributes attributes = *plain;
      if (plain->is_symlink() && (settings_.copy_links || settings_.copy_dirlinks)) {
        const auto followed = in_.fs.Stat(item_path);
        if (settings_.copy_links && !followed) {
          static_cast<void>(Look(item_path, true));
          continue;
        }
        if (followed && (settings_.copy_links || followed->is_directory())) attributes = *followed;
      }
      if (!AddEntry(below, item_path, attributes) || !session_.entries.back().is_directory() || !settings_.recursive) continue;
      if (settings_.one_file_system && attributes.device != session_.entries[index].attributes.device) continue;
      if (++depth_ > 200) {
        session_.Complain("sender", "opendir", session_.Absolute(item_path), Code::kLoop);   // links that lead back, with -L
        session_.has_failed = true;
      } else {
        Contents(below, item_path, session_.entries.size() - 1);
      }
      --depth_;
    }
  }

  Session& session_;
  const Settings& settings_;
  Invocation& in_;
  int depth_ = 0;
};

void MapOwners(Session& session) {
  if (session.settings.user_map.empty() && session.settings.group_map.empty()) return;
  UserNames names(session.in.fs, session.in.budget);
  const auto map = [&](const std::vector<IdRule>& rules, uint32_t& id, bool is_user) {
    for (const IdRule& rule : rules) {
      session.in.budget.Step();
      if (id < rule.low || id > rule.high) continue;
      if (!rule.name.empty()) {
        const UserRecord* const user = is_user ? names.User(id) : nullptr;
        const GroupRecord* const group = is_user ? nullptr : names.Group(id);
        const std::string name = user != nullptr ? user->name : group != nullptr ? group->name : "";
        if (name.empty() || !PathGlob(rule.name).Matches(name, session.in.budget)) continue;
      }
      id = rule.to;
      return;
    }
  };
  for (Entry& entry : session.entries) {
    map(session.settings.user_map, entry.attributes.uid, true);
    map(session.settings.group_map, entry.attributes.gid, false);
  }
}

// Empty chains of directories go, from the end on.
void Prune(std::vector<Entry>& entries) {
  std::set<std::string> needed;
  std::vector<Entry> kept;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->is_directory() && entry->name != "." && needed.count(entry->name) == 0) continue;
    if (const size_t slash = entry->name.rfind('/'); slash != std::string::npos) needed.insert(entry->name.substr(0, slash));
    kept.push_back(std::move(*entry));
  }
  std::reverse(kept.begin(), kept.end());
  entries = std::move(kept);
}

}  // namespace

bool IsBefore(const Entry& a, const Entry& b) {
  if (a.name == b.name) return false;
  if (a.name == "." || b.name == ".") return a.name == ".";
  size_t at = 0;
  while (at < a.name.size() && at < b.name.size() && a.name[at] == b.name[at]) ++at;
  if (at == a.name.size() && b.name[at] == '/') return true;
  if (at == b.name.size() && a.name[at] == '/') return false;
  const bool a_is_file = !a.is_directory() && a.name.find('/', at) == std::string::npos;
  const bool b_is_file = !b.is_directory() && b.name.find('/', at) == std::string::npos;
  if (a_is_file != b_is_file) return a_is_file;
  const auto byte = [at](const std::string& name) { return at < name.size() && name[at] != '/' ? static_cast<unsigned char>(name[at]) : 0; };
  return byte(a.name) < byte(b.name);
}

void BuildList(Session& session, const std::vector<std::string>& sources, const std::vector<std::string>* files) {
  Lister lister(session);
  if (files != nullptr) {
    for (const std::string& file : *files) lister.AddRelative(file, sources[0]);
  } else {
    for (const std::string& source : sources) lister.Add(source);
  }
  auto& entries = session.entries;
  session.in.budget.Step(static_cast<int64_t>(entries.size()) * 8);
  std::stable_sort(entries.begin(), entries.end(), IsBefore);
  std::vector<Entry> unique;
  for (Entry& entry : entries) {
    if (!unique.empty() && unique.back().name == entry.name) {
      unique.back().has_contents = unique.back().has_contents || entry.has_contents;
      continue;
    }
    unique.push_back(std::move(entry));
  }
  entries = std::move(unique);
  if (session.settings.prune_empty) Prune(entries);
  MapOwners(session);
}

std::string NumberText(uint64_t number, int human) {
  std::string digits = std::to_string(number);
  if (human == 0) return digits;
  if (human >= 2) {
    const double base = human == 2 ? 1000 : 1024;
    auto value = static_cast<double>(number);
    if (value < base) return digits;
    size_t unit = 0;
    for (value /= base; value >= base && unit < 4; value /= base) ++unit;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.2f%c", value, "KMGTP"[unit]);
    return buffer;
  }
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

void ShowList(Session& session) {
  const TimeZone zone = LocalZone(session.in.env);
  for (const Entry& entry : session.entries) {
    session.in.budget.Step();
    std::string size = NumberText(entry.attributes.size, session.settings.human);
    const size_t width = session.settings.human == 0 ? 11 : 14;
    if (size.size() < width) size.insert(0, width - size.size(), ' ');
    const TimePoint moment = ToTimePoint(entry.attributes.modify_time);
    session.Say(ModeText(entry.attributes) + " " + size + " " + FormatTime("%Y/%m/%d %H:%M:%S", zone.ToLocal(moment.seconds), moment, session.in.budget) + " " + entry.name +
                (entry.attributes.is_symlink() && session.settings.links ? " -> " + entry.target : ""));
  }
}

}  // namespace paddock::rsync
