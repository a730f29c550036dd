#include "lang/awk/extension_streams.h"

#include <algorithm>
#include <utility>

#include "base/budget.h"

namespace paddock::awk {
namespace {

// Text that it holds itself.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::make_shared<std::string>(std::move(text))) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view bytes = std::string_view(*text_).substr(at_, max);
    at_ += bytes.size();
    return Block{text_, bytes};
  }
  void GiveBack(size_t count) override { at_ -= count; }

 private:
  std::shared_ptr<std::string> text_;
  size_t at_ = 0;
};

// "inode/name/type" of each entry.
Result<std::string> DirectoryText(Host& host, std::string_view path) {
  PADDOCK_ASSIGN(auto entries, host.ListDirectory(path));
  const std::string folder(path);
  std::string text;
  for (const char* const name : {".", ".."}) {
    PADDOCK_ASSIGN(const FileStatus status, host.Stat(folder + "/" + name, true));
    text += std::to_string(status.inode) + "/" + name + "/d\n";
  }
  for (const FileEntry& entry : entries) {
    host.budget().Step();
    text += std::to_string(entry.inode) + "/" + entry.name + "/" + entry.type + "\n";
  }
  return text;
}

class ReversingSink final : public ByteSink {
 public:
  ReversingSink(std::unique_ptr<ByteSink> target, Budget& budget) : target_(std::move(target)), budget_(budget) {}
  Status Write(std::string_view bytes) override {
    budget_.Step(static_cast<int64_t>(bytes.size() / 64));
    return target_->Write(std::string(bytes.rbegin(), bytes.rend()));
  }

 private:
  std::unique_ptr<ByteSink> target_;
  Budget& budget_;
};

class Mirror final : public Coprocess, public ByteSource, public ByteSink {
 public:
  explicit Mirror(Budget& budget) : budget_(budget) {}
  ByteSource& output() override { return *this; }
  ByteSink& input() override { return *this; }
  void CloseInput() override {}
  CommandStatus Wait() override { return {}; }

  Status Write(std::string_view bytes) override {
    budget_.WillAllocate(written_.size() + bytes.size());
    written_.append(bytes.rbegin(), bytes.rend());
    return {};
  }
  Result<Block> ReadBlock(size_t max) override {
    if (at_ == taken_->size()) {
      taken_ = std::make_shared<std::string>(std::exchange(written_, {}));
      at_ = 0;
    }
    const std::string_view bytes = std::string_view(*taken_).substr(at_, max);
    at_ += bytes.size();
    return Block{taken_, bytes};
  }
  void GiveBack(size_t count) override { at_ -= count; }

 private:
  Budget& budget_;
  std::string written_;
  std::shared_ptr<std::string> taken_ = std::make_shared<std::string>();
  size_t at_ = 0;
};

}  // namespace

Result<OpenedInput> OpenInput(Host& host, const StreamLibraries& libraries, std::string_view path) {
  OpenedInput opened;
  auto file = host.OpenForReading(path);
  if (!file && file.error().code == Code::kIsDirectory && libraries.lists_directories) {
    PADDOCK_ASSIGN(std::string text, DirectoryText(host, path));
    opened.source = std::make_unique<TextSource>(std::move(text));
    opened.rule = RecordRule{};
    return opened;
  }
  if (!file) return file.error();
  opened.source = std::move(*file);
  if (libraries.reads_whole_files && libraries.reads_whole_files()) opened.rule = RecordRule{RecordRule::Kind::kWhole};
  return opened;
}

std::unique_ptr<ByteSink> MakeReversingSink(std::unique_ptr<ByteSink> target, Budget& budget) {
  return std::make_unique<ReversingSink>(std::move(target), budget);
}

std::unique_ptr<Coprocess> MakeMirror(Budget& budget) { return std::make_unique<Mirror>(budget); }

}  // namespace paddock::awk
