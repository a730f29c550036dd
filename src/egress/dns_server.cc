#include "egress/dns_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "egress/dns_message.h"

namespace paddock::egress {
namespace {

constexpr size_t kLongestQuery = 4096;
constexpr uint16_t kInternet = 1;

bool IsLocalhost(const std::string& name) { return name == "localhost" || name.ends_with(".localhost"); }

std::string AnswerLocalhost(const DnsQuestion& question) {
  if (question.type == static_cast<uint16_t>(DnsType::kA)) {
    return BuildDnsAnswer(question, DnsStatus::kNoError, policy::IpAddress::V4(127, 0, 0, 1));
  }
  if (question.type == static_cast<uint16_t>(DnsType::kAaaa)) {
    return BuildDnsAnswer(question, DnsStatus::kNoError, policy::IpAddress::Parse("::1"));
  }
  return BuildDnsAnswer(question, DnsStatus::kNoError, std::nullopt);
}

// Room for the local address of a datagram, in either family.
union Control {
  char bytes[CMSG_SPACE(sizeof(in6_pktinfo))];
  cmsghdr align;
};

}  // namespace

std::string AnswerDns(Gate& gate, std::string_view message) {
  const auto question = ParseDnsQuestion(message);
  if (!question) return {};
  if (question->problem != DnsStatus::kNoError) return BuildDnsAnswer(*question, question->problem, std::nullopt);
  if (question->klass != kInternet) return BuildDnsAnswer(*question, DnsStatus::kRefused, std::nullopt);
  if (IsLocalhost(question->name)) return AnswerLocalhost(*question);
  Event draft;
  draft.protocol = "dns";
  draft.host = question->name;
  const auto host = policy::ParseHost(question->name);
  if (!host || host->address) {
    gate.Denied(std::move(draft), host ? "an address is no name" : host.error().message);
    return BuildDnsAnswer(*question, DnsStatus::kNoName, std::nullopt);
  }
  const auto verdict = gate.rules()->Name(*host);
  if (verdict.kind != policy::NetworkVerdict::Kind::kAllow) {
    gate.Denied(std::move(draft), verdict);
    return BuildDnsAnswer(*question, DnsStatus::kNoName, std::nullopt);
  }
  // Whatever else is asked of an allowed name (AAAA, HTTPS, MX) has no records.
  if (question->type != static_cast<uint16_t>(DnsType::kA)) return BuildDnsAnswer(*question, DnsStatus::kNoError, std::nullopt);
  const auto address = gate.names().AddressOf(host->text);
  if (!address) {
    gate.Failed(std::move(draft), "more than 65536 names were asked for");
    return BuildDnsAnswer(*question, DnsStatus::kServerFailure, std::nullopt);
  }
  gate.Allowed(std::move(draft), verdict.origin, address->Text());
  return BuildDnsAnswer(*question, DnsStatus::kNoError, address);
}

void ServeDnsDatagrams(Gate& gate, Socket& socket) {
  // The answer has to come from the address that was asked, which may be any.
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  for (;;) {
    char query[kLongestQuery + 1];
    sockaddr_storage from{};
    Control control{};
    iovec piece{query, sizeof query};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    const ssize_t count = recvmsg(socket.fd(), &message, 0);
    if (count < 0) {
      if (errno == EAGAIN && !socket.WaitReadable(kNever)) return;
      if (socket.is_aborted() || gate.reactor().is_stopping()) return;
      if (errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED && !gate.reactor().Sleep(std::chrono::milliseconds(100)))
        return;
      continue;
    }
    std::string answer = AnswerDns(gate, std::string_view(query, static_cast<size_t>(count)));
    gate.reactor().Breathe();
    if (answer.empty()) continue;
    piece = {answer.data(), answer.size()};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
        in_pktinfo info;
        std::memcpy(&info, CMSG_DATA(header), sizeof info);
        info.ipi_spec_dst = info.ipi_addr;   // sent from where it was sent to
        info.ipi_ifindex = 0;
        std::memcpy(CMSG_DATA(header), &info, sizeof info);
      } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
        in6_pktinfo info;
        std::memcpy(&info, CMSG_DATA(header), sizeof info);
        info.ipi6_ifindex = 0;
        std::memcpy(CMSG_DATA(header), &info, sizeof info);
      }
    }
    (void)sendmsg(socket.fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);   // lost like any datagram; clients ask again
  }
}

void ServeDnsClient(Gate& gate, Socket& socket) {
  Input client(socket);
  for (;;) {
    if (!client.Need(2, gate.reactor().In(gate.limits().head_timeout))) return;
    const size_t size = static_cast<size_t>(static_cast<uint8_t>(client.view()[0])) << 8 | static_cast<uint8_t>(client.view()[1]);
    if (size > kLongestQuery || !client.Need(2 + size, gate.reactor().In(gate.limits().head_timeout))) return;
    const std::string answer = AnswerDns(gate, client.view().substr(2, size));
    client.Consume(2 + size);
    if (answer.empty()) return;
    std::string framed{static_cast<char>(answer.size() >> 8), static_cast<char>(answer.size() & 0xff)};
    framed += answer;
    if (!socket.Write(framed, gate.reactor().In(gate.limits().head_timeout))) return;
  }
}

}  // namespace paddock::egress
