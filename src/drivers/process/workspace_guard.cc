#include "drivers/process/workspace_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "drivers/process/host_traces.h"
#include "drivers/process/protect/absent_path.h"
#include "drivers/process/protect/git_config.h"
#include "drivers/process/protect/quarantine.h"
#include "drivers/process/protect/safe_open.h"
#include "policy/context.h"
#include "text/utf8.h"

namespace paddock::process_wall {
namespace {

constexpr char kSwept = 's';

// What writable rules show, each once; a directory below another is swept with it.
std::vector<std::string> WritableRoots(const policy::FileRules& rules) {
  std::vector<std::string> candidates;
  if (!rules.workspace.empty() && rules.workspace_mode == policy::WorkspaceMode::kDirect) candidates.push_back(rules.workspace);
  for (const policy::PathRule& rule : rules.paths) {
    if (rule.access == policy::Access::kWrite) candidates.push_back(rule.path);
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> roots;
  for (const std::string& path : candidates) {
    const bool is_inside = !roots.empty() && (path == roots.back() || path.starts_with(roots.back() + "/"));
    if (!is_inside) roots.push_back(path);
  }
  return roots;
}

// Where rules deny writing below `root` and nothing is that a mount could hold: relative paths.
std::vector<std::string> AbsentBelow(const std::string& root, int directory, const policy::FileRules& rules) {
  std::vector<std::string> absent;
  for (const policy::PathRule& rule : rules.paths) {
    if (rule.access == policy::Access::kWrite || !rule.path.starts_with(root + "/")) continue;
    std::string path = rule.path.substr(root.size() + 1);
    struct stat status{};
    if (fstatat(directory, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) absent.push_back(std::move(path));
  }
  return absent;
}

// What git reads for every repository of the user; files that are not there count as empty.
std::string HostGitConfiguration(const std::string& home) {
  std::string text;
  for (const std::string& path : {std::string("/etc/gitconfig"), home + "/.config/git/config", home + "/.gitconfig"}) {
    std::ifstream file(path, std::ios::binary);
    std::string content(kMaxGitConfig, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    text += content + "\n";
  }
  return text;
}

void WaitForEnd(pid_t process) {
  const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!handle.is_open()) return;
  constexpr int kPatienceMs = 30'000;
  pollfd end{handle.get(), POLLIN, 0};
  while (poll(&end, 1, kPatienceMs) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<std::vector<DiskWatch::Tree>> OpenWritableTrees(const policy::FileRules& rules) {
  std::vector<DiskWatch::Tree> trees;
  for (const std::string& path : WritableRoots(rules)) {
    Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.is_open() && (errno == ENOENT || errno == ENOTDIR)) continue;
    if (!directory.is_open()) return Error(static_cast<Code>(errno), "cannot look at " + path + ": " + std::strerror(errno));
    trees.push_back({.directory = std::move(directory), .is_overlay = false});
  }
  return trees;
}

Result<std::unique_ptr<WorkspaceGuard>> WorkspaceGuard::Begin(const policy::FileRules& rules, const std::string& quarantine, const std::string& home) {
  std::unique_ptr<WorkspaceGuard> guard(new WorkspaceGuard);   // allow(raw-new): private constructor
  guard->quarantine_ = quarantine;
  guard->git_configuration_ = HostGitConfiguration(home);
  if (WritableRoots(rules).empty()) return std::unique_ptr<WorkspaceGuard>();
  PADDOCK_TRY(guard->OpenQuarantine());
  const Status scanned = guard->Scan(rules);
  if (!scanned || guard->roots_.empty()) rmdir(quarantine.c_str());
  PADDOCK_TRY(scanned);
  if (guard->roots_.empty()) return std::unique_ptr<WorkspaceGuard>();
  UnsweptRun run;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  run.started = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  for (const Root& root : guard->roots_) run.roots.push_back(root.path);
  NoteUnswept(guard->claim_.get(), run);
  PADDOCK_TRY(guard->StartStandIn());
  return guard;
}

Status WorkspaceGuard::OpenQuarantine() {
  std::error_code error;
  std::filesystem::create_directories(quarantine_, error);
  std::filesystem::permissions(quarantine_, std::filesystem::perms::owner_all, error);
  claim_.Reset(open(quarantine_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!claim_.is_open()) return Error(static_cast<Code>(errno), "cannot make " + quarantine_ + ": " + std::strerror(errno) + "; name a place with XDG_STATE_HOME");
  if (flock(claim_.get(), LOCK_EX | LOCK_NB) != 0) return Error(static_cast<Code>(errno), "cannot lock " + quarantine_ + ": " + std::strerror(errno));
  const std::filesystem::path own(quarantine_);
  for (const auto& entry : std::filesystem::directory_iterator(own.parent_path(), error)) {
    if (entry.path().filename() == own.filename()) continue;
    const Descriptor other(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!other.is_open()) continue;
    if (flock(other.get(), LOCK_SH | LOCK_NB) == 0) {   // what was kept of a sandbox that has ended
      if (auto run = ReadUnswept(other.get())) unswept_.emplace_back(entry.path().string(), std::move(*run));
      continue;
    }
    struct statx status {};
    if (statx(other.get(), "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) others_since_ = 0;
    else others_since_ = std::min<int64_t>(others_since_, status.stx_btime.tv_sec * 1'000'000'000 + status.stx_btime.tv_nsec);
  }
  return {};
}

Status WorkspaceGuard::Scan(const policy::FileRules& rules) {
  std::vector<std::string> paths = WritableRoots(rules);
  // A walk stays on one mount; what is mounted below a writable directory is writable, too, and walked by itself.
  for (const std::string& path : WritableRoots(rules)) {
    for (std::string& mount : MountsBelow(HostMounts(), path)) paths.push_back(std::move(mount));
  }
  for (const std::string& path : paths) {
    Root root;
    root.path = path;
    root.directory.Reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.directory.is_open()) {
      if (errno == ENOENT || errno == ENOTDIR) continue;   // absent, or a single file: nothing can lie below
      return Error(static_cast<Code>(errno), "cannot look at " + path + ": " + std::strerror(errno));
    }
    root.absent = AbsentBelow(path, root.directory.get(), rules);
    if (rules.protected_names.empty() && root.absent.empty()) continue;
    PADDOCK_ASSIGN(root.snapshot, ScanProtected(root.directory.get(), rules.protected_names, {}, git_configuration_));
    root.snapshot.others_since = others_since_;
    if (!root.snapshot.incomplete.empty()) warnings_.push_back("protected names below " + path + ": " + HarmlessLine(root.snapshot.incomplete));
    roots_.push_back(std::move(root));
  }
  TellUnswept();
  return {};
}

void WorkspaceGuard::TellUnswept() {
  for (const auto& [directory, run] : unswept_) {
    for (const Root& root : roots_) {
      if (std::string text = UnsweptText(run, root.path, root.snapshot); !text.empty()) told_.push_back(std::move(text));
    }
    // Told once, when all of what it wrote to was looked at.
    const bool is_seen = std::all_of(run.roots.begin(), run.roots.end(), [&](const std::string& path) {
      return std::any_of(roots_.begin(), roots_.end(), [&](const Root& root) { return policy::IsWithin(path, root.path); });
    });
    const Descriptor quarantine(is_seen ? open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1);
    if (!quarantine.is_open()) continue;
    ClearUnswept(quarantine.get());
    rmdir(directory.c_str());   // stays where it holds something
  }
}

void WorkspaceGuard::AddTo(PlanContext& context) const {
  for (const Root& root : roots_) {
    for (const std::string& path : root.snapshot.pins) context.pinned.push_back(root.path + "/" + path);
    for (const std::string& path : root.snapshot.read_only) context.protected_paths.push_back(root.path + "/" + path);
    for (const OutsideRepository& repository : root.snapshot.outside) {
      context.extra_reads.push_back(repository.common_directory);
      context.extra_writes.insert(context.extra_writes.end(), repository.writable.begin(), repository.writable.end());
      context.protected_paths.insert(context.protected_paths.end(), repository.protected_paths.begin(), repository.protected_paths.end());
    }
  }
}

Status WorkspaceGuard::StartStandIn() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error(static_cast<Code>(errno), "cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) return Error(static_cast<Code>(errno), "cannot fork");
  if (child == 0) {
    close(ends[1]);
    StandIn(ends[0]);
  }
  close(ends[0]);
  pipe_.Reset(ends[1]);
  stand_in_ = child;
  return {};
}

void WorkspaceGuard::StandIn(int pipe) {
  setsid();
  prctl(PR_SET_NAME, "paddock-sweep");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  // Keeps nothing of the caller's open that somebody waits to see closed: not its pipes, and no other sandbox's sockets.
  std::vector<unsigned> kept{0, 1, 2, static_cast<unsigned>(pipe), static_cast<unsigned>(claim_.get())};
  for (const Root& root : roots_) kept.push_back(static_cast<unsigned>(root.directory.get()));
  std::sort(kept.begin(), kept.end());
  for (size_t i = 0; i < kept.size(); ++i) {
    const unsigned last = i + 1 < kept.size() ? kept[i + 1] - 1 : ~0u;
    if (kept[i] + 1 <= last) close_range(kept[i] + 1, last, 0);
  }
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard < 3 && null >= 0; ++standard) dup2(null, standard);
  pid_t init = -1;
  while (true) {
    pid_t number = 0;
    const ssize_t got = read(pipe, &number, sizeof number);
    if (got < 0 && errno == EINTR) continue;
    if (got == 1) _exit(0);   // kSwept
    if (got == static_cast<ssize_t>(sizeof number)) init = number;
    else break;
  }
  // Killed before the wall stood: the zygote ends it when it sees our end.
  constexpr unsigned kUntilTheZygoteHasSeen = 2;
  if (init > 0) {
    for (Root& root : roots_) root.snapshot.was_held = true;
    WaitForEnd(init);
  } else {
    sleep(kUntilTheZygoteHasSeen);
  }
  SweepRoots();
  _exit(0);
}

void WorkspaceGuard::NoteWall(pid_t init) {
  for (Root& root : roots_) root.snapshot.was_held = true;
  const ssize_t written = write(pipe_.get(), &init, sizeof init);
  (void)written;   // the stand-in was killed; then the sweep is ours alone
}

std::vector<std::string> WorkspaceGuard::SweepRoots() {
  std::vector<std::string> lines;
  for (const Root& root : roots_) {
    Quarantine quarantine(claim_.get());
    for (const std::string& path : root.absent) {
      const auto item = SweepAbsent(root.directory.get(), path, root.snapshot.started, "a rule denies writing there", quarantine);
      if (item) lines.push_back(SweepText(*item));
    }
    auto report = SweepProtected(root.directory.get(), root.snapshot, claim_.get());
    if (!report) {
      lines.push_back("cannot look for protected names below " + root.path + ": " + std::string(report.error().Text()));
      continue;
    }
    for (const SweepItem& item : report->items) lines.push_back(SweepText(item));
    if (report->more > 0) lines.push_back(std::to_string(report->more) + " more");
    if (!report->incomplete.empty()) lines.push_back("protected names below " + root.path + ": " + HarmlessLine(report->incomplete));
  }
  ClearUnswept(claim_.get());
  if (rmdir(quarantine_.c_str()) != 0 && !lines.empty()) lines.push_back("kept in " + quarantine_);
  return lines;
}

std::vector<std::string> WorkspaceGuard::Sweep() {
  if (std::exchange(is_swept_, true)) return {};
  std::vector<std::string> lines = std::exchange(told_, {});
  for (std::string& line : SweepRoots()) lines.push_back(std::move(line));
  if (write(pipe_.get(), &kSwept, 1) != 1) pipe_.Reset();
  pipe_.Reset();
  if (stand_in_ > 0) {
    while (waitpid(std::exchange(stand_in_, -1), nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return lines;
}

WorkspaceGuard::~WorkspaceGuard() {
  if (!roots_.empty()) Sweep();
}

}  // namespace paddock::process_wall
