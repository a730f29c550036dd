// What unzip shows of an archive: -l, -v and zipinfo's lines.

#include <cstdio>

#include "commands/archive/unzip.h"
#include "commands/file_facts.h"
#include "text/date/time_format.h"
#include "text/mode.h"

namespace paddock::unzip {
namespace {

using codec::ZipEntry;

// Control bytes would act on a terminal.
std::string Shown(const std::string& name) {
  std::string shown;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += '^';
      shown += static_cast<char>(byte ^ 0x40);
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string Percent(uint64_t size, uint64_t packed) {
  if (size == 0) return "0%";
  const double saved = 100.0 * (static_cast<double>(size) - static_cast<double>(packed)) / static_cast<double>(size);
  return std::to_string(static_cast<int64_t>(saved < 0 ? saved - 0.5 : saved + 0.5)) + "%";
}

const char* MethodName(const ZipEntry& entry) {
  static constexpr const char* kDeflate[] = {"Defl:N", "Defl:X", "Defl:F", "Defl:S"};
  switch (entry.method) {
    case codec::kZipStored: return "Stored";
    case codec::kZipDeflated: return kDeflate[entry.flags >> 1 & 3];
    case codec::kZipBzip2: return "BZip2";
    case 14: return "LZMA";
    default: return "Unk:???";
  }
}

std::string Date(Invocation& in, const ZipEntry& entry, const TimeZone& zone, const char* format) {
  const int64_t seconds = MomentOf(entry, zone);
  return FormatTime(format, zone.ToLocal(seconds), {seconds, 0}, in.budget);
}

std::string Files(uint64_t count) { return std::to_string(count) + (count == 1 ? " file" : " files"); }

}  // namespace

void ListEntries(Invocation& in, const Options& options, ZipFile& zip, Selection& selection) {
  const TimeZone zone = LocalZone(in.env);
  const bool is_long = options.mode == Mode::kLong;
  if (options.quiet < 2) {
    in.out.Write(is_long ? " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n"
                         : "  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
  }
  uint64_t size = 0, packed = 0, count = 0;
  char row[160];
  for (const ZipEntry& entry : zip.directory().entries) {
    in.budget.Step(4);
    if (!selection.Has(entry, in.budget)) continue;
    const std::string date = Date(in, entry, zone, "%Y-%m-%d %H:%M");
    const uint64_t data = entry.is_encrypted() && entry.packed >= 12 ? entry.packed - 12 : entry.packed;
    if (is_long) {
      std::snprintf(row, sizeof row, "%8llu  %-6s %8llu %4s %s %08x  ", static_cast<unsigned long long>(entry.size), MethodName(entry),
                    static_cast<unsigned long long>(data), Percent(entry.size, data).c_str(), date.c_str(), entry.crc);
    } else {
      std::snprintf(row, sizeof row, "%9llu  %s   ", static_cast<unsigned long long>(entry.size), date.c_str());
    }
    in.out.Write(row + Shown(entry.name) + "\n");
    if (options.quiet == 0 && !entry.comment.empty()) in.out.Write(CommentText(entry.comment));
    size += entry.size;
    packed += data;
    ++count;
  }
  if (options.quiet >= 2) return;
  if (is_long) {
    std::snprintf(row, sizeof row, "--------          -------  ---                            -------\n%8llu         %8llu %4s                            ",
                  static_cast<unsigned long long>(size), static_cast<unsigned long long>(packed), Percent(size, packed).c_str());
  } else {
    std::snprintf(row, sizeof row, "---------                     -------\n%9llu                     ", static_cast<unsigned long long>(size));
  }
  in.out.Write(row + Files(count) + "\n");
}

void ShowInfo(Invocation& in, const Options& options, ZipFile& zip, Selection& selection, const std::string& name) {
  const TimeZone zone = LocalZone(in.env);
  const bool is_names = options.info_form == '1' || options.info_form == '2';
  const bool is_default = !options.info_has_form && !options.info_header && !options.info_totals;
  const bool has_lines = options.info_has_form || is_default;
  const bool is_whole = options.wanted.empty() && options.unwanted.empty();
  if (options.info_header || (!is_names && (is_default || options.info_has_form) && is_whole)) {
    in.out.Write("Archive:  " + name + "\n");
    if (options.info_comment && !zip.directory().comment.empty()) in.out.Write(CommentText(zip.directory().comment));
    in.out.Write("Zip file size: " + std::to_string(zip.size()) + " bytes, number of entries: " + std::to_string(zip.directory().entries.size()) + "\n");
  }
  uint64_t size = 0, packed = 0, count = 0;
  for (const ZipEntry& entry : zip.directory().entries) {
    in.budget.Step(4);
    if (!selection.Has(entry, in.budget)) continue;
    const uint64_t data = entry.is_encrypted() && entry.packed >= 12 ? entry.packed - 12 : entry.packed;
    size += entry.size;
    packed += data;
    ++count;
    if (!has_lines) continue;
    if (is_names) {
      in.out.Write(entry.name + "\n");
      continue;
    }
    static constexpr const char* kDeflate[] = {"defN", "defX", "defF", "defS"};
    const uint32_t mode = entry.unix_mode().value_or(entry.is_directory() ? 040755 : 0100644);
    const char type = (mode & 0170000) == 0120000 ? 'l' : entry.is_directory() || (mode & 0170000) == 0040000 ? 'd' : '-';
    char kind = (entry.internal & 1) != 0 ? 't' : 'b';
    if (entry.is_encrypted()) kind = static_cast<char>(kind - 32);
    const bool has_descriptor = (entry.flags & codec::kZipHasDescriptor) != 0;
    const char extra = entry.extra.empty() ? (has_descriptor ? 'l' : '-') : has_descriptor ? 'X' : 'x';
    const char* method = entry.method == codec::kZipStored ? "stor" : entry.method == codec::kZipDeflated ? kDeflate[entry.flags >> 1 & 3] : entry.method == codec::kZipBzip2 ? "bzp2" : "u???";
    char row[120];
    std::snprintf(row, sizeof row, "  %u.%u %s %8llu %c%c ", entry.version / 10u, entry.version % 10u, entry.unix_mode() ? "unx" : "fat", static_cast<unsigned long long>(entry.size), kind, extra);
    std::string line = ModeString(type, mode & 07777) + row;
    if (options.info_form == 'm') {
      std::snprintf(row, sizeof row, "%3s ", Percent(entry.size, data).c_str());
      line += row;
    } else if (options.info_form == 'l') {
      std::snprintf(row, sizeof row, "%8llu ", static_cast<unsigned long long>(entry.packed));
      line += row;
    }
    in.out.Write(line + method + " " + Date(in, entry, zone, "%y-%b-%d %H:%M ") + Shown(entry.name) + "\n");
  }
  if (options.info_totals || (!is_names && (is_default || options.info_has_form) && is_whole)) {
    char share[32];
    const double saved = size == 0 ? 0 : 100.0 * (static_cast<double>(size) - static_cast<double>(packed)) / static_cast<double>(size);
    std::snprintf(share, sizeof share, "%.1f%%", saved);
    in.out.Write(Files(count) + ", " + std::to_string(size) + " bytes uncompressed, " + std::to_string(packed) + " bytes compressed:  " + share + "\n");
  }
}

}  // namespace paddock::unzip
