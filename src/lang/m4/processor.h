// The processor: macros, the stack of input, diversions. Input is a stack of texts: what a macro expands to is read again before what
// stood behind it. A fatal error is said once; from then on everything ends.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/m4/m4.h"
#include "text/regex.h"

namespace paddock::m4 {

class Processor;
struct Builtin;

// What a macro is called with: the name first. An argument can be a builtin itself (of defn), and is then empty as text.
class Arguments {
 public:
  explicit Arguments(std::string name) { texts_.push_back(std::move(name)); }
  size_t size() const { return texts_.size(); }
  const std::string& operator[](size_t index) const { return texts_[index]; }
  const Builtin* builtin(size_t index) const {
    const auto found = builtins_.find(index);
    return found == builtins_.end() ? nullptr : found->second;
  }
  void Add(std::string text, const Builtin* builtin = nullptr) {
    if (builtin != nullptr) builtins_[texts_.size()] = builtin;
    texts_.push_back(std::move(text));
  }
  // The call of the macro that the first one names. Builtins are empty text for a macro that takes none.
  Arguments Inner(bool keeps_builtins) const;

 private:
  std::vector<std::string> texts_;
  std::map<size_t, const Builtin*> builtins_;
};

struct Builtin {
  std::string_view name;
  bool needs_arguments;    // known only with a parenthesis behind it
  void (*run)(Processor& m4, const Arguments& arguments);
  size_t least = 0, most = SIZE_MAX;   // arguments; fewer and more are warned of
  bool is_gnu = false;     // not known with -G
  bool takes_builtins = false;
  void (*short_of)(Processor& m4, const Arguments& arguments) = nullptr;   // what it does with too few
};
const Builtin* FindBuiltin(std::string_view name);
std::vector<const Builtin*> AllBuiltins();
// eval: nothing after a complaint.
std::optional<int32_t> Evaluate(Processor& m4, std::string_view text);
std::string Format(Processor& m4, const Arguments& arguments);

struct Macro {
  std::string text;
  const Builtin* builtin = nullptr;
};

class Processor {
 public:
  Processor(const Settings& settings, Host& host);
  int Run(const std::vector<Step>& steps);

  Budget& budget() { return host_.budget(); }
  Host& host() { return host_; }

  void Warn(std::string_view text);    // "m4:FILE:LINE: TEXT", not with -Q
  void Error(std::string_view text);   // the same, with -Q, too
  void Fatal(std::string_view text);   // and everything ends
  void End(int status);
  bool is_over() const { return is_over_; }

  // The expansion of the macro that runs.
  void Push(std::string text);
  void PushBuiltin(const Builtin& builtin);
  std::string Quoted(std::string_view text) const { return open_quote + std::string(text) + close_quote; }
  const Macro* Find(std::string_view name) const;
  void Call(const Macro& macro, const Arguments& arguments);

  void Divert(int64_t number) {
    if (number != diversion_) places_[number].line = -1;
    diversion_ = number;
  }
  void Undivert(int64_t number);
  int64_t diversion() const { return diversion_; }
  void UndivertAll();
  void Emit(std::string_view text);
  bool IncludeFile(const std::string& name, bool is_optional);
  struct FoundFile {
    std::string name, text;   // the name with the directory it was found in
  };
  Result<FoundFile> FindFile(const std::string& name);
  void SkipLine();

  std::map<std::string, std::vector<Macro>, std::less<>> macros;
  std::string open_quote = "`", close_quote = "'";
  std::string comment_begin = "#", comment_end = "\n";
  void Wrap(std::string text) { wraps_.push_back({.text = std::move(text), .file = call_file_, .line = call_line_}); }
  int system_status = 0;
  // Tracing. False for flags that are none.
  bool SetDebugFlags(std::string_view flags);
  bool DebugFlag(char flag) const { return debug_flags_.find(flag) != std::string::npos; }
  void FailAtEnd() { exit_status_ = 1; }
  void ClearDebugFlags() { debug_flags_.clear(); }
  // All macros for no name.
  void Trace(std::string_view name, bool is_on);
  bool is_traditional() const { return settings_.is_traditional; }
  // --warn-macro-sequence.
  void CheckDefinition(const std::string& name, const std::string& text);
  const std::string& call_file() const { return *call_file_; }
  size_t call_line() const { return call_line_; }

 private:
  // What was expanded stands where its macro was called.
  struct Source {
    std::string text;
    size_t at = 0;
    const std::string* file = nullptr;   // one of names_
    size_t line = 1;
    bool is_file = false;
    const Builtin* builtin = nullptr;    // instead of a text
  };
  const std::string* NameOf(const std::string& file) { return &*names_.insert(file).first; }

  int Peek();
  int Take();
  bool LooksAt(const std::string& text);
  void Skip(size_t count);
  void Expand();
  std::string TakeName();
  void TakeQuoted(std::string& out);
  void TakeComment(std::string& out);
  // Runs the macro of that name, or gives the name back as text.
  void RunName(const std::string& name, std::string& out);
  void TakeArguments(Arguments& arguments, bool keeps_builtins);
  bool OpensArguments() { return Peek() == '(' && !LooksAt(comment_begin) && !LooksAt(open_quote); }
  void ExpandText(const Macro& macro, const Arguments& arguments);
  void Place();
  bool IsTraced(const std::string& name) const { return !traced_.empty() || DebugFlag('t') ? DebugFlag('t') || traced_.contains(name) : false; }
  // "m4trace:FILE:LINE: -LEVEL- id N: ", as the flags want it.
  std::string TraceHead(uint64_t id) const;
  std::string TraceText(std::string_view text) const;
  std::string TracedCall(const Arguments& arguments) const;
  void RunBuiltin(const Builtin& builtin, const Arguments& arguments);
  void DebugInput(std::string_view text);
  void TellReturn();
  void CallTraced(const Macro& macro, const Arguments& arguments, uint64_t id);
  bool CompileWarnedSequence();
  // Frozen state, version 1 (frozen.cc). False, or a status that is not 0: told.
  bool Thaw(const std::string& name);
  void Freeze(const std::string& name);
  // Emits a token that stood there, with #line before it where that is needed (-s).
  void EmitSynchronized(std::string_view text, const std::string* file, size_t line);

  const Settings& settings_;
  Host& host_;
  std::vector<Source> sources_, wraps_;
  std::set<std::string, std::less<>> names_;   // of files
  const std::string* call_file_ = NameOf("stdin");
  size_t call_line_ = 0;
  int64_t diversion_ = 0;
  std::map<int64_t, std::string> diverted_;
  // Of each diversion: what line its output stands at.
  struct OutputPlace {
    int64_t line = 0;
    bool is_line_start = true;
    const std::string* file = nullptr;
  };
  std::map<int64_t, OutputPlace> places_;
  uint64_t nesting_ = 0;
  std::set<std::string, std::less<>> traced_;
  std::string debug_flags_;
  uint64_t calls_ = 0;
  std::string pushed_;             // what the traced call gave
  bool keeps_pushed_ = false;
  std::optional<Regex> warned_sequence_;
  bool is_over_ = false;
  int exit_status_ = 0;
};

}  // namespace paddock::m4
