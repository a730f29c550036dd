#include <bit>
#include <span>

#include "commands/file/dd_settings.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

using S = DdSettings;

struct Symbol {
  const char* name;
  uint32_t bits;
};
constexpr Symbol kConversions[] = {
    {"ascii", S::kAscii | S::kUnblock | S::kTwoBuffers}, {"ebcdic", S::kEbcdic | S::kBlock | S::kTwoBuffers},
    {"ibm", S::kIbm | S::kBlock | S::kTwoBuffers},       {"block", S::kBlock | S::kTwoBuffers},
    {"unblock", S::kUnblock | S::kTwoBuffers},           {"lcase", S::kLower | S::kTwoBuffers},
    {"ucase", S::kUpper | S::kTwoBuffers},               {"sparse", S::kSparse},
    {"swab", S::kSwab | S::kTwoBuffers},                 {"noerror", S::kNoError},
    {"nocreat", S::kNoCreate},                           {"excl", S::kExclusive},
    {"notrunc", S::kNoTruncate},                         {"sync", S::kSync},
    {"fdatasync", S::kDataSync},                         {"fsync", S::kFileSync},
};
constexpr Symbol kFlags[] = {
    {"append", S::kAppend},       {"direct", S::kDirect},          {"directory", S::kDirectory},
    {"dsync", S::kDsync},         {"noatime", S::kNoAtime},        {"nocache", S::kNoCache},
    {"noctty", S::kNoTty},        {"nofollow", S::kNoFollow},      {"nonblock", S::kNonblock},
    {"sync", S::kSyncFlag},       {"fullblock", S::kFullBlock},    {"count_bytes", S::kCountBytes},
    {"skip_bytes", S::kSkipBytes}, {"seek_bytes", S::kSeekBytes},
};

class Reader {
 public:
  Reader(Invocation& in, S& settings) : in_(in), s_(settings) {}

  std::optional<ExitStatus> Read(const std::string& operand) {
    const size_t equals = operand.find('=');
    const std::string name = operand.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : operand.substr(equals + 1);
    const auto unknown = [&] { return in_.Usage("unrecognized operand " + Quoted(operand)); };
    if (equals == std::string::npos) return unknown();
    if (name == "if") return s_.input = value, std::nullopt;
    if (name == "of") return s_.output = value, std::nullopt;
    if (name == "conv") return Symbols(value, kConversions, "invalid conversion: ", s_.conversions);
    if (name == "iflag") return Symbols(value, kFlags, "invalid input flag: ", s_.input_flags);
    if (name == "oflag") {
      if (value.find("fullblock") != std::string::npos) return in_.Usage("invalid output flag: " + Quoted(value));
      return Symbols(value, kFlags, "invalid output flag: ", s_.output_flags);
    }
    if (name == "status") return Report(value);
    return Number(name, value, unknown);
  }

  std::optional<ExitStatus> Check() {
    if (s_.block != 0) s_.input_block = s_.output_block = s_.block;
    else s_.conversions |= S::kTwoBuffers;
    if (s_.input_block == 0) s_.input_block = 512;
    if (s_.output_block == 0) s_.output_block = 512;
    if (s_.record == 0) s_.conversions &= ~uint32_t{S::kBlock | S::kUnblock};
    if ((s_.input_flags & (S::kDsync | S::kSyncFlag)) != 0) s_.input_flags |= S::kDsync;
    if ((s_.output_flags & S::kAppend) != 0 && (s_.conversions & S::kNoTruncate) == 0) {
      in_.Fail("you probably want conv=notrunc with oflag=append");
    }
    if (Several(s_.conversions, S::kAscii | S::kEbcdic | S::kIbm)) {
      return in_.Fail("cannot combine any two of {ascii,ebcdic,ibm}");
    }
    if (Several(s_.conversions, S::kBlock | S::kUnblock)) return in_.Fail("cannot combine block and unblock");
    if (Several(s_.conversions, S::kLower | S::kUpper)) return in_.Fail("cannot combine lcase and ucase");
    if (Several(s_.conversions, S::kExclusive | S::kNoCreate)) return in_.Fail("cannot combine excl and nocreat");
    if (Several(s_.input_flags, S::kDirect | S::kNoCache) || Several(s_.output_flags, S::kDirect | S::kNoCache)) {
      return in_.Fail("cannot combine direct and nocache");
    }
    if ((s_.input_flags & S::kSkipBytes) != 0) s_.skip.is_bytes = true;
    if ((s_.output_flags & S::kSeekBytes) != 0) s_.seek.is_bytes = true;
    if ((s_.input_flags & S::kCountBytes) != 0 && s_.count) s_.count->is_bytes = true;
    return std::nullopt;
  }

 private:
  std::string Quoted(std::string_view text) const { return Quote(text, in_.locale.is_utf8); }
  static bool Several(uint32_t bits, uint32_t of) { return std::popcount(bits & of) > 1; }

  std::optional<ExitStatus> Symbols(std::string_view text, std::span<const Symbol> symbols, const char* complaint,
                                    uint32_t& bits) {
    while (true) {
      in_.budget.Step();
      const size_t comma = text.find(',');
      const std::string_view word = text.substr(0, comma);
      const Symbol* found = nullptr;
      for (const Symbol& symbol : symbols) {
        if (word == symbol.name) found = &symbol;
      }
      if (found == nullptr) return in_.Usage(complaint + Quoted(word));
      bits |= found->bits;
      if (comma == std::string_view::npos) return std::nullopt;
      text.remove_prefix(comma + 1);
    }
  }

  std::optional<ExitStatus> Report(const std::string& value) {
    if (value == "none") s_.report = S::Report::kNone;
    else if (value == "noxfer") s_.report = S::Report::kNoTransfer;
    else if (value == "progress") s_.report = S::Report::kProgress;
    else return in_.Usage("invalid status level: " + Quoted(value));
    return std::nullopt;
  }

  // N with suffixes, products with x. Nothing for text that is no number; the largest one when it is too large.
  std::optional<uint64_t> ParseNumber(std::string_view text, bool* is_overflow) {
    uint64_t product = 1;
    int factors = 0;
    bool is_zero = false;
    while (true) {
      const size_t end = text.find('x', 1);
      std::string_view factor = text.substr(0, end);
      SizeNumber number = ParseSize(factor, "bcEGkKMPTwYZ0");
      if (number.state == NumberState::kBadSuffix && factor.size() > 1 && factor.ends_with('B') && factor[factor.size() - 2] != 'B') {
        number = ParseSize(factor.substr(0, factor.size() - 1), "bcEGkKMPTwYZ0");
      }
      is_zero = is_zero || (number.state == NumberState::kOk && number.value == 0);
      if (number.state == NumberState::kOverflow) *is_overflow = true;
      else if (number.state != NumberState::kOk) return std::nullopt;
      if (factor == "0" && end != std::string_view::npos) {
        in_.Fail("warning: " + Quoted("0x") + " is a zero multiplier; use " + Quoted("00x") + " if that is intended");
      }
      if (__builtin_mul_overflow(product, number.value, &product)) *is_overflow = true;
      if (is_zero) *is_overflow = false;  // whatever it multiplies
      if (end == std::string_view::npos) return is_zero ? 0 : product;
      if (++factors > 1) return std::nullopt;
      text.remove_prefix(end + 1);
    }
  }

  template <class Unknown>
  std::optional<ExitStatus> Number(const std::string& name, const std::string& value, const Unknown& unknown) {
    const bool is_size = name == "bs" || name == "ibs" || name == "obs" || name == "cbs";
    const bool is_count = name == "count" || name == "skip" || name == "iseek" || name == "seek" || name == "oseek";
    if (!is_size && !is_count) return unknown();
    bool is_overflow = false;
    const auto number = ParseNumber(value, &is_overflow);
    if (!number || (is_size && *number == 0 && !is_overflow)) return in_.Fail("invalid number: " + Quoted(value));
    constexpr uint64_t kMostBlock = INT64_MAX - 4096 * 2;
    if (is_overflow || *number > INT64_MAX || (is_size && *number > kMostBlock)) {
      return in_.Fail("invalid number: " + Quoted(value) + ": " + std::string(CodeText(Code::kOverflow)));
    }
    const DdCount count{*number, value.ends_with('B')};
    if (name == "bs") s_.block = *number;
    else if (name == "ibs") s_.input_block = *number;
    else if (name == "obs") s_.output_block = *number;
    else if (name == "cbs") s_.record = *number;
    else if (name == "count") s_.count = count;
    else if (name == "skip" || name == "iseek") s_.skip = count;
    else s_.seek = count, s_.seek_text = value;
    return std::nullopt;
  }

  Invocation& in_;
  S& s_;
};

}  // namespace

std::optional<ExitStatus> ParseDdOperands(Invocation& in, const std::vector<std::string>& operands, DdSettings& settings) {
  Reader reader(in, settings);
  for (const std::string& operand : operands) {
    in.budget.Step();
    if (const auto failed = reader.Read(operand)) return failed;
  }
  return reader.Check();
}

}  // namespace paddock
