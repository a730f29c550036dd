// Fuzz target of the egress engine's binary parsers: SOCKS, DNS, the TLS hello, and what a stream is taken for, WebSocket frames. The first byte
// chooses.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "egress/client_hello.h"
#include "egress/dns_message.h"
#include "egress/socks.h"
#include "egress/websocket_filter.h"
#include "egress/first_bytes.h"

namespace {

using namespace paddock;
using namespace paddock::egress;

// What is complete was not complete at any shorter length, and not refused.
void CheckSocks(std::string_view bytes) {
  size_t size = 0;
  (void)ParseSocks5Greeting(bytes, &size);
  PADDOCK_CHECK(size <= bytes.size());
  SocksProblem problem;
  const auto request = ParseSocksRequest(bytes, &size, &problem);
  PADDOCK_CHECK(size <= bytes.size());
  if (!request || !*request) return;
  PADDOCK_CHECK((*request)->port != 0);
  const auto again = policy::ParseHost((*request)->host.text);
  PADDOCK_CHECK(again && *again == (*request)->host);
  for (size_t cut = 0; cut < size; ++cut) {
    size_t unused = 0;
    const auto part = ParseSocksRequest(bytes.substr(0, cut), &unused, &problem);
    PADDOCK_CHECK(part && !*part);
  }
}

void CheckDns(std::string_view bytes) {
  const auto question = ParseDnsQuestion(bytes);
  if (!question) return;
  const std::string answer = BuildDnsAnswer(*question, DnsStatus::kNoError, policy::IpAddress::V4(198, 18, 1, 0));
  PADDOCK_CHECK(!ParseDnsQuestion(answer));   // an answer to an answer never comes
  PADDOCK_CHECK(answer.size() <= bytes.size() + 16);   // no amplification
}

void CheckHello(std::string_view bytes) {
  const auto hello = ParseClientHello(bytes);
  if (!hello || !*hello) return;
  PADDOCK_CHECK(!(*hello)->server_name || !(*hello)->server_name->empty());
  PADDOCK_CHECK(Classify(bytes) == FirstBytes::kTls);
}

// A verdict of "something else" must not turn into HTTP when more bytes come.
void CheckClassify(std::string_view bytes) {
  if (Classify(bytes) != FirstBytes::kNeedMore) {
    PADDOCK_CHECK(Classify(std::string(bytes) + "GET / HTTP/1.1\r\n") == Classify(bytes));
  }
}

// In whatever pieces it comes, the same comes of it, and what goes on holds no value that one frame had.
void CheckWebSocket(std::string_view bytes) {
  static const std::vector<Replacement> replacements = {{"SECRET", "<>"}};
  static const std::vector<std::pair<std::string, std::string>> placeholders = {{"NAME", "SECRET"}};
  const auto run = [bytes](auto filter, size_t piece) {
    std::string out;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const auto passed = filter.Feed(bytes.substr(at, piece));
      if (!passed) return std::string("refused");
      out += *passed;
    }
    return out;
  };
  const std::string scrubbed = run(MessageScrubber(replacements), 1);
  PADDOCK_CHECK(scrubbed.find("SECRET") == std::string::npos);
  PADDOCK_CHECK((scrubbed == "refused") == (run(MessageScrubber(replacements), 4096) == "refused"));
  PADDOCK_CHECK(run(PlaceholderFilter(placeholders), 1) == run(PlaceholderFilter(placeholders), 4096));
  const auto edited = [&](size_t piece) {
    const std::string frames = run(PlaceholderFilter(placeholders, [](std::string& message) {
      for (size_t at = 0; (at = message.find("SECRET", at)) != std::string::npos;) message.replace(at, 6, "<>");
      return Status();
    }), piece);
    if (frames == "refused") return frames;
    std::string text;
    const auto parts = WebSocketFrames(WebSocketFrames::From::kClient).Feed(frames);   // their masks differ
    PADDOCK_CHECK(parts);
    for (const auto& part : *parts) text += part.payload + (part.ends ? static_cast<char>('0' + part.opcode) : '-');
    return text;
  };
  const std::string held = edited(1);
  PADDOCK_CHECK(held.find("SECRET") == std::string::npos);
  PADDOCK_CHECK(held == edited(4096));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0: CheckSocks(bytes); break;
    case 1: CheckDns(bytes); break;
    case 2: CheckHello(bytes); break;
    case 3: CheckClassify(bytes); break;
    case 4: CheckWebSocket(bytes); break;
  }
  return 0;
}
