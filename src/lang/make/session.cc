#include "lang/make/session.h"

#include <algorithm>

#include "lang/make/defaults.h"
#include "lang/make/words.h"

namespace paddock::make {

Session::Session(Settings settings, Host& host) : settings_(std::move(settings)), host_(host), scope_(&globals_) {
  SetDefaults();
  ImportEnvironment();
}

OutputPiece::OutputPiece(Session& session) : session_(session) {
  const Settings& settings = session.settings();
  is_active_ = settings.sync > Settings::Sync::kNone && settings.jobs != 1 && settings.prints_directory && !settings.never_prints_directory;
  if (!is_active_) return;
  session.host().before_output = [this] {
    has_entered_ = true;
    session_.Say("Entering directory '" + session_.host().Cwd() + "'");
  };
}

OutputPiece::~OutputPiece() {
  if (!is_active_) return;
  session_.host().before_output = nullptr;
  if (has_entered_) session_.Say("Leaving directory '" + session_.host().Cwd() + "'");
}

std::string Session::Prefix() const {
  return settings_.level > 0 ? settings_.program + "[" + std::to_string(settings_.level) + "]: " : settings_.program + ": ";
}

void Session::Say(std::string_view text) { host_.Out(Prefix() + std::string(text) + "\n"); }

void Session::Debug(bool is_more, size_t depth, std::string_view text) {
  if (!settings_.debugs || (is_more && !settings_.debugs_more)) return;
  budget().Step(static_cast<int64_t>(depth));
  host_.Out(std::string(depth, ' ') + std::string(text) + "\n");
}

void Session::Warn(const Location& at, std::string_view text) {
  if (is_over_) return;
  host_.Err((at.file.empty() ? Prefix() : at.file + ":" + std::to_string(at.line) + ": ") + std::string(text) + "\n");
}

void Session::Error(const Location& at, std::string_view text) { Warn(at, "*** " + std::string(text)); }

void Session::Fatal(const Location& at, std::string_view text) {
  Error(at, std::string(text) + ".  Stop.");
  End(2);
}

void Session::ImportEnvironment() {
  for (const auto& [name, value] : settings_.environment) {
    if (name == "MAKEFLAGS" || name == "MAKELEVEL" || name == "SHELL" || name == "MAKE_RESTARTS") continue;
    Variable* variable = Set(globals_, name, value, Origin::kEnvironment);
    variable->export_mode = Export::kYes;
  }
}

void Session::SetDefaults() {
  const auto set = [&](std::string_view name, std::string value, Origin origin = Origin::kDefault, bool is_recursive = true) {
    return Set(globals_, name, std::move(value), origin, is_recursive);
  };
  if (!settings_.has_no_variables) {
    for (const auto& [name, value] : DefaultVariables()) set(name, std::string(value));
  }
  for (const char name : std::string_view("@%*<^+?|")) {
    const std::string of = std::string("$") + name;
    set(std::string(1, name) + "D", "$(patsubst %/,%,$(dir " + of + "))", Origin::kAutomatic);
    set(std::string(1, name) + "F", "$(notdir " + of + ")", Origin::kAutomatic);
  }
  set("MAKE_VERSION", "4.3", Origin::kDefault, false);
  set("MAKE_HOST", "x86_64-pc-linux-gnu", Origin::kDefault, false);
  set("MAKE_COMMAND", settings_.program, Origin::kDefault, false);
  set("MAKE", "$(MAKE_COMMAND)");
  set("SHELL", "/bin/sh");
  set(".SHELLFLAGS", "-c");
  set(".RECIPEPREFIX", "");
  std::string directories;
  for (const std::string& directory : settings_.include_directories) directories += directory + " ";
  set(".INCLUDE_DIRS", directories + "/usr/include", Origin::kDefault, false);
  set(".FEATURES", "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target extra-prereqs archives jobserver output-sync check-symlink", Origin::kDefault, false);
  set("SUFFIXES", settings_.has_no_rules ? "" : std::string(DefaultSuffixes()), Origin::kDefault, false);
  set("CURDIR", host_.Cwd(), Origin::kFile, false);
  set("MAKEFILE_LIST", "", Origin::kFile, false);
  set("MAKEFILES", "", Origin::kDefault);
  set("MAKELEVEL", std::to_string(settings_.level), Origin::kEnvironment, false);
  if (settings_.restarts > 0) set("MAKE_RESTARTS", std::to_string(settings_.restarts), Origin::kFile, false);
}

std::optional<Nanoseconds> Session::TimeOfName(const std::string& name) {
  const auto parts = AsMember(name);
  if (!parts) return host_.ModifyTime(name);
  const auto members = host_.Members(std::string(parts->archive));
  if (!members) return std::nullopt;
  const std::string_view wanted = parts->member.substr(parts->member.rfind('/') + 1);
  for (const ArchiveMember& member : *members) {
    budget().Step();
    if (member.name == wanted) return member.time;
  }
  return std::nullopt;
}

Variable* Session::Find(std::string_view name) {
  bool is_parent = false;
  for (Scope* scope = scope_; scope != nullptr; scope = scope->next) {
    budget().Step();
    const auto found = scope->variables.find(name);
    if (found != scope->variables.end() && !(is_parent && found->second.is_private)) return &found->second;
    is_parent = is_parent || scope->next_is_parent;
  }
  return nullptr;
}

Variable* Session::FindGlobal(std::string_view name) {
  const auto found = globals_.variables.find(name);
  return found == globals_.variables.end() ? nullptr : &found->second;
}

Variable* Session::Set(Scope& scope, std::string_view name, std::string value, Origin origin, bool is_recursive) {
  auto [it, is_new] = scope.variables.try_emplace(std::string(name));
  Variable& variable = it->second;
  if (!is_new && settings_.environment_wins && variable.origin == Origin::kEnvironment) variable.origin = Origin::kEnvironmentOverride;
  if (!is_new && origin < variable.origin) return &variable;
  variable.value = std::move(value);
  variable.origin = origin;
  variable.is_recursive = is_recursive;
  variable.where = where;
  variable.appends = false;
  return &variable;
}

void Session::Define(Scope& scope, const Assignment& assignment, Origin origin, bool is_target, const Location& at) {
  const Location before = std::exchange(where, at);
  const std::string name(Trim(Expand(assignment.name)));
  if (name.empty()) {
    if (!is_over_) Fatal(at, "empty variable name");
    return;
  }
  if (assignment.is_override) origin = Origin::kOverride;
  Variable* const old = is_target ? (scope.variables.contains(name) ? &scope.variables.find(name)->second : nullptr) : Find(name);
  Variable* made = nullptr;
  switch (assignment.how) {
    case Assign::kConditional:
      if ((is_target ? Find(name) : old) == nullptr) made = Set(scope, name, assignment.value, origin);
      break;
    case Assign::kSimple:
      made = Set(scope, name, Expand(assignment.value), origin, false);
      break;
    case Assign::kShell:
      made = Set(scope, name, ShellOutput(Expand(assignment.value), false), origin);
      break;
    case Assign::kAppend: {
      if (old == nullptr) {
        made = Set(scope, name, assignment.value, origin);
        made->appends = is_target;
        break;
      }
      const bool is_recursive = old->is_recursive;
      const bool appends = old->appends;
      const std::string more = is_recursive ? assignment.value : Expand(assignment.value);
      std::string value = old->value;
      budget().WillAllocate(value.size() + more.size());
      budget().Step(static_cast<int64_t>(value.size() / 32));
      if (!value.empty() && !more.empty()) value += ' ';
      value += more;
      made = Set(scope, name, std::move(value), origin, is_recursive);
      made->appends = appends;
      break;
    }
    default:
      made = Set(scope, name, assignment.value, origin);
      break;
  }
  if (made != nullptr && is_target && made->origin != Origin::kOverride) {
    const Variable* const global = FindGlobal(name);   // what the command line says holds for every target
    if (global != nullptr && (global->origin == Origin::kCommandLine || global->origin == Origin::kEnvironmentOverride)) {
      made->value = global->value;
      made->origin = global->origin;
      made->is_recursive = global->is_recursive;
      made->appends = false;
    }
  }
  if (made != nullptr) {
    if (assignment.is_private) made->is_private = true;
    if (name == ".RECIPEPREFIX" || name == "MAKEFLAGS") made->where = at;
  }
  if (assignment.export_mode != Export::kDefault) {
    if (Variable* variable = is_target ? made : Find(name)) variable->export_mode = assignment.export_mode;
  }
  where = before;
}

void Session::Undefine(std::string_view name, Origin origin) {
  const auto found = globals_.variables.find(name);
  if (found != globals_.variables.end() && origin >= found->second.origin) globals_.variables.erase(found);
}

std::string Session::RawValue(std::string_view name) {
  const Variable* variable = Find(name);
  return variable == nullptr ? "" : variable->value;
}

std::string Session::ValueOf(std::string_view name) {
  if (is_over_) return {};
  budget().CheckStack();
  const Variable* const variable = Find(name);
  if (variable == nullptr) {
    if (name == ".VARIABLES") {
      std::string all;
      for (const auto& [each, value] : globals_.variables) all += (all.empty() ? "" : " ") + each;
      return all;
    }
    if (settings_.warns_undefined) Warn(where, "warning: undefined variable '" + std::string(name) + "'");
    return {};
  }
  // What is appended to comes first; all of it is expanded for the target that asks.
  std::string value;
  const std::vector<Variable*> chain = AppendedChain(name);
  for (auto it = chain.rbegin(); it != chain.rend() && !is_over_; ++it) {
    const std::string piece = (*it)->is_recursive ? ExpandValue(name, **it) : (*it)->value;
    budget().Step(1 + static_cast<int64_t>(value.size() / 32));
    budget().WillAllocate(value.size() + piece.size());
    if (!value.empty() && !piece.empty()) value += ' ';
    value += piece;
  }
  return value;
}

// The variable and, if it appends, those further out that it goes behind.
std::vector<Variable*> Session::AppendedChain(std::string_view name) {
  std::vector<Variable*> chain;
  bool is_parent = false;
  for (Scope* scope = scope_; scope != nullptr; scope = scope->next) {
    budget().Step();
    const auto found = scope->variables.find(name);
    if (found != scope->variables.end() && !(is_parent && found->second.is_private)) {
      chain.push_back(&found->second);
      if (!found->second.appends) break;
    }
    is_parent = is_parent || scope->next_is_parent;
  }
  return chain;
}

std::string Session::ExpandValue(std::string_view name, Variable& variable) {
  if (variable.depth > 0) {
    Fatal(variable.where.file.empty() ? where : variable.where, "Recursive variable '" + std::string(name) + "' references itself (eventually)");
    return {};
  }
  ++variable.depth;
  const std::string raw = variable.value;
  const Location place = variable_place_;
  if (!variable.where.file.empty()) variable_place_ = variable.where;
  const std::string text = Expand(raw);
  variable_place_ = place;
  // The variable may be gone by now: $(eval undefine …).
  for (Variable* still : AppendedChain(name)) {
    if (still == &variable) still->depth = std::max(still->depth - 1, 0);
  }
  return text;
}

}  // namespace paddock::make
