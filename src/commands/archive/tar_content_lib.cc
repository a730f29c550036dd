#include <algorithm>
#include <cstring>

#include "commands/archive/tar_create.h"

namespace paddock::tar {
namespace {

bool IsZero(std::string_view bytes) { return bytes.empty() || (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0); }

}  // namespace

// By whole blocks; the end is told by one of no length.
Status FindExtents(Context& context, vfs::OpenFile& file, codec::TarMember& member) {
  uint64_t at = 0;
  std::string piece;
  while (at < member.size) {
    PADDOCK_ASSIGN(const Block block, file.ReadBlock(context.o.hole_unit));
    if (block.bytes.empty()) break;
    piece = block.bytes;
    while (piece.size() < context.o.hole_unit) {
      PADDOCK_ASSIGN(const Block more, file.ReadBlock(context.o.hole_unit - piece.size()));
      if (more.bytes.empty()) break;
      piece += more.bytes;
    }
    context.in.budget.Step();
    if (!IsZero(piece)) {
      if (!member.extents.empty() && member.extents.back().offset + member.extents.back().length == at) member.extents.back().length += piece.size();
      else member.extents.push_back({at, piece.size()});
    }
    at += piece.size();
  }
  member.stored = 0;
  for (const codec::TarExtent& extent : member.extents) member.stored += extent.length;
  if (member.extents.empty() || member.extents.back().offset + member.extents.back().length < member.size) member.extents.push_back({member.size, 0});
  member.type = 'S';
  PADDOCK_ASSIGN(const uint64_t back, file.Seek(0, vfs::Whence::kStart));
  static_cast<void>(back);
  return {};
}

Status CopyContent(Context& context, ArchiveOutput& out, const std::string& path, vfs::OpenFile& file, uint64_t size, bool is_broken) {
  while (size > 0 && !is_broken) {
    const auto block = file.ReadBlock(static_cast<size_t>(std::min<uint64_t>(size, 1 << 20)));
    if (!block) {
      context.Fail(context.Shown(path) + ": Read error: " + std::string(block.error().Text()));
      break;
    }
    if (block->bytes.empty()) {
      context.Warn("file-shrank", context.Shown(path) + ": File shrank by " + std::to_string(size) + (size == 1 ? " byte" : " bytes") + "; padding with zeros");
      context.Differs();
      break;
    }
    context.in.budget.Step(static_cast<int64_t>(block->bytes.size() / 512 + 1));
    size -= block->bytes.size();
    PADDOCK_TRY(out.Write(block->bytes));
  }
  const std::string zeros(32 << 10, '\0');
  while (size > 0) {
    const size_t part = static_cast<size_t>(std::min<uint64_t>(size, zeros.size()));
    context.in.budget.Step();
    PADDOCK_TRY(out.Write(std::string_view(zeros).substr(0, part)));
    size -= part;
  }
  return {};
}

Status PadBlock(ArchiveOutput& out, uint64_t size) { return out.Write(std::string((codec::kTarBlock - size % codec::kTarBlock) % codec::kTarBlock, '\0')); }

}  // namespace paddock::tar
