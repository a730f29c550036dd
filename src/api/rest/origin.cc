#include "api/rest/origin.h"

#include "text/utf8.h"

namespace paddock::api {
namespace {

std::string WithPort(std::string authority, bool is_https) {
  const size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string::npos) return "";
  return authority.find(':', bracket) == std::string::npos ? authority + (is_https ? ":443" : ":80") : authority;
}

}  // namespace

bool IsOfAnotherSite(const net::Request& request) {
  if (request.CountHeader("Origin") == 0) return false;
  if (request.CountHeader("Origin") > 1 || request.CountHeader("Host") != 1) return true;
  const std::string origin = LowerUtf8(*request.Header("Origin"));
  const size_t scheme = origin.find("://");
  if (scheme == std::string::npos) return true;
  const bool is_https = origin.starts_with("https:");
  if (!is_https && !origin.starts_with("http:")) return true;
  const std::string from = WithPort(origin.substr(scheme + 3), is_https);
  return from.empty() || from != WithPort(LowerUtf8(*request.Header("Host")), is_https);
}

bool IsForged(const net::Request& request) {
  const bool only_reads = request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS";
  if (only_reads && request.Header("Upgrade") == nullptr) return false;
  return IsOfAnotherSite(request);
}

}  // namespace paddock::api
