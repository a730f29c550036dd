// Heads of HTTP/1.1 messages (RFC 9112), read strictly: what two servers could read in two ways is an error, because one
// of them would judge one reading and the other act on its own.
//
// Refused: bare CR or LF, NUL and other control bytes, folded lines, space before a colon, an empty name, both
// Content-Length and Transfer-Encoding, either of them twice, lists, any coding but chunked, Transfer-Encoding in HTTP/1.0,
// names that servers turn into those (Content_Length), methods not in upper case, targets with bytes outside ASCII or '#', two
// Hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

struct HeaderField {
  std::string name;    // as it came
  std::string value;   // without surrounding space
};

// Without the spaces and tabs around it.
std::string_view TrimHeaderSpace(std::string_view text);
bool EqualsIgnoringCase(std::string_view a, std::string_view b);
// The value of the first field of that name, or null.
const std::string* FindHeader(const std::vector<HeaderField>& headers, std::string_view name);
// True when a comma-separated field of that name has the token, in any case.
bool HasToken(const std::vector<HeaderField>& headers, std::string_view name, std::string_view token);

struct BodyFraming {
  enum class Kind { kNone, kLength, kChunked, kUntilEnd };
  Kind kind = Kind::kNone;
  uint64_t length = 0;   // of kLength
};

struct RequestHead {
  std::string method;
  std::string target;
  int minor_version = 1;   // of HTTP/1
  std::vector<HeaderField> headers;
  BodyFraming body;
  bool keep_alive = true;
};

struct ResponseHead {
  int status = 0;
  std::string reason;
  int minor_version = 1;
  std::vector<HeaderField> headers;
  BodyFraming body;        // as the fields say; FramingOf() adds the request's part
  bool keep_alive = true;
};

constexpr size_t kMostHeadBytes = 64 << 10;
constexpr size_t kMostHeaders = 200;
struct HeadLimits {
  size_t bytes = kMostHeadBytes;
  size_t headers = kMostHeaders;
};

// Reads the head at the start of `bytes`. Nothing when it is not complete yet; then `bytes` is still shorter than
// the limit and so far without fault. `size` is set to the head's length. Errors: kInvalid, kLimit; the text says what.
Result<std::optional<RequestHead>> ParseRequestHead(std::string_view bytes, size_t* size, const HeadLimits& limits = {});
Result<std::optional<ResponseHead>> ParseResponseHead(std::string_view bytes, size_t* size, const HeadLimits& limits = {});

// How the body behind this answer to a `method` request ends.
BodyFraming FramingOf(const ResponseHead& response, std::string_view method);

// True for a header line's parts that may be sent: a token, and a value without control bytes.
bool IsHeaderName(std::string_view name);
bool IsHeaderValue(std::string_view value);

}  // namespace paddock
