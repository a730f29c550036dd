#include "policy/host_name.h"

#include <algorithm>
#include <charconv>

namespace paddock::policy {
namespace {

constexpr size_t kLongestName = 253;
constexpr size_t kLongestLabel = 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// Shown in an error: bytes that a terminal would act on become '?'.
std::string Shown(std::string_view text) {
  std::string shown(text.substr(0, 80));
  for (char& c : shown) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return shown;
}

Error Refused(std::string_view text, std::string_view why) {
  return Error(Code::kInvalid, "host '" + Shown(text) + "': " + std::string(why));
}

// True for a last label that makes address parsers read the whole as a number: digits, or 0x and hexadecimal digits.
bool IsNumeric(std::string_view label) {
  if (std::all_of(label.begin(), label.end(), IsDigit)) return true;
  return label.size() >= 2 && label.starts_with("0x") && std::all_of(label.begin() + 2, label.end(), IsHexDigit);
}

Result<Host> ParseV6(std::string_view whole, std::string_view text) {
  const auto address = IpAddress::Parse(text);
  if (!address || !address->is_v6) return Refused(whole, "not an IPv6 address");
  return Host{address->Text(), address};
}

}  // namespace

Result<Host> ParseHost(std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return Refused(text, "'[' without ']'");
    return ParseV6(text, text.substr(1, text.size() - 2));
  }
  if (text.find(':') != std::string_view::npos) return ParseV6(text, text);

  std::string name(text);
  if (name.ends_with('.')) name.pop_back();
  if (name.empty()) return Refused(text, "empty");
  if (name.size() > kLongestName) return Refused(text, "longer than 253 bytes");
  size_t label_start = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    if (i == name.size() || name[i] == '.') {
      const size_t length = i - label_start;
      if (length == 0) return Refused(text, "an empty label");
      if (length > kLongestLabel) return Refused(text, "a label longer than 63 bytes");
      if (name[label_start] == '-' || name[i - 1] == '-') return Refused(text, "a label that begins or ends with '-'");
      label_start = i + 1;
      continue;
    }
    char& c = name[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) >= 0x80) return Refused(text, "not ASCII; write the name in its xn-- form");
    if (!IsDigit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_') {
      return Refused(text, "a byte that no host name has");
    }
  }
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  if (!IsNumeric(last)) return Host{name, std::nullopt};
  const auto address = IpAddress::Parse(text);  // with its trailing dot, if any: that is no spelling of an address
  if (!address) return Refused(text, "looks like an address but is not spelt as four decimal numbers");
  return Host{address->Text(), address};
}

Result<HostPort> ParseHostPort(std::string_view text, uint16_t default_port) {
  std::string_view host = text;
  std::string_view digits;
  bool has_port = false;
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    host = text.substr(0, colon);
    digits = text.substr(colon + 1);
    has_port = true;
  }
  // Of addresses with colons only the bracketed form can stand before a port.
  if (host.find(':') != std::string_view::npos && !host.starts_with('[')) {
    return Refused(text, "an IPv6 address before a port needs brackets");
  }
  HostPort result;
  PADDOCK_ASSIGN(result.host, ParseHost(host));
  result.port = default_port;
  if (has_port) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || digits.size() > 5 || error != std::errc() || end != digits.data() + digits.size() ||
        value == 0 || value > 65535) {
      return Refused(text, "not a port between 1 and 65535");
    }
    result.port = static_cast<uint16_t>(value);
  }
  if (result.port == 0) return Refused(text, "a port is needed");
  return result;
}

std::string HostPortText(const Host& host, uint16_t port) {
  const bool needs_brackets = host.address && host.address->is_v6;
  return (needs_brackets ? "[" + host.text + "]" : host.text) + ":" + std::to_string(port);
}

}  // namespace paddock::policy
