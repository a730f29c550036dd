// sysctl - read kernel parameters
//
// usage: sysctl [options] [VARIABLE[=VALUE]]...
// Reads the files below /proc/sys.
//
// Exit status: 0, or 1 for a variable that is not there or cannot be written.
// Source: procps-ng 4.0.2.
// Differs: a sandbox has few variables, and they cannot be set: each attempt fails as without permission. --deprecated, -p and --system read no
// files of theirs and are refused.

#include <algorithm>

#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/regex.h"

namespace paddock {
namespace {

constexpr std::string_view kRoot = "/proc/sys/";

struct Options {
  bool all = false, dry_run = false, binary = false, ignores = false, names = false, values = false, quiet = false, writes = false, nothing = false;
  bool loads = false;
  std::optional<std::string> pattern;
  bool wants_help = false, wants_version = false;
};
Status Load(Options& options, std::string_view) {
  options.loads = true;
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all", "display all variables"),
    Flag<&Options::all>('A', nullptr, "alias of -a"),
    Flag<&Options::all>('X', nullptr, "alias of -a"),
    Flag<&Options::loads>(0, "deprecated", "refused"),
    Flag<&Options::dry_run>(0, "dry-run", "print the key and values but do not write"),
    Flag<&Options::binary>('b', "binary", "print value without new line"),
    Flag<&Options::ignores>('e', "ignore", "ignore unknown variables errors"),
    Flag<&Options::names>('N', "names", "print variable names without values"),
    Flag<&Options::values>('n', "values", "print only values of the given variable(s)"),
    CallOptional<Load>('p', "load", "FILE", "refused"),
    CallOptional<Load>('f', nullptr, "FILE", "refused"),
    Flag<&Options::loads>(0, "system", "refused"),
    Value<&Options::pattern>('r', "pattern", "EXPRESSION", "select setting that match expression"),
    Flag<&Options::quiet>('q', "quiet", "do not echo variable set"),
    Flag<&Options::writes>('w', "write", "enable writing a value to variable"),
    Flag<&Options::nothing>('o', nullptr, "does nothing"),
    Flag<&Options::nothing>('x', nullptr, "does nothing"),
    Flag<&Options::wants_help>('d', nullptr, "alias of -h"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

// What separates the parts of a name is the first separator in it; the other one stands for itself.
std::string PathOf(std::string_view name) {
  std::string path(name);
  const size_t first = path.find_first_of("./");
  if (first != std::string::npos && path[first] == '.') {
    for (char& c : path) c = c == '.' ? '/' : c == '/' ? '.' : c;
  }
  return std::string(kRoot) + path;
}
std::string NameOf(std::string_view path) {
  std::string name(path.substr(kRoot.size()));
  for (char& c : name) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return name;
}

class Reader {
 public:
  Reader(Invocation& in, const Options& options, std::optional<Regex> pattern) : in_(in), o_(options), pattern_(std::move(pattern)) {}

  ExitStatus status() const { return status_; }

  void Show(const std::string& path) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(path);
    if (!found) {
      if (!o_.ignores) Fail("cannot stat " + path + ": " + std::string(found.error().Text()));
      return;
    }
    if (found->is_directory()) {
      const auto entries = in_.fs.List(path);
      if (!entries) return Fail("unable to open directory \"" + path + "\"");
      for (const auto& entry : *entries) Show(vfs::JoinPath(path, entry.name));
      return;
    }
    const std::string name = NameOf(path);
    if (pattern_) {
      const auto matches = pattern_->Search(name, 0, nullptr, in_.budget);
      if (!matches || !*matches) return;
    }
    if (o_.names) return in_.out.WriteLine(name);
    auto text = vfs::ReadFile(in_.fs, path, 1 << 20);
    if (!text) return Fail("reading key \"" + name + "\": " + std::string(text.error().Text()));
    if (text->ends_with('\n')) text->pop_back();
    if (!o_.values && !o_.binary) in_.out.Write(name + " = ");
    in_.out.Write(*text);
    if (!o_.binary) in_.out.Put('\n');
  }

  void Set(const std::string& word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return Fail("command line(0): invalid syntax, continuing...");
    const std::string path = PathOf(std::string_view(word).substr(0, equals));
    const auto found = in_.fs.Stat(path);
    if (!found) {
      if (!o_.ignores) Fail("cannot stat " + path + ": " + std::string(found.error().Text()));
      return;
    }
    if (o_.dry_run) return in_.out.WriteLine(NameOf(path) + " = " + word.substr(equals + 1));
    Fail("permission denied on key \"" + NameOf(path) + "\"");
  }

 private:
  void Fail(const std::string& message) { status_ = in_.Fail(message); }

  Invocation& in_;
  const Options& o_;
  std::optional<Regex> pattern_;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  const bool has_nothing = parsed && parsed->operands.empty() && !options.all;
  if (!parsed || options.wants_help || (has_nothing && in.args.size() == 1)) {
    const bool is_asked = parsed && options.wants_help;
    (is_asked ? in.out : in.err).Write("\nUsage:\n sysctl [options] [variable[=value] ...]\n\nOptions:\n" + OptionHelp(kOptions) + "\nFor more details see sysctl(8).\n");
    return is_asked ? 0 : 1;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.loads) return in.Fail("--deprecated, --load, --system: not supported");
  if (has_nothing) {
    in.err.Write("sysctl: no variables specified\nTry `sysctl --help' for more information.\n");
    return 1;
  }
  std::optional<Regex> pattern;
  if (options.pattern) {
    auto made = Regex::Compile(*options.pattern, {.dialect = RegexDialect::kExtended, .is_utf8 = in.locale.is_utf8});
    if (!made) return in.Fail(made.error().Text());
    pattern = std::move(*made);
  }
  Reader reader(in, options, std::move(pattern));
  if (options.all) reader.Show(std::string(kRoot.substr(0, kRoot.size() - 1)));
  for (const std::string& word : parsed->operands) {
    if (options.all) break;
    if (options.writes || word.find('=') != std::string::npos) reader.Set(word);
    else reader.Show(PathOf(word));
  }
  return reader.status();
}

}  // namespace

extern const Command kCommand_sysctl;
const Command kCommand_sysctl = {
    .name = "sysctl",
    .summary = "configure kernel parameters at runtime",
    .synopsis = "[options] [VARIABLE[=VALUE]]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
