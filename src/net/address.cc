#include "net/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace paddock::net {
namespace {

bool IsIpv6(const std::string& text) {
  in6_addr parsed;
  return inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

// A decimal port without sign and without more than five digits.
bool ParsePort(std::string_view text, uint16_t* port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *port);
  return !text.empty() && text.size() <= 5 && error == std::errc() && end == text.data() + text.size();
}

// "name:1", "[::1]:1", "name", "[::1]" to host and port text; false for anything else.
bool Split(std::string_view text, std::string* host, std::string_view* port) {
  *port = {};
  size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return false;
    *host = text.substr(1, end - 1);
    if (!IsIpv6(*host)) return false;
    ++end;
  } else {
    end = std::min(text.find(':'), text.size());
    *host = text.substr(0, end);
    if (!IsName(*host)) return false;
  }
  if (end == text.size()) return true;
  if (text[end] != ':') return false;
  *port = text.substr(end + 1);
  return true;
}

}  // namespace

Result<Address> ParseAddress(std::string_view text) {
  Address address;
  if (text.starts_with("unix:")) {
    address.is_unix = true;
    address.host = text.substr(5);
    if (address.host.empty() || address.host.find('\0') != std::string::npos || address.host.size() > 107) {
      return Error(Code::kSyntax,
                   "unix socket path of " + std::to_string(address.host.size()) + " bytes: 1 to 107 without NUL are possible");
    }
    return address;
  }
  std::string_view port;
  if (!Split(text, &address.host, &port) || !ParsePort(port, &address.port)) {
    return Error(Code::kSyntax, "address '" + std::string(text) + "' is not HOST:PORT, [IPV6]:PORT or unix:PATH");
  }
  return address;
}

std::string FormatAddress(const Address& address) {
  if (address.is_unix) return "unix:" + address.host;
  const std::string host = address.host.find(':') != std::string::npos ? "[" + address.host + "]" : address.host;
  return host + ":" + std::to_string(address.port);
}

Result<std::string> HostWithoutPort(std::string_view text) {
  std::string host;
  std::string_view port;
  uint16_t number = 0;
  if (!Split(text, &host, &port) || (text.ends_with(':') || (!port.empty() && !ParsePort(port, &number)))) {
    return Error(Code::kInvalid, "Host that is no host");
  }
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text.starts_with('[') ? "[" + host + "]" : host;
}

bool IsLoopbackHost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (host.starts_with('[') && host.ends_with(']')) {
    in6_addr parsed;
    return inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &parsed) == 1 &&
           IN6_IS_ADDR_LOOPBACK(&parsed);
  }
  in_addr parsed;
  return inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

}  // namespace paddock::net
