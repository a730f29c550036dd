// Fuzz target of ed: any commands are done or refused, on any text, within the budget.
// The input is a byte of flags, the commands, a line "--" and the text to edit.
#include <cstdint>
#include <map>
#include <string>

#include "bounded_run.h"
#include "lang/ed/editor.h"

namespace paddock {
namespace {

class MemoryHost final : public ed::Host {
 public:
  MemoryHost(std::string_view commands, std::string text, Budget& budget) : source_(commands), commands_(source_, budget) { files_["in"] = std::move(text); }
  Input& commands() override { return commands_; }
  Output& out() override { return out_; }
  Output& err() override { return err_; }
  Result<std::string> Read(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) return Code::kNoEntry;
    return found->second;
  }
  Status Write(const std::string& name, const std::string& text, bool appends) override {
    if (files_.size() > 8) return Code::kNoSpace;
    std::string& file = files_[name];
    if (!appends) file.clear();
    if (file.size() + text.size() > size_t{1} << 20) return Code::kNoSpace;
    file += text;
    return {};
  }
  Result<int> Run(const std::string& command) override { return static_cast<int>(command.size() % 2); }
  Result<int> ReadFrom(const std::string& command, std::string& text) override {
    text = command.substr(0, 64);
    return 0;
  }
  Result<int> WriteTo(const std::string&, const std::string& text) override { return static_cast<int>(text.size() % 2); }

 private:
  std::map<std::string, std::string> files_;
  StringSource source_;
  Input commands_;
  StringSink out_sink_, err_sink_;
  Output out_{out_sink_}, err_{err_sink_};
};

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const size_t end = data.find("\n--\n");
  const std::string_view commands = data.substr(0, end == std::string_view::npos ? end : end + 1);
  const std::string text(end == std::string_view::npos ? "one two\nthree\n\nb\xc3\xa4r\n" : data.substr(end + 4));
  ed::EditorOptions options;
  options.is_extended = (flags & 1) != 0;
  options.is_loose = (flags & 2) != 0;
  options.is_restricted = (flags & 4) != 0;
  options.is_script = (flags & 8) != 0;
  options.is_verbose = (flags & 16) != 0;
  options.strips_returns = (flags & 32) != 0;
  options.is_utf8 = (flags & 64) == 0;
  options.has_prompt = (flags & 128) != 0;
  options.file = "in";
  MemoryHost host(commands, text, budget);
  (void)ed::Edit(options, host, budget);
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
