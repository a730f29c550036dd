// html-to-markdown - turn HTML into Markdown
//
// usage: html-to-markdown [OPTION]... [FILE]...
//
// Headings, paragraphs, lists, links, images, code, tables, emphasis, quotes and rules of each file (or of standard
// input) as CommonMark with GitHub's tables; scripts, styles and what else is not for readers is left out. Any text is
// HTML: what is wrong in it is taken as browsers take it.
//
// Exit status: 0; 1 when a file cannot be read.
// Source: CommonMark 0.30, GitHub Flavored Markdown; HTML is parsed by gumbo.
// Differs: a command of our own; there is no tool of this name in Debian.
#include "commands/input_files.h"
#include "lang/html/markdown.h"

namespace paddock {
namespace {

struct Options {
  bool ignores_links = false;
  bool ignores_images = false;
  std::string bullet = "-";
};

constexpr Option kOptions[] = {
    Flag<&Options::ignores_links>(0, "ignore-links", "write the text of links alone"),
    Flag<&Options::ignores_images>(0, "ignore-images", "write the alternative text of images alone"),
    Value<&Options::bullet>('b', "bullet", "CHAR", "begin items with this: - (default), * or +"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.bullet != "-" && options.bullet != "*" && options.bullet != "+") return in.Usage("invalid bullet: '" + options.bullet + "'");
  const html::MarkdownSettings settings = {options.ignores_links, options.ignores_images, options.bullet[0]};
  bool is_first = true;
  return ForEachInput(in, operands, [&](InputFile& file) {
    const std::string text = file.input().ReadAll();
    if (!file.input().status()) return false;
    if (!std::exchange(is_first, false)) in.out.Put('\n');
    in.out.Write(html::ToMarkdown(text, settings, in.budget));
    return true;
  });
}

}  // namespace

extern const Command kCommand_html_to_markdown;
const Command kCommand_html_to_markdown = Define<Options, Run>({
    .name = "html-to-markdown",
    .summary = "turn HTML into Markdown",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
