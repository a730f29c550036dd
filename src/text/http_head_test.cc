// The strict HTTP parser against what makes two parsers disagree.
#include <gtest/gtest.h>

#include "text/http_chunks.h"
#include "text/http_head.h"

namespace paddock {
namespace {

std::string Read(std::string_view bytes) {
  size_t size = 0;
  const auto head = ParseRequestHead(bytes, &size);
  if (!head) return "refused: " + std::string(head.error().Text());
  if (!*head) return "more";
  EXPECT_LE(size, bytes.size());
  return (*head)->method + " " + (*head)->target;
}
bool IsRefused(std::string_view bytes) { return Read(bytes).starts_with("refused"); }

const std::string kHost = "Host: a.example\r\n";

TEST(HttpHead, PlainRequestsAreRead) {
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"), "GET /");
  EXPECT_EQ(Read("GET / HTTP/1.0\r\n\r\n"), "GET /");
  EXPECT_EQ(Read("POST /x?y HTTP/1.1\r\nhost:a.example\r\nContent-Length: 5\r\nX-Empty:\r\n\r\nhello"), "POST /x?y");
  EXPECT_EQ(Read("M-SEARCH * HTTP/1.1\r\nHost: a\r\n\r\n"), "M-SEARCH *");
}

TEST(HttpHead, EveryPrefixAsksForMore) {
  const std::string whole = "POST /x HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(Read(whole.substr(0, size)), "more") << size;
  EXPECT_EQ(Read(whole), "POST /x");
}

TEST(HttpHead, SmugglingIsRefused) {
  const std::string start = "POST / HTTP/1.1\r\n" + kHost;
  for (const std::string& fields : std::vector<std::string>{
           "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
           "Content-Length: 5\r\nContent-Length: 5\r\n",
           "Content-Length: 5\r\nContent-Length: 6\r\n",
           "Content-Length: 5, 5\r\n",
           "Content-Length: +5\r\n",
           "Content-Length: -5\r\n",
           "Content-Length: 0x5\r\n",
           "Content-Length: 5 5\r\n",
           "Content-Length: \r\n",
           "Content-Length: 99999999999999999999\r\n",
           "Content-Length: 5;x\r\n",
           "Content_Length: 5\r\n",
           "Transfer_Encoding: chunked\r\n",
           "Transfer-Encoding: gzip, chunked\r\n",
           "Transfer-Encoding: identity\r\n",
           "Transfer-Encoding: xchunked\r\n",
           "Transfer-Encoding: \"chunked\"\r\n",
           "Transfer-Encoding: chunked, chunked\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
           "Transfer-Encoding : chunked\r\n",
           "Transfer-Encoding\t: chunked\r\n",
           " Transfer-Encoding: chunked\r\n",
           "Transfer-Encoding:\r\n chunked\r\n",
           "Transfer-Encoding: chun\nked\r\n",
           "Transfer-Encoding: chunked\rX: y\r\n",
           "X: a\nTransfer-Encoding: chunked\r\n",
           "X: a\r\n\tTransfer-Encoding: chunked\r\n",
           std::string("X: a\0b\r\n", 8),
           "X: a\x7f\r\n",
           "X: a\x0b\r\n",
           "Host: b.example\r\n",
           "host: a.example\r\n",
           ": empty\r\n",
           "no colon\r\n",
           "X(Y): z\r\n",
           "X\x80: z\r\n",
       }) {
    EXPECT_TRUE(IsRefused(start + fields + "\r\n")) << fields;
  }
}

TEST(HttpHead, RequestLinesThatServersReadDifferentlyAreRefused) {
  for (const std::string& line : std::vector<std::string>{
           "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", "GET / HTTP/1.2",
           "GET / HTTP/2.0", "GET / http/1.1",
           "GET / HTTP/1.10", "GET /", "GET", "", "get / HTTP/1.1", "G\"T / HTTP/1.1", "GET /a b HTTP/1.1",
           "GET /\xc3\xa9 HTTP/1.1", "GET /#x HTTP/1.1",
           "GET /\x01 HTTP/1.1", "PRI * HTTP/2.0", std::string("GET /\0 HTTP/1.1", 15),
           "AVERYLONGMETHODTHATNOBODYHASEVERSEEN / HTTP/1.1"}) {
    EXPECT_TRUE(IsRefused(line + "\r\n" + kHost + "\r\n")) << line;
  }
  EXPECT_TRUE(IsRefused("\r\nGET / HTTP/1.1\r\n" + kHost + "\r\n"));
  EXPECT_TRUE(IsRefused("GET / HTTP/1.1\n" + kHost + "\n"));
  EXPECT_TRUE(IsRefused("GET / HTTP/1.1\r\n\r\n"));   // no Host
  EXPECT_TRUE(IsRefused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"));
}

TEST(HttpHead, LengthsAreBounded) {
  EXPECT_TRUE(IsRefused("GET /" + std::string(kMostHeadBytes, 'a')));
  EXPECT_TRUE(IsRefused("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n"));
  std::string many = "GET / HTTP/1.1\r\n" + kHost;
  for (size_t i = 0; i < kMostHeaders; ++i) many += "X: y\r\n";
  EXPECT_TRUE(IsRefused(many + "\r\n"));
}

TEST(HttpHead, AnswersSayHowTheirBodyEnds) {
  const auto framing = [](std::string_view bytes, std::string_view method) {
    size_t size = 0;
    const auto head = ParseResponseHead(bytes, &size);
    return head && *head ? static_cast<int>(FramingOf(**head, method).kind) : -1;
  };
  using Kind = BodyFraming::Kind;
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "GET"), static_cast<int>(Kind::kLength));
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD"), static_cast<int>(Kind::kNone));
  EXPECT_EQ(framing("HTTP/1.1 200\r\n\r\n", "GET"), static_cast<int>(Kind::kUntilEnd));
  EXPECT_EQ(framing("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET"), static_cast<int>(Kind::kNone));
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "GET"), static_cast<int>(Kind::kChunked));
  for (const char* bad : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                          "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                          "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "ICY 200 OK\r\n\r\n",
                          "HTTP/1.1 200 OK\nContent-Length: 5\n\n"}) {
    EXPECT_EQ(framing(bad, "GET"), -1) << bad;
  }
}

// The decoded data, fed in pieces of `size` bytes.
std::string Decode(std::string_view bytes, size_t size) {
  ChunkDecoder decoder;
  std::string data;
  for (size_t at = 0; at < bytes.size(); at += size) {
    const auto used = decoder.Feed(bytes.substr(at, size), &data);
    if (!used) return "refused";
    if (decoder.is_done()) return data + "|" + std::string(bytes.substr(at + *used));
  }
  return data + "...";
}

TEST(HttpBody, ChunksAreReadInPiecesOfAnySize) {
  const std::string body = "5\r\nhello\r\n00006;name=value\r\n world\r\n0\r\nX-Trailer: y\r\n\r\nGET /";
  for (size_t size = 1; size <= body.size(); ++size) EXPECT_TRUE(Decode(body, size).starts_with("hello world|")) << size;
  EXPECT_EQ(Decode(body, body.size()), "hello world|GET /");
}

TEST(HttpBody, ChunksThatServersReadDifferentlyAreRefused) {
  for (const std::string& body : std::vector<std::string>{"0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-1\r\n", " 5\r\nhello\r\n",
                                                          "5 \r\nhello\r\n", "5\nhello\n", "\r\n", ";x\r\n", "g\r\n",
                                                          "5\r\nhelloX\r\n", "5\r\nhello\n", "5\rhello",
                                                          "ffffffffffffffff\r\n", "10000000000000000\r\n", "5;a\nb\r\nhello\r\n",
                                                          "5;" + std::string(5000, 'x') + "\r\n", "0\r\nbad trailer\r\n\r\n",
                                                          "0\r\nX: y\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX: \x01\r\n\r\n",
                                                          "0\r\nX: a\rb\r\n\r\n",
                                                          "0\r\n" + std::string(20'000, 'x') + "\r\n\r\n"}) {
    EXPECT_EQ(Decode(body, body.size()), "refused") << body;
  }
}

}  // namespace
}  // namespace paddock
