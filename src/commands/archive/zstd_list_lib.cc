#include "commands/archive/zstd_files.h"

#include <bit>
#include <cstdio>

#include "commands/file_facts.h"

namespace paddock::zstd {
namespace {

// "  3.80 KiB" without the padding: a number and its unit.
struct Human {
  double value;
  int precision;
  const char* unit;
};
Human HumanOf(uint64_t size) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  const int unit = size < 1024 ? 0 : static_cast<int>(std::bit_width(size) - 1) / 10;
  const double value = static_cast<double>(size) / static_cast<double>(uint64_t{1} << (10 * unit));
  const int precision = value >= 100 || static_cast<double>(size) == value ? 0 : value >= 10 ? 1 : value > 1 ? 2 : 3;
  return {value, precision, kUnits[unit]};
}

}  // namespace

std::string HumanText(uint64_t size, int width) {
  const Human human = HumanOf(size);
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f%s", width, human.precision, human.value, human.unit);
  return text;
}

std::string Column(uint64_t size, int width) {
  const Human human = HumanOf(size);
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f%4s", width, human.precision, human.value, human.unit);
  return text;
}

ExitStatus FileWork::List(const std::vector<std::string>& names) {
  if (names.empty()) {
    if (!IsTerminal(in_, 0)) Say(1, "zstd: --list does not support reading from standard input \n");
    Say(1, "No files given \n");
    return 1;
  }
  for (const std::string& name : names) {
    const auto found = in_.fs.Stat(name);
    if (found && found->is_file()) continue;
    Fail("Error : " + name + " is not a file ");
  }
  const bool is_table = o_.shown < 3;
  if (is_table) in_.out.Write("Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
  for (const std::string& name : names) ListOne(name, is_table);
  if (names.size() > 1 && is_table) in_.out.Write("----------------------------------------------------------------- \n" + Row(total_info_, std::to_string(listed_) + " files"));
  return status_;
}

void FileWork::ListOne(const std::string& name, bool is_table) {
  const auto found = in_.fs.Stat(name);
  if (!found || !found->is_file()) return;
  auto file = in_.fs.Open(name, vfs::OpenFlags::Read());
  if (!file) {
    Fail("Error : could not open source file " + name + " ");
    return;
  }
  const auto read = [&](uint64_t offset, size_t count) -> Result<std::string> {
    std::string text;
    PADDOCK_ASSIGN(const uint64_t place, (*file)->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
    static_cast<void>(place);
    while (text.size() < count) {
      PADDOCK_ASSIGN(const Block block, (*file)->ReadBlock(count - text.size()));
      if (block.bytes.empty()) break;
      text += block.bytes;
    }
    return text;
  };
  const auto info = codec::ReadZstdInfo(found->size, read, &in_.budget);
  if (!info) {
    in_.out.Flush();
    const bool is_short = info.error().Text() == "reached end of file with incomplete frame";
    if (info.error().code == Code::kCorrupt) Fail("Error: " + std::string(info.error().Text()) + " ");
    if (info.error().code == Code::kSyntax || is_short) in_.out.Write("File \"" + name + "\" not compressed by zstd \n");
    else Fail("Error while parsing \"" + name + "\" ");
    status_ = 1;
    return;
  }
  in_.out.Write(is_table ? Row(*info, name) : Details(*info, name));
  ++listed_;
  if (listed_ == 1) total_info_.has_check = true;
  total_info_.frames += info->frames;
  total_info_.skippable += info->skippable;
  total_info_.packed += info->packed;
  total_info_.plain += info->plain;
  total_info_.knows_plain = total_info_.knows_plain && info->knows_plain;
  total_info_.has_check = total_info_.has_check && info->has_check;
}

std::string FileWork::Row(const codec::ZstdInfo& info, const std::string& name) const {
  char head[48], ratio[48];
  std::snprintf(head, sizeof head, "%6llu  %5llu  ", static_cast<unsigned long long>(info.frames), static_cast<unsigned long long>(info.skippable));
  std::snprintf(ratio, sizeof ratio, "  %5.3f  ", RatioOf(info));
  const bool is_total = &info == &total_info_;
  const std::string check = is_total && listed_ == 0 ? "XXH64" : info.has_check ? "XXH64" : is_total ? "     " : " None";
  return head + Column(info.packed, 6) + (info.knows_plain ? "  " + Column(info.plain, 8) + ratio : std::string(23, ' ')) + check + "  " + name + "\n";
}

std::string FileWork::Details(const codec::ZstdInfo& info, const std::string& name) {
  const auto size = [](uint64_t value) { return HumanText(value, 0) + " (" + std::to_string(value) + " B)\n"; };
  std::string text = name + " \n# Zstandard Frames: " + std::to_string(info.frames - info.skippable) + "\n";
  if (info.skippable > 0) text += "# Skippable Frames: " + std::to_string(info.skippable) + "\n";
  text += "DictID: " + std::to_string(info.dictionary) + "\nWindow Size: " + size(info.window) + "Compressed Size: " + size(info.packed);
  if (info.knows_plain) {
    char ratio[48];
    std::snprintf(ratio, sizeof ratio, "Ratio: %.4f\n", RatioOf(info));
    text += "Decompressed Size: " + size(info.plain) + ratio;
  }
  const bool is_one = info.frames - info.skippable == 1;
  return text + "Check: " + (info.has_check ? "XXH64" + (is_one ? " " + info.check : "") : "None") + "\n\n";
}

}  // namespace paddock::zstd
