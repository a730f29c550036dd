// CustomCommand: a program of the virtual shell that the embedding program brings along, as a callback (docs/custom-commands.md).
//
//   auto weather = CustomCommand::Make({.name = "weather", .summary = "tell the weather of a city"},
//                                      [&](Invocation& in, const std::vector<std::string>& words) {
//                                        in.out.WriteLine(station.Ask(words.at(0)));
//                                        return 0;
//                                      });
//   std::vector<const Command*> commands(AllCommands().begin(), AllCommands().end());
//   commands.push_back(&weather->command());
//   auto driver = sandbox::MakeVirtualDriver(commands);   // a later command replaces an earlier one of its name
//
// Sandboxes see it as they see every other command: in PATH, in pipes, in scripts, in `paddock commands`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proc/command.h"

namespace paddock {

class CustomCommand {
 public:
  struct Description {
    std::string name;                   // without '/' and white space
    std::vector<std::string> aliases;
    std::string summary;                // one line, no full stop
    std::string synopsis = "[ARG]...";  // after the name; alternatives are lines
    std::string details;                // the rest of --help
  };
  // Gets the arguments behind the name as they are, but that --help alone prints the help. Streams, files, environment and limits are
  // those of `in`; the result is the exit status, 0 to 255. It runs on the thread of the sandbox, which waits for it: on several
  // threads at once when several sandboxes call it. What it allocates counts as the sandbox's memory. A loop over input charges
  // `in.budget.Step()`, or the sandbox's time limit alone ends it. An exception derived from std::exception becomes a message and status 1;
  // Termination, which ends the process for a limit, must pass through.
  using Callback = std::function<ExitStatus(Invocation& in, const std::vector<std::string>& arguments)>;
  // kInvalid for a name that cannot be one.
  static Result<CustomCommand> Make(Description description, Callback callback);

  // The same with a table of options (base/options.h), which outlives the command: O is default-constructed and filled in, operands remain.
  template <class O>
  static Result<CustomCommand> Make(Description description, std::span<const Option> options,
                                    std::function<ExitStatus(Invocation& in, const O& options, const std::vector<std::string>& operands)> callback) {
    return MakeEntry(std::move(description), options, [callback = std::move(callback)](Invocation& in) {
      O parsed{};
      ExitStatus status = 0;
      const auto operands = command_internal::Prepare(in, &parsed, &status);
      return operands ? callback(in, parsed, *operands) : status;
    });
  }

  // For the table of a driver; valid as long as this object, or what it was moved to, lives.
  const Command& command() const;

 private:
  struct Entry;
  struct Deleter {
    void operator()(Entry* entry) const;
  };
  explicit CustomCommand(std::unique_ptr<Entry, Deleter> entry) : entry_(std::move(entry)) {}
  static Result<CustomCommand> MakeEntry(Description description, std::span<const Option> options, std::function<ExitStatus(Invocation&)> run);

  std::unique_ptr<Entry, Deleter> entry_;
};

}  // namespace paddock
