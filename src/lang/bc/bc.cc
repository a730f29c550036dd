#include "lang/bc/bc.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "lang/bc/functions.h"
#include "lang/bc/parser.h"

namespace paddock::bc {
namespace {

constexpr uint64_t kMostIndex = 16777215;
constexpr int64_t kMostBase = std::numeric_limits<int>::max();

// What ends statements early.
enum class Flow { kNext, kBreak, kContinue, kReturn, kHalt, kFailed };

using Array = std::map<uint64_t, Number>;
using ArrayPtr = std::shared_ptr<Array>;

class Machine {
 public:
  Machine(const BcOptions& options, Host& host) : options_(options), host_(host), calculator_(host.budget()), out_(host, options.line_width) {
    if (options.has_math) scale_ = 20;
  }

  // Runs a program text to its end. False when it said quit or halt.
  bool Run(const std::function<int()>& next, const std::string& name) {
    Parser parser(next, name, options_, host_);
    parser.void_functions = void_functions_;
    while (true) {
      Unit unit = parser.Next();
      switch (unit.kind) {
        case Unit::kEnd: void_functions_ = parser.void_functions; return true;
        case Unit::kQuit: return false;
        case Unit::kError: break;
        case Unit::kFunction: functions_[unit.name] = std::make_shared<Function>(std::move(unit.function)); break;
        case Unit::kStatements:
          if (RunAll(unit.statements) == Flow::kHalt || has_halted_) return false;
          host_.Flush();
      }
    }
  }

 private:
  // --- complaints --------------------------------------------------------------------------------------------------

  bool Fail(const std::string& message) {
    host_.Complain("Runtime error (func=" + where_ + ", adr=0): " + message);
    has_failed_ = true;
    return false;
  }
  void Warn(const std::string& message) { host_.Complain("Runtime warning (func=" + where_ + ", adr=0): " + message); }
  // Takes a result of the calculator. False after a complaint.
  template <class T>
  bool Take(Result<T> result, T& out) {
    if (!result) return Fail("number too large");
    out = std::move(*result);
    return true;
  }

  // --- statements --------------------------------------------------------------------------------------------------

  Flow RunAll(const StatementList& list) {
    for (const StatementPtr& statement : list) {
      const Flow flow = RunOne(*statement);
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }

  bool IsTrue(const Expression& e, bool& out) {
    Number value;
    if (!Evaluate(e, value)) return false;
    out = !value.is_zero();
    return true;
  }

  Flow RunOne(const Statement& s) {
    host_.budget().Step();
    host_.budget().CheckStack();
    switch (s.kind) {
      case Statement::kExpression: return RunExpression(*s.expressions[0]);
      case Statement::kText: out_.Write(s.text); return Flow::kNext;
      case Statement::kPrint: return RunPrint(s);
      case Statement::kBlock: return RunAll(s.body);
      case Statement::kIf: {
        bool is_true = false;
        if (!IsTrue(*s.expressions[0], is_true)) return Flow::kFailed;
        return RunAll(is_true ? s.body : s.otherwise);
      }
      case Statement::kWhile: return RunLoop(s, s.expressions[0].get(), nullptr);
      case Statement::kFor: {
        Number ignored;
        if (s.expressions[0] && !Evaluate(*s.expressions[0], ignored)) return Flow::kFailed;
        return RunLoop(s, s.expressions[1].get(), s.expressions[2].get());
      }
      case Statement::kBreak: return Flow::kBreak;
      case Statement::kContinue: return Flow::kContinue;
      case Statement::kReturn:
        returned_ = Number();
        if (!s.expressions.empty() && !Evaluate(*s.expressions[0], returned_)) return Flow::kFailed;
        return Flow::kReturn;
      case Statement::kHalt: return Flow::kHalt;
      case Statement::kWarranty: host_.Write("\nThis program comes without any warranty.\n"); return Flow::kNext;
      case Statement::kLimits:
        host_.Write("BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = " + std::to_string(kMostScale) +
                    "\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n");
        return Flow::kNext;
    }
    return Flow::kNext;
  }

  Flow RunLoop(const Statement& s, const Expression* condition, const Expression* step) {
    Number ignored;
    while (true) {
      host_.budget().Step();
      bool is_true = true;
      if (condition != nullptr && !IsTrue(*condition, is_true)) return Flow::kFailed;
      if (!is_true) return Flow::kNext;
      const Flow flow = RunAll(s.body);
      if (flow == Flow::kBreak) return Flow::kNext;
      if (flow != Flow::kNext && flow != Flow::kContinue) return flow;
      if (step != nullptr && !Evaluate(*step, ignored)) return Flow::kFailed;
    }
  }

  Flow RunExpression(const Expression& e) {
    Number value;
    is_void_ = false;
    if (!Evaluate(e, value)) return has_halted_ ? Flow::kHalt : Flow::kFailed;
    if (e.kind == Word::kAssign || (e.kind == Word::kCall && is_void_)) return Flow::kNext;
    if (!Show(value)) return Flow::kFailed;
    out_.Write("\n");
    return Flow::kNext;
  }

  bool Show(const Number& value) {
    std::string text;
    if (!Take(calculator_.Text(value, output_base_, false), text)) return false;
    out_.Write(text);
    last_ = value;
    return true;
  }

  Flow RunPrint(const Statement& s) {
    for (const ExpressionPtr& part : s.expressions) {
      if (part->kind == Word::kString) {
        out_.Write(Unescaped(part->text));
        continue;
      }
      Number value;
      if (!Evaluate(*part, value)) return has_halted_ ? Flow::kHalt : Flow::kFailed;
      if (!Show(value)) return Flow::kFailed;
    }
    return Flow::kNext;
  }

  static std::string Unescaped(const std::string& text) {
    static constexpr std::string_view kLetters = "abfnrtq\\";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\"\\";
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        result += text[i];
        continue;
      }
      const size_t at = kLetters.find(text[++i]);
      if (at != std::string_view::npos) result += kBytes[at];
    }
    return result;
  }

  // --- expressions -------------------------------------------------------------------------------------------------

  bool Evaluate(const Expression& e, Number& out) {
    host_.budget().Step();
    host_.budget().CheckStack();
    switch (e.kind) {
      case Word::kNumber: return Constant(e, out);
      case Word::kName: out = Variable(e); return true;
      case Word::kArray: {
        uint64_t index = 0;
        if (!Index(e, index)) return false;
        const ArrayPtr& array = arrays_[e.text];
        const auto it = array ? array->find(index) : Array::iterator();
        out = array && it != array->end() ? it->second : Number();
        return true;
      }
      case Word::kSpecial: out = ReadSpecial(e.special); return true;
      case Word::kGroup: return Evaluate(*e.parts[0], out);
      case Word::kNegate:
        if (!Evaluate(*e.parts[0], out)) return false;
        out.digits = -out.digits;
        return true;
      case Word::kNot: {
        bool is_true = false;
        if (!IsTrue(*e.parts[0], is_true)) return false;
        out = Number(is_true ? 0 : 1);
        return true;
      }
      case Word::kAnd:
      case Word::kOr: {
        bool is_true = false;
        if (!IsTrue(*e.parts[0], is_true)) return false;
        // Both sides are worked out only when the first leaves it open.
        if (is_true == (e.kind == Word::kAnd) && !IsTrue(*e.parts[1], is_true)) return false;
        out = Number(is_true ? 1 : 0);
        return true;
      }
      case Word::kAssign: return Assign(e, out);
      case Word::kIncrementBefore: return Increment(*e.parts[0], 1, false, out);
      case Word::kDecrementBefore: return Increment(*e.parts[0], -1, false, out);
      case Word::kIncrementAfter: return Increment(*e.parts[0], 1, true, out);
      case Word::kDecrementAfter: return Increment(*e.parts[0], -1, true, out);
      case Word::kCall: return Call(e, out);
      case Word::kLength:
      case Word::kSquareRoot:
      case Word::kScale:
      case Word::kRead:
      case Word::kRandom: return Builtin(e, out);
      case Word::kWholeArray:
      case Word::kString: return Fail("an array is no number");
      default: break;
    }
    return Chain(e, out);
  }

  static bool IsBinary(Word kind) { return (kind >= Word::kAdd && kind <= Word::kPower) || (kind >= Word::kLess && kind <= Word::kUnequal); }

  // Operators with two sides: a + b + c and on is a tree that leans to the left, and worked out from its far end in a loop.
  bool Chain(const Expression& e, Number& out) {
    std::vector<const Expression*> chain;
    const Expression* first = &e;
    for (; IsBinary(first->kind); first = first->parts[0].get()) {
      host_.budget().Step();
      chain.push_back(first);
    }
    Number left;
    if (!Evaluate(*first, left)) return false;
    for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
      host_.budget().Step();
      Number right, result;
      if (!Evaluate(*(*node)->parts[1], right) || !Operate((*node)->kind, left, right, result)) return false;
      left = std::move(result);
    }
    out = std::move(left);
    return true;
  }

  bool Operate(Word operation, const Number& a, const Number& b, Number& out) {
    switch (operation) {
      case Word::kAdd: return Take(calculator_.Add(a, b), out);
      case Word::kSubtract: return Take(calculator_.Subtract(a, b), out);
      case Word::kMultiply: return Take(calculator_.Multiply(a, b, scale_), out);
      case Word::kDivide:
        if (b.is_zero()) return Fail("Divide by zero");
        return Take(calculator_.Divide(a, b, scale_), out);
      case Word::kModulo:
        if (b.is_zero()) return Fail("Modulo by zero");
        return Take(calculator_.Remainder(a, b, scale_), out);
      case Word::kPower: return Power(a, b, out);
      default: break;
    }
    int order = 0;
    if (!Take(calculator_.Compare(a, b), order)) return false;
    bool is_true = false;
    switch (operation) {
      case Word::kLess: is_true = order < 0; break;
      case Word::kLessEqual: is_true = order <= 0; break;
      case Word::kGreater: is_true = order > 0; break;
      case Word::kGreaterEqual: is_true = order >= 0; break;
      case Word::kEqual: is_true = order == 0; break;
      default: is_true = order != 0;
    }
    out = Number(is_true ? 1 : 0);
    return true;
  }

  bool Power(const Number& a, const Number& b, Number& out) {
    if (b.scale != 0) Warn("non-zero scale in exponent");
    Integer exponent;
    if (!Take(calculator_.Whole(b), exponent)) return false;
    if (exponent > std::numeric_limits<int64_t>::max() || exponent < std::numeric_limits<int64_t>::min()) {
      return Fail("exponent too large in raise");
    }
    auto result = calculator_.Power(a, static_cast<int64_t>(exponent), scale_);
    if (!result && result.error().code == Code::kInvalid) return Fail("divide by zero");
    return Take(std::move(result), out);
  }

  bool Index(const Expression& e, uint64_t& out) {
    Number value;
    Integer whole;
    if (!Evaluate(*e.parts[0], value) || !Take(calculator_.Whole(value), whole)) return false;
    if (whole.sign() < 0 || whole > kMostIndex) return Fail("Array " + e.text + " subscript out of bounds.");
    out = static_cast<uint64_t>(whole);
    return true;
  }

  Number ReadSpecial(Special special) const {
    switch (special) {
      case Special::kInputBase: return Number(input_base_);
      case Special::kOutputBase: return Number(Integer(output_base_), 0);
      case Special::kScale: return Number(static_cast<int64_t>(scale_));
      default: return last_;
    }
  }

  bool Assign(const Expression& e, Number& out) {
    const Expression& place = *e.parts[0];
    uint64_t index = 0;
    if (place.kind == Word::kArray && !Index(place, index)) return false;
    Number value;
    if (!Evaluate(*e.parts[1], value)) return false;
    if (e.operation != Word::kAssign && !Operate(e.operation, Load(place, index), value, value)) return false;
    return Store(place, index, value) && (out = std::move(value), true);
  }

  bool Increment(const Expression& place, int64_t by, bool returns_old, Number& out) {
    uint64_t index = 0;
    if (place.kind == Word::kArray && !Index(place, index)) return false;
    const Number old = Load(place, index);
    Number value;
    if (!Take(calculator_.Add(old, Number(by)), value) || !Store(place, index, value)) return false;
    out = returns_old ? old : value;
    return true;
  }

  Number Load(const Expression& place, uint64_t index) {
    if (place.kind == Word::kSpecial) return ReadSpecial(place.special);
    if (place.kind == Word::kName) return Variable(place);
    return ArrayOf(place.text)[index];
  }

  bool Constant(const Expression& e, Number& out) {
    if (e.value_base != input_base_) {
      if (!Take(calculator_.Parse(e.text, input_base_), e.value)) return false;
      e.value_base = input_base_;
    }
    out = e.value;
    return true;
  }

  // Variables stay where they are once they exist.
  Number& Variable(const Expression& e) {
    if (e.variable == nullptr) e.variable = &variables_[e.text];
    return *e.variable;
  }

  Array& ArrayOf(const std::string& name) {
    ArrayPtr& array = arrays_[name];
    if (!array) array = std::make_shared<Array>();
    return *array;
  }

  bool Store(const Expression& place, uint64_t index, const Number& value) {
    if (place.kind == Word::kName) return Variable(place) = value, true;
    if (place.kind == Word::kArray) return ArrayOf(place.text)[index] = value, true;
    if (place.special == Special::kLast) return last_ = value, true;
    Integer whole;
    if (!Take(calculator_.Whole(value), whole)) return false;
    const bool is_negative = value.is_negative();
    switch (place.special) {
      case Special::kInputBase:
        if (whole < 2) Warn(is_negative ? "negative ibase, set to 2" : "ibase too small, set to 2");
        else if (whole > (options_.is_standard ? 16 : 36)) Warn(options_.is_standard ? "ibase too large, set to 16" : "ibase too large, set to 36");
        input_base_ = whole < 2 ? 2 : whole > (options_.is_standard ? 16 : 36) ? (options_.is_standard ? 16 : 36) : static_cast<int>(whole);
        return true;
      case Special::kOutputBase:
        if (whole < 2) Warn(is_negative ? "negative obase, set to 2" : "obase too small, set to 2");
        else if (whole > kMostBase) Warn("obase too large, set to 2147483647");
        output_base_ = whole < 2 ? Integer(2) : whole > kMostBase ? Integer(kMostBase) : whole;
        return true;
      default:
        if (is_negative) Warn("negative scale, set to 0");
        else if (whole > kMostScale) Warn("scale too large, set to " + std::to_string(kMostScale));
        scale_ = is_negative ? 0 : whole > kMostScale ? kMostScale : static_cast<uint64_t>(whole);
        return true;
    }
  }

  bool Builtin(const Expression& e, Number& out) {
    if (e.kind == Word::kRead) return ReadNumber(out);
    if (e.kind == Word::kRandom) {
      // A generator of its own, so that runs can be repeated.
      random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
      out = Number(static_cast<int64_t>(random_ >> 33));
      return true;
    }
    Number value;
    if (!Evaluate(*e.parts[0], value)) return false;
    if (e.kind == Word::kScale) return out = Number(static_cast<int64_t>(value.scale)), true;
    if (e.kind == Word::kSquareRoot) {
      if (value.is_negative()) return Fail("Square root of a negative number");
      return Take(calculator_.SquareRoot(value, scale_), out);
    }
    uint64_t length = 0;
    if (!Take(calculator_.Length(value), length)) return false;
    out = Number(static_cast<int64_t>(length));
    return true;
  }

  bool ReadNumber(Number& out) {
    std::string text;
    int c = host_.ReadByte();
    while (c == ' ' || c == '\t' || c == '\n') c = host_.ReadByte();
    while (c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')) {
      host_.budget().Step();
      text += static_cast<char>(c);
      c = host_.ReadByte();
    }
    while (c >= 0 && c != '\n') c = host_.ReadByte();
    if (text.empty() || text.find('-', 1) != std::string::npos || text.find('.') != text.rfind('.')) return out = Number(), true;
    return Take(calculator_.Parse(text, input_base_), out);
  }

  // --- functions ---------------------------------------------------------------------------------------------------

  // A variable or array that a call covers, as it was before.
  struct Covered {
    Parameter what;
    Number number;
    ArrayPtr array;
  };

  void Cover(const Parameter& what, Number number, ArrayPtr array, std::vector<Covered>& covered) {
    Covered before{what, {}, nullptr};
    if (what.is_array) {
      before.array = std::exchange(arrays_[what.name], std::move(array));
    } else {
      before.number = std::exchange(variables_[what.name], std::move(number));
    }
    covered.push_back(std::move(before));
  }

  bool Call(const Expression& e, Number& out) {
    const auto found = functions_.find(e.text);
    if (found == functions_.end()) {
      if (options_.has_math && e.text.size() == 1 && std::string_view("scaelj").find(e.text[0]) != std::string_view::npos) return CallMath(e, out);
      return Fail("Function " + e.text + " not defined.");
    }
    const std::shared_ptr<Function> function = found->second;
    if (function->parameters.size() != e.parts.size()) return Fail("Parameter number mismatch");
    std::vector<Number> numbers(e.parts.size());
    std::vector<ArrayPtr> arrays(e.parts.size());
    for (size_t i = 0; i < e.parts.size(); ++i) {
      const Parameter& parameter = function->parameters[i];
      const Expression& argument = *e.parts[i];
      if (parameter.is_array != (argument.kind == Word::kWholeArray)) {
        return Fail("Parameter type mismatch parameter " + parameter.name + ".");
      }
      if (!parameter.is_array) {
        if (!Evaluate(argument, numbers[i])) return false;
        continue;
      }
      Array& source = ArrayOf(argument.text);
      host_.budget().Step(static_cast<int64_t>(source.size()));
      arrays[i] = parameter.is_reference ? arrays_[argument.text] : std::make_shared<Array>(source);
    }
    std::vector<Covered> covered;
    for (size_t i = 0; i < e.parts.size(); ++i) Cover(function->parameters[i], std::move(numbers[i]), std::move(arrays[i]), covered);
    for (const Parameter& local : function->locals) Cover(local, Number(), std::make_shared<Array>(), covered);
    const std::string caller = std::exchange(where_, e.text);
    returned_ = Number();
    const Flow flow = RunAll(function->body);
    where_ = caller;
    for (size_t i = covered.size(); i-- > 0;) {
      if (covered[i].what.is_array) arrays_[covered[i].what.name] = std::move(covered[i].array);
      else variables_[covered[i].what.name] = std::move(covered[i].number);
    }
    if (flow == Flow::kHalt) has_halted_ = true;
    if (flow == Flow::kFailed || flow == Flow::kHalt) return false;
    out = flow == Flow::kReturn ? std::move(returned_) : Number();
    is_void_ = function->is_void;
    return true;
  }

  bool CallMath(const Expression& e, Number& out) {
    const char name = e.text[0];
    if (e.parts.size() != (name == 'j' ? 2u : 1u)) return Fail("Parameter number mismatch");
    std::vector<Number> arguments(e.parts.size());
    for (size_t i = 0; i < e.parts.size(); ++i) {
      if (!Evaluate(*e.parts[i], arguments[i])) return false;
    }
    if (name != 'j') return Take(MathFunction(calculator_, name, arguments[0], scale_), out);
    Integer order;
    if (!Take(calculator_.Whole(arguments[0]), order)) return false;
    if (order > 100'000 || order < -100'000) return Fail("number too large");
    return Take(Bessel(calculator_, static_cast<int64_t>(order), arguments[1], scale_), out);
  }

  const BcOptions& options_;
  Host& host_;
  Calculator calculator_;
  LineWriter out_;
  std::unordered_map<std::string, Number> variables_;
  std::unordered_map<std::string, ArrayPtr> arrays_;
  std::unordered_map<std::string, std::shared_ptr<Function>> functions_;
  std::set<std::string> void_functions_;
  int input_base_ = 10;
  Integer output_base_ = 10;
  uint64_t scale_ = 0;
  Number last_, returned_;
  bool is_void_ = false, has_failed_ = false, has_halted_ = false;
  uint64_t random_ = 1;
  std::string where_ = "(main)";
};

}  // namespace

int RunBc(const std::vector<BcSource>& files, const BcOptions& options, Host& host) {
  Machine machine(options, host);
  for (const BcSource& file : files) {
    size_t at = 0;
    const auto next = [&]() -> int { return at < file.text.size() ? static_cast<unsigned char>(file.text[at++]) : -1; };
    if (!machine.Run(next, file.name)) return 0;
  }
  machine.Run([&host] { return host.ReadByte(); }, "(standard_in)");
  return 0;
}

}  // namespace paddock::bc
