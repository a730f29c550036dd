// What `paddock policy check` prints: the table of rules, and answers to questions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace paddock::cli {

// The effective rules for people: one a line with where it comes from, paths sorted, no secret's value.
std::string PolicyTable(const policy::Policy& policy);

struct Answer {
  std::string question;   // "write /etc/passwd"
  bool is_allowed = false;
  std::string rule;       // what decided
};

// `words` are pairs: read PATH, write PATH, connect HOST:PORT. A path is judged as written and with its symlinks
// resolved; both must be allowed. A name is judged as a name: what it resolves to is looked at when it is dialled. Errors (kInvalid): what is no question.
Result<std::vector<Answer>> AnswerQuestions(const policy::Policy& policy, const std::vector<std::string>& words);

// One line an answer: "yes  read /usr  host view", or a JSON array.
std::string AnswersText(const std::vector<Answer>& answers, bool json);

}  // namespace paddock::cli
