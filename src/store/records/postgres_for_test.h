// A private PostgreSQL server for tests: a cluster of its own in a temporary directory, reached over a unix socket, run as
// an ordinary user, ended by its pid (and with the test program, should that die).
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace paddock::records {

class PostgresServer {
 public:
  // One server for the whole test program. When there cannot be one, why_not() says why.
  static PostgresServer& Shared() {
    static PostgresServer server;
    return server;
  }
  ~PostgresServer() {
    if (getpid() != owner_) return;
    Stop(SIGINT);
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  const std::string& why_not() const { return why_not_; }
  std::string Url(const std::string& credentials = "paddock") const {
    return "postgresql://" + credentials + "@/postgres?host=" + directory_;
  }
  const std::string& directory() const { return directory_; }

  // SIGQUIT: as a crash, the next start recovers. SIGINT: in order.
  void Stop(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void Start() {
    if (pid_ > 0) return;
    pid_ = Spawn(
        {programs_ + "/postgres", "-D", directory_ + "/data", "-k", directory_, "-c", "listen_addresses=", "-c", "fsync=off"});
  }

 private:
  PostgresServer() {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
      if (std::filesystem::exists(version.path() / "bin/initdb")) found.push_back(version.path() / "bin");
    }
    if (found.empty()) {
      why_not_ = "PostgreSQL's server is not installed";
      return;
    }
    programs_ = *std::max_element(found.begin(), found.end());
    if (geteuid() == 0) {
      user_ = getpwnam("postgres");
      if (user_ == nullptr) user_ = getpwnam("nobody");
      if (user_ == nullptr) {
        why_not_ = "neither a user postgres nor nobody exists, and PostgreSQL does not run as root";
        return;
      }
    }
    std::string name = "/tmp/paddock_pg_XXXXXX";
    if (mkdtemp(name.data()) == nullptr || (user_ != nullptr && chown(name.c_str(), user_->pw_uid, user_->pw_gid) != 0)) {
      why_not_ = "no temporary directory";
      return;
    }
    std::filesystem::permissions(name, std::filesystem::perms(0755));
    directory_ = name;
    const pid_t maker = Spawn({programs_ + "/initdb", "-D", directory_ + "/data", "-U", "paddock", "-A", "trust", "-E", "UTF8",
                               "--locale=C", "--no-sync"});
    int status = -1;
    waitpid(maker, &status, 0);
    if (status != 0) {
      why_not_ = "initdb failed";
      return;
    }
    Start();
  }

  // Runs a program as the user, its output into the directory's log.
  pid_t Spawn(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::string log = directory_ + "/log";
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    if (user_ != nullptr && (setgroups(0, nullptr) != 0 || setgid(user_->pw_gid) != 0 || setuid(user_->pw_uid) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent || chdir("/") != 0) _exit(126);
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }

  const pid_t owner_ = getpid();
  std::string why_not_;
  std::string programs_;
  std::string directory_;
  passwd* user_ = nullptr;
  pid_t pid_ = -1;
};

}  // namespace paddock::records
