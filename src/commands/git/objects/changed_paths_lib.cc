#include "commands/git/objects/changed_paths.h"

#include <bit>
#include <set>

#include "commands/git/diff/diff.h"

namespace paddock::git {
namespace {

constexpr size_t kMostPaths = 512, kBitsOfEntry = 10, kHashes = 7;
constexpr uint32_t kSeeds[] = {0x293ae76f, 0x7e646e2c};

// MurmurHash3, 32 bits, as git has it: bytes count with their sign.
uint32_t Murmur(uint32_t seed, std::string_view data) {
  const auto byte = [&data](size_t at) { return static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(data[at]))); };
  const auto mixed = [](uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
  const size_t whole = data.size() / 4 * 4;
  for (size_t at = 0; at < whole; at += 4) {
    const uint32_t k = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
    seed = std::rotl(seed ^ mixed(k), 13) * 5 + 0xe6546b64u;
  }
  uint32_t rest = 0;
  for (size_t at = data.size(); at-- > whole;) rest ^= byte(at) << (8 * (at - whole));
  if (whole < data.size()) seed ^= mixed(rest);
  seed ^= static_cast<uint32_t>(data.size());
  seed = (seed ^ seed >> 16) * 0x85ebca6bu;
  seed = (seed ^ seed >> 13) * 0xc2b2ae35u;
  return seed ^ seed >> 16;
}

}  // namespace

Result<std::string> ChangedPathFilter(Git& git, const Commit& commit) {
  FlatTree before;
  if (!commit.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(commit.parents[0]));
  }
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(commit.tree));
  const std::vector<FileDiff> changes = CompareTrees(before, after);
  const std::string everything(1, '\xff');   // too many: whatever is asked for may have changed
  if (changes.size() > kMostPaths) return everything;
  std::set<std::string> paths;
  for (const FileDiff& change : changes) {
    git.in.budget.Step();
    std::string path = change.new_path;
    for (size_t slash = path.size(); slash != std::string::npos; slash = path.rfind('/')) {
      path.resize(slash);
      paths.insert(path);
    }
  }
  if (paths.size() > kMostPaths) return everything;
  if (paths.empty()) return std::string(1, '\0');
  std::string filter((paths.size() * kBitsOfEntry + 7) / 8, '\0');
  for (const std::string& path : paths) {
    git.in.budget.Step(static_cast<int64_t>(1 + path.size() / 32));
    const uint32_t first = Murmur(kSeeds[0], path), step = Murmur(kSeeds[1], path);
    for (uint32_t i = 0; i < kHashes; ++i) {
      const size_t bit = (first + i * step) % (filter.size() * 8);
      filter[bit / 8] = static_cast<char>(static_cast<unsigned char>(filter[bit / 8]) | 1u << (bit % 8));
    }
  }
  return filter;
}

}  // namespace paddock::git
