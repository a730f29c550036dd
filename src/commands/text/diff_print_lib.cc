#include <algorithm>

#include "base/budget.h"
#include "commands/text/diff_print.h"

namespace paddock {
namespace {

constexpr std::string_view kMissingNewline = "\\ No newline at end of file\n";

std::string_view Escape(const DiffColors& colors, int color) {
  switch (color) {
    case 1: return colors.header;
    case 2: return colors.added;
    case 3: return colors.deleted;
    case 4: return colors.line_numbers;
    default: return colors.reset;
  }
}

}  // namespace

void DiffPrinter::Print() {
  switch (layout_.style) {
    case DiffStyle::kNormal: return PrintNormal();
    case DiffStyle::kContext: return PrintContext();
    case DiffStyle::kUnified: return PrintUnified();
    case DiffStyle::kEd: return PrintEd();
    case DiffStyle::kForwardEd: return PrintForwardEd();
    case DiffStyle::kRcs: return PrintRcs();
    case DiffStyle::kIfdef: return PrintIfdef(pair_, layout_, out_);
    case DiffStyle::kSideBySide: return PrintSideBySide(pair_, layout_, out_);
  }
}

void DiffPrinter::Begin(Color color) {
  if (!layout_.colors.is_enabled || color == Color::kNone) return;
  out_.Write("\033[");
  out_.Write(Escape(layout_.colors, static_cast<int>(color)));
  out_.Put('m');
}

void DiffPrinter::End(Color color) {
  if (!layout_.colors.is_enabled || color == Color::kNone) return;
  out_.Write("\033[");
  out_.Write(layout_.colors.reset);
  out_.Put('m');
}

void WriteExpanded(Output& out, std::string_view text, std::string_view flag, size_t tab_size) {
  size_t column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\t') {
      const size_t spaces = tab_size - column % tab_size;
      column += spaces;
      for (size_t k = 0; k < spaces; ++k) out.Put(' ');
    } else if (c == '\r') {
      out.Put(c);
      if (i + 1 < text.size()) out.Write(flag);
      column = 0;
    } else if (c == '\b') {
      if (column == 0) continue;
      --column;
      out.Put(c);
    } else {
      column += c >= ' ' && c <= '~' ? 1 : 0;
      out.Put(c);
    }
  }
}

void DiffPrinter::WriteText(std::string_view text, std::string_view flag) {
  if (layout_.expand_tabs) WriteExpanded(out_, text, flag, layout_.tab_size);
  else out_.Write(text);
}

void DiffPrinter::WriteLine(size_t file, size_t line, std::string_view flag, Color color) {
  const DiffText& text = pair_.text(file);
  pair_.budget().Step();
  Begin(color);
  const std::string_view content = text.line(line);
  std::string lead(flag);
  const bool is_plain_blank = layout_.suppress_blank_empty && content.empty() && text.is_terminated(line);
  if (is_plain_blank) {
    if (lead == " ") lead.clear();
  } else if (!lead.empty()) {
    lead += layout_.initial_tab ? '\t' : ' ';
  }
  out_.Write(lead);
  WriteText(content, lead);
  End(color);
  out_.Put('\n');
  if (!text.is_terminated(line)) out_.Write(kMissingNewline);
}

// A range of lines counted from 1: "3,5", "3", or for no lines the one before.
void DiffPrinter::WriteRange(char separator, size_t first, size_t last) {
  if (last > first + 1) {
    out_.WriteInt(static_cast<int64_t>(first + 1));
    out_.Put(separator);
  }
  out_.WriteInt(static_cast<int64_t>(last));
}

void DiffPrinter::PrintNormal() {
  for (const DiffEdit& edit : pair_.edits()) {
    const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
    if (hunk.change == DiffChange::kNone) continue;
    Begin(Color::kLineNumbers);
    WriteRange(',', hunk.first[0], hunk.last[0]);
    out_.Put(hunk.change == DiffChange::kBoth ? 'c' : hunk.change == DiffChange::kOld ? 'd' : 'a');
    WriteRange(',', hunk.first[1], hunk.last[1]);
    End(Color::kLineNumbers);
    out_.Put('\n');
    for (size_t i = hunk.first[0]; i < hunk.last[0]; ++i) WriteLine(0, i, "<", Color::kDeleted);
    if (hunk.change == DiffChange::kBoth) out_.Write("---\n");
    for (size_t i = hunk.first[1]; i < hunk.last[1]; ++i) WriteLine(1, i, ">", Color::kAdded);
  }
}

// Lines that an ed script inserts, up to the closing dot. A line that is a dot itself is sent with a second
// one, which a substitution then takes away.
void DiffPrinter::WriteInserted(size_t first, size_t last) {
  bool is_inserting = true;
  for (size_t i = first; i < last; ++i) {
    if (!is_inserting) out_.Write("a\n");
    is_inserting = true;
    const std::string_view line = pair_.text(1).line(i);
    if (line == ".") {
      out_.Write("..\n.\ns/.//\n");
      is_inserting = false;
      continue;
    }
    WriteText(line, "");
    out_.Put('\n');
  }
  if (is_inserting) out_.Write(".\n");
}

void DiffPrinter::PrintEd() {
  const auto& edits = pair_.edits();
  for (size_t i = edits.size(); i-- > 0;) {
    const DiffHunk hunk = pair_.MakeHunk(&edits[i], &edits[i] + 1);
    if (hunk.change == DiffChange::kNone) continue;
    WriteRange(',', hunk.first[0], hunk.last[0]);
    out_.Put(hunk.change == DiffChange::kBoth ? 'c' : hunk.change == DiffChange::kOld ? 'd' : 'a');
    out_.Put('\n');
    if (hunk.change != DiffChange::kOld) WriteInserted(hunk.first[1], hunk.last[1]);
  }
}

void DiffPrinter::PrintForwardEd() {
  for (const DiffEdit& edit : pair_.edits()) {
    const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
    if (hunk.change == DiffChange::kNone) continue;
    out_.Put(hunk.change == DiffChange::kBoth ? 'c' : hunk.change == DiffChange::kOld ? 'd' : 'a');
    WriteRange(' ', hunk.first[0], hunk.last[0]);
    out_.Put('\n');
    if (hunk.change == DiffChange::kOld) continue;
    for (size_t i = hunk.first[1]; i < hunk.last[1]; ++i) {
      WriteText(pair_.text(1).line(i), "");
      out_.Put('\n');
    }
    out_.Write(".\n");
  }
}

void DiffPrinter::PrintRcs() {
  for (const DiffEdit& edit : pair_.edits()) {
    const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
    if (hunk.change == DiffChange::kNone) continue;
    if (hunk.change != DiffChange::kNew) {
      out_.Put('d');
      out_.WriteInt(static_cast<int64_t>(hunk.first[0] + 1));
      out_.Put(' ');
      out_.WriteInt(static_cast<int64_t>(edit.a_count));
      out_.Put('\n');
    }
    if (hunk.change == DiffChange::kOld) continue;
    out_.Put('a');
    out_.WriteInt(static_cast<int64_t>(hunk.last[0]));
    out_.Put(' ');
    out_.WriteInt(static_cast<int64_t>(edit.b_count));
    out_.Put('\n');
    for (size_t i = hunk.first[1]; i < hunk.last[1]; ++i) {
      WriteText(pair_.text(1).line(i), "");
      if (pair_.text(1).is_terminated(i)) out_.Put('\n');
    }
  }
}

template <class F>
void DiffPrinter::ForEachHunk(const F& print) {
  const auto& edits = pair_.edits();
  const auto is_ignored = [this](const DiffEdit* edit) {
    return pair_.MakeHunk(edit, edit + 1).change == DiffChange::kNone;
  };
  const DiffEdit* const end = edits.data() + edits.size();
  for (const DiffEdit* begin = edits.data(); begin != end;) {
    const DiffEdit* stop = begin + 1;
    // Edits are shown together when their context would touch; an ignored one only where it is itself
    // within the context of the one before.
    while (stop != end) {
      const size_t gap = stop->a_begin - (stop - 1)->a_end();
      if (is_ignored(stop) ? gap >= layout_.context : gap > 2 * layout_.context) break;
      ++stop;
    }
    const DiffHunk hunk = pair_.MakeHunk(begin, stop);
    if (hunk.change != DiffChange::kNone) print(hunk);
    begin = stop;
  }
}

void DiffPrinter::WidenByContext(DiffHunk& hunk) const {
  for (size_t file = 0; file < 2; ++file) {
    hunk.first[file] -= std::min(hunk.first[file], layout_.context);
    const size_t left = pair_.text(file).size() - hunk.last[file];
    hunk.last[file] += std::min(left, layout_.context);
  }
}

void DiffPrinter::PrintHeader(std::string_view old_mark, std::string_view new_mark) {
  for (size_t file = 0; file < 2; ++file) {
    Begin(Color::kHeader);
    out_.Write(file == 0 ? old_mark : new_mark);
    out_.Put(' ');
    out_.Write(labels_[file].name);
    End(Color::kHeader);
    out_.Put('\n');
  }
}

// The nearest line before that matches; looks only at lines that no earlier call saw.
std::string_view DiffPrinter::FindFunction(size_t line) {
  if (layout_.function == nullptr) return {};
  const DiffText& text = pair_.text(0);
  const size_t searched = function_searched_;
  function_searched_ = line;
  for (size_t i = line; i > searched; --i) {
    const auto found = layout_.function->Search(text.line(i - 1), 0, nullptr, pair_.budget());
    if (found && *found) {
      function_found_ = i - 1;
      break;
    }
  }
  return function_found_ ? text.line(*function_found_) : std::string_view();
}

void DiffPrinter::WriteFunction(std::string_view function) {
  constexpr size_t kLongest = 40;
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (function.data() == nullptr) return;
  while (!function.empty() && is_space(function.front())) function.remove_prefix(1);
  function = function.substr(0, kLongest);
  while (!function.empty() && is_space(function.back())) function.remove_suffix(1);
  out_.Put(' ');
  out_.Write(function);
}

void DiffPrinter::PrintContext() {
  PrintHeader("***", "---");
  ForEachHunk([this](const DiffHunk& hunk) { PrintContextHunk(hunk); });
}

void DiffPrinter::PrintContextHunk(DiffHunk hunk) {
  WidenByContext(hunk);
  const std::string_view function = FindFunction(hunk.first[0]);
  out_.Write("***************");
  WriteFunction(function);
  out_.Put('\n');
  for (size_t file = 0; file < 2; ++file) {
    Begin(Color::kLineNumbers);
    out_.Write(file == 0 ? "*** " : "--- ");
    WriteRange(',', hunk.first[file], hunk.last[file]);
    out_.Write(file == 0 ? " ****" : " ----");
    End(Color::kLineNumbers);
    out_.Put('\n');
    const DiffChange shown = file == 0 ? DiffChange::kOld : DiffChange::kNew;
    if (hunk.change != shown && hunk.change != DiffChange::kBoth) continue;
    const Color color = file == 0 ? Color::kDeleted : Color::kAdded;
    const DiffEdit* edit = hunk.begin;
    for (size_t i = hunk.first[file]; i < hunk.last[file]; ++i) {
      const auto end_of = [file](const DiffEdit& e) { return file == 0 ? e.a_end() : e.b_end(); };
      while (edit != hunk.end && end_of(*edit) <= i) ++edit;
      std::string_view flag = " ";
      if (edit != hunk.end && (file == 0 ? edit->a_begin : edit->b_begin) <= i) {
        const bool is_change = (file == 0 ? edit->b_count : edit->a_count) > 0;
        flag = is_change ? "!" : file == 0 ? "-" : "+";
      }
      WriteLine(file, i, flag, color);
    }
  }
}

void DiffPrinter::PrintUnified() {
  PrintHeader("---", "+++");
  ForEachHunk([this](const DiffHunk& hunk) { PrintUnifiedHunk(hunk); });
}

void DiffPrinter::PrintUnifiedHunk(DiffHunk hunk) {
  WidenByContext(hunk);
  const std::string_view function = FindFunction(hunk.first[0]);
  Begin(Color::kLineNumbers);
  out_.Write("@@");
  for (size_t file = 0; file < 2; ++file) {
    out_.Write(file == 0 ? " -" : " +");
    const size_t count = hunk.last[file] - hunk.first[file];
    out_.WriteInt(static_cast<int64_t>(count == 0 ? hunk.last[file] : hunk.first[file] + 1));
    if (count == 1) continue;
    out_.Put(',');
    out_.WriteInt(static_cast<int64_t>(count));
  }
  out_.Write(" @@");
  End(Color::kLineNumbers);
  WriteFunction(function);
  out_.Put('\n');
  const auto write = [this](size_t file, size_t line, char mark, Color color) {
    const DiffText& text = pair_.text(file);
    const std::string_view content = text.line(line);
    pair_.budget().Step();
    Begin(color);
    const bool is_blank = content.empty() && text.is_terminated(line) && layout_.suppress_blank_empty;
    if (mark != ' ') out_.Put(mark);
    if (!is_blank && layout_.initial_tab) out_.Put('\t');
    else if (!is_blank && mark == ' ') out_.Put(' ');
    WriteText(content, "");
    End(color);
    out_.Put('\n');
    if (!text.is_terminated(line)) out_.Write(kMissingNewline);
  };
  size_t i = hunk.first[0];
  for (const DiffEdit* edit = hunk.begin; edit != hunk.end; ++edit) {
    for (; i < edit->a_begin; ++i) write(0, i, ' ', Color::kNone);
    for (; i < edit->a_end(); ++i) write(0, i, '-', Color::kDeleted);
    for (size_t j = edit->b_begin; j < edit->b_end(); ++j) write(1, j, '+', Color::kAdded);
  }
  for (; i < hunk.last[0]; ++i) write(0, i, ' ', Color::kNone);
}

}  // namespace paddock
