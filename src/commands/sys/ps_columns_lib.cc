#include "commands/sys/ps_columns.h"

#include <chrono>
#include <cstdio>

#include "text/date/time_format.h"

namespace paddock {
namespace {

std::string Zero(const ProcessFacts&, PsContext&) { return "0"; }
std::string Dash(const ProcessFacts&, PsContext&) { return "-"; }
std::string UserName(const ProcessFacts& p, PsContext& c) {
  const std::string name = c.names.UserText(p.uid);
  return name.size() > 8 ? name.substr(0, 7) + "+" : name;
}
std::string GroupName(const ProcessFacts& p, PsContext& c) {
  const std::string name = c.names.GroupText(p.gid);
  return name.size() > 8 ? name.substr(0, 7) + "+" : name;
}
std::string Name(const ProcessFacts& p, PsContext&) { return p.state == 'Z' ? p.name + " <defunct>" : p.name; }

int64_t SecondsOf(const ProcessFacts& p) { return std::chrono::floor<std::chrono::seconds>(p.age).count(); }
// When it was started, on the clock of the sandbox's zone.
std::string StartText(const ProcessFacts& p, PsContext& c, std::string_view format) {
  const TimePoint moment = ToTimePoint(*FromTimePoint(c.now) - p.age);
  return FormatTime(format, c.zone.ToLocal(moment.seconds), moment, c.budget, TimeDialect::kLibc);
}
bool IsOlderThanADay(const ProcessFacts& p) { return SecondsOf(p) >= 24 * 3600; }
// "14:05", of another day "Nov23", of another year "2025".
std::string ShortStart(const ProcessFacts& p, PsContext& c) {
  const CalendarTime today = c.zone.ToLocal(c.now.seconds), then = c.zone.ToLocal(c.now.seconds - SecondsOf(p));
  return StartText(p, c, today.year != then.year ? "%Y" : today.month != then.month || today.day != then.day ? "%b%d" : "%H:%M");
}
std::string Start(const ProcessFacts& p, PsContext& c) { return StartText(p, c, IsOlderThanADay(p) ? "  %b %d" : "%H:%M:%S"); }
std::string BsdStart(const ProcessFacts& p, PsContext& c) { return StartText(p, c, IsOlderThanADay(p) ? "%b %d" : " %H:%M"); }
std::string LongStart(const ProcessFacts& p, PsContext& c) { return StartText(p, c, "%a %b %e %H:%M:%S %Y"); }
// "[[DD-]HH:]MM:SS".
std::string Elapsed(const ProcessFacts& p, PsContext&) {
  const int64_t all = SecondsOf(p);
  char text[64];
  if (all >= 24 * 3600) {
    std::snprintf(text, sizeof text, "%lld-%02lld:%02lld:%02lld", static_cast<long long>(all / 86400), static_cast<long long>(all / 3600 % 24), static_cast<long long>(all / 60 % 60), static_cast<long long>(all % 60));
  } else if (all >= 3600) {
    std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld", static_cast<long long>(all / 3600), static_cast<long long>(all / 60 % 60), static_cast<long long>(all % 60));
  } else {
    std::snprintf(text, sizeof text, "%02lld:%02lld", static_cast<long long>(all / 60), static_cast<long long>(all % 60));
  }
  return text;
}

#define PADDOCK_NUMBER(field) [](const ProcessFacts& p, PsContext&) { return std::to_string(p.field); }
constexpr PsColumn kColumns[] = {
    {"pid", "PID", 7, true, PADDOCK_NUMBER(pid)},
    {"tgid", "TGID", 7, true, PADDOCK_NUMBER(pid)},
    {"ppid", "PPID", 7, true, PADDOCK_NUMBER(parent)},
    {"pgid", "PGID", 7, true, PADDOCK_NUMBER(group)},
    {"pgrp", "PGRP", 7, true, PADDOCK_NUMBER(group)},
    {"sid", "SID", 7, true, PADDOCK_NUMBER(session)},
    {"sess", "SESS", 7, true, PADDOCK_NUMBER(session)},
    {"session", "SESS", 7, true, PADDOCK_NUMBER(session)},
    {"tpgid", "TPGID", 7, true, [](const ProcessFacts& p, PsContext&) { return std::string(p.has_terminal ? std::to_string(p.group) : "-1"); }},
    {"uid", "UID", 5, true, PADDOCK_NUMBER(uid)},
    {"euid", "EUID", 5, true, PADDOCK_NUMBER(uid)},
    {"ruid", "RUID", 5, true, PADDOCK_NUMBER(uid)},
    {"suid", "SUID", 5, true, PADDOCK_NUMBER(uid)},
    {"gid", "GID", 5, true, PADDOCK_NUMBER(gid)},
    {"egid", "EGID", 5, true, PADDOCK_NUMBER(gid)},
    {"rgid", "RGID", 5, true, PADDOCK_NUMBER(gid)},
    {"user", "USER", 8, false, UserName},
    {"uname", "USER", 8, false, UserName},
    {"euser", "EUSER", 8, false, UserName},
    {"ruser", "RUSER", 8, false, UserName},
    {"group", "GROUP", 8, false, GroupName},
    {"egroup", "EGROUP", 8, false, GroupName},
    {"rgroup", "RGROUP", 8, false, GroupName},
    {"uid_hack", "UID", 8, false, UserName},   // of -f
    {"tty", "TT", 8, false, [](const ProcessFacts& p, PsContext&) { return std::string(p.TerminalName()); }},
    {"tt", "TT", 8, false, [](const ProcessFacts& p, PsContext&) { return std::string(p.TerminalName()); }},
    {"tname", "TTY", 8, false, [](const ProcessFacts& p, PsContext&) { return std::string(p.TerminalName()); }},
    {"stat", "STAT", 4, false, [](const ProcessFacts& p, PsContext&) { return p.StateText(); }},
    {"state", "S", 1, false, [](const ProcessFacts& p, PsContext&) { return std::string(1, p.state); }},
    {"s", "S", 1, false, [](const ProcessFacts& p, PsContext&) { return std::string(1, p.state); }},
    {"ni", "NI", 3, true, PADDOCK_NUMBER(niceness)},
    {"nice", "NI", 3, true, PADDOCK_NUMBER(niceness)},
    {"pri", "PRI", 3, true, [](const ProcessFacts& p, PsContext&) { return std::to_string(19 - p.niceness); }},
    {"opri", "PRI", 3, true, [](const ProcessFacts& p, PsContext&) { return std::to_string(80 + p.niceness); }},
    {"priority", "PRI", 3, true, [](const ProcessFacts& p, PsContext&) { return std::to_string(20 + p.niceness); }},
    {"c", "C", 2, true, Zero},
    {"cls", "CLS", 3, true, [](const ProcessFacts&, PsContext&) { return std::string("TS"); }},
    {"class", "CLS", 3, false, [](const ProcessFacts&, PsContext&) { return std::string("TS"); }},
    {"policy", "POL", 3, false, [](const ProcessFacts&, PsContext&) { return std::string("TS"); }},
    {"sched", "SCH", 3, true, Zero},
    {"rtprio", "RTPRIO", 6, true, Dash},
    {"cp", "CP", 3, true, Zero},
    {"pcpu", "%CPU", 4, true, [](const ProcessFacts&, PsContext&) { return std::string("0.0"); }},
    {"%cpu", "%CPU", 4, true, [](const ProcessFacts&, PsContext&) { return std::string("0.0"); }},
    {"pmem", "%MEM", 4, true, [](const ProcessFacts&, PsContext&) { return std::string("0.0"); }},
    {"%mem", "%MEM", 4, true, [](const ProcessFacts&, PsContext&) { return std::string("0.0"); }},
    {"vsz", "VSZ", 6, true, Zero},
    {"vsize", "VSZ", 6, true, Zero},
    {"rss", "RSS", 5, true, Zero},
    {"rssize", "RSS", 5, true, Zero},
    {"sz", "SZ", 5, true, Zero},
    {"size", "SIZE", 5, true, Zero},
    {"maj_flt", "MAJFL", 6, true, Zero},
    {"majflt", "MAJFLT", 6, true, Zero},
    {"min_flt", "MINFL", 6, true, Zero},
    {"minflt", "MINFLT", 6, true, Zero},
    {"trs", "TRS", 4, true, Zero},
    {"drs", "DRS", 5, true, Zero},
    {"f", "F", 1, true, Zero},
    {"flag", "F", 1, true, Zero},
    {"flags", "F", 1, true, Zero},
    {"addr", "ADDR", 4, true, Dash},
    {"wchan", "WCHAN", 6, false, Dash},
    {"psr", "PSR", 3, true, Zero},
    {"nlwp", "NLWP", 4, true, [](const ProcessFacts&, PsContext&) { return std::string("1"); }},
    {"thcount", "THCNT", 5, true, [](const ProcessFacts&, PsContext&) { return std::string("1"); }},
    {"lwp", "LWP", 7, true, PADDOCK_NUMBER(pid)},
    {"spid", "SPID", 7, true, PADDOCK_NUMBER(pid)},
    {"tid", "TID", 7, true, PADDOCK_NUMBER(pid)},
    {"label", "LABEL", 31, false, Dash},
    {"context", "CONTEXT", 31, false, Dash},
    {"user_number", "USER", 8, true, PADDOCK_NUMBER(uid)},   // of n
    {"stackp", "STACKP", 16, true, [](const ProcessFacts&, PsContext&) { return std::string(16, '0'); }},
    {"esp", "ESP", 16, true, [](const ProcessFacts&, PsContext&) { return std::string(16, '0'); }},
    {"eip", "EIP", 16, true, [](const ProcessFacts&, PsContext&) { return std::string(16, '0'); }},
    {"tmout", "TMOUT", 5, true, Dash},
    {"alarm", "ALARM", 5, true, Dash},
    {"stime", "STIME", 5, true, ShortStart},
    {"start_time", "START", 5, true, ShortStart},
    {"bsdstart", "START", 6, true, BsdStart},
    {"start", "STARTED", 8, true, Start},
    {"lstart", "STARTED", 24, true, LongStart},
    {"etime", "ELAPSED", 11, true, Elapsed},
    {"etimes", "ELAPSED", 7, true, [](const ProcessFacts& p, PsContext&) { return std::to_string(SecondsOf(p)); }},
    {"time", "TIME", 8, true, [](const ProcessFacts&, PsContext&) { return std::string("00:00:00"); }},
    {"cputime", "TIME", 8, true, [](const ProcessFacts&, PsContext&) { return std::string("00:00:00"); }},
    {"cputimes", "TIME", 8, true, Zero},
    {"bsdtime", "TIME", 6, true, [](const ProcessFacts&, PsContext&) { return std::string("0:00"); }},
    {"comm", "COMMAND", 15, false, Name},
    {"ucmd", "CMD", 15, false, Name},
    {"ucomm", "COMMAND", 15, false, Name},
    {"args", "COMMAND", 27, false, [](const ProcessFacts& p, PsContext&) { return p.CommandLine(); }},
    {"command", "COMMAND", 27, false, [](const ProcessFacts& p, PsContext&) { return p.CommandLine(); }},
    {"cmd", "CMD", 27, false, [](const ProcessFacts& p, PsContext&) { return p.CommandLine(); }},
};
#undef PADDOCK_NUMBER

}  // namespace

std::span<const PsColumn> PsColumns() { return kColumns; }

const PsColumn* FindPsColumn(std::string_view name) {
  for (const PsColumn& column : kColumns) {
    if (name == column.name) return &column;
  }
  return nullptr;
}

}  // namespace paddock
