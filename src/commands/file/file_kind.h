// What file says about contents: the formats that it knows and how text is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paddock {
class Budget;
}

namespace paddock::file {

struct Kind {
  std::string text;              // "PNG image data, 16 x 8, …"
  std::string mime;              // "image/png"
  std::string extensions = "???";
  // For text formats: the encoding follows the text ("C source, ASCII text").
  bool names_encoding = false;
  bool is_executable = false;    // "… text executable"
};

enum class Encoding { kBinary, kAscii, kUtf8, kUtf8Bom, kUtf16Little, kUtf16Big, kUtf32Little, kUtf32Big, kLatin1, kExtended };

// How text is encoded and its lines end.
struct TextFacts {
  Encoding encoding = Encoding::kBinary;
  std::u32string characters;   // decoded
  bool is_text() const { return encoding != Encoding::kBinary; }
};

// Looks at the first 64 KiB.
TextFacts LookAtText(std::string_view bytes, Budget& budget);
// "ASCII", "Unicode text, UTF-8", …; what --mime-encoding prints.
std::string_view EncodingText(Encoding encoding);
std::string_view EncodingMime(Encoding encoding);
// ", with very long lines (600), with CRLF line terminators", or nothing.
std::string LineRemarks(const TextFacts& facts, Budget& budget);

// Each knows some formats; nothing for other contents. `bytes` is the file, or its start.
std::optional<Kind> FindJson(std::string_view bytes, Budget& budget);
std::optional<Kind> FindCsv(std::string_view bytes, Budget& budget);
std::optional<Kind> FindTar(std::string_view bytes);
std::optional<Kind> FindScript(std::string_view bytes);          // #! of a known interpreter
std::optional<Kind> FindAnyScript(std::string_view bytes);       // "a /usr/bin/foo script"
std::optional<Kind> FindTextFormat(std::string_view bytes, Budget& budget);
std::optional<Kind> FindProgram(std::string_view bytes, Budget& budget);   // ELF, Mach-O, PE
std::optional<Kind> FindMedia(std::string_view bytes);           // images, sound, films
std::optional<Kind> FindArchive(std::string_view bytes, std::string_view local_time_of_gzip);
// PDF, databases, what else has a mark. `python_time` is the time that a compiled Python module holds, as text.
std::optional<Kind> FindDocument(std::string_view bytes, std::string_view python_time);

// A part of the file; what is beyond the end is missing.
inline std::string_view Part(std::string_view bytes, size_t at, size_t size) {
  return at < bytes.size() ? bytes.substr(at, size) : std::string_view();
}
// Numbers at an offset; 0 beyond the end.
uint64_t Little(std::string_view bytes, size_t at, size_t size);
uint64_t Big(std::string_view bytes, size_t at, size_t size);

}  // namespace paddock::file
