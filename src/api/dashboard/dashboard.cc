#include "api/dashboard/dashboard.h"

#include <algorithm>

#include "text/http_head.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

// Scripts and styles are those files alone; nothing is evaluated, framed, submitted or fetched elsewhere; no string becomes markup.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

constexpr std::string_view kAbsent =
    "This paddock was built without its dashboard (PADDOCK_DASHBOARD=OFF). The API is at /v1: GET /v1/openapi.json describes it.\n";

net::Headers CommonHeaders(std::string_view type) {
  return {{"Content-Type", std::string(type)},
          {"Content-Security-Policy", kPolicy},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
          {"Cache-Control", "no-cache"}};
}

// Calls `look` with each element of the lists of a header, trimmed, until it returns true.
template <class Look>
bool AnyOf(const net::Request& request, std::string_view name, const Look& look) {
  for (const net::Headers::value_type& field : request.headers) {
    if (LowerUtf8(field.name) != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (look(TrimHeaderSpace(rest.substr(0, comma)))) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

bool TakesGzip(const net::Request& request) {
  return AnyOf(request, "accept-encoding", [](std::string_view coding) {
    const std::string_view name = TrimHeaderSpace(coding.substr(0, coding.find(';')));
    if (name != "gzip" && name != "*") return false;
    const size_t weight = coding.find("q=");
    return weight == std::string_view::npos || coding.find_first_not_of("0.", weight + 2) != std::string_view::npos;
  });
}

bool HasIt(const net::Request& request, std::string_view etag) {
  return AnyOf(request, "if-none-match", [&](std::string_view tag) {
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    return tag == etag || tag == "*";
  });
}

}  // namespace

bool ServeDashboard(net::Exchange& exchange, std::span<const DashboardFile> files) {
  const net::Request& request = exchange.request();
  const std::string_view path = request.path;
  if (path != "/" && !path.starts_with("/dashboard/")) return false;
  if (request.method != "GET" && request.method != "HEAD") {
    net::Headers headers = CommonHeaders("text/plain; charset=utf-8");
    headers.push_back({"Allow", "GET, HEAD"});
    (void)exchange.Respond(405, headers, "only GET and HEAD\n");
    return true;
  }
  const auto file = std::find_if(files.begin(), files.end(), [&](const DashboardFile& one) { return one.path == path; });
  if (file == files.end()) {
    const bool is_absent = files.empty() && path == "/";
    (void)exchange.Respond(is_absent ? 200 : 404, CommonHeaders("text/plain; charset=utf-8"), std::string(is_absent ? kAbsent : "no such file\n"));
    return true;
  }
  net::Headers headers = CommonHeaders(file->type);
  const bool is_gzip = !file->gzip.empty() && TakesGzip(request);
  // A strong tag names bytes: those of the two forms differ.
  const std::string etag = is_gzip ? std::string(file->etag.substr(0, file->etag.size() - 1)) + "-gzip\"" : std::string(file->etag);
  headers.push_back({"ETag", etag});
  headers.push_back({"Vary", "Accept-Encoding"});
  if (HasIt(request, etag)) {
    (void)exchange.Respond(304, headers, "");
    return true;
  }
  if (is_gzip) headers.push_back({"Content-Encoding", "gzip"});
  (void)exchange.Respond(200, headers, std::string(is_gzip ? file->gzip : file->content));
  return true;
}

}  // namespace paddock::api
