#include "lang/perl/perl.h"

#include <map>

#include "lang/perl/interpreter.h"

namespace paddock {

struct PerlProgram::State {
  perl::Tree tree;
  perl::Values scalars;
  std::vector<perl::Values> arrays;
  std::map<std::string, Regex> patterns;   // by flags and text
};

PerlProgram::PerlProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
PerlProgram::PerlProgram(PerlProgram&&) noexcept = default;
PerlProgram& PerlProgram::operator=(PerlProgram&&) noexcept = default;
PerlProgram::~PerlProgram() = default;

Result<PerlProgram> PerlProgram::Compile(std::string_view code, Budget& budget) {
  auto state = std::make_unique<State>();
  PADDOCK_ASSIGN(state->tree, perl::Parse(code, budget));
  PADDOCK_TRY(perl::CheckPatterns(*state->tree.root, budget));
  state->scalars.resize(state->tree.variables.size());
  state->arrays.resize(state->tree.variables.size());
  return PerlProgram(std::move(state));
}

Status PerlProgram::Run(std::string& topic, PerlHost& host, Budget& budget) {
  return perl::Interpreter(state_->tree, state_->scalars, state_->arrays, state_->patterns, host, budget).Run(topic);
}

}  // namespace paddock
