// Request: the head of an HTTP request as a handler sees it, already checked and decoded. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/http_head.h"

namespace paddock::net {

using Headers = std::vector<HeaderField>;

// The other end of a connection.
struct Peer {
  std::string address;             // "127.0.0.1", "::1"; empty for a unix socket
  uint16_t port = 0;
  bool is_unix = false;
  bool is_tls = false;
  std::optional<uint32_t> user;    // of a unix socket: the user id of the process that connected
};

struct QueryPair {
  std::string name, value;         // decoded, "+" is a space; a pair without "=" has an empty value
};

struct Request {
  std::string method;              // "GET"; any method a token in upper case can name
  std::string target;              // as it came: "/v1/sandboxes/a%20b?x=1"
  std::string path;                // the part before "?", as it came; "*" for OPTIONS *
  std::vector<std::string> segments;   // of the path, decoded: "/" has none, "/a/" has "a" and ""; one may hold an encoded "/"
  std::vector<QueryPair> query;    // in order, duplicates kept
  Headers headers;                 // in order, duplicates kept, names as they came
  std::string host;                // of the Host header, lower case, without port; empty in HTTP/1.0 without one
  Peer peer;
  int minor_version = 1;           // of HTTP/1
  std::optional<uint64_t> body_length;   // nothing when the body is chunked; 0 without a body

  // The value of the first field, or pair, of that name; null without one. Names of fields in any case.
  const std::string* Header(std::string_view name) const { return FindHeader(headers, name); }
  const std::string* Query(std::string_view name) const;
  // How many there are: what may stand once only must be looked at twice.
  size_t CountHeader(std::string_view name) const;
  size_t CountQuery(std::string_view name) const;
};

// Percent decoding, strict: "%" needs two hexadecimal digits, NUL is refused. Errors: kInvalid.
Result<std::string> DecodePercent(std::string_view text, bool plus_is_space = false);
// The other way: everything but unreserved characters (RFC 3986 §2.3) is encoded.
std::string EncodePercent(std::string_view text);

constexpr size_t kMostQueryPairs = 256;
constexpr size_t kMostSegments = 128;
// "a=1&b" to pairs. Errors: kInvalid; kLimit above kMostQueryPairs.
Result<std::vector<QueryPair>> ParseQuery(std::string_view text);
// Fills path, segments and query from the target. Refused: anything but origin-form and "OPTIONS *", dot segments (encoded
// too), NUL. Errors: kInvalid, kLimit.
Status ParseTarget(Request* request);

// What a Range header asks of a body of `size` bytes (RFC 9110 §14).
struct ByteRange {
  enum class Kind {
    kWhole,           // no range, or one that may be ignored (not bytes, malformed, several): answer 200
    kPart,            // answer 206 with `first` and `length`
    kUnsatisfiable,   // answer 416
  };
  Kind kind = Kind::kWhole;
  uint64_t first = 0, length = 0;
};
ByteRange ParseRange(std::string_view value, uint64_t size);
// The value of Content-Range for a 206 ("bytes 0-4/10") or a 416 ("bytes */10").
std::string ContentRange(const ByteRange& range, uint64_t size);

// The usual phrase of a status, "Not Found"; empty for one without.
std::string_view ReasonOf(int status);

}  // namespace paddock::net
