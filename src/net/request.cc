#include "net/request.h"

#include <algorithm>
#include <charconv>

namespace paddock::net {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  if (text.empty() || text.size() > 18 || text[0] < '0' || text[0] > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

const std::string* Request::Query(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [&](const QueryPair& pair) { return pair.name == name; });
  return found == query.end() ? nullptr : &found->value;
}

size_t Request::CountHeader(std::string_view name) const {
  return static_cast<size_t>(std::count_if(headers.begin(), headers.end(),
                                           [&](const HeaderField& field) { return EqualsIgnoringCase(field.name, name); }));
}

size_t Request::CountQuery(std::string_view name) const {
  return static_cast<size_t>(std::count_if(query.begin(), query.end(), [&](const QueryPair& pair) { return pair.name == name; }));
}

Result<std::string> DecodePercent(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return Error(Code::kInvalid, "NUL in a target");
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      const int high = i + 1 < text.size() ? HexValue(text[i + 1]) : -1, low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) return Error(Code::kInvalid, "% that two hexadecimal digits do not follow");
      if (high == 0 && low == 0) return Error(Code::kInvalid, "encoded NUL");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string EncodePercent(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

Result<std::vector<QueryPair>> ParseQuery(std::string_view text) {
  std::vector<QueryPair> pairs;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    if (pairs.size() == kMostQueryPairs) return Error(Code::kLimit, "more than 256 query pairs");
    const size_t equals = std::min(pair.find('='), pair.size());
    PADDOCK_ASSIGN(std::string name, DecodePercent(pair.substr(0, equals), true));
    PADDOCK_ASSIGN(std::string value, DecodePercent(pair.substr(std::min(equals + 1, pair.size())), true));
    pairs.push_back({std::move(name), std::move(value)});
  }
  return pairs;
}

Status ParseTarget(Request* request) {
  const std::string_view target = request->target;
  if (target == "*" && request->method == "OPTIONS") {
    request->path = "*";
    return {};
  }
  if (!target.starts_with('/')) return Error(Code::kInvalid, "request target that does not begin with /");
  const size_t question = std::min(target.find('?'), target.size());
  request->path = target.substr(0, question);
  std::string_view rest = target.substr(1, question - 1);
  while (question > 1) {
    if (request->segments.size() == kMostSegments) return Error(Code::kLimit, "path of more than 128 segments");
    const size_t slash = std::min(rest.find('/'), rest.size());
    auto segment = DecodePercent(rest.substr(0, slash));
    if (!segment) return segment.error();
    const std::string_view decoded = *segment;
    if (decoded == "." || decoded == "..") return Error(Code::kInvalid, "path with a dot segment");
    request->segments.push_back(std::move(*segment));
    if (slash == rest.size()) break;
    rest.remove_prefix(slash + 1);
  }
  if (question == target.size()) return {};
  PADDOCK_ASSIGN(request->query, ParseQuery(target.substr(question + 1)));
  return {};
}

ByteRange ParseRange(std::string_view value, uint64_t size) {
  constexpr ByteRange kWhole, kUnsatisfiable{ByteRange::Kind::kUnsatisfiable};
  if (value.size() < 6 || !EqualsIgnoringCase(value.substr(0, 6), "bytes=")) return kWhole;
  value = TrimHeaderSpace(value.substr(6));
  const size_t dash = value.find('-');
  if (dash == std::string_view::npos || value.find(',') != std::string_view::npos) return kWhole;
  uint64_t first = 0, last = 0;
  if (dash == 0) {
    if (!ParseNumber(value.substr(1), &last)) return kWhole;
    if (last == 0 || size == 0) return kUnsatisfiable;
    const uint64_t length = std::min(last, size);
    return {ByteRange::Kind::kPart, size - length, length};
  }
  if (!ParseNumber(value.substr(0, dash), &first)) return kWhole;
  if (dash + 1 == value.size()) {
    last = UINT64_MAX;
  } else if (!ParseNumber(value.substr(dash + 1), &last) || last < first) {
    return kWhole;
  }
  if (first >= size) return kUnsatisfiable;
  return {ByteRange::Kind::kPart, first, std::min(last, size - 1) - first + 1};
}

std::string ContentRange(const ByteRange& range, uint64_t size) {
  const std::string part = range.kind == ByteRange::Kind::kPart
                               ? std::to_string(range.first) + "-" + std::to_string(range.first + range.length - 1)
                               : "*";
  return "bytes " + part + "/" + std::to_string(size);
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 205: return "Reset Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 423: return "Locked";
    case 425: return "Too Early";
    case 426: return "Upgrade Required";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 507: return "Insufficient Storage";
    default: return "";
  }
}

}  // namespace paddock::net
