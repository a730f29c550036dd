// --word-diff: lines become words, with what went and what came marked in them.
#pragma once

#include <memory>

#include "commands/git/diff/diff_paint.h"
#include "text/regex.h"

namespace paddock::git {

class WordSink final : public HunkSink {
 public:
  // `pattern`: what a word is; empty: what stands between blanks.
  WordSink(Git& git, const DiffOptions& options, std::string_view pattern, PatchText& out);
  void Fragment(std::string_view range, std::string_view heading) override;
  void Line(char mark, std::string_view line) override;
  void Flush();

 private:
  struct Style {
    std::string before, after, colour;
  };
  struct Word {
    size_t begin, end;
  };
  std::vector<Word> FindWords(std::string_view text) const;
  // Line by line: each gets its own marks.
  void Put(std::string_view text, const Style& style);

  Git& git_;
  const DiffOptions& options_;
  PatchText& out_;
  std::shared_ptr<Regex> pattern_;
  Style old_, new_, same_;
  std::string newline_;
  std::string before_, after_;   // lines that went and came since the last one that stayed
};

}  // namespace paddock::git
