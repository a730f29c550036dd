// WebSocketFilter: looks into the frames of a WebSocket to a destination that a secret is bound to.
//
// From the client, placeholders in messages are replaced where a binding says so (else what stands there may be shown to others, as with bodies); any
// other that comes is an error that names the secret, so that nobody waits for a server that does not know it. From the server, values are
// searched, also over the borders of fragments, and placeholders put in their place. Extensions (compression) must not have been agreed on. RFC 6455.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "egress/secrets.h"

namespace paddock::egress {

// Reads frames from pieces of any size. What a frame says is bounded, what it holds is not stored.
class WebSocketFrames {
 public:
  enum class From { kClient, kServer };   // whose frames are masked, and whose are not
  struct Part {
    std::string payload;      // unmasked
    uint8_t opcode = 0;       // of the frame
    bool begins = false;      // the frame
    bool ends = false;
    bool is_final = false;    // the frame's FIN
  };
  explicit WebSocketFrames(From from) : from_(from) {}
  // What is in this piece. Errors (kInvalid): reserved bits or opcodes, fragmented or long control frames, a fragment out of order, a mask that is
  // missing or should not be, a length of more than 2^62 or longer written than it needs.
  Result<std::vector<Part>> Feed(std::string_view piece);

 private:
  Result<bool> ReadHead();   // false: more is needed

  const From from_;
  std::string head_;
  uint64_t left_ = 0;
  bool is_in_payload_ = false;
  bool is_in_message_ = false;   // fragments of it are to come
  uint8_t opcode_ = 0;
  bool is_final_ = false;
  uint8_t mask_[4] = {};
  size_t mask_at_ = 0;
};

// Puts values into a whole message. Errors: kAccess with why it must not go out.
using MessageEditor = std::function<Status(std::string& message)>;

// From the client. Without an editor gives on what came, as it came. With one, a message is held until it is whole, and goes on as one frame;
// a longer one than kMostMessage goes on in pieces, and is searched only.
class PlaceholderFilter {
 public:
  static constexpr size_t kMostMessage = 256 << 10;   // bytes
  // Pairs of a secret's name and its placeholder; they outlive it.
  explicit PlaceholderFilter(const std::vector<std::pair<std::string, std::string>>& placeholders, MessageEditor edit = {});
  // Errors: kAccess with the secret's name; kInvalid.
  Result<std::string> Feed(std::string_view piece);

 private:
  Status Hold(const WebSocketFrames::Part& part, std::string* out);
  // In `text`, and over its border with what came before of the message.
  Status Search(std::string_view text, std::string_view where);

  const std::vector<std::pair<std::string, std::string>>& placeholders_;
  const MessageEditor edit_;
  size_t longest_ = 0;
  WebSocketFrames frames_{WebSocketFrames::From::kClient};
  std::string message_;       // held
  std::string message_end_;   // the last bytes of a message that is not held
  std::string control_;       // payload of a control frame
  uint8_t opcode_ = 0;        // of the message
  bool is_long_ = false;      // it is not held any more
};

// From the server: gives on frames written anew.
class MessageScrubber {
 public:
  explicit MessageScrubber(const std::vector<Replacement>& replacements);
  // Errors: kInvalid.
  Result<std::string> Feed(std::string_view piece);

 private:
  const std::vector<Replacement>& replacements_;
  WebSocketFrames frames_{WebSocketFrames::From::kServer};
  std::unique_ptr<Scrubber> message_;   // of the message that is under way
  std::string pending_;                 // of it, for the next frame
  std::string control_;                 // payload of a control frame
  bool has_begun_ = false;              // a frame of the message went out
  uint8_t message_opcode_ = 0;
};

}  // namespace paddock::egress
