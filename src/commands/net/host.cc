// host - look up a name
//
// usage: host [-v] [-t TYPE] NAME
// Prints what the sandbox's policy answers for a name. Only in sandboxes whose policy allows hosts (docs/virtual-network.md).
//
// Exit status: 0, or 1 when there is no such name, or the policy denies it.
// Source: BIND 9.18.
// Differs: there is no other server than the policy; names of allowed hosts have one address, of the policy's engine, and no other records.

#include "commands/net/dns.h"

namespace paddock {
namespace {

struct Options {
  bool verbose = false;
  std::string type;
};

constexpr Option kOptions[] = {
    Value<&Options::type>('t', nullptr, "type", "the query's type"),
    Flag<&Options::verbose>('v', nullptr, "verbose output"),
    Flag<&Options::verbose>('d', nullptr, "the same"),
};

// False when the name is not there.
bool LookUp(Invocation& in, const Options& options, const std::string& shown, const std::string& name, uint16_t type, bool is_asked_for) {
  if (options.verbose) in.out.Write("Trying \"" + name + "\"\n");
  const auto answer = dns::Ask(in, name, type);
  if (!answer) {
    if (answer.error().code == Code::kInvalid) in.err.Write("host: '" + name + "' is not a legal name (" + std::string(answer.error().Text()) + ")\n");
    else in.out.Write(";; connection timed out; no servers could be reached\n");
    return false;
  }
  if (answer->status() != 0) {
    in.out.Write("Host " + shown + " not found: " + std::to_string(answer->status()) + "(" + answer->status_name() + ")\n");
    dns::TellDenial(in, name, *answer);
    return false;
  }
  if (options.verbose) {
    in.out.Write(dns::HeaderText(*answer) + "\n;; QUESTION SECTION:\n" + dns::QuestionText(*answer) + "\n");
    if (!answer->records.empty()) in.out.Write(";; ANSWER SECTION:\n");
    for (const dns::Record& record : answer->records) in.out.Write(dns::RecordText(record));
    in.out.Write((answer->records.empty() ? "" : "\n") + std::string("Received ") + std::to_string(answer->bytes) + " bytes from 127.0.0.1#53 in " +
                 std::to_string(answer->time.count() / 1000000) + " ms\n");
    return true;
  }
  for (const dns::Record& record : answer->records) {
    in.out.Write(name + (record.type == dns::kA ? " has address " : " has IPv6 address ") + record.data + "\n");
  }
  if (answer->records.empty() && is_asked_for) in.out.Write(name + " has no " + dns::TypeName(type) + " record\n");
  return true;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) {
    in.err.Write("Usage: host [-dv] [-t type] hostname\n");
    return 1;
  }
  if (operands.size() > 1) return in.Fail("server '" + operands[1] + "': the sandbox's policy answers names; no other server can be asked");
  const std::string& name = operands[0];
  if (!options.type.empty()) {
    const auto type = dns::TypeOf(options.type);
    if (!type) return in.Fail("invalid type: " + options.type + "\n", 2);
    return LookUp(in, options, name, name, *type, true) ? 0 : 1;
  }
  if (const auto reverse = dns::ReverseName(name)) return LookUp(in, options, *reverse + ".", *reverse, dns::kPtr, true) ? 0 : 1;
  for (const uint16_t type : {dns::kA, dns::kAaaa, dns::kMx}) {
    if (!LookUp(in, options, name, name, type, false)) return 1;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_host;
const Command kCommand_host = Define<Options, Run>({
    .name = "host",
    .summary = "look up a name",
    .synopsis = "[-dv] [-t type] hostname",
    .options = kOptions,
    .cuts_own_name = true,
    .needs_network = true,
});

}  // namespace paddock
