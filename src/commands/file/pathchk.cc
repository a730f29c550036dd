// pathchk - diagnose invalid or unportable file names
//
// usage: pathchk [OPTION]... NAME...
//
// Exit status: 0 when all names are fine, 1 when one is not.
// Source: POSIX pathchk; GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

// Of any POSIX system, and of this one.
constexpr size_t kPortableName = 14;
constexpr size_t kPortablePath = 255;
constexpr size_t kLongestName = 255;
constexpr size_t kLongestPath = 4095;

struct Options {
  bool basic = false;
  bool extra = false;
};

Status SetBoth(Options& options, std::string_view) {
  options.basic = options.extra = true;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::basic>('p', nullptr, "check for most POSIX systems"),
    Flag<&Options::extra>('P', nullptr, "check for empty names and leading \"-\""),
    Call<SetBoth>(0, "portability", nullptr, "check for all POSIX systems (equivalent to -p -P)"),
};

class Checker {
 public:
  Checker(Invocation& in, const Options& options) : in_(in), o_(options), is_utf8_(in.locale.is_utf8) {}

  bool Check(const std::string& name) {
    if (o_.extra && HasLeadingHyphen(name)) {
      return Fail("leading '-' in a component of file name " + QuoteFile(name, is_utf8_));
    }
    if ((o_.basic || o_.extra) && name.empty()) return Fail("empty file name");
    if (o_.basic && !HasPortableCharacters(name)) return false;
    bool is_there = false;
    if (!o_.basic) {
      const auto found = in_.fs.Stat(name, vfs::Follow::kNo);
      if (found) is_there = true;
      else if (found.error().code != Code::kNoEntry || name.empty()) return Fail(name, found.error());
    }
    const size_t longest = o_.basic ? kPortablePath : kLongestPath;
    if (name.size() > longest) {
      return Fail(LimitText(longest, name.size()) + " of file name " + QuoteFile(name, is_utf8_));
    }
    return is_there || HasShortComponents(name);
  }

 private:
  bool Fail(const std::string& message) {
    in_.Fail(message);
    return false;
  }
  bool Fail(const std::string& name, const Error& error) {
    in_.Fail(name.empty() ? "''" : QuoteSubject(name, is_utf8_), error);
    return false;
  }

  static std::string LimitText(size_t limit, size_t length) {
    return "limit " + std::to_string(limit) + " exceeded by length " + std::to_string(length);
  }

  static bool HasLeadingHyphen(std::string_view name) {
    return name.starts_with('-') || name.find("/-") != std::string_view::npos;
  }

  bool HasPortableCharacters(const std::string& name) {
    const size_t bad = name.find_first_not_of(
        "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    if (bad == std::string::npos) return true;
    const size_t length = is_utf8_ ? DecodeUtf8(std::string_view(name).substr(bad)).length : 1;
    return Fail("nonportable character " + Quote(name.substr(bad, length), is_utf8_) + " in file name " +
                QuoteFile(name, is_utf8_));
  }

  bool HasShortComponents(const std::string& name) {
    const size_t longest = o_.basic ? kPortableName : kLongestName;
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find('/', at), name.size());
      if (end - at > longest) {
        return Fail(LimitText(longest, end - at) + " of file name component " +
                    Quote(name.substr(at, end - at), is_utf8_));
      }
      at = end + 1;
    }
    return true;
  }

  Invocation& in_;
  const Options& o_;
  const bool is_utf8_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  Checker checker(in, options);
  ExitStatus status = 0;
  for (const std::string& name : operands) {
    in.budget.Step();
    if (!checker.Check(name)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_pathchk;
const Command kCommand_pathchk = Define<Options, Run>({
    .name = "pathchk",
    .summary = "diagnose invalid or unportable file names",
    .synopsis = "[OPTION]... NAME...",
    .options = kOptions,
});

}  // namespace paddock
