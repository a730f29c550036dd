// mkdir - make directories
//
// usage: mkdir [OPTION]... DIRECTORY...
// Creates each DIRECTORY; with -p also the ones on the way, and existing ones are fine.
//
// Exit status: 0, or 1 when one could not be created.
// Source: POSIX mkdir, GNU coreutils 9.1.
// Differs: nothing known; there are no security contexts, so -Z does nothing, as on any kernel without SELinux.

#include "proc/command.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> mode;
  bool parents = false;
  bool verbose = false;
  std::optional<std::string> context;
};

Status SetContext(Options& options, std::string_view context) {
  if (context.data() != nullptr) options.context = context;
  return {};
}

constexpr Option kOptions[] = {
    Value<&Options::mode>('m', "mode", "MODE", "set file mode (as in chmod), not a=rwx - umask"),
    Flag<&Options::parents>('p', "parents",
                            "no error if existing, make parent directories as needed, with their file modes "
                            "unaffected by any -m option"),
    Flag<&Options::verbose>('v', "verbose", "print a message for each created directory"),
    Call<SetContext>('Z', nullptr, nullptr, "set SELinux security context of each created directory to the default type"),
    CallOptional<SetContext>(0, "context", "CTX", "like -Z, or if CTX is specified then set the security context to CTX"),
};

class Maker {
 public:
  Maker(Invocation& in, const Options& options, std::optional<ModeChange> change)
      : in_(in), options_(options), change_(std::move(change)) {}

  bool Make(const std::string& path) { return options_.parents ? MakeWithParents(path) : MakeOne(path, path); }

 private:
  bool Complain(std::string_view path, const Error& error) {
    in_.Fail("cannot create directory " + Quote(path, in_.locale.is_utf8) + ": " + std::string(error.Text()));
    return false;
  }

  void Announce(std::string_view path) {
    if (options_.verbose) {
      in_.out.WriteLine(std::string(in_.name()) + ": created directory " + QuoteFile(path, in_.locale.is_utf8));
    }
  }

  // Creates `path` with the mode asked for; complaints name `shown`.
  bool MakeOne(const std::string& path, const std::string& shown) {
    if (const Status made = in_.fs.MakeDirectory(path, 0777); !made) return Complain(shown, made.error());
    Announce(path);
    if (!change_) return true;
    uint32_t decided = 0;
    const uint32_t wanted = change_->Apply(0777, true, in_.fs.umask(), &decided);
    const auto made_directory = in_.fs.Stat(path);
    // The umask counts only for clauses without "who", and the set-id bits that the parent gave stay.
    uint32_t mode = wanted | ((made_directory ? made_directory->mode : 0) & 07000 & ~decided);
    if ((mode & 07000) == 01000) mode &= ~in_.fs.umask() | decided;   // mkdir(2) itself can do these, and does
    if (const Status set = in_.fs.SetMode(path, mode); !set) {
      in_.Fail("cannot change permissions of " + QuoteFile(shown, in_.locale.is_utf8), set.error());
      return false;
    }
    return true;
  }

  bool MakeWithParents(const std::string& path) {
    std::string_view whole = path;
    while (whole.size() > 1 && whole.back() == '/') whole.remove_suffix(1);
    for (size_t end = whole.find('/', 1); end < whole.size(); end = whole.find('/', end + 1)) {
      if (whole[end - 1] == '/') continue;
      in_.budget.Step();
      const std::string prefix(whole.substr(0, end));
      const Status made = in_.fs.MakeDirectory(prefix, 0777);
      if (made) {
        Announce(prefix);
        // Its maker must be able to go on inside, whatever the umask says.
        const uint32_t umask = in_.fs.umask();
        if ((umask & 0300) != 0) (void)in_.fs.SetMode(prefix, (0777 & ~umask) | 0300);
        continue;
      }
      const auto found = in_.fs.Stat(prefix);
      if (found && found->is_directory()) continue;
      return Complain(prefix, found ? Error(Code::kNotDirectory) : made.error());
    }
    const auto found = in_.fs.Stat(whole);
    if (found && found->is_directory()) return true;
    return MakeOne(path, path);
  }

  Invocation& in_;
  const Options& options_;
  std::optional<ModeChange> change_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  if (options.context) in.Fail("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
  std::optional<ModeChange> change;
  if (options.mode) {
    auto parsed = ModeChange::Parse(*options.mode);
    if (!parsed) return in.Fail("invalid mode " + Quote(*options.mode, in.locale.is_utf8));
    change = std::move(*parsed);
  }
  Maker maker(in, options, std::move(change));
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    if (!maker.Make(path)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_mkdir;
const Command kCommand_mkdir = Define<Options, Run>({
    .name = "mkdir",
    .summary = "create the DIRECTORY(ies), if they do not already exist",
    .synopsis = "[OPTION]... DIRECTORY...",
    .options = kOptions,
});

}  // namespace paddock
