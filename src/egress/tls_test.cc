// TLS through the engine, passed on and opened, with curl and with forged hellos.
#include "egress/tls_for_test.h"

namespace paddock::egress {
namespace {

std::string Port(uint16_t port) { return std::to_string(port); }

// curl through the engine's proxy, trusting `pem`.
ProgramResult Curl(const TestEngine& engine, const std::string& pem, std::vector<std::string> words,
                   const std::string& scheme = "http") {
  const TestFile trust(pem);
  words.insert(words.begin(), {"curl", "-sS", "--max-time", "20", "-x", scheme + "://127.0.0.1:" + Port(engine.proxy_port),
                               "--cacert", trust.path()});
  return RunProgram(std::move(words));
}

EgressOptions Trusting(TestAuthority& authority) {
  EgressOptions options;
  options.extra_trust_pem = authority.Pem();
  return options;
}

policy::NetworkRule OpenedRule(const std::string& host) {
  auto rule = AllowRule(host);
  rule.terminate_tls = true;
  return rule;
}

std::string EchoHead(const std::string& head) { return HttpAnswer(head); }

TEST(EgressTls, IsPassedOnToTheNameThatTheHelloCarries) {
  TestAuthority authority;
  TestServer server(authority.Https("allowed.example", EchoHead));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  for (const std::string scheme : {"http", "socks5h"}) {
    const auto result = Curl(engine, authority.Pem(), {"https://allowed.example:" + Port(server.port()) + "/x"}, scheme);
    EXPECT_TRUE(result.output.starts_with("GET /x HTTP/1.1")) << result.output;
  }
  EXPECT_TRUE(engine.HasEvent("allowed connect allowed.example:"));
  EXPECT_TRUE(engine.HasEvent("allowed socks5 allowed.example:"));
}

TEST(EgressTls, AnotherNameInTheHelloIsDenied) {
  TestAuthority authority;
  TestServer server(authority.Https("other.example", EchoHead));
  TestEngine engine({AllowRule("allowed.example")});
  engine.names["allowed.example"] = {"127.0.0.1"};
  const std::string port = Port(server.port());
  const auto result =
      Curl(engine, authority.Pem(), {"--connect-to", "other.example:443:allowed.example:" + port, "https://other.example/"});
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output.find("access denied"), std::string::npos) << result.output;
  EXPECT_TRUE(engine.HasEvent("the ClientHello names server other.example, the connection was for allowed.example"));
}

TEST(EgressTls, OpenedConnectionsAreJudgedByMethodAndPath) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  auto rule = OpenedRule("api.example");
  rule.methods = {"GET"};
  rule.paths = {"/v1"};
  TestEngine engine({rule}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const std::string pem = *engine.engine->CaCertificatePem();
  const std::string base = "https://api.example:" + Port(server.port());
  const auto both = Curl(engine, pem, {base + "/v1/models", base + "/v1"});
  EXPECT_TRUE(both.output.starts_with("GET /v1/models HTTP/1.1")) << both.output;
  EXPECT_NE(both.output.find("GET /v1 HTTP/1.1"), std::string::npos) << both.output;
  EXPECT_NE(Curl(engine, pem, {base + "/v2"}).output.find("the rules for this host do not allow this path"), std::string::npos);
  EXPECT_NE(Curl(engine, pem, {"-d", "x", base + "/v1"}).output.find("do not allow method POST"), std::string::npos);
  EXPECT_NE(Curl(engine, pem, {"--path-as-is", base + "/v1/../v2"}).output.find("more than one way"), std::string::npos);
  EXPECT_NE(Curl(engine, pem, {"-H", "Host: evil.example", base + "/v1"}).output.find("Host names evil.example"),
            std::string::npos);
  EXPECT_TRUE(engine.HasEvent("allowed https GET api.example:" + Port(server.port()) + "/v1/models"));
}

TEST(EgressTls, RulesThatSeeRequestsDoNotLetClosedTlsThrough) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  auto rule = AllowRule("api.example");
  rule.methods = {"GET"};
  TestEngine engine({rule}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  EXPECT_NE(Curl(engine, authority.Pem(), {"https://api.example:" + Port(server.port()) + "/"}).status, 0);
  EXPECT_TRUE(engine.HasEvent("the rule needs terminate_tls"));
  EXPECT_EQ(server.accepted(), 0u);
}

TEST(EgressTls, ExcludedHostsAreNeverOpened) {
  TestAuthority authority;
  TestServer server(authority.Https("bank.example", EchoHead));
  EgressOptions options = Trusting(authority);
  options.rules.mitm_hosts_excluded = {"bank.example"};
  TestEngine engine({OpenedRule("bank.example")}, std::move(options));
  engine.names["bank.example"] = {"127.0.0.1"};
  const auto result = Curl(engine, authority.Pem(), {"https://bank.example:" + Port(server.port()) + "/"});
  EXPECT_TRUE(result.output.starts_with("GET / HTTP/1.1")) << result.output;
}

TEST(EgressTls, UpstreamCertificatesHaveToBeTrustedAndForTheName) {
  TestAuthority authority, unknown;
  TestServer untrusted(unknown.Https("api.example", EchoHead));
  TestServer misnamed(authority.Https("elsewhere.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const std::string pem = *engine.engine->CaCertificatePem();
  for (const TestServer* server : {&untrusted, &misnamed}) {
    const auto result = Curl(engine, pem, {"https://api.example:" + Port(server->port()) + "/"});
    EXPECT_NE(result.output.find("reason: the server's certificate: "), std::string::npos) << result.output;
  }
}

TEST(EgressTls, AnAllowedAddressNeedsNoName) {
  TestAuthority authority;
  TestServer server(authority.Https("127.0.0.1", EchoHead));
  TestEngine engine({AllowRule("127.0.0.1")});
  const auto result = Curl(engine, authority.Pem(), {"https://127.0.0.1:" + Port(server.port()) + "/"});
  EXPECT_TRUE(result.output.starts_with("GET / HTTP/1.1")) << result.output;
}

TEST(EgressTls, CapturedConnectionsAreCheckedAndOpenedAlike) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  // The name's mapped address, as the name server inside would give it.
  Descriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  TestClient dns(engine.dns_tcp_port);
  dns.Send(std::string("\0\x1d\0\1\1\0\0\1\0\0\0\0\0\0\3api\7example\0\0\1\0\1", 31));
  EXPECT_EQ(dns.ReceiveExactly(47).substr(43), "\xc6\x12\x01" + std::string(1, '\0'));
  TestClient client = engine.Captured("198.18.1.0", server.port());
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
  SSL_set_fd(ssl.get(), client.fd());
  SSL_set_tlsext_host_name(ssl.get(), "api.example");
  ASSERT_EQ(SSL_connect(ssl.get()), 1);
  const std::string request = "GET /t HTTP/1.1\r\nHost: api.example:" + Port(server.port()) + "\r\nConnection: close\r\n\r\n";
  SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
  std::string answer(4096, '\0');
  const int count = SSL_read(ssl.get(), answer.data(), static_cast<int>(answer.size()));
  ASSERT_GT(count, 0);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
}

TEST(EgressTls, PythonVerifiesTheEnginesCertificatesStrictly) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const TestFile trust(*engine.engine->CaBundlePem());
  const auto result = RunProgram({"/usr/bin/python3", "-c",
                                  "import ssl,sys,urllib.request\n"
                                  "context=ssl.create_default_context(cafile=sys.argv[1])\n"
                                  "context.verify_flags|=ssl.VERIFY_X509_STRICT\n"
                                  "opener=urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))\n"
                                  "print(opener.open(sys.argv[2]).read().decode())",
                                  trust.path(), "https://api.example:" + Port(server.port()) + "/py"},
                                 {"https_proxy=http://127.0.0.1:" + Port(engine.proxy_port)});
  EXPECT_TRUE(result.output.starts_with("GET /py HTTP/1.1")) << result.output;
}

TEST(EgressTls, ClientsThatPreferHttp2FallBackWhereTlsIsOpened) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const std::string url = "https://api.example:" + Port(server.port()) + "/two";
  const auto curl = Curl(engine, *engine.engine->CaCertificatePem(), {"--http2", url});
  EXPECT_TRUE(curl.output.starts_with("GET /two HTTP/1.1")) << curl.output;
  const TestFile trust(*engine.engine->CaCertificatePem());
  const auto python = RunProgram({"/usr/bin/python3", "-c",
                                  "import socket,ssl,sys\n"
                                  "s=socket.create_connection(('127.0.0.1',int(sys.argv[2])))\n"
                                  "s.sendall(b'CONNECT api.example:'+sys.argv[3].encode()+b' HTTP/1.1\\r\\nHost: api.example:'+sys.argv[3].encode()+b'\\r\\n\\r\\n')\n"
                                  "assert b' 200 ' in s.recv(1000)\n"
                                  "context=ssl.create_default_context(cafile=sys.argv[1])\n"
                                  "context.set_alpn_protocols(['h2','http/1.1'])\n"
                                  "print(context.wrap_socket(s,server_hostname='api.example').selected_alpn_protocol())",
                                  trust.path(), Port(engine.proxy_port), Port(server.port())});
  EXPECT_EQ(python.output, "http/1.1\n");
}

TEST(EgressTls, ClientsThatSpeakHttp2OnlyAreToldWhy) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const TestFile trust(*engine.engine->CaCertificatePem());
  const auto told = RunProgram({"/usr/bin/python3", "-c",
                                "import socket,ssl,sys\n"
                                "s=socket.create_connection(('127.0.0.1',int(sys.argv[2])))\n"
                                "s.sendall(b'CONNECT api.example:'+sys.argv[3].encode()+b' HTTP/1.1\\r\\nHost: api.example:'+sys.argv[3].encode()+b'\\r\\n\\r\\n')\n"
                                "s.recv(1000)\n"
                                "context=ssl.create_default_context(cafile=sys.argv[1])\n"
                                "context.set_alpn_protocols(['h2'])\n"
                                "try: context.wrap_socket(s,server_hostname='api.example')\n"
                                "except ssl.SSLError as error: print(error)",
                                trust.path(), Port(engine.proxy_port), Port(server.port())});
  EXPECT_NE(told.output.find("no application protocol"), std::string::npos) << told.output;
  EXPECT_TRUE(engine.HasEvent("the client speaks h2 only"));
  EXPECT_EQ(server.accepted(), 0u);
}

TEST(EgressTls, ManyRequestsShareOneUpstreamConnection) {
  TestAuthority authority;
  TestServer server(authority.Https("api.example", EchoHead));
  TestEngine engine({OpenedRule("api.example")}, Trusting(authority));
  engine.names["api.example"] = {"127.0.0.1"};
  const std::string base = "https://api.example:" + Port(server.port()) + "/";
  const auto result = Curl(engine, *engine.engine->CaCertificatePem(), {base + "a", base + "b", base + "c", base + "d"});
  EXPECT_NE(result.output.find("GET /d HTTP/1.1"), std::string::npos) << result.output;
  EXPECT_EQ(server.accepted(), 1u);
}

}  // namespace
}  // namespace paddock::egress
