#include "cli/manual.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptor.h"

namespace paddock::cli {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// "  -n, --count=NUMBER   how many", "      --ttl=TIME  …", "  -5  …".
bool IsOptionLine(const std::string& line) { return line.starts_with("      --") || (line.starts_with("  -") && line.size() > 3 && line[3] != ' '); }

ManualOption OptionOf(const std::string& line) {
  ManualOption option;
  const size_t begin = line.find_first_not_of(' ');
  const size_t end = std::min(line.find("  ", begin), line.size());
  std::string head = line.substr(begin, end - begin);
  const size_t help = line.find_first_not_of(' ', end);
  if (help != std::string::npos) option.help = line.substr(help);
  if (head.size() > 1 && head[1] != '-') {
    option.short_name = head[1];
    head.erase(0, 2);
    if (head.starts_with(", ")) head.erase(0, 2);
    else if (head.starts_with(" ")) option.value = head.substr(1);
  }
  if (!head.starts_with("--")) return option;
  const size_t name_end = std::min(head.find_first_of("=[ "), head.size());
  option.long_name = head.substr(2, name_end - 2);
  option.is_optional = name_end < head.size() && head[name_end] == '[';
  if (const size_t mark = head.find_first_of("= "); mark != std::string::npos) option.value = head.substr(mark + 1, head.size() - mark - 1 - (option.is_optional ? 1 : 0));
  return option;
}

void Trim(std::vector<std::string>& lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
}

}  // namespace

ManualPage ReadManualPage(const std::string& help) {
  ManualPage page;
  bool is_option = false;   // of the line before
  for (const std::string& line : LinesOf(help)) {
    const bool is_usage = line.starts_with("Usage: ") || line.starts_with("  or:  ");
    if (is_usage && page.options.empty()) {
      page.usages.push_back(line.substr(7));
    } else if (IsOptionLine(line)) {
      page.options.push_back(OptionOf(line));
      is_option = true;
      continue;
    } else if (is_option && line.starts_with(std::string(20, ' '))) {   // the help of a long name
      page.options.back().help += (page.options.back().help.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
      continue;
    } else {
      (page.options.empty() ? page.description : page.rest).push_back(line);
    }
    is_option = false;
  }
  Trim(page.description);
  Trim(page.rest);
  return page;
}

Result<ManualPage> PageOf(const sandbox::DriverSet& drivers, const Subcommand& subcommand) {
  const auto fail = [] { return Error(static_cast<Code>(errno), std::string("cannot read --help: ") + std::strerror(errno)); };
  const Descriptor text(memfd_create("help", MFD_CLOEXEC)), before(dup(STDOUT_FILENO));
  std::fflush(stdout);
  if (!text || !before || dup2(text.get(), STDOUT_FILENO) < 0) return fail();
  const std::vector<std::string> args = {"--help"};
  const int status = subcommand.run(drivers, args);
  std::fflush(stdout);
  if (dup2(before.get(), STDOUT_FILENO) < 0) return fail();
  if (status != 0) return Error(Code::kInternal, std::string("'paddock ") + subcommand.name + " --help' fails");
  std::string help;
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t got = pread(text.get(), buffer, sizeof buffer, at);
    if (got <= 0) break;
    help.append(buffer, static_cast<size_t>(got));
    at += got;
  }
  return ReadManualPage(help);
}

}  // namespace paddock::cli
