#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "commands/net/curl.h"

namespace paddock::curl {
namespace {

using Data = DataItem::Kind;

template <Data kKind>
Status AddData(Options& options, std::string_view text) {
  options.data.push_back({kKind, std::string(text)});
  return {};
}
Status AddForm(Options& options, std::string_view text) {
  options.form.push_back({std::string(text), false});
  return {};
}
Status AddFormString(Options& options, std::string_view text) {
  options.form.push_back({std::string(text), true});
  return {};
}
Status AddSink(Options& options, std::string_view text) {
  options.sinks.push_back({false, std::string(text)});
  return {};
}
Status AddRemoteName(Options& options, std::string_view) {
  options.sinks.push_back({true, ""});
  return {};
}
Status AddEmptyUserAgent(Options& options, std::string_view text) {
  options.user_agent = text;
  return {};
}
template <auto kMember>
Status SetSeconds(Options& options, std::string_view text) {
  double seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (problem != std::errc() || end != text.data() + text.size()) return Error(Code::kInvalid, "expected a proper numerical parameter");
  if (!(seconds >= 0) || seconds > 1e9) return Error(Code::kInvalid, "expected a positive numerical parameter");
  options.*kMember = Nanoseconds(static_cast<int64_t>(seconds * 1e9));
  return {};
}
template <auto kMember>
Status SetCount(Options& options, std::string_view text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return Error(Code::kInvalid, "expected a proper numerical parameter");
  if (value < (kMember == &Options::max_redirects ? -1 : 0)) return Error(Code::kInvalid, "expected a positive numerical parameter");
  options.*kMember = value;
  return {};
}
// 100k, 3M, 1G.
Result<int64_t> ParseSize(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  double factor = 1;
  if (!unit.empty()) {
    switch (unit[0] | 0x20) {
      case 'b': break;
      case 'k': factor = 1024; break;
      case 'm': factor = 1024.0 * 1024; break;
      case 'g': factor = 1024.0 * 1024 * 1024; break;
      default: return Error(Code::kRange, "is badly used here");
    }
    unit.remove_prefix(1);
  }
  if (problem != std::errc() || !unit.empty() || !(value >= 0) || value * factor > 9e18) return Error(Code::kInvalid, "is badly used here");
  return static_cast<int64_t>(value * factor);
}
Status SetRate(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(const int64_t size, ParseSize(text));
  options.most_bytes_a_second = static_cast<uint64_t>(size);
  return {};
}
Status SetMaxFileSize(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.max_file_size, ParseSize(text));
  return {};
}
Status SetLowTime(Options& options, std::string_view text) {
  PADDOCK_TRY(SetCount<&Options::low_speed_seconds>(options, text));
  if (options.low_speed_limit == 0) options.low_speed_limit = 1;
  return {};
}
Status SetLowLimit(Options& options, std::string_view text) {
  PADDOCK_TRY(SetCount<&Options::low_speed_limit>(options, text));
  if (options.low_speed_seconds == 0) options.low_speed_seconds = 30;
  return {};
}
Status AddJson(Options& options, std::string_view text) {
  options.data.push_back({Data::kJson, std::string(text)});
  return {};
}

using Tls = proc::HttpRequest::Tls;
Status SetMostTls(Options& options, std::string_view text) {
  constexpr std::pair<std::string_view, Tls> kNames[] = {{"default", Tls::kAny}, {"1.0", Tls::k10}, {"1.1", Tls::k11}, {"1.2", Tls::k12}, {"1.3", Tls::k13}};
  for (const auto& [name, version] : kNames) {
    if (name != text) continue;
    options.most_tls = version;
    return {};
  }
  return Error(Code::kInvalid, "is badly used here");
}
// "=https", "-all,+http", "https,http": what is left of http and https.
template <auto kMember>
Status SetProtocols(Options& options, std::string_view text) {
  std::string& chosen = options.*kMember;
  bool http = chosen.empty() || chosen.find("http,") == 0 || chosen == "http", https = chosen.empty() || chosen.find("https") != std::string::npos;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const char mark = word.empty() ? '\0' : word[0];
    if (mark == '+' || mark == '-' || mark == '=') word.remove_prefix(1);
    const bool value = mark != '-';
    // A name without a mark is allowed in addition; "=" begins anew.
    if (mark == '=') http = https = false;
    if (word == "http" || word == "all") http = value;
    if (word == "https" || word == "all") https = value;
  }
  chosen = http ? (https ? "http,https" : "http") : https ? "https" : kNoProtocol;
  // libcurl has no word for none; for redirects it is hardly meant.
  if (chosen == kNoProtocol && kMember == &Options::redirect_protocols) return Error(Code::kInvalid, "leaves neither http nor https");
  return {};
}
Status SetDefaultProtocol(Options& options, std::string_view text) {
  if (text != "http" && text != "https") return Error(Code::kNotSupported, "a specified protocol is unsupported by libcurl");
  options.default_protocol = text;
  return {};
}
Status SetExpectTimeout(Options& options, std::string_view text) {
  Options parsed;
  PADDOCK_TRY(SetSeconds<&Options::connect_timeout>(parsed, text));
  options.expect_timeout = parsed.connect_timeout;
  return {};
}
Status SetNetrcFile(Options& options, std::string_view text) {
  options.netrc_file = text;
  if (options.netrc == Options::Netrc::kIgnored) options.netrc = Options::Netrc::kRequired;
  return {};
}

// "2/s", "10/m", "3/h", "100/d".
Status SetTransferRate(Options& options, std::string_view text) {
  int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (problem != std::errc() || count <= 0 || (!unit.empty() && unit[0] != '/')) return Error(Code::kInvalid, "expected a proper numerical parameter");
  int64_t seconds = 3600;
  if (unit == "/s") seconds = 1;
  else if (unit == "/m") seconds = 60;
  else if (unit == "/d") seconds = 86400;
  else if (!unit.empty() && unit != "/h") return Error(Code::kUnavailable, "is badly used here");
  options.between_transfers = Nanoseconds(seconds * 1'000'000'000 / count);
  return {};
}
// Up to the password, which no key of ours has.
Status SetCertificate(Options& options, std::string_view text) {
  options.certificate = text;
  return {};
}
template <auto kMember>
Status SetType(Options& options, std::string_view text) {
  if (text == "DER" || text == "der") options.*kMember = true;
  else if (text == "PEM" || text == "pem") options.*kMember = false;
  else options.has_unknown_type = true;   // which matters where it is used
  return {};
}
Status SetPinned(Options& options, std::string_view text) {
  if (!text.starts_with("sha256//")) return Error(Code::kInvalid, "takes sha256//HASH here, no file");
  options.pinned_key = text;
  return {};
}
template <bool kIsHexadecimal>
Status SetTrace(Options& options, std::string_view text) {
  options.trace_file = text;
  options.traces_in_hexadecimal = kIsHexadecimal;
  return {};
}
Status SetTlsPassword(Options& options, std::string_view) {
  options.wants_tls_password = true;
  return {};
}
Status SetHostFile(Options& options, std::string_view) {
  options.wants_host_file = true;
  return {};
}
Status CheckHostKey(Options&, std::string_view text) {
  return text.size() == 32 ? Status() : Error(Code::kInvalid, "is badly used here");
}
// "HOST:PORT:ADDRESS[,ADDRESS]...": requests for that place go to the first address. "-HOST:PORT" takes it back.
Status AddResolved(Options& options, std::string_view text) {
  if (text.starts_with('-')) {
    std::erase_if(options.connect_to, [text](const std::string& entry) { return entry.starts_with(std::string(text.substr(1)) + ":"); });
    return {};
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  const size_t host = text.find(':'), port = host == std::string_view::npos ? host : text.find(':', host + 1);
  std::string address(port == std::string_view::npos ? "" : text.substr(port + 1, text.find(',', port) - port - 1));
  const std::string_view name = text.substr(0, host), number = port == std::string_view::npos ? "" : text.substr(host + 1, port - host - 1);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  unsigned char bytes[16];
  const bool is_v6 = inet_pton(AF_INET6, address.c_str(), bytes) == 1;
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos || (!is_v6 && inet_pton(AF_INET, address.c_str(), bytes) != 1)) {
    options.unresolved = text;
    return {};
  }
  if (is_v6) address = "[" + address + "]";
  options.connect_to.push_back((name == "*" ? std::string() : std::string(name)) + ":" + std::string(number) + ":" + address + ":" + std::string(number));
  return {};
}
// "if!NAME" is an interface, "host!NAME" an address.
Status SetInterface(Options& options, std::string_view text) {
  options.interface = text;
  return {};
}
Status SetProxyTls(Options& options, std::string_view text) {
  options.wants_proxy_password = true;
  return text == "SRP" ? Status() : Error(Code::kInvalid, "the installed libcurl version doesn't support this");
}
Status RefuseMetalink(Options&, std::string_view) { return Error(Code::kExists, "is badly used here"); }
Status NotThere(Options&, std::string_view) { return Error(Code::kInvalid, "the installed libcurl version doesn't support this"); }
// Options that change nothing of what an HTTP transfer without a proxy does.
Status Nothing(Options&, std::string_view) { return {}; }
Status NothingButNumber(Options& options, std::string_view text) {
  const int64_t kept = options.retries;
  const Status parsed = SetCount<&Options::retries>(options, text);
  options.retries = kept;
  return parsed;
}

Status IgnoreSsl2(Options& options, std::string_view) {
  options.warning = "Ignores instruction to use SSLv2";
  return {};
}
Status IgnoreSsl3(Options& options, std::string_view) {
  options.warning = "Ignores instruction to use SSLv3";
  return {};
}
Status IgnoreDelegation(Options& options, std::string_view text) {
  if (text != "none" && text != "policy" && text != "always") options.warning = "unrecognized delegation method '" + std::string(text) + "', using none";
  return {};
}
Status IgnoreFileMode(Options&, std::string_view text) {
  if (text.empty() || text.find_first_not_of("01234567") != std::string_view::npos) return Error(Code::kInvalid, "expected a proper numerical parameter");
  return {};
}

using proc::AddressFamily;
using proc::HttpAuth;
using proc::HttpVersion;

constexpr Option kOptions[] = {
    Set<&Options::auth, HttpAuth::kAny>(0, "anyauth", "use the best authentication that the server offers"),
    Set<&Options::family, AddressFamily::kV4>('4', "ipv4", "connect to IPv4 addresses alone"),
    Set<&Options::family, AddressFamily::kV6>('6', "ipv6", "connect to IPv6 addresses alone"),
    Value<&Options::connect_to>(0, "connect-to", "HOST1:PORT1:HOST2:PORT2", "send requests for HOST1:PORT1 to HOST2:PORT2, which the policy judges"),
    Call<AddResolved>(0, "resolve", "[+]host:port:addr[,addr]...", "the same with an address"),
    Value<&Options::hsts_file>(0, "hsts", "file name", "read there which hosts want https, and keep them there"),
    Value<&Options::alternatives_file>(0, "alt-svc", "file name", "read there which other places serve hosts, and keep them there"),
    Call<SetInterface>(0, "interface", "name", "connect from this interface: lo is the only one"),
    Flag<&Options::keeps_attributes>(0, "xattr", "keep where a file came from in attributes, which files do not have: a warning"),
    Call<SetProxyTls>(0, "proxy-tlsauthtype", "type", "TLS with passwords, which Debian's library refuses proxies"),
    Call<NotThere>(0, "dns-interface", "interface", "not in this build of the library, as in Debian's"),
    Call<NotThere>(0, "dns-ipv4-addr", "address", "the same"),
    Call<NotThere>(0, "dns-ipv6-addr", "address", "the same"),
    Call<NotThere>(0, "dns-servers", "addresses", "the same"),
    Call<RefuseMetalink>(0, "metalink", nullptr, "is disabled, as in Debian's"),
    Set<&Options::auth, HttpAuth::kBasic>(0, "basic", "use basic authentication (default)"),
    Value<&Options::cacert>(0, "cacert", "file", "trust the authorities of this file (PEM) alone"),
    Value<&Options::ciphers>(0, "ciphers", "list", "OpenSSL ciphers to use, up to TLS 1.2"),
    Flag<&Options::compressed>(0, "compressed", "ask for a compressed answer, and decompress it"),
    Value<&Options::configs>('K', "config", "file", "read options from a file"),
    Call<SetSeconds<&Options::connect_timeout>>(0, "connect-timeout", "seconds", "longest time for a connection"),
    Value<&Options::resume>('C', "continue-at", "offset", "go on behind so many bytes; - for what the output file has"),
    Value<&Options::cookies>('b', "cookie", "data|file", "send cookies, of a text or a file"),
    Value<&Options::cookie_jar>('c', "cookie-jar", "file", "write cookies there at the end"),
    Flag<&Options::create_dirs>(0, "create-dirs", "make the directories of output files"),
    Call<AddData<Data::kAscii>>('d', "data", "data", "send data with POST"),
    Call<AddData<Data::kAscii>>(0, "data-ascii", "data", "the same"),
    Call<AddData<Data::kBinary>>(0, "data-binary", "data", "send data with POST as they are"),
    Call<AddData<Data::kRaw>>(0, "data-raw", "data", "send data with POST, @ has no meaning"),
    Call<AddData<Data::kUrlEncode>>(0, "data-urlencode", "data", "send data with POST, encoded for URLs"),
    Set<&Options::auth, HttpAuth::kDigest>(0, "digest", "use digest authentication"),
    Flag<&Options::refuses_user_in_url>(0, "disallow-username-in-url", "take no URL with a user name"),
    Flag<&Options::no_config>('q', "disable", "as the first option: read no .curlrc"),
    Value<&Options::dump_header>('D', "dump-header", "filename", "write the heads of answers there"),
    Value<&Options::etag_compare>(0, "etag-compare", "file", "ask only for what differs from the ETag in the file"),
    Value<&Options::etag_save>(0, "etag-save", "file", "write the answer's ETag there"),
    Call<SetExpectTimeout>(0, "expect100-timeout", "seconds", "longest wait for \"100 Continue\""),
    Flag<&Options::fail>('f', "fail", "fail without output when the server says 400 or above"),
    Flag<&Options::fail_early>(0, "fail-early", "end with the first transfer that fails"),
    Flag<&Options::fail_with_body>(0, "fail-with-body", "fail then, too, but with the output"),
    Call<AddForm>('F', "form", "name=content", "send a part of multipart data"),
    Call<AddFormString>(0, "form-string", "name=string", "the same, @ < and ; have no meaning"),
    Flag<&Options::get>('G', "get", "put the data of -d into the URL and use GET"),
    Flag<&Options::glob_off>('g', "globoff", "{} and [] in URLs have no meaning"),
    Flag<&Options::head>('I', "head", "show the head alone"),
    Value<&Options::headers>('H', "header", "header|@file", "send header fields"),
    Flag<&Options::help>('h', "help", "this text"),
    Set<&Options::http_version, HttpVersion::k10>('0', "http1.0", "use HTTP/1.0"),
    Set<&Options::http_version, HttpVersion::k11>(0, "http1.1", "use HTTP/1.1"),
    Set<&Options::http_version, HttpVersion::k2>(0, "http2", "use HTTP/2"),
    Set<&Options::http_version, HttpVersion::k2Alone>(0, "http2-prior-knowledge", "use HTTP/2 without asking; the policy's engine passes that in TLS alone"),
    Flag<&Options::ignores_length>(0, "ignore-content-length", "read to the end of the connection, whatever length is told"),
    Flag<&Options::include>('i', "include", "put the heads of answers into the output"),
    Flag<&Options::insecure>('k', "insecure", "take any certificate"),
    Call<AddJson>(0, "json", "data", "send JSON with POST"),
    Flag<&Options::junk_session>('j', "junk-session-cookies", "forget the session cookies of the file"),
    Call<SetRate>(0, "limit-rate", "speed", "most bytes a second"),
    Flag<&Options::follow>('L', "location", "follow redirects"),
    Flag<&Options::trusted>(0, "location-trusted", "the same, with the credentials to every host"),
    Call<SetMaxFileSize>(0, "max-filesize", "bytes", "largest answer"),
    Call<SetCount<&Options::max_redirects>>(0, "max-redirs", "num", "most redirects (50; -1: any number)"),
    Call<SetSeconds<&Options::max_time>>('m', "max-time", "seconds", "longest time for the transfer"),
    Set<&Options::netrc, Options::Netrc::kRequired>('n', "netrc", "take name and password from ~/.netrc"),
    Call<SetNetrcFile>(0, "netrc-file", "filename", "take them from this file"),
    Set<&Options::netrc, Options::Netrc::kOptional>(0, "netrc-optional", "take them from there unless the URL has them"),
    Flag<&Options::unbuffered>('N', "no-buffer", "write what comes at once"),
    Flag<&Options::no_clobber>(0, "no-clobber", "overwrite no file: number the name"),
    Flag<&Options::no_progress>(0, "no-progress-meter", "show no progress"),
    Value<&Options::bearer>(0, "oauth2-bearer", "token", "send a bearer token"),
    Call<AddSink>('o', "output", "file", "write the output there"),
    Value<&Options::output_dir>(0, "output-dir", "dir", "directory of output files"),
    Flag<&Options::path_as_is>(0, "path-as-is", "leave .. in paths as they are"),
    Flag<&Options::post301>(0, "post301", "stay with POST after a redirect 301"),
    Flag<&Options::post302>(0, "post302", "the same for 302"),
    Flag<&Options::post303>(0, "post303", "the same for 303"),
    Flag<&Options::bar>('#', "progress-bar", "show progress as a bar"),
    Call<SetProtocols<&Options::protocols>>(0, "proto", "protocols", "allow these of http and https: =https, -http"),
    Call<SetDefaultProtocol>(0, "proto-default", "protocol", "of URLs that have none"),
    Call<SetProtocols<&Options::redirect_protocols>>(0, "proto-redir", "protocols", "allow these for redirects"),
    Value<&Options::range>('r', "range", "range", "ask for these bytes alone"),
    Flag<&Options::is_raw>(0, "raw", "write what comes without decoding it"),
    Value<&Options::referer>('e', "referer", "URL", "send a referer; ;auto sets it when redirected"),
    Flag<&Options::header_name>('J', "remote-header-name", "with -O: the name that the server says"),
    Call<AddRemoteName>('O', "remote-name", nullptr, "write the output to a file of the URL's name"),
    Flag<&Options::all_remote_names>(0, "remote-name-all", "the same for all URLs"),
    Flag<&Options::keeps_time>('R', "remote-time", "give the output file the time that the server tells"),
    Flag<&Options::remove_on_error>(0, "remove-on-error", "remove the output file of a transfer that fails"),
    Value<&Options::method>('X', "request", "method", "use this method"),
    Call<SetCount<&Options::retries>>(0, "retry", "num", "try so many times more after a passing failure"),
    Flag<&Options::retry_all>(0, "retry-all-errors", "try again after every failure"),
    Flag<&Options::retry_refused>(0, "retry-connrefused", "try again when the connection is refused"),
    Call<SetSeconds<&Options::retry_delay>>(0, "retry-delay", "seconds", "time between tries"),
    Call<SetSeconds<&Options::retry_max_time>>(0, "retry-max-time", "seconds", "no try after that time"),
    Flag<&Options::show_error>('S', "show-error", "with -s: show errors"),
    Flag<&Options::silent>('s', "silent", "show neither progress nor errors"),
    Call<SetLowLimit>('Y', "speed-limit", "speed", "end a transfer that is slower for a while"),
    Call<SetLowTime>('y', "speed-time", "seconds", "that while (30)"),
    Value<&Options::stderr_file>(0, "stderr", "file", "write messages there"),
    Value<&Options::time_condition>('z', "time-cond", "time", "only what was changed after a time or a file; -time: before"),
    Call<SetMostTls>(0, "tls-max", "VERSION", "at most this TLS version"),
    Value<&Options::tls13_ciphers>(0, "tls13-ciphers", "list", "ciphers to use with TLS 1.3"),
    Set<&Options::least_tls, Tls::k10>('1', "tlsv1", "at least TLS 1.0"),
    Set<&Options::least_tls, Tls::k10>(0, "tlsv1.0", "the same"),
    Set<&Options::least_tls, Tls::k11>(0, "tlsv1.1", "at least TLS 1.1"),
    Set<&Options::least_tls, Tls::k12>(0, "tlsv1.2", "at least TLS 1.2"),
    Set<&Options::least_tls, Tls::k13>(0, "tlsv1.3", "at least TLS 1.3"),
    Value<&Options::uploads>('T', "upload-file", "file", "send a file; - is standard input"),
    Call<SetTrace<true>>(0, "trace", "file", "write what goes out and comes in there; - and % are standard output and error"),
    Call<SetTrace<false>>(0, "trace-ascii", "file", "the same as text"),
    Flag<&Options::tells_time>(0, "trace-time", "with the time of day, for -v, too"),
    Value<&Options::key_password>(0, "pass", "phrase", "of the private key"),
    Value<&Options::curves>(0, "curves", "algorithm list", "elliptic curves to use"),
    Flag<&Options::lacks_alpn>(0, "no-alpn", "tell no versions of HTTP in TLS"),
    Flag<&Options::escapes_form>(0, "form-escape", "quotes in the names of -F get a backslash"),
    Set<&Options::auth, HttpAuth::kNtlm>(0, "ntlm", "use NTLM authentication"),
    Set<&Options::auth, HttpAuth::kNone>(0, "negotiate", "use Kerberos, of which there are no tickets: nothing is sent"),
    Set<&Options::auth, HttpAuth::kNone>(0, "ntlm-wb", "use NTLM by winbind, which is not there: nothing is sent"),
    Flag<&Options::checks_status>(0, "cert-status", "the server has to tell the status of its certificate"),
    Value<&Options::engine>(0, "engine", "name", "of cryptography; list: which there are"),
    Call<SetTlsPassword>(0, "tlsauthtype", "type", "TLS with passwords, which https URLs are refused with"),
    Call<SetTlsPassword>(0, "tlsuser", "name", "the same"),
    Call<SetTlsPassword>(0, "tlspassword", "string", "the same"),
    Call<SetHostFile>(0, "capath", "dir", "authorities in a directory, which https URLs are refused with"),
    Call<SetHostFile>(0, "crlfile", "file", "certificates that are revoked, likewise"),
    Flag<&Options::shows_manual>('M', "manual", "as --help all"),
    Call<Nothing>(0, "doh-cert-status", nullptr, "of names over HTTPS, which are not asked for"),
    Call<Nothing>(0, "doh-insecure", nullptr, "the same"),
    Call<CheckHostKey>(0, "hostpubmd5", "md5", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "proxy-negotiate", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-ntlm", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-tlspassword", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-tlsuser", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "socks5-basic", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "socks5-gssapi", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "socks5-gssapi-nec", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "socks5-gssapi-service", "value", "of proxies, of which there are none"),
    Value<&Options::urls>(0, "url", "url", "a URL"),
    Value<&Options::url_queries>(0, "url-query", "data", "add to the URL's query, encoded as --data-urlencode does; +text as it is"),
    Value<&Options::user>('u', "user", "user:password", "name and password"),
    Call<AddEmptyUserAgent>('A', "user-agent", "name", "name of the client"),
    Flag<&Options::verbose>('v', "verbose", "show the heads of requests and answers"),
    Flag<&Options::version>('V', "version", "show the version"),
    Value<&Options::target>(0, "request-target", "path", "what stands in the request line"),
    Value<&Options::aws_signature>(0, "aws-sigv4", "provider1[:provider2[:region[:service]]]", "sign the request with the user's name and password"),
    Call<SetCertificate>('E', "cert", "certificate", "the client's certificate"),
    Call<SetType<&Options::is_certificate_der>>(0, "cert-type", "type", "DER or PEM"),
    Value<&Options::private_key>(0, "key", "key", "its private key"),
    Call<SetType<&Options::is_key_der>>(0, "key-type", "type", "DER or PEM"),
    Call<SetPinned>(0, "pinnedpubkey", "hashes", "the key that the server must have: sha256//HASH"),
    Call<SetTransferRate>(0, "rate", "max request rate", "begin at most so many transfers: 2/s, 10/m, 3/h"),
    Call<Nothing>(':', "next", nullptr, "the options of the next URL begin here"),
    Call<NotThere>(0, "http3", nullptr, nullptr),
    Call<IgnoreSsl2>('2', "sslv2", nullptr, "ignored with a warning"),
    Call<IgnoreSsl3>('3', "sslv3", nullptr, "ignored with a warning"),
    Call<IgnoreDelegation>(0, "delegation", "LEVEL", "of Kerberos: nothing without it"),
    Call<IgnoreFileMode>(0, "create-file-mode", "mode", "of files on other hosts: nothing for HTTP"),
    Call<Nothing>(0, "ssl-allow-beast", nullptr, "nothing that TLS 1.1 and later have"),
    Call<Nothing>(0, "no-npn", nullptr, "of old libraries: nothing any more"),
    Call<Nothing>(0, "tcp-fastopen", nullptr, "the engine of the policy makes the connections"),
    Call<NotThere>(0, "http3-only", nullptr, nullptr),
    Call<Nothing>('a', "append", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "disable-eprt", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "disable-epsv", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-create-dirs", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-pasv", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-pret", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-skip-pasv-ip", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-ssl-ccc", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-ssl-control", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>('l', "list-only", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>('B', "use-ascii", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "crlf", nullptr, "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-account", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-alternative-to-user", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-method", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>('P', "ftp-port", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "ftp-ssl-ccc-mode", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "krb", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>('Q', "quote", "value", "of FTP: nothing for HTTP"),
    Call<Nothing>(0, "mail-rcpt-allowfails", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "sasl-ir", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "tftp-no-options", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "ssl", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "ssl-reqd", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "compressed-ssh", nullptr, "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "mail-auth", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "mail-from", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "mail-rcpt", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "login-options", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "sasl-authzid", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>('t', "telnet-option", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "pubkey", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "hostpubsha256", "value", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "service-name", "value", "of other protocols: nothing for HTTP"),
    Call<NothingButNumber>(0, "tftp-blksize", "num", "of other protocols: nothing for HTTP"),
    Call<Nothing>(0, "ssl-no-revoke", nullptr, "of the user's own certificates on other systems: nothing here"),
    Call<Nothing>(0, "ssl-revoke-best-effort", nullptr, "of the user's own certificates on other systems: nothing here"),
    Call<Nothing>(0, "ssl-auto-client-cert", nullptr, "of the user's own certificates on other systems: nothing here"),
    Call<Nothing>(0, "false-start", nullptr, "of the user's own certificates on other systems: nothing here"),
    Call<Nothing>(0, "egd-file", "value", "of old libraries: nothing any more"),
    Call<Nothing>(0, "random-file", "value", "of old libraries: nothing any more"),
    Call<Nothing>(0, "proxy-anyauth", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-basic", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-digest", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-insecure", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-ssl-allow-beast", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-ssl-auto-client-cert", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-tlsv1", nullptr, "of proxies, of which there are none"),
    Call<Nothing>('p', "proxytunnel", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "suppress-connect-headers", nullptr, "of proxies, of which there are none"),
    Call<Nothing>(0, "noproxy", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-cacert", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-capath", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-cert", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-cert-type", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-ciphers", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-crlfile", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-header", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-key", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-key-type", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-pass", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-pinnedpubkey", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-service-name", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "proxy-tls13-ciphers", "value", "of proxies, of which there are none"),
    Call<Nothing>('U', "proxy-user", "value", "of proxies, of which there are none"),
    Call<Nothing>(0, "no-keepalive", nullptr, "the engine of the policy makes the connections"),
    Call<Nothing>(0, "no-sessionid", nullptr, "the engine of the policy makes the connections"),
    Call<Nothing>(0, "tcp-nodelay", nullptr, "the engine of the policy makes the connections"),
    Call<NothingButNumber>(0, "keepalive-time", "num", "the engine of the policy makes the connections"),
    Call<NothingButNumber>(0, "happy-eyeballs-timeout-ms", "num", "the engine of the policy makes the connections"),
    Call<Nothing>('Z', "parallel", nullptr, "transfers are made one after the other all the same"),
    Call<Nothing>(0, "parallel-immediate", nullptr, "transfers are made one after the other all the same"),
    Call<NothingButNumber>(0, "parallel-max", "num", "transfers are made one after the other all the same"),
    Call<Nothing>(0, "styled-output", nullptr, "heads stand in bold at a terminal alone, and never here"),
    Value<&Options::write_out>('w', "write-out", "format", "write this after each transfer"),
};

}  // namespace

std::span<const Option> OptionTable() { return kOptions; }

}  // namespace paddock::curl
