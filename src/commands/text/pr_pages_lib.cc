#include "commands/text/pr_pages.h"

#include <algorithm>

#include "commands/file_facts.h"
#include "text/date/time_format.h"
#include "text/utf8.h"

namespace paddock {
namespace {

constexpr int64_t kHeaderLines = 5;
constexpr int64_t kFooterLines = 5;
constexpr int64_t kAnywhere = 0;   // a column that begins where the one before ends

int64_t AfterTab(int64_t position, int64_t width) { return position + width - position % width; }

// A character of the input as it is shown: a text, or that many blanks.
struct Shown {
  std::string text;
  int64_t blanks = 0;
};

// The output line: where it is, and blanks that may still become tabs.
class Ink {
 public:
  explicit Ink(Invocation& in) : in_(in) {}
  void set_tabs(bool tabify, const PrTab& tab) {
    tabify_ = tabify;
    tab_ = tab;
  }

  int64_t position = 0;
  int64_t pending = 0;

  void Put(char c) {
    if (tabify_) {
      if (c == ' ') {
        ++pending;
        return;
      }
      if (pending > 0) WriteBlanks();
      if (c >= ' ' && c <= '~') ++position;
      else if (c == '\b') --position;
    }
    in_.out.Put(c);
  }
  void PutBlanks(int64_t count) {
    if (tabify_) pending += count;
    else Repeat(' ', count);
  }
  // Turns the pending blanks into tabs and spaces.
  void WriteBlanks() {
    const int64_t goal = position + pending;
    int64_t at = position;
    while (goal - at > 1) {
      const int64_t stop = AfterTab(at, tab_.width);
      if (stop > goal) break;
      in_.budget.Step();
      in_.out.Put(tab_.character);
      at = stop;
    }
    Repeat(' ', goal - at);
    position = goal;
    pending = 0;
  }
  void MoveTo(int64_t target) {
    if (tabify_) {
      pending = target - position;
      return;
    }
    Repeat(' ', target - position);
    position = target;
  }
  void Repeat(char c, int64_t count) {
    for (; count > 0; --count) {
      in_.out.Put(c);
      in_.budget.Step();
    }
  }
  void PutText(std::string_view text) {
    for (const char c : text) Put(c);
  }
  // The separator between columns, when one is due; and what is pending.
  void PutSeparators(std::string_view separator, int64_t count) {
    if (count <= 0) {
      if (pending > 0) WriteBlanks();
      return;
    }
    // As in the original, columns that were skipped before this one get no separator of their own.
    for (const char c : separator) {
      if (c == ' ') {
        ++pending;
        continue;
      }
      if (pending > 0) WriteBlanks();
      in_.out.Put(c);
      ++position;
    }
    if (pending > 0) WriteBlanks();
  }

 private:
  Invocation& in_;
  bool tabify_ = false;
  PrTab tab_;
};

enum class State { kOpen, kFormFeed, kOnHold, kClosed };

struct Column {
  InputFile* file = nullptr;
  State state = State::kOpen;
  int64_t start = 0;
  int64_t lines_left = 0;      // on this page
  int64_t stored = 0;
  size_t next_stored = 0;
  bool has_numbers = false;
  bool is_stored = false;      // printed from the store
  bool filled_page = false;    // the last page was full: a form feed here belongs to it
};

struct StoredLine {
  std::string text;
  int64_t width = 0;
};

class Pager {
 public:
  Pager(Invocation& in, const PrSettings& settings, std::vector<InputFile>& files)
      : in_(in), set_(settings), files_(files), parallel_(settings.parallel), columns_(settings.columns),
        separator_(settings.separator), has_separator_(settings.has_separator), truncates_(settings.truncates),
        untabify_(settings.untabify), tabify_(settings.tabify), has_headers_(settings.has_headers),
        keeps_form_feeds_(settings.keeps_form_feeds), ink_(in) {}

  bool Print(std::string_view title) {
    if (!Prepare()) return false;
    MakeTitle(title);
    OpenColumns();
    if (set_.first_page > 1) {
      if (!SkipTo(set_.first_page)) return true;
      page_ = set_.first_page;
    }
    PlaceColumns();
    while (PrintPage() && in_.out.status()) in_.budget.Step();
    return true;
  }

 private:
  bool Prepare() {
    body_lines_ = set_.page_length - kHeaderLines - kFooterLines;
    if (body_lines_ <= 0) {
      has_headers_ = false;
      keeps_form_feeds_ = true;
    }
    if (!has_headers_) body_lines_ = set_.page_length;
    if (set_.double_space) body_lines_ = std::max<int64_t>(body_lines_ / 2, 1);
    stores_ = columns_ > 1 && !parallel_ && !set_.across;
    if (columns_ > 1) PrepareColumns();
    if (set_.joins_lines) truncates_ = false;
    int64_t used_by_number = 0;
    if (set_.numbers_lines) {
      const int64_t digits = set_.number.width;
      constexpr int64_t kTab = 8;
      number_width_ = set_.number.character == '\t' ? AfterTab(digits, kTab) : digits + 1;
      if (parallel_) used_by_number = number_width_;
    }
    const int64_t gaps = static_cast<int64_t>(separator_.size()) * (columns_ - 1);
    column_width_ = (set_.page_width - used_by_number - gaps) / columns_;
    if (column_width_ < 1) {
      in_.Fail("page width too narrow");
      return false;
    }
    line_number_ = set_.first_number.value_or(1);
    if (parallel_) columns_ = static_cast<int64_t>(files_.size());   // files that are missing leave their room
    ink_.set_tabs(tabify_, set_.output_tab);
    return true;
  }

  void PrepareColumns() {
    if (!has_separator_) {
      separator_ = set_.joins_lines ? "\t" : " ";
      has_separator_ = true;
    } else if (!set_.joins_lines && separator_ == "\t") {
      separator_ = " ";   // columns that stand in line need no tab between
    }
    truncates_ = true;
    if (separator_ != "\t") untabify_ = true;
    tabify_ = true;
  }

  void MakeTitle(std::string_view title) {
    title_ = set_.header ? std::string_view(*set_.header) : title;
    TimePoint moment = Now(in_.clock);
    if (!parallel_ && !files_[0].is_stdin() && files_[0].file() != nullptr) {
      if (auto facts = files_[0].file()->GetAttributes()) moment = ToTimePoint(facts->modify_time);
    }
    const CalendarTime local = LocalZone(in_.env).ToLocal(moment.seconds);
    date_ = FormatTime(set_.date_format, local, moment, in_.budget);
  }

  int64_t WidthOf(std::string_view text) const {
    return static_cast<int64_t>(in_.locale.is_utf8 ? TextWidth(text) : text.size());
  }

  void OpenColumns() {
    in_.budget.WillAllocate(static_cast<uint64_t>(columns_) * sizeof(Column));
    list_.resize(static_cast<size_t>(columns_));
    for (size_t i = 0; i < list_.size(); ++i) list_[i].file = &files_[parallel_ ? i : 0];
    readable_ = parallel_ ? columns_ : 1;
  }

  void PlaceColumns() {
    const auto gap = static_cast<int64_t>(separator_.size());
    int64_t end = !truncates_                            ? kAnywhere
                  : parallel_ && set_.numbers_lines ? set_.margin + column_width_ + number_width_
                                                         : set_.margin + column_width_;
    int64_t start = set_.margin + gap;   // the first one, too, so that all are reached the same way
    for (size_t i = 0; i < list_.size(); ++i) {
      list_[i].start = start;
      list_[i].is_stored = stores_;
      list_[i].has_numbers = set_.numbers_lines && (!parallel_ || i == 0);
      start = truncates_ ? end + gap : kAnywhere;
      end = truncates_ ? start + column_width_ : kAnywhere;
      in_.budget.Step();
    }
  }

  // Reading.

  int Get(Column& column) { return column.file->input().Get(); }
  void SkipNewline(Column& column) {
    Input& input = column.file->input();
    const std::string_view next = input.Peek();
    if (!next.empty() && next[0] == '\n') input.Consume(1);
  }

  // The first character of a line, past a form feed that a full page has made needless.
  int FirstOf(Column& column) {
    int c = Get(column);
    if (c == '\f' && column.filled_page) {
      c = Get(column);
      if (c == '\n') c = Get(column);
    }
    column.filled_page = false;
    return c;
  }

  void Hold(Column& column) {
    if (parallel_) column.state = State::kOnHold;
    else for (Column& each : list_) each.state = stores_ ? State::kFormFeed : State::kOnHold;
    column.lines_left = 0;
    --readable_;
  }

  void Close(Column& column) {
    if (column.state == State::kClosed) return;
    if (!parallel_) {
      for (Column& each : list_) {
        each.state = State::kClosed;
        if (each.stored == 0) each.lines_left = 0;
      }
    } else {
      column.state = State::kClosed;
      column.lines_left = 0;
    }
    --readable_;
  }

  // What is behind the last column that fits.
  void SkipRest(Column& column) {
    for (int c = Get(column); c != '\n'; c = Get(column)) {
      in_.budget.Step();
      if (c == '\f') {
        SkipNewline(column);
        if (keeps_form_feeds_) owes_form_feed_ = true;
        Hold(column);
        return;
      }
      if (c < 0) return Close(column);
    }
  }

  Shown Show(char c) {
    Shown shown;
    int64_t width = 1;
    const auto byte = static_cast<unsigned char>(c);
    if (c == set_.input_tab.character || c == '\t') {
      const int64_t size = c == set_.input_tab.character ? set_.input_tab.width : 8;
      width = size - at_ % size;
      if (untabify_) shown.blanks = width;
      else shown.text = c;
    } else if (byte < ' ' || byte > '~') {
      const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                            static_cast<char>('0' + (byte & 7))};
      if (set_.shows_octal || (set_.shows_carets && byte >= 0x80)) {
        shown.text.assign(octal, 4);
        width = 4;
      } else if (set_.shows_carets) {
        shown.text = {'^', static_cast<char>(c ^ 0x40)};
        width = 2;
      } else {
        shown.text = c;
        width = c == '\b' ? -1 : 0;
      }
    } else {
      shown.text = c;
    }
    if (width < 0 && at_ == 0) shown.text.clear();
    else at_ += width;
    return shown;
  }

  // The sinks of a column: the page, or the store.
  void Emit(const Column& column, const Shown& shown) {
    if (!column.is_stored || !is_storing_) {
      ink_.PutBlanks(shown.blanks);
      ink_.PutText(shown.text);
      return;
    }
    in_.budget.WillAllocate(static_cast<uint64_t>(shown.blanks));
    current_.append(static_cast<size_t>(shown.blanks), ' ');
    current_ += shown.text;
  }

  // Reads one line and sends it on. False when what is left of it has to be skipped.
  bool ReadLine(Column& column) {
    const int first = FirstOf(column);
    if (first == '\f') {
      SkipNewline(column);
      only_form_feed_ = true;
      if (owes_header_ && !stores_) {
        pads_ = true;
        PrintHeader();
      } else if (keeps_form_feeds_) {
        owes_form_feed_ = true;
      }
      Hold(column);
      return true;
    }
    if (first < 0) {
      Close(column);
      return true;
    }
    const int64_t before = at_;
    Shown shown;
    if (first != '\n') shown = Show(static_cast<char>(first));
    if (truncates_ && at_ > column_width_) {
      at_ = before;
      return false;
    }
    if (!is_storing_) BeginPrinting(column);
    if (column.has_numbers) AddNumber(column);
    is_empty_line_ = false;
    if (first == '\n') return true;
    Emit(column, shown);
    return ReadMore(column);
  }

  bool ReadMore(Column& column) {
    while (true) {
      in_.budget.Step();
      const int c = Get(column);
      if (c == '\n') return true;
      if (c == '\f') {
        SkipNewline(column);
        if (keeps_form_feeds_) owes_form_feed_ = true;
        Hold(column);
        return true;
      }
      if (c < 0) {
        Close(column);
        return true;
      }
      const int64_t before = at_;
      const Shown shown = Show(static_cast<char>(c));
      if (truncates_ && at_ > column_width_) {
        at_ = before;
        return false;
      }
      Emit(column, shown);
    }
  }

  void BeginPrinting(Column& column) {
    pads_ = true;
    if (owes_header_ && !stores_) PrintHeader();
    if (parallel_ && aligns_empty_) AlignEmpty(column);
    ReachColumn();
  }

  // Columns at the beginning of the line that have nothing.
  void AlignEmpty(const Column& column) {
    const int64_t count = separators_due_;
    separators_due_ = 0;
    for (int64_t i = 0; i < count; ++i) {
      Align(list_[static_cast<size_t>(i)]);
      ++separators_due_;
    }
    start_due_ = column.start;
    ink_.pending = truncates_ ? column_width_ : 0;
    aligns_empty_ = false;
  }

  void ReachColumn() {
    const auto gap = static_cast<int64_t>(separator_.size());
    if (gap < start_due_) {
      ink_.MoveTo(start_due_ - gap);
      start_due_ = kAnywhere;
    }
    if (has_separator_) {
      ink_.PutSeparators(separator_, separators_due_);
      separators_due_ = 0;
    }
  }

  void Align(Column& column) {
    start_due_ = column.start;
    ReachColumn();
    if (column.has_numbers) AddNumber(column);
  }

  void AddNumber(const Column& column) {
    std::string digits = std::to_string(line_number_++);
    const auto width = static_cast<size_t>(set_.number.width);
    in_.budget.WillAllocate(width);
    if (digits.size() > width) digits.erase(0, digits.size() - width);   // the low digits tell more
    digits.insert(0, width - digits.size(), ' ');
    Emit(column, {digits, 0});
    const char separator = set_.number.character;
    if (columns_ > 1 && separator == '\t') {
      Emit(column, {"", number_width_ - set_.number.width});
    } else {
      Emit(column, {std::string(1, separator), 0});
      if (columns_ == 1 && separator == '\t') ink_.position = AfterTab(ink_.position, set_.output_tab.width);
    }
    if (truncates_ && !parallel_) at_ += number_width_;
  }

  // Storing: columns that run down the page are read before it is printed, and balanced.

  void Store() {
    store_.clear();
    is_storing_ = true;
    for (Column& column : list_) column.stored = 0;
    for (Column& column : list_) {
      column.is_stored = true;
      column.has_numbers = set_.numbers_lines;
      for (int64_t left = body_lines_; left > 0 && readable_ > 0; --left) {
        if (column.state != State::kOpen) continue;
        at_ = 0;
        current_.clear();
        if (!ReadLine(column)) SkipRest(column);
        if (column.state == State::kOpen || !current_.empty()) {
          ++column.stored;
          store_.push_back({std::move(current_), at_});
          current_.clear();
        }
      }
      in_.budget.Step();
      if (readable_ <= 0) break;
    }
    is_storing_ = false;
    const auto total = static_cast<int64_t>(store_.size());
    size_t first = 0;
    for (int64_t i = 0; i < columns_; ++i) {
      Column& column = list_[static_cast<size_t>(i)];
      column.stored = total / columns_ + (i < total % columns_ ? 1 : 0);
      column.next_stored = first;
      first += static_cast<size_t>(column.stored);
    }
  }

  void PrintStored(Column& column) {
    const size_t index = column.next_stored++;
    pads_ = true;
    if (owes_header_) PrintHeader();
    if (column.state == State::kFormFeed) {
      for (Column& each : list_) each.state = State::kOnHold;
      if (list_[0].lines_left <= 0) {
        if (!has_headers_) pads_ = false;
        return;
      }
    }
    ReachColumn();
    if (index >= store_.size()) return;
    ink_.PutText(store_[index].text);
    if (ink_.pending > 0) return;
    const auto gap = static_cast<int64_t>(separator_.size());
    ink_.position = column.start + store_[index].width;
    if (column.start - gap == set_.margin) ink_.position -= gap;
  }

  // Pages.

  int64_t CountReady() {
    int64_t ready = 0;
    for (const Column& column : list_) {
      if (column.state == State::kOpen || column.state == State::kFormFeed ||
          (stores_ && column.stored > 0 && column.lines_left > 0)) {
        ++ready;
      }
    }
    in_.budget.Step(columns_ / 8 + 1);
    return ready;
  }

  void BeginPage() {
    if (stores_) Store();
    for (Column& column : list_) {
      if (stores_) column.lines_left = column.stored;
      else column.lines_left = column.state == State::kOpen ? body_lines_ : 0;
    }
  }

  bool PrintPage() {
    BeginPage();
    if (CountReady() == 0) return false;
    if (has_headers_) owes_header_ = true;
    pads_ = false;
    bool printed = false;
    int64_t left = body_lines_ * (set_.double_space ? 2 : 1);
    while (left > 0 && CountReady() > 0) {
      printed |= PrintRow();
      if (pads_) {
        in_.out.Put('\n');
        --left;
      }
      if (CountReady() <= 0 && !has_headers_) break;
      if (set_.double_space && printed) {
        in_.out.Put('\n');
        --left;
      }
    }
    if (left <= 0) {
      for (Column& column : list_) column.filled_page |= column.state == State::kOpen;
    }
    if (printed && has_headers_) {
      if (set_.form_feed) in_.out.Put('\f');
      else ink_.Repeat('\n', left + kFooterLines);
    } else if (keeps_form_feeds_ && owes_form_feed_) {
      in_.out.Put('\f');
      owes_form_feed_ = false;
    }
    if (set_.last_page < ++page_) return false;
    Release();
    return true;
  }

  // One line over all columns. Returns whether something was printed in some column.
  bool PrintRow() {
    bool printed = false;
    ink_.position = ink_.pending = 0;
    separators_due_ = 0;
    pads_ = aligns_empty_ = false;
    is_empty_line_ = true;
    for (Column& column : list_) {
      in_.budget.Step();
      at_ = 0;
      if (column.lines_left > 0 || column.state == State::kFormFeed) {
        only_form_feed_ = false;
        start_due_ = column.start;
        if (column.is_stored) PrintStored(column);
        else if (!ReadLine(column)) SkipRest(column);
        printed |= pads_;
        --column.lines_left;
        if (column.lines_left <= 0 && CountReady() <= 0) break;
        if (parallel_ && column.state != State::kOpen) {
          if (is_empty_line_) aligns_empty_ = true;
          else if (column.state == State::kClosed || only_form_feed_) Align(column);
        }
      } else if (parallel_) {
        if (is_empty_line_) aligns_empty_ = true;
        else Align(column);
      }
      if (has_separator_) ++separators_due_;
    }
    return printed;
  }

  // After a page, files that a form feed had stopped go on.
  void Release() {
    for (Column& column : list_) {
      if (column.state != State::kOnHold) continue;
      column.state = State::kOpen;
      ++readable_;
    }
    if (stores_) readable_ = list_[0].state == State::kClosed ? 0 : 1;
  }

  void PrintHeader() {
    ink_.position = 0;
    ink_.MoveTo(set_.margin);
    ink_.WriteBlanks();
    const std::string page = "Page " + std::to_string(page_);
    const int64_t room =
        std::max<int64_t>(0, set_.page_width - WidthOf(date_) - WidthOf(title_) - WidthOf(page));
    in_.out.Write("\n\n");
    ink_.Repeat(' ', set_.margin);
    in_.out.Write(date_);
    ink_.Repeat(' ', std::max<int64_t>(1, room / 2));
    in_.out.Write(title_);
    ink_.Repeat(' ', std::max<int64_t>(1, room - room / 2));
    in_.out.Write(page);
    in_.out.Write("\n\n\n");
    owes_header_ = false;
    ink_.position = 0;
  }

  // Skipping pages.

  void SkipLine(Column& column, bool is_counted, bool is_last) {
    int c = FirstOf(column);
    const bool is_lone = c == '\f';
    if (is_last) column.filled_page = true;
    while (c != '\n') {
      in_.budget.Step();
      if (c == '\f') {
        if (is_last) {
          if (parallel_) column.filled_page = false;
          else for (Column& each : list_) each.filled_page = false;
        }
        SkipNewline(column);
        Hold(column);
        break;
      }
      if (c < 0) {
        Close(column);
        break;
      }
      c = Get(column);
    }
    if (!set_.first_number && is_counted && !is_lone) ++line_number_;
  }

  bool SkipTo(uint64_t page) {
    for (uint64_t n = 1; n < page; ++n) {
      for (int64_t line = 1; line <= body_lines_ && readable_ > 0; ++line) {
        for (size_t i = 0; i < list_.size(); ++i) {
          if (list_[i].state == State::kOpen) SkipLine(list_[i], !parallel_ || i == 0, line == body_lines_);
          in_.budget.Step();
        }
      }
      if (stores_) {
        for (Column& column : list_) {
          if (column.state != State::kClosed) column.state = State::kOnHold;
        }
      }
      Release();
      if (readable_ < 1) {
        in_.Fail("starting page number " + std::to_string(page) + " exceeds page count " + std::to_string(n));
        break;
      }
    }
    return readable_ > 0;
  }

  Invocation& in_;
  const PrSettings& set_;
  std::vector<InputFile>& files_;
  const bool parallel_;
  int64_t columns_;
  std::string separator_;
  bool has_separator_, truncates_, untabify_, tabify_, has_headers_, keeps_form_feeds_;
  bool stores_ = false;
  int64_t body_lines_ = 0, number_width_ = 0, column_width_ = 0, line_number_ = 1;
  Ink ink_;
  std::string title_, date_;
  uint64_t page_ = 1;
  std::vector<Column> list_;
  std::vector<StoredLine> store_;
  std::string current_;
  int64_t readable_ = 0;
  int64_t at_ = 0;                  // input column within the line
  int64_t start_due_ = 0;           // column to move to before the next text
  int64_t separators_due_ = 0;
  bool is_storing_ = false, owes_header_ = false, owes_form_feed_ = false, pads_ = false, aligns_empty_ = false;
  bool is_empty_line_ = true, only_form_feed_ = false;
};

}  // namespace

bool PrintPages(Invocation& in, const PrSettings& settings, std::vector<InputFile>& files, std::string_view title) {
  return Pager(in, settings, files).Print(title);
}

}  // namespace paddock
