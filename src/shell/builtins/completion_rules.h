// The options that complete, compgen and compopt share.
#pragma once

#include <string>

#include "shell/builtins/builtin.h"
#include "shell/state/completion.h"

namespace paddock::shell {

// Letters for BuiltinOptions, without -p, -r, -D, -E and -I.
inline constexpr std::string_view kCompletionLetters = "abcdefgjksuvo:A:G:W:P:S:X:F:C:";

enum class CompletionAction : uint8_t {
  kAlias, kArrayvar, kBinding, kBuiltin, kCommand, kDirectory, kDisabled, kEnabled, kExport, kFile, kFunction, kGroup,
  kHelptopic, kHostname, kJob, kKeyword, kRunning, kService, kSetopt, kShopt, kSignal, kStopped, kUser, kVariable,
};
inline bool Has(const CompletionRule& rule, CompletionAction action) {
  return (rule.actions >> static_cast<unsigned>(action) & 1) != 0;
}
std::span<const char* const> CompletionOptionNames();
// The bit of an -o name; nothing if there is none.
std::optional<uint32_t> FindCompletionOption(std::string_view name);
// Takes one option into `rule`; false after a complaint (status 2).
bool ReadCompletionOption(Shell& shell, const char* builtin, char letter, std::string_view argument, CompletionRule* rule);
// The table of this shell, made and unshared.
CompletionTable& MutableCompletions(Shell& shell);
// "complete -W 'a b' name".
std::string DescribeRule(const std::string& name, const CompletionRule& rule);

}  // namespace paddock::shell
