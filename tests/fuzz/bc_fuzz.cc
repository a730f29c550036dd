// Fuzz target of bc and dc: any program is refused or runs within the budget.
// The input is a byte of flags, the program, a line "--" and standard input.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "lang/bc/bc.h"
#include "lang/bc/dc.h"

namespace paddock {
namespace {

class MemoryHost final : public bc::Host {
 public:
  MemoryHost(Budget& budget, std::string_view input) : budget_(budget), input_(input) {}
  int ReadByte() override { return at_ < input_.size() ? static_cast<unsigned char>(input_[at_++]) : -1; }
  void Write(std::string_view bytes) override { budget_.ChargeOutput(bytes.size()); }
  void Flush() override {}
  void Complain(std::string_view line) override { budget_.ChargeOutput(line.size() + 1); }
  void ComplainPart(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  void RunShell(std::string_view) override {}
  Budget& budget() override { return budget_; }

 private:
  Budget& budget_;
  std::string_view input_;
  size_t at_ = 0;
};

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const size_t end = data.find("\n--\n");
  const std::string program(data.substr(0, end));
  MemoryHost host(budget, end == std::string_view::npos ? "5\n-2.5\n" : data.substr(end + 4));
  const uint64_t width = (flags & 4) != 0 ? 5 : 70;
  if ((flags & 1) != 0) {
    bc::Dc(host, width).RunText(program);
    return;
  }
  const int status = bc::RunBc({{"program", program}}, {.has_math = (flags & 2) != 0, .is_standard = (flags & 8) != 0,
                                                        .warns = (flags & 16) != 0, .line_width = width}, host);
  PADDOCK_CHECK(status == 0);
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne({reinterpret_cast<const char*>(data), size}, budget);
  });
  return 0;
}
