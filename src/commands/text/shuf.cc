// shuf - generate random permutations
//
// usage: shuf [OPTION]... [FILE]
//        shuf -e [OPTION]... [ARG]...
//        shuf -i LO-HI [OPTION]...
// Writes the lines of FILE, the ARGs or the numbers LO to HI in random order. The same --random-source gives the
// same order as with GNU's shuf.
//
// Exit status: 0, or 1 for an input that cannot be read or a random source that ends.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <memory>

#include "base/random.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "text/random_permutation.h"

namespace paddock {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
// Bigger inputs, and those of unknown size, are sampled while they are read.
constexpr uint64_t kSmallInput = 8 << 20;

struct Options {
  bool echo = false;
  bool repeat = false;
  bool zero = false;
  std::vector<std::string> ranges;
  std::vector<std::string> counts;
  std::optional<std::string> output;
  std::optional<std::string> random_source;
};

template <auto kMember>
Status SetOnce(Options& options, std::string_view value) {
  auto& member = options.*kMember;
  if (member && *member != value) {
    return Error(Code::kInvalid, kMember == &Options::output ? "multiple output files specified"
                                                             : "multiple random sources specified");
  }
  member = value;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::echo>('e', "echo", "treat each ARG as an input line"),
    Value<&Options::ranges>('i', "input-range", "LO-HI", "treat each number LO through HI as an input line"),
    Value<&Options::counts>('n', "head-count", "COUNT", "output at most COUNT lines"),
    Call<SetOnce<&Options::output>>('o', "output", "FILE", "write result to FILE instead of standard output"),
    Call<SetOnce<&Options::random_source>>(0, "random-source", "FILE", "get random bytes from FILE"),
    Flag<&Options::repeat>('r', "repeat", "output lines can be repeated"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

struct Range {
  uint64_t low = 0;
  uint64_t count = 0;
};

Result<Range> ParseRange(const std::string& text, bool is_utf8) {
  constexpr std::string_view kWhat = "invalid input range";
  const size_t hyphen = text.find('-');
  const Error whole(Code::kInvalid, std::string(kWhat) + ": " + Quote(text, is_utf8));
  if (hyphen == std::string::npos) return whole;
  uint64_t ends[2];
  const std::string parts[2] = {text.substr(0, hyphen), text.substr(hyphen + 1)};
  for (int i = 0; i < 2; ++i) {
    const auto number = ParseCount(parts[i]);
    if (!number) return Error(Code::kInvalid, NumberComplaint(kWhat, parts[i], number.error(), is_utf8));
    ends[i] = *number;
  }
  const Range range{ends[0], ends[1] - ends[0] + 1};
  if ((ends[0] <= ends[1]) == (range.count == 0)) return whole;
  return range;
}

// The bytes of a file, or the machine's.
class RandomBytes {
 public:
  explicit RandomBytes(Invocation& in) : in_(in) {}

  Status Open(const std::string& name) {
    name_ = name;
    PADDOCK_ASSIGN(InputFile file, InputFile::OpenPath(in_, name));
    file_ = std::make_unique<InputFile>(std::move(file));
    return {};
  }

  uint8_t Next() {
    if (file_ == nullptr) {
      if (at_ == sizeof bytes_) {
        FillRandom(bytes_);
        at_ = 0;
      }
      return bytes_[at_++];
    }
    const int byte = error_ ? -1 : file_->input().Get();
    if (byte >= 0) return static_cast<uint8_t>(byte);
    if (!error_) {
      const Status& status = file_->input().status();
      error_ = Quote(name_, in_.locale.is_utf8) +
               (status ? ": end of file" : ": read error: " + std::string(status.error().Text()));
    }
    // Any bytes end the choice sooner or later; the caller then looks at error().
    in_.budget.Step();
    return at_ ^= 0xFF;
  }

  const std::optional<std::string>& error() const { return error_; }

 private:
  Invocation& in_;
  std::string name_;
  std::unique_ptr<InputFile> file_;
  uint8_t bytes_[64];
  uint8_t at_ = sizeof bytes_;
  std::optional<std::string> error_;
};

class Shuffler {
 public:
  Shuffler(Invocation& in, const Options& options)
      : in_(in), o_(options), delimiter_(options.zero ? '\0' : '\n'), random_(in),
        choices_([this] { return random_.Next(); }) {}

  ExitStatus Run(const std::vector<std::string>& operands, const std::optional<Range>& range, uint64_t most) {
    if (range) {
      range_ = *range;
      count_ = range_.count;
    } else if (o_.echo) {
      lines_ = operands;
      count_ = lines_.size();
    }
    std::optional<InputFile> file;
    if (!range && !o_.echo && most > 0) {
      const std::string name = operands.empty() ? "-" : operands[0];
      auto opened = InputFile::Open(in_, name);
      if (!opened) return in_.Fail(QuoteSubject(name, in_.locale.is_utf8), opened.error());
      file = std::move(*opened);
    }
    if (o_.random_source) {
      if (const Status opened = random_.Open(*o_.random_source); !opened) {
        return in_.Fail(QuoteSubject(*o_.random_source, in_.locale.is_utf8), opened.error());
      }
    }
    if (file) {
      const bool samples = !o_.repeat && most != kMax && IsBig(*file);
      if (samples) Sample(file->input(), most);
      else Read(file->input());
      if (!file->input().status()) return in_.Fail("read error", file->input().status().error());
    }
    if (random_.error()) return in_.Fail(*random_.error());
    return Write(most);
  }

 private:
  static bool IsBig(const InputFile& file) {
    if (file.file() == nullptr) return true;
    const auto attributes = file.file()->GetAttributes();
    return !attributes || !attributes->is_file() || attributes->size > kSmallInput;
  }

  void Read(Input& input) {
    while (const auto line = input.ReadLine(delimiter_)) lines_.emplace_back(line->text);
    count_ = lines_.size();
  }

  // Keeps `most` of the lines, each with the same chance.
  void Sample(Input& input, uint64_t most) {
    uint64_t seen = 0;
    while (lines_.size() < most) {
      const auto line = input.ReadLine(delimiter_);
      if (!line) break;
      lines_.emplace_back(line->text);
      ++seen;
    }
    if (lines_.size() == most && most > 0) {
      // The choice comes before it is known whether there is a line to choose for.
      while (!random_.error()) {
        const uint64_t place = choices_.Below(seen + 1);
        const auto line = input.ReadLine(delimiter_);
        if (!line) break;
        if (place < most) lines_[place] = line->text;
        ++seen;
      }
    }
    count_ = lines_.size();
  }

  void WriteOne(Output& out, uint64_t index) {
    if (lines_.empty()) out.Write(std::to_string(range_.low + index));
    else out.Write(lines_[index]);
    out.Put(delimiter_);
  }

  ExitStatus Write(uint64_t most) {
    std::vector<uint64_t> order;
    if (!o_.repeat) {
      order = RandomPermutation(choices_, std::min(most, count_), count_, in_.budget);
      if (random_.error()) return in_.Fail(*random_.error());
    }
    vfs::OpenFilePtr target;
    if (o_.output) {
      auto opened = in_.fs.Open(*o_.output, vfs::OpenFlags::Write());
      if (!opened) return in_.Fail(QuoteSubject(*o_.output, in_.locale.is_utf8), opened.error());
      target = *opened;
    }
    std::optional<Output> own;
    if (target) own.emplace(*target);
    Output& out = own ? *own : in_.out;
    for (const uint64_t index : order) {
      in_.budget.Step();
      WriteOne(out, index);
    }
    if (o_.repeat && most > 0) {
      if (count_ == 0) return in_.Fail("no lines to repeat");
      for (uint64_t i = 0; i < most && out.status(); ++i) {
        in_.budget.Step();
        const uint64_t index = choices_.Below(count_);
        if (random_.error()) return in_.Fail(*random_.error());
        WriteOne(out, index);
      }
    }
    if (own && !own->Flush()) return in_.Fail("write error", own->status().error());
    return 0;
  }

  Invocation& in_;
  const Options& o_;
  const char delimiter_;
  RandomBytes random_;
  RandomChoices choices_;
  Range range_;
  std::vector<std::string> lines_;
  uint64_t count_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  std::optional<Range> range;
  if (options.ranges.size() > 1) return in.Fail("multiple -i options specified");
  if (!options.ranges.empty()) {
    auto parsed = ParseRange(options.ranges[0], is_utf8);
    if (!parsed) return in.Fail(parsed.error().Text());
    range = *parsed;
  }
  uint64_t most = kMax;
  for (const std::string& text : options.counts) {
    const SizeNumber count = ParseSize(text, "");
    if (count.state != NumberState::kOk && count.state != NumberState::kOverflow) {
      return in.Fail("invalid line count: " + Quote(text, is_utf8));
    }
    most = std::min(most, count.value);
  }
  if (options.echo && range) return in.Usage("cannot combine -e and -i options");
  const size_t allowed = range ? 0 : 1;
  if (!options.echo && operands.size() > allowed) {
    return in.Usage("extra operand " + Quote(operands[allowed], is_utf8));
  }
  return Shuffler(in, options).Run(operands, range, most);
}

}  // namespace

extern const Command kCommand_shuf;
const Command kCommand_shuf = Define<Options, Run>({
    .name = "shuf",
    .summary = "write a random permutation of the input lines to standard output",
    .synopsis = "[OPTION]... [FILE]\n-e [OPTION]... [ARG]...\n-i LO-HI [OPTION]...",
    .options = kOptions,
});

}  // namespace paddock
