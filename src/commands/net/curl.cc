// curl - transfer a URL
//
// usage: curl [options...] <url>
// Sends requests to HTTP and HTTPS servers and writes what they answer. Only in sandboxes whose policy allows hosts; each host,
// redirect and address goes through the policy (docs/virtual-network.md).
//
// Exit status: as the real curl's: 0, 1 another protocol than http and https, 2 usage, 3 malformed URL, 6 and 7 no such host, no
// connection (also: the policy denies it), 22 (with --fail) the server says 400 or above, 23 output, 28 time, 47 redirects …
// Source: curl 7.88.1, whose library does the transfers.
// Differs: http and https alone, so that options of other protocols and of proxies do nothing; no proxies and Unix sockets; -Z makes one
// transfer after the other; keys have no passwords; -v shows no address, and
// %{local_ip} is empty, because the connection is made by the policy's engine.

#include "commands/net/curl.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  curl::Options options;
  if (const auto ended = curl::Parse(in, &options)) return *ended;
  if (options.help || options.shows_manual) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (options.engine == "list") {
    in.out.Write("Build-time engines:\n  dynamic\n");
    return 0;
  }
  if (options.version) {
    in.out.Write(std::string("curl ") + curl::kVersion + " (Paddock) libcurl/" + curl::kVersion + "\nProtocols: http https\n");
    return 0;
  }
  return curl::Transfer(in, options);
}

}  // namespace

// Its options are defined beside their parser.
extern const Command kCommand_curl;
const Command kCommand_curl = {
    .name = "curl",
    .summary = "transfer a URL",
    .synopsis = "[options...] <url>",
    .options = curl::OptionTable(),
    .usage_status = 2,
    .cuts_own_name = true,
    .needs_network = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
