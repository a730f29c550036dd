// Commands that an embedding program brings along, as code in a sandbox sees them.

#include "proc/custom_command.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "commands/table.h"
#include "drivers/virtual/virtual_driver.h"
#include "sandbox/brings_commands.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct GreetOptions {
  bool loudly = false;
  int64_t times = 1;
};
constexpr Option kGreetOptions[] = {
    Flag<&GreetOptions::loudly>('l', "loudly", "in capitals"),
    Value<&GreetOptions::times>('n', "times", "NUMBER", "that often"),
};

ExitStatus Greet(Invocation& in, const GreetOptions& options, const std::vector<std::string>& operands) {
  for (int64_t i = 0; i < options.times; ++i) {
    in.budget.Step();
    in.out.WriteLine((options.loudly ? "HELLO " : "hello ") + (operands.empty() ? "world" : operands[0]));
  }
  return 0;
}

ExitStatus Number(Invocation& in, const std::vector<std::string>& words) {
  if (words.empty()) return in.Usage("missing operand");
  if (words[0] == "throw") throw std::runtime_error("no such luck");
  if (words[0] == "hoard") {
    std::string hoard;
    while (true) hoard.append(1 << 20, 'x');
  }
  uint64_t number = 0;
  while (const auto line = in.in.ReadLine()) in.out.WriteLine(words[0] + std::to_string(++number) + " " + std::string(line->text));
  return static_cast<ExitStatus>(number);
}

class CustomCommandTest : public testing::Test {
 protected:
  CustomCommandTest() {
    Add(CustomCommand::Make<GreetOptions>({.name = "greet", .aliases = {"hail"}, .summary = "say hello", .synopsis = "[OPTION]... [WHO]"}, kGreetOptions, Greet));
    Add(CustomCommand::Make({.name = "number", .summary = "number lines", .synopsis = "PREFIX"}, Number));
    Add(CustomCommand::Make({.name = "tac", .summary = "not the usual one"}, [](Invocation& in, const auto&) {
      in.out.WriteLine("mine");
      return 0;
    }));
    std::vector<const Command*> commands(AllCommands().begin(), AllCommands().end());
    for (const CustomCommand& one : own_) commands.push_back(&one.command());
    commands_ = std::move(commands);
    driver_ = sandbox::MakeVirtualDriver(commands_);
  }
  void Add(Result<CustomCommand> made) {
    ASSERT_TRUE(made.has_value()) << made.error().Text();
    own_.push_back(std::move(*made));
  }
  sandbox::ExecResult Run(const std::string& script, const Limits& limits = {}) {
    auto box = driver_->Create({});
    sandbox::ExecSpec spec{.script = script};
    spec.environment.Set("PATH", "/usr/bin");
    spec.limits = limits;
    return (*(*box)->Start(std::move(spec), {}, nullptr))->Wait();
  }

  std::vector<CustomCommand> own_;
  std::vector<const Command*> commands_;
  std::unique_ptr<sandbox::Driver> driver_;
};

TEST_F(CustomCommandTest, RunsInScriptsPipesAndByItsPath) {
  EXPECT_EQ(Run("greet; hail -ln2 you | number '#'; echo $?; /usr/bin/greet a; type greet; find /usr/bin -name hail").stdout_text,
            "hello world\n#1 HELLO you\n#2 HELLO you\n2\nhello a\ngreet is hashed (/usr/bin/greet)\n/usr/bin/hail\n");
}

TEST_F(CustomCommandTest, OptionsAreThoseOfItsTable) {
  EXPECT_EQ(Run("greet --lou --times=1 x; greet -x; echo $?").stdout_text, "HELLO x\n1\n");
  EXPECT_EQ(Run("greet -x").stderr_text, "greet: invalid option -- 'x'\nTry 'greet --help' for more information.\n");
  EXPECT_TRUE(Run("greet --help").stdout_text.starts_with("Usage: greet [OPTION]... [WHO]\nSay hello.\n\n  -l, --loudly"));
  EXPECT_TRUE(Run("number --help").stdout_text.starts_with("Usage: number PREFIX\nNumber lines.\n"));
  EXPECT_EQ(Run("number; echo $?").stderr_text, "number: missing operand\nTry 'number --help' for more information.\n");
}

TEST_F(CustomCommandTest, ReplacesACommandOfItsName) { EXPECT_EQ(Run("echo a | tac").stdout_text, "mine\n"); }

TEST_F(CustomCommandTest, WhatItThrowsIsAMessage) {
  const auto result = Run("number throw; echo $?");
  EXPECT_EQ(result.stdout_text, "1\n");
  EXPECT_EQ(result.stderr_text, "number: internal error: no such luck\n");
}

TEST_F(CustomCommandTest, LimitsHoldInsideIt) {
  Limits limits;
  limits.steps = 1000;
  EXPECT_EQ(Run("greet -n 1000000000 >/dev/null", limits).termination.limit, "steps");
  limits = {};
  limits.memory_bytes = 32 << 20;
  EXPECT_EQ(Run("number hoard", limits).termination.reason, sandbox::Termination::Reason::kOom);
}

TEST_F(CustomCommandTest, SeveralSandboxesCallItAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) good += Run("greet -n 100 | wc -l").stdout_text == "100\n";
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

TEST_F(CustomCommandTest, IsListedOnceWithTheOthers) {
  int greet = 0, tac = 0;
  for (const sandbox::CommandFacts& facts : dynamic_cast<sandbox::BringsCommands&>(*driver_).Commands()) {
    greet += facts.name == "greet" && facts.options.size() == 2 && facts.aliases == std::vector<std::string>{"hail"};
    tac += facts.name == "tac";
  }
  EXPECT_EQ(greet, 1);
  EXPECT_EQ(tac, 1);
}

TEST_F(CustomCommandTest, NamesThatCannotBeAreRefused) {
  for (const char* name : {"", "a/b", "..", "two words", "line\n"}) {
    const auto made = CustomCommand::Make({.name = name, .summary = "x"}, Number);
    ASSERT_FALSE(made.has_value()) << name;
    EXPECT_EQ(made.error().code, Code::kInvalid);
  }
  EXPECT_FALSE(CustomCommand::Make({.name = "fine", .aliases = {"not/fine"}, .summary = "x"}, Number).has_value());
}

}  // namespace
}  // namespace paddock
