// EscapeStage: what the probes of escape-test reach for, outside every wall: files with a secret, a process that keeps it,
// IPC objects, sockets and services of this host. It sees who comes. Everything is removed with it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/descriptor.h"

namespace paddock::process_wall {

class EscapeStage {
 public:
  // `workspace` is an empty directory, which gets a repository; `program` is paddock-escape. What this host does not
  // have (IPv6, keyrings, a home that can be written) is left out of the facts. Errors: kUnavailable.
  static Result<std::unique_ptr<EscapeStage>> Make(const std::string& workspace, const std::string& home, const std::string& program);
  ~EscapeStage();
  EscapeStage(const EscapeStage&) = delete;
  EscapeStage& operator=(const EscapeStage&) = delete;

  // What probes are told (escape/probe.h).
  const std::map<std::string, std::string>& facts() const { return facts_; }
  // Whether a text holds what only the stage knows.
  bool Leaks(const std::string& text) const { return text.find(secret_) != std::string::npos; }
  // What has reached the stage since the last call; empty if nothing has. Puts back what was changed. A process that
  // was sent a signal is given up to `patience_ms` to die of it.
  std::string TakeTrace(int patience_ms);
  // The word that a probe leaves behind.
  std::string Mark(std::string_view probe) const;
  // Whether a process carries the mark in its command line; it is ended.
  static bool EndMarked(const std::string& mark);
  // Empties the workspace and makes its repositories anew.
  Status ResetWorkspace();

 private:
  EscapeStage() = default;
  std::string MakeFile(const std::string& path, unsigned mode);
  Status StartVictim(const std::string& program);
  void EndVictim();
  void MakeObjects();
  Status Listen(const std::string& home);
  void AddUnixSocket(const std::string& name, int type, bool is_abstract);
  void Serve();
  void CountDatagrams(size_t service);

  std::string id_, secret_, workspace_, program_;
  std::map<std::string, std::string> facts_;
  std::vector<std::string> files_;
  Descriptor leaked_;               // open to the home's file, without close-on-exec
  Descriptor victim_input_;
  pid_t victim_ = -1;
  int shared_ = -1, queue_ = -1, semaphore_ = -1;
  long key_ = -1;
  struct Service {
    Descriptor socket;
    std::string name;
    bool is_stream = true;
  };
  std::vector<Service> services_;
  std::unique_ptr<std::atomic<unsigned>[]> visits_;
  Descriptor end_;                  // an eventfd
  std::thread server_;
};

}  // namespace paddock::process_wall
