// Fuzz target of codec's 7z reader: what it finds lies within the archive, and its folders make no more than they say.
#include "base/check.h"
#include "bounded_run.h"
#include "codec/coder.h"
#include "codec/seven_zip.h"

using namespace paddock;

namespace {

void Put(std::string& bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

// With the checksums mended, else hardly any change would get past them.
void Mend(std::string& bytes) {
  if (bytes.size() < 32) return;
  uint64_t numbers[2] = {0, 0};
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 8; i > 0; --i) numbers[k] = numbers[k] << 8 | static_cast<uint8_t>(bytes[12 + 8 * k + i - 1]);
  }
  const uint64_t room = bytes.size() - 32;
  if (numbers[0] <= room && numbers[1] <= room - numbers[0]) Put(bytes, 28, codec::Crc32(0, std::string_view(bytes).substr(32 + numbers[0], numbers[1])), 4);
  Put(bytes, 8, codec::Crc32(0, std::string_view(bytes).substr(12, 20)), 4);
}

void Check(std::string bytes, Budget& budget) {
  Mend(bytes);
  const codec::SevenZipReadAt read = [&bytes](uint64_t offset, size_t count) -> Result<std::string> { return offset >= bytes.size() ? std::string() : bytes.substr(static_cast<size_t>(offset), count); };
  const auto archive = codec::ReadSevenZip(bytes.size(), read, budget);
  if (!archive) return;
  PADDOCK_CHECK(archive->physical_size <= bytes.size());
  for (const codec::SevenZipStream& stream : archive->streams) PADDOCK_CHECK(stream.at <= bytes.size() && stream.size <= bytes.size() - stream.at);
  for (const codec::SevenZipItem& item : archive->items) {
    budget.Step();
    PADDOCK_CHECK(!item.has_stream || item.folder < archive->folders.size());
    static_cast<void>(item.unix_mode());
  }
  // What can be read can be written.
  if (const auto headers = codec::EncodeSevenZipHeaders(*archive, std::nullopt, budget)) PADDOCK_CHECK(headers->start.size() == codec::kSevenZipStart);
  for (const codec::SevenZipFolder& folder : archive->folders) {
    for (const codec::SevenZipCoder& coder : folder.coders) static_cast<void>(codec::SevenZipMethodName(coder, true));
    const auto source = codec::OpenSevenZipFolder(*archive, folder, read, budget, "password");
    if (!source) continue;
    uint64_t size = 0;
    for (auto block = (*source)->ReadBlock(4096); block && !block->bytes.empty(); block = (*source)->ReadBlock(4096)) size += block->bytes.size();
    PADDOCK_CHECK(size <= folder.size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::CpuGuard guard;
  fuzz::RunBounded([&](Budget& budget) { Check(std::string(reinterpret_cast<const char*>(data), size), budget); });
  return 0;
}
