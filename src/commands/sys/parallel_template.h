// parallel's command lines: a template with {} {.} {/} {//} {/.} {#} {%} {N} and what is put in their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock {

class ParallelTemplate {
 public:
  // `text` is what stands in the place of all arguments ({} unless -I says otherwise).
  ParallelTemplate(std::string command, std::string placeholder) : command_(std::move(command)), placeholder_(std::move(placeholder)) {}

  // What stands in the command line's places.
  struct Values {
    std::vector<std::string> arguments;
    int64_t sequence = 1;
    int64_t slot = 1;
    bool quotes = true;           // for the shell
    bool repeats_words = false;   // -X: a word with a placeholder comes once for each argument
  };
  std::string Fill(const Values& values, Budget& budget) const;
  // Whether any argument has a place.
  bool has_arguments() const;
  void Append(std::string_view text) { command_ += text; }

 private:
  std::string FillOne(std::string_view text, const Values& values, const std::vector<std::string>& arguments, Budget& budget) const;

  std::string command_;
  std::string placeholder_;
};

// As a word of a shell.
std::string QuoteForParallel(std::string_view text);
// The same for a word of the template: what has a place for a value in it stays one (-q).
std::string QuoteTemplateWord(std::string_view word, std::string_view placeholder);

}  // namespace paddock
