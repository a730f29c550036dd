// What is extracted to no file: --to-stdout and --to-command.
#include <algorithm>
#include <cstdio>

#include "commands/archive/tar_extract.h"
#include "commands/file_facts.h"
#include "vfs/pipe.h"

namespace paddock::tar {
namespace {

using codec::TarMember;

bool IsPlainFile(const TarMember& member) { return (member.type == '0' || member.type == '7' || member.type == 'S') && !member.name.ends_with('/'); }

Environment EnvironmentFor(const Context& context, const std::string& name, const TarMember& member) {
  Environment environment = ChildEnvironment(context);
  const auto time = [](int64_t seconds, int32_t nanos) {
    std::string text = std::to_string(seconds);
    if (nanos == 0) return text;
    text += "." + std::to_string(1'000'000'000 + nanos).substr(1);
    return text.substr(0, text.find_last_not_of('0') + 1);
  };
  const auto moment = [&](const std::optional<Nanoseconds>& at) {
    const TimePoint point = at ? ToTimePoint(*at) : Now(context.in.clock);
    return time(point.seconds, point.nanos);
  };
  char mode[16];
  std::snprintf(mode, sizeof mode, "%04o", member.mode);
  environment.Set("TAR_FILETYPE", "f");
  environment.Set("TAR_MODE", mode);
  environment.Set("TAR_FILENAME", name);
  environment.Set("TAR_REALNAME", name);
  environment.Set("TAR_UNAME", member.user);
  environment.Set("TAR_GNAME", member.group);
  environment.Set("TAR_ATIME", moment(member.accessed));
  environment.Set("TAR_MTIME", time(member.modified, member.modified_nanos));
  environment.Set("TAR_CTIME", moment(member.changed));
  environment.Set("TAR_SIZE", std::to_string(member.size));
  environment.Set("TAR_UID", std::to_string(member.uid));
  environment.Set("TAR_GID", std::to_string(member.gid));
  return environment;
}

template <class Sink>
Status CopyTo(Context& context, codec::TarReader& reader, const Sink& sink) {
  return reader.ReadContent(sink, [&](uint64_t count) -> Status {
    const std::string zeros(32 << 10, '\0');
    while (count > 0) {
      const size_t part = static_cast<size_t>(std::min<uint64_t>(count, zeros.size()));
      context.in.budget.Step(8);
      PADDOCK_TRY(sink(std::string_view(zeros).substr(0, part)));
      count -= part;
    }
    return {};
  });
}

}  // namespace

Status ExtractToCommand(Context& context, const std::string& name, const TarMember& member, codec::TarReader& reader) {
  if (!IsPlainFile(member)) return {};
  vfs::PipeEnds ends = vfs::MakePipe(context.in.kernel.scheduler());
  context.in.out.Flush();
  const Environment environment = EnvironmentFor(context, name, member);
  PADDOCK_ASSIGN(const Child child, Child::Start(context, context.o.to_command, environment, std::move(ends.read), nullptr));
  bool is_read = true;   // what a command does not want is let go
  const Status copied = CopyTo(context, reader, [&](std::string_view bytes) -> Status {
    is_read = is_read && ends.write->Write(bytes);
    return {};
  });
  ends.write.reset();
  PADDOCK_ASSIGN(const proc::WaitStatus ended, child.End(context));
  if (ended.signal != 0) context.Warn(std::to_string(child.pid()) + ": Child terminated on signal " + std::to_string(ended.signal));
  else if (ended.status != 0 && !context.o.ignores_command_error) context.Fail(std::to_string(child.pid()) + ": Child returned status " + std::to_string(ended.status));
  return copied;
}

Status ExtractToStdout(Context& context, const TarMember& member, codec::TarReader& reader) {
  if (!IsPlainFile(member)) return {};
  return CopyTo(context, reader, [&](std::string_view bytes) -> Status {
    context.in.out.Write(bytes);
    if (context.in.out.status()) return {};
    const Error error = context.in.out.status().error();
    context.in.out.ClearStatus();
    return context.Fatal("stdout: Cannot write: " + std::string(error.Text()));
  });
}

}  // namespace paddock::tar
