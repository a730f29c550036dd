#include <algorithm>
#include <map>
#include <tuple>

#include "commands/archive/cpio.h"
#include "commands/file_facts.h"
#include "text/quote.h"

namespace paddock::cpio {
namespace {

using vfs::Follow;

class Out {
 public:
  Out(Context& context, ByteSink& sink) : c_(context), sink_(sink), form_(context.o.form == Form::kUnknown ? Form::kBinary : context.o.form) {}

  Status Run() {
    NameList names(c_);
    while (auto name = names.Next()) {
      c_.in.budget.Step(16);
      PADDOCK_TRY(Take(*name));
    }
    // Names whose others were not in the list: the last one of a file has its content.
    while (!deferred_.empty()) {
      std::vector<Entry> group = std::move(deferred_.begin()->second);
      deferred_.erase(deferred_.begin());
      PADDOCK_TRY(WriteGroup(group));
    }
    PADDOCK_TRY(WriteEnd());
    c_.EndDots();
    return {};
  }
  uint64_t bytes() const { return written_; }
  // What follows the last file of an archive that is appended to.
  void Continue(uint64_t bytes) { written_ = bytes; }

 private:
  bool is_new_form() const { return form_ == Form::kNewc || form_ == Form::kCrc; }
  bool is_tar() const { return form_ == Form::kTar || form_ == Form::kUstar; }

  Status Write(std::string_view bytes) {
    written_ += bytes.size();
    const Status done = sink_.Write(bytes);
    if (done) return {};
    return Error(Code::kIo, "write error: " + std::string(done.error().Text()));
  }

  Status Take(const std::string& name) {
    const auto found = c_.in.fs.Stat(c_.Path(name), c_.o.follows ? Follow::kYes : Follow::kNo);
    if (!found) {
      c_.Fail(name, "Cannot stat", found.error());
      return {};
    }
    Entry entry = EntryOf(name, *found);
    const std::tuple<uint64_t, uint64_t> file{found->device, found->inode};
    if (c_.o.ignores_device) entry.major = entry.minor = 0;
    if (c_.o.renumbers) entry.inode = numbers_.try_emplace(file, numbers_.size()).first->second;
    if (c_.user) entry.uid = *c_.user;
    if (c_.group) entry.gid = *c_.group;
    if (entry.is_file() && entry.links > 1 && is_new_form()) {
      std::vector<Entry>& group = deferred_[file];
      group.push_back(entry);
      if (group.size() >= entry.links) {
        const std::vector<Entry> whole = std::move(group);
        deferred_.erase(file);
        PADDOCK_TRY(WriteGroup(whole));
      }
      return {};
    }
    if (is_tar() && entry.is_file() && entry.links > 1) {
      const auto [it, is_first] = linked_.try_emplace(file, name);
      if (!is_first) {
        entry.is_hard_link = true;
        entry.link = it->second;
        return WriteHeader(entry);
      }
    }
    if (form_ == Form::kTar && !entry.is_file() && !entry.is_directory() && !entry.is_symlink()) {
      c_.Warn(name + " not dumped: not a regular file");
      return {};
    }
    if (entry.is_symlink()) {
      auto target = c_.in.fs.ReadLink(c_.Path(name));
      if (!target) {
        c_.Fail(name, "Cannot readlink", target.error());
        return {};
      }
      entry.link = std::move(*target);
      if (!is_tar()) return WriteLink(entry);
    }
    return entry.is_file() ? WriteFile(entry) : WriteHeader(entry);
  }

  Status WriteGroup(const std::vector<Entry>& group) {
    for (size_t i = 0; i < group.size(); ++i) {
      Entry entry = group[i];
      if (i + 1 == group.size()) return WriteFile(entry);
      entry.size = 0;
      PADDOCK_TRY(WriteHeader(entry));
    }
    return {};
  }

  Status WriteHeader(const Entry& entry, bool is_shown = true) {
    const auto header = EncodeHeader(entry, form_);
    if (!header) {
      c_.Fail(entry.name + ": " + std::string(header.error().Text()));
      return {};
    }
    PADDOCK_TRY(Write(*header));
    if (is_shown) c_.Show(entry.name);
    return {};
  }
  Status WriteLink(Entry& entry) {
    entry.size = entry.link.size();
    PADDOCK_TRY(WriteHeader(entry, false));
    PADDOCK_TRY(Write(entry.link));
    PADDOCK_TRY(Write(std::string(static_cast<size_t>(PaddingAfter(entry.size, form_)), '\0')));
    c_.Show(entry.name);
    return {};
  }

  Status WriteFile(Entry& entry) {
    const std::string path = c_.Path(entry.name);
    auto file = c_.in.fs.Open(path, vfs::OpenFlags::Read());
    const auto before = file ? (*file)->GetAttributes() : Result<vfs::Attributes>(Code::kNoEntry);
    if (!file || !before) {
      c_.Fail(entry.name, "Cannot open", file ? before.error() : file.error());
      return {};
    }
    if (form_ == Form::kCrc) {
      PADDOCK_ASSIGN(entry.sum, SumOf(**file));
    }
    const auto header = EncodeHeader(entry, form_);
    if (!header) {
      c_.Fail(entry.name + ": " + std::string(header.error().Text()));
      return {};
    }
    PADDOCK_TRY(Write(*header));
    uint64_t left = entry.size;
    while (left > 0) {
      const auto block = (*file)->ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, 64 << 10)));
      if (!block || block->bytes.empty()) break;
      c_.in.budget.Step(static_cast<int64_t>(block->bytes.size() / 256 + 1));
      left -= block->bytes.size();
      PADDOCK_TRY(Write(block->bytes));
    }
    if (left > 0) c_.Warn("File " + entry.name + " shrunk by " + std::to_string(left) + " byte" + (left == 1 ? "" : "s") + ", padding with zeros");
    uint64_t zeros = left + PaddingAfter(entry.size, form_);
    while (zeros > 0) {
      const auto part = static_cast<size_t>(std::min<uint64_t>(zeros, 4096));
      c_.in.budget.Step(4);
      PADDOCK_TRY(Write(std::string(part, '\0')));
      zeros -= part;
    }
    if (c_.o.resets_access) static_cast<void>(c_.in.fs.SetTimes(path, before->access_time, before->modify_time));
    c_.Show(entry.name);
    return {};
  }
  Result<uint32_t> SumOf(vfs::OpenFile& file) {
    uint32_t sum = 0;
    while (true) {
      PADDOCK_ASSIGN(const Block block, file.ReadBlock(64 << 10));
      if (block.bytes.empty()) break;
      c_.in.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
      for (const char c : block.bytes) sum += static_cast<unsigned char>(c);
    }
    PADDOCK_ASSIGN(const uint64_t place, file.Seek(0, vfs::Whence::kStart));
    static_cast<void>(place);
    return sum;
  }

  Status WriteEnd() {
    if (is_tar()) {
      PADDOCK_TRY(Write(std::string(2 * codec::kTarBlock, '\0')));
    } else {
      Entry end;
      end.name = "TRAILER!!!";
      PADDOCK_TRY(WriteHeader(end, false));
    }
    const uint64_t over = written_ % c_.o.block;
    return over == 0 ? Status() : Write(std::string(static_cast<size_t>(c_.o.block - over), '\0'));
  }

  Context& c_;
  ByteSink& sink_;
  Form form_;
  uint64_t written_ = 0;
  std::map<std::tuple<uint64_t, uint64_t>, uint64_t> numbers_;
  std::map<std::tuple<uint64_t, uint64_t>, std::string> linked_;
  std::map<std::tuple<uint64_t, uint64_t>, std::vector<Entry>> deferred_;
};

// Where the end of the archive begins, and its form.
Result<std::pair<uint64_t, Form>> EndOf(Context& c, vfs::OpenFile& file) {
  Input input(file, c.in.budget);
  InputSource source(input);
  Reader reader(c, source);
  uint64_t end = 0;
  while (true) {
    PADDOCK_ASSIGN(const auto entry, reader.Next());
    if (!entry) return std::pair(end, reader.form());
    PADDOCK_TRY(reader.Content(nullptr));
    end = reader.bytes();
  }
}

}  // namespace

ExitStatus CopyOut(Context& c) {
  if (!c.ParseOwner()) return c.Usage("invalid user");
  const std::string& name = c.o.output.empty() ? c.o.archive : c.o.output;
  vfs::OpenFilePtr file;
  uint64_t start = 0;
  if (!name.empty()) {
    auto opened = c.in.fs.Open(name, c.o.appends ? vfs::OpenFlags{.read = true, .write = true} : vfs::OpenFlags::Write(), 0666);
    if (!opened) {
      c.Fail("Cannot open " + name + ": " + std::string(opened.error().Text()));
      return c.status;
    }
    file = std::move(*opened);
  }
  Options options = c.o;
  if (c.o.appends) {
    const auto end = EndOf(c, *file);
    const auto place = end ? file->Seek(static_cast<int64_t>(end->first), vfs::Whence::kStart) : Result<uint64_t>(end.error());
    const Status cut = place ? file->Truncate(end->first) : Status(place.error());
    if (!cut) {
      c.Fail(std::string(cut.error().Text()));
      return c.status;
    }
    start = end->first;
    options.form = end->second;
  }
  Context context(c.in, options);
  context.user = c.user;
  context.group = c.group;
  OutputSink out(c.in.out);
  Out run(context, file ? static_cast<ByteSink&>(*file) : out);
  run.Continue(start);
  if (const Status done = run.Run(); !done) {
    c.in.out.ClearStatus();
    context.Fail(std::string(done.error().Text()));
    return context.status;
  }
  context.TellBlocks(run.bytes() - start);
  return context.status;
}

}  // namespace paddock::cpio
