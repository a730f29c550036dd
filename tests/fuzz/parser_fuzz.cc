// Fuzz target of the shell's parser and printer: whatever text comes, parsing ends within the budget, and
// what the printer writes parses again to the same text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/clock.h"
#include "shell/ast/printer.h"
#include "shell/parser/parser.h"

namespace paddock::shell {
namespace {

const std::string* FindAlias(std::string_view name) {
  static const std::string kValues[] = {"echo ", "for i in", "a b", "x\ny"};
  if (name.size() != 1 || name[0] < 'a' || name[0] > 'd') return nullptr;
  return &kValues[name[0] - 'a'];
}

// What is printed may mean something else (a redirection moves behind a word that then looks reserved), and
// bash's layout of here-documents, coproc and functions with odd names does not always read back. But
// where it does, it settles after one round.
void CheckReparse(const StatementList& list, const ParserOptions& given, Budget& budget) {
  ParserOptions options = given;
  options.expand_aliases = false;
  const ParsedProgram second = ParseProgram(PrintList(list), options, budget);
  if (second.error) return;
  const std::string printed = PrintList(*second.list);
  for (const char* text : {"<<", "coproc", "()"}) {
    if (printed.find(text) != std::string::npos) return;
  }
  const ParsedProgram third = ParseProgram(printed, options, budget);
  PADDOCK_CHECK(!third.error && PrintList(*third.list) == printed);
}

void ParseAll(std::string_view text, const ParserOptions& options, Budget& budget) {
  Parser parser(text, options, budget);
  while (true) {
    const Parser::Outcome outcome = parser.Next();
    if (!outcome.error && outcome.list == nullptr) break;
    if (outcome.list != nullptr) CheckReparse(*outcome.list, options, budget);
  }
  (void)ParseWord(text, options, budget);
  (void)ParseDoubleQuoted(text, options, budget);
  (void)ParseAssignment(text, options, budget);
  (void)DecodeAnsiC(text);
}

}  // namespace
}  // namespace paddock::shell

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const paddock::Limits limits{.steps = 2'000'000, .memory_bytes = 256u << 20};
  paddock::Budget budget(limits, paddock::SystemClock());
  paddock::shell::ParserOptions options;
  options.extglob = (data[0] & 1) != 0;
  options.expand_aliases = (data[0] & 2) != 0;
  options.posix = (data[0] & 4) != 0;
  options.find_alias = paddock::shell::FindAlias;
  // The target is the process boundary here, where a limit may be caught.
  try {
    paddock::shell::ParseAll({reinterpret_cast<const char*>(data) + 1, size - 1}, options, budget);
  } catch (const paddock::Termination&) {
  }
  return 0;
}
