#include "lang/m4/processor.h"

namespace paddock::m4 {
namespace {

constexpr int kBuiltinToken = 256;   // stands where a builtin does
constexpr int kEnd = -1;

bool IsNameStart(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(int c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }

}  // namespace

Processor::Processor(const Settings& settings, Host& host) : settings_(settings), host_(host) {
  debug_flags_ = settings.debug_flags;
  if (settings.frozen_from) return;   // which says what there is
  for (const Builtin* builtin : AllBuiltins()) {
    if (settings.is_traditional && builtin->is_gnu) continue;
    macros[(settings.prefixes_builtins ? "m4_" : "") + std::string(builtin->name)].push_back({"", builtin});
  }
  if (settings.is_traditional) macros["unix"].push_back({"", nullptr});
  for (const char* name : {"unix", "gnu"}) {
    if (settings.is_traditional) break;
    macros[settings.prefixes_builtins ? "m4___" + std::string(name) + "__" : "__" + std::string(name) + "__"].push_back({"", nullptr});
  }
}

Arguments Arguments::Inner(bool keeps_builtins) const {
  Arguments inner(texts_[1]);
  for (size_t i = 2; i < texts_.size(); ++i) inner.Add(texts_[i], keeps_builtins ? builtin(i) : nullptr);
  return inner;
}

void Processor::Warn(std::string_view text) {
  if (!settings_.is_silent) Error(text);
}

void Processor::Error(std::string_view text) {
  if (is_over_) return;
  const std::string place = call_line_ > 0 ? *call_file_ + ":" + std::to_string(call_line_) + ": " : " ";
  host_.Err("m4:" + place + std::string(text) + "\n");
  if (settings_.fatal_warnings > 0) exit_status_ = 1;
  if (settings_.fatal_warnings > 1) End(1);
}

void Processor::Fatal(std::string_view text) {
  Error(text);
  End(1);
}

void Processor::End(int status) {
  if (!is_over_) exit_status_ = status;
  is_over_ = true;
}

int Processor::Peek() {
  while (!sources_.empty() && sources_.back().builtin == nullptr && sources_.back().at >= sources_.back().text.size()) {
    const bool was_file = sources_.back().is_file;
    if (was_file && DebugFlag('i')) Place();
    sources_.pop_back();
    if (was_file && DebugFlag('i')) TellReturn();
  }
  if (sources_.empty()) return kEnd;
  return sources_.back().builtin != nullptr ? kBuiltinToken : static_cast<unsigned char>(sources_.back().text[sources_.back().at]);
}

int Processor::Take() {
  const int c = Peek();
  if (c < 0) return c;
  budget().Step();
  Source& source = sources_.back();
  if (c == kBuiltinToken) {
    sources_.pop_back();
    return c;
  }
  ++source.at;
  if (c == '\n' && source.is_file) ++source.line;
  return c;
}

bool Processor::LooksAt(const std::string& text) {
  if (text.empty() || Peek() != static_cast<unsigned char>(text[0])) return false;
  if (text.size() == 1) return true;
  size_t matched = 0;
  for (size_t i = sources_.size(); i > 0; --i) {
    const Source& source = sources_[i - 1];
    if (source.builtin != nullptr) return false;
    for (size_t at = source.at; at < source.text.size(); ++at) {
      if (source.text[at] != text[matched]) return false;
      if (++matched == text.size()) return true;
    }
  }
  return false;
}

void Processor::Skip(size_t count) {
  while (count-- > 0) Take();
}

void Processor::Place() {
  if (sources_.empty()) return;
  call_file_ = sources_.back().file;
  call_line_ = sources_.back().line;
}

void Processor::Push(std::string text) {
  if (keeps_pushed_) pushed_ = text;
  if (text.empty()) return;
  budget().WillAllocate(text.size());
  budget().Step(static_cast<int64_t>(text.size() / 32));
  sources_.push_back({.text = std::move(text), .file = call_file_, .line = call_line_});
}

void Processor::PushBuiltin(const Builtin& builtin) {
  budget().WillAllocate(sizeof(Source));
  sources_.push_back({.file = call_file_, .line = call_line_, .builtin = &builtin});
}

std::string Processor::TakeName() {
  std::string name;
  while (IsNamePart(Peek())) name += static_cast<char>(Take());
  return name;
}

void Processor::TakeQuoted(std::string& out) {
  Place();
  Skip(open_quote.size());
  size_t depth = 1;
  while (true) {
    if (Peek() < 0) return Fatal("ERROR: end of file in string");
    if (LooksAt(close_quote)) {
      Skip(close_quote.size());
      if (--depth == 0) return;
      out += close_quote;
    } else if (LooksAt(open_quote)) {
      Skip(open_quote.size());
      ++depth;
      out += open_quote;
    } else if (const int c = Take(); c != kBuiltinToken) {   // a builtin as text is nothing
      out += static_cast<char>(c);
    }
    if (out.size() == out.capacity()) budget().WillAllocate(2 * out.size());
  }
}

void Processor::TakeComment(std::string& out) {
  Place();
  out += comment_begin;
  Skip(comment_begin.size());
  while (!LooksAt(comment_end)) {
    if (Peek() < 0) return Fatal("ERROR: end of file in comment");
    if (const int c = Take(); c != kBuiltinToken) out += static_cast<char>(c);
  }
  out += comment_end;
  Skip(comment_end.size());
}

const Macro* Processor::Find(std::string_view name) const {
  const auto found = macros.find(name);
  return found == macros.end() || found->second.empty() ? nullptr : &found->second.back();
}

void Processor::TakeArguments(Arguments& arguments, bool keeps_builtins) {
  const std::string* const file = call_file_;
  const size_t line = call_line_;
  Take();   // the parenthesis
  while (!is_over_) {
    while (Peek() == ' ' || (Peek() >= '\t' && Peek() <= '\r')) Take();
    std::string argument;
    const Builtin* builtin = nullptr;
    size_t depth = 0;
    bool is_last = false;
    while (!is_over_) {
      const int c = Peek();
      Place();
      if (c == kBuiltinToken) {
        if (argument.empty()) builtin = sources_.back().builtin;
        Take();
        continue;
      }
      if (c < 0) {
        call_file_ = file;
        call_line_ = line;
        return Fatal("ERROR: end of file in argument list");
      }
      if (argument.size() == argument.capacity()) budget().WillAllocate(2 * argument.size());
      if (LooksAt(comment_begin)) {
        TakeComment(argument);
      } else if (IsNameStart(c)) {
        RunName(TakeName(), argument);
      } else if (LooksAt(open_quote)) {
        TakeQuoted(argument);
      } else {
        Take();
        if (c == ')' && depth == 0) {
          is_last = true;
          break;
        }
        if (c == ',' && depth == 0) break;
        depth += c == '(' ? 1 : 0;
        depth -= c == ')' ? 1 : 0;
        argument += static_cast<char>(c);
      }
    }
    if (builtin != nullptr) argument.clear();
    arguments.Add(std::move(argument), keeps_builtins ? builtin : nullptr);
    if (is_last) break;
  }
  call_file_ = file;
  call_line_ = line;
}

void Processor::RunName(const std::string& name, std::string& out) {
  budget().CheckStack();
  const Macro* const found = Find(name);
  const bool has_arguments = found != nullptr && OpensArguments();
  if (found == nullptr || (found->builtin != nullptr && found->builtin->needs_arguments && !has_arguments)) {
    out += name;
    return;
  }
  const Macro macro = *found;   // it may be defined anew by its own arguments
  if (settings_.nesting_limit > 0 && nesting_ >= settings_.nesting_limit) {
    return Fatal("recursion limit of " + std::to_string(settings_.nesting_limit) + " exceeded, use -L<N> to change it");
  }
  ++nesting_;
  Arguments arguments{name};
  const uint64_t id = ++calls_;
  const bool is_traced = IsTraced(name);
  if (is_traced && DebugFlag('c')) host_.Debug(TraceHead(id) + name + " ...\n");
  if (has_arguments) TakeArguments(arguments, macro.builtin != nullptr && macro.builtin->takes_builtins);
  if (is_traced && !is_over_) CallTraced(macro, arguments, id);
  else if (!is_over_) Call(macro, arguments);
  --nesting_;
}

std::string Processor::TraceHead(uint64_t id) const {
  std::string head = "m4trace:";
  if (DebugFlag('f')) head += *call_file_ + ":";
  if (DebugFlag('l')) head += std::to_string(call_line_) + ":";
  head += " -" + std::to_string(nesting_) + "- ";
  if (DebugFlag('x')) head += "id " + std::to_string(id) + ": ";
  return head;
}
std::string Processor::TraceText(std::string_view text) const {
  std::string shown(text);
  if (settings_.argument_length > 0 && shown.size() >= settings_.argument_length) shown = shown.substr(0, settings_.argument_length) + "...";
  return DebugFlag('q') ? Quoted(shown) : shown;
}
std::string Processor::TracedCall(const Arguments& arguments) const {
  std::string text = arguments[0];
  if (arguments.size() < 2 || !DebugFlag('a')) return text;
  text += '(';
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (i > 1) text += ", ";
    text += arguments.builtin(i) != nullptr ? "<" + std::string(arguments.builtin(i)->name) + ">" : TraceText(arguments[i]);
  }
  return text + ')';
}
void Processor::CallTraced(const Macro& macro, const Arguments& arguments, uint64_t id) {
  const bool shows_calls = DebugFlag('c');
  const std::string head = TraceHead(id);
  std::string line = head + TracedCall(arguments);
  if (shows_calls) host_.Debug(line + " -> ???\n");
  if (shows_calls) line = head + arguments[0] + (arguments.size() > 1 ? "(...)" : "");
  keeps_pushed_ = true;
  pushed_.clear();
  Call(macro, arguments);
  keeps_pushed_ = false;
  if (DebugFlag('e') && !pushed_.empty()) line += " -> " + TraceText(pushed_);
  host_.Debug(line + "\n");
}
bool Processor::SetDebugFlags(std::string_view flags) {
  const char sign = flags.empty() ? ' ' : flags[0];
  const bool changes = sign == '+' || sign == '-';
  if (changes) flags.remove_prefix(1);
  if (flags.find_first_not_of("acefilpqtxV") != std::string_view::npos) return false;
  const std::string given = flags.find('V') != std::string_view::npos ? "acefilpqtx" : flags.empty() ? "aeq" : std::string(flags);
  if (!changes) debug_flags_.clear();
  for (const char flag : given) {
    std::erase(debug_flags_, flag);
    if (sign != '-') debug_flags_ += flag;
  }
  return true;
}
void Processor::Trace(std::string_view name, bool is_on) {
  if (!name.empty()) {
    if (is_on) traced_.insert(std::string(name));
    else if (const auto found = traced_.find(name); found != traced_.end()) traced_.erase(found);
    return;
  }
  std::erase(debug_flags_, 't');
  if (is_on) debug_flags_ += 't';
  else traced_.clear();
}
void Processor::DebugInput(std::string_view text) {
  std::string head = "m4debug:";
  if (DebugFlag('f') && call_line_ > 0) head += *call_file_ + ":";
  if (DebugFlag('l') && call_line_ > 0) head += std::to_string(call_line_) + ":";
  host_.Debug(head + " " + std::string(text) + "\n");
}
void Processor::TellReturn() {
  for (size_t i = sources_.size(); i > 0; --i) {
    if (sources_[i - 1].is_file) return DebugInput("input reverted to " + *sources_[i - 1].file + ", line " + std::to_string(sources_[i - 1].line));
  }
  DebugInput("input exhausted");
}
void Processor::CheckDefinition(const std::string& name, const std::string& text) {
  if (!settings_.warned_sequence || !warned_sequence_) return;
  size_t at = 0;
  while (at < text.size()) {
    std::vector<RegexGroup> groups(warned_sequence_->group_count() + 1);
    const auto found = warned_sequence_->Search(text, at, &groups, budget());
    if (!found || !*found) return;
    Warn("Warning: definition of `" + name + "' contains sequence `" + text.substr(groups[0].begin, groups[0].end - groups[0].begin) + "'");
    at = std::max(groups[0].end, groups[0].begin + 1);
  }
}
bool Processor::CompileWarnedSequence() {
  if (!settings_.warned_sequence || settings_.warned_sequence->empty()) return true;
  auto regex = Regex::Compile(*settings_.warned_sequence, {.dialect = RegexDialect::kEmacs, .is_utf8 = false, .multiline = true});
  if (regex) {
    warned_sequence_ = std::move(*regex);
    return true;
  }
  host_.Err("m4: --warn-macro-sequence: bad regular expression `" + *settings_.warned_sequence + "': " + std::string(regex.error().Text()) + "\n");
  return false;
}

void Processor::Call(const Macro& macro, const Arguments& arguments) {
  budget().Step(4);
  if (macro.builtin != nullptr) return RunBuiltin(*macro.builtin, arguments);
  ExpandText(macro, arguments);
}

void Processor::RunBuiltin(const Builtin& builtin, const Arguments& arguments) {
  const size_t given = arguments.size() - 1;
  if (given < builtin.least) {
    Warn("Warning: too few arguments to builtin `" + arguments[0] + "'");
    if (builtin.short_of != nullptr) builtin.short_of(*this, arguments);
    return;
  }
  if (given > builtin.most) Warn("Warning: excess arguments to builtin `" + arguments[0] + "' ignored");
  if (!is_over_) builtin.run(*this, arguments);
}

void Processor::ExpandText(const Macro& macro, const Arguments& arguments) {
  std::string out;
  const std::string& text = macro.text;
  const auto put = [&](std::string_view part) {
    budget().Step(1 + static_cast<int64_t>(part.size() / 32));
    if (out.size() + part.size() > out.capacity()) budget().WillAllocate(2 * (out.size() + part.size()));
    out += part;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '$' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next >= '0' && next <= '9') {
      size_t number = 0;
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && number < 100000000) {
        number = number * 10 + static_cast<size_t>(text[++i] - '0');
        if (settings_.is_traditional) break;   // $10 is $1 and a zero
      }
      if (number < arguments.size()) put(arguments[number]);
    } else if (next == '#') {
      put(std::to_string(arguments.size() - 1));
      ++i;
    } else if (next == '*' || next == '@') {
      for (size_t k = 1; k < arguments.size(); ++k) {
        if (k > 1) out += ',';
        put(next == '@' ? Quoted(arguments[k]) : arguments[k]);
      }
      ++i;
    } else {
      put(std::string_view(&text[i], 1));
    }
  }
  Push(std::move(out));
}

void Processor::Emit(std::string_view text) {
  if (text.empty() || diversion_ < 0) return;
  if (diversion_ == 0) return host_.Out(text);
  std::string& kept = diverted_[diversion_];
  if (kept.size() + text.size() > kept.capacity()) budget().WillAllocate(2 * (kept.size() + text.size()));
  kept += text;
}

void Processor::Undivert(int64_t number) {
  if (number == diversion_) return;
  const auto found = diverted_.find(number);
  if (found == diverted_.end()) return;
  const std::string text = std::move(found->second);
  diverted_.erase(found);
  Emit(text);
  places_[diversion_].line = -1;
}

void Processor::UndivertAll() {
  std::vector<int64_t> numbers;
  for (const auto& [number, text] : diverted_) numbers.push_back(number);
  for (const int64_t number : numbers) Undivert(number);
}

void Processor::Expand() {
  std::string out;
  while (!is_over_) {
    const int c = Peek();
    if (c < 0) break;
    Place();
    const std::string* const file = call_file_;
    const size_t line = call_line_;
    if (LooksAt(comment_begin)) {
      TakeComment(out);
    } else if (IsNameStart(c)) {
      RunName(TakeName(), out);
    } else if (LooksAt(open_quote)) {
      TakeQuoted(out);
    } else if (Take() != kBuiltinToken) {
      out += static_cast<char>(c);
    }
    if (is_over_) return;   // half of a string is not shown
    if (settings_.synchronizes) EmitSynchronized(out, file, line);
    else Emit(out);
    out.clear();
  }
}

void Processor::EmitSynchronized(std::string_view text, const std::string* file, size_t line) {
  if (text.empty() || diversion_ < 0) return;
  OutputPlace& place = places_[diversion_];
  std::string out;
  for (size_t at = 0; at < text.size();) {
    budget().Step();
    if (place.is_line_start) {
      place.is_line_start = false;
      const bool is_known = place.line >= 1 && place.file == file;
      ++place.line;
      if (at == 0 && (!is_known || place.line != static_cast<int64_t>(line))) {
        out += "#line " + std::to_string(line) + (is_known ? "" : " \"" + *file + "\"") + "\n";
        place.line = static_cast<int64_t>(line);
        place.file = file;
      }
    }
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += text.substr(at, end - at);
    place.is_line_start = text[end - 1] == '\n';
    at = end;
  }
  Emit(out);
}

void Processor::SkipLine() {
  while (true) {
    const int c = Take();
    if (c == '\n') return;
    if (c < 0) return Warn("Warning: end of file treated as newline");
  }
}

Result<Processor::FoundFile> Processor::FindFile(const std::string& name) {
  auto text = host_.Read(name);
  if (text) return FoundFile{name, std::move(*text)};
  if (name.starts_with('/')) return text.error();
  for (const std::string& directory : settings_.include_directories) {
    const std::string path = directory + "/" + name;
    auto found = host_.Read(path);
    if (found && DebugFlag('p')) DebugInput("path search for `" + name + "' found `" + path + "'");
    if (found) return FoundFile{path, std::move(*found)};
  }
  return text.error();
}

bool Processor::IncludeFile(const std::string& name, bool is_optional) {
  auto found = FindFile(name);
  if (!found) {
    if (is_optional) return false;
    Error("cannot open `" + name + "': " + std::string(found.error().Text()));
    exit_status_ = 1;
    return false;
  }
  if (sources_.size() > 4096) {
    Fatal("cannot open `" + name + "': Too many open files");
    return false;
  }
  budget().WillAllocate(found->text.size());
  if (DebugFlag('i')) DebugInput("input read from " + found->name);
  sources_.push_back({.text = std::move(found->text), .file = NameOf(found->name), .is_file = true});
  return true;
}

int Processor::Run(const std::vector<Step>& steps) {
  if (!CompileWarnedSequence()) return 1;
  if (settings_.frozen_from && !Thaw(*settings_.frozen_from)) return exit_status_;
  for (const Step& step : steps) {
    if (is_over_) break;
    if (step.kind == Step::Kind::kDefine) {
      const size_t equals = step.text.find('=');
      macros[step.text.substr(0, equals)] = {{equals == std::string::npos ? "" : step.text.substr(equals + 1), nullptr}};
      CheckDefinition(step.text.substr(0, equals), equals == std::string::npos ? "" : step.text.substr(equals + 1));
    } else if (step.kind == Step::Kind::kTrace) {
      Trace(step.text, true);
    } else if (step.kind == Step::Kind::kDebugFile) {
      const Status set = host_.SetDebugFile(step.has_text ? std::optional(step.text) : std::nullopt);
      if (!set) host_.Err("m4: cannot set debug file `" + step.text + "': " + std::string(set.error().Text()) + "\n");
    } else if (step.kind == Step::Kind::kUndefine) {
      macros.erase(step.text);
    } else {
      auto found = FindFile(step.text);
      if (!found) {
        host_.Err("m4: cannot open `" + step.text + "': " + std::string(found.error().Text()) + "\n");
        exit_status_ = 1;
        continue;
      }
      if (step.text == "-") found->name = "stdin";
      if (DebugFlag('i')) DebugInput("input read from " + found->name);
      sources_.push_back({.text = std::move(found->text), .file = NameOf(found->name), .is_file = true});
      Expand();
      call_line_ = 0;
    }
  }
  while (!wraps_.empty() && !is_over_) {
    sources_ = std::exchange(wraps_, {});   // the last one is read first
    Expand();
  }
  if (is_over_) return exit_status_;
  if (settings_.frozen_to) {
    Freeze(*settings_.frozen_to);
    return exit_status_;
  }
  diversion_ = 0;
  UndivertAll();
  return exit_status_;
}

int Run(const Settings& settings, const std::vector<Step>& steps, Host& host) { return Processor(settings, host).Run(steps); }

}  // namespace paddock::m4
