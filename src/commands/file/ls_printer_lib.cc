#include "commands/file/ls_printer.h"

#include <algorithm>

#include "commands/file_facts.h"
#include "proc/kernel.h"
#include "text/date/time_format.h"
#include "text/utf8.h"

namespace paddock::ls {
namespace {

using vfs::FileType;

constexpr uint64_t kBlock = 512;
constexpr size_t kSmallestColumn = 3;

size_t ShownWidth(std::string_view text, bool is_utf8) {
  if (is_utf8) return TextWidth(text);
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

// Replaces what a terminal cannot show by question marks.
std::string HideControls(std::string_view text, bool is_utf8) {
  std::string shown;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80 || !is_utf8) {
      shown += byte >= 0x20 && byte < 0x7f ? text[i] : '?';
      ++i;
      continue;
    }
    const DecodedChar decoded = DecodeUtf8(text.substr(i));
    if (decoded.is_valid && CharWidth(decoded.code) >= 0) shown += text.substr(i, decoded.length);
    else shown += '?';
    i += decoded.length;
  }
  return shown;
}

// The path part of a file: URL.
std::string EscapeForUrl(std::string_view path) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string escaped;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '~' || c == '-' || c == '.' || c == '_' || c == '/';
    if (is_plain) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += '%';
      escaped += kHex[byte >> 4];
      escaped += kHex[byte & 15];
    }
  }
  return escaped;
}

bool IsDevice(const File& file) {
  return file.type == FileType::kCharDevice || file.type == FileType::kBlockDevice;
}

uint64_t Major(const File& file) { return file.attributes.special >> 8; }
uint64_t Minor(const File& file) { return file.attributes.special & 0xff; }

}  // namespace

Printer::Printer(Invocation& in, const Settings& settings, const Colors& colors)
    : in_(in), settings_(settings), colors_(colors), names_(in.fs, in.budget), zone_(LocalZone(in.env)),
      now_(Now(in.clock)) {
  if (settings.quoting == QuotingStyle::kEscape) also_quoted_ += ' ';
  if (settings.indicators == Indicators::kFileType) also_quoted_ += "*=>@|";
  if (settings.indicators == Indicators::kClassify) also_quoted_ += "=>@|";
  if (settings.layout == Layout::kLong) {
    unknown_time_width_ =
        FormatTime(settings.recent_time_format, zone_.ToLocal(0), {}, in.budget).size();
  }
}

void Printer::Put(std::string_view text) {
  in_.out.Write(text);
  position_ += text.size();
}

void Printer::PutPadded(std::string_view text, size_t width, bool left) {
  const size_t shown = ShownWidth(text, in_.locale.is_utf8);
  const std::string padding(width > shown ? width - shown : 0, ' ');
  if (!left) Put(padding);
  Put(text);
  if (left) Put(padding);
}

void Printer::PutField(std::string_view text, size_t width) {
  PutPadded(text, width);
  Put(" ");
}

void Printer::PutCode(std::string_view code) {
  if (!used_color_) {
    used_color_ = true;
    ResetColor();
  }
  Put(code);
}

void Printer::ResetColor() {
  if (!colors_.end().empty()) {
    PutCode(colors_.end());
    return;
  }
  PutCode(colors_.left());
  PutCode(colors_.reset());
  PutCode(colors_.right());
}

void Printer::SetNormalColor() {
  if (!settings_.shows_color || !colors_.HasCode("no")) return;
  PutCode(colors_.left());
  PutCode(colors_.normal());
  PutCode(colors_.right());
}

void Printer::Reset() {
  widths_ = {};
  total_blocks_ = 0;
  some_quoted_ = false;
}

bool Printer::AlignsQuotes() const {
  const bool has_lines = settings_.layout == Layout::kLong ||
                         ((settings_.layout == Layout::kColumns || settings_.layout == Layout::kAcross) &&
                          settings_.width != 0);
  return has_lines && (settings_.quoting == QuotingStyle::kShell ||
                       settings_.quoting == QuotingStyle::kShellEscape ||
                       settings_.quoting == QuotingStyle::kCMaybe);
}

std::string Printer::UserText(uint32_t uid) {
  return settings_.numeric_ids ? std::to_string(uid) : names_.UserText(uid);
}
std::string Printer::GroupText(uint32_t gid) {
  return settings_.numeric_ids ? std::to_string(gid) : names_.GroupText(gid);
}

std::string Printer::BlocksText(const File& file) const {
  return file.has_attributes ? settings_.block_size.Format(file.attributes.blocks * kBlock) : "?";
}

std::string Printer::InodeText(const File& file) const {
  return file.attributes.inode != 0 && !file.is_lost ? std::to_string(file.attributes.inode) : "?";
}

void Printer::Measure(File& file) {
  const auto grow = [](size_t& width, size_t size) { width = std::max(width, size); };
  if (AlignsQuotes()) {
    file.needs_quotes = ShownName(file.name, also_quoted_) != file.name;
    some_quoted_ = some_quoted_ || file.needs_quotes;
  }
  const bool is_long = settings_.layout == Layout::kLong;
  if (settings_.shows_inode) grow(widths_.inode, InodeText(file).size());
  if (settings_.shows_context) grow(widths_.context, 1);
  if (!file.has_attributes) return;
  const vfs::Attributes& a = file.attributes;
  if (is_long || settings_.shows_blocks) {
    total_blocks_ += a.blocks;
    grow(widths_.blocks, BlocksText(file).size());
  }
  if (!is_long) return;
  if (settings_.shows_owner) grow(widths_.owner, UserText(a.uid).size());
  if (settings_.shows_group) grow(widths_.group, GroupText(a.gid).size());
  if (settings_.shows_author) grow(widths_.author, UserText(a.uid).size());
  grow(widths_.links, std::to_string(a.links).size());
  if (IsDevice(file)) {
    grow(widths_.major, std::to_string(Major(file)).size());
    grow(widths_.minor, std::to_string(Minor(file)).size());
    grow(widths_.size, widths_.major + 2 + widths_.minor);
  } else {
    grow(widths_.size, settings_.file_size.Format(a.size).size());
  }
}

std::string Printer::ShownName(std::string_view name, std::string_view also_quoted) const {
  std::string shown = QuoteText(name, settings_.quoting, in_.locale.is_utf8, also_quoted);
  const bool may_hide = settings_.quoting == QuotingStyle::kLiteral ||
                        settings_.quoting == QuotingStyle::kShell ||
                        settings_.quoting == QuotingStyle::kShellAlways;
  return settings_.hides_controls && may_hide ? HideControls(shown, in_.locale.is_utf8) : shown;
}

size_t Printer::NameWidth(const File& file) const {
  const size_t pad = AlignsQuotes() && some_quoted_ && !file.needs_quotes ? 1 : 0;
  return ShownWidth(ShownName(file.name, also_quoted_), in_.locale.is_utf8) + pad;
}

void Printer::PutLinked(const std::string& shown, const std::string& path) {
  const auto absolute = in_.fs.Canonical(path, vfs::FileSystem::MustExist::kNone);
  // Quotes that line up with other names stay outside of the link.
  const bool splits = AlignsQuotes() && some_quoted_ && shown.size() > 1 &&
                      (shown.front() == '\'' || shown.front() == '"') && shown.front() == shown.back();
  std::string_view text = shown;
  if (splits) {
    Put(text.substr(0, 1));
    text = text.substr(1, text.size() - 2);
  }
  Put("\x1b]8;;file://" + EscapeForUrl(in_.kernel.hostname()) + EscapeForUrl(absolute ? *absolute : path) + "\a");
  Put(text);
  Put("\x1b]8;;\a");
  if (splits) Put(std::string_view(shown).substr(shown.size() - 1));
}

size_t Printer::PutName(const File& file, bool is_target, size_t column) {
  bool is_colored = false;
  const bool pads = !is_target && AlignsQuotes() && some_quoted_ && !file.needs_quotes;
  if (pads) Put(" ");
  if (settings_.shows_color) {
    if (const auto code = colors_.CodeFor(file, is_target)) {
      if (colors_.HasCode("no")) {
        PutCode(colors_.left());
        PutCode(colors_.right());
      }
      PutCode(colors_.left());
      PutCode(*code);
      PutCode(colors_.right());
      is_colored = true;
    }
    is_colored = is_colored || colors_.HasCode("no");
  }
  const std::string shown = ShownName(is_target ? file.target : file.name, also_quoted_);
  const uint64_t start = position_;
  if (settings_.shows_links && !is_target) PutLinked(shown, file.path);
  else Put(shown);
  if (settings_.is_dired && !is_target) {
    dired_.push_back(start);
    dired_.push_back(position_);
  }
  const size_t width = ShownWidth(shown, in_.locale.is_utf8) + (pads ? 1 : 0);
  if (is_colored) {
    ResetColor();
    const size_t length = shown.size() + (pads ? 1 : 0);
    if (settings_.width != 0 && length != 0 &&
        column / settings_.width != (column + length - 1) / settings_.width) {
      PutCode(colors_.clear_line());
    }
  }
  return width;
}

char Printer::IndicatorOf(const vfs::Attributes& attributes) const {
  const Indicators style = settings_.indicators;
  if (style == Indicators::kNone) return 0;
  if (attributes.type == FileType::kFile) {
    return style == Indicators::kClassify && (attributes.mode & 0111) != 0 ? '*' : 0;
  }
  if (attributes.is_directory()) return '/';
  if (style == Indicators::kSlash) return 0;
  switch (attributes.type) {
    case FileType::kSymlink: return '@';
    case FileType::kFifo: return '|';
    case FileType::kSocket: return '=';
    default: return 0;
  }
}

size_t Printer::PutIndicator(const File& file, bool is_target) {
  char mark = 0;
  if (is_target) {
    if (file.linked) mark = IndicatorOf(*file.linked);
  } else {
    vfs::Attributes attributes = file.attributes;
    attributes.type = file.type;
    mark = IndicatorOf(attributes);
  }
  if (mark == 0) return 0;
  Put(std::string_view(&mark, 1));
  return 1;
}

void Printer::PutEntry(const File& file, size_t column) {
  const bool is_aligned = settings_.layout != Layout::kCommas;
  SetNormalColor();
  if (settings_.shows_inode) PutField(InodeText(file), is_aligned ? widths_.inode : 0);
  if (settings_.shows_blocks) PutField(BlocksText(file), is_aligned ? widths_.blocks : 0);
  if (settings_.shows_context) PutField("?", is_aligned ? widths_.context : 0);
  PutName(file, false, column);
  PutIndicator(file, false);
}

size_t Printer::EntryWidth(const File& file) const {
  const bool is_aligned = settings_.layout != Layout::kCommas;
  size_t width = NameWidth(file);
  if (settings_.shows_inode) width += 1 + (is_aligned ? widths_.inode : InodeText(file).size());
  if (settings_.shows_blocks) width += 1 + (is_aligned ? widths_.blocks : BlocksText(file).size());
  if (settings_.shows_context) width += 2;
  vfs::Attributes attributes = file.attributes;
  attributes.type = file.type;
  return width + (IndicatorOf(attributes) != 0 ? 1 : 0);
}

void Printer::PutSize(const File& file) {
  if (!file.has_attributes) {
    PutPadded("?", widths_.size);
  } else if (IsDevice(file)) {
    const size_t blanks = widths_.size - std::min(widths_.size, widths_.major + 2 + widths_.minor);
    PutPadded(std::to_string(Major(file)), widths_.major + blanks);
    Put(", ");
    PutPadded(std::to_string(Minor(file)), widths_.minor);
  } else {
    PutPadded(settings_.file_size.Format(file.attributes.size), widths_.size);
  }
  Put(" ");
}

void Printer::PutTime(const File& file) {
  if (!file.has_attributes || settings_.time == TimeKind::kBirth) {
    PutPadded("?", unknown_time_width_);
    Put(" ");
    return;
  }
  const Nanoseconds time = settings_.time == TimeKind::kChange   ? file.attributes.change_time
                           : settings_.time == TimeKind::kAccess ? file.attributes.access_time
                                                                 : file.attributes.modify_time;
  const TimePoint when = ToTimePoint(time);
  if (when > now_) now_ = Now(in_.clock);
  constexpr int64_t kHalfYear = 31556952 / 2;
  const TimePoint half_year_ago{now_.seconds - kHalfYear, now_.nanos};
  const bool is_recent = half_year_ago < when && when < now_;
  Put(FormatTime(is_recent ? settings_.recent_time_format : settings_.old_time_format,
                 zone_.ToLocal(when.seconds), when, in_.budget));
  Put(" ");
}

void Printer::PrintLong(const File& file) {
  SetNormalColor();
  const uint64_t line_start = position_;
  if (settings_.is_dired) Put("  ");
  if (settings_.shows_inode) PutField(InodeText(file), widths_.inode);
  if (settings_.shows_blocks) PutField(BlocksText(file), widths_.blocks);
  const vfs::Attributes& a = file.attributes;
  const bool known = file.has_attributes;
  Put(known ? ModeText(a) : std::string(1, TypeLetter(file.type)) + "?????????");
  Put(" ");
  PutPadded(known ? std::to_string(a.links) : "?", widths_.links);
  Put(" ");
  const auto put_id = [&](const std::string& text, size_t width) {
    const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
    PutPadded(text, width, !is_number);
    Put(" ");
  };
  if (settings_.shows_owner) put_id(known ? UserText(a.uid) : "?", widths_.owner);
  if (settings_.shows_group) put_id(known ? GroupText(a.gid) : "?", widths_.group);
  if (settings_.shows_author) put_id(known ? UserText(a.uid) : "?", widths_.author);
  if (settings_.shows_context) put_id("?", widths_.context);
  PutSize(file);
  PutTime(file);
  const size_t column = position_ - line_start;
  const size_t width = PutName(file, false, column);
  if (file.type == FileType::kSymlink) {
    if (!file.target.empty()) {
      Put(" -> ");
      PutName(file, true, column + width + 4);
      PutIndicator(file, true);
    }
  } else {
    PutIndicator(file, false);
  }
}

void Printer::Heading(const std::string& directory, bool is_first) {
  if (!is_first) Put("\n");
  if (settings_.is_dired) Put("  ");
  const std::string shown = ShownName(directory, ":");
  const uint64_t start = position_;
  if (settings_.shows_links) PutLinked(shown, directory);
  else Put(shown);
  if (settings_.is_dired) {
    sub_dired_.push_back(start);
    sub_dired_.push_back(position_);
  }
  Put(":\n");
}

void Printer::Total() {
  if (settings_.is_dired) Put("  ");
  Put("total " + settings_.block_size.Format(total_blocks_ * kBlock));
  Put(std::string_view(&settings_.end_of_line, 1));
}

void Printer::Print(const std::vector<File>& files) {
  const std::string_view end(&settings_.end_of_line, 1);
  switch (settings_.layout) {
    case Layout::kLong:
      for (const File& file : files) {
        in_.budget.Step();
        PrintLong(file);
        Put(end);
      }
      break;
    case Layout::kOnePerLine:
      for (const File& file : files) {
        in_.budget.Step();
        PutEntry(file, 0);
        Put(end);
      }
      break;
    case Layout::kColumns:
    case Layout::kAcross:
      if (settings_.width == 0) PrintSeparated(files, ' ');
      else PrintColumns(files, settings_.layout == Layout::kColumns);
      break;
    case Layout::kCommas: PrintSeparated(files, ','); break;
  }
}

void Printer::PrintSeparated(const std::vector<File>& files, char separator) {
  size_t column = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    in_.budget.Step();
    const size_t width = settings_.width != 0 ? EntryWidth(files[i]) : 0;
    if (i > 0) {
      const bool fits = settings_.width == 0 || column + width + 2 < settings_.width;
      column = fits ? column + 2 : 0;
      const char gap[2] = {separator, fits ? ' ' : settings_.end_of_line};
      Put(std::string_view(gap, 2));
    }
    PutEntry(files[i], column);
    column += width;
  }
  if (!files.empty()) Put(std::string_view(&settings_.end_of_line, 1));
}

// The widths of as many columns as fit into a line.
std::vector<size_t> Printer::FitColumns(const std::vector<File>& files, bool by_columns) const {
  const size_t most = settings_.width / kSmallestColumn + (settings_.width % kSmallestColumn != 0 ? 1 : 0);
  std::vector<size_t> lengths;
  lengths.reserve(files.size());
  for (const File& file : files) lengths.push_back(EntryWidth(file));
  std::vector<size_t> widths;
  for (size_t count = std::max<size_t>(std::min(most, files.size()), 1); count >= 1; --count) {
    widths.assign(count, kSmallestColumn);
    size_t line = count * kSmallestColumn;
    const size_t rows = (files.size() + count - 1) / count;
    bool fits = true;
    for (size_t i = 0; i < lengths.size() && fits; ++i) {
      const size_t column = by_columns ? i / rows : i % count;
      const size_t wanted = lengths[i] + (column == count - 1 ? 0 : 2);
      if (widths[column] < wanted) {
        line += wanted - widths[column];
        widths[column] = wanted;
        fits = line < settings_.width;
      }
      if (i % 64 == 0) in_.budget.Step();
    }
    if (fits || count == 1) break;
  }
  return widths;
}

void Printer::Indent(size_t from, size_t to) {
  while (from < to) {
    if (settings_.tab_size != 0 && to / settings_.tab_size > (from + 1) / settings_.tab_size) {
      Put("\t");
      from += settings_.tab_size - from % settings_.tab_size;
    } else {
      Put(" ");
      ++from;
    }
  }
}

void Printer::PrintColumns(const std::vector<File>& files, bool by_columns) {
  if (files.empty()) return;
  const std::vector<size_t> widths = FitColumns(files, by_columns);
  const size_t count = widths.size();
  const size_t rows = (files.size() + count - 1) / count;
  const std::string_view end(&settings_.end_of_line, 1);
  for (size_t row = 0; row < rows; ++row) {
    size_t position = 0;
    for (size_t column = 0; column < count; ++column) {
      const size_t index = by_columns ? column * rows + row : row * count + column;
      if (index >= files.size()) break;
      in_.budget.Step();
      PutEntry(files[index], position);
      const size_t next = by_columns ? index + rows : index + 1;
      const bool is_last = next >= files.size() || column + 1 == count;
      if (is_last) break;
      Indent(position + EntryWidth(files[index]), position + widths[column]);
      position += widths[column];
    }
    Put(end);
  }
}

void Printer::Finish() {
  if (settings_.is_dired) {
    const auto list = [this](const char* title, const std::vector<uint64_t>& positions) {
      if (positions.empty()) return;
      Put(title);
      for (const uint64_t position : positions) Put(" " + std::to_string(position));
      Put("\n");
    };
    list("//DIRED//", dired_);
    list("//SUBDIRED//", sub_dired_);
    Put("//DIRED-OPTIONS// --quoting-style=literal\n");
  }
  if (used_color_ && !(colors_.left() == "\x1b[" && colors_.right() == "m")) {
    PutCode(colors_.left());
    PutCode(colors_.right());
  }
}

}  // namespace paddock::ls
