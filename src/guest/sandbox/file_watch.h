// GuestFileWatch: what the agent inside a wall sees happen to files, as the waist tells it.
#pragma once

#include <memory>
#include <string>

#include "guest/client/client.h"
#include "sandbox/file_watch.h"

namespace paddock::guest {

class GuestFileWatch final : public sandbox::FileWatch {
 public:
  GuestFileWatch(std::unique_ptr<GuestWatch> watch, std::string path) : watch_(std::move(watch)), path_(std::move(path)) {}
  Result<std::vector<sandbox::FileEvent>> Take() override;

 private:
  const std::unique_ptr<GuestWatch> watch_;
  const std::string path_;
};

// Moves whose two halves came together become one event; a half alone is a file that came, or went.
std::vector<sandbox::FileEvent> EventsOf(const std::vector<WatchEvent>& events, const std::string& path);

}  // namespace paddock::guest
