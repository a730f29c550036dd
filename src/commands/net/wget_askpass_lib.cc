// --use-askpass: a program that is asked for the name and the password of each URL.
#include "commands/net/wget_fetch.h"
#include "proc/kernel.h"
#include "vfs/pipe.h"

namespace paddock::wget {
namespace {

// The first line of what it writes; nothing after a complaint.
std::optional<std::string> AskProgram(Invocation& in, const std::string& program, const std::string& question) {
  vfs::PipeEnds pipe = vfs::MakePipe(in.kernel.scheduler());
  ChildSpec spec{.args = {program, question}, .environment = &in.env, .out = std::move(pipe.write)};
  const auto pid = in.launcher.Spawn(in.process, spec);
  spec.out.reset();
  if (!pid) {
    in.err.Write("Error spawning " + program + ": 2\n");
    return std::nullopt;
  }
  constexpr size_t kLongest = 4096;
  std::string text;
  while (text.size() < kLongest && text.find('\n') == std::string::npos) {
    in.budget.Step();
    const auto block = pipe.read->ReadBlock(kLongest - text.size());
    if (!block || block->bytes.empty()) break;
    text += block->bytes;
  }
  pipe.read.reset();
  if (!in.kernel.Wait(in.process, *pid)) return std::nullopt;
  if (text.empty()) {
    in.err.Write("Error reading response from command \"" + program + " " + question + "\": Success\n");
    return std::nullopt;
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool Fetcher::AskPassword(const std::string& url) {
  if (options_.askpass.empty()) return true;
  const size_t scheme = url.find("://");
  const Url parts = Split(scheme == std::string::npos ? "http://" + url : url);
  const auto name = AskProgram(in_, options_.askpass, "Username for '" + parts.scheme + "://" + parts.host + "': ");
  if (!name) return false;
  const auto password = AskProgram(in_, options_.askpass, "Password for '" + parts.scheme + "://" + *name + "@" + parts.host + "': ");
  if (!password) return false;
  request_.user = *name + ":" + *password;
  request_.auth = options_.sends_auth_first ? proc::HttpAuth::kBasic : proc::HttpAuth::kAny;
  return true;
}

}  // namespace paddock::wget
