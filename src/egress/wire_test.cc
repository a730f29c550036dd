// SOCKS, DNS and TLS hellos from hostile clients.
#include <gtest/gtest.h>

#include "egress/client_hello.h"
#include "egress/dns_message.h"
#include "egress/name_table.h"
#include "egress/socks.h"
#include "egress/first_bytes.h"

namespace paddock::egress {
namespace {

template <size_t N>
std::string Bytes(const char (&text)[N]) { return std::string(text, N - 1); }

std::string Number(size_t value, size_t bytes) {
  std::string out;
  for (size_t i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

// ---- SOCKS

std::string Socks(std::string_view bytes) {
  size_t size = 0;
  SocksProblem problem;
  const auto request = ParseSocksRequest(bytes, &size, &problem);
  if (!request) return "refused";
  if (!*request) return "more";
  return policy::HostPortText((*request)->host, (*request)->port);
}

std::string Socks5Name(std::string_view name) {
  return Bytes("\5\1\0\3") + static_cast<char>(name.size()) + std::string(name) + Bytes("\1\xbb");
}

TEST(Socks, RequestsAreRead) {
  EXPECT_EQ(Socks(Socks5Name("Example.ORG")), "example.org:443");
  EXPECT_EQ(Socks(Socks5Name("192.0.2.7")), "192.0.2.7:443");
  EXPECT_EQ(Socks(Bytes("\5\1\0\1\x7f\0\0\1\0\x50")), "127.0.0.1:80");
  EXPECT_EQ(Socks(Bytes("\5\1\0\4") + std::string(15, '\0') + Bytes("\1\0\x50")), "[::1]:80");
  EXPECT_EQ(Socks(Bytes("\4\1\0\x50\0\0\0\1user\0example.org\0")), "example.org:80");
  EXPECT_EQ(Socks(Bytes("\4\1\0\x50\x7f\0\0\1\0")), "127.0.0.1:80");
}

TEST(Socks, EveryPrefixAsksForMore) {
  for (const std::string& whole : {Socks5Name("example.org"), Bytes("\4\1\0\x50\0\0\0\1user\0example.org\0")}) {
    for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(Socks(whole.substr(0, size)), "more") << size;
  }
}

TEST(Socks, NamesThatAreNoneAreRefused) {
  for (const std::string& name :
       {Bytes("good.example\0.evil.example"), Bytes("evil.example\0"), Bytes("127.1"), Bytes("2130706433"), Bytes("0x7f.1"),
        Bytes("a b"), Bytes("example.org:80"), Bytes("http://a"), Bytes("")}) {
    EXPECT_EQ(Socks(Socks5Name(name)), "refused") << name;
  }
}

TEST(Socks, OtherCommandsAndFormsAreRefused) {
  EXPECT_EQ(Socks(Bytes("\5\2\0\1\x7f\0\0\1\0\x50")), "refused");   // BIND
  EXPECT_EQ(Socks(Bytes("\5\3\0\1\x7f\0\0\1\0\x50")), "refused");   // UDP ASSOCIATE
  EXPECT_EQ(Socks(Bytes("\5\1\1\1\x7f\0\0\1\0\x50")), "refused");   // reserved
  EXPECT_EQ(Socks(Bytes("\5\1\0\2\x7f\0\0\1\0\x50")), "refused");   // address type
  EXPECT_EQ(Socks(Bytes("\5\1\0\1\x7f\0\0\1\0\0")), "refused");     // port 0
  EXPECT_EQ(Socks(Bytes("\4\2\0\x50\x7f\0\0\1\0")), "refused");
  EXPECT_EQ(Socks(Bytes("\4\1\0\x50\0\0\0\1") + std::string(300, 'u')), "refused");
  EXPECT_EQ(Socks(Bytes("\4\1\0\x50\0\0\0\1u\0") + std::string(300, 'n')), "refused");
  EXPECT_EQ(Socks("GET / HTTP/1.1\r\n"), "refused");
}

TEST(Socks, GreetingHasToOfferNoAuthentication) {
  size_t size = 0;
  EXPECT_TRUE(*ParseSocks5Greeting(Bytes("\5\2\2\0"), &size));
  EXPECT_EQ(size, 4u);
  EXPECT_FALSE(*ParseSocks5Greeting(Bytes("\5\1\2"), &size));
  EXPECT_EQ(size, 3u);
  EXPECT_FALSE(ParseSocks5Greeting(Bytes("\5\0"), &size));
  ASSERT_TRUE(ParseSocks5Greeting(Bytes("\5\2\0"), &size));
  EXPECT_EQ(size, 0u);
}

// ---- DNS

std::string Query(std::string_view name, const std::string& flags = Bytes("\1\0"),
                  const std::string& counts = Bytes("\0\1\0\0\0\0\0\0")) {
  return Bytes("\x12\x34") + flags + counts + std::string(name) + Bytes("\0\1\0\1");
}
std::string Dns(std::string_view message) {
  const auto question = ParseDnsQuestion(message);
  if (!question) return "silence";
  if (question->problem != DnsStatus::kNoError) return "problem " + std::to_string(static_cast<int>(question->problem));
  return question->name + " " + std::to_string(question->type);
}

TEST(Dns, QuestionsAreRead) {
  EXPECT_EQ(Dns(Query(Bytes("\7Example\3ORG\0"))), "example.org 1");
  EXPECT_EQ(Dns(Query(Bytes("\0"))), " 1");
  const std::string edns = Bytes("\0\0\x29\x10\0\0\0\0\0\0\0");
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\1\x20"), Bytes("\0\1\0\0\0\0\0\1")) + edns), "a 1");
}

TEST(Dns, BrokenQuestionsAreFormatErrors) {
  EXPECT_EQ(Dns(""), "silence");
  EXPECT_EQ(Dns(std::string(11, '\0')), "silence");
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\x81\0"))), "silence");                                  // an answer
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\x29\0"))), "problem 4");                                // another operation
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\1\0"), Bytes("\0\2\0\0\0\0\0\0"))), "problem 1");       // two questions
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\1\0"), Bytes("\0\0\0\0\0\0\0\0"))), "problem 1");
  EXPECT_EQ(Dns(Query(Bytes("\1a\0"), Bytes("\1\0"), Bytes("\0\1\0\1\0\0\0\0"))), "problem 1");
  EXPECT_EQ(Dns(Query(Bytes("\1a\0")) + "tail"), "problem 1");
  EXPECT_EQ(Dns(Query(Bytes("\xc0\x0c"))), "problem 1");                                              // a name that is itself
  EXPECT_EQ(Dns(Query(Bytes("\1a\xc0\x0c"))), "problem 1");
  EXPECT_EQ(Dns(Query(Bytes("\x40") + std::string(64, 'a') + Bytes("\0"))), "problem 1");             // a label of 64
  EXPECT_EQ(Dns(Query(Bytes("\3a.b\0"))), "problem 1");                                               // a dot within a label
  EXPECT_EQ(Dns(Query(Bytes("\3a\0b\0"))), "problem 1");
  EXPECT_EQ(Dns(Query(Bytes("\2\xc3\xa9\0"))), "problem 1");
  std::string lengthy;
  for (int i = 0; i < 130; ++i) lengthy += Bytes("\1a");
  EXPECT_EQ(Dns(Query(lengthy + Bytes("\0"))), "problem 1");
  const std::string whole = Query(Bytes("\1a\0"));
  for (size_t size = 12; size < whole.size(); ++size) EXPECT_EQ(Dns(whole.substr(0, size)), "problem 1") << size;
}

TEST(Dns, AnswersRepeatTheQuestion) {
  const std::string query = Query(Bytes("\1a\0"));
  const auto question = ParseDnsQuestion(query);
  const std::string answer = BuildDnsAnswer(*question, DnsStatus::kNoError, policy::IpAddress::V4(198, 18, 1, 0));
  EXPECT_EQ(answer, Bytes("\x12\x34\x81\x80\0\1\0\1\0\0\0\0\1a\0\0\1\0\1\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\1\0"));
  EXPECT_EQ(BuildDnsAnswer(*question, DnsStatus::kNoName, std::nullopt), Bytes("\x12\x34\x81\x83\0\1\0\0\0\0\0\0\1a\0\0\1\0\1"));
}

TEST(NameTable, NamesKeepTheirAddressAndTheTableIsBounded) {
  NameTable table;
  const auto first = table.AddressOf("a.example");
  EXPECT_EQ(first->Text(), "198.18.1.0");
  EXPECT_EQ(table.AddressOf("b.example")->Text(), "198.18.1.1");
  EXPECT_EQ(table.AddressOf("a.example"), first);
  EXPECT_EQ(table.NameOf(*first), "a.example");
  EXPECT_EQ(table.NameOf(*policy::IpAddress::Parse("198.18.1.2")), std::nullopt);
  EXPECT_EQ(table.NameOf(*policy::IpAddress::Parse("198.18.0.255")), std::nullopt);
  EXPECT_EQ(table.NameOf(*policy::IpAddress::Parse("198.20.1.0")), std::nullopt);
  for (size_t i = 2; i < NameTable::kMost; ++i) table.AddressOf("n" + std::to_string(i));
  EXPECT_FALSE(table.AddressOf("one.more"));
  EXPECT_TRUE(NameTable::IsMapped(*table.AddressOf("n" + std::to_string(NameTable::kMost - 1))));
}

// ---- TLS

std::string Extension(size_t type, const std::string& data) { return Number(type, 2) + Number(data.size(), 2) + data; }
std::string ServerName(const std::string& name, char kind = '\0') {
  const std::string entry = std::string(1, kind) + Number(name.size(), 2) + name;
  return Extension(0, Number(entry.size(), 2) + entry);
}
std::string HelloBody(const std::string& extensions) {
  return Bytes("\3\3") + std::string(32, 'r') + Bytes("\0") + Bytes("\0\2\x13\1") + Bytes("\1\0") + Number(extensions.size(), 2) +
         extensions;
}
std::string Handshake(const std::string& body) { return Bytes("\1") + Number(body.size(), 3) + body; }
std::string Record(const std::string& data) { return Bytes("\x16\3\1") + Number(data.size(), 2) + data; }
std::string Hello(std::string_view bytes) {
  const auto hello = ParseClientHello(bytes);
  if (!hello) return "refused";
  if (!*hello) return "more";
  return (*hello)->server_name.value_or("none") + ((*hello)->has_encrypted_hello ? " encrypted" : "");
}

TEST(ClientHello, ServerNameIsRead) {
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a.example"))))), "a.example");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(Extension(17, "x"))))), "none");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a.example") + Extension(0xfe0d, "x"))))), "a.example encrypted");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a.example") + Extension(0xffce, "x"))))), "a.example encrypted");
}

TEST(ClientHello, ProtocolsAreRead) {
  const auto hello = ParseClientHello(Record(Handshake(HelloBody(Extension(16, Bytes("\0\x0c\2h2\x8http/1.1"))))));
  ASSERT_TRUE(hello && *hello);
  EXPECT_EQ((*hello)->protocols, (std::vector<std::string>{"h2", "http/1.1"}));
  for (const std::string& broken : {std::string("x"), Bytes("\0\0"), Bytes("\0\1\0"), Bytes("\0\3\3h2"), Bytes("\0\3\2h2x")}) {
    EXPECT_EQ(Hello(Record(Handshake(HelloBody(Extension(16, broken))))), "refused");
  }
}

TEST(ClientHello, IsReadOverAnyNumberOfRecords) {
  const std::string handshake = Handshake(HelloBody(ServerName("a.example")));
  for (size_t size = 1; size < handshake.size(); ++size) {
    std::string bytes;
    for (size_t at = 0; at < handshake.size(); at += size) bytes += Record(handshake.substr(at, size));
    EXPECT_EQ(Hello(bytes), "a.example") << size;
  }
}

TEST(ClientHello, EveryPrefixAsksForMore) {
  const std::string whole = Record(Handshake(HelloBody(ServerName("a.example"))));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(Hello(whole.substr(0, size)), "more") << size;
}

TEST(ClientHello, BrokenOnesAreRefused) {
  const std::string good = Handshake(HelloBody(ServerName("a.example")));
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a.example") + ServerName("b.example"))))), "refused");
  const std::string two = Bytes("\0\0\1a\0\0\1b");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(Extension(0, Number(two.size(), 2) + two))))), "refused");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName(""))))), "refused");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a", '\1'))))), "refused");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(Extension(0, "")))) ), "refused");
  EXPECT_EQ(Hello(Record(Handshake(HelloBody(ServerName("a.example").substr(0, 8))))), "refused");
  EXPECT_EQ(Hello(Record(good + "x")), "refused");
  EXPECT_EQ(Hello(Record(Bytes("\2") + good.substr(1))), "refused");
  EXPECT_EQ(Hello(Bytes("\x16\2\1\0\5hello")), "refused");
  EXPECT_EQ(Hello(Bytes("\x16\3\1\0\0")), "refused");
  EXPECT_EQ(Hello(Bytes("\x16\3\1\xff\xff")), "refused");
  EXPECT_EQ(Hello(Record(good.substr(0, 20)) + Bytes("\x17\3\3\0\1x")), "refused");
  EXPECT_EQ(Hello(Record(Bytes("\1\xff\xff\xff"))), "refused");
}

// ---- what a stream begins with

TEST(Classify, HttpIsSeenWhereALenientServerWouldSeeIt) {
  EXPECT_EQ(Classify(""), FirstBytes::kNeedMore);
  EXPECT_EQ(Classify("GE"), FirstBytes::kNeedMore);
  EXPECT_EQ(Classify("GET / HTTP/1.1\r\n"), FirstBytes::kHttp);
  EXPECT_EQ(Classify("\r\n\r\nGET / HTTP/1.1\r\n"), FirstBytes::kHttp);
  EXPECT_EQ(Classify(" \tget / http/1.0\n"), FirstBytes::kHttp);
  EXPECT_EQ(Classify(std::string("GET /\0 HTTP/1.1\r\n", 18)), FirstBytes::kHttp);
  EXPECT_EQ(Classify("PRI * HTTP/2.0\r\n"), FirstBytes::kHttp);
  EXPECT_EQ(Classify("GET /" + std::string(9000, 'a')), FirstBytes::kHttp);
  EXPECT_EQ(Classify(std::string(9000, '\n')), FirstBytes::kHttp);
  EXPECT_EQ(Classify("SSH-2.0-OpenSSH_9.2 x\r\n"), FirstBytes::kOther);
  EXPECT_EQ(Classify(Bytes("\0\0\0\x08")), FirstBytes::kOther);
  EXPECT_EQ(Classify("003egit-upload-pack"), FirstBytes::kOther);
  EXPECT_EQ(Classify("\x16"), FirstBytes::kTls);
}

}  // namespace
}  // namespace paddock::egress
