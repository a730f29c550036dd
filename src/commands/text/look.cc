// look - display lines beginning with a specified string
//
// usage: look [options] <string> [<file>...]
// Looks in a sorted file, by halving: without one, in the dictionary /usr/share/dict/words, as with -df.
//
// Exit status: 0 when a line was found, 1 when none was or for trouble.
// Source: util-linux 2.38.
// Differs: nothing known.

#include <algorithm>

#include "commands/input_files.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool alternative = false;
  bool alphanumeric = false;
  bool ignores_case = false;
  std::optional<std::string> terminator;
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::alternative>('a', "alternative", "use the alternative dictionary"),
    Flag<&Options::alphanumeric>('d', "alphanum", "compare only blanks and alphanumeric characters"),
    Flag<&Options::ignores_case>('f', "ignore-case", "ignore case differences when comparing"),
    Value<&Options::terminator>('t', "terminate", "CHAR", "define the string-termination character"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Searcher {
 public:
  Searcher(Invocation& in, const Options& options, std::string key) : in_(in), options_(options), key_(Reduced(key, key.size())) {}

  bool Run(std::string_view text) {
    // The begin of the first line that is not before the key.
    size_t low = 0, high = text.size();
    while (low < high) {
      in_.budget.Step();
      const size_t middle = low + (high - low) / 2;
      const size_t begin = middle == 0 ? 0 : text.rfind('\n', middle - 1) == std::string_view::npos ? 0 : text.rfind('\n', middle - 1) + 1;
      const size_t line = std::max(begin, low);
      const size_t end = std::min(text.find('\n', line), text.size());
      if (Compare(text.substr(line, end - line)) < 0) low = std::min(end + 1, text.size());
      else high = line;
    }
    bool has_found = false;
    for (size_t at = low; at < text.size();) {
      in_.budget.Step();
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      if (Compare(line) != 0) break;
      in_.out.Write(text.substr(at, std::min(end + 1, text.size()) - at));
      has_found = true;
      at = end + 1;
    }
    return has_found;
  }

 private:
  // What of a line counts, up to `most` characters.
  std::string Reduced(std::string_view line, size_t most) const {
    std::string out;
    for (const char c : line) {
      if (out.size() >= most) break;
      if (options_.alphanumeric && c != ' ' && c != '\t' && !IsAlphanumeric(c)) continue;
      out += options_.ignores_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    return out;
  }
  // The line against the key: 0 when it begins with it.
  int Compare(std::string_view line) const { return Reduced(line, key_.size()).compare(key_); }

  Invocation& in_;
  const Options& options_;
  std::string key_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto parsed = PrepareWithLetters(in, options, &status);
  if (!parsed) return status;
  std::vector<std::string>& operands = *parsed;
  if (operands.empty() || operands.size() > 2) {
    in.Fail("bad usage");
    return in.UsageHint();
  }
  std::string file(options.alternative ? "/usr/share/dict/web2" : "/usr/share/dict/words");
  if (operands.size() == 2) {
    file = operands[1];
  } else {
    options.alphanumeric = options.ignores_case = true;
  }
  std::string key = operands[0];
  if (options.terminator && !options.terminator->empty()) {
    const size_t at = key.find((*options.terminator)[0]);
    if (at != std::string::npos) key.resize(at + 1);
  }
  const auto found = in.fs.Stat(file);
  if (found && found->size == 0) return 1;
  const auto text = vfs::ReadFile(in.fs, file);
  if (!text) return in.Fail(file, text.error());
  return Searcher(in, options, key).Run(*text) ? 0 : 1;
}

}  // namespace

extern const Command kCommand_look;
const Command kCommand_look = {
    .name = "look",
    .summary = "display lines beginning with a specified string",
    .synopsis = "[options] <string> [<file>...]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
