#include "commands/file/tree_printer.h"

#include <map>

#include "commands/file/tree_facts.h"
#include "commands/file_facts.h"
#include "text/utf8.h"

namespace paddock::tree {
namespace {

// Colours by LS_COLORS; by tree's own few without it.
class Colors {
 public:
  explicit Colors(const Environment& environment) {
    std::string_view text = environment.Get("TREE_COLORS", environment.Get("LS_COLORS", ""));
    if (text.empty()) {
      text = "fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:ex=01;32:*.bat=01;32:"
             "*.btm=01;32:*.cmd=01;32:*.com=01;32:*.exe=01;32:*.Z=01;31:*.arj=01;31:*.bz2=01;31:*.deb=01;31:*.gz=01;31:"
             "*.lzh=01;31:*.rpm=01;31:*.tar=01;31:*.taz=01;31:*.tbz=01;31:*.tbz2=01;31:*.tgz=01;31:*.zip=01;31:"
             "*.zoo=01;31:*.asf=01;35:*.avi=01;35:*.bmp=01;35:*.flac=01;35:*.gif=01;35:*.jpeg=01;35:*.jpg=01;35:"
             "*.m2v=01;35:*.mov=01;35:*.mp3=01;35:*.mpg=01;35:*.ogg=01;35:*.ppm=01;35:*.rm=01;35:*.tga=01;35:"
             "*.tif=01;35:*.wav=01;35:*.wmv=01;35:*.xbm=01;35:*.xpm=01;35";
    }
    while (!text.empty()) {
      const std::string_view item = text.substr(0, text.find(':'));
      text.remove_prefix(std::min(text.size(), item.size() + 1));
      const size_t equals = item.find('=');
      if (equals == std::string_view::npos) continue;
      codes_[std::string(item.substr(0, equals))] = item.substr(equals + 1);
    }
  }

  std::string Paint(const std::string& shown, std::string_view name, const vfs::Attributes& a, bool dangles) const {
    const std::string code = CodeOf(name, a, dangles);
    return code.empty() ? shown : "\033[" + code + "m" + shown + "\033[0m";
  }

 private:
  std::string Get(const std::string& key) const {
    const auto found = codes_.find(key);
    return found == codes_.end() ? "" : found->second;
  }

  std::string CodeOf(std::string_view name, const vfs::Attributes& a, bool dangles) const {
    switch (a.type) {
      case vfs::FileType::kDirectory: return Get("di");
      case vfs::FileType::kSymlink: return dangles && !Get("or").empty() ? Get("or") : Get("ln");
      case vfs::FileType::kFifo: return Get("pi");
      case vfs::FileType::kSocket: return Get("so");
      case vfs::FileType::kCharDevice: return Get("cd");
      case vfs::FileType::kBlockDevice: return Get("bd");
      case vfs::FileType::kFile: break;
    }
    if ((a.mode & 0111) != 0 && !Get("ex").empty()) return Get("ex");
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
      const std::string code = Get("*" + std::string(name.substr(dot)));
      if (!code.empty()) return code;
    }
    return Get("fi");
  }

  std::map<std::string, std::string> codes_;
};

class TextPrinter final : public Printer {
 public:
  TextPrinter(Invocation& in, Output& out, const PrintSettings& settings)
      : in_(in), out_(out), s_(settings), facts_(in, settings), colors_(in.env) {}

  void Begin() override {}

  void Root(const Node& root, bool) override {
    Line(root, "", true);
    indent_.clear();
    Children(root);
  }

  void End(const Totals& totals) override {
    if (s_.no_report) return;
    out_.Put('\n');
    out_.WriteLine(facts_.Report(totals));
  }

 private:
  void Children(const Node& node) {
    in_.budget.CheckStack();
    const Marks& marks = MarksOf(s_.lines);
    for (const Node& child : node.children) {
      in_.budget.Step();
      const bool is_last = &child == &node.children.back();
      std::string lead;
      if (!s_.no_indent) {
        lead = indent_ + (is_last ? marks.corner : marks.tee);
        if (s_.lines == Lines::kAnsi) lead = "\033(0" + lead + "\033(B";
      }
      Line(child, lead, false);
      if (child.children.empty() && child.comment.empty()) continue;
      const size_t length = indent_.size();
      indent_ += is_last ? "    " : marks.vertical;
      Comment(child.comment);
      Children(child);
      indent_.resize(length);
    }
  }

  void Line(const Node& node, const std::string& lead, bool is_root) {
    std::string bracket = node.exists ? facts_.Bracket(node) : "";
    if (s_.facts_first) out_.Write(bracket + lead);
    else out_.Write(lead + bracket);
    std::string path = s_.full_path ? node.path : node.name;
    while (is_root && s_.full_path && path.size() > 1 && path.ends_with('/')) path.pop_back();
    const bool dangles = node.attributes.is_symlink() && !node.target_attributes;
    out_.Write(Painted(path, node.name, node.attributes, dangles));
    if (node.attributes.is_symlink()) {
      const vfs::Attributes behind = node.target_attributes.value_or(vfs::Attributes{});
      out_.Write(" -> " + Painted(node.target, node.target, behind, false));
      if (node.target_attributes) Mark(*node.target_attributes);
    } else if (node.exists) {
      Mark(node.attributes);
    }
    if (!node.error.empty()) out_.Write("  [" + node.error + "]");
    out_.Put('\n');
  }

  // The lines of a .info file about what was just shown, with a brace around them.
  void Comment(const std::vector<std::string>& lines) {
    const bool has_braces = IsUtf8Charset(s_.charset) && s_.lines != Lines::kConsole;
    for (size_t i = 0; i < lines.size(); ++i) {
      in_.budget.Step();
      const char* brace = !has_braces               ? "["
                          : lines.size() == 1       ? "{"
                          : i == 0                  ? "\u23a7"
                          : i + 1 == lines.size()   ? "\u23a9"
                          : i == 1                  ? "\u23a8"
                                                    : "\u23aa";
      out_.Write(s_.lines == Lines::kAnsi ? "\033(0" + indent_ + "\033(B" : indent_);
      out_.WriteLine(std::string(" ") + brace + " " + lines[i]);
    }
  }

  std::string Painted(std::string_view text, std::string_view name, const vfs::Attributes& a, bool dangles) const {
    const std::string shown = Shown(text);
    return s_.colors ? colors_.Paint(shown, name, a, dangles) : shown;
  }

  void Mark(const vfs::Attributes& a) {
    if (!s_.type_marks) return;
    switch (a.type) {
      case vfs::FileType::kDirectory: return out_.Put('/');
      case vfs::FileType::kSocket: return out_.Put('=');
      case vfs::FileType::kFifo: return out_.Put('|');
      case vfs::FileType::kFile:
        if ((a.mode & 0111) != 0) out_.Put('*');
        return;
      default: return;
    }
  }

  std::string Shown(std::string_view name) const {
    std::string text = s_.quotes ? "\"" : "";
    if (s_.unprintable == Unprintable::kRaw) text += name;
    else if (in_.locale.is_utf8 && IsValidUtf8(name)) AppendCharacters(text, name);
    else AppendBytes(text, name);
    return s_.quotes ? text + '"' : text;
  }

  void AppendCharacters(std::string& text, std::string_view name) const {
    while (!name.empty()) {
      const DecodedChar decoded = DecodeUtf8(name);
      if (IsInClass(decoded.code, CharClass::kPrint)) text += name.substr(0, decoded.length);
      else if (s_.unprintable == Unprintable::kQuestionMark) text += '?';
      else AppendOctal(text, decoded.code);
      name.remove_prefix(decoded.length);
    }
  }

  // For names that are no text of the locale.
  void AppendBytes(std::string& text, std::string_view name) const {
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_passed = s_.unprintable == Unprintable::kQuestionMark && in_.locale.is_utf8 && byte > 0x7f;
      if (byte >= 7 && byte <= 13) text.append({'\\', "abtnvfr"[byte - 7]});
      else if ((byte >= ' ' && byte < 0x7f) || is_passed) text += c;
      else if (s_.unprintable == Unprintable::kQuestionMark) text += '?';
      else AppendOctal(text, byte);
    }
  }

  static void AppendOctal(std::string& text, char32_t code) {
    std::string digits;
    for (; code != 0; code >>= 3) digits.insert(digits.begin(), static_cast<char>('0' + (code & 7)));
    text += '\\' + std::string(3 - std::min<size_t>(digits.size(), 3), '0') + digits;
  }

  Invocation& in_;
  Output& out_;
  const PrintSettings& s_;
  Facts facts_;
  Colors colors_;
  std::string indent_;
};

// What JSON and XML have in common: names and values of what is known about a file, and layout.
class MarkupPrinter : public Printer {
 public:
  MarkupPrinter(Invocation& in, Output& out, const PrintSettings& settings)
      : in_(in), out_(out), s_(settings), facts_(in, settings) {}

 protected:
  void NewLine() {
    if (!s_.no_indent) out_.Put('\n');
  }
  void Indent(size_t level) {
    if (!s_.no_indent) out_.Write(std::string(2 * level, ' '));
  }
  std::string NameOf(const Node& node) const { return s_.full_path ? node.path : node.name; }

  // Writes each fact as the form wants it; `is_text` is false for numbers.
  virtual void Fact(std::string_view name, std::string_view value, bool is_text) = 0;

  void AllFacts(const Node& node) {
    if (!node.comment.empty()) Fact("info", JoinedComment(node), true);
    const vfs::Attributes& a = node.attributes;
    if (a.is_symlink()) Fact("target", node.target, true);
    if (s_.inode) Fact("inode", std::to_string(a.inode), false);
    if (s_.device) Fact("dev", std::to_string(a.device), false);
    if (s_.mode) {
      std::string octal;
      for (const int shift : {9, 6, 3, 0}) octal += static_cast<char>('0' + ((a.mode >> shift) & 7));
      Fact("mode", octal, true);
      Fact("prot", ModeText(a), true);
    }
    if (s_.user) Fact("user", facts_.User(node), true);
    if (s_.group) Fact("group", facts_.Group(node), true);
    if (s_.size) {
      const std::string text = facts_.Size(node.size);
      Fact("size", std::string_view(text).substr(text.find_first_not_of(' ')), s_.human);
    }
    if (s_.date) Fact("time", facts_.Date(node), true);
  }

  Invocation& in_;
  Output& out_;
  const PrintSettings& s_;
  Facts facts_;
};

class JsonPrinter final : public MarkupPrinter {
 public:
  using MarkupPrinter::MarkupPrinter;

  void Begin() override {
    out_.Put('[');
    NewLine();
  }

  void Root(const Node& root, bool is_last) override {
    if (root.exists) Indent(1);
    Object(root, 1);
    const bool has_contents = !root.children.empty() || !root.error.empty();
    if (has_contents && !is_last) out_.Put(',');
    NewLine();
  }

  void End(const Totals& totals) override {
    if (s_.no_report) {
      NewLine();
      out_.Write("]\n");
      return;
    }
    out_.Put(',');
    NewLine();
    Indent(1);
    out_.Write("{\"type\":\"report\"");
    if (s_.sums_sizes) Number("size", totals.size);
    Number("directories", totals.directories);
    if (!s_.only_directories) Number("files", totals.files);
    out_.Put('}');
    NewLine();
    out_.Write("]\n");
  }

 private:
  void Number(std::string_view name, uint64_t value) { Fact(name, std::to_string(value), false); }

  void Fact(std::string_view name, std::string_view value, bool is_text) override {
    out_.Write(",\"" + std::string(name) + "\":");
    out_.Write(is_text ? Quoted(value) : std::string(value));
  }

  void Object(const Node& node, size_t level) {
    in_.budget.CheckStack();
    if (node.exists) out_.Write("{\"type\":\"" + std::string(TypeName(node)) + "\"");
    Fact("name", NameOf(node), true);
    if (node.exists) AllFacts(node);
    if (!node.error.empty()) {
      out_.Write(",\"contents\":[{\"error\": \"" + node.error + "\"}");
      NewLine();
      if (level == 1) NewLine();
      Indent(1);
    } else if (!node.children.empty()) {
      out_.Write(",\"contents\":[");
      NewLine();
      for (const Node& child : node.children) {
        in_.budget.Step();
        Indent(level + 1);
        Object(child, level + 1);
        if (&child != &node.children.back()) out_.Put(',');
        NewLine();
      }
      Indent(level);
    } else {
      out_.Put('}');
      return;
    }
    out_.Write("]}");
  }

  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      constexpr std::string_view kSpecial = "\b\f\n\r\t\"\\";
      constexpr std::string_view kLetters = "bfnrt\"\\";
      const size_t index = kSpecial.find(c);
      if (index != std::string_view::npos) {
        quoted += '\\';
        quoted += kLetters[index];
      } else if (static_cast<unsigned char>(c) < ' ') {
        quoted += "\\u00";
        quoted += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        quoted += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
      } else {
        quoted += c;
      }
    }
    return quoted + '"';
  }
};

class XmlPrinter final : public MarkupPrinter {
 public:
  using MarkupPrinter::MarkupPrinter;

  void Begin() override {
    out_.Write("<?xml version=\"1.0\"");
    if (!s_.charset.empty()) out_.Write(" encoding=\"" + s_.charset + "\"");
    out_.Write("?>");
    NewLine();
    out_.Write("<tree>");
    NewLine();
  }

  void Root(const Node& root, bool) override {
    if (root.exists) Indent(1);
    Element(root, 1);
  }

  void End(const Totals& totals) override {
    if (!s_.no_report) {
      Indent(1);
      out_.Write("<report>");
      NewLine();
      if (s_.sums_sizes) Number("size", totals.size);
      Number("directories", totals.directories);
      if (!s_.only_directories) Number("files", totals.files);
      Indent(1);
      out_.Write("</report>");
      NewLine();
    }
    out_.Write("</tree>\n");
  }

 private:
  void Number(const std::string& name, uint64_t value) {
    Indent(2);
    out_.Write("<" + name + ">" + std::to_string(value) + "</" + name + ">");
    NewLine();
  }

  void Fact(std::string_view name, std::string_view value, bool) override {
    out_.Write(" " + std::string(name) + "=\"" + EscapedMarkup(value) + "\"");
  }

  void Element(const Node& node, size_t level) {
    in_.budget.CheckStack();
    const std::string type = node.exists ? TypeName(node) : "unknown";
    if (node.exists) out_.Write("<" + type);
    Fact("name", NameOf(node), true);
    if (node.exists) AllFacts(node);
    out_.Put('>');
    if (!node.error.empty()) out_.Write("<error>" + node.error + "</error>");
    if (level == 1) out_.Put('\n');
    else if (!node.children.empty()) NewLine();
    for (const Node& child : node.children) {
      in_.budget.Step();
      Indent(level + 1);
      Element(child, level + 1);
    }
    if (level == 1 || !node.children.empty()) Indent(level);
    out_.Write("</" + type + ">");
    NewLine();
  }
};

}  // namespace

std::unique_ptr<Printer> MakeTextPrinter(Invocation& in, Output& out, const PrintSettings& settings) {
  return std::make_unique<TextPrinter>(in, out, settings);
}
std::unique_ptr<Printer> MakeJsonPrinter(Invocation& in, Output& out, const PrintSettings& settings) {
  return std::make_unique<JsonPrinter>(in, out, settings);
}
std::unique_ptr<Printer> MakeXmlPrinter(Invocation& in, Output& out, const PrintSettings& settings) {
  return std::make_unique<XmlPrinter>(in, out, settings);
}

}  // namespace paddock::tree
