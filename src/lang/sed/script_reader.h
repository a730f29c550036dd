// A sed script, byte by byte.
#pragma once

#include <string>
#include <vector>

#include "lang/sed/parser.h"

namespace paddock::sed {

// A stream of bytes that ends at each chunk, with the place for complaints.
class ScriptReader {
 public:
  static constexpr int kEnd = -1;   // of a chunk

  // They outlive it.
  explicit ScriptReader(const std::vector<ScriptChunk>& chunks) : chunks_(chunks) { Enter(); }

  int Next() {
    if (chunk_ >= chunks_.size() || at_ >= text().size()) return kEnd;
    const char c = text()[at_++];
    if (c == '\n') ++line_;
    return static_cast<unsigned char>(c);
  }
  // Undoes Next(), but for kEnd, which stays.
  void Back(int c) {
    if (c == kEnd) return;
    --at_;
    if (c == '\n') --line_;
  }
  int NextNonBlank() {
    int c = Next();
    while (c == ' ' || c == '\t') c = Next();
    return c;
  }
  bool NextChunk() {
    if (chunk_ + 1 >= chunks_.size()) return false;
    ++chunk_;
    Enter();
    return true;
  }

  size_t position() const { return at_; }
  bool is_first_chunk() const { return chunk_ == 0; }
  // The location now, or of an expression as a whole.
  std::string Location() const { return LocationAt(at_); }
  std::string LocationAt(size_t position) const {
    if (chunk_ < chunks_.size() && chunks_[chunk_].is_file) {
      return "file " + chunks_[chunk_].name + " line " + std::to_string(line_);
    }
    return "-e expression #" + std::to_string(expression_) + ", char " + std::to_string(position);
  }

 private:
  const std::string& text() const { return chunks_[chunk_].text; }
  void Enter() {
    at_ = 0;
    line_ = 1;
    if (chunk_ < chunks_.size() && !chunks_[chunk_].is_file) ++expression_;
  }

  const std::vector<ScriptChunk>& chunks_;
  size_t chunk_ = 0;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t expression_ = 0;
};

}  // namespace paddock::sed
