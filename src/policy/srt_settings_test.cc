#include "policy/srt_settings.h"

#include <gtest/gtest.h>

namespace paddock::policy {
namespace {

constexpr const char* kNetwork = R"("network": {"allowedDomains": [], "deniedDomains": []})";
constexpr const char* kFiles = R"("filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []})";

// The error of settings with the two sections that must be there and `more`; empty if there is none.
std::string ErrorOf(const std::string& more) {
  const auto settings = ParseSrtSettings("{" + std::string(kNetwork) + ", " + kFiles + (more.empty() ? "" : ", " + more) + "}");
  return settings ? "" : std::string(settings.error().Text());
}
std::string NetworkError(const std::string& members) {
  const auto settings = ParseSrtSettings(R"({"network": {)" + members + "}, " + kFiles + "}");
  return settings ? "" : std::string(settings.error().Text());
}
std::string FilesError(const std::string& members) {
  const auto settings = ParseSrtSettings("{" + std::string(kNetwork) + R"(, "filesystem": {)" + members + "}}");
  return settings ? "" : std::string(settings.error().Text());
}
bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(SrtSettings, ListsAreReadAsWritten) {
  const auto settings = ParseSrtSettings(R"({
    "network": {"allowedDomains": ["example.org", "*.example.org:443"], "deniedDomains": ["*:22"],
                "deniedDomainReasons": {"*:22": "use https"}, "deniedResolvedAddresses": ["10.0.0.0/8"]},
    "filesystem": {"denyRead": ["~/.ssh"], "allowRead": ["."], "allowWrite": ["src"], "denyWrite": [".env"], "allowGitConfig": true}})");
  ASSERT_TRUE(settings) << settings.error().Text();
  EXPECT_EQ(settings->allowed_domains, (std::vector<std::string>{"example.org", "*.example.org:443"}));
  EXPECT_EQ(settings->denied_domains, std::vector<std::string>{"*:22"});
  ASSERT_EQ(settings->denied_reasons.size(), 1u);
  EXPECT_EQ(settings->denied_reasons[0].second, "use https");
  EXPECT_EQ(settings->denied_addresses, std::vector<std::string>{"10.0.0.0/8"});
  EXPECT_EQ(settings->deny_read, std::vector<std::string>{"~/.ssh"});
  EXPECT_EQ(settings->allow_read, std::vector<std::string>{"."});
  EXPECT_EQ(settings->allow_write, std::vector<std::string>{"src"});
  EXPECT_EQ(settings->deny_write, std::vector<std::string>{".env"});
  EXPECT_TRUE(settings->allow_git_config);
  EXPECT_TRUE(settings->without_effect.empty());
}

TEST(SrtSettings, MissingSectionsAreToldTogether) {
  const auto settings = ParseSrtSettings("{}");
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().Text(), "does not hold a valid config: network: required; filesystem: required");
}

TEST(SrtSettings, MissingListsAreToldTogether) {
  const std::string error = FilesError(R"("denyRead": [1])");
  EXPECT_TRUE(Has(error, "filesystem.denyRead.0: expected string, received number")) << error;
  EXPECT_TRUE(Has(error, "filesystem.allowWrite: required")) << error;
  EXPECT_TRUE(Has(error, "filesystem.denyWrite: required")) << error;
}

TEST(SrtSettings, TextThatIsNoJsonIsSaidToBeNone) {
  for (const char* text : {"x", "{\"network\": }", "{} {}"}) {
    const auto settings = ParseSrtSettings(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_TRUE(settings.error().Text().starts_with("is not valid JSON")) << settings.error().Text();
  }
}

TEST(SrtSettings, MisspeltFieldIsAnError) {
  EXPECT_TRUE(Has(ErrorOf(R"("filesytem": {})"), "filesytem: is no field"));
  EXPECT_TRUE(Has(FilesError(R"("denyread": ["a"], "denyRead": [], "allowWrite": [], "denyWrite": [])"), "filesystem.denyread: is no field"));
}

TEST(SrtSettings, FieldThatStandsTwiceIsAnError) { EXPECT_NE(ErrorOf(kFiles), ""); }

TEST(SrtSettings, DomainsAreNamesAddressesAndWildcardsOfTwoLabels) {
  for (const char* good : {"example.org", "localhost", "localhost:3000", "*.example.org", "*.example.org:443", "192.0.2.1", "[::1]:80", "a_b.org"}) {
    EXPECT_EQ(NetworkError(R"("allowedDomains": [")" + std::string(good) + R"("], "deniedDomains": [])"), "") << good;
  }
  for (const char* bad : {"*", "*.org", "org", "http://a.org", "a.org/x", "a.org:0", "a.org:99999", "a.org:1,2", "a.org:1-2", "::1", "a..org", "a.org.",
                          "10.0.0.0/8", "ex ample.org", "127.1", "0x7f.1", ""}) {
    EXPECT_NE(NetworkError(R"("allowedDomains": [")" + std::string(bad) + R"("], "deniedDomains": [])"), "") << bad;
  }
}

TEST(SrtSettings, StarDeniesButDoesNotAllow) {
  EXPECT_EQ(NetworkError(R"("allowedDomains": [], "deniedDomains": ["*", "*:22"])"), "");
  EXPECT_NE(NetworkError(R"("allowedDomains": ["*:22"], "deniedDomains": [])"), "");
}

TEST(SrtSettings, EmptyPathsAndEndlessPatternsAreErrors) {
  EXPECT_TRUE(Has(FilesError(R"("denyRead": [], "allowWrite": [""], "denyWrite": [])"), "filesystem.allowWrite.0: path cannot be empty"));
  EXPECT_TRUE(Has(FilesError(R"("denyRead": ["a/*/"], "allowWrite": [], "denyWrite": [])"), "filesystem.denyRead.0"));
  EXPECT_EQ(FilesError(R"("denyRead": ["a/"], "allowWrite": ["b/"], "denyWrite": [])"), "");
}

TEST(SrtSettings, WhatCannotBeDoneIsRefusedByName) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("enableWeakerNestedSandbox": true)", "enableWeakerNestedSandbox"},
      {R"("credentials": {"awsPairs": [{"accessKeyIdVar": "A", "secretAccessKeyVar": "B"}]})", "credentials.awsPairs"},
      {R"("credentials": {"sigv4": {"streaming": "deny"}})", "credentials.sigv4"},
      {R"("credentials": {"files": [{"path": "~/.npmrc", "mode": "mask"}]})", "credentials.files.0.mode"},
      {R"("credentials": {"envVars": [{"name": "T", "mode": "deny", "decode": "jwt"}]})", "credentials.envVars.0.decode"},
  };
  for (const auto& [text, field] : cases) {
    const auto settings = ParseSrtSettings("{" + std::string(kNetwork) + ", " + kFiles + ", " + text + "}");
    ASSERT_FALSE(settings) << text;
    EXPECT_EQ(settings.error().code, Code::kNotSupported) << text;
    EXPECT_TRUE(Has(std::string(settings.error().Text()), field)) << settings.error().Text();
  }
  const std::string lists = R"("allowedDomains": [], "deniedDomains": [], )";
  for (const char* text : {R"("httpProxyPort": 8080)", R"("socksProxyPort": 1080)", R"("allowAllUnixSockets": true)",
                           R"("mitmProxy": {"socketPath": "/s", "domains": []})", R"("tlsTerminate": {"caCertPath": "/c"})",
                           R"("tlsTerminate": {"extraCaCertPaths": ["/c"]})"}) {
    EXPECT_TRUE(Has(NetworkError(lists + text), "asks for what Paddock does not do")) << text;
  }
}

TEST(SrtSettings, OtherSystemsFieldsAreNotedNotRefused) {
  const auto settings = ParseSrtSettings("{" + std::string(kNetwork) + ", " + kFiles + R"(, "allowPty": true, "allowAppleEvents": true,
      "mandatoryDenySearchDepth": 5, "bwrapPath": "/usr/bin/bwrap", "ripgrep": {"command": "rg"}, "windows": {"sandboxUser": "x"}})");
  ASSERT_TRUE(settings) << settings.error().Text();
  EXPECT_EQ(settings->without_effect.size(), 6u);
}

TEST(SrtSettings, ForeignFieldsAreStillChecked) {
  EXPECT_NE(ErrorOf(R"("allowPty": 1)"), "");
  EXPECT_NE(ErrorOf(R"("mandatoryDenySearchDepth": 11)"), "");
  EXPECT_NE(ErrorOf(R"("socatPath": "socat")"), "");
  EXPECT_NE(ErrorOf(R"("ripgrep": {})"), "");
}

TEST(SrtSettings, MaskingNeedsTlsOrTheWordForPlaintext) {
  const std::string masked = R"("envVars": [{"name": "TOKEN", "mode": "mask"}])";
  EXPECT_TRUE(Has(ErrorOf(R"("credentials": {)" + masked + "}"), "needs network.tlsTerminate"));
  EXPECT_EQ(ErrorOf(R"("credentials": {"allowPlaintextInject": true, )" + masked + "}"), "");
}

TEST(SrtSettings, KeyThatSignsCannotBeMasked) {
  EXPECT_TRUE(Has(ErrorOf(R"("credentials": {"allowPlaintextInject": true, "envVars": [{"name": "AWS_SECRET_ACCESS_KEY", "mode": "mask"}]})"), "signs requests"));
}

TEST(SrtSettings, ManyProblemsAreCountedNotListed) {
  std::string many;
  for (int i = 0; i < 50; ++i) many += (i == 0 ? "\"x" : ", \"x") + std::to_string(i) + "\": 1";
  EXPECT_TRUE(Has(ErrorOf(many), "; and 30 more"));
}

}  // namespace
}  // namespace paddock::policy
