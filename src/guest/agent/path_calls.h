// The file operations of version 2 that are one answer to one request.
#pragma once

#include <sys/stat.h>

#include <string>

#include "guest/protocol/open_file_messages.h"

namespace paddock::guest {

FileAttributes AttributesOf(const struct stat& stat);

// Those from FileOperation::kAttributes on. 0, with the reply's payload, or an errno.
int DoPathCall(const FileRequest& request, std::string& reply);
int SetTimes(const SetTimesRequest& request);

// What is made in its scope gets the mode that the client asked for. The agent has one thread, so nothing else is made meanwhile.
class NoUmask {
 public:
  NoUmask() : before_(umask(0)) {}
  ~NoUmask() { umask(before_); }
  NoUmask(const NoUmask&) = delete;

 private:
  mode_t before_;
};

}  // namespace paddock::guest
