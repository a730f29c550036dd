#include "overlay/changes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "overlay/apply.h"
#include "overlay/diff_text.h"
#include "overlay/scratch_for_test.h"

namespace paddock::overlay {
namespace {

class ChangesTest : public testing::Test {
 protected:
  ChangesTest() {
    scratch_.MakeDirectory("ws");
    scratch_.MakeDirectory("up");
    workspace_.Reset(open(scratch_.At("ws").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    upper_.Reset(open(scratch_.At("up").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  void Whiteout(const std::string& name) { ASSERT_EQ(mknod(scratch_.At("up/" + name).c_str(), S_IFCHR, 0), 0); }
  void Attribute(const std::string& name, const char* attribute, const std::string& value) {
    if (!scratch_.SetAttribute("up/" + name, attribute, value)) GTEST_SKIP() << "no user attributes in the temporary directory";
  }

  std::vector<Change> Find() {
    auto changes = FindChanges(workspace_.get(), upper_.get(), nullptr);
    EXPECT_TRUE(changes) << changes.error().Text();
    return changes ? std::move(*changes) : std::vector<Change>();
  }
  // "A new; M old; …", with "!" behind what is refused.
  std::string Listing() {
    std::string text;
    for (const Change& change : Find()) text += (text.empty() ? "" : "; ") + std::string(1, LetterOf(change.kind)) + " " + change.path + (change.refusal.empty() ? "" : "!");
    return text;
  }
  std::string Refusal(const std::string& path) {
    for (const Change& change : Find()) {
      if (change.path == path) return change.refusal;
    }
    return "(no change)";
  }
  ApplyReport ApplyAll() {
    const OverlayInfo info{.owner = geteuid(), .group = getegid()};
    return Apply(workspace_.get(), upper_.get(), Select(Find(), {}).chosen, info);
  }

  Scratch scratch_;
  Descriptor workspace_, upper_;
};

TEST_F(ChangesTest, EqualFilesAreNoChange) {
  scratch_.Write("ws/a", "x");
  scratch_.Write("up/a", "x");
  EXPECT_EQ(Listing(), "");
}

TEST_F(ChangesTest, NewChangedAndModeAreTold) {
  scratch_.Write("ws/a", "x");
  scratch_.Write("up/a", "y");
  scratch_.Write("ws/run", "x", 0644);
  scratch_.Write("up/run", "x", 0755);
  scratch_.Write("up/d/new", "n");
  EXPECT_EQ(Listing(), "M a; A d; A d/new; M run");
}

TEST_F(ChangesTest, AWhiteoutDeletesAllBelow) {
  scratch_.Write("ws/d/e/f", "x");
  scratch_.Write("ws/d/g", "x");
  Whiteout("d");
  EXPECT_EQ(Listing(), "D d; D d/e; D d/e/f; D d/g");
}

TEST_F(ChangesTest, AWhiteoutOfNothingIsNoChange) {
  Whiteout("x");
  EXPECT_EQ(Listing(), "");
}

TEST_F(ChangesTest, AnAttributeMakesAnEmptyFileAWhiteout) {
  scratch_.Write("ws/a", "x");
  scratch_.Write("ws/b", "x");
  scratch_.Write("up/a", "");
  scratch_.Write("up/b", "content");
  Attribute("a", "user.overlay.whiteout", "y");
  Attribute("b", "user.overlay.whiteout", "y");
  EXPECT_EQ(Listing(), "D a; M b!");
}

TEST_F(ChangesTest, AnOpaqueDirectoryHidesWhatItDoesNotHave) {
  scratch_.Write("ws/d/keep", "x");
  scratch_.Write("ws/d/gone", "x");
  scratch_.Write("up/d/keep", "x");
  scratch_.Write("up/d/new", "x");
  EXPECT_EQ(Listing(), "A d/new");
  Attribute("d", "user.overlay.opaque", "y");
  EXPECT_EQ(Listing(), "D d/gone; A d/new");
}

TEST_F(ChangesTest, TypesThatChangeAreTold) {
  scratch_.Write("ws/was-file", "x");
  scratch_.Write("up/was-file/in", "y");
  scratch_.Write("ws/was-directory/in", "x");
  scratch_.Write("up/was-directory", "y");
  std::filesystem::create_symlink("a", scratch_.At("ws/was-link"));
  scratch_.Write("up/was-link", "a");
  EXPECT_EQ(Listing(), "T was-directory; D was-directory/in; T was-file; A was-file/in; T was-link");
}

TEST_F(ChangesTest, RedirectsAndMetadataCopiesAreRefused) {
  scratch_.Write("ws/secret/key", "x");
  scratch_.MakeDirectory("up/moved");
  Attribute("moved", "user.overlay.redirect", "/secret");
  scratch_.Write("up/meta", "");
  Attribute("meta", "user.overlay.metacopy", "");
  EXPECT_EQ(Listing(), "A meta!; A moved!");
}

TEST_F(ChangesTest, SetIdProgramsAndSpecialFilesAreRefused) {
  scratch_.Write("up/setuid", "x", 04755);
  scratch_.Write("up/setgid", "x", 02755);
  ASSERT_EQ(mkfifo(scratch_.At("up/fifo").c_str(), 0644), 0);
  const Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  scratch_.At("up/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(Listing(), "A fifo!; A setgid!; A setuid!; A socket!");
}

TEST_F(ChangesTest, DevicesAreRefused) {
  if (mknod(scratch_.At("up/null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "device nodes take root";
  EXPECT_EQ(Listing(), "A null!");
}

TEST_F(ChangesTest, ADirectoryThatIsALinkInTheWorkspaceIsReplacedNotFollowed) {
  scratch_.Write("outside/f", "secret");
  std::filesystem::create_symlink(scratch_.At("outside"), scratch_.At("ws/d"));
  scratch_.Write("up/d/f", "evil");
  EXPECT_EQ(Listing(), "T d; A d/f");
  EXPECT_TRUE(ApplyAll().failures.empty());
  EXPECT_EQ(scratch_.Read("outside/f"), "secret");
  EXPECT_EQ(scratch_.Read("ws/d/f"), "evil");
}

TEST_F(ChangesTest, ALinkInTheUpperTreeIsNeverFollowed) {
  std::filesystem::create_symlink("/etc", scratch_.At("up/etc"));
  EXPECT_EQ(Listing(), "A etc");
  EXPECT_NE(PatchOf(workspace_.get(), upper_.get(), Find().at(0), false, {}).find("+/etc\n"), std::string::npos);
  EXPECT_TRUE(ApplyAll().failures.empty());
  EXPECT_TRUE(std::filesystem::is_symlink(scratch_.At("ws/etc")));
}

TEST_F(ChangesTest, PathsTooLongToReachAreRefused) {
  int at = dup(upper_.get());
  const std::string name(200, 'n');
  for (int depth = 0; depth < 30; ++depth) {
    ASSERT_EQ(mkdirat(at, name.c_str(), 0700), 0);
    const int next = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
  const std::vector<Change> changes = Find();
  ASSERT_EQ(changes.size(), 20u);
  EXPECT_NE(changes.back().refusal, "");
  ASSERT_TRUE(RemoveTree(upper_.get(), name));
}

TEST_F(ChangesTest, NamesOfAnyBytesAreShownQuotedAndApplied) {
  const std::string name = "new\nline \x1b[31m";
  scratch_.Write("up/" + name, "x\n");
  const std::string patch = PatchOf(workspace_.get(), upper_.get(), Find().at(0), false, {});
  EXPECT_TRUE(patch.starts_with("diff --git \"a/new\\nline \\033[31m\" \"b/new\\nline \\033[31m\"\n")) << patch;
  EXPECT_TRUE(ApplyAll().failures.empty());
  EXPECT_EQ(scratch_.Read("ws/" + name), "x\n");
}

TEST_F(ChangesTest, ContentCannotSteerTheTerminal) {
  scratch_.Write("up/a", "x\x1b]0;title\a\xe2\x80\xae\n");
  const std::string patch = PatchOf(workspace_.get(), upper_.get(), Find().at(0), false, {.is_terminal = true});
  EXPECT_NE(patch.find("+x^[]0;title^G<E2><80><AE>\n"), std::string::npos) << patch;
}

TEST_F(ChangesTest, ProtectedNamesAreMarkedInAnyCaseAndDepth) {
  scratch_.Write("up/a/.Git/Hooks/post-commit", "x");
  scratch_.Write("up/src/ok", "x");
  std::vector<Change> changes = Find();
  MarkProtected({".git/hooks"}, changes);
  for (const Change& change : changes) {
    EXPECT_EQ(change.protected_name.empty(), !change.path.starts_with("a/.Git/Hooks")) << change.path;
  }
  EXPECT_EQ(Select(changes, {}).skipped.size(), 2u);
  EXPECT_TRUE(Select(changes, {.included_protected = {"a/.Git"}}).skipped.empty());
}

TEST_F(ChangesTest, AMovedFileIsFoundByItsContent) {
  scratch_.Write("ws/old", "the same");
  scratch_.Write("up/new", "the same");
  Whiteout("old");
  std::vector<Change> changes = Find();
  MarkRenames(workspace_.get(), upper_.get(), changes);
  EXPECT_EQ(changes.at(0).renamed, "old");
  EXPECT_EQ(changes.at(1).renamed, "new");
}

TEST_F(ChangesTest, EverythingIsCarriedOver) {
  scratch_.Write("ws/changed", "x", 0640);
  scratch_.Write("ws/gone/deep/f", "x");
  scratch_.Write("ws/was-file", "x");
  scratch_.Write("ws/was-directory/in", "x");
  scratch_.Write("up/changed", "y", 0755);
  scratch_.Write("up/was-file/in", "z");
  scratch_.Write("up/was-directory", "d");
  Whiteout("gone");
  scratch_.MakeDirectory("up/shut");
  scratch_.Write("up/shut/f", "s");
  chmod(scratch_.At("up/shut").c_str(), 0555);
  const ApplyReport report = ApplyAll();
  for (const auto& failure : report.failures) ADD_FAILURE() << failure.path << ": " << failure.reason;
  EXPECT_EQ(scratch_.Read("ws/changed"), "y");
  EXPECT_EQ(scratch_.Read("ws/was-file/in"), "z");
  EXPECT_EQ(scratch_.Read("ws/was-directory"), "d");
  EXPECT_EQ(scratch_.Read("ws/shut/f"), "s");
  EXPECT_FALSE(std::filesystem::exists(scratch_.At("ws/gone")));
  struct stat status {};
  ASSERT_EQ(stat(scratch_.At("ws/changed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u);
  EXPECT_EQ(Listing(), "");
  chmod(scratch_.At("up/shut").c_str(), 0755);
  chmod(scratch_.At("ws/shut").c_str(), 0755);
}

TEST_F(ChangesTest, AFileThatChangedAfterTheReviewIsLeftAlone) {
  scratch_.Write("ws/a", "x");
  scratch_.Write("up/a", "y");
  scratch_.Write("up/new", "n");
  const std::vector<Change> changes = Find();
  scratch_.Write("ws/a", "edited meanwhile");
  scratch_.Write("ws/new", "mine");
  const OverlayInfo info{.owner = geteuid(), .group = getegid()};
  const ApplyReport report = Apply(workspace_.get(), upper_.get(), changes, info);
  EXPECT_EQ(report.failures.size(), 2u);
  EXPECT_EQ(scratch_.Read("ws/a"), "edited meanwhile");
  EXPECT_EQ(scratch_.Read("ws/new"), "mine");
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.At("ws"))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".paddock")) << entry.path();
  }
}

TEST_F(ChangesTest, AChosenFileBringsItsNewDirectories) {
  scratch_.Write("up/a/b/c", "x");
  scratch_.Write("up/a/other", "x");
  const Selection selection = Select(Find(), {.paths = {"a/b/c"}});
  ASSERT_EQ(selection.chosen.size(), 3u);
  EXPECT_EQ(selection.chosen.at(2).path, "a/b/c");
}

TEST_F(ChangesTest, PruningKeepsWhatIsLeft) {
  scratch_.Write("ws/d/x", "x");
  scratch_.Write("up/d/x", "y");
  scratch_.Write("up/d/z", "z");
  scratch_.Write("up/e/f", "f");
  Whiteout("nothing");
  const std::vector<Change> changes = Find();
  const OverlayInfo info{.owner = geteuid(), .group = getegid()};
  ASSERT_TRUE(Apply(workspace_.get(), upper_.get(), Select(changes, {.paths = {"e", "d/x"}}).chosen, info).failures.empty());
  ASSERT_TRUE(Prune(upper_.get(), Find()));
  EXPECT_EQ(Listing(), "A d/z");
  EXPECT_FALSE(std::filesystem::exists(scratch_.At("up/e")));
  EXPECT_FALSE(std::filesystem::exists(scratch_.At("up/d/x")));
  EXPECT_EQ(NamesIn(upper_.get(), "", 10)->size(), 1u);
}

TEST_F(ChangesTest, PruningNeverThinsAnOpaqueDirectory) {
  scratch_.Write("ws/d/gone", "x");
  scratch_.Write("up/d/a", "a");
  scratch_.Write("up/d/b", "b");
  Attribute("d", "user.overlay.opaque", "y");
  const OverlayInfo info{.owner = geteuid(), .group = getegid()};
  ASSERT_TRUE(Apply(workspace_.get(), upper_.get(), Select(Find(), {.paths = {"d/a"}}).chosen, info).failures.empty());
  ASSERT_TRUE(Prune(upper_.get(), Find()));
  EXPECT_EQ(Listing(), "A d/b; D d/gone");
}

TEST_F(ChangesTest, HolesStayHoles) {
  scratch_.Write("up/sparse", "begin");
  ASSERT_EQ(truncate(scratch_.At("up/sparse").c_str(), 1ll << 36), 0);
  EXPECT_TRUE(ApplyAll().failures.empty());
  struct stat status {};
  ASSERT_EQ(stat(scratch_.At("ws/sparse").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 1ll << 36);
  EXPECT_LT(status.st_blocks, 1000);
  const std::string patch = PatchOf(workspace_.get(), upper_.get(), {.path = "sparse", .after = {.type = FileFacts::Type::kFile, .size = 1ull << 36}}, false, {});
  EXPECT_NE(patch.find("too large to show"), std::string::npos);
}

}  // namespace
}  // namespace paddock::overlay
