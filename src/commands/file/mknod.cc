// mknod - make a FIFO or a device node
//
// usage: mknod [OPTION]... NAME TYPE [MAJOR MINOR]
//
// Exit status: 0, or 1 if it could not be made.
// Source: GNU coreutils 9.1.
// Differs: device nodes are refused to everybody, as to a user who is not root; -Z and --context find no SELinux.

#include <charconv>

#include "proc/command.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> mode, context;
  bool is_default_context = false;
};
Status SetContext(Options& o, std::string_view context) {
  if (context.data() != nullptr) o.context = context;
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::mode>('m', "mode", "MODE", "set file permission bits to MODE, not a=rw - umask"),
    Flag<&Options::is_default_context>('Z', nullptr, "set the SELinux security context to the default type (there is none)"),
    CallOptional<SetContext>(0, "context", "CTX", "like -Z, or set the security context to CTX (there is none)"),
};

// A device number in C's notation.
bool IsDeviceNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16, text.remove_prefix(2);
  else if (text.size() > 1 && text[0] == '0') base = 8;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether there are as many operands as the type needs. A status after a complaint.
std::optional<ExitStatus> CheckOperands(Invocation& in, const std::vector<std::string>& operands) {
  const auto quoted = [&](const std::string& text) { return Quote(text, in.locale.is_utf8); };
  const bool is_fifo = operands.size() > 1 && operands[1].starts_with('p');
  const size_t wanted = is_fifo ? 2 : 4;
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() < wanted) {
    in.Fail("missing operand after " + quoted(operands.back()));
    if (wanted == 4 && operands.size() == 2) in.err.Write("Special files require major and minor device numbers.\n");
    return in.UsageHint();
  }
  if (operands.size() > wanted) {
    in.Fail("extra operand " + quoted(operands[wanted]));
    if (wanted == 2 && operands.size() == 4) in.err.Write("Fifos do not have major and minor device numbers.\n");
    return in.UsageHint();
  }
  if (std::string_view("bcup").find(operands[1].empty() ? '?' : operands[1][0]) == std::string_view::npos) {
    return in.Usage("invalid device type " + quoted(operands[1]));
  }
  if (is_fifo) return std::nullopt;
  for (const auto& [at, name] : {std::pair(size_t{2}, "major"), std::pair(size_t{3}, "minor")}) {
    if (!IsDeviceNumber(operands[at])) return in.Fail("invalid " + std::string(name) + " device number " + quoted(operands[at]));
  }
  return std::nullopt;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  uint32_t mode = 0666;
  if (options.mode) {
    const auto change = ModeChange::Parse(*options.mode);
    if (!change) return in.Fail("invalid mode");
    mode = change->Apply(mode, false, in.fs.umask());
    if (mode > 0777) return in.Fail("mode must specify only file permission bits");
  }
  if (const auto failed = CheckOperands(in, operands)) return *failed;
  if (options.context) in.Fail("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
  const std::string& name = operands[0];
  const std::string subject = QuoteSubject(name, in.locale.is_utf8);
  if (operands[1][0] != 'p') {
    if (const auto found = in.fs.Stat(name, vfs::Follow::kNo)) return in.Fail(subject, Code::kExists);
    return in.Fail(subject, Code::kNotPermitted);
  }
  if (const Status made = in.fs.MakeNode(name, vfs::FileType::kFifo, mode); !made) return in.Fail(subject, made.error());
  if (!options.mode) return 0;
  const Status set = in.fs.SetMode(name, mode);
  return set ? 0 : in.Fail("cannot set permissions of " + QuoteFile(name, in.locale.is_utf8), set.error());
}

}  // namespace

extern const Command kCommand_mknod;
const Command kCommand_mknod = Define<Options, Run>({
    .name = "mknod",
    .summary = "create the special file NAME of the given TYPE",
    .synopsis = "[OPTION]... NAME TYPE [MAJOR MINOR]",
    .details = "TYPE is b (block special file), c or u (character special file) or p (FIFO). MAJOR and MINOR are given for all\n"
               "but p; 0x makes them hexadecimal, 0 octal.\n",
    .options = kOptions,
});

}  // namespace paddock
