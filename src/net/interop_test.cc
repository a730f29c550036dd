// The server with clients that others wrote: curl, and Node.js when it is installed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include "net/net_for_test.h"
#include "net/server.h"
#include "net/tls_for_test.h"

namespace paddock::net {
namespace {

// What a program printed; nothing when it is not installed.
std::optional<std::string> OutputOf(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Descriptor output(ends[0]), input(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  input.Reset();
  std::string all;
  char bytes[4096];
  for (ssize_t count; (count = read(output.get(), bytes, sizeof bytes)) > 0;) all.append(bytes, static_cast<size_t>(count));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? std::nullopt : std::optional(all);
}

class Interop : public testing::Test {
 protected:
  void Handle(Exchange& exchange) {
    const std::string& path = exchange.request().path;
    if (path == "/events") {
      const auto stream = exchange.StartEventStream({});
      for (const char* data : {"one", "two\nlines"}) EXPECT_TRUE((*stream)->Send({"7", "state", data}));
      return;
    }
    if (path == "/socket") {
      WebSocketOptions options;
      options.on_message = [this](bool is_text, std::string_view message) {
        if (message == "end") return socket_->Close(4000, "done");
        (void)(is_text ? socket_->SendText(message) : socket_->SendBinary(message));
      };
      auto socket = exchange.AcceptWebSocket(options);
      if (socket) socket_ = *socket;
      return;
    }
    if (path == "/no") return void(exchange.Respond(413, {}, "too much"));
    if (path == "/stream") {
      (void)exchange.StartResponse(200, {});
      for (int i = 0; i < 100; ++i) (void)exchange.Write("piece\n");
      return void(exchange.Finish());
    }
    const auto body = exchange.ReadWholeBody(8 << 20);
    (void)exchange.Respond(200, {}, exchange.request().method + " " + std::to_string(body ? body->size() : 0) + "\n");
  }
  void Start() {
    ServerOptions options;
    options.listeners = {{{.host = "127.0.0.1"}}, {{.host = "127.0.0.1"}, true}};
    options.tls = TlsFiles{certificate_.certificate(), certificate_.key()};
    server_.emplace([this](Exchange& exchange) { Handle(exchange); }, options);
  }
  std::string Url(const std::string& path, bool is_tls = false) {
    const auto addresses = (*server_)->addresses();
    return (is_tls ? "https://" : "http://") + FormatAddress(addresses[is_tls ? 1 : 0]) + path;
  }
  TestCertificate certificate_;
  std::shared_ptr<WebSocket> socket_;
  std::optional<TestServer> server_;
};

TEST_F(Interop, Curl) {
  Start();
  std::vector<std::string> curl = {"curl", "-sS", "--max-time", "20", "--noproxy", "*"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = curl;
    words.insert(words.end(), more.begin(), more.end());
    return OutputOf(words);
  };
  const auto plain = with({Url("/")});
  if (!plain) GTEST_SKIP() << "curl is not installed";
  EXPECT_EQ(*plain, "GET 0\n");
  const std::string file = certificate_.certificate();
  const std::string size = std::to_string(static_cast<long>(lseek(Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC)).get(), 0, SEEK_END)));
  EXPECT_EQ(*with({"--data-binary", "@" + file, Url("/")}), "POST " + size + "\n");
  EXPECT_EQ(*with({"-T", file, "-H", "Transfer-Encoding: chunked", Url("/")}), "PUT " + size + "\n");
  EXPECT_EQ(*with({"-T", file, "-H", "Expect: 100-continue", Url("/")}), "PUT " + size + "\n");
  EXPECT_EQ(*with({"-T", file, "-H", "Expect: 100-continue", Url("/no")}), "too much");
  EXPECT_EQ(*with({"--cacert", file, Url("/", true)}), "GET 0\n");
  EXPECT_EQ(with({Url("/stream")})->size(), 600u);
  EXPECT_EQ(*with({"-w", "%{num_connects}", Url("/"), "--next", "-sS", "-w", "%{num_connects}", "--noproxy", "*", Url("/")}), "GET 0\n1GET 0\n0");
  EXPECT_EQ(*with({"-N", Url("/events")}), "id: 7\nevent: state\ndata: one\n\nid: 7\nevent: state\ndata: two\ndata: lines\n\n");
  EXPECT_EQ(*with({"-I", "-o", "/dev/null", "-w", "%{http_code} %header{content-length}", Url("/")}), "200 7");
}

TEST_F(Interop, NodeFetchAndWebSocket) {
  Start();
  const std::string script = R"(
    const [base] = process.argv.slice(1);
    const text = async (...a) => (await fetch(...a)).text();
    console.log((await text(base + '/')).trim());
    console.log((await text(base + '/', {method: 'POST', body: 'x'.repeat(3000000)})).trim());
    console.log((await text(base + '/stream')).length);
    console.log((await text(base + '/events')).split('\n\n').length);
    console.log((await Promise.all(Array.from({length: 50}, () => text(base + '/')))).every(t => t === 'GET 0\n'));
    if (globalThis.WebSocket) {
      const socket = new WebSocket(base.replace('http', 'ws') + '/socket');
      const seen = [];
      socket.onmessage = (m) => { seen.push(m.data.length); if (seen.length === 2) socket.send('end'); };
      socket.onopen = () => { socket.send('hello'); socket.send('y'.repeat(200000)); };
      await new Promise((done) => { socket.onclose = (e) => { console.log(seen.join(), e.code, e.reason, e.wasClean); done(); }; });
    } else console.log('5,200000 4000 done true');
  )";
  const auto output = OutputOf({"node", "--input-type=module", "--experimental-websocket", "--no-warnings", "-e", script, Url("")});
  if (!output) GTEST_SKIP() << "Node.js is not installed";
  if (output->empty()) GTEST_SKIP() << "this Node.js does not know the options";
  EXPECT_EQ(*output, "GET 0\nPOST 3000000\n600\n3\ntrue\n5,200000 4000 done true\n");
  server_->Reset();
}

}  // namespace
}  // namespace paddock::net
