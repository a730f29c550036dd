#include "commands/sys/parallel_records.h"

#include <algorithm>

#include "commands/input_files.h"

namespace paddock {

void ParallelRecords::Add(Source source) {
  if (options_.end_of_input) {
    const auto end = std::find(source.values.begin(), source.values.end(), *options_.end_of_input);
    source.values.erase(end, source.values.end());
  }
  source.is_linked = source.is_linked || (options_.links && !sources_.empty());
  sources_.push_back(std::move(source));
}

bool ParallelRecords::AddFile(const std::string& name, bool is_linked) {
  auto file = InputFile::Open(in_, name);
  if (!file) {
    in_.Fail("Error: Cannot open input file `" + name + "': " + std::string(file.error().Text()) + ".");
    return false;
  }
  Source source{{}, is_linked};
  bool skips = options_.skips_first;
  while (const auto line = file->input().ReadLine(delimiter_)) {
    in_.budget.WillAllocate(line->text.size() + sizeof(std::string));
    if (!std::exchange(skips, false)) source.values.emplace_back(line->text);
  }
  Add(std::move(source));
  return true;
}

std::optional<std::string> ParallelRecords::NextLine() {
  if (is_over_) return std::nullopt;
  if (options_.skips_first && !std::exchange(has_begun_, true)) [[maybe_unused]] const auto first = in_.in.ReadLine(delimiter_);
  const auto line = in_.in.ReadLine(delimiter_);
  if (!line || (options_.end_of_input && line->text == *options_.end_of_input)) {
    is_over_ = true;
    return std::nullopt;
  }
  in_.budget.WillAllocate(line->text.size() + sizeof(Record));
  return std::string(line->text);
}

std::vector<std::string> ParallelRecords::TakeNames() {
  std::vector<std::string> names;
  if (sources_.empty()) {
    if (const auto line = NextLine()) AppendColumns(*line, names);
    return names;
  }
  for (Source& source : sources_) {
    if (source.values.empty()) continue;
    AppendColumns(source.values.front(), names);
    source.values.erase(source.values.begin());
  }
  return names;
}

void ParallelRecords::AppendColumns(const std::string& value, Record& to) {
  if (colsep_ == nullptr) return to.push_back(value);
  std::vector<RegexGroup> groups(1);
  size_t at = 0;
  while (true) {
    in_.budget.Step();
    const auto found = colsep_->Search(value, at, &groups, in_.budget);
    if (!found || !*found || groups[0].end == groups[0].begin) break;
    to.push_back(value.substr(at, groups[0].begin - at));
    at = groups[0].end;
  }
  to.push_back(value.substr(at));
}

void ParallelRecords::Trim(std::string& value) const {
  static constexpr std::string_view kBlank = " \t\r\n\v\f";
  if (options_.trim->find('r') != std::string::npos) value.erase(value.find_last_not_of(kBlank) + 1);
  if (options_.trim->find('l') != std::string::npos) value.erase(0, std::min(value.find_first_not_of(kBlank), value.size()));
}

std::optional<ParallelRecords::Record> ParallelRecords::Next() {
  const auto whole = NextWhole();
  if (!whole) return std::nullopt;
  Record record;
  for (const std::string& value : *whole) AppendColumns(value, record);
  if (!groups_.empty() && !TakeGroups(record)) return std::nullopt;
  if (options_.trim) std::for_each(record.begin(), record.end(), [&](std::string& value) { Trim(value); });
  return record;
}

bool ParallelRecords::TakeGroups(Record& record) {
  for (std::string& value : record) {
    const size_t mark = value.find('@');
    if (mark == std::string::npos || mark + 1 == value.size()) continue;
    const std::string names = value.substr(mark + 1);
    value.erase(mark);
    bool is_here = false;
    for (std::string_view rest = names; !rest.empty(); rest.remove_prefix(std::min(rest.find('+'), rest.size() - 1) + 1)) {
      is_here = is_here || std::find(groups_.begin(), groups_.end(), rest.substr(0, rest.find('+'))) != groups_.end();
    }
    if (is_here) continue;
    in_.Fail("Error: other machines are not reached: " + names);
    is_broken_ = true;
    return false;
  }
  return true;
}

std::optional<ParallelRecords::Record> ParallelRecords::NextWhole() {
  in_.budget.Step();
  if (sources_.empty()) {
    auto line = NextLine();
    return line ? std::optional(Record{std::move(*line)}) : std::nullopt;
  }
  if (at_.empty()) {
    at_.assign(sources_.size(), 0);
    for (const Source& source : sources_) is_over_ = is_over_ || source.values.empty();
  } else {
    Advance();
  }
  if (is_over_) return std::nullopt;
  Record record;
  for (size_t i = 0; i < sources_.size(); ++i) record.push_back(sources_[i].values[at_[i] % sources_[i].values.size()]);
  return record;
}

// The last source that stands for itself changes first; what is linked to it goes along.
void ParallelRecords::Advance() {
  for (size_t end = sources_.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && sources_[begin].is_linked) --begin;
    size_t longest = 0;
    for (size_t i = begin; i < end; ++i) longest = std::max(longest, sources_[i].values.size());
    for (size_t i = begin; i < end; ++i) ++at_[i];
    if (at_[begin] < longest) return;
    for (size_t i = begin; i < end; ++i) at_[i] = 0;
    end = begin;
  }
  is_over_ = true;
}

}  // namespace paddock
