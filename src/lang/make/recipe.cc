// Running recipes: automatic variables, the lines, and what their ends mean.
#include <algorithm>

#include "lang/make/updater.h"

namespace paddock::make {
namespace {

struct Prefix {
  bool is_silent = false;
  bool ignores_errors = false;
  bool always_runs = false;
};

// Takes the @, - and + in front of a line.
std::string_view TakePrefix(std::string_view line, Prefix* prefix) {
  while (!line.empty() && (IsSpace(line[0]) || line[0] == '@' || line[0] == '-' || line[0] == '+')) {
    prefix->is_silent = prefix->is_silent || line[0] == '@';
    prefix->ignores_errors = prefix->ignores_errors || line[0] == '-';
    prefix->always_runs = prefix->always_runs || line[0] == '+';
    line.remove_prefix(1);
  }
  return line;
}

// Splits at newlines that no backslash joins.
void SplitLines(std::string_view text, std::string_view flags, std::vector<std::string>& lines) {
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\\') {
      ++i;
      continue;
    }
    if (i < text.size() && text[i] != '\n') continue;
    lines.push_back(std::string(flags) + std::string(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (begin < text.size()) lines.push_back(std::string(flags) + std::string(text.substr(begin)));
}

// As it stands in $^ and the like: a member without its archive.
std::string_view ShownName(std::string_view name) {
  const auto parts = AsMember(name);
  return parts ? parts->member : name;
}

void AddName(std::string& list, std::string_view name) {
  if (!list.empty()) list += ' ';
  list += name;
}

}  // namespace

void Updater::SetAutomatic(File& file) {
  std::string all, unique, newer, order_only, first;
  std::set<std::string_view> seen, seen_newer;
  for (const Dep& dep : file.deps) {
    budget_.Step();
    if (dep.is_dropped || dep.is_extra) continue;
    const std::string& name = dep.file->path;
    if (dep.is_order_only) continue;
    if (first.empty()) first = name;
    AddName(all, ShownName(name));
    if (seen.insert(name).second) AddName(unique, ShownName(name));
    if ((dep.changed || session_.settings().always_makes) && seen_newer.insert(name).second) AddName(newer, ShownName(name));
  }
  std::set<std::string_view> seen_order;
  for (const Dep& dep : file.deps) {
    if (dep.is_order_only && !dep.is_dropped && !seen.contains(dep.file->path) && seen_order.insert(dep.file->path).second) {
      AddName(order_only, ShownName(dep.file->path));
    }
  }
  std::string stem = file.stem;
  const auto member = AsMember(file.path);
  const std::string base(ShownName(file.name));
  if (stem.empty()) {
    if (const File* suffixes = graph_.Find(".SUFFIXES")) {
      for (const Dep& dep : suffixes->deps) {
        const std::string& suffix = dep.file->name;
        if (base.size() <= suffix.size() || !base.ends_with(suffix)) continue;
        stem = base.substr(0, base.size() - suffix.size());
        break;
      }
    }
  }
  if (graph_.default_file != nullptr && file.recipe == graph_.default_file->recipe) first = member ? std::string(member->archive) : file.path;
  const auto set = [&](const char* name, std::string value) {
    Variable& variable = file.scope.variables[name];
    variable.value = std::move(value);
    variable.origin = Origin::kAutomatic;
    variable.is_recursive = false;
    variable.is_private = true;
  };
  set("@", member ? std::string(member->archive) : file.path);
  set("%", member ? std::string(member->member) : "");
  set("*", stem);
  set("<", first);
  set("^", unique);
  set("+", all);
  set("?", newer);
  set("|", order_only);
}

bool Updater::IsMarked(std::string_view special, const File& file) {
  const File* const list = graph_.Find(special);
  if (list == nullptr || !list->is_target) return false;
  return std::any_of(list->deps.begin(), list->deps.end(), [&](const Dep& dep) { return dep.file == &file || dep.file->name == file.name; });
}

// The lines of the recipe, expanded; one with $(MAKE) or a + is run with -n, too.
std::vector<std::string> Updater::RecipeLines(File& file) {
  std::vector<std::string> lines;
  std::string whole;
  Scope* const before = session_.scope();
  session_.set_scope(&file.scope);
  size_t number = 0;
  for (const std::string& raw : file.recipe->lines) {
    if (session_.is_over()) break;
    session_.where = {file.recipe->where.file, file.recipe->where.line + number++};
    Prefix prefix;
    std::string_view rest = TakePrefix(raw, &prefix);
    if (raw.find("$(MAKE)") != std::string::npos || raw.find("${MAKE}") != std::string::npos) prefix.always_runs = true;
    std::string flags;
    if (prefix.is_silent) flags += '@';
    if (prefix.ignores_errors) flags += '-';
    if (prefix.always_runs) flags += '+';
    const std::string joined = JoinedReferences(ReplaceAll(rest, std::string("\\\n") + file.recipe->prefix, "\\\n", budget_), graph_.is_posix);
    budget_.Step(static_cast<int64_t>(joined.size() / 32));
    const std::string text = session_.Expand(joined);
    if (graph_.one_shell) {
      budget_.WillAllocate(whole.size() + text.size());
      whole += lines.empty() && whole.empty() ? flags + text : "\n" + text;
    } else {
      SplitLines(text, flags, lines);
    }
  }
  if (graph_.one_shell && !whole.empty()) lines.push_back(whole);
  session_.where = {};
  session_.set_scope(before);
  return lines;
}

void Updater::RunRecipe(File& file, const std::string& reason) {
  graph_.PrepareScope(file);
  SetAutomatic(file);
  const Settings& settings = session_.settings();
  const bool recurses = std::any_of(file.recipe->lines.begin(), file.recipe->lines.end(), [](const std::string& line) {
    return line.find("$(MAKE)") != std::string::npos || line.find("${MAKE}") != std::string::npos || TrimFront(line).starts_with('+');
  });
  if (settings.touches && !recurses) {
    if (!file.is_phony && !file.recipe->lines.empty()) TouchFile(file);
    return FinishFile(file);
  }
  auto child = std::make_unique<Child>();
  child->file = &file;
  {
    const OutputPiece piece(session_);
    child->lines = RecipeLines(file);
  }
  file.is_all_recursive = !child->lines.empty() && std::all_of(child->lines.begin(), child->lines.end(), [](const std::string& line) {
    Prefix prefix;
    TakePrefix(line, &prefix);
    return prefix.always_runs;
  });
  child->time_before = file.time && *file.time != kMissing ? file.time : std::nullopt;
  if (session_.is_over()) return;
  if (settings.traces) {
    const Location& at = file.recipe->where;
    session_.host().Out((at.file.empty() ? "<builtin>" : at.file + ":" + std::to_string(at.line)) + ": " + reason + "\n");
  }
  const bool waits = settings.jobs == 1 || graph_.not_parallel;
  AwaitSlot();
  if (session_.is_over()) return;
  file.state = State::kRunning;
  for (File* const other : file.also_made) {
    if (other->state == State::kNotStarted) other->state = State::kRunning;
  }
  Advance(std::move(child));
  while (waits && file.state == State::kRunning && !session_.is_over() && !children_.empty()) Reap();
}

// Until one more job may run.
void Updater::AwaitSlot() {
  const Settings& settings = session_.settings();
  while (!session_.is_over() && !is_ending_) {
    if (IsAboveLoad() || (!settings.shares_jobs && settings.jobs != 0 && children_.size() >= settings.jobs)) {
      Reap();
    } else if (!settings.shares_jobs || children_.empty()) {
      return;
    } else if (session_.host().TakeToken()) {
      ++tokens_;
      return;
    } else {
      Reap();
    }
  }
}

void Updater::ReturnTokens() {
  for (; tokens_ > 0 && tokens_ >= children_.size(); --tokens_) session_.host().ReturnToken();
}

// The load that -l looks at is that of make's own jobs; one may always run.
bool Updater::IsAboveLoad() const {
  const double most = session_.settings().most_load;
  return most >= 0 && !children_.empty() && static_cast<double>(children_.size()) >= most;
}

// Whether what a recipe writes is kept (-O).
bool Updater::Collects() const {
  const Settings& settings = session_.settings();
  return settings.sync > Settings::Sync::kNone && settings.jobs != 1 && !graph_.not_parallel;
}

void Updater::PutOut(Child& child) {
  if (child.out.empty() && child.err.empty()) return;
  const bool tells_directory = session_.settings().prints_directory && !session_.settings().never_prints_directory;
  const std::string directory = "directory '" + session_.host().Cwd() + "'";
  if (tells_directory) session_.Say("Entering " + directory);
  if (!child.out.empty()) session_.host().Out(std::exchange(child.out, {}));
  if (!child.err.empty()) session_.host().Err(std::exchange(child.err, {}));
  if (tells_directory) session_.Say("Leaving " + directory);
}

void Updater::Advance(std::unique_ptr<Child> child) {
  while (child != nullptr && child->next < child->lines.size()) {
    if (session_.is_over()) return;
    budget_.Step();
    if (RunLine(child)) return;   // it runs, or the child has ended
  }
  if (child != nullptr) EndChild(std::move(child), Outcome::kSuccess);
}

bool Updater::RunLine(std::unique_ptr<Child>& child) {
  File& file = *child->file;
  const Settings& settings = session_.settings();
  Prefix prefix;
  const std::string_view text = TakePrefix(child->lines[child->next++], &prefix);
  child->ignores_errors = prefix.ignores_errors || settings.ignores_errors || graph_.ignores_all || IsMarked(".IGNORE", file);
  Scope* const before = session_.scope();
  session_.set_scope(&file.scope);
  ChildLine line;
  std::string script(text);
  if (graph_.one_shell) {
    std::string stripped;
    for (size_t at = 0; at <= script.size();) {
      const size_t end = std::min(script.find('\n', at), script.size());
      Prefix ignored;
      if (at > 0) stripped += '\n';
      stripped += TakePrefix(std::string_view(script).substr(at, end - at), &ignored);
      at = end + 1;
    }
    script = stripped;
  }
  line.args = session_.CommandWords(script, graph_.one_shell);
  session_.set_scope(before);
  if (line.args.empty() || session_.is_over()) return false;
  if (settings.asks && !prefix.always_runs) {
    EndChild(std::move(child), Outcome::kQuestion);
    return true;
  }
  if (settings.touches && !prefix.always_runs) return false;
  const bool is_silent = prefix.is_silent || settings.is_silent || graph_.all_silent || IsMarked(".SILENT", file);
  const bool collects = Collects() && !(prefix.always_runs && settings.sync != Settings::Sync::kRecurse);
  if (Collects() && !collects) PutOut(*child);   // a make below prints what is its own
  if (settings.just_print || settings.traces || !is_silent) {
    if (collects) {
      child->out.append(text).append("\n");
    } else {
      session_.host().Out(std::string(text) + "\n");
    }
  }
  ++lines_started_;
  child->ran_any = true;
  if (line.args.size() == 3 && line.args[1] == "-c" && line.args[2] == ":") return false;   // nothing to do
  if (settings.just_print && !prefix.always_runs) return false;
  if (!child->has_environment) {
    session_.set_scope(&file.scope);
    child->environment = session_.ChildEnvironment();
    session_.set_scope(before);
    child->has_environment = true;
    if (session_.is_over()) return false;
  }
  line.environment = child->environment;
  line.is_make = prefix.always_runs;
  if (collects) {
    line.out = &child->out;
    line.err = &child->err;
  }
  const auto id = session_.host().Start(line);
  if (id) {
    children_[*id] = std::move(child);
    return true;
  }
  session_.host().Err(session_.Prefix() + line.args[0] + ": " + std::string(id.error().Text()) + "\n");
  ReportFailure(*child, ChildEnd{.status = 127, .signal_text = {}}, child->ignores_errors);
  if (child->ignores_errors) return false;
  EndChild(std::move(child), Outcome::kFailed);
  if (!settings.keeps_going && !is_ending_ && !GoalOf(file).dont_care) StopForFailure();
  return true;
}

void Updater::ReportFailure(Child& child, const ChildEnd& end, bool is_ignored) {
  const File& file = *child.file;
  if (!is_ignored && GoalOf(file).dont_care) return;
  if (!is_ignored) ShowGoalError(file);
  const Location& at = file.recipe->where;
  std::string text = is_ignored ? "[" : "*** [";
  text += at.file.empty() ? "<builtin>" : at.file + ":" + std::to_string(at.line + (graph_.one_shell ? 0 : child.next - 1));
  text += ": " + file.name + "] ";
  text += end.signal != 0 ? end.signal_text : "Error " + std::to_string(end.status);
  if (is_ignored) text += " (ignored)";
  if (Collects()) {
    child.err += session_.Prefix() + text + "\n";
    return;
  }
  session_.Warn({}, text);
}

void Updater::DeleteTargets(const Child& child) {
  const auto remove = [&](File& file) {
    if (file.is_precious || file.is_phony) return;
    const auto now = session_.TimeOfName(file.path);
    if (!now || (child.time_before && *now == *child.time_before)) return;
    if (AsMember(file.path)) return session_.Error({}, "[" + child.file->name + "] Archive member '" + file.name + "' may be bogus; not deleted");
    session_.Error({}, "Deleting file '" + file.path + "'");
    if (const Status removed = session_.host().Remove(file.path); !removed) {
      session_.host().Err(session_.Prefix() + "unlink: " + file.path + ": " + std::string(removed.error().Text()) + "\n");
    }
  };
  remove(*child.file);
  for (File* other : child.file->also_made) remove(*other);
}

void Updater::EndChild(std::unique_ptr<Child> child, Outcome outcome) {
  File& file = *child->file;
  PutOut(*child);
  file.outcome = std::max(file.outcome, outcome);
  FinishFile(file);
  if (!child->ran_any && !file.is_phony && TimeOf(file) == kMissing) file.time = kNewest;
  ReturnTokens();
}

void Updater::Reap() {
  const auto end = session_.host().WaitAny();
  const auto found = end ? children_.find(end->id) : children_.end();
  if (found == children_.end()) {
    for (auto& [id, child] : children_) EndChild(std::move(child), Outcome::kFailed);
    children_.clear();
    ReturnTokens();
    return;
  }
  std::unique_ptr<Child> child = std::move(found->second);
  children_.erase(found);
  if (session_.settings().sync == Settings::Sync::kLine && end->status == 0 && end->signal == 0) PutOut(*child);
  const bool failed = end->status != 0 || end->signal != 0;
  if (!failed) return Advance(std::move(child));
  if (session_.settings().asks && end->status == 1 && end->signal == 0) {   // a make below, asked
    return EndChild(std::move(child), Outcome::kQuestion);
  }
  ReportFailure(*child, *end, child->ignores_errors);
  if (child->ignores_errors) return Advance(std::move(child));
  if (graph_.deletes_on_error || end->signal != 0) DeleteTargets(*child);
  const bool may_fail = GoalOf(*child->file).dont_care;
  EndChild(std::move(child), Outcome::kFailed);
  if (!session_.settings().keeps_going && !is_ending_ && !may_fail) StopForFailure();
}

void Updater::StopForFailure() {
  is_ending_ = true;
  if (!children_.empty()) session_.Error({}, "Waiting for unfinished jobs....");
  while (!children_.empty() && !session_.is_over()) Reap();
  session_.End(2);
}

}  // namespace paddock::make
