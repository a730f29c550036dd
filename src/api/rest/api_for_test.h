// A daemon's API in this process, for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "api/rest/router.h"
#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "net/client.h"
#include "net/server.h"
#include "registry/states/keeper_for_test.h"

namespace paddock::api {

// A daemon in this process: "Bearer alice" is alice, with "alice:read" who may only look.
class ApiTest : public testing::Test {
 protected:
  ApiTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "api-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    records_ = std::move(*records::Records::Open({.location = directory_ + "/db"}));
    registry::RegistrySettings settings;
    settings.directory = directory_ + "/data";
    settings.isolations["virtual"] = [this](const registry::SandboxInfo&, const std::string& directory) -> Result<std::unique_ptr<registry::Keeper>> {
      return std::unique_ptr<registry::Keeper>(std::make_unique<registry::FileKeeperForTest>(*driver_, directory));
    };
    registry_ = std::move(*registry::Registry::Open(std::move(settings), *records_));
    services_ = std::make_unique<Services>(Services{.registry = *registry_, .version = "1", .scratch_directory = directory_});
    router_ = std::make_unique<Router>(*services_, [](const net::Request& request) -> Result<Identity> {
      const std::string* header = request.Header("Authorization");
      if (header == nullptr || !header->starts_with("Bearer ")) return Error(Code::kAccess, "no key");
      const std::string who = header->substr(7);
      return Identity{.caller = {.owner = who.substr(0, who.find(':'))}, .most = who.ends_with(":read") ? Access::kRead : Access::kUse};
    });
    server_ = std::move(*net::Server::Start({.listeners = {{.address = {.host = "127.0.0.1"}}}}, [this](net::Exchange& exchange) { router_->Handle(exchange); }));
  }
  ~ApiTest() override {
    server_->Stop(std::chrono::seconds(5));
    registry_.reset();
    std::filesystem::remove_all(directory_);
  }

  struct Reply {
    int status = 0;
    std::string text;
    net::Headers headers;
    json::value json() const { return json::parse(text); }
    std::string code() const { return std::string(json().at("error").at("code").as_string()); }
    std::string message() const { return std::string(json().at("error").at("message").as_string()); }
  };
  Reply Ask(const std::string& method, const std::string& target, const std::string& body = {}, net::Headers headers = {}, const std::string& who = "alice") {
    if (!who.empty()) headers.push_back({"Authorization", "Bearer " + who});
    auto response = client().Send({.method = method, .target = target, .headers = headers, .body = body});
    EXPECT_TRUE(response) << response.error().Text();
    if (!response) return {};
    return {.status = (*response)->status(), .text = *(*response)->ReadAll(16 << 20), .headers = (*response)->headers()};
  }
  net::Client& client() {
    if (client_ == nullptr) client_ = std::make_unique<net::Client>(net::ClientOptions{.address = server_->addresses()[0]});
    return *client_;
  }
  std::string Make(const std::string& body = "{}") {
    const Reply reply = Ask("POST", "/v1/sandboxes", body);
    EXPECT_EQ(reply.status, 201) << reply.text;
    return reply.status == 201 ? std::string(reply.json().at("id").as_string()) : std::string();
  }

  std::string directory_;
  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeVirtualDriver(AllCommands());
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<registry::Registry> registry_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Client> client_;
};

}  // namespace paddock::api
