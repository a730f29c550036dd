#include "commands/sys/signal_lists.h"

#include <cstdio>

#include "proc/signals.h"

namespace paddock {

std::string ListedSignalName(int number) { return number == 29 ? "POLL" : proc::SignalName(number); }

void WriteSignalTable(Output& out) {
  for (int number = 1; number <= kListedSignals; ++number) {
    char text[32];
    std::snprintf(text, sizeof text, number % 7 == 0 ? "%2d %s" : "%2d %-8s", number, ListedSignalName(number).c_str());
    out.Write(text);
    if (number % 7 == 0 || number == kListedSignals) out.Put('\n');
  }
}

void WriteSignalList(Output& out) {
  constexpr size_t kWidth = 77;
  std::string line;
  for (int number = 1; number <= kListedSignals; ++number) {
    const std::string name = ListedSignalName(number);
    if (line.size() + name.size() > kWidth) {
      out.WriteLine(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + name;
  }
  out.WriteLine(line);
}

}  // namespace paddock
