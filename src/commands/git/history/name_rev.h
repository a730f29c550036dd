// Names of commits by the references behind them: "v1~3" is three before v1.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct NameRevOptions {
  bool name_only = false, tags = false, always = false, no_undefined = false, peels = false, all = false;
  bool annotates = false, reads_stdin = false;   // --annotate-stdin, --stdin
  std::vector<std::string> refs, excludes;       // patterns
};

class RevNames {
 public:
  // `oldest`: commits that are older than this get no name; absent: all may have one.
  static Result<RevNames> Find(Git& git, const NameRevOptions& options, std::optional<int64_t> oldest);
  // "tags/v1~3"; of what is no commit the name of the reference that is there. Nothing without a name.
  std::optional<std::string> Of(const Oid& id) const;
  // All commits that have one, by their ids.
  std::vector<Oid> Commits() const;

 private:
  struct Tip {
    std::string name;
    Oid commit;
    int64_t time = 0;   // of the tag, or of the commit
    bool is_tag = false, is_annotated = false;
  };
  struct Name {
    std::string tip;
    int64_t time = 0, generation = 0, distance = 0;
    bool is_tag = false;
    int64_t Distance() const;
    bool IsWorseThan(const Name& other) const;
    // The same for the parent with that number, from 1.
    Name OfParent(size_t number) const;
    std::string Text() const;
  };
  // Whether the reference is wanted; `may_shorten` is set when a pattern says only the end of its name.
  static bool IsWanted(Git& git, const NameRevOptions& options, const std::string& ref, bool& may_shorten);
  bool Offer(const Oid& commit, Name name);

  std::map<Oid, Name> names_;
  std::map<Oid, std::string> exact_;   // of references, by what they name
};

// git name-rev of these names.
Result<ExitStatus> NameRevisions(Git& git, const NameRevOptions& options, const std::vector<std::string>& operands);

}  // namespace paddock::git
