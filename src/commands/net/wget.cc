// wget - retrieve files from the web
//
// usage: wget [OPTION]... [URL]...
// Writes what HTTP and HTTPS servers answer to files named after the URLs. Only in sandboxes whose policy allows hosts; each host,
// redirect and address goes through the policy (docs/virtual-network.md).
//
// Exit status: 0; 1 any other problem; 2 usage; 3 files; 4 network (also: the policy denies it); 5 certificates; 6 authentication; 8 the server's error.
// Source: GNU Wget 1.21.3.
// Differs: http and https alone; no proxies and WARC; -d tells the heads of requests and answers alone, without sockets; SSLv2 and SSLv3 are refused; --pinnedpubkey takes hashes alone; what is about FTP has nothing to do; --restrict-file-names knows bytes; a transfer that breaks off begins
// again from its start; a bad number for --tries is refused; no address is shown, because the connection is made by the policy's engine.

#include "commands/net/wget.h"

#include <algorithm>
#include <charconv>

#include "text/regex.h"
#include "vfs/file_system.h"

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
    else if (letter == 'H') options.names_no_host = true;
    else if (letter == 'p') options.stays_below = true;
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

inline constexpr char kReadTimeout[] = "--read-timeout", kDnsTimeout[] = "--dns-timeout", kWaitRetry[] = "--waitretry", kCutDirs[] = "--cut-dirs", kStartPos[] = "--start-pos";
template <auto kMember, auto& kName>
Status SetTime(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseTime(text, kName));
  return {};
}
template <auto kMember, auto& kName>
Status SetNumber(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseNumber(text, kName));
  return {};
}
// A list with commas; given again, it grows.
template <auto kMember>
Status AddList(Options& options, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) (options.*kMember).emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}
Status SetDepth(Options& options, std::string_view text) {
  options.has_depth = true;
  PADDOCK_ASSIGN(options.depth, ParseNumber(text, "--level"));
  return {};
}
Status Mirror(Options& options, std::string_view) {
  options.is_recursive = options.timestamps = true;
  if (!options.has_depth) options.depth = 0;
  return {};
}
Status SetQuota(Options& options, std::string_view text) {
  if (text == "inf") {
    options.quota = 0;
    return {};
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const double factor = unit.empty() ? 1 : unit == "k" || unit == "K" ? 1024 : unit == "m" || unit == "M" ? 1024 * 1024 : unit == "g" || unit == "G" ? 1024.0 * 1024 * 1024 : 0;
  if (problem != std::errc() || factor == 0 || !(value >= 0) || value * factor > 1e18) return Error(Code::kInvalid, "--quota: Invalid byte value ‘" + std::string(text) + "’");
  options.quota = static_cast<int64_t>(value * factor);
  return {};
}
Status SetBackups(Options& options, std::string_view text) {
  options.backups = 1;
  if (text.data() == nullptr) return {};
  PADDOCK_ASSIGN(options.backups, ParseNumber(text, "--backups"));
  options.backups = std::min<int64_t>(options.backups, 1000);
  return {};
}
Status SetCompression(Options& options, std::string_view text) {
  if (text != "auto" && text != "gzip" && text != "none") return Error(Code::kInvalid, "--compression: Invalid value ‘" + std::string(text) + "’.");
  options.compression = text;
  return {};
}
Status SetRestriction(Options& options, std::string_view text) {
  constexpr std::string_view kModes[] = {"unix", "windows", "vms", "lowercase", "uppercase", "nocontrol", "ascii"};
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    if (std::find(std::begin(kModes), std::end(kModes), rest.substr(0, end)) == std::end(kModes)) {
      return Error(Code::kInvalid, "--restrict-file-names: Invalid restriction ‘" + std::string(text) + "’,\n    use [unix|vms|windows],[lowercase|uppercase],[nocontrol],[ascii].");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options.restrict_names = text;
  return {};
}
Status SetProgress(Options& options, std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(':'));
  const std::string_view style = kind.size() < text.size() ? text.substr(kind.size() + 1) : std::string_view();
  if (kind != "dot" && kind != "bar") return Error(Code::kInvalid, "--progress: Invalid progress type ‘" + std::string(text) + "’.");
  // A bar is for terminals, of which there is none: dots come instead.
  if (kind == "bar" || style.empty() || style == "default") options.dots = {};
  else if (style == "binary") options.dots = {8192, 16, 48};
  else if (style == "mega") options.dots = {65536, 8, 48};
  else if (style == "giga") options.dots = {1 << 20, 8, 32};
  else return Error(Code::kInvalid, "Invalid dot style specification ‘" + std::string(style) + "’");
  return {};
}
Status SetFamily(Options& options, std::string_view text) {
  using proc::AddressFamily;
  constexpr std::pair<std::string_view, AddressFamily> kFamilies[] = {{"none", AddressFamily::kAny}, {"ipv4", AddressFamily::kV4First}, {"ipv6", AddressFamily::kV6First}};
  std::string name(text);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, family] : kFamilies) {
    if (known != name) continue;
    options.family = family;
    return {};
  }
  return Error(Code::kInvalid, "--prefer-family: Invalid value ‘" + std::string(text) + "’.");
}
Status SetSpeedReport(Options& options, std::string_view text) {
  if (text != "bits") return Error(Code::kInvalid, "--report-speed: Invalid value ‘" + std::string(text) + "’.");
  options.tells_bits = true;
  return {};
}
Status SetRetriedCodes(Options& options, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    PADDOCK_ASSIGN(const int64_t code, ParseNumber(text.substr(0, end), "--retry-on-http-error"));
    options.retried_codes.push_back(static_cast<int>(std::min<int64_t>(code, 1000)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}
Status SetRegexType(Options& options, std::string_view text) {
  if (text != "posix" && text != "pcre") return Error(Code::kInvalid, "--regex-type: Invalid value ‘" + std::string(text) + "’.");
  options.regex_type = text;
  return {};
}
template <auto kMember>
Status SetRegex(Options& options, std::string_view text) {
  options.*kMember = text;
  if (Regex::Compile(text, {.dialect = RegexDialect::kExtended})) return {};
  return Error(Code::kInvalid, "Invalid regular expression ‘" + std::string(text) + "’");
}
template <auto kMember, bool kIsKey>
Status SetKeyType(Options& options, std::string_view text) {
  const bool is_der = text == "DER" || text == "der" || text == "ASN1" || text == "asn1";
  if (!is_der && text != "PEM" && text != "pem") return Error(Code::kInvalid, std::string(kIsKey ? "--private-key-type" : "--certificate-type") + ": Invalid value ‘" + std::string(text) + "’.");
  options.*kMember = is_der;
  return {};
}
Status SetSecureProtocol(Options& options, std::string_view text) {
  using Tls = proc::HttpRequest::Tls;
  constexpr std::pair<std::string_view, Tls> kKnown[] = {{"auto", Tls::kAny}, {"TLSv1", Tls::k10}, {"TLSv1_1", Tls::k11}, {"TLSv1_2", Tls::k12}, {"TLSv1_3", Tls::k13}, {"PFS", Tls::kAny}};
  for (const auto& [name, least] : kKnown) {
    if (name != text) continue;
    options.least_tls = least;
    options.has_forward_secrecy = text == "PFS";
    return {};
  }
  return Error(Code::kInvalid, "--secure-protocol: Invalid value ‘" + std::string(text) + "’.");
}
Status SetAskpass(Options& options, std::string_view text) {
  options.askpass = text;
  options.has_askpass = true;
  return {};
}
Status Execute(Options& options, std::string_view text);
// Options about FTP and proxies, of which there are none.
Status AsItIs(Options&, std::string_view) { return {}; }

// What steers --warc-file, which is refused, does nothing by itself.
Status OfWarcAlone(Options&, std::string_view) { return {}; }

constexpr Option kOptions[] = {
    Flag<&Options::version>('V', "version", "show the version"),
    Flag<&Options::help>('h', "help", "this text"),
    Value<&Options::log>('o', "output-file", "FILE", "write messages to FILE"),
    Value<&Options::log_append>('a', "append-output", "FILE", "append messages to FILE"),
    Set<&Options::noise, Noise::kQuiet>('q', "quiet", "write no messages"),
    Set<&Options::noise, Noise::kNormal>('v', "verbose", "write all messages (default)"),
    Set<&Options::noise, Noise::kBrief>(0, "no-verbose", "write a line for each file (-nv)"),
    Call<SetNo>('n', nullptr, "LETTERS", "-nv, -nc, -nd, -nH, -np: as --no-verbose, --no-clobber, --no-directories, --no-host-directories, --no-parent"),
    Value<&Options::input>('i', "input-file", "FILE", "fetch the URLs in FILE"),
    Call<SetTries>('t', "tries", "NUMBER", "tries after a passing failure (20; 0: without end)"),
    Flag<&Options::retries_refused>(0, "retry-connrefused", "try again when the connection is refused"),
    Value<&Options::output>('O', "output-document", "FILE", "write all documents to FILE"),
    Flag<&Options::no_clobber>(0, "no-clobber", "leave files that are there alone (-nc)"),
    Flag<&Options::continues>('c', "continue", "go on behind what the file has"),
    Flag<&Options::timestamps>('N', "timestamping", "fetch only what is newer than the file"),
    Flag<&Options::asks_head_first>(0, "no-if-modified-since", "with -N, ask for the head first, not with a condition"),
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
    Flag<&Options::asks_password>(0, "ask-password", "ask for the password"),
    Call<SetAskpass>(0, "use-askpass", "COMMAND", "ask COMMAND for name and password; empty: $WGET_ASKPASS or $SSH_ASKPASS"),
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
    Flag<&Options::reads_no_config>(0, "no-config", "read no .wgetrc"),
    Value<&Options::config>(0, "config", "FILE", "read FILE and no .wgetrc"),
    Call<Execute>('e', "execute", "COMMAND", "do what COMMAND says, as if it stood in .wgetrc"),
    Flag<&Options::goes_to_background>('b', "background", "go on in the background"),
    Flag<&Options::is_in_background>(0, "in-background", nullptr),
    Flag<&Options::debugs>('d', "debug", "show the heads of requests and answers"),
    Flag<&Options::shows_progress>(0, "show-progress", "show progress with -q and -nv, too"),
    Flag<&Options::ignores_length>(0, "ignore-length", "mind no Content-Length"),
    Call<OfWarcAlone>(0, "no-warc-compression", nullptr, "of WARC files, of which none is written"),
    Call<OfWarcAlone>(0, "no-warc-digests", nullptr, "the same"),
    Call<OfWarcAlone>(0, "no-warc-keep-log", nullptr, "the same"),
    Call<OfWarcAlone>(0, "warc-tempdir", "DIRECTORY", "the same"),
    Call<OfWarcAlone>(0, "warc-header", "STRING", "the same"),
    Call<OfWarcAlone>(0, "warc-max-size", "NUMBER", "the same"),
    Call<OfWarcAlone>(0, "warc-cdx", nullptr, "the same"),
    Call<OfWarcAlone>(0, "warc-dedup", "FILENAME", "the same"),
    Flag<&Options::has_no_hsts>(0, "no-hsts", "keep no list of hosts that want https"),
    Value<&Options::hsts_file>(0, "hsts-file", "FILE", "where that list is (~/.wget-hsts)"),
    Set<&Options::family, proc::AddressFamily::kV4>('4', "inet4-only", "connect to IPv4 addresses alone"),
    Set<&Options::family, proc::AddressFamily::kV6>('6', "inet6-only", "connect to IPv6 addresses alone"),
    Call<SetFamily>(0, "prefer-family", "FAMILY", "connect to these addresses first: IPv4, IPv6 or none"),
    Flag<&Options::holds_always>(0, "no-iri", "convert no URLs (they are bytes, always)"),
    Flag<&Options::holds_always>(0, "no-netrc", "read no .netrc (none is ever read)"),
    Flag<&Options::holds_always>(0, "no-proxy", "use no proxy (none is ever used)"),
    Value<&Options::default_page>(0, "default-page", "NAME", "name of a file without one (index.html)"),
    Flag<&Options::is_insecure>(0, "no-check-certificate", "take any certificate"),
    Flag<&Options::forces_directories>('x', "force-directories", "make directories as the URL has them"),
    Flag<&Options::names_no_host>(0, "no-host-directories", "but none for the host (-nH)"),
    Flag<&Options::names_scheme>(0, "protocol-directories", "and one for the protocol"),
    Call<SetNumber<&Options::cut_directories, kCutDirs>>(0, "cut-dirs", "NUMBER", "without the first NUMBER of the path"),
    Flag<&Options::adjusts_extension>('E', "adjust-extension", "let the names of HTML and CSS end so"),
    Flag<&Options::trusts_redirects>(0, "trust-server-names", "name the file after the URL that redirects lead to"),
    Call<SetRestriction>(0, "restrict-file-names", "MODES", "unix, windows, nocontrol, ascii, lowercase, uppercase"),
    Flag<&Options::unlinks>(0, "unlink", "remove a file before it is written again"),
    CallOptional<SetBackups>(0, "backups", "N", "keep N files that were there"),
    Flag<&Options::saves_heads>(0, "save-headers", "write the answer's head into the file, too"),
    Call<SetNumber<&Options::start_at, kStartPos>>(0, "start-pos", "OFFSET", "fetch from this byte on"),
    Flag<&Options::forces_html>('F', "force-html", "the file of -i is HTML"),
    Value<&Options::base>('B', "base", "URL", "what links of -i are relative to"),
    Call<SetQuota>('Q', "quota", "NUMBER", "fetch no further file after so many bytes"),
    Call<SetTime<&Options::read_timeout, kReadTimeout>>(0, "read-timeout", "SECS", "longest time without a byte"),
    Call<SetTime<&Options::dns_timeout, kDnsTimeout>>(0, "dns-timeout", "SECS", "longest time for a name"),
    Call<SetTime<&Options::wait_retry, kWaitRetry>>(0, "waitretry", "SECONDS", "longest wait between tries (10)"),
    Flag<&Options::waits_randomly>(0, "random-wait", "wait between half and one and a half of --wait"),
    Call<SetRetriedCodes>(0, "retry-on-http-error", "CODES", "try again after these answers"),
    Call<SetProgress>(0, "progress", "TYPE", "dot, dot:binary, dot:mega, dot:giga"),
    Call<SetSpeedReport>(0, "report-speed", "TYPE", "bits: speeds in bits"),
    Flag<&Options::sends_auth_first>(0, "auth-no-challenge", "send the password without being asked"),
    Flag<&Options::closes_connections>(0, "no-http-keep-alive", "a connection for each request"),
    Call<SetCompression>(0, "compression", "TYPE", "auto, gzip or none"),
    Flag<&Options::refuses_cookies>(0, "no-cookies", "keep no cookies"),
    Value<&Options::load_cookies>(0, "load-cookies", "FILE", "read cookies from FILE"),
    Value<&Options::save_cookies>(0, "save-cookies", "FILE", "write cookies to FILE"),
    Flag<&Options::keeps_session_cookies>(0, "keep-session-cookies", "and those that end with the session"),
    Flag<&Options::is_recursive>('r', "recursive", "fetch what pages link to, too"),
    Call<SetDepth>('l', "level", "NUMBER", "most links away (5; inf or 0: any)"),
    Flag<&Options::deletes_after>(0, "delete-after", "delete files when they are there"),
    Flag<&Options::converts_links>('k', "convert-links", "let links lead to the files"),
    Flag<&Options::converts_names>(0, "convert-file-only", "change only the names in links"),
    Flag<&Options::backs_up_converted>('K', "backup-converted", "keep FILE.orig before that"),
    Call<Mirror>('m', "mirror", nullptr, "the same as -r -N -l inf"),
    Flag<&Options::needs_requisites>('p', "page-requisites", "fetch images and styles of pages"),
    Flag<&Options::has_strict_comments>(0, "strict-comments", "comments of HTML as SGML has them"),
    Call<AddList<&Options::accepted>>('A', "accept", "LIST", "only names that end or match so"),
    Call<AddList<&Options::rejected>>('R', "reject", "LIST", "not these"),
    Call<SetRegex<&Options::accept_regex>>(0, "accept-regex", "REGEX", "only URLs that match"),
    Call<SetRegex<&Options::reject_regex>>(0, "reject-regex", "REGEX", "not these"),
    Call<SetRegexType>(0, "regex-type", "TYPE", "posix or pcre"),
    Call<AddList<&Options::domains>>('D', "domains", "LIST", "only hosts of these domains"),
    Call<AddList<&Options::excluded_domains>>(0, "exclude-domains", "LIST", "not these"),
    Call<AddList<&Options::followed_tags>>(0, "follow-tags", "LIST", "only links of these tags"),
    Call<AddList<&Options::ignored_tags>>(0, "ignore-tags", "LIST", "not these"),
    Flag<&Options::ignores_case>(0, "ignore-case", "names match in any case"),
    Flag<&Options::spans_hosts>('H', "span-hosts", "go to other hosts"),
    Flag<&Options::relative_only>('L', "relative", "follow relative links only"),
    Call<AddList<&Options::directories>>('I', "include-directories", "LIST", "only these directories"),
    Call<AddList<&Options::excluded_directories>>('X', "exclude-directories", "LIST", "not these"),
    Flag<&Options::stays_below>(0, "no-parent", "stay below the first URL's directory (-np)"),
    Flag<&Options::https_only>(0, "https-only", "follow HTTPS links only"),
    Value<&Options::rejected_log>(0, "rejected-log", "FILE", "write the links that are not followed to FILE"),
    Flag<&Options::holds_always>(0, "no-dns-cache", "keep no addresses (none are ever kept)"),
    Flag<&Options::holds_always>(0, "xattr", "keep the URL in extended attributes, which files do not have"),
    Call<AsItIs>(0, "proxy-user", "USER", "of proxies, of which there are none"),
    Call<AsItIs>(0, "proxy-password", "PASS", "likewise"),
    Call<AsItIs>(0, "ftp-user", "USER", "of FTP, which there is not"),
    Call<AsItIs>(0, "ftp-password", "PASS", "likewise"),
    Call<AsItIs>(0, "no-remove-listing", nullptr, "likewise"),
    Call<AsItIs>(0, "no-glob", nullptr, "likewise"),
    Call<AsItIs>(0, "no-passive-ftp", nullptr, "likewise"),
    Call<AsItIs>(0, "preserve-permissions", nullptr, "likewise"),
    Call<AsItIs>(0, "retr-symlinks", nullptr, "likewise"),
    Call<AsItIs>(0, "follow-ftp", nullptr, "likewise"),
    Call<AsItIs>(0, "ftps-implicit", nullptr, "likewise"),
    Call<AsItIs>(0, "ftps-resume-ssl", nullptr, "likewise"),
    Call<AsItIs>(0, "ftps-clear-data-connection", nullptr, "likewise"),
    Call<AsItIs>(0, "ftps-fallback-to-ftp", nullptr, "likewise"),
    Value<&Options::ca_file>(0, "ca-certificate", "FILE", "trust the authorities of FILE (PEM) alone"),
    Value<&Options::ca_directory>(0, "ca-directory", "DIR", "trust those of DIR's files (PEM), not the system's"),
    Value<&Options::certificate>(0, "certificate", "FILE", "the client's certificate"),
    Call<SetKeyType<&Options::is_certificate_der, false>>(0, "certificate-type", "TYPE", "PEM or DER"),
    Value<&Options::private_key>(0, "private-key", "FILE", "the client's private key"),
    Call<SetKeyType<&Options::is_key_der, true>>(0, "private-key-type", "TYPE", "PEM or DER"),
    Value<&Options::pinned_key>(0, "pinnedpubkey", "HASHES", "sha256//HASH[;sha256//HASH]...: the server's key must be one of these"),
    Call<SetSecureProtocol>(0, "secure-protocol", "PR", "auto, TLSv1, TLSv1_1, TLSv1_2, TLSv1_3: no older ones; PFS: keys of the session alone"),
};

Status Execute(Options& options, std::string_view text) {
  const auto command = wget::ParseRcCommand(text);
  const Status done = command ? wget::ApplyRcCommand(options, kOptions, *command) : Status(Code::kSyntax);
  if (done || done.error().code == Code::kInvalid) return done;
  return Error(Code::kInvalid, "Invalid --execute command ‘" + std::string(text) + "’");
}

// What .wgetrc says, or the file of --config; false after complaints.
bool Configure(Invocation& in, Options& options) {
  Options asked;
  if (!ParseOptions(in.args, kOptions, &asked) || asked.reads_no_config) return true;
  if (!asked.config.empty()) return wget::ReadRcFile(in, options, kOptions, asked.config);
  if (in.fs.Stat("/etc/wgetrc") && !wget::ReadRcFile(in, options, kOptions, "/etc/wgetrc")) return false;
  std::string path(in.env.Get("WGETRC", ""));
  if (const auto home = in.env.Get("HOME"); path.empty() && home) path = vfs::JoinPath(*home, ".wgetrc");
  return path.empty() || !in.fs.Stat(path) || wget::ReadRcFile(in, options, kOptions, path);
}

// -b: the same once more, beside the caller.
ExitStatus GoOnInBackground(Invocation& in, const Options& options) {
  ChildSpec spec{.args = {in.args[0], "--in-background"}, .environment = &in.env};
  std::string log;
  if (options.log.empty() && options.log_append.empty() && options.noise != Noise::kQuiet) {
    log = "wget-log";
    for (int number = 1; in.fs.Stat(log, vfs::Follow::kNo); ++number) {
      in.budget.Step();
      log = "wget-log." + std::to_string(number);
    }
    spec.args.insert(spec.args.end(), {"-o", log});
  }
  spec.args.insert(spec.args.end(), in.args.begin() + 1, in.args.end());
  spec.own_group = true;
  const auto pid = in.launcher.Spawn(in.process, spec);
  if (!pid) return in.Fail("fork", pid.error());
  in.out.Write("Continuing in background, pid " + std::to_string(*pid) + ".\n");
  if (!log.empty()) in.out.Write("Output will be written to ‘" + log + "’.\n");
  return 0;
}

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

// False where the answer is empty.
bool AskPassword(Invocation& in, Options& options) {
  in.err.Write(options.user.empty() ? "Password: " : "Password for user ‘" + options.user + "’: ");
  const auto terminal = in.fs.Open("/dev/tty", vfs::OpenFlags::Read());
  std::optional<Input> own;
  if (terminal && (*terminal)->is_terminal()) own.emplace(**terminal, in.budget);
  if (const auto line = (own ? *own : in.in).ReadLine()) options.password = line->text;
  return !options.password.empty();
}

ExitStatus Run(Invocation& in) {
  Options options;
  if (!Configure(in, options)) return 2;
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
  if (options.asks_password && !options.password.empty()) {
    in.err.Write("Cannot specify both --ask-password and --password.\nUsage: " + std::string(in.name()) + " [OPTION]... [URL]...\n");
    return 1;
  }
  if (options.asks_password && options.user.empty()) in.err.Write("WARNING: No username set with --ask-password. This is usually not what you want.\n");
  if (parsed->operands.empty() && options.input.empty()) return Complain(in, "missing URL", 1);
  if (const auto conflict = Conflict(options)) {
    in.err.Write(*conflict + "\n");
    return 1;
  }
  if (options.asks_password && !AskPassword(in, options)) return 1;
  if (options.has_askpass && options.askpass.empty()) options.askpass = in.env.Get("WGET_ASKPASS", in.env.Get("SSH_ASKPASS", ""));
  if (options.has_askpass && options.askpass.empty()) {
    in.err.Write("use-askpass requires a string or either environment variable WGET_ASKPASS or SSH_ASKPASS to be set.\n");
    return 2;
  }
  if (options.goes_to_background && !options.is_in_background) return GoOnInBackground(in, options);
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
