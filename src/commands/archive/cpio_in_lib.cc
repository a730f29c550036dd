#include <algorithm>
#include <map>
#include <tuple>

#include "commands/archive/cpio.h"
#include "commands/file_facts.h"
#include "text/pattern.h"
#include "text/quote.h"

namespace paddock::cpio {

using vfs::Follow;

void Context::Fail(const std::string& message) {
  Warn(message);
  status = 2;
}
void Context::Warn(const std::string& message) {
  in.out.Flush();
  in.err.Write("cpio: " + message + "\n");
}
ExitStatus Context::Usage(const std::string& message) {
  Warn(message);
  return Hint(2);
}
ExitStatus Context::Hint(ExitStatus usage_status) {
  in.err.Write("Try 'cpio --help' or 'cpio --usage' for more information.\n");
  return status = usage_status;
}
void Context::TellBlocks(uint64_t bytes) {
  if (o.quiet) return;
  const uint64_t blocks = (bytes + o.block - 1) / o.block;
  in.out.Flush();
  in.err.Write(std::to_string(blocks) + (blocks == 1 ? " block\n" : " blocks\n"));
}
void Context::Show(const std::string& name) {
  if (o.verbose) {
    in.out.Flush();
    in.err.Write(name + "\n");
  }
  if (o.dots) in.err.Write(".");
}
void Context::EndDots() {
  if (o.dots) in.err.Write("\n");
}

bool Context::ParseOwner() {
  if (o.owner.empty()) return true;
  const auto number = [](const std::string& text) -> std::optional<uint32_t> {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return static_cast<uint32_t>(std::stoul(text));
  };
  const size_t at = o.owner.find_first_of(":.");
  const std::string first = o.owner.substr(0, at);
  const UserRecord* known = first.empty() ? nullptr : names.User(first);
  if (known != nullptr) user = known->uid;
  else if (!first.empty() && !(user = number(first))) return false;
  if (at == std::string::npos) return true;
  const std::string second = o.owner.substr(at + 1);
  if (second.empty()) {
    if (known != nullptr) group = known->gid;
    return known != nullptr;
  }
  const GroupRecord* found = names.Group(second);
  if (found != nullptr) group = found->gid;
  else group = number(second);
  return group.has_value();
}

std::optional<std::string> NameList::Next() {
  while (const auto line = c_.in.in.ReadLine(c_.o.is_null ? '\0' : '\n')) {
    std::string name(line->text);
    while (name.starts_with("./")) {
      name.erase(0, 2);
      while (name.starts_with('/')) name.erase(0, 1);
    }
    if (!name.empty()) return name;
    if (!line->text.empty()) return ".";
  }
  return std::nullopt;
}

namespace {

bool LeadsOut(std::string_view path) {
  if (path.starts_with('/')) return true;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

// Swaps bytes and halves of words on the way; sizes are whole words.
class SwappingSink final : public ByteSink {
 public:
  SwappingSink(ByteSink& sink, bool bytes, bool halves) : sink_(sink), bytes_(bytes), halves_(halves) {}
  Status Write(std::string_view bytes) override {
    kept_ += bytes;
    const size_t whole = kept_.size() / (halves_ ? 4 : 2) * (halves_ ? 4 : 2);
    for (size_t i = 0; bytes_ && i < whole; i += 2) std::swap(kept_[i], kept_[i + 1]);
    for (size_t i = 0; halves_ && i < whole; i += 4) std::swap_ranges(&kept_[i], &kept_[i] + 2, &kept_[i] + 2);
    PADDOCK_TRY(sink_.Write(std::string_view(kept_).substr(0, whole)));
    kept_.erase(0, whole);
    return {};
  }

 private:
  ByteSink& sink_;
  bool bytes_, halves_;
  std::string kept_;
};

class In {
 public:
  In(Context& context, Reader& reader) : c_(context), reader_(reader) {}

  bool ReadPatterns(const std::vector<std::string>& operands) {
    patterns_ = operands;
    if (!c_.o.pattern_file.empty()) {
      const auto text = vfs::ReadFile(c_.in.fs, c_.o.pattern_file);
      if (!text) {
        c_.Fail(c_.o.pattern_file, "Cannot open", text.error());
        return false;
      }
      for (std::string_view rest = *text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        if (end > 0) patterns_.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    for (const std::string& text : patterns_) compiled_.emplace_back(text, PatternFlags{.extglob = false, .is_utf8 = c_.in.locale.is_utf8});
    return true;
  }

  Status Run() {
    while (true) {
      c_.in.budget.Step(16);
      PADDOCK_ASSIGN(std::optional<Entry> entry, reader_.Next());
      if (!entry) break;
      if (!IsWanted(entry->name)) continue;
      PADDOCK_TRY(Take(*entry));
    }
    c_.EndDots();
    Finish();
    return {};
  }

 private:
  struct Late {
    std::string path, name;
    Entry entry;
  };

  bool IsWanted(const std::string& name) {
    if (compiled_.empty()) return true;
    const bool matches = std::any_of(compiled_.begin(), compiled_.end(), [&](const Pattern& pattern) { return pattern.Matches(name, c_.in.budget); });
    return matches != c_.o.inverts;
  }

  std::string Safe(const std::string& name) {
    if (!c_.o.no_absolute) return name;
    size_t cut = 0;
    for (size_t at = 0; at <= name.size();) {
      const size_t end = std::min(name.find('/', at), name.size());
      if (name.substr(at, end - at) == "..") cut = std::min(end + 1, name.size());
      at = end + 1;
    }
    while (cut < name.size() && name[cut] == '/') ++cut;
    if (cut > 0 && said_.emplace(name.substr(0, cut), true).second) c_.Warn("Removing leading `" + name.substr(0, cut) + "' from member names");
    return cut == name.size() ? "." : name.substr(cut);
  }

  Status Take(Entry& entry) {
    if (c_.o.lists) {
      if (c_.o.verbose) c_.in.out.Write(ListLine(c_, entry));
      else c_.in.out.Write(entry.name + "\n");
      return reader_.Content(nullptr);
    }
    if (c_.o.only_verifies || c_.o.to_stdout) {
      if (entry.is_file()) {
        OutputSink out(c_.in.out);
        PADDOCK_TRY(Copy(entry, c_.o.only_verifies ? nullptr : &out));
      }
      c_.Show(entry.name);
      return {};
    }
    entry.name = Safe(entry.name);
    while (entry.name.size() > 1 && entry.name.ends_with('/')) entry.name.pop_back();
    PADDOCK_TRY(Make(entry));
    c_.Show(entry.name);
    return reader_.Content(nullptr);
  }

  Status Copy(const Entry& entry, ByteSink* sink) {
    uint32_t sum = 0;
    const bool may_swap_bytes = entry.size % 2 == 0, may_swap_halves = entry.size % 4 == 0;
    if (c_.o.swaps_halves && !may_swap_halves) c_.Warn("cannot swap halfwords of " + entry.name + ": odd number of halfwords");
    if (c_.o.swaps_bytes && !may_swap_bytes) c_.Warn("cannot swap bytes of " + entry.name + ": odd number of bytes");
    const bool swaps_bytes = c_.o.swaps_bytes && may_swap_bytes, swaps_halves = c_.o.swaps_halves && may_swap_halves;
    if (sink != nullptr && (swaps_bytes || swaps_halves)) {
      SwappingSink swapping(*sink, swaps_bytes, swaps_halves);
      PADDOCK_TRY(reader_.Content(&swapping, &sum));
    } else {
      PADDOCK_TRY(reader_.Content(sink, &sum));
    }
    if (reader_.form() == Form::kCrc && sum != entry.sum) {
      char text[64];
      std::snprintf(text, sizeof text, ": checksum error (0x%x, should be 0x%x)", sum, entry.sum);
      c_.Warn(entry.name + text);
    }
    return {};
  }

  // False when what is there stays.
  bool MakeWay(const Entry& entry, const std::string& path) {
    const auto there = c_.in.fs.Stat(path, Follow::kNo);
    if (!there) return true;
    if (there->is_directory() && entry.is_directory()) return true;
    if (!c_.o.unconditional && ToTimePoint(there->modify_time).seconds >= entry.time && !there->is_directory()) {
      c_.Warn(entry.name + " not created: newer or same age version exists");
      return false;
    }
    const Status removed = there->is_directory() ? c_.in.fs.RemoveDirectory(path) : c_.in.fs.RemoveFile(path);
    if (removed) return true;
    c_.Fail("cannot remove current " + entry.name + ": " + std::string(removed.error().Text()));
    return false;
  }

  template <class Operation>
  Status WithParents(const std::string& path, const Operation& operation) {
    const Status done = operation();
    if (done || done.error().code != Code::kNoEntry || !c_.o.makes_directories) return done;
    static_cast<void>(vfs::MakeDirectories(c_.in.fs, vfs::DirectoryName(path)));
    return operation();
  }

  Status Make(const Entry& entry) {
    const std::string path = c_.Path(entry.name);
    if (!MakeWay(entry, path)) return {};
    if (entry.is_directory()) MakeDirectory(entry, path);
    else if (entry.is_symlink()) MakeSymlink(entry, path);
    else if (entry.is_file()) return MakeFile(entry, path);
    else MakeNode(entry, path);
    return {};
  }

  void MakeDirectory(const Entry& entry, const std::string& path) {
    const Status made = WithParents(path, [&] { return c_.in.fs.MakeDirectory(path, 0700); });
    if (!made && made.error().code != Code::kExists && made.error().code != Code::kIsDirectory) {
      c_.Fail(entry.name, "Cannot mkdir", made.error());
      return;
    }
    directories_.push_back({path, entry.name, entry});
  }

  void MakeSymlink(const Entry& entry, const std::string& path) {
    if (c_.o.no_absolute && LeadsOut(entry.link)) {
      links_.push_back({path, entry.name, entry});
      return;
    }
    const Status made = WithParents(path, [&] { return c_.in.fs.MakeSymlink(entry.link, path); });
    if (!made) {
      c_.Fail(entry.link + ": Cannot create symlink to " + Quote(entry.name, c_.in.locale.is_utf8) + ": " + std::string(made.error().Text()));
      return;
    }
    SetAttributes(entry, path);
  }

  void MakeNode(const Entry& entry, const std::string& path) {
    vfs::FileType type = vfs::FileType::kFifo;
    if (entry.type() == 0020000) type = vfs::FileType::kCharDevice;
    else if (entry.type() == 0060000) type = vfs::FileType::kBlockDevice;
    else if (entry.type() == 0140000) type = vfs::FileType::kSocket;
    else if (entry.type() != 0010000) {
      c_.Fail(entry.name + ": unknown file type");
      return;
    }
    const uint64_t special = type == vfs::FileType::kFifo ? 0 : (entry.special_major & 0xffffff) << 8 | (entry.special_minor & 0xff);
    const Status made = WithParents(path, [&] { return c_.in.fs.MakeNode(path, type, entry.mode & 0700, special); });
    if (!made) c_.Fail(entry.name, "Cannot mknod", made.error());
    else SetAttributes(entry, path);
  }

  // A further name of a file that is there already; false when it has to be made.
  bool Link(const Entry& entry, const std::string& path) {
    std::string from, shown;
    if (entry.is_hard_link) {
      shown = Safe(entry.link);
      from = c_.Path(shown);
    } else if (entry.links > 1 && reader_.form() != Form::kTar) {
      const auto [it, is_new] = known_.try_emplace({entry.major, entry.minor, entry.inode}, entry.name);
      if (is_new) return false;
      shown = it->second;
      from = c_.Path(shown);
    } else {
      return false;
    }
    const Status made = WithParents(path, [&] { return c_.in.fs.MakeLink(from, path); });
    if (made && c_.o.verbose) c_.Warn(entry.name + " linked to " + shown);
    if (made) return true;
    if (entry.is_hard_link) c_.Fail("cannot link " + shown + " to " + entry.name + ": " + std::string(made.error().Text()));
    return entry.is_hard_link;
  }

  Status MakeFile(const Entry& entry, const std::string& path) {
    vfs::OpenFlags flags = {.write = true, .create = true, .exclusive = true};
    std::string target = path;
    if (Link(entry, path)) {
      // In the newer forms the last name of a file has its content.
      if (entry.size == 0) return {};
      flags = {.write = true, .truncate = true, .no_follow = true};
    }
    vfs::OpenFilePtr file;
    const Status opened = WithParents(path, [&]() -> Status {
      PADDOCK_ASSIGN(file, c_.in.fs.Open(path, flags, 0600));
      return {};
    });
    if (!opened) {
      c_.Fail(entry.name, "Cannot open", opened.error());
      return {};
    }
    // What cannot be written is said once; the rest of the archive may still be taken.
    class Sink final : public ByteSink {
     public:
      explicit Sink(vfs::OpenFile& file) : file_(file) {}
      Status Write(std::string_view bytes) override {
        if (status) status = file_.Write(bytes);
        return {};
      }
      Status status;

     private:
      vfs::OpenFile& file_;
    } sink(*file);
    PADDOCK_TRY(Copy(entry, &sink));
    file.reset();
    if (!sink.status) c_.Fail(entry.name, "Cannot write", sink.status.error());
    SetAttributes(entry, path);
    return {};
  }

  void SetAttributes(const Entry& entry, const std::string& path) {
    const bool is_root = c_.in.fs.credentials().uid == 0;
    if (!c_.o.no_owner && (is_root || c_.user || c_.group)) {
      const Status set = c_.in.fs.SetOwner(path, c_.user.value_or(static_cast<uint32_t>(entry.uid)), c_.group.value_or(static_cast<uint32_t>(entry.gid)), Follow::kNo);
      if (!set && set.error().code != Code::kNotPermitted) c_.Fail(entry.name, "Cannot change ownership", set.error());
    }
    if (!entry.is_symlink()) {
      if (const Status set = c_.in.fs.SetMode(path, entry.mode & 07777, Follow::kNo); !set) c_.Fail(entry.name, "Cannot change mode", set.error());
    }
    if (!c_.o.keeps_time) return;
    const auto time = FromTimePoint({entry.time, 0});
    if (time) static_cast<void>(c_.in.fs.SetTimes(path, *time, *time, Follow::kNo));
  }

  void Finish() {
    for (const Late& link : links_) {
      c_.in.budget.Step();
      if (const Status made = c_.in.fs.MakeSymlink(link.entry.link, link.path); !made) c_.Fail(link.entry.link + ": Cannot create symlink to " + Quote(link.name, c_.in.locale.is_utf8) + ": " + std::string(made.error().Text()));
      else SetAttributes(link.entry, link.path);
    }
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
      c_.in.budget.Step();
      const auto found = c_.in.fs.Stat(it->path, Follow::kNo);
      if (found && found->is_directory()) SetAttributes(it->entry, it->path);
    }
  }

  Context& c_;
  Reader& reader_;
  std::vector<std::string> patterns_;
  std::vector<Pattern> compiled_;
  std::map<std::string, bool> said_;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, std::string> known_;
  std::vector<Late> links_, directories_;
};

}  // namespace

ExitStatus CopyIn(Context& c, const std::vector<std::string>& patterns) {
  const std::string& name = c.o.input.empty() ? c.o.archive : c.o.input;
  vfs::OpenFilePtr file;
  if (!name.empty()) {
    auto opened = c.in.fs.Open(name, vfs::OpenFlags::Read());
    if (!opened) {
      c.Fail("Cannot open " + name + ": " + std::string(opened.error().Text()));
      return c.status;
    }
    file = std::move(*opened);
  }
  if (!c.ParseOwner()) return c.Usage("invalid user");
  std::optional<Input> own;
  if (file) own.emplace(*file, c.in.budget);
  InputSource source(own ? *own : c.in.in);
  Reader reader(c, source);
  In run(c, reader);
  if (!run.ReadPatterns(patterns)) return c.status;
  if (const Status done = run.Run(); !done) {
    c.in.out.Flush();
    if (done.error().code == Code::kCorrupt || done.error().code == Code::kSyntax) c.Fail(std::string(done.error().Text()));
    else c.Fail("read error: " + std::string(done.error().Text()));
    return c.status;
  }
  c.TellBlocks(reader.bytes());
  return c.status;
}

}  // namespace paddock::cpio
