#include "drivers/docker/plain/keeper.h"

namespace paddock::docker {
namespace {

constexpr size_t kMostShown = 64 << 10;
constexpr std::chrono::seconds kPatience{20};

// Builtins only. look sets what /proc/PID/stat says behind the name, which may hold anything: state, group, session, foreground group. `jobs` takes
// leave of the processes that have ended here.
constexpr const char* kScript = R"sh(look() {
  x=
  [ -r "/proc/$1/stat" ] || return 1
  while IFS= read -r y; do x="$x$y "; done 2>/dev/null < "/proc/$1/stat"
  x=${x##*') '}
  [ -n "$x" ] || return 1
  set -f
  set -- $x
  set +f
  st=$1 pg=$3 s=$4 fg=$6
}
tell() {
  for d in /proc/[0-9]*; do
    q=${d#/proc/}
    [ "$q" = 1 ] && continue
    look "$q" && [ "$pg" = "$2" ] && kill "-$1" "$q" 2>/dev/null && n=0
  done
}
while read -r v t a b; do
  jobs >/dev/null 2>&1
  n=0
  case $v in
  show)
    n=1
    [ -r "$a" ] && n=0 && while IFS= read -r y; do printf '%s\n' "$y"; done 2>/dev/null < "$a" ;;
  leads)
    n=1
    look "$a" && [ "$s" = "$a" ] && n=0 ;;
  group)
    n=1
    tell "$a" "$b" ;;
  front)
    n=1 fg=
    look "$b"
    case $fg in
    '' | 0 | 1 | -*) ;;
    *) tell "$a" "$fg" ;;
    esac ;;
  wake)
    n=1 r=0
    while [ "$n" = 1 ] && [ "$r" -lt 200 ] && look "$a"; do
      r=$((r + 1))
      [ "$st" = T ] && kill -CONT "$a" 2>/dev/null && n=0
    done ;;
  only | keep)
    r=0 w=,
    while [ "$r" -lt 25 ]; do
      r=$((r + 1)) k=0
      for d in /proc/[0-9]*; do
        q=${d#/proc/}
        [ "$q" = 1 ] && continue
        look "$q" || continue
        [ "$st" = Z ] && continue
        case $a in *",$s,"*) m=1 ;; *) m=0 ;; esac
        [ "$v$m" = keep1 ] && continue
        [ "$v$m" = only0 ] && continue
        kill -9 "$q" 2>/dev/null
        case $w in *",$q,"*) ;; *) k=1 w="$w$q," ;; esac
      done
      [ "$k" = 0 ] && break
    done
    [ "$k" = 1 ] && kill -9 -1 2>/dev/null
    jobs >/dev/null 2>&1 ;;
  *) n=2 ;;
  esac
  printf '\n%s %d\n' "$t" "$n"
done)sh";

}  // namespace

std::vector<std::string> Keeper::Entrypoint() { return {"/bin/sh", "-c", kScript, "paddock-keeper"}; }

Result<ShellChannel::Answer> Keeper::Ask(const std::string& verb, const std::string& words) {
  const std::string token = ShellChannel::NewToken();
  return channel_.Ask(verb + " " + token + " " + words + "\n", token, kMostShown, kPatience);
}

Result<std::string> Keeper::Show(const std::string& path, std::chrono::milliseconds time) {
  const std::string token = ShellChannel::NewToken();
  PADDOCK_ASSIGN(ShellChannel::Answer answer, channel_.Ask("show " + token + " " + path + "\n", token, kMostShown, time));
  if (answer.status != 0) return Code::kNoEntry;
  return std::move(answer.bytes);
}

Result<bool> Keeper::LeadsSession(int process) {
  PADDOCK_ASSIGN(const ShellChannel::Answer answer, Ask("leads", std::to_string(process)));
  return answer.status == 0;
}

Status Keeper::Signal(int signal, int process, bool to_foreground) {
  PADDOCK_ASSIGN(const ShellChannel::Answer answer, Ask(to_foreground ? "front" : "group", std::to_string(signal) + " " + std::to_string(process)));
  return answer.status == 0 ? Status() : Status(Code::kNoProcess);
}

Result<bool> Keeper::Wake(int process) {
  PADDOCK_ASSIGN(const ShellChannel::Answer answer, Ask("wake", std::to_string(process)));
  return answer.status == 0;
}

Status Keeper::EndSession(int session) {
  PADDOCK_TRY(Ask("only", "," + std::to_string(session) + ","));
  return {};
}

Status Keeper::EndAllBut(const std::vector<int>& sessions) {
  std::string list = ",";
  for (const int session : sessions) list += std::to_string(session) + ",";
  PADDOCK_TRY(Ask("keep", list));
  return {};
}

}  // namespace paddock::docker
