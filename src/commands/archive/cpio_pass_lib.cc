#include <algorithm>
#include <map>
#include <tuple>

#include "commands/archive/cpio.h"
#include "commands/file_facts.h"
#include "text/quote.h"

namespace paddock::cpio {
namespace {

using vfs::Follow;

class Pass {
 public:
  Pass(Context& context, std::string directory) : c_(context), directory_(std::move(directory)) {}

  void Run() {
    NameList names(c_);
    while (const auto name = names.Next()) {
      c_.in.budget.Step(16);
      Take(*name);
    }
    c_.EndDots();
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
      c_.in.budget.Step();
      SetAttributes(it->first, it->second);
    }
  }
  uint64_t bytes() const { return bytes_; }

 private:
  void Take(const std::string& name) {
    const std::string from = c_.Path(name);
    const auto found = c_.in.fs.Stat(from, c_.o.follows ? Follow::kYes : Follow::kNo);
    if (!found) {
      c_.Fail(name, "Cannot stat", found.error());
      return;
    }
    std::string below = name;
    while (below.starts_with('/')) below.erase(0, 1);
    const std::string to = below.empty() || below == "." ? directory_ : directory_ + "/" + below;
    if (!MakeWay(*found, to)) return;
    if (Make(from, name, *found, to)) c_.Show(to);
  }

  bool MakeWay(const vfs::Attributes& found, const std::string& to) {
    const auto there = c_.in.fs.Stat(to, Follow::kNo);
    if (!there || (there->is_directory() && found.is_directory())) return true;
    if (IsSameFile(*there, found)) {
      c_.Warn(to + " not created: newer or same age version exists");
      return false;
    }
    if (!c_.o.unconditional && there->modify_time >= found.modify_time && !there->is_directory()) {
      c_.Warn(to + " not created: newer or same age version exists");
      return false;
    }
    const Status removed = there->is_directory() ? c_.in.fs.RemoveDirectory(to) : c_.in.fs.RemoveFile(to);
    if (removed) return true;
    c_.Fail("cannot remove current " + to + ": " + std::string(removed.error().Text()));
    return false;
  }

  template <class Operation>
  Status WithParents(const std::string& path, const Operation& operation) {
    const Status done = operation();
    if (done || done.error().code != Code::kNoEntry || !c_.o.makes_directories) return done;
    static_cast<void>(vfs::MakeDirectories(c_.in.fs, vfs::DirectoryName(path)));
    return operation();
  }

  // False after a complaint.
  bool Make(const std::string& from, const std::string& name, const vfs::Attributes& found, const std::string& to) {
    if (found.is_directory()) {
      const Status made = WithParents(to, [&] { return c_.in.fs.MakeDirectory(to, 0700); });
      if (!made && made.error().code != Code::kExists) return Complain(to, "Cannot mkdir", made.error());
      directories_.emplace_back(to, found);
      return true;
    }
    if (c_.o.links && WithParents(to, [&] { return c_.in.fs.MakeLink(from, to, c_.o.follows ? Follow::kYes : Follow::kNo); })) {
      if (c_.o.verbose && !found.is_symlink()) c_.Warn(name + " linked to " + to);
      return true;
    }
    if (found.links > 1) {
      const auto [it, is_first] = copied_.try_emplace({found.device, found.inode}, to);
      if (!is_first && WithParents(to, [&] { return c_.in.fs.MakeLink(it->second, to); })) {
        if (c_.o.verbose) c_.Warn(it->second + " linked to " + to);
        return true;
      }
    }
    if (found.is_file()) return Copy(from, found, to);
    if (found.is_symlink()) {
      const auto target = c_.in.fs.ReadLink(from);
      if (!target) return Complain(name, "Cannot readlink", target.error());
      const Status made = WithParents(to, [&] { return c_.in.fs.MakeSymlink(*target, to); });
      if (!made) {
        c_.Fail(*target + ": Cannot create symlink to " + Quote(to, c_.in.locale.is_utf8) + ": " + std::string(made.error().Text()));
        return false;
      }
    } else {
      const Status made = WithParents(to, [&] { return c_.in.fs.MakeNode(to, found.type, found.mode & 0700, found.special); });
      if (!made) return Complain(to, "Cannot mknod", made.error());
    }
    SetAttributes(to, found);
    return true;
  }
  bool Complain(const std::string& name, const std::string& what, const Error& error) {
    c_.Fail(name, what, error);
    return false;
  }

  bool Copy(const std::string& from, const vfs::Attributes& found, const std::string& to) {
    auto in = c_.in.fs.Open(from, vfs::OpenFlags::Read());
    if (!in) return Complain(from, "Cannot open", in.error());
    vfs::OpenFilePtr out;
    const Status opened = WithParents(to, [&]() -> Status {
      PADDOCK_ASSIGN(out, c_.in.fs.Open(to, {.write = true, .create = true, .exclusive = true}, 0600));
      return {};
    });
    if (!opened) return Complain(to, "Cannot open", opened.error());
    const CopyResult copied = CopyStream(c_.in.budget, **in, *out);
    bytes_ += copied.bytes;
    if (!copied.status) return Complain(copied.is_output ? to : from, copied.is_output ? "Cannot write" : "Cannot read", copied.status.error());
    out.reset();
    if (c_.o.resets_access) static_cast<void>(c_.in.fs.SetTimes(from, found.access_time, found.modify_time));
    SetAttributes(to, found);
    return true;
  }

  void SetAttributes(const std::string& to, const vfs::Attributes& found) {
    if (!c_.o.no_owner && (c_.in.fs.credentials().uid == 0 || c_.user || c_.group)) {
      const Status set = c_.in.fs.SetOwner(to, c_.user.value_or(found.uid), c_.group.value_or(found.gid), Follow::kNo);
      if (!set && set.error().code != Code::kNotPermitted) c_.Fail(to, "Cannot change ownership", set.error());
    }
    if (!found.is_symlink()) {
      if (const Status set = c_.in.fs.SetMode(to, found.mode, Follow::kNo); !set) c_.Fail(to, "Cannot change mode", set.error());
    }
    if (c_.o.keeps_time) static_cast<void>(c_.in.fs.SetTimes(to, found.access_time, found.modify_time, Follow::kNo));
  }

  Context& c_;
  std::string directory_;
  uint64_t bytes_ = 0;
  std::map<std::tuple<uint64_t, uint64_t>, std::string> copied_;
  std::vector<std::pair<std::string, vfs::Attributes>> directories_;
};

}  // namespace

ExitStatus CopyPass(Context& c, const std::string& directory) {
  if (!c.ParseOwner()) return c.Usage("invalid user");
  Pass run(c, c.Path(directory));
  run.Run();
  c.TellBlocks(run.bytes());
  return c.status;
}

}  // namespace paddock::cpio
