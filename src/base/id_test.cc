#include "base/id.h"

#include <gtest/gtest.h>

#include <set>

namespace paddock {
namespace {

TEST(Id, IsOfItsKindAndUnlikeOthers) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = NewId("sbx_");
    EXPECT_TRUE(IsId(id, "sbx_")) << id;
    EXPECT_TRUE(seen.insert(id).second);
  }
}

TEST(Id, OthersAreNone) {
  const std::string id = NewId("sbx_");
  for (const std::string& text : {std::string(), std::string("sbx_"), id + "a", id.substr(1), "proc_" + id.substr(4),
                                  id.substr(0, 23) + "A", id.substr(0, 23) + "/", id.substr(0, 23) + std::string(1, '\0')}) {
    EXPECT_FALSE(IsId(text, "sbx_")) << text;
  }
}

}  // namespace
}  // namespace paddock
