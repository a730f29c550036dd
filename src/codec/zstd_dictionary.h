// Training of zstd dictionaries out of samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

struct ZstdTraining {
  enum class Method { kFastCover, kCover, kLegacy } method = Method::kFastCover;
  // Zeros are the library's own defaults; a fast or plain cover without k or d tries several.
  uint32_t k = 0, d = 0, steps = 0, f = 0, accel = 0;
  double split = 0;
  bool shrinks = false;
  uint32_t shrink_loss = 0;      // percent that a smaller dictionary may be worse
  uint32_t selectivity = 0;      // of the legacy method
  uint32_t dictionary_id = 0;    // 0: one is made of the content
  int level = 3;

  // Sets of parameters that are tried.
  uint64_t Sets() const;
};

// What is made, and the parameters that were found to be the best.
struct ZstdDictionary {
  std::string bytes;
  ZstdTraining training;
};

// The most of `samples`, in bytes, that one training takes: what the library does in one call is out of reach of a deadline.
uint64_t MostZstdSamples(const ZstdTraining& training);

// `samples` one behind the other, with their `sizes`, into at most `capacity` bytes. Errors: kInvalid with the library's reason.
Result<ZstdDictionary> TrainZstdDictionary(std::string_view samples, std::span<const size_t> sizes, size_t capacity, const ZstdTraining& training, Budget& budget);

}  // namespace paddock::codec
