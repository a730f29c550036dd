#include "commands/sys/parallel_pipe.h"

#include <algorithm>
#include <charconv>

#include "commands/input_files.h"
#include "proc/process.h"
#include "text/date/duration.h"

namespace paddock {

uint64_t ParseParallelSize(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0 || value > (1ull << 40)) return 0;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  if (unit.size() > 1) return 0;
  switch (unit[0]) {
    case 'K': return value << 10;
    case 'k': return value * 1000;
    case 'M': return value << 20;
    case 'm': return value * 1000000;
    case 'G': return value << 30;
    case 'g': return value * 1000000000;
    default: return 0;
  }
}

namespace {

constexpr size_t kLongestWhole = 512u << 20;

std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const char meant = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next == '0' ? '\0' : next == '\\' ? '\\' : 'x';
    if (next != '\0' && meant != 'x') {
      out += meant;
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Cuts a stream into records that end with --recend or begin with --recstart.
class RecordReader {
 public:
  RecordReader(Invocation& in, const ParallelOptions& options, Input& input) : in_(in), options_(options), input_(input) {
    const bool is_plain = !options.record_start && !options.record_end;
    start_ = Unescaped(options.record_start.value_or(""));
    end_ = is_plain ? "\n" : Unescaped(options.record_end.value_or(""));
    is_lines_ = start_.empty() && end_ == "\n";
  }

  // False: told.
  bool Prepare() {
    if (options_.group_by) return PrepareGroups();
    if (!options_.is_regexp) return true;
    const std::string pattern = "(" + options_.record_end.value_or(options_.record_start ? "" : "\\n") + ")(?=" + options_.record_start.value_or("") + ")";
    auto compiled = Regex::Compile(pattern, {.dialect = RegexDialect::kPerl, .is_utf8 = false});
    if (!compiled) return Told("Error: --recstart/--recend: " + std::string(compiled.error().Text()));
    regex_.emplace(std::move(*compiled));
    return true;
  }

  // The next record; its separators are gone with --rrs.
  std::optional<std::string> Next() {
    in_.budget.Step();
    if (options_.lines) return NextLines();
    if (options_.group_by) return NextGroup();
    if (regex_) return NextByPattern();
    if (is_lines_) {
      const auto line = input_.ReadLine();
      if (!line) return std::nullopt;
      return std::string(line->text) + (line->is_terminated && !options_.removes_separators ? "\n" : "");
    }
    return NextByText();
  }

  // Lines of -L that are fewer than asked for stood at the end.
  bool is_short() const { return is_short_; }

 private:
  bool Told(std::string_view text) {
    in_.Fail(text);
    return false;
  }

  bool PrepareGroups() {
    const std::string& column = *options_.group_by;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), group_column_);
    if (error != std::errc() || end != column.data() + column.size() || group_column_ == 0) {
      return Told("Error: --group-by " + column + ": a column is a number here");
    }
    auto compiled = Regex::Compile(options_.colsep.value_or("[\\t,;|]"), {.dialect = RegexDialect::kPerl, .is_utf8 = in_.locale.is_utf8});
    if (!compiled) return Told("Error: --colsep: " + std::string(compiled.error().Text()));
    regex_.emplace(std::move(*compiled));
    return true;
  }

  std::string Column(std::string_view line) {
    std::vector<RegexGroup> groups(1);
    size_t at = 0;
    for (size_t column = 1;; ++column) {
      in_.budget.Step();
      const auto found = regex_->Search(line, at, &groups, in_.budget);
      const bool is_last = !found || !*found || groups[0].end == groups[0].begin;
      if (column == group_column_) return std::string(line.substr(at, is_last ? std::string_view::npos : groups[0].begin - at));
      if (is_last) return {};
      at = groups[0].end;
    }
  }

  std::optional<std::string> NextGroup() {
    std::string group = std::exchange(ahead_, {});
    while (const auto line = input_.ReadLine()) {
      in_.budget.Step();
      std::string value = Column(line->text);
      std::string text = std::string(line->text) + (line->is_terminated ? "\n" : "");
      const bool is_same = !group_value_ || *group_value_ == value;
      group_value_ = std::move(value);
      if (!is_same) {
        ahead_ = std::move(text);
        return group;
      }
      in_.budget.WillAllocate(text.size());
      group += text;
    }
    return group.empty() ? std::nullopt : std::optional(std::move(group));
  }

  std::optional<std::string> NextLines() {
    std::string record;
    int64_t count = 0;
    while (count < *options_.lines) {
      const auto line = input_.ReadLine();
      if (!line) break;
      in_.budget.Step();
      in_.budget.WillAllocate(line->text.size());
      record += line->text;
      if (line->is_terminated) record += '\n';
      ++count;
    }
    is_short_ = count < *options_.lines;
    return count == 0 ? std::nullopt : std::optional(std::move(record));
  }

  bool Fill() {
    const std::string_view block = input_.Peek();
    if (block.empty()) return false;
    in_.budget.WillAllocate(buffer_.size() + block.size());
    buffer_.erase(0, std::exchange(at_, 0));
    buffer_ += block;
    input_.Consume(block.size());
    return true;
  }

  std::optional<std::string> Take(size_t size, bool has_end) {
    std::string record = buffer_.substr(at_, size);
    at_ += size;
    if (options_.removes_separators) {
      if (has_end && !end_.empty() && record.ends_with(end_)) record.resize(record.size() - end_.size());
      if (!start_.empty() && record.starts_with(start_)) record.erase(0, start_.size());
    }
    return record;
  }

  std::optional<std::string> NextByText() {
    const std::string border = end_ + start_;
    size_t from = 1;   // a record is not empty
    while (true) {
      in_.budget.Step();
      const size_t found = border.empty() ? std::string::npos : buffer_.find(border, at_ + (end_.empty() ? from : from - 1));
      if (found != std::string::npos) return Take(found + end_.size() - at_, true);
      const size_t known = buffer_.size() - at_;
      from = std::max<size_t>(1, known > border.size() ? known - border.size() : 1);
      if (!Fill()) return known == 0 ? std::nullopt : Take(known, true);
    }
  }

  std::optional<std::string> NextByPattern() {
    while (!is_whole_) {   // a match may reach as far as the input does
      is_whole_ = !Fill();
      if (buffer_.size() > kLongestWhole) is_whole_ = true;
    }
    if (at_ >= buffer_.size()) return std::nullopt;
    std::vector<RegexGroup> groups(2);
    size_t from = at_;
    while (true) {
      in_.budget.Step();
      const auto found = regex_->Search(buffer_, from, &groups, in_.budget);
      if (!found || !*found || !groups[1].is_set()) return Take(buffer_.size() - at_, false);
      if (groups[1].end > at_) {
        std::string record = buffer_.substr(at_, (options_.removes_separators ? groups[1].begin : groups[1].end) - at_);
        at_ = groups[1].end;
        return record;
      }
      from = std::max(groups[1].end, from + 1);
      if (from > buffer_.size()) return Take(buffer_.size() - at_, false);
    }
  }

  Invocation& in_;
  const ParallelOptions& options_;
  Input& input_;
  std::string start_, end_, buffer_, ahead_;
  std::optional<Regex> regex_;
  std::optional<std::string> group_value_;
  size_t at_ = 0, group_column_ = 0;
  bool is_lines_ = false, is_whole_ = false, is_short_ = false;
};

// What --header says stands in front of each block.
bool ReadHead(Invocation& in, const ParallelOptions& options, Input& input, std::string& head) {
  if (!options.header) return true;
  int64_t lines = 0;
  const std::string& header = *options.header;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), lines);
  const bool is_number = error == std::errc() && end == header.data() + header.size();
  if (header == ":") lines = 1;
  if (header == ":" || is_number) {
    for (int64_t i = 0; i < lines; ++i) {
      const auto line = input.ReadLine();
      if (!line) break;
      in.budget.WillAllocate(line->text.size());
      head += std::string(line->text) + (line->is_terminated ? "\n" : "");
    }
    return true;
  }
  // A pattern that matches the front of the input.
  const auto compiled = Regex::Compile("\\A(?:" + header + ")", {.dialect = RegexDialect::kPerl, .is_utf8 = false, .newline_is_text = false});
  if (!compiled) return in.Fail("Error: --header " + header + ": " + std::string(compiled.error().Text())), false;
  const std::string_view block = input.Peek();
  std::vector<RegexGroup> groups(1);
  const auto found = compiled->Search(block, 0, &groups, in.budget);
  if (found && *found) {
    head = block.substr(0, groups[0].end);
    input.Consume(groups[0].end);
  }
  return true;
}

// False when nothing came on standard input until then.
bool WaitForInput(Invocation& in, Input& input, Nanoseconds until) {
  constexpr Nanoseconds kPoll = std::chrono::milliseconds(20);
  const vfs::OpenFilePtr& file = in.process.descriptors().Get(0);
  while (&input == &in.in && file != nullptr && !input.has_buffered() && !file->IsReadReady()) {
    const Nanoseconds now = in.clock.MonotonicNow();
    if (now >= until) return false;
    if (!in.kernel.Sleep(in.process, std::min(until, now + kPoll))) return true;
  }
  return true;
}

bool RunBlocks(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, Input& input, size_t block_size, int64_t jobs_at_once) {
  std::string head;
  if (!ReadHead(in, options, input, head)) return false;
  RecordReader reader(in, options, input);
  if (!reader.Prepare()) return false;
  const int64_t records = options.replace_args.value_or(options.max_args.value_or(0));
  std::vector<std::string> robins(options.round_robin ? static_cast<size_t>(jobs_at_once) : 0);
  size_t next_robin = 0;
  const auto emit = [&](std::string block) {
    if (robins.empty()) return jobs.Add({}, head + std::move(block));
    std::string& robin = robins[next_robin++ % robins.size()];
    in.budget.WillAllocate(robin.size() + block.size());
    robin += block;
  };
  std::string block;
  int64_t count = 0;
  const double patience = options.block_timeout ? ParseDuration(*options.block_timeout).value_or(0) : 0;
  Nanoseconds until = in.clock.MonotonicNow() + ToNanoseconds(patience);
  while (!jobs.is_halted()) {
    if (patience > 0 && !WaitForInput(in, input, until)) {
      if (!block.empty()) emit(std::exchange(block, {}));
      until = in.clock.MonotonicNow() + ToNanoseconds(patience);
      continue;
    }
    auto record = reader.Next();
    if (!record) break;
    // A block ends with the last record that fits.
    const bool is_full = records == 0 && !block.empty() && (block.size() + record->size() > block_size || reader.is_short());
    if (is_full) emit(std::exchange(block, {}));
    in.budget.WillAllocate(block.size() + record->size());
    block += *record;
    if (records > 0 && ++count % records == 0) emit(std::exchange(block, {}));
  }
  if (!block.empty()) emit(std::move(block));
  for (std::string& robin : robins) {
    if (!robin.empty()) jobs.Add({}, head + std::move(robin));
  }
  return true;
}

}  // namespace

bool RunParallelPipe(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, int64_t jobs_at_once) {
  const uint64_t block_size = ParseParallelSize(options.block);
  if (block_size == 0) return in.Fail("Error: --block-size must be a number."), false;
  if (options.files.empty()) return RunBlocks(in, options, jobs, in.in, block_size, jobs_at_once);
  auto file = InputFile::Open(in, options.files.front());
  if (!file) {
    in.Fail("Error: Cannot open input file `" + options.files.front() + "': " + std::string(file.error().Text()) + ".");
    return false;
  }
  return RunBlocks(in, options, jobs, file->input(), block_size, jobs_at_once);
}

bool RunParallelPipePart(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, const std::string& name, int64_t jobs_at_once) {
  const auto facts = in.fs.Stat(name);
  auto file = InputFile::Open(in, name);
  if (!facts || !file) {
    in.Fail("Error: File not found: " + name);
    return false;
  }
  if (facts->type != vfs::FileType::kFile) return in.Fail("Error: --pipepart only works on seekable files (not streams/pipes)."), false;
  int64_t parts = 0;
  uint64_t block_size = 0;
  const std::string block = options.has_block ? options.block : "-10";
  if (block.starts_with('-') && std::from_chars(block.data() + 1, block.data() + block.size(), parts).ec == std::errc() && parts > 0) {
    block_size = facts->size / static_cast<uint64_t>(parts * jobs_at_once) + 1;
  } else {
    block_size = ParseParallelSize(block);
  }
  if (block_size == 0) return in.Fail("Error: --block-size must be a number."), false;
  std::string head;
  if (!ReadHead(in, options, file->input(), head)) return false;
  RecordReader reader(in, options, file->input());
  if (!reader.Prepare()) return false;
  // A part ends with the record that reaches over its border.
  std::string part;
  while (!jobs.is_halted()) {
    auto record = reader.Next();
    if (!record) break;
    in.budget.WillAllocate(part.size() + record->size());
    part += *record;
    if (part.size() > block_size) jobs.Add({}, head + std::exchange(part, {}));
  }
  if (!part.empty()) jobs.Add({}, head + std::move(part));
  return true;
}

bool RunParallelBins(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, int64_t jobs_at_once) {
  const std::string& column = options.bin ? *options.bin : *options.shard;
  size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error != std::errc() || end != column.data() + column.size() || number == 0) {
    return in.Fail(std::string("Error: --") + (options.bin ? "bin " : "shard ") + column + ": a column is a number here"), false;
  }
  const auto separator = Regex::Compile(options.colsep.value_or(","), {.dialect = RegexDialect::kPerl, .is_utf8 = in.locale.is_utf8});
  if (!separator) return in.Fail("Error: --colsep: " + std::string(separator.error().Text())), false;
  std::string head;
  if (!ReadHead(in, options, in.in, head)) return false;
  const auto count = static_cast<size_t>(jobs_at_once);
  std::vector<std::string> bins(count);
  std::vector<RegexGroup> groups(1);
  while (const auto line = in.in.ReadLine()) {
    in.budget.Step();
    std::string_view value = line->text;
    for (size_t i = 1; i <= number; ++i) {
      const auto found = separator->Search(value, 0, &groups, in.budget);
      const bool is_last = !found || !*found || groups[0].end == groups[0].begin;
      if (i == number) value = value.substr(0, is_last ? value.size() : groups[0].begin);
      else value = is_last ? std::string_view() : value.substr(groups[0].end);
    }
    size_t place = 0;
    if (options.bin) {
      // Perl's number of a text, and its remainder, which has the sign of the divisor. 0 is the last job.
      const auto whole = static_cast<int64_t>(std::clamp(std::strtod(std::string(value).c_str(), nullptr), -9e15, 9e15));
      const int64_t rest = (whole % jobs_at_once + jobs_at_once) % jobs_at_once;
      place = static_cast<size_t>(rest == 0 ? jobs_at_once - 1 : rest - 1);
    } else {
      place = std::hash<std::string_view>()(value) % count;
    }
    in.budget.WillAllocate(line->text.size() + 1);
    bins[place] += std::string(line->text) + (line->is_terminated ? "\n" : "");
  }
  for (std::string& bin : bins) jobs.Add({}, head + std::move(bin));
  return true;
}

bool RunParallelTee(Invocation& in, ParallelJobs& jobs, ParallelRecords& records) {
  std::string all;
  while (true) {
    const std::string_view block = in.in.Peek();
    if (block.empty()) break;
    in.budget.WillAllocate(all.size() + block.size());
    all += block;
    in.in.Consume(block.size());
  }
  while (!jobs.is_halted()) {
    auto record = records.Next();
    if (!record) break;
    jobs.Add(std::move(*record), all);
  }
  return true;
}

}  // namespace paddock
