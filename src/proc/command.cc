#include "proc/command.h"

#include <algorithm>

#include "proc/kernel.h"
#include "proc/option_complaint.h"
#include "proc/packages.h"

namespace paddock {
namespace {

constexpr const char* kVersion = "0.1.0";

}  // namespace

std::optional<std::string_view> Environment::Get(std::string_view name) const {
  for (const Variable& variable : variables_) {
    if (variable.name == name) return variable.value;
  }
  return std::nullopt;
}

std::string_view Environment::Get(std::string_view name, std::string_view otherwise) const {
  return Get(name).value_or(otherwise);
}

void Environment::Set(std::string_view name, std::string_view value) {
  for (Variable& variable : variables_) {
    if (variable.name == name) {
      variable.value = value;
      return;
    }
  }
  variables_.push_back({std::string(name), std::string(value)});
}

void Environment::Unset(std::string_view name) {
  std::erase_if(variables_, [name](const Variable& variable) { return variable.name == name; });
}

Locale LocaleOf(const Environment& environment) {
  std::string_view value;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    value = environment.Get(name, "");
    if (!value.empty()) break;
  }
  const auto has = [value](std::string_view part) { return value.find(part) != std::string_view::npos; };
  return Locale{.is_utf8 = has("UTF-8") || has("utf8") || has("UTF8") || has("utf-8")};
}

std::string_view Invocation::name() const {
  const std::string_view full = args[0];
  const size_t slash = full.rfind('/');
  return slash == std::string_view::npos ? full : full.substr(slash + 1);
}

std::string_view Invocation::name_in_messages() const { return command.cuts_own_name ? name() : args[0]; }

ExitStatus Invocation::Fail(std::string_view message, ExitStatus status) {
  out.Flush();
  std::string text(name_in_messages());
  text.append(": ").append(message).append("\n");
  err.Write(text);
  return status;
}

ExitStatus Invocation::Fail(std::string_view subject, const Error& error, ExitStatus status) {
  return Fail(std::string(subject) + ": " + std::string(error.Text()), status);
}

ExitStatus Invocation::Usage(std::string_view message) {
  Fail(message);
  return UsageHint();
}

ExitStatus Invocation::UsageHint() {
  out.Flush();
  err.Write("Try '" + std::string(name_in_messages()) + " --help' for more information.\n");
  return command.usage_status;
}

std::string HelpText(const Command& command, std::string_view name) {
  std::string text;
  std::string_view synopsis = command.synopsis;
  const char* lead = "Usage: ";
  while (true) {
    const size_t end = synopsis.find('\n');
    text += lead + std::string(name) + " " + std::string(synopsis.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    synopsis.remove_prefix(end + 1);
    lead = "  or:  ";
  }
  std::string summary = command.summary;
  if (!summary.empty() && summary[0] >= 'a' && summary[0] <= 'z') summary[0] = static_cast<char>(summary[0] - 32);
  text += summary + ".\n";
  if (!command.options.empty()) text += "\n" + OptionHelp(command.options);
  const auto has_own = [&](std::string_view long_name) {
    return std::any_of(command.options.begin(), command.options.end(), [&](const Option& option) { return option.long_name != nullptr && option.long_name == long_name; });
  };
  if (!has_own("help")) text += "      --help                 display this help and exit\n";
  if (!has_own("version")) text += "      --version              output version information and exit\n";
  if (command.details[0] != '\0') text += "\n" + std::string(command.details);
  if (text.back() != '\n') text += '\n';
  return text;
}

std::string VersionText(const Command&, std::string_view name) {
  const std::string line = PackageLine(name);
  if (line.empty()) return std::string(name) + " (Paddock) " + kVersion + "\n";
  return line + "\nAs implemented by Paddock " + kVersion + ".\n";
}

namespace command_internal {

std::optional<std::vector<std::string>> Prepare(Invocation& in, void* options, ExitStatus* status) {
  auto parsed = ParseOptions(in.args, in.command.options, options, in.command.rules);
  if (!parsed) {
    const bool is_getopt = parsed.error().code == Code::kSyntax;
    *status = is_getopt ? OptionUsage(in, parsed.error().Text()) : in.Fail(parsed.error().Text(), in.command.usage_status);
    return std::nullopt;
  }
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    *status = 0;
    return std::nullopt;
  }
  if (parsed->wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    *status = 0;
    return std::nullopt;
  }
  return std::move(parsed->operands);
}

}  // namespace command_internal

ExitStatus RunCommand(const Command& command, proc::Process& process, std::span<const std::string> args,
                      const Environment& environment, Launcher& launcher) {
  proc::Kernel& kernel = process.kernel();
  proc::DescriptorSource source(process, 0);
  proc::DescriptorSink out_sink(process, 1);
  proc::DescriptorSink err_sink(process, 2);
  Input input(source, kernel.budget());
  Output output(out_sink);
  Output error(err_sink);
  error.set_unbuffered(true);
  // Someone watches a terminal: what a filter has to say about one line must not wait for the next.
  const vfs::OpenFilePtr& shown = process.descriptors().Get(1);
  output.set_unbuffered(shown && shown->is_terminal());
  Invocation in{.args = args,
                .in = input,
                .out = output,
                .err = error,
                .fs = process.files(),
                .env = environment,
                .budget = kernel.budget(),
                .clock = kernel.clock(),
                .process = process,
                .kernel = kernel,
                .launcher = launcher,
                .command = command,
                .locale = LocaleOf(environment)};
  const ExitStatus status = command.run(in);
  in.args = args;  // a command may have shown itself a rewritten copy, which is gone by now
  if (const Status& flushed = output.Flush(); !flushed) {
    const Error problem = flushed.error();
    output.ClearStatus();
    // Programs whose trouble is 2 (grep, ls, diff) say so here, too.
    return in.Fail("write error", problem, std::max(status, command.usage_status == 2 ? 2 : 1));
  }
  return status;
}

}  // namespace paddock
