#include "lang/sed/input_chain.h"

namespace paddock::sed {

InputChain::InputChain(const std::vector<std::string>& files, const RunOptions& options, Host& host,
                       Observer& observer)
    : files_(files), options_(options), host_(host), observer_(observer) {}

// Opens the next file that can be; false when there is none.
Result<bool> InputChain::OpenNext() {
  while (next_ < files_.size()) {
    PADDOCK_ASSIGN(opened_, host_.Follow(files_[next_++]));
    const std::string& name = opened_;
    if (name == "-" && !options_.in_place) {
      current_ = host_.OpenStandardInput();
    } else {
      auto file = host_.Open(name);
      if (!file) {
        host_.out().Flush();
        host_.err().Write("sed: can't read " + name + ": " + std::string(file.error().Text()) + "\n");
        is_missing_file_ = true;
        continue;
      }
      current_ = std::move(*file);
    }
    PADDOCK_TRY(observer_.FileBegins(name));
    is_open_ = true;
    has_restarted_ = options_.is_separate;
    return true;
  }
  return false;
}

// Makes sure that there are bytes to read, from this file or a later one.
Result<bool> InputChain::HasMore() {
  for (;;) {
    if (is_open_) {
      if (!current_.input->at_end()) return true;
      if (!current_.input->status()) {
        return Error(Code::kIo, "read error on " + (opened_ == "-" ? "stdin" : opened_) + ": " +
                                    std::string(current_.input->status().error().Text()));
      }
      if (options_.is_separate) return false;
      PADDOCK_TRY(Close());
    }
    PADDOCK_ASSIGN(const bool is_open, OpenNext());
    if (!is_open) return false;
  }
}

Result<std::optional<Line>> InputChain::ReadLine() {
  for (;;) {
    PADDOCK_ASSIGN(const bool has_more, HasMore());
    if (has_more) break;
    if (!is_open_) return std::optional<Line>();
    PADDOCK_TRY(Close());
  }
  name_ = opened_;
  if (has_restarted_) line_number_ = 0;
  const auto line = current_.input->ReadLine(options_.delimiter);
  if (line) ++line_number_;
  return line;
}

Result<bool> InputChain::IsLast() {
  if (is_stable()) return false;
  PADDOCK_ASSIGN(const bool has_more, HasMore());
  return !has_more;
}

Status InputChain::Close() {
  if (!is_open_) return {};
  is_open_ = false;
  current_ = {};
  return observer_.FileEnds(opened_);
}

}  // namespace paddock::sed
