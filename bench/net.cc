// What the HTTP server costs: latency of one request after another, requests a second of many connections, and the memory of idle
// connections and streams. Client and server share the machine; the client is one thread with one epoll.
//
//   net_bench [SECONDS]
#include <malloc.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
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
              static_cast<double>(times->size()) / seconds, at(0.5), at(0.99), at(1),
              processor / static_cast<double>(times->size()) * 1e6);
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

// Memory on the heap for each of 1000 connections after this request, once it was answered; the kernel's buffers are not in it.
// Returns them open.
std::vector<Descriptor> Idle(const char* what, const Address& address, const std::string& request) {
  constexpr size_t kCount = 1000;
  std::vector<Descriptor> sockets;
  sockets.reserve(kCount);
  const size_t before = mallinfo2().uordblks;
  for (size_t i = 0; i < kCount; ++i) {
    sockets.push_back(MustConnect(address));
    if (send(sockets.back().get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) std::exit(1);
    char bytes[1024];
    pollfd ready{sockets.back().get(), POLLIN, 0};
    poll(&ready, 1, 5000);
    if (recv(sockets.back().get(), bytes, sizeof bytes, 0) <= 0) std::exit(1);
  }
  std::printf("%-34s %8zu bytes each, of %zu\n", what, (mallinfo2().uordblks - before) / kCount, kCount);
  return sockets;
}

// A gigabyte as one body, and back.
void Bodies(const Address& address) {
  constexpr size_t kTotal = 1 << 30;
  for (const bool is_upload : {true, false}) {
    const Descriptor fd = MustConnect(address);
    const std::string head = is_upload
                                 ? "PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kTotal) + "\r\n\r\n"
                                 : std::string("GET /download HTTP/1.1\r\nHost: a\r\n\r\n");
    std::vector<char> piece(256 << 10);
    const auto begin = Clock::now();
    send(fd.get(), head.data(), head.size(), MSG_NOSIGNAL);
    size_t moved = 0;
    while (moved < kTotal) {
      pollfd ready{fd.get(), static_cast<short>(is_upload ? POLLOUT : POLLIN), 0};
      poll(&ready, 1, 5000);
      const ssize_t count = is_upload ? send(fd.get(), piece.data(), std::min(piece.size(), kTotal - moved), MSG_NOSIGNAL)
                                      : recv(fd.get(), piece.data(), piece.size(), 0);
      if (count <= 0) std::exit(1);
      moved += static_cast<size_t>(count);
    }
    if (is_upload) {
      pollfd ready{fd.get(), POLLIN, 0};
      poll(&ready, 1, 5000);
    }
    std::printf("%-34s %8.2f GB/s\n", is_upload ? "a body of 1 GiB in" : "and out",
                static_cast<double>(kTotal) / 1e9 / Seconds(Clock::now() - begin));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  rlimit files{65536, 65536};
  setrlimit(RLIMIT_NOFILE, &files);
  ServerOptions options;
  options.listeners.push_back({{.host = "127.0.0.1"}});
  options.limits.connections = 20'000;
  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
  std::vector<std::shared_ptr<WebSocket>> sockets;
  auto server = Server::Start(options, [&](Exchange& exchange) {
    const std::string& path = exchange.request().path;
    if (path == "/events" || path == "/socket") {
      const std::lock_guard lock(mutex);
      if (path == "/events") streams.push_back(*exchange.StartEventStream({}));
      else sockets.push_back(*exchange.AcceptWebSocket({}));
      return;
    }
    if (path == "/upload") {
      exchange.SetBodyLimit({.bytes = UINT64_MAX});
      std::vector<char> piece(256 << 10);
      Result<size_t> count = size_t{1};
      while (count && *count > 0) count = exchange.ReadBody(piece);
    }
    if (path == "/download") {
      const std::string piece(256 << 10, 'x');
      (void)exchange.StartResponse(200, {}, 1 << 30);
      for (size_t sent = 0; sent < 1 << 30 && exchange.Write(piece); sent += piece.size()) continue;
      return void(exchange.Finish());
    }
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
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
  const auto idle = Idle("idle connection", address, kRequest);
  const auto events = Idle("idle event stream", address, "GET /events" + host + "\r\n");
  const auto web_sockets = Idle("idle WebSocket", address,
                                "GET /socket" + host +
                                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  std::printf("streams %zu, threads %zu\n", (*server)->stats().streams, (*server)->stats().threads);
  Bodies(address);
  return 0;
}
