#include "commands/text/rg_program.h"

#include <string_view>

#include "commands/child_output.h"

namespace paddock {
namespace {

std::vector<std::string> UnpackerFor(std::string_view path) {
  struct Unpacker {
    std::string_view suffix;
    std::vector<std::string> command;
  };
  static const std::vector<Unpacker> kUnpackers = {
      {".gz", {"gzip", "-d", "-c"}},    {".tgz", {"gzip", "-d", "-c"}},   {".bz2", {"bzip2", "-d", "-c"}},        {".tbz2", {"bzip2", "-d", "-c"}},
      {".xz", {"xz", "-d", "-c"}},      {".txz", {"xz", "-d", "-c"}},     {".lz4", {"lz4", "-d", "-c"}},          {".lzma", {"xz", "--format=lzma", "-d", "-c"}},
      {".br", {"brotli", "-d", "-c"}},  {".zst", {"zstd", "-q", "-d", "-c"}}, {".zstd", {"zstd", "-q", "-d", "-c"}}, {".Z", {"uncompress", "-c"}}};
  for (const Unpacker& one : kUnpackers) {
    if (path.ends_with(one.suffix)) return one.command;
  }
  return {};
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "\"";
}

// rg's words for what goes wrong with a program, the file's name in front left out.
class Words {
 public:
  explicit Words(const RgProgram& program) : is_preprocessor_(program.is_preprocessor) {
    for (const std::string& arg : program.args) command_ += (command_.empty() ? "" : " ") + Quoted(arg);
  }
  Error CannotStart(const Error& error) const {
    const std::string reason = std::string(error.Text()) + " (os error " + std::to_string(static_cast<int>(error.code)) + ")";
    return Error(error.code, "preprocessor command could not start: '" + command_ + "': " + reason);
  }
  Error Failed(const std::string& complaints) const {
    return Error(Code::kIo, is_preprocessor_ ? "preprocessor command failed: '" + command_ + "': " + Framed(complaints) : Framed(complaints));
  }
  static std::string Framed(std::string_view complaints) {
    while (complaints.ends_with('\n')) complaints.remove_suffix(1);
    while (complaints.starts_with('\n')) complaints.remove_prefix(1);
    const std::string rule(79, '-');
    return complaints.empty() ? "<stderr is empty>" : "\n" + rule + "\n" + std::string(complaints) + "\n" + rule;
  }

 private:
  bool is_preprocessor_;
  std::string command_;
};

class ProgramSource final : public RgProgramOutput {
 public:
  ProgramSource(std::unique_ptr<ChildReader> child, Words words) : child_(std::move(child)), words_(std::move(words)) {}
  Status Close() override {
    if (std::exchange(is_over_, true)) return {};
    PADDOCK_ASSIGN(const proc::WaitStatus ended, child_->Wait());
    return ended.status == 0 || child_->complaints().empty() ? Status() : Error(Code::kIo, Words::Framed(child_->complaints()));
  }
  Result<Block> ReadBlock(size_t max) override {
    if (is_over_) return Block{};
    auto block = child_->ReadBlock(max);
    if (!block || !block->bytes.empty()) return block;
    is_over_ = true;
    PADDOCK_ASSIGN(const proc::WaitStatus ended, child_->Wait());
    if (ended.status != 0) return words_.Failed(child_->complaints());
    return Block{};
  }
  void GiveBack(size_t) override {}

 private:
  std::unique_ptr<ChildReader> child_;
  Words words_;
  bool is_over_ = false;
};

}  // namespace

std::optional<RgProgram> RgProgramFor(Invocation& in, const RgProgramSettings& settings, const std::string& path) {
  if (!settings.preprocessor.empty()) {
    const IgnoreGlobList& globs = settings.preprocessor_globs;
    const IgnoreVerdict verdict = globs.Check(path, false, in.budget);
    const bool is_wanted = verdict == IgnoreVerdict::kIgnore || (verdict == IgnoreVerdict::kNone && !globs.has_positive());
    return is_wanted ? std::optional(RgProgram{{settings.preprocessor, path}, true}) : std::nullopt;
  }
  if (!settings.unpacks) return std::nullopt;
  std::vector<std::string> args = UnpackerFor(path);
  // As in the real one, what there is no unpacker for is searched as it is.
  if (args.empty() || !in.launcher.FindProgram(in.process, in.env, args[0])) return std::nullopt;
  args.push_back(path);
  return RgProgram{std::move(args), false};
}

Result<std::unique_ptr<RgProgramOutput>> StartRgProgram(Invocation& in, const RgProgram& program, const std::string& path) {
  PADDOCK_ASSIGN(vfs::OpenFilePtr input, in.fs.Open(path, vfs::OpenFlags::Read()));
  auto child = ChildReader::Start(in, program.args, program.is_preprocessor ? std::move(input) : nullptr);
  const Words words(program);
  if (!child) return words.CannotStart(child.error());
  return std::unique_ptr<RgProgramOutput>(std::make_unique<ProgramSource>(std::move(*child), words));
}

}  // namespace paddock
