#include "registry/states/state_file.h"

#include <algorithm>
#include <charconv>

#include "store/trees/tree_file.h"
#include "text/digest.h"

namespace paddock::registry {
namespace {

constexpr std::string_view kMagic = "paddock snapshot 1\n", kMagicWithBase = "paddock snapshot 2\n";
static_assert(kMagic.size() == kMagicWithBase.size());
constexpr uint64_t kMostEntries = 1'000'000;
constexpr uint64_t kMostBytes = 4ull << 30, kMostBaseBytes = 16ull << 30;
constexpr size_t kMostPiece = 256 << 10;
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
  // Errors: kSyntax when something is left.
  Status ExpectEnd() {
    PADDOCK_ASSIGN(const Block block, ReadBlock(1));
    return block.bytes.empty() ? Status() : Error(Code::kSyntax, "something follows the snapshot's end");
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

// A part of unknown length, in pieces that tell theirs.
class PieceSink final : public ByteSink {
 public:
  explicit PieceSink(ByteSink& out) : out_(out) {}

  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view some = bytes.substr(0, kMostPiece - piece_.size());
      piece_ += some;
      bytes.remove_prefix(some.size());
      if (piece_.size() == kMostPiece) PADDOCK_TRY(Close());
    }
    return {};
  }
  Status Finish() {
    if (!piece_.empty()) PADDOCK_TRY(Close());
    return Close();
  }

 private:
  Status Close() {
    std::string length;
    for (int shift = 24; shift >= 0; shift -= 8) length += static_cast<char>(piece_.size() >> shift & 0xff);
    PADDOCK_TRY(out_.Write(length));
    if (!piece_.empty()) PADDOCK_TRY(out_.Write(piece_));
    piece_.clear();
    return {};
  }

  ByteSink& out_;
  std::string piece_;
};

// The bytes of such a part; they end with it.
class PieceSource final : public ByteSource {
 public:
  explicit PieceSource(Rest& in) : in_(in) {}

  // Whether nothing of it is left.
  Result<bool> IsEmpty() {
    if (left_ == 0 && !has_ended_) {
      PADDOCK_ASSIGN(const std::string length, in_.Take(4));
      for (const char c : length) left_ = left_ << 8 | static_cast<unsigned char>(c);
      has_ended_ = left_ == 0;
      if (left_ > kMostPiece) return Error(Code::kSyntax, "a piece of the snapshot is longer than 256 KiB");
    }
    return has_ended_;
  }
  Result<Block> ReadBlock(size_t max) override {
    PADDOCK_TRY(IsEmpty());
    if (has_ended_) return Block{.keep = nullptr, .bytes = {}};
    PADDOCK_ASSIGN(const Block block, in_.ReadBlock(std::min(max, left_)));
    if (block.bytes.empty()) return Error(Code::kSyntax, "the snapshot ends too early");
    left_ -= block.bytes.size();
    return block;
  }
  void GiveBack(size_t) override {}   // nobody here does

 private:
  Rest& in_;
  size_t left_ = 0;   // of the piece
  bool has_ended_ = false;
};

Status WritePart(trees::Store& store, const trees::ObjectId& tree, ByteSink& out) {
  PieceSink pieces(out);
  PADDOCK_TRY(trees::ExportTree(store, tree, pieces));
  return pieces.Finish();
}

Result<trees::Captured> ReadTree(trees::Session& session, ByteSource& in, const char* what, uint64_t most_bytes) {
  PADDOCK_ASSIGN(const trees::Captured imported, trees::ImportTree(session, in, {.max_bytes = most_bytes, .max_entries = kMostEntries}));
  if (imported.totals.content_bytes > most_bytes) return Error(Code::kLimit, std::string("the snapshot's ") + what + " hold more than " + std::to_string(most_bytes) + " bytes");
  return imported;
}

}  // namespace

Status WriteStateFile(trees::Store& store, const SavedState& state, const std::string& isolation, ByteSink& out) {
  const std::string magic(state.base ? kMagicWithBase : kMagic);
  PADDOCK_TRY(out.Write(magic + isolation + " " + std::to_string(state.shell.size()) + " " + DigestText(state.shell) + "\n"));
  if (!state.shell.empty()) PADDOCK_TRY(out.Write(state.shell));
  if (!state.base) return trees::ExportTree(store, state.files, out);
  PADDOCK_TRY(WritePart(store, state.files, out));
  if (state.base == state.files) return PieceSink(out).Finish();   // an empty part: the same once more
  return WritePart(store, *state.base, out);
}

Result<StateFile> ReadStateFile(trees::Session& session, ByteSource& in) {
  Rest rest(in);
  PADDOCK_TRY(rest.Fill());
  auto magic = rest.Take(kMagic.size());
  if (!magic && magic.error().code != Code::kSyntax) return magic.error();
  const bool has_base = magic && *magic == kMagicWithBase;
  if (!magic || (*magic != kMagic && !has_base)) return Error(Code::kSyntax, "this is no snapshot; GET /v1/snapshots/ID/export gives one");
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
  PieceSource pieces(rest);
  PADDOCK_ASSIGN(const trees::Captured imported, ReadTree(session, has_base ? static_cast<ByteSource&>(pieces) : rest, "files", kMostBytes));
  file.state.files = imported.tree;
  file.state.totals = imported.totals;
  if (!has_base) return file;
  PieceSource below(rest);
  PADDOCK_ASSIGN(const bool is_same, below.IsEmpty());
  if (is_same) {
    file.state.base = file.state.files;
    PADDOCK_TRY(rest.ExpectEnd());
    return file;
  }
  PADDOCK_ASSIGN(const trees::Captured base, ReadTree(session, below, "template's files", kMostBaseBytes));
  PADDOCK_TRY(rest.ExpectEnd());
  file.state.base = base.tree;
  file.state.totals.entries += base.totals.entries;
  file.state.totals.content_bytes += base.totals.content_bytes;
  return file;
}

}  // namespace paddock::registry
