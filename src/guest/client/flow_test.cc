// A client and a real agent: floods, windows, many at once, slow links.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ExecRequest Shell(std::string script) {
  ExecRequest request;
  request.arguments = {"sh", "-c", std::move(script)};
  request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return request;
}

// The most memory that a process ever had, in KiB.
long PeakKib(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return -1;
}

// Passes bytes on between two sockets in small pieces, each after a delay.
class SlowLink {
 public:
  SlowLink(int near, int far, size_t piece, milliseconds delay)
      : near_(near), far_(far), thread_([this, piece, delay] { Run(piece, delay); }) {}
  ~SlowLink() {
    is_over_ = true;
    thread_.join();
    close(near_);
    close(far_);
  }

 private:
  void Run(size_t piece, milliseconds delay) {
    std::string buffer(piece, '\0');
    while (!is_over_) {
      pollfd ends[2] = {{near_, POLLIN, 0}, {far_, POLLIN, 0}};
      if (poll(ends, 2, 20) <= 0) continue;
      if (delay.count() > 0) std::this_thread::sleep_for(delay);
      for (int i = 0; i < 2; ++i) {
        if (ends[i].revents == 0) continue;
        const ssize_t got = read(ends[i].fd, buffer.data(), buffer.size());
        if (got <= 0) {
          shutdown(ends[1 - i].fd, SHUT_WR);
          return;
        }
        for (ssize_t done = 0; done < got;) {
          const ssize_t written = write(ends[1 - i].fd, buffer.data() + done, static_cast<size_t>(got - done));
          if (written <= 0) return;
          done += written;
        }
      }
    }
  }

  const int near_, far_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

class Flow : public testing::TestWithParam<Link> {
 protected:
  AgentForTest agent{GetParam()};
  std::unique_ptr<Client> client = agent.Connect();
};

INSTANTIATE_TEST_SUITE_P(Links, Flow, testing::Values(Link::kSocket, Link::kPipes));

TEST_P(Flow, MuchOutputComesWholeInOrderAndWithBoundedMemory) {
  constexpr uint64_t kBytes = 64 << 20;
  uint64_t next = 0;
  bool is_right = true;
  auto process = client->Start(Shell("head -c 67108864 /dev/zero"), {.on_output = [&](Channel, uint64_t offset, std::string_view bytes) {
                                 is_right = is_right && offset == next;
                                 next += bytes.size();
                               }});
  ASSERT_TRUE(process);
  EXPECT_TRUE((*process)->WaitOutput(In(seconds(60))));
  EXPECT_EQ(next, kBytes);
  EXPECT_TRUE(is_right);
  EXPECT_LT(PeakKib(agent.pid()), PeakKib(getpid()) + 4096);   // it began as a copy of this process
}

TEST_P(Flow, FloodThatNobodyReadsStopsTheProgramAndNotTheRest) {
  ExecRequest request = Shell("yes");
  auto flood = client->Start(request);
  ASSERT_TRUE(flood);
  const long before = PeakKib(agent.pid());
  for (int i = 0; i < 20; ++i) {
    auto process = client->Start(Shell("echo hello"));
    ASSERT_TRUE(process);
    EXPECT_EQ(*(*process)->ReadAll(Channel::kOut, 100, In(seconds(10))), "hello\n");
  }
  EXPECT_LT(PeakKib(agent.pid()), before + 2048);
  char buffer[1000];
  EXPECT_EQ(*(*flood)->Read(Channel::kOut, buffer, In(seconds(10))), 1000u);
}

TEST_P(Flow, FloodThatIsReadDoesNotStarveOthers) {
  std::atomic<uint64_t> flooded = 0;
  auto flood = client->Start(Shell("exec cat /dev/zero"), {.on_output = [&](Channel, uint64_t, std::string_view bytes) { flooded += bytes.size(); }});
  ASSERT_TRUE(flood);
  client->StartReader();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    auto process = client->Start(Shell("echo hello"));
    ASSERT_TRUE(process);
    EXPECT_EQ(*(*process)->ReadAll(Channel::kOut, 100, In(seconds(10))), "hello\n");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
  EXPECT_GT(flooded, 1u << 20);
}

TEST_P(Flow, InputWaitsForAProgramThatDoesNotRead) {
  ExecRequest request = Shell("read line; echo $line; exec wc -c");
  request.has_input = true;
  auto process = client->Start(request);
  ASSERT_TRUE(process);
  // More than pipe, agent and window hold together.
  auto stuck = client->Start([] {
    ExecRequest sleeper = Shell("exec sleep 100");
    sleeper.has_input = true;
    return sleeper;
  }());
  ASSERT_TRUE(stuck);
  EXPECT_EQ((*stuck)->WriteInput(std::string(1 << 20, 'x'), In(milliseconds(100))).error().code, Code::kTimedOut);
  EXPECT_TRUE((*process)->WriteInput("go\n" + std::string(3 << 20, 'x'), In(seconds(20))));
  (*process)->CloseInput();
  EXPECT_EQ(*(*process)->ReadAll(Channel::kOut, 100, In(seconds(20))), "go\n3145728\n");
}

TEST_P(Flow, InputOfAProgramThatHasClosedItIsABrokenPipe) {
  ExecRequest request = Shell("exec 0<&-; echo closed; sleep 100");
  request.has_input = true;
  auto process = client->Start(request);
  ASSERT_TRUE(process);
  char buffer[100];
  ASSERT_TRUE((*process)->Read(Channel::kOut, buffer, In(seconds(10))));
  EXPECT_EQ((*process)->WriteInput(std::string(1 << 20, 'x'), In(seconds(10))).error().code, Code::kBrokenPipe);
}

TEST_P(Flow, ManyProcessesAtOnceFromManyThreads) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        ExecRequest request = Shell("read x; echo $x; echo $x >&2; exit " + std::to_string(t));
        request.has_input = true;
        auto process = client->Start(request);
        if (!process || !(*process)->WriteInput("v" + std::to_string(i) + "\n")) continue;
        const std::string wanted = "v" + std::to_string(i) + "\n";
        const auto out = (*process)->ReadAll(Channel::kOut, 100, In(seconds(30)));
        const auto error = (*process)->ReadAll(Channel::kError, 100, In(seconds(30)));
        const auto status = (*process)->Wait(In(seconds(30)));
        if (out && *out == wanted && error && *error == wanted && status && status->code == t) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
}

TEST_P(Flow, OutputGoesOnFromAnOffsetAfterDetaching) {
  ExecRequest request = Shell("echo first; read x; echo second; exit 3");
  request.has_input = true;
  auto process = client->Start(request);
  ASSERT_TRUE(process);
  char buffer[100];
  EXPECT_EQ(*(*process)->Read(Channel::kOut, buffer, In(seconds(10))), 6u);
  const uint64_t number = (*process)->number();
  (*process)->Detach();
  process->reset();
  const auto list = client->ListProcesses(In(seconds(10)));
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ(list->front().process, number);
  EXPECT_TRUE(list->front().is_running);
  EXPECT_FALSE(list->front().is_attached);
  auto again = client->Attach({.process = number, .out_offset = 3}, {}, In(seconds(10)));
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->FirstOffset(Channel::kOut), 3u);
  EXPECT_TRUE((*again)->WriteInput("\n"));
  EXPECT_EQ(*(*again)->ReadAll(Channel::kOut, 100, In(seconds(10))), "st\nsecond\n");
  EXPECT_EQ((*again)->Wait(In(seconds(10)))->code, 3);
}

TEST_P(Flow, AttachFromAnOffsetThatIsGoneStartsAtTheFirstThatIsKept) {
  ExecRequest request = Shell("head -c 100000 /dev/zero; exit 0");
  request.log_bytes = 8192;
  auto process = client->Start(request);
  ASSERT_TRUE(process);
  ASSERT_TRUE((*process)->ReadAll(Channel::kOut, 1 << 20, In(seconds(10))));
  auto again = client->Attach({.process = (*process)->number()}, {}, In(seconds(10)));
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->FirstOffset(Channel::kOut), 100000u - 8192);
  EXPECT_EQ((*again)->ReadAll(Channel::kOut, 1 << 20, In(seconds(10)))->size(), 8192u);
  EXPECT_EQ((*again)->Wait(In(seconds(10)))->code, 0);   // how it ended is said again
}

TEST(SlowLink, EverythingArrivesInTinyPieces) {
  AgentForTest agent;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  SlowLink link(ends[1], dup(agent.input_fd()), 7, milliseconds(0));
  auto client = Client::Connect(ends[0], ends[0], In(seconds(20)));
  ASSERT_TRUE(client);
  ExecRequest request = Shell("cat; exit 5");
  request.has_input = true;
  auto process = (*client)->Start(request, {}, In(seconds(20)));
  ASSERT_TRUE(process);
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + " ";
  std::thread writer([&] {
    EXPECT_TRUE((*process)->WriteInput(text, In(seconds(60))));
    (*process)->CloseInput();
  });
  EXPECT_EQ(*(*process)->ReadAll(Channel::kOut, 1 << 20, In(seconds(60))), text);
  writer.join();
  EXPECT_EQ((*process)->Wait(In(seconds(20)))->code, 5);
}

TEST(SlowLink, DelayOnlyDelays) {
  AgentForTest agent;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  SlowLink link(ends[1], dup(agent.input_fd()), 4096, milliseconds(20));
  auto client = Client::ConnectLater(ends[0], ends[0]);
  auto process = client->Launch(Shell("head -c 300000 /dev/zero; exit 6"));
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->ReadAll(Channel::kOut, 1 << 20, In(seconds(60)))->size(), 300000u);
  EXPECT_EQ((*process)->Wait(In(seconds(20)))->code, 6);
}

TEST(Handlers, CannotWaitForTheGuest) {
  AgentForTest agent;
  const auto client = agent.Connect();
  Code code = Code::kOk;
  auto process = client->Start(Shell("echo x"), {.on_output = [&](Channel, uint64_t, std::string_view) {
                                 code = client->ListProcesses(In(seconds(1))).error().code;
                               }});
  ASSERT_TRUE(process);
  EXPECT_TRUE((*process)->WaitOutput(In(seconds(10))));
  EXPECT_EQ(code, Code::kBusy);
}

}  // namespace
}  // namespace paddock::guest
