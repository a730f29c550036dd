#include "commands/file/tree_facts.h"

#include <cmath>

#include "commands/file_facts.h"
#include "text/date/time_format.h"

namespace paddock::tree {
namespace {

std::string PadLeft(std::string text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string PadRight(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

}  // namespace

Facts::Facts(Invocation& in, const PrintSettings& settings)
    : s_(settings), in_(in), names_(in.fs, in.budget), zone_(LocalZone(in.env)), now_(Now(in.clock)) {}

std::string Facts::User(const Node& node) { return names_.UserText(node.attributes.uid); }
std::string Facts::Group(const Node& node) { return names_.GroupText(node.attributes.gid); }

std::string Facts::Size(uint64_t size) const {
  if (!s_.human) return PadLeft(std::to_string(size), 11);
  const uint64_t base = s_.si ? 1000 : 1024;
  if (size < base) return PadLeft(std::to_string(size), 4);
  size_t unit = 0;
  for (; size >= base * base; size /= base) ++unit;
  const double value = static_cast<double>(static_cast<float>(size) / static_cast<float>(base));
  const std::string_view letters = s_.si ? "kMGTPEZY" : "KMGTPEZY";
  // Halves go to the even neighbour, as printf rounds.
  if (value >= 10.0) return PadLeft(std::to_string(std::llrint(value)) + letters[unit], 4);
  const auto tenths = std::llrint(value * 10);
  return PadLeft(std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + letters[unit], 4);
}

std::string Facts::Date(const Node& node) const {
  const vfs::Attributes& a = node.attributes;
  const TimePoint moment = ToTimePoint(s_.changed_time ? a.change_time : a.modify_time);
  constexpr int64_t kHalfYear = 6 * 31 * 24 * 60 * 60;
  const bool is_recent = moment.seconds <= now_.seconds && moment.seconds + kHalfYear >= now_.seconds;
  const std::string format = !s_.time_format.empty() ? s_.time_format : is_recent ? "%b %e %H:%M" : "%b %e  %Y";
  return FormatTime(format, zone_.ToLocal(moment.seconds), moment, in_.budget);
}

std::string Facts::Bracket(const Node& node) {
  std::string text;
  const vfs::Attributes& a = node.attributes;
  if (s_.inode) text += " " + PadLeft(std::to_string(a.inode), 7);
  if (s_.device) text += " " + PadLeft(std::to_string(a.device), 3);
  if (s_.mode) text += " " + ModeText(a);
  if (s_.user) text += " " + PadRight(User(node).substr(0, 32), 8);
  if (s_.group) text += " " + PadRight(Group(node).substr(0, 32), 8);
  if (s_.size) text += " " + Size(node.size);
  if (s_.date) text += " " + Date(node);
  if (text.empty()) return text;
  text[0] = '[';
  return text + "]  ";
}

std::string Facts::Report(const Totals& totals) const {
  std::string text = s_.sums_sizes ? " " + Size(totals.size) + (s_.human ? "" : " bytes") + " used in " : "";
  text += std::to_string(totals.directories) + (totals.directories == 1 ? " directory" : " directories");
  if (!s_.only_directories) text += ", " + std::to_string(totals.files) + (totals.files == 1 ? " file" : " files");
  return text;
}

const char* TypeName(const Node& node) {
  switch (node.attributes.type) {
    case vfs::FileType::kFile: return "file";
    case vfs::FileType::kDirectory: return "directory";
    case vfs::FileType::kSymlink: return "link";
    case vfs::FileType::kFifo: return "fifo";
    case vfs::FileType::kCharDevice: return "char";
    case vfs::FileType::kBlockDevice: return "block";
    case vfs::FileType::kSocket: return "socket";
  }
  return "unknown";
}

std::string JoinedComment(const Node& node) {
  std::string text;
  for (const std::string& line : node.comment) text += (&line == &node.comment.front() ? "" : "\n") + line;
  return text;
}

std::string EscapedMarkup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

const Marks& MarksOf(Lines lines) {
  static constexpr Marks kMarks[] = {{"\u2502\u00a0\u00a0 ", "\u251c\u2500\u2500 ", "\u2514\u2500\u2500 "},
                                     {"|   ", "|-- ", "`-- "},
                                     {"x   ", "tqq ", "mqq "},
                                     {"\xb3   ", "\xc3\xc4\xc4 ", "\xc0\xc4\xc4 "}};
  return kMarks[static_cast<size_t>(lines)];
}

}  // namespace paddock::tree
