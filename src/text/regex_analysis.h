// What can be known of a pattern before it runs: literals to look for, whether bytes will do.
// For text/regex only.
#pragma once

#include <string>

#include "text/regex_tree.h"

namespace paddock {

struct RegexAnalysis {
  // Text that every match contains.
  std::string required;
  // The whole pattern is `required`, perhaps tied to the ends of the text.
  bool is_plain = false;
  bool plain_at_start = false;
  bool plain_at_end = false;
  // The whole pattern is a run of characters of one set, `run_min` or more of them (just one when
  // `run_is_single`), perhaps tied to the ends of the text.
  bool is_run = false;
  bool run_is_single = false;
  uint32_t run_set = 0;
  int run_min = 0;
  // Every match begins at the start of the text.
  bool is_anchored = false;
  bool is_nullable = false;
  bool has_back_references = false;
  bool has_word_assertions = false;
  // Whether text with bytes from 128 on matches in the same way when it is taken for bytes.
  bool is_byte_wise = true;
  // A group stands in a repetition where the C library and RE2 do not choose the same one of its matches.
  bool has_subtle_groups = false;
  // Instructions of the expanded program, saturating.
  size_t size = 0;
};

RegexAnalysis AnalyzeRegex(const RegexTree& tree);

// True when the node can match without taking a character.
bool IsNullable(const RegexTree& tree, uint32_t node);

}  // namespace paddock
