// FileSystem's conformance: what is in files, read and written whole, in parts, sparse, and while programs run.
#include <atomic>
#include <thread>

#include "files_home.h"

namespace paddock::conformance {
namespace {

using vfs::OpenFlags;
using vfs::Whence;

class FilesContent : public FilesTest {
 protected:
  vfs::OpenFilePtr Open(std::string_view name, const OpenFlags& flags) {
    auto file = files().Open(At(name), flags);
    EXPECT_TRUE(file) << name << ": " << file.error().Text();
    return file ? *file : nullptr;
  }
  static std::string Read(vfs::OpenFile& file, size_t size) {
    std::string all;
    while (all.size() < size) {
      const auto block = file.ReadBlock(size - all.size());
      EXPECT_TRUE(block);
      if (!block || block->bytes.empty()) break;
      all += block->bytes;
    }
    return all;
  }
};

std::string Pattern(size_t size) {
  std::string content(size, '\0');
  uint32_t state = 12345;
  for (char& byte : content) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return content;
}

TEST_P(FilesContent, AMegabyteOfAnyBytesComesBackAsItWas) {
  const std::string content = Pattern((1 << 20) + 7);
  Put("big", content);
  EXPECT_TRUE(Get("big") == content);
  EXPECT_EQ(files().Stat(At("big"))->size, content.size());
  EXPECT_CODE(vfs::ReadFile(files(), At("big"), 1000), Code::kFileTooBig);
  Put("big", "");
  EXPECT_EQ(files().Stat(At("big"))->size, 0u);
  EXPECT_EQ(Get("big"), "");
}

TEST_P(FilesContent, RangesAreReadAndWrittenAtTheOffset) {
  Put("f", "0123456789");
  const auto file = Open("f", {.read = true, .write = true});
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->Seek(3, Whence::kStart), 3u);
  EXPECT_EQ(Read(*file, 4), "3456");
  EXPECT_EQ(*file->Seek(0, Whence::kCurrent), 7u);
  file->GiveBack(2);
  EXPECT_EQ(Read(*file, 1), "5");
  ASSERT_OK(file->Write("XY"));
  EXPECT_EQ(*file->Seek(-2, Whence::kEnd), 8u);
  EXPECT_EQ(Read(*file, 100), "89");
  EXPECT_TRUE(file->ReadBlock(10)->bytes.empty());
  EXPECT_CODE(file->Seek(-1, Whence::kStart), Code::kInvalid);
  EXPECT_EQ(Get("f"), "012345XY89");
  ASSERT_OK(file->Truncate(4));
  EXPECT_EQ(file->GetAttributes()->size, 4u);
  EXPECT_EQ(*file->Seek(100, Whence::kStart), 100u);
  EXPECT_TRUE(file->ReadBlock(10)->bytes.empty()) << "behind the end";
}

TEST_P(FilesContent, SparseFilesReadAsZeroes) {
  constexpr uint64_t kGap = 64 << 20;
  const auto file = Open("sparse", OpenFlags::ReadWrite());
  ASSERT_TRUE(file);
  ASSERT_OK(file->Write("begin"));
  ASSERT_OK(file->Seek(kGap, Whence::kStart));
  ASSERT_OK(file->Write("end"));
  const auto attributes = files().Stat(At("sparse"));
  ASSERT_OK(attributes);
  EXPECT_EQ(attributes->size, kGap + 3);
  EXPECT_LT(attributes->blocks * 512, uint64_t{4} << 20) << "the hole takes no room";
  ASSERT_OK(file->Seek(kGap - 2, Whence::kStart));
  EXPECT_EQ(Read(*file, 10), std::string("\0\0end", 5));
  ASSERT_OK(files().Truncate(At("sparse"), 3));
  EXPECT_EQ(Get("sparse"), "beg");
  ASSERT_OK(files().Truncate(At("sparse"), 6));
  EXPECT_EQ(Get("sparse"), std::string("beg\0\0\0", 6));
  EXPECT_CODE(files().Truncate(home_->root(), 0), Code::kIsDirectory);
  EXPECT_CODE(files().Truncate(At("none"), 0), Code::kNoEntry);
}

TEST_P(FilesContent, FlagsOfOpenMeanWhatTheyMean) {
  EXPECT_CODE(files().Open(At("f"), OpenFlags::Read()), Code::kNoEntry);
  const auto made = files().Open(At("f"), {.write = true, .create = true, .exclusive = true}, 0666);
  ASSERT_OK(made);
  EXPECT_EQ(files().Stat(At("f"))->mode, 0666u & ~files().umask());
  EXPECT_CODE(files().Open(At("f"), {.write = true, .create = true, .exclusive = true}), Code::kExists);
  EXPECT_CODE((*made)->ReadBlock(1), Code::kBadDescriptor);
  ASSERT_OK((*made)->Write("one"));
  const auto read_only = Open("f", OpenFlags::Read());
  EXPECT_CODE(read_only->Write("x"), Code::kBadDescriptor);
  EXPECT_TRUE(read_only->is_readable());
  EXPECT_FALSE(read_only->is_writable());
  const auto appending = Open("f", OpenFlags::Append());
  ASSERT_OK(appending->Seek(0, Whence::kStart));
  ASSERT_OK(appending->Write("two"));
  EXPECT_EQ(Get("f"), "onetwo");
  ASSERT_OK(files().MakeSymlink("f", At("link")));
  EXPECT_CODE(files().Open(At("link"), {.read = true, .no_follow = true}), Code::kLoop);
  EXPECT_CODE(files().Open(At("link"), {.write = true, .create = true, .exclusive = true}), Code::kExists);
  ASSERT_OK(files().Open(At("link"), OpenFlags::Write()));
  EXPECT_EQ(Get("f"), "");
  EXPECT_CODE(files().Open(At("f"), {.read = true, .directory = true}), Code::kNotDirectory);
  EXPECT_CODE(files().Open(home_->root(), OpenFlags::Write()), Code::kIsDirectory);
  const auto folder = files().Open(home_->root(), {.read = true, .directory = true});
  ASSERT_OK(folder);
  EXPECT_TRUE((*folder)->GetAttributes()->is_directory());
  EXPECT_CODE((*folder)->ReadBlock(1), Code::kIsDirectory);
}

TEST_P(FilesContent, AFileThatWasRemovedStaysForWhoHasItOpen) {
  Put("f", "still here");
  const auto file = Open("f", OpenFlags::Read());
  ASSERT_OK(files().RemoveFile(At("f")));
  EXPECT_CODE(files().Stat(At("f")), Code::kNoEntry);
  if (home_->is_by_tools()) {
    EXPECT_FALSE(file->ReadBlock(100)) << "tools open a path again: it is an error, and never another file's content";
    return;
  }
  EXPECT_EQ(Read(*file, 100), "still here");
  EXPECT_EQ(file->GetAttributes()->links, 0u);
}

TEST_P(FilesContent, HarmlessDevicesOpen) {
  const auto null = files().Open("/dev/null", {.read = true, .write = true});
  ASSERT_OK(null);
  ASSERT_OK((*null)->Write("gone"));
  EXPECT_TRUE((*null)->ReadBlock(10)->bytes.empty());
  const auto zero = files().Open("/dev/zero", OpenFlags::Read());
  ASSERT_OK(zero);
  EXPECT_EQ(Read(**zero, 300'000), std::string(300'000, '\0'));
}

TEST_P(FilesContent, NothingWaitsForTheOtherEndOfAFifo) {
  if (GetParam() == "Virtual") GTEST_SKIP() << "a virtual process waits, and leaves the thread to others meanwhile";
  ASSERT_OK(files().MakeNode(At("fifo"), vfs::FileType::kFifo, 0600));
  EXPECT_CODE(files().Open(At("fifo"), OpenFlags::Read()), Code::kNoDevice);
  EXPECT_CODE(files().Open(At("fifo"), OpenFlags::Write()), Code::kNoDevice);
  EXPECT_CODE(files().Truncate(At("fifo"), 0), Code::kInvalid);
}

TEST_P(FilesContent, ProgramsSeeWhatTheHostWroteAndTheHostWhatTheyWrote) {
  if (home_->sandbox() == nullptr) GTEST_SKIP() << "there are no programs here";
  Put("from-host", "hello", 0644);
  EXPECT_EQ(Run("cat from-host; printf made > from-inside; chmod 751 from-inside; ln -s from-inside link"), "hello");
  EXPECT_EQ(Get("link"), "made");
  EXPECT_EQ(files().Stat(At("from-inside"))->mode, 0751u);
  EXPECT_EQ(files().Stat(At("from-inside"))->uid, files().Stat(At("from-host"))->uid);
  EXPECT_EQ(Run("rm from-host; test -e from-host || echo gone"), "gone\n");
}

TEST_P(FilesContent, FilesServeSeveralThreadsWhileAProgramFloodsASlowReader) {
  if (home_->sandbox() == nullptr) GTEST_SKIP() << "there are no programs here";
  if (!home_->is_concurrent()) GTEST_SKIP() << "one thread at a time uses a virtual sandbox";
  constexpr int kThreads = 4, kRounds = 40;
  constexpr uint64_t kFlood = 8'000'000;
  sandbox::ExecSpec spec;
  spec.script = "while [ ! -e go ]; do sleep 0.01; done; head -c 8000000 /dev/zero; echo done >&2";
  spec.cwd = home_->root();
  uint64_t seen = 0;
  std::string errors;
  const std::thread::id runner = std::this_thread::get_id();
  bool is_elsewhere = false;
  std::atomic<bool> has_begun{false}, may_go_on{false};
  const auto handler = [&](sandbox::Stream stream, std::string_view bytes) {
    is_elsewhere |= std::this_thread::get_id() != runner;
    if (stream == sandbox::Stream::kStderr) errors += bytes;
    if (stream == sandbox::Stream::kStdout) seen += bytes.size();
    // The handler holds the program up until all the files have been served: it holds up nothing else.
    has_begun = true;
    has_begun.notify_all();
    may_go_on.wait(false);
  };
  auto process = home_->sandbox()->Start(std::move(spec), {}, handler);
  ASSERT_OK(process);
  std::atomic<int> failures{0}, left{kThreads};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const auto work = [&](int round) {
        const std::string path = At("t" + std::to_string(thread));
        const std::string content = Pattern(static_cast<size_t>(round) * 1000);
        const auto got = vfs::WriteFile(files(), path, content) ? vfs::ReadFile(files(), path) : Result<std::string>(Code::kIo);
        if (!got || *got != content || !files().List(home_->root())) ++failures;
      };
      for (int round = 0; round < kRounds; ++round) work(round);
      if (thread == 0 && !vfs::WriteFile(files(), At("go"), "")) ++failures;
      has_begun.wait(false);
      for (int round = 0; round < kRounds; ++round) work(round);
      if (--left == 0) {
        may_go_on = true;
        may_go_on.notify_all();
      }
    });
  }
  const sandbox::ExecResult result = (*process)->Wait();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(seen, kFlood);
  EXPECT_EQ(errors, "done\n");
  EXPECT_EQ(failures, 0);
  EXPECT_FALSE(is_elsewhere) << "output belongs to the thread that runs the exec";
}

TEST_P(FilesContent, SeveralProgramsAtOnceEachGetTheirOwnOutput) {
  if (home_->sandbox() == nullptr) GTEST_SKIP() << "there are no programs here";
  if (!home_->is_concurrent()) GTEST_SKIP() << "a virtual sandbox runs one exec at a time";
  constexpr int kThreads = 4;
  std::string outputs[kThreads];
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    const std::string number = std::to_string(i);
    threads.emplace_back([&, i, number] {
      outputs[i] = Run("for n in $(seq 2000); do echo " + number + "; done; echo $n > out" + number);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) {
    std::string expected;
    for (int n = 0; n < 2000; ++n) expected += std::to_string(i) + "\n";
    EXPECT_EQ(outputs[i], expected);
    EXPECT_EQ(Get("out" + std::to_string(i)), "2000\n");
  }
}

TEST_P(FilesContent, AHandlerMayUseTheFiles) {
  if (home_->sandbox() == nullptr) GTEST_SKIP() << "there are no programs here";
  if (!home_->is_concurrent()) GTEST_SKIP() << "one thread at a time uses a virtual sandbox";
  sandbox::ExecSpec spec;
  spec.script = "echo content > f; echo ready";
  spec.cwd = home_->root();
  std::string seen;
  auto process = home_->sandbox()->Start(std::move(spec), {}, [&](sandbox::Stream, std::string_view) { seen = Get("f"); });
  ASSERT_OK(process);
  EXPECT_EQ((*process)->Wait().exit_code, 0);
  EXPECT_EQ(seen, "content\n");
}

TEST_P(FilesContent, WhatTheWorkspaceProtectsIsProtectedFromTheHostToo) {
  if (!GetParam().starts_with("Process")) GTEST_SKIP() << "this place has no protected names";
  ASSERT_OK(files().MakeDirectory(At("sub")));
  // Outside of what the policy shows there is nothing.
  EXPECT_CODE(files().Stat("/root/.ssh"), Code::kNoEntry);
  EXPECT_FALSE(files().Open("/usr/bin/new-program", OpenFlags::Write()));
  EXPECT_FALSE(files().SetMode("/etc/passwd", 0666));
  EXPECT_FALSE(files().SetMode(At("sub"), 04755)) << "set-id bits would outlive the wall";
}

TEST_P(FilesContent, AfterTheEndEverythingFails) {
  if (!GetParam().starts_with("Process") && GetParam() != "Oci" && !GetParam().ends_with("Container")) GTEST_SKIP() << "this place does not close";
  Put("f", "x");
  const auto file = Open("f", OpenFlags::Read());
  home_->sandbox()->Close();
  const auto stat = files().Stat(At("f"));
  ASSERT_FALSE(stat);
  EXPECT_FALSE(stat.error().message.empty()) << "says that the sandbox is gone, not the file";
  EXPECT_FALSE(file->ReadBlock(1));
}

PADDOCK_FILES_CONFORMANCE(FilesContent);

}  // namespace
}  // namespace paddock::conformance
