#include "commands/archive/7z_writer.h"

#include <algorithm>

namespace paddock::seven_zip {

std::string ArchiveWriter::Renamed(const std::string& name) const {
  for (size_t i = 0; i + 1 < o_.operands.size(); i += 2) {
    const std::string& from = o_.operands[i];
    if (name == from) return o_.operands[i + 1];
    if (name.starts_with(from + "/")) return o_.operands[i + 1] + name.substr(from.size());
  }
  return name;
}

bool ArchiveWriter::IsDeleted(const SevenZipItem& item) {
  const std::vector<std::string> path = Parts(item.name);
  const auto matches = [&](const Wildcard& wildcard) { return Matches(wildcard, path, in_.budget); };
  if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), matches)) return false;
  if (std::any_of(o_.wanted.begin(), o_.wanted.end(), matches)) return true;
  return std::any_of(o_.operands.begin(), o_.operands.end(), [&](const std::string& operand) { return matches({Parts(operand), o_.is_recursive}); });
}

char ArchiveWriter::ActionOf(char state) const {
  if (const size_t at = o_.actions.find(state); at != std::string::npos) return o_.actions[at + 1];
  if (state == 'p' || state == 'q') return '1';
  return state == 'r' || state == 'y' || o_.command != "u" ? '2' : '1';
}

char ArchiveWriter::ActionFor(const SevenZipItem& item, const Found* found) {
  if (found != nullptr) {
    if (!item.modified || !IsNotNewer(*found, item)) return ActionOf('y');
    return ActionOf(IsOlder(*found, item) ? 'x' : 'z');
  }
  const std::vector<std::string> path = Parts(item.name);
  const bool is_asked_for = std::any_of(o_.operands.begin(), o_.operands.end(), [&](const std::string& operand) { return Matches({Parts(operand), o_.is_recursive}, path, in_.budget); });
  return ActionOf(is_asked_for ? 'q' : 'p');
}

void ArchiveWriter::Plan() {
  if (old_ == nullptr) return;
  std::map<std::string, size_t, std::less<>> found;
  for (size_t i = 0; i < found_.size(); ++i) found[found_[i].name] = i;
  std::set<size_t> stays;
  for (size_t i = 0; i < old_->archive.items.size(); ++i) {
    in_.budget.Step(4);
    const SevenZipItem& item = Old(i);
    if (o_.command == "d" && IsDeleted(item)) {
      removed_.push_back(i);
      continue;
    }
    const auto same = found.find(item.name);
    const char action = ActionFor(item, same == found.end() ? nullptr : &found_[same->second]);
    if (action == '0') removed_.push_back(i);
    else if (action == '1') kept_.push_back({i, o_.command == "rn" ? Renamed(item.name) : item.name});
    if (same == found.end()) continue;
    if (action == '2') found_[same->second].replaces = true;
    else stays.insert(same->second);
    found.erase(same);
  }
  if (ActionOf('r') == '0') {
    for (const auto& [name, index] : found) stays.insert(index);
  }
  size_t left = 0;
  for (size_t i = 0; i < found_.size(); ++i) {
    if (stays.contains(i)) continue;
    if (left != i) found_[left] = std::move(found_[i]);
    ++left;
  }
  found_.resize(left);
}

bool ArchiveWriter::IsNotNewer(const Found& found, const SevenZipItem& item) const {
  const uint64_t ticks = TicksOf(found.attributes);
  return type_ == "zip" ? ticks / 20000000 <= *item.modified / 20000000 : ticks <= *item.modified;
}

bool ArchiveWriter::IsOlder(const Found& found, const SevenZipItem& item) const {
  const uint64_t ticks = TicksOf(found.attributes);
  return type_ == "zip" ? ticks / 20000000 < *item.modified / 20000000 : ticks < *item.modified;
}

}  // namespace paddock::seven_zip
