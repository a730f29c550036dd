// Bodies of HTTP/1.1 messages: reading them out of their framing and putting them into a new one. Nothing of the sender's
// framing (chunk sizes, extensions, trailers) reaches the other side.
#pragma once

#include <string>
#include <string_view>

#include "egress/stream.h"
#include "text/http_chunks.h"
#include "text/http_head.h"

namespace paddock::egress {

class BodyReader {
 public:
  BodyReader(Input& input, BodyFraming framing) : input_(input), framing_(framing), left_(framing.length) {}
  // Takes the last piece off the input, too: what follows there is the next message.
  ~BodyReader() { input_.Consume(held_); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;
  // The next piece, valid until the next call; empty at the end. Errors: kBrokenPipe when the body ends early, kInvalid.
  Result<std::string_view> Next(Deadline deadline);
  // True when it is known already that nothing follows the last piece.
  bool is_at_end() const;
  // True when Next() would have to wait.
  bool WouldWait() const { return !is_at_end() && input_.view().size() <= held_; }

 private:
  Input& input_;
  const BodyFraming framing_;
  uint64_t left_;
  size_t held_ = 0;        // bytes of the last piece that are still in input_
  ChunkDecoder chunks_;
  std::string decoded_;
};

class BodyWriter {
 public:
  // `head` goes out together with the first piece, to save a packet.
  BodyWriter(Stream& stream, BodyFraming::Kind kind, std::string head)
      : stream_(stream), kind_(kind), pending_(std::move(head)) {}
  // Sends what is held back.
  Status Flush(Deadline deadline);
  Status Write(std::string_view piece, Deadline deadline);
  // The same and the end of the body.
  Status Finish(std::string_view piece, Deadline deadline);

 private:
  void Append(std::string_view piece);

  Stream& stream_;
  const BodyFraming::Kind kind_;
  std::string pending_;
};

}  // namespace paddock::egress
