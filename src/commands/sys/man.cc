// man - show the manual pages of commands
//
// usage: man [OPTION...] [SECTION] PAGE...
//        man -k [OPTION...] KEYWORD...
//        man -f [OPTION...] PAGE...
//
// Exit status: 0; 16 when a page was not found; 1 for a usage error; 2 for trouble.
// Source: man-db 2.11.
// Differs: a page is made of the command's own option table, the one that its --help shows; files in roff (-l, -M) are formatted as far as
// man_page.h says, without hyphens. No pager is started. -t makes PostScript of the text, in one font; -Z, the language of typesetters, is refused.

#include <algorithm>

#include "codec/coder.h"
#include "commands/archive/packed_file.h"
#include "commands/input_files.h"
#include "commands/sys/man_page.h"
#include "commands/sys/manual.h"
#include "text/char_encoding.h"
#include "text/pattern.h"
#include "text/regex.h"

namespace paddock {
namespace {

using manual::PageStyle;

enum class Mode { kPage, kWhatis, kApropos };
enum class Shows { kPage, kPath, kCatPath, kSource, kNothing };
enum class Kind { kName, kRegex, kWildcard };

struct Options {
  Mode mode = Mode::kPage;
  Kind kind = Kind::kName;
  bool names_only = false;
  bool matches_case = false;
  bool all = false;
  bool is_elsewhere = false;     // -M, -e: where no pages of commands are
  Shows shows = Shows::kPage;
  bool is_local = false, searches_text = false, debugs = false, justifies = true, narrows_latin = false;
  std::string sections, configuration, trees, encoding, recoding;
  std::optional<std::string> device, browser, x_resolution;
  bool makes_postscript = false;
  bool wants_help = false, wants_version = false;
};

Status SetTrees(Options& options, std::string_view trees) {
  options.is_elsewhere = manual::IsElsewhere(trees);
  options.trees = std::string(trees);
  return {};
}
template <auto kMember>
Status SetChoice(Options& options, std::string_view value) {
  options.*kMember = std::string(value);
  return {};
}
Status Refuse(Options&, std::string_view) { return Error(Code::kNotSupported, "groff's intermediate output is not supported"); }
Status SetRecoding(Options& options, std::string_view value) {
  options.recoding = std::string(value);
  options.shows = Shows::kSource;
  return {};
}
Status SetExtension(Options& options, std::string_view extension) {
  options.is_elsewhere = !extension.empty();   // no section has any
  return {};
}
Status HowOnly(Options&, std::string_view) { return {}; }
Status Default(Options& options, std::string_view) {
  options = {};
  return {};
}

constexpr Option kOptions[] = {
    Set<&Options::mode, Mode::kWhatis>('f', "whatis", "show summaries, as whatis does"),
    Set<&Options::mode, Mode::kApropos>('k', "apropos", "search summaries, as apropos does"),
    Value<&Options::sections>('s', "sections", "LIST", "only these sections, with colons between"),
    Value<&Options::sections>('S', nullptr, "LIST", nullptr),
    Set<&Options::matches_case, false>('i', "ignore-case", "upper and lower case of names are the same (the default)"),
    Flag<&Options::matches_case>('I', "match-case", "upper and lower case of names differ"),
    Set<&Options::kind, Kind::kRegex>(0, "regex", "show all pages that match a regular expression"),
    Set<&Options::kind, Kind::kWildcard>(0, "wildcard", "show all pages that match a wildcard"),
    Flag<&Options::names_only>(0, "names-only", "--regex and --wildcard look at names, not at summaries"),
    // Pages are not hyphenated, and a name with a blank is one page.
    Call<HowOnly>(0, "no-hyphenation", nullptr, "do not hyphenate (the default)"),
    Call<HowOnly>(0, "nh", nullptr, nullptr),
    Set<&Options::justifies, false>(0, "no-justification", "do not stretch lines to the margin"),
    Set<&Options::justifies, false>(0, "nj", nullptr),
    Call<HowOnly>(0, "no-subpages", nullptr, "'man a b' is two pages (the default)"),
    Call<Default>('D', "default", nullptr, "forget the options before this one"),
    Call<SetTrees>('M', "manpath", "PATH", "only the trees of PATH; all pages are in /usr/share/man"),
    Call<SetExtension>('e', "extension", "EXTENSION", "only sections with this extension, of which there are none"),
    Call<HowOnly>('L', "locale", "LOCALE", "in that language, when there is a page"),
    Call<HowOnly>('m', "systems", "SYSTEM", "pages of other systems, of which there are none, too"),
    Call<HowOnly>('u', "update", nullptr, "look for new pages, as is always done"),
    Call<HowOnly>('P', "pager", "PAGER", "for terminals, of which there is none"),
    Call<HowOnly>('r', "prompt", "STRING", "likewise"),
    Call<HowOnly>('p', "preprocessor", "STRING", "of pages in roff, which these are not"),
    CallOptional<HowOnly>(0, "warnings", "WARNINGS", "likewise"),
    Value<&Options::configuration>('C', "config-file", "FILE", "take the trees from FILE"),
    Flag<&Options::debugs>('d', "debug", "tell what is done"),
    Flag<&Options::searches_text>('K', "global-apropos", "show the pages that have a text in them"),
    Flag<&Options::is_local>('l', "local-file", "PAGE is a file, '-' standard input"),
    Set<&Options::shows, Shows::kPath>('w', "where", "print where the page is"),
    Set<&Options::shows, Shows::kPath>(0, "path", "likewise"),
    Set<&Options::shows, Shows::kPath>(0, "location", "likewise"),
    Set<&Options::shows, Shows::kCatPath>('W', "where-cat", "print where the formatted page is (nowhere)"),
    Set<&Options::shows, Shows::kCatPath>(0, "location-cat", "likewise"),
    Set<&Options::shows, Shows::kNothing>('c', "catman", "look for the page, and show nothing"),
    Call<SetRecoding>('R', "recode", "ENCODING", "show the source of the page in that encoding"),
    Value<&Options::encoding>('E', "encoding", "ENCODING", "show the page in that encoding, or as that device does"),
    Flag<&Options::narrows_latin>('7', "ascii", "with Latin-1: ASCII in place of some characters"),
    CallOptional<SetChoice<&Options::device>>('T', "troff-device", "DEVICE", "show it as utf8, latin1 or ascii does"),
    CallOptional<SetChoice<&Options::browser>>('H', "html", "BROWSER", "in a browser, for which groff has no device"),
    CallOptional<SetChoice<&Options::x_resolution>>('X', "gxditview", "RESOLUTION", "in a window, for which groff has no device"),
    Flag<&Options::makes_postscript>('t', "troff", "make PostScript"),
    Call<Refuse>('Z', "ditroff", nullptr, nullptr),
    Flag<&Options::all>('a', "all", "show all pages of that name"),
    Flag<&Options::wants_help>('?', "usage", "show this help"),
    Flag<&Options::wants_help>('h', nullptr, nullptr),
    Flag<&Options::wants_version>('V', nullptr, "show the version"),
};

bool IsSection(std::string_view word) {
  if (word.empty()) return false;
  if (word == "n" || word == "l") return true;
  return word[0] >= '0' && word[0] <= '9' && word.size() <= 4;
}

std::string Folded(std::string_view text, bool matches_case) {
  std::string folded(text);
  for (char& c : folded) {
    if (!matches_case && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

// "ls" for "ls.1", "ls(1)" and a program's path.
std::string BareName(Invocation& in, const std::string& name) {
  if (name.find('/') != std::string::npos) return in.fs.Access(name, 1) ? vfs::BaseName(name) : name;
  if (name.ends_with(".1")) return name.substr(0, name.size() - 2);
  if (name.ends_with("(1)")) return name.substr(0, name.size() - 3);
  return name;
}

// The pages that an operand asks for.
Result<std::vector<manual::Entry>> FindPages(Invocation& in, const Options& options, const std::string& name) {
  std::vector<manual::Entry> found;
  std::optional<Regex> regex;
  if (options.kind == Kind::kRegex) {
    PADDOCK_ASSIGN(regex, Regex::Compile(name, {.dialect = RegexDialect::kExtended, .ignore_case = !options.matches_case}));
  }
  const Pattern pattern(name, PatternFlags{.extglob = false});
  const std::string wanted = Folded(name, options.matches_case);
  const std::string bare = Folded(BareName(in, name), options.matches_case);
  for (manual::Entry& entry : manual::AllEntries(in)) {
    in.budget.Step();
    const auto matches = [&](std::string_view text) -> Result<bool> {
      if (regex) return regex->Search(text, 0, nullptr, in.budget);
      return pattern.Matches(text, in.budget);
    };
    const std::string folded = Folded(entry.name, options.matches_case);
    bool is_match = folded == wanted || folded == bare;
    if (options.kind != Kind::kName) {
      PADDOCK_ASSIGN(is_match, matches(entry.name));
      if (!is_match && !options.names_only) {
        PADDOCK_ASSIGN(is_match, matches(entry.command->summary));
      }
    }
    if (is_match) found.push_back(std::move(entry));
  }
  return found;
}

// A page in roff that is at `path`, plain or packed.
Result<std::string> ReadPage(Invocation& in, const std::string& path) {
  PADDOCK_ASSIGN(InputFile file, InputFile::Open(in, path));
  InputSource source(file.input());
  PADDOCK_ASSIGN(const std::string_view head, source.Look(10));
  codec::CoderPtr decoder;
  switch (codec::Recognize(head)) {
    case codec::Format::kGzip: decoder = codec::NewGzipDecoder(&in.budget); break;
    case codec::Format::kBzip2: decoder = codec::NewBzip2Decoder(&in.budget); break;
    case codec::Format::kXz: decoder = codec::NewXzDecoder(&in.budget); break;
    case codec::Format::kZstd: decoder = codec::NewZstdDecoder(&in.budget); break;
    default: break;
  }
  std::optional<codec::DecodingSource> decoded;
  if (decoder != nullptr) decoded.emplace(source, std::move(decoder), &in.budget);
  ByteSource& bytes = decoded ? static_cast<ByteSource&>(*decoded) : source;
  std::string text;
  while (true) {
    PADDOCK_ASSIGN(const Block block, bytes.ReadBlock(1 << 16));
    if (block.bytes.empty()) return text;
    in.budget.Step();
    in.budget.WillAllocate(2 * (text.size() + block.bytes.size()));
    text += block.bytes;
  }
}

class Shower {
 public:
  Shower(Invocation& in, const Options& options, std::string section) : in_(in), o_(options), section_(std::move(section)) {}

  ExitStatus Run(const std::vector<std::string>& names) {
    if (o_.debugs) {
      in_.err.Write("ruid=" + std::to_string(in_.fs.credentials().uid) + ", euid=" + std::to_string(in_.fs.credentials().uid) + "\n" +
                    manual::ReadConfiguration(in_, o_.configuration.empty() ? "/etc/manpath.config" : o_.configuration).told);
    }
    const std::string& name = o_.encoding.empty() ? o_.device.value_or("utf8") : o_.encoding;
    if (o_.device && !IsDevice(*o_.device)) return NoDevice(o_.device->empty() ? "ps" : *o_.device);
    if (o_.browser) return NoDevice("html");
    if (o_.x_resolution) return NoDevice("X" + (o_.x_resolution->empty() ? "75" : *o_.x_resolution));
    if (!SetEncoding(name)) return in_.Fail("the encoding " + name + " is not supported", 3);
    style_.width = columns_ - 2;
    style_.justifies = o_.justifies;
    if (o_.searches_text) return Search(names);
    ExitStatus status = 0;
    for (const std::string& one : names) status = std::max(status, ShowOne(one));
    return status;
  }

 private:
  static bool IsDevice(std::string_view name) { return name == "utf8" || name == "ascii" || name == "latin1"; }
  bool SetEncoding(const std::string& name) {
    const auto found = CharEncoding::Find(name == "utf8" ? "UTF-8" : name);
    if (!found && name != "latin1") return false;
    const auto kind = found ? found->kind() : CharEncoding::Kind::kLatin1;
    if (kind != CharEncoding::Kind::kUtf8 && kind != CharEncoding::Kind::kAscii && kind != CharEncoding::Kind::kLatin1) return false;
    style_.encoding = kind == CharEncoding::Kind::kUtf8 ? PageStyle::Encoding::kUtf8 : kind == CharEncoding::Kind::kAscii ? PageStyle::Encoding::kAscii : PageStyle::Encoding::kLatin1;
    return true;
  }
  ExitStatus NoDevice(const std::string& device) {
    in_.err.Write("groff: can't find 'DESC' file\ngroff: fatal error: invalid device '" + device + "'\nman: command exited with status 3: groff -mandoc -T" + device + "\n");
    return 3;
  }
  ExitStatus Missing(const std::string& name) {
    in_.out.Flush();
    in_.err.Write("No manual entry for " + name + (section_.empty() ? "" : " in section " + section_) + "\n");
    return manual::kNothingFound;
  }

  ExitStatus ShowOne(const std::string& name) {
    if (o_.is_local) return ShowFile(name, name);
    const std::vector<std::string> files = o_.trees.empty() ? std::vector<std::string>() : FilesIn(name);
    for (const std::string& file : files) {
      const ExitStatus status = ShowFile(file, name);
      if (status != 0 || !o_.all) return status;
    }
    if (!files.empty()) return 0;
    std::vector<manual::Entry> pages;
    if (!o_.is_elsewhere && manual::HasSection(section_) && manual::HasSection(o_.sections)) {
      auto found = FindPages(in_, o_, name);
      if (!found) {
        const bool is_bad = found.error().code == Code::kSyntax;
        return in_.Fail("fatal: regex `" + name + "': " + (is_bad ? "Invalid regular expression" : std::string(found.error().Text())), 2);
      }
      pages = std::move(*found);
    }
    if (pages.empty() && name.find('/') != std::string::npos) return ShowFile(name, name);
    for (const manual::Entry& page : pages) {
      if (const ExitStatus status = ShowPage(page); status != 0) return status;
    }
    return pages.empty() ? Missing(name) : 0;
  }

  ExitStatus ShowPage(const manual::Entry& page) {
    switch (o_.shows) {
      case Shows::kPage: WritePage(manual::Page(page, columns_ - 2, in_.budget)); break;
      case Shows::kPath: in_.out.WriteLine("/usr/share/man/man1/" + page.name + ".1.gz"); break;
      case Shows::kCatPath: break;   // there is none
      case Shows::kSource: return in_.Fail(page.name + ": the page of a command has no source", 1);
      case Shows::kNothing: in_.err.Write(page.name + ".\n"); break;
    }
    return 0;
  }

  ExitStatus ShowFile(const std::string& path, const std::string& name) {
    if (o_.shows == Shows::kPath && in_.fs.Stat(path)) {
      in_.out.WriteLine(path);
      return 0;
    }
    auto text = ReadPage(in_, path);
    if (!text) {
      in_.out.Flush();
      in_.err.Write("man: " + path + ": " + std::string(text.error().Text()) + "\n");
      if (!o_.is_local) Missing(name);
      return manual::kNothingFound;
    }
    if (o_.shows == Shows::kSource) return ShowSource(*text);
    if (o_.shows != Shows::kPage) return 0;
    auto page = manual::FormatManPage(*text, style_, in_.budget);
    if (!page) return in_.Fail(path + ": " + std::string(page.error().Text()) + (page.error().code == Code::kNotSupported ? " are not supported" : ""), 3);
    if (o_.narrows_latin && style_.encoding == PageStyle::Encoding::kLatin1) {
      constexpr std::string_view kFrom = "\xad\xb7\xb4\xd7", kTo = "-o'x";
      for (char& c : *page) {
        if (const size_t at = kFrom.find(c); at != std::string_view::npos) c = kTo[at];
      }
    }
    WritePage(*page);
    return 0;
  }

  void WritePage(const std::string& page) { in_.out.Write(o_.makes_postscript ? manual::PostScript(page, in_.budget) : page); }

  ExitStatus ShowSource(std::string_view text) {
    const auto encoding = CharEncoding::Find(o_.recoding), from = CharEncoding::Find("UTF-8");
    if (!encoding || !from) return in_.Fail("the encoding " + o_.recoding + " is not supported", 3);
    std::string out;
    while (!text.empty()) {
      in_.budget.Step();
      const CharEncoding::Decoded decoded = from->Decode(text);
      if (decoded.state == CharEncoding::Decoded::State::kChar) static_cast<void>(encoding->Encode(decoded.code, out));   // what it lacks is left out
      text.remove_prefix(std::max<size_t>(decoded.length, 1));
    }
    in_.out.Write(out);
    return 0;
  }

  // Files of a page in the trees of -M: TREE/manN/NAME.N and what is packed of it.
  std::vector<std::string> FilesIn(const std::string& name) {
    std::vector<std::string> files;
    std::string_view trees = o_.trees;
    while (!trees.empty()) {
      const size_t end = std::min(trees.find(':'), trees.size());
      const std::string tree = vfs::JoinPath(in_.fs.cwd(), std::string(trees.substr(0, end)));
      trees.remove_prefix(std::min(end + 1, trees.size()));
      const auto sections = in_.fs.List(tree);
      if (!sections) continue;
      for (const vfs::DirectoryEntry& section : *sections) {
        const std::string number = section.name.starts_with("man") ? section.name.substr(3) : "";
        if (number.empty() || (!section_.empty() && section_ != number)) continue;
        const auto pages = in_.fs.List(vfs::JoinPath(tree, section.name));
        if (!pages) continue;
        for (const vfs::DirectoryEntry& page : *pages) {
          in_.budget.Step();
          const std::string start = name + "." + number;
          if (page.name.starts_with(start) && (page.name.size() == start.size() || page.name[start.size()] == '.')) files.push_back(vfs::JoinPath(vfs::JoinPath(tree, section.name), page.name));
        }
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  ExitStatus Search(const std::vector<std::string>& texts) {
    ExitStatus status = 0;
    for (const std::string& text : texts) {
      bool has_any = false;
      for (const manual::Entry& entry : manual::AllEntries(in_)) {
        in_.budget.Step();
        if (o_.is_elsewhere || manual::Page(entry, columns_ - 2, in_.budget).find(text) == std::string::npos) continue;
        has_any = true;
        if (const ExitStatus shown = ShowPage(entry); shown != 0) return shown;
      }
      if (!has_any) status = Missing(text);
    }
    return status;
  }

  Invocation& in_;
  const Options& o_;
  std::string section_;
  PageStyle style_;
  size_t columns_ = manual::Columns(in_.env, "MANWIDTH");
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto parsed = manual::Parse(in, &options, &status);
  if (!parsed) return status;
  if (options.wants_help || options.wants_version) return manual::Tell(in, options.wants_help);
  std::vector<std::string> operands = std::move(*parsed);
  const auto ask = [&](std::string_view what) {
    in.err.Write(what);
    return 1;
  };
  if (options.mode != Mode::kPage) {
    const bool is_whatis = options.mode == Mode::kWhatis;
    if (operands.empty()) {
      in.out.Write(is_whatis ? "whatis what?\n" : "apropos what?\n");
      return 1;
    }
    if (options.names_only) {
      return ask("apropos: unrecognized option '--names-only'\nTry 'apropos --help' or 'apropos --usage' for more information.\n");
    }
    manual::Query query{.names_only = is_whatis, .is_elsewhere = options.is_elsewhere, .sections = options.sections, .configuration = options.configuration, .debugs = options.debugs};
    query.look = is_whatis && options.kind != Kind::kRegex ? manual::Look::kName : manual::Look::kRegex;
    if (options.kind == Kind::kWildcard) query.look = manual::Look::kWildcard;
    return manual::Find(in, query, operands);
  }
  std::string section;
  if (operands.size() > 1 && IsSection(operands[0])) {
    section = operands[0];
    operands.erase(operands.begin());
  } else if (operands.size() == 1 && IsSection(operands[0])) {
    return ask("No manual entry for " + operands[0] + "\n(Alternatively, what manual page do you want from section " + operands[0] +
               "?)\nFor example, try 'man man'.\n");
  }
  if (operands.empty()) return ask("What manual page do you want?\nFor example, try 'man man'.\n");
  return Shower(in, options, section).Run(operands);
}

}  // namespace

extern const Command kCommand_man;
const Command kCommand_man = {
    .name = "man",
    .summary = "show the manual pages of commands",
    .synopsis = "[OPTION...] [SECTION] PAGE...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
