// The invocation as bc and dc see it.
#pragma once

#include <charconv>

#include "lang/bc/host.h"
#include "proc/command.h"

namespace paddock {

class CalculatorHost final : public bc::Host {
 public:
  explicit CalculatorHost(Invocation& in) : in_(in) {}

  int ReadByte() override {
    if (!in_.in.has_buffered()) in_.out.Flush();
    return in_.in.Get();
  }
  void Write(std::string_view bytes) override { in_.out.Write(bytes); }
  void Flush() override {
    if (in_.out.buffered_bytes() > 0 && !in_.in.has_buffered()) in_.out.Flush();
  }
  void Complain(std::string_view line) override {
    in_.out.Flush();
    in_.err.Write(std::string(line) + "\n");
  }
  void ComplainPart(std::string_view text) override {
    in_.out.Flush();
    in_.err.Write(text);
  }
  void RunShell(std::string_view command) override {
    in_.out.Flush();
    ChildSpec spec;
    spec.args = {"sh", "-c", std::string(command)};
    spec.environment = &in_.env;
    if (const auto status = in_.launcher.Run(in_.process, spec); !status) Complain("sh: " + std::string(status.error().Text()));
  }
  Budget& budget() override { return in_.budget; }

 private:
  Invocation& in_;
};

// The width of lines that a variable sets: 70 unless it holds 0 or 3 and more.
inline uint64_t LineWidth(const Environment& environment, std::string_view variable) {
  const std::string_view text = environment.Get(variable, "");
  uint64_t width = 70;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc() || end != text.data() + text.size()) return 70;
  return width == 1 || width == 2 ? 70 : width;
}

}  // namespace paddock
