// Upload: the body of a request that goes into a sandbox, as it comes, or received whole beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/stream.h"
#include "net/exchange.h"

namespace paddock::api {

// The handler's thread only.
class Upload final : public ByteSource {
 public:
  // `exchange` outlives it. `directory`, of the host, takes what does not fit into kMemoryBytes, in a file without a name.
  Upload(net::Exchange& exchange, std::string directory);

  // Receives all of it: before something is held that others wait for. Errors: those of Exchange::ReadBody(), but kFileTooBig above the body's
  // limit; the host's disk's.
  Status Receive();
  // From then on what was received, else what comes. Errors as Receive().
  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t) override {}

  static constexpr size_t kMemoryBytes = 128 << 10;

 private:
  Result<size_t> Next(std::span<char> to);
  Status Store(std::string_view bytes);

  net::Exchange& exchange_;
  const std::string directory_;
  std::string buffer_;
  bool is_received_ = false;
  std::string head_;                    // of what was received
  Descriptor file_;                     // the rest
  uint64_t stored_ = 0, taken_ = 0;     // of both
};

}  // namespace paddock::api
