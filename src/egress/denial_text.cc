#include "egress/denial_text.h"

namespace paddock::egress {
namespace {

std::string Response(std::string_view status, std::string_view text, bool keep_alive, bool has_body) {
  std::string response =
      "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: text/plain; charset=utf-8\r\nX-Paddock: egress\r\n";
  response += "Content-Length: " + std::to_string(text.size()) + "\r\n";
  response += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  if (has_body) response += text;
  return response;
}

}  // namespace

std::string RefusalText(std::string_view what, const Destination& to, const Refusal& refusal) {
  const bool is_denied = refusal.kind == Event::Kind::kDenied;
  std::string text = std::string(is_denied ? "paddock denied " : "paddock could not serve ") + std::string(what) + "\n";
  text += "reason: " + refusal.reason + "\n";
  if (!refusal.rule.empty()) text += "rule: " + refusal.rule + "\n";
  if (is_denied && !to.host.text.empty()) {
    text += "to ask: have the user allow host " + to.host.text + " port " + std::to_string(to.port) +
            " in the sandbox's policy (--allow-host " + to.host.text + "); do not look for another way\n";
  }
  return text;
}

std::string RefusalResponse(std::string_view text, const Refusal& refusal, bool keep_alive, bool has_body) {
  return Response(refusal.kind == Event::Kind::kDenied ? "403 Forbidden" : "502 Bad Gateway", text, keep_alive, has_body);
}

std::string BadRequestResponse(std::string_view reason) {
  return Response("400 Bad Request",
                  "paddock refused a request that can be read in more than one way\nreason: " + std::string(reason) + "\n", false,
                  true);
}

std::string_view TlsNoProtocol() { return std::string_view("\x15\x03\x03\x00\x02\x02\x78", 7); }
std::string_view TlsAccessDenied() { return std::string_view("\x15\x03\x03\x00\x02\x02\x31", 7); }

}  // namespace paddock::egress
