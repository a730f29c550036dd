// paddock doctor: which isolations work on this host, what each part of them found, and what to do about the rest.

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/host_context.h"
#include "cli/state_check.h"
#include "policy/preset.h"
#include "sandbox/diagnosis.h"

namespace paddock::cli {
namespace {

using sandbox::Check;

struct DoctorOptions {
  bool json = false;
};

constexpr Option kOptions[] = {
    Flag<&DoctorOptions::json>('j', "json", "print JSON"),
};

constexpr const char* kHelp =
    "Usage: paddock doctor [OPTION]...\n"
    "Makes a sandbox of every isolation, runs a command in it, and tries the parts that it\n"
    "stands on one by one; of containers, only whether there is an engine or a runtime. Then it looks at the directory for overlays and a daemon's data. What is limited or missing is printed with its remedy.\n"
    "docs/doctor.md describes the checks.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0 when every isolation works that needs nothing beside Paddock, 1 when one does not, 2 for a usage error.\n";

// What became of one isolation.
struct Finding {
  std::string isolation;
  bool works = false;
  bool is_optional = false;   // nothing was made, and nothing has to be there
  std::string detail;
  double milliseconds = 0;
  std::vector<Check> checks;
};

Result<std::string> RunEcho(sandbox::Driver& driver, const sandbox::SandboxSpec& spec) {
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Sandbox> made, driver.Create(spec));
  sandbox::ExecSpec exec;
  exec.command = {"echo", "paddock"};
  exec.environment.Set("PATH", "/usr/local/bin:/usr/bin:/bin");
  exec.limits.time = std::chrono::seconds(20);
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Process> process, made->Start(std::move(exec), {}, nullptr));
  const sandbox::ExecResult result = process->Wait();
  if (result.exit_code != 0 || result.stdout_text != "paddock\n") {
    return Error(Code::kUnavailable, std::string("a command inside did not work: ended by ") + sandbox::ReasonName(result.termination.reason) +
                                         (result.stderr_text.empty() ? "" : ", " + result.stderr_text.substr(0, 200)));
  }
  return result.stdout_text;
}

Finding Examine(sandbox::Driver& driver) {
  Finding finding{.isolation = driver.name()};
  if (auto* diagnosable = dynamic_cast<sandbox::Diagnosable*>(&driver)) {
    finding.checks = diagnosable->Diagnose();
    finding.is_optional = diagnosable->is_optional();
  }
  if (finding.is_optional) {
    finding.works = std::none_of(finding.checks.begin(), finding.checks.end(), [](const Check& check) { return check.state == Check::State::kMissing; });
    finding.detail = finding.works ? "what it stands on is there; no sandbox was made" : "not there";
    return finding;
  }
  sandbox::SandboxSpec spec;
  if (finding.isolation != "virtual") {
    const auto context = MakeHostContext("");
    auto policy = context ? policy::MakePreset("read-only", *context) : Result<policy::Policy>(context.error());
    if (!policy) {
      finding.detail = policy.error().Text();
      return finding;
    }
    spec.policy = std::move(*policy);
  }
  const auto started = std::chrono::steady_clock::now();
  const auto echoed = RunEcho(driver, spec);
  finding.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  finding.works = static_cast<bool>(echoed);
  if (!echoed) finding.detail = echoed.error().Text();
  return finding;
}

struct Paint {
  bool is_on = false;
  std::string Of(Check::State state) const {
    const std::string name = sandbox::StateName(state);
    const char* const colour = state == Check::State::kWorks ? "\033[32m" : state == Check::State::kLimited ? "\033[33m" : "\033[31m";
    const std::string padded = name + std::string(8 - name.size(), ' ');
    return is_on ? colour + padded + "\033[0m" : padded;
  }
};

std::string Indented(const std::string& text, size_t by) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(by, ' ');
  }
  return out;
}

void PrintCheck(const Check& check, const char* indent, const Paint& paint) {
  const int width = 20 - static_cast<int>(std::strlen(indent));
  std::printf("%s%-*s %s %s\n", indent, width, check.name.c_str(), paint.Of(check.state).c_str(), check.detail.c_str());
  if (!check.remedy.empty()) std::printf("%-30sremedy: %s\n", "", Indented(check.remedy, 30).c_str());
}

void PrintTable(const std::vector<Finding>& findings, const Check& state, const Paint& paint) {
  for (const Finding& finding : findings) {
    char time[64] = "";
    if (finding.works && !finding.is_optional) std::snprintf(time, sizeof time, "a sandbox and a command in %.1f ms", finding.milliseconds);
    std::printf("%-20s %s %s\n", finding.isolation.c_str(), paint.Of(finding.works ? Check::State::kWorks : Check::State::kMissing).c_str(),
                finding.works && !finding.is_optional ? time : finding.detail.c_str());
    for (const Check& check : finding.checks) PrintCheck(check, "  ", paint);
  }
  PrintCheck(state, "", paint);
}

boost::json::object CheckJson(const Check& check) {
  return {{"name", check.name},
          {"state", sandbox::StateName(check.state)},
          {"detail", check.detail},
          {"remedy", check.remedy.empty() ? boost::json::value(nullptr) : boost::json::value(check.remedy)}};
}

void PrintJson(const std::vector<Finding>& findings, const Check& state) {
  boost::json::array isolations;
  for (const Finding& finding : findings) {
    boost::json::array checks;
    for (const Check& check : finding.checks) checks.push_back(CheckJson(check));
    isolations.push_back({{"isolation", finding.isolation},
                          {"works", finding.works},
                          {"optional", finding.is_optional},
                          {"error", finding.works ? boost::json::value(nullptr) : boost::json::value(finding.detail)},
                          {"duration_ms", finding.milliseconds},
                          {"checks", std::move(checks)}});
  }
  const std::string text = boost::json::serialize(boost::json::object{{"isolations", std::move(isolations)}, {"state_directory", CheckJson(state)}});
  std::printf("%s\n", text.c_str());
}

}  // namespace

int RunDoctor(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"doctor"};
  own.insert(own.end(), args.begin(), args.end());
  DoctorOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("doctor", std::string(parsed.error().Text()) + "; 'paddock doctor --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("doctor", "'" + parsed->operands[0] + "' is too much: doctor takes no operand");
  std::vector<Finding> findings;
  bool all_work = true;
  for (const auto& driver : drivers.drivers()) {
    findings.push_back(Examine(*driver));
    all_work = all_work && (findings.back().works || findings.back().is_optional);
  }
  const char* no_colour = std::getenv("NO_COLOR");  // allow(getenv): how a person asks for none
  const Check state = CheckStateDirectory(StateDirectory(), geteuid());
  if (options.json) PrintJson(findings, state);
  else PrintTable(findings, state, {.is_on = isatty(1) == 1 && (no_colour == nullptr || *no_colour == '\0')});
  return all_work ? 0 : 1;
}

}  // namespace paddock::cli
