#include "text/http_head.h"

#include <algorithm>
#include <charconv>

namespace paddock {
namespace {

constexpr size_t kLongestTarget = 16 << 10;
constexpr size_t kLongestMethod = 32;

bool IsTokenChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

Error Bad(std::string text) { return Error(Code::kInvalid, std::move(text)); }

// The length of the head with its empty line; 0 when it is not complete. Control bytes fail at once, however slowly they come.
Result<size_t> FindEnd(std::string_view bytes, size_t most) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c == '\n') return Bad("line feed without carriage return");
    if (c == '\r') {
      if (i + 1 == bytes.size()) break;
      if (bytes[i + 1] != '\n') return Bad("carriage return without line feed");
      ++i;
      if (i >= 3 && bytes[i - 2] == '\n') return i + 1;
      if (i == 1) return Bad("empty line before the first");
      continue;
    }
    if ((c < 0x20 && c != '\t') || c == 0x7f) return Bad("control byte in the head");
    if (i >= most) break;
  }
  if (bytes.size() >= most) return Error(Code::kLimit, "head longer than " + std::to_string(most) + " bytes");
  return size_t{0};
}

// Takes the text up to the next CRLF off `rest`.
std::string_view TakeLine(std::string_view* rest) {
  const size_t end = rest->find("\r\n");
  const std::string_view line = rest->substr(0, end);
  rest->remove_prefix(end + 2);
  return line;
}

Result<int> ParseVersion(std::string_view text) {
  if (text == "HTTP/1.1") return 1;
  if (text == "HTTP/1.0") return 0;
  return Bad("not HTTP/1.1 or HTTP/1.0");
}

// Names that servers with CGI-like variables take for a framing field.
bool IsDisguised(std::string_view name) {
  if (name.find('_') == std::string_view::npos) return false;
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return EqualsIgnoringCase(dashed, "content-length") || EqualsIgnoringCase(dashed, "transfer-encoding");
}

Status ParseFields(std::string_view rest, size_t most, std::vector<HeaderField>* headers) {
  while (!rest.empty()) {
    const std::string_view line = TakeLine(&rest);
    if (line.empty()) break;
    if (line.front() == ' ' || line.front() == '\t') return Bad("folded header line");
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Bad("header line without a colon");
    const std::string_view name = line.substr(0, colon);
    if (!IsHeaderName(name)) return Bad("header name that is not a token");
    if (IsDisguised(name)) return Bad("header name that servers may take for another: " + std::string(name));
    if (headers->size() >= most) return Error(Code::kLimit, "more than " + std::to_string(most) + " header lines");
    headers->push_back({std::string(name), std::string(TrimHeaderSpace(line.substr(colon + 1)))});
  }
  return {};
}

size_t CountOf(const std::vector<HeaderField>& headers, std::string_view name) {
  return static_cast<size_t>(
      std::count_if(headers.begin(), headers.end(), [&](const HeaderField& f) { return EqualsIgnoringCase(f.name, name); }));
}

Result<BodyFraming> ParseFraming(const std::vector<HeaderField>& headers, int minor_version) {
  BodyFraming framing;
  const size_t lengths = CountOf(headers, "content-length"), codings = CountOf(headers, "transfer-encoding");
  if (lengths > 1) return Bad("more than one Content-Length");
  if (codings > 1) return Bad("more than one Transfer-Encoding");
  if (lengths + codings > 1) return Bad("both Content-Length and Transfer-Encoding");
  if (codings == 1) {
    if (minor_version == 0) return Bad("Transfer-Encoding in HTTP/1.0");
    if (!EqualsIgnoringCase(*FindHeader(headers, "transfer-encoding"), "chunked"))
      return Bad("a transfer coding other than chunked");
    framing.kind = BodyFraming::Kind::kChunked;
  }
  if (lengths == 1) {
    const std::string& text = *FindHeader(headers, "content-length");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), framing.length);
    const bool is_digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > 18 || !is_digits || error != std::errc() || end != text.data() + text.size()) {
      return Bad("Content-Length that is not a number");
    }
    framing.kind = framing.length == 0 ? BodyFraming::Kind::kNone : BodyFraming::Kind::kLength;
  }
  return framing;
}

bool KeepsAlive(const std::vector<HeaderField>& headers, int minor_version) {
  if (HasToken(headers, "connection", "close")) return false;
  return minor_version == 1 || HasToken(headers, "connection", "keep-alive");
}

bool IsMethod(std::string_view method) {
  return !method.empty() && method.size() <= kLongestMethod && std::all_of(method.begin(), method.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool IsTarget(std::string_view target) {
  return !target.empty() && std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

}  // namespace

std::string_view TrimHeaderSpace(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return Lower(x) == Lower(y); });
}

const std::string* FindHeader(const std::vector<HeaderField>& headers, std::string_view name) {
  for (const HeaderField& field : headers) {
    if (EqualsIgnoringCase(field.name, name)) return &field.value;
  }
  return nullptr;
}

bool HasToken(const std::vector<HeaderField>& headers, std::string_view name, std::string_view token) {
  for (const HeaderField& field : headers) {
    if (!EqualsIgnoringCase(field.name, name)) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      if (EqualsIgnoringCase(TrimHeaderSpace(rest.substr(0, comma)), token)) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

bool IsHeaderName(std::string_view name) { return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenChar); }

bool IsHeaderValue(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

Result<std::optional<RequestHead>> ParseRequestHead(std::string_view bytes, size_t* size, const HeadLimits& limits) {
  PADDOCK_ASSIGN(*size, FindEnd(bytes, limits.bytes));
  if (*size == 0) return std::optional<RequestHead>();
  std::string_view rest = bytes.substr(0, *size);
  const std::string_view line = TakeLine(&rest);
  RequestHead head;
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return Bad("request line without three words");
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  if (!IsMethod(head.method)) return Bad("method that is not in upper case letters");
  if (head.target.size() > kLongestTarget) return Error(Code::kLimit, "request target longer than 16384 bytes");
  if (!IsTarget(head.target)) return Bad("request target with a byte that does not belong there");
  PADDOCK_ASSIGN(head.minor_version, ParseVersion(line.substr(last + 1)));
  PADDOCK_TRY(ParseFields(rest, limits.headers, &head.headers));
  const size_t hosts = CountOf(head.headers, "host");
  if (hosts > 1) return Bad("more than one Host");
  if (hosts == 0 && head.minor_version == 1) return Bad("no Host");
  PADDOCK_ASSIGN(head.body, ParseFraming(head.headers, head.minor_version));
  head.keep_alive = KeepsAlive(head.headers, head.minor_version);
  return std::optional<RequestHead>(std::move(head));
}

Result<std::optional<ResponseHead>> ParseResponseHead(std::string_view bytes, size_t* size, const HeadLimits& limits) {
  PADDOCK_ASSIGN(*size, FindEnd(bytes, limits.bytes));
  if (*size == 0) return std::optional<ResponseHead>();
  std::string_view rest = bytes.substr(0, *size);
  const std::string_view line = TakeLine(&rest);
  ResponseHead head;
  if (line.size() < 12 || line[8] != ' ' || (line.size() > 12 && line[12] != ' ')) return Bad("status line that is none");
  PADDOCK_ASSIGN(head.minor_version, ParseVersion(line.substr(0, 8)));
  for (const char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return Bad("status that is not a number");
    head.status = head.status * 10 + (c - '0');
  }
  if (head.status < 100) return Bad("status below 100");
  head.reason = line.size() > 13 ? line.substr(13) : "";
  PADDOCK_TRY(ParseFields(rest, limits.headers, &head.headers));
  const bool has_framing =
      FindHeader(head.headers, "content-length") != nullptr || FindHeader(head.headers, "transfer-encoding") != nullptr;
  PADDOCK_ASSIGN(head.body, ParseFraming(head.headers, head.minor_version));
  if (!has_framing) head.body.kind = BodyFraming::Kind::kUntilEnd;
  head.keep_alive = KeepsAlive(head.headers, head.minor_version) && has_framing;
  return std::optional<ResponseHead>(std::move(head));
}

BodyFraming FramingOf(const ResponseHead& response, std::string_view method) {
  if (method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304) return {};
  return response.body;
}

}  // namespace paddock
