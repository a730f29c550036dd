// Fuzz target of codec's zip directory: what it finds lies within the archive, and what is written of it reads as the same.
#include "base/check.h"
#include "bounded_run.h"
#include "codec/coder.h"
#include "codec/zip.h"

using namespace paddock;

namespace {

void Check(std::string_view bytes, Budget& budget) {
  const auto read = [bytes](uint64_t offset, size_t count) -> Result<std::string> {
    return std::string(offset >= bytes.size() ? std::string_view() : bytes.substr(static_cast<size_t>(offset), count));
  };
  const auto directory = codec::ReadZipDirectory(bytes.size(), read, budget);
  if (!directory) return;
  PADDOCK_CHECK(directory->start <= bytes.size() && directory->entries.size() <= bytes.size() / 46);
  std::string again;
  for (const codec::ZipEntry& entry : directory->entries) {
    budget.Step();
    static_cast<void>(entry.modified());
    const auto data = codec::FindZipData(entry, *directory, read);
    if (data) PADDOCK_CHECK(*data + entry.packed <= directory->start);
    if (data && entry.method == codec::kZipDeflated) {
      StringSource stored(bytes.substr(static_cast<size_t>(*data), static_cast<size_t>(entry.packed)));
      codec::DecodingSource plain(stored, codec::NewInflater(&budget), &budget);
      for (auto block = plain.ReadBlock(4096); block && !block->bytes.empty(); block = plain.ReadBlock(4096)) {
      }
    }
    again += codec::EncodeZipRecord(entry);
  }
  const size_t size = again.size();
  again += codec::EncodeZipEnd(directory->entries.size(), 0, size, "");
  const auto reread = codec::ReadZipDirectory(
      again.size(), [&](uint64_t offset, size_t count) -> Result<std::string> { return offset >= again.size() ? std::string() : again.substr(static_cast<size_t>(offset), count); }, budget);
  PADDOCK_CHECK(reread && reread->entries.size() == directory->entries.size());
  for (size_t i = 0; i < reread->entries.size(); ++i) PADDOCK_CHECK(reread->entries[i].name == directory->entries[i].name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::CpuGuard guard;
  fuzz::RunBounded([&](Budget& budget) { Check(std::string_view(reinterpret_cast<const char*>(data), size), budget); });
  return 0;
}
