// The host's services and neighbours over the network, directly and through the wall's own proxy.
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

constexpr int kPatienceMs = 1500;

// A connection that stands, or why not.
int Connect(const sockaddr* address, socklen_t size, std::string& why) {
  const int connection = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection < 0) {
    why = std::string("socket: ") + std::strerror(errno);
    return -1;
  }
  int error = connect(connection, address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd watched{connection, POLLOUT, 0};
    socklen_t length = sizeof error;
    if (poll(&watched, 1, kPatienceMs) != 1) error = ETIMEDOUT;
    else getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  if (error == 0) return connection;
  why = std::string("connect: ") + std::strerror(error);
  close(connection);
  return -1;
}

int Connect4(const char* host, uint16_t port, std::string& why) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, host, &address.sin_addr);
  return Connect(reinterpret_cast<const sockaddr*>(&address), sizeof address, why);
}

int Connect6(const char* host, uint16_t port, std::string& why) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  inet_pton(AF_INET6, host, &address.sin6_addr);
  return Connect(reinterpret_cast<const sockaddr*>(&address), sizeof address, why);
}

std::string Ask(int connection, std::string_view request) {
  if (send(connection, request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  std::array<char, 512> block;
  pollfd watched{connection, POLLIN, 0};
  while (answer.size() < 4096 && poll(&watched, 1, kPatienceMs) == 1) {
    const ssize_t got = recv(connection, block.data(), block.size(), 0);
    if (got <= 0) break;
    answer.append(block.data(), static_cast<size_t>(got));
  }
  return answer;
}

// The host's listener greets with its secret; anything else that answers is not the host's.
Verdict Greeting(int connection, const std::string& why, std::string_view request = "GET / HTTP/1.0\r\n\r\n") {
  if (connection < 0) return Held(why);
  const std::string answer = Ask(connection, request);
  close(connection);
  if (answer.find("paddock-escape-greeting") == std::string::npos) return Held(answer.empty() ? "nothing answers" : "answered: " + answer.substr(0, answer.find('\r')));
  return Show("the host's service", answer);
}

uint16_t Port(const Facts& facts) { return static_cast<uint16_t>(facts.Number("port")); }

Verdict Loopback(const Facts& facts) {
  std::string why;
  const int connection = Connect4("127.0.0.1", Port(facts), why);
  return Greeting(connection, why);
}
Verdict LoopbackOther(const Facts& facts) {
  std::string why;
  const int connection = Connect4("127.0.0.2", Port(facts), why);
  return Greeting(connection, why);
}
Verdict Zero(const Facts& facts) {
  std::string why;
  const int connection = Connect4("0.0.0.0", Port(facts), why);
  return Greeting(connection, why);
}
Verdict Loopback6(const Facts& facts) {
  if (facts.Number("has_ipv6") != 1) return NotApplicable("the host has no IPv6");
  std::string why;
  const int connection = Connect6("::1", Port(facts), why);
  return Greeting(connection, why);
}
Verdict Mapped(const Facts& facts) {
  if (facts.Number("has_ipv6") != 1) return NotApplicable("the host has no IPv6");
  std::string why;
  const int connection = Connect6("::ffff:127.0.0.1", Port(facts), why);
  return Greeting(connection, why);
}
Verdict OwnAddress(const Facts& facts) {
  if (facts.Text("address").empty()) return NotApplicable("the host has no address but loopback");
  std::string why;
  const int connection = Connect4(facts.Text("address").c_str(), Port(facts), why);
  return Greeting(connection, why);
}
// The stage sees what arrives.
Verdict Datagram(const Facts& facts) {
  const int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(Port(facts));
  for (const std::string& host : {std::string("127.0.0.1"), facts.Text("address")}) {
    if (host.empty() || inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) continue;
    sendto(sender, "escape", 6, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  close(sender);
  return Held("datagrams were sent; none may arrive");
}

Verdict Interfaces(const Facts&) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return Held(std::string("getifaddrs: ") + std::strerror(errno));
  std::string found;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_LOOPBACK) == 0) found = each->ifa_name;
  }
  freeifaddrs(list);
  return found.empty() ? Held("only loopback is there") : Escaped("interface " + found + " is there");
}

Verdict ConfigureInterface(const Facts&) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  if (ioctl(control, SIOCGIFFLAGS, &request) != 0) return Held(std::string("reading an interface: ") + std::strerror(errno));
  const Verdict verdict = Judge("setting an interface's flags", ioctl(control, SIOCSIFFLAGS, &request));   // as they are
  close(control);
  return verdict;
}

// Any address answers inside when the wall catches connections; what must not happen is that the metadata service does.
Verdict Metadata(const Facts&) {
  std::string why;
  const int connection = Connect4("169.254.169.254", 80, why);
  if (connection < 0) return Held(why);
  const std::string answer = Ask(connection, "GET / HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\n\r\n");
  close(connection);
  if (answer.starts_with("HTTP/1.1 2") || answer.starts_with("HTTP/1.0 2")) return Escaped("the metadata service answers");
  return Held(answer.empty() ? "nothing answers" : "answered: " + answer.substr(0, answer.find('\r')));
}

// ---- through the wall's own proxy

int ToProxy(std::string& why) {
  const char* proxy = std::getenv("HTTP_PROXY");  // allow(getenv): how programs inside find it
  const char* const colon = proxy == nullptr ? nullptr : std::strrchr(proxy, ':');
  if (colon == nullptr) return -1;
  return Connect4("127.0.0.1", static_cast<uint16_t>(std::atoi(colon + 1)), why);
}

// In the control the greeting is asked for directly: there is no proxy that could hold.
Verdict ByProxy(const Facts& facts, const std::string& request) {
  std::string why;
  if (facts.is_control()) {
    const int direct = Connect4("127.0.0.1", Port(facts), why);
    return Greeting(direct, why);
  }
  const int connection = ToProxy(why);
  if (connection < 0) return why.empty() ? NotApplicable("the policy gives no network, so there is no proxy") : Held(why);
  return Greeting(connection, why, request);
}

Verdict Fetch(const Facts& facts, const std::string& host) {
  const std::string place = host + ":" + facts.Text("port");
  return ByProxy(facts, "GET http://" + place + "/ HTTP/1.1\r\nHost: " + place + "\r\nConnection: close\r\n\r\n");
}
Verdict ProxyLoopback(const Facts& facts) { return Fetch(facts, "127.0.0.1"); }
Verdict ProxyLocalhost(const Facts& facts) { return Fetch(facts, "localhost"); }
Verdict ProxyLocalhostDot(const Facts& facts) { return Fetch(facts, "localhost."); }
Verdict ProxyDecimal(const Facts& facts) { return Fetch(facts, "2130706433"); }
Verdict ProxyHex(const Facts& facts) { return Fetch(facts, "0x7f.1"); }
Verdict ProxyOctal(const Facts& facts) { return Fetch(facts, "0177.0.0.1"); }
Verdict ProxyMapped(const Facts& facts) { return Fetch(facts, "[::ffff:127.0.0.1]"); }
Verdict ProxyTranslated(const Facts& facts) { return Fetch(facts, "[64:ff9b::7f00:1]"); }
Verdict ProxyOwnAddress(const Facts& facts) {
  return facts.Text("address").empty() ? NotApplicable("the host has no address but loopback") : Fetch(facts, facts.Text("address"));
}
Verdict ProxyConnect(const Facts& facts) {
  const std::string place = "127.0.0.1:" + facts.Text("port");
  return ByProxy(facts, "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\nGET / HTTP/1.0\r\n\r\n");
}
Verdict ProxyTwoHosts(const Facts& facts) {
  return ByProxy(facts, "GET http://127.0.0.1:" + facts.Text("port") + "/ HTTP/1.1\r\nHost: pypi.org\r\nHost: registry.npmjs.org\r\nConnection: close\r\n\r\n");
}
std::string SocksRequest(uint16_t port, char type, const std::string& host) {
  std::string request("\x05\x01\x00\x05\x01\x00", 6);
  request += type;
  if (type == 3) request += static_cast<char>(host.size());
  request += host;
  request += static_cast<char>(port >> 8);
  request += static_cast<char>(port & 255);
  return request + "GET / HTTP/1.0\r\n\r\n";
}
Verdict SocksAddress(const Facts& facts) { return ByProxy(facts, SocksRequest(Port(facts), 1, std::string("\x7f\x00\x00\x01", 4))); }
Verdict SocksName(const Facts& facts) { return ByProxy(facts, SocksRequest(Port(facts), 3, "localhost")); }

// Caught connections name their host themselves.
Verdict CaughtHost(const Facts& facts) {
  std::string why;
  if (facts.is_control()) return ByProxy(facts, {});
  const int connection = Connect4("192.0.2.1", 80, why);   // an address of documentation
  return Greeting(connection, why, "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + facts.Text("port") + "\r\nConnection: close\r\n\r\n");
}

constexpr Probe kProbes[] = {
    {"network/loopback", "a service on the host's 127.0.0.1", Loopback},
    {"network/loopback-2", "the same by 127.0.0.2", LoopbackOther},
    {"network/zero", "the same by 0.0.0.0", Zero},
    {"network/loopback-6", "a service on the host's ::1", Loopback6},
    {"network/mapped", "the host's 127.0.0.1 written as IPv6", Mapped},
    {"network/own-address", "a service on the host's own address", OwnAddress},
    {"network/datagram", "datagrams to the host", Datagram},
    {"network/interfaces", "the host's interfaces", Interfaces},
    {"network/configure", "an interface's flags, written back", ConfigureInterface},
    {"network/metadata", "the cloud's metadata service", Metadata},
    {"network/proxy-loopback", "the proxy asked for 127.0.0.1", ProxyLoopback},
    {"network/proxy-localhost", "the proxy asked for localhost", ProxyLocalhost},
    {"network/proxy-localhost-dot", "the proxy asked for localhost with a dot behind", ProxyLocalhostDot},
    {"network/proxy-decimal", "the proxy asked for 2130706433", ProxyDecimal},
    {"network/proxy-hex", "the proxy asked for 0x7f.1", ProxyHex},
    {"network/proxy-octal", "the proxy asked for 0177.0.0.1", ProxyOctal},
    {"network/proxy-mapped", "the proxy asked for ::ffff:127.0.0.1", ProxyMapped},
    {"network/proxy-translated", "the proxy asked for 64:ff9b::7f00:1", ProxyTranslated},
    {"network/proxy-own-address", "the proxy asked for the host's own address", ProxyOwnAddress},
    {"network/proxy-connect", "a tunnel through the proxy to 127.0.0.1", ProxyConnect},
    {"network/proxy-two-hosts", "a request with several hosts", ProxyTwoHosts},
    {"network/socks-address", "a SOCKS connection to 127.0.0.1", SocksAddress},
    {"network/socks-name", "a SOCKS connection to localhost", SocksName},
    {"network/caught-host", "a caught connection that names 127.0.0.1 as its host", CaughtHost},
};

}  // namespace

std::span<const Probe> NetworkProbes() { return kProbes; }

}  // namespace paddock::escape
