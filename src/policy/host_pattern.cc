#include "policy/host_pattern.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/amount.h"

namespace paddock::policy {
namespace {

Error Bad(std::string_view text, std::string_view why) {
  return Error(Code::kInvalid, "'" + std::string(text.substr(0, 300)) + "' " + std::string(why));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
bool IsLabelCharacter(char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_'; }

// Whether resolvers read the label as a number: "1", "0x7f".
bool IsNumber(std::string_view label) {
  if (label.size() > 1 && label[0] == '0' && (label[1] | 0x20) == 'x') {
    return std::all_of(label.begin() + 2, label.end(), IsHex);
  }
  return std::all_of(label.begin(), label.end(), IsDigit);
}

Result<std::string> ParseName(std::string_view whole) {
  std::string_view rest = whole;
  if (rest.size() > 253) return Bad(whole, "is longer than a host name may be");
  const bool is_wildcard = rest.starts_with("*.");
  if (is_wildcard) rest.remove_prefix(2);
  std::string_view last;
  while (true) {
    const size_t dot = rest.find('.');
    last = rest.substr(0, dot);
    if (last.empty()) {
      return Bad(whole, rest.empty() && dot == std::string_view::npos ? "ends with a dot; leave it out" : "has an empty label");
    }
    if (last.size() > 63) return Bad(whole, "has a label of more than 63 characters");
    if (last.find('*') != std::string_view::npos) {
      return Bad(whole, "has a star inside; only '*' and '*.' in front are patterns");
    }
    if (!std::all_of(last.begin(), last.end(), IsLabelCharacter)) {
      const bool is_unicode = std::any_of(last.begin(), last.end(), [](char c) { return (c & 0x80) != 0; });
      return Bad(whole, is_unicode ? "is not ASCII; write the name as xn--…" : "is not a host name");
    }
    if (last.front() == '-' || last.back() == '-') return Bad(whole, "has a label that begins or ends with '-'");
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (IsNumber(last)) return Bad(whole, "is neither a name nor an address; write addresses as 192.0.2.7");
  std::string name(whole);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return name;
}

struct Address {
  int family = 0;
  std::array<unsigned char, 16> bytes{};
  int Bits() const { return family == AF_INET ? 32 : 128; }
};

bool ParseAddress(std::string_view text, Address* address) {
  if (text.size() > 45) return false;
  const std::string copy(text);
  address->family = text.find(':') == std::string_view::npos ? AF_INET : AF_INET6;
  return inet_pton(address->family, copy.c_str(), address->bytes.data()) == 1;
}

std::string AddressText(const Address& address) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(address.family, address.bytes.data(), text, sizeof text);
}

}  // namespace

Result<std::string> ParseAddressRange(std::string_view text) {
  const size_t slash = text.find('/');
  Address address;
  if (!ParseAddress(text.substr(0, slash), &address)) return Bad(text, "is not an address; write 192.0.2.7 or 10.0.0.0/8");
  if (slash == std::string_view::npos) return AddressText(address);
  const std::string_view bits_text = text.substr(slash + 1);
  int bits = 0;
  const auto [end, error] = std::from_chars(bits_text.data(), bits_text.data() + bits_text.size(), bits);
  if (error != std::errc() || end != bits_text.data() + bits_text.size() || bits < 0 || bits > address.Bits() ||
      !IsDigit(bits_text[0])) {
    return Bad(text, "has a bad prefix length");
  }
  for (int i = bits; i < address.Bits(); ++i) {
    if ((address.bytes[static_cast<size_t>(i / 8)] >> (7 - i % 8) & 1) != 0) {
      return Bad(text, "has bits set behind its prefix of " + std::to_string(bits));
    }
  }
  return AddressText(address) + "/" + std::to_string(bits);
}

Result<std::string> ParseHostPattern(std::string_view text) {
  if (text.empty()) return Bad(text, "is no host");
  if (text == "*") return std::string(text);
  if (text.find('/') != std::string_view::npos) return ParseAddressRange(text);
  Address address;
  if (ParseAddress(text, &address)) return AddressText(address);
  return ParseName(text);
}

Result<HostAndPorts> ParseHostAndPorts(std::string_view text) {
  std::string_view host = text;
  std::string_view ports;
  bool has_ports = false;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return Bad(text, "has '[' without ']'");
    host = text.substr(1, close - 1);
    if (host.find(':') == std::string_view::npos) return Bad(text, "has brackets around what is no IPv6 address");
    const std::string_view rest = text.substr(close + 1);
    has_ports = rest.starts_with(':');
    if (!has_ports && !rest.empty()) return Bad(text, "has text behind ']'; write [ADDRESS]:PORT");
    if (has_ports) ports = rest.substr(1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const size_t colon = text.find(':');
    host = text.substr(0, colon);
    ports = text.substr(colon + 1);
    has_ports = true;
  }
  HostAndPorts result;
  PADDOCK_ASSIGN(result.host, ParseHostPattern(host));
  while (has_ports) {
    const size_t comma = ports.find(',');
    PADDOCK_ASSIGN(const PortRange range, ParsePorts(ports.substr(0, comma)));
    result.ports.push_back(range);
    if (comma == std::string_view::npos) break;
    ports.remove_prefix(comma + 1);
  }
  return result;
}

std::string HostAndPortsText(std::string_view host, const std::vector<PortRange>& ports) {
  if (ports.empty()) return std::string(host);
  const bool needs_brackets = host.find(':') != std::string_view::npos;
  return (needs_brackets ? "[" + std::string(host) + "]" : std::string(host)) + ":" + PortsText(ports);
}

Result<NetworkRules> AllowHosts(const std::vector<std::string>& texts, const std::string& key) {
  NetworkRules network;
  for (const std::string& text : texts) {
    auto host = ParseHostAndPorts(text);
    if (!host) return Error(Code::kInvalid, key + ": '" + text + "': " + std::string(host.error().Text()));
    network.mode = NetworkMode::kRules;
    network.rules.push_back({.host = std::move(host->host), .ports = std::move(host->ports), .origin = key});
  }
  return network;
}

}  // namespace paddock::policy
