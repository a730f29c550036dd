#include "git/packet.h"

#include <gtest/gtest.h>

#include <vector>

namespace paddock::git {
namespace {

// The packets of a stream that comes in pieces of `size` bytes, a flush as "<flush>"; then how it ended.
std::vector<std::string> Read(std::string_view stream, size_t size) {
  std::vector<std::string> packets;
  PacketReader reader([&packets](std::string_view content, bool is_flush) {
    packets.push_back(is_flush ? "<flush>" : std::string(content));
    return Status();
  });
  for (size_t at = 0; at < stream.size(); at += size) {
    if (const Status fed = reader.Feed(stream.substr(at, size)); !fed) {
      packets.push_back("error: " + std::string(fed.error().Text()));
      return packets;
    }
  }
  if (!reader.is_between_packets()) packets.push_back("<cut>");
  return packets;
}

TEST(PacketTest, HasItsLengthInFront) {
  EXPECT_EQ(Packet("a\n"), "0006a\n");
  EXPECT_EQ(Packet(""), "0004");
  EXPECT_EQ(Packet(std::string(kMostPacket, 'x')).substr(0, 4), "fff0");
}

TEST(PacketTest, AreTheSameHoweverTheStreamIsCut) {
  const std::string stream = Packet("one\n") + Packet("") + std::string(kFlushPacket) + Packet(std::string(300, 'x')) + Packet("last");
  const std::vector<std::string> whole = Read(stream, stream.size());
  EXPECT_EQ(whole, (std::vector<std::string>{"one\n", "", "<flush>", std::string(300, 'x'), "last"}));
  for (size_t size = 1; size < 12; ++size) EXPECT_EQ(Read(stream, size), whole) << size;
}

TEST(PacketTest, TellsAnEndInTheMiddle) {
  EXPECT_EQ(Read("0009on", 100), (std::vector<std::string>{"<cut>"}));
  EXPECT_EQ(Read("00", 1), (std::vector<std::string>{"<cut>"}));
}

TEST(PacketTest, RefusesLengthsThatAreNone) {
  for (const char* const head : {"zzzz", "0001", "0003", "ffff", "fff1", "-001", " 123"}) {
    const auto packets = Read(std::string(head) + std::string(70000, 'x'), 7);
    ASSERT_EQ(packets.size(), 1u) << head;
    EXPECT_TRUE(packets[0].starts_with("error: protocol error: bad line length character: ")) << packets[0];
  }
}

TEST(PacketTest, EndsWithTheErrorOfItsReader) {
  int count = 0;
  PacketReader reader([&count](std::string_view, bool) {
    ++count;
    return Status(Error(Code::kCorrupt, "enough"));
  });
  EXPECT_FALSE(reader.Feed(Packet("a") + Packet("b")).has_value());
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace paddock::git
