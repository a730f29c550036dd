#include "registry/states/tar_tree.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/stream.h"
#include "store/trees/tar_export.h"

namespace paddock::registry {
namespace {

constexpr size_t kMostWaiting = 1 << 20;   // bytes that were pushed and not taken

// What one thread pushes another one takes.
class Pushed final : public ByteSource {
 public:
  // Waits while too much waits. kCancelled: nobody takes any more.
  Status Push(std::string_view bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_left_ || waiting_.size() < kMostWaiting; });
    if (is_left_) return Status(Code::kCancelled);
    waiting_ += bytes;
    changed_.notify_all();
    return {};
  }
  void End(Status status) {
    const std::lock_guard lock(mutex_);
    end_ = std::move(status);
    has_ended_ = true;
    changed_.notify_all();
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    is_left_ = true;
    changed_.notify_all();
  }

  Result<Block> ReadBlock(size_t max) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_ || !waiting_.empty(); });
    if (waiting_.empty() && !end_) return end_.error();
    std::string taken;
    if (max >= waiting_.size()) {
      taken.swap(waiting_);
    } else {
      taken = waiting_.substr(0, max);
      waiting_.erase(0, max);
    }
    changed_.notify_all();
    const auto kept = std::make_shared<const std::string>(std::move(taken));
    return Block{.keep = kept, .bytes = *kept};
  }
  void GiveBack(size_t) override {}

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  Status end_;
  bool has_ended_ = false, is_left_ = false;
};

class WriterSink final : public ByteSink {
 public:
  explicit WriterSink(sandbox::TreeWriter& writer) : writer_(writer) {}
  Status Write(std::string_view bytes) override { return writer_.Write(bytes); }

 private:
  sandbox::TreeWriter& writer_;
};

// A source that may give so many bytes, which are counted down.
class BoundedSource final : public ByteSource {
 public:
  BoundedSource(ByteSource& source, uint64_t& left) : source_(source), left_(left) {}
  Result<Block> ReadBlock(size_t max) override {
    PADDOCK_ASSIGN(Block block, source_.ReadBlock(max));
    if (block.bytes.size() > left_) return Error(Code::kLimit, "the files take more bytes than they may");
    left_ -= block.bytes.size();
    return block;
  }
  void GiveBack(size_t) override {}

 private:
  ByteSource& source_;
  uint64_t& left_;
};

class ExportSource final : public ByteSource {
 public:
  ExportSource(std::shared_ptr<trees::Store> store, const trees::ObjectId& tree)
      : writing_([this, store = std::move(store), tree] {
          PushSink sink(pushed_);
          pushed_.End(trees::ExportTar(*store, tree, sink));
        }) {}
  ~ExportSource() override {
    pushed_.Leave();
    writing_.join();
  }
  ExportSource(const ExportSource&) = delete;
  ExportSource& operator=(const ExportSource&) = delete;
  Result<Block> ReadBlock(size_t max) override { return pushed_.ReadBlock(max); }
  void GiveBack(size_t) override {}

 private:
  class PushSink final : public ByteSink {
   public:
    explicit PushSink(Pushed& pushed) : pushed_(pushed) {}
    Status Write(std::string_view bytes) override { return pushed_.Push(bytes); }

   private:
    Pushed& pushed_;
  };
  Pushed pushed_;
  std::thread writing_;   // starts when the rest is there
};

// What `pack` pushes on a thread of its own is taken here. Success when both succeeded: an archive may be complete although a file was left out.
Status Move(const std::function<Status(const sandbox::TarSink& sink)>& pack, const std::function<Status(ByteSource& source)>& take) {
  Pushed pushed;
  std::thread packing([&] { pushed.End(pack([&](std::string_view bytes) { return pushed.Push(bytes); })); });
  Status taken = take(pushed);
  while (taken) {
    const auto rest = pushed.ReadBlock(kMostWaiting);
    if (!rest) taken = rest.error();
    else if (rest->bytes.empty()) break;
  }
  pushed.Leave();
  packing.join();
  return taken;
}

}  // namespace

Result<trees::Captured> CaptureWorkspace(trees::Session& session, sandbox::MovesTrees& sandbox) {
  trees::Captured captured;
  PADDOCK_TRY(Move([&](const sandbox::TarSink& sink) { return sandbox.PackWorkspace(sink); },
                   [&](ByteSource& source) -> Status {
                     PADDOCK_ASSIGN(captured, trees::ImportTar(session, source));
                     return {};
                   }));
  return captured;
}

Result<trees::Captured> CaptureRoot(trees::Session& session, const RootToCapture& root) {
  trees::LayerBuilder builder(session, root.limits);
  uint64_t left = root.limits.max_bytes;
  PADDOCK_TRY(Move(root.pack, [&](ByteSource& source) {
    BoundedSource bounded(source, left);
    return builder.Add(bounded, false);
  }));
  for (const std::string& path : root.walls_own) builder.Remove(path);
  if (root.workspace != nullptr) {
    const std::string path = root.workspace_path.substr(1);
    builder.Remove(path + "/");   // the directory itself has its owner and mode there
    PADDOCK_TRY(Move([&](const sandbox::TarSink& sink) { return root.workspace->PackWorkspace(sink); },
                     [&](ByteSource& source) {
                       BoundedSource bounded(source, left);
                       return builder.Add(bounded, false, path);
                     }));
  }
  return builder.Finish();
}

Status RestoreWorkspace(trees::Store& store, const trees::ObjectId& tree, sandbox::MovesTrees& sandbox) {
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::TreeWriter> writer, sandbox.UnpackWorkspace());
  WriterSink sink(*writer);
  PADDOCK_TRY(trees::ExportTar(store, tree, sink));
  return writer->Commit();
}

std::unique_ptr<ByteSource> ExportedTree(std::shared_ptr<trees::Store> store, const trees::ObjectId& tree) { return std::make_unique<ExportSource>(std::move(store), tree); }

}  // namespace paddock::registry
