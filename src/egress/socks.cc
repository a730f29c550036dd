#include "egress/socks.h"

#include <cstring>

namespace paddock::egress {
namespace {

constexpr size_t kLongestText = 255;
constexpr uint8_t kConnect = 1;

uint8_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }
uint16_t Port(std::string_view bytes, size_t at) { return static_cast<uint16_t>(Byte(bytes, at) << 8 | Byte(bytes, at + 1)); }

policy::Host AddressHost(std::string_view bytes) {
  policy::IpAddress address;
  address.is_v6 = bytes.size() == 16;
  std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
  return {address.Text(), address};
}

// A name, or an address written as one, as "curl --socks5-hostname" sends it.
Result<policy::Host> NamedHost(std::string_view text, SocksProblem* problem) {
  auto host = policy::ParseHost(text);
  if (!host) *problem = {SocksReply::kNotAllowed, host.error().message};
  return host;
}

Result<std::optional<SocksRequest>> ParseSocks5(std::string_view bytes, size_t* size, SocksProblem* problem) {
  if (bytes.size() < 5) return std::optional<SocksRequest>();
  const uint8_t command = Byte(bytes, 1), type = Byte(bytes, 3);
  const size_t length = type == 1 ? 4 : type == 4 ? 16 : type == 3 ? size_t{1} + Byte(bytes, 4) : 0;
  if (Byte(bytes, 2) != 0) return Error(Code::kInvalid, "SOCKS: a reserved byte that is not 0");
  if (length == 0) {
    *problem = {SocksReply::kBadAddress, "SOCKS: an address type that is unknown"};
    return Error(Code::kInvalid, problem->reason);
  }
  const size_t whole = 4 + length + 2;
  if (bytes.size() < whole) return std::optional<SocksRequest>();
  *size = whole;
  if (command != kConnect) {
    *problem = {SocksReply::kBadCommand, "SOCKS: only CONNECT is served"};
    return Error(Code::kInvalid, problem->reason);
  }
  SocksRequest request;
  if (type == 3) {
    PADDOCK_ASSIGN(request.host, NamedHost(bytes.substr(5, length - 1), problem));
  } else {
    request.host = AddressHost(bytes.substr(4, length));
  }
  request.port = Port(bytes, whole - 2);
  if (request.port == 0) return Error(Code::kInvalid, "SOCKS: port 0");
  return std::optional<SocksRequest>(std::move(request));
}

// The text up to a NUL from `at` on; nothing when the NUL has not come yet.
Result<std::optional<std::string_view>> TakeText(std::string_view bytes, size_t at) {
  const size_t end = bytes.find('\0', at);
  const size_t length = (end == std::string_view::npos ? bytes.size() : end) - at;
  if (length > kLongestText) return Error(Code::kInvalid, "SOCKS: a text longer than 255 bytes");
  if (end == std::string_view::npos) return std::optional<std::string_view>();
  return std::optional<std::string_view>(bytes.substr(at, length));
}

Result<std::optional<SocksRequest>> ParseSocks4(std::string_view bytes, size_t* size, SocksProblem* problem) {
  if (bytes.size() < 9) return std::optional<SocksRequest>();
  PADDOCK_ASSIGN(const auto user, TakeText(bytes, 8));
  if (!user) return std::optional<SocksRequest>();
  SocksRequest request;
  request.version = 4;
  request.port = Port(bytes, 2);
  size_t whole = 8 + user->size() + 1;
  // 0.0.0.x, x not 0: a name follows (SOCKS4a).
  const bool has_name = bytes.substr(4, 3) == std::string_view("\0\0\0", 3) && bytes[7] != '\0';
  std::optional<std::string_view> name;
  if (has_name) {
    PADDOCK_ASSIGN(name, TakeText(bytes, whole));
    if (!name) return std::optional<SocksRequest>();
    whole += name->size() + 1;
  }
  *size = whole;
  if (Byte(bytes, 1) != kConnect) {
    *problem = {SocksReply::kBadCommand, "SOCKS: only CONNECT is served"};
    return Error(Code::kInvalid, problem->reason);
  }
  if (request.port == 0) return Error(Code::kInvalid, "SOCKS: port 0");
  if (name) {
    PADDOCK_ASSIGN(request.host, NamedHost(*name, problem));
  } else {
    request.host = AddressHost(bytes.substr(4, 4));
  }
  return std::optional<SocksRequest>(std::move(request));
}

}  // namespace

Result<bool> ParseSocks5Greeting(std::string_view bytes, size_t* size) {
  *size = 0;
  if (!bytes.empty() && Byte(bytes, 0) != 5) return Error(Code::kInvalid, "SOCKS: not version 5");
  if (bytes.size() < 2) return false;
  const size_t methods = Byte(bytes, 1);
  if (methods == 0) return Error(Code::kInvalid, "SOCKS: no authentication method");
  if (bytes.size() < 2 + methods) return false;
  *size = 2 + methods;
  return bytes.substr(2, methods).find('\0') != std::string_view::npos;
}

Result<std::optional<SocksRequest>> ParseSocksRequest(std::string_view bytes, size_t* size, SocksProblem* problem) {
  *size = 0;
  if (bytes.empty()) return std::optional<SocksRequest>();
  if (bytes[0] == 5) return ParseSocks5(bytes, size, problem);
  if (bytes[0] == 4) return ParseSocks4(bytes, size, problem);
  return Error(Code::kInvalid, "SOCKS: a version that is unknown");
}

std::string SocksAnswer(int version, SocksReply reply) {
  if (version == 4) return std::string("\0", 1) + (reply == SocksReply::kGranted ? '\x5a' : '\x5b') + std::string(6, '\0');
  char code = 1;
  switch (reply) {
    case SocksReply::kGranted: code = 0; break;
    case SocksReply::kFailure: code = 1; break;
    case SocksReply::kNotAllowed: code = 2; break;
    case SocksReply::kUnreachable: code = 4; break;
    case SocksReply::kBadCommand: code = 7; break;
    case SocksReply::kBadAddress: code = 8; break;
  }
  return std::string("\x05") + code + std::string("\0\1\0\0\0\0\0\0", 8);
}

}  // namespace paddock::egress
