// Network: the way out of a sandbox whose policy allows hosts, as commands see it. Absent (Kernel::network() is null) everywhere else.
//
// It speaks in requests and answers, not in sockets: what may be reached, by which address and with which credential is decided
// behind it, and a command cannot go around that. Calls suspend the fiber, never the thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace paddock::proc {

// One part of a multipart/form-data body.
struct FormPart {
  std::string name;
  std::string content;
  std::optional<std::string> filename;   // of the part's header
  std::string type;                      // content type; empty: by the library's own guess
  std::vector<std::string> headers;
};

// Which addresses of a name are connected to: any, those of one kind alone, or those of one kind first.
enum class AddressFamily { kAny, kV4, kV6, kV4First, kV6First };

// A host that is asked by https alone.
struct HstsEntry {
  std::string host;
  bool has_subdomains = false;   // its subdomains are, too
  std::string expires;           // "YYYYMMDD HH:MM:SS"; empty: never
};

enum class HttpVersion { kAny, k10, k11, k2, k2Alone };   // k2Alone: without asking whether the server knows it
enum class HttpAuth { kBasic, kDigest, kAny, kNtlm, kNone };   // kAny: the best that the server offers; kNone: `user` is not sent

// A request in the terms of libcurl's manual, whose meaning its members have. Only http and https URLs.
struct HttpRequest {
  enum class Kind { kGet, kHead, kPost, kForm, kUpload };
  std::string url;
  Kind kind = Kind::kGet;
  std::string method;                     // instead of the kind's own; empty: that one
  std::vector<std::string> headers;       // "Name: value", "Name:" (leave out), "Name;" (empty)
  std::string body;                       // kPost
  std::vector<FormPart> form;             // kForm
  std::optional<uint64_t> upload_size;    // kUpload; none: chunked
  std::string user_agent, referer, cookie, range, accept_encoding;
  std::optional<std::string> user;        // name:password
  HttpAuth auth = HttpAuth::kBasic;
  std::string bearer;
  std::string target;                     // in the request line instead of the URL's path
  std::string aws_signature;              // PROVIDER1[:PROVIDER2[:REGION[:SERVICE]]]: signed with `user`
  HttpVersion version = HttpVersion::kAny;
  bool follows = false;
  bool sends_auth_everywhere = false;     // to hosts of redirects, too
  bool sets_referer = false;              // of redirects
  bool keeps_post[3] = {};                // after 301, 302, 303
  bool fails_on_error = false;            // no body of answers from 400 on
  bool is_insecure = false;               // takes any certificate
  AddressFamily family = AddressFamily::kAny;
  std::vector<std::string> connect_to;    // "HOST1:PORT1:HOST2:PORT2": where requests for the first are sent; the policy judges the second
  bool uses_hsts = false;                 // keeps which hosts want https, for later requests of the client
  std::vector<HstsEntry> hsts;            // to begin with; of the client's first request alone
  bool keeps_path = false;                // /../ as it is
  bool is_verbose = false;                // OnDebug() is called
  bool uses_cookies = false;              // keeps what servers set, for later requests of the client
  std::vector<std::string> cookies;       // to begin with: lines of a cookie file or Set-Cookie: heads
  bool forgets_session_cookies = false;
  std::string ca_pem;                     // instead of the system's authorities
  enum class Tls { kAny, k10, k11, k12, k13 };
  Tls least_tls = Tls::kAny, most_tls = Tls::kAny;
  std::string ciphers, tls13_ciphers;     // OpenSSL's names, ':' between them
  std::string certificate, private_key;   // of the client, what files hold; empty: none, the certificate's
  bool is_certificate_der = false, is_key_der = false;
  std::string pinned_key;                 // sha256//HASH[;sha256//HASH]...: the server must have one of them
  std::string key_password;
  std::string curves;                     // OpenSSL's names, ':' between them
  bool has_alpn = true;                   // tells in TLS which versions of HTTP are known
  bool checks_status = false;             // of the certificate, which the server has to tell
  bool escapes_form = false;              // quotes in names of parts with backslashes
  bool traces_data = false;               // with is_verbose: OnDebug() for bodies, too
  bool is_raw = false;                    // no decoding of contents and transfers
  bool ignores_length = false;            // reads to the end of the connection
  bool refuses_user_in_url = false;
  std::string protocols, redirect_protocols, default_protocol;   // "http,https" or one of them; empty: both, by guess
  // Seconds since 1970: only what was changed after that, or (is_unmodified_since) was not.
  std::optional<int64_t> changed_since;
  bool is_unmodified_since = false;
  std::optional<Nanoseconds> expect_timeout;   // for "100 Continue"
  int64_t max_redirects = 50;             // -1: any number
  int64_t resume_from = 0;                // of an upload
  int64_t max_file_size = 0;              // 0: any
  uint64_t most_bytes_a_second = 0;       // 0: any
  int64_t low_speed_limit = 0, low_speed_seconds = 0;
  Nanoseconds connect_timeout{0}, timeout{0};   // 0: the library's own, none
};

// How it went. Numbers of errors are libcurl's; 0 is success.
struct HttpOutcome {
  int error = 0;
  std::string message;                    // of the error
  bool is_denied = false;                 // the policy refused it: the message says so
  std::string effective_url, effective_method, redirect_url, content_type, scheme, remote_ip, referer;
  int64_t response_code = 0, http_version = 0, redirects = 0, connects = 0, header_bytes = 0, request_bytes = 0, remote_port = 0, verify_result = 0,
          retry_after = 0;
  int64_t downloaded = 0, uploaded = 0, download_speed = 0, upload_speed = 0;
  int64_t content_length = -1;            // as the server told it
  // In microseconds.
  int64_t time_namelookup = 0, time_connect = 0, time_appconnect = 0, time_pretransfer = 0, time_starttransfer = 0, time_redirect = 0, time_total = 0;
};

// Who gets an answer as it comes. A Status that is an error ends the transfer (23, "Failed writing body").
class HttpObserver {
 public:
  virtual ~HttpObserver() = default;
  // A line of a head with its CRLF; the empty one ends a head, of which there may be several (redirects).
  virtual Status OnHeader(std::string_view line) = 0;
  virtual Status OnBody(std::string_view bytes) = 0;
  // kText: without a line feed. The others: whole heads or pieces of bodies.
  enum class Debug { kText, kHeadIn, kHeadOut, kDataIn, kDataOut };
  virtual void OnDebug(Debug, std::string_view) {}
  // The next bytes of an upload; empty at its end.
  virtual Result<std::string> ReadUpload(size_t) { return std::string(); }
  // Every now and then.
  struct Progress {
    int64_t download_total = 0, downloaded = 0, upload_total = 0, uploaded = 0;
  };
  virtual void OnProgress(const Progress&) {}
};

// Keeps connections and cookies from one request to the next.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual HttpOutcome Perform(const HttpRequest& request, HttpObserver& observer) = 0;
  // What it keeps, as lines of a cookie file.
  virtual std::vector<std::string> Cookies() = 0;
  // The hosts that want https, as far as the client knows. Ends what it keeps: the last call.
  virtual std::vector<HstsEntry> TakeHsts() = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  // Errors: kUnavailable where this host lacks what it needs.
  virtual Result<std::unique_ptr<HttpClient>> NewHttpClient() = 0;
  // Has a DNS message (RFC 1035, without the length) answered: by the policy, which refuses names that no rule allows. kTimedOut.
  virtual Result<std::string> AskDns(std::string_view query) = 0;
};

}  // namespace paddock::proc
