// ptx: words, and the fields of a line around one.
#include <algorithm>

#include "base/budget.h"
#include "commands/text/ptx.h"

namespace paddock::ptx {

std::optional<Span> WordFinder::Next(std::string_view text, int64_t at, Budget& budget) {
  if (regex) {
    const auto found = Match(*regex, text.substr(static_cast<size_t>(at)), budget);
    if (!found) return std::nullopt;
    return Span{at + found->begin, at + found->end};
  }
  const auto size = static_cast<int64_t>(text.size());
  Span word{at, at};
  while (word.begin < size && !Has(text, word.begin)) ++word.begin;
  if (word.begin == size) return std::nullopt;
  for (word.end = word.begin; word.end < size && Has(text, word.end);) ++word.end;
  budget.Step((word.end - at) / 16 + 1);
  return word;
}

int64_t WordFinder::Skip(std::string_view text, int64_t at, int64_t limit, Budget& budget) {
  if (regex) {
    const std::string_view rest = at < limit ? text.substr(static_cast<size_t>(at), static_cast<size_t>(limit - at)) : std::string_view();
    const auto found = Match(anchored ? *anchored : *regex, rest, budget);
    return at + (found && found->begin == 0 && found->end > 0 ? found->end : 1);
  }
  const int64_t start = at++;
  if (start < static_cast<int64_t>(text.size()) && Has(text, start)) {
    while (at < limit && Has(text, at)) ++at;
  }
  budget.Step((at - start) / 16 + 1);
  return at;
}

std::optional<Span> WordFinder::Match(const Regex& with, std::string_view text, Budget& budget) {
  budget.Step();
  const auto found = with.Search(text, 0, &groups_, budget);
  if (!found) status_ = found.error();
  if (!found || !*found) return std::nullopt;
  return Span{static_cast<int64_t>(groups_[0].begin), static_cast<int64_t>(groups_[0].end)};
}

namespace {

// The fields of a line, and how they are written.
class Layout {
 public:
  Layout(const Index& index, const Settings& settings, WordFinder& words, Output& out, Budget& budget)
      : index_(index), o_(settings), words_(words), budget_(budget), out_(out), mark_(settings.truncation), gap_(settings.gap) {
    format_ = o_.format != Format::kDefault ? o_.format : o_.is_traditional ? Format::kRoff : Format::kPlain;
    reference_width_ = index.reference_width;
    if (o_.has_auto_references) {
      reference_width_ = 0;
      for (const Text& text : index.texts) {
        reference_width_ = std::max(reference_width_, static_cast<int64_t>(text.name.size() + std::to_string(text.lines + 2).size()));
      }
      ++reference_width_;
    }
    int64_t width = o_.width;
    if (o_.shows_references() && !o_.puts_references_right) width -= reference_width_ + gap_;
    half_ = std::max<int64_t>(width, 0) / 2;
    const auto mark_width = static_cast<int64_t>(mark_.size());
    most_before_ = half_ - gap_;
    most_after_ = half_ - 2 * mark_width;
    if (o_.is_traditional) --most_after_;
    else most_before_ = std::max<int64_t>(0, most_before_ - 2 * mark_width);
  }

  void Write(const Occurrence& o) {
    const Text& file = index_.texts[o.file];
    text_ = file.bytes;
    limit_ = o.context.end;
    FindAfter(o);
    FindBefore(o);
    FindTail();
    FindHead(o);
    reference_.clear();
    if (o_.has_auto_references) {
      reference_ = file.name + ":" + std::to_string(o.reference);
    } else if (o_.has_references) {
      int64_t end = o.reference;
      while (end < limit_ && !IsSpace(At(end))) ++end;
      reference_ = text_.substr(static_cast<size_t>(o.reference), static_cast<size_t>(end - o.reference));
    }
    if (format_ == Format::kRoff) WriteRoff();
    else if (format_ == Format::kTex) WriteTex();
    else WritePlain();
    budget_.Step();
  }

 private:
  struct Field : Span {
    bool is_cut = false;
  };

  char At(int64_t at) const { return text_[static_cast<size_t>(at)]; }
  int64_t Skip(int64_t at, int64_t limit) { return words_.Skip(text_, at, limit, budget_); }
  int64_t SkipSpace(int64_t at, int64_t limit) const {
    while (at < limit && IsSpace(At(at))) ++at;
    return at;
  }
  int64_t SkipSpaceBack(int64_t at, int64_t limit) const {
    while (at > limit && IsSpace(At(at - 1))) --at;
    return at;
  }
  int64_t size() const { return static_cast<int64_t>(text_.size()); }
  bool marks() const { return !mark_.empty(); }

  void FindAfter(const Occurrence& o) {
    after_ = {{o.key.begin, o.key.end}};
    const int64_t most = after_.begin + most_after_;
    int64_t at = after_.end;
    while (at < limit_ && at <= most) {
      after_.end = at;
      at = Skip(at, limit_);
    }
    if (at <= most) after_.end = at;
    after_.is_cut = marks() && after_.end < limit_;
    after_.end = SkipSpaceBack(after_.end, after_.begin);
  }

  void FindBefore(const Occurrence& o) {
    // A context that begins far away is entered as near as no word can be cut that counts.
    const int64_t reach = half_ + index_.longest_word;
    far_begin_ = o.context.begin;
    if (o.key.begin - far_begin_ > reach) far_begin_ = Skip(o.key.begin - reach, o.key.begin);
    before_ = {{far_begin_, SkipSpaceBack(o.key.begin, far_begin_)}};
    while (before_.begin + most_before_ < before_.end) before_.begin = Skip(before_.begin, before_.end);
    before_.is_cut = marks() && SkipSpaceBack(before_.begin, 0) > o.context.begin;
    before_.begin = SkipSpace(before_.begin, size());
  }

  void FindTail() {
    tail_ = {};
    const int64_t most = most_before_ - before_.size() - gap_;
    if (most <= 0) return;
    tail_.begin = tail_.end = SkipSpace(after_.end, size());
    int64_t at = tail_.end;
    while (at < limit_ && at < tail_.begin + most) {
      tail_.end = at;
      at = Skip(at, limit_);
    }
    if (at < tail_.begin + most) tail_.end = at;
    if (tail_.size() > 0) {
      after_.is_cut = false;
      tail_.is_cut = marks() && tail_.end < limit_;
    }
    tail_.end = SkipSpaceBack(tail_.end, tail_.begin);
  }

  void FindHead(const Occurrence& o) {
    head_ = {};
    const int64_t most = most_after_ - after_.size() - gap_;
    if (most <= 0) return;
    head_ = {{far_begin_, SkipSpaceBack(before_.begin, 0)}};
    while (head_.begin + most < head_.end) head_.begin = Skip(head_.begin, head_.end);
    if (head_.size() > 0) {
      before_.is_cut = false;
      head_.is_cut = marks() && head_.begin > o.context.begin;
    }
    head_.begin = SkipSpace(head_.begin, head_.end);
  }

  void Put(std::string_view text) {
    budget_.Step(static_cast<int64_t>(text.size() / 16 + 1));
    for (const char c : text) {
      if (IsSpace(c)) out_.Put(' ');
      else if (format_ == Format::kRoff && c == '"') out_.Write("\"\"");
      else if (format_ == Format::kTex && std::string_view("$%&#_").find(c) != std::string_view::npos) (out_.Put('\\'), out_.Put(c));
      else if (format_ == Format::kTex && (c == '{' || c == '}')) out_.Write(c == '{' ? "$\\{$" : "$\\}$");
      else if (format_ == Format::kTex && c == '\\') out_.Write("\\backslash{}");
      else out_.Put(c);
    }
  }
  void Put(const Span& span) {
    if (span.size() > 0) Put(text_.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.size())));
  }
  void PutMark(const Field& field) {
    if (field.is_cut) out_.Write(mark_);
  }
  void PutSpaces(int64_t count) {
    static constexpr std::string_view kSpaces = "                                                                ";
    for (; count > 0; count -= static_cast<int64_t>(kSpaces.size())) {
      out_.Write(kSpaces.substr(0, static_cast<size_t>(std::min<int64_t>(count, kSpaces.size()))));
      budget_.Step();
    }
  }
  int64_t WidthOf(const Field& field) const { return field.size() + (field.is_cut ? static_cast<int64_t>(mark_.size()) : 0); }

  void WriteRoff() {
    out_.Write("." + o_.macro + " \"");
    Put(tail_);
    PutMark(tail_);
    out_.Write("\" \"");
    PutMark(before_);
    Put(before_);
    out_.Write("\" \"");
    Put(after_);
    PutMark(after_);
    out_.Write("\" \"");
    PutMark(head_);
    Put(head_);
    if (o_.shows_references()) {
      out_.Write("\" \"");
      Put(reference_);
    }
    out_.Write("\"\n");
  }

  void WriteTex() {
    const int64_t middle = Skip(after_.begin, after_.end);
    out_.Write("\\" + o_.macro + " {");
    Put(tail_);
    for (const Span& span : {Span(before_), Span{after_.begin, middle}, Span{middle, after_.end}, Span(head_)}) {
      out_.Write("}{");
      Put(span);
    }
    if (o_.shows_references()) {
      out_.Write("}{");
      Put(reference_);
    }
    out_.Write("}\n");
  }

  void WritePlain() {
    if (!o_.puts_references_right) {
      Put(reference_);
      if (o_.has_auto_references) out_.Put(':');
      PutSpaces(reference_width_ + gap_ - static_cast<int64_t>(reference_.size()) - (o_.has_auto_references ? 1 : 0));
    }
    int64_t left = half_ - gap_ - WidthOf(before_);
    if (tail_.size() > 0) {
      Put(tail_);
      PutMark(tail_);
      left -= WidthOf(tail_);
    }
    PutSpaces(left);
    PutMark(before_);
    Put(before_);
    PutSpaces(gap_);
    Put(after_);
    PutMark(after_);
    const bool has_right = o_.shows_references() && o_.puts_references_right;
    if (head_.size() > 0) {
      PutSpaces(half_ - WidthOf(after_) - WidthOf(head_));
      PutMark(head_);
      Put(head_);
    } else if (has_right) {
      PutSpaces(half_ - WidthOf(after_));
    }
    if (has_right) {
      PutSpaces(gap_);
      Put(reference_);
    }
    out_.Put('\n');
  }

  const Index& index_;
  const Settings& o_;
  WordFinder& words_;
  Budget& budget_;
  Output& out_;
  const std::string& mark_;
  const int64_t gap_;
  Format format_;
  int64_t half_ = 0, most_before_ = 0, most_after_ = 0, reference_width_ = 0;
  // Of the line that is being written.
  std::string_view text_;
  int64_t limit_ = 0, far_begin_ = 0;
  Field tail_, before_, after_, head_;
  std::string reference_;
};

}  // namespace

void WriteIndex(const Index& index, const Settings& settings, WordFinder& words, Output& out, Budget& budget) {
  Layout layout(index, settings, words, out, budget);
  for (const Occurrence& occurrence : index.found) {
    layout.Write(occurrence);
    if (!out.status()) return;
  }
}

}  // namespace paddock::ptx
