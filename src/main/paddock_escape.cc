// main of paddock-escape, which `paddock escape-test` runs inside a wall: paddock-escape NAME [FACT=VALUE]... plays one
// probe, prints what came of it, and exits with 0 if the wall held, 3 if not, 4 if the probe means nothing here.
// "paddock-escape victim" is the process outside that probes look for; "paddock-escape sleep" the one that outlives.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "drivers/process/escape/probe.h"

namespace {

using paddock::escape::Facts;

// Prints where its secret lies, and waits until the stage goes away.
int BeVictim() {
  static char secret[64];
  const char* text = std::getenv("PADDOCK_ESCAPE_SECRET");  // allow(getenv): what the victim keeps
  if (text == nullptr) return 2;
  std::snprintf(secret, sizeof secret, "%s", text);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);   // so that the control shows what the wall alone keeps apart
  std::printf("%llu\n", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(secret)));
  std::fflush(stdout);
  char byte = 0;
  while (read(0, &byte, 1) > 0) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: paddock-escape NAME [FACT=VALUE]...\n");
    return 2;
  }
  if (std::strcmp(argv[1], "victim") == 0) return BeVictim();
  if (std::strcmp(argv[1], "sleep") == 0) {
    sleep(30);
    return 0;
  }
  const Facts facts({argv + 2, static_cast<size_t>(argc - 2)});
  for (const paddock::escape::Probe* probe : paddock::escape::AllProbes()) {
    if (std::strcmp(probe->name, argv[1]) != 0) continue;
    // What a probe mounts without a wall goes with it.
    if (facts.is_control() && unshare(CLONE_NEWNS) == 0) mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    alarm(15);
    const paddock::escape::Verdict verdict = probe->run(facts);
    std::printf("%s\n", verdict.text.c_str());
    return static_cast<int>(verdict.outcome);
  }
  std::fprintf(stderr, "paddock-escape: no probe named '%s'\n", argv[1]);
  return 2;
}
