// zipgrep - search files in a ZIP archive for lines that match a pattern
//
// usage: zipgrep [OPTION]... PATTERN FILE[.zip] [MEMBER]... [-x MEMBER...]
// Runs grep on what unzip -p writes of each member and puts the member's name before each line.
//
// Exit status: 0 when a line was selected, 1 when none was, 2 on an error of grep.
// Source: Info-ZIP UnZip 6.00 (Debian's, which runs grep).
// Differs: an option of grep that takes the next word along has to be written in one word with it, or be -e or -f. Names
// of members may hold anything: the script stumbles over wildcards in them, and -E does not work there.

#include "commands/child_output.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

struct Request {
  std::vector<std::string> grep{"grep"};
  std::vector<std::string> members;   // zip file first
  bool hides_names = false, lists = false;
};

// Nothing when the words do not suffice.
std::optional<Request> Read(Invocation& in) {
  Request request;
  std::optional<std::string> pattern;
  size_t i = 1;
  for (; i < in.args.size() && in.args[i].size() > 1 && in.args[i][0] == '-'; ++i) {
    const std::string& word = in.args[i];
    if ((word == "-e" || word == "-f") && i + 1 < in.args.size()) {
      request.grep.insert(request.grep.end(), {word, in.args[++i]});
      pattern = "";
      continue;
    }
    if (word.starts_with("-e") || word.starts_with("-f")) pattern = "";
    const bool is_letters = word[1] != '-';
    if (is_letters && word.find('h') != std::string::npos) request.hides_names = true;
    if (is_letters && word.find('l') != std::string::npos) request.lists = true;
    request.grep.push_back(word);
  }
  if (!pattern && i < in.args.size()) {
    request.grep.insert(request.grep.end(), {"-e", in.args[i++]});
    pattern = "";
  }
  if (!pattern || i >= in.args.size()) return std::nullopt;
  request.members.assign(in.args.begin() + static_cast<std::ptrdiff_t>(i), in.args.end());
  return request;
}

// A name that unzip shall not take for a pattern.
std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

Result<ExitStatus> Search(Invocation& in, const Request& request, const std::string& member) {
  vfs::PipeEnds pipe = vfs::MakePipe(in.kernel.scheduler());
  ChildSpec unzip;
  unzip.args = {"unzip", "-p", request.members[0], Escaped(member)};
  unzip.environment = &in.env;
  unzip.out = std::move(pipe.write);
  in.out.Flush();
  PADDOCK_ASSIGN(const int pid, in.launcher.Spawn(in.process, unzip));
  unzip.out.reset();
  PADDOCK_ASSIGN(const std::unique_ptr<ChildReader> grep, ChildReader::Start(in, request.grep, std::move(pipe.read)));
  Input lines(*grep, in.budget);
  while (const auto line = lines.ReadLine()) {
    in.budget.Step();
    if (request.lists) continue;
    if (!request.hides_names) in.out.Write(member + ":");
    in.out.WriteLine(line->text);
  }
  PADDOCK_ASSIGN(const proc::WaitStatus ended, grep->Wait());
  PADDOCK_ASSIGN(const proc::WaitStatus unpacked, in.kernel.Wait(in.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn));
  static_cast<void>(unpacked);   // that grep has read enough, or a damage that unzip told
  if (!grep->complaints().empty()) {
    in.out.Flush();
    in.err.Write(grep->complaints());
  }
  if (request.lists && ended.status == 0) in.out.WriteLine(member);
  return ended.status;
}

ExitStatus Run(Invocation& in) {
  const auto request = Read(in);
  if (!request) {
    in.out.Write("usage: zipgrep [egrep_options] pattern zipfile [members...]\nUses unzip and egrep to search the zip members for a string or pattern.\n");
    return 1;
  }
  std::vector<std::string> list{"zipinfo", "-1"};
  list.insert(list.end(), request->members.begin(), request->members.end());
  const auto names = StandardOutput(in, list, in.env);
  if (!names) return in.Fail("zipinfo", names.error());
  ExitStatus status = 1;
  std::string_view rest = names->text;
  while (!rest.empty()) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string member(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (member.empty()) continue;
    const auto found = Search(in, *request, member);
    if (!found) return in.Fail(found.error().Text(), 2);
    if (*found > 1) return *found;
    if (*found == 0) status = 0;
  }
  return status;
}

}  // namespace

extern const Command kCommand_zipgrep;
const Command kCommand_zipgrep = {
    .name = "zipgrep",
    .summary = "search files in a ZIP archive for lines matching a pattern",
    .synopsis = "[OPTION]... PATTERN FILE[.zip] [MEMBER]... [-x MEMBER...]",
    .details = "The options are those of grep.\n",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
