#include "commands/file/file_kind.h"

namespace paddock::file {
namespace {

using namespace std::string_view_literals;

// A field of octal digits in a tar header.
uint64_t Octal(std::string_view field) {
  uint64_t value = 0;
  for (const char c : field) {
    if (c == ' ' && value == 0) continue;
    if (c < '0' || c > '7') break;
    value = value * 8 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

Kind Gzip(std::string_view b, std::string_view time) {
  const uint64_t flags = Little(b, 3, 1);
  std::string text = "gzip compressed data";
  size_t at = 10;
  if ((flags & 4) != 0) at += 2 + Little(b, at, 2);
  if ((flags & 8) != 0 && at < b.size()) {
    const std::string_view name = Part(b, at, b.find('\0', at) - at);
    text += ", was \"" + std::string(name) + "\"";
  }
  if (Little(b, 4, 4) != 0) text += ", last modified: " + std::string(time);
  if (Little(b, 8, 1) == 2) text += ", max compression";
  if (Little(b, 8, 1) == 4) text += ", max speed";
  switch (Little(b, 9, 1)) {
    case 0: text += ", from FAT filesystem (MS-DOS, OS/2, NT)"; break;
    case 3: text += ", from Unix"; break;
    case 11: text += ", from NTFS filesystem (NT)"; break;
    default: break;
  }
  if (b.size() >= 4) text += ", original size modulo 2^32 " + std::to_string(Little(b, b.size() - 4, 4));
  return {text, "application/gzip", "gz/tgz/tpz/ipk/vbox-extpack/svgz/blend/dia/gnucash/rdata/xoj"};
}

// Documents that are zip archives are told by the names of their members.
Kind Zip(std::string_view b) {
  const auto holds = [&b](std::string_view name) { return b.find(name) != std::string_view::npos; };
  const std::string_view first = Part(b, 30, Little(b, 26, 2));
  if (first == "mimetype") {
    const std::string_view type = Part(b, 38, Little(b, 22, 4));
    if (type == "application/epub+zip") return {"EPUB document", "application/epub+zip", "epub"};
    if (type == "application/vnd.oasis.opendocument.text") return {"OpenDocument Text", std::string(type), "odt"};
    if (type == "application/vnd.oasis.opendocument.spreadsheet") return {"OpenDocument Spreadsheet", std::string(type), "ods"};
    if (type == "application/vnd.oasis.opendocument.presentation") return {"OpenDocument Presentation", std::string(type), "odp"};
  }
  const std::string office = "application/vnd.openxmlformats-officedocument.";
  if (first == "[Content_Types].xml" || first == "_rels/.rels" || first == "docProps/app.xml") {
    if (holds("word/")) return {"Microsoft Word 2007+", office + "wordprocessingml.document", "docx"};
    if (holds("xl/")) return {"Microsoft Excel 2007+", office + "spreadsheetml.sheet", "xlsx"};
    if (holds("ppt/")) return {"Microsoft PowerPoint 2007+", office + "presentationml.presentation", "pptx"};
    return {"Microsoft OOXML", "application/octet-stream"};
  }
  if (first == "AndroidManifest.xml") {
    return {"Android package (APK), with AndroidManifest.xml", "application/vnd.android.package-archive", "apk"};
  }
  if (first.starts_with("META-INF/") && Little(b, 28, 2) > 0 && Little(b, 30 + first.size(), 2) == 0xcafe) {
    return {"Java archive data (JAR)", "application/java-archive", "jar"};
  }
  const uint64_t version = Little(b, 4, 2) & 0xff;
  std::string text = "Zip archive data, at least v" + std::to_string(version / 10) + "." + std::to_string(version % 10) +
                     " to extract, compression method=";
  switch (Little(b, 8, 2)) {
    case 0: text += "store"; break;
    case 8: text += "deflate"; break;
    case 9: text += "deflate64"; break;
    case 12: text += "bzip2"; break;
    case 14: text += "lzma"; break;
    default: text += "[" + std::to_string(Little(b, 8, 2)) + "]";
  }
  return {text, "application/zip", "zip/cbz"};
}

Kind DebianPackage(std::string_view b) {
  std::string text = "Debian binary package (format " + std::string(Part(b, 68, 3)) + ")";
  // The members: debian-binary, control.tar.XX, data.tar.YY.
  size_t at = 72;
  for (const char* what : {", with control.tar.", ", data compression "}) {
    if (at + 60 > b.size()) break;
    std::string_view name = Part(b, at, 16);
    name = name.substr(0, name.find_last_not_of(" /") + 1);
    text += what + std::string(name.substr(name.rfind('.') + 1));
    uint64_t size = 0;
    for (const char c : Part(b, at + 48, 10)) {
      if (c >= '0' && c <= '9') size = size * 10 + static_cast<uint64_t>(c - '0');
    }
    at += 60 + size + size % 2;
  }
  return {text, "application/vnd.debian.binary-package", "deb/udeb"};
}

Kind Xz(std::string_view b) {
  std::string text = "XZ compressed data";
  switch (Little(b, 7, 1)) {
    case 0: text += ", checksum NONE"; break;
    case 1: text += ", checksum CRC32"; break;
    case 4: text += ", checksum CRC64"; break;
    case 10: text += ", checksum SHA-256"; break;
    default: break;
  }
  return {text, "application/x-xz", "xz"};
}

Kind Zstandard(std::string_view b) {
  const uint64_t id_size = Little(b, 4, 1) & 3;
  const bool has_window = (Little(b, 4, 1) & 0x20) == 0;
  const uint64_t id = id_size == 0 ? 0 : Little(b, has_window ? 6 : 5, id_size == 3 ? 4 : id_size);
  return {"Zstandard compressed data (v0.8+), Dictionary ID: " + (id == 0 ? "None" : std::to_string(id)),
          "application/zstd", "zst"};
}

}  // namespace

std::optional<Kind> FindTar(std::string_view b) {
  constexpr size_t kHeader = 512;
  if (b.size() < kHeader || b[0] == '\0') return std::nullopt;
  uint64_t sum = 0;
  for (size_t i = 0; i < kHeader; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(b[i]);
  }
  if (sum != Octal(Part(b, 148, 8))) return std::nullopt;
  const std::string_view magic = Part(b, 257, 8);
  if (magic == "ustar  \0"sv) return Kind{"POSIX tar archive (GNU)", "application/x-tar", "tar/gtar"};
  if (magic.starts_with("ustar\0"sv)) return Kind{"POSIX tar archive", "application/x-tar", "tar/ustar"};
  return Kind{"tar archive", "application/x-tar", "tar"};
}

std::optional<Kind> FindArchive(std::string_view b, std::string_view time) {
  if (b.starts_with("\x1f\x8b"sv)) return Gzip(b, time);
  if (b.starts_with("BZh")) {
    const bool has_size = b.size() > 3 && b[3] >= '1' && b[3] <= '9';
    return Kind{std::string("bzip2 compressed data") + (has_size ? ", block size = " + std::string(1, b[3]) + "00k" : ""),
                "application/x-bzip2", "bz2"};
  }
  if (b.starts_with("\xfd" "7zXZ\0"sv)) return Xz(b);
  if (b.starts_with("\x28\xb5\x2f\xfd"sv)) return Zstandard(b);
  if (b.starts_with("\x04\x22\x4d\x18"sv)) return Kind{"LZ4 compressed data (v1.4+)", "application/x-lz4", "lz4"};
  if (b.starts_with("\x5d\0\0"sv) && b.size() > 13 && Little(b, 5, 8) == ~uint64_t{0}) {
    return Kind{"LZMA compressed data, streamed", "application/x-lzma", "lzma"};
  }
  if (b.starts_with("\x1f\x9d"sv)) {
    return Kind{"compress'd data " + std::to_string(Little(b, 2, 1) & 0x1f) + " bits", "application/x-compress", "Z"};
  }
  if (b.starts_with("PK\3\4"sv) && b.size() >= std::max<size_t>(50, 32 + Little(b, 26, 2))) return Zip(b);
  if (b.starts_with("PK\5\6"sv)) return Kind{"Zip archive data (empty)", "application/zip", "zip/cbz"};
  if (b.starts_with("7z\xbc\xaf\x27\x1c"sv)) {
    return Kind{"7-zip archive data, version " + std::to_string(Little(b, 6, 1)) + "." + std::to_string(Little(b, 7, 1)),
                "application/x-7z-compressed", "7z/cb7"};
  }
  if (b.starts_with("Rar!\x1a\7\0"sv)) return Kind{"RAR archive data", "application/x-rar", "rar/cbr"};
  if (b.starts_with("Rar!\x1a\7\1\0"sv)) return Kind{"RAR archive data, v5", "application/x-rar", "rar"};
  if (b.starts_with("!<arch>\ndebian-binary")) return DebianPackage(b);
  if (b.starts_with("!<arch>\n")) return Kind{"current ar archive", "application/x-archive", "a/lib"};
  if (b.starts_with("070701")) return Kind{"ASCII cpio archive (SVR4 with no CRC)", "application/x-cpio", "cpio"};
  if (b.starts_with("070702")) return Kind{"ASCII cpio archive (SVR4 with CRC)", "application/x-cpio", "cpio"};
  if (b.starts_with("070707")) return Kind{"ASCII cpio archive (pre-SVR4 or odc)", "application/x-cpio", "cpio"};
  if (b.starts_with("\xed\xab\xee\xdb"sv)) return Kind{"RPM v" + std::to_string(Big(b, 4, 1)) + "." + std::to_string(Big(b, 5, 1)) +
                                                           (Big(b, 6, 2) == 0 ? " bin i386/x86_64" : " src"), "application/x-rpm", "rpm"};
  const uint64_t zlib = Big(b, 0, 2);
  if (zlib == 0x7801 || zlib == 0x785e || zlib == 0x789c || zlib == 0x78da) {
    return Kind{"zlib compressed data", "application/zlib"};
  }
  return std::nullopt;
}

}  // namespace paddock::file
