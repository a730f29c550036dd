#include "commands/file/rsync_options.h"

#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "proc/process.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock::rsync {
namespace {

Result<uint64_t> Size(std::string_view text, std::string_view name, std::string_view default_unit = "b") {
  double value = 0;
  size_t at = 0;
  while (at < text.size() && ((text[at] >= '0' && text[at] <= '9') || text[at] == '.')) ++at;
  const Error wrong(Code::kSyntax, "--" + std::string(name) + "=" + std::string(text) + " is invalid");
  if (at == 0 || at > 18) return wrong;
  PADDOCK_TRY(ParseOptionValue(text.substr(0, at), value));
  std::string_view unit = text.substr(at);
  if (unit.empty()) unit = default_unit;
  if (!unit.empty() && unit[0] != '+' && unit[0] != '-') {
    const size_t power = std::string_view("bkmgtp").find(static_cast<char>(unit[0] | 32));
    if (power == std::string_view::npos) return wrong;
    unit.remove_prefix(1);
    double base = 1024;
    if (unit.starts_with("B") || unit.starts_with("b")) {
      base = 1000;
      unit.remove_prefix(1);
    } else if (unit.starts_with("iB") || unit.starts_with("ib")) {
      unit.remove_prefix(2);
    }
    for (size_t i = 0; i < power; ++i) value *= base;
  }
  if (unit == "+1") value += 1;
  else if (unit == "-1") value -= 1;
  else if (!unit.empty()) return wrong;
  return static_cast<uint64_t>(std::min(value, 9e18));
}

}  // namespace

// Options that ask for what holds anyway when nothing goes over a wire.
Status AsItIs(Options&, std::string_view) { return {}; }
Status Archive(Options& o, std::string_view) {
  o.recursive = o.links = o.perms = o.times = o.group = o.owner = o.devices = o.specials = true;
  return {};
}
Status Recursive(Options& o, std::string_view) {
  o.recursive = o.is_named_recursive = true;
  return {};
}
Status NotRecursive(Options& o, std::string_view) {
  o.recursive = o.is_named_recursive = false;
  return {};
}
Status BothSpecial(Options& o, std::string_view) {
  o.devices = o.specials = true;
  return {};
}
Status NeitherSpecial(Options& o, std::string_view) {
  o.devices = o.specials = false;
  return {};
}
Status Verbose(Options& o, std::string_view) {
  ++o.verbose;
  return {};
}
Status NotVerbose(Options& o, std::string_view) {
  o.verbose = 0;
  return {};
}
Status Itemize(Options& o, std::string_view) {
  ++o.itemize;
  return {};
}
Status Human(Options& o, std::string_view) {
  ++o.human;
  return {};
}
Status NotHuman(Options& o, std::string_view) {
  o.human = 0;
  return {};
}
Status PartialProgress(Options& o, std::string_view) {
  o.partial = o.progress = true;
  return {};
}
Status DeleteExcluded(Options& o, std::string_view) {
  o.deletes = o.delete_excluded = true;
  return {};
}
Status Exclude(Options& o, std::string_view text) {
  o.session->filter.AddPattern(text, false);
  return {};
}
Status Include(Options& o, std::string_view text) {
  o.session->filter.AddPattern(text, true);
  return {};
}
Status AddFilter(Options& o, std::string_view text) { return o.session->filter.AddRule(text); }
Status ExcludeFrom(Options& o, std::string_view path) { return o.session->filter.AddFile(std::string(path), true, false, o.from_nul); }
Status IncludeFrom(Options& o, std::string_view path) { return o.session->filter.AddFile(std::string(path), true, true, o.from_nul); }
Status PerDirectory(Options& o, std::string_view) {
  return o.session->filter.AddRule(o.f_count++ == 0 ? ": /.rsync-filter" : "- .rsync-filter");
}
Status MaxSize(Options& o, std::string_view text) {
  PADDOCK_ASSIGN(o.max_size, Size(text, "max-size"));
  return {};
}
Status MaxDelete(Options& o, std::string_view text) {
  int64_t number = 0;
  if (!ParseOptionValue(text, number)) return Error(Code::kSyntax, "--max-delete=" + std::string(text) + ": invalid numeric value");
  o.max_delete = number;
  return {};
}
Status MinSize(Options& o, std::string_view text) {
  PADDOCK_ASSIGN(o.min_size, Size(text, "min-size"));
  return {};
}
Status Chmod(Options& o, std::string_view text) {
  if (const Status added = o.session->modes.Add(text); !added) return Error(Code::kSyntax, "Invalid argument passed to --chmod (" + std::string(text) + ")");
  return {};
}

namespace {

struct InfoFlag {
  const char* name;
  const char* help;
  int most;
  int from_verbose;   // how often -v has to be given for level 1; -1: never
};
constexpr InfoFlag kInfoFlags[] = {
    {"BACKUP", "Mention files backed up", 1, 2},
    {"COPY", "Mention files copied locally on the receiving side", 1, 1},
    {"DEL", "Mention deletions on the receiving side", 1, 1},
    {"FLIST", "Mention file-list receiving/sending (levels 1-2)", 2, 1},
    {"MISC", "Mention miscellaneous information (levels 1-2)", 2, 1},
    {"MOUNT", "Mention mounts that were found or skipped", 1, 2},
    {"NAME", "Mention 1) updated file/dir names, 2) unchanged names", 2, 1},
    {"NONREG", "Mention skipped non-regular files (default 1, 0 disables)", 1, 0},
    {"PROGRESS", "Mention 1) per-file progress or 2) total transfer progress", 2, -1},
    {"REMOVE", "Mention files removed on the sending side", 1, 2},
    {"SKIP", "Mention files skipped due to transfer overrides (levels 1-2)", 2, 2},
    {"STATS", "Mention statistics at end of run (levels 1-3)", 3, 1},
    {"SYMSAFE", "Mention symlinks that are unsafe", 1, 1},
};

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

// Refuses with another status or place than options have.
Error Refuse(Options& o, Refusal refusal) {
  o.refusal = std::move(refusal);
  return Error(Code::kSyntax, "refused");
}

// The number of a user or group that --usermap and --groupmap name.
std::optional<uint32_t> IdOf(Options& o, const std::string& name, bool is_user) {
  uint32_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (!name.empty() && problem == std::errc() && end == name.data() + name.size()) return number;
  UserNames names(o.session->in.fs, o.session->in.budget);
  if (is_user) {
    if (const UserRecord* user = names.User(std::string_view(name))) return user->uid;
  } else if (const GroupRecord* group = names.Group(std::string_view(name))) {
    return group->gid;
  }
  o.session->in.err.WriteLine("Unknown --" + std::string(is_user ? "usermap" : "groupmap") + " name on receiver: " + name);
  return std::nullopt;
}

Status AddMap(Options& o, std::string_view text, bool is_user) {
  const std::string option = is_user ? "usermap" : "groupmap";
  (is_user ? o.owner : o.group) = true;
  while (!text.empty()) {
    o.session->in.budget.Step();
    const size_t end = std::min(text.find(','), text.size());
    const std::string rule(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = rule.find(':');
    if (colon == std::string::npos) return Refuse(o, {.message = "No colon found in --" + option + ": " + rule, .place = "uidlist.c(514) [Receiver=3.5.0]"});
    const std::string from = rule.substr(0, colon);
    const auto to = IdOf(o, rule.substr(colon + 1), is_user);
    if (!to) continue;
    IdRule added{.name = {}, .low = 0, .high = UINT32_MAX, .to = *to};
    if (!from.empty() && from.find_first_not_of("0123456789-") == std::string::npos && from[0] != '-') {
      const char* const last = from.data() + from.size();
      const auto first = std::from_chars(from.data(), last, added.low);
      added.high = added.low;
      if (first.ptr != last && (*first.ptr != '-' || std::from_chars(first.ptr + 1, last, added.high).ptr != last)) {
        return Refuse(o, {.message = "Invalid number in --" + option + ": " + rule, .place = "uidlist.c(514) [Receiver=3.5.0]"});
      }
    } else if (from != "*") {
      added.name = from;
      if (from.empty()) added.name = "[]";   // users and groups without a name
    }
    (is_user ? o.user_map : o.group_map).push_back(std::move(added));
  }
  return {};
}

std::optional<int64_t> Digits(std::string_view text, size_t most) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.size() > most || problem != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// y-m-dTh:m and its shorter forms: the next moment that shows what is given. Nothing for what is none of them.
std::optional<int64_t> StopMoment(std::string_view text, int64_t now, const TimeZone& zone) {
  const CalendarTime local = zone.ToLocal(now);
  TimeZone::Fields fields{local.year, local.month, local.day, 0, 0, 0};
  const size_t t = std::min(text.find_first_of("Tt "), text.size());
  std::string_view date = text.substr(0, t), clock = t < text.size() ? text.substr(t + 1) : std::string_view();
  if (t == text.size() && text.find(':') != std::string_view::npos) std::swap(date, clock);
  bool has_year = false, has_month = false, has_day = false;
  if (!date.empty()) {
    std::vector<int64_t> numbers;
    while (true) {
      const size_t end = std::min(date.find_first_of("-/"), date.size());
      const auto number = Digits(date.substr(0, end), 4);
      if (!number || numbers.size() == 3) return std::nullopt;
      numbers.push_back(*number);
      if (end == date.size()) break;
      date.remove_prefix(end + 1);
    }
    fields.day = numbers.back();
    has_day = true;
    if (numbers.size() > 1) fields.month = numbers[numbers.size() - 2], has_month = true;
    if (numbers.size() > 2) fields.year = numbers[0] < 100 ? numbers[0] + 2000 : numbers[0], has_year = true;
    if (fields.day < 1 || fields.day > 31 || fields.month < 1 || fields.month > 12) return std::nullopt;
  }
  bool has_hour = false;
  if (!clock.empty()) {
    const size_t colon = clock.find(':');
    const auto minute = Digits(colon == std::string_view::npos ? std::string_view("0") : clock.substr(colon + 1), 2);
    const std::string_view hours = clock.substr(0, colon);
    has_hour = !hours.empty();
    const auto hour = has_hour ? Digits(hours, 2) : std::optional<int64_t>(local.hour);
    if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
    fields.hour = *hour;
    fields.minute = *minute;
  }
  auto moment = zone.FromLocal(fields);
  if (!moment || *moment > now || has_year) return moment;
  if (has_month) ++fields.year;
  else if (has_day) ++fields.month;
  else if (has_hour) ++fields.day;
  else ++fields.hour;
  return zone.FromLocal(fields);
}

}  // namespace

Status AppendVerify(Options& o, std::string_view) {
  o.appends = o.verifies_append = true;
  return {};
}
Status CreateTimes(Options&, std::string_view) { return Error(Code::kSyntax, "This rsync does not support --crtimes (-N)"); }
Status UserMap(Options& o, std::string_view text) {
  if (o.has_chown) return Error(Code::kSyntax, "--usermap conflicts with prior --chown.");
  o.has_map = true;
  return AddMap(o, text, true);
}
Status GroupMap(Options& o, std::string_view text) {
  if (o.has_chown) return Error(Code::kSyntax, "--groupmap conflicts with prior --chown.");
  o.has_map = true;
  return AddMap(o, text, false);
}
Status ChangeOwner(Options& o, std::string_view text) {
  if (o.has_map) return Error(Code::kSyntax, std::string("--chown conflicts with prior --") + (o.user_map.empty() && !o.group_map.empty() ? "groupmap." : "usermap."));
  o.has_chown = true;
  const size_t colon = std::min(text.find(':'), text.size());
  if (colon > 0) PADDOCK_TRY(AddMap(o, "*:" + std::string(text.substr(0, colon)), true));
  if (colon + 1 < text.size()) PADDOCK_TRY(AddMap(o, "*:" + std::string(text.substr(colon + 1)), false));
  return {};
}

Status Info(Options& o, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t digits = std::min(word.find_first_of("0123456789"), word.size());
    const std::string name = Upper(word.substr(0, digits));
    const auto level = digits == word.size() ? std::optional<int64_t>(name == "NONE" ? 0 : 1) : Digits(word.substr(digits), 9);
    if (name == "HELP") o.shows_info_help = true;
    bool is_known = name == "HELP" || name == "ALL" || name == "NONE";
    for (const InfoFlag& flag : kInfoFlags) {
      if (!level || (name != "ALL" && name != "NONE" && name != flag.name)) continue;
      is_known = true;
      o.info[flag.name] = static_cast<int>(std::min<int64_t>(*level, flag.most));
    }
    if (!is_known || !level) return Refuse(o, {.message = "Unknown --info item: \"" + std::string(word) + "\"", .place = "options.c(487) [client=3.5.0]"});
  }
  return {};
}
void FinishInfo(Options& o) {
  for (const InfoFlag& flag : kInfoFlags) {
    const std::string_view name = flag.name;
    int level = flag.from_verbose >= 0 && o.verbose >= flag.from_verbose ? 1 : 0;
    if ((name == "NAME" || name == "MISC") && o.verbose > 1) level = 2;
    if (o.progress && (name == "NAME" || name == "FLIST" || name == "PROGRESS")) level = std::max(level, 1);
    if (o.stats && name == "STATS") level = 2;
    o.info.try_emplace(flag.name, level);
  }
}
std::string InfoHelp() {
  std::string text = "Use OPT or OPT1 for level 1 output, OPT2 for level 2, etc.; OPT0 silences.\n\n";
  const auto line = [&](std::string name, const std::string& help) {
    name.resize(std::max<size_t>(name.size(), 10), ' ');
    text += name + " " + help + "\n";
  };
  for (const InfoFlag& flag : kInfoFlags) line(flag.name, flag.help);
  text += "\n";
  line("ALL", "Set all --info options (e.g. all4)");
  line("NONE", "Silence all --info options (same as all0)");
  line("HELP", "Output this help message");
  text += "\nOptions added at each level of verbosity:\n";
  for (int verbose = 0; verbose < 3; ++verbose) {
    std::string names;
    for (const InfoFlag& flag : kInfoFlags) {
      const bool rises = verbose == 2 && (std::string_view(flag.name) == "MISC" || std::string_view(flag.name) == "NAME");
      if (flag.from_verbose == verbose || rises) names += (names.empty() ? "" : ",") + std::string(flag.name) + (rises ? "2" : "");
    }
    text += std::to_string(verbose) + ") " + names + "\n";
  }
  return text;
}

Status StandardError(Options& o, std::string_view text) {
  constexpr std::string_view kModes[] = {"errors", "all", "client"};
  for (const std::string_view mode : kModes) {
    if (text.empty() || !mode.starts_with(text)) continue;
    o.says_on_error = mode == "all";
    return {};
  }
  return Error(Code::kSyntax, "--stderr mode \"" + std::string(text) + "\" is not one of errors, all, or client");
}
Status OutputBuffer(Options& o, std::string_view text) {
  const char kind = text.empty() ? ' ' : static_cast<char>(text[0] | 32);
  if (kind != 'n' && kind != 'u' && kind != 'l' && kind != 'b' && kind != 'f') return Error(Code::kSyntax, "Invalid --outbuf setting -- specify N, L, or B.");
  o.session->in.out.set_unbuffered(kind != 'b' && kind != 'f');
  return {};
}
Status Bandwidth(Options& o, std::string_view text) {
  PADDOCK_ASSIGN(o.bytes_a_second, Size(text, "bwlimit", "k"));
  if (o.bytes_a_second > 0 && o.bytes_a_second < 512) return Error(Code::kSyntax, "--bwlimit=" + std::string(text) + " is too small (min: 512 or 0 for unlimited)");
  o.is_slowed = o.bytes_a_second > 0;
  return {};
}
Status StopAfter(Options& o, std::string_view text) {
  const auto minutes = Digits(text, 9);
  if (!minutes || *minutes == 0) return Error(Code::kSyntax, "invalid --stop-after value: " + std::string(text));
  o.stops_at = o.session->in.clock.MonotonicNow() + std::chrono::minutes(*minutes);
  return {};
}

Status Checksum(Options& o, std::string_view text) {
  constexpr std::string_view kNames[] = {"auto", "xxh128", "xxh3", "xxh64", "xxhash", "md5", "md4", "sha1", "none"};
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) {
      return Refuse(o, {.message = "unknown checksum name: " + std::string(name), .status = 4, .kind = "requested action not supported", .place = "checksum.c(157) [client=3.5.0]"});
    }
    if (comma == text.size()) return {};
    text.remove_prefix(comma + 1);
  }
}
Status Compression(Options& o, std::string_view text) {
  constexpr std::string_view kNames[] = {"auto", "zstd", "lz4", "zlibx", "zlib", "none"};
  if (std::find(std::begin(kNames), std::end(kNames), text) != std::end(kNames)) return {};
  return Refuse(o, {.message = "unknown compress name: " + std::string(text), .status = 4, .kind = "requested action not supported", .place = "compat.c(190) [client=3.5.0]"});
}
Status SetNumber(Options& o, std::string_view name, std::string_view text) {
  int64_t number = 0;
  if (!ParseOptionValue(text, number)) return Error(Code::kSyntax, "--" + std::string(name) + "=" + std::string(text) + ": invalid numeric value");
  if (name == kProtocol) o.protocol = std::to_string(number);
  return {};
}
Status BlockSize(Options&, std::string_view text) {
  PADDOCK_ASSIGN(const uint64_t size, Size(text, "block-size"));
  if (size > 128 * 1024) return Error(Code::kSyntax, "--block-size=" + std::string(text) + " is too large (max: 128.00K)");
  return {};
}
Status MostMemory(Options&, std::string_view text) {
  PADDOCK_ASSIGN(const uint64_t size, Size(text, "max-alloc"));
  if (size > 0 && size < 1024 * 1024) return Error(Code::kSyntax, "--max-alloc=" + std::string(text) + " is too small (min: 1.00M or 0 for unlimited)");
  return {};
}
Status Remote(Options& o, std::string_view text) {
  if (!text.starts_with('-')) return Error(Code::kSyntax, "Remote option must start with a dash: " + std::string(text));
  const Refusal unknown{.message = "rsync: on remote machine: " + std::string(text) + ": unknown option", .status = 12, .kind = "error in rsync protocol data stream", .place = "io.c(285) [sender=3.5.0]"};
  if (++o.depth > 1) return Refuse(o, unknown);
  const std::string words[] = {"rsync", std::string(text)};
  const auto parsed = ParseOptions(words, kOptions, &o);
  --o.depth;
  return parsed ? Status() : Refuse(o, unknown);
}

std::optional<Refusal> Conflict(const Invocation& in, Options& o) {
  const auto plain = [](std::string_view text) { return Refusal{.message = "rsync: " + std::string(text)}; };
  const std::string writes_there = o.appends ? "--append" : "--inplace";
  if (o.appends && o.copies_whole) return plain("--append cannot be used with --whole-file");
  if ((o.appends || o.inplace) && o.delay_updates) return plain(writes_there + " cannot be used with --delay-updates");
  if ((o.appends || o.inplace) && !o.partial_dir.empty()) return plain(writes_there + " cannot be used with --partial-dir");
  if (!o.password_file.empty()) return Refusal{.message = "The --password-file option may only be used when accessing an rsync daemon.", .place = "main.c(1602) [sender=3.5.0]"};
  if (!o.connect_timeout.empty()) {
    if (!Digits(o.connect_timeout, 18)) return plain("--contimeout=" + o.connect_timeout + ": invalid numeric value");
    return Refusal{.message = "The --contimeout option may only be used when connecting to an rsync daemon.", .place = "main.c(1608) [sender=3.5.0]"};
  }
  if (const auto protocol = Digits(o.protocol, 9); !o.protocol.empty() && o.protocol != "0" && (!protocol || *protocol < 29 || *protocol > 32)) {
    return Refusal{.message = "protocol version mismatch -- is your shell clean?\n(see the rsync manpage for an explanation)", .status = 2, .kind = "protocol incompatibility", .place = "compat.c(625) [sender=3.5.0]"};
  }
  if (!o.stop_at.empty()) {
    const auto now = Now(in.clock);
    const auto moment = StopMoment(o.stop_at, now.seconds, LocalZone(in.env));
    if (!moment) return plain("invalid --stop-at format: " + o.stop_at);
    if (*moment <= now.seconds) return plain("--stop-at time is not in the future: " + o.stop_at);
    o.stops_at = in.clock.MonotonicNow() + std::chrono::seconds(*moment - now.seconds);
  }
  if (o.copy_as.empty()) return std::nullopt;
  const size_t colon = std::min(o.copy_as.find(':'), o.copy_as.size());
  const std::string user_name = o.copy_as.substr(0, colon);
  UserNames names(in.fs, in.budget);
  const UserRecord* const user = names.User(std::string_view(user_name));
  if (user == nullptr) return Refusal{.message = "Invalid copy-as user: " + user_name, .place = "main.c(270) [sender=3.5.0]"};
  uint32_t gid = user->gid;
  if (colon < o.copy_as.size()) {
    const std::string group_name = o.copy_as.substr(colon + 1);
    const GroupRecord* const group = names.Group(std::string_view(group_name));
    if (group == nullptr) return Refusal{.message = "Invalid copy-as group: " + group_name, .place = "main.c(276) [sender=3.5.0]"};
    gid = group->gid;
  }
  if (in.fs.credentials().uid != 0) return Refusal{.message = "rsync: [sender] setgid failed: Operation not permitted (1)", .place = "main.c(289) [sender=3.5.0]"};
  in.process.files().set_credentials({.uid = user->uid, .gid = gid});
  return std::nullopt;
}

}  // namespace paddock::rsync
