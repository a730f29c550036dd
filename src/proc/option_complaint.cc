#include "proc/option_complaint.h"

namespace paddock {

void ComplainOfOption(Invocation& in, std::string_view complaint) {
  in.out.Flush();
  in.err.Write(in.args[0] + ": " + std::string(complaint) + "\n");
}

ExitStatus OptionUsage(Invocation& in, std::string_view complaint) {
  ComplainOfOption(in, complaint);
  return in.UsageHint();
}

std::optional<std::vector<std::string>> command_internal::PrepareWithLetters(Invocation& in, void* options, const bool& wants_help,
                                                                             const bool& wants_version, ExitStatus* status) {
  auto parsed = ParseOptions(in.args, in.command.options, options, in.command.rules);
  if (!parsed) {
    *status = parsed.error().code == Code::kSyntax ? OptionUsage(in, parsed.error().Text()) : in.Fail(parsed.error().Text());
    return std::nullopt;
  }
  if (!wants_help && !wants_version) return std::move(parsed->operands);
  in.out.Write(wants_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
  *status = 0;
  return std::nullopt;
}

}  // namespace paddock
