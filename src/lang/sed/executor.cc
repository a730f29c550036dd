#include "lang/sed/executor.h"

#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "lang/sed/escapes.h"
#include "lang/sed/input_chain.h"
#include "lang/sed/listing.h"
#include "lang/sed/outputs.h"
#include "lang/sed/replacement.h"
#include "text/utf8.h"

namespace paddock::sed {
namespace {

// What a command does to the course of the script.
enum class Flow {
  kContinue,
  kEndCycle,      // print the pattern space and go on with the next line
  kNextCycle,     // without printing
  kRestartCycle,  // without reading either
  kQuit,
  kQuitSilently,
};

// Whether a range of addresses is open.
struct RangeState {
  bool is_active = false;
  bool is_closed = false;   // it has ended once
  uint64_t end = 0;

  void Close() {
    is_active = false;
    is_closed = true;
  }
};

class Executor final : public InputChain::Observer {
 public:
  Executor(const Program& program, const std::vector<std::string>& files, const RunOptions& options, Host& host,
           Budget& budget)
      : program_(program), options_(options), host_(host), budget_(budget), outputs_(program, options, host, budget), inputs_(files, options, host, *this),
        ranges_(program.commands.size()) {}

  Result<int> Run();

 private:
  // InputChain::Observer
  Status FileBegins(const std::string& name) override { return outputs_.BeginFile(name); }
  Status FileEnds(const std::string& name) override { return outputs_.EndFile(name); }

  Result<Flow> RunCycle();
  // --debug: the marks in front of a command, from one of them on; a line; what a command left behind.
  void TellMarks(size_t index, size_t from);
  void Tell(const std::string& text);
  void TellEffect(char name);
  void TellSpace(const char* label, std::string_view text);
  void TellRegisters(const SedRegex& regex);
  Result<Flow> RunCommand(const SedCommand& command, size_t& next);
  Result<Flow> RunTextCommand(const SedCommand& command);
  Result<Flow> NextLine();
  Result<Flow> JoinNextLine();
  Flow DeleteFirstLine();
  Result<bool> ReadLine(bool joins);
  Result<bool> IsLast();
  void ResetRanges();

  Result<bool> Matches(const SedCommand& command, size_t index);
  Result<bool> BeginsRange(const SedCommand& command, const RangeState& range);
  Result<bool> MatchesRange(const SedCommand& command, RangeState& range);
  Result<bool> MatchesAddress(const Address& address);
  Result<const SedRegex*> Use(const RegexPtr& regex);
  Result<bool> Search(const SedRegex& regex, std::string_view text, size_t from, std::vector<RegexGroup>* groups);

  Status Substitute(const Substitution& substitution, bool* was_replaced);
  Result<bool> BuildSubstitution(const Substitution& substitution, const SedRegex& regex);
  Status EvaluateSpace();
  void Transliterate(const Transliteration& map);
  void PrintSpace() { outputs_.Print(space_, has_newline_, outputs_.main()); }
  void PrintFirstLine(Sink& sink) {
    const size_t newline = space_.find(options_.delimiter);
    outputs_.Print(space_.substr(0, newline), newline != std::string_view::npos || has_newline_, sink);
  }

  // The pattern space: a view of the input's memory until it has to change.
  void Own() {
    if (is_owned_) return;
    owned_.assign(space_);
    SetOwned();
  }
  void SetOwned() {
    is_owned_ = true;
    space_ = owned_;
  }
  void Append(std::string& to, std::string_view text) {
    if (to.size() + text.size() > to.capacity()) budget_.WillAllocate(to.size() + text.size());
    to.append(text);
  }
  size_t CharacterLength(std::string_view text) const { return options_.is_utf8 ? DecodeUtf8(text).length : 1; }

  const Program& program_;
  const RunOptions& options_;
  Host& host_;
  Budget& budget_;
  Outputs outputs_;
  InputChain inputs_;

  std::string_view space_;
  std::string owned_;
  bool is_owned_ = false;
  bool has_newline_ = true;
  std::string hold_;
  bool hold_has_newline_ = true;
  std::string scratch_;

  std::vector<RangeState> ranges_;
  std::vector<RegexGroup> groups_;
  const SedRegex* last_regex_ = nullptr;
  size_t shown_depth_ = 0;     // of --debug: a jump out of a block leaves it, as in GNU sed
  bool was_address_ = false;   // last_regex_ was looked for as an address
  std::string swapped_;        // see SedRegex::swaps_ends
  bool has_replaced_ = false;  // for t
  int exit_status_ = 0;
};

// --- addresses ---------------------------------------------------------------------------------------

Result<bool> Executor::IsLast() {
  if (!inputs_.is_stable()) Own();
  return inputs_.IsLast();
}

Result<const SedRegex*> Executor::Use(const RegexPtr& regex) {
  if (regex != nullptr) last_regex_ = regex.get();
  if (last_regex_ == nullptr) {
    return Error(Code::kSyntax, program_.end_location + ": no previous regular expression");
  }
  return last_regex_;
}

Result<bool> Executor::Search(const SedRegex& regex, std::string_view text, size_t from, std::vector<RegexGroup>* groups) {
  if (!regex.swaps_ends) return regex.regex.Search(text, from, groups, budget_);
  if (from == 0) {
    swapped_ = text;
    SwapEnds(swapped_);
  }
  return regex.regex.Search(swapped_, from, groups, budget_);
}

Result<bool> Executor::MatchesAddress(const Address& address) {
  switch (address.kind) {
    // 0r is meant for the first line.
    case Address::Kind::kLine: return inputs_.line_number() == std::max<uint64_t>(address.number, 1);
    case Address::Kind::kStep:
      return inputs_.line_number() >= address.number &&
             (inputs_.line_number() - address.number) % address.step == 0;
    case Address::Kind::kLast: return IsLast();
    case Address::Kind::kRegex: {
      PADDOCK_ASSIGN(const SedRegex* regex, Use(address.regex));
      if (address.regex != nullptr) was_address_ = true;
      return Search(*regex, space_, 0, nullptr);
    }
    default: return true;
  }
}

// A range from a line on begins behind it when `n` or `N` jumped over that line, but only once.
Result<bool> Executor::BeginsRange(const SedCommand& command, const RangeState& range) {
  if (command.first.kind != Address::Kind::kLine || command.first.number == 0) return MatchesAddress(command.first);
  const uint64_t line = inputs_.line_number();
  if (line == command.first.number) return true;
  if (range.is_closed || line < command.first.number) return false;
  return command.second.kind != Address::Kind::kLine || line <= command.second.number;
}

Result<bool> Executor::MatchesRange(const SedCommand& command, RangeState& range) {
  const uint64_t line = inputs_.line_number();
  const Address& second = command.second;
  if (range.is_active) {
    switch (second.kind) {
      case Address::Kind::kRegex:
      case Address::Kind::kStep:
      case Address::Kind::kLast: {
        PADDOCK_ASSIGN(const bool is_end, MatchesAddress(second));
        if (is_end) range.Close();
        return true;
      }
      default:
        if (line >= range.end) range.Close();
        // A line jumped to behind the end still belongs to the range when the end was counted.
        if (line <= range.end || second.kind != Address::Kind::kLine) return true;
    }
  }
  PADDOCK_ASSIGN(const bool begins, BeginsRange(command, range));
  if (!begins) return false;
  switch (second.kind) {
    case Address::Kind::kLine: range.end = second.number; break;
    case Address::Kind::kPlus: range.end = line + second.number; break;
    case Address::Kind::kMultiple:
      // A first line that is a multiple itself does not count.
      range.end = second.number == 0 ? 0 : (line / second.number + 1) * second.number;
      break;
    case Address::Kind::kStep: {
      PADDOCK_ASSIGN(const bool is_end, MatchesAddress(second));
      range.end = is_end ? line : ~uint64_t{0};
      break;
    }
    default: range.end = ~uint64_t{0};
  }
  range.is_active = range.end > line;
  range.is_closed = !range.is_active;
  return true;
}

Result<bool> Executor::Matches(const SedCommand& command, size_t index) {
  if (command.first.kind == Address::Kind::kNone) return !command.is_negated;
  auto matches = command.second.kind == Address::Kind::kNone ? MatchesAddress(command.first)
                                                              : MatchesRange(command, ranges_[index]);
  if (!matches) return matches;
  return *matches != command.is_negated;
}

void Executor::ResetRanges() {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const SedCommand& command = program_.commands[i];
    ranges_[i] = {};
    // 0,/x/ is open from the start.
    ranges_[i].is_active = command.first.kind == Address::Kind::kLine && command.first.number == 0 &&
                           command.second.kind != Address::Kind::kNone;
  }
}

// --- lines -------------------------------------------------------------------------------------------

// Reads the next line into the pattern space, or behind what is there. False at the end.
Result<bool> Executor::ReadLine(bool joins) {
  PADDOCK_TRY(outputs_.FlushAppendices());
  if (joins) Own();
  PADDOCK_ASSIGN(const auto line, inputs_.ReadLine());
  if (!line) return false;
  if (inputs_.TakeRestart()) {
    ResetRanges();
    hold_.clear();
    hold_has_newline_ = true;
    outputs_.RestartFiles();
  }
  has_replaced_ = false;
  has_newline_ = line->is_terminated;
  if (joins) {
    owned_.push_back(options_.delimiter);
    Append(owned_, line->text);
    SetOwned();
  } else {
    is_owned_ = false;
    space_ = line->text;
  }
  return true;
}

Result<Flow> Executor::NextLine() {
  PADDOCK_ASSIGN(const bool is_last, IsLast());
  if (is_last) return options_.is_posix ? Flow::kNextCycle : Flow::kEndCycle;
  if (!options_.is_quiet) PrintSpace();
  PADDOCK_ASSIGN(const bool was_read, ReadLine(false));
  return was_read ? Flow::kContinue : Flow::kQuitSilently;
}

Result<Flow> Executor::JoinNextLine() {
  PADDOCK_ASSIGN(const bool is_last, IsLast());
  if (is_last) return options_.is_posix ? Flow::kNextCycle : Flow::kEndCycle;
  PADDOCK_ASSIGN(const bool was_read, ReadLine(true));
  return was_read ? Flow::kContinue : Flow::kEndCycle;
}

Flow Executor::DeleteFirstLine() {
  const size_t newline = space_.find(options_.delimiter);
  if (newline == std::string_view::npos) return Flow::kNextCycle;
  Own();
  owned_.erase(0, newline + 1);
  SetOwned();
  return Flow::kRestartCycle;
}

// --- changing the pattern space ----------------------------------------------------------------------

void Executor::Transliterate(const Transliteration& map) {
  Own();
  if (map.characters.empty()) {
    for (char& c : owned_) c = map.bytes[static_cast<unsigned char>(c)];
  } else {
    scratch_.clear();
    for (size_t i = 0; i < owned_.size();) {
      const size_t length = CharacterLength(std::string_view(owned_).substr(i));
      const std::string character = owned_.substr(i, length);
      const auto found = std::lower_bound(map.characters.begin(), map.characters.end(), character,
                                          [](const auto& pair, const std::string& c) { return pair.first < c; });
      if (found != map.characters.end() && found->first == character) {
        scratch_ += found->second;
      } else if (length == 1) {
        scratch_.push_back(map.bytes[static_cast<unsigned char>(character[0])]);
      } else {
        scratch_ += character;
      }
      i += length;
    }
    owned_.swap(scratch_);
  }
  budget_.Step(static_cast<int64_t>(owned_.size() / 8));
  SetOwned();
}

// Puts the text with its matches replaced into scratch_; false when nothing was.
Result<bool> Executor::BuildSubstitution(const Substitution& substitution, const SedRegex& regex) {
  const std::string_view text = space_;
  size_t start = 0;       // where the next search begins
  size_t copied = 0;      // what of the text is in scratch_
  size_t last_end = std::string_view::npos;
  uint64_t count = 0;
  bool has_replaced = false;
  groups_.resize(static_cast<size_t>(substitution.highest_group) + 1);
  scratch_.clear();
  size_t capacity = scratch_.capacity();
  while (start <= text.size()) {
    PADDOCK_ASSIGN(const bool is_found, Search(regex, text, start, &groups_));
    if (!is_found) break;
    const RegexGroup match = groups_[0];
    const bool is_empty = match.begin == match.end;
    // An empty match right behind a match is none.
    if (!(is_empty && match.begin == last_end) && ++count >= substitution.number) {
      Append(scratch_, text.substr(copied, match.begin - copied));
      AppendReplacement(substitution, text, groups_, options_.is_utf8, scratch_);
      copied = match.end;
      has_replaced = true;
      if (scratch_.capacity() != capacity) {
        capacity = scratch_.capacity();
        budget_.WillAllocate(capacity);
      }
      if (!substitution.is_global) break;
    }
    last_end = match.end;
    start = match.end;
    if (is_empty) {
      if (start >= text.size()) break;
      ++start;   // a byte, as GNU sed has it
    }
  }
  if (has_replaced) Append(scratch_, text.substr(copied));
  return has_replaced;
}

Status Executor::EvaluateSpace() {
  outputs_.main().output->Flush();
  outputs_.FlushFiles();
  PADDOCK_ASSIGN(owned_, host_.RunShell(std::string(space_)));
  if (has_newline_ && !owned_.empty() && owned_.back() == options_.delimiter) owned_.pop_back();
  SetOwned();
  return {};
}

Status Executor::Substitute(const Substitution& substitution, bool* was_replaced) {
  PADDOCK_ASSIGN(const SedRegex* regex, Use(substitution.regex));
  if (substitution.regex != nullptr) was_address_ = false;
  // Only a pattern that served as an address is looked at again when s takes it.
  const bool is_checked = was_address_ && !regex->is_anchor && !options_.is_posix;
  if (is_checked && static_cast<size_t>(substitution.highest_group) > regex->regex.group_count()) {
    return Error(Code::kSyntax, program_.end_location + ": invalid reference \\" +
                                    std::to_string(substitution.highest_group) + " on `s' command's RHS");
  }
  PADDOCK_ASSIGN(*was_replaced, BuildSubstitution(substitution, *regex));
  if (options_.debugs) TellRegisters(*regex);
  if (!*was_replaced) return {};
  owned_.swap(scratch_);
  SetOwned();
  if (substitution.prints_before_eval) PrintSpace();
  if (substitution.evaluates) PADDOCK_TRY(EvaluateSpace());
  if (substitution.prints) PrintSpace();
  if (substitution.file >= 0) outputs_.Print(space_, has_newline_, outputs_.file(substitution.file));
  return {};
}

// --- commands ----------------------------------------------------------------------------------------

Result<Flow> Executor::RunTextCommand(const SedCommand& command) {
  switch (command.name) {
    case 'a': outputs_.AppendText(command.text); break;
    case 'i': outputs_.PrintGivenText(command); break;
    case 'r':
      if (command.first.kind == Address::Kind::kLine && command.first.number == 0 && command.second.kind == Address::Kind::kNone) {
        PADDOCK_TRY(outputs_.CopyFile(command.text));
        break;
      }
      outputs_.AppendFile(command.text);
      break;
    case 'R': outputs_.AppendLine(command); break;
    case 'w': outputs_.Print(space_, has_newline_, outputs_.file(command.file)); break;
    case 'W': PrintFirstLine(outputs_.file(command.file)); break;
    case 'e': {
      if (command.text.empty()) {
        PADDOCK_TRY(EvaluateSpace());
        break;
      }
      outputs_.main().output->Flush();
      outputs_.FlushFiles();
      PADDOCK_ASSIGN(const std::string output, host_.RunShell(command.text));
      if (!output.empty()) outputs_.PrintText(output, outputs_.main());
      break;
    }
    default: break;
  }
  return Flow::kContinue;
}

Result<Flow> Executor::RunCommand(const SedCommand& command, size_t& next) {
  switch (command.name) {
    case '{': break;
    case '=': {
      outputs_.EndLine(outputs_.main());
      outputs_.main().output->WriteInt(static_cast<int64_t>(inputs_.line_number()));
      outputs_.main().output->Put(options_.delimiter);
      break;
    }
    case 'F': outputs_.Print(inputs_.name(), true, outputs_.main()); break;
    case 'c':
      // Of a range only the end is answered.
      if (command.second.kind == Address::Kind::kNone || !ranges_[next - 1].is_active) {
        outputs_.PrintGivenText(command);
      }
      return Flow::kNextCycle;
    case 'd': return Flow::kNextCycle;
    case 'D': return DeleteFirstLine();
    case 'g':
      owned_ = hold_;
      has_newline_ = hold_has_newline_;
      SetOwned();
      break;
    case 'G':
      Own();
      Append(owned_, std::string_view(&options_.delimiter, 1));
      Append(owned_, hold_);
      has_newline_ = hold_has_newline_;
      SetOwned();
      break;
    case 'h':
      hold_.assign(space_);
      hold_has_newline_ = has_newline_;
      break;
    case 'H':
      Append(hold_, std::string_view(&options_.delimiter, 1));
      Append(hold_, space_);
      hold_has_newline_ = has_newline_;
      break;
    case 'x':
      Own();
      owned_.swap(hold_);
      std::swap(has_newline_, hold_has_newline_);
      SetOwned();
      break;
    case 'l': outputs_.PrintUnambiguously(space_, command.number >= 0 ? command.number : options_.line_width); break;
    case 'n': return NextLine();
    case 'N': return JoinNextLine();
    case 'p': PrintSpace(); break;
    case 'P': PrintFirstLine(outputs_.main()); break;
    case 'q':
      exit_status_ = static_cast<int>(std::max<int64_t>(command.number, 0) & 0xFF);
      return Flow::kQuit;
    case 'Q':
      exit_status_ = static_cast<int>(std::max<int64_t>(command.number, 0) & 0xFF);
      return Flow::kQuitSilently;
    case 's': {
      bool was_replaced = false;
      PADDOCK_TRY(Substitute(*command.substitution, &was_replaced));
      has_replaced_ |= was_replaced;
      break;
    }
    case 'b': next = command.target; break;
    case 't':
      if (has_replaced_) next = command.target;
      has_replaced_ = false;
      break;
    case 'T':
      if (!has_replaced_) next = command.target;
      has_replaced_ = false;
      break;
    case 'y': Transliterate(*command.transliteration); break;
    case 'z':
      owned_.clear();
      SetOwned();
      break;
    default: return RunTextCommand(command);
  }
  return Flow::kContinue;
}

void Executor::Tell(const std::string& text) {
  budget_.Step(1 + static_cast<int64_t>(text.size() / 64));
  host_.out().Write(text);
  host_.out().Put('\n');
}

void Executor::TellMarks(size_t index, size_t from) {
  const auto& marks = program_.marks;
  auto at = std::lower_bound(marks.begin(), marks.end(), index, [](const Mark& mark, size_t wanted) { return mark.index < wanted; });
  if (const auto first = marks.begin() + static_cast<std::ptrdiff_t>(std::min(from, marks.size())); at < first) at = first;
  for (; at != marks.end() && at->index == index; ++at) {
    if (at->text == "}" && shown_depth_ > 0) --shown_depth_;
    Tell("COMMAND: " + std::string(2 * shown_depth_, ' ') + at->text);
  }
}

void Executor::TellSpace(const char* label, std::string_view text) {
  constexpr size_t kLongestEscape = 13;
  budget_.WillAllocate(kLongestEscape * text.size());
  budget_.Step(static_cast<int64_t>(text.size() / 8));
  Tell(label + ShowSpace(text));
}

void Executor::TellEffect(char name) {
  const bool is_of_pattern = std::strchr("snNxGyz", name) != nullptr, is_of_hold = std::strchr("hHgx", name) != nullptr;
  if (is_of_pattern) TellSpace("PATTERN: ", space_);
  if (is_of_hold) TellSpace("HOLD:    ", hold_);
}

// Of the first match, whichever was replaced.
void Executor::TellRegisters(const SedRegex& regex) {
  std::vector<RegexGroup> groups(regex.regex.group_count() + 1);
  const auto found = Search(regex, space_, 0, &groups);
  if (!found || !*found) return;
  Tell("MATCHED REGEX REGISTERS");
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].is_set()) continue;
    const std::string_view text = space_.substr(groups[i].begin, groups[i].end - groups[i].begin);
    Tell("  regex[" + std::to_string(i) + "] = " + std::to_string(groups[i].begin) + "-" + std::to_string(groups[i].end) + " '" + std::string(text) + "'");
  }
}

Result<Flow> Executor::RunCycle() {
  const size_t count = program_.commands.size();
  size_t mark = 0;
  for (size_t index = 0; index < count;) {
    budget_.Step();
    const SedCommand& command = program_.commands[index];
    if (options_.debugs) {
      TellMarks(index, mark);
      Tell("COMMAND: " + std::string(2 * shown_depth_, ' ') + ShowCommand(program_, command));
      if (command.name == '{') ++shown_depth_;
      mark = 0;
    }
    PADDOCK_ASSIGN(const bool matches, Matches(command, index));
    if (!matches) {
      index = command.name == '{' ? command.target : index + 1;
      if (command.name == '{') mark = command.target_mark;
      continue;
    }
    size_t next = index + 1;
    PADDOCK_ASSIGN(const Flow flow, RunCommand(command, next));
    if (options_.debugs && flow == Flow::kContinue) TellEffect(command.name);
    if (flow != Flow::kContinue) return flow;
    if (next != index + 1 || (next == command.target && std::strchr("btT", command.name) != nullptr)) mark = command.target_mark;
    index = next;
  }
  if (options_.debugs) TellMarks(count, mark);
  return Flow::kEndCycle;
}

Result<int> Executor::Run() {
  PADDOCK_TRY(outputs_.Open());
  ResetRanges();
  if (options_.debugs) host_.out().Write(ShowProgram(program_));
  Flow flow = Flow::kNextCycle;
  while (flow != Flow::kQuit && flow != Flow::kQuitSilently) {
    if (flow != Flow::kRestartCycle) {
      PADDOCK_ASSIGN(const bool was_read, ReadLine(false));
      if (!was_read) break;
      if (options_.debugs) Tell("INPUT:   '" + (inputs_.name() == "-" ? "STDIN" : inputs_.name()) + "' line " + std::to_string(inputs_.line_number()));
    }
    if (options_.debugs) TellSpace("PATTERN: ", space_);
    PADDOCK_ASSIGN(flow, RunCycle());
    if (options_.debugs && (flow == Flow::kEndCycle || flow == Flow::kNextCycle)) Tell("END-OF-CYCLE:");
    const bool prints = flow == Flow::kEndCycle || flow == Flow::kQuit;
    if (prints && !options_.is_quiet) PrintSpace();
    if (flow == Flow::kQuit) outputs_.EndLine(outputs_.main());
    if (flow != Flow::kQuitSilently) PADDOCK_TRY(outputs_.FlushAppendices());
    if (options_.is_unbuffered) outputs_.main().output->Flush();
  }
  PADDOCK_TRY(inputs_.Close());
  outputs_.FlushFiles();
  if (inputs_.is_missing_file()) return 2;   // whatever q and Q say
  return exit_status_;
}

}  // namespace

Result<int> RunScript(const Program& program, const std::vector<std::string>& files, const RunOptions& options,
                      Host& host, Budget& budget) {
  return Executor(program, files, options, host, budget).Run();
}

}  // namespace paddock::sed
