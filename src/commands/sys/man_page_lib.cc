#include "commands/sys/man_page.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <vector>

#include "commands/sys/man_characters.h"
#include "commands/sys/man_layout.h"
#include "text/utf8.h"

namespace paddock::manual {
namespace {

constexpr size_t kBody = 7;             // indent of the text, and of what is tagged
constexpr int kDeepestMacro = 40;
constexpr size_t kMostStrings = 4000, kLongestString = 1 << 16;

using Words = std::vector<std::string>;

class Formatter {
 public:
  Formatter(const PageStyle& style, Budget& budget) : style_(style), budget_(budget), layout_(style.width, style.justifies, budget) {
    strings_ = {{"lq", "\\(lq"}, {"rq", "\\(rq"}, {"R", "\\(rg"}, {"Tm", "\\(tm"}, {"S", ""}};
    registers_ = {{".g", 1}, {".H", 24}, {".V", 40}, {".l", static_cast<int64_t>(style.width)}, {"PD", 1}};
  }

  Result<std::string> Run(std::string_view source) {
    PADDOCK_TRY(RunLines(source, {}));
    Leave();
    layout_.Break();
    if (has_title_) {
      layout_.Space();
      layout_.AddThreeParts(Shown(source_), Shown(date_), Shown(title_));
    }
    return std::move(layout_.page());
  }

 private:
  static Error Refuse(const std::string& what) { return Error(Code::kNotSupported, what); }

  // --- lines

  Status RunLines(std::string_view text, const Words& arguments) {
    budget_.CheckStack();
    if (++depth_ > kDeepestMacro) return Error(Code::kLimit, "macros call each other without end");
    std::string joined;
    while (!text.empty()) {
      budget_.Step(4);
      std::string line = NextLine(text);
      if (!arguments.empty()) line = WithArguments(line, arguments);
      PADDOCK_TRY(RunLine(line, text));
      if (is_endless_) return Error(Code::kLimit, "strings call each other without end");
    }
    --depth_;
    return {};
  }
  // A line, and the next ones as long as a backslash is at its end.
  static std::string NextLine(std::string_view& text) {
    std::string line;
    while (true) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (one.ends_with('\r')) one.remove_suffix(1);
      const size_t slashes = one.size() - (one.find_last_not_of('\\') == std::string_view::npos ? 0 : one.find_last_not_of('\\') + 1);
      if (slashes % 2 == 0 || text.empty()) return line += one;
      line += one.substr(0, one.size() - 1);
    }
  }
  static std::string WithArguments(std::string_view line, const Words& arguments) {
    std::string result;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\\' || i + 2 >= line.size() || line[i + 1] != '$') {
        result += line[i];
        continue;
      }
      const char which = line[i + 2];
      if (which >= '1' && which <= '9') {
        const auto index = static_cast<size_t>(which - '0');
        if (index < arguments.size()) result += arguments[index];
      } else if (which == '*' || which == '@') {
        for (size_t k = 1; k < arguments.size(); ++k) result += (k > 1 ? " " : "") + (which == '@' ? "\"" + arguments[k] + "\"" : arguments[k]);
      } else if (which == '0') {
        result += arguments[0];
      }
      i += 2;
    }
    return result;
  }

  Status RunLine(std::string line, std::string_view& rest) {
    if (const size_t comment = CommentOf(line); comment != std::string::npos) {
      line.resize(comment);
      if (line.empty() || line == "." || line == "'") return {};
    }
    if (!line.empty() && (line[0] == '.' || line[0] == '\'')) return RunRequest(line.substr(1), rest);
    Text(line);
    return {};
  }
  static size_t CommentOf(const std::string& line) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      if (line[i] != '\\') continue;
      if (line[i + 1] == '"' || line[i + 1] == '#') return i;
      ++i;
    }
    return std::string::npos;
  }

  void Text(const std::string& line) {
    if (line.find_first_not_of(' ') == std::string::npos && !ends_open_) {
      layout_.Space();
      return;
    }
    bool is_open = false;
    std::string text = Translated(ShownOn(Escaped(line, &is_open), style_.encoding, budget_));
    if (!fills_) {
      Say(text, false);
    } else {
      if (outdent_ > 0) {   // blanks behind the movement are part of it
        const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
        text.erase(0, blanks);
        for (size_t n = blanks; n > 0; --n) text.insert(0, kFixedSpace);
      }
      if (outdent_ > 0 && !layout_.has_text()) layout_.set_first_indent(layout_.indent() - std::min(layout_.indent(), outdent_));
      outdent_ = 0;
      if (line.starts_with(' ')) {
        layout_.Break();
        layout_.set_first_indent(layout_.indent() + line.find_first_not_of(' '));
      }
      Say(text, true);
    }
    ends_open_ = is_open;
    if (is_open) layout_.NoSpaceNext();
    EndInput();
  }
  // .tr
  std::string Translated(std::string text) const {
    for (const auto& [from, to] : translations_) {
      for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        budget_.Step();
        text.replace(at, from.size(), to);
      }
    }
    return text;
  }
  void Translate(const std::string& pairs) {
    std::string_view rest = pairs;
    while (!rest.empty() && translations_.size() < 100) {
      std::string one[2] = {"", " "};
      for (std::string& part : one) {
        if (rest.empty()) break;
        const size_t length = DecodeUtf8(rest).length;
        part = std::string(rest.substr(0, length));
        rest.remove_prefix(length);
      }
      if (one[0] != one[1]) translations_.emplace_back(one[0], one[1]);
    }
  }
  void Say(const std::string& text, bool fills) {
    if (fills || waits_for_tag_) {
      layout_.AddText(text);
      return;
    }
    if (layout_.has_text()) {
      layout_.AddText(text);
      layout_.Break();
    } else {
      layout_.AddLine(text);
    }
  }
  // What waits for one line of input.
  void EndInput() {
    if (centers_ > 0) {
      --centers_;
      const std::string text = layout_.TakeLine();
      const size_t room = style_.width - std::min(style_.width, layout_.indent()), width = TextWidth(text);
      layout_.AddLine(std::string(room > width ? (room - width) / 2 : 0, ' ') + text);
    }
    if (!waits_for_tag_ || ends_open_) return;
    waits_for_tag_ = false;
    PlaceTag(layout_.TakeLine());
  }
  void PlaceTag(const std::string& tag) {
    const size_t margin = margin_ + kBody;
    if (TextWidth(tag) + 1 > tag_indent_) {
      layout_.set_indent(margin);
      layout_.AddText(tag);
      layout_.Break();
      layout_.set_indent(margin + tag_indent_);
      return;
    }
    layout_.set_indent(margin + tag_indent_);
    layout_.SetTag(tag, margin);
  }

  // --- requests

  static Words Split(std::string_view text) {
    Words words;
    size_t i = 0;
    while (i < text.size()) {
      while (i < text.size() && text[i] == ' ') ++i;
      if (i >= text.size()) break;
      std::string word;
      if (text[i] == '"') {
        for (++i; i < text.size(); ++i) {
          if (text[i] != '"') {
            word += text[i];
          } else if (i + 1 < text.size() && text[i + 1] == '"') {
            word += text[i++];
          } else {
            ++i;
            break;
          }
        }
      } else {
        for (; i < text.size() && text[i] != ' '; ++i) {
          if (text[i] == '\\' && i + 1 < text.size()) word += text[i++];
          word += text[i];
        }
      }
      words.push_back(std::move(word));
    }
    return words;
  }

  Status RunRequest(std::string_view text, std::string_view& rest) {
    const size_t blank = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(blank);
    const size_t end = std::min(text.find_first_of(" \t\\\"'"), text.size());
    const std::string name(text.substr(0, end));
    std::string_view tail = text.substr(end);
    tail.remove_prefix(std::min(tail.find_first_not_of(" \t"), tail.size()));
    if (name.empty() || name == "\\}") return {};
    if (const auto macro = macros_.find(name); macro != macros_.end()) {
      Words words = Split(tail);
      words.insert(words.begin(), name);
      const std::string body = macro->second;   // it may define itself anew
      return RunLines(body, words);
    }
    if (name == "if" || name == "ie" || name == "el") return Condition(name, tail, rest);
    if (name == "de" || name == "am" || name == "de1" || name == "ig") return Define(name, tail, rest);
    if (name == "ds" || name == "as") {
      DefineString(name == "as", tail);
      return {};
    }
    if (name == "TS" || name == "EQ" || name == "PS" || name == "G1") return Refuse(name == "TS" ? "tables (tbl)" : "equations and pictures");
    if (name == "so" || name == "mso") return Refuse("files in files (." + name + ")");
    if (name == "Dd" || name == "Dt" || name == "Os") return Refuse("the macros of mdoc(7)");
    return Macro(name, Split(tail));
  }

  Status Condition(const std::string& name, std::string_view tail, std::string_view& rest) {
    budget_.CheckStack();   // a line may be conditions all along
    bool holds = false;
    if (name == "el") {
      holds = elses_.empty() ? false : !elses_.back();
      if (!elses_.empty()) elses_.pop_back();
    } else {
      holds = Holds(tail);
      if (name == "ie") elses_.push_back(holds);
      if (elses_.size() > kMostStrings) return Error(Code::kLimit, "conditions without an end");
    }
    tail.remove_prefix(std::min(tail.find_first_not_of(" \t"), tail.size()));
    // A block goes from \{ to the \} that belongs to it.
    if (!tail.starts_with("\\{")) {
      if (!holds) return {};
      if (++conditions_ > kDeepestMacro) return Error(Code::kLimit, "conditions in conditions without end");
      std::string_view none;
      PADDOCK_TRY(RunLine(std::string(tail), none));
      --conditions_;
      return {};
    }
    std::string block(tail.substr(2));
    int open = 1 + Braces(block);
    while (open > 0 && !rest.empty()) {
      budget_.Step(4);
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      open += Braces(line);
      block += "\n" + std::string(line);
    }
    if (!holds) return {};
    std::string body;
    for (size_t i = 0; i < block.size(); ++i) {   // the braces of this block alone
      if (block.compare(i, 2, "\\}") == 0 && block.find("\\}", i + 2) == std::string::npos) ++i;
      else body += block[i];
    }
    while (body.starts_with("\\\n") || body.starts_with('\n')) body.erase(0, body[0] == '\\' ? 2 : 1);
    return RunLines(body, {});
  }
  static int Braces(std::string_view text) {
    int open = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] != '\\') continue;
      open += text[i + 1] == '{' ? 1 : text[i + 1] == '}' ? -1 : 0;
      ++i;
    }
    return open;
  }

  // Reads the condition off the front of `text`.
  bool Holds(std::string_view& text) {
    bool is_negated = false;
    while (text.starts_with('!')) {
      is_negated = !is_negated;
      text.remove_prefix(1);
    }
    bool holds = false;
    if (text.empty()) return false;
    const bool is_letter = text.size() == 1 || text[1] == ' ' || text[1] == '\t' || text[1] == '\\';
    if (is_letter && std::string_view("ntoev").find(text[0]) != std::string_view::npos) {
      holds = text[0] == 'n' || text[0] == 'o';
      text.remove_prefix(1);
    } else if ((text[0] == 'd' || text[0] == 'r' || text[0] == 'c' || text[0] == 'm') && !is_letter) {
      const char kind = text[0];
      text.remove_prefix(1);
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      const size_t end = std::min(text.find(' '), text.size());
      const std::string name(text.substr(0, end));
      text.remove_prefix(end);
      holds = kind == 'd' ? macros_.contains(name) || strings_.contains(name) : kind == 'r' && registers_.contains(name);
    } else if ((text[0] >= '0' && text[0] <= '9') || std::string_view("(\\+-").find(text[0]) != std::string_view::npos) {
      const size_t end = ExpressionEnd(text);
      holds = Number(ExpressionText(std::string(text.substr(0, end)))) > 0;
      text.remove_prefix(end);
    } else {
      const char quote = text[0];
      const size_t middle = text.find(quote, 1), end = middle == std::string_view::npos ? middle : text.find(quote, middle + 1);
      if (end == std::string_view::npos) {
        text = {};
        return false;
      }
      holds = Escaped(std::string(text.substr(1, middle - 1)), nullptr) == Escaped(std::string(text.substr(middle + 1, end - middle - 1)), nullptr);
      text.remove_prefix(end + 1);
    }
    return holds != is_negated;
  }
  // Up to a blank outside of parentheses and escapes.
  static size_t ExpressionEnd(std::string_view text) {
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(' && (i == 0 || text[i - 1] != 'n')) ++open;
      else if (text[i] == ')') --open;
      else if ((text[i] == ' ' || text[i] == '\t') && open <= 0) return i;
      else if (text.substr(i).starts_with("\\{")) return i;
    }
    return text.size();
  }
  // Left to right, without precedence; units of length are characters.
  int64_t Number(std::string_view text) {
    size_t at = 0;
    return Expression(text, at, 0);
  }
  int64_t Expression(std::string_view text, size_t& at, int depth) {
    budget_.CheckStack();
    int64_t value = depth > kDeepestMacro ? 0 : Operand(text, at, depth);
    while (at < text.size() && text[at] != ')') {
      budget_.Step();
      char sign = text[at++];
      bool with_equals = false;
      if (sign == ' ') continue;
      if (at < text.size() && (text[at] == '=' || (sign == '<' && text[at] == '>'))) {
        with_equals = text[at] == '=';
        ++at;
      }
      const int64_t other = Operand(text, at, depth);
      int64_t result = 0;
      switch (sign) {
        case '+': if (!__builtin_add_overflow(value, other, &result)) value = result; break;
        case '-': if (!__builtin_sub_overflow(value, other, &result)) value = result; break;
        case '*': if (!__builtin_mul_overflow(value, other, &result)) value = result; break;
        case '/': value = other == 0 || other == -1 ? Negative(value) : value / other; break;
        case '%': value = other == 0 || other == -1 ? 0 : value % other; break;
        case '<': value = with_equals ? value <= other : value < other; break;
        case '>': value = with_equals ? value >= other : value > other; break;
        case '=': value = value == other; break;
        case '&': value = value > 0 && other > 0; break;
        case ':': value = value > 0 || other > 0; break;
        default: return value;
      }
    }
    return value;
  }
  int64_t Operand(std::string_view text, size_t& at, int depth) {
    bool is_negative = false;
    while (at < text.size() && (text[at] == '-' || text[at] == '+' || text[at] == ' ')) is_negative ^= text[at++] == '-';
    int64_t value = 0;
    if (at < text.size() && text[at] == '(') {
      ++at;
      value = Expression(text, at, depth + 1);
      if (at < text.size()) ++at;
    } else {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
      const bool is_number = error == std::errc();
      at = is_number ? static_cast<size_t>(end - text.data()) : std::min(at + 1, text.size());
      if (is_number && at + 1 < text.size() && text[at] == '.' && text[at + 1] >= '0' && text[at + 1] <= '9') {   // half an inch
        const int64_t tenth = text[at + 1] - '0';
        at += 2;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        if (at < text.size() && text[at] == 'i' && value < 1000) {
          value = value * 10 + tenth;
          ++at;
        }
      } else if (is_number && at < text.size() && text[at] == 'i' && value < 1000) {
        value *= 10;
      }
      if (at < text.size() && std::string_view("uivpmncPfMs").find(text[at]) != std::string_view::npos) ++at;
    }
    return is_negative ? Negative(value) : value;
  }
  static int64_t Negative(int64_t value) { return value == INT64_MIN ? INT64_MAX : -value; }

  Status Define(const std::string& request, std::string_view tail, std::string_view& rest) {
    const Words words = Split(tail);
    const size_t skipped = request == "ig" ? 0 : 1;
    const std::string end_name = words.size() > skipped ? words[skipped] : ".";
    std::string body;
    while (!rest.empty()) {
      budget_.Step(4);
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.starts_with("." + end_name)) break;
      // In a definition two backslashes are one, to be looked at when the macro runs.
      for (size_t i = 0; i < line.size(); ++i) {
        body += line[i];
        if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\\') ++i;
      }
      body += '\n';
    }
    if (request == "ig" || words.empty()) return {};
    if (macros_.size() >= kMostStrings) return Error(Code::kLimit, "too many macros");
    budget_.WillAllocate(body.size());
    if (request == "am") macros_[words[0]] += body;
    else macros_[words[0]] = std::move(body);
    return {};
  }
  void DefineString(bool appends, std::string_view tail) {
    const size_t end = std::min(tail.find(' '), tail.size());
    const std::string name(tail.substr(0, end));
    tail.remove_prefix(end);
    tail.remove_prefix(std::min(tail.find_first_not_of(' '), tail.size()));
    if (tail.starts_with('"')) tail.remove_prefix(1);
    if (strings_.size() >= kMostStrings) return;
    std::string& text = strings_[name];
    if (!appends) text.clear();
    if (text.size() + tail.size() <= kLongestString) text += tail;
  }

  // --- macros of man(7)

  size_t Amount(const Words& words, size_t index, size_t otherwise) {
    if (index >= words.size()) return otherwise;
    return static_cast<size_t>(std::clamp<int64_t>(Number(ExpressionText(words[index])), 0, 400));
  }
  void Leave() {   // what a paragraph had begun
    if (waits_for_tag_) {
      waits_for_tag_ = false;
      PlaceTag(layout_.TakeLine());
    }
    layout_.Break();
  }
  void Paragraph() {
    Leave();
    layout_.Space(distance_);
    layout_.set_indent(margin_ + kBody);
    tag_width_ = kBody;
  }
  std::string Shown(const std::string& text) {
    std::string shown = ShownOn(Escaped(text, nullptr), style_.encoding, budget_);
    std::replace(shown.begin(), shown.end(), kHyphen, '-');
    std::erase(shown, kNothing);
    return shown;
  }
  static std::string Joined(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  Status Macro(const std::string& name, const Words& words) {
    const auto is = [&](std::string_view one) { return name == one; };
    if (is("TH")) {
      Title(words);
    } else if (is("SH") || is("SS")) {
      Leave();
      margin_ = 0;
      margins_.clear();
      fills_ = true;
      tag_width_ = kBody;
      distance_ = std::max<size_t>(distance_, 1);
      layout_.Space();
      layout_.set_indent(is("SS") ? 3 : 0);
      if (words.empty()) {
        waits_for_heading_ = true;
        return {};
      }
      layout_.AddText(Shown(Joined(words)));
      EndHeading();
    } else if (is("PP") || is("P") || is("LP")) {
      Paragraph();
    } else if (is("TP") || is("TQ")) {
      Leave();
      if (is("TP")) layout_.Space(distance_);
      if (is("TP")) tag_width_ = Amount(words, 0, tag_width_);
      tag_indent_ = tag_width_;
      layout_.set_indent(margin_ + kBody);
      waits_for_tag_ = true;
    } else if (is("IP")) {
      Leave();
      layout_.Space(distance_);
      tag_width_ = tag_indent_ = Amount(words, 1, tag_width_);
      if (words.empty() || words[0].empty()) layout_.set_indent(margin_ + kBody + tag_indent_);
      else PlaceTag(Shown(words[0]));
    } else if (is("HP")) {
      Paragraph();
      tag_width_ = Amount(words, 0, tag_width_);
      layout_.set_first_indent(margin_ + kBody);
      layout_.set_indent(margin_ + kBody + tag_width_);
    } else if (is("RS")) {
      Leave();
      if (margins_.size() < 100) margins_.push_back({margin_, tag_width_});
      margin_ = std::min<size_t>(margin_ + Amount(words, 0, tag_width_), 400);
      tag_width_ = kBody;
      layout_.set_indent(margin_ + kBody);
    } else if (is("RE")) {
      Leave();
      size_t level = words.empty() ? margins_.size() : std::max<size_t>(Amount(words, 0, 1), 1);
      while (!margins_.empty() && margins_.size() >= level) {
        margin_ = margins_.back().margin;
        tag_width_ = margins_.back().tag_width;
        margins_.pop_back();
      }
      layout_.set_indent(margin_ + kBody);
    } else if (is("B") || is("I") || is("R") || is("SM") || is("SB") || is("CW")) {
      if (!words.empty()) Text(Protected(Joined(words)));
    } else if (is("BI") || is("BR") || is("IB") || is("IR") || is("RB") || is("RI")) {
      std::string text;
      for (const std::string& word : words) text += word;
      if (!text.empty()) Text(Protected(text));
    } else if (is("PD")) {
      distance_ = words.empty() ? 1 : Amount(words, 0, 1);
    } else if (is("UR") || is("MT")) {
      link_ = words.empty() ? "" : words[0];
    } else if (is("UE") || is("ME")) {
      layout_.AddText(Shown("\\(la" + link_ + "\\(ra" + (words.empty() ? "" : words[0])));
      EndInput();
    } else if (is("SY")) {
      Leave();
      if (!in_synopsis_) layout_.Space(distance_);
      in_synopsis_ = true;
      const std::string command = Shown(words.empty() ? "" : words[0]);
      layout_.SetTag(command, margin_ + kBody);
      layout_.set_indent(margin_ + kBody + TextWidth(command) + 1);
      layout_.set_justifies(false);
    } else if (is("OP")) {
      Text("[" + (words.empty() ? "" : words[0]) + (words.size() > 1 ? "\\ " + words[1] : "") + "]");
    } else if (is("YS")) {
      Leave();
      in_synopsis_ = false;
      layout_.set_indent(margin_ + kBody);
      layout_.set_justifies(style_.justifies && adjusts_);
    } else if (is("EX") || is("nf")) {
      Leave();
      fills_ = false;
    } else if (is("EE") || is("fi")) {
      Leave();
      fills_ = true;
    } else {
      Plain(name, words);
    }
    if (waits_for_heading_ && layout_.has_text()) EndHeading();
    return {};
  }
  // A word that begins a line with a dot is text.
  static std::string Protected(const std::string& text) { return text.starts_with(' ') ? "\\&" + text : text; }

  void EndHeading() {
    waits_for_heading_ = false;
    layout_.Break();
    layout_.DropSpace();
    layout_.set_indent(margin_ + kBody);
  }

  void Title(const Words& words) {
    constexpr std::string_view kManuals[] = {"", "General Commands Manual", "System Calls Manual", "Library Functions Manual", "Kernel Interfaces Manual", "File Formats Manual", "Games Manual",
                                             "Miscellaneous Information Manual", "System Manager's Manual", "Kernel Developer's Manual"};
    const auto word = [&](size_t i) { return i < words.size() ? words[i] : std::string(); };
    has_title_ = true;
    title_ = word(0) + "(" + word(1) + ")";
    date_ = word(2);
    source_ = word(3);
    std::string manual = word(4);
    if (words.size() < 5 && !word(1).empty() && word(1)[0] >= '1' && word(1)[0] <= '9') manual = kManuals[word(1)[0] - '0'];
    layout_.AddThreeParts(Shown(title_), Shown(manual), Shown(title_));
    layout_.Space();
    layout_.DropSpace();
    layout_.set_indent(kBody);
  }

  // Requests of roff itself. What only steers type, pages and hyphens has nothing to do here.
  void Plain(const std::string& name, const Words& words) {
    if (name == "br") {
      Leave();
    } else if (name == "sp") {
      Leave();
      layout_.Space(Amount(words, 0, 1));
    } else if (name == "in") {
      Leave();
      const size_t before = layout_.indent();
      if (words.empty()) layout_.set_indent(last_indent_);
      else if (words[0].starts_with('+') || words[0].starts_with('-')) layout_.set_indent(static_cast<size_t>(std::max<int64_t>(static_cast<int64_t>(before) + std::clamp<int64_t>(Number(ExpressionText(words[0])), -400, 400), 0)));
      else layout_.set_indent(Amount(words, 0, before));
      last_indent_ = before;
    } else if (name == "ti" && !words.empty()) {
      Leave();
      const int64_t base = words[0].starts_with('+') || words[0].starts_with('-') ? static_cast<int64_t>(layout_.indent()) : 0;
      layout_.set_first_indent(static_cast<size_t>(std::max<int64_t>(base + std::clamp<int64_t>(Number(ExpressionText(words[0])), -400, 400), 0)));
    } else if (name == "ad" || name == "na") {
      adjusts_ = name == "ad" && (words.empty() || words[0] == "b" || words[0] == "n");
      layout_.set_justifies(style_.justifies && adjusts_);
    } else if (name == "ce") {
      Leave();
      centers_ = Amount(words, 0, 1);
    } else if (name == "nr" && words.size() > 1 && registers_.size() < kMostStrings) {
      const std::string& value = words[1];
      const bool is_relative = value.starts_with('+') || value.starts_with('-');
      int64_t& place = registers_[words[0]];
      place = std::clamp<int64_t>((is_relative ? place : 0) + std::clamp<int64_t>(Number(ExpressionText(value)), INT32_MIN, INT32_MAX), INT32_MIN, INT32_MAX);
    } else if (name == "rm") {
      for (const std::string& word : words) {
        macros_.erase(word);
        strings_.erase(word);
      }
    } else if (name == "tr" && !words.empty()) {
      Translate(Shown(words[0]));
    } else if (name == "ns") {
      layout_.DropSpace();
    }
  }

  // --- escapes

  // The text of a line; kFixedSpace is a blank that does not stretch. *is_open: the line goes on (\c).
  std::string Escaped(const std::string& line, bool* is_open, int depth = 0) {
    budget_.CheckStack();
    std::string text;
    if (depth > kDeepestMacro) is_endless_ = true;
    size_t column = 0;
    for (size_t i = 0; i < line.size() && !is_endless_;) {
      budget_.Step();
      const char c = line[i];
      if (c == '\\' && i + 1 < line.size()) {
        ++i;
        Escape(line, i, text, is_open, depth);
      } else if (c == '\t') {
        constexpr size_t kTab = 5;
        column = TextWidth(text);
        for (size_t n = kTab - column % kTab; n > 0; --n) text += kFixedSpace;
        ++i;
      } else {
        text += c == '-' ? kHyphen : c;
        ++i;
      }
      if (text.size() > kLongestString) break;
    }
    return text;
  }
  std::string ExpressionText(const std::string& text, int depth = 0) {
    std::string plain = depth < kDeepestMacro ? Escaped(text, nullptr, depth + 1) : "";
    std::replace(plain.begin(), plain.end(), kHyphen, '-');
    std::erase(plain, kNothing);
    return plain;
  }
  // "x", "(xx", "[xxx]" at `i`, which moves behind it.
  static std::string NameAt(const std::string& line, size_t& i) {
    if (i >= line.size()) return {};
    if (line[i] == '(') {
      const std::string name = line.substr(i + 1, 2);
      i = std::min(i + 3, line.size());
      return name;
    }
    if (line[i] == '[') {
      const size_t end = std::min(line.find(']', i), line.size());
      const std::string name = line.substr(i + 1, end - i - 1);
      i = std::min(end + 1, line.size());
      return name;
    }
    return std::string(1, line[i++]);
  }
  // 'text' with any delimiter at `i`.
  static std::string QuotedAt(const std::string& line, size_t& i) {
    if (i >= line.size()) return {};
    const size_t end = std::min(line.find(line[i], i + 1), line.size());
    const std::string text = line.substr(i + 1, end - i - 1);
    i = std::min(end + 1, line.size());
    return text;
  }

  void Escape(const std::string& line, size_t& i, std::string& text, bool* is_open, int depth) {
    const char c = line[i++];
    switch (c) {
      case '-': text += '-'; break;
      case '\\': case 'e': case 'E': text += '\\'; break;
      case '&': text += kNothing; break;
      case '%': case '/': case ',': case ')': case '|': case '^': case '!': case '?': case '{': case '}': case ':': case 'd': case 'u': case 'r': case 'p': case 'a': break;
      case ' ': case '~': case '0': text += kFixedSpace; break;
      case 't': text += '\t'; break;
      case '\'': text += "\xc2\xb4"; break;
      case '`': text += '`'; break;
      case '_': text += '_'; break;
      case '.': text += '.'; break;
      case 'c':
        if (is_open != nullptr) *is_open = true;
        i = line.size();
        break;
      case '(': case '[': case 'C': {
        --i;
        std::string name;
        if (c == 'C') {
          ++i;
          name = QuotedAt(line, i);
        } else {
          name = NameAt(line, i);
        }
        if (const auto found = NamedCharacter(name)) text += *found;
        else if (const auto own = strings_.find(name); own != strings_.end()) text += Escaped(own->second, nullptr, depth + 1);
        break;
      }
      case '*': {
        const auto found = strings_.find(NameAt(line, i));
        if (found != strings_.end()) text += Escaped(found->second, is_open, depth + 1);
        break;
      }
      case 'n': {
        int64_t step = 0;
        if (i < line.size() && (line[i] == '+' || line[i] == '-')) step = line[i++] == '+' ? 1 : -1;
        const std::string name = NameAt(line, i);
        const auto found = registers_.find(name);
        if (found != registers_.end()) found->second += step;
        text += std::to_string(found == registers_.end() ? 0 : found->second);
        break;
      }
      case 'f': case 'F': case 'm': case 'M': case 'g': case 'k': NameAt(line, i); break;
      case 's':
        if (i < line.size() && (line[i] == '+' || line[i] == '-')) ++i;
        if (i < line.size() && line[i] == '\'') QuotedAt(line, i);
        else if (i + 1 < line.size() && line[i] >= '1' && line[i] <= '3' && line[i + 1] >= '0' && line[i + 1] <= '9') i += 2;
        else NameAt(line, i);
        break;
      case 'h': {
        const int64_t columns = std::clamp<int64_t>(Number(ExpressionText(QuotedAt(line, i), depth)), -200, 200);
        if (columns < 0 && text.empty()) outdent_ = static_cast<size_t>(-columns);
        for (int64_t n = 0; n < columns; ++n) text += kFixedSpace;
        break;
      }
      case 'w': {
        const std::string quoted = QuotedAt(line, i);
        text += std::to_string(depth < kDeepestMacro ? TextWidth(Escaped(quoted, nullptr, depth + 1)) : 0);
        break;
      }
      case 'l': {
        const int64_t columns = std::clamp<int64_t>(Number(ExpressionText(QuotedAt(line, i), depth)), 0, 200);
        text.append(static_cast<size_t>(columns), '_');
        break;
      }
      case 'v': case 'X': case 'x': case 'b': case 'D': case 'L': case 'H': case 'S': case 'R': case 'A': case 'B': case 'Z': QuotedAt(line, i); break;
      case 'o': {
        const std::string quoted = QuotedAt(line, i);
        if (!quoted.empty()) text += quoted.substr(0, 1);
        break;
      }
      case 'z': break;
      case 'N': {
        const int64_t code = Number(QuotedAt(line, i));
        if (code >= ' ' && code < 0x7f) text += static_cast<char>(code);
        break;
      }
      default: text += c; break;
    }
  }

  struct Margin {
    size_t margin, tag_width;
  };

  const PageStyle style_;
  Budget& budget_;
  Layout layout_;
  std::map<std::string, std::string, std::less<>> strings_, macros_;
  std::map<std::string, int64_t, std::less<>> registers_;
  std::vector<std::pair<std::string, std::string>> translations_;
  std::vector<bool> elses_;
  std::vector<Margin> margins_;
  std::string title_, date_, source_, link_;
  size_t margin_ = 0, tag_width_ = kBody, tag_indent_ = kBody, distance_ = 1, centers_ = 0, last_indent_ = kBody, outdent_ = 0;
  int depth_ = 0, conditions_ = 0;   // of a line in one another
  bool is_endless_ = false;   // a string has called itself
  bool fills_ = true, adjusts_ = true, has_title_ = false, waits_for_tag_ = false, waits_for_heading_ = false, ends_open_ = false, in_synopsis_ = false;
};

}  // namespace

Result<std::string> FormatManPage(std::string_view source, const PageStyle& style, Budget& budget) {
  PADDOCK_ASSIGN(std::string page, Formatter(style, budget).Run(source));
  if (style.encoding != PageStyle::Encoding::kLatin1) return page;
  std::string latin;
  for (std::string_view text = page; !text.empty();) {
    budget.Step();
    const DecodedChar decoded = DecodeUtf8(text);
    latin += static_cast<char>(decoded.is_valid && decoded.code <= 0xff ? decoded.code : static_cast<unsigned char>(text[0]));
    text.remove_prefix(decoded.length);
  }
  return latin;
}

}  // namespace paddock::manual
