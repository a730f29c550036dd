// Runs a RegexTree on RE2, where RE2 can. For text/regex only.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "text/regex.h"
#include "text/regex_tree.h"

namespace re2 {
class RE2;
}

namespace paddock {

class Re2Matcher {
 public:
  // kBytes: text is bytes. kAscii: text has only bytes below 128, whatever the pattern is for. kUtf8: text is
  // taken for UTF-8, malformed or not.
  enum class Text { kBytes, kAscii, kUtf8 };

  // Null where RE2 cannot do it: back-references, large counts, word boundaries in UTF-8 text …
  // With `has_groups` false the groups of the pattern need not be told apart.
  static std::unique_ptr<Re2Matcher> Make(const RegexTree& tree, Text text, bool is_line_start, bool has_groups);
  // For a pattern in Perl's dialect, to search text of bytes below 128.
  // Null unless RE2 is sure to match exactly what PCRE does.
  static std::unique_ptr<Re2Matcher> MakePerl(std::string_view pattern, bool ignore_case);
  ~Re2Matcher();

  // `group_count` ranges are wanted, 0 for the answer alone.
  bool Search(std::string_view text, size_t from, RegexGroup* groups, size_t group_count) const;

 private:
  explicit Re2Matcher(std::unique_ptr<re2::RE2> re);
  std::unique_ptr<re2::RE2> re_;
};

}  // namespace paddock
