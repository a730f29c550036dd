#include "registry/state_file.h"

#include <algorithm>
#include <charconv>

#include "store/trees/tree_file.h"
#include "text/digest.h"

namespace paddock::registry {
namespace {

constexpr std::string_view kMagic = "paddock snapshot 1\n";
constexpr uint64_t kMostEntries = 1'000'000;
constexpr uint64_t kMostBytes = 4ull << 30;
constexpr uint64_t kMostShell = 64 << 20;
constexpr size_t kMostLine = 200;

std::string DigestText(std::string_view shell) {
  return HexOf(DigestOf(DigestAlgorithm::kSha256, shell));
}

// What a source gives, with bytes put back in front of it.
class Rest final : public ByteSource {
 public:
  explicit Rest(ByteSource& in) : in_(in) {}

  Result<Block> ReadBlock(size_t max) override {
    if (at_ == front_.size()) return in_.ReadBlock(max);
    const std::string_view bytes = std::string_view(front_).substr(at_, max);
    at_ += bytes.size();
    return Block{.keep = nullptr, .bytes = bytes};
  }
  void GiveBack(size_t) override {}

  // Exactly `count` bytes.
  Result<std::string> Take(size_t count) {
    std::string taken;
    while (taken.size() < count) {
      PADDOCK_ASSIGN(const Block block, ReadBlock(std::min<size_t>(count - taken.size(), 64 << 10)));
      if (block.bytes.empty()) return Error(Code::kSyntax, "the snapshot ends too early");
      taken += block.bytes;
    }
    return taken;
  }
  // Up to a newline, which is taken, too.
  Result<std::string> TakeLine() {
    std::string line;
    while (line.size() < kMostLine) {
      PADDOCK_ASSIGN(const std::string next, Take(1));
      if (next == "\n") return line;
      line += next;
    }
    return Error(Code::kSyntax, "the snapshot's second line is too long");
  }
  Status Fill() {
    PADDOCK_ASSIGN(const Block block, in_.ReadBlock(64 << 10));
    front_ = std::string(block.bytes);
    at_ = 0;
    return {};
  }

 private:
  ByteSource& in_;
  std::string front_;
  size_t at_ = 0;
};

}  // namespace

Status WriteStateFile(trees::Store& store, const SavedState& state, const std::string& isolation, ByteSink& out) {
  if (state.base) return Error(Code::kNotSupported, "what began from a template of this daemon is not carried as a file");
  PADDOCK_TRY(out.Write(std::string(kMagic) + isolation + " " + std::to_string(state.shell.size()) + " " + DigestText(state.shell) + "\n"));
  if (!state.shell.empty()) PADDOCK_TRY(out.Write(state.shell));
  return trees::ExportTree(store, state.files, out);
}

Result<StateFile> ReadStateFile(trees::Session& session, ByteSource& in) {
  Rest rest(in);
  PADDOCK_TRY(rest.Fill());
  auto magic = rest.Take(kMagic.size());
  if (!magic && magic.error().code != Code::kSyntax) return magic.error();
  if (!magic || *magic != kMagic) return Error(Code::kSyntax, "this is no snapshot; GET /v1/snapshots/ID/export gives one");
  PADDOCK_ASSIGN(const std::string line, rest.TakeLine());
  const size_t space = line.find(' '), second = line.rfind(' ');
  uint64_t size = 0;
  if (space == std::string::npos || space == 0 || second == space) return Error(Code::kSyntax, "the snapshot's second line is damaged");
  const auto [stop, failure] = std::from_chars(line.data() + space + 1, line.data() + second, size);
  if (failure != std::errc() || stop != line.data() + second) return Error(Code::kSyntax, "the snapshot's second line is damaged");
  if (size > kMostShell) return Error(Code::kLimit, "the snapshot's shell has more than " + std::to_string(kMostShell) + " bytes");
  StateFile file{.state = {}, .isolation = line.substr(0, space)};
  PADDOCK_ASSIGN(file.state.shell, rest.Take(static_cast<size_t>(size)));
  if (DigestText(file.state.shell) != std::string_view(line).substr(second + 1)) return Error(Code::kSyntax, "the snapshot's shell is damaged");
  PADDOCK_ASSIGN(const trees::Captured imported, trees::ImportTree(session, rest, {.max_bytes = kMostBytes, .max_entries = kMostEntries}));
  if (imported.totals.content_bytes > kMostBytes) return Error(Code::kLimit, "the snapshot's files hold more than " + std::to_string(kMostBytes) + " bytes");
  file.state.files = imported.tree;
  file.state.totals = imported.totals;
  return file;
}

}  // namespace paddock::registry
