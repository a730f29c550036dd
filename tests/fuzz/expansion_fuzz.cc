// Fuzz target of word expansion: any word expands, or fails with a message, within the budget, in every
// way in which the shell asks; a quoted form of any text reads back as that text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/state/assign.h"
#include "shell/shell_for_test.h"

namespace paddock::shell {
namespace {

void ExpandEverywhere(Shell& shell, const Word& word) {
  std::vector<std::string> fields;
  std::string text;
  ExpandWord(shell, word, &fields);
  shell.flow = Flow::kNone;
  ExpandToString(shell, word, &text, true);
  shell.flow = Flow::kNone;
  ExpandPattern(shell, word, &text);
  shell.flow = Flow::kNone;
  ExpandRegex(shell, word, &text);
  shell.flow = Flow::kNone;
  ExpandHereDocument(shell, word, &text);
  shell.flow = Flow::kNone;
}

void CheckQuoting(Shell& shell, const std::string& text) {
  if (text.find('\0') != std::string::npos) return;
  for (const std::string& quoted : {QuoteForReuse(text), QuoteBackslash(text)}) {
    const auto word = ParseWord(quoted, shell.parser_options(), shell.budget());
    PADDOCK_CHECK(word.has_value());
    std::vector<std::string> fields;
    PADDOCK_CHECK(ExpandWord(shell, *word, &fields));
    PADDOCK_CHECK(fields.size() == 1 && fields[0] == text);
  }
}

}  // namespace
}  // namespace paddock::shell

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::shell;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  WithShell([&](Shell& shell) {
    shell.options.Put(ShoptOption::kExtglob, (data[0] & 1) != 0);
    if ((data[0] & 2) != 0) AssignScalar(shell, Name("IFS"), ": x");
    shell.SetPositionals({"a b", "", "*"});
    AssignScalar(shell, Name("x"), "a b:c");
    AssignScalar(shell, Name("n"), "x");
    AssignIndex(shell, Name("a"), 1, "one");
    AssignIndex(shell, Name("a"), 5, "f*");
    CheckQuoting(shell, text);
    const auto word = ParseWord(text, shell.parser_options(), shell.budget());
    if (word) ExpandEverywhere(shell, *word);
    ExpandPrompt(shell, text);
  });
  return 0;
}
