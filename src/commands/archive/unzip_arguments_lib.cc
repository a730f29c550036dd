#include "commands/archive/unzip.h"

namespace paddock::unzip {
namespace {

// False for an option that there is not.
bool TakeLetter(char letter, Options& o) {
  switch (letter) {
    case 'p': o.mode = Mode::kPipe; return true;
    case 'c': o.mode = Mode::kScreen; return true;
    case 'l': o.mode = Mode::kShort; return true;
    case 'v': o.mode = Mode::kLong; return true;
    case 't': o.mode = Mode::kTest; return true;
    case 'z': o.mode = Mode::kComment; return true;
    case 'T': o.mode = Mode::kStamp; return true;
    case 'f': return o.freshens = true;
    case 'u': return o.updates = true;
    case 'n': return o.never = true;
    case 'o': return o.always = true;
    case 'j': return o.junks = true;
    case 'C': return o.ignores_case = true;
    case 'K': return o.keeps_set_id = true;
    case 'X': return o.keeps_owner = true;
    case 'B': return o.backs_up = true;
    case 'W': return o.stops_at_slash = true;
    case ':': return o.allows_outside = true;
    case '^': return o.allows_control = true;
    case 'V': return true;   // version numbers of VMS, which no name here has
    case 'F': return true;   // file types of Acorn, which no file here has
    case 'U': return true;   // escapes for what a locale cannot show; UTF-8 is shown
    case 'b': o.text = 0; return true;
    case 'L': ++o.lowers; return true;
    case 'a': ++o.text; return true;
    case 'q': ++o.quiet; return true;
    case 'D': ++o.no_times; return true;
    default: return false;
  }
}

bool TakeInfoLetter(char letter, Options& o) {
  switch (letter) {
    case '1': case '2': case 's': case 'm': case 'l':
      o.info_form = letter;
      o.info_has_form = true;
      return true;
    case 'h': return o.info_header = true;
    case 't': return o.info_totals = true;
    case 'z': return o.info_comment = true;
    case 'C': return o.ignores_case = true;
    case 'q': ++o.quiet; return true;
    default: return false;
  }
}

}  // namespace

bool ParseArguments(Invocation& in, Options& o) {
  const std::span<const std::string> args = in.args;
  bool is_info = in.name() == "zipinfo", is_over = false, has_archive = false;
  std::vector<std::string>* list = &o.wanted;
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (is_over || arg.size() < 2 || arg[0] != '-') {
      if (!has_archive) o.archive = arg;
      else list->push_back(arg);
      has_archive = true;
      continue;
    }
    if (arg == "--") {
      is_over = true;
      continue;
    }
    for (size_t at = 1; at < arg.size(); ++at) {
      const char letter = arg[at];
      if (letter == 'Z' && !is_info && i == 1) {
        is_info = true;
      } else if (letter == 'x') {
        list = &o.unwanted;
        if (at + 1 < arg.size()) list->push_back(arg.substr(at + 1));
        break;
      } else if (letter == 'd' || letter == 'P') {
        std::string value = arg.substr(at + 1);
        if (value.empty() && ++i == args.size()) return false;
        if (value.empty()) value = args[i];
        (letter == 'd' ? o.directory : o.password) = value;
        list = letter == 'd' ? &o.wanted : list;
        break;
      } else if (is_info ? !TakeInfoLetter(letter, o) : !TakeLetter(letter, o)) {
        return false;
      }
    }
  }
  if (is_info) o.mode = Mode::kInfo;
  return has_archive;
}

}  // namespace paddock::unzip
