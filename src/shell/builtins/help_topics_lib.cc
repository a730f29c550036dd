#include "shell/builtins/help_topics.h"

#include <algorithm>

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

const HelpTopic kWords[] = {
    {"%", "job_spec [&]", "Resume a job.\nBrings the job to the foreground, or lets it go on in the background with `&', as fg and bg do."},
    {"(( ... ))", "(( expression ))", "Evaluate an arithmetic expression.\nThe status is 0 when its value is not 0, else 1."},
    {"[[ ... ]]", "[[ expression ]]",
     "Evaluate a conditional expression.\nTakes what `test' takes, and ( ), !, && and ||. Words are not split; == and != match patterns, =~ a regular expression."},
    {"case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
     "Execute the commands of the first pattern that matches.\n;& goes on with the next commands, ;;& with the next pattern that matches."},
    {"coproc", "coproc [NAME] command [redirections]",
     "Run a command in the background with pipes to and from it.\nNAME[0] is its output, NAME[1] its input, NAME_PID the process; NAME is COPROC by default."},
    {"for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Execute commands for each word of a list.\nWithout `in' the list is \"$@\"."},
    {"for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done",
     "Loop with arithmetic.\nEvaluates exp1 first, then COMMANDS and exp3 for as long as exp2 is not 0."},
    {"function", "function name { COMMANDS ; } or name () { COMMANDS ; }",
     "Define a function.\nIts arguments are $1, $2 and on; FUNCNAME holds its name."},
    {"if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
     "Execute commands where a condition holds.\nThe status is that of the last command, or 0 when no condition held."},
    {"select", "select NAME [in WORDS ... ;] do COMMANDS; done",
     "Let the user choose from a menu.\nThe answer is in REPLY, the word that it chose in NAME; the prompt is $PS3."},
    {"time", "time [-p] pipeline", "Report the time that a pipeline takes.\n-p prints it in the format of POSIX, TIMEFORMAT sets another."},
    {"until", "until COMMANDS; do COMMANDS-2; done", "Execute commands until a condition holds.\nThe condition is the last of COMMANDS."},
    {"variables", "variables - Names and meanings of some shell variables",
     "Common variables of the shell.\nHOME, PATH, PWD, OLDPWD, IFS, PS1 to PS4, CDPATH, HISTFILE, RANDOM, SECONDS, LINENO, BASH_VERSION, PIPESTATUS, TIMEFORMAT …"},
    {"while", "while COMMANDS; do COMMANDS-2; done", "Execute commands as long as a condition holds.\nThe condition is the last of COMMANDS."},
    {"{ ... }", "{ COMMANDS ; }", "Group commands.\nThey run in this shell, and what is redirected behind the brace is redirected for all."},
};

// These take every word as it is.
constexpr std::string_view kPlain[] = {":", "[", "echo", "false", "test", "true"};

}  // namespace

const std::vector<HelpTopic>& HelpTopics() {
  static const std::vector<HelpTopic> topics = [] {
    std::vector<HelpTopic> all(std::begin(kWords), std::end(kWords));
    for (const Builtin* builtin : AllBuiltins()) {
      const std::string name = builtin->name, usage = builtin->usage;
      all.push_back({name, usage.empty() ? name : name + " " + usage, builtin->help});
    }
    std::ranges::sort(all, {}, &HelpTopic::name);
    return all;
  }();
  return topics;
}

std::string HelpText(const HelpTopic& topic) {
  std::string text = topic.name + ": " + topic.synopsis + "\n";
  std::string_view rest = topic.text;
  for (bool is_summary = true; !rest.empty(); is_summary = false) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += "    " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_summary && !rest.empty()) text += "    \n";
  }
  return text;
}

bool AnswerHelp(Shell& shell, std::string_view builtin, std::string_view word) {
  if (word != "--help" || std::ranges::find(kPlain, builtin) != std::end(kPlain)) return false;
  const auto topic = std::ranges::find(HelpTopics(), builtin, &HelpTopic::name);
  if (topic == HelpTopics().end()) return false;
  shell.out().Write(HelpText(*topic));
  return true;
}

}  // namespace paddock::shell
