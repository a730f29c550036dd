// What a shell does at a prompt, besides running lines: the steps of an interactive loop whose line editor is
// somebody else's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::shell {

class Shell;

// Makes this shell, in this process, one that stands at a prompt: messages without line numbers, interrupts
// that lead back to the prompt instead of ending it.
void BecomeInteractive(Shell& shell);
// The first time: options and variables of an interactive shell (PS1, history, job control), then ~/.bashrc.
void StartInteractive(Shell& shell);

// What comes before a primary prompt: the ends of background jobs are told, PROMPT_COMMAND runs. $? stays.
void PreparePrompt(Shell& shell);
// PS1 or PS2 expanded; what takes no room on the terminal stands between bytes 1 and 2.
std::string PromptText(Shell& shell, const char* variable);

// True when `text`, whole lines, ends inside a construct that more lines could complete.
bool IsIncomplete(Shell& shell, std::string_view text);

// How a command stands in the history list; nothing if the shell's options and HISTCONTROL keep it out. Enters it
// into this shell's list, too: for a copy that is thrown away, since RunLine() records.
std::optional<std::string> HistoryEntry(Shell& shell, std::string_view text);
// Runs a complete command; $?.
int RunLine(Shell& shell, std::string_view text);
// The end of input at a prompt. True when the shell ends; under ignoreeof it says how to leave instead, as
// often as IGNOREEOF allows (`count` ends were met in a row, this one included).
bool LeavesAtEnd(Shell& shell, int count);

}  // namespace paddock::shell
