// The values of tar's options that are more than a word: numbers, owners, choices, pax records.
#include <algorithm>
#include <charconv>

#include "commands/archive/tar_options.h"
#include "text/choice.h"
#include "text/numbers.h"

namespace paddock::tar {
namespace {

using codec::TarFormat;

constexpr std::string_view kWarnings[] = {
    "all", "alone-zero-block", "bad-dumpdir", "cachedir", "contiguous-cast", "file-changed", "file-ignored", "file-removed", "file-shrank",
    "file-unchanged", "filename-with-nuls", "ignore-archive", "ignore-newer", "new-directory", "rename-directory", "symlink-cast", "timestamp",
    "unknown-cast", "unknown-keyword", "xdev", "decompress-program", "existing-file", "xattr-write", "record-size", "failed-read"};

}  // namespace

Status SetOwner(OwnerChoice& choice, std::string_view text) {
  const size_t colon = text.find(':');
  const auto number = [](std::string_view digits) -> std::optional<uint64_t> {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view name = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    choice.id = number(text.substr(colon + 1));
    if (!choice.id) return Error(Code::kRange, std::string(text.substr(colon + 1)) + ": Invalid owner or group ID");
    if (!name.empty()) choice.name = std::string(name);
    return {};
  }
  if (const auto id = number(name)) choice.id = id;
  else choice.name = std::string(name);
  return {};
}

Status SetStrip(Options& options, std::string_view text) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), options.strip);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return Error(Code::kInvalid, std::string(text) + ": Invalid number of elements");
  return {};
}

Status SetOccurrence(Options& options, std::string_view text) {
  options.occurrence = 1;
  if (text.data() == nullptr) return {};
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value == 0) return Error(Code::kInvalid, std::string(text) + ": Invalid number");
  options.occurrence = value;
  return {};
}

Status SetBlocking(Options& options, std::string_view text) {
  const auto value = ParseSizeBetween(text, 1, 1 << 22, "");
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Invalid blocking factor");
  options.record_blocks = *value;
  return {};
}

Status SetRecordSize(Options& options, std::string_view text) {
  const auto value = ParseSizeBetween(text, 1, 1ull << 31, kSizeSuffixes);
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Invalid record size");
  if (*value % 512 != 0) return Error(Code::kInvalid, "Record size must be a multiple of 512.");
  options.record_blocks = *value / 512;
  return {};
}

Status SetTapeLength(Options& options, std::string_view text) {
  const bool has_suffix = !text.empty() && (text.back() < '0' || text.back() > '9');
  const auto value = ParseSizeBetween(text, 1, UINT64_MAX / 1024, kSizeSuffixes);
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Invalid tape length");
  options.tape_length = has_suffix ? *value : *value * 1024;
  options.multi_volume = true;
  return {};
}

Status SetSparseVersion(Options& options, std::string_view text) {
  options.sparse = true;
  if (text == "0.0" || text == "0") options.sparse_form = codec::TarSparseForm::k00;
  else if (text == "0.1") options.sparse_form = codec::TarSparseForm::k01;
  else if (text == "1.0" || text == "1") options.sparse_form = codec::TarSparseForm::k10;
  else return Error(Code::kInvalid, "Invalid sparse version value");
  return {};
}

Status SetArchiveFormat(Options& options, std::string_view text) {
  constexpr std::pair<std::string_view, TarFormat> kFormats[] = {{"v7", TarFormat::kV7}, {"oldgnu", TarFormat::kOldGnu}, {"ustar", TarFormat::kUstar},
                                                                 {"posix", TarFormat::kPax}, {"gnu", TarFormat::kGnu}, {"pax", TarFormat::kPax}};
  for (const auto& [name, format] : kFormats) {
    if (name != text) continue;
    options.format = format;
    return {};
  }
  return Error(Code::kInvalid, std::string(text) + ": Invalid archive format");
}

Status SetSort(Options& options, std::string_view text) {
  constexpr Choice kOrders[] = {{"none", 0}, {"name", 1}, {"inode", 2}};
  PADDOCK_ASSIGN(const int order, FindChoice("--sort", text, kOrders, true));
  options.sort = static_cast<SortOrder>(order);
  return {};
}

Status SetQuoting(Options& options, std::string_view text) {
  constexpr Choice kStyles[] = {{"literal", static_cast<int>(QuotingStyle::kLiteral)}, {"shell", static_cast<int>(QuotingStyle::kShell)},
                                {"shell-always", static_cast<int>(QuotingStyle::kShellAlways)}, {"shell-escape", static_cast<int>(QuotingStyle::kShellEscape)},
                                {"shell-escape-always", static_cast<int>(QuotingStyle::kShellEscapeAlways)}, {"c", static_cast<int>(QuotingStyle::kC)},
                                {"c-maybe", static_cast<int>(QuotingStyle::kCMaybe)}, {"escape", static_cast<int>(QuotingStyle::kEscape)},
                                {"locale", static_cast<int>(QuotingStyle::kLocale)}, {"clocale", static_cast<int>(QuotingStyle::kCLocale)}};
  const auto style = FindChoice("--quoting-style", text, kStyles, true);
  if (!style) return Error(Code::kSyntax, "Unknown quoting style '" + std::string(text) + "'. Try '--quoting-style=help' to get a list.");
  options.quoting = static_cast<QuotingStyle>(*style);
  return {};
}

Status SetPaxOption(Options& options, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const size_t equals = one.find('=');
    const std::string key(one.substr(0, equals == std::string_view::npos ? equals : one[equals - (equals > 0)] == ':' ? equals - 1 : equals));
    const std::string value(equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1));
    if (key == "delete") {
      // Whole names only; patterns of keywords are rare.
      if (value == "[acg]time" || value == "*time") options.pax_without.insert(options.pax_without.end(), {"atime", "ctime"});
      if (value == "*time") options.pax_without.emplace_back("mtime");
      options.pax_without.push_back(value);
    } else if (key == "exthdr.name") {
      if (value.find('%') != std::string::npos) {
        if (value != "%d/PaxHeaders/%f") return Error(Code::kInvalid, "Pattern " + value + " cannot be used");
      } else {
        options.pax_name = value;
      }
    } else if (equals == std::string_view::npos) {
      return Error(Code::kInvalid, "Malformed pax option: " + key);
    } else {
      options.pax_records.emplace_back(key, value);
    }
  }
  return {};
}

Status SetWarning(Options& options, std::string_view text) {
  const std::string_view keyword = text.starts_with("no-") ? text.substr(3) : text == "none" ? "all" : text;
  // A beginning will do if no other begins so.
  const auto begins = [keyword](std::string_view known) { return known.starts_with(keyword); };
  const auto* const found = std::find(std::begin(kWarnings), std::end(kWarnings), keyword) != std::end(kWarnings)
                                ? std::find(std::begin(kWarnings), std::end(kWarnings), keyword)
                                : std::find_if(std::begin(kWarnings), std::end(kWarnings), begins);
  const bool is_ambiguous = found != std::end(kWarnings) && *found != keyword && std::count_if(std::begin(kWarnings), std::end(kWarnings), begins) > 1;
  if (found == std::end(kWarnings) || is_ambiguous) {
    std::string list;
    for (const std::string_view known : kWarnings) list += "\n  - " + Quote(known, options.is_utf8);
    return Error(Code::kInvalid, (is_ambiguous ? "ambiguous argument " : "invalid argument ") + Quote(keyword, options.is_utf8) + " for " + Quote("--warning", options.is_utf8) + "\nValid arguments are:" + list);
  }
  if (text != keyword) options.silenced.emplace(*found);
  else if (*found == "all") options.silenced.clear();
  else options.silenced.erase(std::string(*found));
  return {};
}

Status KeepAccessTime(Options& options, std::string_view text) {
  if (text.data() != nullptr && text != "replace" && text != "system") {
    return Error(Code::kSyntax, "invalid argument " + Quote(text, options.is_utf8) + " for " + Quote("--atime-preserve", options.is_utf8) + "\nValid arguments are:\n  - " + Quote("replace", options.is_utf8) + "\n  - " + Quote("system", options.is_utf8));
  }
  options.keeps_access_time = true;
  return {};
}

Status SetHoleDetection(Options& options, std::string_view text) {
  if (text != "raw" && text != "seek") {
    return Error(Code::kSyntax, "invalid argument " + Quote(text, options.is_utf8) + " for " + Quote("--hole-detection", options.is_utf8) + "\nValid arguments are:\n  - " + Quote("raw", options.is_utf8) + "\n  - " + Quote("seek", options.is_utf8));
  }
  options.sparse = true;
  options.hole_unit = text == "raw" ? codec::kTarBlock : 4096;
  return {};
}

Status SetLevel(Options& options, std::string_view text) {
  const auto level = ParseSizeBetween(text, 0, INT32_MAX, "");
  if (!level) return Error(Code::kInvalid, "Invalid incremental level value");
  options.starts_again = *level == 0;
  return {};
}

}  // namespace paddock::tar
