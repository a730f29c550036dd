// paddock policy: shows the policy that a run would have, and answers what it allows.

#include <algorithm>
#include <cstdio>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/host_context.h"
#include "cli/policy_table.h"
#include "policy/load.h"
#include "policy/preset.h"
#include "policy/write.h"

namespace paddock::cli {
namespace {

struct PolicyOptions {
  std::string document;
  std::string preset;
  std::string workspace;
  bool json = false;
};

constexpr Option kOptions[] = {
    Value<&PolicyOptions::document>('p', "policy", "FILE", "the document to look at (.toml or .json)"),
    Value<&PolicyOptions::preset>('P', "preset", "NAME", "the preset to look at (default workspace)"),
    Value<&PolicyOptions::workspace>('w', "workspace", "DIR", "the workspace (default: the current directory)"),
    Flag<&PolicyOptions::json>('j', "json", "print JSON"),
};

constexpr const char* kHelp =
    "Usage: paddock policy check [OPTION]... [QUESTION]...\n"
    "  or:  paddock policy show [OPTION]...\n"
    "  or:  paddock policy presets\n"
    "check prints the effective rules as a table, each with where it comes from, or answers\n"
    "the questions instead. show prints them as a document that --policy takes.\n"
    "docs/policy.md describes documents and presets.\n\n"
    "A QUESTION is two words:\n"
    "  read PATH     may code inside read PATH?\n"
    "  write PATH    may it change or make PATH?\n"
    "\n";

constexpr const char* kHelpEnd =
    "\nExit status: 0 when every question is answered with yes (or there is none), 1 when one\n"
    "is answered with no, 2 for a usage error or a document that does not parse.\n";

Result<policy::Policy> PolicyOf(const PolicyOptions& options, const policy::HostContext& context) {
  if (!options.document.empty() && !options.preset.empty()) {
    return Error(Code::kInvalid, "give --policy or --preset, not both; a document names its preset with 'extends'");
  }
  if (!options.document.empty()) return policy::LoadPolicy(options.document, context);
  return policy::MakePreset(options.preset.empty() ? "workspace" : options.preset, context);
}

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
  PolicyOptions options;
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

  const auto context = MakeHostContext(options.workspace);
  if (!context) return Fail("policy", context.error().Text());
  const auto policy = PolicyOf(options, *context);
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
