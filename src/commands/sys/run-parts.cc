// run-parts - run the programs in a directory
//
// usage: run-parts [OPTION]... DIRECTORY
//
// Exit status: 0; 1 when a program failed or could not run, and for a usage error.
// Source: debianutils 5.7.
// Differs: --new-session begins a process group.

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/regex.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

struct Options {
  bool tests = false, lists = false, verbose = false, debugs = false, reports = false, reverses = false, ends_at_error = false, gives_input = false, follows_lsb = false;
  bool new_session = false, wants_help = false, wants_version = false;
  std::optional<std::string> regex, mask;
  std::vector<std::string> arguments;
};

constexpr Option kOptions[] = {
    Flag<&Options::tests>(0, "test", "print script names which would run, but don't run them."),
    Flag<&Options::lists>(0, "list", "print names of all valid files (can not be used with --test)"),
    Flag<&Options::verbose>('v', "verbose", "print script names before running them."),
    Flag<&Options::debugs>(0, "debug", "print script names while checking them."),
    Flag<&Options::reports>(0, "report", "print script names if they produce output."),
    Flag<&Options::reverses>(0, "reverse", "reverse execution order of scripts."),
    Flag<&Options::ends_at_error>(0, "exit-on-error", "exit as soon as a script returns with a non-zero exit code."),
    Flag<&Options::gives_input>(0, "stdin", "give all of standard input to each script."),
    Flag<&Options::follows_lsb>(0, "lsbsysinit", "validate filenames based on LSB sysinit specs."),
    Flag<&Options::new_session>(0, "new-session", "run each script in a separate process session"),
    Value<&Options::regex>(0, "regex", "PATTERN", "validate filenames based on POSIX ERE pattern PATTERN."),
    Value<&Options::mask>('u', "umask", "UMASK", "sets umask to UMASK (octal), default is 022."),
    Value<&Options::arguments>('a', "arg", "ARGUMENT", "pass ARGUMENT to scripts, use once for each argument."),
    Flag<&Options::wants_version>('V', "version", "output version information and exit."),
    Flag<&Options::wants_help>('h', "help", "display this help and exit."),
};

ExitStatus Misused(Invocation& in, const std::string& what) {
  in.err.Write("run-parts: " + what + "\nTry `run-parts --help' for more information.\n");
  return 1;
}

// --report: the name of the program in front of the first that it writes, to either output.
class NamedOutput final : public vfs::OpenFile {
 public:
  NamedOutput(Output& to, const std::string& name, bool& is_named) : to_(to), name_(name), is_named_(is_named) {}
  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (!std::exchange(is_named_, true)) to_.Write(name_ + ":\n");
    to_.Write(bytes);
    return to_.Flush();
  }
  Result<vfs::Attributes> GetAttributes() const override { return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600}; }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

 private:
  Output& to_;
  const std::string& name_;
  bool& is_named_;
};

class Runner {
 public:
  Runner(Invocation& in, const Options& options) : in_(in), o_(options) {}

  ExitStatus Run(const std::string& directory) {
    if (!CompilePatterns()) return 1;
    auto entries = in_.fs.List(directory);
    if (!entries) return in_.Fail("failed to open directory " + directory + ": " + std::string(entries.error().Text()));
    std::sort(entries->begin(), entries->end(), [](const vfs::DirectoryEntry& a, const vfs::DirectoryEntry& b) { return a.name < b.name; });
    if (o_.reverses) std::reverse(entries->begin(), entries->end());
    if (o_.debugs) {
      for (const char* name : {".", ".."}) IsValid(name);
    }
    if (o_.gives_input) input_ = in_.in.ReadAll();
    for (const vfs::DirectoryEntry& entry : *entries) {
      in_.budget.Step();
      if (!IsValid(entry.name)) continue;
      const std::string path = directory + "/" + entry.name;
      const auto found = in_.fs.Stat(path);
      if (!found) {
        in_.Fail("failed to stat component " + path + ": " + std::string(found.error().Text()));
        continue;
      }
      if (found->is_directory()) continue;
      if (!found->is_file()) return in_.Fail("component " + path + " is not an executable plain file");
      if (o_.lists) {
        in_.out.WriteLine(path);
      } else if (in_.fs.Access(path, 1)) {
        if (o_.tests) in_.out.WriteLine(path);
        else if (!RunOne(path) && o_.ends_at_error) return 1;
      }
    }
    return status_;
  }

 private:
  bool CompilePatterns() {
    std::vector<std::string> patterns = {"^[a-zA-Z0-9_-]+$"};
    if (o_.follows_lsb) patterns = {"^[a-z0-9]+$", "^_?([a-z0-9_.]+-)+[a-z0-9]+$", "^[a-z0-9][a-z0-9-]*$"};
    if (o_.regex) patterns = {*o_.regex};
    for (const std::string& pattern : patterns) {
      auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended});
      if (!regex) {
        in_.err.Write("Unable to build regexp: Invalid regular expression\n");
        return false;
      }
      patterns_.push_back(std::move(*regex));
    }
    return true;
  }
  bool IsValid(const std::string& name) {
    // What dpkg leaves behind is none, where names may have dots.
    if (o_.follows_lsb && !o_.regex && (name.ends_with(".dpkg-old") || name.ends_with(".dpkg-dist") || name.ends_with(".dpkg-new") || name.ends_with(".dpkg-tmp"))) return false;
    for (size_t i = 0; i < patterns_.size(); ++i) {
      const bool is_match = patterns_[i].Search(name, 0, nullptr, in_.budget).value_or(false);
      constexpr const char* kLsb[] = {"hierre", "excsre", "tradre"};
      const char* const which = o_.regex ? "custom" : o_.follows_lsb ? kLsb[i] : "classicalre";
      if (o_.debugs) in_.err.Write("\"" + name + "\": " + which + (is_match ? " pass\n" : " fail\n"));
      if (is_match) return true;
    }
    return false;
  }

  bool RunOne(const std::string& path) {
    if (o_.verbose) {
      std::string words;
      for (const std::string& argument : o_.arguments) words += " " + argument;
      in_.out.Flush();
      in_.err.Write("run-parts: executing " + path + words + "\n");
    }
    ChildSpec spec;
    spec.args = {path};
    spec.args.insert(spec.args.end(), o_.arguments.begin(), o_.arguments.end());
    spec.environment = &in_.env;
    spec.own_group = o_.new_session;
    bool is_named = false;
    if (o_.reports) {
      spec.out = std::make_shared<NamedOutput>(in_.out, path, is_named);
      spec.err = std::make_shared<NamedOutput>(in_.err, path, is_named);
    }
    if (o_.gives_input) {
      auto ends = vfs::MakePipe(in_.kernel.scheduler(), std::max<size_t>(input_.size(), 1));
      [[maybe_unused]] const Status filled = ends.write->Write(input_);   // it has room for all of it
      spec.in = ends.read;
    }
    in_.out.Flush();
    const auto pid = in_.launcher.Spawn(in_.process, spec);
    if (!pid) {
      in_.Fail("failed to exec " + path + ": " + std::string(pid.error().Text()));
      return Failed(path + " exited with return code 1");
    }
    const auto ended = in_.kernel.Wait(in_.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
    if (!ended) return Failed(path + " was lost");
    if (ended->signal != 0) return Failed(path + " exited because of uncaught signal " + std::to_string(ended->signal));
    return ended->status == 0 || Failed(path + " exited with return code " + std::to_string(ended->status));
  }
  bool Failed(const std::string& what) {
    in_.Fail(what);
    status_ = 1;
    return false;
  }

  Invocation& in_;
  const Options& o_;
  std::vector<Regex> patterns_;
  std::string input_;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) return Misused(in, std::string(parsed.error().Text()));
  if (options.wants_help) return in.err.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  uint32_t mask = 022;
  if (options.mask) {
    const auto [end, error] = std::from_chars(options.mask->data(), options.mask->data() + options.mask->size(), mask, 8);
    if (error != std::errc() || end != options.mask->data() + options.mask->size() || mask > 07777) return in.Fail("bad umask value");
  }
  if (parsed->operands.size() != 1) return Misused(in, "missing operand");
  if (options.lists && options.tests) return Misused(in, "--list and --test can not be used together");
  in.process.files().set_umask(mask);
  return Runner(in, options).Run(parsed->operands[0]);
}

}  // namespace

extern const Command kCommand_run_parts;
const Command kCommand_run_parts = {
    .name = "run-parts",
    .summary = "run the programs in a directory",
    .synopsis = "[OPTION]... DIRECTORY",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
