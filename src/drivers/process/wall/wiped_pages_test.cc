#include "drivers/process/wall/wiped_pages.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

namespace paddock::process_wall {
namespace {

TEST(WipedPages, AForkedCopyFindsThemEmpty) {
  const WipedPages pages(10'000);
  ASSERT_NE(pages.data(), nullptr);
  std::string_view("secret").copy(pages.data() + 5000, 6);
  const pid_t child = fork();
  if (child == 0) _exit(pages.data()[5000] == '\0' && pages.data()[5001] == '\0' ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(pages.data() + 5000, "secret");
}

TEST(WipedPages, WhatCannotBeHadIsNull) {
  EXPECT_EQ(WipedPages(~size_t{0} / 2).data(), nullptr);
  EXPECT_EQ(WipedPages(0).data(), nullptr);
}

}  // namespace
}  // namespace paddock::process_wall
