// What %(FIELD) is of a reference: for those who list references in a form or an order of one's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct NamedRef {
  std::string name;    // full
  Oid id;
  std::string title = {};   // how a HEAD that is on no branch is called
};

// One field, as it is written between the brackets ("*authordate:short").
struct RefField {
  bool is_peeled = false;              // of what a tag is about
  std::string name;
  std::optional<std::string> argument;
};
// Errors: kInvalid, in git's words.
Result<RefField> ParseRefField(Git& git, std::string_view text);

// Values of fields, of one reference after the other.
class RefFields {
 public:
  explicit RefFields(Git& git) : git_(git) {}
  void Show(const NamedRef& ref) {
    ref_ = &ref;
    objects_[0].reset();
    objects_[1].reset();
  }
  Result<std::string> Value(const RefField& field);
  // For an order: numbers and times as such.
  struct Key {
    std::string text;
    int64_t number = 0;
  };
  Result<Key> SortKey(const RefField& field);

 private:
  struct Parts {
    Oid id;
    Object object;
    std::optional<Commit> commit;
    std::optional<Tag> tag;
    std::string message() const { return commit ? commit->message : tag ? tag->message : std::string(); }
  };
  // Null when there is nothing behind a "*".
  Result<const Parts*> Open(bool is_peeled);
  std::string PersonLine(const Parts& parts, std::string_view role) const;
  Result<std::string> RefValue(const RefField& field);
  Result<std::string> ObjectValue(const RefField& field, const Parts& parts);
  Result<std::string> TrackValue(const std::string& upstream, const std::string& argument);
  std::optional<std::string> PushTarget(const std::string& branch) const;

  Git& git_;
  const NamedRef* ref_ = nullptr;
  std::optional<Parts> objects_[2];
};

enum class RefQuote { kNone, kShell, kPerl, kPython, kTcl };

// "%(refname:short) %(if)%(HEAD)%(then)*%(end)" and so on.
class RefFormat {
 public:
  static Result<RefFormat> Parse(Git& git, std::string_view format, RefQuote quote = RefQuote::kNone, bool colours = false);
  Result<std::string> Expand(RefFields& fields, const NamedRef& ref, Budget& budget) const;

 private:
  struct Piece {
    std::string text;   // as it is, when there is no field
    std::optional<RefField> field;
  };
  std::vector<Piece> pieces_;
  RefQuote quote_ = RefQuote::kNone;
  bool colours_ = false, resets_ = false;
};
Result<std::string> ExpandRefFormat(Git& git, const NamedRef& ref, std::string_view format);

// In order of these fields, the last one first; "-FIELD" turns it round, "version:refname" takes numbers for numbers.
Status SortRefs(Git& git, std::vector<NamedRef>& refs, const std::vector<std::string>& fields, bool ignores_case = false);
// As short as it can be without meaning another reference, too.
std::string UnambiguousRef(Git& git, const std::string& name);

}  // namespace paddock::git
