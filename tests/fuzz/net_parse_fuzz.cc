// Fuzz target of what src/net parses itself. The first byte chooses: targets, ranges, hosts, server-sent events, WebSocket
// frames. What is accepted keeps its promises, and streams read the same however they are cut.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/address.h"
#include "net/event_reader.h"
#include "net/request.h"
#include "net/web_socket_frame.h"
#include "text/utf8.h"

namespace {

using namespace paddock;
using namespace paddock::net;

void CheckTarget(std::string_view text) {
  Request request;
  request.method = "GET";
  request.target = text;
  if (!ParseTarget(&request)) return;
  PADDOCK_CHECK(request.segments.size() <= kMostSegments && request.query.size() <= kMostQueryPairs);
  std::string again;
  for (const std::string& segment : request.segments) {
    PADDOCK_CHECK(segment != "." && segment != ".." && segment.find('\0') == std::string::npos);
    again += "/" + EncodePercent(segment);
  }
  if (again.empty()) again = "/";
  again += "?";
  for (const QueryPair& pair : request.query) again += EncodePercent(pair.name) + "=" + EncodePercent(pair.value) + "&";
  Request same;
  same.method = "GET";
  same.target = again;
  PADDOCK_CHECK(ParseTarget(&same));
  PADDOCK_CHECK(same.segments == request.segments && same.query.size() == request.query.size());
  for (size_t i = 0; i < same.query.size(); ++i) {
    PADDOCK_CHECK(same.query[i].name == request.query[i].name && same.query[i].value == request.query[i].value);
  }
}

void CheckRange(std::string_view text) {
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, UINT64_MAX}) {
    const ByteRange range = ParseRange(text, size);
    if (range.kind != ByteRange::Kind::kPart) continue;
    PADDOCK_CHECK(range.length > 0 && range.first < size && range.length <= size - range.first);
  }
}

void CheckHost(std::string_view text) {
  if (const auto host = HostWithoutPort(text)) {
    const auto same = HostWithoutPort(*host);
    PADDOCK_CHECK(same && *same == *host);
    (void)IsLoopbackHost(*host);
  }
  if (const auto address = ParseAddress(text)) {
    const auto same = ParseAddress(FormatAddress(*address));
    PADDOCK_CHECK(same && *same == *address);
  }
}

std::string Events(std::string_view bytes, size_t piece) {
  EventParser parser(4096);
  std::string all;
  while (!bytes.empty()) {
    if (!parser.Feed(bytes.substr(0, piece))) return all + "refused";
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (const Event& event : parser.events()) {
      PADDOCK_CHECK(event.data.size() <= 4096);
      all += event.id + "\1" + event.name + "\1" + event.data + "\2";
      if (const auto encoded = EncodeEvent(event)) {
        EventParser second(8192);
        PADDOCK_CHECK(second.Feed(*encoded) && second.events().size() == 1);
        PADDOCK_CHECK(second.events()[0].data == event.data && second.events()[0].name == event.name);
      }
    }
    parser.events().clear();
  }
  return all;
}

std::string Items(std::string_view bytes, size_t piece, bool expects_mask) {
  WebSocketReader reader(expects_mask, 4096);
  std::string all;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    for (;;) {
      const auto item = reader.Next(&part);
      if (!item) return all + "refused " + std::to_string(CloseCodeOf(item.error()));
      if (!*item) break;
      PADDOCK_CHECK((*item)->payload.size() <= 4096);
      PADDOCK_CHECK((*item)->kind != WebSocketItemKind::kText || IsValidUtf8((*item)->payload));
      all += std::to_string(static_cast<int>((*item)->kind)) + " " + std::to_string((*item)->code) + (*item)->payload + "\1";
    }
    PADDOCK_CHECK(part.empty());
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: CheckTarget(bytes); break;
    case 1: CheckRange(bytes); break;
    case 2: CheckHost(bytes); break;
    case 3: PADDOCK_CHECK(Events(bytes, size) == Events(bytes, 3)); break;
    case 4: PADDOCK_CHECK(Items(bytes, size, true) == Items(bytes, 3, true)); break;
    case 5: PADDOCK_CHECK(Items(bytes, size, false) == Items(bytes, 3, false)); break;
  }
  return 0;
}
