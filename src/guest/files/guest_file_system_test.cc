// What a GuestFileSystem makes of agents that are old, silent, or in the hands of the code inside. With an honest one:
// tests/conformance.
#include "guest/files/guest_file_system.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "guest/client/client.h"
#include "guest/protocol/frame.h"

namespace paddock::guest {
namespace {

// Answers each message of the client's with the frames that a function gives; on a thread of its own.
class LyingAgent {
 public:
  using Answers = std::function<std::string(uint32_t stream, FrameType type)>;

  explicit LyingAgent(Answers answers, uint16_t version = kVersionMax,
                      std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    int ends[2];
    PADDOCK_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    fd_ = ends[1];
    std::string hello;
    AppendFrame(hello, 0, FrameType::kHello, 0, Encode(Hello{.version_max = version, .features = kFeatureFiles}));
    PADDOCK_CHECK(write(fd_, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()));
    client_ = Client::ConnectLater(ends[0], ends[0]);
    files_ = std::make_unique<GuestFileSystem>(client_->files(), GuestFileSystemOptions{.timeout = timeout});
    thread_ = std::thread([this, answer = std::move(answers)] { Serve(answer); });
  }
  ~LyingAgent() {
    Stop();
    close(fd_);
  }
  // What the client has asked for; ends the connection.
  const std::vector<FrameType>& Stop() {
    client_.reset();
    if (thread_.joinable()) thread_.join();
    return seen_;
  }
  GuestFileSystem& files() { return *files_; }

 private:
  void Serve(const Answers& answers) {
    FrameDecoder decoder;
    while (true) {
      const auto space = decoder.Space();
      const ssize_t got = read(fd_, space.data(), space.size());
      if (got <= 0) return;
      decoder.Commit(static_cast<size_t>(got));
      for (auto frame = decoder.Next(); frame && *frame; frame = decoder.Next()) {
        const FrameHeader& header = (*frame)->header;
        if (header.type != FrameType::kHello) seen_.push_back(header.type);
        const std::string bytes = header.stream == 0 ? std::string() : answers(header.stream, header.type);
        if (send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return;
      }
    }
  }

  int fd_ = -1;
  std::unique_ptr<Client> client_;
  std::unique_ptr<GuestFileSystem> files_;
  std::vector<FrameType> seen_;
  std::thread thread_;
};

std::string Message(uint32_t stream, FrameType type, std::string_view payload) {
  std::string bytes;
  AppendMessage(bytes, stream, type, payload);
  return bytes;
}

// Opens every file; acts get `done`.
LyingAgent::Answers OpensAndDoes(const FileDone& done) {
  return [done](uint32_t stream, FrameType type) {
    if (type == FrameType::kOpenFile) return Message(stream, FrameType::kOpened, Encode(FileAttributes()));
    return type == FrameType::kFileAct ? Message(stream, FrameType::kFileDone, Encode(done)) : std::string();
  };
}

TEST(GuestFileSystem, AnOldAgentIsNotSentWhatItDoesNotKnow) {
  LyingAgent agent([](uint32_t, FrameType) { return std::string(); }, 1);
  EXPECT_EQ(agent.files().Stat("/f").error().code, Code::kUnavailable);
  EXPECT_EQ(agent.files().Open("/f", vfs::OpenFlags::Read()).error().code, Code::kUnavailable);
  EXPECT_EQ(agent.files().SetTimes("/f", vfs::kNow, vfs::kNow).error().code, Code::kUnavailable);
  EXPECT_NE(agent.files().Canonical("/f").error().message.find("too old"), std::string::npos);
  EXPECT_TRUE(agent.Stop().empty());
}

TEST(GuestFileSystem, MoreThanWasAskedForIsAnError) {
  LyingAgent agent(OpensAndDoes({.bytes = std::string(100, 'x')}));
  const auto file = agent.files().Open("/f", vfs::OpenFlags::Read());
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->ReadBlock(10).error().code, Code::kIo);
}

TEST(GuestFileSystem, AnAnswerWithoutAQuestionEndsTheConnection) {
  LyingAgent agent([](uint32_t stream, FrameType type) {
    if (type != FrameType::kOpenFile) return std::string();
    return Message(stream, FrameType::kOpened, Encode(FileAttributes())) +
           Message(stream, FrameType::kFileDone, Encode(FileDone()));
  });
  const auto file = agent.files().Open("/f", vfs::OpenFlags::Read());
  EXPECT_FALSE(file && (*file)->ReadBlock(10));
  EXPECT_EQ(agent.files().Stat("/f").error().code, Code::kInvalid);
  EXPECT_FALSE(agent.files().Stat("/f").error().message.empty());
}

TEST(GuestFileSystem, PathsFromInsideMustBePaths) {
  const std::string lies[] = {"", "relative", std::string("/a\0b", 4), "/" + std::string(100'000, 'x')};
  for (const std::string& lie : lies) {
    LyingAgent agent([&](uint32_t stream, FrameType) { return Message(stream, FrameType::kReply, lie); });
    EXPECT_EQ(agent.files().Canonical("/f").error().code, Code::kIo);
    const auto target = agent.files().ReadLink("/f");
    EXPECT_TRUE(lie == "relative" ? target.has_value() : !target);
  }
}

TEST(GuestFileSystem, ASilentAgentIsNotWaitedForForEver) {
  LyingAgent agent([](uint32_t stream, FrameType type) {
    return type == FrameType::kOpenFile ? Message(stream, FrameType::kOpened, Encode(FileAttributes())) : std::string();
  }, kVersionMax, std::chrono::milliseconds(200));
  const auto file = agent.files().Open("/f", vfs::OpenFlags::Read());
  ASSERT_TRUE(file);
  EXPECT_EQ(agent.files().Stat("/f").error().code, Code::kTimedOut);
  EXPECT_EQ((*file)->ReadBlock(10).error().code, Code::kTimedOut);
  EXPECT_EQ((*file)->ReadBlock(10).error().code, Code::kIo) << "a late answer could be taken for that of another act";
}

TEST(GuestFileSystem, GrowthIsAskedForAndTheRestIsNot) {
  GuestFileSystemOptions options;
  options.may_grow = []() -> Status { return Code::kQuota; };
  GuestFileSystem files(GuestFiles(nullptr), options);
  EXPECT_EQ(files.MakeDirectory("/d").error().code, Code::kQuota);
  EXPECT_EQ(files.MakeSymlink("t", "/s").error().code, Code::kQuota);
  EXPECT_EQ(files.MakeLink("/a", "/b").error().code, Code::kQuota);
  EXPECT_EQ(files.MakeNode("/n", vfs::FileType::kFifo, 0600).error().code, Code::kQuota);
  EXPECT_EQ(files.Open("/f", vfs::OpenFlags::Write()).error().code, Code::kQuota);
}

}  // namespace
}  // namespace paddock::guest
