// tree - list contents of directories in a tree-like format
//
// usage: tree [OPTION]... [DIRECTORY]...
//
// Exit status: 0, 1 for bad usage, 2 when a directory could not be opened.
// Source: tree 2.1.0.
// Differs: no -R; the HTML of -H has a style and a last line of its own, and knows no other charsets than UTF-8 and
// ASCII; options may be abbreviated.

#include "commands/file/tree_printer.h"
#include "commands/file/tree_scan.h"
#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "text/quote.h"

namespace paddock {
namespace {

using tree::Grouping;
using tree::Lines;
using tree::Node;
using tree::PrintSettings;
using tree::ScanSettings;
using tree::SortKey;
using tree::Totals;
using tree::Unprintable;

enum class Form { kText, kJson, kXml, kHtml };

struct Options {
  ScanSettings scan;
  PrintSettings print;
  tree::HtmlSettings html;
  Form form = Form::kText;
  bool from_lists = false;
  bool no_color = false;
  bool draws_ansi = false;
  bool draws_console = false;
  std::optional<std::string> level, file_limit, charset, output, intro, outro;
  std::vector<std::string> ignore_files, comment_files;
};

template <auto kMember>
Status Scan(Options& o, std::string_view) {
  o.scan.*kMember = true;
  return {};
}
template <auto kMember>
Status Print(Options& o, std::string_view) {
  o.print.*kMember = true;
  return {};
}
template <SortKey kKey>
Status Sort(Options& o, std::string_view) {
  o.scan.sort = kKey;
  if (kKey == SortKey::kChanged) o.print.changed_time = true;
  return {};
}
template <Grouping kGrouping>
Status Group(Options& o, std::string_view) {
  o.scan.grouping = kGrouping;
  return {};
}
template <Unprintable kHow>
Status Show(Options& o, std::string_view) {
  o.print.unprintable = kHow;
  return {};
}
Status OnlyDirectories(Options& o, std::string_view) {
  o.scan.only_directories = o.print.only_directories = true;
  return {};
}
template <bool kIsSi>
Status Human(Options& o, std::string_view) {
  o.print.size = o.print.human = true;
  o.print.si = o.print.si || kIsSi;
  return {};
}
Status SumSizes(Options& o, std::string_view) {
  o.scan.sums_sizes = o.print.sums_sizes = o.print.size = true;
  return {};
}
Status SetTimeFormat(Options& o, std::string_view format) {
  o.print.date = true;
  o.print.time_format = format;
  return {};
}
Status AddWanted(Options& o, std::string_view pattern) {
  o.scan.wanted.emplace_back(pattern);
  return {};
}
Status AddIgnored(Options& o, std::string_view pattern) {
  o.scan.ignored.emplace_back(pattern);
  return {};
}
Status SetSort(Options& o, std::string_view word) {
  constexpr const char* kWords[] = {"name", "version", "size", "mtime", "ctime"};
  for (size_t i = 0; i < std::size(kWords); ++i) {
    if (word != kWords[i]) continue;
    o.scan.sort = static_cast<SortKey>(i);
    return {};
  }
  return Error(Code::kInvalid, "Sort type '" + std::string(word) +
                                   "' not valid, should be one of: name,version,size,mtime,ctime");
}

Status AddIgnoreFile(Options& o, std::string_view path) {
  o.scan.reads_ignore_files = true;
  o.ignore_files.emplace_back(path);
  return {};
}
Status AddCommentFile(Options& o, std::string_view path) {
  o.scan.reads_comments = true;
  o.comment_files.emplace_back(path);
  return {};
}
Status ListLinks(Options& o, std::string_view) {
  o.scan.lists_links = true;
  return {};
}
Status SetHtmlBase(Options& o, std::string_view base) {
  o.form = Form::kHtml;
  o.html.base = base.ends_with('/') ? base.substr(0, base.size() - 1) : base;
  return {};
}
Status SetTitle(Options& o, std::string_view title) {
  o.html.title = title;
  return {};
}
Status DropLinks(Options& o, std::string_view) {
  o.html.has_links = false;
  return {};
}

constexpr Option kOptions[] = {
    Call<Scan<&ScanSettings::shows_hidden>>('a', nullptr, nullptr, "All files are listed."),
    Call<OnlyDirectories>('d', nullptr, nullptr, "List directories only."),
    Call<Scan<&ScanSettings::follows_links>>('l', nullptr, nullptr, "Follow symbolic links like directories."),
    Call<Print<&PrintSettings::full_path>>('f', nullptr, nullptr, "Print the full path prefix for each file."),
    Call<Scan<&ScanSettings::one_file_system>>('x', nullptr, nullptr, "Stay on current filesystem only."),
    Value<&Options::level>('L', nullptr, "level", "Descend only level directories deep."),
    Call<AddWanted>('P', nullptr, "pattern", "List only those files that match the pattern given."),
    Call<AddIgnored>('I', nullptr, "pattern", "Do not list files that match the given pattern."),
    Call<Scan<&ScanSettings::ignore_case>>(0, "ignore-case", nullptr, "Ignore case when pattern matching."),
    Call<Scan<&ScanSettings::matches_directories>>(0, "matchdirs", nullptr,
                                                   "Include directory names in -P pattern matching."),
    Call<Print<&PrintSettings::facts_first>>(0, "metafirst", nullptr, "Print meta-data at the beginning of each line."),
    Call<Scan<&ScanSettings::prunes>>(0, "prune", nullptr, "Prune empty directories from the output."),
    Call<Print<&PrintSettings::no_report>>(0, "noreport", nullptr,
                                           "Turn off file/directory count at end of tree listing."),
    Value<&Options::charset>(0, "charset", "X", "Use charset X for indentation line output."),
    Value<&Options::file_limit>(0, "filelimit", "N", "Do not descend dirs with more than N files in them."),
    Value<&Options::output>('o', nullptr, "filename", "Output to file instead of stdout."),
    Call<Show<Unprintable::kQuestionMark>>('q', nullptr, nullptr, "Print non-printable characters as '?'."),
    Call<Show<Unprintable::kRaw>>('N', nullptr, nullptr, "Print non-printable characters as is."),
    Call<Print<&PrintSettings::quotes>>('Q', nullptr, nullptr, "Quote filenames with double quotes."),
    Call<Print<&PrintSettings::mode>>('p', nullptr, nullptr, "Print the protections for each file."),
    Call<Print<&PrintSettings::user>>('u', nullptr, nullptr, "Displays file owner or UID number."),
    Call<Print<&PrintSettings::group>>('g', nullptr, nullptr, "Displays file group owner or GID number."),
    Call<Print<&PrintSettings::size>>('s', nullptr, nullptr, "Print the size in bytes of each file."),
    Call<Human<false>>('h', nullptr, nullptr, "Print the size in a more human readable way."),
    Call<Human<true>>(0, "si", nullptr, "Like -h, but use in SI units (powers of 1000)."),
    Call<SumSizes>(0, "du", nullptr, "Compute size of directories by their contents."),
    Call<Print<&PrintSettings::date>>('D', nullptr, nullptr,
                                      "Print the date of last modification or (-c) status change."),
    Call<SetTimeFormat>(0, "timefmt", "f", "Print and format time according to the format f."),
    Call<Print<&PrintSettings::type_marks>>('F', nullptr, nullptr, "Appends '/', '=', '*', '@', '|' or '>' as per ls -F."),
    Call<Print<&PrintSettings::inode>>(0, "inodes", nullptr, "Print inode number of each file."),
    Call<Print<&PrintSettings::device>>(0, "device", nullptr, "Print device ID number to which each file belongs."),
    Call<Sort<SortKey::kVersion>>('v', nullptr, nullptr, "Sort files alphanumerically by version."),
    Call<Sort<SortKey::kModified>>('t', nullptr, nullptr, "Sort files by last modification time."),
    Call<Sort<SortKey::kChanged>>('c', nullptr, nullptr, "Sort files by last status change time."),
    Call<Sort<SortKey::kNone>>('U', nullptr, nullptr, "Leave files unsorted."),
    Call<Scan<&ScanSettings::reverse>>('r', nullptr, nullptr, "Reverse the order of the sort."),
    Call<Group<Grouping::kDirectoriesFirst>>(0, "dirsfirst", nullptr, "List directories before files (-U disables)."),
    Call<Group<Grouping::kFilesFirst>>(0, "filesfirst", nullptr, "List files before directories (-U disables)."),
    Call<SetSort>(0, "sort", "X", "Select sort: name,version,size,mtime,ctime."),
    Call<Print<&PrintSettings::no_indent>>('i', nullptr, nullptr, "Don't print indentation lines."),
    Flag<&Options::draws_ansi>('A', nullptr, "Print ANSI lines graphic indentation lines."),
    Flag<&Options::draws_console>('S', nullptr, "Print with CP437 (console) graphics indentation lines."),
    Flag<&Options::no_color>('n', nullptr, "Turn colorization off always (-C overrides)."),
    Call<Print<&PrintSettings::colors>>('C', nullptr, nullptr, "Turn colorization on always."),
    Set<&Options::form, Form::kXml>('X', nullptr, "Prints out an XML representation of the tree."),
    Set<&Options::form, Form::kJson>('J', nullptr, "Prints out an JSON representation of the tree."),
    Call<SetHtmlBase>('H', nullptr, "baseHREF", "Prints out HTML format with baseHREF as top directory."),
    Call<SetTitle>('T', nullptr, "string", "Replace the default HTML title and H1 header with string."),
    Call<DropLinks>(0, "nolinks", nullptr, "Turn off hyperlinks in HTML output."),
    Value<&Options::intro>(0, "hintro", "X", "Use file X as the HTML intro."),
    Value<&Options::outro>(0, "houtro", "X", "Use file X as the HTML outro."),
    Call<Scan<&ScanSettings::reads_ignore_files>>(0, "gitignore", nullptr, "Filter by using .gitignore files."),
    Call<AddIgnoreFile>(0, "gitfile", "X", "Explicitly read gitignore file."),
    Call<Scan<&ScanSettings::reads_comments>>(0, "info", nullptr, "Print information about files found in .info files."),
    Call<AddCommentFile>(0, "infofile", "X", "Explicitly read info file."),
    Flag<&Options::from_lists>(0, "fromfile", "Reads paths from files (.=stdin)"),
    Call<ListLinks>(0, "fflinks", nullptr, "Process link information when using --fromfile."),
};

// The rest of the settings, which depends on several options; false after a complaint.
bool Resolve(Invocation& in, Options& o) {
  if (o.level) {
    int64_t level = 0;
    if (!ParseOptionValue(*o.level, level) || level <= 0) {
      in.Fail("Invalid level, must be greater than 0.");
      return false;
    }
    o.scan.max_level = static_cast<uint64_t>(level);
  }
  // Like atoi: what is no number is no limit.
  if (o.file_limit && !ParseOptionValue(*o.file_limit, o.scan.file_limit)) o.scan.file_limit = 0;
  const std::string charset = o.charset.value_or(std::string(in.env.Get("TREE_CHARSET", in.locale.is_utf8 ? "UTF-8" : "")));
  o.print.charset = charset;
  o.print.lines = o.draws_ansi              ? Lines::kAnsi
                  : o.draws_console         ? Lines::kConsole
                  : tree::IsUtf8Charset(charset)     ? Lines::kUtf8
                                            : Lines::kAscii;
  if (!in.env.Get("TERM") && o.form != Form::kHtml) o.print.colors = false;
  else if (!o.print.colors && !o.no_color) o.print.colors = IsTerminal(in, 1) && in.env.Get("LS_COLORS").has_value();
  return true;
}

// Counts what is below an operand. The operand itself counts as a directory when it shows something.
void Count(const Node& node, bool is_root, Budget& budget, Totals& totals) {
  budget.CheckStack();
  budget.Step();
  if (is_root) {
    const bool is_over_limit = !node.error.empty() && node.error != "error opening dir";
    if (!node.exists) return;
    if (!node.children.empty() || is_over_limit || node.is_listing) ++totals.directories;
    else if (!node.error.empty()) ++totals.files;
  } else {
    ++(node.is_branch() ? totals.directories : totals.files);
    totals.size += node.size;   // a directory's is that of all below, which so counts once a level
  }
  for (const Node& child : node.children) Count(child, false, budget, totals);
}

bool HasErrorBelow(const Node& node) {
  for (const Node& child : node.children) {
    if (child.error == "error opening dir" || HasErrorBelow(child)) return true;
  }
  return false;
}

ExitStatus PrintTrees(Invocation& in, const Options& options, Output& out, const std::vector<std::string>& operands) {
  auto printer = options.form == Form::kJson  ? tree::MakeJsonPrinter(in, out, options.print)
                 : options.form == Form::kXml ? tree::MakeXmlPrinter(in, out, options.print)
                 : options.form == Form::kHtml ? tree::MakeHtmlPrinter(in, out, options.print, options.html)
                                              : tree::MakeTextPrinter(in, out, options.print);
  Totals totals;
  ExitStatus status = 0;
  tree::Scanner scanner(in, options.scan);
  for (const std::string& path : options.ignore_files) {
    if (!scanner.LoadIgnored(path)) return in.Fail("Could not load gitignore file");
  }
  // What git itself leaves out everywhere.
  const auto repository = in.env.Get("GIT_DIR");
  if (options.scan.reads_ignore_files && repository) {
    (void)scanner.LoadIgnored(std::string(*repository) + "/info/exclude");
  }
  for (const std::string& path : options.comment_files) {
    if (!scanner.LoadComments(path)) return in.Fail("Could not load infofile");
  }
  printer->Begin();
  for (size_t i = 0; i < operands.size(); ++i) {
    const Node root = options.from_lists ? scanner.ScanList(operands[i]) : scanner.Scan(operands[i]);
    Count(root, true, in.budget, totals);
    if (!root.exists || HasErrorBelow(root)) status = 2;
    printer->Root(root, i + 1 == operands.size());
  }
  printer->End(totals);
  return status;
}

// The intro or outro of HTML; empty when it cannot be read, as in the real tree.
std::string ReadPart(Invocation& in, const std::string& path) {
  std::string text;
  auto file = InputFile::OpenPath(in, path);
  if (!file) return text;
  for (std::string_view bytes = file->input().Peek(); !bytes.empty(); bytes = file->input().Peek()) {
    in.budget.WillAllocate(text.size() + bytes.size());
    text += bytes;
    file->input().Consume(bytes.size());
  }
  return text;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (!Resolve(in, options)) return 1;
  for (const auto& [path, text] : {std::pair(&options.intro, &options.html.intro), std::pair(&options.outro, &options.html.outro)}) {
    if (*path) *text = ReadPart(in, **path);
  }
  const std::vector<std::string> here = {"."};
  const std::vector<std::string>& roots = operands.empty() ? here : operands;
  if (!options.output) return PrintTrees(in, options, in.out, roots);
  auto file = in.fs.Open(*options.output, vfs::OpenFlags::Write());
  if (!file) return in.Fail("invalid filename '" + *options.output + "'");
  Output out(**file);
  const ExitStatus status = PrintTrees(in, options, out, roots);
  if (const Status flushed = out.Flush(); !flushed) {
    out.ClearStatus();
    return in.Fail(QuoteSubject(*options.output, in.locale.is_utf8), flushed.error());
  }
  return status;
}

}  // namespace

extern const Command kCommand_tree;
const Command kCommand_tree = Define<Options, Run>({
    .name = "tree",
    .summary = "list contents of directories in a tree-like format",
    .synopsis = "[OPTION]... [DIRECTORY]...",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
