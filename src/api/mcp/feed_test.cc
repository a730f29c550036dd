#include "api/mcp/feed.h"

#include <gtest/gtest.h>

#include <vector>

namespace paddock::mcp {
namespace {

// Takes as many as it has room for.
struct Listener {
  size_t room = 1000;
  std::vector<std::pair<uint64_t, std::string>> told;
  bool is_closed = false;

  Feed::Outlet Outlet() {
    return {.send =
                [this](uint64_t number, const json::object& notification) {
                  if (told.size() >= room) return false;
                  const json::object& params = notification.at("params").as_object();
                  told.emplace_back(number, params.contains("uri") ? std::string(params.at("uri").as_string()) : std::string("list"));
                  return true;
                },
            .close = [this] { is_closed = true; }};
  }
};
using Told = std::vector<std::pair<uint64_t, std::string>>;

TEST(McpFeed, WhatChangesAgainBeforeItIsToldIsToldOnce) {
  Feed feed;
  Listener listener{.room = 1};
  ASSERT_TRUE(feed.Attach(listener.Outlet(), std::nullopt));
  feed.Pump();
  feed.Tell("a");
  for (int i = 0; i < 1000; ++i) {
    feed.Tell("a");
    feed.Tell("b");
    feed.Tell("");
  }
  EXPECT_EQ(listener.told, (Told{{1, "a"}}));
  listener.room = 100;
  feed.Pump();
  EXPECT_EQ(listener.told, (Told{{1, "a"}, {2, "a"}, {3, "b"}, {4, "list"}}));
}

TEST(McpFeed, ANewListenerTakesTheOldOnesPlaceAndGoesOnBehindIt) {
  Feed feed;
  Listener first, second;
  const auto attached = feed.Attach(first.Outlet(), std::nullopt);
  feed.Pump();
  feed.Tell("a");
  ASSERT_TRUE(feed.Attach(second.Outlet(), std::nullopt));
  EXPECT_TRUE(first.is_closed);
  EXPECT_FALSE(feed.Detach(attached->outlet));   // it was replaced
  feed.Pump();
  feed.Tell("b");
  EXPECT_EQ(first.told, (Told{{1, "a"}}));
  EXPECT_EQ(second.told, (Told{{2, "b"}}));
}

TEST(McpFeed, WhatWasToldIsToldAgainFromWhereAListenerSays) {
  Feed feed;
  Listener first, second;
  const auto attached = feed.Attach(first.Outlet(), std::nullopt);
  feed.Pump();
  for (const char* uri : {"a", "b", "c"}) feed.Tell(uri);
  EXPECT_TRUE(feed.Detach(attached->outlet));
  EXPECT_FALSE(feed.is_attached());
  feed.Tell("d");
  const auto again = feed.Attach(second.Outlet(), 1);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->has_missed);
  EXPECT_EQ(again->number, 1u);
  feed.Pump();
  EXPECT_EQ(second.told, (Told{{2, "b"}, {3, "c"}, {4, "d"}}));
  EXPECT_EQ(feed.Attach(second.Outlet(), 5).error().code, Code::kInvalid);   // never told
}

TEST(McpFeed, WhatIsKeptIsBoundedAndAGapIsSaid) {
  Feed feed;
  Listener listener;
  ASSERT_TRUE(feed.Attach(listener.Outlet(), std::nullopt));
  feed.Pump();
  for (size_t i = 0; i < Feed::kMostKept + 10; ++i) feed.Tell("a");
  EXPECT_TRUE(feed.Attach(listener.Outlet(), 3)->has_missed);
  EXPECT_FALSE(feed.Attach(listener.Outlet(), 10)->has_missed);
}

TEST(McpFeed, NotificationsCarryTheirSubscription) {
  Feed feed(json::value("s1"));
  json::object seen;
  ASSERT_TRUE(feed.Attach({.send =
                               [&](uint64_t, const json::object& notification) {
                                 seen = notification;
                                 return true;
                               },
                           .close = {}},
                          std::nullopt));
  feed.Pump();
  feed.Tell("paddock://session/a");
  EXPECT_EQ(seen.at("method"), "notifications/resources/updated");
  EXPECT_EQ(seen.at("params").at("_meta").at(kSubscriptionKey), "s1");
}

}  // namespace
}  // namespace paddock::mcp
