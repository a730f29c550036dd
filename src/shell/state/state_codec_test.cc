// Shell state as bytes: a shell made from them goes on as the one that wrote them would have.

#include "shell/state/state_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "shell/exec/jobs.h"
#include "shell/shell_for_test.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

constexpr StateClock kClock{Nanoseconds(1'700'000'000'000'000'000)};

// Runs `script` in a shell that goes on from `before`; its output.
std::string RunOn(Shell& shell, const std::string& script) {
  vfs::OpenFlags flags{.read = true, .write = true, .create = true, .truncate = true};
  const vfs::OpenFilePtr file = *shell.files().Open("/output", flags, 0600);
  shell.process().descriptors().Set(1, file);
  shell.process().descriptors().Set(2, file);
  shell.RunScript(script);
  shell.flow = Flow::kNone;
  shell.out().Flush();
  return vfs::ReadFile(shell.files(), "/output").value_or("?");
}

std::string StateOf(Shell& shell, const EncodedState& previous = {}) {
  const ShellPlace place{shell.files().cwd(), shell.files().umask(), shell.process().resource_limits()};
  return EncodeState(shell, place, shell.kernel(), kClock, previous).bytes;
}

// Runs `first`, then `second` in a continuation and in a shell made from the state's bytes: both must say the same.
std::string CheckSplit(const std::string& first, const std::string& second) {
  std::string said;
  const LimitKind limit = WithShell([&](Shell& shell) {
    RunOn(shell, first);
    const std::string bytes = StateOf(shell);
    Shell restored(shell.process(), shell.host(), Environment());
    ShellPlace place;
    const Status status = DecodeState(bytes, kClock, restored, &place);
    ASSERT_TRUE(status.has_value()) << status.error().Text();
    EXPECT_EQ(place.cwd, shell.files().cwd());
    EXPECT_EQ(place.umask, shell.files().umask());
    EXPECT_EQ(place.limits, shell.process().resource_limits());
    EXPECT_EQ(StateOf(restored), bytes) << first;
    Shell continued(shell, shell.process(), Shell::Continue{});
    said = RunOn(continued, second);
    Shell again(restored, shell.process(), Shell::Continue{});
    EXPECT_EQ(RunOn(again, second), said) << first;
  });
  EXPECT_EQ(limit, LimitKind::kNone);
  return said;
}

TEST(ShellState, VariablesComeBackWithTheirAttributes) {
  EXPECT_EQ(CheckSplit("a='x y' b=; c=$'\\n\\001\\377'; declare d; export e=1; declare -i n=7; declare -r r=ro; declare -u U=up;"
                       "declare -l L=LOW; declare -c C=cap; declare -n ref=a; declare -x unset_export; declare -t T=t",
                       "declare -p a b c d e n r U L C ref unset_export T; n+=3; U=more; echo $n $U $ref; r=2; echo $?"),
            "declare -- a=\"x y\"\ndeclare -- b=\"\"\ndeclare -- c=$'\\n\\001\\377'\ndeclare -- d\ndeclare -x e=\"1\"\n"
            "declare -i n=\"7\"\ndeclare -r r=\"ro\"\ndeclare -u U=\"UP\"\ndeclare -l L=\"low\"\ndeclare -c C=\"Cap\"\n"
            "declare -n ref=\"a\"\ndeclare -x unset_export\ndeclare -t T=\"t\"\n10 MORE x y\nbash: line 1: r: readonly variable\n");
}

TEST(ShellState, ArraysComeBackInTheirOrder) {
  CheckSplit("a=(1 2 3); a[10]=x; a[9223372036854775807]=last; unset 'a[1]'; b=(); declare -a c; declare -A m=([x]=1 [y z]=2 ['']=e);"
             "for i in {1..3000}; do m[k$i]=$i; done; for i in {5..2990}; do unset \"m[k$i]\"; done; m[again]=1; declare -A none",
             "declare -p a b c m none; m[new]=1; m[k7]=2; echo \"${!m[@]}\"; a+=(more); declare -p a; echo ${#m[@]}");
}

TEST(ShellState, WhatWasUnsetStaysUnset) {
  EXPECT_EQ(CheckSplit("unset IFS HOME RANDOM; unset -v PATH", "echo \"${IFS-no} ${HOME-no} ${RANDOM-no} ${PATH-no}\""),
            "no no no no\n");
}

TEST(ShellState, SpecialVariablesGoOn) {
  const std::string said = CheckSplit("RANDOM=42; x=$RANDOM; SECONDS=100; BASH_ARGV0=me; set -- a b; (exit 3) | true | (exit 4)",
                                      "echo $? ${PIPESTATUS[@]} $((SECONDS >= 100 && SECONDS < 160)) $0 $# $_; echo $RANDOM");
  EXPECT_TRUE(said.starts_with("4 3 0 4 1 me 2")) << said;
}

TEST(ShellState, FunctionsComeBackWithTheirLines) {
  const std::string first = R"(
f() { echo "f $1 $LINENO"
  if [[ $1 == *x* ]]; then echo yes $LINENO
  elif (($# > 1)); then echo many $LINENO
  elif [[ $1 == q ]]; then echo q $LINENO; else
    echo else $LINENO
  fi
  case $1 in a|b) echo ab $(echo $LINENO
      echo $LINENO) ;; (*) : ;; esac
  for ((i = 0; i < 2; i++)); do
    local -a list=("$i" [3]=z); echo ${list[@]} $LINENO
  done
  while read -r line; do echo "<$line>"; done <<EOF
one $1
  $(echo two $LINENO)
EOF
  return 4
} 2>&1
function g-h { f ax; } 
export -f f
readonly -f g-h
sub() ( cd /; echo sub $LINENO )
nest() { inner() { echo inner $LINENO; }; inner; }
)";
  const std::string said =
      CheckSplit(first, "f b; echo $?; g-h; sub; nest; inner; declare -f; declare -F; g-h() { :; }; caller");
  EXPECT_NE(said.find("f b 2\n"), std::string::npos) << said;
  EXPECT_NE(said.find("readonly function"), std::string::npos) << said;
}

TEST(ShellState, OptionsTrapsAliasesAndListsComeBack) {
  CheckSplit("set -f -o pipefail; shopt -s nullglob expand_aliases extglob; shopt -u sourcepath; alias ll='echo long' x=y;"
             "trap 'echo bye' EXIT; trap 'echo usr' USR1; trap '' HUP; mkdir /d /e; cd /d; pushd /e >/dev/null;"
             "umask 027; hash -p /x/y z; complete -W 'a b' -o nospace tool; complete -D -F f; ulimit -n 77; enable -n printf;"
             "set -o history; history -s 'echo one'; history -s $'two\\nlines'",
             "set +o; shopt; alias; trap; dirs -l; umask; hash -l; complete; ulimit -n; enable -n; history; echo $- $PWD $OLDPWD;"
             "ll there; kill -USR1 $$; popd");
}

TEST(ShellState, GetoptsGoesOnInsideAWord) {
  EXPECT_EQ(CheckSplit("set -- -abc -d arg; getopts abcd: o; getopts abcd: o", "while getopts abcd: o; do echo $o $OPTARG; done"),
            "c\nd arg\n");
}

TEST(ShellState, EndedJobsCanBeWaitedFor) {
  EXPECT_EQ(CheckSplit("(exit 5) & a=$!; (exit 6) & b=$!; wait $a; wait $b",
                       "wait $b; echo $?; wait $a; echo $?; jobs"),
            "6\n5\n");
  EXPECT_EQ(CheckSplit("(exit 3) & wait -f $!; : & wait; false", "echo $? $(($! > 99)); wait $!; echo $?"), "1 1\n0\n");
}

TEST(ShellState, AJobThatRanWasKilled) {
  WithShell([&](Shell& shell) {
    RunOn(shell, "while :; do :; done & q=$!");
    Shell restored(shell.process(), shell.host(), Environment());
    ShellPlace place;
    ASSERT_TRUE(DecodeState(StateOf(shell), kClock, restored, &place).has_value());
    const std::string told = RunOn(restored, "wait $q; echo $?");
    EXPECT_TRUE(told.starts_with("bash: line 1: ")) << told;
    EXPECT_TRUE(told.ends_with(" Killed                  while :; do\n    :;\ndone\n137\n")) << told;
    RunOn(shell, "kill -9 $q; wait");
  });
}

TEST(ShellState, EqualStatesHaveEqualBytes) {
  WithShell([](Shell& shell) {
    RunOn(shell, "a=1; declare -A m=([x]=1); f() { echo hi; }; alias l=ls");
    const std::string bytes = StateOf(shell);
    RunOn(shell, "b=2; unset b; m[y]=1; unset 'm[y]'; f() { echo hi; }\n");
    RunOn(shell, "a=1; declare -A m=([x]=1); f() { echo hi; }; alias l=ls");
    EXPECT_EQ(StateOf(shell), bytes);
    Shell next(shell, shell.process(), Shell::Continue{});
    EXPECT_EQ(StateOf(next), bytes);
  });
}

// Writing it after an earlier one gives the same bytes as writing it whole.
TEST(ShellState, LaterStatesAreWrittenAsWholeOnesAre) {
  const char* const kSteps[] = {"a=1 b=2", ":", "c=(1 2 3)", "c[1]=x", "unset a", "f() { :; }", "g() { f; }", "unset -f f",
                                "alias x=y", "unalias x", "set -- 1 2", "shift", "set -o history; history -s one",
                                "history -s two", "complete -W x y", "hash -p /a b", "declare -A m=([k]=v)", "m[k]=w", "cd /",
                                "true; false", "printf -v big '%5000s'", "zz=1"};
  WithShell([&](Shell& shell) {
    EncodedState previous;
    auto current = std::make_unique<Shell>(shell, shell.process(), Shell::Continue{});
    for (const char* step : kSteps) {
      auto next = std::make_unique<Shell>(*current, shell.process(), Shell::Continue{});
      RunOn(*next, step);
      const ShellPlace place{next->files().cwd(), next->files().umask()};
      EncodedState state = EncodeState(*next, place, next->kernel(), kClock, previous);
      EXPECT_EQ(state.bytes, StateOf(*next)) << step;
      const std::string delta = EncodeStateDelta(previous.bytes, state.bytes);
      EXPECT_EQ(ApplyStateDelta(previous.bytes, delta).value_or("?"), state.bytes) << step;
      const bool is_small = previous.bytes.empty() || delta.size() < 300 || std::string_view(step).starts_with("printf");
      EXPECT_TRUE(is_small) << step << " " << delta.size();
      previous = std::move(state);
      current = std::move(next);
    }
  });
}

TEST(ShellStateDelta, OfAnotherStateIsRefused) {
  std::string one, two, three;
  WithShell([&](Shell& shell) {
    RunOn(shell, "a=1");
    one = StateOf(shell);
    RunOn(shell, "a=22");
    two = StateOf(shell);
    RunOn(shell, "alias q=w");
    three = StateOf(shell);
  });
  const std::string delta = EncodeStateDelta(two, three);
  EXPECT_EQ(ApplyStateDelta(two, delta).value_or("?"), three);
  EXPECT_EQ(ApplyStateDelta(one, delta).error().code, Code::kInvalid);
  EXPECT_EQ(EncodeStateDelta(one, one), "");
  EXPECT_EQ(ApplyStateDelta(one, "").value_or("?"), one);
  EXPECT_EQ(ApplyStateDelta("", EncodeStateDelta("", one)).value_or("?"), one);
  EXPECT_EQ(ApplyStateDelta(one, EncodeStateDelta(one, "")).value_or("?"), "");
}

TEST(ShellState, DamagedBytesAreRefusedOrGiveAShell) {
  std::string bytes;
  WithShell([&](Shell& shell) {
    RunOn(shell, "a=(1 2 3); declare -A m=([x]=1 [y]=2); f() { echo \"$1\"; for i in a b; do echo $i; done; }; alias l=ls;"
                 "trap : USR1; set -o history; history -s x; : & wait; complete -W x y; set -- p q; hash -p /a b; unset IFS");
    bytes = StateOf(shell);
  });
  std::mt19937 random(31);
  int refused = 0;
  const auto damage = [&](Shell& shell) {
    for (int i = 0; i < 50; ++i) {
      std::string damaged = bytes;
      for (auto k = random() % 3 + 1; k > 0; --k) {
        if (random() % 8 == 0) damaged.resize(random() % (damaged.size() + 1));
        if (damaged.empty()) continue;
        damaged[random() % damaged.size()] = static_cast<char>(random() % 2 == 0 ? random() % 32 : random());
      }
      Shell restored(shell.process(), shell.host(), Environment());
      ShellPlace place;
      if (!DecodeState(damaged, kClock, restored, &place)) {
        ++refused;
        continue;
      }
      RunOn(restored, "declare -p >/dev/null; declare -f >/dev/null; f x; trap; jobs; history; alias; echo \"$@\"; complete");
    }
  };
  for (int round = 0; round < 60; ++round) WithShell(damage, {.steps = 20'000'000, .memory_bytes = 256u << 20});
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace paddock::shell
