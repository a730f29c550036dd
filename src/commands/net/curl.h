// What the files of curl share: its options, and the steps from a command line to transfers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "proc/network.h"

namespace paddock::curl {

inline constexpr const char* kVersion = "7.88.1";
inline constexpr const char* kNoProtocol = "none";   // what --proto may leave

// One of -d, --data-binary, --data-raw, --data-urlencode, --json, as it was typed.
struct DataItem {
  enum class Kind { kAscii, kBinary, kRaw, kUrlEncode, kJson };
  Kind kind;
  std::string text;
};
struct FormItem {
  std::string text;
  bool is_literal = false;   // --form-string
};
// -o FILE or -O, for the URL of the same number.
struct Sink {
  bool is_remote_name = false;
  std::string path;
};

struct Options {
  bool silent = false, show_error = false, fail = false, fail_with_body = false, fail_early = false, follow = false, trusted = false;
  bool all_remote_names = false, header_name = false, include = false, head = false, get = false, insecure = false, compressed = false;
  bool verbose = false, create_dirs = false, bar = false, no_progress = false, glob_off = false, path_as_is = false, junk_session = false;
  bool remove_on_error = false, no_clobber = false, unbuffered = false, retry_refused = false, retry_all = false, no_config = false;
  bool is_raw = false, ignores_length = false, refuses_user_in_url = false, keeps_time = false;
  bool help = false, version = false, post301 = false, post302 = false, post303 = false;
  std::vector<std::string> urls;
  std::vector<Sink> sinks;
  std::string method, user_agent = std::string("curl/") + kVersion, referer, range, bearer, write_out, cacert, output_dir, dump_header, stderr_file, cookie_jar;
  std::vector<std::string> headers, cookies, uploads, configs;
  std::vector<DataItem> data;
  std::vector<FormItem> form;
  std::optional<std::string> user, resume;
  enum class Netrc { kIgnored, kOptional, kRequired };
  Netrc netrc = Netrc::kIgnored;
  std::string netrc_file;   // empty: ~/.netrc
  std::vector<std::string> url_queries;
  std::string etag_save, etag_compare, time_condition, ciphers, tls13_ciphers;
  proc::HttpRequest::Tls least_tls = proc::HttpRequest::Tls::kAny, most_tls = proc::HttpRequest::Tls::kAny;
  std::string protocols, redirect_protocols, default_protocol;
  std::string target, aws_signature, certificate, private_key, pinned_key;
  bool is_certificate_der = false, is_key_der = false, has_unknown_type = false;
  Nanoseconds between_transfers{0};   // --rate
  std::string warning;                // of the option that was read last
  std::vector<Options> next;          // behind --next, in the first one alone
  std::optional<Nanoseconds> expect_timeout;
  proc::HttpAuth auth = proc::HttpAuth::kBasic;
  std::string key_password, curves, trace_file, engine, hsts_file, alternatives_file, interface;
  proc::AddressFamily family = proc::AddressFamily::kAny;
  std::vector<std::string> connect_to;   // --resolve is the same with an address
  std::optional<std::string> unresolved; // what --resolve cannot read
  bool keeps_attributes = false, wants_proxy_password = false, lacks_alpn = false, checks_status = false, wants_tls_password = false, wants_host_file = false, escapes_form = false, traces_in_hexadecimal = false, tells_time = false, shows_manual = false;
  proc::HttpVersion http_version = proc::HttpVersion::kAny;
  int64_t max_redirects = 50, retries = 0, max_file_size = 0, low_speed_limit = 0, low_speed_seconds = 0;
  uint64_t most_bytes_a_second = 0;
  Nanoseconds connect_timeout{0}, max_time{0}, retry_delay{0}, retry_max_time{0};
};

// The table, for parsing and for help.
std::span<const Option> OptionTable();

// Reads the arguments, and the config files that they name. Errors are printed: an exit status.
std::optional<ExitStatus> Parse(Invocation& in, Options* options);

// One URL of a pattern, and what #1 … stand for.
struct GlobbedUrl {
  std::string url;
  std::vector<std::string> parts;
};
// {a,b}, [1-3], [a-z:2]. Errors: kSyntax with curl's text.
Result<std::vector<GlobbedUrl>> Glob(Budget& budget, const std::string& pattern);
// "#1" in an output name.
std::string FillIn(const std::string& name, const std::vector<std::string>& parts);

// Makes the request's body out of -d, -F, --json. Errors: an exit status after a message.
std::optional<ExitStatus> ReadBody(Invocation& in, const Options& options, proc::HttpRequest* request, std::string* query);
// `space`: what stands for one.
std::string UrlEncoded(std::string_view text, std::string_view space = "%20");

// "a=b", "a@file" as --data-urlencode has it, and "+text" as it is; '&' between them.
std::string UrlQuery(Invocation& in, const Options& options);

// Name and password that ~/.netrc (or --netrc-file) has for the URL's host; takes the URL's own out where they do not count.
std::optional<std::string> FindInNetrc(Invocation& in, const Options& options, std::string* url);

// What --etag-compare and -z ask for. Errors are printed: an exit status.
std::optional<ExitStatus> SetConditions(Invocation& in, const Options& options, proc::HttpRequest* request, Output& messages);
// What --etag-save keeps of the heads; false when the file cannot be written.
bool SaveEtag(Invocation& in, const Options& options, const std::vector<std::string>& header_lines);
// -R: the time that the server tells becomes the file's.
void KeepRemoteTime(Invocation& in, const std::string& path, const std::vector<std::string>& header_lines);

// What -w writes.
struct WriteOutFacts {
  const proc::HttpOutcome& outcome;
  const std::vector<std::string>& header_lines;   // of the last head
  const std::string& url;
  const std::string& filename;
  size_t url_number;
};
void WriteOut(Invocation& in, const std::string& format, const WriteOutFacts& facts);

// A piece of what goes in or out as --trace and --trace-ascii show it.
std::string TraceText(proc::HttpObserver::Debug kind, std::string_view bytes, bool is_hexadecimal);

// --alt-svc: what servers said of other ways to them, as libcurl keeps it in a file.
class Alternatives {
 public:
  void Read(Invocation& in, const std::string& path);
  // Where requests to an https URL go instead: an entry for HttpRequest::connect_to; nothing for the place itself.
  std::optional<std::string> For(const std::string& url, int64_t now) const;
  // An Alt-Svc field of an answer from an https URL.
  void Learn(const std::string& url, std::string_view field, int64_t now);
  void Write(Invocation& in, const std::string& path) const;

 private:
  struct Entry {
    std::string from_version, host, port, to_version, to_host, to_port, expires;
    bool persists = false;
    std::string priority = "0";
  };
  std::vector<Entry> entries_;
  Budget* budget_ = nullptr;   // since Read()
};

// Runs all transfers; the exit status of the last one.
ExitStatus Transfer(Invocation& in, const Options& options);

}  // namespace paddock::curl
