// parallel's command lines: a template with {} {.} {/} {//} {/.} {#} {%} {N} {= perl =} and what is put in their places.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "lang/perl/perl.h"
#include "text/regex.h"

namespace paddock {

// How places are written.
struct ParallelSyntax {
  // A tag and the Perl that makes $_ what stands in its place: of --rpl and --plus. With `pattern`, groups of it are $$1 … in the code.
  struct Replacement {
    std::string tag, code;
    std::optional<Regex> pattern;
  };
  std::string placeholder = "{}";
  std::map<std::string, std::string, std::less<>> renamed;   // another spelling of {/} and so on → "/", "//", "/.", ".", "#", "%"
  std::vector<Replacement> replacements;
  std::string open = "{=", close = "=}";
  std::vector<std::string> names;   // of the arguments, from a header

  // Of --rpl: "TAG CODE". Error: kInvalid with what to say.
  Status AddReplacement(std::string_view definition);
  void AddPlus();
};

class ParallelTemplate {
 public:
  // `syntax` outlives it.
  ParallelTemplate(std::string command, const ParallelSyntax& syntax) : command_(std::move(command)), syntax_(syntax) {}

  // What stands in the command line's places.
  struct Values {
    std::vector<std::string> arguments;
    int64_t sequence = 1;
    int64_t slot = 1;
    int64_t total = 0;            // 0: not counted
    bool quotes = true;           // for the shell
    bool repeats_words = false;   // -X: a word with a placeholder comes once for each argument
  };
  struct Filled {
    std::string text;
    bool is_skipped = false;      // the Perl called skip()
  };
  // Errors: kInvalid with perl's words; those of the budget.
  Result<Filled> Fill(const Values& values, PerlHost& host, Budget& budget) const;
  // Whether any argument has a place.
  bool has_arguments() const;
  // Those, or a number of the job.
  bool has_places() const;
  // Whether a place needs the number of all jobs.
  bool counts_jobs() const;
  void Append(std::string_view text) { command_ += text; }
  const std::string& text() const { return command_; }

 private:
  Status FillOne(std::string_view text, const Values& values, const std::vector<std::string>& arguments, PerlHost& host, Budget& budget,
                 Filled& to) const;

  std::string command_;
  const ParallelSyntax& syntax_;
};

// Runs Perl with $_ as `topic`, and @arg, seq(), slot(), total_jobs(), skip() and uq() of `values`.
struct ParallelPerlAnswer {
  bool is_skipped = false;
  bool is_unquoted = false;
};
Result<ParallelPerlAnswer> RunParallelPerl(std::string_view code, const ParallelTemplate::Values& values, std::string& topic, PerlHost& host,
                                           Budget& budget);

// As a word of a shell.
std::string QuoteForParallel(std::string_view text);
// The same for a word of the template: what has a place for a value in it stays one (-q).
std::string QuoteTemplateWord(std::string_view word, const ParallelSyntax& syntax);

}  // namespace paddock
