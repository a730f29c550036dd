#include "lang/jq/jq.h"

#include "lang/jq/compiler.h"
#include "lang/jq/pattern_cache.h"

namespace paddock::jq {

struct Runner::State {
  explicit State(Host& host) : context{host, host.budget(), patterns, Value(), false, 0, Value()} {}
  Program program;
  PatternCache patterns;
  NativeContext context;
};

Runner::Runner(Host& host) : state_(std::make_unique<State>(host)) {}
Runner::~Runner() = default;

bool Runner::Compile(std::string_view source, const std::vector<std::pair<std::string, Value>>& variables,
                     std::vector<std::string>& complaints) {
  Compiler compiler(state_->context.host, state_->context.budget);
  for (const auto& [name, value] : variables) compiler.AddVariable(name, value);
  std::vector<Compiler::Report> reports;
  const bool is_ok = compiler.Compile(source, state_->program, reports);
  for (Compiler::Report& report : reports) complaints.push_back(std::move(report.message));
  if (is_ok) machine_ = std::make_unique<Machine>(state_->program, state_->context);
  return is_ok;
}

int Runner::halt_status() const { return state_->context.halt_status; }
const Value& Runner::halt_message() const { return state_->context.halt_message; }

}  // namespace paddock::jq
