// paddock policy: shows the policy that a run would have, and answers what it allows.

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/host_context.h"
#include "cli/policy_options.h"
#include "cli/policy_table.h"
#include "policy/preset.h"
#include "policy/write.h"

namespace paddock::cli {
namespace {

struct CheckOptions {
  PolicyOptions policy;   // first: the table begins with its options
  bool json = false;
};

constexpr auto kOptions = [] {
  std::array<Option, std::size(kPolicyOptions) + 1> table{};
  std::copy(std::begin(kPolicyOptions), std::end(kPolicyOptions), table.begin());
  table.back() = Flag<&CheckOptions::json>('j', "json", "print JSON");
  return table;
}();

constexpr const char* kHelp =
    "Usage: paddock policy check [OPTION]... [QUESTION]...\n"
    "  or:  paddock policy show [OPTION]...\n"
    "  or:  paddock policy presets\n"
    "check prints the effective rules as a table, each with where it comes from, or answers\n"
    "the questions instead. show prints them as a document that --policy takes.\n"
    "docs/policy.md describes documents and presets.\n\n"
    "A QUESTION is two words:\n"
    "  read PATH            may code inside read PATH?\n"
    "  write PATH           may it change or make PATH?\n"
    "  connect HOST:PORT    may it connect there?\n\n"
    "The options are those of 'paddock run', so the answers are those of such a run.\n\n";

constexpr const char* kHelpEnd =
    "\nExit status: 0 when every question is answered with yes (or there is none), 1 when one\n"
    "is answered with no, 2 for a usage error or a document that does not parse.\n";

int PrintPresets(bool json) {
  policy::Value list;
  list.kind = policy::Value::Kind::kTable;
  for (const policy::PresetInfo& preset : policy::Presets()) {
    policy::Value summary;
    summary.kind = policy::Value::Kind::kString;
    summary.text = preset.summary;
    list.members.emplace_back(preset.name, std::move(summary));
    if (!json) std::printf("%-22s %s\n", preset.name, preset.summary);
  }
  if (json) std::printf("%s\n", policy::JsonText(list).c_str());
  return 0;
}

}  // namespace

int RunPolicy(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"policy"};
  own.insert(own.end(), args.begin(), args.end());
  CheckOptions options;
  auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("policy", std::string(parsed.error().Text()) + "; 'paddock policy --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  std::vector<std::string>& operands = parsed->operands;
  if (operands.empty()) return Fail("policy", "say what to do: check, show or presets");
  const std::string verb = operands[0];
  operands.erase(operands.begin());
  if (verb != "check" && verb != "show" && verb != "presets") {
    return Fail("policy", "unknown verb '" + verb + "'; the verbs are check, show, presets");
  }
  if (verb != "check" && !operands.empty()) return Fail("policy", "'" + verb + "' takes no operand; questions go to 'check'");
  if (verb == "presets") return PrintPresets(options.json);

  const auto context = MakeHostContext(options.policy.workspace);
  if (!context) return Fail("policy", context.error().Text());
  const auto policy = MakePolicy(options.policy, *context);
  if (!policy) return Fail("policy", policy.error().Text());
  if (verb == "show" || (options.json && operands.empty())) {
    const policy::Value document = policy::ToDocument(*policy);
    std::fputs((options.json ? policy::JsonText(document) + "\n" : policy::TomlText(document)).c_str(), stdout);
    return 0;
  }
  if (operands.empty()) {
    std::fputs(PolicyTable(*policy).c_str(), stdout);
    return 0;
  }
  const auto answers = AnswerQuestions(*policy, operands);
  if (!answers) return Fail("policy", answers.error().Text());
  std::fputs(AnswersText(*answers, options.json).c_str(), stdout);
  return std::all_of(answers->begin(), answers->end(), [](const Answer& answer) { return answer.is_allowed; }) ? 0 : 1;
}

}  // namespace paddock::cli
