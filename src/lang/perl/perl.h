// The part of Perl that people rename files with: expressions that change $_.
//
// s///, m//, tr///; scalars and arrays under `use strict`; the operators; if, unless, ?: and statement modifiers; and the functions on
// strings, numbers and lists that docs/commands.md names under `rename`. No loops, hashes, references, subroutines, files or processes: what
// is not known is refused when the code is compiled, by name.
//
// Source: perlsyn, perlop, perlre, perlfunc (5.36), and running perl.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"

namespace paddock {

// What the code can ask of the world.
class PerlHost {
 public:
  virtual ~PerlHost() = default;
  // -e, -f, -d, -l, -s, -z, -r, -w, -x on a path; -s gives the size, the others 1, none "".
  virtual std::string FileTest(char test, std::string_view path) = 0;
  // warn, and what the code prints.
  virtual void Warn(std::string_view text) = 0;
  virtual void Print(std::string_view text) = 0;
};

class PerlProgram {
 public:
  // Errors: kSyntax with perl's wording and " at line N" behind it.
  static Result<PerlProgram> Compile(std::string_view code, Budget& budget);
  PerlProgram(PerlProgram&&) noexcept;
  PerlProgram& operator=(PerlProgram&&) noexcept;
  ~PerlProgram();

  // Runs it once with $_ as `topic`. `our` variables live on until the next run. Errors: kInvalid with the text of die, complete; kLimit of a
  // pattern that takes too long.
  Status Run(std::string& topic, PerlHost& host, Budget& budget);

 private:
  struct State;
  explicit PerlProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace paddock
