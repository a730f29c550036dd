#include "guest/protocol/port_messages.h"

#include "guest/protocol/wire.h"

namespace paddock::guest {
namespace {

constexpr size_t kMaxAddressBytes = 108;   // of a unix socket
constexpr size_t kMaxUsageValues = 256;
constexpr size_t kMaxUsageName = 64;

template <class Request>
std::string EncodeEndpoint(const Request& message) {
  WireWriter writer;
  writer.U8(static_cast<uint8_t>(message.network));
  writer.String(message.address);
  writer.U16(message.port);
  return writer.Take();
}

template <class Request>
Result<Request> DecodeEndpoint(std::string_view bytes, std::string_view name) {
  WireReader reader(bytes);
  Request message;
  const uint8_t network = reader.U8();
  message.address = reader.Text(kMaxAddressBytes);
  message.port = reader.U16();
  if (network > 1 || (network == 1 && message.address.empty())) reader.Fail();
  PADDOCK_TRY(reader.Finish(name));
  message.network = static_cast<Network>(network);
  return message;
}

}  // namespace

std::string Encode(const DialRequest& message) { return EncodeEndpoint(message); }
Result<DialRequest> DecodeDial(std::string_view bytes) { return DecodeEndpoint<DialRequest>(bytes, "dial"); }
std::string Encode(const ListenRequest& message) { return EncodeEndpoint(message); }
Result<ListenRequest> DecodeListen(std::string_view bytes) { return DecodeEndpoint<ListenRequest>(bytes, "listen"); }

std::string Encode(const Opened& message) {
  WireWriter writer;
  writer.U16(message.port);
  return writer.Take();
}

Result<Opened> DecodeOpened(std::string_view bytes) {
  WireReader reader(bytes);
  Opened message;
  message.port = reader.U16();
  PADDOCK_TRY(reader.Finish("opened"));
  return message;
}

std::string Encode(const Accepted& message) {
  WireWriter writer;
  writer.U32(message.listener);
  writer.String(message.peer);
  return writer.Take();
}

Result<Accepted> DecodeAccepted(std::string_view bytes) {
  WireReader reader(bytes);
  Accepted message;
  message.listener = reader.U32();
  message.peer = reader.Text(kMaxAddressBytes);
  PADDOCK_TRY(reader.Finish("accepted"));
  return message;
}

std::string Encode(const std::vector<UsageValue>& message) {
  WireWriter writer;
  writer.U32(static_cast<uint32_t>(message.size()));
  for (const UsageValue& value : message) {
    writer.String(value.name);
    writer.U64(value.value);
  }
  return writer.Take();
}

Result<std::vector<UsageValue>> DecodeUsage(std::string_view bytes) {
  WireReader reader(bytes);
  std::vector<UsageValue> message;
  const uint32_t count = reader.Count(kMaxUsageValues, 12);
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    UsageValue& value = message.emplace_back();
    value.name = reader.Text(kMaxUsageName);
    value.value = reader.U64();
  }
  PADDOCK_TRY(reader.Finish("usage"));
  return message;
}

}  // namespace paddock::guest
