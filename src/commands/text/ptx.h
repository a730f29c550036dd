// The words that ptx finds, and the lines that it makes of them. For ptx only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/stream.h"
#include "text/regex.h"

namespace paddock::ptx {

enum class Format { kDefault, kPlain, kRoff, kTex };

struct Settings {
  bool has_auto_references = false;
  bool has_references = false;
  bool puts_references_right = false;
  bool is_traditional = false;
  Format format = Format::kDefault;
  int64_t gap = 3, width = 72;
  std::string truncation = "/", macro = "xx";
  bool shows_references() const { return has_auto_references || has_references; }
};

// A part of a file's text.
struct Span {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

struct Text {
  std::string name;        // empty for standard input
  std::string bytes;
  int64_t lines = 0;       // that end before the last word
};

struct Occurrence {
  size_t file = 0;
  Span key;
  Span context;            // the line or sentence around it
  int64_t reference = 0;   // where its line begins; with automatic references the number of the line
};

inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What a word is: runs of certain bytes, or what an expression matches.
class WordFinder {
 public:
  std::array<bool, 256> is_part{};
  std::optional<Regex> regex;      // takes precedence
  std::optional<Regex> anchored;   // the same at the beginning only; absent where that cannot be written

  // The first word in `text` from `at` on.
  std::optional<Span> Next(std::string_view text, int64_t at, Budget& budget);
  // Where the word, or the single other byte, that stands at `at` ends.
  int64_t Skip(std::string_view text, int64_t at, int64_t limit, Budget& budget);
  // Whether an expression took too long.
  const Status& status() const { return status_; }

 private:
  bool Has(std::string_view text, int64_t at) const { return is_part[static_cast<unsigned char>(text[static_cast<size_t>(at)])]; }
  std::optional<Span> Match(const Regex& with, std::string_view text, Budget& budget);

  std::vector<RegexGroup> groups_ = std::vector<RegexGroup>(1);
  Status status_;
};

struct Index {
  std::vector<Text> texts;
  std::vector<Occurrence> found;
  int64_t longest_word = 0, reference_width = 0;
};

// Writes a line for each occurrence, in their order.
void WriteIndex(const Index& index, const Settings& settings, WordFinder& words, Output& out, Budget& budget);

}  // namespace paddock::ptx
