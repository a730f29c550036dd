#include "sandbox/warm_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace paddock::sandbox {
namespace {

std::atomic<int> made{0}, alive{0};

class CountedSandbox final : public Sandbox {
 public:
  CountedSandbox() : id_(std::to_string(++made)) { ++alive; }
  ~CountedSandbox() override { --alive; }
  const std::string& id() const override { return id_; }
  Result<std::unique_ptr<Process>> Start(ExecSpec, StdinSource, OutputHandler) override { return Error(Code::kInvalid, "no process here"); }

 private:
  std::string id_;
};

class CountingDriver final : public Driver {
 public:
  explicit CountingDriver(bool fails) : fails_(fails) {}
  const char* name() const override { return "counting"; }
  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec&) override {
    if (fails_) return Error(Code::kUnavailable, "no walls today");
    return std::unique_ptr<Sandbox>(std::make_unique<CountedSandbox>());
  }

 private:
  bool fails_;
};

SandboxSpec NamedSpec(const std::string& hostname) {
  SandboxSpec spec;
  spec.hostname = hostname;
  return spec;
}

TEST(WarmPool, ClaimTakesOneThatWasReadyAndNeverTwice) {
  WarmPool pool(std::make_unique<CountingDriver>(false), 2);
  ASSERT_TRUE(pool.Prepare(NamedSpec("a")));
  const int ready = made;
  auto one = pool.Create(NamedSpec("a"));
  auto two = pool.Create(NamedSpec("a"));
  ASSERT_TRUE(one && two);
  EXPECT_NE((*one)->id(), (*two)->id());
  EXPECT_LE(std::stoi((*one)->id()), ready);
  EXPECT_LE(std::stoi((*two)->id()), ready);
}

TEST(WarmPool, SpecsDoNotMix) {
  WarmPool pool(std::make_unique<CountingDriver>(false), 1);
  ASSERT_TRUE(pool.Prepare(NamedSpec("a")));
  const int ready = made;
  auto other = pool.Create(NamedSpec("b"));
  ASSERT_TRUE(other);
  EXPECT_GT(std::stoi((*other)->id()), ready);
}

TEST(WarmPool, DestroysWhatNobodyClaims) {
  const int before = alive;
  {
    WarmPool pool(std::make_unique<CountingDriver>(false), 3);
    ASSERT_TRUE(pool.Prepare(NamedSpec("a")));
    EXPECT_GE(alive, before + 3);
  }
  EXPECT_EQ(alive, before);
}

TEST(WarmPool, KeepsOnlyTheSpecsUsedLast) {
  const int before = alive;
  WarmPool pool(std::make_unique<CountingDriver>(false), 1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool.Prepare(NamedSpec(std::to_string(i))));
  EXPECT_LE(alive, before + static_cast<int>(WarmPool::kMostSpecs) + 1);
}

TEST(WarmPool, SaysWhyNoneCanBeMade) {
  WarmPool pool(std::make_unique<CountingDriver>(true), 1);
  const Status prepared = pool.Prepare(NamedSpec("a"));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().Text(), "no walls today");
  EXPECT_FALSE(pool.Create(NamedSpec("a")));
}

TEST(WarmPool, WhatTheHostMayChangeIsNotMadeAhead) {
  SandboxSpec spec;
  EXPECT_TRUE(WarmPool::CanBeMadeAhead(spec));
  spec.policy.emplace();
  EXPECT_TRUE(WarmPool::CanBeMadeAhead(spec));
  spec.policy->files.workspace = "/work";
  EXPECT_FALSE(WarmPool::CanBeMadeAhead(spec));
}

}  // namespace
}  // namespace paddock::sandbox
