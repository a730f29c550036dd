// git fast-export: how names, people and texts are hidden.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// --anonymize: the same text becomes the same other text, wherever it stands.
class Anonymizer {
 public:
  explicit Anonymizer(Budget& budget) : budget_(budget) {}
  // --anonymize-map FROM[:TO].
  void Keep(const std::string& from, const std::string& to) { kept_[from] = to; }

  std::string Ref(std::string_view name);
  std::string Path(std::string_view path);
  // "author Name <email> 1700000000 +0000": of the header line, all but its first word and the date.
  std::string Person(std::string_view line);
  std::string Message() { return "subject " + std::to_string(messages_++) + "\n\nbody\n"; }
  std::string TagMessage() { return "tag message " + std::to_string(tag_messages_++); }
  std::string Blob() { return "anonymous blob " + std::to_string(blobs_++); }
  std::string Id(const Oid& id);

 private:
  std::string Parts(std::string_view path, std::map<std::string, std::string>& known, const char* stem);
  const std::string& Of(std::map<std::string, std::string>& known, const std::string& text, const char* stem);

  Budget& budget_;
  std::map<std::string, std::string> kept_, refs_, paths_, people_;
  std::map<Oid, Oid> ids_;
  uint64_t messages_ = 0, tag_messages_ = 0, blobs_ = 0;
};

}  // namespace paddock::git
