#include "egress/dns_message.h"

namespace paddock::egress {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kLongestName = 253;
constexpr size_t kLongestMessage = 4096;
constexpr uint32_t kTtl = 60;   // seconds; the mapping itself lives as long as the engine

uint16_t U16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) << 8 | static_cast<uint8_t>(bytes[at + 1]));
}

void Put16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8 & 0xff);
  out += static_cast<char>(value & 0xff);
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// Reads a name without compression; returns the position behind it, 0 when it is none.
size_t ReadName(std::string_view message, size_t at, std::string* name) {
  for (;;) {
    if (at >= message.size()) return 0;
    const size_t length = static_cast<uint8_t>(message[at++]);
    if (length == 0) return at;
    if (length > 63 || at + length > message.size()) return 0;
    if (!name->empty()) *name += '.';
    for (char c : message.substr(at, length)) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if (!IsNameByte(c)) return 0;
      *name += c;
    }
    if (name->size() > kLongestName) return 0;
    at += length;
  }
}

// Checks the one record that a query may carry: EDNS (RFC 6891), with the root as its name.
bool IsEdns(std::string_view message, size_t at) {
  if (message.size() < at + 11 || message[at] != 0 || U16(message, at + 1) != 41) return false;
  return message.size() == at + 11 + U16(message, at + 9);
}

}  // namespace

std::optional<DnsQuestion> ParseDnsQuestion(std::string_view message) {
  if (message.size() < kHeader || message.size() > kLongestMessage) return std::nullopt;
  const uint16_t flags = U16(message, 2);
  if (flags & 0x8000) return std::nullopt;   // an answer: answering it could go on for ever
  DnsQuestion question;
  question.id = U16(message, 0);
  question.is_recursion_desired = (flags & 0x0100) != 0;
  if ((flags & 0x7800) != 0) {
    question.problem = DnsStatus::kNotImplemented;
    return question;
  }
  question.problem = DnsStatus::kFormatError;
  const uint16_t additional = U16(message, 10);
  if (U16(message, 4) != 1 || U16(message, 6) != 0 || U16(message, 8) != 0 || additional > 1 || (flags & 0x0200)) return question;
  const size_t end = ReadName(message, kHeader, &question.name);
  if (end == 0 || message.size() < end + 4) return question;
  question.type = U16(message, end);
  question.klass = U16(message, end + 2);
  const bool is_whole = additional == 0 ? message.size() == end + 4 : IsEdns(message, end + 4);
  if (!is_whole) return question;
  question.encoded = std::string(message.substr(kHeader, end + 4 - kHeader));
  question.problem = DnsStatus::kNoError;
  return question;
}

std::string BuildDnsAnswer(const DnsQuestion& question, DnsStatus status, const std::optional<policy::IpAddress>& address) {
  std::string out;
  Put16(out, question.id);
  // Answer; recursion available, so that stub resolvers accept us.
  Put16(out, 0x8000u | (question.is_recursion_desired ? 0x0100u : 0u) | 0x0080u | static_cast<unsigned>(status));
  Put16(out, question.encoded.empty() ? 0 : 1);
  Put16(out, address ? 1 : 0);
  Put16(out, 0);
  Put16(out, 0);
  out += question.encoded;
  if (address) {
    Put16(out, 0xc000 | kHeader);   // the question's name
    Put16(out, static_cast<unsigned>(address->is_v6 ? DnsType::kAaaa : DnsType::kA));
    Put16(out, 1);
    Put16(out, kTtl >> 16);
    Put16(out, kTtl & 0xffff);
    const size_t size = address->is_v6 ? 16 : 4;
    Put16(out, static_cast<unsigned>(size));
    out.append(reinterpret_cast<const char*>(address->bytes.data()), size);
  }
  return out;
}

}  // namespace paddock::egress
