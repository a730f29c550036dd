// The functions of make that decide what is expanded, that look at variables and that speak.
#include <algorithm>

#include "lang/make/expand.h"
#include "lang/make/words.h"

namespace paddock::make {
namespace {

std::string If(Session& s, Arguments a) {
  if (!s.Expand(Trim(a[0])).empty()) return s.Expand(a[1]);
  return a.size() > 2 ? s.Expand(a[2]) : "";
}

std::string Or(Session& s, Arguments a) {
  for (const std::string& argument : a) {
    std::string value = s.Expand(Trim(argument));
    if (!value.empty()) return value;
  }
  return {};
}

std::string And(Session& s, Arguments a) {
  std::string value;
  for (const std::string& argument : a) {
    value = s.Expand(Trim(argument));
    if (value.empty()) return {};
  }
  return value;
}

// A scope of its own for as long as this lives.
class InnerScope {
 public:
  explicit InnerScope(Session& session) : session_(session) {
    scope_.next = session.scope();
    session.set_scope(&scope_);
  }
  ~InnerScope() { session_.set_scope(scope_.next); }
  InnerScope(const InnerScope&) = delete;
  InnerScope& operator=(const InnerScope&) = delete;
  void Set(std::string_view name, std::string_view value) {
    Variable& variable = scope_.variables[std::string(name)];
    variable.value = value;
    variable.origin = Origin::kAutomatic;
    variable.is_recursive = false;
  }

 private:
  Session& session_;
  Scope scope_;
};

std::string ForEach(Session& s, Arguments a) {
  const std::string name(Trim(s.Expand(a[0])));
  const std::string list = s.Expand(a[1]);
  InnerScope inner(s);
  std::string out;
  bool is_first = true;
  for (const std::string_view word : SplitWords(list, s.budget())) {
    if (s.is_over()) break;
    inner.Set(name, word);
    const std::string value = s.Expand(a[2]);
    if (out.size() + value.size() >= out.capacity()) s.budget().WillAllocate(2 * (out.size() + value.size()));
    if (!is_first) out += ' ';
    is_first = false;
    out += value;
  }
  return out;
}

std::string Call(Session& s, Arguments a) {
  const std::string name(Trim(a[0]));
  if (name.empty()) return {};
  if (const Function* function = FindFunction(name)) {
    const Arguments rest = a.subspan(1);
    if (!function->is_lazy) return CallFunction(s, *function, function->most == 0 ? rest : rest.first(std::min(rest.size(), function->most)));
    return CallFunction(s, *function, rest);
  }
  Variable* variable = s.Find(name);
  if (variable == nullptr || variable->value.empty()) return {};
  InnerScope inner(s);
  for (size_t i = 0; i < a.size(); ++i) inner.Set(std::to_string(i), i == 0 ? std::string_view(name) : std::string_view(a[i]));
  // Arguments of a call around this one are not seen.
  for (size_t i = a.size(); i < 10; ++i) inner.Set(std::to_string(i), "");
  return s.Expand(variable->value);
}

std::string Eval(Session& s, Arguments a) {
  if (s.eval != nullptr) s.eval(s.eval_reader, a[0]);
  return {};
}

std::string Value(Session& s, Arguments a) { return s.RawValue(a[0]); }

std::string OriginOf(Session& s, Arguments a) {
  const Variable* variable = s.Find(a[0]);
  if (variable == nullptr) return "undefined";
  switch (variable->origin) {
    case Origin::kDefault: return "default";
    case Origin::kEnvironment: return "environment";
    case Origin::kFile: return "file";
    case Origin::kEnvironmentOverride: return "environment override";
    case Origin::kCommandLine: return "command line";
    case Origin::kOverride: return "override";
    case Origin::kAutomatic: return "automatic";
  }
  return {};
}

std::string Flavor(Session& s, Arguments a) {
  const Variable* variable = s.Find(a[0]);
  if (variable == nullptr) return "undefined";
  return variable->is_recursive ? "recursive" : "simple";
}

std::string ErrorText(Session& s, Arguments a) {
  s.Fatal(s.where, a[0]);
  return {};
}
std::string Warning(Session& s, Arguments a) {
  s.Warn(s.where, a[0]);
  return {};
}
std::string Info(Session& s, Arguments a) {
  s.host().Out(a[0] + "\n");
  return {};
}

constexpr Function kFunctions[] = {
    {"if", 2, 3, true, If},           {"or", 1, 0, true, Or},           {"and", 1, 0, true, And},
    {"foreach", 3, 3, true, ForEach}, {"call", 1, 0, false, Call},      {"eval", 0, 1, false, Eval},
    {"value", 0, 1, false, Value},    {"origin", 0, 1, false, OriginOf}, {"flavor", 0, 1, false, Flavor},
    {"error", 0, 1, false, ErrorText}, {"warning", 0, 1, false, Warning}, {"info", 0, 1, false, Info},
};

}  // namespace

std::span<const Function> ControlFunctions() { return kFunctions; }

}  // namespace paddock::make
