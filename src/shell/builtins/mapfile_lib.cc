#include "shell/builtins/mapfile.h"

#include <limits>

#include "shell/builtins/arguments.h"
#include "shell/expand/expander.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

// Of lines, and of the first index.
constexpr int64_t kMaxNumber = std::numeric_limits<uint32_t>::max();

struct MapOptions {
  char delimiter = '\n';
  int64_t count = 0;
  int64_t origin = 0;
  bool has_origin = false;
  int64_t skip = 0;
  bool strips = false;
  int descriptor = 0;
  std::string callback;
  int64_t quantum = 5000;
};

int ParseMapOptions(Shell& shell, const char* name, BuiltinOptions& options, MapOptions* parsed) {
  while (const char letter = options.Next()) {
    const std::string argument(options.argument());
    if (letter == '?') return 2;
    if (letter == 't') {
      parsed->strips = true;
      continue;
    }
    if (letter == 'd') {
      parsed->delimiter = argument.empty() ? '\0' : argument[0];
      continue;
    }
    if (letter == 'C') {
      parsed->callback = argument;
      continue;
    }
    const auto number = ParseInteger(argument);
    const char* what = letter == 'n' ? "invalid line count"
                       : letter == 'O' ? "invalid array origin"
                       : letter == 's' ? "invalid line count"
                       : letter == 'c' ? "invalid callback quantum"
                                       : "invalid file descriptor specification";
    if (!number || *number < 0 || *number > kMaxNumber || (letter == 'c' && *number <= 0) ||
        (letter == 'u' && *number >= proc::kMaxDescriptors)) {
      shell.Complain(name, argument + ": " + what);
      return 1;
    }
    switch (letter) {
      case 'n': parsed->count = *number; break;
      case 'O':
        parsed->origin = *number;
        parsed->has_origin = true;
        break;
      case 's': parsed->skip = *number; break;
      case 'c': parsed->quantum = *number; break;
      default: parsed->descriptor = static_cast<int>(*number); break;
    }
  }
  return 0;
}

}  // namespace

int RunMapfile(Shell& shell, const BuiltinCall& call) {
  const char* name = call.args[0].c_str();
  BuiltinOptions options(shell, call, *FindBuiltin("mapfile"), "d:n:O:s:tu:C:c:");
  MapOptions parsed;
  if (const int status = ParseMapOptions(shell, name, options, &parsed); status != 0) return status;
  const auto operands = options.operands();
  const std::string array = operands.empty() ? "MAPFILE" : operands[0];
  if (!IsName(array)) {
    shell.Complain(name, "`" + array + "': not a valid identifier");
    return 1;
  }
  const vfs::OpenFilePtr file = shell.process().descriptors().Get(parsed.descriptor);
  if (!file) {
    shell.Complain(name, std::to_string(parsed.descriptor) + ": invalid file descriptor: Bad file descriptor");
    return 1;
  }
  Target target;
  if (!ResolveName(shell, Name(array), &target)) return 1;
  if (const Variable* existing = shell.variables.Find(target.name)) {
    if (existing->has(kReadonly)) {
      shell.Complain(array + ": readonly variable");
      return 1;
    }
    if (existing->has(kAssociative)) {
      shell.Complain(name, array + ": not an indexed array");
      return 1;
    }
  }
  {
    Variable& variable = shell.variables.Obtain(target.name);
    if (!variable.has(kIndexed)) {
      variable.attributes |= kIndexed;
      variable.text.clear();
    }
    if (!parsed.has_origin) variable.indexed = std::make_shared<IndexedArray>();
    variable.is_set = true;
  }
  proc::DescriptorSource source(shell.process(), parsed.descriptor);
  Input input(source, shell.budget());
  for (int64_t i = 0; i < parsed.skip; ++i) {
    if (!input.ReadLine(parsed.delimiter)) break;
  }
  int64_t index = parsed.origin;
  for (int64_t taken = 0; parsed.count == 0 || taken < parsed.count; ++taken, ++index) {
    const auto line = input.ReadLine(parsed.delimiter);
    if (!line) break;
    std::string value(line->text);
    if (line->is_terminated && !parsed.strips && parsed.delimiter != '\0') value += parsed.delimiter;
    if (!parsed.callback.empty() && (taken + 1) % parsed.quantum == 0) {
      shell.Eval(parsed.callback + " " + std::to_string(index) + " " + QuoteForReuse(value), shell.line);
      if (shell.flow != Flow::kNone) return shell.last_status;
    }
    if (!AssignIndex(shell, target.name, index, value)) return 1;
  }
  return 0;
}

}  // namespace paddock::shell
