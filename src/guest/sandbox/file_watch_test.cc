#include "guest/sandbox/file_watch.h"

#include <gtest/gtest.h>

namespace paddock::guest {
namespace {

using Kind = sandbox::FileEvent::Kind;

TEST(GuestWatch, TwoHalvesOfAMoveAreOneEvent) {
  const auto events = EventsOf({{WatchKind::kMovedFrom, false, 7, "a"}, {WatchKind::kCreated, false, 0, "x"}, {WatchKind::kMovedTo, false, 7, "b"}}, "/w");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0], (sandbox::FileEvent{Kind::kMoved, false, "/w/b", "/w/a"}));
  EXPECT_EQ(events[1], (sandbox::FileEvent{Kind::kCreated, false, "/w/x", ""}));
}

TEST(GuestWatch, AHalfAloneCameOrWent) {
  const auto events = EventsOf({{WatchKind::kMovedFrom, true, 7, "a"}, {WatchKind::kMovedTo, false, 8, "b"}}, "/");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0], (sandbox::FileEvent{Kind::kRemoved, true, "/a", ""}));
  EXPECT_EQ(events[1], (sandbox::FileEvent{Kind::kCreated, false, "/b", ""}));
}

TEST(GuestWatch, WritingAgainAndAgainIsToldOnce) {
  EXPECT_EQ(EventsOf({{WatchKind::kModified, false, 0, "a"}, {WatchKind::kModified, false, 0, "a"}, {WatchKind::kModified, false, 0, "b"}}, "/w").size(), 2u);
}

TEST(GuestWatch, OverflowIsAboutWhatIsWatched) {
  EXPECT_EQ(EventsOf({{WatchKind::kLost, false, 0, ""}}, "/w"), (std::vector<sandbox::FileEvent>{{Kind::kLost, false, "/w", ""}}));
}

}  // namespace
}  // namespace paddock::guest
