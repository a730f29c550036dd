// What a writer of 7z archives needs: encoders without a container, and the headers.

#include <lzma.h>

#include <algorithm>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/library_memory.h"
#include "codec/seven_zip.h"

namespace paddock::codec {
namespace {

constexpr size_t kStartSize = 32;
constexpr uint64_t kEnd = 0, kHeader = 1, kMainStreams = 4, kFiles = 5, kPackInfo = 6, kUnpackInfo = 7, kSubStreams = 8, kSize = 9, kCrc = 10, kFolder = 11, kUnpackSizes = 12,
                   kUnpackCounts = 13, kEmptyStream = 14, kEmptyFile = 15, kAnti = 16, kNames = 17, kModified = 20, kAttributes = 21, kEncodedHeader = 23;
constexpr uint64_t kLeastDictionary = 4096;

// liblzma's encoder of one method, without any container around it.
class RawEncoder final : public Coder {
 public:
  explicit RawEncoder(Budget* budget) : memory_(budget) {
    allocator_.alloc = [](void* owner, size_t items, size_t size) { return static_cast<LibraryMemory*>(owner)->Take(items * size); };
    allocator_.free = [](void*, void* block) { LibraryMemory::GiveBack(block); };
    allocator_.opaque = &memory_;
    lzma_.allocator = &allocator_;
  }
  ~RawEncoder() override { lzma_end(&lzma_); }

  Status Begin(lzma_vli method, int level, uint32_t dictionary) {
    lzma_options_lzma options{};
    if (lzma_lzma_preset(&options, static_cast<uint32_t>(level))) return Error(Code::kNotSupported, "Unsupported Method");
    options.dict_size = dictionary;
    const lzma_filter filters[2] = {{method, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    const lzma_ret begun = lzma_raw_encoder(&lzma_, filters);
    if (begun == LZMA_MEM_ERROR) return memory_.Refusal();
    if (begun != LZMA_OK) return Error(Code::kNotSupported, "Unsupported Method");
    return {};
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (is_over_) return Step{0, 0, true};
    lzma_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    lzma_.avail_in = in.size();
    lzma_.next_out = reinterpret_cast<uint8_t*>(out);
    lzma_.avail_out = room;
    const lzma_ret state = lzma_code(&lzma_, ends ? LZMA_FINISH : LZMA_RUN);
    if (state == LZMA_MEM_ERROR) return memory_.Refusal();
    if (state != LZMA_OK && state != LZMA_STREAM_END && state != LZMA_BUF_ERROR) return Error(Code::kCorrupt, "Data Error");
    is_over_ = state == LZMA_STREAM_END;
    return Step{in.size() - lzma_.avail_in, room - lzma_.avail_out, is_over_};
  }

 private:
  LibraryMemory memory_;
  lzma_allocator allocator_{};
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  bool is_over_ = false;
};

// Takes bytes as they are.
class Copier final : public Coder {
 public:
  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    const size_t count = std::min(in.size(), room);
    std::copy_n(in.data(), count, out);
    return Step{count, count, ends && count == in.size()};
  }
};

void PutFixed(std::string& out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// The leading ones of the first byte tell how many follow.
void PutNumber(std::string& out, uint64_t value) {
  size_t more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) ++more;
  const uint64_t mark = 0xff00u >> more & 0xff;
  out += static_cast<char>(more == 8 ? 0xff : mark | value >> (8 * more));
  PutFixed(out, value, more);
}

void PutBits(std::string& out, const std::vector<bool>& bits) {
  for (size_t i = 0; i < bits.size(); i += 8) {
    unsigned byte = 0;
    for (size_t k = 0; k < 8 && i + k < bits.size(); ++k) byte |= bits[i + k] ? 0x80u >> k : 0;
    out += static_cast<char>(byte);
  }
}

void PutOptionalBits(std::string& out, const std::vector<bool>& bits) {
  const bool has_all = std::find(bits.begin(), bits.end(), false) == bits.end();
  out += has_all ? '\1' : '\0';
  if (!has_all) PutBits(out, bits);
}

void PutProperty(std::string& out, uint64_t id, const std::string& value) {
  PutNumber(out, id);
  PutNumber(out, value.size());
  out += value;
}

// A name as UTF-16, whatever its bytes are: what is no UTF-8 becomes a replacement character.
void PutName(std::string& out, std::string_view name) {
  for (size_t i = 0; i < name.size();) {
    const auto lead = static_cast<unsigned char>(name[i]);
    const size_t size = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
    uint32_t point = size < 2 ? lead : lead & (0xffu >> (size + 1));
    bool is_good = size != 0 && i + size <= name.size();
    for (size_t k = 1; is_good && k < size; ++k) {
      is_good = (name[i + k] & 0xc0) == 0x80;
      point = point << 6 | (static_cast<unsigned char>(name[i + k]) & 0x3f);
    }
    if (!is_good || point > 0x10ffff) point = 0xfffd;
    i += is_good ? size : 1;
    if (point >= 0x10000) {
      PutFixed(out, 0xd800 + ((point - 0x10000) >> 10), 2);
      PutFixed(out, 0xdc00 + ((point - 0x10000) & 0x3ff), 2);
    } else {
      PutFixed(out, point, 2);
    }
  }
  PutFixed(out, 0, 2);
}

void PutFolder(std::string& out, const SevenZipFolder& folder) {
  PutNumber(out, folder.coders.size());
  for (const SevenZipCoder& coder : folder.coders) {
    std::string id;
    for (uint64_t rest = coder.id; rest != 0; rest >>= 8) id.insert(id.begin(), static_cast<char>(rest & 0xff));
    if (id.empty()) id = std::string(1, '\0');
    const bool is_complex = coder.ins != 1 || coder.outs != 1;
    out += static_cast<char>(id.size() | (is_complex ? 0x10u : 0u) | (coder.properties.empty() ? 0u : 0x20u));
    out += id;
    if (is_complex) {
      PutNumber(out, coder.ins);
      PutNumber(out, coder.outs);
    }
    if (!coder.properties.empty()) {
      PutNumber(out, coder.properties.size());
      out += coder.properties;
    }
  }
  for (const auto& [input, output] : folder.binds) {
    PutNumber(out, input);
    PutNumber(out, output);
  }
  if (folder.packed.size() > 1) {
    for (const uint64_t input : folder.packed) PutNumber(out, input);
  }
}

void PutPacked(std::string& out, uint64_t position, const std::vector<SevenZipStream>& streams) {
  PutNumber(out, kPackInfo);
  PutNumber(out, position);
  PutNumber(out, streams.size());
  PutNumber(out, kSize);
  for (const SevenZipStream& stream : streams) PutNumber(out, stream.size);
  PutNumber(out, kEnd);
}

void PutFolders(std::string& out, const std::vector<SevenZipFolder>& folders) {
  PutNumber(out, kUnpackInfo);
  PutNumber(out, kFolder);
  PutNumber(out, folders.size());
  out += '\0';
  for (const SevenZipFolder& folder : folders) PutFolder(out, folder);
  PutNumber(out, kUnpackSizes);
  for (const SevenZipFolder& folder : folders) {
    for (const SevenZipCoder& coder : folder.coders) {
      for (const uint64_t size : coder.sizes) PutNumber(out, size);
    }
  }
}

// How the folders are cut into files, with the sum of each.
void PutParts(std::string& out, const SevenZipArchive& archive, Budget& budget) {
  PutNumber(out, kSubStreams);
  PutNumber(out, kUnpackCounts);
  for (const SevenZipFolder& folder : archive.folders) PutNumber(out, folder.items);
  std::vector<const SevenZipItem*> items;
  for (const SevenZipItem& item : archive.items) {
    if (item.has_stream) items.push_back(&item);
  }
  PutNumber(out, kSize);
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    budget.Step();
    if (items[i]->folder == items[i + 1]->folder) PutNumber(out, items[i]->size);
  }
  PutNumber(out, kCrc);
  std::vector<bool> has_crc;
  for (const SevenZipItem* item : items) has_crc.push_back(item->crc.has_value());
  PutOptionalBits(out, has_crc);
  for (const SevenZipItem* item : items) {
    if (item->crc) PutFixed(out, *item->crc, 4);
  }
  PutNumber(out, kEnd);
}

void PutFiles(std::string& out, const std::vector<SevenZipItem>& items, Budget& budget) {
  PutNumber(out, kFiles);
  PutNumber(out, items.size());
  std::vector<bool> is_empty, is_empty_file, is_anti, has_time, has_attributes;
  std::string names(1, '\0'), times, attributes;
  for (const SevenZipItem& item : items) {
    budget.Step(4);
    is_empty.push_back(!item.has_stream);
    if (!item.has_stream) {
      is_empty_file.push_back(!item.is_directory);
      is_anti.push_back(item.is_anti);
    }
    PutName(names, item.name);
    has_time.push_back(item.modified.has_value());
    if (item.modified) PutFixed(times, *item.modified, 8);
    has_attributes.push_back(item.attributes.has_value());
    if (item.attributes) PutFixed(attributes, *item.attributes, 4);
  }
  const auto put_bits = [&](uint64_t id, const std::vector<bool>& bits) {
    if (std::find(bits.begin(), bits.end(), true) == bits.end()) return;
    std::string value;
    PutBits(value, bits);
    PutProperty(out, id, value);
  };
  const auto put_values = [&](uint64_t id, const std::vector<bool>& bits, const std::string& values) {
    if (values.empty()) return;
    std::string value;
    PutOptionalBits(value, bits);
    PutProperty(out, id, value + '\0' + values);
  };
  put_bits(kEmptyStream, is_empty);
  put_bits(kEmptyFile, is_empty_file);
  put_bits(kAnti, is_anti);
  PutProperty(out, kNames, names);
  put_values(kModified, has_time, times);
  put_values(kAttributes, has_attributes, attributes);
  PutNumber(out, kEnd);
}

}  // namespace

uint64_t SevenZipDictionary(uint64_t size, uint64_t most) {
  uint64_t dictionary = kLeastDictionary;
  for (unsigned name = 1; dictionary < std::min(size, most) && name < 38; ++name) dictionary = uint64_t{2u | (name & 1u)} << (name / 2 + 11);
  return dictionary;
}

Result<SevenZipEncoder> NewSevenZipEncoder(const SevenZipMethod& method, uint64_t size, Budget& budget) {
  SevenZipEncoder encoder;
  encoder.coder.id = method.level == 0 ? kSevenZipCopy : method.id;
  if (encoder.coder.id == kSevenZipCopy) {
    encoder.encoder = std::make_unique<Copier>();
    return encoder;
  }
  if (encoder.coder.id == kSevenZipDeflate) {
    encoder.encoder = NewDeflater(&budget, std::min(method.level, 9));
    return encoder;
  }
  if (encoder.coder.id == kSevenZipBzip2) {
    encoder.encoder = NewBzip2Encoder(&budget, 9);
    return encoder;
  }
  const uint64_t dictionary = SevenZipDictionary(size, method.dictionary);
  uint8_t name = 0;
  while (uint64_t{2u | (name & 1u)} << (name / 2 + 11) < dictionary) ++name;
  const bool is_lzma2 = encoder.coder.id == kSevenZipLzma2;
  if (is_lzma2) encoder.coder.properties = std::string(1, static_cast<char>(name));
  else {
    encoder.coder.properties = "\x5d";
    PutFixed(encoder.coder.properties, dictionary, 4);
  }
  auto raw = std::make_unique<RawEncoder>(&budget);
  PADDOCK_TRY(raw->Begin(is_lzma2 ? LZMA_FILTER_LZMA2 : LZMA_FILTER_LZMA1, std::min(method.level, 9), static_cast<uint32_t>(dictionary)));
  encoder.encoder = std::move(raw);
  return encoder;
}

Result<SevenZipFolder> PackSevenZipFolder(ByteSink& out, const SevenZipMethod& method, uint64_t size, const std::optional<std::string>& password, const std::function<Status(ByteSink& to)>& fill, Budget& budget) {
  PADDOCK_ASSIGN(SevenZipEncoder packer, NewSevenZipEncoder(method, size, budget));
  SevenZipFolder folder;
  folder.packed = {0};
  std::optional<EncodingSink> cipher;
  if (password) {
    PADDOCK_ASSIGN(SevenZipEncoder made, NewSevenZipCipher(*password, budget));
    folder.coders.push_back(made.coder);
    folder.binds = {{1, 0}};
    cipher.emplace(out, std::move(made.encoder), &budget);
  }
  EncodingSink sink(cipher ? static_cast<ByteSink&>(*cipher) : out, std::move(packer.encoder), &budget);
  PADDOCK_TRY(fill(sink));
  PADDOCK_TRY(sink.Finish());
  if (cipher) {
    PADDOCK_TRY(cipher->Finish());
    folder.coders[0].sizes = {sink.bytes_out()};
  }
  packer.coder.sizes = {sink.bytes_in()};
  folder.coders.push_back(packer.coder);
  folder.size = sink.bytes_in();
  return folder;
}

Result<SevenZipHeaders> EncodeSevenZipHeaders(const SevenZipArchive& archive, const std::optional<std::string>& password, Budget& budget) {
  uint64_t position = 0;
  for (const SevenZipStream& stream : archive.streams) position += stream.size;
  std::string header;
  PutNumber(header, kHeader);
  if (!archive.folders.empty()) {
    PutNumber(header, kMainStreams);
    PutPacked(header, 0, archive.streams);
    PutFolders(header, archive.folders);
    PutNumber(header, kEnd);
    PutParts(header, archive, budget);
    PutNumber(header, kEnd);
  }
  if (!archive.items.empty()) PutFiles(header, archive.items, budget);
  PutNumber(header, kEnd);
  SevenZipHeaders headers;
  headers.end = archive.items.empty() ? std::string() : header;
  if (archive.items.size() > 1 || (password && !archive.items.empty())) {
    // Packed itself, with a short one behind it that tells how.
    StringSink packed;
    PADDOCK_ASSIGN(const SevenZipFolder folder, PackSevenZipFolder(packed, {.id = kSevenZipLzma}, header.size(), password, [&](ByteSink& to) { return to.Write(header); }, budget));
    std::string outer;
    PutNumber(outer, kEncodedHeader);
    PutPacked(outer, position, {{0, packed.text.size()}});
    PutFolders(outer, {folder});
    PutNumber(outer, kCrc);
    outer += '\1';
    PutFixed(outer, Crc32(0, header), 4);
    PutNumber(outer, kEnd);
    PutNumber(outer, kEnd);
    headers.end = packed.text + outer;
    position += packed.text.size();
    header = std::move(outer);
  }
  if (archive.items.empty()) header.clear();
  std::string next;
  PutFixed(next, header.empty() ? 0 : position, 8);
  PutFixed(next, header.size(), 8);
  PutFixed(next, header.empty() ? 0 : Crc32(0, header), 4);
  headers.start = std::string("7z\xbc\xaf\x27\x1c\0\4", 8);
  PutFixed(headers.start, Crc32(0, next), 4);
  headers.start += next;
  return headers;
}

static_assert(kSevenZipStart == kStartSize);

}  // namespace paddock::codec
