// The list of hosts that are asked by https alone (RFC 6797), as wget keeps it in a file.
#pragma once

#include <map>
#include <string>

#include "commands/net/wget.h"

namespace paddock::wget {

class HstsList {
 public:
  // Does nothing, and keeps nothing, without a file.
  void Read(Invocation& in, const std::string& path);
  // Writes the file when something has changed since.
  void Save(Invocation& in);
  // The URL with https, where its host is on the list.
  std::string Upgraded(const std::string& url, int64_t now);
  // What an answer to an https URL says of its host: "max-age=31536000; includeSubDomains".
  void Learn(const std::string& url, std::string_view field, int64_t now);

 private:
  struct Place {
    std::string host;
    int64_t port = 0;   // 0: the scheme's own
    auto operator<=>(const Place&) const = default;
  };
  struct Entry {
    bool has_subdomains = false;
    int64_t created = 0, max_age = 0;
  };
  static Place PlaceOf(const std::string& url);

  std::string path_;
  std::map<Place, Entry> entries_;
  bool is_changed_ = false;
};

}  // namespace paddock::wget
