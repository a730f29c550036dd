// What the files of wget share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proc/command.h"
#include "proc/network.h"

namespace paddock::wget {

enum class Noise { kNormal, kBrief, kQuiet };   // -nv, -q

// One dot of progress stands for so many bytes; dots come in clusters and lines.
struct DotStyle {
  int64_t bytes = 1024, cluster = 10, row = 50;
};

struct Options {
  Noise noise = Noise::kNormal;
  bool continues = false, timestamps = false, no_clobber = false, spider = false, shows_heads = false, is_insecure = false, content_disposition = false,
       keeps_own_time = false, content_on_error = false, help = false, version = false, no_directories = false, no_cache = false, holds_always = false, ignores_length = false, asks_head_first = false, debugs = false, shows_progress = false, reads_no_config = false,
       goes_to_background = false, is_in_background = false, retries_refused = false;
  int64_t tries = 20, max_redirects = 20;
  uint64_t rate = 0;
  Nanoseconds timeout{0}, connect_timeout{0}, wait{0};
  std::string output, prefix, user_agent = "Wget/1.21.3", referer, user, password, log, log_append, input, ca_file, method, default_page = "index.html";
  std::vector<std::string> headers;
  // Names of files.
  bool forces_directories = false, names_no_host = false, names_scheme = false, adjusts_extension = false, trusts_redirects = false, unlinks = false, saves_heads = false, forces_html = false;
  int64_t cut_directories = 0, backups = 0, start_at = 0;
  std::string restrict_names, base;
  // Of connections.
  bool sends_auth_first = false, closes_connections = false, waits_randomly = false, refuses_cookies = false, keeps_session_cookies = false, tells_bits = false;
  std::string load_cookies, save_cookies, compression;
  proc::AddressFamily family = proc::AddressFamily::kAny;
  std::string hsts_file;          // empty: ~/.wget-hsts
  bool has_no_hsts = false;
  std::vector<int> retried_codes;
  Nanoseconds read_timeout{0}, dns_timeout{0}, wait_retry{std::chrono::seconds(10)};
  int64_t quota = 0;
  DotStyle dots;
  // Of recursion.
  bool is_recursive = false, needs_requisites = false, converts_links = false, converts_names = false, backs_up_converted = false, deletes_after = false, stays_below = false,
       spans_hosts = false, relative_only = false, ignores_case = false, https_only = false, has_depth = false;
  int64_t depth = 5;               // 0: any
  std::vector<std::string> accepted, rejected, domains, excluded_domains, directories, excluded_directories, followed_tags, ignored_tags;
  std::string accept_regex, reject_regex, rejected_log, regex_type = "posix";
  bool has_strict_comments = false;
  // Of TLS.
  std::string ca_directory, certificate, private_key, pinned_key, config, askpass;
  bool has_askpass = false;
  bool asks_password = false;   // at the terminal, or from standard input where there is none
  bool is_certificate_der = false, is_key_der = false, has_forward_secrecy = false;
  proc::HttpRequest::Tls least_tls = proc::HttpRequest::Tls::kAny;
  std::optional<std::string> post_data, post_file, body_data, body_file;
};

// Fetches the URLs; the exit status.
ExitStatus Fetch(Invocation& in, const Options& options, std::vector<std::string> urls);

// "name = value" of .wgetrc and -e.
struct RcCommand {
  std::string name, value;
};
Result<RcCommand> ParseRcCommand(std::string_view line);
// Errors: kNoEntry where there is no such command, kInvalid with the complaint about a value.
Status ApplyRcCommand(Options& options, std::span<const Option> table, const RcCommand& command);
// False after complaints.
bool ReadRcFile(Invocation& in, Options& options, std::span<const Option> table, const std::string& path);

struct Url {
  std::string scheme, host_and_port, host, path;   // the path with its query, without a fragment
};
// What messages need of a URL; libcurl judges the rest.
Url Split(const std::string& url);
// The file that a URL is kept in, below the prefix.
std::string FileNameFor(const Options& options, const std::string& url);

// 2024-01-02 03:04:05, in UTC.
std::string TimeText(Nanoseconds time);
// 512, 1.5K, 10K, 3.2M.
std::string Human(int64_t bytes);
// 512 B/s, 2.81 KB/s.
std::string Speed(int64_t bytes, Nanoseconds time, bool in_bits = false);
// The columns of dots, one for each KiB.
class Dots {
 public:
  Dots(Output& out, int64_t total, DotStyle style) : out_(out), total_(total), style_(style) {}
  void Add(int64_t bytes, Nanoseconds now);
  void Finish(Nanoseconds now);

 private:
  void Row(Nanoseconds now);

  Output& out_;
  const int64_t total_;
  const DotStyle style_;
  int64_t bytes_ = 0, dots_ = 0;
  Nanoseconds begun_{0}, row_begun_{0};
};

}  // namespace paddock::wget
