#include "commands/sys/parallel_lines.h"

#include <algorithm>
#include <deque>

#include "base/random.h"
#include "text/random_permutation.h"

namespace paddock {
namespace {

using Jobs = std::vector<std::vector<std::string>>;

// Calls `run` with the arguments of one command line after the other.
template <class F>
void ForEachLine(const ParallelOptions& options, ParallelJobs& jobs, ParallelRecords& records, int64_t jobs_at_once, F run_line) {
  const bool fills = options.repeats || options.multiple;
  const int64_t asked = options.replace_args.value_or(options.max_args.value_or(options.lines.value_or(fills ? 0 : 1)));
  const bool takes_none = !fills && asked == 0;   // -N0: a line for each, without it
  const size_t most = takes_none ? 1 : static_cast<size_t>(std::max<int64_t>(asked, 0));
  const size_t longest = static_cast<size_t>(std::clamp<int64_t>(options.max_chars.value_or(kLongestParallelLine), 1, kLongestParallelLine));
  std::deque<std::vector<std::string>> waiting;
  size_t bytes = 0;
  const auto run = [&](size_t count) {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < count && !waiting.empty(); ++i) {
      for (std::string& value : waiting.front()) arguments.push_back(std::move(value));
      waiting.pop_front();
    }
    if (takes_none) arguments.clear();
    const bool is_blank = !takes_none && std::all_of(arguments.begin(), arguments.end(), [](const std::string& text) {
      return text.find_first_not_of(" \t") == std::string::npos;
    });
    if (!(options.no_run_if_empty && is_blank)) run_line(std::move(arguments));
    bytes = 0;
  };
  size_t empty = 0;
  if (fills) empty = jobs.LengthWith({});
  while (!jobs.is_halted()) {
    auto record = records.Next();
    if (!record) break;
    size_t more = 0;
    for (const std::string& value : *record) more += options.max_chars ? QuoteForParallel(value).size() + 1 : 2 * value.size() + 8;
    if (most == 0 && empty + bytes + more > longest && !waiting.empty()) run(waiting.size());
    bytes += more;
    waiting.push_back(std::move(*record));
    if (most > 0 && waiting.size() >= most) run(most);
  }
  // What is left is spread over the jobs that may run at once.
  size_t share = most;
  if (most == 0 && !waiting.empty()) share = (waiting.size() + static_cast<size_t>(jobs_at_once) - 1) / static_cast<size_t>(jobs_at_once);
  while (!waiting.empty() && !jobs.is_halted()) run(share);
}

void Shuffle(Invocation& in, Jobs& lines) {
  RandomChoices choices([] {
    uint8_t byte = 0;
    FillRandom({&byte, 1});
    return byte;
  });
  for (size_t i = lines.size(); i > 1; --i) {
    in.budget.Step();
    std::swap(lines[i - 1], lines[choices.Below(i)]);
  }
}

}  // namespace

bool RunParallelArguments(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, ParallelRecords& records, int64_t jobs_at_once, bool counts) {
  bool fits = true;
  const auto start = [&](std::vector<std::string> arguments) {
    if (options.max_chars || options.stops_when_too_long) {
      const size_t length = jobs.LengthWith(arguments);
      if (static_cast<int64_t>(length) >= options.max_chars.value_or(kLongestParallelLine) && fits) {
        std::string shown;
        for (const std::string& argument : arguments) shown += (shown.empty() ? "" : " ") + argument;
        in.Fail("Error: Command line too long (" + std::to_string(length) + " >= " + std::to_string(options.max_chars.value_or(kLongestParallelLine)) +
                ") at input 0: " + shown);
        fits = false;
      }
    }
    if (fits) jobs.Add(std::move(arguments));
  };
  if (!counts && !options.shuffles) {
    ForEachLine(options, jobs, records, jobs_at_once, start);
    return fits;
  }
  Jobs lines;
  ForEachLine(options, jobs, records, jobs_at_once, [&](std::vector<std::string> arguments) {
    size_t bytes = 64;
    for (const std::string& argument : arguments) bytes += argument.size() + sizeof argument;
    in.budget.WillAllocate(bytes);
    lines.push_back(std::move(arguments));
  });
  jobs.set_total(options.total_jobs.value_or(static_cast<int64_t>(lines.size())));
  if (options.shuffles) Shuffle(in, lines);
  for (std::vector<std::string>& line : lines) {
    if (jobs.is_halted() || !fits) break;
    start(std::move(line));
  }
  return fits;
}

}  // namespace paddock
