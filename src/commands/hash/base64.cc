// base64 - base64 encode/decode data and print to standard output
//
// usage: base64 [OPTION]... [FILE]
// Encodes FILE or standard input in lines of 76 characters, or decodes it.
//
// Exit status: 0, or 1 for input that is not base64.
// Source: RFC 4648; GNU coreutils 9.1.
// Differs: nothing known.

#include <array>

#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool decode = false;
  bool ignore_garbage = false;
  std::string wrap = "76";
};

constexpr Option kOptions[] = {
    Flag<&Options::decode>('d', "decode", "decode data"),
    Flag<&Options::ignore_garbage>('i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
    Value<&Options::wrap>('w', "wrap", "COLS", "wrap encoded lines after COLS character (default 76)"),
};

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return values;
}();

class Encoder {
 public:
  Encoder(Output& out, uint64_t wrap) : out_(out), wrap_(wrap) {}

  void Feed(std::string_view bytes) {
    while (held_size_ > 0 && held_size_ < 3 && !bytes.empty()) {
      held_[held_size_++] = static_cast<unsigned char>(bytes[0]);
      bytes.remove_prefix(1);
    }
    if (held_size_ == 3) {
      EncodeGroup(held_.data());
      held_size_ = 0;
    }
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    size_t left = bytes.size();
    for (; left >= 3; left -= 3, at += 3) EncodeGroup(at);
    for (; left > 0; --left) held_[held_size_++] = *at++;
  }
  void End() {
    if (held_size_ > 0) {
      for (size_t i = held_size_; i < 3; ++i) held_[i] = 0;
      char group[4];
      Spell(held_.data(), group);
      for (size_t i = held_size_ + 1; i < 4; ++i) group[i] = '=';
      WriteGroup(group);
    }
    if (wrap_ > 0 && column_ > 0) out_.Put('\n');
  }

 private:
  static void Spell(const unsigned char* bytes, char* group) {
    const uint32_t word = static_cast<uint32_t>(bytes[0]) << 16 | static_cast<uint32_t>(bytes[1]) << 8 | bytes[2];
    for (int i = 0; i < 4; ++i) group[i] = kAlphabet[(word >> (18 - 6 * i)) & 63];
  }
  void EncodeGroup(const unsigned char* bytes) {
    char group[4];
    Spell(bytes, group);
    WriteGroup(group);
  }
  void WriteGroup(const char* group) {
    if (wrap_ == 0 || column_ + 4 <= wrap_) {
      out_.Write({group, 4});
      column_ += 4;
      if (wrap_ != 0 && column_ == wrap_) EndLine();
      return;
    }
    for (int i = 0; i < 4; ++i) {
      out_.Put(group[i]);
      if (++column_ == wrap_) EndLine();
    }
  }
  void EndLine() {
    out_.Put('\n');
    column_ = 0;
  }

  Output& out_;
  const uint64_t wrap_;
  uint64_t column_ = 0;
  std::array<unsigned char, 3> held_{};
  size_t held_size_ = 0;
};

class Decoder {
 public:
  Decoder(Output& out, bool ignore_garbage) : out_(out), ignore_garbage_(ignore_garbage) {}

  // Both return false for what is not base64; the bytes before it are written.
  bool Feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n') continue;
      if (ignore_garbage_ && c != '=' && kValues[static_cast<unsigned char>(c)] < 0) continue;
      group_[size_++] = c;
      if (size_ == 4 && !DecodeGroup()) return false;
    }
    return true;
  }
  bool End() { return size_ == 0 || DecodeGroup(); }

 private:
  int ValueAt(size_t i) const { return i < size_ ? kValues[static_cast<unsigned char>(group_[i])] : -1; }

  bool DecodeGroup() {
    const int a = ValueAt(0);
    const int b = ValueAt(1);
    const int c = ValueAt(2);
    const int d = ValueAt(3);
    const size_t size = size_;
    size_ = 0;
    if (a < 0 || b < 0) return false;
    out_.Put(static_cast<char>(a << 2 | b >> 4));
    if (size == 4 && group_[2] == '=') return group_[3] == '=';
    if (c < 0) return false;
    out_.Put(static_cast<char>((b & 15) << 4 | c >> 2));
    if (size == 4 && group_[3] == '=') return true;
    if (d < 0) return false;
    out_.Put(static_cast<char>((c & 3) << 6 | d));
    return true;
  }

  Output& out_;
  const bool ignore_garbage_;
  std::array<char, 4> group_{};
  size_t size_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  const SizeNumber wrap = ParseSize(options.wrap, "");
  if (wrap.state != NumberState::kOk && wrap.state != NumberState::kOverflow) {
    return in.Fail("invalid wrap size: " + Quote(options.wrap, is_utf8));
  }
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], is_utf8));
  const std::string name = operands.empty() ? "-" : operands[0];
  auto file = InputFile::Open(in, name);
  if (!file) return in.Fail(QuoteSubject(name, is_utf8), file.error());
  Encoder encoder(in.out, wrap.state == NumberState::kOverflow ? 0 : wrap.value);
  Decoder decoder(in.out, options.ignore_garbage);
  bool is_valid = true;
  Input& input = file->input();
  for (std::string_view bytes = input.Peek(); is_valid && !bytes.empty(); bytes = input.Peek()) {
    if (options.decode) is_valid = decoder.Feed(bytes);
    else encoder.Feed(bytes);
    in.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    input.Consume(bytes.size());
    if (!in.out.status()) return 1;
  }
  if (!input.status()) return in.Fail("read error", input.status().error());
  if (!options.decode) encoder.End();
  else if (!is_valid || !decoder.End()) return in.Fail("invalid input");
  return 0;
}

}  // namespace

extern const Command kCommand_base64;
const Command kCommand_base64 = Define<Options, Run>({
    .name = "base64",
    .summary = "base64 encode/decode data and print to standard output",
    .synopsis = "[OPTION]... [FILE]",
    .options = kOptions,
});

}  // namespace paddock
