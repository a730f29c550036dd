#include "egress/client_hello.h"

#include <cstdint>
#include <set>

namespace paddock::egress {
namespace {

constexpr uint8_t kHandshakeRecord = 22;
constexpr uint8_t kClientHello = 1;
constexpr size_t kRecordHeader = 5;
constexpr size_t kMostRecord = 16 << 10;
constexpr uint16_t kServerName = 0;
constexpr uint16_t kProtocols = 16;   // RFC 7301
constexpr uint16_t kEncryptedClientHello = 0xfe0d;
constexpr uint16_t kEncryptedServerName = 0xffce;

Error Bad(std::string_view text) { return Error(Code::kInvalid, "TLS: " + std::string(text)); }

// Takes numbers and length-prefixed texts off the front; after a short read it stays failed.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  size_t Number(size_t bytes) {
    size_t value = 0;
    for (const char c : Take(bytes)) value = value << 8 | static_cast<uint8_t>(c);
    return value;
  }
  std::string_view Take(size_t count) {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view Vector(size_t length_bytes) { return Take(Number(length_bytes)); }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

// Joins the handshake bytes of the records at the front. Nothing when more must come.
Result<std::optional<std::string>> JoinRecords(std::string_view bytes) {
  std::string joined;
  while (!bytes.empty()) {
    if (static_cast<uint8_t>(bytes[0]) != kHandshakeRecord) return Bad("a record that is no handshake");
    if (bytes.size() >= 2 && bytes[1] != 3) return Bad("a version that is unknown");
    if (bytes.size() < kRecordHeader) break;
    const size_t length = static_cast<size_t>(static_cast<uint8_t>(bytes[3])) << 8 | static_cast<uint8_t>(bytes[4]);
    if (length == 0 || length > kMostRecord) return Bad("a record of impossible length");
    bytes.remove_prefix(kRecordHeader);
    joined += bytes.substr(0, length);
    if (!joined.empty() && static_cast<uint8_t>(joined[0]) != kClientHello)
      return Bad("a handshake that does not begin with ClientHello");
    if (joined.size() >= 4) {
      const size_t size = 4 + (static_cast<size_t>(static_cast<uint8_t>(joined[1])) << 16 |
                               static_cast<size_t>(static_cast<uint8_t>(joined[2])) << 8 | static_cast<uint8_t>(joined[3]));
      if (size > kMostHelloBytes) return Error(Code::kLimit, "TLS: ClientHello longer than 65536 bytes");
      if (joined.size() > size) return Bad("bytes behind the ClientHello in its record");
      if (joined.size() == size) return std::optional<std::string>(joined.substr(4));
    }
    if (bytes.size() < length) break;
    bytes.remove_prefix(length);
  }
  if (joined.size() > kMostHelloBytes) return Error(Code::kLimit, "TLS: ClientHello longer than 65536 bytes");
  return std::optional<std::string>();
}

Status ReadServerName(std::string_view extension, ClientHello* hello) {
  Reader reader(extension);
  Reader list(reader.Vector(2));
  const size_t type = list.Number(1);
  const std::string_view name = list.Vector(2);
  if (!reader.is_good() || !list.is_good() || !reader.is_at_end() || !list.is_at_end() || type != 0 || name.empty()) {
    return Bad("a server name extension that is not one name");
  }
  hello->server_name = std::string(name);
  return {};
}

Status ReadProtocols(std::string_view extension, ClientHello* hello) {
  Reader reader(extension);
  Reader list(reader.Vector(2));
  while (!list.is_at_end()) {
    const std::string_view name = list.Vector(1);
    if (!list.is_good() || name.empty()) return Bad("a list of protocols that is broken");
    hello->protocols.emplace_back(name);
  }
  if (!reader.is_good() || !reader.is_at_end() || hello->protocols.empty()) return Bad("a list of protocols that is broken");
  return {};
}

}  // namespace

Result<std::optional<ClientHello>> ParseClientHello(std::string_view bytes) {
  PADDOCK_ASSIGN(const auto body, JoinRecords(bytes));
  if (!body) return std::optional<ClientHello>();
  ClientHello hello;
  Reader reader(*body);
  const size_t version = reader.Number(2);
  reader.Take(32);                                              // random
  if (reader.Vector(1).size() > 32) return Bad("a session id that is too long");
  const size_t suites = reader.Vector(2).size();
  const size_t compressions = reader.Vector(1).size();
  if (!reader.is_good() || version >> 8 != 3 || suites == 0 || suites % 2 != 0 || compressions == 0)
    return Bad("a ClientHello that is broken");
  if (reader.is_at_end()) return std::optional<ClientHello>(std::move(hello));   // none of the extensions
  Reader extensions(reader.Vector(2));
  if (!reader.is_good() || !reader.is_at_end()) return Bad("a ClientHello that is broken");
  std::set<size_t> seen;
  while (!extensions.is_at_end()) {
    const size_t type = extensions.Number(2);
    const std::string_view data = extensions.Vector(2);
    if (!extensions.is_good()) return Bad("an extension that is cut off");
    if (!seen.insert(type).second) return Bad("an extension that comes twice");
    if (type == kServerName) PADDOCK_TRY(ReadServerName(data, &hello));
    if (type == kProtocols) PADDOCK_TRY(ReadProtocols(data, &hello));
    if (type == kEncryptedClientHello || type == kEncryptedServerName) hello.has_encrypted_hello = true;
  }
  return std::optional<ClientHello>(std::move(hello));
}

}  // namespace paddock::egress
