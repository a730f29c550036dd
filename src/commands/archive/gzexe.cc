// gzexe - compress executable files in place
//
// usage: gzexe [-d] FILE...
//
// Each FILE becomes a script that unpacks itself and runs; FILE~ keeps what it was.
//
// Exit status: 0, or 1 for a usage error and when a FILE could not be packed or unpacked. A FILE that is skipped leaves it at 0.
// Source: GNU gzip 1.12.
// Differs: the script in front of the packed bytes is another one. That of the real command is unpacked, too.

#include "commands/archive/packed_tools.h"
#include "proc/process.h"

namespace paddock {
namespace {

// The packed bytes begin at the line that `skip` names.
constexpr std::string_view kScript =
    "#!/bin/sh\n"
    "skip=12\n"
    "dir=$(mktemp -d) || exit 127\n"
    "trap 'rm -rf \"$dir\"' EXIT\n"
    "program=$dir/$(basename -- \"$0\")\n"
    "if tail -n \"+$skip\" -- \"$0\" | gzip -cd > \"$program\"; then\n"
    "  chmod 700 \"$program\" && \"$program\" \"$@\"\n"
    "  exit\n"
    "fi\n"
    "printf '%s: cannot decompress\\n' \"$0\" >&2\n"
    "exit 127\n";
constexpr size_t kOldSkip = 44;   // of scripts that do not say
constexpr uint32_t kSetUser = 04000, kSetGroup = 02000;
constexpr std::string_view kNeeded[] = {"basename", "bash", "cat", "chmod", "cp", "dirname", "expr", "gzip", "ln", "mkdir", "mktemp", "mv", "printf", "rm", "sed", "sh", "sleep", "test", "tail"};

class Packer {
 public:
  Packer(Invocation& in, bool unpacks) : in_(in), unpacks_(unpacks), self_(ScriptName(in, "gzexe")) {}

  ExitStatus Take(const std::string& name) {
    const std::string file = name.starts_with('-') ? "./" + name : name;
    const auto found = in_.fs.Stat(file);
    if (!found || !found->is_file() || !in_.fs.Access(file, 4)) return Skip(name + " is not a readable regular file");
    if (!unpacks_ && FindSkip(file)) return Skip(name + " is already gzexe'd");
    if ((found->mode & kSetUser) != 0) return Skip(name + " has setuid permission, unchanged");
    if ((found->mode & kSetGroup) != 0) return Skip(name + " has setgid permission, unchanged");
    for (const std::string_view needed : kNeeded) {
      if (vfs::BaseName(file) == needed) return Skip(name + " might depend on itself");
    }
    const std::string draft = file.substr(0, file.rfind('/') + 1) + "gzexe" + std::to_string(in_.process.pid());
    auto out = in_.fs.Open(draft, {.write = true, .create = true, .exclusive = true}, 0600);
    if (!out) return Skip("cannot copy " + file, 1);
    const bool is_done = unpacks_ ? Unpack(file, *out) : Pack(file, *out);
    out->reset();
    if (!is_done) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return Skip(unpacks_ ? name + " probably not in gzexe format, file unchanged." : "compression not possible for " + name + ", file unchanged.", 1);
    }
    static_cast<void>(in_.fs.SetMode(draft, found->mode & 07777));
    return Replace(name, file, draft);
  }

 private:
  ExitStatus Skip(const std::string& message, ExitStatus status = 0) {
    in_.err.Write(self_ + ": " + message + "\n");
    return status;
  }

  // The number behind skip= in the second line.
  std::optional<size_t> FindSkip(const std::string& file) {
    auto opened = in_.fs.Open(file, vfs::OpenFlags::Read());
    if (!opened) return std::nullopt;
    Input input(**opened, in_.budget);
    if (!PassLine(input)) return std::nullopt;
    char head[9] = {};
    std::string_view text(head, input.Read(head, sizeof head));
    if (!text.starts_with("skip=")) return std::nullopt;
    text.remove_prefix(5);
    size_t value = 0, digits = 0;
    while (digits < text.size() && digits < 3 && text[digits] >= '0' && text[digits] <= '9') value = value * 10 + static_cast<size_t>(text[digits++] - '0');
    if (digits == 0 || digits == text.size() || text[digits] != '\n') return std::nullopt;
    return value;
  }
  // Without keeping it: what is packed may be one line.
  bool PassLine(Input& input) {
    while (true) {
      const std::string_view bytes = input.Peek();
      if (bytes.empty()) return false;
      in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 64));
      const size_t end = bytes.find('\n');
      input.Consume(end == std::string_view::npos ? bytes.size() : end + 1);
      passed_ += end == std::string_view::npos ? bytes.size() : end + 1;
      if (end != std::string_view::npos) return true;
    }
  }

  bool Gzip(std::vector<std::string> args, vfs::OpenFilePtr input, const vfs::OpenFilePtr& out) {
    ChildSpec spec;
    spec.args = std::move(args);
    spec.environment = &in_.env;
    spec.in = std::move(input);
    spec.out = out;
    const auto status = in_.launcher.Run(in_.process, spec);
    return status && *status == 0;
  }
  bool Pack(const std::string& file, const vfs::OpenFilePtr& out) { return out->Write(kScript) && Gzip({"gzip", "-cv9", "--", file}, nullptr, out); }
  bool Unpack(const std::string& file, const vfs::OpenFilePtr& out) {
    const size_t skip = FindSkip(file).value_or(kOldSkip);
    auto opened = in_.fs.Open(file, vfs::OpenFlags::Read());
    if (!opened) return false;
    passed_ = 0;
    {
      Input input(**opened, in_.budget);
      for (size_t line = 1; line < skip && PassLine(input); ++line) in_.budget.Step();
    }
    if (!(*opened)->Seek(static_cast<int64_t>(passed_), vfs::Whence::kStart)) return false;
    return Gzip({"gzip", "-cd"}, *opened, out);
  }

  ExitStatus Replace(const std::string& name, const std::string& file, const std::string& draft) {
    const std::string backup = file + "~";
    static_cast<void>(in_.fs.RemoveFile(backup));
    if (!in_.fs.MakeLink(file, backup, vfs::Follow::kYes)) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return Skip("cannot backup " + name + " as " + name + "~", 1);
    }
    if (in_.fs.Rename(draft, file)) return 0;
    static_cast<void>(in_.fs.RemoveFile(draft));
    return Skip("cannot rename " + draft + " to " + name, 1);
  }

  Invocation& in_;
  const bool unpacks_;
  const std::string self_;
  uint64_t passed_ = 0;   // bytes, by PassLine()
};

ExitStatus Run(Invocation& in) {
  bool unpacks = false;
  size_t i = 1;
  for (; i < in.args.size(); ++i) {
    const std::string& word = in.args[i];
    if (word == "-d") {
      unpacks = true;
      continue;
    }
    if (word.starts_with("--h")) return in.out.Write(HelpText(in.command, in.name())), 0;
    if (word.starts_with("--v")) return in.out.Write(VersionText(in.command, in.name())), 0;
    if (word == "--") ++i;
    break;
  }
  if (i >= in.args.size()) {
    const std::string name = ScriptName(in, "gzexe");
    in.err.Write(name + ": missing operand\nTry `" + name + " --help' for more information.\n");
    return 1;
  }
  Packer packer(in, unpacks);
  ExitStatus status = 0;
  for (; i < in.args.size(); ++i) {
    in.budget.Step();
    status = std::max(status, packer.Take(in.args[i]));
  }
  return status;
}

}  // namespace

extern const Command kCommand_gzexe;
const Command kCommand_gzexe = {
    .name = "gzexe",
    .summary = "compress executable files in place",
    .synopsis = "[-d] FILE...",
    .details = "  -d   decompress each FILE instead\n",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
