#include "drivers/virtual/virtual_network.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "drivers/virtual/http_client.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kLongestDns = 65535;
constexpr Nanoseconds kDnsPatience = std::chrono::seconds(15);
constexpr Nanoseconds kTurn = std::chrono::milliseconds(5);

// A place among a sandbox's clients, for as long as the client lives.
class Placed final : public proc::HttpClient {
 public:
  Placed(std::unique_ptr<proc::HttpClient> client, int& clients) : client_(std::move(client)), clients_(clients) { ++clients_; }
  ~Placed() override { --clients_; }
  proc::HttpOutcome Perform(const proc::HttpRequest& request, proc::HttpObserver& observer) override { return client_->Perform(request, observer); }
  std::vector<std::string> Cookies() override { return client_->Cookies(); }
  std::vector<proc::HstsEntry> TakeHsts() override { return client_->TakeHsts(); }

 private:
  std::unique_ptr<proc::HttpClient> client_;
  int& clients_;
};

}  // namespace

Result<std::unique_ptr<proc::HttpClient>> VirtualNetwork::NewHttpClient() {
  while (clients_ >= kMostClients) PADDOCK_TRY(kernel_.Sleep(*kernel_.current(), kernel_.clock().MonotonicNow() + kTurn));
  PADDOCK_ASSIGN(auto client, MakeHttpClient(door_, kernel_, waiter_));
  return std::unique_ptr<proc::HttpClient>(std::make_unique<Placed>(std::move(client), clients_));
}

Result<std::string> VirtualNetwork::AskDns(std::string_view query) {
  if (query.size() > kLongestDns) return Code::kInvalid;
  PADDOCK_ASSIGN(const Descriptor stream, door_.ConnectDns());
  const std::string message = std::string{static_cast<char>(query.size() >> 8), static_cast<char>(query.size())} + std::string(query);
  if (write(stream.get(), message.data(), message.size()) != static_cast<ssize_t>(message.size())) return Code::kIo;   // a new socket takes that much
  const Nanoseconds until = kernel_.clock().MonotonicNow() + kDnsPatience;
  std::string answer;
  char piece[4096];
  for (;;) {
    const size_t whole = answer.size() < 2 ? 2 : 2 + (static_cast<uint8_t>(answer[0]) << 8 | static_cast<uint8_t>(answer[1]));
    if (answer.size() >= whole && answer.size() > 2) return answer.substr(2, whole - 2);
    const ssize_t count = read(stream.get(), piece, sizeof piece);
    if (count > 0) {
      answer.append(piece, static_cast<size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Code::kIo;
    } else {
      if (kernel_.clock().MonotonicNow() >= until) return Code::kTimedOut;
      waiter_.WaitReadable(kernel_.scheduler(), stream.get(), until);
    }
  }
}

}  // namespace paddock::sandbox
