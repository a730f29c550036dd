// pinky - a lightweight finger: print information about users
//
// usage: pinky [OPTION]... [USER]...
// The short format lists sessions, the long one (-l) what /etc/passwd says of each USER, with ~/.project and ~/.plan.
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1.
// Differs: nobody logs in inside a sandbox: the short format has a heading only.

#include "commands/user_names.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool is_long = false, no_home = false, no_project = false, no_plan = false, no_heading = false;
  bool no_name = false, no_where = false, no_idle = false;
};
Status Short(Options& options, std::string_view) {
  options.is_long = false;
  return {};
}
Status NoHost(Options& options, std::string_view) {
  options.no_name = options.no_where = true;
  return {};
}
Status Quick(Options& options, std::string_view) {
  options.no_name = options.no_where = options.no_idle = true;
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::is_long>('l', nullptr, "produce long format output for the specified USERs"),
    Flag<&Options::no_home>('b', nullptr, "omit the user's home directory and shell in long format"),
    Flag<&Options::no_project>('h', nullptr, "omit the user's project file in long format"),
    Flag<&Options::no_plan>('p', nullptr, "omit the user's plan file in long format"),
    Call<Short>('s', nullptr, nullptr, "do short format output, this is the default"),
    Flag<&Options::no_heading>('f', nullptr, "omit the line of column headings in short format"),
    Flag<&Options::no_name>('w', nullptr, "omit the user's full name in short format"),
    Call<NoHost>('i', nullptr, nullptr, "omit the user's full name and remote host in short format"),
    Call<Quick>('q', nullptr, nullptr, "omit the user's full name, remote host and idle time in short format"),
};

void PrintHeading(Invocation& in, const Options& o) {
  std::string line = "Login   ";
  if (!o.no_name) line += " Name               ";
  line += "  TTY     ";
  if (!o.no_idle) line += " Idle  ";
  line += " When            ";
  if (!o.no_where) line += " Where";
  in.out.WriteLine(line);
}

// The bytes of a file in the home directory below a heading, if there is one.
void PrintFile(Invocation& in, const std::string& path, std::string_view heading) {
  auto file = in.fs.Open(path, vfs::OpenFlags::Read());
  if (!file) return;
  in.out.Write(heading);
  Input input(**file, in.budget);
  for (std::string_view bytes = input.Peek(); !bytes.empty() && in.out.status(); bytes = input.Peek()) {
    in.budget.Step(static_cast<int64_t>(1 + bytes.size() / 32));
    in.out.Write(bytes);
    input.Consume(bytes.size());
  }
}

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

void PrintLong(Invocation& in, const Options& o, UserNames& names, const std::string& name) {
  const UserRecord* user = names.User(std::string_view(name));
  in.out.Write("Login name: " + Padded(name, 28) + "In real life: ");
  if (user == nullptr) {
    in.out.WriteLine(" ???");
    return;
  }
  // The name ends at the first comma; & stands for the login name with a capital.
  std::string full;
  for (const char c : user->full_name.substr(0, user->full_name.find(','))) {
    if (c != '&') full += c;
    else full += name.empty() ? "" : std::string(1, static_cast<char>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 32 : name[0])) + name.substr(1);
  }
  in.out.WriteLine(" " + full);
  if (!o.no_home) in.out.WriteLine("Directory: " + Padded(user->home, 29) + "Shell:  " + user->shell);
  if (!o.no_project) PrintFile(in, vfs::JoinPath(user->home, ".project"), "Project: ");
  if (!o.no_plan) PrintFile(in, vfs::JoinPath(user->home, ".plan"), "Plan:\n");
  in.out.Put('\n');
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (!options.is_long) {
    if (!options.no_heading) PrintHeading(in, options);
    return 0;
  }
  if (operands.empty()) return in.Usage("no username specified; at least one must be specified when using -l");
  UserNames names(in.fs, in.budget);
  for (const std::string& name : operands) {
    in.budget.Step();
    PrintLong(in, options, names, name);
  }
  return 0;
}

}  // namespace

extern const Command kCommand_pinky;
const Command kCommand_pinky = Define<Options, Run>({
    .name = "pinky",
    .summary = "lightweight finger",
    .synopsis = "[OPTION]... [USER]...",
    .details = "\nA lightweight 'finger' program;  print user information.\nThe utmp file will be /var/run/utmp.\n",
    .options = kOptions,
});

}  // namespace paddock
