#include <charconv>
#include <cstdio>

#include "commands/file/find.h"
#include "text/date/time_format.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock::find {
namespace {

using vfs::Follow;

// One piece of a -printf format: plain text or a directive with its flags.
struct Piece {
  std::string text;
  char directive = 0;   // 0: text alone
  char time_letter = 0;
  std::string flags;
  size_t width = 0;
  std::optional<size_t> precision;
  bool flushes = false;   // \c: ends the format
};

bool HasFlag(const Piece& piece, char flag) { return piece.flags.find(flag) != std::string::npos; }

std::string Pad(const Piece& piece, std::string value, bool is_number) {
  if (is_number) {
    if (piece.precision && value.size() < *piece.precision) value.insert(0, *piece.precision - value.size(), '0');
    if (HasFlag(piece, '+')) value.insert(0, 1, '+');
    else if (HasFlag(piece, ' ')) value.insert(0, 1, ' ');
  } else if (piece.precision) {
    value = value.substr(0, *piece.precision);
  }
  if (value.size() >= piece.width) return value;
  const size_t missing = piece.width - value.size();
  if (HasFlag(piece, '-')) return value.append(missing, ' ');
  const bool zeros = is_number && HasFlag(piece, '0') && !piece.precision;
  return value.insert(0, missing, zeros ? '0' : ' ');
}

std::string Nanos10(const TimePoint& moment) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, ".%09d0", moment.nanos);
  return buffer;
}

std::string TimeText(Context& context, Nanoseconds time, char letter) {
  const TimePoint moment = ToTimePoint(time);
  if (letter == '@') return std::to_string(moment.seconds) + Nanos10(moment);
  const CalendarTime local = context.zone.ToLocal(moment.seconds);
  const auto format = [&](std::string_view text) {
    return FormatTime(text, local, moment, context.in.budget, TimeDialect::kLibc);
  };
  switch (letter) {
    case '+': return format("%Y-%m-%d+%H:%M:%S") + Nanos10(moment);
    case 'S': return format("%S") + Nanos10(moment);
    case 'T':
    case 'X': return format("%H:%M:%S") + Nanos10(moment);
    default: return format(std::string("%") + letter);
  }
}

std::string ClassicTime(Context& context, Nanoseconds time) {
  const TimePoint moment = ToTimePoint(time);
  const CalendarTime local = context.zone.ToLocal(moment.seconds);
  const auto format = [&](std::string_view text) {
    return FormatTime(text, local, moment, context.in.budget, TimeDialect::kLibc);
  };
  return format("%a %b %e %H:%M:%S") + Nanos10(moment) + format(" %Y");
}

std::string DirectoryPart(const File& file) {
  const size_t slash = file.path.find_last_of('/');
  if (file.depth == 0) {
    // Trailing slashes belong to the name.
    const size_t last = file.path.find_last_not_of('/');
    if (last == std::string::npos) return "";
    const size_t before = file.path.find_last_of('/', last);
    if (before == std::string::npos) return slash == std::string::npos ? "." : file.path.substr(0, last + 1);
    return file.path.substr(0, before);
  }
  return slash == std::string::npos ? "." : file.path.substr(0, slash);
}

std::string RelativePart(const File& file) {
  if (file.depth == 0) return "";
  std::string_view rest = std::string_view(file.path).substr(file.start_length);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  return std::string(rest);
}

std::string TargetType(Context& context, const File& file) {
  const char letter = TypeLetter(file.attributes.type);
  if (!file.attributes.is_symlink()) return std::string(1, letter == '-' ? 'f' : letter);
  const auto found = context.in.fs.Stat(file.path, Follow::kYes);
  if (!found) return found.error().code == Code::kLoop ? "L" : found.error().code == Code::kNoEntry || found.error().code == Code::kNotDirectory ? "N" : "?";
  const char target = TypeLetter(found->type);
  return std::string(1, target == '-' ? 'f' : target);
}

std::string Sparseness(const vfs::Attributes& attributes) {
  double value = 1.0;
  if (attributes.size != 0) {
    value = 512.0 * static_cast<double>(attributes.blocks) / static_cast<double>(attributes.size);
  } else if (attributes.blocks != 0) {
    return "inf";
  }
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

std::string Octal(uint32_t mode) {
  char buffer[16];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, mode, 8);
  return std::string(buffer, error == std::errc() ? end : buffer);
}

std::string Expand(Context& context, const Piece& piece, const File& file, bool* is_number) {
  const vfs::Attributes& a = file.attributes;
  switch (piece.directive) {
    case 'a': return ClassicTime(context, a.access_time);
    case 'c': return ClassicTime(context, a.change_time);
    case 't': return ClassicTime(context, a.modify_time);
    case 'A': return TimeText(context, a.access_time, piece.time_letter);
    case 'C': return TimeText(context, a.change_time, piece.time_letter);
    case 'T': return TimeText(context, a.modify_time, piece.time_letter);
    case 'B': return "";
    case 'b': return std::to_string(a.blocks);
    case 'k': return std::to_string((a.blocks + 1) / 2);
    case 'd': *is_number = true; return std::to_string(file.depth);
    case 'D': return std::to_string(a.device);
    case 'f': return std::string(NameOf(file));
    case 'F': {
      const auto space = context.in.fs.Space(file.path);
      return space ? space->type : "unknown";
    }
    case 'g': return context.names.GroupText(a.gid);
    case 'G': return std::to_string(a.gid);
    case 'u': return context.names.UserText(a.uid);
    case 'U': return std::to_string(a.uid);
    case 'h': return DirectoryPart(file);
    case 'H': return file.path.substr(0, file.start_length);
    case 'i': return std::to_string(a.inode);
    case 'l': {
      if (!a.is_symlink()) return "";
      auto target = context.in.fs.ReadLink(file.path);
      return target ? *target : "";
    }
    case 'm': *is_number = true; return (HasFlag(piece, '#') && a.mode != 0 ? "0" : "") + Octal(a.mode);
    case 'M': return ModeText(a);
    case 'n': return std::to_string(a.links);
    case 'p': return file.path;
    case 'P': return RelativePart(file);
    case 's': return std::to_string(a.size);
    case 'S': return Sparseness(a);
    case 'y': return std::string(1, TypeLetter(a.type) == '-' ? 'f' : TypeLetter(a.type));
    case 'Y': return TargetType(context, file);
    default: return "";
  }
}

constexpr std::string_view kDirectives = "abcdDfFgGhHiklmMnpPsStuUyY";
constexpr std::string_view kTimeLetters = "@+aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ";
constexpr size_t kWidest = 1 << 20;

class FormatParser {
 public:
  FormatParser(Context& context, std::string_view text) : context_(context), text_(text) {}

  std::optional<std::vector<Piece>> Parse() {
    while (at_ < text_.size()) {
      context_.in.budget.Step();
      const char c = text_[at_++];
      if (c == '\\') {
        if (!Escape()) return std::move(pieces_);
      } else if (c == '%') {
        if (!Directive()) return std::nullopt;
      } else {
        Text() += c;
      }
    }
    return std::move(pieces_);
  }

 private:
  std::string& Text() {
    if (pieces_.empty() || pieces_.back().directive != 0) pieces_.emplace_back();
    return pieces_.back().text;
  }
  void Warn(const std::string& message) { context_.in.Fail("warning: " + message); }

  // False after \c.
  bool Escape() {
    if (at_ >= text_.size()) {
      Warn("escape `\\' followed by nothing at all");
      Text() += '\\';
      return true;
    }
    const char c = text_[at_++];
    static constexpr std::string_view kLetters = "abfnrtv\\";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\";
    if (const size_t found = kLetters.find(c); found != std::string_view::npos) {
      Text() += kBytes[found];
    } else if (c >= '0' && c <= '7') {
      int value = c - '0';
      for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i) {
        value = value * 8 + (text_[at_++] - '0');
      }
      Text() += static_cast<char>(value);
    } else if (c == 'c') {
      Text();
      pieces_.back().flushes = true;
      return false;
    } else {
      Warn(std::string("unrecognized escape `\\") + c + "'");
      Text() += '\\';
      Text() += c;
    }
    return true;
  }

  size_t Digits() {
    size_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = std::min(value * 10 + static_cast<size_t>(text_[at_++] - '0'), kWidest);
    }
    return value;
  }

  // False after a complaint.
  bool Directive() {
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '%') {
      Text() += '%';
      ++at_;
      return true;
    }
    Piece piece;
    while (at_ < text_.size() && std::string_view("-+ #0").find(text_[at_]) != std::string_view::npos) piece.flags += text_[at_++];
    piece.width = Digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      piece.precision = Digits();
    }
    if (at_ >= text_.size()) {
      context_.in.Fail("error: % at end of format string");
      return false;
    }
    const char c = text_[at_++];
    const std::string whole = "%" + std::string(text_.substr(begin, at_ - begin));
    if (c == 'A' || c == 'B' || c == 'C' || c == 'T') {
      if (at_ >= text_.size()) {
        Warn("format directive `" + whole + "' should be followed by another character");
        Text() += whole;
        return true;
      }
      if (kTimeLetters.find(text_[at_]) == std::string_view::npos) {
        Text() += whole;
        return true;
      }
      piece.time_letter = text_[at_++];
    } else if (c == 'Z') {
      context_.in.Fail("warning: format directive `%Z': SELinux is not enabled");
      return true;
    } else if (kDirectives.find(c) == std::string_view::npos) {
      Warn("unrecognized format directive `" + whole + "'");
      Text() += whole;
      return true;
    }
    piece.directive = c;
    context_.in.budget.WillAllocate(piece.width);
    pieces_.push_back(std::move(piece));
    return true;
  }

  Context& context_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<Piece> pieces_;
};

std::string RightAligned(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}
std::string LeftAligned(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::optional<std::function<void(Context&, Output&, const File&)>> CompileFormat(Context& context, std::string_view format) {
  auto pieces = FormatParser(context, format).Parse();
  if (!pieces) return std::nullopt;
  return [pieces = std::move(*pieces)](Context& running, Output& out, const File& file) {
    for (const Piece& piece : pieces) {
      if (piece.directive == 0) {
        out.Write(piece.text);
        if (piece.flushes) out.Flush();
        continue;
      }
      bool is_number = false;
      std::string value = Expand(running, piece, file, &is_number);
      out.Write(Pad(piece, std::move(value), is_number));
    }
  };
}

void WriteListing(Context& context, Output& out, const File& file) {
  const vfs::Attributes& a = file.attributes;
  const TimePoint time = ToTimePoint(a.modify_time);
  constexpr int64_t kHalfYear = 31556952 / 2;
  const bool is_recent = time.seconds > context.now.seconds - kHalfYear && time.seconds <= context.now.seconds + 3600;
  const std::string date = FormatTime(is_recent ? "%b %e %H:%M" : "%b %e  %Y", context.zone.ToLocal(time.seconds), time,
                                      context.in.budget, TimeDialect::kLibc);
  const auto escape = [&](std::string_view text) {
    return QuoteText(text, QuotingStyle::kEscape, context.in.locale.is_utf8, " ");
  };
  std::string size = std::to_string(a.size);
  if (a.type == vfs::FileType::kCharDevice || a.type == vfs::FileType::kBlockDevice) {
    size = RightAligned(std::to_string(a.special >> 8), 3) + ", " + RightAligned(std::to_string(a.special & 0xFF), 3);
  }
  std::string line = RightAligned(std::to_string(a.inode), 9) + " " + RightAligned(std::to_string((a.blocks + 1) / 2), 6) + " " +
                     ModeText(a) + " " + RightAligned(std::to_string(a.links), 3) + " " +
                     LeftAligned(context.names.UserText(a.uid), 8) + " " + LeftAligned(context.names.GroupText(a.gid), 8) + " " +
                     RightAligned(size, 8) + " " + date + " " + escape(file.path);
  if (a.is_symlink()) {
    if (const auto target = context.in.fs.ReadLink(file.path)) line += " -> " + escape(*target);
  }
  out.WriteLine(line);
}

}  // namespace paddock::find
