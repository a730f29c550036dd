// Expander: words to fields, in the order of POSIX 2.6: braces, tilde, parameters, commands, arithmetic,
// splitting, globbing, quote removal.
//
// Every function returns false when the expansion failed: the complaint is printed and shell.flow says
// what ends. Callers return at once.
//
// Source: POSIX.1-2017 XCU 2.6, Bash manual "Shell Expansions".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/ast/ast.h"

namespace paddock::shell {

class Shell;

// Full expansion of command words; appends to `fields`. `may_be_assignment`: "name=~" is read as one.
bool ExpandWord(Shell& shell, const Word& word, std::vector<std::string>* fields, bool may_be_assignment = true);
// The value of an assignment that is an argument (export x={a,b}): one for each word that its braces make.
bool ExpandAlternatives(Shell& shell, const Word& word, std::vector<std::string>* values);
// No splitting, no globbing, no braces: assignment values, here-strings, case subjects, [[ ]] operands.
// `is_assignment`: tilde also after ':' and '='.
bool ExpandToString(Shell& shell, const Word& word, std::string* value, bool is_assignment = false);
// As a shell pattern: quoted characters come out behind a backslash (case patterns, [[ == ]], ${x#…}).
bool ExpandPattern(Shell& shell, const Word& word, std::string* pattern);
// As an extended regex: quoted characters lose their special meaning ([[ =~ ]]).
bool ExpandRegex(Shell& shell, const Word& word, std::string* pattern);
// A redirection target: full expansion that must give one field (else "ambiguous redirect").
bool ExpandRedirectTarget(Shell& shell, const Word& word, std::string* target);
// The body of a here-document (parsed as double-quoted text).
bool ExpandHereDocument(Shell& shell, const Word& body, std::string* text);
// The word of a here-string, without the newline behind it.
bool ExpandHereString(Shell& shell, const Word& word, std::string* text);

// A subscript that is known as text only (unset 'm[$k]', printf -v 'm[$k]', names inside arithmetic):
// expansions and quote removal.
bool ExpandSubscriptText(Shell& shell, std::string_view text, std::string* value);

// Splits text by IFS as `read` and unquoted expansions do; used by the builtins too.
std::vector<std::string> SplitFields(std::string_view text, std::string_view ifs);

// Path names that match a pattern (backslash quotes), sorted; empty if none.
std::vector<std::string> Glob(Shell& shell, std::string_view pattern);

// ${x@Q}: the value quoted for reuse as input; and printf %q's form.
std::string QuoteForReuse(std::string_view text, bool is_utf8 = true);    // 'it'\''s', $'a\nb'
std::string QuoteSingle(std::string_view text);                           // the first form, whatever is in it
std::string QuoteBackslash(std::string_view text, bool is_utf8 = true);   // it\'s, '' , $'a\nb'
// The double-quoted form of declare -p: "…" with \ " $ ` escaped, or $'…' when controls are inside.
std::string QuoteDouble(std::string_view text, bool is_utf8 = true);
// PS1-style escapes (\u \h \w \t \$ …), then expansions when promptvars is on. ${x@P}, PS4.
// With `marks_invisible` what stands between \[ and \] comes out between bytes 1 and 2, for a line editor.
std::string ExpandPrompt(Shell& shell, std::string_view text, bool marks_invisible = false);

}  // namespace paddock::shell
