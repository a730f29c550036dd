#include "api/rest/files/pack.h"

#include <gtest/gtest.h>

#include "store/trees/tar_reader.h"
#include "vfs/memory_volume.h"
#include "vfs/view.h"

namespace paddock::api {
namespace {

class PackTest : public testing::Test {
 protected:
  PackTest() {
    EXPECT_TRUE(view_.MakeDirectory("/d"));
    EXPECT_TRUE(view_.MakeDirectory("/d/sub"));
    EXPECT_TRUE(vfs::WriteFile(view_, "/d/f", "text"));
    EXPECT_TRUE(view_.MakeLink("/d/f", "/d/sub/g"));
  }
  // "NAME" or "NAME=TARGET", of each entry.
  std::vector<std::string> Names(vfs::FileSystem& files, const PackOptions& options) {
    StringSink sink;
    EXPECT_TRUE(Pack(files, "/d", sink, options));
    StringSource source(sink.text);
    trees::TarReader reader(source);
    std::vector<std::string> names;
    while (true) {
      const auto entry = reader.Next();
      EXPECT_TRUE(entry);
      if (!entry || !*entry) return names;
      names.push_back((*entry)->path + ((*entry)->target.empty() ? "" : "=" + (*entry)->target));
    }
  }

  vfs::Namespace names_{std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{})};
  vfs::View view_{names_, SystemClock(), vfs::Credentials{0, 0}, 022};
};

TEST_F(PackTest, NamesAreRelativeToTheRootOrBelowAGivenName) {
  EXPECT_EQ(Names(view_, {}), (std::vector<std::string>{"./", "f", "sub/", "sub/g=f"}));
  EXPECT_EQ(Names(view_, {.name = "new/"}), (std::vector<std::string>{"new/", "new/f", "new/sub/", "new/sub/g=new/f"}));
}

TEST_F(PackTest, WhatIsLeftOutOnPurposeHasNothingBelow) {
  static constexpr const char* kWithout[] = {"/d/sub"};
  EXPECT_EQ(Names(view_, {.without = kWithout}), (std::vector<std::string>{"./", "f"}));
}

// A further name of a file that cannot be read is no link to what is not in the archive.
TEST_F(PackTest, WhatCannotBeReadIsTold) {
  ASSERT_TRUE(view_.SetMode("/d/f", 0));
  vfs::View other(names_, SystemClock(), vfs::Credentials{1000, 1000}, 022);
  std::vector<std::string> told;
  const auto names = Names(other, {.left_out = [&](const std::string& path, const Error& why) {
                                     EXPECT_EQ(why.code, Code::kAccess);
                                     told.push_back(path);
                                   }});
  EXPECT_EQ(names, (std::vector<std::string>{"./", "sub/"}));
  EXPECT_EQ(told, (std::vector<std::string>{"/d/f", "/d/sub/g"}));
}

}  // namespace
}  // namespace paddock::api
