// A client and a real agent: programs with a terminal.
#include <gtest/gtest.h>

#include <csignal>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

class Terminal : public testing::Test {
 protected:
  std::unique_ptr<GuestProcess> Start(std::string script) {
    ExecRequest request;
    request.arguments = {"sh", "-c", std::move(script)};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    request.terminal = TerminalSize{33, 111};
    request.has_input = true;
    auto process = client->Start(request);
    EXPECT_TRUE(process) << (process ? "" : process.error().Text());
    return process ? std::move(*process) : nullptr;
  }
  // Reads until `text` has been seen.
  static std::string ReadUntil(GuestProcess& process, std::string_view text) {
    std::string seen;
    char buffer[1024];
    while (seen.find(text) == std::string::npos) {
      const auto count = process.Read(Channel::kOut, buffer, In(seconds(10)));
      if (!count || *count == 0) break;
      seen.append(buffer, *count);
    }
    EXPECT_NE(seen.find(text), std::string::npos) << seen;
    return seen;
  }

  AgentForTest agent;
  std::unique_ptr<Client> client = agent.Connect();
};

TEST_F(Terminal, IsOneOfTheProgramsOwnAndHasTheSize) {
  const auto process = Start("tty -s && stty size && tty; echo err >&2");
  ASSERT_TRUE(process);
  const auto out = process->ReadAll(Channel::kOut, 1000, In(seconds(10)));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->substr(0, 22), "33 111\r\n/dev/pts/" + out->substr(17, 5));
  EXPECT_NE(out->find("err\r\n"), std::string::npos);
  EXPECT_EQ(process->Wait(In(seconds(10)))->code, 0);
}

TEST_F(Terminal, ResizeIsSeenByTheProgram) {
  const auto process = Start("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(process);
  ReadUntil(*process, "ready");
  process->Resize({50, 160});
  ReadUntil(*process, "50 160");
}

TEST_F(Terminal, EndOfInputIsTheCharacterForIt) {
  const auto process = Start("cat; echo end");
  ASSERT_TRUE(process);
  ASSERT_TRUE(process->WriteInput("line\n"));
  ReadUntil(*process, "line\r\nline\r\n");
  process->CloseInput();
  ReadUntil(*process, "end");
  EXPECT_EQ(process->Wait(In(seconds(10)))->code, 0);
}

TEST_F(Terminal, InterruptCharacterAndForegroundSignalReachWhatRunsInFront) {
  const auto process = Start("trap 'echo caught' INT; sh -c 'echo ready; exec sleep 100'; echo behind; sh -c 'echo again; exec sleep 100'; echo done");
  ASSERT_TRUE(process);
  ReadUntil(*process, "ready");
  ASSERT_TRUE(process->WriteInput("\x03"));
  ReadUntil(*process, "again");
  process->Signal(SIGINT, SignalTarget::kForeground);
  ReadUntil(*process, "done");
}

}  // namespace
}  // namespace paddock::guest
