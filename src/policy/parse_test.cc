#include "policy/parse.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/preset.h"

namespace paddock::policy {
namespace {

const HostContext kContext = {.home = "/home/ann", .workspace = "/home/ann/work", .user = "ann", .search_path = {}, .variables = {}};

Result<Policy> Toml(std::string text, const DocumentFetcher& fetch = {}) {
  return ParsePolicy({.name = "p.toml", .directory = "/etc/paddock", .format = DocumentFormat::kToml, .text = std::move(text)},
                     kContext, fetch);
}
Result<Policy> Json(std::string text) {
  return ParsePolicy({.name = "p.json", .directory = "/etc/paddock", .format = DocumentFormat::kJson, .text = std::move(text)}, kContext);
}
std::string ErrorOf(const Result<Policy>& result) { return result ? "no error" : std::string(result.error().Text()); }

TEST(Parse, EmptyDocumentGrantsNothingAndProtectsTheDefaultNames) {
  const auto policy = Toml("");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->files.paths.empty());
  EXPECT_EQ(policy->files.protected_names, DefaultProtectedNames());
  EXPECT_EQ(policy->network.mode, NetworkMode::kNone);
  EXPECT_EQ(policy->files.workspace, "/home/ann/work");
}

TEST(Parse, PathsAreExpandedAndKnowTheirLine) {
  const auto policy = Toml("[files]\nread = [\n  \"~/lib\",\n  \"${workspace}/../doc\",\n  \"rules\",\n]\n");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  ASSERT_EQ(policy->files.paths.size(), 3u);
  EXPECT_EQ(policy->files.paths[0].path, "/home/ann/lib");
  EXPECT_EQ(policy->files.paths[0].origin, "p.toml:3");
  EXPECT_EQ(policy->files.paths[1].path, "/home/ann/doc");
  EXPECT_EQ(policy->files.paths[2].path, "/etc/paddock/rules");
}

TEST(Parse, WorkspaceOfTheDocumentHoldsForItsPaths) {
  const auto policy = Toml("files.write = [\"${workspace}/out\"]\nfiles.workspace = \"/srv/tree\"\n");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  EXPECT_EQ(policy->files.paths.at(0).path, "/srv/tree/out");
}

TEST(Parse, JsonAndTomlGiveTheSame) {
  const auto toml = Toml("[network]\nallow = [\"a.org:443\", {host=\"b.org\", methods=[\"get\"], terminate_tls=true}]\n[limits]\nmemory=\"1G\"\n");
  const auto json = Json(R"({"network": {"allow": ["a.org:443", {"host": "b.org", "methods": ["get"], "terminate_tls": true}]},
                             "limits": {"memory": "1G"}})");
  ASSERT_TRUE(toml && json) << ErrorOf(toml) << ErrorOf(json);
  ASSERT_EQ(json->network.rules.size(), 2u);
  EXPECT_EQ(json->network.rules[0].ports, toml->network.rules[0].ports);
  EXPECT_EQ(json->network.rules[1].methods, std::vector<std::string>{"GET"});
  EXPECT_EQ(toml->network.rules[1].methods, std::vector<std::string>{"GET"});
  EXPECT_EQ(json->limits.memory_bytes, 1ull << 30);
  EXPECT_EQ(toml->limits.memory_bytes, 1ull << 30);
}

TEST(Parse, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(ErrorOf(Toml("[network]\nalow = []\n")), "p.toml:2: network.alow: unknown key; did you mean 'allow'?");
  EXPECT_EQ(ErrorOf(Json("{\"kernel\": {\n\"zzzzzz\": true}}")), "p.json:2: kernel.zzzzzz: unknown key; the keys here are ptrace, nested");
}

TEST(Parse, KeyThatStandsTwiceIsAnError) {
  EXPECT_EQ(ErrorOf(Json("{\"kernel\": {\"ptrace\": false,\n \"ptrace\": true}}")),
            "p.json:2: key 'ptrace' stands twice in one table; keep one");
  EXPECT_NE(ErrorOf(Toml("[kernel]\nptrace = false\nptrace = true\n")).find("p.toml:3: not valid TOML"), std::string::npos);
}

TEST(Parse, WrongTypesAndRangesNameTheKey) {
  EXPECT_EQ(ErrorOf(Toml("files.host_view = \"yes\"")), "p.toml:1: files.host_view: must be true or false, not a string");
  EXPECT_EQ(ErrorOf(Toml("limits.time = 30")), "p.toml:1: limits.time: needs a unit; write \"30s\" or \"5m\"");
  EXPECT_EQ(ErrorOf(Toml("limits.memory = 0")), "p.toml:1: limits.memory: must be more than zero; write \"none\" for no limit");
  EXPECT_EQ(ErrorOf(Toml("network.allow = [\"a.org:0\"]")),
            "p.toml:1: network.allow[0]: '0' is not a port; write 443 or \"8000-8999\", from 1 to 65535");
  EXPECT_NE(ErrorOf(Toml("limits.time = 2020-01-01")).find("dates and times have no use"), std::string::npos);
}

TEST(Parse, NetworkRulesWithoutModeTurnTheRulesOn) {
  EXPECT_EQ(Toml("network.allow = [\"a.org\"]")->network.mode, NetworkMode::kRules);
  EXPECT_NE(ErrorOf(Toml("network.mode = \"none\"\nnetwork.allow = [\"a.org\"]")).find("has no effect"), std::string::npos);
}

TEST(Parse, DocumentTakesThePlaceOfTheBasesRuleForThePath) {
  const auto policy = Toml("extends = \"workspace\"\nfiles.read = [\"~/.ssh\"]\nlimits.memory = \"none\"\n");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  int rules = 0;
  for (const PathRule& rule : policy->files.paths) {
    if (rule.path != "/home/ann/.ssh") continue;
    ++rules;
    EXPECT_EQ(rule.access, Access::kRead);
  }
  EXPECT_EQ(rules, 1);
  EXPECT_FALSE(policy->limits.memory_bytes);
  EXPECT_EQ(policy->limits.processes, 1024u);
}

TEST(Parse, ExtendsChainEnds) {
  const DocumentFetcher self = [](const std::string& path) -> Result<DocumentSource> {
    return DocumentSource{.name = path, .directory = "/x", .format = DocumentFormat::kToml, .text = "extends = \"./a.toml\""};
  };
  EXPECT_NE(ErrorOf(Toml("extends = \"./a.toml\"", self)).find("more than 8 documents"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("extends = \"./a.toml\"")).find("only presets"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("extends = \"agnet\"")).find("the presets are read-only, workspace, agent"), std::string::npos);
}

TEST(Parse, SecretsAreBoundToNamedHosts) {
  const auto policy = Toml("[secrets.KEY]\nfrom = \"env:HOST_KEY\"\nheader = [\"X-Api-Key\", \"authorization\"]\nhosts = [\"api.a.org:443\"]\n");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  ASSERT_EQ(policy->secrets.at(0).destinations.size(), 2u);
  EXPECT_EQ(policy->secrets[0].destinations[0].header, "x-api-key");
  EXPECT_EQ(policy->secrets[0].from, "HOST_KEY");
  EXPECT_FALSE(policy->secrets.at(0).destinations.at(0).allow_messages);
  const auto socket = Toml("[secrets.KEY]\nfrom = \"env:K\"\nhosts = [{host = \"a.org\", websocket = true}]");
  ASSERT_TRUE(socket);
  EXPECT_TRUE(socket->secrets.at(0).destinations.at(0).allow_messages);
  EXPECT_NE(ErrorOf(Toml("[secrets.KEY]\nfrom = \"env:K\"\nhosts = [\"*\"]")).find("too wide"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("[secrets.KEY]\nfrom = \"env:K\"\nhosts = [\"*.com\"]")).find("too wide"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("[secrets.KEY]\nfrom = \"hunter2\"\nhosts = [\"a.org\"]")).find("never holds the value"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("[secrets.KEY]\nfrom = \"env:K\"")).find("has no 'hosts'"), std::string::npos);
}

TEST(Parse, SecretFileThatCanBeReadInsideIsRefused) {
  EXPECT_NE(ErrorOf(Toml("[secrets.KEY]\nfrom = \"file:${workspace}/key\"\nhosts = [\"a.org\"]")).find("can be read inside"),
            std::string::npos);
  EXPECT_TRUE(Toml("files.deny = [\"${workspace}/key\"]\n[secrets.KEY]\nfrom = \"file:${workspace}/key\"\nhosts = [\"a.org\"]"));
}

TEST(Parse, NestingIsBoundedBeforeTheParsersRecurse) {
  EXPECT_NE(ErrorOf(Toml("a = " + std::string(100'000, '['))).find("nested more than 32 deep"), std::string::npos);
  EXPECT_NE(ErrorOf(Json("{\"a\": " + std::string(100'000, '['))).find("nested more than 32 deep"), std::string::npos);
  std::string dots = "a";
  for (int i = 0; i < 10'000; ++i) dots += ".a";
  EXPECT_NE(ErrorOf(Toml(dots + " = 1")).find("more than 32 parts"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("[" + dots + "]")).find("more than 32 parts"), std::string::npos);
  EXPECT_TRUE(Toml("description = \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .\""));
}

TEST(Parse, WhatMakesTomlPlusPlusAssertIsAnError) {
  for (const char* text : {"[^x]", "[[^x]]", "[ ^", "[a.^]", "a.^ = 1", "[#]", "[=]", "[\n]", "[,]", "a = [8\xd0\xa2]", "\xc3\xa9 = 1", "a = \x01"}) {
    EXPECT_NE(ErrorOf(Toml(text)).find("not valid TOML"), std::string::npos) << text;
  }
}

TEST(Parse, WritableRootIsRefused) {
  EXPECT_NE(ErrorOf(Toml("files.write = [\"/\"]")).find("whole host writable"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("files.workspace = \"/\"")).find("whole host"), std::string::npos);
}

TEST(Parse, ProtectAndUnprotectChangeTheNames) {
  const auto policy = Toml("files.protect = [\".secretrc\"]\nfiles.unprotect = [\".vscode\"]");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  const auto& names = policy->files.protected_names;
  EXPECT_EQ(std::count(names.begin(), names.end(), ".secretrc"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), ".vscode"), 0);
  EXPECT_NE(ErrorOf(Toml("files.unprotect = [\".nothing\"]")).find("is not protected"), std::string::npos);
  EXPECT_NE(ErrorOf(Toml("files.protect = [\"../x\"]")).find("must be a name"), std::string::npos);
}

TEST(Parse, PublishedPorts) {
  const auto policy = Toml("network.publish = [3000, \"8080:80\", \":5000\"]");
  ASSERT_TRUE(policy) << ErrorOf(policy);
  EXPECT_EQ(policy->network.publish[0].host, 3000);
  EXPECT_EQ(policy->network.publish[1].host, 8080);
  EXPECT_EQ(policy->network.publish[1].guest, 80);
  EXPECT_EQ(policy->network.publish[2].host, 0);
  for (const char* bad : {"0", "1-2", "\"80:\"", "\"1:2:3\"", "\"70000\"", "\"a:80\"", "\"80:1-2\""}) {
    EXPECT_NE(ErrorOf(Toml("network.publish = [" + std::string(bad) + "]")), "") << bad;
  }
}

}  // namespace
}  // namespace paddock::policy
