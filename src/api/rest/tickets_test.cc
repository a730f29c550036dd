#include "api/rest/tickets.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

using namespace std::chrono_literals;

TEST(Tickets, EachIsGoodOnceForItsSandboxAndAMinute) {
  Tickets tickets;
  const Tickets::Time now{};
  const Identity ann{.caller = {.owner = "ann"}, .most = Access::kUse};
  const std::string first = *tickets.Issue(ann, "dev", now), second = *tickets.Issue(ann, "dev", now), third = *tickets.Issue(ann, "dev", now);
  const auto taken = tickets.Take(first, "dev", now + 59s);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->caller.owner, "ann");
  EXPECT_FALSE(tickets.Take(first, "dev", now));
  EXPECT_FALSE(tickets.Take(second, "other", now));
  EXPECT_FALSE(tickets.Take(second, "dev", now));   // used up by the attempt
  EXPECT_FALSE(tickets.Take(third, "dev", now + 60s));
  EXPECT_FALSE(tickets.Take("", "dev", now));
}

TEST(Tickets, AnOwnerCannotTakeAllOfThem) {
  Tickets tickets;
  const Tickets::Time now{};
  for (size_t i = 0; i < Tickets::kMostOfOwner; ++i) EXPECT_TRUE(tickets.Issue({.caller = {.owner = "ann"}}, "dev", now));
  EXPECT_EQ(tickets.Issue({.caller = {.owner = "ann"}}, "dev", now).error().code, Code::kLimit);
  EXPECT_TRUE(tickets.Issue({.caller = {.owner = "bob"}}, "dev", now));
  EXPECT_TRUE(tickets.Issue({.caller = {.owner = "ann"}}, "dev", now + 61s));
}

}  // namespace
}  // namespace paddock::api
