#include <algorithm>
#include <iterator>

#include "base/budget.h"
#include "base/stream.h"
#include "commands/text/grep_printer.h"
#include "text/utf8.h"

namespace paddock {

void ParseGrepColors(std::string_view text, GrepColors& colors) {
  const struct {
    std::string_view name;
    std::string* value;
  } kValues[] = {{"ms", &colors.selected_match}, {"mc", &colors.context_match},  {"sl", &colors.selected_line},
                 {"cx", &colors.context_line},   {"fn", &colors.file_name},      {"ln", &colors.line_number},
                 {"bn", &colors.byte_number},    {"se", &colors.separator}};
  while (!text.empty()) {
    const size_t colon = text.find(':');
    const std::string_view item = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    if (equals == std::string_view::npos) {
      if (name == "rv") colors.swaps_lines = true;
      if (name == "ne") colors.erases = false;
      continue;
    }
    const std::string_view value = item.substr(equals + 1);
    if (value.find_first_not_of("0123456789;") != std::string_view::npos) return;
    if (name == "mt") colors.selected_match = colors.context_match = value;
    for (const auto& known : kValues) {
      if (known.name == name) *known.value = value;
    }
  }
}

void GrepPrinter::Start(std::string_view color) {
  if (!settings_.colors || color.empty()) return;
  out_.Write("\33[");
  out_.Write(color);
  out_.Write(settings_.colors->erases ? "m\33[K" : "m");
}

void GrepPrinter::End(std::string_view color) {
  if (!settings_.colors || color.empty()) return;
  out_.Write(settings_.colors->erases ? "\33[m\33[K" : "\33[m");
}

void GrepPrinter::PrintSeparator(std::string_view separator) {
  const std::string_view color = settings_.colors ? settings_.colors->separator : std::string_view();
  Start(color);
  out_.Write(separator);
  End(color);
}

void GrepPrinter::PrintName(std::string_view file) {
  const std::string_view color = settings_.colors ? settings_.colors->file_name : std::string_view();
  Start(color);
  out_.Write(file);
  End(color);
}

void GrepPrinter::PrintNumber(uint64_t number, std::string_view color) {
  std::string digits = std::to_string(number);
  if (digits.size() < number_width_) digits.insert(0, number_width_ - digits.size(), ' ');
  Start(color);
  out_.Write(digits);
  End(color);
}

void GrepPrinter::PrintHead(std::string_view file, bool shows_name, const Line& line, uint64_t offset) {
  const std::string_view separator = line.is_selected ? ":" : "-";
  const GrepColors* colors = settings_.colors ? &*settings_.colors : nullptr;
  if (shows_name) {
    PrintName(file);
    if (settings_.null_after_name) {
      out_.Put('\0');
    } else {
      PrintSeparator(separator);
    }
  }
  if (settings_.line_number) {
    PrintNumber(line.number, colors == nullptr ? std::string_view() : colors->line_number);
    PrintSeparator(separator);
  }
  if (settings_.byte_offset) {
    PrintNumber(offset, colors == nullptr ? std::string_view() : colors->byte_number);
    PrintSeparator(separator);
  }
  const bool has_head = shows_name || settings_.line_number || settings_.byte_offset;
  if (settings_.initial_tab && has_head && !line.text.empty()) out_.Put('\t');
}

bool GrepPrinter::IsPrintable(std::string_view text) const {
  return settings_.binary == GrepSettings::Binary::kText || !settings_.is_utf8 || IsValidUtf8(text);
}

// -o: each match on a line of its own.
Result<bool> GrepPrinter::PrintMatches(std::string_view file, bool shows_name, const Line& line) {
  const std::string_view color = settings_.colors ? settings_.colors->selected_match : std::string_view();
  const RegexText kind = ExamineText(line.text);
  for (size_t at = 0; at < line.text.size();) {
    budget_.Step();
    PADDOCK_ASSIGN(const auto match, matcher_.FindInLine(line.text, kind, at, budget_));
    if (!match) break;
    if (match->begin == match->end) {
      at = match->end + (match->end < line.text.size() ? DecodeUtf8(line.text.substr(match->end)).length : 1);
      continue;
    }
    const std::string_view text = line.text.substr(match->begin, match->end - match->begin);
    if (!IsPrintable(text)) return false;
    PrintHead(file, shows_name, line, line.offset + match->begin);
    Start(color);
    out_.Write(text);
    End(color);
    out_.Put(settings_.delimiter);
    at = match->end;
  }
  return true;
}

Status GrepPrinter::PrintColored(const Line& line) {
  const GrepColors& colors = *settings_.colors;
  const bool is_selected_color = line.is_selected != (settings_.invert && colors.swaps_lines);
  const std::string_view line_color = is_selected_color ? colors.selected_line : colors.context_line;
  const std::string_view match_color = line.is_selected ? colors.selected_match : colors.context_match;
  // Selected lines have matches, or with -v the others.
  const bool has_matches = line.is_selected != settings_.invert;
  size_t printed = 0;
  const RegexText kind = ExamineText(line.text);
  for (size_t at = 0; has_matches && !match_color.empty() && at < line.text.size();) {
    budget_.Step();
    PADDOCK_ASSIGN(const auto match, matcher_.FindInLine(line.text, kind, at, budget_));
    if (!match || match->begin >= line.text.size()) break;
    if (match->begin == match->end) {
      at = match->end + DecodeUtf8(line.text.substr(match->end)).length;
      continue;
    }
    Start(line_color);
    out_.Write(line.text.substr(printed, match->begin - printed));
    Start(match_color);
    out_.Write(line.text.substr(match->begin, match->end - match->begin));
    End(match_color);
    printed = at = match->end;
  }
  const std::string_view rest = line.text.substr(printed);
  if (!rest.empty()) {
    Start(line_color);
    out_.Write(rest);
    End(line_color);
  }
  return {};
}

Result<bool> GrepPrinter::Print(std::string_view file, bool shows_name, const Line& line) {
  if (settings_.only_matching) {
    if (line.is_selected == settings_.invert) return true;
    return PrintMatches(file, shows_name, line);
  }
  if (!IsPrintable(line.text)) return false;
  PrintHead(file, shows_name, line, line.offset);
  if (settings_.colors) {
    PADDOCK_TRY(PrintColored(line));
  } else {
    out_.Write(line.text);
  }
  out_.Put(settings_.delimiter);
  if (settings_.line_buffered) out_.Flush();
  return true;
}

void GrepPrinter::PrintGroupSeparator() {
  if (!settings_.group_separator) return;
  PrintSeparator(*settings_.group_separator);
  out_.Put('\n');
}

void GrepPrinter::PrintCount(std::string_view file, bool shows_name, uint64_t count) {
  if (shows_name) {
    PrintName(file);
    if (settings_.null_after_name) {
      out_.Put('\0');
    } else {
      PrintSeparator(":");
    }
  }
  out_.WriteInt(static_cast<int64_t>(count));
  out_.Put('\n');
}

bool GrepPrinter::can_write() const { return static_cast<bool>(out_.status()); }

}  // namespace paddock
