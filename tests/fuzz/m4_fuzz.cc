// Fuzz target of m4: any text is expanded or refused, within the budget. The input is a byte of flags and the text; it can include
// itself. Commands end at once and say what they were.
#include <cstdint>
#include <string>
#include <string_view>

#include "bounded_run.h"
#include "lang/m4/m4.h"

namespace paddock {
namespace {

class MemoryHost final : public m4::Host {
 public:
  MemoryHost(std::string_view text, Budget& budget) : text_(text), budget_(budget) {}
  Budget& budget() override { return budget_; }
  void Out(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  void Err(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  Result<std::string> Read(const std::string& name) override {
    if (name != "-" && name != "self") return Code::kNoEntry;
    return std::string(text_);
  }
  Status Write(const std::string&, std::string_view text) override {
    budget_.ChargeOutput(text.size());
    return {};
  }
  Status SetDebugFile(const std::optional<std::string>& name) override { return name && name->size() > 8 ? Status(Code::kNoEntry) : Status(); }
  void Debug(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  Result<std::string> MakeTemporaryFile(const std::string& name_template) override { return name_template.size() > 8 ? Result<std::string>(Code::kNoEntry) : name_template + "abcdef"; }
  int64_t ProcessId() override { return 7; }
  std::pair<std::string, int> RunShell(const std::string& command, bool captures) override {
    return {captures ? command.substr(0, 64) : "", static_cast<int>(command.size() % 3)};
  }

 private:
  std::string_view text_;
  Budget& budget_;
};

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  m4::Settings settings;
  settings.prefixes_builtins = (flags & 1) != 0;
  settings.is_silent = (flags & 2) != 0;
  settings.fatal_warnings = (flags >> 2) & 3;
  settings.nesting_limit = (flags & 16) != 0 ? 8 : 0;
  settings.is_traditional = (flags & 32) != 0;
  if ((flags & 64) != 0) settings.debug_flags = "V";
  settings.argument_length = (flags & 128) != 0 ? 5 : 0;
  if ((flags & 130) == 130) settings.frozen_from = "self";
  if ((flags & 6) == 6) settings.frozen_to = "frozen";
  settings.synchronizes = (flags & 9) == 9;
  MemoryHost host(data.substr(1), budget);
  m4::Run(settings, {{m4::Step::Kind::kDefine, "x=y"}, {m4::Step::Kind::kFile, "-"}}, host);
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
