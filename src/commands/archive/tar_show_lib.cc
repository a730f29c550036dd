#include <algorithm>
#include <cstdio>

#include "commands/archive/tar.h"
#include "text/date/time_format.h"
#include "text/numbers.h"

namespace paddock::tar {
namespace {

char Letter(const codec::TarMember& member) {
  switch (member.type) {
    case '1': return 'h';
    case '2': return 'l';
    case '3': return 'c';
    case '4': return 'b';
    case '5': case 'D': return 'd';
    case '6': return 'p';
    case '7': return 'C';
    case 'M': return 'M';
    case 'V': return 'V';
    case '0': case 'S': return !member.name.empty() && member.name.back() == '/' ? 'd' : '-';
    default: return '?';
  }
}

}  // namespace

void Lister::Show(const codec::TarMember& member, const std::string& name, const std::string& link) {
  const auto owner = [&](const std::string& text, uint64_t id) { return text.empty() || context_.o.numeric_owner ? std::to_string(id) : text; };
  const std::string who = owner(member.user, member.uid) + "/" + owner(member.group, member.gid);
  const bool is_device = member.type == '3' || member.type == '4';
  const std::string size = is_device ? std::to_string(member.major) + "," + std::to_string(member.minor) : std::to_string(member.size);
  width_ = std::max(width_, who.size() + 1 + size.size());
  const TimePoint moment{member.modified, member.modified_nanos};
  std::string date = FormatTime(context_.o.full_time ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", context_.zone.ToLocal(moment.seconds), moment, context_.in.budget);
  if (context_.o.full_time && moment.nanos != 0) {
    std::string digits = std::to_string(1'000'000'000 + moment.nanos).substr(1);
    while (digits.back() == '0') digits.pop_back();
    date += "." + digits;
  }
  date_width_ = std::max(date_width_, date.size());
  const char letter = Letter(member);
  std::string line = ModeString(letter, member.mode) + " " + who + std::string(width_ - who.size() - size.size(), ' ') + size + " " + date +
                     std::string(date_width_ - date.size(), ' ') + " " + context_.Listed(name);
  if (letter == 'l') line += " -> " + context_.Listed(link);
  else if (letter == 'h') line += " link to " + context_.Listed(link);
  else if (letter == 'V') line += "--Volume Header--";
  else if (letter == 'M') line += "--Continued at byte " + std::to_string(member.continued_at) + "--";
  else if (letter == '?') line += std::string(" unknown file type ") + Quote(std::string_view(&member.type, 1), context_.in.locale.is_utf8);
  context_.shown->Write(line + "\n");
}

std::string TotalsText(const Context& context, uint64_t bytes) {
  const auto human = [](uint64_t number) {
    const std::string text = HumanSize(number);
    return text + (text.back() >= '0' && text.back() <= '9' ? "B" : "iB");
  };
  const double seconds = std::chrono::duration<double>(context.in.clock.MonotonicNow() - context.started).count();
  const std::string speed = seconds > 0 ? human(static_cast<uint64_t>(std::min(static_cast<double>(bytes) / seconds, 1e18))) : "?";
  return std::to_string(bytes) + " (" + human(bytes) + ", " + speed + "/s)";
}

void ShowTotals(Context& context, const char* what, uint64_t bytes) {
  context.in.out.Flush();
  context.in.err.Write(std::string("Total bytes ") + what + ": " + TotalsText(context, bytes) + "\n");
}

}  // namespace paddock::tar
