#include "lang/bc/dc.h"

#include <algorithm>
#include <limits>
#include <map>
#include <variant>
#include <vector>

#include "lang/bc/number.h"

namespace paddock::bc {
namespace {

using Value = std::variant<Number, std::string>;
// One level of a register: a value and an array.
struct Level {
  Value value = Number();
  bool has_value = true;
  std::map<Integer, Value> array;
};

bool IsDigit(int c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }

std::string Octal(int byte) {
  return {'0', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8), static_cast<char>('0' + byte % 8)};
}

}  // namespace

class DcMachine {
 public:
  DcMachine(Host& host, uint64_t width) : host_(host), calculator_(host.budget()), width_(width == 0 ? 0 : width + 1) {}

  // Runs commands until the end. False when the program quit.
  bool Run(const std::function<int()>& next) {
    next_ = &next;
    back_.reset();
    while (true) {
      host_.budget().Step();
      const int c = Get();
      if (c >= 0) {
        Command(static_cast<char>(c));
        if (has_quit_) return false;
      } else if (frames_.empty()) {
        return true;
      } else {
        LeaveFrame();
      }
    }
  }

  bool RunText(const std::string& text) {
    size_t at = 0;
    return Run([&]() -> int { return at < text.size() ? static_cast<unsigned char>(text[at++]) : -1; });
  }

 private:
  // A string that is being run. One that was started by the last command of another takes its place, so that loops, which dc
  // writes like that, need no room; `levels` counts both, for Q.
  struct Frame {
    std::string text;
    size_t at = 0;
    int64_t levels = 1;
  };

  int Get() {
    if (!frames_.empty()) {
      Frame& frame = frames_.back();
      return frame.at < frame.text.size() ? static_cast<unsigned char>(frame.text[frame.at++]) : -1;
    }
    if (!back_) return (*next_)();
    const int c = *back_;
    back_.reset();
    return c;
  }
  void Unget(int c) {
    if (frames_.empty()) back_ = c;
    else --frames_.back().at;
  }

  void Execute(std::string text) {
    host_.budget().WillAllocate(text.size() + sizeof(Frame));
    ++depth_;
    if (!frames_.empty() && frames_.back().at == frames_.back().text.size()) {
      Frame& frame = frames_.back();
      frame.text = std::move(text);
      frame.at = 0;
      ++frame.levels;
    } else {
      frames_.push_back({std::move(text)});
    }
  }
  void LeaveFrame() {
    depth_ -= frames_.back().levels;
    frames_.pop_back();
  }
  // What a frame took the place of is at its end: leaving a part of the levels leaves all.
  void Quit(int64_t levels) {
    while (levels > 0 && !frames_.empty()) {
      levels -= frames_.back().levels;
      LeaveFrame();
    }
  }

  void Complain(const std::string& message) { host_.Complain("dc: " + message); }
  bool Fail(const std::string& message) {
    Complain(message);
    return false;
  }

  bool Need(size_t count) { return stack_.size() >= count || Fail("stack empty"); }
  Number* NumberAt(size_t from_top) { return std::get_if<Number>(&stack_[stack_.size() - 1 - from_top]); }
  bool NeedNumbers(size_t count) {
    if (!Need(count)) return false;
    for (size_t i = 0; i < count; ++i) {
      if (NumberAt(i) == nullptr) return Fail("non-numeric value");
    }
    return true;
  }
  void Push(Value value) {
    host_.budget().WillAllocate(sizeof(Value));
    stack_.push_back(std::move(value));
  }
  void Push(int64_t number) { Push(Value(Number(number))); }
  Value Pop() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  // Replaces `count` operands by a result; they stay when there is none.
  bool Replace(size_t count, Result<Number> result) {
    if (!result) return Fail(result.error().code == Code::kInvalid ? "divide by zero" : "number too large");
    stack_.resize(stack_.size() - count);
    Push(Value(std::move(*result)));
    return true;
  }

  void Arithmetic(char operation) {
    if (!NeedNumbers(2)) return;
    const Number a = *NumberAt(1), b = *NumberAt(0);
    switch (operation) {
      case '+': Replace(2, calculator_.Add(a, b)); return;
      case '-': Replace(2, calculator_.Subtract(a, b)); return;
      case '*': Replace(2, calculator_.Multiply(a, b, scale_)); return;
      case '^': Power(a, b); return;
      default: break;
    }
    if (b.is_zero()) {
      Complain(operation == '%' ? "remainder by zero" : "divide by zero");
      return;
    }
    if (operation == '/') Replace(2, calculator_.Divide(a, b, scale_));
    else if (operation == '%') Replace(2, calculator_.Remainder(a, b, scale_));
    else DivideBoth(a, b);
  }

  void DivideBoth(const Number& a, const Number& b) {
    auto quotient = calculator_.Divide(a, b, scale_);
    auto rest = calculator_.Remainder(a, b, scale_);
    if (!quotient || !rest) return Complain("number too large");
    stack_.resize(stack_.size() - 2);
    Push(Value(std::move(*quotient)));
    Push(Value(std::move(*rest)));
  }

  void Power(const Number& a, const Number& b) {
    if (b.scale != 0) host_.Complain("Runtime warning: non-zero scale in exponent");
    const auto whole = calculator_.Whole(b);
    if (!whole || *whole > std::numeric_limits<int64_t>::max() || *whole < std::numeric_limits<int64_t>::min()) {
      return Complain("number too large");
    }
    Replace(2, calculator_.Power(a, static_cast<int64_t>(*whole), scale_));
  }

  void ModularPower() {
    if (!NeedNumbers(3)) return;
    if (NumberAt(0)->is_zero()) return Complain("remainder by zero");
    const Number modulus = *NumberAt(0);
    const auto exponent = calculator_.Whole(*NumberAt(1));
    if (!exponent) return Complain("number too large");
    if (exponent->sign() < 0) return Complain("negative exponent");
    Replace(3, ModularPowerOf(*NumberAt(2), *exponent, modulus));
  }

  // Remainders are those of the scale in force, as dc has it: with digits behind the point they mean little.
  Result<Number> ModularPowerOf(const Number& base, Integer exponent, const Number& modulus) {
    Number result(1), square = base;
    const uint64_t scale = std::max(scale_, base.scale);
    for (; !exponent.is_zero(); exponent >>= 1) {
      host_.budget().Step();
      if ((exponent & 1) != 0) {
        PADDOCK_ASSIGN(result, calculator_.Multiply(result, square, scale));
        PADDOCK_ASSIGN(result, calculator_.Remainder(result, modulus, scale_));
      }
      PADDOCK_ASSIGN(square, calculator_.Multiply(square, square, scale));
      PADDOCK_ASSIGN(square, calculator_.Remainder(square, modulus, scale_));
    }
    return result;
  }

  // --- output ------------------------------------------------------------------------------------------------------

  void Show(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return host_.Write(*text);
    const auto text = calculator_.Text(std::get<Number>(value), output_base_, false);
    if (!text) return Complain("number too large");
    LineWriter(host_, width_).Write(*text);
  }

  void ShowBytes(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return host_.Write(*text);
    auto whole = calculator_.Whole(std::get<Number>(value));
    if (!whole) return Complain("number too large");
    Integer left = whole->sign() < 0 ? Integer(-*whole) : *whole;
    std::string bytes;
    do {
      host_.budget().Step(static_cast<int64_t>(BitsOf(left) / 64) + 1);
      bytes.insert(bytes.begin(), static_cast<char>(static_cast<unsigned char>(static_cast<unsigned>(left & 255))));
      left >>= 8;
    } while (!left.is_zero());
    host_.Write(bytes);
  }

  // --- registers ---------------------------------------------------------------------------------------------------

  Level& Top(int name) {
    auto& levels = registers_[name];
    if (levels.empty()) {
      levels.emplace_back();
      levels.back().has_value = false;
    }
    return levels.back();
  }

  void Register(char command, int name) {
    auto& levels = registers_[name];
    const std::string shown = "'" + std::string(1, static_cast<char>(name)) + "' (" + Octal(name) + ")";
    switch (command) {
      case 's':
        if (Need(1)) {
          Level& level = Top(name);
          level.value = Pop();
          level.has_value = true;
        }
        return;
      case 'S':
        if (!Need(1)) return;
        levels.emplace_back();
        levels.back().value = Pop();
        return;
      case 'l':
        if (levels.empty() || !levels.back().has_value) return Push(0);
        return Push(levels.back().value);
      default:
        if (levels.empty() || !levels.back().has_value) return Complain("stack register " + shown + " is empty");
        Push(std::move(levels.back().value));
        levels.pop_back();
    }
  }

  void ArrayAccess(char command, int name) {
    if (!Need(command == ':' ? 2 : 1)) return;
    const Number* index = NumberAt(0);
    const auto whole = index == nullptr ? Result<Integer>(Code::kInvalid) : calculator_.Whole(*index);
    if (!whole || whole->sign() < 0) {
      Pop();
      if (command == ':') Pop();
      return Complain("array index must be a nonnegative integer");
    }
    Pop();
    auto& array = Top(name).array;
    if (command == ':') {
      array[*whole] = Pop();
    } else {
      const auto it = array.find(*whole);
      Push(it == array.end() ? Value(Number()) : it->second);
    }
  }

  // --- running -----------------------------------------------------------------------------------------------------

  void ExecuteTop() {
    if (!Need(1) || std::holds_alternative<Number>(stack_.back())) return;
    Execute(std::get<std::string>(Pop()));
  }

  void Compare(char operation, bool is_negated) {
    const int name = Get();
    if (name < 0) return Complain("unexpected EOF");
    if (!NeedNumbers(2)) return;
    const auto order = calculator_.Compare(*NumberAt(0), *NumberAt(1));
    stack_.resize(stack_.size() - 2);
    if (!order) return Complain("number too large");
    const bool holds = operation == '<' ? *order < 0 : operation == '>' ? *order > 0 : *order == 0;
    if (holds == is_negated) return;
    const Level& level = Top(name);
    if (const auto* text = std::get_if<std::string>(&level.value)) Execute(*text);
  }

  void ReadNumber(char first) {
    std::string text(1, first == '_' ? '-' : first);
    bool has_point = first == '.';
    while (true) {
      host_.budget().Step();
      const int c = Get();
      if (c == '.' && has_point) {
        Unget(c);
        break;
      }
      has_point |= c == '.';
      if (!IsDigit(c) && c != '.') {
        if (c >= 0) Unget(c);
        break;
      }
      text += static_cast<char>(c);
    }
    auto number = ParseNumber(text);
    if (!number) return Complain("number too large");
    Push(Value(std::move(*number)));
  }

  // Unlike bc, dc takes digits at their face value.
  Result<Number> ParseNumber(const std::string& text) {
    if (text.find_first_of("ABCDEF") == std::string::npos && input_base_ == 10) return calculator_.Parse(text, 10);
    Number sum;
    uint64_t places = 0;
    bool behind = false;
    for (const char c : text) {
      if (c == '-') continue;
      if (c == '.') {
        behind = true;
        continue;
      }
      const int digit = c <= '9' ? c - '0' : c - 'A' + 10;
      PADDOCK_ASSIGN(Integer next, calculator_.Product(sum.digits, Integer(input_base_)));
      sum.digits = next + digit;
      if (behind) ++places;
    }
    if (text[0] == '-') sum.digits = -sum.digits;
    if (places == 0) return sum;
    PADDOCK_ASSIGN(const Number divisor, calculator_.Power(Number(input_base_), static_cast<int64_t>(places), 0));
    return calculator_.Divide(sum, divisor, places);
  }

  void ReadString() {
    std::string text;
    int level = 1;
    while (true) {
      host_.budget().Step();
      const int c = Get();
      if (c < 0) break;
      if (c == '[') ++level;
      if (c == ']' && --level == 0) break;
      text += static_cast<char>(c);
    }
    Push(Value(std::move(text)));
  }

  std::string ReadLine() {
    std::string line;
    for (int c = Get(); c >= 0 && c != '\n'; c = Get()) line += static_cast<char>(c);
    return line;
  }

  void Bang() {
    const int c = Get();
    if (c == '<' || c == '>' || c == '=') return Compare(static_cast<char>(c), true);
    if (c >= 0) Unget(c);
    host_.Flush();
    host_.RunShell(ReadLine());
  }

  void SetParameter(char command) {
    if (!Need(1)) return;
    const Value value = Pop();
    const auto* number = std::get_if<Number>(&value);
    const auto whole = number == nullptr ? Result<Integer>(Code::kInvalid) : calculator_.Whole(*number);
    switch (command) {
      case 'i':
        if (!whole || *whole < 2 || *whole > 16) return Complain("input base must be a number between 2 and 16 (inclusive)");
        input_base_ = static_cast<int>(*whole);
        return;
      case 'o':
        if (!whole || *whole < 2 || *whole > std::numeric_limits<int>::max()) return Complain("output base must be a number greater than 1");
        output_base_ = *whole;
        return;
      default:
        if (!whole || whole->sign() < 0 || number->is_negative()) return Complain("scale must be a nonnegative number");
        scale_ = *whole > kMostScale ? kMostScale : static_cast<uint64_t>(*whole);
    }
  }

  void ToCharacter() {
    if (!Need(1)) return;
    const Value value = Pop();
    if (const auto* text = std::get_if<std::string>(&value)) return Push(Value(text->substr(0, 1)));
    const auto whole = calculator_.Whole(std::get<Number>(value));
    if (!whole) return Complain("number too large");
    if (*whole > std::numeric_limits<int>::max()) Complain("value overflows simple integer; punting...");
    const Integer size = whole->sign() < 0 ? Integer(-*whole) : *whole;
    Push(Value(std::string(1, static_cast<char>(static_cast<unsigned char>(static_cast<unsigned>(size & 255))))));
  }

  void Measure(char command) {
    if (!Need(1)) return;
    const Value value = Pop();
    if (const auto* text = std::get_if<std::string>(&value)) return Push(command == 'Z' ? static_cast<int64_t>(text->size()) : 0);
    const Number& number = std::get<Number>(value);
    if (command == 'X') return Push(static_cast<int64_t>(number.scale));
    const auto digits = calculator_.Decimal(number.digits);   // zeros behind the point do not count
    if (digits) Push(static_cast<int64_t>(digits->size()));
    else Complain("number too large");
  }

  void Rotate() {
    if (!NeedNumbers(1)) return;
    const auto whole = calculator_.Whole(*NumberAt(0));
    Pop();
    if (!whole || stack_.empty()) return;
    const bool is_up = whole->sign() < 0;
    const Integer wanted = is_up ? Integer(-*whole) : *whole;
    const size_t count = wanted > stack_.size() ? stack_.size() : static_cast<size_t>(wanted);
    if (count < 2) return;
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    host_.budget().Step(static_cast<int64_t>(count));
    if (is_up) std::rotate(first, stack_.end() - 1, stack_.end());
    else std::rotate(first, first + 1, stack_.end());
  }

  void SquareRoot() {
    if (!NeedNumbers(1)) return;
    if (NumberAt(0)->is_negative()) {
      Pop();
      return Complain("square root of negative number");
    }
    Replace(1, calculator_.SquareRoot(*NumberAt(0), scale_));
  }

  void QuitLevels() {
    if (!NeedNumbers(1)) return;
    const auto whole = calculator_.Whole(std::get<Number>(Pop()));
    if (!whole || *whole < 1) return Complain("Q command requires a number >= 1");
    if (*whole > depth_) Complain("Q command argument exceeded string execution depth");
    else if (*whole == 1) return;   // dc 1.4.1 goes on behind "1Q"
    Quit(*whole > depth_ ? depth_ : static_cast<int64_t>(*whole));
  }

  void Command(char c) {
    if (IsDigit(c) || c == '_' || c == '.') return ReadNumber(c);
    switch (c) {
      case ' ': case '\t': case '\n': case '\r': case '\f': case '\v': return;
      case '+': case '-': case '*': case '/': case '%': case '^': case '~': return Arithmetic(c);
      case '|': return ModularPower();
      case 'v': return SquareRoot();
      case '[': return ReadString();
      case '#': ReadLine(); return;
      case '!': return Bang();
      case '<': case '>': case '=': return Compare(c, false);
      case 'x': return ExecuteTop();
      case '?': {
        std::string line;
        for (int b = host_.ReadByte(); b >= 0 && b != '\n'; b = host_.ReadByte()) line += static_cast<char>(b);
        return Execute(std::move(line));
      }
      case 'q':
        has_quit_ = depth_ < 2;
        return Quit(2);
      case 'Q': return QuitLevels();
      case 's': case 'S': case 'l': case 'L': case ':': case ';': {
        const int name = Get();
        if (name < 0) return Complain("unexpected EOF");
        return c == ':' || c == ';' ? ArrayAccess(c, name) : Register(c, name);
      }
      default: return Simple(c);
    }
  }

  void Simple(char c) {
    switch (c) {
      case 'p':
        if (Need(1)) Show(stack_.back()), host_.Write("\n");
        break;
      case 'n':
        if (Need(1)) Show(Pop());
        break;
      case 'P':
        if (Need(1)) ShowBytes(Pop());
        break;
      case 'f':
        for (size_t i = stack_.size(); i-- > 0;) Show(stack_[i]), host_.Write("\n");
        break;
      case 'c': stack_.clear(); break;
      case 'd':
        if (Need(1)) Push(Value(stack_.back()));
        break;
      case 'r':
        if (Need(2)) std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
        break;
      case 'R': Rotate(); break;
      case 'z': Push(static_cast<int64_t>(stack_.size())); break;
      case 'i': case 'o': case 'k': SetParameter(c); break;
      case 'I': Push(input_base_); break;
      case 'O': Push(Value(Number(output_base_, 0))); break;
      case 'K': Push(static_cast<int64_t>(scale_)); break;
      case 'a': ToCharacter(); break;
      case 'Z': case 'X': Measure(c); break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        // Only the name goes to standard error, as dc has it.
        host_.ComplainPart("dc: ");
        if (byte >= 32 && byte < 127) host_.Write("'" + std::string(1, c) + "' (" + Octal(byte) + ") unimplemented\n");
        else host_.Write(Octal(byte) + " (octal) unimplemented\n");
      }
    }
  }

  Host& host_;
  Calculator calculator_;
  uint64_t width_;
  std::vector<Value> stack_;
  std::map<int, std::vector<Level>> registers_;
  int input_base_ = 10;
  Integer output_base_ = 10;
  uint64_t scale_ = 0;
  const std::function<int()>* next_ = nullptr;   // the program's own text
  std::optional<int> back_;
  std::vector<Frame> frames_;                    // what runs inside of it
  int64_t depth_ = 0;
  bool has_quit_ = false;
};

Dc::Dc(Host& host, uint64_t line_width) : machine_(std::make_unique<DcMachine>(host, line_width)) {}
Dc::~Dc() = default;

bool Dc::Run(const std::function<int()>& next) { return machine_->Run(next); }
bool Dc::RunText(const std::string& text) { return machine_->RunText(text); }

}  // namespace paddock::bc
