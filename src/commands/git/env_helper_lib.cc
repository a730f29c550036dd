// git env--helper: what git makes of a variable of the environment. Scripts of git's own kind ask it.
//
// Source: git 2.39.
#include <charconv>

#include "commands/git/git.h"

namespace paddock::git {
namespace {

struct EnvHelperOptions {
  std::string type;
  std::optional<std::string> otherwise;
  bool exits = false;
};

constexpr Option kOptions[] = {
    Value<&EnvHelperOptions::type>(0, "type", "TYPE", "value is given this type"),
    Value<&EnvHelperOptions::otherwise>(0, "default", "VALUE", "default for a variable that is not set"),
    Flag<&EnvHelperOptions::exits>(0, "exit-code", "be quiet, only use the value as exit code"),
};

// Digits and k, m or g behind them.
std::optional<uint64_t> ParseAmount(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  if (unit.size() > 1) return std::nullopt;
  const int shift = unit == "k" || unit == "K" ? 10 : unit == "m" || unit == "M" ? 20 : unit == "g" || unit == "G" ? 30 : 0;
  if (shift == 0 || value > (UINT64_MAX >> shift)) return std::nullopt;
  return value << shift;
}

// A word for a boolean, or an int.
std::optional<bool> ParseFlag(std::string_view text) {
  if (const auto flag = ParseConfigBool(text)) return flag;
  const auto amount = ParseAmount(text.starts_with('-') ? text.substr(1) : text);
  if (!amount || *amount > INT32_MAX) return std::nullopt;
  return *amount != 0;
}

constexpr const char* kUsage =
    "usage: git env--helper --type=[bool|ulong] <options> <env-var>\n\n"
    "    --type <type>         value is given this type\n"
    "    --default <value>     default for git_env_*(...) to fall back on\n"
    "    --exit-code           be quiet only use git_env_*() value as exit code\n\n";
constexpr ExitStatus kUsageStatus = 129;

ExitStatus Usage(Invocation& in, const std::string& complaint = {}) {
  in.err.Write(complaint + kUsage);
  return kUsageStatus;
}

Result<ExitStatus> EnvHelper(Invocation& in, Git*, EnvHelperOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  const bool is_bool = options.type == "bool";
  if (!is_bool && !options.type.empty() && options.type != "ulong") return Error(Code::kInvalid, "unrecognized --type argument, " + options.type);
  if (options.type.empty() || operands.size() != 1 || (options.otherwise && options.otherwise->empty())) return Usage(in);
  const auto text = in.env.Get(operands[0]);
  uint64_t value = 0;
  if (options.otherwise) {
    const auto flag = is_bool ? ParseFlag(*options.otherwise) : std::nullopt;
    const auto amount = is_bool ? std::nullopt : ParseAmount(*options.otherwise);
    if (is_bool && !flag) return Usage(in, "error: option `--default' expects a boolean value with `--type=bool`, not `" + *options.otherwise + "`\n");
    if (!is_bool && !amount) return Usage(in, "error: option `--default' expects an unsigned long value with `--type=ulong`, not `" + *options.otherwise + "`\n");
    value = is_bool ? static_cast<uint64_t>(*flag) : *amount;
  }
  if (text && is_bool) {
    const auto flag = ParseFlag(*text);
    if (!flag) return Error(Code::kInvalid, "bad boolean config value '" + std::string(*text) + "' for '" + operands[0] + "'");
    value = *flag ? 1 : 0;
  } else if (text) {
    const auto amount = ParseAmount(*text);
    if (!amount) return Error(Code::kInvalid, "failed to parse " + operands[0]);
    value = *amount;
  }
  if (!options.exits) in.out.Write((is_bool ? std::string(value != 0 ? "true" : "false") : std::to_string(value)) + "\n");
  return value == 0 ? 1 : 0;
}

}  // namespace

extern const Subcommand kEnvHelper;
const Subcommand kEnvHelper = DefineFreeSubcommand<EnvHelperOptions, EnvHelper>({.name = "env--helper", .summary = "what a variable of the environment says", .synopsis = "--type=[bool|ulong] <options> <env-var>", .options = kOptions, .needs = Subcommand::Needs::kNothing});

}  // namespace paddock::git
