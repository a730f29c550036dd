// paddock escape-test: attacks the process wall of this host under a policy, and reports what held.

#include <fnmatch.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/host_context.h"
#include "cli/policy_options.h"
#include "cli/sandbox_options.h"
#include "sandbox/escape_testable.h"

namespace paddock::cli {
namespace {

using sandbox::EscapeFinding;
using Outcome = EscapeFinding::Outcome;

struct EscapeOptions : PolicyOptions {
  std::string only;
  bool is_control = false;
  bool json = false;
};

constexpr Option kOwnOptions[] = {
    Value<&EscapeOptions::only>('o', "only", "PATTERN", "only probes whose name has PATTERN in it (files/, network/proxy*)"),
    Flag<&EscapeOptions::is_control>(0, "control", "run the probes without a wall, to show that they bite; they change nothing"),
    Flag<&EscapeOptions::json>('j', "json", "print JSON"),
};

constexpr auto kOptions = JoinOptions(kPolicyOptions, kOwnOptions);

constexpr const char* kHelp =
    "Usage: paddock escape-test [OPTION]...\n"
    "Runs built-in probes inside the process wall under a policy, and tells from outside whether\n"
    "they reach files, processes, services or limits of this host that they should not. They work\n"
    "in a workspace of their own, which is made and removed. docs/doctor.md describes them.\n\n";

constexpr const char* kHelpEnd =
    "\nExit status: 0 when every probe was held (or with --control), 1 when one escaped, 125 when\n"
    "there is no wall to test, 2 for a usage error.\n";

// A directory of the test's own, with the workspace in it.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "paddock-escape-XXXXXX").string();
    if (!error && mkdtemp(path.data()) != nullptr && std::filesystem::create_directory(path + "/work", error)) path_ = path;
  }
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  bool is_made() const { return !path_.empty(); }
  std::string workspace() const { return path_ + "/work"; }

 private:
  std::string path_;
};

const char* Word(Outcome outcome, bool is_control) {
  switch (outcome) {
    case Outcome::kHeld: return is_control ? "no bite" : "held";
    case Outcome::kEscaped: return is_control ? "bites" : "ESCAPED";
    case Outcome::kNotApplicable: return "n/a";
  }
  return "";
}

void PrintLine(const EscapeFinding& finding, bool is_control, bool has_colour) {
  const char* colour = "";
  if (has_colour) {
    colour = finding.outcome == Outcome::kNotApplicable ? "\033[2m" : (finding.outcome == Outcome::kEscaped) != is_control ? "\033[31m" : "\033[32m";
  }
  std::printf("%s%-8s%s %-26s %s: %s\n", colour, Word(finding.outcome, is_control), has_colour ? "\033[0m" : "", finding.name.c_str(),
              finding.trick.c_str(), finding.detail.substr(0, 200).c_str());
  std::fflush(stdout);
}

void PrintSummary(const std::array<size_t, 3>& counts, const std::string& policy, bool is_control) {
  const auto [held, escaped, nothing] = counts;
  if (is_control) {
    std::printf("without a wall: %zu bite, %zu do not (this host refuses them to this user, or has no such thing), %zu mean nothing here\n", escaped, held, nothing);
  } else {
    std::printf("%zu held, %zu escaped, %zu not applicable (policy %s)\n", held, escaped, nothing, policy.c_str());
  }
}

void PrintJson(const std::vector<EscapeFinding>& findings, const std::string& policy, bool is_control) {
  boost::json::array probes;
  for (const EscapeFinding& finding : findings) {
    const char* const outcome = finding.outcome == Outcome::kHeld ? "held" : finding.outcome == Outcome::kEscaped ? "escaped" : "not_applicable";
    probes.push_back({{"name", finding.name}, {"trick", finding.trick}, {"outcome", outcome}, {"detail", finding.detail}});
  }
  std::printf("%s\n", boost::json::serialize(boost::json::object{{"policy", policy}, {"control", is_control}, {"probes", std::move(probes)}}).c_str());
}

}  // namespace

int RunEscapeTest(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"escape-test"};
  own.insert(own.end(), args.begin(), args.end());
  EscapeOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("escape-test", std::string(parsed.error().Text()) + "; 'paddock escape-test --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("escape-test", "'" + parsed->operands[0] + "' is too much: escape-test takes no operand");
  if (!options.workspace.empty()) return Fail("escape-test", "it takes no --workspace: the probes write into one of their own");
  if (!options.overlay_name.empty()) return Fail("escape-test", "it keeps no changes, so they have no name; give --overlay alone");
  const auto driver = drivers.Find("process");
  auto* const testable = driver ? dynamic_cast<sandbox::EscapeTestable*>(*driver) : nullptr;
  if (testable == nullptr) return Fail("escape-test", "this program has no process wall");
  const Scratch scratch;
  if (!scratch.is_made()) return Fail("escape-test", "no directory can be made for the test; set TMPDIR to a place that can be written");
  options.workspace = scratch.workspace();
  const auto context = MakeHostContext(options.workspace);
  if (!context) return Fail("escape-test", context.error().Text());
  auto policy = MakePolicy(options, *context);
  if (!policy) return Fail("escape-test", policy.error().Text());
  sandbox::EscapeTest test{.policy = std::move(*policy), .workspace = context->workspace, .home = context->home, .is_control = options.is_control, .selects = {}};
  const std::string pattern = "*" + options.only + "*";
  test.selects = [&pattern](std::string_view name) { return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0; };

  const char* no_colour = std::getenv("NO_COLOR");  // allow(getenv): how a person asks for none
  const bool has_colour = isatty(1) == 1 && (no_colour == nullptr || *no_colour == '\0');
  std::vector<EscapeFinding> findings;
  std::array<size_t, 3> counts{};
  const Status tested = testable->TestEscapes(test, [&](const EscapeFinding& finding) {
    findings.push_back(finding);
    ++counts[static_cast<size_t>(finding.outcome)];
    if (!options.json) PrintLine(finding, options.is_control, has_colour);
  });
  if (!tested) {
    Fail("escape-test", tested.error().Text());
    return 125;
  }
  if (findings.empty()) return Fail("escape-test", "no probe has '" + options.only + "' in its name");
  if (options.json) PrintJson(findings, test.policy.name, options.is_control);
  else PrintSummary(counts, test.policy.name, options.is_control);
  return counts[1] > 0 && !options.is_control ? 1 : 0;
}

}  // namespace paddock::cli
