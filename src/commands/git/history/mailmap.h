// .mailmap: the names and addresses by which people want to be known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

class Mailmap {
 public:
  // Of the top of the tree, of the commit when there is no tree, and of mailmap.file and mailmap.blob.
  static std::shared_ptr<const Mailmap> Load(Git& git);
  // Name and address as they should be; the rest stays.
  Signature Map(Signature who) const;
  bool empty() const { return people_.empty(); }

 private:
  struct Change {
    std::string name, email;   // empty: as it was
  };
  struct Person {
    Change any;                            // whatever the name is
    std::map<std::string, Change> names;   // by name, in lower case
  };
  void Add(std::string_view text, Budget& budget);
  void AddLine(std::string_view line);

  std::map<std::string, Person> people_;   // by address, in lower case
};

}  // namespace paddock::git
