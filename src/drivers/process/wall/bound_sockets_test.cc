#include "drivers/process/wall/bound_sockets.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace paddock::process_wall {
namespace {

class BoundSocketsTest : public testing::Test {
 protected:
  BoundSocketsTest() {
    std::string pattern = testing::TempDir() + "bound-XXXXXX";
    directory_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  }
  ~BoundSocketsTest() override { std::filesystem::remove_all(directory_); }
  void SetUp() override {
    if (!table_.is_available()) GTEST_SKIP() << "this kernel has no unix_diag";
  }
  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  Descriptor Bind(const std::string& name, int type) const {
    Descriptor made(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Path(name).copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
    return made;
  }
  SocketFile File(const std::string& name) const {
    struct stat status{};
    EXPECT_EQ(stat(Path(name).c_str(), &status), 0);
    return {major(status.st_dev) << 20 | minor(status.st_dev), static_cast<uint32_t>(status.st_ino)};
  }
  std::string directory_;
  BoundSockets table_;
};

TEST_F(BoundSocketsTest, ASocketThatListensIsFoundByItsFile) {
  const Descriptor made = Bind("a", SOCK_STREAM);
  EXPECT_TRUE(table_.Has(File("a")));   // bound already
  ASSERT_EQ(listen(made.get(), 1), 0);
  EXPECT_TRUE(table_.Has(File("a")));
  ASSERT_EQ(rename(Path("a").c_str(), Path("b").c_str()), 0);
  EXPECT_TRUE(table_.Has(File("b")));
}

TEST_F(BoundSocketsTest, AFileThatASocketHasLeftIsNot) {
  Descriptor made = Bind("a", SOCK_STREAM);
  made.Reset();
  EXPECT_FALSE(table_.Has(File("a")));
}

TEST_F(BoundSocketsTest, AmongManyEachIsFoundAndNoOther) {
  std::vector<Descriptor> all;
  for (int i = 0; i < 300; ++i) all.push_back(Bind(std::to_string(i), i % 2 == 0 ? SOCK_STREAM : SOCK_SEQPACKET));
  for (int i = 0; i < 300; i += 37) {
    SocketFile file = File(std::to_string(i));
    EXPECT_TRUE(table_.Has(file));
    ++file.device;
    EXPECT_FALSE(table_.Has(file));
  }
}

TEST_F(BoundSocketsTest, WhoIsConnectedIsNotMistakenForWhoListens) {
  Descriptor server = Bind("a", SOCK_STREAM);
  ASSERT_EQ(listen(server.get(), 1), 0);
  const Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Path("a").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const Descriptor accepted(accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
  server.Reset();
  EXPECT_FALSE(table_.Has(File("a")));   // its other end carries the path still
}

}  // namespace
}  // namespace paddock::process_wall
