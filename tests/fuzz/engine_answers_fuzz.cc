// Fuzz target of what a container engine sends: streams in frames, lines of progress, names and versions. Any cut gives the same; memory
// stays bounded by what was sent.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "drivers/docker/docker_settings.h"
#include "drivers/docker/engine/endpoint.h"
#include "drivers/docker/engine/engine.h"
#include "drivers/docker/engine/names.h"
#include "drivers/docker/engine/progress_lines.h"
#include "drivers/docker/engine/stream_frames.h"

using namespace paddock;
using namespace paddock::docker;

namespace {

// What comes out of frames that are fed in pieces of this size, and how it ended.
std::string Unframed(std::string_view bytes, size_t piece) {
  StreamFrames frames;
  std::string out, err;
  Status status;
  for (size_t at = 0; at < bytes.size() && status; at += piece) {
    status = frames.Feed(bytes.substr(at, piece), [&](EngineStream stream, std::string_view part) {
      (stream == EngineStream::kStderr ? err : out) += part;
      return Status();
    });
  }
  PADDOCK_CHECK(out.size() + err.size() <= bytes.size());
  return out + '\0' + err + '\0' + (!status ? "error" : frames.Finish() ? "whole" : "cut");
}

std::string Lines(std::string_view bytes, size_t piece) {
  int count = 0;
  ProgressLines lines([&](const boost::json::value&) { ++count; });
  Status status;
  for (size_t at = 0; at < bytes.size() && status; at += piece) status = lines.Feed(bytes.substr(at, piece));
  if (status) status = lines.Finish();
  return std::to_string(count) + (status ? "" : std::string(status.error().Text()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > 1 << 16) return 0;
  const size_t piece = 1 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  PADDOCK_CHECK(Unframed(text, piece) == Unframed(text, text.size()));
  PADDOCK_CHECK(Lines(text, piece) == Lines(text, text.size()));
  const std::string full = FullReference(text);
  PADDOCK_CHECK(full.empty() || FullReference(full) == full);
  PADDOCK_CHECK(full.find("..") == full.npos || full.find("/../") == full.npos);
  if (const auto endpoint = ParseEndpoint({.host = std::string(text)})) PADDOCK_CHECK(!endpoint->text.empty());
  (void)ParseApiVersion(text);
  (void)CheckImage(std::string(text), {"ubuntu"});
  const EngineAnswer answer{.status = 500, .body = std::string(text)};
  PADDOCK_CHECK(EngineMessage(answer).size() <= 500);
  return 0;
}
