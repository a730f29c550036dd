#include "store/trees/root_machine.h"

#include <gtest/gtest.h>

#include "store/trees/content.h"
#include "store/trees/draft.h"
#include "store/trees/scratch_for_test.h"

namespace paddock::trees {
namespace {

std::string Elf(char order, char first, char second) {
  std::string head("\x7f""ELF\x02", 5);
  head += order;
  head.resize(18, '\0');
  return head + first + second + std::string(44, '\0');
}

class RootMachineTest : public testing::Test {
 protected:
  // Of a root whose /bin/sh leads to a program of those bytes.
  std::string MachineWith(const std::string& program) {
    Draft draft;
    const auto add = [&](DraftNode& parent, const char* name, vfs::FileType type) -> DraftNode& {
      Entry entry;
      entry.name = name;
      entry.type = type;
      if (type == vfs::FileType::kSymlink) entry.target = "/usr/bin/dash";
      if (type == vfs::FileType::kFile) {
        ContentWriter writer(session_, false);
        EXPECT_TRUE(writer.Write(program));
        entry.content = *writer.Finish();
      }
      return draft.Add(parent, std::move(entry));
    };
    add(add(draft.root(), "bin", vfs::FileType::kDirectory), "sh", vfs::FileType::kSymlink);
    add(add(add(draft.root(), "usr", vfs::FileType::kDirectory), "bin", vfs::FileType::kDirectory), "dash", vfs::FileType::kFile);
    const auto machine = MachineOf(*store_, *draft.Encode(session_));
    EXPECT_TRUE(machine);
    return *machine;
  }

  TemporaryDirectory scratch_;
  std::shared_ptr<Store> store_ = OpenStore(scratch_);
  Session session_ = store_->Begin();
};

TEST_F(RootMachineTest, IsThatOfTheShell) {
  EXPECT_EQ(MachineWith(Elf(1, 62, 0)), "x86_64");
  EXPECT_EQ(MachineWith(Elf(1, static_cast<char>(183), 0)), "aarch64");
  EXPECT_EQ(MachineWith(Elf(2, 0, 22)), "s390x");
}

TEST_F(RootMachineTest, IsNotKnownOfWhatIsNoProgram) {
  EXPECT_EQ(MachineWith("#!/bin/false"), "");
  EXPECT_EQ(MachineWith(""), "");
  EXPECT_EQ(MachineWith(Elf(1, 62, 0).substr(0, 19)), "");
  EXPECT_EQ(MachineWith(Elf(1, 1, 77)), "");
}

}  // namespace
}  // namespace paddock::trees
