#include <algorithm>

#include "commands/file/find.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/file_system.h"

namespace paddock::find {
namespace {

// Runs a command for a file in `cwd` (nothing: where find was started) and tells whether it succeeded.
bool RunCommandLine(Context& context, std::vector<std::string> args, std::optional<std::string> cwd, bool closes_input) {
  context.FlushAll();
  ChildSpec spec{.args = std::move(args), .environment = &context.in.env, .cwd = std::move(cwd)};
  if (closes_input) {
    if (auto null = context.in.fs.Open("/dev/null", vfs::OpenFlags::Read())) spec.in = *null;
  }
  const std::string name = spec.args[0];
  const auto pid = context.in.launcher.Spawn(context.in.process, spec);
  if (!pid) {
    context.in.Fail(context.Quoted(name), pid.error());
    return false;
  }
  const auto ended = context.in.kernel.Wait(context.in.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  if (!ended) return false;
  if (ended->signal != 0) {
    context.in.Fail(context.Quoted(name) + " terminated by signal " + std::to_string(ended->signal));
  }
  return ended->status == 0;
}

std::string Substitute(Context& context, const std::string& word, const std::string& path) {
  std::string text;
  size_t at = 0;
  while (true) {
    context.in.budget.Step();
    const size_t found = word.find("{}", at);
    text += word.substr(at, found - at);
    if (found == std::string::npos) return text;
    text += path;
    at = found + 2;
  }
}

// For -execdir: the directory to run in and the name there.
std::string DirectoryOf(const File& file) {
  if (file.depth > 0) return file.path.substr(0, std::max<size_t>(file.path.find_last_of('/'), 1));
  const size_t last = file.path.find_last_not_of('/');
  if (last == std::string::npos) return "/";
  const size_t slash = file.path.find_last_of('/', last);
  return slash == std::string::npos ? "." : slash == 0 ? "/" : file.path.substr(0, slash);
}
std::string LocalName(const File& file) {
  const std::string_view name = NameOf(file);
  return name.starts_with('/') ? std::string(name) : "./" + std::string(name);
}

struct CommandLine {
  std::vector<std::string> words;
  bool is_local = false;    // -execdir, -okdir
  bool is_asking = false;   // -ok, -okdir
};

bool Ask(Context& context, const CommandLine& command, const File& file) {
  context.FlushAll();
  context.in.err.Write("< " + command.words[0] + " ... " + file.path + " > ? ");
  const auto answer = context.in.in.ReadLine();
  return answer && !answer->text.empty() && (answer->text[0] == 'y' || answer->text[0] == 'Y');
}

bool RunForOne(Context& context, const CommandLine& command, const File& file) {
  if (command.is_asking && !Ask(context, command, file)) return false;
  const std::string path = command.is_local ? LocalName(file) : file.path;
  std::vector<std::string> args;
  for (const std::string& word : command.words) args.push_back(Substitute(context, word, path));
  return RunCommandLine(context, std::move(args), command.is_local ? std::optional(DirectoryOf(file)) : std::nullopt,
                        command.is_asking);
}

// -exec … {} +: collects paths and runs when they are many.
class Batch {
 public:
  explicit Batch(CommandLine command) : command_(std::move(command)) {
    for (const std::string& word : command_.words) fixed_bytes_ += word.size() + 1;
  }

  void Add(Context& context, const File& file) {
    std::string directory = command_.is_local ? DirectoryOf(file) : std::string();
    std::string path = command_.is_local ? LocalName(file) : file.path;
    if (directory != directory_ || fixed_bytes_ + bytes_ + path.size() + 1 > kMostBytes) Flush(context);
    directory_ = std::move(directory);
    bytes_ += path.size() + 1;
    paths_.push_back(std::move(path));
  }

  void Flush(Context& context) {
    if (paths_.empty()) return;
    std::vector<std::string> args = command_.words;
    args.insert(args.end(), paths_.begin(), paths_.end());
    paths_.clear();
    bytes_ = 0;
    if (!RunCommandLine(context, std::move(args), command_.is_local ? std::optional(directory_) : std::nullopt, false)) {
      context.status = 1;
    }
  }

 private:
  static constexpr size_t kMostBytes = 128 << 10;
  CommandLine command_;
  size_t fixed_bytes_ = 0;
  size_t bytes_ = 0;
  std::string directory_;
  std::vector<std::string> paths_;
};

// -execdir would run what lies in the directory that find visits.
bool HasRelativePath(Making& making) {
  std::string_view rest = making.context.in.env.Get("PATH", "");
  if (!making.context.in.env.Get("PATH")) return false;
  while (true) {
    const size_t colon = rest.find(':');
    const std::string_view entry = rest.substr(0, colon);
    if (entry.empty() || entry == ".") {
      making.context.in.Fail(
          "The current directory is included in the PATH environment variable, which is insecure in combination with the " +
          making.name + " action of find.  Please remove the current directory from your $PATH (that is, remove \".\", "
          "doubled colons, or leading or trailing colons)");
      return true;
    }
    if (!entry.starts_with('/')) {
      making.context.in.Fail("The relative path " + making.context.Quoted(entry) +
                             " is included in the PATH environment variable, which is insecure in combination with the " +
                             making.name + " action of find.  Please remove that entry from $PATH");
      return true;
    }
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

Made MakeExec(Making& making, Test* test) {
  CommandLine command{.is_local = making.name.ends_with("dir"), .is_asking = making.name.starts_with("-ok")};
  Context& context = making.context;
  bool is_batch = false;
  size_t braces = 0;
  while (true) {
    if (making.arguments.empty()) {
      context.in.Fail("missing argument to `" + making.name + "'");
      return Made::kFailed;
    }
    const std::string& word = making.arguments.Take();
    if (word == ";") break;
    if (word == "+" && !command.is_asking && !command.words.empty() && command.words.back().find("{}") != std::string::npos) {
      if (command.words.back() != "{}") {
        context.in.Fail("In " + context.Quoted(making.name + " ... {} +") + " the " + context.Quoted("{}") +
                        " must appear by itself, but you specified " + context.Quoted(command.words.back()));
        return Made::kFailed;
      }
      if (braces > 1) {
        context.in.Fail("Only one instance of {} is supported with " + making.name + " ... +");
        return Made::kFailed;
      }
      is_batch = true;
      break;
    }
    braces += word.find("{}") != std::string::npos ? 1 : 0;
    command.words.push_back(word);
  }
  if (command.words.empty() || (is_batch && command.words.size() == 1)) return InvalidArgument(making, is_batch ? "+" : ";");
  if (command.is_local && HasRelativePath(making)) return Made::kFailed;
  making.has_action = true;
  if (!is_batch) {
    *test = [command = std::move(command)](Context& running, const File& file) { return RunForOne(running, command, file); };
    return Made::kDone;
  }
  command.words.pop_back();
  auto batch = std::make_shared<Batch>(std::move(command));
  context.at_end.push_back([batch](Context& running) { batch->Flush(running); });
  *test = [batch](Context& running, const File& file) {
    batch->Add(running, file);
    return true;
  };
  return Made::kDone;
}

Output* TakeOutput(Making& making) {
  const std::string* name = NeedArgument(making);
  return name == nullptr ? nullptr : making.context.Open(*name);
}

Made MakePrint(Making& making, Test* test, Output* out, char end) {
  making.has_action = true;
  *test = [out, end](Context&, const File& file) {
    out->Write(file.path);
    out->Put(end);
    return true;
  };
  return Made::kDone;
}

Made MakePrintf(Making& making, Test* test, Output* out) {
  const std::string* format = NeedArgument(making);
  if (format == nullptr) return Made::kFailed;
  auto write = CompileFormat(making.context, *format);
  if (!write) return Made::kFailed;
  making.has_action = true;
  *test = [out, write = std::move(*write)](Context& context, const File& file) {
    write(context, *out, file);
    return true;
  };
  return Made::kDone;
}

Made MakeListing(Making& making, Test* test, Output* out) {
  making.has_action = true;
  *test = [out](Context& context, const File& file) {
    WriteListing(context, *out, file);
    return true;
  };
  return Made::kDone;
}

bool Delete(Context& context, const File& file) {
  if (file.path == ".") return true;
  // With -L the name is still what goes away, not the target.
  const auto entry = context.in.fs.Stat(file.path, vfs::Follow::kNo);
  const bool is_directory = entry ? entry->is_directory() : file.attributes.is_directory();
  const Status removed = is_directory ? context.in.fs.RemoveDirectory(file.path) : context.in.fs.RemoveFile(file.path);
  if (removed) return true;
  context.FlushAll();
  context.in.Fail("cannot delete " + context.Quoted(file.path), removed.error());
  context.status = 1;
  return false;
}

}  // namespace

Made MakeAction(Making& making, Test* test) {
  const std::string& name = making.name;
  Output* const standard = &making.context.in.out;
  if (name == "-print") return MakePrint(making, test, standard, '\n');
  if (name == "-print0") return MakePrint(making, test, standard, '\0');
  if (name == "-printf") return MakePrintf(making, test, standard);
  if (name == "-ls") return MakeListing(making, test, standard);
  if (name == "-fprint" || name == "-fprint0" || name == "-fprintf" || name == "-fls") {
    Output* const out = TakeOutput(making);
    if (out == nullptr) return Made::kFailed;
    if (name == "-fprintf") return MakePrintf(making, test, out);
    if (name == "-fls") return MakeListing(making, test, out);
    return MakePrint(making, test, out, name == "-fprint0" ? '\0' : '\n');
  }
  if (name == "-exec" || name == "-execdir" || name == "-ok" || name == "-okdir") return MakeExec(making, test);
  if (name == "-prune") {
    *test = [](Context& context, const File&) {
      context.is_pruned = true;
      return true;
    };
    return Made::kDone;
  }
  if (name == "-quit") {
    *test = [](Context& context, const File&) {
      context.has_quit = true;
      return true;
    };
    return Made::kDone;
  }
  if (name == "-delete") {
    making.has_action = making.wants_depth = true;
    *test = Delete;
    return Made::kDone;
  }
  return Made::kUnknown;
}

}  // namespace paddock::find
