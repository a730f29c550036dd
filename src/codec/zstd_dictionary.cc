#include "codec/zstd_dictionary.h"

#define ZDICT_STATIC_LINKING_ONLY   // the parameters of each method
#include <zdict.h>

#include <algorithm>

#include "base/budget.h"

namespace paddock::codec {
namespace {

constexpr uint32_t kDefaultSteps = 40, kSegments = 1950;   // segments from 50 to 2000 bytes are tried

ZDICT_params_t General(const ZstdTraining& training) {
  return {.compressionLevel = training.level, .notificationLevel = 0, .dictID = training.dictionary_id};
}

}  // namespace

uint64_t ZstdTraining::Sets() const {
  if (method == Method::kLegacy || (k != 0 && d != 0)) return 1;
  const uint64_t lengths = k != 0 ? 1 : std::min(steps == 0 ? kDefaultSteps : steps, kSegments) + 1;
  return lengths * (d != 0 ? 1 : 2);
}

uint64_t MostZstdSamples(const ZstdTraining& training) {
  // Bytes that a second or so is enough for.
  const uint64_t most = training.method == ZstdTraining::Method::kFastCover ? uint64_t{64} << 20 : uint64_t{8} << 20;
  return std::max<uint64_t>(most / training.Sets(), 16 << 10);
}

Result<ZstdDictionary> TrainZstdDictionary(std::string_view samples, std::span<const size_t> sizes, size_t capacity, const ZstdTraining& training, Budget& budget) {
  // The most that any of the methods takes for a byte of the samples, and for a slot of the tables, of which there are 2^f.
  constexpr uint64_t kBytesForByte = 11, kBytesForSlot = 12, kUsualLog = 20, kMostLog = 31;
  if (training.f > kMostLog) return Error(Code::kInvalid, "Parameter is out of bound");
  budget.WillAllocate(samples.size() * kBytesForByte + 2 * capacity + (kBytesForSlot << (training.f == 0 ? kUsualLog : training.f)));
  budget.Step(static_cast<int64_t>(samples.size() / 64 * training.Sets() + 1));
  ZstdDictionary made{std::string(capacity, '\0'), training};
  const auto count = static_cast<unsigned>(sizes.size());
  const bool searches = training.Sets() > 1 || training.k == 0 || training.d == 0;
  size_t size = 0;
  switch (training.method) {
    case ZstdTraining::Method::kFastCover: {
      ZDICT_fastCover_params_t parameters{};
      parameters.k = training.k;
      parameters.d = training.d;
      parameters.f = training.f;
      parameters.steps = training.steps;
      parameters.splitPoint = training.split;
      parameters.accel = training.accel;
      parameters.shrinkDict = training.shrinks ? 1 : 0;
      parameters.shrinkDictMaxRegression = training.shrink_loss;
      parameters.zParams = General(training);
      size = searches ? ZDICT_optimizeTrainFromBuffer_fastCover(made.bytes.data(), capacity, samples.data(), sizes.data(), count, &parameters)
                      : ZDICT_trainFromBuffer_fastCover(made.bytes.data(), capacity, samples.data(), sizes.data(), count, parameters);
      made.training.k = parameters.k;
      made.training.d = parameters.d;
      made.training.f = parameters.f;
      made.training.steps = parameters.steps;
      made.training.split = parameters.splitPoint;
      made.training.accel = parameters.accel;
      break;
    }
    case ZstdTraining::Method::kCover: {
      ZDICT_cover_params_t parameters{};
      parameters.k = training.k;
      parameters.d = training.d;
      parameters.steps = training.steps;
      parameters.splitPoint = training.split;
      parameters.shrinkDict = training.shrinks ? 1 : 0;
      parameters.shrinkDictMaxRegression = training.shrink_loss;
      parameters.zParams = General(training);
      size = searches ? ZDICT_optimizeTrainFromBuffer_cover(made.bytes.data(), capacity, samples.data(), sizes.data(), count, &parameters)
                      : ZDICT_trainFromBuffer_cover(made.bytes.data(), capacity, samples.data(), sizes.data(), count, parameters);
      made.training.k = parameters.k;
      made.training.d = parameters.d;
      made.training.steps = parameters.steps;
      made.training.split = parameters.splitPoint;
      break;
    }
    case ZstdTraining::Method::kLegacy: {
      constexpr size_t kGuard = 32;   // bytes behind the samples that the method compares with and that must match nothing
      std::string guarded(samples);
      uint32_t noise = 0x9e3779b9;
      for (size_t i = 0; i < kGuard; ++i) guarded += static_cast<char>((noise = noise * 1664525 + 1013904223) >> 24);
      ZDICT_legacy_params_t parameters{};
      parameters.selectivityLevel = training.selectivity;
      parameters.zParams = General(training);
      size = ZDICT_trainFromBuffer_legacy(made.bytes.data(), capacity, guarded.data(), sizes.data(), count, parameters);
      break;
    }
  }
  if (ZDICT_isError(size)) return Error(Code::kInvalid, ZDICT_getErrorName(size));
  made.bytes.resize(size);
  return made;
}

}  // namespace paddock::codec
