// Fuzz target of the client: whatever an agent sends, every call ends with a value or an error, and what the client hands
// out is within what was asked for.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "guest/client/client.h"
#include "guest/files/guest_file_system.h"
#include "guest/protocol/frame.h"

namespace {

using namespace paddock::guest;

// Streams, in the order in which they are opened: 1 a process, 3 a listener, 5 a listing, 7 a file, 9 a connection, 11 a
// question, 13 a watch, 15 and 17 files through GuestFileSystem. What the agent says is there from the beginning; behind it the connection ends.
void Exercise(Client& client) {
  uint64_t next = 0;
  ExecRequest request;
  request.arguments = {"program"};
  request.has_input = true;
  request.output_window = 1000;
  auto process = client.Launch(request, {.on_output = [&](Channel channel, uint64_t offset, std::string_view bytes) {
                                           PADDOCK_CHECK(!bytes.empty() && bytes.size() <= 1000);
                                           if (channel != Channel::kOut) return;
                                           PADDOCK_CHECK(offset >= next);
                                           next = offset + bytes.size();
                                         }});
  if (!process) return;
  auto listener = client.ports().Listen({});
  auto files = client.files();
  if (const auto list = files.List("/folder", 100)) PADDOCK_CHECK(list->size() <= 100);
  if (const auto content = files.ReadAll("/file", 5000)) PADDOCK_CHECK(content->size() <= 5000);
  auto connection = client.ports().Dial({.port = 1});
  char buffer[100];
  if (connection && (*connection)->Read(buffer)) (void)(*connection)->Write("answer", In(std::chrono::milliseconds(1)));
  (void)client.ListProcesses();
  if (auto watch = files.Watch({.path = "/"})) (void)(*watch)->Next();
  GuestFileSystem tree(files, {});
  if (const auto file = tree.Open("/open", paddock::vfs::OpenFlags::ReadWrite())) {
    for (int i = 0; i < 3; ++i) {
      if (const auto block = (*file)->ReadBlock(10)) PADDOCK_CHECK(block->bytes.size() <= 10);
    }
    (void)(*file)->Write("text");
    (void)(*file)->Seek(0, paddock::vfs::Whence::kEnd);
  }
  if (const auto target = tree.ReadLink("/link")) PADDOCK_CHECK(!target->empty() && target->size() < 4096);
  if (const auto path = tree.Canonical("/a")) PADDOCK_CHECK(path->starts_with('/'));
  (void)tree.Stat("/a");
  (void)tree.Space("/a");
  (void)tree.List("/folder");
  if (listener) (void)(*listener)->Accept();
  if (const auto status = (*process)->Wait()) PADDOCK_CHECK(status->signal >= 0 && status->signal <= 64);
  (void)(*process)->WaitOutput();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  // With a hello in front in half of the cases: without one little happens.
  std::string bytes;
  if (size > 0 && (data[0] & 1) != 0) AppendFrame(bytes, 0, FrameType::kHello, 0, Encode(Hello()));
  if (size > 1) bytes.append(reinterpret_cast<const char*>(data) + 1, std::min<size_t>(size - 1, 100'000));
  (void)!send(ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(ends[1], SHUT_WR);
  {
    const auto client = Client::ConnectLater(ends[0], ends[0]);
    Exercise(*client);
  }
  close(ends[1]);
  return 0;
}
