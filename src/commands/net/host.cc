// host - look up a name
//
// usage: host [-aACdlrsTUvVw46] [-c CLASS] [-m FLAG] [-N NDOTS] [-p PORT] [-R NUMBER] [-t TYPE] [-W TIME] NAME
// Prints what the sandbox's policy answers for a name. Only in sandboxes whose policy allows hosts (docs/virtual-network.md).
//
// Exit status: 0, or 1 when there is no such name, the policy denies it or no server answers; 2 for a type or class that is none.
// Source: BIND 9.18.
// Differs: there is no other server than the policy, which stands for one at 127.0.0.1#53 that answers at once, by datagram and stream: another port and -6 reach nobody, and -R, -s, -T,
// -U, -w and -W have nothing to change; nor have -N, because there are no search domains, and -m, because memory is the sandbox's. Names of allowed hosts have one
// address, of the policy's engine, and no other records: -C finds no name servers, -l no zone. Classes but IN are refused. A name that is not there is asked for once. -l -v shows its question.

#include <cstdlib>

#include "commands/net/dns.h"

namespace paddock {
namespace {

struct Options {
  bool verbose = false, compares_zones = false, is_version = false, only_v4 = false, only_v6 = false, has_type = false, is_default = true, holds_anyway = false;
  uint16_t type = dns::kA, port = 53;
  std::string complaint, unneeded;
  dns::Asked asked;
};

Status Refuse(Options& options, const char* what, std::string_view text) {
  if (options.complaint.empty()) options.complaint = what + std::string(text) + "\n";
  return {};
}
Status SetType(Options& options, std::string_view text) {
  const auto type = dns::TypeOf(text);
  if (!type) return Refuse(options, "invalid type: ", text);
  if (options.type != dns::kAxfr) options.type = *type;
  if (*type == dns::kAxfr) options.verbose = true;
  options.has_type = true;
  options.is_default = false;
  return {};
}
Status SetClass(Options& options, std::string_view text) {
  const auto klass = dns::ClassOf(text);
  if (!klass) return Refuse(options, "invalid class: ", text);
  options.asked.klass = *klass;
  options.has_type = true;
  options.is_default = false;
  return {};
}
Status AskForAny(Options& options, std::string_view) {
  if (options.type != dns::kAxfr) options.type = dns::kAny;
  options.verbose = true;
  options.is_default = false;
  return {};
}
Status AskForZone(Options& options, std::string_view) {
  options.type = dns::kAxfr;
  options.is_default = false;
  return {};
}
Status NotRecursive(Options& options, std::string_view) {
  options.asked.is_recursive = false;
  return {};
}
// As atoi() reads it, wrong or not, and then cut to 16 bits: so the real one.
Status SetPort(Options& options, std::string_view text) {
  options.port = static_cast<uint16_t>(std::strtol(std::string(text).c_str(), nullptr, 10));
  return {};
}

constexpr Option kOptions[] = {
    Call<AskForAny>('a', nullptr, nullptr, "the same as -v -t ANY"),
    Call<AskForAny>('A', nullptr, nullptr, "the same without RRSIG, NSEC and NSEC3, of which there are none"),
    Call<SetClass>('c', nullptr, "class", "the query's class (IN)"),
    Flag<&Options::compares_zones>('C', nullptr, "compare what the domain's name servers say of it"),
    Flag<&Options::verbose>('d', nullptr, "the same as -v"),
    Call<AskForZone>('l', nullptr, nullptr, "list the domain's names, by AXFR"),
    Value<&Options::unneeded>('m', nullptr, "flag", "memory debugging: trace, record or usage"),
    Value<&Options::unneeded>('N', nullptr, "ndots", "names with so many dots are not searched for"),
    Call<SetPort>('p', nullptr, "port", "the server's port (53)"),
    Call<NotRecursive>('r', nullptr, nullptr, "ask the server for what it knows itself"),
    Value<&Options::unneeded>('R', nullptr, "number", "tries by datagram"),
    Flag<&Options::holds_anyway>('s', nullptr, "ask no other server after SERVFAIL"),
    Call<SetType>('t', nullptr, "type", "the query's type"),
    Flag<&Options::holds_anyway>('T', nullptr, "ask by stream"),
    Flag<&Options::holds_anyway>('U', nullptr, "ask by datagram"),
    Flag<&Options::verbose>('v', nullptr, "verbose output"),
    Flag<&Options::is_version>('V', nullptr, "show the version"),
    Flag<&Options::holds_anyway>('w', nullptr, "wait for an answer without end"),
    Value<&Options::unneeded>('W', nullptr, "time", "seconds to wait for an answer"),
    Flag<&Options::only_v4>('4', nullptr, "reach the server by IPv4"),
    Flag<&Options::only_v6>('6', nullptr, "reach the server by IPv6"),
};

std::string ReceivedText(const dns::Answer& answer) {
  return "Received " + std::to_string(answer.bytes) + " bytes from 127.0.0.1#53 in " + std::to_string(answer.time.count() / 1000000) + " ms\n";
}

// Answers without the name, and those of -C.
bool TellAbsent(Invocation& in, const Options& options, const std::string& shown, const std::string& name, const dns::Answer& answer) {
  if (answer.status() != 0) {
    const std::string what = " not found: " + std::to_string(answer.status()) + "(" + answer.status_name() + ")\n";
    in.out.Write(options.compares_zones ? "Nameserver 127.0.0.1:\n\t" + shown + what : "Host " + (answer.status() == 3 ? shown : name) + what);
  }
  if (options.type == dns::kAxfr && !options.compares_zones) in.out.Write("; Transfer failed.\n");
  else if (options.verbose) in.out.Write(ReceivedText(answer));
  dns::TellDenial(in, name, answer);
  return false;
}

// False when the name is not there.
bool LookUp(Invocation& in, const Options& options, const std::string& shown, const std::string& name, uint16_t type, bool is_asked_for) {
  if (options.verbose) in.out.Write("Trying \"" + name + "\"\n");
  dns::Asked asked = options.asked;
  if (type == dns::kAxfr) asked.is_recursive = false;
  const auto answer = dns::Ask(in, name, type, asked);
  if (!answer) {
    if (answer.error().code == Code::kInvalid) in.err.Write("host: '" + name + "' is not a legal name (" + std::string(answer.error().Text()) + ")\n");
    else in.out.Write(";; connection timed out; no servers could be reached\n");
    return false;
  }
  // No domain here has name servers, so -C ends behind the question for them.
  if (answer->status() != 0 || options.compares_zones) return TellAbsent(in, options, shown, name, *answer);
  if (options.verbose) {
    in.out.Write(dns::HeaderText(*answer) + "\n;; QUESTION SECTION:\n" + dns::QuestionText(*answer) + "\n");
    if (!answer->records.empty()) in.out.Write(";; ANSWER SECTION:\n");
    for (const dns::Record& record : answer->records) in.out.Write(dns::RecordText(record));
    in.out.Write((answer->records.empty() ? "" : "\n") + (type == dns::kAxfr ? "; Transfer failed.\n" : ReceivedText(*answer)));
    return true;
  }
  for (const dns::Record& record : answer->records) {
    in.out.Write(name + (record.type == dns::kA ? " has address " : " has IPv6 address ") + record.data + "\n");
  }
  if (answer->records.empty() && is_asked_for) in.out.Write(name + " has no " + dns::TypeName(type) + " record\n");
  if (type == dns::kAxfr) in.out.Write("; Transfer failed.\n");
  return true;
}

// Why the server cannot be reached; empty when it can.
std::string Unreachable(const Options& options) {
  if (options.only_v6) return ";; Skipping mapped address '::ffff:127.0.0.1'\n;; No acceptable nameservers\n";
  if (options.port == 53) return "";
  const std::string refused = ";; communications error to 127.0.0.1#" + std::to_string(options.port) + ": connection refused\n";
  return refused + refused + ";; no servers could be reached\n";
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (!options.complaint.empty()) return in.Fail(options.complaint, 2);
  if (options.is_version) {
    in.err.Write("host 9.18 (Paddock)\n");
    return 0;
  }
  if (options.only_v4 && options.only_v6) return in.Fail("only one of -4 and -6 allowed");
  if (operands.empty()) {
    in.err.Write("Usage: host [-aCdlrTvVw] [-c class] [-N ndots] [-t type] [-W time]\n            [-R number] [-m flag] [-p port] hostname [server]\n");
    return 1;
  }
  if (operands.size() > 1) return in.Fail("server '" + operands[1] + "': the sandbox's policy answers names; no other server can be asked");
  const std::string& name = operands[0];
  if (const std::string why = Unreachable(options); !why.empty()) {
    in.out.Write((options.verbose ? "Trying \"" + name + "\"\n" : "") + why);
    return 1;
  }
  if (options.compares_zones) return LookUp(in, options, name, name, dns::kNs, false) ? 0 : 1;
  const auto reverse = options.has_type && options.asked.klass == dns::kInternet ? std::nullopt : dns::ReverseName(name);
  if (reverse && options.type != dns::kAxfr) return LookUp(in, options, *reverse + ".", *reverse, options.is_default || options.has_type ? uint16_t{dns::kPtr} : options.type, true) ? 0 : 1;
  if (!options.is_default) return LookUp(in, options, name, name, options.type, options.has_type) ? 0 : 1;
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
    .synopsis = "[-aACdlrsTUvVw46] [-c class] [-m flag] [-N ndots] [-p port] [-R number] [-t type] [-W time] hostname",
    .options = kOptions,
    .cuts_own_name = true,
    .needs_network = true,
});

}  // namespace paddock
