#include "egress/upstream_proxy.h"

#include "text/base64.h"
#include "text/http_head.h"

namespace paddock::egress {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) return Error(Code::kInvalid, "'%' without two hexadecimal digits in its user or password");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace

Result<UpstreamProxy> ParseUpstreamProxy(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return Error(Code::kInvalid, "is not of the form http://[user:password@]host:port");
  url.remove_prefix(kScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  UpstreamProxy proxy;
  const size_t at = url.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view credentials = url.substr(0, at);
    const size_t colon = credentials.find(':');
    PADDOCK_ASSIGN(const std::string user, PercentDecoded(credentials.substr(0, colon)));
    PADDOCK_ASSIGN(const std::string password,
                   PercentDecoded(colon == std::string_view::npos ? "" : credentials.substr(colon + 1)));
    proxy.authorization = "Basic " + EncodeBase64(user + ":" + password);
    url.remove_prefix(at + 1);
  }
  PADDOCK_ASSIGN(policy::HostPort where, policy::ParseHostPort(url, 80));
  proxy.host = std::move(where.host);
  proxy.port = where.port;
  return proxy;
}

Status AskUpstreamProxy(Stream& stream, const UpstreamProxy& proxy, const std::string& target, Deadline deadline) {
  std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!proxy.authorization.empty()) request += "Proxy-Authorization: " + proxy.authorization + "\r\n";
  PADDOCK_TRY(stream.Write(request + "\r\n", deadline));
  // Byte by byte: what follows the head is the target's and stays in the stream.
  std::string answer;
  for (;;) {
    char byte = 0;
    PADDOCK_ASSIGN(const size_t count, stream.Read(std::span(&byte, 1), deadline));
    if (count == 0) return Error(Code::kBrokenPipe, "closed the connection");
    answer += byte;
    size_t size = 0;
    if (byte != '\n' && answer.size() < kMostHeadBytes) continue;
    PADDOCK_ASSIGN(const auto head, ParseResponseHead(answer, &size));
    if (!head) continue;
    if (head->status / 100 == 2) return {};
    return Error(Code::kAccess, "answered " + std::to_string(head->status) + " " + head->reason);
  }
}

}  // namespace paddock::egress
