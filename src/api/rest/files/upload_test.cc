#include "api/rest/files/upload.h"

#include "api/rest/api_for_test.h"

namespace paddock::api {
namespace {

// Bytes that differ from place to place, so that none can stand for another.
std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// What is sent comes back as the server read it: at once, or received before.
class UploadTest : public testing::Test {
 protected:
  UploadTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "upload-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    server_ = std::move(*net::Server::Start({.listeners = {{.address = {.host = "127.0.0.1"}}}}, [this](net::Exchange& exchange) { Handle(exchange); }));
    client_ = std::make_unique<net::Client>(net::ClientOptions{.address = server_->addresses()[0]});
  }
  ~UploadTest() override {
    server_->Stop(std::chrono::seconds(5));
    std::filesystem::remove_all(directory_);
  }

  void Handle(net::Exchange& exchange) {
    exchange.SetBodyLimit({.bytes = 64 << 20});
    Upload upload(exchange, exchange.request().path == "/nowhere" ? directory_ + "/absent" : directory_);
    std::string got;
    const Status done = [&]() -> Status {
      if (exchange.request().path != "/direct") PADDOCK_TRY(upload.Receive());
      while (true) {
        PADDOCK_ASSIGN(const Block block, upload.ReadBlock(10'000));
        if (block.bytes.empty()) return {};
        if (block.bytes.size() > 10'000) return Error(Code::kInvalid, "more than asked for");
        got += block.bytes;
      }
    }();
    (void)exchange.Respond(done ? 200 : 500, {}, done ? got : std::string(done.error().Text()));
  }
  std::pair<int, std::string> Send(const std::string& path, const std::string& body) {
    auto answer = client_->Send({.method = "PUT", .target = path, .headers = {}, .body = body});
    if (!answer) return {0, std::string(answer.error().Text())};
    return {(*answer)->status(), *(*answer)->ReadAll(64 << 20)};
  }

  std::string directory_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Client> client_;
};

TEST_F(UploadTest, ComesWholeHoweverLargeItIs) {
  for (const size_t size : {size_t{0}, size_t{1}, Upload::kMemoryBytes - 1, Upload::kMemoryBytes, Upload::kMemoryBytes + 1, size_t{5'000'001}}) {
    const std::string body = Bytes(size);
    for (const char* path : {"/direct", "/before"}) {
      const auto [status, text] = Send(path, body);
      EXPECT_EQ(status, 200) << text.substr(0, 200);
      EXPECT_TRUE(text == body) << path << " " << size;
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));   // nothing with a name
}

TEST_F(UploadTest, WhereNothingCanBePutAsideSmallOnesStillCome) {
  EXPECT_EQ(Send("/nowhere", Bytes(1000)).first, 200);
  const auto [status, text] = Send("/nowhere", Bytes(Upload::kMemoryBytes + 1));
  EXPECT_EQ(status, 500);
  EXPECT_NE(text.find("put aside"), std::string::npos) << text;
}

}  // namespace
}  // namespace paddock::api
