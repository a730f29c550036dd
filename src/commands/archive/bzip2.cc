// bzip2, bunzip2, bzcat - a block-sorting file compressor
//
// usage: bzip2 [flags and input files in any order]
//
// Exit status: 0; 1 for files and flags that are wrong, 2 for data that is damaged.
// Source: bzip2 1.0.8.
// Differs: the words about damaged data name no reason of the system's.

#include <algorithm>
#include <cstdio>

#include "commands/archive/packed_file.h"
#include "commands/file_facts.h"
#include "proc/process.h"

namespace paddock {
namespace {

constexpr ExitStatus kWrong = 1, kDamaged = 2;

enum class Way { kPack, kUnpack, kTest };

struct Options {
  Way way = Way::kPack;
  bool to_stdout = false, force = false, keeps = false, quiet = false;
  int verbose = 0, level = 9;
};

struct Suffix {
  std::string_view packed, plain;
};
constexpr Suffix kSuffixes[] = {{".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}};

constexpr std::string_view kUsage =
    "   usage: bzip2 [flags and input files in any order]\n\n"
    "   -h --help           print this message\n"
    "   -d --decompress     force decompression\n"
    "   -z --compress       force compression\n"
    "   -k --keep           keep (don't delete) input files\n"
    "   -f --force          overwrite existing output files\n"
    "   -t --test           test compressed file integrity\n"
    "   -c --stdout         output to standard out\n"
    "   -q --quiet          suppress noncritical error messages\n"
    "   -v --verbose        be verbose\n"
    "   -L --license        display software version & license\n"
    "   -V --version        display software version & license\n"
    "   -s --small          use less memory (at most 2500k)\n"
    "   -1 .. -9            set block size to 100k .. 900k\n"
    "   --fast              alias for -1\n"
    "   --best              alias for -9\n\n"
    "   bunzip2 decompresses, bzcat decompresses to stdout. Without file names,\n"
    "   from standard input to standard output.\n";

constexpr std::string_view kRecoverHint =
    "\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n\n";

class Bzip2 {
 public:
  Bzip2(Invocation& in, const Options& options) : in_(in), o_(options), name_(in.name()) {}

  void Take(const std::string& name) {
    if (name == "-") TakeStdin();
    else TakeFile(name);
  }
  ExitStatus status() const { return status_; }

 private:
  void Say(const std::string& text) {
    in_.out.Flush();
    in_.err.Write(text);
  }
  void Fail(const std::string& message) {
    Say(name_ + ": " + message + "\n");
    status_ = std::max(status_, kWrong);
  }

  void TakeStdin() {
    if (o_.way == Way::kPack && IsTerminal(in_, 1)) {
      Say(name_ + ": I won't write compressed data to a terminal.\n" + name_ + ": For help, type: `" + name_ + " --help'.\n");
      status_ = kWrong;
      return;
    }
    if (o_.way != Way::kPack && IsTerminal(in_, 0)) {
      Say(name_ + ": I won't read compressed data from a terminal.\n" + name_ + ": For help, type: `" + name_ + " --help'.\n");
      status_ = kWrong;
      return;
    }
    InputSource source(in_.in);
    OutputSink out(in_.out);
    NullSink nowhere;
    Announce("(stdin)");
    static_cast<void>(Work("(stdin)", "(stdout)", source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out));
  }

  void Announce(const std::string& name) {
    if (o_.verbose > 0) Say("  " + name + ": " + std::string(longest_ > name.size() ? longest_ - name.size() : 0, ' '));
  }

  void TakeFile(const std::string& name) {
    in_.budget.Step();
    std::string target;
    if (!o_.to_stdout && o_.way == Way::kPack) {
      for (const Suffix& suffix : kSuffixes) {
        if (!name.ends_with(suffix.packed) || in_.fs.Stat(name, vfs::Follow::kNo).has_value() == false) continue;
        Fail("Input file " + name + " already has " + std::string(suffix.packed) + " suffix.");
        return;
      }
      target = name + ".bz2";
    }
    const auto found = in_.fs.Stat(name, o_.to_stdout || o_.way == Way::kTest || o_.force ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found) {
      Fail("Can't open input file " + name + ": " + std::string(found.error().Text()) + ".");
      return;
    }
    if (found->is_directory()) {
      Fail("Input file " + name + " is a directory.");
      return;
    }
    const bool writes_file = !o_.to_stdout && o_.way != Way::kTest;
    if (writes_file && o_.way == Way::kUnpack) target = PlainName(name);
    if (writes_file && !MayReplace(name, target, *found)) return;
    auto opened = in_.fs.Open(name, vfs::OpenFlags::Read());
    if (!opened) {
      Fail("Can't open input file " + name + ": " + std::string(opened.error().Text()) + ".");
      return;
    }
    Input input(**opened, in_.budget);
    InputSource source(input);
    if (!writes_file) {
      OutputSink out(in_.out);
      NullSink nowhere;
      Announce(name);
      static_cast<void>(Work(name, "(stdout)", source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out));
      return;
    }
    auto made = NewFile::Create(in_, target, o_.force);
    if (!made) {
      Fail("Can't create output file " + target + ": " + std::string(made.error().Text()) + ".");
      return;
    }
    Announce(name);
    if (!Work(name, target, source, made->sink())) return;
    made->Keep(*found);
    if (!o_.keeps) static_cast<void>(in_.fs.RemoveFile(name));
  }

  std::string PlainName(const std::string& name) {
    for (const Suffix& suffix : kSuffixes) {
      if (name.size() > suffix.packed.size() && name.ends_with(suffix.packed)) return name.substr(0, name.size() - suffix.packed.size()) + std::string(suffix.plain);
    }
    if (!o_.quiet) Say(name_ + ": Can't guess original name for " + name + " -- using " + name + ".out\n");
    return name + ".out";
  }

  bool MayReplace(const std::string& name, const std::string& target, const vfs::Attributes& found) {
    if (!o_.force && !found.is_file()) Fail("Input file " + name + " is not a normal file.");
    else if (!o_.force && in_.fs.Stat(target, vfs::Follow::kNo)) Fail("Output file " + target + " already exists.");
    else if (!o_.force && found.links > 1) {
      Fail("Input file " + name + " has " + std::to_string(found.links - 1) + " other link" + (found.links > 2 ? "s" : "") + ".");
    } else {
      return true;
    }
    return false;
  }

  bool Work(const std::string& name, const std::string& target, InputSource& source, ByteSink& out) {
    return o_.way == Way::kPack ? Pack(name, source, out) : Unpack(name, target, source, out);
  }

  bool Pack(const std::string& name, InputSource& source, ByteSink& out) {
    codec::EncodingSink encoder(out, codec::NewBzip2Encoder(&in_.budget, o_.level), &in_.budget);
    CopyResult copied = CopyStream(in_.budget, source, encoder);
    if (copied.status) copied.status = encoder.Finish();
    if (!copied.status) return Broken(name, copied);
    if (o_.verbose == 0) return true;
    const auto plain = static_cast<double>(encoder.bytes_in()), packed = static_cast<double>(encoder.bytes_out());
    if (encoder.bytes_in() == 0) {
      Say(" no data compressed.\n");
      return true;
    }
    char text[160];
    std::snprintf(text, sizeof text, "%6.3f:1, %6.3f bits/byte, %5.2f%% saved, %llu in, %llu out.\n", plain / packed, packed * 8 / plain, 100 * (1 - packed / plain),
                  static_cast<unsigned long long>(encoder.bytes_in()), static_cast<unsigned long long>(encoder.bytes_out()));
    Say(text);
    return true;
  }
  bool Broken(const std::string& name, const CopyResult& copied) {
    in_.out.ClearStatus();
    Say(name_ + ": I/O or other error, bailing out.  Possible reason follows.\n" + name_ + ": " + std::string(copied.status.error().Text()) + "\n\tInput file = " + name + "\n");
    status_ = std::max(status_, kWrong);
    return false;
  }

  bool Unpack(const std::string& name, const std::string& target, InputSource& source, ByteSink& out) {
    const auto head = source.Look(4);
    if (head && o_.force && o_.to_stdout && codec::Recognize(*head) != codec::Format::kBzip2) {
      const CopyResult copied = CopyStream(in_.budget, source, out);
      return copied.status ? true : Broken(name, copied);
    }
    codec::DecodingSource decoder(source, codec::NewBzip2Decoder(&in_.budget), &in_.budget);
    const CopyResult copied = CopyStream(in_.budget, decoder, out);
    const bool is_garbage = !copied.status && !copied.is_output && copied.status.error().code == Code::kNotSupported;
    if (copied.status || is_garbage) {
      if (decoder.has_garbage() || is_garbage) Garbage(name);
      else if (o_.verbose > 0) Say(o_.way == Way::kTest ? "ok\n" : "done\n");
      return true;
    }
    const Code code = copied.status.error().code;
    if (copied.is_output || (code != Code::kSyntax && code != Code::kCorrupt)) return Broken(name, copied);
    Complain(name, target, copied.status.error());
    status_ = kDamaged;
    return false;
  }
  void Garbage(const std::string& name) {
    if (o_.quiet) return;
    if (o_.way == Way::kTest) Say((o_.verbose > 0 ? "" : name_ + ": " + name + ": ") + "trailing garbage after EOF ignored\n");
    else Say("\n" + name_ + ": " + name + ": trailing garbage after EOF ignored\n");
  }
  void Complain(const std::string& name, const std::string& target, const Error& error) {
    const std::string message(error.Text());
    if (o_.way == Way::kTest) {
      Say((o_.verbose > 0 ? "" : name_ + ": " + name + ": ") + message + "\n" + (o_.quiet ? "" : std::string(kRecoverHint)));
      return;
    }
    if (error.code == Code::kSyntax) {
      if (!o_.quiet || o_.verbose == 0) Say(o_.verbose > 0 ? "not a bzip2 file.\n" : name_ + ": " + name + " is not a bzip2 file.\n");
      return;
    }
    const bool is_early = message == "file ends unexpectedly";
    std::string text = "\n" + name_ + (is_early ? ": Compressed file ends unexpectedly;\n\tperhaps it is corrupted?\n" : ": Data integrity error when decompressing.\n");
    text += "\tInput file = " + name + ", output file = " + target + "\n\nIt is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option to test integrity of such files.\n" +
            std::string(kRecoverHint);
    if (target != "(stdout)") text += name_ + ": Deleting output file " + target + ", if it exists.\n";
    Say(text);
  }

 public:
  void set_longest(size_t longest) { longest_ = longest; }

 private:
  Invocation& in_;
  const Options& o_;
  std::string name_;
  ExitStatus status_ = 0;
  size_t longest_ = 7;   // of the names, for -v
};

ExitStatus ShowUsage(Invocation& in, const std::string& flag) {
  in.err.Write(std::string(in.name()) + ": Bad flag `" + flag + "'\n" + std::string(kUsage));
  return kWrong;
}

// False for a flag that is none.
bool TakeFlag(char flag, Options& o) {
  switch (flag) {
    case 'c': o.to_stdout = true; return true;
    case 'd': o.way = Way::kUnpack; return true;
    case 'z': o.way = Way::kPack; return true;
    case 't': o.way = Way::kTest; return true;
    case 'f': o.force = true; return true;
    case 'k': o.keeps = true; return true;
    case 'q': o.quiet = true; return true;
    case 'v': ++o.verbose; return true;
    case 's': o.level = std::min(o.level, 2); return true;
    default: break;
  }
  if (flag < '1' || flag > '9') return false;
  o.level = flag - '0';
  return true;
}
char LongFlag(std::string_view name) {
  constexpr std::pair<std::string_view, char> kNames[] = {{"--stdout", 'c'}, {"--decompress", 'd'}, {"--compress", 'z'}, {"--test", 't'}, {"--force", 'f'}, {"--keep", 'k'}, {"--quiet", 'q'},
                                                          {"--verbose", 'v'}, {"--small", 's'}, {"--fast", '1'}, {"--best", '9'}, {"--help", 'h'}, {"--version", 'V'}, {"--license", 'L'}};
  for (const auto& [text, flag] : kNames) {
    if (text == name) return flag;
  }
  return '\0';
}

ExitStatus Run(Invocation& in) {
  Options options;
  if (in.name() == "bunzip2" || in.name() == "bzcat") options.way = Way::kUnpack;
  options.to_stdout = in.name() == "bzcat";
  std::vector<std::string> args;
  for (const char* variable : {"BZIP2", "BZIP"}) {
    const std::string_view text = in.env.Get(variable, "");
    for (size_t from = 0; (from = text.find_first_not_of(" \t", from)) != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_of(" \t", from), text.size());
      args.emplace_back(text.substr(from, end - from));
      from = end;
    }
  }
  args.insert(args.end(), in.args.begin() + 1, in.args.end());
  std::vector<std::string> names;
  bool is_over = false;
  for (const std::string& arg : args) {
    if (is_over || arg.size() < 2 || arg[0] != '-') {
      names.push_back(arg);
      continue;
    }
    if (arg == "--") {
      is_over = true;
      continue;
    }
    const bool is_long = arg[1] == '-';
    for (const char flag : is_long ? std::string(1, LongFlag(arg)) : arg.substr(1)) {
      if (flag == 'h' || flag == 'V' || flag == 'L') {
        if (flag == 'h') in.err.Write(kUsage);
        else in.err.Write(VersionText(in.command, in.name()));
        return 0;
      }
      if (!TakeFlag(flag, options)) return ShowUsage(in, arg);
    }
  }
  Bzip2 bzip2(in, options);
  size_t longest = 7;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  bzip2.set_longest(longest);
  if (names.empty()) bzip2.Take("-");
  for (const std::string& name : names) bzip2.Take(name);
  return bzip2.status();
}

constexpr const char* kAliases[] = {"bunzip2", "bzcat"};

}  // namespace

extern const Command kCommand_bzip2;
const Command kCommand_bzip2 = {
    .name = "bzip2",
    .aliases = kAliases,
    .summary = "a block-sorting file compressor",
    .synopsis = "[flags and input files in any order]",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
