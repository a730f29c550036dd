// Fuzz target of make: any makefile is read, expanded and carried out, or refused, within the budget.
// The input is a byte of flags and the makefile. Files are in memory, commands end at once.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bounded_run.h"
#include "lang/make/make.h"

namespace paddock {
namespace {

class MemoryHost final : public make::Host {
 public:
  MemoryHost(std::string makefile, Budget& budget) : budget_(budget) {
    files_["Makefile"] = std::move(makefile);
    files_["a.c"] = files_["b"] = "";
  }
  Budget& budget() override { return budget_; }
  void Out(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  void Err(std::string_view text) override { budget_.ChargeOutput(text.size()); }
  std::optional<Nanoseconds> ModifyTime(const std::string& path) override {
    return files_.contains(path) ? std::optional(Nanoseconds(1000)) : std::nullopt;
  }
  void Foresee(make::Words) override {}
  std::vector<make::DirectoryName> List(const std::string&) override {
    std::vector<make::DirectoryName> names;
    for (const auto& [name, text] : files_) names.push_back({name, false});
    return names;
  }
  Result<std::string> Read(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return Code::kNoEntry;
    return found->second;
  }
  Status Write(const std::string& path, std::string_view text, bool) override {
    if (files_.size() > 16) return Code::kNoSpace;
    files_[path] = text;
    return {};
  }
  Status Touch(const std::string& path) override { return Write(path, "", false); }
  Result<std::vector<make::ArchiveMember>> Members(const std::string& archive) override {
    if (!archive.ends_with(".a")) return Code::kInvalid;
    return std::vector<make::ArchiveMember>{{"a.o", Nanoseconds(500)}, {"b.o", Nanoseconds(1500)}};
  }
  Status TouchMember(const std::string&, const std::string& member) override {
    return member == "a.o" ? Status() : Status(Error(Code::kNoEntry, "no such member"));
  }
  Status Remove(const std::string& path) override { return files_.erase(path) > 0 ? Status() : Status(Code::kNoEntry); }
  std::optional<std::string> Canonical(const std::string& path) override { return "/" + path; }
  std::string Cwd() override { return "/"; }
  Nanoseconds Now() override { return Nanoseconds(2000); }
  Result<int> Start(const make::ChildLine& line) override {
    if (line.args[0] == "missing") return Code::kNoEntry;
    return running_ = ++last_;
  }
  std::optional<make::ChildEnd> WaitAny() override {
    if (running_ == 0) return std::nullopt;
    return make::ChildEnd{std::exchange(running_, 0), last_ % 5 == 0 ? 1 : 0, 0, ""};
  }
  std::string MakeTokens(size_t count) override {
    tokens_ = std::min<size_t>(count, 64);
    return "3,4";
  }
  bool JoinTokens(int read, int write) override { return read == 3 && write == 4; }
  bool TakeToken() override { return tokens_ > 0 && tokens_-- > 0; }
  void ReturnToken() override { ++tokens_; }
  size_t DrainTokens() override { return std::exchange(tokens_, 0); }
  Result<std::pair<std::string, int>> Capture(const make::ChildLine& line) override {
    return std::pair(line.args.back().substr(0, 64), 0);
  }

 private:
  Budget& budget_;
  std::map<std::string, std::string> files_;
  int last_ = 0, running_ = 0;
  size_t tokens_ = 0;
};

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  make::Settings settings;
  settings.just_print = (flags & 1) != 0;
  settings.keeps_going = (flags & 2) != 0;
  settings.always_makes = (flags & 4) != 0;
  settings.has_no_rules = (flags & 8) != 0;
  settings.touches = (flags & 16) != 0;
  settings.environment_wins = (flags & 32) != 0;
  settings.traces = (flags & 64) != 0;
  settings.prints_data_base = settings.debugs = settings.debugs_more = (flags & 128) != 0;
  MemoryHost host(std::string(data.substr(1)), budget);
  bool again = false;
  make::Run(settings, host, &again);
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
