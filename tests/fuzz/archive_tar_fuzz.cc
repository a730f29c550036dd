// Fuzz target of codec's tar reader: whatever comes, it ends, and what a member says of itself holds for its content. What it took can be
// written again, and then says the same.
#include "base/check.h"
#include "bounded_run.h"
#include "codec/tar.h"

using namespace paddock;
using codec::TarMember;
using codec::TarReader;

namespace {

void CheckContent(TarReader& reader, const TarMember& member) {
  uint64_t size = 0;
  const Status read = reader.ReadContent(
      [&](std::string_view bytes) -> Status {
        PADDOCK_CHECK(!bytes.empty());
        size += bytes.size();
        return {};
      },
      [&](uint64_t count) -> Status {
        PADDOCK_CHECK(count > 0 && count <= member.size - size);
        size += count;
        return {};
      });
  const bool has_content = member.type == '0' || member.type == '7' || member.type == 'S';
  if (read && has_content) PADDOCK_CHECK(size == member.size);
}

void CheckWriting(const TarMember& member, Budget& budget) {
  if (member.is_sparse || member.name.empty()) return;
  for (const codec::TarFormat format : {codec::TarFormat::kV7, codec::TarFormat::kUstar, codec::TarFormat::kGnu, codec::TarFormat::kPax}) {
    codec::TarHeaderOptions options;
    options.format = format;
    const auto encoded = codec::EncodeTarHeader(member, options);
    if (!encoded) continue;
    PADDOCK_CHECK(encoded->size() % codec::kTarBlock == 0);
    StringSource source(*encoded);
    TarReader reader(source, budget);
    TarMember again;
    const auto found = reader.Next(again);
    PADDOCK_CHECK(found && *found == TarReader::Found::kMember);
    PADDOCK_CHECK(again.name == member.name && again.mode == member.mode && again.uid == member.uid && again.modified == member.modified);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::CpuGuard guard;
  fuzz::RunBounded([&](Budget& budget) {
    StringSource source(std::string_view(reinterpret_cast<const char*>(data), size));
    TarReader reader(source, budget);
    TarMember member;
    while (true) {
      const auto found = reader.Next(member);
      if (!found || *found == TarReader::Found::kEnd) break;
      reader.TakeComplaints();
      if (*found != TarReader::Found::kMember) continue;
      PADDOCK_CHECK(reader.raw_header().size() % codec::kTarBlock == 0);
      PADDOCK_CHECK(member.name.find('\0') == std::string::npos && member.link.find('\0') == std::string::npos);
      CheckWriting(member, budget);
      CheckContent(reader, member);
    }
  });
  return 0;
}
