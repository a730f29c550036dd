// What the HTTP server costs: latency of one request after another, requests a second of many connections, and the memory of idle
// connections and streams. Client and server share the machine; the client is one thread with one epoll.
//
//   net_bench [SECONDS]
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "net/server.h"
#include "net/socket.h"

namespace {

using namespace paddock;
using namespace paddock::net;
using Clock = std::chrono::steady_clock;

constexpr char kRequest[] = "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n";

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

[[maybe_unused]] size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(getpagesize());
}

Descriptor MustConnect(const Address& address) {
  auto fd = Connect(address, std::chrono::seconds(5));
  if (!fd) {
    std::fprintf(stderr, "%s\n", std::string(fd.error().Text()).c_str());
    std::exit(1);
  }
  return std::move(*fd);
}

void Print(const char* what, std::vector<double>* times, double seconds, double processor) {
  std::sort(times->begin(), times->end());
  const auto at = [&](double part) { return (*times)[static_cast<size_t>(part * static_cast<double>(times->size() - 1))] * 1e3; };
  std::printf("%-34s %8.0f /s   p50 %.3f ms  p99 %.3f ms  max %.2f ms   %.1f us of processor each, client included\n", what,
              static_cast<double>(times->size()) / seconds, at(0.5), at(0.99), at(1), processor / static_cast<double>(times->size()) * 1e6);
}

// `count` connections, each with one request on its way at any time.
void Load(const char* what, const Address& address, size_t count, double seconds) {
  const Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  std::vector<Descriptor> sockets;
  std::vector<Clock::time_point> sent(count);
  for (size_t i = 0; i < count; ++i) {
    sockets.push_back(MustConnect(address));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    epoll_ctl(epoll.get(), EPOLL_CTL_ADD, sockets[i].get(), &event);
  }
  const double processor = ProcessorSeconds();
  const auto begin = Clock::now();
  const auto ask = [&](size_t i) {
    sent[i] = Clock::now();
    if (send(sockets[i].get(), kRequest, sizeof kRequest - 1, MSG_NOSIGNAL) < 0) std::exit(1);
  };
  for (size_t i = 0; i < count; ++i) ask(i);
  std::vector<double> times;
  times.reserve(1 << 20);
  auto now = begin;
  while (Seconds(now - begin) < seconds) {
    epoll_event events[64];
    const int ready = epoll_wait(epoll.get(), events, 64, 1000);
    for (int e = 0; e < ready; ++e) {
      const size_t i = events[e].data.u64;
      char bytes[1024];
      if (recv(sockets[i].get(), bytes, sizeof bytes, 0) <= 0) std::exit(1);
      now = Clock::now();
      times.push_back(Seconds(now - sent[i]));
      ask(i);
    }
  }
  Print(what, &times, Seconds(now - begin), ProcessorSeconds() - processor);
}

void Connects(const Address& address, double seconds) {
  const double processor = ProcessorSeconds();
  const auto begin = Clock::now();
  auto now = begin;
  std::vector<double> times;
  while (Seconds(now - begin) < seconds) {
    const auto start = Clock::now();
    const Descriptor fd = MustConnect(address);
    send(fd.get(), kRequest, sizeof kRequest - 1, MSG_NOSIGNAL);
    char bytes[1024];
    pollfd ready{fd.get(), POLLIN, 0};
    poll(&ready, 1, 1000);
    if (recv(fd.get(), bytes, sizeof bytes, 0) <= 0) std::exit(1);
    now = Clock::now();
    times.push_back(Seconds(now - start));
  }
  Print("a connection for each request", &times, Seconds(now - begin), ProcessorSeconds() - processor);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  rlimit files{65536, 65536};
  setrlimit(RLIMIT_NOFILE, &files);
  ServerOptions options;
  options.listeners.push_back({{.host = "127.0.0.1"}});
  auto server = Server::Start(options, [](Exchange& exchange) {
    (void)exchange.Respond(200, {{"Content-Type", "application/json"}}, "{\"hello\":\"world\"}");
  });
  if (!server) return 1;
  const Address address = (*server)->addresses()[0];
  Load("1 connection", address, 1, seconds);
  Load("16 connections", address, 16, seconds);
  Load("64 connections", address, 64, seconds);
  Load("256 connections", address, 256, seconds);
  Connects(address, seconds);
  std::printf("threads %zu\n", (*server)->stats().threads);
  return 0;
}
