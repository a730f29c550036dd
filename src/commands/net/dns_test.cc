#include "commands/net/dns.h"

#include <gtest/gtest.h>

namespace paddock::dns {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

TEST(Dns, ReadsWhatItAsked) {
  const auto answer = ParseAnswer(BuildQuery(7, "ok.example", kAaaa));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, 7);
  EXPECT_EQ(answer->question, "ok.example.");
  EXPECT_EQ(answer->type, kAaaa);
  EXPECT_TRUE(answer->records.empty());
}

TEST(Dns, ReadsAddressesBehindCompressedNames) {
  std::string message = BuildQuery(1, "a.b", kA);
  message[7] = 1;   // one answer
  message += Bytes({0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 1});
  const auto answer = ParseAnswer(message);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->records.size(), 1u);
  EXPECT_EQ(RecordText(answer->records[0]), "a.b.\t\t\t60\tIN\tA\t198.18.0.1\n");
}

TEST(Dns, RefusesMessagesThatAreCutOrTurnInCircles) {
  std::string whole = BuildQuery(1, "a.b", kA);
  whole[7] = 1;
  whole += Bytes({0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 1});
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(ParseAnswer(std::string_view(whole).substr(0, size))) << size;
  std::string circle = BuildQuery(1, "a.b", kA);
  circle[12] = static_cast<char>(0xc0);
  circle[13] = 12;
  EXPECT_FALSE(ParseAnswer(circle));
}

TEST(Dns, ReversesAddresses) {
  EXPECT_EQ(ReverseName("192.0.2.7"), "7.2.0.192.in-addr.arpa");
  EXPECT_EQ(ReverseName("::1")->substr(0, 8), "1.0.0.0.");
  EXPECT_FALSE(ReverseName("example.org"));
  EXPECT_FALSE(ReverseName("1.2.3"));
}

}  // namespace
}  // namespace paddock::dns
