#include "tools/capability/capability.h"

#include <gtest/gtest.h>

#include "tools/capability/harness.h"
#include "tools/offer/offer.h"
#include "tools/schema/parse_json.h"

namespace paddock::tools {
namespace {

const Deployment kVirtualOnly{.isolations = {"virtual", "process"}, .features = {}};

std::vector<Attachment> Attach(std::string_view list) { return ParseAttachments(ParseJson(list).value(), "capabilities").value(); }

Result<Equipment> ResolveLevels(const std::vector<Level>& levels, const Deployment& deployment = kVirtualOnly) {
  static const Catalog catalog = BuiltInCapabilities();
  return Resolve(catalog, deployment, levels);
}

std::string ErrorOf(std::string_view list, const Deployment& deployment = kVirtualOnly) {
  const auto resolved = ResolveLevels({{"session", Attach(list), ""}}, deployment);
  return resolved ? "" : resolved.error().message;
}

TEST(Capabilities, DependenciesComeFirstAndAreSaid) {
  const auto resolved = ResolveLevels({{"agent a", Attach(R"(["virtual_bash"])"), "Be brief."}});
  ASSERT_TRUE(resolved) << resolved.error().message;
  ASSERT_EQ(resolved->capabilities.size(), 2u);
  EXPECT_EQ(resolved->capabilities[0].capability->id, "session_storage");
  EXPECT_EQ(resolved->capabilities[0].attached_by, "dependency of bashkit_shell");
  EXPECT_EQ(resolved->capabilities[1].capability->id, "bashkit_shell") << "the alias is the same capability";
  EXPECT_EQ(resolved->risk, RiskLevel::kHigh);
  EXPECT_EQ(resolved->features, (std::vector<std::string>{"file_system", "key_value"}));
  EXPECT_NE(resolved->FindTool("bash"), nullptr);
  EXPECT_NE(resolved->FindTool("kv_store"), nullptr);
  const std::string& prompt = resolved->system_prompt;
  EXPECT_LT(prompt.find("<capability id=\"session_storage\">"), prompt.find("<capability id=\"bashkit_shell\">"));
  EXPECT_TRUE(prompt.ends_with("</capability>\n\nBe brief.\n"));
  EXPECT_EQ(prompt.find("Lists the sandboxes"), std::string::npos) << "prompts do not repeat tools";
}

TEST(Capabilities, TheNearerLevelOverridesKeyByKey) {
  const auto resolved = ResolveLevels({{"harness h", Attach(R"([{"ref": "sandbox", "config": {"memory_limit": "64m", "pids_limit": 9, "network_mode": "none"}}, "session_storage"])"), "H"},
                                       {"agent a", Attach(R"([{"ref": "sandbox", "config": {"memory_limit": "32m"}}])"), "A"},
                                       {"session", Attach(R"([{"ref": "sandbox", "config": {"pids_limit": null}}])"), "S"}});
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->defaults.create.limits.memory_bytes, 32u << 20);
  EXPECT_FALSE(resolved->defaults.create.limits.processes) << "null takes a key away";
  EXPECT_EQ(resolved->defaults.create.network, NetworkReach::kNone);
  EXPECT_TRUE(resolved->system_prompt.ends_with("H\n\nA\n\nS\n"));
}

TEST(Capabilities, TheSameAgentRunsElsewhereByOneEntry) {
  const Level agent{"agent a", Attach(R"(["sandbox"])"), ""};
  for (const char* isolation : {"virtual", "process"}) {
    const auto resolved = ResolveLevels({agent, {"session", Attach(R"([{"ref": "sandbox", "config": {"isolation": ")" + std::string(isolation) + R"("}}])"), ""}});
    ASSERT_TRUE(resolved) << resolved.error().message;
    EXPECT_EQ(resolved->defaults.create.isolation, isolation);
    EXPECT_EQ(resolved->tools.size(), 27u) << "with the same tools";
  }
}

TEST(Capabilities, HintsFollowTheNetwork) {
  const auto closed = ResolveLevels({{"session", Attach(R"(["sandbox"])"), ""}});
  const auto open = ResolveLevels({{"session", Attach(R"([{"ref": "sandbox", "config": {"isolation": "process", "network_mode": "egress"}}])"), ""}});
  EXPECT_FALSE(EffectiveHints(kSandboxExec, closed->rules).is_open_world);
  EXPECT_TRUE(EffectiveHints(kSandboxExec, open->rules).is_open_world);
  EXPECT_FALSE(EffectiveHints(kSandboxReadFile, open->rules).is_open_world);
}

TEST(Capabilities, AllowedHostsAreCheckedAndOpenTheWorld) {
  const auto with = [](const char* config) { return ResolveLevels({{"session", Attach(R"([{"ref": "sandbox", "config": )" + std::string(config) + "}]"), ""}}); };
  const auto open = with(R"({"isolation": "process", "network_allow": ["pypi.org:443", "*.example.org"]})");
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(open->defaults.create.allowed_hosts, (std::vector<std::string>{"pypi.org:443", "*.example.org"}));
  EXPECT_TRUE(EffectiveHints(kSandboxExec, open->rules).is_open_world);
  EXPECT_TRUE(EffectiveHints(kSandboxExec, with(R"({"network_allow": ["a.org"]})")->rules).is_open_world) << "the virtual isolation too";
  for (const char* closed : {R"({"isolation": "process"})", R"({"isolation": "process", "network_allow": ["a.org"], "network_mode": "none"})", R"({"network_allow": ["a.org"], "network_mode": "none"})"}) {
    EXPECT_FALSE(EffectiveHints(kSandboxExec, with(closed)->rules).is_open_world) << closed;
  }
  for (const char* bad : {R"(["http://a.org"])", R"(["127.1"])", R"(["a..b"])", R"([""])", R"(["a.org:0"])", R"(["a.org:70000"])", R"(["*.*"])", R"(["a\nb"])", R"("a.org")", R"([5])"}) {
    const auto refused = with((R"({"network_allow": )" + std::string(bad) + "}").c_str());
    ASSERT_FALSE(refused) << bad;
    EXPECT_NE(refused.error().Text().find("network_allow"), std::string_view::npos) << refused.error().Text();
  }
}

TEST(Capabilities, WhatIsWrongIsNamedWithItsLevel) {
  EXPECT_EQ(ErrorOf(R"(["sandbx"])"), "session: unknown capability 'sandbx'; did you mean 'sandbox'?");
  EXPECT_TRUE(ErrorOf(R"(["mcp:0193"])").starts_with("session: unknown capability 'mcp:0193'; references of this kind"));
  EXPECT_EQ(ErrorOf(R"([{"ref": "sandbox", "config": {"memory": "2g"}}])"), "session: capability 'sandbox': config: unknown argument 'memory'; did you mean 'memory_limit'?");
  EXPECT_EQ(ErrorOf(R"([{"ref": "sandbox", "config": {"pids_limit": 0}}])"), "session: capability 'sandbox': config: pids_limit: must be from 1 to 1048576, not 0");
  EXPECT_TRUE(ErrorOf(R"([{"ref": "session_storage", "config": {"x": 1}}])").find("unknown argument 'x'; there are none") != std::string::npos);
  EXPECT_EQ(ErrorOf(R"(["sandbox", "sandbox"])"), "session: capability 'sandbox' stands twice in the list; keep one");
  EXPECT_EQ(ErrorOf(R"([{"ref": "sandbox", "config": {"isolation": "vm"}}])"),
            "session: capability 'sandbox' is not available: there is no isolation 'vm' here; there are process, virtual");
}

TEST(Capabilities, ContainersNeedTheFlagAndADriver) {
  EXPECT_TRUE(ErrorOf(R"(["container_sandbox"])").find("set FEATURE_CONTAINER_SANDBOX=true") != std::string::npos);
  EXPECT_TRUE(ErrorOf(R"(["container_sandbox"])", {.isolations = {"virtual"}, .features = {"container_sandbox"}}).find("paddock serve") != std::string::npos);
  const Deployment deployment{.isolations = {"virtual", "container"}, .features = {"container_sandbox"}};
  const auto resolved = ResolveLevels({{"session", Attach(R"(["container_sandbox"])"), ""}}, deployment);
  ASSERT_TRUE(resolved) << resolved.error().message;
  const CreateRequest& create = resolved->defaults.create;
  EXPECT_EQ(create.isolation, "container");
  EXPECT_FALSE(create.image || create.runtime || create.auto_stop || create.limits.memory_bytes) << "the daemon's own choice";
  const auto chosen = ResolveLevels({{"harness", Attach(R"([{"ref": "container_sandbox", "config": {"image": "debian:12", "memory_limit": "1g"}}])"), ""},
                                     {"session", Attach(R"([{"ref": "container_sandbox", "config": {"image": "alpine:3"}}])"), ""}}, deployment);
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->defaults.create.image, "alpine:3") << "the nearest level wins";
  EXPECT_EQ(chosen->defaults.create.limits.memory_bytes, 1u << 30);
  EXPECT_TRUE(ErrorOf(R"(["container_sandbox", "sandbox"])", deployment).find("both make sandboxes") != std::string::npos);
}

TEST(Capabilities, FlagsAreReadAsDocumented) {
  const auto features = [](std::map<std::string, std::string> variables) {
    return FeaturesOf([&](const char* name) { return variables.contains(name) ? variables[name].c_str() : nullptr; });
  };
  EXPECT_TRUE(features({{"FEATURE_CONTAINER_SANDBOX", "true"}})->contains("container_sandbox"));
  EXPECT_TRUE(features({{"FEATURE_DOCKER_CAPABILITY", "1"}})->contains("container_sandbox"));
  EXPECT_TRUE(features({{"FEATURE_CONTAINER_SANDBOX", "false"}, {"FEATURE_DOCKER_CAPABILITY", "true"}})->empty()) << "the new name wins";
  EXPECT_FALSE(features({{"FEATURE_CONTAINER_SANDBOX", "perhaps"}}));
  EXPECT_TRUE(features({})->empty());
}

Capability Made(std::string id, std::vector<std::string> dependencies) { return {.id = std::move(id), .dependencies = std::move(dependencies)}; }

TEST(Capabilities, CirclesAndTooManyAreErrorsAndUnknownDependenciesAreNot) {
  Catalog catalog;
  ASSERT_TRUE(catalog.Add(Made("a", {"b"})));
  ASSERT_TRUE(catalog.Add(Made("b", {"c", "nowhere"})));
  ASSERT_TRUE(catalog.Add(Made("c", {"a"})));
  const auto circle = Resolve(catalog, {}, {{"session", {{"a", {}}}, ""}});
  ASSERT_FALSE(circle);
  EXPECT_EQ(circle.error().message, "capabilities depend on each other in a circle: a → b → c → a");
  Catalog chain;
  for (int i = 0; i < 120; ++i) ASSERT_TRUE(chain.Add(Made("c" + std::to_string(i), {"c" + std::to_string(i + 1)})));
  EXPECT_FALSE(Resolve(chain, {}, {{"session", {{"c0", {}}}, ""}}));
  const auto hundred = Resolve(chain, {}, {{"session", {{"c20", {}}}, ""}});
  ASSERT_TRUE(hundred) << "an unknown id at the end of a chain is passed over";
  EXPECT_EQ(hundred->capabilities.front().capability->id, "c119");
  EXPECT_FALSE(chain.Add(Made("c1", {})));
  EXPECT_FALSE(chain.Add(Made("Bad Id", {})));
}

TEST(Harnesses, InheritAndKeepTheirOrder) {
  HarnessSet harnesses;
  harnesses.Set(ParseHarness(ParseJson(R"({"id": "mine", "parent": "generic", "prompt": "P", "capabilities": [{"ref": "sandbox", "config": {"pids_limit": 5}}]})").value()).value());
  const AgentDocument agent = ParseAgent(ParseJson(R"({"id": "a1", "harness": "mine", "prompt": "Q", "capabilities": ["bashkit_shell"]})").value()).value();
  const auto levels = harnesses.LevelsOf(agent, {"session", {}, ""});
  ASSERT_TRUE(levels);
  ASSERT_EQ(levels->size(), 4u);
  EXPECT_EQ((*levels)[0].name, "harness generic");
  EXPECT_EQ((*levels)[1].name, "harness mine");
  EXPECT_EQ((*levels)[2].name, "agent a1");
  const auto resolved = ResolveLevels(*levels);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->defaults.create.limits.processes, 5u);
  EXPECT_TRUE(resolved->system_prompt.ends_with("P\n\nQ\n"));
  EXPECT_EQ(json::serialize(WriteAgent(agent)), R"({"id":"a1","name":"","description":"","harness":"mine","prompt":"Q","capabilities":[{"ref":"bashkit_shell","config":{}}]})");
}

TEST(Harnesses, MistakesAreNamed) {
  HarnessSet harnesses;
  harnesses.Set({.id = "x", .parent = "y"});
  harnesses.Set({.id = "y", .parent = "x"});
  EXPECT_FALSE(harnesses.LevelsOf({.id = "a", .harness = "x"}, {}));
  const auto absent = harnesses.LevelsOf({.id = "a", .harness = "nowhere"}, {});
  EXPECT_EQ(absent.error().message, "agent a: there is no harness 'nowhere'");
  EXPECT_EQ(ParseAgent(ParseJson(R"({"id": "a", "capabilitys": []})").value()).error().message, "unknown argument 'capabilitys'; did you mean 'capabilities'?");
  EXPECT_EQ(ParseAgent(ParseJson(R"({"id": "a", "capabilities": [{"ref": "x", "conf": {}}]})").value()).error().message, "capabilities[0]: unknown key 'conf'; the keys are ref, config");
  const auto container = harnesses.LevelsOf({.id = "a", .harness = "coding-container"}, {"session", {}, ""});
  ASSERT_TRUE(container);
  EXPECT_TRUE(ResolveLevels(*container).error().message.starts_with("harness coding-container: capability 'container_sandbox' is not available"));
}

}  // namespace
}  // namespace paddock::tools
