#include "policy/network_verdict.h"

#include <gtest/gtest.h>

namespace paddock::policy {
namespace {

using Kind = NetworkVerdict::Kind;

NetworkRule Allow(std::string host, std::vector<PortRange> ports = {}) {
  NetworkRule rule;
  rule.host = std::move(host);
  rule.ports = std::move(ports);
  rule.origin = "allow " + rule.host;
  return rule;
}
NetworkRule Deny(std::string host) {
  NetworkRule rule = Allow(std::move(host));
  rule.verdict = NetworkRule::Verdict::kDeny;
  rule.origin = "deny " + rule.host;
  return rule;
}
std::shared_ptr<const NetworkRuleSet> Rules(std::vector<NetworkRule> list) {
  NetworkRules rules;
  rules.mode = NetworkMode::kRules;
  rules.rules = std::move(list);
  auto set = NetworkRuleSet::Compile(std::move(rules));
  EXPECT_TRUE(set) << set.error().message;
  return *set;
}
Kind Connection(const NetworkRuleSet& rules, std::string_view host, uint16_t port = 443) {
  return rules.Connection(*ParseHost(host), port).kind;
}
bool Request(const NetworkRuleSet& rules, std::string_view host, std::string_view method, std::string_view target) {
  return rules.Request(*ParseHost(host), 443, method, RequestPath::Parse(target)).kind == Kind::kAllow;
}

TEST(NetworkVerdict, NamesMatchWholeAndWildcardsBelow) {
  const auto rules = Rules({Allow("example.org"), Allow("*.wild.example")});
  EXPECT_EQ(Connection(*rules, "EXAMPLE.org."), Kind::kAllow);
  for (const char* host : {"a.example.org", "notexample.org", "example.org.evil.example", "example.or", "wild.example",
                           "notwild.example", "xwild.example"}) {
    EXPECT_EQ(Connection(*rules, host), Kind::kDeny) << host;
  }
  EXPECT_EQ(Connection(*rules, "a.wild.example"), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "a.b.wild.example"), Kind::kAllow);
}

TEST(NetworkVerdict, AddressesNeedARuleThatContainsThem) {
  const auto rules = Rules({Allow("*"), Allow("192.0.2.7"), Allow("10.0.0.0/8"), Allow("2001:db8::/32")});
  EXPECT_EQ(Connection(*rules, "any.example"), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "192.0.2.7"), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "192.0.2.8"), Kind::kDeny);
  EXPECT_EQ(Connection(*rules, "10.9.9.9"), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "[2001:db8:1::5]"), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "[::ffff:10.0.0.1]"), Kind::kDeny);
  EXPECT_TRUE(rules->Connection(*ParseHost("192.0.2.7"), 1).is_named_address);
  EXPECT_FALSE(rules->Connection(*ParseHost("10.9.9.9"), 1).is_named_address);
}

TEST(NetworkVerdict, PortsAreRanges) {
  const auto rules = Rules({Allow("example.org", {{443, 443}, {8000, 8999}})});
  EXPECT_EQ(Connection(*rules, "example.org", 8500), Kind::kAllow);
  EXPECT_EQ(Connection(*rules, "example.org", 80), Kind::kDeny);
  EXPECT_EQ(rules->Connection(*ParseHost("example.org"), 80).reason, "the rules for this host do not allow port 80");
}

TEST(NetworkVerdict, DenyingRulesWin) {
  const auto rules = Rules({Allow("*"), Deny("*.evil.example"), Deny("metadata.example")});
  EXPECT_EQ(Connection(*rules, "a.evil.example"), Kind::kDeny);
  EXPECT_EQ(rules->Connection(*ParseHost("metadata.example"), 80).origin, "deny metadata.example");
  EXPECT_EQ(Connection(*rules, "evil.example"), Kind::kAllow);
  EXPECT_EQ(rules->Name(*ParseHost("a.evil.example")).kind, Kind::kDeny);
  EXPECT_EQ(rules->Name(*ParseHost("a.good.example")).kind, Kind::kAllow);
}

TEST(NetworkVerdict, MethodsAndPathsAskForEachRequest) {
  auto rule = Allow("api.example");
  rule.methods = {"GET", "HEAD"};
  rule.paths = {"/v1", "/public/"};
  const auto rules = Rules({rule});
  EXPECT_EQ(Connection(*rules, "api.example"), Kind::kAskRequest);
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/v1"));
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/v1/x?y=/../"));
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/%761/x"));
  EXPECT_TRUE(Request(*rules, "api.example", "HEAD", "/public/x"));
  EXPECT_FALSE(Request(*rules, "api.example", "POST", "/v1"));
  EXPECT_FALSE(Request(*rules, "other.example", "GET", "/v1"));
  for (const char* target : {"/", "/v2", "/v10", "/V1", "/v1/../v2", "/v1/..", "/v1/./x", "/v1/%2e%2e/v2", "/v1/%2E%2E/v2",
                             "/v1/.%2e/v2", "/v1/..%2fv2",
                             "/v1/..%5cv2", "/v1/..\\v2", "/v1/%252e%252e/v2", "/v1/%25252e%25252e%25252fv2", "/v1/..;x/v2",
                             "/v1/%00", "/v1/%zz", "/v1/%2", "//v1",
                             "/v1%2fx", "*"}) {
    EXPECT_FALSE(Request(*rules, "api.example", "GET", target)) << target;
  }
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/public"));
}

TEST(NetworkVerdict, DenyingPathsHoldInEveryReading) {
  auto rule = Deny("api.example");
  rule.paths = {"/admin"};
  const auto rules = Rules({Allow("api.example"), rule});
  EXPECT_EQ(Connection(*rules, "api.example"), Kind::kAskRequest);
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/administrator"));
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/x"));
  for (const char* target : {"/admin", "/admin/", "/ADMIN", "//admin", "/./admin", "/x/../admin", "/%61dmin", "/%2561dmin",
                             "/admin%2fx", "\\admin", "/admin;x=1/../y", "/x/%2e%2e/admin"}) {
    EXPECT_FALSE(Request(*rules, "api.example", "GET", target)) << target;
  }
}

TEST(NetworkVerdict, SeveralRulesForOneHostAddUp) {
  auto get = Allow("api.example");
  get.methods = {"GET"};
  auto post = Allow("api.example");
  post.methods = {"POST"};
  post.paths = {"/upload"};
  const auto rules = Rules({get, post});
  EXPECT_TRUE(Request(*rules, "api.example", "GET", "/x"));
  EXPECT_TRUE(Request(*rules, "api.example", "POST", "/upload"));
  EXPECT_FALSE(Request(*rules, "api.example", "POST", "/x"));
}

TEST(NetworkVerdict, NoNetworkDeniesAll) {
  NetworkRules none;
  none.rules = {Allow("*")};
  const auto rules = *NetworkRuleSet::Compile(none);
  EXPECT_EQ(Connection(*rules, "a.example"), Kind::kDeny);
  EXPECT_FALSE(Request(*rules, "a.example", "GET", "/"));
  EXPECT_EQ(rules->Name(*ParseHost("a.example")).kind, Kind::kDeny);
  EXPECT_FALSE(rules->HasHostPort(80));
}

TEST(NetworkVerdict, RulesThatCannotBeAreRefused) {
  const auto is_good = [](NetworkRule rule) {
    NetworkRules rules;
    rules.rules = {std::move(rule)};
    return NetworkRuleSet::Compile(std::move(rules)).has_value();
  };
  EXPECT_TRUE(is_good(Allow("*.example.org")));
  for (const char* host : {"", "*.", "a.*.example", "*example.org", "127.1", "10.0.0.1/8", "exa mple", "http://example.org",
                           "example.org:443", "*.10.0.0.1"}) {
    EXPECT_FALSE(is_good(Allow(host))) << host;
  }
  EXPECT_FALSE(is_good(Allow("a.example", {{0, 80}})));
  EXPECT_FALSE(is_good(Allow("a.example", {{443, 80}})));
  auto rule = Allow("a.example");
  rule.methods = {"get"};
  EXPECT_FALSE(is_good(rule));
  rule.methods = {};
  for (const char* path : {"v1", "", "/a/../b", "/a?b", "/a#b"}) {
    rule.paths = {path};
    EXPECT_FALSE(is_good(rule)) << path;
  }
}

}  // namespace
}  // namespace paddock::policy
