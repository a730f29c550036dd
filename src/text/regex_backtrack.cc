#include "text/regex_backtrack.h"

#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "text/regex_analysis.h"

namespace paddock {
namespace {

using Kind = RegexNode::Kind;

// Steps of one search with back-references; a second or so.
constexpr uint64_t kMaxSteps = 50'000'000;
// States remembered with back-references; a power of two.
constexpr size_t kMaxTable = size_t{1} << 22;
constexpr size_t kNone = std::string_view::npos;

enum class Op : uint8_t {
  kLiteral,   // literals[x, x + y)
  kSet,       // sets[x]
  kSplit,     // first x, then y; `number` among the splits
  kLoop,      // the same, at the head of a repetition that can be empty; `extra` is its register
  kJump,      // x
  kOpen,      // group x begins
  kClose,     // group x ends; `extra` is 1 when the group may be left out
  kAssert,    // Assertion x
  kBackReference,
  kMatch,
};

}  // namespace

struct BacktrackMatcher::Instruction {
  Op op;
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t number = 0;
  uint32_t extra = 0;
};

// --- compiling ---------------------------------------------------------------------------------------

class BacktrackMatcher::Compiler {
 public:
  explicit Compiler(BacktrackMatcher& matcher) : matcher_(matcher), tree_(matcher.tree_) {}

  void Run() {
    Emit(tree_.root);
    Add({Op::kMatch});
    std::vector<bool> seen(matcher_.program_.size());
    matcher_.has_first_bytes_ = CollectFirst(seen);
  }

 private:
  std::vector<Instruction>& program() { return matcher_.program_; }
  uint32_t next() { return static_cast<uint32_t>(program().size()); }
  uint32_t Add(Instruction instruction) {
    program().push_back(instruction);
    return next() - 1;
  }
  uint32_t AddSplit() { return Add({Op::kSplit, 0, 0, matcher_.split_count_++}); }

  // Which groups are marked as optional follows the C library: the body of a repetition past the copies that
  // must be there, but a copy forgets the marks inside it and only the first optional one is marked.
  enum class Copy { kOriginal, kMarkedOriginal, kDuplicate, kMarkedDuplicate };

  void Emit(uint32_t index, Copy copy = Copy::kOriginal) {
    const bool is_optional = copy == Copy::kMarkedOriginal || copy == Copy::kMarkedDuplicate;
    const bool is_duplicate = copy == Copy::kDuplicate || copy == Copy::kMarkedDuplicate;
    const Copy inside = is_duplicate ? Copy::kDuplicate : Copy::kOriginal;
    const RegexNode& node = tree_.at(index);
    switch (node.kind) {
      case Kind::kEmpty: break;
      case Kind::kLiteral: Add({Op::kLiteral, node.value, static_cast<uint32_t>(node.min)}); break;
      case Kind::kSet: Add({Op::kSet, node.value}); break;
      case Kind::kConcat:
        for (const uint32_t child : node.children) Emit(child, inside);
        break;
      case Kind::kAlternate: EmitAlternate(node, inside); break;
      case Kind::kRepeat: EmitRepeat(node, inside); break;
      case Kind::kGroup:
        Add({Op::kOpen, node.value});
        Emit(node.children[0], inside);
        Add({Op::kClose, node.value, 0, 0, is_optional ? 1u : 0u});
        break;
      case Kind::kBackReference:
        matcher_.has_back_references_ = true;
        if (std::find(matcher_.referenced_groups_.begin(), matcher_.referenced_groups_.end(), node.value) ==
            matcher_.referenced_groups_.end()) {
          matcher_.referenced_groups_.push_back(node.value);
        }
        Add({Op::kBackReference, node.value});
        break;
      case Kind::kAssertion: Add({Op::kAssert, node.value}); break;
    }
  }

  void EmitAlternate(const RegexNode& node, Copy inside) {
    std::vector<uint32_t> jumps;
    for (size_t i = 0; i + 1 < node.children.size(); ++i) {
      const uint32_t split = AddSplit();
      program()[split].x = next();
      Emit(node.children[i], inside);
      jumps.push_back(Add({Op::kJump}));
      program()[split].y = next();
    }
    Emit(node.children.back(), inside);
    for (const uint32_t jump : jumps) program()[jump].x = next();
  }

  void EmitRepeat(const RegexNode& node, Copy inside) {
    for (int i = 0; i < node.min; ++i) Emit(node.children[0], i == 0 ? inside : Copy::kDuplicate);
    Copy optional = Copy::kMarkedOriginal;
    if (node.min > 0) optional = Copy::kMarkedDuplicate;
    if (inside == Copy::kDuplicate) optional = Copy::kDuplicate;
    if (node.max == RegexNode::kNoMaximum) {
      const uint32_t split = AddSplit();
      if (IsNullable(tree_, node.children[0])) {
        program()[split].op = Op::kLoop;
        program()[split].extra = matcher_.loop_count_++;
      }
      program()[split].x = next();
      Emit(node.children[0], optional);
      Add({Op::kJump, split});
      program()[split].y = next();
      return;
    }
    // x{0,3} is ((x?x)?x)?, as the C library has it: what is left out is left out at the front.
    const uint32_t first_split = next();
    for (int i = node.min; i < node.max; ++i) {
      const uint32_t split = AddSplit();
      program()[split].x = next();
    }
    for (int i = node.max; i > node.min; --i) {
      Emit(node.children[0], i == node.max ? optional : Copy::kDuplicate);
      program()[first_split + static_cast<uint32_t>(i - node.min) - 1].y = next();
    }
  }

  // The bytes a match can begin with; false when it can begin with anything or be empty.
  bool CollectFirst(std::vector<bool>& seen) {
    std::vector<uint32_t> pending = {0};
    while (!pending.empty()) {
      const uint32_t pc = pending.back();
      pending.pop_back();
      if (seen[pc]) continue;
      seen[pc] = true;
      const Instruction& instruction = program()[pc];
      switch (instruction.op) {
        case Op::kLiteral:
          matcher_.first_bytes_.set(static_cast<unsigned char>(tree_.literals[instruction.x]));
          break;
        case Op::kSet:
          matcher_.first_bytes_ |= tree_.sets[instruction.x].bytes();
          if (tree_.is_utf8 && !tree_.sets[instruction.x].is_byte_wise()) {
            for (size_t byte = 0xC2; byte <= 0xF4; ++byte) matcher_.first_bytes_.set(byte);
          }
          break;
        case Op::kSplit:
        case Op::kLoop:
          pending.push_back(instruction.x);
          pending.push_back(instruction.y);
          break;
        case Op::kJump: pending.push_back(instruction.x); break;
        case Op::kOpen:
        case Op::kClose:
        case Op::kAssert: pending.push_back(pc + 1); break;
        case Op::kBackReference:
        case Op::kMatch: return false;
      }
    }
    return true;
  }

  BacktrackMatcher& matcher_;
  const RegexTree& tree_;
};

// --- matching ----------------------------------------------------------------------------------------

// Memory kept from search to search.
struct BacktrackMatcher::Scratch {
  // Which splits were tried where, in pages of positions that are cleared when first touched.
  static constexpr size_t kPagePositions = 64;
  std::vector<uint64_t> visited;         // one word of positions for each split of a page
  std::vector<uint32_t> page_generation;
  uint32_t generation = 0;

  // With back-references a state includes what the groups hold: a table of 128-bit hashes.
  struct Key {
    uint64_t high = 0;
    uint64_t low = 0;
  };
  std::vector<Key> table;
  size_t table_used = 0;

  struct Job {
    uint32_t pc;
    uint32_t slot;      // kNoSlot: go on at pc; else: put `at` back into this slot
    size_t at;
    size_t event_count;
  };
  static constexpr uint32_t kNoSlot = ~0u;
  std::vector<Job> jobs;
  // Where the groups are, for back-references, and where each loop was last entered.
  std::vector<size_t> slots;

  // What happened to the groups on the way; replayed when the way is known.
  struct Event {
    uint32_t pc;
    size_t at;
  };
  std::vector<Event> events;
  std::vector<Event> best_events;
  std::vector<size_t> replayed;
  std::vector<size_t> snapshot;
};

class BacktrackMatcher::Run {
 public:
  Run(const BacktrackMatcher& matcher, Scratch& scratch, std::string_view text, size_t from, bool is_line_start,
      Budget& budget)
      : matcher_(matcher), scratch_(scratch), text_(text), from_(from), is_line_start_(is_line_start),
        budget_(budget), slot_count_(2 * (matcher.tree_.group_count + 1)) {
    scratch_.slots.assign(slot_count_ + matcher_.loop_count_, kNone);
    if (matcher_.has_back_references_) {
      scratch_.table.clear();
      scratch_.table_used = 0;
    } else {
      PrepareVisited();
    }
  }

  // Tries to match at `start`; with `end` only up to there.
  Result<bool> MatchAt(size_t start, size_t end = kNone) {
    wanted_end_ = end;
    best_end_ = kNone;
    std::fill(scratch_.slots.begin(), scratch_.slots.end(), kNone);
    start_ = start;
    scratch_.events.clear();
    scratch_.jobs.clear();
    scratch_.jobs.push_back({0, Scratch::kNoSlot, start, 0});
    while (!scratch_.jobs.empty()) {
      const Scratch::Job job = scratch_.jobs.back();
      scratch_.jobs.pop_back();
      if (job.slot != Scratch::kNoSlot) {
        scratch_.slots[job.slot] = job.at;
        continue;
      }
      scratch_.events.resize(job.event_count);
      if (Follow(job.pc, job.at)) break;
      if (steps_ > kMaxSteps && matcher_.has_back_references_) {
        return Error(Code::kLimit, "regular expression needs too many steps");
      }
    }
    return best_end_ != kNone;
  }

  void CopyGroups(std::vector<RegexGroup>& groups) const {
    if (groups.empty()) return;
    if (groups.size() > 1) Replay();
    for (size_t i = 1; i < groups.size(); ++i) {
      groups[i] = {};
      if (2 * i + 1 >= slot_count_ || scratch_.replayed[2 * i + 1] == kNone) continue;
      groups[i] = {scratch_.replayed[2 * i], scratch_.replayed[2 * i + 1]};
    }
    groups[0] = {start_, best_end_};
  }

 private:
  // Where the C library sees the groups. When an optional group matched nothing after it had matched before,
  // all groups go back to what they were when one last took something: (a*){1,2} on "a" is the a.
  void Replay() const {
    std::vector<size_t>& slots = scratch_.replayed;
    std::vector<size_t>& snapshot = scratch_.snapshot;
    slots.assign(slot_count_, kNone);
    snapshot.assign(slot_count_, kNone);
    for (const Scratch::Event& event : scratch_.best_events) {
      const Instruction& instruction = matcher_.program_[event.pc];
      const size_t begin = 2 * instruction.x;
      if (instruction.op == Op::kOpen) {
        slots[begin] = event.at;
        slots[begin + 1] = kNone;
      } else if (slots[begin] < event.at) {
        slots[begin + 1] = event.at;
        snapshot = slots;
      } else if (instruction.extra != 0 && snapshot[begin] != kNone) {
        slots = snapshot;
      } else {
        slots[begin + 1] = event.at;
      }
    }
  }

  void PrepareVisited() {
    const size_t pages = (text_.size() - from_) / Scratch::kPagePositions + 1;
    const size_t words = pages * matcher_.split_count_;
    if (words > scratch_.visited.size() || pages > scratch_.page_generation.size() ||
        ++scratch_.generation == 0) {
      budget_.WillAllocate(words * sizeof(uint64_t) + pages * sizeof(uint32_t));
      scratch_.visited.resize(std::max(words, scratch_.visited.size()));
      scratch_.page_generation.assign(std::max(pages, scratch_.page_generation.size()), 0);
      scratch_.generation = 1;
    }
  }

  // Marks a split as tried here; false when it was before.
  bool Visit(const Instruction& split, size_t at) {
    if (matcher_.has_back_references_) return VisitHashed(split.number, at);
    const size_t page = (at - from_) / Scratch::kPagePositions;
    uint64_t* words = &scratch_.visited[page * matcher_.split_count_];
    if (scratch_.page_generation[page] != scratch_.generation) {
      scratch_.page_generation[page] = scratch_.generation;
      std::memset(words, 0, matcher_.split_count_ * sizeof(uint64_t));
    }
    const uint64_t bit = uint64_t{1} << ((at - from_) % Scratch::kPagePositions);
    if (words[split.number] & bit) return false;
    words[split.number] |= bit;
    return true;
  }

  static uint64_t Mix(uint64_t hash, uint64_t value, uint64_t factor) {
    hash = (hash ^ (value * 0xFF51AFD7ED558CCDu)) * factor;
    return hash ^ (hash >> 32);
  }

  bool VisitHashed(uint32_t split, size_t at) {
    constexpr uint64_t kFactor1 = 0x9E3779B97F4A7C15u;
    constexpr uint64_t kFactor2 = 0xC2B2AE3D27D4EB4Fu;
    Scratch::Key key{(split + 1) * kFactor2, (split + 1) * kFactor1};
    const auto mix = [&](uint64_t value) {
      key.high = Mix(key.high, value, kFactor1);
      key.low = Mix(key.low, value + 0x165667B1, kFactor2);
    };
    mix(at);
    for (const uint32_t group : matcher_.referenced_groups_) {
      mix(scratch_.slots[2 * group]);
      mix(scratch_.slots[2 * group + 1]);
    }
    key.high |= 1;  // zero is an empty place
    if (scratch_.table_used * 2 >= scratch_.table.size() && scratch_.table.size() < kMaxTable) GrowTable();
    const size_t mask = scratch_.table.size() - 1;
    for (size_t i = key.low & mask;; i = (i + 1) & mask) {
      Scratch::Key& place = scratch_.table[i];
      if (place.high == key.high && place.low == key.low) return false;
      if (place.high != 0) continue;
      if (scratch_.table_used * 2 >= scratch_.table.size()) return true;  // full: no longer remembered
      place = key;
      ++scratch_.table_used;
      return true;
    }
  }

  void GrowTable() {
    std::vector<Scratch::Key> old = std::move(scratch_.table);
    const size_t size = std::max<size_t>(64, old.size() * 2);
    budget_.WillAllocate(size * sizeof(Scratch::Key));
    scratch_.table.assign(size, {});
    for (const Scratch::Key& key : old) {
      if (key.high == 0) continue;
      size_t i = key.low & (size - 1);
      while (scratch_.table[i].high != 0) i = (i + 1) & (size - 1);
      scratch_.table[i] = key;
    }
  }

  // Runs from pc until the thread dies or matches; true when no other thread can do better.
  bool Follow(uint32_t pc, size_t at) {
    for (uint32_t count = 1;; ++count) {
      if (count % 64 == 0) budget_.Step(64);
      const Instruction& instruction = matcher_.program_[pc];
      switch (instruction.op) {
        case Op::kLiteral: {
          const std::string_view literal =
              std::string_view(matcher_.tree_.literals).substr(instruction.x, instruction.y);
          if (!text_.substr(at).starts_with(literal)) return EndThread(count);
          at += literal.size();
          ++pc;
          break;
        }
        case Op::kSet: {
          const size_t length = MatchSet(matcher_.tree_.sets[instruction.x], at);
          if (length == 0) return EndThread(count);
          at += length;
          ++pc;
          break;
        }
        case Op::kLoop: {
          const uint32_t slot = static_cast<uint32_t>(slot_count_) + instruction.extra;
          if (scratch_.slots[slot] == at) {  // the last turn was empty
            pc = instruction.y;
            break;
          }
          if (!Visit(instruction, at)) return EndThread(count);
          PushJob(instruction.y, at);
          SetSlot(slot, at);
          pc = instruction.x;
          break;
        }
        case Op::kSplit:
          if (!Visit(instruction, at)) return EndThread(count);
          PushJob(instruction.y, at);
          pc = instruction.x;
          break;
        case Op::kJump: pc = instruction.x; break;
        case Op::kOpen:
        case Op::kClose:
          scratch_.events.push_back({pc, at});
          if (matcher_.has_back_references_) {
            SetSlot(2 * instruction.x + (instruction.op == Op::kClose ? 1 : 0), at);
          }
          ++pc;
          break;
        case Op::kAssert:
          if (!Holds(static_cast<Assertion>(instruction.x), at)) return EndThread(count);
          ++pc;
          break;
        case Op::kBackReference: {
          const size_t end = MatchBackReference(instruction.x, at);
          if (end == kNone) return EndThread(count);
          at = end;
          ++pc;
          break;
        }
        case Op::kMatch:
          EndThread(count);
          if (wanted_end_ != kNone && at != wanted_end_) return false;
          if (best_end_ == kNone || at > best_end_) {
            best_end_ = at;
            scratch_.best_events = scratch_.events;
          }
          return at == text_.size() || at == wanted_end_;
      }
    }
  }

  void PushJob(uint32_t pc, size_t at) {
    scratch_.jobs.push_back({pc, Scratch::kNoSlot, at, scratch_.events.size()});
  }

  void SetSlot(uint32_t slot, size_t at) {
    scratch_.jobs.push_back({0, slot, scratch_.slots[slot], 0});
    scratch_.slots[slot] = at;
  }

  bool EndThread(uint32_t count) {
    steps_ += count;
    budget_.Step(count % 64 + 1);
    return false;
  }

  size_t MatchSet(const CharSet& set, size_t at) const {
    if (at >= text_.size()) return 0;
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < 128 || !matcher_.tree_.is_utf8) return set.bytes()[byte] ? 1 : 0;
    const DecodedChar c = DecodeUtf8(text_.substr(at));
    return c.is_valid && set.Contains(c.code) ? c.length : 0;
  }

  size_t MatchBackReference(uint32_t group, size_t at) const {
    const size_t begin = scratch_.slots[2 * group];
    const size_t end = scratch_.slots[2 * group + 1];
    if (begin == kNone || end == kNone || end < begin) return kNone;
    const std::string_view wanted = text_.substr(begin, end - begin);
    if (text_.substr(at).starts_with(wanted)) return at + wanted.size();
    if (!matcher_.tree_.ignore_case) return kNone;
    for (size_t i = 0; i < wanted.size();) {
      if (at >= text_.size()) return kNone;
      const DecodedChar a = Decode(wanted.substr(i));
      const DecodedChar b = Decode(text_.substr(at));
      if (a.is_valid != b.is_valid || ToLower(a.code) != ToLower(b.code)) return kNone;
      i += a.length;
      at += b.length;
    }
    return at;
  }

  DecodedChar Decode(std::string_view text) const {
    if (matcher_.tree_.is_utf8) return DecodeUtf8(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    return {byte, 1, byte < 0x80};
  }

  bool HasWordAfter(size_t at) const { return IsWordAfter(text_, at, matcher_.tree_.is_utf8); }
  bool HasWordBefore(size_t at) const { return IsWordBefore(text_, at, matcher_.tree_.is_utf8); }

  bool IsLineStart(size_t at) const {
    if (at == 0) return is_line_start_;
    return matcher_.tree_.multiline && text_[at - 1] == '\n';
  }

  bool Holds(Assertion assertion, size_t at) const {
    switch (assertion) {
      case Assertion::kLineStart: return IsLineStart(at);
      case Assertion::kLineEnd: return at == text_.size() || (matcher_.tree_.multiline && text_[at] == '\n');
      case Assertion::kTextStart: return at == 0 && is_line_start_;
      case Assertion::kTextEnd: return at == text_.size();
      case Assertion::kWordBoundary: return HasWordBefore(at) != HasWordAfter(at);
      case Assertion::kNotWordBoundary: return HasWordBefore(at) == HasWordAfter(at);
      case Assertion::kWordStart: return !HasWordBefore(at) && HasWordAfter(at);
      case Assertion::kWordEnd: return HasWordBefore(at) && !HasWordAfter(at);
      case Assertion::kNotAfterWord: return !HasWordBefore(at);
      case Assertion::kNotBeforeWord: return !HasWordAfter(at);
    }
    return false;
  }

  const BacktrackMatcher& matcher_;
  Scratch& scratch_;
  std::string_view text_;
  size_t from_;
  bool is_line_start_;
  Budget& budget_;
  size_t slot_count_;
  size_t start_ = 0;
  size_t best_end_ = kNone;
  size_t wanted_end_ = kNone;
  uint64_t steps_ = 0;
};

BacktrackMatcher::BacktrackMatcher(const RegexTree& tree) : tree_(tree) {
  is_anchored_ = AnalyzeRegex(tree).is_anchored;
  steps_by_characters_ = tree.is_utf8 && std::all_of(tree.nodes.begin(), tree.nodes.end(), [&tree](const RegexNode& node) {
    return node.kind != RegexNode::Kind::kLiteral || IsValidUtf8(tree.Literal(node));
  });
  Compiler(*this).Run();
}
BacktrackMatcher::~BacktrackMatcher() = default;

Result<bool> BacktrackMatcher::Search(std::string_view text, size_t from, bool is_line_start,
                                      std::vector<RegexGroup>* groups, Budget& budget) const {
  // Another fiber may search with the same expression while this one waits; it then makes its own.
  std::unique_ptr<Scratch> scratch = std::move(scratch_);
  if (scratch == nullptr) scratch = std::make_unique<Scratch>();
  Run run(*this, *scratch, text, from, is_line_start, budget);
  Result<bool> found = false;
  for (size_t start = from; start <= text.size();) {
    if (is_anchored_ && start > 0) break;
    if (has_first_bytes_) {
      while (start < text.size() && !first_bytes_[static_cast<unsigned char>(text[start])]) ++start;
      if (start == text.size()) break;
    }
    found = run.MatchAt(start);
    if (!found || *found || start == text.size()) break;
    start += steps_by_characters_ ? DecodeUtf8(text.substr(start)).length : 1;
    budget.Step();
  }
  if (found && *found && groups != nullptr) run.CopyGroups(*groups);
  scratch_ = std::move(scratch);
  return found;
}

Result<bool> BacktrackMatcher::FillGroups(std::string_view text, bool is_line_start, std::vector<RegexGroup>& groups,
                                          Budget& budget) const {
  std::unique_ptr<Scratch> scratch = std::move(scratch_);
  if (scratch == nullptr) scratch = std::make_unique<Scratch>();
  // Nothing behind the match is looked at but by assertions, so a window that long is remembered.
  Run run(*this, *scratch, text, groups[0].begin, is_line_start, budget);
  Result<bool> found = run.MatchAt(groups[0].begin, groups[0].end);
  if (found && *found) run.CopyGroups(groups);
  scratch_ = std::move(scratch);
  return found;
}

}  // namespace paddock
