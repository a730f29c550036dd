// iconv - convert text from one character encoding to another
//
// usage: iconv [OPTION...] [-f NAME] [-t NAME] [FILE...]
//
// Exit status: 0, 1 when something could not be converted, 64 for a usage error.
// Source: glibc 2.36.
// Differs: knows UTF-8, -16 and -32, ASCII, ISO 8859, Windows 1250-1258, KOI8 and some code pages of DOS. //TRANSLIT takes accents
// off and knows common signs; what it does not know becomes '?'.

#include "commands/input_files.h"
#include "proc/option_complaint.h"
#include "text/char_encoding.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsageError = 64;

struct Options {
  std::string from, to;
  bool lists = false;
  bool omits = false;
  std::optional<std::string> output;
  bool is_silent = false;
  bool is_verbose = false;
  bool wants_help = false, wants_usage = false, wants_version = false;
};

constexpr Option kOptions[] = {
    Value<&Options::from>('f', "from-code", "NAME", "encoding of original text"),
    Value<&Options::to>('t', "to-code", "NAME", "encoding for output"),
    Flag<&Options::lists>('l', "list", "list all known character sets"),
    Flag<&Options::omits>('c', nullptr, "omit invalid characters from output"),
    Value<&Options::output>('o', "output", "FILE", "output file"),
    Flag<&Options::is_silent>('s', "silent", "suppress warnings"),
    Flag<&Options::is_verbose>(0, "verbose", "print progress information"),
    Flag<&Options::wants_help>('?', "help", "give this help list"),
    Flag<&Options::wants_usage>(0, "usage", "give a short usage message"),
    Flag<&Options::wants_version>('V', "version", "print program version"),
};

struct Target {
  bool transliterates = false;
  bool ignores = false;
};

// The name before "//", and what stands behind.
std::string TakeSuffixes(std::string_view text, Target& target) {
  const size_t slashes = text.find("//");
  std::string name(text.substr(0, slashes));
  if (slashes == std::string_view::npos) return name;
  std::string rest(text.substr(slashes));
  for (char& c : rest) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  target.transliterates |= rest.find("TRANSLIT") != std::string::npos;
  target.ignores |= rest.find("IGNORE") != std::string::npos;
  return name;
}

class Converter {
 public:
  Converter(Invocation& in, const CharEncoding& from, const CharEncoding& to, const Target& target, bool omits, Output& out)
      : in_(in), from_(from), to_(to), target_(target), omits_(omits), out_(out) {}

  // The whole of one input; false ends everything.
  bool Take(Input& input) {
    std::string bytes;   // what was read and not converted
    bool is_start = true;
    has_begun_ = false;
    uint64_t place = 0;
    CharEncoding from = from_;
    while (out_.status()) {
      const std::string_view more = input.Peek();
      const bool is_end = more.empty();
      bytes += more;
      input.Consume(more.size());
      if (is_start && (bytes.size() >= 4 || is_end)) {
        size_t mark = 0;
        from = from_.Settled(bytes, &mark);
        bytes.erase(0, mark);
        place = mark;
        is_start = false;
      }
      if (!is_start && !Convert(from, bytes, place, is_end)) return false;
      if (is_end) break;
    }
    // What //IGNORE left out is told at the end; -c is silent.
    return omits_ || !had_unknown_ || Stop("illegal input sequence at position " + std::to_string(place));
  }

 private:
  bool Convert(const CharEncoding& from, std::string& bytes, uint64_t& place, bool is_end) {
    using State = CharEncoding::Decoded::State;
    size_t at = 0;
    bool is_good = true;
    while (at < bytes.size() && is_good) {
      in_.budget.Step();
      if (has_begun_) {
        if (const size_t run = AsciiRun(from, bytes, at); run > 0) {
          PutAscii(std::string_view(bytes).substr(at, run));
          at += run;
          continue;
        }
      }
      const auto c = from.Decode(std::string_view(bytes).substr(at));
      if (c.state == State::kIncomplete) {
        if (!is_end) break;
        if (omits_) {
          at = bytes.size();
          break;
        }
        is_good = Stop("incomplete character or shift sequence at end of buffer");
      } else if (c.state == State::kInvalid) {
        if (omits_ || target_.ignores) had_unknown_ = true;
        else is_good = Stop("illegal input sequence at position " + std::to_string(place + at));
        if (is_good) at += c.length;
      } else {
        is_good = Put(c.code, place + at);
        if (is_good) at += c.length;
      }
    }
    place += at;
    bytes.erase(0, at);
    return is_good;
  }

  // How many bytes from here on are ASCII in an encoding where these are characters by themselves.
  static size_t AsciiRun(const CharEncoding& from, std::string_view bytes, size_t at) {
    using Kind = CharEncoding::Kind;
    if (from.kind() != Kind::kUtf8 && from.kind() != Kind::kAscii && from.kind() != Kind::kLatin1 && from.kind() != Kind::kTable) return 0;
    size_t end = at;
    while (end + 8 <= bytes.size()) {
      uint64_t word = 0;
      __builtin_memcpy(&word, bytes.data() + end, sizeof word);
      if ((word & 0x8080808080808080) != 0) break;
      end += 8;
    }
    while (end < bytes.size() && static_cast<unsigned char>(bytes[end]) < 0x80) ++end;
    return end - at;
  }

  // Most text is ASCII, which every encoding here has: a run of it is written at once.
  void PutAscii(std::string_view run) {
    using Kind = CharEncoding::Kind;
    in_.budget.Step(static_cast<int64_t>(run.size() / 32));
    size_t unit = 1, low = 0;   // bytes of a character, and which of them holds it
    switch (to_.kind()) {
      case Kind::kUtf16:
      case Kind::kUtf16Little: unit = 2; break;
      case Kind::kUtf16Big: unit = 2, low = 1; break;
      case Kind::kUtf32:
      case Kind::kUtf32Little: unit = 4; break;
      case Kind::kUtf32Big: unit = 4, low = 3; break;
      default: out_.Write(run); return;
    }
    text_.assign(run.size() * unit, '\0');
    for (size_t i = 0; i < run.size(); ++i) text_[i * unit + low] = run[i];
    out_.Write(text_);
  }

  bool Stop(const std::string& message) {
    out_.Flush();
    in_.Fail(message);
    return false;
  }

  bool Put(char32_t code, uint64_t place) {
    text_.clear();
    if (!has_begun_) {
      if (to_.kind() == CharEncoding::Kind::kUtf16 || to_.kind() == CharEncoding::Kind::kUtf32) to_.Encode(0xfeff, text_);
      has_begun_ = true;
    }
    if (!to_.Encode(code, text_)) {
      const std::string other = target_.transliterates ? Transliterate(code) : std::string();
      if (target_.transliterates) {
        for (const char c : other.empty() ? std::string("?") : other) to_.Encode(static_cast<unsigned char>(c), text_);
      } else if (omits_ || target_.ignores) {
        had_unknown_ = true;
      } else {
        return Stop("illegal input sequence at position " + std::to_string(place));
      }
    }
    out_.Write(text_);
    return true;
  }

  Invocation& in_;
  const CharEncoding& from_;
  const CharEncoding& to_;
  const Target& target_;
  bool omits_;
  Output& out_;
  bool has_begun_ = false;
  bool had_unknown_ = false;
  std::string text_;
};

ExitStatus ConvertAll(Invocation& in, const Options& options, const std::vector<std::string>& operands, Output& out) {
  Target target, unused;
  const std::string locale = in.locale.is_utf8 ? "UTF-8" : "ASCII";
  const std::string from_name = TakeSuffixes(options.from, unused), to_name = TakeSuffixes(options.to, target);
  const auto from = CharEncoding::Find(from_name.empty() ? locale : from_name);
  const auto to = CharEncoding::Find(to_name.empty() ? locale : to_name);
  if (!from || !to) return in.Fail("failed to start conversion processing: No such file or directory");
  Converter converter(in, *from, *to, target, options.omits, out);
  const std::vector<std::string> standard_input = {"-"};
  ExitStatus status = 0;
  for (const std::string& name : operands.empty() ? standard_input : operands) {
    if (options.is_verbose) in.err.Write(name + ":\n");
    auto file = InputFile::Open(in, name);
    if (!file) {
      status = in.Fail("cannot open input file `" + name + "'", file.error());
      continue;
    }
    if (!converter.Take(file->input())) return 1;
    if (!file->input().status()) return in.Fail("unable to allocate buffer for input", file->input().status().error());
  }
  return status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    in.err.Write("Try `iconv --help' or `iconv --usage' for more information.\n");
    return kUsageError;
  }
  if (options.wants_help || options.wants_usage || options.wants_version) {
    in.out.Write(options.wants_version ? VersionText(in.command, in.name()) : HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (options.lists) {
    in.out.Write(CharEncodingNames());
    return 0;
  }
  if (!options.output || *options.output == "-") return ConvertAll(in, options, parsed->operands, in.out);
  auto file = in.fs.Open(*options.output, vfs::OpenFlags::Write());
  if (!file) return in.Fail("cannot open output file", file.error());
  Output out(**file);
  const ExitStatus status = ConvertAll(in, options, parsed->operands, out);
  if (!out.Flush()) {
    const Error error = out.status().error();
    out.ClearStatus();
    return in.Fail("unable to write output", error);
  }
  return status;
}

}  // namespace

extern const Command kCommand_iconv;
const Command kCommand_iconv = {
    .name = "iconv",
    .summary = "convert encoding of given files from one encoding to another",
    .synopsis = "[OPTION...] [FILE...]",
    .options = kOptions,
    .usage_status = kUsageError,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
