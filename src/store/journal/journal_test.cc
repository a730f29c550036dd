// What a journal promises: all that was appended is there after a crash, nothing of what was not, and damage is told.

#include "store/journal/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace paddock::store {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    std::string name = (std::filesystem::temp_directory_path() / "paddock-journal-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> Create(const Journal::Options& options = {}) {
    auto journal = Journal::Create(path_, {.base = "tree 1"}, options);
    EXPECT_TRUE(journal.has_value()) << journal.error().Text();
    return std::move(*journal);
  }
  // "number:files|state " for each record, or the error.
  std::string Read() {
    std::string text;
    auto journal = Journal::Open(path_, {}, [&](const Journal::Record& record) -> Status {
      text += std::to_string(record.sequence) + ":" + std::string(record.files) + "|" + std::string(record.state) + " ";
      return {};
    });
    if (!journal) return "error: " + std::string(journal.error().Text());
    return text;
  }
  std::string Bytes() {
    std::ifstream in(path_, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
  }
  void SetBytes(const std::string& bytes) { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

  std::string folder_;
  std::string path_;
};

void Must(const Status& status) { ASSERT_TRUE(status.has_value()) << status.error().Text(); }

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  auto journal = Create();
  EXPECT_EQ(Read(), "");
  Must(journal->Append("f1", "s1"));
  Must(journal->Append("", "s2"));
  Must(journal->Append(std::string("f\0", 2), ""));
  EXPECT_EQ(journal->sequence(), 3u);
  journal.reset();
  EXPECT_EQ(Read(), std::string("1:f1|s1 2:|s2 3:f\0| ", 20));
  auto again = Journal::Open(path_, {}, [](const Journal::Record&) { return Status(); });
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)->base(), "tree 1");
  EXPECT_EQ((*again)->sequence(), 3u);
  Must((*again)->Append("f4", "s4"));
  EXPECT_EQ(Read(), std::string("1:f1|s1 2:|s2 3:f\0| 4:f4|s4 ", 28));
}

TEST_F(JournalTest, IsMadeOnce) {
  Create();
  EXPECT_EQ(Journal::Create(path_, {}, {}).error().code, Code::kExists);
}

// Wherever a crash cuts the file, all whole records are there and the next one follows them.
TEST_F(JournalTest, ATornTailIsCut) {
  auto journal = Create();
  const uint64_t start = journal->bytes();
  std::vector<uint64_t> ends{start};
  std::vector<std::string> texts{""};
  for (int i = 1; i <= 3; ++i) {
    Must(journal->Append("files" + std::to_string(i), "state"));
    ends.push_back(journal->bytes());
    texts.push_back(texts.back() + std::to_string(i) + ":files" + std::to_string(i) + "|state ");
  }
  const std::string whole = Bytes();
  for (uint64_t size = start; size <= whole.size(); ++size) {
    SetBytes(whole.substr(0, size));
    size_t count = 0;
    while (count + 1 < ends.size() && ends[count + 1] <= size) ++count;
    ASSERT_EQ(Read(), texts[count]) << size;
    ASSERT_EQ(std::filesystem::file_size(path_), ends[count]);
    auto again = Journal::Open(path_, {}, [](const Journal::Record&) { return Status(); });
    Must((*again)->Append("next", ""));
    ASSERT_EQ(Read(), texts[count] + std::to_string(count + 1) + ":next| ");
  }
}

// What a loss of power leaves of a write that was under way.
TEST_F(JournalTest, ATailOfZerosIsCut) {
  auto journal = Create();
  Must(journal->Append("f", "s"));
  const std::string whole = Bytes();
  Must(journal->Append("second", "s"));
  const std::string second = Bytes().substr(whole.size());
  for (const std::string& tail : {std::string(10, '\0'), std::string(5000, '\0'),
                                  second.substr(0, second.size() - 4) + std::string(4, '\0'),
                                  second.substr(0, second.size() - 4) + std::string(4000, '\0')}) {
    SetBytes(whole + tail);
    EXPECT_EQ(Read(), "1:f|s ");
    EXPECT_EQ(Bytes(), whole);
  }
}

TEST_F(JournalTest, DamageInTheMiddleIsToldAndTheFileKept) {
  auto journal = Create();
  for (int i = 0; i < 4; ++i) Must(journal->Append("files", "state"));
  const std::string whole = Bytes();
  const auto last = static_cast<size_t>(whole.size() - (journal->bytes() - 8) / 5);
  int told = 0;
  for (size_t at = 0; at + 40 < last; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    SetBytes(damaged);
    const std::string text = Read();
    EXPECT_TRUE(text.starts_with("error: ")) << at << " " << text;
    EXPECT_EQ(Bytes(), damaged);
    ++told;
  }
  EXPECT_GT(told, 50);
}

TEST_F(JournalTest, RandomBytesAreAnError) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = i % 2 == 0 ? "pdkjrnl\1" : "";
    for (auto k = random() % 200; k > 0; --k) bytes += static_cast<char>(random());
    SetBytes(bytes);
    EXPECT_TRUE(Read().starts_with("error: "));
  }
}

TEST_F(JournalTest, AVisitCanEndIt) {
  Must(Create()->Append("f", "s"));
  const auto visit = [](const Journal::Record&) -> Status { return Error(Code::kInvalid, "not mine"); };
  const auto opened = Journal::Open(path_, {}, visit);
  EXPECT_EQ(opened.error().message, "not mine");
}

TEST_F(JournalTest, StartsAnewInOneStep) {
  auto journal = Create();
  for (int i = 0; i < 10; ++i) Must(journal->Append("f", "s"));
  Must(journal->Restart({.base = "tree 2", .files = "all", .state = "whole"}));
  Must(journal->Append("f", "s"));
  journal.reset();
  EXPECT_EQ(Read(), "10:all|whole 11:f|s ");
  auto again = Journal::Open(path_, {}, [](const Journal::Record&) { return Status(); });
  EXPECT_EQ((*again)->base(), "tree 2");
  Must((*again)->Restart({.base = "tree 3"}));
  EXPECT_EQ(Read(), "");
  Must((*again)->Append("x", "y"));
  EXPECT_EQ(Read(), "12:x|y ");
}

// A crash between writing the new file and its taking the old one's place.
TEST_F(JournalTest, AHalfNewFileIsForgotten) {
  auto journal = Create();
  Must(journal->Append("f", "s"));
  std::ofstream(path_ + ".new") << "half";
  EXPECT_EQ(Read(), "1:f|s ");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(JournalTest, CompactsWhenItHasGrown) {
  auto journal = Create({.compact_bytes = 2000});
  int compactions = 0;
  journal->set_compact([&]() -> Result<Journal::Start> {
    ++compactions;
    return Journal::Start{.base = "tree", .files = "sum", .state = "all"};
  });
  uint64_t largest = 0;
  for (int i = 0; i < 1000; ++i) {
    Must(journal->Append("files", "state"));
    largest = std::max(largest, journal->bytes());
  }
  EXPECT_LE(largest, 2000u);
  EXPECT_GT(compactions, 10);
  EXPECT_LT(compactions, 30);
  EXPECT_EQ(journal->sequence(), 1000u);
}

TEST_F(JournalTest, ACompactionThatFailsLosesNothingAndIsTriedAgain) {
  auto journal = Create({.compact_bytes = 200});
  int tries = 0;
  journal->set_compact([&]() -> Result<Journal::Start> {
    ++tries;
    return Error(Code::kUnavailable, "the store is away");
  });
  for (int i = 0; i < 100; ++i) Must(journal->Append("files", "state"));
  EXPECT_GT(tries, 1);
  EXPECT_LT(tries, 8);
  EXPECT_EQ(journal->compaction().error().message, "the store is away");
  auto again = Journal::Open(path_, {}, [](const Journal::Record&) { return Status(); });
  EXPECT_EQ((*again)->sequence(), 100u);
}

TEST_F(JournalTest, ParksAndGoesOn) {
  auto journal = Create();
  Must(journal->Append("a", ""));
  journal->Park();
  Must(journal->Append("b", ""));
  EXPECT_EQ(Read(), "1:a| 2:b| ");
}

TEST_F(JournalTest, NoticesAnotherWriter) {
  auto journal = Create();
  Must(journal->Append("a", ""));
  journal->Park();
  auto other = Journal::Open(path_, {}, [](const Journal::Record&) { return Status(); });
  Must((*other)->Append("b", ""));
  EXPECT_EQ(journal->Append("c", "").error().code, Code::kBusy);
  EXPECT_EQ(Read(), "1:a| 2:b| ");
}

TEST_F(JournalTest, AFullDiskLeavesTheFileAsItWas) {
  auto journal = Create();
  Must(journal->Append("a", ""));
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit of the process instead of a full disk: a write comes up short, then fails.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{journal->bytes() + 100, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status failed = journal->Append(std::string(500, 'x'), "");
    const bool is_same = !failed && failed.error().code == Code::kFileTooBig && journal->Append("b", "").has_value();
    ::_exit(is_same ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Read(), "1:a| 2:b| ");
}

TEST_F(JournalTest, RecordsBeyondTheLimitAreRefused) {
  auto journal = Create({.max_record_bytes = 100});
  EXPECT_EQ(journal->Append(std::string(101, 'x'), "").error().code, Code::kFileTooBig);
  Must(journal->Append("a", ""));
  EXPECT_EQ(Read(), "1:a| ");
}

// The process dies at any moment, also while it compacts: what was acknowledged is there, and at most one record more.
TEST_F(JournalTest, OutlivesKill) {
  std::mt19937 random(11);
  Create();
  uint64_t acknowledged = 0;
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      std::string all;
      auto journal = Journal::Open(path_, {.compact_bytes = 3000}, [&](const Journal::Record& record) {
        all += record.files;
        return Status();
      });
      if (!journal) ::_exit(1);
      (*journal)->set_compact([&]() -> Result<Journal::Start> {
        return Journal::Start{.base = "tree 1", .files = all, .state = ""};
      });
      while (true) {
        const uint64_t next = (*journal)->sequence() + 1;
        const std::string text = std::to_string(next) + ",";
        all += text;
        if (!(*journal)->Append(text, "")) ::_exit(1);
        if (::write(ends[1], &next, sizeof next) != sizeof next) ::_exit(1);
      }
    }
    ::close(ends[1]);
    // Let it get somewhere, then kill it in the middle of something.
    uint64_t number = 0;
    for (auto wait = 1 + random() % 200; wait > 0 && ::read(ends[0], &number, sizeof number) == sizeof number; --wait) {
      acknowledged = number;
    }
    ::kill(child, SIGKILL);
    while (::read(ends[0], &number, sizeof number) == sizeof number) acknowledged = number;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::string all;
    auto journal = Journal::Open(path_, {}, [&](const Journal::Record& record) {
      all += record.files;
      return Status();
    });
    ASSERT_TRUE(journal.has_value()) << journal.error().Text();
    ASSERT_GE((*journal)->sequence(), acknowledged);
    ASSERT_LE((*journal)->sequence(), acknowledged + 1);
    std::string expected;
    for (uint64_t i = 1; i <= (*journal)->sequence(); ++i) expected += std::to_string(i) + ",";
    ASSERT_EQ(all, expected);
    acknowledged = (*journal)->sequence();
  }
  EXPECT_GT(acknowledged, 100u);
}

}  // namespace
}  // namespace paddock::store
