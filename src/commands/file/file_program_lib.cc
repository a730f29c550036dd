#include "base/budget.h"
#include "commands/file/file_kind.h"

namespace paddock::file {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kDynamic = 2, kInterpreter = 3, kNote = 4;       // kinds of segments
constexpr uint64_t kSymbolTable = 2, kNoteSection = 7;              // kinds of sections

// Reads an ELF file's tables. Offsets come from the file: every read is checked by Little() and Big().
class Elf {
 public:
  Elf(std::string_view bytes, Budget& budget)
      : b_(bytes), budget_(budget), is_64_(Little(bytes, 4, 1) == 2), is_big_(Little(bytes, 5, 1) == 2) {}

  Kind Describe() {
    ReadSegments();
    ReadSections();
    Kind kind;
    kind.text = std::string("ELF ") + (is_64_ ? "64-bit " : "32-bit ") + (is_big_ ? "MSB " : "LSB ") + TypeText(kind.mime);
    kind.text += ", " + Machine() + ", version 1 (" + System() + ")";
    const uint64_t type = Number(16, 2);
    if (type == 2 || type == 3) {
      if (lost_segments_) kind.text += ", can't read elf program headers at " + std::to_string(*lost_segments_);
      else if (segments_ > 0) kind.text += has_dynamic_ ? ", dynamically linked" : ", statically linked";
      if (!interpreter_.empty()) kind.text += ", interpreter " + interpreter_;
    }
    kind.text += build_id_ + system_note_;
    if (has_debug_) kind.text += ", with debug_info";
    if (lost_sections_) kind.text += ", missing section headers at " + std::to_string(*lost_sections_);
    else if (sections_ > 0) kind.text += has_symbols_ ? ", not stripped" : type == 1 ? "" : ", stripped";
    return kind;
  }

 private:
  uint64_t Number(uint64_t at, size_t size) const { return is_big_ ? Big(b_, at, size) : Little(b_, at, size); }
  uint64_t Word(uint64_t at) const { return Number(at, is_64_ ? 8 : 4); }

  std::string TypeText(std::string& mime) const {
    switch (Number(16, 2)) {
      case 1: mime = "application/x-object"; return "relocatable";
      case 2: mime = "application/x-executable"; return "executable";
      case 3:
        mime = is_pie_ ? "application/x-pie-executable" : "application/x-sharedlib";
        return is_pie_ ? "pie executable" : "shared object";
      case 4: mime = "application/x-coredump"; return "core file";
      default: mime = "application/octet-stream"; return "no file type";
    }
  }

  std::string Machine() const {
    switch (Number(18, 2)) {
      case 3: return "Intel 80386";
      case 8: return "MIPS";
      case 20: return "PowerPC or cisco 4500";
      case 21: return "64-bit PowerPC or cisco 7500";
      case 22: return "IBM S/390";
      case 40: return "ARM";
      case 62: return "x86-64";
      case 183: return "ARM aarch64";
      case 243: return "UCB RISC-V";
      default: return "*unknown arch*";
    }
  }

  std::string System() const { return Number(7, 1) == 3 ? "GNU/Linux" : "SYSV"; }

  void ReadSegments() {
    const uint64_t table = is_64_ ? Number(32, 8) : Number(28, 4);
    const uint64_t size = Number(is_64_ ? 54 : 42, 2);
    segments_ = Number(is_64_ ? 56 : 44, 2);
    for (uint64_t i = 0; i < segments_; ++i) {
      budget_.Step();
      const uint64_t at = table + i * size;
      if (at >= b_.size()) {
        lost_segments_ = at;
        break;
      }
      const uint64_t offset = Word(at + (is_64_ ? 8 : 4)), length = Word(at + (is_64_ ? 32 : 16));
      if (offset >= b_.size()) continue;
      switch (Number(at, 4)) {
        case kInterpreter: {
          const std::string_view name = Part(b_, offset, length);
          interpreter_ = name.substr(0, name.find('\0'));
          break;
        }
        case kDynamic: ReadDynamic(offset, length); break;
        case kNote: ReadNotes(offset, length); break;
        default: break;
      }
    }
  }

  void ReadDynamic(uint64_t offset, uint64_t length) {
    has_dynamic_ = true;
    constexpr uint64_t kFlags1 = 0x6ffffffb, kPie = 0x08000000;
    const uint64_t entry = is_64_ ? 16 : 8;
    const uint64_t end = offset + std::min<uint64_t>(length, b_.size() - offset);
    for (uint64_t at = offset; at + entry <= end; at += entry) {
      budget_.Step();
      if (Word(at) == kFlags1 && (Word(at + entry / 2) & kPie) != 0) is_pie_ = true;
    }
  }

  void ReadNotes(uint64_t offset, uint64_t length) {
    const uint64_t end = offset + std::min<uint64_t>(length, b_.size() - offset);
    for (uint64_t at = offset; at + 12 <= end;) {
      budget_.Step();
      const uint64_t name_size = Number(at, 4), size = Number(at + 4, 4), type = Number(at + 8, 4);
      const uint64_t data = at + 12 + (name_size + 3) / 4 * 4;
      if (name_size == 4 && Part(b_, at + 12, 4) == "GNU\0"sv) {
        if (type == 3 && build_id_.empty() && size <= 64 && data + size <= b_.size()) AddBuildId(data, size);
        if (type == 1 && system_note_.empty()) {
          system_note_ = ", for GNU/Linux " + std::to_string(Number(data + 4, 4)) + "." + std::to_string(Number(data + 8, 4)) +
                         "." + std::to_string(Number(data + 12, 4));
        }
      }
      at = data + (size + 3) / 4 * 4;
    }
  }

  void AddBuildId(uint64_t at, uint64_t size) {
    build_id_ = size == 20 ? ", BuildID[sha1]=" : size == 16 ? ", BuildID[md5/uuid]=" : ", BuildID=";
    for (const char c : Part(b_, at, size)) {
      build_id_ += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      build_id_ += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
  }

  void ReadSections() {
    const uint64_t table = is_64_ ? Number(40, 8) : Number(32, 4);
    const uint64_t size = Number(is_64_ ? 58 : 46, 2);
    sections_ = Number(is_64_ ? 60 : 48, 2);
    if (sections_ > 0 && (table > b_.size() || b_.size() - table < sections_ * size)) lost_sections_ = table;
    const uint64_t names_at = table + size * Number(is_64_ ? 62 : 50, 2);
    const uint64_t names = Word(names_at + (is_64_ ? 24 : 16));
    for (uint64_t i = 0; i < sections_; ++i) {
      budget_.Step();
      const uint64_t at = table + i * size;
      if (at >= b_.size()) break;
      const uint64_t type = Number(at + 4, 4);
      if (type == kSymbolTable) has_symbols_ = true;
      const uint64_t name = names + Number(at, 4);
      if (name < b_.size() && Part(b_, name, 12) == ".debug_info\0"sv) has_debug_ = true;
      const uint64_t offset = Word(at + (is_64_ ? 24 : 16));
      if (type == kNoteSection && offset < b_.size()) ReadNotes(offset, Word(at + (is_64_ ? 32 : 20)));
    }
  }

  std::string_view b_;
  Budget& budget_;
  const bool is_64_, is_big_;
  uint64_t segments_ = 0, sections_ = 0;
  bool has_dynamic_ = false, is_pie_ = false, has_symbols_ = false, has_debug_ = false;
  std::optional<uint64_t> lost_segments_, lost_sections_;   // offsets of tables that the file is too short for
  std::string interpreter_, build_id_, system_note_;
};

Kind MachO(std::string_view b, bool is_64) {
  std::string text = is_64 ? "Mach-O 64-bit " : "Mach-O ";
  switch (Little(b, 4, 4)) {
    case 0x01000007: text += "x86_64"; break;
    case 0x0100000c: text += "arm64"; break;
    case 7: text += "i386"; break;
    default: text += "architecture=" + std::to_string(Little(b, 4, 4));
  }
  constexpr const char* kTypes[] = {"", " object", " executable", " fixed virtual memory shared library", " core",
                                    " preload executable", " dynamically linked shared library", " dynamic linker", " bundle"};
  const uint64_t type = Little(b, 12, 4);
  if (type < std::size(kTypes)) text += kTypes[type];
  constexpr std::pair<uint64_t, const char*> kFlags[] = {
      {1, "NOUNDEFS"}, {2, "INCRLINK"}, {4, "DYLDLINK"}, {8, "BINDATLOAD"}, {0x10, "PREBOUND"}, {0x80, "TWOLEVEL"},
      {0x2000, "SUBSECTIONS_VIA_SYMBOLS"}, {0x8000, "WEAK_DEFINES"}, {0x10000, "BINDS_TO_WEAK"}, {0x100000, "NO_REEXPORTED_DYLIBS"}, {0x200000, "PIE"}};
  std::string flags;
  for (const auto& [bit, name] : kFlags) {
    if ((Little(b, 24, 4) & bit) != 0) flags += (flags.empty() ? "" : "|") + std::string(name);
  }
  if (!flags.empty()) text += ", flags:<" + flags + ">";
  return {text, "application/x-mach-binary"};
}

std::optional<Kind> DosOrWindows(std::string_view b) {
  const uint64_t header = Little(b, 60, 4);
  if (header + 24 >= b.size() || Part(b, header, 4) != "PE\0\0"sv) {
    // The relocations of a program for DOS stand in its header.
    if (Little(b, 24, 2) >= 0x40) return std::nullopt;
    return Kind{"MS-DOS executable, MZ for MS-DOS", "application/x-dosexec", "exe/com"};
  }
  const bool is_plus = Little(b, header + 24, 2) == 0x20b;
  std::string text = is_plus ? "PE32+ executable" : "PE32 executable";
  if ((Little(b, header + 22, 2) & 0x2000) != 0) text += " (DLL)";
  switch (Little(b, header + 92, 2)) {
    case 1: text += " (native)"; break;
    case 2: text += " (GUI)"; break;
    case 3: text += " (console)"; break;
    default: break;
  }
  switch (Little(b, header + 4, 2)) {
    case 0x14c: text += " Intel 80386"; break;
    case 0x8664: text += " x86-64"; break;
    case 0xaa64: text += " Aarch64"; break;
    default: break;
  }
  return Kind{text + ", for MS Windows, " + std::to_string(Little(b, header + 6, 2)) + " sections",
              "application/vnd.microsoft.portable-executable", "exe/com"};
}

// Java classes and universal Mach-O files begin with the same four bytes.
Kind JavaOrUniversal(std::string_view b) {
  const uint64_t count = Big(b, 4, 4);
  if (count < 20) {
    return {"Mach-O universal binary with " + std::to_string(count) + (count == 1 ? " architecture" : " architectures"),
            "application/x-mach-binary"};
  }
  const uint64_t major = Big(b, 6, 2);
  std::string text = "compiled Java class data, version " + std::to_string(major) + "." + std::to_string(Big(b, 4, 2));
  if (major >= 46 && major <= 52) text += " (Java 1." + std::to_string(major - 44) + ")";
  else if (major > 52) text += " (Java SE " + std::to_string(major - 44) + ")";
  return {text, "application/x-java-applet", "class"};
}

}  // namespace

std::optional<Kind> FindProgram(std::string_view b, Budget& budget) {
  if (b.starts_with("\x7f" "ELF")) return Elf(b, budget).Describe();
  if (b.starts_with("\xcf\xfa\xed\xfe"sv)) return MachO(b, true);
  if (b.starts_with("\xce\xfa\xed\xfe"sv)) return MachO(b, false);
  if (b.starts_with("MZ")) return DosOrWindows(b);
  if (b.starts_with("\xca\xfe\xba\xbe"sv)) return JavaOrUniversal(b);
  return std::nullopt;
}

}  // namespace paddock::file
