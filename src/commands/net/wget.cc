// wget - retrieve files from the web
//
// usage: wget [OPTION]... [URL]...
// Writes what HTTP and HTTPS servers answer to files named after the URLs. Only in sandboxes whose policy allows hosts; each host,
// redirect and address goes through the policy (docs/virtual-network.md).
//
// Exit status: 0; 1 any other problem; 2 usage; 3 files; 4 network (also: the policy denies it); 5 certificates; 6 authentication; 8 the server's error.
// Source: GNU Wget 1.21.3.
// Differs: http and https alone; no recursion, proxies, WARC, HSTS, cookie files and background; a transfer that breaks off begins
// again from its start; a bad number for --tries is refused; no address is shown, because the connection is made by the policy's engine.

#include "commands/net/wget.h"

#include <charconv>

namespace paddock {
namespace {

using wget::Noise;
using wget::Options;

// -nv, -nc, -nd.
Status SetNo(Options& options, std::string_view letters) {
  for (const char letter : letters) {
    if (letter == 'v') options.noise = Noise::kBrief;
    else if (letter == 'c') options.no_clobber = true;
    else if (letter == 'd') options.no_directories = true;
    else return Error(Code::kSyntax, "invalid option -- 'n" + std::string(1, letter) + "'");
  }
  return {};
}
Result<Nanoseconds> ParseTime(std::string_view text, const char* option) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 0;
  if (problem != std::errc() || factor == 0 || !(value >= 0) || value * factor > 1e9) {
    return Error(Code::kInvalid, std::string(option) + ": Invalid time period ‘" + std::string(text) + "’");
  }
  return Nanoseconds(static_cast<int64_t>(value * factor * 1e9));
}
Status SetTimeout(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.timeout, ParseTime(text, "--timeout"));
  return {};
}
Status SetConnectTimeout(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.connect_timeout, ParseTime(text, "--connect-timeout"));
  return {};
}
Status SetWait(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.wait, ParseTime(text, "--wait"));
  return {};
}
Result<int64_t> ParseNumber(std::string_view text, const char* option) {
  if (text == "inf") return 0;
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 0) return Error(Code::kInvalid, std::string(option) + ": Invalid number ‘" + std::string(text) + "’.");
  return value;
}
Status SetTries(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.tries, ParseNumber(text, "--tries"));
  return {};
}
Status SetRedirects(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.max_redirects, ParseNumber(text, "--max-redirect"));
  return {};
}
Status SetRate(Options& options, std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const double factor = unit.empty() ? 1 : unit == "k" || unit == "K" ? 1024 : unit == "m" || unit == "M" ? 1024 * 1024 : unit == "g" || unit == "G" ? 1024.0 * 1024 * 1024 : 0;
  if (problem != std::errc() || factor == 0 || !(value >= 0) || value * factor > 1e18) return Error(Code::kInvalid, "--limit-rate: Invalid byte value ‘" + std::string(text) + "’");
  options.rate = static_cast<uint64_t>(value * factor);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::version>('V', "version", "show the version"),
    Flag<&Options::help>('h', "help", "this text"),
    Value<&Options::log>('o', "output-file", "FILE", "write messages to FILE"),
    Value<&Options::log_append>('a', "append-output", "FILE", "append messages to FILE"),
    Set<&Options::noise, Noise::kQuiet>('q', "quiet", "write no messages"),
    Set<&Options::noise, Noise::kNormal>('v', "verbose", "write all messages (default)"),
    Set<&Options::noise, Noise::kBrief>(0, "no-verbose", "write a line for each file (-nv)"),
    Call<SetNo>('n', nullptr, "LETTERS", "-nv, -nc, -nd: as --no-verbose, --no-clobber, --no-directories"),
    Value<&Options::input>('i', "input-file", "FILE", "fetch the URLs in FILE"),
    Call<SetTries>('t', "tries", "NUMBER", "tries after a passing failure (20; 0: without end)"),
    Flag<&Options::retries_refused>(0, "retry-connrefused", "try again when the connection is refused"),
    Value<&Options::output>('O', "output-document", "FILE", "write all documents to FILE"),
    Flag<&Options::no_clobber>(0, "no-clobber", "leave files that are there alone (-nc)"),
    Flag<&Options::continues>('c', "continue", "go on behind what the file has"),
    Flag<&Options::timestamps>('N', "timestamping", "fetch only what is newer than the file"),
    Flag<&Options::keeps_own_time>(0, "no-use-server-timestamps", "leave the file's time as it is"),
    Flag<&Options::shows_heads>('S', "server-response", "show the heads of answers"),
    Flag<&Options::spider>(0, "spider", "fetch nothing: see whether it is there"),
    Call<SetTimeout>('T', "timeout", "SECONDS", "longest time for a connection, and without a byte"),
    Call<SetConnectTimeout>(0, "connect-timeout", "SECS", "longest time for a connection"),
    Call<SetWait>('w', "wait", "SECONDS", "wait between files"),
    Call<SetRate>(0, "limit-rate", "RATE", "most bytes a second"),
    Flag<&Options::no_directories>(0, "no-directories", "make no directories (-nd); they are made for recursion alone"),
    Value<&Options::prefix>('P', "directory-prefix", "PREFIX", "write files below PREFIX"),
    Value<&Options::user>(0, "user", "USER", "name at the server"),
    Value<&Options::password>(0, "password", "PASS", "password at the server"),
    Value<&Options::user>(0, "http-user", "USER", "the same"),
    Value<&Options::password>(0, "http-password", "PASS", "the same"),
    Value<&Options::headers>(0, "header", "STRING", "send a header field"),
    Call<SetRedirects>(0, "max-redirect", "NUMBER", "most redirects (20)"),
    Value<&Options::referer>(0, "referer", "URL", "send a referer"),
    Value<&Options::user_agent>('U', "user-agent", "AGENT", "name of the client"),
    Value<&Options::post_data>(0, "post-data", "STRING", "POST this"),
    Value<&Options::post_file>(0, "post-file", "FILE", "POST this file"),
    Value<&Options::method>(0, "method", "METHOD", "use this method"),
    Value<&Options::body_data>(0, "body-data", "STRING", "send this with --method"),
    Value<&Options::body_file>(0, "body-file", "FILE", "send this file with --method"),
    Flag<&Options::content_disposition>(0, "content-disposition", "take the file's name from the server"),
    Flag<&Options::content_on_error>(0, "content-on-error", "write what comes with errors, too"),
    Flag<&Options::no_cache>(0, "no-cache", "ask caches for a fresh answer"),
    Flag<&Options::holds_always>(0, "no-config", "read no .wgetrc (none is ever read)"),
    Flag<&Options::holds_always>(0, "no-hsts", "keep no list of HSTS (none is ever kept)"),
    Flag<&Options::holds_always>(0, "no-netrc", "read no .netrc (none is ever read)"),
    Flag<&Options::holds_always>(0, "no-proxy", "use no proxy (none is ever used)"),
    Value<&Options::default_page>(0, "default-page", "NAME", "name of a file without one (index.html)"),
    Flag<&Options::is_insecure>(0, "no-check-certificate", "take any certificate"),
    Value<&Options::ca_file>(0, "ca-certificate", "FILE", "trust the authorities of FILE (PEM) alone"),
};

ExitStatus Complain(Invocation& in, const std::string& what, ExitStatus status) {
  in.err.Write("wget: " + what + "\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n");
  return status;
}

std::optional<std::string> Conflict(const Options& options) {
  if (options.post_data && options.post_file) return "You cannot specify both --post-data and --post-file.";
  if ((options.post_data || options.post_file) && !options.method.empty()) return "You cannot use --post-data or --post-file along with --method. --method expects data through --body-data and --body-file options";
  if (options.method.empty() && (options.body_data || options.body_file)) return "You must specify a method through --method=HTTPMethod to use with --body-data or --body-file.";
  if (options.body_data && options.body_file) return "You cannot specify both --body-data and --body-file.";
  if (options.timestamps && options.no_clobber) return "Can't timestamp and not clobber old files at the same time.";
  return std::nullopt;
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) return Complain(in, std::string(parsed.error().Text()), 2);
    return in.Fail(parsed.error().Text(), 2);
  }
  if (options.help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (options.version) {
    in.out.Write("GNU Wget 1.21.3 (Paddock)\n");
    return 0;
  }
  if (parsed->operands.empty() && options.input.empty()) return Complain(in, "missing URL", 1);
  if (const auto conflict = Conflict(options)) {
    in.err.Write(*conflict + "\n");
    return 1;
  }
  return wget::Fetch(in, options, std::move(parsed->operands));
}

}  // namespace

extern const Command kCommand_wget;
const Command kCommand_wget = {
    .name = "wget",
    .summary = "retrieve files from the web",
    .synopsis = "[OPTION]... [URL]...",
    .options = kOptions,
    .usage_status = 2,
    .cuts_own_name = true,
    .needs_network = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
