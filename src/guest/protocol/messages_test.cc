#include "guest/protocol/messages.h"

#include <gtest/gtest.h>

#include "guest/protocol/flow.h"
#include "guest/protocol/wire.h"

namespace paddock::guest {
namespace {

StartRequest Full() {
  StartRequest request;
  request.arguments = {"prog", "", "b c"};
  request.environment = {"A=1", "PATH=/bin"};
  request.directory = "/work";
  request.user = ProcessUser{1000, 1001, {4, 5}};
  request.limits = {{7, 10, 20}};
  request.umask = 077;
  request.oom_score_adj = -5;
  request.terminal = TerminalSize{40, 120};
  request.has_input = true;
  request.merges_output = true;
  request.output_window = 12345;
  request.log_bytes = 5000;
  return request;
}

TEST(StartRequest, KeepsEveryField) {
  const auto copy = DecodeStart(Encode(Full()));
  ASSERT_TRUE(copy);
  EXPECT_EQ(Encode(*copy), Encode(Full()));
  EXPECT_EQ(copy->arguments, Full().arguments);
  EXPECT_EQ(copy->user->groups, Full().user->groups);
  EXPECT_EQ(*copy->oom_score_adj, -5);
  EXPECT_EQ(copy->terminal->columns, 120);
}

TEST(StartRequest, RefusesEveryShorterAndLongerMessage) {
  const std::string whole = Encode(Full());
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(DecodeStart(whole.substr(0, size))) << size;
  EXPECT_FALSE(DecodeStart(whole + "x"));
}

TEST(StartRequest, RefusesWhatNoProgramCanBeStartedWith) {
  StartRequest request = Full();
  request.arguments = {};
  EXPECT_FALSE(DecodeStart(Encode(request)));
  request = Full();
  request.arguments[1] = std::string("a\0b", 3);
  EXPECT_FALSE(DecodeStart(Encode(request)));
  request = Full();
  request.umask = 01000;
  EXPECT_FALSE(DecodeStart(Encode(request)));
  request = Full();
  request.oom_score_adj = 1001;
  EXPECT_FALSE(DecodeStart(Encode(request)));
}

TEST(WireReader, ACountBeyondTheBytesIsRefusedBeforeAnythingIsAllocated) {
  WireWriter writer;
  writer.U32(0xffffffff);
  const std::string bytes = writer.Take();
  WireReader reader(bytes);
  EXPECT_EQ(reader.Texts(~size_t{0}, 10).size(), 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(WireReader, StaysFailed) {
  WireReader reader("ab");
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_EQ(reader.U8(), 0u);
  EXPECT_FALSE(reader.Finish("test"));
}

TEST(Hello, TheHighestCommonVersionIsTaken) {
  Hello one, other;
  one.version_max = 5;
  other.version_max = 3;
  EXPECT_EQ(*CommonVersion(one, other), 3);
  one.version_min = 4;
  EXPECT_FALSE(CommonVersion(one, other));
}

TEST(Hello, AnotherMagicIsRefused) {
  std::string bytes = Encode(Hello());
  EXPECT_EQ(bytes.substr(0, 8), "PDKGUEST");
  bytes[0] = 'X';
  EXPECT_FALSE(DecodeHello(bytes));
}

TEST(Exited, RefusesASignalThatDoesNotExist) {
  Exited exited{.by_signal = true, .code = 65};
  EXPECT_FALSE(DecodeExited(Encode(exited)));
  exited.code = 9;
  EXPECT_TRUE(DecodeExited(Encode(exited)));
}

TEST(SendCredit, RefusesMoreThanTheLargestWindow) {
  SendCredit credit(10);
  EXPECT_TRUE(credit.Add(kMaxWindowBytes - 10));
  EXPECT_FALSE(credit.Add(1));
  EXPECT_EQ(credit.available(), kMaxWindowBytes);
}

TEST(ReceiveWindow, GrantsWhatWasUsedAndRefusesWhatWasNotGranted) {
  ReceiveWindow window(100);
  EXPECT_TRUE(window.Receive(100));
  EXPECT_FALSE(window.Receive(1));
  EXPECT_EQ(window.Consume(49), 0u);
  EXPECT_EQ(window.Consume(1), 50u);
  EXPECT_TRUE(window.Receive(50));
  EXPECT_FALSE(window.Receive(1));
}

}  // namespace
}  // namespace paddock::guest
