#include "shell/builtins/test.h"

#include "lang/test/test_expression.h"
#include "shell/exec/condition.h"

namespace paddock::shell {
namespace {

class Host final : public TestHost {
 public:
  Host(Shell& shell, std::string_view name) : shell_(shell), name_(name) {}
  bool IsUnary(std::string_view op) override { return IsUnaryTest(op); }
  bool IsBinary(std::string_view op) override { return IsBinaryTest(op); }
  bool Unary(std::string_view op, const std::string& operand) override { return TestUnary(shell_, op, operand); }
  std::optional<bool> Binary(std::string_view op, const std::string& left, const std::string& right) override {
    return TestBinary(shell_, op, left, right, name_);
  }
  void Complain(std::string_view message) override { shell_.Complain(name_, message); }
  Budget& budget() override { return shell_.budget(); }

 private:
  Shell& shell_;
  std::string_view name_;
};

}  // namespace

int RunTest(Shell& shell, const BuiltinCall& call) {
  std::span<const std::string> arguments = call.args.subspan(1);
  if (call.args[0] == "[") {
    if (arguments.empty() || arguments.back() != "]") {
      shell.Complain("[", "missing `]'");
      return 2;
    }
    arguments = arguments.first(arguments.size() - 1);
  }
  Host host(shell, call.args[0]);
  return EvaluateTest(host, arguments);
}

}  // namespace paddock::shell
