// Upload: the body of a request that goes into a sandbox, as it comes, or received whole beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/stream.h"
#include "net/exchange.h"
#include "vfs/extent.h"

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

  // Once it was received, and was too large for memory: the file that holds all of it, its size and Crc32c(). Else -1.
  int file() const { return is_received_ ? file_.get() : -1; }
  // From now on ReadBlock() gives views into this, which is what file() holds; null: no more.
  void ReadFrom(vfs::ExtentPtr extent) { extent_ = std::move(extent); }
  uint64_t size() const { return stored_; }
  uint32_t checksum() const { return checksum_; }

  static constexpr size_t kMemoryBytes = 128 << 10;

 private:
  Result<size_t> Next(std::span<char> to);
  Status Store(std::string_view bytes);
  Status Append(std::string_view bytes);   // to the file

  net::Exchange& exchange_;
  const std::string directory_;
  std::string buffer_;
  bool is_received_ = false;
  std::string head_;                    // what was received, until it is too large
  Descriptor file_;                     // all of it from then on
  uint64_t stored_ = 0, taken_ = 0;
  uint32_t checksum_ = 0;
  vfs::ExtentPtr extent_;
};

}  // namespace paddock::api
