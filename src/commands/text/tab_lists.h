// What expand and unexpand have in common.
#pragma once

#include "commands/input_files.h"

namespace paddock {

inline constexpr const char* kTabListDetails =
    "\nThe last position of a list may have a prefix: '/' for a tab size after the last explicit stop, '+' for\n"
    "one that is counted from that stop.\n";

// Hands the inputs to `converter` in pieces, which cost a step for `bytes_a_step` bytes, until the output takes no more.
template <class Converter>
ExitStatus FeedInputs(Invocation& in, const std::vector<std::string>& operands, Converter& converter, size_t bytes_a_step) {
  return ForEachInput(in, operands, [&](InputFile& file) {
    Input& input = file.input();
    for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
      converter.Feed(bytes);
      in.budget.Step(static_cast<int64_t>(bytes.size() / bytes_a_step));
      input.Consume(bytes.size());
      if (!in.out.status()) break;
    }
    return true;
  });
}

}  // namespace paddock
