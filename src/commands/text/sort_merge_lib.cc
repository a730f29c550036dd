#include <algorithm>
#include <memory>

#include "commands/input_files.h"
#include "commands/text/sort_debug.h"
#include "commands/text/sort_merge.h"
#include "text/quote.h"

namespace paddock {
namespace {

// One input and its current line.
class Source {
 public:
  Source(InputFile file, size_t index) : file_(std::move(file)), index_(index) {}

  // False at the end and on error.
  bool Advance(const SortOrder& order) {
    const auto line = file_.input().ReadLine(order.rules().delimiter);
    if (!line) return false;
    text_.assign(line->text);
    line_ = order.Prepare(text_);
    return true;
  }
  const SortLine& line() const { return line_; }
  std::string_view text() const { return text_; }
  size_t index() const { return index_; }
  InputFile& file() { return file_; }

 private:
  InputFile file_;
  size_t index_;
  std::string text_;
  SortLine line_{};
};

ExitStatus Fail(Invocation& in, std::string_view what, std::string_view name, const Error& error) {
  return in.Fail(std::string(what) + ": " + QuoteSubject(name, in.locale.is_utf8), error, 2);
}

}  // namespace

ExitStatus MergeFiles(Invocation& in, const SortOrder& order, const std::vector<std::string>& names, Output& out) {
  // A heap with the smallest line on top; among equals the file named first.
  std::vector<std::unique_ptr<Source>> heap;
  const auto is_later = [&](const std::unique_ptr<Source>& a, const std::unique_ptr<Source>& b) {
    const int result = order.Compare(a->line(), b->line());
    return result != 0 ? result > 0 : a->index() > b->index();
  };
  for (size_t i = 0; i < names.size(); ++i) {
    auto file = InputFile::Open(in, names[i]);
    if (!file) return Fail(in, "open failed", names[i], file.error());
    auto source = std::make_unique<Source>(std::move(*file), i);
    if (source->Advance(order)) heap.push_back(std::move(source));
    else if (const Status& status = source->file().input().status(); !status) {
      return Fail(in, "read failed", names[i], status.error());
    }
  }
  std::make_heap(heap.begin(), heap.end(), is_later);
  std::string last;
  bool has_last = false;
  while (!heap.empty() && out.status()) {
    std::pop_heap(heap.begin(), heap.end(), is_later);
    Source& source = *heap.back();
    const bool is_repeat = order.rules().is_unique && has_last &&
                           order.CompareKeys(order.Prepare(last), source.line()) == 0;
    if (!is_repeat) {
      if (order.rules().is_annotated) {
        WriteAnnotated(out, order, source.text());
      } else {
        out.Write(source.text());
        out.Put(order.rules().delimiter);
      }
      if (order.rules().is_unique) last.assign(source.text());
      has_last = true;
    }
    if (source.Advance(order)) {
      std::push_heap(heap.begin(), heap.end(), is_later);
      continue;
    }
    if (const Status& status = source.file().input().status(); !status) {
      return Fail(in, "read failed", source.file().name(), status.error());
    }
    heap.pop_back();
  }
  return 0;
}

}  // namespace paddock
