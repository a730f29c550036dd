// 7z archives: the headers at their end and the streams that they describe. Takes hostile bytes.
//
// Source: "7z Format description" (7zFormat.txt of the LZMA SDK, public domain).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stream.h"
#include "codec/coder.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

struct SevenZipCoder {
  uint64_t id = 0;
  std::string properties;
  uint64_t ins = 1, outs = 1;
  std::vector<uint64_t> sizes;   // of what each output makes
};

// Coders that together make one stream of plain bytes ("block" in 7z's words).
struct SevenZipFolder {
  std::vector<SevenZipCoder> coders;
  std::vector<std::pair<uint64_t, uint64_t>> binds;   // an input, and the output that feeds it
  std::vector<uint64_t> packed;                       // inputs that are fed by the archive
  size_t first_packed = 0;                            // index of the first of them among all streams
  uint64_t size = 0;
  std::optional<uint32_t> crc;
  uint64_t items = 1;                                 // files in it

  bool is_encrypted() const;
};

struct SevenZipItem {
  std::string name;
  bool is_directory = false, is_anti = false, has_stream = false;
  uint64_t size = 0;
  std::optional<uint32_t> crc, attributes;
  std::optional<uint64_t> modified;   // 100 ns since 1601
  size_t folder = 0;                  // if it has a stream

  // st_mode, if it was packed on Unix.
  std::optional<uint32_t> unix_mode() const;
};

struct SevenZipStream {
  uint64_t at = 0, size = 0;
};

struct SevenZipArchive {
  std::vector<SevenZipItem> items;
  std::vector<SevenZipFolder> folders;
  std::vector<SevenZipStream> streams;
  uint64_t physical_size = 0, headers_size = 0;
};

// Reads `size` bytes at a place of the archive; fewer at its end.
using SevenZipReadAt = std::function<Result<std::string>(uint64_t offset, size_t size)>;

// Errors: kSyntax (no 7z archive), kCorrupt with 7z's reason, kNotSupported (encrypted headers and the like), those of `read`.
Result<SevenZipArchive> ReadSevenZip(uint64_t archive_size, const SevenZipReadAt& read, Budget& budget, std::string_view password = {});

// The plain bytes of a folder, which end where its size says. `archive` and `read` outlive it.
// Errors: kNotSupported (a method), kCorrupt.
Result<std::unique_ptr<ByteSource>> OpenSevenZipFolder(const SevenZipArchive& archive, const SevenZipFolder& folder, const SevenZipReadAt& read, Budget& budget, std::string_view password = {});

inline constexpr uint64_t kSevenZipStart = 32;   // bytes in front of the first stream
inline constexpr uint64_t kSevenZipCopy = 0, kSevenZipLzma2 = 0x21, kSevenZipLzma = 0x30101, kSevenZipDeflate = 0x40108, kSevenZipBzip2 = 0x40202, kSevenZipAes = 0x6f10701;
struct SevenZipMethod {
  uint64_t id = kSevenZipLzma2;   // of those
  int level = 5;                  // 0: stored
  uint64_t dictionary = uint64_t{8} << 20;
};
// 2 or 3 times a power of two, as LZMA2 can name it: the least that holds `size`, or `most`.
uint64_t SevenZipDictionary(uint64_t size, uint64_t most);
struct SevenZipEncoder {
  CoderPtr encoder;
  SevenZipCoder coder;   // without its sizes
};
// `size`: what will come, at least about: the dictionary is not larger. Errors: kNotSupported, kNoMemory.
Result<SevenZipEncoder> NewSevenZipEncoder(const SevenZipMethod& method, uint64_t size, Budget& budget);

// The cipher of a coder with that id, and a new one, with a start of its own. Errors: kNotSupported, kNoMemory.
Result<CoderPtr> NewSevenZipDecipherer(const SevenZipCoder& coder, std::string_view password, Budget& budget);
Result<SevenZipEncoder> NewSevenZipCipher(std::string_view password, Budget& budget);

// What goes in front of the streams, and behind them. The streams stand one behind the other, items with one are in the order of
// folders, and each folder's `items` counts them.
struct SevenZipHeaders {
  std::string start, end;
};
// With a password, the names are encrypted too.
Result<SevenZipHeaders> EncodeSevenZipHeaders(const SevenZipArchive& archive, const std::optional<std::string>& password, Budget& budget);

// Packs what `fill` writes, `size` bytes at about, into `out` as one folder; its coders, sizes and links are complete then.
Result<SevenZipFolder> PackSevenZipFolder(ByteSink& out, const SevenZipMethod& method, uint64_t size, const std::optional<std::string>& password, const std::function<Status(ByteSink& to)>& fill, Budget& budget);

// What 7z calls a method: "LZMA2:24" with its dictionary; `is_long` with its other settings.
std::string SevenZipMethodName(const SevenZipCoder& coder, bool is_long);

}  // namespace paddock::codec
