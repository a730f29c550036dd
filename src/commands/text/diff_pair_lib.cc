#include <algorithm>
#include <array>
#include <cstring>

#include "base/budget.h"
#include "commands/text/diff_pair.h"
#include "text/byte_count.h"

namespace paddock {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view TrimEnd(std::string_view line) {
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  return line;
}

// A line in the form in which lines that count as equal are the same.
void AppendCanonical(std::string_view line, const DiffRules& rules, std::string& out) {
  if (rules.space >= DiffSpace::kTrailing) line = TrimEnd(line);
  if (rules.space == DiffSpace::kAll) {
    const size_t begin = out.size();
    out.resize(begin + line.size());
    char* at = out.data() + begin;
    for (const char c : line) {
      *at = rules.ignore_case ? Lower(c) : c;
      at += IsSpace(c) ? 0 : 1;
    }
    out.resize(static_cast<size_t>(at - out.data()));
    return;
  }
  size_t column = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (IsSpace(c)) {
      if (rules.space == DiffSpace::kChange) {
        while (i + 1 < line.size() && IsSpace(line[i + 1])) ++i;
        c = ' ';
      } else if (c == '\t' && rules.space == DiffSpace::kTabs) {
        const size_t spaces = rules.tab_size - column % rules.tab_size;
        out.append(spaces, ' ');
        column += spaces;
        continue;
      }
    }
    column = c == '\b' ? (column > 0 ? column - 1 : 0) : c == '\r' ? 0 : column + 1;
    out += rules.ignore_case ? Lower(c) : c;
  }
}

// A hash that takes eight bytes at a time.
uint64_t HashOf(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15ull;
  uint64_t hash = text.size() * kFactor;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  };
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  return hash;
}

// Numbers strings in the order in which they are first seen. Keeps views.
class StringNumbers {
 public:
  StringNumbers(size_t expected, Budget& budget) : budget_(budget) {
    size_t size = 16;
    while (size < expected) size *= 2;   // of two texts that are much alike half are the same
    budget.WillAllocate(size * sizeof(Slot) + expected * sizeof(std::string_view));
    slots_.resize(size);
    names_.reserve(expected);
  }
  struct Found {
    uint32_t number;
    bool is_new;
  };
  Found Find(std::string_view name) { return Find(name, HashOf(name)); }
  // The same for a hash that is known. The table is far larger than the processor's cache: Prefetch() a little earlier hides the wait.
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1); }
  Found Find(std::string_view name, uint64_t hash) {
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.number == kFree) {
        if (names_.size() * 4 >= slots_.size() * 3) {
          Grow();
          return Find(name, hash);
        }
        slot = {tag, static_cast<uint32_t>(names_.size())};
        names_.push_back(name);
        return {slot.number, true};
      }
      if (slot.tag == tag && names_[slot.number] == name) return {slot.number, false};
      budget_.Step();
    }
  }
  uint32_t count() const { return static_cast<uint32_t>(names_.size()); }
  // The string that was new last lies elsewhere from now on.
  void MoveLast(std::string_view name) { names_.back() = name; }

 private:
  void Grow() {
    const size_t size = slots_.size() * 2;
    budget_.WillAllocate(size * sizeof(Slot));
    slots_.assign(size, {});
    for (uint32_t number = 0; number < names_.size(); ++number) {
      budget_.Step();
      const uint64_t hash = HashOf(names_[number]);
      size_t i = hash & (size - 1);
      while (slots_[i].number != kFree) i = (i + 1) & (size - 1);
      slots_[i] = {static_cast<uint32_t>(hash >> 32), number};
    }
  }

  static constexpr uint32_t kFree = 0xffffffff;
  struct Slot {
    uint32_t tag = 0;
    uint32_t number = kFree;
  };
  Budget& budget_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> names_;
};

// Numbers the lines of both texts so that equal ones have equal numbers.
class Classifier {
 public:
  Classifier(const DiffRules& rules, size_t line_count, Budget& budget)
      : rules_(rules), budget_(budget), numbers_(line_count, budget) {}

  std::vector<uint32_t> Number(const DiffText& text, size_t begin, size_t end) {
    std::vector<uint32_t> numbers;
    numbers.reserve(end - begin);
    const bool is_plain = rules_.space == DiffSpace::kExact && !rules_.ignore_case;
    const bool tells_newline = rules_.keeps_missing_newline && rules_.space < DiffSpace::kTrailing;
    constexpr size_t kAhead = 16;
    // Of the next lines, by their number modulo kAhead.
    std::array<uint64_t, kAhead> hashes{};
    std::array<std::string, kAhead> forms;
    const auto is_cut = [&](size_t i) { return tells_newline && !text.is_terminated(i); };
    const auto form_of = [&](size_t i) { return is_plain && !is_cut(i) ? text.line(i) : std::string_view(forms[i % kAhead]); };
    const auto look_ahead = [&](size_t i) {
      if (i >= end) return;
      if (!is_plain || is_cut(i)) {
        std::string& form = forms[i % kAhead];
        form.clear();
        AppendCanonical(text.line(i), rules_, form);
        if (is_cut(i)) form += '\n';   // no other line has one
      }
      hashes[i % kAhead] = HashOf(form_of(i));
      numbers_.Prefetch(hashes[i % kAhead]);
    };
    for (size_t i = begin; i < std::min(begin + kAhead, end); ++i) look_ahead(i);
    for (size_t i = begin; i < end; ++i) {
      budget_.Step(1 + static_cast<int64_t>(text.line(i).size() / 32));
      const std::string_view form = form_of(i);
      const auto [number, is_new] = numbers_.Find(form, hashes[i % kAhead]);
      numbers.push_back(number);
      if (is_new && (!is_plain || is_cut(i))) numbers_.MoveLast(Keep(form));
      look_ahead(i + kAhead);
    }
    return numbers;
  }
  uint32_t count() const { return numbers_.count(); }

 private:
  std::string_view Keep(std::string_view form) {
    constexpr size_t kChunk = 64 << 10;
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < form.size()) {
      chunks_.emplace_back().reserve(std::max(kChunk, form.size()));
    }
    std::string& chunk = chunks_.back();
    const size_t begin = chunk.size();
    chunk += form;
    return std::string_view(chunk).substr(begin);
  }

  const DiffRules& rules_;
  Budget& budget_;
  StringNumbers numbers_;
  std::vector<std::string> chunks_;   // of forms, each as long as it may get without moving
};

// How many lines at both ends are the same to the byte, less those that hunks may want to show.
struct CommonEnds {
  size_t prefix = 0;
  size_t suffix = 0;
};

CommonEnds FindCommonEnds(const DiffText& a, const DiffText& b, const DiffRules& rules) {
  CommonEnds ends;
  const size_t shorter = std::min(a.size(), b.size());
  const auto are_same = [&](size_t i, size_t j) {
    return a.line(i) == b.line(j) &&
           (!rules.keeps_missing_newline || a.is_terminated(i) == b.is_terminated(j));
  };
  while (ends.prefix < shorter && are_same(ends.prefix, ends.prefix)) ++ends.prefix;
  ends.prefix -= std::min(ends.prefix, rules.context);
  const size_t most = shorter - ends.prefix;
  if (rules.keeps_missing_newline && a.lacks_newline() != b.lacks_newline()) return ends;
  while (ends.suffix < most && are_same(a.size() - 1 - ends.suffix, b.size() - 1 - ends.suffix)) ++ends.suffix;
  ends.suffix -= std::min(ends.suffix, rules.context);
  return ends;
}

}  // namespace

DiffText::DiffText(std::string text) : text_(std::move(text)) {
  lines_.reserve(CountByte(text_, '\n') + 1);
  std::string_view rest = text_;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      lines_.push_back(rest);
      lacks_newline_ = true;
      return;
    }
    lines_.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
}

DiffPair::DiffPair(const DiffText& a, const DiffText& b, const DiffRules& rules, Budget& budget)
    : a_(a), b_(b), rules_(rules), budget_(budget) {
  const CommonEnds ends = FindCommonEnds(a, b, rules);
  Classifier classifier(rules, a.size() + b.size() - 2 * (ends.prefix + ends.suffix), budget);
  const auto x = classifier.Number(a, ends.prefix, a.size() - ends.suffix);
  const auto y = classifier.Number(b, ends.prefix, b.size() - ends.suffix);
  edits_ = FindDiff(x, y, classifier.count(), rules.minimal, budget);
  for (DiffEdit& edit : edits_) {
    edit.a_begin += ends.prefix;
    edit.b_begin += ends.prefix;
  }
}

bool DiffPair::IsIgnored(std::string_view line) const {
  if (rules_.ignore_blank_lines) {
    std::string_view rest = line;
    if (rules_.space >= DiffSpace::kTrailing) rest = TrimEnd(rest);
    if (rest.empty()) return true;
  }
  if (rules_.ignored == nullptr) return false;
  const auto found = rules_.ignored->Search(line, 0, nullptr, budget_);
  return found && *found;
}

DiffHunk DiffPair::MakeHunk(const DiffEdit* begin, const DiffEdit* end) const {
  DiffHunk hunk{begin, end, {begin->a_begin, begin->b_begin}, {(end - 1)->a_end(), (end - 1)->b_end()}, {}};
  size_t deleted = 0;
  size_t inserted = 0;
  bool is_ignored = rules_.ignore_blank_lines || rules_.ignored != nullptr;
  for (const DiffEdit* edit = begin; edit != end; ++edit) {
    deleted += edit->a_count;
    inserted += edit->b_count;
    for (size_t i = edit->a_begin; is_ignored && i < edit->a_end(); ++i) is_ignored = IsIgnored(a_.line(i));
    for (size_t i = edit->b_begin; is_ignored && i < edit->b_end(); ++i) is_ignored = IsIgnored(b_.line(i));
  }
  hunk.change = is_ignored                     ? DiffChange::kNone
                : deleted > 0 && inserted > 0 ? DiffChange::kBoth
                : deleted > 0                 ? DiffChange::kOld
                                              : DiffChange::kNew;
  return hunk;
}

bool DiffPair::HasChanges() const {
  if (!rules_.ignore_blank_lines && rules_.ignored == nullptr) return !edits_.empty();
  return std::any_of(edits_.begin(), edits_.end(), [this](const DiffEdit& edit) {
    return MakeHunk(&edit, &edit + 1).change != DiffChange::kNone;
  });
}

}  // namespace paddock
