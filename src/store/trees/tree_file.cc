#include "store/trees/tree_file.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/trees/nodes.h"
#include "store/trees/references.h"
#include "store/trees/tree_check.h"
#include "store/trees/wire.h"

namespace paddock::trees {
namespace {

constexpr std::string_view kMagic = "paddock tree 1\n";
constexpr uint8_t kEnd = 0;
constexpr int kLevel = 3;

Error Malformed(const std::string& why) { return {Code::kSyntax, "the file of a tree is malformed: " + why}; }

// zstd over a sink.
class Squeezer {
 public:
  explicit Squeezer(ByteSink& out) : out_(out), context_(ZSTD_createCCtx(), ZSTD_freeCCtx), buffer_(ZSTD_CStreamOutSize(), '\0') {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  Status Write(std::string_view bytes, bool is_last = false) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (true) {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) return Error(Code::kInternal, ZSTD_getErrorName(left));
      if (out.pos > 0) PADDOCK_TRY(out_.Write(std::string_view(buffer_).substr(0, out.pos)));
      if (is_last ? left == 0 : in.pos == in.size) return {};
    }
  }

 private:
  ByteSink& out_;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_;
  std::string buffer_;
};

// Bytes out of one zstd frame that fills the rest of a source.
class Unsqueezer {
 public:
  explicit Unsqueezer(ByteSource& in) : in_(in), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 27);
  }
  // Exactly `count` bytes behind those that were read before.
  Status Read(std::string& text, size_t count) {
    text.clear();
    while (text.size() < count) {
      if (start_ == ready_.size()) PADDOCK_TRY(Fill());
      const size_t taken = std::min(count - text.size(), ready_.size() - start_);
      text.append(ready_, start_, taken);
      start_ += taken;
    }
    return {};
  }
  Result<uint64_t> Varint(uint64_t max) {
    std::string bytes;
    std::string all;
    do {
      PADDOCK_TRY(Read(bytes, 1));
      all += bytes;
    } while ((bytes[0] & 0x80) != 0 && all.size() < 10);
    WireReader reader(all);
    const uint64_t value = reader.Varint(max);
    if (!reader.ok()) return Malformed("a length is impossible");
    return value;
  }
  Status ExpectEnd() {
    if (start_ != ready_.size()) return Malformed("something follows its end");
    const Status more = Fill();
    if (more) return Malformed("something follows its end");
    return is_at_end_ ? Status() : more;
  }

 private:
  Status Fill() {
    ready_.resize(ZSTD_DStreamOutSize());
    start_ = 0;
    ZSTD_outBuffer out{ready_.data(), ready_.size(), 0};
    while (out.pos == 0) {
      if (pos_ == block_.bytes.size()) {
        PADDOCK_ASSIGN(block_, in_.ReadBlock(128 << 10));
        pos_ = 0;
        if (block_.bytes.empty()) {
          ready_.clear();
          is_at_end_ = is_frame_done_;
          return Malformed("it ends too early");
        }
      }
      if (is_frame_done_) {
        ready_.clear();
        return Malformed("something follows its end");
      }
      ZSTD_inBuffer in{block_.bytes.data(), block_.bytes.size(), pos_};
      const size_t hint = ZSTD_decompressStream(context_.get(), &out, &in);
      pos_ = in.pos;
      if (ZSTD_isError(hint)) {
        ready_.clear();
        return Malformed(ZSTD_getErrorName(hint));
      }
      is_frame_done_ = hint == 0;
    }
    ready_.resize(out.pos);
    return {};
  }

  ByteSource& in_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  Block block_;
  size_t pos_ = 0;      // in block_
  std::string ready_;
  size_t start_ = 0;    // in ready_
  bool is_frame_done_ = false;
  bool is_at_end_ = false;
};

}  // namespace

Status ExportTree(Store& store, const ObjectId& tree, ByteSink& out) {
  PADDOCK_TRY(out.Write(kMagic));
  Squeezer squeezer(out);
  // Objects behind all that they refer to: each is met twice, first to put these in front of it.
  struct Step {
    ObjectKind kind;
    ObjectId id;
    bool is_ready;
  };
  std::vector<Step> pending{{ObjectKind::kTree, tree, false}};
  std::unordered_set<ObjectId, ObjectIdHash> written;
  while (!pending.empty()) {
    const Step step = pending.back();
    pending.pop_back();
    if (written.count(step.id) != 0) continue;
    PADDOCK_ASSIGN(const Block body, store.Get(step.kind, step.id));
    if (!step.is_ready && step.kind != ObjectKind::kChunk) {
      pending.push_back({step.kind, step.id, true});
      const size_t first = pending.size();
      PADDOCK_TRY(ForEachReference(step.kind, body.bytes, [&](ObjectKind kind, const ObjectId& id) {
        if (written.count(id) == 0) pending.push_back({kind, id, false});
        return Status();
      }));
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
      continue;
    }
    WireWriter head;
    head.Byte(static_cast<uint8_t>(step.kind));
    head.Varint(body.bytes.size());
    PADDOCK_TRY(squeezer.Write(head.text()));
    PADDOCK_TRY(squeezer.Write(body.bytes));
    written.insert(step.id);
  }
  WireWriter tail;
  tail.Byte(kEnd);
  tail.Id(tree);
  return squeezer.Write(tail.text(), true);
}

Result<Captured> ImportTree(Session& session, ByteSource& in, const ImportLimits& limits) {
  std::string magic;
  while (magic.size() < kMagic.size()) {
    PADDOCK_ASSIGN(const Block block, in.ReadBlock(kMagic.size() - magic.size()));
    if (block.bytes.empty()) break;
    magic += block.bytes;
  }
  if (magic != kMagic) return Error(Code::kSyntax, "this is not the file of a tree, or one of another version");
  Unsqueezer unsqueezer(in);
  std::unordered_set<ObjectId, ObjectIdHash> seen;
  uint64_t bytes = 0;
  std::string body;
  while (true) {
    PADDOCK_TRY(unsqueezer.Read(body, 1));
    const auto code = static_cast<uint8_t>(body[0]);
    if (code == kEnd) break;
    if (code > static_cast<uint8_t>(ObjectKind::kTree)) return Malformed("an object of an unknown kind");
    const auto kind = static_cast<ObjectKind>(code);
    PADDOCK_ASSIGN(const uint64_t length, unsqueezer.Varint(kind == ObjectKind::kChunk ? kChunkBytes : kMaxObjectBytes));
    if (seen.size() >= limits.max_objects) return Error(Code::kLimit, "the file has more than " + std::to_string(limits.max_objects) + " objects");
    if (length > limits.max_bytes - bytes) return Error(Code::kLimit, "the file unpacks to more than " + std::to_string(limits.max_bytes) + " bytes");
    bytes += length;
    PADDOCK_TRY(unsqueezer.Read(body, static_cast<size_t>(length)));
    PADDOCK_TRY(ForEachReference(kind, body, [&](ObjectKind, const ObjectId& id) -> Status {
      if (seen.count(id) != 0) return {};
      return Malformed("object " + id.ToString() + " is referred to before it comes");
    }));
    PADDOCK_ASSIGN(const ObjectId id, session.Put(kind, body));
    seen.insert(id);
  }
  PADDOCK_TRY(unsqueezer.Read(body, ObjectId::kSize));
  WireReader tail(body);
  Captured captured;
  captured.tree = tail.Id();
  PADDOCK_TRY(unsqueezer.ExpectEnd());
  if (seen.count(captured.tree) == 0) return Malformed("its tree " + captured.tree.ToString() + " is not in it");
  PADDOCK_ASSIGN(captured.totals, CheckTree(session.store(), captured.tree, {.max_entries = limits.max_entries}));
  PADDOCK_TRY(session.Finish());
  return captured;
}

}  // namespace paddock::trees
