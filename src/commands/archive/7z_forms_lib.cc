#include "commands/archive/7z_writer.h"

#include <algorithm>

#include "base/budget.h"
#include "codec/tar.h"
#include "commands/archive/packed_file.h"

namespace paddock::seven_zip {

Result<uint64_t> ArchiveWriter::WriteZip(const vfs::OpenFilePtr& file) {
  ZipWriter writer(in_, file, nullptr);
  for (const Kept& kept : kept_) {
    in_.budget.Step(4);
    codec::ZipEntry entry = old_->zip->directory().entries[kept.item];
    if (kept.name == Old(kept.item).name) PADDOCK_TRY(writer.Copy(*old_->zip, entry));
    else PADDOCK_TRY(RenameInZip(writer, std::move(entry), kept.name));
  }
  for (const Found& found : found_) PADDOCK_TRY(AddToZip(writer, found));
  PADDOCK_TRY(writer.Finish(old_ == nullptr ? "" : old_->zip->directory().comment));
  PADDOCK_ASSIGN(const vfs::Attributes attributes, file->GetAttributes());
  return attributes.size;
}

Status ArchiveWriter::RenameInZip(ZipWriter& writer, codec::ZipEntry entry, const std::string& name) {
  if (entry.is_encrypted()) return Error(Code::kNotSupported, "encrypted members are not renamed");
  codec::CoderPtr decoder = ZipDecoder(entry.method, in_.budget);
  if (decoder == nullptr) return Error(Code::kNotSupported, "Unsupported Method");
  PADDOCK_ASSIGN(const uint64_t at, old_->zip->DataOf(entry));
  const std::unique_ptr<ByteSource> stored = old_->zip->StoredBytes(at, entry.packed);
  codec::DecodingSource plain(*stored, std::move(decoder), &in_.budget);
  ZipMemberOptions options = {.level = o_.method.level == 0 ? 0 : entry.method == codec::kZipStored ? 0 : std::max(o_.method.level, 1), .method = entry.method};
  entry.name = name + (entry.is_directory() ? "/" : "");
  const ZipWriter::Outcome outcome = writer.Add(entry, plain, options);
  PADDOCK_TRY(outcome.read);
  return outcome.written;
}

Status ArchiveWriter::AddToZip(ZipWriter& writer, const Found& found) {
  Announce(found);
  if (!found.attributes.is_directory()) ++read_;
  codec::ZipEntry entry;
  entry.name = found.name + (found.attributes.is_directory() ? "/" : "");
  entry.version = 63;
  // NTFS's times, in tenths of microseconds: modified, accessed, created.
  entry.extra = std::string("\x0a\0\x20\0\0\0\0\0\1\0\x18\0", 12);
  for (const uint64_t ticks : {TicksOf(found.attributes), TicksOf(found.attributes), TicksOf(found.attributes)}) {
    for (unsigned i = 0; i < 64; i += 8) entry.extra += static_cast<char>(ticks >> i & 0xff);
  }
  const uint32_t type = found.attributes.is_directory() ? 0040000 : found.attributes.is_symlink() ? 0120000 : 0100000;
  entry.external = (type | found.attributes.mode) << 16 | (found.attributes.is_directory() ? 0x10u : 0u);
  const auto moment = ToTimePoint(found.attributes.modify_time);
  const CalendarTime time = zone_.ToLocal(moment.seconds);
  if (time.year >= 1980 && time.year < 2108) {
    entry.dos_date = static_cast<uint16_t>((time.year - 1980) << 9 | time.month << 5 | time.day);
    entry.dos_time = static_cast<uint16_t>(time.hour << 11 | time.minute << 5 | time.second / 2);
  }
  if (std::any_of(found.name.begin(), found.name.end(), [](char c) { return (c & 0x80) != 0; })) entry.flags |= codec::kZipIsUtf8;
  ZipMemberOptions options = {.level = std::clamp(o_.method.level, 0, 9), .method = o_.method.level == 0 || found.attributes.is_directory() ? codec::kZipStored : codec::kZipDeflated, .password = o_.password};
  StringSource text(found.is_stdin ? std::string_view(stdin_text_) : std::string_view(found.link));
  if (found.is_stdin || !found.attributes.is_file()) {
    const ZipWriter::Outcome outcome = writer.Add(entry, text, options);
    return outcome.written;
  }
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(found.path, vfs::OpenFlags::Read()));
  class Source final : public ByteSource {
   public:
    explicit Source(vfs::OpenFile& from) : from_(from) {}
    Result<Block> ReadBlock(size_t max) override { return from_.ReadBlock(max); }
    void GiveBack(size_t) override {}

   private:
    vfs::OpenFile& from_;
  } source(*file);
  const ZipWriter::Outcome outcome = writer.Add(entry, source, options);
  PADDOCK_TRY(outcome.read);
  return outcome.written;
}

Result<uint64_t> ArchiveWriter::WriteTar(ByteSink& out) {
  CountingSink counted(out);
  for (const Found& found : found_) {
    in_.budget.Step(8);
    Announce(found);
    ++read_;
    codec::TarMember member;
    member.name = found.name + (found.attributes.is_directory() ? "/" : "");
    member.type = found.attributes.is_directory() ? '5' : found.attributes.is_symlink() ? '2' : '0';
    member.mode = found.attributes.mode;
    member.uid = found.attributes.uid;
    member.gid = found.attributes.gid;
    member.link = found.link;
    member.modified = ToTimePoint(found.attributes.modify_time).seconds;
    member.size = member.stored = member.type == '0' ? found.size() : 0;
    PADDOCK_ASSIGN(const std::string header, codec::EncodeTarHeader(member, {}));
    PADDOCK_TRY(counted.Write(header));
    if (member.type != '0') continue;
    // As long as the header says, whatever the file has become.
    uint64_t left = member.size;
    PADDOCK_TRY(ReadFound(found, [&](std::string_view bytes) {
      const std::string_view part = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left, bytes.size())));
      left -= part.size();
      return counted.Write(part);
    }));
    if (left > 0) return Error(Code::kIo, "the file became shorter");
    PADDOCK_TRY(counted.Write(std::string((codec::kTarBlock - member.size % codec::kTarBlock) % codec::kTarBlock, '\0')));
  }
  PADDOCK_TRY(counted.Write(std::string(2 * codec::kTarBlock, '\0')));
  return counted.count();
}

Result<uint64_t> ArchiveWriter::WriteAlone(ByteSink& out) {
  if (found_.size() != 1 || found_[0].attributes.is_directory()) return Error(Code::kInvalid);
  const Found& found = found_[0];
  Announce(found);
  ++read_;
  const int level = std::clamp(o_.method.level, 1, 9);
  codec::CoderPtr encoder;
  if (type_ == "gzip") {
    codec::GzipHeader header = {.name = vfs::BaseName(found.name)};
    header.modify_time = static_cast<uint32_t>(ToTimePoint(found.attributes.modify_time).seconds);
    encoder = codec::NewGzipEncoder(&in_.budget, level, header);
  } else if (type_ == "bzip2") {
    encoder = codec::NewBzip2Encoder(&in_.budget, level);
  } else {
    encoder = codec::NewXzEncoder(&in_.budget, {.level = level, .check = codec::XzCheck::kCrc32, .dictionary = static_cast<uint32_t>(codec::SevenZipDictionary(found.size(), o_.method.dictionary))});
  }
  codec::EncodingSink sink(out, std::move(encoder), &in_.budget);
  PADDOCK_TRY(ReadFound(found, [&](std::string_view bytes) { return sink.Write(bytes); }));
  PADDOCK_TRY(sink.Finish());
  return sink.bytes_out();
}

}  // namespace paddock::seven_zip
