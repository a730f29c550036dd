// dircolors - color setup for ls
//
// usage: dircolors [OPTION]... [FILE]
// Writes shell code that sets LS_COLORS from FILE, or from the defaults.
//
// Exit status: 0, or 1 when FILE could not be read or has errors.
// Source: GNU coreutils 9.1. The defaults are the same; the comments that -p prints are our own.
// Differs: nothing known.

#include <algorithm>

#include "commands/input_files.h"
#include "text/pattern.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

enum class Shell { kUnknown, kBourne, kC };

struct Options {
  Shell shell = Shell::kUnknown;
  bool prints_database = false;
  bool prints_colors = false;
};

constexpr Option kOptions[] = {
    Set<&Options::shell, Shell::kBourne>('b', "sh", "output Bourne shell code to set LS_COLORS"),
    Set<&Options::shell, Shell::kBourne>(0, "bourne-shell", "the same"),
    Set<&Options::shell, Shell::kC>('c', "csh", "output C shell code to set LS_COLORS"),
    Set<&Options::shell, Shell::kC>(0, "c-shell", "the same"),
    Flag<&Options::prints_database>('p', "print-database", "output the defaults"),
    Flag<&Options::prints_colors>(0, "print-ls-colors", "output the colors for display"),
};

struct Keyword {
  std::string_view name, code;
};
constexpr Keyword kKeywords[] = {
    {"NORMAL", "no"}, {"NORM", "no"}, {"FILE", "fi"}, {"RESET", "rs"}, {"DIR", "di"}, {"LNK", "ln"}, {"LINK", "ln"},
    {"SYMLINK", "ln"}, {"ORPHAN", "or"}, {"MISSING", "mi"}, {"FIFO", "pi"}, {"PIPE", "pi"}, {"SOCK", "so"},
    {"BLK", "bd"}, {"BLOCK", "bd"}, {"CHR", "cd"}, {"CHAR", "cd"}, {"DOOR", "do"}, {"EXEC", "ex"}, {"LEFT", "lc"},
    {"LEFTCODE", "lc"}, {"RIGHT", "rc"}, {"RIGHTCODE", "rc"}, {"END", "ec"}, {"ENDCODE", "ec"}, {"SUID", "su"},
    {"SETUID", "su"}, {"SGID", "sg"}, {"SETGID", "sg"}, {"STICKY", "st"}, {"OTHER_WRITABLE", "ow"}, {"OWR", "ow"},
    {"STICKY_OTHER_WRITABLE", "tw"}, {"OWT", "tw"}, {"CAPABILITY", "ca"}, {"MULTIHARDLINK", "mh"}, {"CLRTOEOL", "cl"},
};

// The defaults: for each group a comment, the words, and what stands behind each (else the word brings it along).
struct Group {
  const char* comment;
  const char* words;
  const char* value;
};
constexpr Group kDefaults[] = {
    {"Terminals that show colors.", "?*", "COLORTERM"},
    {nullptr,
     "Eterm ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome hurd jfbterm konsole kterm linux "
     "linux-c mlterm putty rxvt* screen* st terminator tmux* vt100 xterm*",
     "TERM"},
    {"Kinds of files. A color is a list of attributes: 00 none, 01 bold, 3x and 9x text, 4x background.",
     "RESET=0 DIR=01;34 LINK=01;36 MULTIHARDLINK=00 FIFO=40;33 SOCK=01;35 DOOR=01;35 BLK=40;33;01 CHR=40;33;01 "
     "ORPHAN=40;31;01 MISSING=00 SETUID=37;41 SETGID=30;43 CAPABILITY=00 STICKY_OTHER_WRITABLE=30;42 "
     "OTHER_WRITABLE=34;42 STICKY=37;44 EXEC=01;32",
     nullptr},
    {"Archives.",
     ".tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip .z .dz .gz .lrz .lz .lzo .xz .zst .tzst "
     ".bz2 .bz .tbz .tbz2 .tz .deb .rpm .jar .war .ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim .swm .dwm .esd",
     "01;31"},
    {"Pictures and films.",
     ".avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm .tif .tiff .png .svg .svgz .mng .pcx .mov "
     ".mpg .mpeg .m2v .mkv .webm .webp .ogm .mp4 .m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi .fli .flv .gl "
     ".dl .xcf .xwd .yuv .cgm .emf .ogv .ogx",
     "01;35"},
    {"Sound.", ".aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus .spx .xspf", "00;36"},
    {"Backups and leftovers.",
     "*~ *# .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist .ucf-new .ucf-old .rpmnew .rpmorig "
     ".rpmsave",
     "00;90"},
};

std::string DefaultDatabase() {
  std::string text = "# Colors of ls, for dircolors: a word and what belongs to it on each line.\n";
  for (const Group& group : kDefaults) {
    if (group.comment != nullptr) text += std::string("\n# ") + group.comment + "\n";
    std::string_view rest = group.words;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      const std::string word(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::string value = group.value == nullptr ? "" : group.value;
      if (value.empty()) text += word.substr(0, word.find('=')) + " " + word.substr(word.find('=') + 1);
      else text += value.find("TERM") != std::string::npos ? value + " " + word : word + " " + value;
      text += '\n';
    }
  }
  return text;
}

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A value as LS_COLORS and the quotes of the shell take it.
void AppendQuoted(std::string& out, std::string_view text) {
  bool needs_backslash = true;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      needs_backslash = true;
      continue;
    }
    if (c == '\\' || c == '^') {
      needs_backslash = !needs_backslash;
    } else {
      if ((c == ':' || c == '=') && needs_backslash) out += '\\';
      needs_backslash = true;
    }
    out += c;
  }
}

class Reader {
 public:
  Reader(Invocation& in, std::string name, bool for_display)
      : in_(in), name_(std::move(name)), for_display_(for_display), terminal_(in.env.Get("TERM", "")),
        color_terminal_(in.env.Get("COLORTERM", "")) {
    if (terminal_.empty()) terminal_ = "none";
  }

  bool Read(Input& input) {
    while (const auto line = input.ReadLine()) {
      ++number_;
      TakeLine(line->text);
    }
    return is_good_;
  }
  const std::string& colors() const { return colors_; }

 private:
  // Lines count unless they are below a TERM that is not ours.
  enum class Where { kGlobal, kOtherTerminal, kOurTerminal, kBelowOurTerminal };

  void TakeLine(std::string_view line) {
    while (!line.empty() && IsBlank(line[0])) line.remove_prefix(1);
    if (line.empty() || line[0] == '#') return;
    size_t end = 0;
    while (end < line.size() && !IsBlank(line[end])) ++end;
    const std::string keyword(line.substr(0, end));
    line.remove_prefix(end);
    while (!line.empty() && IsBlank(line[0])) line.remove_prefix(1);
    line = line.substr(0, line.find('#'));
    while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
    if (line.empty()) {
      Complain("invalid line;  missing second token");
      return;
    }
    const std::string upper = UpperUtf8(keyword);
    if (upper == "TERM") return TakeTerminal(line, terminal_);
    if (upper == "COLORTERM") return TakeTerminal(line, color_terminal_);
    if (where_ == Where::kOurTerminal) where_ = Where::kBelowOurTerminal;
    if (where_ == Where::kOtherTerminal) return;
    TakeColor(keyword, upper, line);
  }

  void TakeTerminal(std::string_view pattern, const std::string& name) {
    if (where_ == Where::kOurTerminal) return;
    PatternFlags flags;
    flags.extglob = false;
    flags.is_utf8 = in_.locale.is_utf8;
    where_ = Pattern(pattern, flags).Matches(name, in_.budget) ? Where::kOurTerminal : Where::kOtherTerminal;
  }

  void TakeColor(const std::string& keyword, const std::string& upper, std::string_view value) {
    if (keyword[0] == '.') return Add("*" + keyword, value);
    if (keyword[0] == '*') return Add(keyword, value);
    if (upper == "OPTIONS" || upper == "COLOR" || upper == "EIGHTBIT") return;
    for (const Keyword& known : kKeywords) {
      if (known.name == upper) return Add(std::string(known.code), value);
    }
    if (where_ == Where::kBelowOurTerminal) Complain("unrecognized keyword " + keyword);
  }

  void Add(const std::string& key, std::string_view value) {
    if (for_display_) {
      colors_ += "\033[" + std::string(value) + "m" + key + "\t" + std::string(value) + "\033[0m\n";
      return;
    }
    AppendQuoted(colors_, key);
    colors_ += '=';
    AppendQuoted(colors_, value);
    colors_ += ':';
  }

  void Complain(const std::string& what) {
    in_.Fail(QuoteSubject(name_, in_.locale.is_utf8) + ":" + std::to_string(number_) + ": " + what);
    is_good_ = false;
  }

  Invocation& in_;
  const std::string name_;
  const bool for_display_;
  std::string terminal_, color_terminal_, colors_;
  Where where_ = Where::kGlobal;
  uint64_t number_ = 0;
  bool is_good_ = true;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if ((options.prints_database || options.prints_colors) && options.shell != Shell::kUnknown) {
    return in.Usage("the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive");
  }
  if (options.prints_database && options.prints_colors) {
    return in.Usage("options --print-database and --print-ls-colors are mutually exclusive");
  }
  const size_t most = options.prints_database ? 0 : 1;
  if (operands.size() > most) {
    const std::string note =
        options.prints_database ? "\nfile operands cannot be combined with --print-database (-p)" : "";
    return in.Usage("extra operand " + Quote(operands[most], is_utf8) + note);
  }
  if (options.prints_database) {
    in.out.Write(DefaultDatabase());
    return 0;
  }
  Shell shell = options.shell;
  if (shell == Shell::kUnknown && !options.prints_colors) {
    const std::string path(in.env.Get("SHELL", ""));
    if (path.empty()) return in.Fail("no SHELL environment variable, and no shell type option given");
    const std::string name = path.substr(path.rfind('/') + 1);
    shell = name == "csh" || name == "tcsh" ? Shell::kC : Shell::kBourne;
  }
  bool is_good = true;
  std::string colors;
  if (operands.empty()) {
    const std::string database = DefaultDatabase();
    StringSource source(database);
    Input input(source, in.budget);
    Reader reader(in, "<internal>", options.prints_colors);
    is_good = reader.Read(input);
    colors = reader.colors();
  } else {
    auto file = InputFile::Open(in, operands[0]);
    if (!file) {
      ReportFile(in, operands[0], file.error());
      return 1;
    }
    Reader reader(in, operands[0], options.prints_colors);
    is_good = reader.Read(file->input());
    // A directory counts as an empty file.
    if (!file->input().status() && file->input().status().error().code != Code::kIsDirectory) {
      ReportFile(in, operands[0], file->input().status().error());
      return 1;
    }
    colors = reader.colors();
  }
  if (!is_good) return 1;
  if (options.prints_colors) in.out.Write(colors);
  else if (shell == Shell::kBourne) in.out.Write("LS_COLORS='" + colors + "';\nexport LS_COLORS\n");
  else in.out.Write("setenv LS_COLORS '" + colors + "'\n");
  return 0;
}

}  // namespace

extern const Command kCommand_dircolors;
const Command kCommand_dircolors = Define<Options, Run>({
    .name = "dircolors",
    .summary = "color setup for ls",
    .synopsis = "[OPTION]... [FILE]",
    .details = "\nIf FILE is specified, read it to determine which colors to use for which\n"
               "file types and extensions.  Otherwise, the defaults are used, which\n"
               "'dircolors --print-database' shows.\n",
    .options = kOptions,
});

}  // namespace paddock
