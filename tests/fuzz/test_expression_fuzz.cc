// Fuzz target of the expressions of test: any arguments, one a line, are true, false or complained about once. Operators are those of the
// host below: -a letter is unary, and words with '=' or a digit are binary.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/test/test_expression.h"

namespace paddock {
namespace {

class Host final : public TestHost {
 public:
  explicit Host(Budget& budget) : budget_(budget) {}
  bool IsUnary(std::string_view op) override { return op.size() == 2 && op[0] == '-' && op[1] >= 'b'; }
  bool IsBinary(std::string_view op) override { return op.find_first_of("=0123456789") != std::string_view::npos; }
  bool Unary(std::string_view op, const std::string& operand) override { return op[1] == 'n' ? !operand.empty() : operand.empty(); }
  std::optional<bool> Binary(std::string_view op, const std::string& left, const std::string& right) override {
    if (op[0] != '0') return left == right;
    Complain(op);
    return std::nullopt;
  }
  void Complain(std::string_view) override { ++complaints; }
  Budget& budget() override { return budget_; }

  int complaints = 0;

 private:
  Budget& budget_;
};

void RunOne(std::string_view text, Budget& budget) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    arguments.emplace_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  Host host(budget);
  const int status = EvaluateTest(host, arguments);
  PADDOCK_CHECK(status >= 0 && status <= 2);
  PADDOCK_CHECK((status == 2) == (host.complaints > 0));
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) { paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget); });
  return 0;
}
