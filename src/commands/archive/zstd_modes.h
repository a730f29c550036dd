// What zstd does besides packing and unpacking: training of dictionaries and benchmarks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/coder.h"
#include "codec/zstd_dictionary.h"
#include "proc/command.h"

namespace paddock::zstd {

// Digits and K, M, G with i and B behind them; all of `text`, or as much as there is when `rest` takes what follows.
Result<uint64_t> Amount(std::string_view text, size_t* rest = nullptr);

struct TrainOptions {
  codec::ZstdTraining training;
  uint64_t capacity = 110 << 10;
  uint64_t piece = 0;         // -B: samples are pieces of this size; 0: files
  uint64_t memory = 0;        // -M; 0: the most that there is
  std::string output = "dictionary";
  int shown = 2;
};
// The parameters behind --train-cover= and --train-fastcover= ("k=200,d=8"), and --train-legacy= ("selectivity=9"). Errors: kSyntax.
Status ReadTraining(codec::ZstdTraining& training, std::string_view text);
// zstd --train FILE...
ExitStatus Train(Invocation& in, const TrainOptions& options, const std::vector<std::string>& names);

struct BenchOptions {
  codec::ZstdEncoderOptions encoder;
  int first = 3, last = 3;
  uint64_t seconds = 3;
  uint64_t piece = 0;          // -B: compressed by themselves; 0: files whole
  bool each_alone = false;     // -S
  bool only_unpacks = false;
  int shown = 2;
};
// zstd -b FILE...
ExitStatus Bench(Invocation& in, const BenchOptions& options, const std::vector<std::string>& names);

}  // namespace paddock::zstd
