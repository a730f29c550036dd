#include "commands/git/diff/line_guess.h"

#include <algorithm>

namespace paddock::git {
namespace {

constexpr int64_t kLeastAnywhere = 10;   // pairs that lines have to share, when they are not near each other
constexpr size_t kReach = 10;            // lines within a run are not looked for further away than this
constexpr int64_t kNearness = 1000;      // likeness is counted in these, one less for each line away

size_t Distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

// The old line that lies where a new one does, when both runs are stretched over each other.
size_t Opposite(const ChangedLines& run, size_t new_line) { return ((new_line - run.new_begin) * 2 + 1) * run.old_count / (run.new_count * 2) + run.old_begin; }

size_t Reach(const ChangedLines& run) { return std::min(kReach, run.old_count - 1); }

}  // namespace

LineGuesser::LineGuesser(const std::vector<std::string_view>& old_lines, const std::vector<std::string_view>& new_lines, Budget& budget) : budget_(budget) {
  for (const auto& [lines, prints] : {std::pair{&old_lines, &old_}, std::pair{&new_lines, &new_}}) {
    for (const std::string_view line : *lines) {
      budget.Step(static_cast<int64_t>(1 + line.size() / 4));
      budget.WillAllocate(8 * line.size() + 32);
      prints->push_back(PrintOf(line));
    }
  }
}

LineGuesser::Print LineGuesser::PrintOf(std::string_view line) {
  std::vector<uint16_t> pairs;
  uint16_t before = 0;
  for (size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    const auto now = static_cast<uint16_t>(is_blank ? 0 : static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    const auto pair = static_cast<uint16_t>(before | now << 8);
    if (pair != 0) pairs.push_back(pair);
    before = now;
  }
  std::sort(pairs.begin(), pairs.end());
  Print print;
  for (const uint16_t pair : pairs) {
    if (print.empty() || print.back().first != pair) print.emplace_back(pair, 0);
    ++print.back().second;
  }
  return print;
}

int64_t LineGuesser::Likeness(const Print& a, const Print& b) {
  budget_.Step(static_cast<int64_t>(1 + (a.size() + b.size()) / 16));
  int64_t shared = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first == j->first) shared += std::min((i++)->second, (j++)->second);
    else if (i->first < j->first) ++i;
    else ++j;
  }
  return shared;
}

void LineGuesser::Subtract(Print& from, const Print& what) {
  auto taken = what.begin();
  std::erase_if(from, [&](auto& pair) {
    while (taken != what.end() && taken->first < pair.first) ++taken;
    if (taken == what.end() || taken->first != pair.first) return false;
    if (pair.second <= taken->second) return true;
    pair.second -= taken->second;
    return false;
  });
}

std::optional<size_t> LineGuesser::FindAnywhere(size_t new_line) {
  int64_t best = kLeastAnywhere;
  std::optional<size_t> found;
  for (size_t i = 0; i < old_.size(); ++i) {
    const int64_t likeness = Likeness(new_[new_line], old_[i]);
    if (likeness < best || (likeness == best && found && Distance(*found, new_line) < Distance(i, new_line))) continue;
    best = likeness;
    found = i;
  }
  return found;
}

// The two lines of the part that are most like it. A line that is like two others is less certain.
void LineGuesser::Look(const ChangedLines& whole, const ChangedLines& part, size_t new_line, Match& match) {
  if (match.state != Match::State::kUnknown) return;
  const size_t near = Opposite(whole, new_line), reach = Reach(whole);
  const size_t begin = std::max(part.old_begin, near - std::min(near, reach)), end = std::min(part.old_begin + part.old_count, near + reach + 1);
  int64_t best = 0, second = 0;
  match.best = match.second = part.old_begin;
  for (size_t i = begin; i < end; ++i) {
    const int64_t likeness = Likeness(new_[new_line], old_[i]) * (kNearness - static_cast<int64_t>(Distance(i, near)));
    if (likeness > best) {
      second = best;
      match.second = match.best;
      best = likeness;
      match.best = i;
    } else if (likeness > second) {
      second = likeness;
      match.second = i;
    }
  }
  match.state = best == 0 ? Match::State::kNothing : Match::State::kFound;
  match.certainty = 2 * best - second;
}

// The most certain line first; those before and behind it then have to be before and behind what it matched.
void LineGuesser::MatchInOrder(const ChangedLines& whole, std::vector<Match>& matches) {
  const size_t reach = ((2 * Reach(whole) + 1) * whole.new_count - 1) / whole.old_count;   // new lines that a choice may concern
  std::vector<ChangedLines> parts = {whole};
  while (!parts.empty()) {
    const ChangedLines part = parts.back();
    parts.pop_back();
    const auto match_of = [&](size_t new_line) -> Match& { return matches[new_line - whole.new_begin]; };
    std::optional<size_t> chosen;
    for (size_t i = part.new_begin; i < part.new_begin + part.new_count; ++i) {
      budget_.Step();
      Look(whole, part, i, match_of(i));
      if (match_of(i).state == Match::State::kFound && (!chosen || match_of(i).certainty > match_of(*chosen).certainty)) chosen = i;
    }
    if (!chosen) continue;
    const size_t old_line = match_of(*chosen).best;
    Subtract(old_[old_line], new_[*chosen]);
    const size_t begin = std::max(part.new_begin, *chosen - std::min(*chosen, reach)), end = std::min(part.new_begin + part.new_count, *chosen + reach + 1);
    for (size_t i = begin; i < end; ++i) {
      budget_.Step();
      Match& other = match_of(i);
      if (i == *chosen || other.state != Match::State::kFound) continue;
      const bool contradicts = i < *chosen ? other.best >= old_line || other.second >= old_line : other.best <= old_line || other.second <= old_line;
      if (contradicts) other.state = Match::State::kUnknown;
    }
    if (*chosen + 1 < part.new_begin + part.new_count) parts.push_back({old_line, part.old_begin + part.old_count - old_line, *chosen + 1, part.new_begin + part.new_count - *chosen - 1});
    if (*chosen > part.new_begin) parts.push_back({part.old_begin, old_line + 1 - part.old_begin, part.new_begin, *chosen - part.new_begin});
  }
}

std::vector<std::optional<size_t>> LineGuesser::Guess(const ChangedLines& run) {
  std::vector<Match> matches(run.new_count);
  if (run.old_count > 0 && run.new_count > 0) MatchInOrder(run, matches);
  std::vector<std::optional<size_t>> lines;
  for (size_t i = 0; i < run.new_count; ++i) {
    if (matches[i].state == Match::State::kFound) lines.emplace_back(matches[i].best);
    else lines.push_back(FindAnywhere(run.new_begin + i));
  }
  return lines;
}

}  // namespace paddock::git
