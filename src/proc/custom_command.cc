#include "proc/custom_command.h"

#include <algorithm>
#include <exception>
#include <new>

namespace paddock {

// A Command finds its entry by being its base.
struct CustomCommand::Entry : Command {
  Description description;
  std::vector<const char*> alias_names;
  std::function<ExitStatus(Invocation&)> body;
};

namespace {

bool IsName(const std::string& name) {
  const auto is_odd = [](char c) { return c == '/' || static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." && std::none_of(name.begin(), name.end(), is_odd);
}

}  // namespace

void CustomCommand::Deleter::operator()(Entry* entry) const { std::default_delete<Entry>()(entry); }

const Command& CustomCommand::command() const { return *entry_; }

Result<CustomCommand> CustomCommand::MakeEntry(Description description, std::span<const Option> options, std::function<ExitStatus(Invocation&)> run) {
  std::vector<std::string> names = description.aliases;
  names.insert(names.begin(), description.name);
  for (const std::string& name : names) {
    if (!IsName(name)) return Error(Code::kInvalid, "'" + name + "' cannot be the name of a command: it is one word without '/'");
  }
  std::unique_ptr<Entry, Deleter> entry(std::make_unique<Entry>().release());
  entry->description = std::move(description);
  entry->body = std::move(run);
  for (const std::string& alias : entry->description.aliases) entry->alias_names.push_back(alias.c_str());
  entry->name = entry->description.name.c_str();
  entry->aliases = entry->alias_names;
  entry->summary = entry->description.summary.c_str();
  entry->synopsis = entry->description.synopsis.c_str();
  entry->details = entry->description.details.c_str();
  entry->options = options;
  entry->parses_options = !options.empty();   // for completion; the body parses them
  entry->Command::run = [](Invocation& in) -> ExitStatus {
    try {
      return static_cast<const Entry&>(in.command).body(in);
    } catch (const std::bad_alloc&) {
      throw;   // the memory limit
    } catch (const std::exception& error) {
      return in.Fail(std::string("internal error: ") + error.what());
    }
  };
  return CustomCommand(std::move(entry));
}

Result<CustomCommand> CustomCommand::Make(Description description, Callback callback) {
  return MakeEntry(std::move(description), {}, [callback = std::move(callback)](Invocation& in) -> ExitStatus {
    const std::vector<std::string> arguments(in.args.begin() + 1, in.args.end());
    if (arguments.size() == 1 && arguments[0] == "--help") {
      in.out.Write(HelpText(in.command, in.name()));
      return 0;
    }
    return callback(in, arguments);
  });
}

}  // namespace paddock
