// Where a job of parallel puts its output: kept until the job ends, or passed on line by line.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/stream.h"
#include "vfs/file_system.h"

namespace paddock {

class ParallelOutput final : public vfs::OpenFile {
 public:
  ParallelOutput(Budget& budget, Output* lines_to, std::optional<std::string> tag, std::string color = {})
      : budget_(budget), lines_to_(lines_to), tag_(std::move(tag)), color_(std::move(color)) {}

  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (text_.size() + bytes.size() > text_.capacity()) budget_.WillAllocate(2 * (text_.size() + bytes.size()));
    text_.append(bytes);
    written_ += bytes.size();
    const size_t end = text_.rfind('\n');
    if (lines_to_ == nullptr || end == std::string::npos) return {};
    Print(*lines_to_, std::string_view(text_).substr(0, end + 1));
    text_.erase(0, end + 1);
    return lines_to_->Flush();
  }
  Result<vfs::Attributes> GetAttributes() const override { return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600}; }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

  void Flush(Output& out) {
    Print(out, text_);
    text_.clear();
    out.Flush();
  }
  void Clear() {
    text_.clear();
    written_ = 0;
  }
  size_t written() const { return written_; }
  const std::string& text() const { return text_; }
  // What is kept stands in red from here on (--color-failed).
  void Redden() { color_ = "\x1b[48;5;196;38;5;231m\x1b[K"; }

 private:
  void Print(Output& out, std::string_view text) {
    if (!tag_ && color_.empty()) return out.Write(text);
    while (!text.empty()) {
      budget_.Step();
      const size_t end = std::min(text.find('\n'), text.size());
      out.Write(color_);
      if (tag_) out.Write(*tag_ + "\t");
      out.Write(text.substr(0, end));
      if (!color_.empty()) out.Write("\x1b[m");
      if (end < text.size() || !color_.empty()) out.Put('\n');   // a colour ends with its line
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Budget& budget_;
  Output* lines_to_;   // null: kept
  std::optional<std::string> tag_;
  std::string color_;   // what each line begins with; empty: no colour
  std::string text_;
  size_t written_ = 0;
};

}  // namespace paddock
