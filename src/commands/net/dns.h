// What host, dig and nslookup share: a question of one name, put to the policy, and its answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock::dns {

enum Type : uint16_t { kA = 1, kNs = 2, kCname = 5, kSoa = 6, kPtr = 12, kMx = 15, kTxt = 16, kAaaa = 28, kSrv = 33, kHttps = 65, kAxfr = 252, kAny = 255, kCaa = 257 };
inline constexpr uint16_t kInternet = 1;

// By its name in any case; nothing for another.
std::optional<uint16_t> TypeOf(std::string_view name);
std::string TypeName(uint16_t type);
// IN, CH, HS, ANY, NONE, CLASS7.
std::optional<uint16_t> ClassOf(std::string_view name);
std::string ClassName(uint16_t klass);

struct Record {
  std::string name;    // with the root's dot
  uint16_t type = 0;
  uint32_t ttl = 0;
  std::string data;    // addresses as text
};

struct Answer {
  uint16_t id = 0;
  uint16_t flags = 0;
  std::string question;   // with the root's dot
  uint16_t type = 0, klass = kInternet;
  std::vector<Record> records;
  size_t bytes = 0;       // of the message
  Nanoseconds time{0};

  int status() const { return flags & 15; }
  const char* status_name() const;
};

// Errors: kInvalid for what is no name, else those of Network::AskDns and of answers that cannot be read.
struct Asked {
  uint16_t klass = kInternet;
  bool is_recursive = true;
};
Result<Answer> Ask(Invocation& in, const std::string& name, uint16_t type, Asked asked = {});
// For tests and Ask().
std::string BuildQuery(uint16_t id, const std::string& name, uint16_t type, Asked asked = {});
Result<Answer> ParseAnswer(std::string_view message);

// 192.0.2.7 → 7.2.0.192.in-addr.arpa, and the same for IPv6; nothing for a name.
std::optional<std::string> ReverseName(const std::string& address);
// A line on standard error where the policy has refused the name, and how to ask.
void TellDenial(Invocation& in, const std::string& name, const Answer& answer);

// The text that dig and host -v print between the comments' lines.
std::string HeaderText(const Answer& answer);
std::string QuestionText(const Answer& answer);
std::string RecordText(const Record& record);

}  // namespace paddock::dns
