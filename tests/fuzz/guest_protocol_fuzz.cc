// Fuzz target of the guest protocol's frames and messages: the pieces in which bytes come make no difference, and what
// decodes encodes to something that decodes to the same.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "guest/protocol/file_messages.h"
#include "guest/protocol/frame.h"
#include "guest/protocol/messages.h"
#include "guest/protocol/open_file_messages.h"
#include "guest/protocol/port_messages.h"
#include "guest/protocol/tree_messages.h"

namespace {

using namespace paddock::guest;

// One line a message, "!" at a violation.
std::vector<std::string> Messages(std::string_view bytes, size_t piece) {
  FrameDecoder decoder;
  MessageAssembler assembler;
  std::vector<std::string> found;
  while (true) {
    while (true) {
      const auto frame = decoder.Next();
      if (frame && !*frame) break;
      const auto message = frame ? assembler.Add(**frame) : paddock::Result<std::optional<MessageAssembler::Message>>(frame.error());
      if (!message) {
        found.push_back("!");
        return found;
      }
      if (*message) found.push_back(std::to_string((*message)->stream) + " " + std::string((*message)->bytes));
    }
    if (bytes.empty()) return found;
    const auto space = decoder.Space();
    PADDOCK_CHECK(!space.empty());
    const size_t count = std::min({piece, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    decoder.Commit(count);
    bytes.remove_prefix(count);
  }
}

template <auto kDecode>
void RoundTrip(std::string_view bytes) {
  const auto message = kDecode(bytes);
  if (!message) return;
  const std::string once = Encode(*message);
  const auto again = kDecode(once);
  PADDOCK_CHECK(again.has_value());
  PADDOCK_CHECK(Encode(*again) == once);
}

template <auto kDecode>
void RoundTripEach(std::string_view bytes) {
  const auto messages = kDecode(bytes);
  if (!messages) return;
  std::string once;
  for (const auto& message : *messages) once += Encode(message);
  PADDOCK_CHECK(once == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 32) {
    case 0: RoundTrip<DecodeHello>(bytes); break;
    case 1: RoundTrip<DecodeFailure>(bytes); break;
    case 2: RoundTrip<DecodeStart>(bytes); break;
    case 3: RoundTrip<DecodeAttach>(bytes); break;
    case 4: RoundTrip<DecodeStarted>(bytes); break;
    case 5: RoundTrip<DecodeExited>(bytes); break;
    case 6: RoundTrip<DecodeSignal>(bytes); break;
    case 7: RoundTrip<DecodeProcesses>(bytes); break;
    case 8: RoundTrip<DecodeFile>(bytes); break;
    case 9: RoundTrip<DecodeFileStat>(bytes); break;
    case 10: RoundTripEach<DecodeEntries>(bytes); break;
    case 11: RoundTrip<DecodeRead>(bytes); break;
    case 12: RoundTrip<DecodeWrite>(bytes); break;
    case 13: RoundTrip<DecodeWatch>(bytes); break;
    case 14: RoundTripEach<DecodeWatchEvents>(bytes); break;
    case 15: RoundTrip<DecodeDial>(bytes); break;
    case 16: RoundTrip<DecodeAccepted>(bytes); break;
    case 17: RoundTrip<DecodeUsage>(bytes); break;
    case 20: RoundTrip<DecodeFileAttributes>(bytes); break;
    case 21: RoundTrip<DecodeFileSpace>(bytes); break;
    case 22: RoundTrip<DecodeSetTimes>(bytes); break;
    case 23: RoundTrip<DecodeOpen>(bytes); break;
    case 24: RoundTrip<DecodeFileAct>(bytes); break;
    case 25: RoundTrip<DecodeFileDone>(bytes); break;
    case 26: RoundTrip<DecodePack>(bytes); break;
    case 27: RoundTrip<DecodeUnpack>(bytes); break;
    case 28: RoundTrip<DecodeTreeReport>(bytes); break;
    default: PADDOCK_CHECK(Messages(bytes, 1) == Messages(bytes, bytes.size() + 1)); break;
  }
  return 0;
}
