// Packs, what lies beside them, deltas and loose objects: whatever the bytes are, they are read or refused, in bounded memory.
#include <string>
#include <string_view>

#include "git/object.h"
#include "git/pack.h"
#include "git/pack_companions.h"
#include "git/tree_reader.h"
#include "git/zlib_data.h"
#include "text/digest.h"

namespace {

paddock::Result<paddock::git::Object> NoBase(const paddock::git::Oid&) { return paddock::Error(paddock::Code::kNoEntry); }

void Run(std::string_view bytes) {
  paddock::Limits limits;
  limits.steps = 20'000'000;
  limits.memory_bytes = 256 << 20;
  paddock::Budget budget(limits, paddock::SystemClock());
  const std::string_view half = bytes.substr(0, bytes.size() / 2);
  static_cast<void>(paddock::git::ApplyDelta(half, bytes.substr(half.size()), budget).has_value());
  static_cast<void>(paddock::git::Inflate(bytes, 1 << 20, false, budget).has_value());
  static_cast<void>(paddock::git::ParseTree(bytes, budget).has_value());
  for (paddock::git::TreeDifferences differences(half, bytes.substr(half.size()));;) {
    const auto is_there = differences.Next(budget);
    if (!is_there || !*is_there) break;
  }
  static_cast<void>(paddock::git::ParseCommit(bytes, budget).has_value());
  static_cast<void>(paddock::git::ParseTag(bytes).has_value());
  static_cast<void>(paddock::git::ParseMultiPackIndex(bytes, budget).has_value());
  static_cast<void>(paddock::git::ParseMtimes(bytes, bytes.size() / 4).empty());
  // The checksum is put right, so that what it guards is reached.
  std::string pack(bytes);
  pack += paddock::DigestOf(paddock::DigestAlgorithm::kSha1, pack);
  static_cast<void>(paddock::git::Pack::MakeIndex(paddock::git::PackBytes(pack), budget).has_value());
  if (auto opened = paddock::git::Pack::Open(std::string(half), paddock::git::PackBytes(std::string(bytes.substr(half.size()))))) {
    for (size_t number = 0; number < opened->count(); ++number) {
      budget.Step();
      if (const auto offset = opened->Find(opened->IdAt(number))) static_cast<void>(opened->Read(*offset, NoBase, budget).has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Run(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const paddock::Termination&) {
    // A limit of the budget: that is what it is for.
  }
  return 0;
}
