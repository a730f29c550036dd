// Daemon: the long-lived process: its database and stores, the registry of sandboxes, the keys, and the server in front of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/config/config.h"
#include "base/result.h"
#include "net/address.h"
#include "sandbox/driver_set.h"
#include "store/records/records.h"

namespace paddock::api {

// Started, it answers until it is stopped. Any thread.
class Daemon {
 public:
  struct Start {
    Config config;
    std::string version;
    const sandbox::DriverSet* drivers = nullptr;   // outlives the daemon
    std::set<std::string> features;                // flags that are on: tools::FeaturesOf()
    std::function<void(const std::string& line)> log;   // what no client may see; any thread; may be null
  };
  // Opens what is durable, takes back the sandboxes, listens on TCP and on the unix socket "paddock.sock" in the data directory. Without any
  // key yet, one of an admin is made and written to "admin.key" there.
  // Errors: kBusy (another daemon uses the directory), kAccess (an address beyond loopback, and no key), those of the database, the store,
  // the address. Each names the file, directory or address.
  static Result<std::unique_ptr<Daemon>> Open(Start start);
  virtual ~Daemon() = default;

  virtual std::vector<net::Address> addresses() const = 0;   // TCP first
  virtual const std::string& new_key_file() const = 0;       // where the first key was written; empty: there was one
  virtual size_t sandboxes() const = 0;

  // Takes no more requests, lets those that run end for up to `grace`, then ends them; keeps all sandboxes. Idempotent.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

// Opens the database of a configuration, making its directory (0700) if need be.
Result<std::unique_ptr<records::Records>> OpenRecords(const DataConfig& config);

}  // namespace paddock::api
