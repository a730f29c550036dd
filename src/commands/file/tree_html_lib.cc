#include "commands/file/tree_facts.h"
#include "text/utf8.h"

namespace paddock::tree {
namespace {

constexpr std::string_view kStyle =
    " <style type=\"text/css\">\n"
    "  body, p { font-family: monospace, sans-serif; color: black; margin: 0; padding: 0 }\n"
    "  a { text-decoration: none }\n"
    "  a:hover { text-decoration: underline; background-color: yellow }\n"
    "  .NORM { color: black } .DIR { color: blue } .EXEC { color: green } .LINK { color: teal }\n"
    "  .FIFO { color: purple } .SOCK { color: fuchsia } .CHAR, .BLOCK { color: olive }\n"
    "  .VERSION { font-size: small }\n"
    " </style>\n";

// A path as the inside of href="...": percent signs, and an entity for what markup is made of.
std::string EscapedUrl(std::string_view path) {
  constexpr std::string_view kPlain = "!$'()*,-.:;@_`{|}~/";
  std::string url;
  for (const char c : path) {
    const bool is_alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_alnum || kPlain.find(c) != std::string_view::npos) {
      url += c;
    } else if (c == '&') {
      url += "&amp;";
    } else {
      url += '%';
      url += "0123456789ABCDEF"[static_cast<unsigned char>(c) >> 4];
      url += "0123456789ABCDEF"[static_cast<unsigned char>(c) & 15];
    }
  }
  return url;
}

// The class of the style sheet, by what a link leads to.
const char* ClassOf(const Node& node) {
  const vfs::Attributes& a = node.target_attributes ? *node.target_attributes : node.attributes;
  switch (a.type) {
    case vfs::FileType::kDirectory: return "DIR";
    case vfs::FileType::kFifo: return "FIFO";
    case vfs::FileType::kCharDevice: return "CHAR";
    case vfs::FileType::kBlockDevice: return "BLOCK";
    case vfs::FileType::kSocket: return "SOCK";
    case vfs::FileType::kSymlink: return "NORM";
    case vfs::FileType::kFile: break;
  }
  return (a.mode & 0111) != 0 ? "EXEC" : "NORM";
}

class HtmlPrinter final : public Printer {
 public:
  HtmlPrinter(Invocation& in, Output& out, const PrintSettings& settings, const HtmlSettings& html)
      : in_(in), out_(out), s_(settings), html_(html), facts_(in, settings) {}

  void Begin() override {
    if (html_.intro) return out_.Write(*html_.intro);
    const std::string charset = s_.charset.empty() ? "iso-8859-1" : s_.charset;
    out_.Write("<!DOCTYPE html>\n<html>\n<head>\n <meta http-equiv=\"Content-Type\" content=\"text/html; charset=" +
               charset + "\">\n <title>" + html_.title + "</title>\n");
    out_.Write(kStyle);
    out_.Write("</head>\n<body>\n\t<h1>" + html_.title + "</h1><p>\n");
  }

  void Root(const Node& root, bool) override {
    root_length_ = root.path.size();
    indent_.clear();
    Line(root, "", nullptr);
    Children(root);
  }

  void End(const Totals& totals) override {
    if (!s_.no_report) out_.Write("<br><br><p>\n\n" + facts_.Report(totals) + "\n\n</p>\n");
    if (html_.outro) return out_.Write(*html_.outro);
    out_.Write("\t<hr>\n\t<p class=\"VERSION\">tree</p>\n</body>\n</html>\n");
  }

 private:
  void Children(const Node& node) {
    in_.budget.CheckStack();
    const Marks& marks = MarksOf(s_.lines);
    for (const Node& child : node.children) {
      in_.budget.Step();
      const bool is_last = &child == &node.children.back();
      Line(child, s_.no_indent ? "" : indent_ + (is_last ? marks.corner : marks.tee), &node);
      const size_t length = indent_.size();
      indent_ += is_last ? "&nbsp;&nbsp;&nbsp; " : marks.vertical;
      Children(child);
      indent_.resize(length);
    }
  }

  void Line(const Node& node, const std::string& lines, const Node* parent) {
    std::string lead = lines;
    if (s_.lines == Lines::kAnsi && !lead.empty()) lead = "\033(0" + lead + "\033(B";
    if (node.exists && !s_.no_indent && s_.lines != Lines::kAnsi) lead = "\t" + lead;
    const std::string bracket = node.exists ? Bracket(node) : "";
    out_.Write(s_.facts_first ? bracket + lead : lead + bracket);
    out_.Write("<a");
    if (node.exists && s_.colors) out_.Write(std::string(" class=\"") + ClassOf(node) + "\"");
    if (!node.comment.empty()) out_.Write(" title=\"" + EscapedMarkup(JoinedComment(node)) + "\"");
    const std::string name = parent == nullptr ? html_.base : s_.full_path ? node.path : node.name;
    if (node.exists && html_.has_links) {
      out_.Write(" href=\"" + html_.base);
      // Links are built from what is shown, so -f repeats the directories, as the real tree does.
      if (parent != nullptr) out_.Write(EscapedUrl(parent->path.substr(root_length_) + "/" + name));
      if (node.is_branch() || parent == nullptr) out_.Put('/');
      out_.Put('"');
    }
    out_.Write(">" + EscapedMarkup(name) + "</a>");
    if (!node.error.empty()) out_.Write("  [" + node.error + "]");
    out_.Write("<br>\n");
  }

  std::string Bracket(const Node& node) {
    const std::string text = facts_.Bracket(node);
    if (text.empty()) return text;
    std::string html;
    for (const char c : std::string_view(text).substr(0, text.size() - 2)) {
      if (c == ' ') html += "&nbsp;";
      else html += c;
    }
    return html + "&nbsp;&nbsp;&nbsp;&nbsp;";
  }

  Invocation& in_;
  Output& out_;
  const PrintSettings& s_;
  const HtmlSettings& html_;
  Facts facts_;
  std::string indent_;
  size_t root_length_ = 0;
};

}  // namespace

bool IsUtf8Charset(std::string_view charset) {
  const std::string lower = LowerUtf8(charset);
  return lower == "utf-8" || lower == "utf8";
}

std::unique_ptr<Printer> MakeHtmlPrinter(Invocation& in, Output& out, const PrintSettings& settings,
                                         const HtmlSettings& html) {
  return std::make_unique<HtmlPrinter>(in, out, settings, html);
}

}  // namespace paddock::tree
