// The library rwarray: arrays and variables as bytes in a file.
//
// The form is that of gawk's own, which reads such files and whose files are read, but for floating point numbers of -M: a mark,
// two numbers of four bytes for its version, then an array: how many elements, and for each one its key and its value, as a type
// and what belongs to it. Numbers are text.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lang/awk/interpreter.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

constexpr std::string_view kMark = "awkrulz\n";
constexpr uint32_t kMajor = 4, kMinor = 1;
constexpr int kMostDepth = 256;

enum Type : uint32_t { kText = 1, kNumber = 2, kWhole = 3, kReal = 4, kSubarray = 5, kPattern = 6, kNumericText = 7, kTruth = 8, kNothing = 20 };

void AppendWord(std::string& out, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xff);
}

void AppendBytes(std::string& out, std::string_view bytes) {
  AppendWord(out, static_cast<uint32_t>(bytes.size()));
  out += bytes;
}

class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}
  bool TakeWord(uint32_t& word) {
    if (rest_.size() < 4) return false;
    word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(rest_[static_cast<size_t>(i)]);
    rest_.remove_prefix(4);
    return true;
  }
  bool TakeBytes(std::string_view& bytes) {
    uint32_t size = 0;
    if (!TakeWord(size) || rest_.size() < size) return false;
    bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  // The size says the sign.
  bool TakeSignedBytes(std::string_view& bytes, bool& is_negative) {
    uint32_t size = 0;
    if (!TakeWord(size)) return false;
    is_negative = (size >> 31) != 0;
    if (is_negative) size = 0 - size;
    if (rest_.size() < size) return false;
    bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool TakeMark() {
    uint32_t major = 0, minor = 0;
    if (!rest_.starts_with(kMark)) return false;
    rest_.remove_prefix(kMark.size());
    return TakeWord(major) && TakeWord(minor) && major == kMajor && minor == kMinor;
  }

 private:
  std::string_view rest_;
};

// A whole number as a size, negative for a negative number, and that many bytes of its magnitude.
void AppendWhole(std::string& out, const BigInteger& whole) {
  std::vector<unsigned char> bytes;
  if (!whole.is_zero()) export_bits(BigInteger(abs(whole)), std::back_inserter(bytes), 8);
  const auto size = static_cast<int32_t>(bytes.size());
  AppendWord(out, static_cast<uint32_t>(whole.sign() < 0 ? -size : size));
  out.append(bytes.begin(), bytes.end());
}

}  // namespace

void Interpreter::AppendValue(std::string& out, const Value& value, int depth) {
  budget_.Step();
  if (value.array() != nullptr) {
    AppendWord(out, kSubarray);
    return AppendArray(out, *value.array(), depth + 1);
  }
  switch (value.kind()) {
    case Kind::kNumber: {
      char digits[64];
      const int length = std::snprintf(digits, sizeof digits, "%.17g", value.number());
      AppendWord(out, kNumber);
      return AppendBytes(out, {digits, static_cast<size_t>(length) + 1});   // with its NUL
    }
    case Kind::kBool:
      AppendWord(out, kTruth);
      return AppendBytes(out, value.number() != 0 ? "TRUE" : "FALSE");
    case Kind::kBig: {
      const BigValue& number = value.big().value;
      AppendWord(out, number.is_whole ? kWhole : kReal);
      if (number.is_whole) return AppendWhole(out, number.whole);
      if (!number.real.is_finite() || number.real.is_zero()) return AppendBytes(out, SpecialName(number.real.ToDouble()));
      return AppendBytes(out, (number.real.is_negative ? "-" : "") + ToDecimal(number.real.mantissa, budget_) + "p" +
                                  std::to_string(number.real.exponent));
    }
    case Kind::kString:
    case Kind::kInput:
    case Kind::kRegex: {
      const bool is_number = value.kind() == Kind::kInput && value.LooksNumeric();
      AppendWord(out, value.kind() == Kind::kRegex ? kPattern : is_number ? kNumericText : kText);
      return AppendBytes(out, value.view());
    }
    default:
      AppendWord(out, kNothing);
      return AppendBytes(out, "");
  }
}

void Interpreter::AppendArray(std::string& out, Array& array, int depth) {
  budget_.CheckStack();
  if (depth > kMostDepth) budget_.Stop(LimitKind::kDepth);
  AppendWord(out, static_cast<uint32_t>(array.size()));
  for (const Array::Element& element : array.Elements(budget_)) {
    const TextOf key(element.key, convfmt_);
    AppendBytes(out, key.view());
    budget_.WillAllocate(out.size());
    AppendValue(out, element.value, depth);
  }
}

bool Interpreter::WriteStored(const std::string& path, const std::string& content) {
  std::string bytes(kMark);
  AppendWord(bytes, kMajor);
  AppendWord(bytes, kMinor);
  bytes += content;
  auto file = host_.OpenForWriting(path, false);
  Status written = file ? (*file)->Write(bytes) : Status(file.error());
  if (!written) SetErrno(written.error());
  return static_cast<bool>(written);
}

namespace {

// "-123p45"
BigFloat TakeReal(std::string_view text, Budget& budget) {
  const size_t at = text.find('p');
  if (at == text.npos) {
    double special = 0;
    return LooksNumeric(text, special) ? BigFloat::FromDouble(special) : BigFloat::Zero(text.starts_with('-'));
  }
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0, at - (is_negative ? 1 : 0));
  const double exponent = ParseNumber(text.substr(at + 1)).value;
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos || !(std::abs(exponent) < 1e9)) return BigFloat::Zero();
  BigFloat real = BigFloat::FromInteger(FromDecimalDigits(digits, budget));
  real.exponent = static_cast<int64_t>(exponent);
  real.is_negative = is_negative;
  return real;
}

// Fills arrays from bytes; false where these are damaged.
class StoredReader {
 public:
  StoredReader(std::string_view bytes, const BigMath* math, Budget& budget) : taker_(bytes), math_(math), budget_(budget) {}

  bool TakeAll(Array& array) { return taker_.TakeMark() && TakeArray(array, 0); }

 private:
  bool TakeArray(Array& array, int depth) {
    uint32_t count = 0;
    if (depth > kMostDepth || !taker_.TakeWord(count)) return false;
    for (uint32_t i = 0; i < count; ++i) {
      std::string_view key;
      Value value;
      budget_.Step();
      if (!taker_.TakeBytes(key) || !TakeValue(value, depth)) return false;
      array.Set(key, std::move(value), budget_);
    }
    return true;
  }

  bool TakeValue(Value& value, int depth) {
    uint32_t type = 0;
    std::string_view bytes;
    if (!taker_.TakeWord(type)) return false;
    if (type == kSubarray) {
      Array* const array = Array::Make();
      value = Value::FromArray(array);
      return TakeArray(*array, depth + 1);
    }
    bool is_negative = false;
    if (!(type == kWhole ? taker_.TakeSignedBytes(bytes, is_negative) : taker_.TakeBytes(bytes))) return false;
    switch (type) {
      case kNumber: value = Value::Number(ParseNumber(bytes.substr(0, bytes.find('\0'))).value); return true;
      case kTruth: value = Value::Bool(bytes == "TRUE"); return true;
      case kWhole: {
        BigInteger whole = 0;
        if (static_cast<int64_t>(bytes.size()) > kMostBits / 8) return false;
        if (!bytes.empty()) import_bits(whole, bytes.begin(), bytes.end(), 8);
        if (is_negative) whole = -whole;
        value = math_ != nullptr ? math_->Make(std::move(whole)) : Value::Number(BigFloat::FromInteger(whole).ToDouble());
        return true;
      }
      case kReal: {
        BigFloat real = TakeReal(bytes, budget_);
        value = math_ != nullptr ? math_->Make(std::move(real)) : Value::Number(real.ToDouble());
        return true;
      }
      case kPattern: value = Value::FromText(Text::Make(bytes), Kind::kRegex); return true;
      case kNumericText: value = Value::Input(bytes); return true;
      case kNothing: value = Value::Unassigned(); return true;
      default: value = Value::String(bytes); return true;
    }
  }

  Taker taker_;
  const BigMath* math_;
  Budget& budget_;
};

}  // namespace

// The array that a file holds; false with ERRNO set when it cannot be read.
bool Interpreter::ReadStored(const std::string& path, Array& array) {
  auto file = host_.OpenForReading(path);
  std::string bytes;
  Error failure;
  failure.code = Code::kOk;
  while (file && failure.code == Code::kOk) {
    auto block = (*file)->ReadBlock(64 << 10);
    if (!block) failure = block.error();
    if (!block || block->bytes.empty()) break;
    budget_.WillAllocate(bytes.size() + block->bytes.size());
    bytes.append(block->bytes);
  }
  if (!file) failure = file.error();
  if (file) array.Clear();
  if (failure.code == Code::kOk && !StoredReader(bytes, math_, budget_).TakeAll(array)) failure = Error(Code::kBadDescriptor);
  if (failure.code == Code::kOk) return true;
  SetErrno(failure);
  return false;
}

bool Interpreter::WriteArrayFunction(size_t count) {
  Array* const array = ExtensionArray(count, 1);
  if (array == nullptr) return Refuse(count, "writea: second argument is not an array", 0);
  std::string content;
  AppendArray(content, *array, 0);
  return ReturnNumber(count, WriteStored(ExtensionText(count, 0), content) ? 1 : 0);
}

bool Interpreter::ReadArrayFunction(size_t count) {
  Array* const array = ExtensionArray(count, 1);
  if (array == nullptr) return Refuse(count, "reada: second argument is not an array", 0);
  return ReturnNumber(count, ReadStored(ExtensionText(count, 0), *array) ? 1 : 0);
}

bool Interpreter::WriteVariables(size_t count) {
  std::string content;
  uint32_t written = 0;
  for (size_t slot = kSpecialCount; slot < globals_.size(); ++slot) {
    const Value& value = globals_[slot];
    if (value.kind() == Kind::kUntyped || (value.kind() == Kind::kCell && value.array() == nullptr)) continue;
    AppendBytes(content, program_.globals[slot]);
    AppendValue(content, value, 0);
    ++written;
  }
  std::string counted;
  AppendWord(counted, written);
  return ReturnNumber(count, WriteStored(ExtensionText(count, 0), counted + content) ? 1 : 0);
}

// Variables that have a value already keep it.
bool Interpreter::ReadVariables(size_t count) {
  const Value holder = Value::FromArray(Array::Make());
  if (!ReadStored(ExtensionText(count, 0), *holder.array())) return ReturnNumber(count, 0);
  for (const Array::Element& element : holder.array()->Elements(budget_)) {
    const TextOf name(element.key, convfmt_);
    const auto found = std::find(program_.globals.begin() + kSpecialCount, program_.globals.end(), name.view());
    if (found == program_.globals.end()) continue;
    Value& variable = global(static_cast<int>(found - program_.globals.begin()));
    if (variable.kind() == Kind::kUntyped) variable = element.value;
  }
  return ReturnNumber(count, 1);
}

}  // namespace paddock::awk
