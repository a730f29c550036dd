#include "commands/file/file_kind.h"

namespace paddock::file {
namespace {

using namespace std::string_view_literals;

Kind Pdf(std::string_view b) {
  std::string text = "PDF document";
  if (b.size() >= 8 && b[6] == '.') text += ", version " + std::string(Part(b, 5, 3));
  return {text, "application/pdf", "pdf"};
}

Kind PostScript(std::string_view b) {
  std::string text = "PostScript document text";
  if (b.starts_with("%!PS-Adobe-")) {
    text += " conforming DSC level " + std::string(Part(b, 11, 3));
    if (Part(b, 15, 4) == "EPSF") text += ", type EPS";
  }
  return {text, "application/postscript"};
}

Kind Sqlite(std::string_view b) {
  std::string text = "SQLite 3.x database";
  const auto add = [&](const char* what, uint64_t value) { text += what + std::to_string(value); };
  if (const uint64_t user = Big(b, 60, 4)) add(", user version ", user);
  if (const uint64_t library = Big(b, 96, 4)) add(", last written using SQLite version ", library);
  if (const uint64_t pages = Big(b, 16, 2); pages != 4096) add(", page size ", pages == 1 ? 65536 : pages);
  if (Big(b, 18, 1) == 2) text += ", writer version 2";
  if (Big(b, 19, 1) == 2) text += ", read version 2";
  if (const uint64_t counter = Big(b, 24, 4)) add(", file counter ", counter);
  if (const uint64_t pages = Big(b, 28, 4)) add(", database pages ", pages);
  if (const uint64_t page = Big(b, 32, 4)) add(", 1st free page ", page);
  if (const uint64_t free = Big(b, 36, 4)) add(", free pages ", free);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string cookie;
  for (uint64_t value = Big(b, 40, 4); value != 0; value >>= 4) cookie.insert(cookie.begin(), kDigits[value & 15]);
  text += ", cookie 0x" + (cookie.empty() ? "0" : cookie);
  add(", schema ", Big(b, 44, 4));
  const uint64_t encoding = Big(b, 56, 4);
  if (encoding == 1) text += ", UTF-8";
  if (encoding == 2) text += ", UTF-16 little endian";
  if (encoding == 3) text += ", UTF-16 big endian";
  if (const uint64_t valid = Big(b, 92, 4)) add(", version-valid-for ", valid);
  return {text, "application/vnd.sqlite3", "sqlite/sqlite3/db/db3/dbe/sdb/help"};
}

std::optional<Kind> GitFile(std::string_view b) {
  if (b.starts_with("PACK\0\0\0"sv)) {
    return Kind{"Git pack, version " + std::to_string(Big(b, 4, 4)) + ", " + std::to_string(Big(b, 8, 4)) + " objects",
                "application/x-git"};
  }
  if (b.starts_with("DIRC")) {
    return Kind{"Git index, version " + std::to_string(Big(b, 4, 4)) + ", " + std::to_string(Big(b, 8, 4)) + " entries",
                "application/octet-stream"};
  }
  if (b.starts_with("\377tOc"sv)) return Kind{"Git pack index, version " + std::to_string(Big(b, 4, 4)), "application/octet-stream"};
  if (b.starts_with("# v2 git bundle\n")) return Kind{"Git bundle", "application/octet-stream"};
  return std::nullopt;
}

// The version by the mark in the first two bytes; nothing for other files.
std::optional<Kind> PythonModule(std::string_view b, std::string_view time) {
  struct Version {
    uint64_t least, most;
    const char* name;
  };
  constexpr Version kVersions[] = {{3390, 3394, "3.7"},  {3400, 3413, "3.8"},  {3420, 3425, "3.9"},
                                   {3430, 3439, "3.10"}, {3450, 3495, "3.11"}, {3500, 3599, "3.12 or newer"}};
  if (Part(b, 2, 2) != "\r\n") return std::nullopt;
  const uint64_t mark = Little(b, 0, 2);
  for (const Version& version : kVersions) {
    if (mark < version.least || mark > version.most) continue;
    std::string text = std::string("Byte-compiled Python module for CPython ") + version.name;
    const uint64_t flags = Little(b, 4, 4);
    if ((flags & 1) == 0) {
      text += ", timestamp-based, .py timestamp: " + std::string(time) + " UTC, .py size: " +
              std::to_string(Little(b, 12, 4)) + " bytes";
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      std::string hash;
      for (uint64_t value = Little(b, 8, 8); value != 0; value >>= 4) hash.insert(hash.begin(), kDigits[value & 15]);
      text += std::string(", hash-based, check-source flag ") + ((flags & 2) != 0 ? "set" : "unset") + ", hash: 0x" + hash;
    }
    return Kind{text, "application/x-bytecode.python", "pyc/pyo"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Kind> FindDocument(std::string_view b, std::string_view python_time) {
  if (b.starts_with("%PDF-")) return Pdf(b);
  if (b.starts_with("%!")) return PostScript(b);
  if (b.starts_with("SQLite format 3\0"sv)) return Sqlite(b);
  if (auto git = GitFile(b)) return git;
  if (auto module = PythonModule(b, python_time)) return module;
  // What stands in PATH for the commands of the sandbox itself.
  if (b.starts_with("\177PADDOCK\0"sv)) {
    const std::string_view name = b.substr(9, b.find('\n') - 9);
    return Kind{"Paddock command " + std::string(name) + ", executable", "application/x-executable"};
  }
  if (b.starts_with("\0asm"sv)) {
    const uint64_t version = Little(b, 4, 4);
    return Kind{"WebAssembly (wasm) binary module version 0x" + std::to_string(version) + (version == 1 ? " (MVP)" : ""),
                "application/wasm", "wasm"};
  }
  if (b.starts_with("\x93NUMPY"sv)) {
    return Kind{"NumPy array, version " + std::to_string(Little(b, 6, 1)) + "." + std::to_string(Little(b, 7, 1)) +
                    ", header length " + std::to_string(Little(b, 8, 2)), "application/octet-stream", "npy"};
  }
  if (b.starts_with("PAR1")) return Kind{"Apache Parquet", "application/octet-stream"};
  if (b.starts_with("wOFF")) {
    return Kind{"Web Open Font Format" + std::string(Big(b, 4, 4) == 0x10000 ? ", TrueType" : "") + ", length " +
                    std::to_string(Big(b, 8, 4)) + ", version " + std::to_string(Big(b, 20, 2)) + "." + std::to_string(Big(b, 22, 2)),
                "font/woff"};
  }
  if (b.starts_with("wOF2")) {
    return Kind{"Web Open Font Format (Version 2)" + std::string(Big(b, 4, 4) == 0x10000 ? ", TrueType" : "") + ", length " +
                    std::to_string(Big(b, 8, 4)) + ", version " + std::to_string(Big(b, 24, 2)) + "." + std::to_string(Big(b, 26, 2)),
                "font/woff2"};
  }
  if (b.starts_with("\x1bLua"sv) && b.size() > 4) {
    return Kind{"Lua bytecode, version " + std::to_string(Big(b, 4, 1) >> 4) + "." + std::to_string(Big(b, 4, 1) & 15), "text/plain"};
  }
  return std::nullopt;
}

}  // namespace paddock::file
