#include "store/trees/archive_format.h"

#include <algorithm>
#include <string>

#include "store/trees/decompress.h"

namespace paddock::trees {
namespace {

constexpr size_t kPeekBytes = 128 << 10;

// Bytes that were read already, then the rest.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string_view head, ByteSource& rest) : head_(head), rest_(rest) {}
  Result<Block> ReadBlock(size_t max) override {
    if (head_.empty()) return rest_.ReadBlock(max);
    const Block block{nullptr, head_.substr(0, max)};
    head_.remove_prefix(block.bytes.size());
    return block;
  }
  void GiveBack(size_t) override {}   // nobody here does

 private:
  std::string_view head_;
  ByteSource& rest_;
};

bool IsDigest(std::string_view text) {
  return text.size() >= 64 && std::all_of(text.begin(), text.begin() + 64, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// What an archive of an image begins with, whoever wrote it; no root file system does.
bool IsOfImage(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  for (const std::string_view known : {"blobs", "oci-layout", "index.json", "manifest.json", "repositories"}) {
    if (name == known || (name.starts_with(known) && name[known.size()] == '/')) return true;
  }
  return IsDigest(name);
}

bool LooksLikeImage(std::string_view head) {
  StringSource source(head);
  const auto plain = Decompress(source, {});
  if (!plain) return false;
  TarReader reader(**plain);
  while (true) {
    const auto entry = reader.Next();
    if (!entry || !*entry) return false;
    const std::string& path = (*entry)->path;
    if (path != "." && path != "./") return IsOfImage(path);
  }
}

}  // namespace

Result<ImportedArchive> ImportArchive(Session& session, ByteSource& in, ArchiveFormat format, const ImageOptions& options) {
  std::string head;
  while (head.size() < kPeekBytes) {
    PADDOCK_ASSIGN(const Block block, in.ReadBlock(kPeekBytes));
    if (block.bytes.empty()) break;
    head += block.bytes;
  }
  if (head.empty()) return Error(Code::kSyntax, "archive: it is empty");
  if (format == ArchiveFormat::kAuto) format = LooksLikeImage(head) ? ArchiveFormat::kImage : ArchiveFormat::kTar;
  PrefixedSource all(head, in);
  ImportedArchive imported;
  imported.is_image = format == ArchiveFormat::kImage;
  if (imported.is_image) {
    PADDOCK_ASSIGN(imported.image, ImportImage(session, all, options));
  } else {
    PADDOCK_ASSIGN(imported.image.files, ImportTar(session, all, options.limits));
  }
  return imported;
}

}  // namespace paddock::trees
