// logger - enter messages into the system log
//
// usage: logger [options] [MESSAGE]...
// A sandbox has no system log: what can be seen is the message on standard error (-s).
//
// Exit status: 0 with --no-act; else 1, as where no log is there to be written.
// Source: util-linux 2.38.
// Differs: without a log, the real one shows nothing and, without -s, is content; this one shows the message and fails. Servers (-n, -P, -T, -d),
// sockets (-u), journald, the RFC 5424 format and --octet-count are refused.

#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "commands/user_names.h"
#include "proc/command.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "text/date/time_format.h"
#include "text/numbers.h"

namespace paddock {
namespace {

struct Options {
  bool own_pid = false, no_act = false, to_stderr = false, skips_empty = false, prefixes = false, shows_host = false, refused = false;
  std::optional<std::string> id, file, priority, size, tag, socket_errors;
  bool wants_help = false, wants_version = false;
};
Status SetId(Options& options, std::string_view text) {
  options.own_pid = text.data() == nullptr;
  if (!options.own_pid) options.id = std::string(text);
  return {};
}
Status Refuse(Options& options, std::string_view) {
  options.refused = true;
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::own_pid>('i', nullptr, "log the logger command's PID"),
    CallOptional<SetId>(0, "id", "ID", "log the given ID, or otherwise the PID"),
    Value<&Options::file>('f', "file", "FILE", "log the contents of this file"),
    Flag<&Options::skips_empty>('e', "skip-empty", "do not log empty lines when processing files"),
    Flag<&Options::no_act>(0, "no-act", "do everything except write the log"),
    Value<&Options::priority>('p', "priority", "PRIO", "mark given message with this priority"),
    Call<Refuse>(0, "octet-count", nullptr, "refused"),
    Flag<&Options::prefixes>(0, "prio-prefix", "look for a prefix on every line read from stdin"),
    Flag<&Options::to_stderr>('s', "stderr", "output message to standard error as well"),
    Value<&Options::size>('S', "size", "SIZE", "maximum size for a single message"),
    Value<&Options::tag>('t', "tag", "TAG", "mark every line with this tag"),
    Call<Refuse>('n', "server", "NAME", "refused"),
    Call<Refuse>('P', "port", "PORT", "refused"),
    Call<Refuse>('T', "tcp", nullptr, "refused"),
    Call<Refuse>('d', "udp", nullptr, "refused"),
    Flag<&Options::shows_host>(0, "rfc3164", "use the obsolete BSD syslog protocol"),
    CallOptional<Refuse>(0, "rfc5424", "SNIP", "refused"),
    Call<Refuse>(0, "sd-id", "ID", "refused"),
    Call<Refuse>(0, "sd-param", "DATA", "refused"),
    Call<Refuse>(0, "msgid", "MSGID", "refused"),
    Call<Refuse>('u', "socket", "SOCKET", "refused"),
    CallOptional<Refuse>(0, "socket-errors", "on|off|auto", "refused"),
    CallOptional<Refuse>(0, "journald", "FILE", "refused"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

struct Name {
  std::string_view text;
  int number;
};
constexpr Name kFacilities[] = {{"kern", 1 /* taken for user */}, {"user", 1}, {"mail", 2}, {"daemon", 3}, {"auth", 4}, {"security", 4}, {"syslog", 5}, {"lpr", 6}, {"news", 7},
                                {"uucp", 8}, {"cron", 9}, {"authpriv", 10}, {"ftp", 11}, {"local0", 16}, {"local1", 17}, {"local2", 18}, {"local3", 19}, {"local4", 20},
                                {"local5", 21}, {"local6", 22}, {"local7", 23}};
constexpr Name kLevels[] = {{"emerg", 0}, {"panic", 0}, {"alert", 1}, {"crit", 2}, {"err", 3}, {"error", 3}, {"warning", 4}, {"warn", 4}, {"notice", 5}, {"info", 6}, {"debug", 7}};
constexpr int kUserNotice = 13, kMostLevel = 7, kMostFacility = 23;

std::optional<int> Find(std::span<const Name> names, std::string_view text, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number >= 0 && number <= most ? std::optional(number) : std::nullopt;
  const auto found = std::ranges::find(names, text, &Name::text);
  return found == names.end() ? std::nullopt : std::optional(found->number);
}

// "user.notice", "notice". Errors: with the complaint.
Result<int> ParsePriority(const std::string& text) {
  const size_t dot = text.find('.');
  int facility = kUserNotice >> 3;
  if (dot != std::string::npos) {
    const auto found = Find(kFacilities, std::string_view(text).substr(0, dot), kMostFacility);
    if (!found) return Error(Code::kInvalid, "unknown facility name: " + text.substr(0, dot));
    facility = *found;
  }
  const std::string level = dot == std::string::npos ? text : text.substr(dot + 1);
  const auto found = Find(kLevels, level, kMostLevel);
  if (!found) return Error(Code::kInvalid, "unknown priority name: " + level);
  return facility * 8 + *found;
}

class Log {
 public:
  Log(Invocation& in, const Options& options, int priority, uint64_t most) : in_(in), o_(options), priority_(priority), most_(most) {
    UserNames names(in.fs, in.budget);
    tag_ = options.tag ? *options.tag : names.UserText(in.fs.credentials().uid);
    if (options.id || options.own_pid) tag_ += "[" + (options.id ? *options.id : std::to_string(in.process.pid())) + "]";
  }

  void Enter(std::string_view message) { Enter(message, priority_); }
  void EnterLine(std::string_view line) {
    in_.budget.Step();
    if (line.empty() && o_.skips_empty) return;
    int priority = priority_;
    if (o_.prefixes && line.starts_with('<')) {
      const char* end = line.data() + line.size();
      const auto [stop, error] = std::from_chars(line.data() + 1, end, priority);
      const bool is_prefix = error == std::errc() && stop != end && *stop == '>';
      if (is_prefix) line.remove_prefix(static_cast<size_t>(stop - line.data()) + 1);
      else priority = priority_;
    }
    Enter(line, priority);
  }

 private:
  void Enter(std::string_view message, int priority) {
    if (!o_.to_stderr) return;
    const TimePoint moment = Now(in_.clock);
    const std::string time = FormatTime("%b %e %H:%M:%S", LocalZone(in_.env).ToLocal(moment.seconds), moment, in_.budget);
    const std::string host = o_.shows_host ? in_.kernel.hostname() + " " : "";
    in_.err.Write("<" + std::to_string(priority) + ">" + time + " " + host + tag_ + ": " + std::string(message.substr(0, most_)) + "\n");
  }

  Invocation& in_;
  const Options& o_;
  int priority_;
  uint64_t most_;
  std::string tag_;
};

ExitStatus Run(Invocation& in) {
  constexpr uint64_t kMostBytes = 1024;
  Options options;
  ExitStatus status = 0;
  const auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  if (options.refused) return in.Fail("servers, sockets, journald, --rfc5424 and --octet-count: not supported");
  int priority = kUserNotice;
  if (options.priority) {
    const auto parsed = ParsePriority(*options.priority);
    if (!parsed) return in.Fail(parsed.error().Text());
    priority = *parsed;
  }
  if (options.id && (options.id->empty() || options.id->find_first_not_of("0123456789") != std::string::npos)) return in.Fail("failed to parse id: '" + *options.id + "'");
  uint64_t most = kMostBytes;
  if (options.size) {
    const auto parsed = ParseCount(*options.size, "KMGTPEZY0");
    if (!parsed) return in.Fail("failed to parse message size: '" + *options.size + "'");
    most = *parsed;
  }
  Log log(in, options, priority, most);
  const auto enter_lines = [&](Input& input) {
    while (const auto line = input.ReadLine()) log.EnterLine(line->text);
  };
  if (!operands->empty()) {
    std::string message;
    for (const std::string& word : *operands) message += (message.empty() ? "" : " ") + word;
    if (!message.empty()) log.Enter(message);
  } else if (options.file) {
    auto file = InputFile::OpenPath(in, *options.file);
    if (!file) return in.Fail("file " + *options.file, file.error());
    enter_lines(file->input());
  } else {
    enter_lines(in.in);
  }
  return options.no_act ? 0 : in.Fail("socket /dev/log", Code::kNoEntry);
}

}  // namespace

extern const Command kCommand_logger;
const Command kCommand_logger = {
    .name = "logger",
    .summary = "enter messages into the system log",
    .synopsis = "[options] [MESSAGE]...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
