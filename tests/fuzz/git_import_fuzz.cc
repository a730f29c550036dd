// Fuzz target of the stream that git fast-import reads. Commands come in the order of their bytes, data is no longer than what was read,
// paths have no NUL, and changes of files stand behind a commit.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/stream.h"
#include "bounded_run.h"
#include "git/import_stream.h"

namespace {

using namespace paddock;

class BytesSource final : public ByteSource {
 public:
  explicit BytesSource(std::string_view text) : text_(text) {}
  Result<Block> ReadBlock(size_t max) override {
    const Block block{nullptr, text_.substr(0, max)};
    text_.remove_prefix(block.bytes.size());
    return block;
  }
  void GiveBack(size_t) override {}

 private:
  std::string_view text_;
};

void TryStream(std::string_view text, Budget& budget) {
  BytesSource source(text);
  Input input(source, budget);
  git::ImportStream stream(input, budget);
  using Kind = git::ImportCommand::Kind;
  for (bool has_commit = false;;) {
    const auto command = stream.Next();
    if (!command || command->kind == Kind::kEnd) return;
    PADDOCK_CHECK(command->data.size() <= text.size());
    PADDOCK_CHECK(command->path.find('\0') == std::string::npos && command->target.size() <= text.size());
    PADDOCK_CHECK(!command->is_in_commit || has_commit);
    has_commit |= command->kind == Kind::kCommit;
    if (command->kind == Kind::kCommit) PADDOCK_CHECK(command->committer.has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::CpuGuard guard;
  fuzz::RunBounded([&](Budget& budget) { TryStream({reinterpret_cast<const char*>(data), size}, budget); });
  return 0;
}
