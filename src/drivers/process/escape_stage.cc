#include "drivers/process/escape_stage.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/random.h"

namespace paddock::process_wall {
namespace {

std::string RandomHex(size_t bytes) {
  std::vector<uint8_t> lot(bytes);
  FillRandom(lot);
  std::string text;
  for (const uint8_t byte : lot) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text)) return Error(Code::kUnavailable, "cannot write " + path);
  return {};
}

Status MakeRepository(const std::string& directory) {
  std::error_code error;
  for (const char* name : {"hooks", "objects", "refs/heads"}) {
    std::filesystem::create_directories(directory + "/.git/" + name, error);
    if (error) return Error(Code::kUnavailable, "cannot make " + directory + ": " + error.message());
  }
  PADDOCK_TRY(WriteText(directory + "/.git/HEAD", "ref: refs/heads/main\n"));
  return WriteText(directory + "/.git/config", "[core]\n\trepositoryformatversion = 0\n");
}

// An address of this host that is not loopback.
std::string OwnAddress() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  std::string found;
  for (const ifaddrs* each = list; each != nullptr && found.empty(); each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET || (each->ifa_flags & (IFF_LOOPBACK | IFF_UP)) != IFF_UP) continue;
    sockaddr_in address{};
    std::memcpy(&address, each->ifa_addr, sizeof address);
    std::array<char, INET_ADDRSTRLEN> text{};
    if (inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr) found = text.data();
  }
  freeifaddrs(list);
  return found;
}

Error Failure(const std::string& what) { return Error(Code::kUnavailable, "escape-test: " + what + ": " + std::strerror(errno)); }

}  // namespace

Result<std::unique_ptr<EscapeStage>> EscapeStage::Make(const std::string& workspace, const std::string& home, const std::string& program) {
  std::unique_ptr<EscapeStage> stage(new EscapeStage);   // allow(raw-new): private constructor
  stage->id_ = RandomHex(6);
  stage->secret_ = "SECRET-" + RandomHex(16);
  stage->workspace_ = workspace;
  stage->program_ = program;
  auto& facts = stage->facts_;
  facts["workspace"] = workspace;
  if (!home.empty()) facts["home_file"] = stage->MakeFile(home + "/.paddock-escape-" + stage->id_, 0600);
  facts["tmp_file"] = stage->MakeFile("/tmp/paddock-escape-" + stage->id_, 0644);
  facts["vartmp_file"] = stage->MakeFile("/var/tmp/paddock-escape-" + stage->id_, 0644);
  facts["sibling_file"] = stage->MakeFile(workspace.substr(0, workspace.rfind('/')) + "/paddock-escape-sibling-" + stage->id_, 0644);
  struct stat status{};
  if (stat(workspace.c_str(), &status) == 0) facts["device"] = std::to_string(status.st_dev);
  const std::string& leaked = facts["home_file"].empty() ? facts["tmp_file"] : facts["home_file"];
  stage->leaked_.Reset(open(leaked.c_str(), O_RDONLY));   // on purpose without O_CLOEXEC
  PADDOCK_TRY(stage->ResetWorkspace());
  PADDOCK_TRY(stage->StartVictim(program));
  stage->MakeObjects();
  PADDOCK_TRY(stage->Listen(home));
  const Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
  facts["has_terminal"] = terminal.is_open() ? "1" : "0";
  return stage;
}

EscapeStage::~EscapeStage() {
  if (server_.joinable()) {
    const uint64_t one = 1;
    const ssize_t written = write(end_.get(), &one, sizeof one);
    (void)written;
    server_.join();
  }
  EndVictim();
  if (shared_ >= 0) shmctl(shared_, IPC_RMID, nullptr);
  if (queue_ >= 0) msgctl(queue_, IPC_RMID, nullptr);
  if (semaphore_ >= 0) semctl(semaphore_, 0, IPC_RMID);
  if (key_ >= 0) syscall(SYS_keyctl, 9 /* KEYCTL_UNLINK */, key_, -4 /* the user's keyring */);
  if (facts_["has_queue"] == "1") syscall(SYS_mq_unlink, facts_["posix_name"].c_str() + 1);
  for (const std::string& path : files_) unlink(path.c_str());
}

std::string EscapeStage::MakeFile(const std::string& path, unsigned mode) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return {};
  files_.push_back(path);
  const std::string text = secret_ + "\n";
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fchmod(file.get(), mode) != 0) return {};
  return path;
}

Status EscapeStage::ResetWorkspace() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(workspace_, error)) std::filesystem::remove_all(entry.path(), error);
  PADDOCK_TRY(MakeRepository(workspace_));
  return MakeRepository(workspace_ + "/nested");
}

Status EscapeStage::StartVictim(const std::string& program) {
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) != 0) return Failure("pipe");
  victim_input_.Reset(input[1]);
  const Descriptor theirs(input[0]);
  if (pipe2(output, O_CLOEXEC) != 0) return Failure("pipe");
  const Descriptor ours(output[0]);
  Descriptor their_output(output[1]);
  constexpr int kKept = 200;   // the number of the descriptor that holds the secret
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, their_output.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, leaked_.get(), kKept);
  posix_spawn_file_actions_addchdir_np(&actions, workspace_.substr(0, workspace_.rfind('/')).c_str());
  std::string secret = secret_, variable = "PADDOCK_ESCAPE_SECRET=" + secret_;
  const std::array<char*, 4> arguments{const_cast<char*>("paddock-escape-victim"), const_cast<char*>("victim"), secret.data(), nullptr};
  const std::array<char*, 2> environment{variable.data(), nullptr};
  const int status = posix_spawn(&victim_, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return Error(Code::kUnavailable, "cannot start " + program + ": " + std::strerror(status) + "; it belongs beside the paddock program");
  their_output.Reset();
  std::array<char, 64> address{};
  const ssize_t got = read(ours.get(), address.data(), address.size() - 1);
  if (got <= 0) return Failure("the process that is to be attacked does not start");
  facts_["victim"] = std::to_string(victim_);
  facts_["victim_address"] = std::string(address.data(), static_cast<size_t>(got) - 1);
  facts_["victim_descriptor"] = std::to_string(kKept);
  return {};
}

void EscapeStage::EndVictim() {
  victim_input_.Reset();
  if (victim_ <= 0) return;
  kill(victim_, SIGKILL);
  waitpid(victim_, nullptr, 0);
  victim_ = -1;
}

// Open to everybody on the host, so that nothing but the wall keeps probes away.
void EscapeStage::MakeObjects() {
  uint32_t lot = 0;
  FillRandom({reinterpret_cast<uint8_t*>(&lot), sizeof lot});
  const auto key = static_cast<key_t>(lot & 0x7fffffff) | 0x40000000;
  facts_["key"] = std::to_string(key);
  shared_ = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0666);
  if (shared_ >= 0) {
    void* const memory = shmat(shared_, nullptr, 0);
    if (memory != reinterpret_cast<void*>(-1)) {
      std::memcpy(memory, secret_.data(), secret_.size());
      shmdt(memory);
    }
  }
  queue_ = msgget(key, IPC_CREAT | IPC_EXCL | 0666);
  semaphore_ = semget(key, 1, IPC_CREAT | IPC_EXCL | 0666);
  facts_["posix_name"] = "/paddock-escape-" + id_;
  MakeFile("/dev/shm" + facts_["posix_name"], 0666);
  const long queue = syscall(SYS_mq_open, facts_["posix_name"].c_str() + 1, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666, nullptr);
  facts_["has_queue"] = queue >= 0 ? "1" : "0";
  if (queue >= 0) close(static_cast<int>(queue));
  key_ = syscall(SYS_add_key, "user", facts_["posix_name"].c_str(), secret_.data(), secret_.size(), -4 /* the user's keyring */);
  facts_["has_key"] = key_ >= 0 ? "1" : "0";
}

void EscapeStage::AddUnixSocket(const std::string& name, int type, bool is_abstract) {
  Descriptor made(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!made.is_open() || name.size() + 2 > sizeof address.sun_path) return;
  std::memcpy(address.sun_path + (is_abstract ? 1 : 0), name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
  if (bind(made.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return;
  if (!is_abstract) {
    files_.push_back(name);
    chmod(name.c_str(), 0666);
  }
  if (type == SOCK_STREAM && listen(made.get(), 16) != 0) return;
  services_.push_back({std::move(made), (is_abstract ? "abstract socket " : "socket ") + name, type == SOCK_STREAM});
}

Status EscapeStage::Listen(const std::string& home) {
  Descriptor tcp(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (!tcp.is_open() || bind(tcp.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(tcp.get(), 64) != 0 ||
      getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Failure("a listening socket");
  }
  const std::string port = std::to_string(ntohs(address.sin_port));
  facts_["port"] = port;
  facts_["address"] = OwnAddress();
  services_.push_back({std::move(tcp), "service on port " + port, true});
  Descriptor udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (udp.is_open() && bind(udp.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) {
    services_.push_back({std::move(udp), "datagram service on port " + port, false});
  }
  Descriptor six(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in6 address6{};
  address6.sin6_family = AF_INET6;
  address6.sin6_addr = in6addr_loopback;
  address6.sin6_port = address.sin_port;
  const bool has_six = six.is_open() && bind(six.get(), reinterpret_cast<const sockaddr*>(&address6), sizeof address6) == 0 && listen(six.get(), 64) == 0;
  facts_["has_ipv6"] = has_six ? "1" : "0";
  if (has_six) services_.push_back({std::move(six), "service on ::1 port " + port, true});
  facts_["abstract"] = "paddock-escape-" + id_;
  AddUnixSocket(facts_["abstract"], SOCK_STREAM, true);
  AddUnixSocket(facts_["abstract"] + "-d", SOCK_DGRAM, true);
  facts_["socket"] = "/tmp/paddock-escape-" + id_ + ".sock";
  AddUnixSocket(facts_["socket"], SOCK_STREAM, false);
  if (!home.empty()) {
    facts_["home_socket"] = home + "/.paddock-escape-" + id_ + ".sock";
    AddUnixSocket(facts_["home_socket"], SOCK_STREAM, false);
  }
  visits_ = std::make_unique<std::atomic<unsigned>[]>(services_.size());
  end_.Reset(eventfd(0, EFD_CLOEXEC));
  if (!end_.is_open()) return Failure("eventfd");
  server_ = std::thread([this] { Serve(); });
  return {};
}

void EscapeStage::Serve() {
  const std::string greeting = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\npaddock-escape-greeting " + secret_ + "\r\n";
  std::vector<pollfd> watched;
  for (const Service& service : services_) watched.push_back({service.socket.get(), POLLIN, 0});
  watched.push_back({end_.get(), POLLIN, 0});
  while (true) {
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched.back().revents != 0) return;
    for (size_t i = 0; i < services_.size(); ++i) {
      if (watched[i].revents == 0) continue;
      if (!services_[i].is_stream) {
        CountDatagrams(i);
        continue;
      }
      const Descriptor visitor(accept4(watched[i].fd, nullptr, nullptr, SOCK_CLOEXEC));
      if (!visitor.is_open()) continue;
      ++visits_[i];
      const ssize_t sent = send(visitor.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
      (void)sent;   // the visit counts, whether it waits for the answer or not
      shutdown(visitor.get(), SHUT_WR);
    }
  }
}

// Its socket does not wait.
void EscapeStage::CountDatagrams(size_t service) {
  std::array<char, 256> packet;
  while (recv(services_[service].socket.get(), packet.data(), packet.size(), 0) >= 0) ++visits_[service];
}

std::string EscapeStage::TakeTrace(int patience_ms) {
  std::string trace;
  const Descriptor victim(static_cast<int>(syscall(SYS_pidfd_open, victim_, 0)));
  pollfd death{victim.get(), POLLIN, 0};
  while (poll(&death, 1, patience_ms) < 0 && errno == EINTR) {
  }
  for (size_t i = 0; i < services_.size(); ++i) {
    if (!services_[i].is_stream) CountDatagrams(i);   // the thread that serves may not have had its turn
    if (visits_[i].exchange(0) > 0) trace = "the host's " + services_[i].name + " was reached";
  }
  if (semaphore_ >= 0 && semctl(semaphore_, 0, GETVAL) > 0) {
    semctl(semaphore_, 0, SETVAL, 0);
    trace = "a semaphore of the host was changed";
  }
  if (waitpid(victim_, nullptr, WNOHANG) == victim_) {
    victim_ = -1;
    trace = "a process of the host was ended";
    if (const Status started = StartVictim(program_); !started) trace += "; it cannot be started again";
  }
  return trace;
}

std::string EscapeStage::Mark(std::string_view probe) const {
  std::string mark = "paddock-escape-mark-" + id_ + "-" + std::string(probe);
  std::replace(mark.begin(), mark.end(), '/', '-');
  return mark;
}

bool EscapeStage::EndMarked(const std::string& mark) {
  DIR* const list = opendir("/proc");
  if (list == nullptr) return false;
  bool is_found = false;
  while (const dirent* entry = readdir(list)) {
    std::ifstream file(std::string("/proc/") + entry->d_name + "/cmdline", std::ios::binary);
    std::string name;
    if (!std::getline(file, name, '\0') || name != mark) continue;
    is_found = true;
    kill(static_cast<pid_t>(std::atoi(entry->d_name)), SIGKILL);
  }
  closedir(list);
  return is_found;
}

}  // namespace paddock::process_wall
