#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "base/random.h"
#include "commands/net/dns.h"
#include "proc/kernel.h"
#include "proc/network.h"

namespace paddock::dns {
namespace {

constexpr std::pair<const char*, uint16_t> kTypes[] = {{"A", kA},     {"NS", kNs},     {"CNAME", kCname}, {"SOA", kSoa}, {"PTR", kPtr}, {"MX", kMx},
                                                       {"TXT", kTxt}, {"AAAA", kAaaa}, {"SRV", kSrv},     {"ANY", kAny}, {"CAA", kCaa}, {"HTTPS", kHttps}, {"AXFR", kAxfr}};
constexpr std::pair<const char*, uint16_t> kClasses[] = {{"IN", kInternet}, {"CH", 3}, {"HS", 4}, {"NONE", 254}, {"ANY", 255}, {"CHAOS", 3}, {"HESIOD", 4}, {"RESERVED0", 0}};
constexpr size_t kHeader = 12;

// Reads what the engine wrote; answers come from this program, but a reader that trusts nobody is no longer than one that does.
class Reader {
 public:
  explicit Reader(std::string_view message) : message_(message) {}
  bool Has(size_t count) const { return message_.size() - at_ >= count; }
  uint16_t Number16() {
    const auto high = static_cast<uint8_t>(message_[at_]), low = static_cast<uint8_t>(message_[at_ + 1]);
    at_ += 2;
    return static_cast<uint16_t>(high << 8 | low);
  }
  uint32_t Number32() {
    const uint32_t high = Number16();
    return high << 16 | Number16();
  }
  std::string_view Bytes(size_t count) {
    const std::string_view bytes = message_.substr(at_, count);
    at_ += count;
    return bytes;
  }
  Result<std::string> Name() {
    std::string name;
    size_t at = at_, jumps = 0;
    bool has_jumped = false;
    for (;;) {
      if (at >= message_.size()) return Code::kInvalid;
      const auto length = static_cast<uint8_t>(message_[at]);
      if ((length & 0xc0) == 0xc0) {
        if (at + 1 >= message_.size() || ++jumps > 16) return Code::kInvalid;
        if (!has_jumped) at_ = at + 2;
        has_jumped = true;
        at = static_cast<size_t>((length & 0x3f) << 8 | static_cast<uint8_t>(message_[at + 1]));
        continue;
      }
      if (length > 63 || at + 1 + length > message_.size() || name.size() > 255) return Code::kInvalid;
      ++at;
      if (length == 0) break;
      name += std::string(message_.substr(at, length)) + ".";
      at += length;
    }
    if (!has_jumped) at_ = at;
    return name.empty() ? "." : name;
  }

 private:
  std::string_view message_;
  size_t at_ = 0;
};

}  // namespace

namespace {

bool IsWord(std::string_view word, std::string_view text) {
  return std::equal(word.begin(), word.end(), text.begin(), text.end(), [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); });
}

// TYPE65, CLASS3: as RFC 3597 writes what has no name.
std::optional<uint16_t> NumberBehind(std::string_view word, std::string_view text) {
  if (text.size() <= word.size() || !IsWord(word, text.substr(0, word.size()))) return std::nullopt;
  uint16_t number = 0;
  const auto [end, problem] = std::from_chars(text.data() + word.size(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<uint16_t> TypeOf(std::string_view name) {
  for (const auto& [known, type] : kTypes) {
    if (IsWord(known, name)) return type;
  }
  return NumberBehind("TYPE", name);
}

std::optional<uint16_t> ClassOf(std::string_view name) {
  for (const auto& [known, klass] : kClasses) {
    if (IsWord(known, name)) return klass;
  }
  return NumberBehind("CLASS", name);
}

std::string ClassName(uint16_t klass) {
  for (const auto& [name, known] : kClasses) {
    if (known == klass) return name;
  }
  return "CLASS" + std::to_string(klass);
}

std::string TypeName(uint16_t type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  return "TYPE" + std::to_string(type);
}

const char* Answer::status_name() const {
  constexpr const char* kNames[] = {"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};
  return status() < 6 ? kNames[status()] : "RESERVED";
}

std::string BuildQuery(uint16_t id, const std::string& name, uint16_t type, Asked asked) {
  const auto number = [](uint16_t value) { return std::string{static_cast<char>(value >> 8), static_cast<char>(value)}; };
  std::string query = number(id) + number(asked.is_recursive ? 0x0100 : 0) + number(1) + number(0) + number(0) + number(0);
  for (size_t at = 0; at < name.size();) {
    const size_t dot = std::min(name.find('.', at), name.size());
    query += static_cast<char>(dot - at) + name.substr(at, dot - at);
    at = dot + 1;
  }
  return query + '\0' + number(type) + number(asked.klass);
}

Result<Answer> ParseAnswer(std::string_view message) {
  Reader reader(message);
  if (!reader.Has(kHeader)) return Code::kInvalid;
  Answer answer;
  answer.bytes = message.size();
  answer.id = reader.Number16();
  answer.flags = reader.Number16();
  const uint16_t questions = reader.Number16(), answers = reader.Number16();
  reader.Bytes(4);
  if (questions != 1) return Code::kInvalid;
  PADDOCK_ASSIGN(answer.question, reader.Name());
  if (!reader.Has(4)) return Code::kInvalid;
  answer.type = reader.Number16();
  answer.klass = reader.Number16();
  for (uint16_t i = 0; i < answers; ++i) {
    Record record;
    PADDOCK_ASSIGN(record.name, reader.Name());
    if (!reader.Has(10)) return Code::kInvalid;
    record.type = reader.Number16();
    reader.Number16();
    record.ttl = reader.Number32();
    const size_t length = reader.Number16();
    if (!reader.Has(length)) return Code::kInvalid;
    const std::string_view data = reader.Bytes(length);
    char text[INET6_ADDRSTRLEN] = "";
    if (record.type == kA && length == 4) inet_ntop(AF_INET, data.data(), text, sizeof text);
    else if (record.type == kAaaa && length == 16) inet_ntop(AF_INET6, data.data(), text, sizeof text);
    else continue;
    record.data = text;
    answer.records.push_back(std::move(record));
  }
  return answer;
}

Result<Answer> Ask(Invocation& in, const std::string& given, uint16_t type, Asked asked) {
  std::string name = given.ends_with('.') && given.size() > 1 ? given.substr(0, given.size() - 1) : given;
  if (name == ".") name.clear();
  size_t label = 0;
  for (const char c : name) {
    label = c == '.' ? 0 : label + 1;
    if (label > 63) return Error(Code::kInvalid, "label too long");
  }
  if (name.size() > 253 || name.find("..") != std::string::npos || name.starts_with('.')) return Error(Code::kInvalid, "empty label");
  proc::Network* const network = in.kernel.network();
  if (network == nullptr) return Error(Code::kUnavailable, "this sandbox has no network");
  std::array<uint8_t, 2> random;
  FillRandom(random);
  const auto id = static_cast<uint16_t>(random[0] << 8 | random[1]);
  const Nanoseconds begun = in.clock.MonotonicNow();
  PADDOCK_ASSIGN(const std::string message, network->AskDns(BuildQuery(id, name, type, asked)));
  PADDOCK_ASSIGN(Answer answer, ParseAnswer(message));
  if (answer.id != id) return Code::kInvalid;
  answer.time = in.clock.MonotonicNow() - begun;
  return answer;
}

std::optional<std::string> ReverseName(const std::string& address) {
  unsigned char bytes[16];
  std::string name;
  if (inet_pton(AF_INET, address.c_str(), bytes) == 1) {
    for (int i = 3; i >= 0; --i) name += std::to_string(bytes[i]) + ".";
    return name + "in-addr.arpa";
  }
  if (inet_pton(AF_INET6, address.c_str(), bytes) != 1) return std::nullopt;
  constexpr char kHex[] = "0123456789abcdef";
  for (int i = 15; i >= 0; --i) name += {kHex[bytes[i] & 15], '.', kHex[bytes[i] >> 4], '.'};
  return name + "ip6.arpa";
}

void TellDenial(Invocation& in, const std::string& name, const Answer& answer) {
  if (answer.status() != 3 || answer.question.ends_with(".arpa.")) return;
  in.out.Flush();
  in.err.Write(std::string(in.name()) + ": " + name + ": denied by the sandbox's policy; to ask, have the user allow host " + name + " (--allow-host " + name + ")\n");
}

std::string HeaderText(const Answer& answer) {
  std::string flags;
  const auto add = [&](unsigned bit, const char* name) {
    if ((answer.flags & bit) != 0) flags += std::string(" ") + name;
  };
  add(0x8000, "qr");
  add(0x0400, "aa");
  add(0x0200, "tc");
  add(0x0100, "rd");
  add(0x0080, "ra");
  return ";; ->>HEADER<<- opcode: QUERY, status: " + std::string(answer.status_name()) + ", id: " + std::to_string(answer.id) + "\n;; flags:" + flags +
         "; QUERY: 1, ANSWER: " + std::to_string(answer.records.size()) + ", AUTHORITY: 0, ADDITIONAL: 0\n";
}

namespace {

// As many as lead from one column to another.
std::string Tabs(size_t length, size_t column) { return std::string(length >= column ? 1 : (column - length + 7) / 8, '\t'); }

}  // namespace

std::string QuestionText(const Answer& answer) {
  const std::string name = ";" + answer.question;
  return name + Tabs(name.size(), 32) + ClassName(answer.klass) + "\t" + TypeName(answer.type) + "\n";
}

std::string RecordText(const Record& record) {
  return record.name + Tabs(record.name.size(), 24) + std::to_string(record.ttl) + "\tIN\t" + TypeName(record.type) + "\t" + record.data + "\n";
}

}  // namespace paddock::dns
