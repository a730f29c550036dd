// ps - report a snapshot of the sandbox's processes
//
// usage: ps [options]
//
// Exit status: 0 if a process was shown, else 1.
// Source: POSIX ps, procps-ng 4.0.2.
// Differs: processes have one thread and no memory or processor time of their own: such columns show 0 or '-'; the environment
// of a process (e) and its masks of signals (s) are not shown; pids are seven columns wide.

#include <algorithm>
#include <map>

#include "commands/sys/process_table.h"
#include "commands/sys/ps_columns.h"
#include "proc/process.h"

namespace paddock {
namespace {

using Column = PsColumn;

constexpr const char* kUsage =
    "\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n"
    "  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n";

constexpr const char* kHelp =
    "\nUsage:\n ps [options]\n\n"
    "Which processes:\n"
    " -A, -e, ax           all\n"
    " -a                   all with a terminal but session leaders\n"
    " -d                   all but session leaders\n"
    "  a                   all with a terminal, those of others too\n"
    "  r                   only running ones\n"
    "  T                   those of this terminal\n"
    "  x                   those without a terminal, too\n"
    " -N, --deselect       the others\n"
    " -C NAME              by command name\n"
    " -G, --Group GID      by group\n"
    " -g, --group ID       by session or group name\n"
    " -p, p, --pid PID     by process id\n"
    "     --ppid PID       by parent\n"
    " -q, q, --quick-pid   by process id\n"
    " -s, --sid ID         by session\n"
    " -t, t, --tty TTY     by terminal\n"
    " -u, U, --user UID    by user (-U, --User too)\n\n"
    "What is shown:\n"
    " -f, -F               full form\n"
    " -j, j                with groups and sessions\n"
    " -l, l                long form\n"
    "  u, v                with users, with memory\n"
    "  X                   with registers\n"
    " -P                   with the processor\n"
    " -M, Z                with security contexts\n"
    "     --context        these and the command line\n"
    " -L, -T               with threads: LWP and NLWP, SPID\n"
    "  H                   threads as if they were processes: they have one\n"
    " -m, m                threads below their processes\n"
    " -o, o, --format F    columns of one's own: -o pid,ppid=PARENT,args=\n"
    " -O F                 such columns added to the usual ones\n"
    "  O <F>               the same\n"
    " -H, f, --forest      children below their parents\n"
    "  k, --sort SPEC      order by columns, - for descending\n"
    " -w, w                wide, twice: not cut at all\n"
    "     --cols, --columns, --width NUM   cut lines there\n"
    "     --rows, --lines NUM   lines of a page\n"
    "  n                   users as numbers\n"
    "  S, --cumulative     with the time of children that ended: there is none\n"
    "  L                   the columns that there are\n"
    " -y                   no flags, with -l\n"
    "  c                   names instead of command lines\n"
    " -c                   with scheduling classes\n"
    "  h, --no-headers     no header\n"
    "     --headers        a header on each page\n"
    " -V, V, --version     version\n";

enum class Form { kDefault, kFull, kExtraFull, kJobs, kLong, kUser, kVirtual, kBsdJobs, kBsdLong, kRegisters, kContext, kOwn };

struct Request {
  bool all = false, all_terminals = false, no_leaders = false, bsd_all = false, bsd_detached = false, running = false;
  bool deselects = false, own_terminal = false, is_bsd = false, forest = false, names_only = false, no_header = false;
  bool no_flags = false, shows_header = false;
  bool light_processes = false, thread_ids = false, thread_lines = false, processor = false, security = false, numeric = false, classes = false;
  int64_t rows = 24;     // of a page
  int64_t columns = 0;   // where lines are cut; 0: nowhere
  int wide = 0;          // how often w was given: twice lets nothing be cut
  Form form = Form::kDefault;
  std::vector<int64_t> pids, parents, sessions, uids, gids;
  std::vector<std::string> commands, terminals;
  std::string sort;
  bool has_selection() const { return !pids.empty() || !parents.empty() || !sessions.empty() || !uids.empty() || !gids.empty() || !commands.empty() || !terminals.empty(); }
};

struct Shown {
  const Column* column;
  std::string header;
  size_t width;
};

class Program {
 public:
  explicit Program(Invocation& in) : in_(in), names_(in.fs, in.budget), context_{names_, LocalZone(in.env), Now(in.clock), in.budget} {}

  ExitStatus Run() {
    for (size_t i = 1; i < in_.args.size(); ++i) {
      if (in_.args[i] == "L") return ListColumns(), 0;
    }
    for (at_ = 1; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& argument = in_.args[at_];
      if (argument == "--help") return in_.out.Write(kHelp), 0;
      if (argument == "--version" || argument == "-V" || argument == "V") return in_.out.Write(VersionText(in_.command, "ps")), 0;
      const bool ok = argument.starts_with("--") ? ReadLong(argument.substr(2)) : ReadLetters(argument);
      if (!ok) return 1;
    }
    if (!MakeColumns()) return 1;
    processes_ = ListProcesses(in_);
    Select();
    if (!Sort()) return 1;
    if (request_.forest) MakeForest();
    Print();
    return chosen_.empty() ? 1 : 0;
  }

 private:
  void ListColumns() {
    std::map<std::string_view, std::string_view> columns;
    for (const Column& column : PsColumns()) {
      if (std::string_view(column.name).find('_') == std::string_view::npos || std::string_view(column.name).ends_with("flt")) columns[column.name] = column.header;
    }
    for (const auto& [name, header] : columns) {
      std::string line(name);
      line.resize(std::max<size_t>(line.size(), 12), ' ');
      line += " " + std::string(header);
      line.resize(std::max<size_t>(line.size(), 21), ' ');
      in_.out.WriteLine(line);
    }
  }

  bool Fail(const std::string& message) {
    in_.err.Write("error: " + message + "\n" + kUsage);
    return false;
  }

  // The value of an option: the rest of the word or the next one.
  bool Value(std::string rest, std::string& value, const char* what) {
    if (!rest.empty()) {
      value = std::move(rest);
      return true;
    }
    if (at_ + 1 >= in_.args.size()) return Fail(what);
    value = in_.args[++at_];
    return true;
  }

  bool ReadLong(const std::string& option) {
    const size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    const std::string rest = equals == std::string::npos ? "" : option.substr(equals + 1);
    std::string value;
    const auto with = [&](auto then) { return Value(rest, value, "improper list") && (this->*then)(value); };
    if (name == "no-headers" || name == "no-heading" || name == "no-headings" || name == "no-header" || name == "noheader" ||
        name == "noheaders" || name == "noheading" || name == "noheadings") return request_.no_header = true;
    if (name == "headers" || name == "heading" || name == "headings" || name == "header") return request_.shows_header = true;
    if (name == "deselect") return request_.deselects = true;
    if (name == "forest") return request_.forest = true;
    if (name == "sort") return Value(rest, request_.sort, "long sort specification must follow --sort");
    if (name == "pid" || name == "quick-pid") return with(&Program::AddPids);
    if (name == "ppid") return with(&Program::AddParents);
    if (name == "sid") return with(&Program::AddSessions);
    if (name == "tty") return with(&Program::AddTerminals);
    if (name == "user" || name == "User") return with(&Program::AddUsers);
    if (name == "group" || name == "Group") return with(&Program::AddGroups);
    if (name == "format") return with(&Program::AddFormat);
    if (name == "cumulative") return true;
    if (name == "context") return request_.form = Form::kContext, true;
    if (name == "rows" || name == "lines") {
      constexpr const char* kComplaint = "number of rows must follow --rows or --lines";
      if (!Value(rest, value, kComplaint)) return false;
      const auto rows = ParsePid(value);
      if (!rows || *rows == 0) return Fail(kComplaint);
      request_.rows = *rows;
      return true;
    }
    if (name == "cols" || name == "columns" || name == "width") {
      constexpr const char* kComplaint = "number of columns must follow --cols, --width, or --columns";
      if (!Value(rest, value, kComplaint)) return false;
      const auto columns = ParsePid(value);
      if (!columns || *columns == 0) return Fail(kComplaint);
      request_.columns = *columns;
      return true;
    }
    return Fail("unknown gnu long option");
  }

  bool ReadLetters(const std::string& argument) {
    const bool is_unix = argument.starts_with('-');
    if (!is_unix && !argument.empty() && argument[0] >= '0' && argument[0] <= '9') return AddPids(argument);
    for (size_t i = is_unix ? 1 : 0; i < argument.size(); ++i) {
      const std::string rest = argument.substr(i + 1);
      bool takes_rest = false;
      if (!(is_unix ? ReadUnix(argument[i], rest, takes_rest) : ReadBsd(argument[i], rest, takes_rest))) return false;
      if (takes_rest) break;
    }
    return is_unix && argument.size() == 1 ? Fail("garbage option") : true;
  }

  bool With(const std::string& rest, bool& takes_rest, bool (Program::*then)(const std::string&), const char* what = "improper list") {
    takes_rest = true;
    std::string value;
    return Value(rest, value, what) && (this->*then)(value);
  }

  bool ReadUnix(char letter, const std::string& rest, bool& takes_rest) {
    switch (letter) {
      case 'A': case 'e': return request_.all = true;
      case 'a': return request_.all_terminals = true;
      case 'd': return request_.no_leaders = true;
      case 'N': return request_.deselects = true;
      case 'f': return request_.form = Form::kFull, true;
      case 'F': return request_.form = Form::kExtraFull, true;
      case 'j': return request_.form = Form::kJobs, true;
      case 'l': return request_.form = Form::kLong, true;
      case 'y': return request_.no_flags = true;
      case 'H': return request_.forest = true;
      case 'c': return request_.classes = true;
      case 'L': return request_.light_processes = true;
      case 'T': return request_.thread_ids = true;
      case 'm': return request_.thread_lines = true;
      case 'P': return request_.processor = true;
      case 'M': return request_.security = true;
      case 'w': return ++request_.wide > 0;
      case 'p': case 'q': return With(rest, takes_rest, &Program::AddPids);
      case 'C': return With(rest, takes_rest, &Program::AddCommands);
      case 'u': case 'U': return With(rest, takes_rest, &Program::AddUsers);
      case 'G': return With(rest, takes_rest, &Program::AddGroups);
      case 'g': return With(rest, takes_rest, &Program::AddSessionsOrGroups);
      case 's': return With(rest, takes_rest, &Program::AddSessions);
      case 't': return With(rest, takes_rest, &Program::AddTerminals);
      case 'o': return With(rest, takes_rest, &Program::AddFormat, "format specification must follow -o");
      case 'O': return With(rest, takes_rest, &Program::AddExtraFormat, "format or sort specification must follow -O");
      case 'k': takes_rest = true; return Value(rest, request_.sort, "long sort specification must follow -k");
      default: return Fail("unsupported SysV option");
    }
  }

  bool ReadBsd(char letter, const std::string& rest, bool& takes_rest) {
    request_.is_bsd = true;
    switch (letter) {
      case 'a': return request_.bsd_all = true;
      case 'x': return request_.bsd_detached = true;
      case 'r': return request_.running = true;
      case 'T': return request_.own_terminal = true;
      case 'u': return request_.form = Form::kUser, true;
      case 'v': return request_.form = Form::kVirtual, true;
      case 'j': return request_.form = Form::kBsdJobs, true;
      case 'l': return request_.form = Form::kBsdLong, true;
      case 'f': return request_.forest = true;
      case 'c': return request_.names_only = true;
      case 'h': return request_.no_header = true;
      case 'X': return request_.form = Form::kRegisters, true;
      case 'Z': return request_.security = true;
      case 'm': return request_.thread_lines = true;
      case 'n': return request_.numeric = true;
      case 'H':   // each has the one
      case 'S': return true;
      case 'w': return ++request_.wide > 0;
      case 'p': case 'q': return With(rest, takes_rest, &Program::AddPids);
      case 'U': return With(rest, takes_rest, &Program::AddUsers);
      case 't': return With(rest, takes_rest, &Program::AddTerminals);
      case 'o': return With(rest, takes_rest, &Program::AddFormat, "format specification must follow o");
      case 'O': return With(rest, takes_rest, &Program::AddExtraFormat, "format or sort specification must follow O");
      case 'k': takes_rest = true; return Value(rest, request_.sort, "long sort specification must follow k");
      default: return Fail("unsupported option (BSD syntax)");
    }
  }

  bool AddNumbers(const std::string& text, std::vector<int64_t>& to, const char* complaint) {
    const std::vector<std::string> items = SplitList(text);
    if (items.empty()) return Fail("improper list");
    for (const std::string& item : items) {
      const auto number = ParsePid(item);
      if (!number || *number == 0) return Fail(complaint);
      to.push_back(*number);
    }
    return true;
  }
  bool AddPids(const std::string& text) { return AddNumbers(text, request_.pids, "process ID list syntax error"); }
  bool AddParents(const std::string& text) { return AddNumbers(text, request_.parents, "process ID list syntax error"); }
  bool AddSessions(const std::string& text) { return AddNumbers(text, request_.sessions, "session ID list syntax error"); }
  bool AddCommands(const std::string& text) {
    for (std::string& item : SplitList(text)) request_.commands.push_back(item.substr(0, 15));
    return true;
  }
  bool AddTerminals(const std::string& text) {
    for (std::string& item : SplitList(text)) {
      std::string name = item.starts_with("/dev/") ? item.substr(5) : item;
      if (name == "-") name = "?";
      const bool is_known = name == "?" || name == "pts/0" || in_.fs.Stat("/dev/" + name) || in_.fs.Stat("/dev/tty" + name) || in_.fs.Stat("/dev/pts/" + name);
      if (!is_known) return Fail("TTY could not be found");
      request_.terminals.push_back(std::move(name));
    }
    return true;
  }
  bool AddUsers(const std::string& text) {
    for (const std::string& item : SplitList(text)) {
      const auto id = FindUserId(names_, item);
      if (!id) return Fail("user name does not exist");
      request_.uids.push_back(*id);
    }
    return true;
  }
  bool AddGroups(const std::string& text) {
    for (const std::string& item : SplitList(text)) {
      const auto id = FindGroupId(names_, item);
      if (!id) return Fail("group name does not exist");
      request_.gids.push_back(*id);
    }
    return true;
  }
  bool AddSessionsOrGroups(const std::string& text) {
    const auto is_number = [](const std::string& item) { return ParsePid(item).has_value(); };
    const std::vector<std::string> items = SplitList(text);
    return std::all_of(items.begin(), items.end(), is_number) ? AddSessions(text) : AddGroups(text);
  }

  bool ReadFormat(std::string_view text, std::vector<Shown>& to) {
    while (true) {
      while (!text.empty() && (text[0] == ' ' || text[0] == ',')) text.remove_prefix(1);
      if (text.empty()) return true;
      const size_t end = text.find_first_of("=, :");
      const std::string name(text.substr(0, end));
      const Column* column = FindPsColumn(name);
      if (column == nullptr || name == "uid_hack" || name == "user_number") return Fail("unknown user-defined format specifier \"" + name + "\"");
      Shown shown{column, column->header, column->width};
      text.remove_prefix(std::min(end, text.size()));
      if (text.starts_with(':')) {
        const size_t stop = text.find_first_not_of("0123456789", 1);
        const auto width = ParsePid(text.substr(1, stop == std::string_view::npos ? stop : stop - 1));
        if (!width || *width == 0 || *width > 100'000) return Fail("column widths must be unsigned decimal numbers");
        shown.width = static_cast<size_t>(*width);
        text.remove_prefix(std::min(stop, text.size()));
      }
      if (text.starts_with('=')) {   // the rest of the word is the header
        shown.header = text.substr(1);
        const size_t comma = shown.header.find(',');
        const bool is_empty = comma == 0 && FindPsColumn(shown.header.substr(1, shown.header.find_first_of("=,: ", 1) - 1)) != nullptr;
        if (is_empty) {
          shown.header.clear();
          text.remove_prefix(2);
        } else {
          text = {};
        }
        shown.width = std::max(shown.width, shown.header.size());
      }
      in_.budget.Step();
      to.push_back(std::move(shown));
    }
  }
  bool AddFormat(const std::string& text) {
    request_.form = Form::kOwn;
    return ReadFormat(text, columns_);
  }
  bool AddExtraFormat(const std::string& text) {
    request_.form = Form::kOwn;
    return ReadFormat("pid", columns_) && ReadFormat(text, columns_) &&
           ReadFormat("state,tname,time,command", columns_);
  }

  bool MakeColumns() {
    const char* format = "";
    switch (request_.form) {
      case Form::kOwn: return true;
      case Form::kDefault: format = request_.is_bsd ? "pid,tname,stat,bsdtime,args" : "pid,tname,time,ucmd"; break;
      case Form::kFull: format = "user,pid,ppid,c,stime,tname,time,cmd"; break;
      case Form::kExtraFull: format = "user,pid,ppid,c,sz,rss,psr,stime,tname,time,cmd"; break;
      case Form::kJobs: format = "pid,pgid,sid,tname,time,ucmd"; break;
      case Form::kLong: format = request_.no_flags ? "s,uid,pid,ppid,c,opri,ni,rss,sz,wchan,tname,time,ucmd" : "f,s,uid,pid,ppid,c,opri,ni,addr,sz,wchan,tname,time,ucmd"; break;
      case Form::kUser: format = "user,pid,%cpu,%mem,vsz,rss,tname,stat,start_time,bsdtime,command"; break;
      case Form::kVirtual: format = "pid,tname,stat,bsdtime,maj_flt,trs,drs,rss,%mem,command"; break;
      case Form::kBsdJobs: format = "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,command"; break;
      case Form::kRegisters: format = "pid,stackp,esp,eip,tmout,alarm,stat,tname,bsdtime,command"; break;
      case Form::kContext: format = "pid,context,command"; break;
      case Form::kBsdLong: format = "f,uid,pid,ppid,priority,ni,vsz,rss,wchan,stat,tname,bsdtime,command"; break;
    }
    if (!ReadFormat(format, columns_)) return false;
    if (request_.form == Form::kFull || request_.form == Form::kExtraFull) columns_[0].header = "UID";
    InsertColumns();
    if (request_.names_only) {
      columns_.back().column = FindPsColumn("comm");
    }
    return true;
  }

  // What single options add to a form.
  void InsertColumns() {
    const auto position = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) {
        for (size_t i = 0; i < columns_.size(); ++i) {
          if (columns_[i].column->name == name) return i + 1;
        }
      }
      return columns_.size();
    };
    const auto insert = [&](size_t at, const char* name) {
      const Column* const column = FindPsColumn(name);
      columns_.insert(columns_.begin() + static_cast<std::ptrdiff_t>(at), Shown{column, column->header, column->width});
    };
    if (request_.classes) {
      size_t at = position({"c"});
      if (at < columns_.size()) {
        const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(--at);
        columns_.erase(begin, begin + (request_.form == Form::kLong ? 3 : 1));
      } else {
        at = position({"sid", "pid"});
      }
      insert(at, "pri");
      insert(at, "class");
    }
    if (request_.light_processes && position({"c"}) < columns_.size() && request_.form != Form::kLong) insert(position({"c"}), "nlwp");
    if (request_.light_processes) insert(position({"sid", "ppid", "pid"}), "lwp");
    if (request_.processor) insert(position({"sid", "ppid", "pid"}), "psr");
    if (request_.thread_ids) insert(position({"pid"}), "spid");
    if (request_.security) insert(0, "label");
    for (Shown& shown : columns_) {
      if (request_.numeric && shown.column == FindPsColumn("user")) shown.column = FindPsColumn("user_number");
    }
  }

  bool IsChosen(const ProcessFacts& p, const ProcessFacts& self) const {
    const Request& r = request_;
    const auto has = [](const std::vector<int64_t>& ids, int64_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    if (r.all) return true;
    bool chosen = has(r.pids, p.pid) || has(r.parents, p.parent) || has(r.sessions, p.session) || has(r.uids, p.uid) || has(r.gids, p.gid) ||
                  std::find(r.commands.begin(), r.commands.end(), p.name) != r.commands.end() ||
                  std::find(r.terminals.begin(), r.terminals.end(), p.has_terminal ? "pts/0" : "?") != r.terminals.end();
    if (r.all_terminals) chosen |= p.has_terminal && !p.is_leader();
    if (r.no_leaders) chosen |= !p.is_leader();
    if (r.bsd_all && r.bsd_detached) chosen = true;
    else if (r.bsd_all) chosen |= p.has_terminal;
    else if (r.bsd_detached) chosen |= p.uid == self.uid;
    if (r.own_terminal) chosen |= p.has_terminal == self.has_terminal;
    const bool says_nothing = !r.has_selection() && !r.all_terminals && !r.no_leaders && !r.bsd_all && !r.bsd_detached && !r.own_terminal;
    if (says_nothing) chosen = p.uid == self.uid && p.has_terminal == self.has_terminal;
    return chosen;
  }

  void Select() {
    const auto self = std::find_if(processes_.begin(), processes_.end(), [&](const ProcessFacts& p) { return p.pid == in_.process.pid(); });
    for (const ProcessFacts& p : processes_) {
      in_.budget.Step();
      if (IsChosen(p, *self) == request_.deselects) continue;
      if (request_.running && p.state != 'R') continue;
      chosen_.push_back(&p);
    }
  }

  bool Sort() {
    std::string_view spec = request_.sort;
    std::vector<std::pair<const Column*, bool>> keys;
    while (!spec.empty()) {
      const size_t comma = spec.find(',');
      std::string_view name = spec.substr(0, comma);
      const bool descends = name.starts_with('-');
      if (name.starts_with('-') || name.starts_with('+')) name.remove_prefix(1);
      const Column* column = FindPsColumn(name);
      if (column == nullptr) return Fail("unknown sort specifier");
      keys.emplace_back(column, descends);
      spec.remove_prefix(comma == std::string_view::npos ? spec.size() : comma + 1);
    }
    std::stable_sort(chosen_.begin(), chosen_.end(), [&](const ProcessFacts* a, const ProcessFacts* b) {
      for (const auto& [column, descends] : keys) {
        const std::string left = column->cell(*a, context_), right = column->cell(*b, context_);
        const bool by_size = column->is_right && left.size() != right.size();
        const int order = by_size ? (left.size() < right.size() ? -1 : 1) : left.compare(right);
        if (order != 0) return (order < 0) != descends;
      }
      return false;
    });
    return true;
  }

  void MakeForest() {
    std::map<int, std::vector<const ProcessFacts*>> children;
    std::map<int, bool> is_here;
    for (const ProcessFacts* p : chosen_) is_here[p->pid] = true;
    std::vector<const ProcessFacts*> roots;
    for (const ProcessFacts* p : chosen_) {
      if (p->parent != p->pid && is_here.contains(p->parent)) children[p->parent].push_back(p);
      else roots.push_back(p);
    }
    chosen_.clear();
    for (const ProcessFacts* root : roots) AddTree(root, children, 0);
  }
  void AddTree(const ProcessFacts* p, std::map<int, std::vector<const ProcessFacts*>>& children, size_t depth) {
    in_.budget.Step();
    in_.budget.CheckStack();
    depths_[p->pid] = depth;
    chosen_.push_back(p);
    for (const ProcessFacts* child : children[p->pid]) AddTree(child, children, depth + 1);
  }

  void WriteRow(const std::vector<std::string>& cells) {
    std::string line;
    size_t owed = 0;   // columns that a wide cell took from its neighbours
    for (size_t i = 0; i < cells.size(); ++i) {
      const Shown& shown = columns_[i];
      if (i > 0) line += ' ';
      const size_t width = shown.width > owed ? shown.width - owed : 0;
      const std::string pad(cells[i].size() < width ? width - cells[i].size() : 0, ' ');
      owed = cells[i].size() > width ? cells[i].size() - width : 0;
      if (shown.column->is_right) line += pad + cells[i];
      else line += i + 1 == cells.size() ? cells[i] : cells[i] + pad;
    }
    const bool can_be_cut = !columns_.empty() && !columns_.back().column->is_right;
    if (can_be_cut && request_.columns > 0 && request_.wide < 2) line.resize(std::min(line.size(), static_cast<size_t>(request_.columns)));
    in_.out.WriteLine(line);
  }

  // The line of the only thread of a process: without what belongs to the process.
  void WriteThread(const ProcessFacts& p) {
    static constexpr std::string_view kOfProcess[] = {"pid", "tgid", "ppid", "pgid", "sid", "tname", "tty", "tt", "%mem", "pmem", "vsz", "rss", "sz",
                                                      "comm", "ucmd", "args", "cmd", "command", "tpgid"};
    std::vector<std::string> cells;
    for (const Shown& shown : columns_) {
      const bool is_of_process = std::find(std::begin(kOfProcess), std::end(kOfProcess), shown.column->name) != std::end(kOfProcess);
      cells.push_back(is_of_process ? "-" : shown.column->cell(p, context_));
    }
    WriteRow(cells);
  }

  void Print() {
    std::vector<std::string> cells;
    bool has_header = false;
    for (const Shown& shown : columns_) {
      has_header |= !shown.header.empty();
      cells.push_back(shown.header);
    }
    const std::vector<std::string> header = cells;
    if (has_header && (!request_.no_header || request_.shows_header)) WriteRow(header);
    int64_t rows = 1;
    for (const ProcessFacts* p : chosen_) {
      in_.budget.Step();
      cells.clear();
      if (has_header && request_.shows_header && ++rows > request_.rows) {
        WriteRow(header);
        rows = 2;
      }
      for (const Shown& shown : columns_) {
        std::string cell = shown.column->cell(*p, context_);
        const std::string_view name = shown.column->name;
        const size_t depth = request_.forest ? depths_[p->pid] : 0;
        if (depth > 0 && (name == "args" || name == "cmd" || name == "command" || name == "ucmd" || name == "comm")) {
          cell = request_.is_bsd ? std::string(4 * (depth - 1), ' ') + " \\_ " + cell : std::string(2 * depth, ' ') + cell;
        }
        if (request_.thread_lines && (name == "stat" || name == "s" || name == "state")) cell = "-";
        cells.push_back(std::move(cell));
      }
      WriteRow(cells);
      if (request_.thread_lines) WriteThread(*p);
    }
  }

  Invocation& in_;
  UserNames names_;
  PsContext context_;
  Request request_;
  std::vector<Shown> columns_;
  std::vector<ProcessFacts> processes_;
  std::vector<const ProcessFacts*> chosen_;
  std::map<int, size_t> depths_;
  size_t at_ = 1;
};

ExitStatus Run(Invocation& in) { return Program(in).Run(); }

}  // namespace

extern const Command kCommand_ps;
const Command kCommand_ps = {
    .name = "ps",
    .summary = "report a snapshot of the current processes",
    .synopsis = "[options]",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
