// who - print who is logged in
//
// usage: who [OPTION]... [FILE | ARG1 ARG2]
// Lists the records of FILE (/var/run/utmp): sessions, or what the options ask for.
//
// Exit status: 0, or 1 for a usage error.
// Source: POSIX who; GNU coreutils 9.1; utmp(5) of 64-bit Linux.
// Differs: nobody logs in inside a sandbox; there is an answer only when a FILE with records is there. --lookup is refused: a
// sandbox asks no DNS for the names of hosts.

#include <cstdio>

#include "commands/file_facts.h"
#include "commands/text/utmp.h"
#include "proc/process.h"
#include "text/date/time_format.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool boot = false, dead = false, login = false, init = false, runlevel = false, clock = false, users = false;
  bool heading = false, ips = false, lookup = false, only_mine = false, count = false, is_short = false;
  bool shows_message = false, shows_idle = false, shows_exit = false, assumes_users = true;
};

template <bool Options::*kFirst, bool Options::*kSecond = nullptr, bool Options::*kThird = nullptr>
Status Show(Options& options, std::string_view) {
  options.*kFirst = true;
  if constexpr (kSecond != nullptr) options.*kSecond = true;
  if constexpr (kThird != nullptr) options.*kThird = true;
  options.assumes_users = false;
  return {};
}
Status ShowAll(Options& options, std::string_view) {
  options.boot = options.dead = options.login = options.init = options.runlevel = options.clock = options.users = true;
  options.shows_message = options.shows_idle = options.shows_exit = true;
  options.assumes_users = false;
  return {};
}

constexpr Option kOptions[] = {
    Call<ShowAll>('a', "all", nullptr, "same as -b -d --login -p -r -t -T -u"),
    Call<Show<&Options::boot>>('b', "boot", nullptr, "time of last system boot"),
    Call<Show<&Options::dead, &Options::shows_idle, &Options::shows_exit>>('d', "dead", nullptr, "print dead processes"),
    Flag<&Options::heading>('H', "heading", "print line of column headings"),
    Flag<&Options::ips>(0, "ips", "print addresses instead of hostnames"),
    Call<Show<&Options::login, &Options::shows_idle>>('l', "login", nullptr, "print system login processes"),
    Flag<&Options::lookup>(0, "lookup", "refused"),
    Flag<&Options::only_mine>('m', nullptr, "only the session of the terminal at stdin"),
    Call<Show<&Options::init>>('p', "process", nullptr, "print active processes spawned by init"),
    Flag<&Options::count>('q', "count", "all login names and number of users logged on"),
    Call<Show<&Options::runlevel, &Options::shows_idle>>('r', "runlevel", nullptr, "print current runlevel"),
    Flag<&Options::is_short>('s', "short", "print only name, line, and time (default)"),
    Call<Show<&Options::clock>>('t', "time", nullptr, "print last system clock change"),
    Flag<&Options::shows_message>('T', "mesg", "add user's message status as +, - or ?"),
    Flag<&Options::shows_message>('w', "message", "same as -T"),
    Flag<&Options::shows_message>(0, "writable", "same as -T"),
    Call<Show<&Options::users, &Options::shows_idle>>('u', "users", nullptr, "list users logged in"),
};

struct Row {
  std::string user;
  char message = ' ';
  std::string line, time, idle, pid, comment, exit;
};

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
std::string PaddedLeft(const std::string& text, size_t width) {
  return (text.size() < width ? std::string(width - text.size(), ' ') : "") + text;
}

class Lister {
 public:
  Lister(Invocation& in, const Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)) {}

  void List(const std::vector<LoginRecord>& records) {
    if (o_.heading) Write({"NAME", ' ', "LINE", "TIME", "IDLE", "PID", "COMMENT", "EXIT"});
    const std::string mine = o_.only_mine ? Terminal() : "";
    if (o_.only_mine && mine.empty()) return;
    for (const LoginRecord& record : records) {
      in_.budget.Step();
      if (!o_.only_mine || record.line == mine) WriteRecord(record);
    }
  }

 private:
  std::string Terminal() {
    if (!IsTerminal(in_, 0)) return "";
    std::string name = in_.process.descriptors().Get(0)->description();
    if (name.starts_with("/dev/")) name.erase(0, 5);
    return name;
  }

  void WriteRecord(const LoginRecord& r) {
    const std::string time = TimeText(r.seconds);
    const std::string pid = std::to_string(r.pid);
    if (IsSession(r)) {
      if (o_.users) WriteUser(r, time, pid);
    } else if (r.type == LoginRecord::kRunLevel && o_.runlevel) {
      const char last = static_cast<char>(r.pid / 256);
      const char current = static_cast<char>(r.pid % 256);
      const bool is_printable = last >= ' ' && last <= '~';
      Write({"", ' ', std::string("run-level ") + current, time, "", "",
             is_printable ? std::string("last=") + (last == 'N' ? 'S' : last) : "", ""});
    } else if (r.type == LoginRecord::kBoot && o_.boot) {
      Write({"", ' ', "system boot", time, "", "", "", ""});
    } else if (r.type == LoginRecord::kNewTime && o_.clock) {
      Write({"", ' ', "clock change", time, "", "", "", ""});
    } else if (r.type == LoginRecord::kInit && o_.init) {
      Write({"", ' ', r.line, time, "", pid, "id=" + r.id, ""});
    } else if (r.type == LoginRecord::kLogin && o_.login) {
      Write({"LOGIN", ' ', r.line, time, "", pid, "id=" + r.id, ""});
    } else if (r.type == LoginRecord::kDead && o_.dead) {
      Write({"", ' ', r.line, time, "", pid, "id=" + r.id,
             "term=" + std::to_string(r.termination) + " exit=" + std::to_string(r.exit)});
    }
  }

  void WriteUser(const LoginRecord& r, const std::string& time, const std::string& pid) {
    const auto facts = in_.fs.Stat(r.line.starts_with('/') ? r.line : "/dev/" + r.line, vfs::Follow::kYes);
    constexpr uint32_t kGroupWritable = 020;
    const char message = !facts ? '?' : (RawMode(*facts) & kGroupWritable) != 0 ? '+' : '-';
    const std::string idle = facts ? IdleText(ToTimePoint(facts->access_time).seconds) : "  ?";
    std::string host = o_.ips ? AddressText(r) : "";
    if (host.empty() && !r.host.empty()) host = "(" + r.host + ")";
    Write({r.user, message, r.line, time, idle, pid, host, ""});
  }

  static std::string AddressText(const LoginRecord& r) {
    bool is_long = false;
    bool is_set = false;
    for (size_t i = 0; i < r.address.size(); ++i) {
      is_set |= r.address[i] != 0;
      is_long |= i >= 4 && r.address[i] != 0;
    }
    std::string text;
    if (!is_set) return text;
    if (!is_long) {
      for (size_t i = 0; i < 4; ++i) text += (i > 0 ? "." : "") + std::to_string(r.address[i]);
      return text;
    }
    char group[8];
    for (size_t i = 0; i < r.address.size(); i += 2) {
      std::snprintf(group, sizeof group, "%s%x", i > 0 ? ":" : "", r.address[i] << 8 | r.address[i + 1]);
      text += group;
    }
    return text;
  }

  std::string IdleText(int64_t since) const {
    const int64_t now = Now(in_.clock).seconds;
    constexpr int64_t kDay = 24 * 60 * 60;
    if (since <= now - kDay || since > now) return " old ";
    const int64_t idle = now - since;
    if (idle < 60) return "  .  ";
    char text[16];
    std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(idle / 3600), static_cast<int>(idle % 3600 / 60));
    return text;
  }

  std::string TimeText(int64_t seconds) const {
    return FormatTime("%Y-%m-%d %H:%M", zone_.ToLocal(seconds), {seconds, 0}, in_.budget);
  }

  void Write(const Row& row) {
    std::string text = Padded(row.user, 8);
    if (o_.shows_message) text += std::string(" ") + row.message;
    text += " " + Padded(row.line, 12) + " " + Padded(row.time, 16);
    if (o_.shows_idle && !o_.is_short) text += " " + Padded(row.idle, 6);
    if (!o_.is_short) text += " " + PaddedLeft(row.pid, 10);
    text += " " + Padded(row.comment, 8);
    if (o_.shows_exit) text += " " + Padded(row.exit, 12);
    text.erase(text.find_last_not_of(' ') + 1);
    in_.out.WriteLine(text);
  }

  Invocation& in_;
  const Options& o_;
  const TimeZone zone_;
};

void WriteCount(Invocation& in, const std::vector<LoginRecord>& records) {
  size_t count = 0;
  for (const LoginRecord& record : records) {
    if (!IsSession(record)) continue;
    if (count++ > 0) in.out.Put(' ');
    in.out.Write(record.user);
  }
  in.out.Write("\n# users=" + std::to_string(count) + "\n");
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.assumes_users) options.users = options.is_short = true;
  if (options.shows_exit) options.is_short = false;
  if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], in.locale.is_utf8));
  if (options.lookup) return in.Fail("--lookup is not supported");
  if (operands.size() == 2) options.only_mine = true;
  const bool has_file = operands.size() == 1;
  const auto records = ReadLogins(in, has_file ? operands[0] : kLoginFile, !has_file);
  if (options.count) WriteCount(in, records);
  else Lister(in, options).List(records);
  return 0;
}

}  // namespace

extern const Command kCommand_who;
const Command kCommand_who = Define<Options, Run>({
    .name = "who",
    .summary = "print who is logged in",
    .synopsis = "[OPTION]... [ FILE | ARG1 ARG2 ]",
    .details = "\nIf FILE is not specified, use /var/run/utmp.\n"
               "If ARG1 ARG2 given, -m presumed: 'am i' or 'mom likes' are usual.\n",
    .options = kOptions,
});

}  // namespace paddock
