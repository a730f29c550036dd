// The archives that 7z reads: its own, zip, tar, and files that are packed alone.

#include <algorithm>
#include <map>

#include "base/budget.h"
#include "codec/tar.h"
#include "commands/archive/7z.h"
#include "commands/archive/unzip.h"
#include "commands/file_facts.h"

namespace paddock::seven_zip {
namespace {

using codec::SevenZipArchive;
using codec::SevenZipItem;

// * and ? over one component; goes back to the last star only, so that it takes text × pattern at most.
bool MatchesPart(std::string_view pattern, std::string_view text, Budget& budget) {
  size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    budget.Step();
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      // A question mark stands for a character, not a byte of it.
      while (pattern[p] == '?' && t < text.size() && (text[t] & 0xc0) == 0x80) ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Bytes of a file from one place on.
class FileRange final : public ByteSource {
 public:
  FileRange(vfs::OpenFilePtr file, uint64_t at, uint64_t size) : file_(std::move(file)), at_(at), left_(size) {}
  Result<Block> ReadBlock(size_t max) override {
    const auto count = static_cast<size_t>(std::min<uint64_t>({left_, max, 128 << 10}));
    if (count == 0) return Block{};
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(at_), vfs::Whence::kStart));
    PADDOCK_ASSIGN(Block block, file_->ReadBlock(count));
    at_ += block.bytes.size();
    left_ -= block.bytes.size();
    return block;
  }
  void GiveBack(size_t count) override {
    at_ -= count;
    left_ += count;
  }

 private:
  vfs::OpenFilePtr file_;
  uint64_t at_, left_;
};

// A decoder with the source that it reads.
class DecodedRange final : public ByteSource {
 public:
  DecodedRange(std::unique_ptr<ByteSource> from, codec::CoderPtr decoder, Budget& budget) : from_(std::move(from)), decoded_(*from_, std::move(decoder), &budget) {}
  Result<Block> ReadBlock(size_t max) override { return decoded_.ReadBlock(max); }
  void GiveBack(size_t count) override { decoded_.GiveBack(count); }
  codec::DecodingSource& decoded() { return decoded_; }

 private:
  std::unique_ptr<ByteSource> from_;
  codec::DecodingSource decoded_;
};

// Of NTFS, from the extra field.
std::optional<uint64_t> PreciseTime(std::string_view extra) {
  const auto number = [&extra](size_t at, size_t size) {
    uint64_t value = 0;
    for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(extra[at + i - 1]);
    return value;
  };
  for (size_t at = 0; at + 4 <= extra.size();) {
    const auto size = static_cast<size_t>(number(at + 2, 2));
    if (number(at, 2) == 0x000a && size >= 16 && at + 20 <= extra.size() && number(at + 8, 2) == 1) return number(at + 12, 8);
    at += 4 + size;
  }
  return std::nullopt;
}

uint64_t Ticks(int64_t seconds, int32_t nanos) { return static_cast<uint64_t>(seconds + 11644473600) * 10000000 + static_cast<uint64_t>(nanos) / 100; }

class Opener {
 public:
  Opener(Invocation& in, const Options& options, const TimeZone& zone, Packed& packed) : in_(in), o_(options), zone_(zone), p_(packed), archive_(packed.archive) {}

  Status Open() {
    PADDOCK_ASSIGN(Volumes volumes, OpenVolumes(in_.fs, o_.archive, in_.budget));
    p_.file = std::move(volumes.file);
    PADDOCK_ASSIGN(const vfs::Attributes attributes, p_.file->GetAttributes());
    size_ = attributes.size;
    p_.volumes = volumes.count;
    if (volumes.count > 0) {
      p_.volumes_size = size_;
      const std::string size = std::to_string(size_), whole = o_.archive.substr(0, o_.archive.size() - 4);
      p_.volume_facts = "--\nPath = " + o_.archive + "\nType = Split\nPhysical Size = " + std::to_string(volumes.first_size) + "\nVolumes = " + std::to_string(volumes.count) +
                        "\nTotal Physical Size = " + size + "\n----\nPath = " + whole + "\nSize = " + size + "\n";
    }
    p_.read = [file = p_.file, &budget = in_.budget](uint64_t offset, size_t count) -> Result<std::string> {
      FileRange range(file, offset, count);
      std::string bytes;
      while (true) {
        PADDOCK_ASSIGN(const Block block, range.ReadBlock(count));
        if (block.bytes.empty()) return bytes;
        budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
        bytes += block.bytes;
      }
    };
    PADDOCK_ASSIGN(const std::string head, p_.read(0, 512));
    p_.type = Recognize(head);
    if (!o_.type.empty() && o_.type != p_.type) return Error(Code::kSyntax, "Cannot open the file as archive");
    if (p_.type == "7z") return OpenSevenZip();
    if (p_.type == "zip") return OpenZip();
    if (p_.type == "tar") return OpenTar();
    return OpenAlone(head);
  }

 private:
  static std::string Recognize(std::string_view head) {
    if (head.starts_with("PK\3\4") || head.starts_with("PK\5\6")) return "zip";
    if (head.size() > 262 && head.substr(257, 5) == "ustar") return "tar";
    switch (codec::Recognize(head)) {
      case codec::Format::kGzip: return "gzip";
      case codec::Format::kBzip2: return "bzip2";
      case codec::Format::kXz: return "xz";
      case codec::Format::kZstd: return "zstd";
      default: return "7z";
    }
  }

  Status OpenSevenZip() {
    PADDOCK_ASSIGN(archive_, codec::ReadSevenZip(size_, p_.read, in_.budget, o_.password.value_or("")));
    p_.open = [this_archive = &archive_, read = &p_.read, &budget = in_.budget, password = o_.password](size_t folder) -> Result<std::unique_ptr<ByteSource>> {
      const codec::SevenZipFolder& which = this_archive->folders[folder];
      if (which.is_encrypted() && !password) return Error(Code::kCorrupt, "Data Error in encrypted file. Wrong password?");
      return codec::OpenSevenZipFolder(*this_archive, which, *read, budget, password.value_or(""));
    };
    for (SevenZipItem& item : archive_.items) {
      if (item.name.empty()) item.name = BaseWithoutEnd();   // what has no name is called as the archive is
    }
    p_.facts = "Physical Size = " + std::to_string(archive_.physical_size) + "\nHeaders Size = " + std::to_string(archive_.headers_size) + "\n" + Methods();
    return {};
  }

  std::string BaseWithoutEnd() const {
    std::string name = vfs::BaseName(o_.archive);
    name.erase(std::min(name.rfind('.'), name.size()));
    return name;
  }

  // Each method once, by its id; of several dictionaries the largest.
  std::string Methods() {
    std::vector<const codec::SevenZipCoder*> methods;
    bool is_solid = false;
    for (const codec::SevenZipFolder& folder : archive_.folders) {
      in_.budget.Step();
      is_solid = is_solid || folder.items > 1;
      for (const codec::SevenZipCoder& coder : folder.coders) {
        const auto same = std::find_if(methods.begin(), methods.end(), [&](const auto* method) { return method->id == coder.id; });
        if (same == methods.end()) methods.push_back(&coder);
        else if (Dictionary(coder) > Dictionary(**same)) *same = &coder;
      }
    }
    std::sort(methods.begin(), methods.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    std::string text;
    for (const auto* method : methods) text += (text.empty() ? "" : " ") + codec::SevenZipMethodName(*method, false);
    return (text.empty() ? "" : "Method = " + text + "\n") + "Solid = " + (is_solid ? "+" : "-") + "\nBlocks = " + std::to_string(archive_.folders.size()) + "\n";
  }
  // As far as two of one method are compared: the size is in the last bytes, the lowest first.
  static std::string Dictionary(const codec::SevenZipCoder& coder) { return std::string(coder.properties.rbegin(), coder.properties.rend()); }

  // A block for an item of a format that has none.
  void AddBlock(SevenZipItem& item, uint64_t packed, bool is_encrypted) {
    item.has_stream = true;
    item.folder = archive_.folders.size();
    codec::SevenZipFolder folder;
    folder.packed = {0};
    folder.first_packed = archive_.streams.size();
    folder.size = item.size;
    if (is_encrypted) folder.coders.push_back({.id = codec::kSevenZipAes});
    archive_.folders.push_back(std::move(folder));
    archive_.streams.push_back({0, packed});
  }

  Status OpenZip() {
    PADDOCK_ASSIGN(p_.zip, ZipFile::Open(p_.file, in_.budget));
    if (p_.zip->HasOverlaps()) return Error(Code::kCorrupt, "Headers Error");
    archive_.physical_size = size_;
    p_.facts = "Physical Size = " + std::to_string(size_) + "\n";
    std::vector<const codec::ZipEntry*> entries;
    for (const codec::ZipEntry& entry : p_.zip->directory().entries) {
      in_.budget.Step(4);
      SevenZipItem item;
      item.name = entry.name.substr(0, entry.name.find_last_not_of('/') + 1);
      item.is_directory = entry.is_directory();
      item.size = entry.size;
      if (!item.is_directory) item.crc = entry.crc;
      item.modified = PreciseTime(entry.extra).value_or(Ticks(unzip::MomentOf(entry, zone_), 0));
      item.attributes = entry.external & 0x3f;
      if (const auto mode = entry.unix_mode()) item.attributes = *item.attributes | 0x8000 | *mode << 16;
      if (!item.is_directory) {
        AddBlock(item, entry.packed, entry.is_encrypted());
        entries.push_back(&entry);
      }
      archive_.items.push_back(std::move(item));
    }
    p_.open = [entries = std::move(entries), zip = p_.zip.get(), &budget = in_.budget, password = o_.password](size_t folder) -> Result<std::unique_ptr<ByteSource>> {
      const codec::ZipEntry& entry = *entries[folder];
      PADDOCK_ASSIGN(uint64_t at, zip->DataOf(entry));
      uint64_t size = entry.packed;
      std::optional<codec::ZipCipher> cipher;
      if (entry.is_encrypted()) {
        PADDOCK_ASSIGN(std::string head, zip->ReadAt(at, 12));
        cipher.emplace(password.value_or(""));
        if (head.size() == 12) cipher->Decrypt(head.data(), head.size());
        const auto check = static_cast<uint8_t>((entry.flags & codec::kZipHasDescriptor) != 0 ? entry.dos_time >> 8 : entry.crc >> 24);
        if (!password || head.size() < 12 || size < 12 || static_cast<uint8_t>(head[11]) != check) return Error(Code::kCorrupt, "Wrong password?");
        at += 12;
        size -= 12;
      }
      codec::CoderPtr decoder = ZipDecoder(entry.method, budget);
      if (decoder == nullptr) return Error(Code::kNotSupported, "Unsupported Method");
      return std::unique_ptr<ByteSource>(std::make_unique<DecodedRange>(zip->StoredBytes(at, size, std::move(cipher)), std::move(decoder), budget));
    };
    return {};
  }

  struct TarPlace {
    uint64_t at = 0, size = 0;
    std::string link;
    bool is_sparse = false;
  };

  Status OpenTar() {
    FileRange range(p_.file, 0, size_);
    codec::TarReader reader(range, in_.budget);
    std::vector<TarPlace> places;
    std::map<std::string, TarPlace, std::less<>> by_name;   // for hard links
    bool is_ascii = true, is_gnu = true, is_pax = false;
    uint64_t data = 0;
    while (true) {
      codec::TarMember member;
      PADDOCK_ASSIGN(const codec::TarReader::Found found, reader.Next(member));
      if (found == codec::TarReader::Found::kBad) return Error(Code::kCorrupt, "Headers Error");
      if (found != codec::TarReader::Found::kMember) break;
      in_.budget.Step(8);
      SevenZipItem item;
      item.name = member.name.substr(0, member.name.find_last_not_of('/') + 1);
      item.is_directory = member.type == '5' || member.type == 'D';
      item.modified = Ticks(member.modified, member.modified_nanos);
      const bool is_link = member.type == '2';
      item.attributes = 0x8000 | (((item.is_directory ? 0040000u : is_link ? 0120000u : 0100000u) | (member.mode & 07777)) << 16);
      TarPlace place = {.at = reader.bytes_taken(), .size = member.size, .is_sparse = member.is_sparse};
      if (is_link) place = {.size = member.link.size(), .link = member.link};
      if (member.type == '1') {
        if (const auto target = by_name.find(member.link); target != by_name.end()) place = target->second;
        else place = {};
      }
      item.size = place.size;
      is_ascii = is_ascii && std::none_of(item.name.begin(), item.name.end(), [](char c) { return (c & 0x80) != 0; });
      is_gnu = is_gnu && (member.format == codec::TarFormat::kGnu || member.format == codec::TarFormat::kOldGnu);
      is_pax = is_pax || member.format == codec::TarFormat::kPax;
      const uint64_t stored = (member.stored + 511) / 512 * 512;
      data += stored;
      if (!item.is_directory) {
        AddBlock(item, stored, false);
        places.push_back(place);
        if (member.type != '1' && !is_link) by_name[member.name] = place;
      }
      archive_.items.push_back(std::move(item));
    }
    archive_.physical_size = size_;
    p_.facts = "Physical Size = " + std::to_string(size_) + "\nHeaders Size = " + std::to_string(size_ - data) + "\nCode Page = UTF-8\nCharacteristics = " + (is_pax ? "POSIX PAX" : is_gnu ? "GNU" : "POSIX") +
               (is_ascii ? " ASCII" : "") + "\n";
    p_.open = [places = std::move(places), file = p_.file](size_t folder) -> Result<std::unique_ptr<ByteSource>> {
      const TarPlace& place = places[folder];
      if (place.is_sparse) return Error(Code::kNotSupported, "Unsupported Method");
      if (!place.link.empty()) return std::unique_ptr<ByteSource>(std::make_unique<StringSource>(place.link));
      return std::unique_ptr<ByteSource>(std::make_unique<FileRange>(file, place.at, place.size));
    };
    return {};
  }

  codec::CoderPtr Decoder() const {
    if (p_.type == "gzip") return codec::NewGzipDecoder(&in_.budget);
    if (p_.type == "bzip2") return codec::NewBzip2Decoder(&in_.budget);
    if (p_.type == "zstd") return codec::NewZstdDecoder(&in_.budget);
    return codec::NewXzDecoder(&in_.budget);
  }

  // One file that is packed without an archive around it.
  Status OpenAlone(std::string_view head) {
    SevenZipItem item;
    item.name = NameAlone();
    p_.is_open_ended = true;
    archive_.physical_size = size_;
    if (p_.type == "gzip") {
      PADDOCK_TRY(ReadGzip(head, item));
    } else if (p_.type == "xz") {
      PADDOCK_ASSIGN(const codec::XzInfo info, codec::ReadXzInfo(size_, p_.read, &in_.budget));
      item.size = info.plain;
      const std::string method = XzMethod(head);
      p_.facts = "Physical Size = " + std::to_string(size_) + "\nMethod = " + method + (method.empty() ? "" : " ") + codec::XzCheckNames(info.checks) + "\nStreams = " + std::to_string(info.streams) +
                 "\nBlocks = " + std::to_string(info.blocks) + "\n";
    }
    p_.has_sizes = p_.type == "gzip" || p_.type == "xz";
    AddBlock(item, size_, false);
    archive_.items.push_back(std::move(item));
    p_.open = [this_file = p_.file, size = size_, decoder = std::make_shared<codec::CoderPtr>(Decoder()), &budget = in_.budget](size_t) -> Result<std::unique_ptr<ByteSource>> {
      if (*decoder == nullptr) return Error(Code::kNotSupported, "Unsupported Method");
      return std::unique_ptr<ByteSource>(std::make_unique<DecodedRange>(std::make_unique<FileRange>(this_file, 0, size), std::move(*decoder), budget));
    };
    return {};
  }

  std::string NameAlone() const {
    const std::string base = vfs::BaseName(o_.archive);
    const std::string name = BaseWithoutEnd();
    const std::string end = base.substr(std::min(base.size(), name.size() + 1));
    for (const char* short_end : {"tgz", "tpz", "tbz", "tbz2", "txz", "tzst"}) {
      if (end == short_end) return name + ".tar";
    }
    return end.empty() ? name + "~" : name;
  }

  // The name and the time are in its head, the size (of what is below 4 GiB) and the sum at its end.
  Status ReadGzip(std::string_view head, SevenZipItem& item) {
    if (size_ < 18) return Error(Code::kCorrupt, "Unexpected end of archive");
    const auto byte = [](std::string_view bytes, size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at])); };
    const auto word = [&](std::string_view bytes, size_t at) { return byte(bytes, at) | byte(bytes, at + 1) << 8 | byte(bytes, at + 2) << 16 | byte(bytes, at + 3) << 24; };
    size_t at = 10;
    if ((byte(head, 3) & 4) != 0 && at + 2 <= head.size()) at += 2 + (byte(head, at) | byte(head, at + 1) << 8);
    if ((byte(head, 3) & 8) != 0 && at < head.size()) {
      const size_t end = std::min(head.find('\0', at), head.size());
      item.name = vfs::BaseName(std::string(head.substr(at, end - at)));
      at = end + 1;
    }
    if (word(head, 4) != 0) item.modified = Ticks(word(head, 4), 0);
    PADDOCK_ASSIGN(const std::string tail, p_.read(size_ - 8, 8));
    item.size = word(tail, 4);
    p_.facts = "Headers Size = " + std::to_string(at) + "\n";
    return {};
  }

  // By the header of the first block.
  static std::string XzMethod(std::string_view head) {
    if (head.size() < 24) return {};
    size_t at = 14;
    const auto number = [&] {
      uint64_t value = 0;
      for (unsigned shift = 0; at < head.size() && shift < 63; shift += 7) {
        const auto byte = static_cast<uint8_t>(head[at++]);
        value |= uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) == 0) break;
      }
      return value;
    };
    const auto flags = static_cast<uint8_t>(head[13]);
    if ((flags & 0x40) != 0) static_cast<void>(number());
    if ((flags & 0x80) != 0) static_cast<void>(number());
    std::string text;
    for (int i = 0; i <= (flags & 3) && at < head.size(); ++i) {
      const uint64_t id = number(), size = number();
      if (size > head.size() - at) return text;
      const codec::SevenZipCoder coder = {.id = id, .properties = std::string(head.substr(at, static_cast<size_t>(size)))};
      text += (text.empty() ? "" : " ") + codec::SevenZipMethodName(coder, false);
      at += static_cast<size_t>(size);
    }
    return text;
  }

  Invocation& in_;
  const Options& o_;
  const TimeZone& zone_;
  Packed& p_;
  SevenZipArchive& archive_;
  uint64_t size_ = 0;
};

}  // namespace

std::vector<std::string> Parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

bool Matches(const Wildcard& wildcard, const std::vector<std::string>& path, Budget& budget) {
  const std::vector<std::string>& parts = wildcard.parts;
  if (parts.size() > path.size() || parts.empty()) return false;
  const size_t last = wildcard.is_recursive ? path.size() - parts.size() : 0;
  for (size_t start = 0; start <= last; ++start) {
    size_t same = 0;
    while (same < parts.size() && MatchesPart(parts[same], path[start + same], budget)) ++same;
    if (same == parts.size()) return true;
  }
  return false;
}

std::string SizeText(uint64_t size) {
  std::string text = std::to_string(size) + " bytes";
  if (size == 0) return text;
  const int bits = size >= 10ull << 30 ? 30 : size >= 10ull << 20 ? 20 : 10;
  return text + " (" + std::to_string((size >> bits) + ((size & ((1ull << bits) - 1)) != 0 ? 1 : 0)) + (bits == 10 ? " KiB)" : bits == 20 ? " MiB)" : " GiB)");
}

Result<std::unique_ptr<Packed>> OpenPacked(Invocation& in, const Options& options, const TimeZone& zone) {
  auto packed = std::make_unique<Packed>();
  PADDOCK_TRY(Opener(in, options, zone, *packed).Open());
  return packed;
}

std::string TypeByName(const Options& options) {
  if (!options.type.empty()) return options.type;
  const std::string name = vfs::BaseName(options.archive);
  const size_t dot = name.rfind('.');
  const std::string end = dot == std::string::npos ? "" : name.substr(dot + 1);
  static constexpr std::pair<const char*, const char*> kEnds[] = {{"zip", "zip"}, {"jar", "zip"}, {"xpi", "zip"}, {"zipx", "zip"}, {"epub", "zip"}, {"apk", "zip"}, {"tar", "tar"}, {"ova", "tar"},
                                                                  {"gz", "gzip"}, {"gzip", "gzip"}, {"tgz", "gzip"}, {"tpz", "gzip"}, {"bz2", "bzip2"}, {"bzip2", "bzip2"}, {"tbz2", "bzip2"}, {"tbz", "bzip2"},
                                                                  {"xz", "xz"}, {"txz", "xz"}};
  for (const auto& [known, type] : kEnds) {
    if (end == known) return type;
  }
  return "7z";
}

}  // namespace paddock::seven_zip
