#include "text/digest.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

std::string Hex(DigestAlgorithm algorithm, std::string_view text) { return HexOf(DigestOf(algorithm, text)); }

// The test vectors of the algorithms' own specifications for "abc".
TEST(Digest, KnowsEveryAlgorithm) {
  EXPECT_EQ(Hex(DigestAlgorithm::kMd5, "abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Hex(DigestAlgorithm::kSha1, "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hex(DigestAlgorithm::kSha224, "abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  EXPECT_EQ(Hex(DigestAlgorithm::kSha256, "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(DigestAlgorithm::kSha384, "abc").substr(0, 16), "cb00753f45a35e8b");
  EXPECT_EQ(Hex(DigestAlgorithm::kSha512, "abc").substr(0, 16), "ddaf35a193617aba");
  EXPECT_EQ(Hex(DigestAlgorithm::kBlake2b, "abc").substr(0, 16), "ba80a53f981c4d0d");
  EXPECT_EQ(Hex(DigestAlgorithm::kSm3, "abc"), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
}

TEST(Digest, PiecesGiveTheDigestOfTheWhole) {
  const std::string text(1000, 'x');
  for (const auto algorithm : {DigestAlgorithm::kMd5, DigestAlgorithm::kSha512, DigestAlgorithm::kSm3}) {
    for (const size_t step : {size_t{1}, size_t{63}, size_t{64}, size_t{65}}) {
      const auto digester = MakeDigester(algorithm);
      for (size_t at = 0; at < text.size(); at += step) digester->Update(std::string_view(text).substr(at, step));
      EXPECT_EQ(digester->Finish(), DigestOf(algorithm, text)) << step;
    }
  }
}

TEST(Digest, Sm3PadsAtEveryLength) {
  // 512 bits, the second vector of the standard; its padding takes a block of its own.
  std::string text;
  for (int i = 0; i < 16; ++i) text += "abcd";
  EXPECT_EQ(Hex(DigestAlgorithm::kSm3, text), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732");
}

}  // namespace
}  // namespace paddock
