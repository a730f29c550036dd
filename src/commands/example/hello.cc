// hello - greet someone
//
// usage: hello [OPTION]... [NAME]...
// Writes one greeting a NAME (default: world).
//
// Exit status: 0, or 1 when a greeting could not be written.
// Source: none; the model that tools/new_command copies.
// Differs: nothing to differ from.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool shout = false;
  int64_t times = 1;
};

constexpr Option kOptions[] = {
    Flag<&Options::shout>('s', "shout", "end with an exclamation mark"),
    Value<&Options::times>('n', "times", "COUNT", "greet COUNT times"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.times < 0) return in.Usage("invalid count");
  for (int64_t i = 0; i < options.times; ++i) {
    in.budget.Step();
    for (const std::string& name : operands) in.out.WriteLine("hello, " + name + (options.shout ? "!" : ""));
    if (operands.empty()) in.out.WriteLine(options.shout ? "hello, world!" : "hello, world");
  }
  return 0;
}

}  // namespace

extern const Command kCommand_hello;
const Command kCommand_hello = Define<Options, Run>({
    .name = "hello",
    .summary = "greet someone",
    .synopsis = "[OPTION]... [NAME]...",
    .options = kOptions,
});

}  // namespace paddock
