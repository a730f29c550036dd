#include "guest/protocol/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace paddock::guest {
namespace {

std::string FrameBytes(uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  std::string bytes;
  AppendFrame(bytes, stream, type, flags, payload);
  return bytes;
}

// Feeds `bytes` in pieces of `piece` and returns what came out: payloads, and "!" for an error.
std::vector<std::string> Decode(std::string_view bytes, size_t piece) {
  FrameDecoder decoder;
  std::vector<std::string> found;
  while (true) {
    while (true) {
      const auto frame = decoder.Next();
      if (!frame) {
        found.push_back("!");
        return found;
      }
      if (!*frame) break;
      found.emplace_back((*frame)->payload);
    }
    if (bytes.empty()) return found;
    const std::span<char> space = decoder.Space();
    const size_t count = std::min({piece, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    decoder.Commit(count);
    bytes.remove_prefix(count);
  }
}

TEST(FrameDecoder, GivesTheSameFramesWhateverThePieces) {
  std::string bytes;
  std::vector<std::string> payloads;
  for (size_t size : {size_t{0}, size_t{1}, size_t{5000}, kMaxPayloadBytes, kMaxPayloadBytes - 1, size_t{3}, kMaxPayloadBytes}) {
    payloads.push_back(std::string(size, static_cast<char>('a' + size % 26)));
    AppendFrame(bytes, 7, FrameType::kData, kChannelOut, payloads.back());
  }
  for (const size_t piece : {1ul, 11ul, 12ul, 13ul, 4096ul, 65536ul, 1ul << 20}) EXPECT_EQ(Decode(bytes, piece), payloads) << piece;
}

TEST(FrameDecoder, KeepsAllFieldsOfTheHeader) {
  FrameDecoder decoder;
  const std::string bytes = FrameBytes(0x01020304, FrameType::kEnd, kChannelError, "x");
  EXPECT_EQ(bytes, std::string("\x01\0\0\0\x04\x03\x02\x01\x0a\0\x02\0x", 13));
  std::memcpy(decoder.Space().data(), bytes.data(), bytes.size());
  decoder.Commit(bytes.size());
  const auto frame = decoder.Next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.stream, 0x01020304u);
  EXPECT_EQ((*frame)->header.type, FrameType::kEnd);
  EXPECT_EQ((*frame)->header.flags, kChannelError);
  EXPECT_TRUE(decoder.IsAtBoundary());
}

TEST(FrameDecoder, RefusesWithTheHeaderAlone) {
  // Not one byte of the payload is needed, or waited for.
  EXPECT_EQ(Decode(std::string_view("\x01\0\x01\0" "\x01\0\0\0" "\x08\0" "\0\0", 12), 12), std::vector<std::string>{"!"});   // too long
  EXPECT_EQ(Decode(std::string_view("\xff\xff\xff\xff" "\x01\0\0\0" "\x08\0" "\0\0", 12), 12), std::vector<std::string>{"!"});
  EXPECT_EQ(Decode(std::string_view("\0\0\0\0" "\x01\0\0\0" "\x07\0" "\0\0", 12), 12), std::vector<std::string>{"!"});       // type
  EXPECT_EQ(Decode(std::string_view("\0\0\0\0" "\x01\0\0\0" "\x08\0" "\x03\0", 12), 12), std::vector<std::string>{"!"});     // channel
  EXPECT_EQ(Decode(std::string_view("\0\0\0\0" "\x01\0\0\0" "\x20\0" "\x01\0", 12), 12), std::vector<std::string>{"!"});     // flag
}

Frame Piece(uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  return {{static_cast<uint32_t>(payload.size()), stream, type, flags}, payload};
}

TEST(MessageAssembler, JoinsWhatAppendMessageCut) {
  std::string message(3 * kMaxPayloadBytes, 'm');
  message.back() = 'e';
  std::string bytes;
  AppendMessage(bytes, 9, FrameType::kStart, message);
  const auto pieces = Decode(bytes, 4096);
  ASSERT_EQ(pieces.size(), 3u);
  MessageAssembler assembler;
  EXPECT_FALSE(*assembler.Add(Piece(9, FrameType::kStart, kFlagMore, pieces[0])));
  EXPECT_FALSE(*assembler.Add(Piece(9, FrameType::kStart, kFlagMore, pieces[1])));
  const auto joined = assembler.Add(Piece(9, FrameType::kStart, 0, pieces[2]));
  ASSERT_TRUE(joined && *joined);
  EXPECT_EQ((*joined)->bytes, message);
  const auto next = assembler.Add(Piece(9, FrameType::kSignal, 0, "x"));
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->bytes, "x");
}

TEST(MessageAssembler, RefusesAnotherFrameInBetween) {
  MessageAssembler assembler;
  EXPECT_FALSE(*assembler.Add(Piece(9, FrameType::kStart, kFlagMore, "a")));
  EXPECT_FALSE(assembler.Add(Piece(11, FrameType::kStart, 0, "b")));
}

TEST(MessageAssembler, RefusesAMessageThatGrowsTooLong) {
  MessageAssembler assembler;
  const std::string piece(kMaxPayloadBytes, 'x');
  for (size_t sum = 0; sum < kMaxMessageBytes; sum += piece.size()) {
    ASSERT_TRUE(assembler.Add(Piece(1, FrameType::kStart, kFlagMore, piece)));
  }
  EXPECT_FALSE(assembler.Add(Piece(1, FrameType::kStart, kFlagMore, "x")));
}

TEST(MessageAssembler, RefusesEmptyPiecesThatLeadNowhere) {
  MessageAssembler assembler;
  EXPECT_FALSE(assembler.Add(Piece(1, FrameType::kStart, kFlagMore, "")));
}

}  // namespace
}  // namespace paddock::guest
