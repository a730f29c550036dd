#include "lang/sed/executor.h"

#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "lang/sed/escapes.h"
#include "lang/sed/input_chain.h"
#include "lang/sed/listing.h"
#include "lang/sed/replacement.h"
#include "text/utf8.h"

namespace paddock::sed {
namespace {

// Somewhere lines are written to. A last line without its newline is completed when more follows.
struct Sink {
  std::shared_ptr<ByteSink> keep;
  std::unique_ptr<Output> own;
  Output* output = nullptr;
  bool lacks_newline = false;
};

// What a command does to the course of the script.
enum class Flow {
  kContinue,
  kEndCycle,      // print the pattern space and go on with the next line
  kNextCycle,     // without printing
  kRestartCycle,  // without reading either
  kQuit,
  kQuitSilently,
};

// Text that waits for the end of the cycle.
struct Appendix {
  enum class Kind { kText, kFile } kind;
  std::string_view text;  // of an `a`, or the name of a file
  std::string own;        // a line read by R
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
      : program_(program), options_(options), host_(host), budget_(budget), inputs_(files, options, host, *this),
        ranges_(program.commands.size()) {}

  Result<int> Run();

 private:
  // InputChain::Observer
  Status FileBegins(const std::string& name) override;
  Status FileEnds(const std::string& name) override;

  Status OpenOutputs();
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
  void PrintGivenText(const SedCommand& command);
  void WriteUnambiguously(int64_t width);

  void Print(std::string_view text, bool has_newline, Sink& sink);
  void EndLine(Sink& sink);   // writes the newline that the last line of an input lacked
  void PrintText(std::string_view text, Sink& sink);
  Status FlushAppendices();
  Status CopyFile(std::string_view name);
  void ReadAppendix(const SedCommand& command);
  void FlushFiles();

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
  InputChain inputs_;

  std::string_view space_;
  std::string owned_;
  bool is_owned_ = false;
  bool has_newline_ = true;
  std::string hold_;
  bool hold_has_newline_ = true;
  std::string scratch_;

  std::vector<RangeState> ranges_;
  std::vector<Appendix> appendices_;
  std::vector<RegexGroup> groups_;
  const SedRegex* last_regex_ = nullptr;
  size_t shown_depth_ = 0;     // of --debug: a jump out of a block leaves it, as in GNU sed
  bool was_address_ = false;   // last_regex_ was looked for as an address
  std::string swapped_;        // see SedRegex::swaps_ends
  bool has_replaced_ = false;  // for t
  int exit_status_ = 0;

  Sink stdout_;
  Sink replacement_;  // the new content of a file edited in place
  Sink* main_ = &stdout_;
  std::vector<Sink> files_;  // by index of Program::output_files
  std::vector<std::optional<SourceFile>> read_files_;
};

// --- files -------------------------------------------------------------------------------------------

Status Executor::OpenOutputs() {
  stdout_.output = &host_.out();
  files_.resize(program_.output_files.size());
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string& name = program_.output_files[i];
    Sink* const sink = &files_[i];
    if (name == "/dev/stdout") {
      sink->output = &host_.out();
    } else if (name == "/dev/stderr") {
      sink->output = &host_.err();
    } else {
      auto created = host_.Create(name);
      if (!created) {
        return Error(created.error().code, "couldn't open file " + name + ": " + std::string(created.error().Text()));
      }
      sink->keep = std::move(*created);
      sink->own = std::make_unique<Output>(*sink->keep);
      sink->output = sink->own.get();
    }
  }
  read_files_.resize(program_.read_files.size());
  return {};
}

// Readers of the files that w writes see all of it.
void Executor::FlushFiles() {
  for (const Sink& sink : files_) {
    if (sink.own != nullptr) sink.own->Flush();
  }
}

Status Executor::FileBegins(const std::string& name) {
  if (!options_.in_place) return {};
  auto created = host_.BeginReplace(name);
  if (!created) return created.error();
  replacement_ = {};
  replacement_.keep = std::move(*created);
  replacement_.own = std::make_unique<Output>(*replacement_.keep);
  replacement_.output = replacement_.own.get();
  main_ = &replacement_;
  return {};
}

Status Executor::FileEnds(const std::string& name) {
  if (!options_.in_place || main_ != &replacement_) return {};
  main_ = &stdout_;
  if (const Status& status = replacement_.own->Flush(); !status) {
    return Error(status.error().code, "couldn't write to " + name + ": " + std::string(status.error().Text()));
  }
  replacement_ = {};
  return host_.CommitReplace(name, options_.backup_suffix);
}

// --- output ------------------------------------------------------------------------------------------

void Executor::Print(std::string_view text, bool has_newline, Sink& sink) {
  if (sink.lacks_newline) sink.output->Put(options_.delimiter);
  sink.output->Write(text);
  if (has_newline) sink.output->Put(options_.delimiter);
  sink.lacks_newline = !has_newline;
}

void Executor::EndLine(Sink& sink) {
  if (sink.lacks_newline) sink.output->Put(options_.delimiter);
  sink.lacks_newline = false;
}

// Text with its own newline, or none.
void Executor::PrintText(std::string_view text, Sink& sink) {
  EndLine(sink);
  sink.output->Write(text);
}

Status Executor::CopyFile(std::string_view name) {
  FlushFiles();
  SourceFile file;
  if (name == "/dev/stdin") {
    file = host_.OpenStandardInput();
  } else {
    auto opened = host_.Open(std::string(name));
    if (!opened) return {};  // a missing file is an empty one
    file = std::move(*opened);
  }
  for (;;) {
    const std::string_view bytes = file.input->Peek();
    if (bytes.empty()) break;
    PrintText(bytes, *main_);
    file.input->Consume(bytes.size());
  }
  if (file.input->status()) return {};
  return Error(Code::kIo, "read error on " + std::string(name) + ": " +
                              std::string(file.input->status().error().Text()));
}

Status Executor::FlushAppendices() {
  for (size_t i = 0; i < appendices_.size(); ++i) {
    budget_.Step();
    const Appendix& appendix = appendices_[i];
    EndLine(*main_);   // even where nothing follows: r of a missing file
    if (appendix.kind == Appendix::Kind::kFile) {
      PADDOCK_TRY(CopyFile(appendix.text));
    } else {
      PrintText(appendix.own.empty() ? appendix.text : std::string_view(appendix.own), *main_);
    }
  }
  appendices_.clear();
  return {};
}

// R: one line of a file, each time the next.
void Executor::ReadAppendix(const SedCommand& command) {
  auto& file = read_files_[static_cast<size_t>(command.file)];
  if (!file) {
    FlushFiles();
    file.emplace();
    if (command.text == "/dev/stdin") {
      *file = host_.OpenStandardInput();
    } else if (auto opened = host_.Open(command.text)) {
      *file = std::move(*opened);
    }
  }
  if (file->input == nullptr) return;
  const auto line = file->input->ReadLine(options_.delimiter);
  if (!line) return;
  std::string text(line->text);
  if (line->is_terminated) text.push_back(options_.delimiter);
  if (!text.empty()) appendices_.push_back({Appendix::Kind::kText, {}, std::move(text)});
}

// The text of i and c: its last newline is a line's end, whatever ends lines.
void Executor::PrintGivenText(const SedCommand& command) {
  if (command.text.empty()) return;
  PrintText(std::string_view(command.text).substr(0, command.text.size() - 1), *main_);
  main_->output->Put(options_.delimiter);
}

void Executor::WriteUnambiguously(int64_t width) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\";
  constexpr std::string_view kLetters = "abfnrtv\\";
  std::string line;
  const auto limit = static_cast<size_t>(std::max<int64_t>(width - 1, 0));
  for (const char c : space_) {
    budget_.Step();
    const auto byte = static_cast<unsigned char>(c);
    char piece[4] = {c};
    size_t size = 1;
    if (const size_t named = kNamed.find(c); named != std::string_view::npos) {
      piece[0] = '\\';
      piece[1] = kLetters[named];
      size = 2;
    } else if (byte < 0x20 || byte >= 0x7F) {
      piece[0] = '\\';
      piece[1] = static_cast<char>('0' + (byte >> 6));
      piece[2] = static_cast<char>('0' + (byte >> 3 & 7));
      piece[3] = static_cast<char>('0' + (byte & 7));
      size = 4;
    }
    if (width > 0 && line.size() + size > limit) {
      PrintText(line, *main_);
      PrintText("\\", *main_);
      main_->output->Put(options_.delimiter);
      line.clear();
    }
    line.append(piece, size);
  }
  line.push_back('$');
  PrintText(line, *main_);
  main_->output->Put(options_.delimiter);
}

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
  PADDOCK_TRY(FlushAppendices());
  if (joins) Own();
  PADDOCK_ASSIGN(const auto line, inputs_.ReadLine());
  if (!line) return false;
  if (inputs_.TakeRestart()) {
    ResetRanges();
    hold_.clear();
    hold_has_newline_ = true;
    for (auto& file : read_files_) file.reset();
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
  if (!options_.is_quiet) Print(space_, has_newline_, *main_);
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
  main_->output->Flush();
  FlushFiles();
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
  if (substitution.prints_before_eval) Print(space_, has_newline_, *main_);
  if (substitution.evaluates) PADDOCK_TRY(EvaluateSpace());
  if (substitution.prints) Print(space_, has_newline_, *main_);
  if (substitution.file >= 0) Print(space_, has_newline_, files_[static_cast<size_t>(substitution.file)]);
  return {};
}

// --- commands ----------------------------------------------------------------------------------------

Result<Flow> Executor::RunTextCommand(const SedCommand& command) {
  switch (command.name) {
    case 'a':
      appendices_.push_back({Appendix::Kind::kText, command.text, {}});
      break;
    case 'i': PrintGivenText(command); break;
    case 'r':
      if (command.first.kind == Address::Kind::kLine && command.first.number == 0 && command.second.kind == Address::Kind::kNone) {
        PADDOCK_TRY(CopyFile(command.text));
        break;
      }
      appendices_.push_back({Appendix::Kind::kFile, command.text, {}});
      break;
    case 'R': ReadAppendix(command); break;
    case 'w': Print(space_, has_newline_, files_[static_cast<size_t>(command.file)]); break;
    case 'W': {
      const size_t newline = space_.find(options_.delimiter);
      Print(space_.substr(0, newline), newline != std::string_view::npos || has_newline_,
            files_[static_cast<size_t>(command.file)]);
      break;
    }
    case 'e': {
      if (command.text.empty()) {
        PADDOCK_TRY(EvaluateSpace());
        break;
      }
      main_->output->Flush();
      FlushFiles();
      PADDOCK_ASSIGN(const std::string output, host_.RunShell(command.text));
      if (!output.empty()) PrintText(output, *main_);
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
      if (main_->lacks_newline) main_->output->Put(options_.delimiter);
      main_->lacks_newline = false;
      main_->output->WriteInt(static_cast<int64_t>(inputs_.line_number()));
      main_->output->Put(options_.delimiter);
      break;
    }
    case 'F': Print(inputs_.name(), true, *main_); break;
    case 'c':
      // Of a range only the end is answered.
      if (command.second.kind == Address::Kind::kNone || !ranges_[next - 1].is_active) {
        PrintGivenText(command);
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
    case 'l': WriteUnambiguously(command.number >= 0 ? command.number : options_.line_width); break;
    case 'n': return NextLine();
    case 'N': return JoinNextLine();
    case 'p': Print(space_, has_newline_, *main_); break;
    case 'P': {
      const size_t newline = space_.find(options_.delimiter);
      Print(space_.substr(0, newline), newline != std::string_view::npos || has_newline_, *main_);
      break;
    }
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
  PADDOCK_TRY(OpenOutputs());
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
    if (prints && !options_.is_quiet) Print(space_, has_newline_, *main_);
    if (flow == Flow::kQuit) EndLine(*main_);
    if (flow != Flow::kQuitSilently) PADDOCK_TRY(FlushAppendices());
    if (options_.is_unbuffered) main_->output->Flush();
  }
  PADDOCK_TRY(inputs_.Close());
  FlushFiles();
  if (inputs_.is_missing_file()) return 2;   // whatever q and Q say
  return exit_status_;
}

}  // namespace

Result<int> RunScript(const Program& program, const std::vector<std::string>& files, const RunOptions& options,
                      Host& host, Budget& budget) {
  return Executor(program, files, options, host, budget).Run();
}

}  // namespace paddock::sed
