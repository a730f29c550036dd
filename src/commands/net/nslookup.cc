// nslookup - look up a name
//
// usage: nslookup [-type=TYPE] NAME
// Prints what the sandbox's policy answers for a name. Only in sandboxes whose policy allows hosts (docs/virtual-network.md).
//
// Exit status: 0, or 1 when there is no such name, or the policy denies it.
// Source: BIND 9.18.
// Differs: there is no other server than the policy, and no interactive mode; names of allowed hosts have one address, of the policy's engine.

#include "commands/net/dns.h"

namespace paddock {
namespace {

bool LookUp(Invocation& in, const std::string& name, uint16_t type, bool is_asked_for) {
  const auto answer = dns::Ask(in, name, type);
  if (!answer) {
    in.out.Write(answer.error().code == Code::kInvalid ? "nslookup: '" + name + "' is not a legal name (" + std::string(answer.error().Text()) + ")\n"
                                                       : std::string(";; connection timed out; no servers could be reached\n"));
    return false;
  }
  if (answer->status() != 0) {
    in.out.Write("** server can't find " + name + ": " + answer->status_name() + "\n\n");
    dns::TellDenial(in, name, *answer);
    return false;
  }
  if (type != dns::kPtr && is_asked_for) in.out.Write("Non-authoritative answer:\n");
  for (const dns::Record& record : answer->records) in.out.Write("Name:\t" + name + "\nAddress: " + record.data + "\n");
  if (answer->records.empty() && is_asked_for) in.out.Write("*** Can't find " + name + ": No answer\n");
  return true;
}

ExitStatus Run(Invocation& in) {
  std::vector<std::string> operands;
  std::optional<uint16_t> type;
  for (size_t i = 1; i < in.args.size(); ++i) {
    const std::string& word = in.args[i];
    const size_t equals = word.find('=');
    if (word == "--help") {
      in.out.Write(HelpText(in.command, in.name()));
      return 0;
    }
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(1, equals == std::string::npos ? equals : equals - 1);
      if ((name != "type" && name != "querytype" && name != "query" && name != "q" && name != "ty") || equals == std::string::npos) {
        in.err.Write("*** Invalid option: " + word.substr(1) + "\n");
        return 1;
      }
      type = dns::TypeOf(word.substr(equals + 1));
      if (!type) in.out.Write("unknown query type: " + word.substr(equals + 1) + "\n");
      continue;
    }
    operands.push_back(word);
  }
  if (operands.empty() || operands[0] == "-") return in.Fail("there is no interactive mode; give a name");
  if (operands.size() > 1) return in.Fail("server '" + operands[1] + "': the sandbox's policy answers names; no other server can be asked");
  if (const auto reverse = dns::ReverseName(operands[0]); reverse && !type) return LookUp(in, *reverse, dns::kPtr, true) ? 0 : 1;
  in.out.Write("Server:\t\t127.0.0.1\nAddress:\t127.0.0.1#53\n\n");
  const bool is_found = LookUp(in, operands[0], type.value_or(dns::kA), true) && (type || LookUp(in, operands[0], dns::kAaaa, false));
  if (is_found) in.out.Write("\n");
  return is_found ? 0 : 1;
}

}  // namespace

extern const Command kCommand_nslookup;
const Command kCommand_nslookup = {
    .name = "nslookup",
    .summary = "look up a name",
    .synopsis = "[-type=TYPE] NAME",
    .cuts_own_name = true,
    .needs_network = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
