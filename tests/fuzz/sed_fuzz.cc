// Fuzz target of sed: any script is read or refused, and runs on any input within the budget.
// The input is a byte of flags, the script, a line "--" and the text to edit.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bounded_run.h"
#include "lang/sed/executor.h"
#include "lang/sed/parser.h"

namespace paddock {
namespace {

// A file that keeps its own copy of the text.
class TextFile final : public ByteSource {
 public:
  explicit TextFile(std::string text) : text_(std::move(text)), source_(text_) {}
  Result<Block> ReadBlock(size_t max) override { return source_.ReadBlock(max); }
  void GiveBack(size_t count) override { source_.GiveBack(count); }

 private:
  const std::string text_;
  StringSource source_;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(std::string& text) : text_(text) {}
  Status Write(std::string_view bytes) override {
    text_.append(bytes);
    return {};
  }

 private:
  std::string& text_;
};

class MemoryHost final : public sed::Host {
 public:
  MemoryHost(std::string input, Budget& budget) : budget_(budget) { files_["in"] = std::move(input); }

  Output& out() override { return out_; }
  Output& err() override { return err_; }
  Result<std::string> Follow(const std::string& name) override { return name; }
  Result<sed::SourceFile> Open(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) return Code::kNoEntry;
    sed::SourceFile file;
    file.keep = std::make_shared<TextFile>(found->second);
    file.own = std::make_unique<Input>(*file.keep, budget_);
    file.input = file.own.get();
    return file;
  }
  sed::SourceFile OpenStandardInput() override { return std::move(*Open("in")); }
  Result<std::shared_ptr<ByteSink>> Create(const std::string& name) override {
    if (files_.size() > 8) return Code::kNoSpace;
    files_[name].clear();
    return std::shared_ptr<ByteSink>(std::make_shared<FileSink>(files_[name]));
  }
  Result<std::shared_ptr<ByteSink>> BeginReplace(const std::string&) override { return Create("draft"); }
  Status CommitReplace(const std::string& name, const std::string& suffix) override {
    if (!suffix.empty()) files_[name + suffix] = files_[name];
    files_[name] = files_["draft"];
    return {};
  }
  Result<std::string> RunShell(const std::string& command) override { return command.substr(0, 64); }

 private:
  Budget& budget_;
  std::map<std::string, std::string> files_;
  StringSink out_sink_, err_sink_;
  Output out_{out_sink_}, err_{err_sink_};
};

void RunOne(std::string_view data, Budget& budget) {
  const auto flags = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const size_t end = data.find("\n--\n");
  const std::string script(data.substr(0, end));
  const std::string input(end == std::string_view::npos ? "one two\nthree\n\nb\xc3\xa4r\n" : data.substr(end + 4));

  sed::ParseOptions parse;
  parse.is_extended = (flags & 1) != 0;
  parse.is_posix = (flags & 2) != 0;
  parse.is_correct = (flags & 6) == 6;
  parse.is_utf8 = (flags & 4) == 0;
  parse.is_zero_terminated = (flags & 8) != 0;
  const auto program = sed::ParseScript({{.is_file = false, .name = {}, .text = script}}, parse, budget);
  if (!program) return;

  sed::RunOptions run;
  run.is_quiet = (flags & 16) != 0;
  run.is_separate = (flags & 32) != 0;
  run.in_place = (flags & 64) != 0;
  run.backup_suffix = "~";
  run.is_posix = parse.is_posix;
  run.is_utf8 = parse.is_utf8;
  run.is_unbuffered = run.debugs = (flags & 128) != 0;
  run.delimiter = parse.is_zero_terminated ? '\0' : '\n';
  MemoryHost host(input, budget);
  (void)sed::RunScript(*program, {"in", "missing", "in"}, run, host, budget);
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
