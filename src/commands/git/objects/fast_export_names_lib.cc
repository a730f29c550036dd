#include <algorithm>

#include "commands/git/objects/fast_export.h"

namespace paddock::git {

const std::string& Anonymizer::Of(std::map<std::string, std::string>& known, const std::string& text, const char* stem) {
  budget_.Step();
  if (const auto kept = kept_.find(text); kept != kept_.end()) return kept->second;
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  budget_.WillAllocate(text.size() + 120);
  return known.emplace(text, stem + std::to_string(known.size())).first->second;
}

std::string Anonymizer::Parts(std::string_view path, std::map<std::string, std::string>& known, const char* stem) {
  std::string out;
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty()) out += Of(known, std::string(part), stem);
    if (slash == std::string_view::npos) return out;
    out += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string Anonymizer::Ref(std::string_view name) {
  for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/", "refs/"}) {
    if (name.starts_with(prefix)) return std::string(prefix) + Parts(name.substr(prefix.size()), refs_, "ref");
  }
  return Parts(name, refs_, "ref");
}

std::string Anonymizer::Path(std::string_view path) { return Parts(path, paths_, "path"); }

std::string Anonymizer::Person(std::string_view line) {
  const size_t blank = std::min(line.find(' '), line.size());
  const std::string_view who = line.substr(std::min(blank + 1, line.size()));
  const size_t close = who.rfind('>');
  if (close == std::string_view::npos) return std::string(line.substr(0, blank)) + " Malformed Ident <malformed@example.com> 0 -0000";
  const std::string person(who.substr(0, close + 1));
  budget_.Step();
  const auto kept = kept_.find(person);
  std::string shown = kept == kept_.end() ? "" : kept->second;
  if (shown.empty()) {
    const auto found = people_.find(person);
    if (found == people_.end()) budget_.WillAllocate(person.size() + 120);
    const std::string number = std::to_string(people_.size());
    shown = found != people_.end() ? found->second : people_.emplace(person, "User " + number + " <user" + number + "@example.com>").first->second;
  }
  return std::string(line.substr(0, blank + 1)) + shown + std::string(who.substr(close + 1));
}

std::string Anonymizer::Id(const Oid& id) {
  if (id.is_null()) return id.Hex();
  Oid counter;
  uint64_t number = ids_.size() + 1;
  for (size_t i = counter.bytes.size(); number > 0; number >>= 8) counter.bytes[--i] = static_cast<uint8_t>(number);
  budget_.WillAllocate(100);
  return ids_.emplace(id, counter).first->second.Hex();
}

}  // namespace paddock::git
