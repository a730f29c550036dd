#include <algorithm>
#include <array>
#include <memory>

#include "commands/hash/base_encoding.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

// An encoding in groups: `bytes` bytes become `digits` digits. A group is a number, its most significant digit
// first, in base 2^bits (Z85: 85); groups that input ends in are padded with '=' where `is_padded`.
struct Scheme {
  std::string_view alphabet;
  size_t bytes;
  size_t digits;
  bool is_padded;
  bool is_reversed = false;   // least significant bit first
};

constexpr std::string_view kDigits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kDigits64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kDigits85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

constexpr Scheme SchemeOf(BaseEncoding encoding) {
  switch (encoding) {
    case BaseEncoding::kBase64: return {kDigits64, 3, 4, true};
    case BaseEncoding::kBase64Url: return {kDigits64Url, 3, 4, true};
    case BaseEncoding::kBase32: return {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, true};
    case BaseEncoding::kBase32Hex: return {"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, true};
    case BaseEncoding::kBase16: return {"0123456789ABCDEF", 1, 2, false};
    case BaseEncoding::kBase2Msbf: return {"01", 1, 8, false};
    case BaseEncoding::kBase2Lsbf: return {"01", 1, 8, false, true};
    case BaseEncoding::kZ85: return {kDigits85, 4, 5, false};
  }
  return {};
}

constexpr size_t kMostBytes = 5;
constexpr size_t kMostDigits = 8;

class Encoder {
 public:
  Encoder(Output& out, const Scheme& scheme, uint64_t wrap) : out_(out), scheme_(scheme), wrap_(wrap) {}

  void Feed(std::string_view bytes) {
    while (held_size_ > 0 && held_size_ < scheme_.bytes && !bytes.empty()) {
      held_[held_size_++] = static_cast<unsigned char>(bytes[0]);
      bytes.remove_prefix(1);
    }
    if (held_size_ == scheme_.bytes) {
      EncodeGroup(held_.data());
      held_size_ = 0;
    }
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    size_t left = bytes.size();
    if (scheme_.bytes == 3 && wrap_ % 4 == 0) EncodeLines(at, left);
    for (; left >= scheme_.bytes; left -= scheme_.bytes, at += scheme_.bytes) EncodeGroup(at);
    for (; left > 0; --left) held_[held_size_++] = *at++;
  }

  // False when what is left is no group of an encoding without padding.
  bool End() {
    if (held_size_ > 0) {
      if (!scheme_.is_padded) return false;
      std::fill(held_.begin() + static_cast<std::ptrdiff_t>(held_size_), held_.end(), static_cast<unsigned char>(0));
      char group[kMostDigits];
      Spell(held_.data(), group);
      const size_t used = (held_size_ * scheme_.digits + scheme_.bytes - 1) / scheme_.bytes;
      std::fill(group + used, group + scheme_.digits, '=');
      WriteGroup(group);
    }
    if (wrap_ > 0 && column_ > 0) out_.Put('\n');
    return true;
  }

 private:
  void Spell(const unsigned char* bytes, char* group) const {
    uint64_t word = 0;
    for (size_t i = 0; i < scheme_.bytes; ++i) word = word << 8 | bytes[i];
    const uint64_t base = scheme_.alphabet.size();
    for (size_t i = scheme_.digits; i-- > 0; word /= base) group[i] = scheme_.alphabet[word % base];
    if (scheme_.is_reversed) std::reverse(group, group + scheme_.digits);
  }

  // base64 in the order of bits, which the compiler makes fast.
  void Spell64(const unsigned char* bytes, char* group) const {
    const uint32_t word = static_cast<uint32_t>(bytes[0]) << 16 | static_cast<uint32_t>(bytes[1]) << 8 | bytes[2];
    for (int i = 0; i < 4; ++i) group[i] = scheme_.alphabet[(word >> (18 - 6 * i)) & 63];
  }

  // base64 again, the groups of a line at once; takes them off the front.
  void EncodeLines(const unsigned char*& at, size_t& left) {
    char text[1024];
    while (left >= 3) {
      const uint64_t room = wrap_ == 0 ? sizeof text : std::min<uint64_t>(wrap_ - column_, sizeof text);
      const size_t groups = std::min<size_t>(left / 3, static_cast<size_t>(room / 4));
      for (size_t i = 0; i < groups; ++i, at += 3) Spell64(at, text + 4 * i);
      left -= 3 * groups;
      out_.Write({text, 4 * groups});
      column_ += 4 * groups;
      if (wrap_ != 0 && column_ == wrap_) EndLine();
    }
  }

  void EncodeGroup(const unsigned char* bytes) {
    char group[kMostDigits];
    if (scheme_.bytes == 3) Spell64(bytes, group);
    else Spell(bytes, group);
    WriteGroup(group);
  }

  void WriteGroup(const char* group) {
    const size_t size = scheme_.digits;
    if (wrap_ == 0 || column_ + size <= wrap_) {
      out_.Write({group, size});
      column_ += size;
      if (wrap_ != 0 && column_ == wrap_) EndLine();
      return;
    }
    for (size_t i = 0; i < size; ++i) {
      out_.Put(group[i]);
      if (++column_ == wrap_) EndLine();
    }
  }

  void EndLine() {
    out_.Put('\n');
    column_ = 0;
  }

  Output& out_;
  const Scheme& scheme_;
  const uint64_t wrap_;
  uint64_t column_ = 0;
  std::array<unsigned char, kMostBytes> held_{};
  size_t held_size_ = 0;
};

class Decoder {
 public:
  Decoder(Output& out, const Scheme& scheme, bool ignore_garbage)
      : out_(out), scheme_(scheme), ignore_garbage_(ignore_garbage) {
    values_.fill(-1);
    for (size_t i = 0; i < scheme.alphabet.size(); ++i) {
      values_[static_cast<unsigned char>(scheme.alphabet[i])] = static_cast<int8_t>(i);
    }
  }

  // Both return false for what is not of the encoding; the bytes before it are written.
  bool Feed(std::string_view bytes) {
    const bool is_base64 = scheme_.bytes == 3;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (is_base64 && size_ == 0) {
        i += DecodePlain(bytes.substr(i));
        if (i == bytes.size()) break;
      }
      const char c = bytes[i];
      if (c == '\n') continue;
      if (ignore_garbage_ && !(c == '=' && scheme_.is_padded) && Value(c) < 0) continue;
      group_[size_++] = c;
      if (size_ == scheme_.digits && !DecodeGroup()) return false;
    }
    return true;
  }
  bool End() {
    if (size_ == 0) return true;
    // base64 is lenient: a group that is cut short gives the bytes that it has.
    return scheme_.bytes == 3 ? DecodePadded() : false;
  }

 private:
  int Value(char c) const { return values_[static_cast<unsigned char>(c)]; }
  int ValueAt(size_t i) const { return i < size_ ? Value(group_[i]) : -1; }

  // Whole groups of digits alone at the beginning of base64; returns how many bytes they are.
  size_t DecodePlain(std::string_view bytes) {
    char made[768];
    size_t taken = 0, size = 0;
    for (; bytes.size() - taken >= 4; taken += 4) {
      const int a = Value(bytes[taken]), b = Value(bytes[taken + 1]), c = Value(bytes[taken + 2]), d = Value(bytes[taken + 3]);
      if ((a | b | c | d) < 0) break;
      const int word = a << 18 | b << 12 | c << 6 | d;
      if (size == sizeof made) {
        out_.Write({made, size});
        size = 0;
      }
      made[size++] = static_cast<char>(word >> 16);
      made[size++] = static_cast<char>(word >> 8);
      made[size++] = static_cast<char>(word);
    }
    out_.Write({made, size});
    return taken;
  }

  bool DecodeGroup() {
    const bool is_right = scheme_.is_padded ? DecodePadded() : DecodeFull();
    size_ = 0;
    return is_right;
  }

  bool DecodeFull() {
    if (scheme_.is_reversed) std::reverse(group_.begin(), group_.begin() + static_cast<std::ptrdiff_t>(size_));
    uint64_t word = 0;
    for (size_t i = 0; i < size_; ++i) {
      const int value = ValueAt(i);
      if (value < 0) return false;
      word = word * scheme_.alphabet.size() + static_cast<uint64_t>(value);
    }
    if (word >> (8 * scheme_.bytes) != 0) return false;
    for (size_t i = scheme_.bytes; i-- > 0;) out_.Put(static_cast<char>(word >> (8 * i)));
    return true;
  }

  // Byte by byte, so that what comes before the first wrong digit is written.
  bool DecodePadded() {
    const size_t bits_per_digit = 8 * scheme_.bytes / scheme_.digits;
    uint64_t word = 0;
    size_t bits = 0;
    size_t taken = 0;
    for (size_t byte = 0; byte < scheme_.bytes; ++byte) {
      if (byte > 0 && size_ == scheme_.digits && group_[taken] == '=') {
        const size_t end = size_;
        return std::all_of(group_.begin() + static_cast<std::ptrdiff_t>(taken),
                           group_.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c == '='; });
      }
      for (; bits < 8; bits += bits_per_digit) {
        const int value = ValueAt(taken++);
        if (value < 0) return false;
        word = word << bits_per_digit | static_cast<uint64_t>(value);
      }
      bits -= 8;
      out_.Put(static_cast<char>(word >> bits));
    }
    return true;
  }

  Output& out_;
  const Scheme& scheme_;
  const bool ignore_garbage_;
  std::array<int8_t, 256> values_{};
  std::array<char, kMostDigits> group_{};
  size_t size_ = 0;
};

// Encodes all of the input, or finds that it has no whole number of groups. That shows in the last block only,
// of which nothing is written then.
ExitStatus Encode(Invocation& in, Input& input, const Scheme& scheme, uint64_t wrap) {
  constexpr size_t kBlock = 30720;
  Encoder encoder(in.out, scheme, wrap);
  const bool is_exact = !scheme.is_padded && scheme.bytes > 1;
  std::string block;
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    in.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    const size_t size = is_exact ? std::min(bytes.size(), kBlock - block.size()) : bytes.size();
    if (is_exact) block.append(bytes.substr(0, size));
    else encoder.Feed(bytes);
    input.Consume(size);
    if (block.size() == kBlock) {
      encoder.Feed(block);
      block.clear();
    }
    if (!in.out.status()) return 1;
  }
  if (!input.status()) return in.Fail("read error", input.status().error());
  if (block.size() % scheme.bytes != 0 && is_exact) {
    return in.Fail("invalid input (length must be multiple of 4 characters)");
  }
  encoder.Feed(block);
  encoder.End();
  return 0;
}

ExitStatus Decode(Invocation& in, Input& input, const Scheme& scheme, bool ignore_garbage) {
  Decoder decoder(in.out, scheme, ignore_garbage);
  bool is_valid = true;
  for (std::string_view bytes = input.Peek(); is_valid && !bytes.empty(); bytes = input.Peek()) {
    is_valid = decoder.Feed(bytes);
    in.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    input.Consume(bytes.size());
    if (!in.out.status()) return 1;
  }
  if (!input.status()) return in.Fail("read error", input.status().error());
  return is_valid && decoder.End() ? 0 : in.Fail("invalid input");
}

}  // namespace

ExitStatus RunBaseEncoding(Invocation& in, BaseEncoding encoding, const BaseEncodingOptions& options,
                           const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  const SizeNumber wrap = ParseSize(options.wrap, "");
  if (wrap.state != NumberState::kOk && wrap.state != NumberState::kOverflow) {
    return in.Fail("invalid wrap size: " + Quote(options.wrap, is_utf8));
  }
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], is_utf8));
  const std::string name = operands.empty() ? "-" : operands[0];
  auto file = InputFile::Open(in, name);
  if (!file) return in.Fail(QuoteSubject(name, is_utf8), file.error());
  const Scheme scheme = SchemeOf(encoding);
  if (options.decode) return Decode(in, file->input(), scheme, options.ignore_garbage);
  return Encode(in, file->input(), scheme, wrap.state == NumberState::kOverflow ? 0 : wrap.value);
}

}  // namespace paddock
