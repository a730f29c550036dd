#include <algorithm>
#include <array>
#include <memory>

#include "commands/hash/digest_sum.h"
#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

bool NeedsEscape(std::string_view name) { return name.find_first_of("\\\n\r") != std::string_view::npos; }

std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '\\') escaped += "\\\\";
    else if (c == '\n') escaped += "\\n";
    else if (c == '\r') escaped += "\\r";
    else escaped += c;
  }
  return escaped;
}

// Nothing for an escape that is none.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return std::nullopt;
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == 'n') name += '\n';
    else if (text[i] == 'r') name += '\r';
    else if (text[i] == '\\') name += '\\';
    else return std::nullopt;
  }
  return name;
}

bool IsWhite(char c) { return c == ' ' || c == '\t'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const char lower = Lower(c);
    return (lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f');
  });
}

constexpr uint64_t kLongestBits = 512;

struct CheckLine {
  DigestKind kind;
  std::string digest;
  std::string name;
};

// Untagged lines have a blank or '*' before the name, or not.
enum class Form { kUnknown, kMarked, kBare };

// Takes the lines of a list apart. Which of the two untagged forms it has shows at its first such line.
class LineParser {
 public:
  explicit LineParser(std::span<const DigestKind> kinds) : kinds_(kinds) {}

  std::optional<CheckLine> Parse(std::string_view line) {
    while (!line.empty() && IsWhite(line[0])) line.remove_prefix(1);
    const bool is_escaped = line.starts_with('\\');
    if (is_escaped) line.remove_prefix(1);
    for (DigestKind kind : kinds_) {
      const std::string_view tag = kind.tag;
      if (!line.starts_with(tag)) continue;
      std::string_view rest = line.substr(tag.size());
      if (HasLengths(kind) && rest.starts_with('-') && !TakeLength(rest, kind)) return std::nullopt;
      if (rest.starts_with(' ')) rest.remove_prefix(1);
      if (rest.starts_with('(')) return ParseTagged(kind, rest.substr(1), is_escaped);
      if (kinds_.size() == 1) return std::nullopt;
    }
    if (kinds_.size() != 1) return std::nullopt;
    return ParsePlain(line, is_escaped);
  }

 private:
  static std::optional<CheckLine> Finish(const DigestKind& kind, std::string_view digest, std::string_view name,
                                         bool is_escaped) {
    if (!is_escaped) return CheckLine{kind, std::string(digest), std::string(name)};
    auto unescaped = Unescaped(name);
    if (!unescaped) return std::nullopt;
    return CheckLine{kind, std::string(digest), std::move(*unescaped)};
  }

  static bool HasLengths(const DigestKind& kind) { return kind.algorithm == DigestAlgorithm::kBlake2b; }

  // Takes the "-256" of a tag.
  static bool TakeLength(std::string_view& rest, DigestKind& kind) {
    rest.remove_prefix(1);
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const SizeNumber bits = ParseSize(rest.substr(0, digits), "");
    if (bits.state != NumberState::kOk || bits.value == 0 || bits.value % 8 != 0 || bits.value > kLongestBits) {
      return false;
    }
    kind.hex_length = static_cast<size_t>(bits.value / 4);
    rest.remove_prefix(digits);
    return true;
  }

  static std::optional<CheckLine> ParseTagged(const DigestKind& kind, std::string_view rest, bool is_escaped) {
    const size_t close = rest.rfind(')');
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest.substr(0, close);
    rest.remove_prefix(close + 1);
    while (!rest.empty() && IsWhite(rest[0])) rest.remove_prefix(1);
    if (!rest.starts_with('=')) return std::nullopt;
    rest.remove_prefix(1);
    while (!rest.empty() && IsWhite(rest[0])) rest.remove_prefix(1);
    if (rest.size() != kind.hex_length || !IsHex(rest)) return std::nullopt;
    return Finish(kind, rest, name, is_escaped);
  }

  std::optional<CheckLine> ParsePlain(std::string_view line, bool is_escaped) {
    DigestKind kind = kinds_[0];
    if (HasLengths(kind)) {
      kind.hex_length = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
      if (kind.hex_length == 0 || kind.hex_length % 2 != 0 || kind.hex_length > kLongestBits / 4) return std::nullopt;
    }
    if (line.size() < kind.hex_length + 2) return std::nullopt;
    const std::string_view digest = line.substr(0, kind.hex_length);
    line.remove_prefix(kind.hex_length);
    if (!IsWhite(line[0]) || !IsHex(digest)) return std::nullopt;
    line.remove_prefix(1);
    if (line.size() == 1 || (line[0] != ' ' && line[0] != '*')) {
      if (form_ == Form::kMarked) return std::nullopt;
      form_ = Form::kBare;
    } else if (form_ != Form::kBare) {
      form_ = Form::kMarked;
      line.remove_prefix(1);
    }
    return Finish(kind, digest, line, is_escaped);
  }

  std::span<const DigestKind> kinds_;
  Form form_ = Form::kUnknown;
};

struct Tally {
  uint64_t malformed = 0;
  uint64_t unreadable = 0;
  uint64_t mismatched = 0;
  bool has_lines = false;
  bool has_match = false;
};

std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  return "WARNING: " + std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

class Checker {
 public:
  Checker(Invocation& in, std::span<const DigestKind> kinds, const DigestOptions& options)
      : in_(in), kinds_(kinds), options_(options) {}

  // Checks one list; true when everything in it is right.
  bool CheckList(const std::string& list_name) {
    const bool is_utf8 = in_.locale.is_utf8;
    auto list = InputFile::Open(in_, list_name);
    if (!list) {
      ReportFile(in_, list_name, list.error());
      return false;
    }
    const std::string shown(list->display_name());
    Tally tally;
    LineParser parser(kinds_);
    uint64_t number = 0;
    while (const auto line = list->input().ReadLine()) {
      ++number;
      std::string_view text = line->text;
      if (text.starts_with('#')) continue;
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (text.empty()) continue;
      const auto parsed = parser.Parse(text);
      if (parsed && !(list->is_stdin() && parsed->name == "-")) {
        tally.has_lines = true;
        last_tag_ = parsed->kind.tag;
        CheckOne(*parsed, tally);
        continue;
      }
      ++tally.malformed;
      if (options_.warn) {
        const std::string kind = kinds_.size() == 1 ? std::string(kinds_[0].tag) + " " : last_tag_.empty() ? "" : last_tag_ + " ";
        in_.Fail(QuoteSubject(shown, is_utf8) + ": " + std::to_string(number) + ": improperly formatted " + kind +
                 "checksum line");
      }
    }
    if (const Status& status = list->input().status(); !status) {
      in_.Fail(QuoteSubject(shown, is_utf8) + ": read error");
      return false;
    }
    return Conclude(shown, tally);
  }

 private:
  void WriteVerdict(std::string_view name, std::string_view verdict) {
    if (name.find('\n') != std::string_view::npos) {   // but not for a backslash alone, as GNU has it
      in_.out.Put('\\');
      in_.out.Write(Escaped(name));
    } else {
      in_.out.Write(name);
    }
    in_.out.WriteLine(verdict);
  }

  void CheckOne(const CheckLine& line, Tally& tally) {
    auto digest = HashFile(in_, line.kind, line.name);
    if (!digest) {
      if (options_.ignore_missing && digest.error().code == Code::kNoEntry) return;
      ReportFile(in_, line.name, digest.error());
      ++tally.unreadable;
      if (!options_.status) WriteVerdict(line.name, ": FAILED open or read");
      return;
    }
    const bool is_match = std::equal(digest->begin(), digest->end(), line.digest.begin(), line.digest.end(),
                                     [](char a, char b) { return a == Lower(b); });
    if (is_match) tally.has_match = true;
    else ++tally.mismatched;
    if (options_.status || (is_match && options_.quiet)) return;
    WriteVerdict(line.name, is_match ? ": OK" : ": FAILED");
  }

  bool Conclude(const std::string& shown, const Tally& tally) {
    const std::string quoted = QuoteSubject(shown, in_.locale.is_utf8);
    if (!tally.has_lines) {
      in_.Fail(quoted + ": no properly formatted checksum lines found");
    } else if (!options_.status) {
      if (tally.malformed > 0) {
        in_.Fail(Counted(tally.malformed, "line is improperly formatted", "lines are improperly formatted"));
      }
      if (tally.unreadable > 0) {
        in_.Fail(Counted(tally.unreadable, "listed file could not be read", "listed files could not be read"));
      }
      if (tally.mismatched > 0) {
        in_.Fail(Counted(tally.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"));
      }
      if (options_.ignore_missing && !tally.has_match) in_.Fail(quoted + ": no file was verified");
    }
    return tally.has_lines && tally.has_match && tally.mismatched == 0 && tally.unreadable == 0 &&
           (!options_.strict || tally.malformed == 0);
  }

  Invocation& in_;
  std::span<const DigestKind> kinds_;
  const DigestOptions& options_;
  std::string last_tag_;   // of the last line that named its hash
};

std::vector<std::string> OrStandardInput(const std::vector<std::string>& operands) {
  return operands.empty() ? std::vector<std::string>{"-"} : operands;
}

}  // namespace

Result<std::string> HashFile(Invocation& in, const DigestKind& kind, const std::string& name) {
  PADDOCK_ASSIGN(InputFile file, InputFile::Open(in, name));
  const auto digester = MakeDigester(kind.algorithm, kind.hex_length / 2);
  Input& input = file.input();
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    digester->Update(bytes);
    in.budget.Step(static_cast<int64_t>(bytes.size() / 32));
    input.Consume(bytes.size());
  }
  if (!input.status()) return input.status().error();
  return HexOf(digester->Finish());
}

void WriteDigest(Output& out, const DigestKind& kind, std::string_view digest, std::string_view name,
                 const DigestOptions& options) {
  const bool is_escaped = !options.zero && NeedsEscape(name);
  const std::string shown = is_escaped ? Escaped(name) : std::string(name);
  if (is_escaped) out.Put('\\');
  if (options.tag) {
    out.Write(kind.tag);
    if (kind.algorithm == DigestAlgorithm::kBlake2b && kind.hex_length < kLongestBits / 4) {
      out.Write("-" + std::to_string(kind.hex_length * 4));
    }
    out.Write(" (");
    out.Write(shown);
    out.Write(") = ");
    out.Write(digest);
  } else {
    out.Write(digest);
    out.Write(options.mode == DigestMode::kBinary ? " *" : "  ");
    out.Write(shown);
  }
  out.Put(options.zero ? '\0' : '\n');
}

ExitStatus CheckDigests(Invocation& in, std::span<const DigestKind> kinds, const DigestOptions& options,
                        const std::vector<std::string>& operands) {
  bool is_right = true;
  for (const std::string& name : OrStandardInput(operands)) {
    is_right &= Checker(in, kinds, options).CheckList(name);
  }
  return is_right ? 0 : 1;
}

std::optional<ExitStatus> CheckDigestLength(Invocation& in, const std::string& bits) {
  const auto number = ParseCount(bits);
  if (!number) return in.Fail(NumberComplaint("invalid length", bits, number.error(), in.locale.is_utf8));
  if (*number % 8 == 0) return std::nullopt;
  in.Fail("invalid length: " + Quote(bits, in.locale.is_utf8));
  return in.Fail("length is not a multiple of 8");
}

std::optional<ExitStatus> SetBlake2Length(Invocation& in, const std::string& bits, DigestKind& kind) {
  if (const auto failed = CheckDigestLength(in, bits)) return failed;
  const uint64_t number = ParseSize(bits, "").value;
  if (number > kLongestBits) {
    in.Fail("invalid length: " + Quote(bits, in.locale.is_utf8));
    return in.Fail("maximum digest length for " + Quote(kind.tag, in.locale.is_utf8) + " is 512 bits");
  }
  if (number > 0) kind.hex_length = static_cast<size_t>(number / 4);
  return std::nullopt;
}

std::optional<ExitStatus> CheckDigestOptions(Invocation& in, const DigestOptions& options) {
  if (options.tag && options.mode == DigestMode::kText) return in.Usage("--tag does not support --text mode");
  if (options.zero && options.check) {
    return in.Usage("the --zero option is not supported when verifying checksums");
  }
  if (options.tag && options.check) {
    return in.Usage("the --tag option is meaningless when verifying checksums");
  }
  if (options.mode != DigestMode::kUnset && options.check) {
    return in.Usage("the --binary and --text options are meaningless when verifying checksums");
  }
  if (options.check) return std::nullopt;
  const std::pair<bool, std::string_view> only_for_check[] = {{options.ignore_missing, "ignore-missing"},
                                                              {options.status, "status"},
                                                              {options.warn, "warn"},
                                                              {options.quiet, "quiet"},
                                                              {options.strict, "strict"}};
  for (const auto& [is_set, name] : only_for_check) {
    if (!is_set) continue;
    return in.Usage("the --" + std::string(name) + " option is meaningful only when verifying checksums");
  }
  return std::nullopt;
}

ExitStatus RunDigestSum(Invocation& in, const DigestKind& kind, const DigestOptions& options,
                        const std::vector<std::string>& operands) {
  if (const auto status = CheckDigestOptions(in, options)) return *status;
  if (options.check) {
    return CloseStandardInput(in, operands, CheckDigests(in, {&kind, 1}, options, operands), "standard input");
  }
  ExitStatus status = 0;
  for (const std::string& name : OrStandardInput(operands)) {
    auto digest = HashFile(in, kind, name);
    if (!digest) {
      ReportFile(in, name, digest.error());
      status = 1;
      continue;
    }
    WriteDigest(in.out, kind, *digest, name, options);
  }
  return CloseStandardInput(in, operands, status, "standard input");
}

}  // namespace paddock
