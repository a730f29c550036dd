// Fuzz target of the Perl that rename runs: any code is refused or runs within bounds. The input is the name, a newline, and the code.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/perl/perl.h"

namespace paddock {
namespace {

class Host final : public PerlHost {
 public:
  std::string FileTest(char test, std::string_view path) override { return test == 'e' && !path.empty() ? "1" : ""; }
  void Warn(std::string_view text) override { bytes += text.size(); }
  void Print(std::string_view text) override { bytes += text.size(); }
  size_t bytes = 0;
};

void RunOne(std::string_view data, Budget& budget) {
  const size_t line = data.find('\n');
  std::string name(data.substr(0, line));
  auto program = PerlProgram::Compile(line == std::string_view::npos ? data : data.substr(line + 1), budget);
  if (!program) {
    PADDOCK_CHECK(program.error().code == Code::kSyntax);
    return;
  }
  Host host;
  for (int i = 0; i < 2; ++i) {
    const Status ran = program->Run(name, host, budget);
    PADDOCK_CHECK(ran.has_value() || !ran.error().Text().empty());
  }
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
