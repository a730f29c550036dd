// Fuzz target of the proxy's HTTP parser: a head that is accepted was incomplete at every shorter length, and what the
// engine would send on reads as the same head; chunks give the same data however they are cut.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "text/http_chunks.h"
#include "text/http_head.h"

namespace {

using namespace paddock;

void CheckHead(std::string_view bytes) {
  size_t size = 0;
  const auto head = ParseRequestHead(bytes, &size);
  if (!head || !*head) return;
  PADDOCK_CHECK(size <= bytes.size());
  for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
    size_t unused = 0;
    const auto part = ParseRequestHead(bytes.substr(0, cut), &unused);
    PADDOCK_CHECK(part && !*part);
  }
  const RequestHead& read = **head;
  PADDOCK_CHECK(read.minor_version == 0 || FindHeader(read.headers, "host") != nullptr);
  PADDOCK_CHECK(FindHeader(read.headers, "content-length") == nullptr ||
                FindHeader(read.headers, "transfer-encoding") == nullptr);
  std::string again = read.method + " " + read.target + " HTTP/1." + std::to_string(read.minor_version) + "\r\n";
  for (const HeaderField& field : read.headers) {
    PADDOCK_CHECK(IsHeaderName(field.name) && IsHeaderValue(field.value));
    again += field.name + ": " + field.value + "\r\n";
  }
  again += "\r\n";
  if (again.size() >= kMostHeadBytes) return;
  const auto same = ParseRequestHead(again, &size);
  PADDOCK_CHECK(same && *same && (*same)->headers.size() == read.headers.size() && (*same)->target == read.target);
  PADDOCK_CHECK((*same)->body.kind == read.body.kind && (*same)->body.length == read.body.length);
}

// The data, and where the body ended; nothing when it is refused.
bool Decode(std::string_view bytes, size_t piece, std::string* data, size_t* end) {
  ChunkDecoder decoder;
  *end = 0;
  while (*end < bytes.size() && !decoder.is_done()) {
    const auto used = decoder.Feed(bytes.substr(*end, piece), data);
    if (!used) return false;
    *end += *used;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckHead(bytes);
  size_t unused = 0;
  (void)ParseResponseHead(bytes, &unused);
  std::string whole, parts;
  size_t whole_end = 0, parts_end = 0;
  const bool is_good = Decode(bytes, bytes.size() + 1, &whole, &whole_end);
  PADDOCK_CHECK(Decode(bytes, 3, &parts, &parts_end) == is_good);
  if (is_good) PADDOCK_CHECK(whole == parts && whole_end == parts_end);
  return 0;
}
