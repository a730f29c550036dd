// The stack machine that runs a compiled program over its input.
//
// It owns everything that a run has: variables, the record, open streams, compiled patterns. A fatal
// error, `exit` and `next` end the instruction loop by a Flow, from whatever depth of calls.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "lang/awk/array.h"
#include "lang/awk/ast.h"
#include "lang/awk/big_number.h"
#include "lang/awk/fields.h"
#include "lang/awk/format.h"
#include "lang/awk/host.h"
#include "lang/awk/lint.h"
#include "lang/awk/pattern_cache.h"
#include "lang/awk/program.h"
#include "lang/awk/random.h"
#include "lang/awk/record_reader.h"
#include "lang/awk/streams.h"
#include "lang/awk/value.h"
#include "text/date/time_zone.h"

namespace paddock::awk {

struct RunOptions {
  std::string name = "awk";                       // ARGV[0] and the start of messages
  std::vector<std::string> assignments;           // -v and -F, "name=text"
  std::vector<std::string> operands;              // files and assignments
  std::vector<std::string> arguments;             // the whole command line, for PROCINFO
  std::string program_path;                       // AWKPATH
  bool is_utf8 = true;
  std::optional<std::string> dump_path;           // -d: where the variables are written at the end; "-": standard output
  std::optional<std::string> pretty_path;         // -o: where the program is written instead of being run
  std::optional<std::string> profile_path;        // -p: where it is written with counts, after it has run
  LintLevel lint = LintLevel::kOff;               // -L
  bool lints_for_old_awk = false;                 // -t
  bool lists_translations = false;                // -g: print the texts to be translated instead of running
  bool operands_are_files = false;                // -E: "x=1" is a file, too
  bool is_sandboxed = false;                      // -S
  bool has_big_numbers = false;                   // -M
  std::vector<std::string> libraries;             // -l
  bool reads_non_decimal = false;                 // -n
  Strictness strictness = Strictness::kGnu;
};

// How a stretch of execution ended.
enum class Flow : uint8_t { kDone, kNext, kNextFile, kExit, kFatal };

// The values that instructions work on. Slots above the top hold nothing alive.
class ValueStack {
 public:
  explicit ValueStack(Budget& budget) : budget_(budget) {}
  ~ValueStack();
  ValueStack(const ValueStack&) = delete;
  ValueStack& operator=(const ValueStack&) = delete;

  // Makes sure that `count` more values fit; moves everything when they don't.
  void Reserve(size_t count) {
    if (static_cast<size_t>(end_ - top_) < count) Grow(count);
  }
  void Push(Value&& value) { ::new (static_cast<void*>(top_++)) Value(std::move(value)); }
  void Push(const Value& value) { ::new (static_cast<void*>(top_++)) Value(value); }
  void PushNumber(double number) { ::new (static_cast<void*>(top_++)) Value(Value::Number(number)); }
  void Pop() { (--top_)->~Value(); }
  void Pop(size_t count) {
    while (count-- > 0) Pop();
  }
  Value Take() {
    Value value = std::move(top_[-1]);
    Pop();
    return value;
  }
  // The value `depth` below the top; 0 is the top.
  Value& At(size_t depth) { return top_[-1 - static_cast<ptrdiff_t>(depth)]; }
  size_t size() const { return static_cast<size_t>(top_ - begin_); }
  Value* data() { return begin_; }
  void Shrink(size_t size) {
    while (this->size() > size) Pop();
  }

 private:
  void Grow(size_t count);
  Budget& budget_;
  Value* begin_ = nullptr;
  Value* top_ = nullptr;
  Value* end_ = nullptr;
};

// What an option has written at the end.
struct Listing {
  std::string name;   // awk's own, for messages
  std::string path;   // "-" is standard output
  std::string what;   // "variable list", "profile"
  std::string text;
};
// A file that cannot be opened is complained about; then the text goes to standard error.
void WriteListing(Host& host, const Listing& listing);

class Interpreter {
 public:
  // `math` is null but with -M.
  Interpreter(const Program& program, const RunOptions& options, Host& host, BigMath* math);

  // Runs the program; the exit status.
  int Run();
  // How often it came by each node, when the program was compiled for that.
  const std::vector<uint64_t>& counts() const { return counts_; }

 private:
  struct Frame {
    int return_to;     // -1: back to the C++ code that called
    size_t base;       // first local in the stack
    int function;
    size_t walks;      // for-in walks when it was entered
  };
  std::string ArgumentName(const Frame& frame, size_t depth, int& slot) const;
  struct Walk {
    std::vector<Value> keys;
    size_t next = 0;
  };

  enum class Scope : uint8_t { kGlobal, kLocal };

  // --- the machine (interpreter.cc)
  Flow Execute(int entry);
  inline bool PushVariable(Value& variable, int slot, Scope scope);
  inline bool StoreVariable(Value& variable, int slot, Scope scope, bool drops);
  inline bool UpdateValue(Op op, Value& target, const Value& operand, bool drop);
  inline bool UpdateVariable(Value& variable, int slot, Scope scope, uint32_t a);
  inline bool IncrementVariable(Value& variable, int slot, Scope scope, uint32_t flags);
  // The end of a record of standard output.
  inline bool EndPrint();
  Flow RunRules(Rule::When when);
  // False with a complaint when `next` or `nextfile` makes no sense in the rule in progress.
  bool CheckNext(bool is_file);

  // --- single instructions (instructions.cc); `a` is the instruction's own
  std::string VariableName(int slot, Scope scope) const;
  bool CheckVariable(Value& variable, int slot, Scope scope);
  // By the array and the key on the stack, the key `depth` below the top.
  Value& ElementAt(size_t depth) { return *stack_.At(depth + 1).array()->FindOrInsert(Key(stack_.At(depth)), budget_); }
  Value* AssignableElement(size_t depth);
  bool PushArray(Value& variable, int slot, Scope scope);
  bool PushSubarray();
  bool PushElement(bool keeps);
  void PushElementRef();
  bool StoreElement(bool drops);
  bool UpdateElement(uint32_t a);
  bool IncrementElement(uint32_t flags);
  bool IncrementElementByField(size_t field, uint32_t flags);
  void DeleteElement();
  void DeleteAll();
  bool PushField(bool keeps);
  bool StoreFieldAt(bool drops);
  bool UpdateField(uint32_t a);
  bool IncrementField(uint32_t flags);
  bool UpdateHooked(int slot, uint32_t a);
  bool IncrementHooked(int slot, uint32_t flags);
  bool StoreAsideIn(Value& variable, int slot, Scope scope);
  bool StoreAsideField();
  bool StoreAsideElement();
  bool Match(bool is_negated);
  bool MatchConstant(const Value& pattern, bool is_negated);
  // True when `next`, which stores into a variable, is done with: the text was appended to that.
  bool ConcatInto(const Instruction& next, Value* local, size_t count);
  void SetExitStatus();

  // --- calls (calls.cc)
  // That there is such a function; a warning for too many arguments.
  bool CheckCall(int function, size_t argument_count);
  bool Call(int function, size_t argument_count, int return_to);
  bool CallIndirect(size_t argument_count, int return_to);
  bool SubstituteIndirectly(Builtin id, size_t argument_count);
  bool PrepareArrays(Builtin id, size_t argument_count);
  // Calls a function with arguments that are on the stack; leaves its result there.
  bool CallBack(int function, size_t argument_count);
  // Leaves the result on the stack; where to go on, -1 for the C++ code that called.
  int LeaveFunction();

  // --- operations on values (operations.cc)
  bool Compare(Op op, const Value& left, const Value& right);
  int CompareText(std::string_view left, std::string_view right) const;
  bool CaseMatches(const Value& value, const Value& label, bool& matches);
  bool MatchText(std::string_view text, const Value& pattern, bool& matches);
  bool CompareBig(Op op, const Value& left, const Value& right) const;
  bool Calculate(Op op, const Value& left, const Value& right, Value& result);
  bool CalculateBig(Op op, const Value& left, const Value& right, Value& result);
  void Concat(size_t count);
  void Append(Value& to, const Value& what);
  // x = x …, when the stack's first of `count` values is x and only x holds its text besides.
  bool AppendInPlace(Value& to, size_t count);
  void JoinSubscripts(size_t count);
  // (arithmetic.h)
  inline bool Arithmetic(Op op, double left, double right, double& result);
  inline void IncrementValue(Value& target, uint32_t flags);

  // --- variables (variables.cc)
  std::string LocalName(int slot) const;
  // `a["key"]`, by the array that was pushed last.
  std::string ElementName(const Value& key) const;
  // SYMTAB is filled from the variables when it is used; stores into it go on to them.
  void RefreshSymtab();
  std::string DumpedValue(const std::string& name, Value& value) const;
  void DumpVariables();
  bool StoreSymbol(Array& array, const Value& key);
  // Whether -S lets an element of ARGV have that value.
  bool CheckNewOperand(const Array& array, const Value& value);
  bool CheckSymbol(Array& array, const Value& key);
  void SetUpTables();
  bool PushScalar(Value& variable, const std::function<std::string()>& name);
  void PushRef(Value& variable);
  // The array that a variable or element is, made when it is untyped; null after a fatal error.
  Array* ArrayIn(Value& variable, const std::function<std::string()>& name);
  bool CheckAssignable(Value& variable, const std::function<std::string()>& name);
  void PushCounter(int slot);
  void SetCounter(const Value& value, double& count, Value& base);
  bool StoreHooked(int slot, const Value& value);
  bool AfterChange(int slot);
  bool FieldIndex(const Value& value, size_t& index);
  bool StoreField(size_t index, Value value);
  Value& global(int slot) { return globals_[static_cast<size_t>(slot)]; }
  std::string_view convfmt() const { return convfmt_; }
  ArrayKey Key(const Value& value) const { return ArrayKey(value, convfmt_); }
  void SetUpVariables();
  void SetUpProcinfo();
  bool AssignOperand(std::string_view text, bool is_option);
  bool UpdateFieldRule(int slot);
  bool UpdateRecordRule();

  // --- input and output (io.cc)
  bool Print(Redirect how, size_t count);
  bool Printf(Redirect how, size_t count);
  FormatContext MakeFormatContext();
  bool CheckWritten(Output& output, std::string_view name, std::string_view verb);
  // Null after a failure, which is fatal unless the program said otherwise.
  Output* OutputFor(Redirect how, const Value& destination, const char* verb);
  bool IsNonfatal(std::string_view name);
  bool Getline(Redirect how, bool has_variable);
  // Reads the next record of the main input; false at the end or when flow_ says why.
  bool ReadRecord(std::string_view& record, std::string_view& terminator);
  bool OpenNextFile();
  bool OpenFile(const std::string& path);
  bool EndFile();
  void SetRecord(std::string_view record, std::string_view terminator);
  void SetErrno(const Error& error);
  // Makes ENVIRON the environment of the next command.
  void ShareEnvironment();

  // --- built-in functions (builtins*.cc)
  bool CallBuiltin(Builtin id, size_t count);
  bool CallNumeric(Builtin id, size_t count);
  bool CallBitwise(Builtin id, size_t count);
  // The same with -M (big_operations.cc).
  bool CallBigNumeric(Builtin id, size_t count);
  bool CallBigBitwise(Builtin id, size_t count);
  bool SetPrecision();
  bool SetRounding();
  bool CallText(Builtin id, size_t count);
  bool CallStream(Builtin id, size_t count);
  bool CallTime(Builtin id, size_t count);
  bool Length(const Value& value);
  bool Substr(size_t count);
  bool Index();
  bool ChangeCase(bool to_upper);
  bool Sprintf(size_t count);
  bool MatchFunction(size_t count);
  bool Split(size_t count, bool by_content);
  bool Substitute(bool is_global);
  bool Gensub();
  bool TypeOf(const Value& value);
  bool SortArray(size_t count, bool by_index);
  bool SystemFunction();
  bool CloseFunction(size_t count);
  bool FlushFunction(size_t count);
  bool Strftime(size_t count);
  bool Mktime(size_t count);
  TimeZone LocalZone();
  // Replaces `count` arguments on the stack by a result.
  bool Return(size_t count, Value result) {
    stack_.Pop(count);
    stack_.Push(std::move(result));
    return true;
  }
  bool ReturnNumber(size_t count, double result) { return Return(count, Value::Number(result)); }
  size_t CountChars(std::string_view text) const;
  size_t CharOffset(std::string_view text, size_t count) const;
  const AwkPattern* PatternOf(const Value& value);

  // --- functions of the libraries that @load names (extension_*.cc)
  bool CallExtension(Extension id, size_t count);
  // The variables that come with them.
  void SetUpLibraries();
  bool HasLibrary(Library library) const { return (program_.libraries & BitOf(library)) != 0; }
  std::string ExtensionText(size_t count, size_t argument);
  // Null when the argument is something else than an array.
  Array* ExtensionArray(size_t count, size_t argument);
  // 0, or -1 with ERRNO set.
  bool Outcome(size_t count, const Status& status);
  bool Refuse(size_t count, const std::string& warning, double result);
  bool FnmatchFunction(size_t count);
  bool Intdiv(size_t count);
  bool SleepFunction(size_t count);
  void DescribeFile(Array& data, std::string_view name, const std::string& path, const FileStatus& status);
  bool StatFunction(size_t count);
  bool SpaceFunction(size_t count);
  Array* Subarray(Array& array, std::string_view key);
  void DescribeWalked(Array& place, std::string_view name, const std::string& path, const FileStatus& status);
  void DescribeFailure(Array& place, const std::string& path, const Error& error);
  void WalkFile(Array& parent, const std::string& path, int flags, std::vector<FileStatus>& above);
  bool WalkFunction(size_t count);
  bool ReadfileFunction(size_t count);
  bool InplaceBegin(size_t count);
  bool InplaceEnd(size_t count);
  void DropInplace();
  void AppendValue(std::string& out, const Value& value, int depth);
  void AppendArray(std::string& out, Array& array, int depth);
  bool WriteStored(const std::string& path, const std::string& content);
  bool ReadStored(const std::string& path, Array& array);
  bool WriteArrayFunction(size_t count);
  bool ReadArrayFunction(size_t count);
  bool WriteVariables(size_t count);
  bool ReadVariables(size_t count);

  // Orders elements by "@ind_str_asc" and the like or by a function; false after a fatal error.
  bool Sort(std::vector<Array::Element>& elements, std::string_view how);
  using Order = std::function<bool(const Array::Element&, const Array::Element&)>;
  bool MergeSort(std::vector<Array::Element>& elements, const Order& comes_first);
  bool KeysInOrder(Array& array, std::vector<Value>& keys);

  // --- complaints
  std::string Prefix() const;
  // Reports a fatal error and ends the run: always false.
  bool Fatal(const std::string& message);
  bool FatalError(const Error& error) { return Fatal(std::string(error.Text())); }
  bool BadPattern(const Error& error, std::string_view source);
  void Warn(const std::string& message);
  // A warning of --lint; false when it is fatal.
  bool Lint(const std::string& message);
  // What is put into the variable LINT.
  void SetLint(const Value& value);
  bool CheckLint(LintCheck check, int operand);
  bool LintArguments(Builtin id, size_t count);
  // A name that is used in two ways.
  bool LintStream(Redirect how, bool is_output, std::string_view name);
  // What a coprocess of that name fails with, which gawk takes for a place in the network: there is none. Empty for others.
  std::optional<Error> NetworkError(std::string_view name);

  const Program& program_;
  const RunOptions& options_;
  Host& host_;
  Budget& budget_;
  BigMath* const math_;
  Streams streams_;
  PatternCache patterns_;
  Record record_;

  std::vector<Value> globals_;
  ValueStack stack_;
  std::vector<Frame> frames_;
  std::vector<Walk> walks_;
  std::vector<bool> range_active_;
  std::vector<uint64_t> counts_;
  Array* symtab_ = nullptr;   // null unless the program names SYMTAB
  Array* functab_ = nullptr;  // null unless the program names FUNCTAB
  LintLevel lint_ = LintLevel::kOff;
  bool guards_tables_ = false;  // it names one of them
  Value aside_;             // what the last getline, sub or gsub left to be stored
  bool has_aside_ = false;
  Flow flow_ = Flow::kDone;
  Rule::When when_ = Rule::When::kBegin;  // which kind of rule runs
  int exit_status_ = 0;
  int fatal_status_ = 2;
  int pc_ = -1;             // instruction in progress, for messages
  int last_pc_ = -1;   // of the rule that ran last: where messages between rules belong
  size_t stack_margin_;

  // Copies of special variables in the form in which they are used.
  double nr_ = 0, fnr_ = 0;
  Value nr_base_ = Value::Number(0), fnr_base_ = Value::Number(0);   // what to add to them with -M
  std::string ofs_ = " ", ors_ = "\n", subsep_ = "\034", convfmt_ = "%.6g", ofmt_ = "%.6g";
  int field_slot_ = kSlotFs;  // which of FS, FIELDWIDTHS and FPAT was set last
  RecordRule record_rule_;
  std::optional<AwkPattern> record_pattern_;
  std::optional<Random> random_;
  double seed_ = 1;
  std::string scratch_;
  std::vector<RegexGroup> groups_;

  // A file that is edited in place: what is written goes to `target`, which becomes the file.
  struct Inplace {
    std::string path, target;
  };
  std::optional<Inplace> inplace_;
  int inplace_count_ = 0;

  // The main input.
  RecordReader* reader_ = nullptr;
  std::unique_ptr<ByteSource> file_;
  std::unique_ptr<RecordReader> file_reader_;
  int argument_ = 0;         // index in ARGV of the file in progress
  bool has_read_a_file_ = false;
  bool skips_file_ = false;  // nextfile in BEGINFILE
};

}  // namespace paddock::awk
