// The records of who is logged in: /var/run/utmp and files like it, for users and who.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "proc/command.h"

namespace paddock {

struct LoginRecord {
  enum Type : int { kRunLevel = 1, kBoot = 2, kNewTime = 3, kInit = 5, kLogin = 6, kUser = 7, kDead = 8 };
  int type = 0;
  int32_t pid = 0;
  std::string line, id, user, host;
  int termination = 0, exit = 0;
  int64_t seconds = 0;
  std::array<uint8_t, 16> address{};
};

inline constexpr char kLoginFile[] = "/var/run/utmp";

// The records of a file; none if it cannot be read, as in the C library. With `drops_gone`, sessions whose
// process has ended are left out.
std::vector<LoginRecord> ReadLogins(Invocation& in, const std::string& path, bool drops_gone);
// A session with a user's name.
bool IsSession(const LoginRecord& record);

}  // namespace paddock
