// Formats of one's own: "%h %s". Source: git-log(1) "PRETTY FORMATS".
#include <algorithm>
#include <charconv>

#include "commands/git/colour_spec.h"
#include "commands/git/history/describe.h"
#include "commands/git/history/pretty.h"
#include "commands/git/mail/trailers.h"
#include "commands/git/objects/signature_check.h"
#include "commands/git/work/commit.h"
#include "text/utf8.h"

namespace paddock::git {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// What follows the subject and the empty lines behind it.
std::string_view BodyOf(std::string_view message) {
  while (message.starts_with('\n')) message.remove_prefix(1);
  size_t end = 0;
  while (end < message.size()) {
    const std::string_view line = message.substr(end, message.find('\n', end) - end);
    end = std::min(message.size(), end + line.size() + 1);
    if (std::all_of(line.begin(), line.end(), IsSpace)) break;
  }
  message.remove_prefix(end);
  while (message.starts_with('\n')) message.remove_prefix(1);
  return message;
}

// How wide the next field is made.
struct Padding {
  enum class Side { kNone, kLeft, kRight, kSteal, kBoth } side = Side::kNone;
  enum class Cut { kNone, kRight, kLeft, kMiddle } cut = Cut::kNone;
  int64_t width = 0;
  bool to_column = false;
};

// Takes `count` columns out of a text from column `from`, and puts two dots there. Colours stay.
std::string WithDots(std::string_view text, int64_t from, int64_t count) {
  std::string out;
  int64_t column = 0;
  bool has_dots = false;
  while (!text.empty()) {
    if (text.starts_with("\033[")) {
      const size_t end = std::min(text.find('m'), text.size() - 1);
      out += text.substr(0, end + 1);
      text.remove_prefix(end + 1);
      continue;
    }
    const DecodedChar c = DecodeUtf8(text);
    const int64_t width = std::max(CharWidth(c.code), 0);
    if (column >= from && column < from + count) {
      if (!has_dots) out += "..";
      has_dots = true;
    } else {
      out += text.substr(0, c.length);
    }
    column += width;
    text.remove_prefix(c.length);
  }
  return out;
}

class Expansion {
 public:
  Expansion(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options) : git_(git), id_(id), commit_(commit), options_(options) {}

  std::string Run(std::string_view format) {
    while (!format.empty()) {
      git_.in.budget.Step();
      const size_t percent = format.find('%');
      out_ += format.substr(0, percent);
      if (percent == std::string_view::npos) break;
      format.remove_prefix(percent + 1);
      if (format.starts_with('%')) {
        out_ += '%';
        format.remove_prefix(1);
        continue;
      }
      const size_t taken = TakeItem(format);
      if (taken == 0) out_ += '%';
      format.remove_prefix(taken);
    }
    Fold(0, 0, 0);
    return std::move(out_);
  }

 private:
  // How many characters the placeholder at the front takes; 0 when it is none.
  size_t TakeItem(std::string_view text) {
    const char magic = text.empty() ? '\0' : text[0];
    const bool has_magic = magic == '+' || magic == '-' || magic == ' ';
    const std::string_view rest = text.substr(has_magic ? 1 : 0);
    if (has_magic && rest.starts_with('w')) return 0;
    const size_t before = out_.size();
    const size_t taken = padding_.side == Padding::Side::kNone ? TakeOne(rest, out_) : TakePadded(rest);
    if (taken == 0 || !has_magic) return taken;
    if (out_.size() == before && magic == '-') {
      while (out_.ends_with('\n')) out_.pop_back();
    } else if (out_.size() > before && magic != '-') {
      out_.insert(before, 1, magic == '+' ? '\n' : ' ');
    }
    return taken + 1;
  }

  size_t TakePadded(std::string_view text) {
    Padding padding = std::exchange(padding_, Padding{});
    int64_t room = padding.width;
    if (padding.to_column) {
      const size_t line = out_.rfind('\n');
      room -= static_cast<int64_t>(ShownWidth(std::string_view(out_).substr(line == std::string::npos ? 0 : line)) + options_.graph_width);
    }
    std::string field;
    size_t total = 0;
    // Colours come along with what they colour.
    while (true) {
      const bool is_colour = text.starts_with('C');
      const size_t taken = TakeOne(text, field);
      total += taken;
      if (!is_colour || taken == 0 || text.size() <= taken || text[taken] != '%') break;
      text.remove_prefix(taken + 1);
      ++total;
    }
    const int64_t width = static_cast<int64_t>(ShownWidth(field));
    if (padding.side == Padding::Side::kSteal) {
      while (width > room && out_.ends_with(' ')) {
        out_.pop_back();
        ++room;
      }
      padding.side = Padding::Side::kLeft;
    }
    if (width > room) {
      switch (padding.cut) {
        case Padding::Cut::kLeft: field = WithDots(field, 0, width - (room - 2)); break;
        case Padding::Cut::kMiddle: field = WithDots(field, room / 2 - 1, width - (room - 2)); break;
        case Padding::Cut::kRight: field = WithDots(field, room - 2, width - (room - 2)); break;
        case Padding::Cut::kNone: break;
      }
      out_ += field;
      return total;
    }
    const size_t space = static_cast<size_t>(room - width);
    git_.in.budget.WillAllocate(space);
    const size_t lead = padding.side == Padding::Side::kLeft ? space : padding.side == Padding::Side::kBoth ? space / 2 : 0;
    out_.append(lead, ' ');
    out_ += field;
    out_.append(space - lead, ' ');
    return total;
  }

  // "<(20,trunc)" and its like.
  size_t TakePadding(std::string_view text) {
    Padding padding;
    size_t at = 1;
    padding.side = text[0] == '<' ? Padding::Side::kRight : Padding::Side::kLeft;
    if (text[0] == '>' && text.size() > 1 && (text[1] == '>' || text[1] == '<')) {
      padding.side = text[1] == '>' ? Padding::Side::kSteal : Padding::Side::kBoth;
      ++at;
    }
    if (at < text.size() && text[at] == '|') {
      padding.to_column = true;
      ++at;
    }
    const size_t end = text.find(')');
    if (at >= text.size() || text[at] != '(' || end == std::string_view::npos) return 0;
    std::string_view inside = text.substr(at + 1, end - at - 1);
    std::string_view how;
    if (const size_t comma = inside.find(','); comma != std::string_view::npos) {
      how = inside.substr(comma + 1);
      inside = inside.substr(0, comma);
    }
    while (how.starts_with(' ')) how.remove_prefix(1);
    while (inside.starts_with(' ')) inside.remove_prefix(1);
    while (inside.ends_with(' ')) inside.remove_suffix(1);
    if (!ParseOptionValue(inside, padding.width) || padding.width == 0 || padding.width > 16384 || (padding.width < 0 && !padding.to_column)) return 0;
    if (padding.width < 0) {
      int64_t columns = 80;
      static_cast<void>(ParseOptionValue(git_.in.env.Get("COLUMNS", "80"), columns).has_value());
      padding.width += columns;
    }
    if (how == "trunc") padding.cut = Padding::Cut::kRight;
    else if (how == "ltrunc") padding.cut = Padding::Cut::kLeft;
    else if (how == "mtrunc") padding.cut = Padding::Cut::kMiddle;
    else if (!how.empty()) return 0;
    padding_ = padding;
    return end + 1;
  }

  void Fold(int64_t width, int64_t first, int64_t rest) {
    if (fold_start_ < out_.size() && (fold_width_ != 0 || fold_first_ != 0 || fold_rest_ != 0)) {
      const std::string folded = WrapText(std::string_view(out_).substr(fold_start_), fold_width_, fold_first_, fold_rest_, git_.in.budget);
      out_.resize(fold_start_);
      out_ += folded;
    }
    fold_start_ = out_.size();
    fold_width_ = width;
    fold_first_ = first;
    fold_rest_ = rest;
  }
  // "w(72,4,8)".
  size_t TakeFold(std::string_view text) {
    const size_t end = text.find(')');
    if (text.size() < 2 || text[1] != '(' || end == std::string_view::npos) return 0;
    int64_t numbers[3] = {0, 0, 0};
    std::string_view inside = text.substr(2, end - 2);
    for (int64_t& number : numbers) {
      const std::string_view one = inside.substr(0, inside.find(','));
      inside.remove_prefix(std::min(inside.size(), one.size() + 1));
      if (!one.empty() && (!ParseOptionValue(one, number) || number < 0 || number > 16384)) return 0;
    }
    if (numbers[0] != fold_width_ || numbers[1] != fold_first_ || numbers[2] != fold_rest_) Fold(numbers[0], numbers[1], numbers[2]);
    return end + 1;
  }

  size_t TakeColour(std::string_view text, std::string& out) {
    if (text.starts_with("C(auto)")) {
      has_auto_colours_ = options_.colours;
      if (has_auto_colours_ && !out_.empty()) out += kColourReset;
      return 7;
    }
    if (text.starts_with("C(")) {
      const size_t end = text.find(')');
      if (end == std::string_view::npos) return 0;
      std::string_view words = text.substr(2, end - 2);
      bool shows = options_.colours;
      if (words.starts_with("auto,")) words.remove_prefix(5);
      if (words.starts_with("always,")) {
        words.remove_prefix(7);
        shows = true;
      }
      if (shows) out += ColourSequence(words).value_or("");
      has_auto_colours_ = false;
      return end + 1;
    }
    for (const std::string_view colour : {"red", "green", "blue", "reset"}) {
      if (!text.substr(1).starts_with(colour)) continue;
      if (options_.colours) out += ColourSequence(colour).value_or("");
      has_auto_colours_ = false;
      return 1 + colour.size();
    }
    return 0;
  }

  std::string Short(const Oid& id) { return git_.objects.Abbreviate(id, options_.digits); }
  void AddId(std::string& out, const std::string& text) {
    if (has_auto_colours_) out += "\033[33m" + text + std::string(kColourReset);
    else out += text;
  }

  // %an and its like.
  bool AddPerson(std::string& out, char field, const std::string& line) {
    Signature who = ParseSignature(line);
    if ((field == 'N' || field == 'E' || field == 'L') && options_.format_mailmap) who = options_.format_mailmap->Map(who);
    switch (field) {
      case 'n': case 'N': out += who.name; break;
      case 'e': case 'E': out += who.email; break;
      case 'l': case 'L': out += who.email.substr(0, who.email.find('@')); break;
      case 'd': out += DateText(git_, who, options_.date); break;
      case 'D': out += DateText(git_, who, "rfc"); break;
      case 'r': out += DateText(git_, who, "relative"); break;
      case 't': out += std::to_string(who.time); break;
      case 'i': out += DateText(git_, who, "iso"); break;
      case 'I': out += DateText(git_, who, "iso-strict"); break;
      case 's': out += DateText(git_, who, "short"); break;
      case 'h': out += DateText(git_, who, "human"); break;
      default: return false;
    }
    return true;
  }

  size_t TakeLong(std::string_view text, std::string& out) {
    const size_t end = text.find(')');
    if (end == std::string_view::npos) return 0;
    std::string_view inside = text.substr(1, end - 1);
    if (inside == "trailers" || inside.starts_with("trailers:")) {
      inside.remove_prefix(std::min<size_t>(9, inside.size()));
      const auto options = ParseTrailerOptions(inside);
      if (!options) return 0;
      out += TrailersText(commit_.message, *options, TrailerRules::Load(git_.config, git_.in.budget), git_.in.budget);
      return end + 1;
    }
    if (inside == "describe" || inside.starts_with("describe:")) {
      inside.remove_prefix(std::min<size_t>(9, inside.size()));
      DescribeOptions options;
      while (!inside.empty()) {
        const std::string_view one = inside.substr(0, inside.find(','));
        inside.remove_prefix(std::min(inside.size(), one.size() + 1));
        if (one == "tags" || one == "tags=true" || one == "tags=yes" || one == "tags=1") options.tags = true;
        else if (one == "tags=false" || one == "tags=no" || one == "tags=0") options.tags = false;
        else if (one.starts_with("match=")) options.matches.emplace_back(one.substr(6));
        else if (one.starts_with("exclude=")) options.excludes.emplace_back(one.substr(8));
        else if (!one.starts_with("abbrev=") || !ParseOptionValue(one.substr(7), options.abbrev)) return 0;
      }
      out += DescribeCommit(git_, options, id_).value_or("");
      return end + 1;
    }
    return 0;
  }

  // The placeholder at the front: its text goes to `out`.
  size_t TakeOne(std::string_view text, std::string& out) {
    const char first = text.empty() ? '\0' : text[0];
    const char second = text.size() > 1 ? text[1] : '\0';
    const auto join = [&](const std::vector<Oid>& ids, bool is_short) {
      std::string all;
      for (const Oid& one : ids) all += (all.empty() ? "" : " ") + (is_short ? Short(one) : one.Hex());
      out += all;
    };
    switch (first) {
      case 'C': return TakeColour(text, out);
      case '<': case '>': return TakePadding(text);
      case 'w': return TakeFold(text);
      case '(': return TakeLong(text, out);
      case 'n': out += '\n'; return 1;
      case 'x': {
        unsigned value = 0;
        if (text.size() < 3 || std::from_chars(text.data() + 1, text.data() + 3, value, 16).ptr != text.data() + 3) return 0;
        out += static_cast<char>(value);
        return 3;
      }
      case 'H': AddId(out, id_.Hex()); return 1;
      case 'h': AddId(out, Short(id_)); return 1;
      case 'T': out += commit_.tree.Hex(); return 1;
      case 't': out += Short(commit_.tree); return 1;
      case 'P': join(commit_.parents, false); return 1;
      case 'p': join(commit_.parents, true); return 1;
      case 's': out += SubjectOf(commit_.message); return 1;
      case 'f': out += SlugOf(SubjectOf(commit_.message)); return 1;
      case 'b': out += BodyOf(commit_.message); return 1;
      case 'B': out += commit_.message; return 1;
      case 'm': out += options_.mark.empty() || options_.mark == "+" ? (options_.is_left ? "<" : ">") : options_.mark; return 1;
      case 'S': out += options_.source; return 1;
      case 'd': case 'D': {
        PrettyOptions named;
        if (!options_.has_decorations) {
          named.decoration_filter = options_.decoration_filter;
          FindDecorations(git_, named);
        }
        const PrettyOptions& options = options_.has_decorations ? options_ : named;
        out += first == 'd' ? DecorationText(git_, id_, options, " (", ")", has_auto_colours_) : DecorationText(git_, id_, options, "", "", has_auto_colours_);
        return 1;
      }
      case 'e':
        for (const std::string& line : commit_.extra) {
          if (line.starts_with("encoding ")) out += line.substr(9);
        }
        return 1;
      case 'N': {
        if (options_.hides_notes) return 0;
        PrettyOptions noted;
        if (options_.notes_title.empty()) static_cast<void>(FindNotes(git_, "refs/notes/commits", noted).has_value());
        const auto& notes = options_.notes_title.empty() ? noted.notes : options_.notes;
        const auto note = notes.find(id_);
        const auto content = note == notes.end() ? Result<std::string>(std::string()) : git_.ReadBlob(note->second);
        out += content ? *content : "";
        if (content && !content->empty() && !content->ends_with('\n')) out += '\n';
        return 1;
      }
      case 'g':
        if (second == 'd' || second == 'D') out += second == 'd' ? options_.reflog_short : options_.reflog_name;
        else if (second == 's') out += options_.reflog_message;
        else if (second != 'n' && second != 'N' && second != 'e' && second != 'E') return 0;
        else if (!options_.reflog_who.empty()) AddPerson(out, second, options_.reflog_who);
        return 2;
      case 'G':
        return AddSignature(out, second) ? 2 : 0;
      case 'a': return AddPerson(out, second, commit_.author) ? 2 : 0;
      case 'c': return AddPerson(out, second, commit_.committer) ? 2 : 0;
      default: return 0;
    }
  }

  bool AddSignature(std::string& out, char what) {
    if (std::string_view("?GSKFPT").find(what) == std::string_view::npos) return false;
    if (!verdict_) verdict_ = CheckCommitSignature(git_, id_).value_or(SignatureVerdict{});
    switch (what) {
      case '?': out += verdict_->result; break;
      case 'G': out += verdict_->output; break;
      case 'S': out += verdict_->signer; break;
      case 'K': out += verdict_->key; break;
      case 'F': out += verdict_->fingerprint; break;
      case 'P': out += verdict_->primary_fingerprint; break;
      default: out += verdict_->trust; break;
    }
    return true;
  }

  Git& git_;
  const Oid& id_;
  const Commit& commit_;
  const PrettyOptions& options_;
  std::optional<SignatureVerdict> verdict_;
  std::string out_;
  Padding padding_;
  bool has_auto_colours_ = false;
  size_t fold_start_ = 0;
  int64_t fold_width_ = 0, fold_first_ = 0, fold_rest_ = 0;
};

}  // namespace

size_t ShownWidth(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\033[")) i = std::min(text.find('m', i), text.size());
    else plain += text[i];
  }
  return TextWidth(plain);
}

std::string WrapText(std::string_view text, int64_t width, int64_t first_indent, int64_t indent, Budget& budget) {
  std::string out;
  const auto pad = [&](int64_t count) {
    budget.Step(1 + count / 16);
    out.append(static_cast<size_t>(std::max<int64_t>(count, 0)), ' ');
  };
  if (width <= 0) {
    for (int64_t lead = first_indent; !text.empty(); lead = indent) {
      const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
      pad(lead);
      out += line;
      text.remove_prefix(line.size());
    }
    return out;
  }
  int64_t column = first_indent, lead = first_indent;
  size_t line = 0, space = std::string_view::npos, at = 0;   // where the line began; the last blank that it may break at
  const auto break_line = [&]() {
    out += '\n';
    at = line = space + (space < text.size() && IsSpace(text[space]) ? 1 : 0);
    space = std::string_view::npos;
    column = lead = indent;
  };
  while (true) {
    budget.Step();
    while (text.substr(at).starts_with("\033[")) at = std::min(text.find('m', at), text.size() - 1) + 1;
    const bool is_end = at >= text.size();
    if (!is_end && !IsSpace(text[at])) {
      const DecodedChar c = DecodeUtf8(text.substr(at));
      column += std::max(CharWidth(c.code), 0);
      at += c.length;
      continue;
    }
    if (column > width && space != std::string_view::npos) {
      break_line();
      continue;
    }
    if (is_end && at == line) return out;
    if (space == std::string_view::npos) pad(lead);
    const size_t start = space == std::string_view::npos ? line : space;
    out += text.substr(start, at - start);
    if (is_end) return out;
    space = at;
    if (text[at] == '\t') column |= 7;
    if (text[at] == '\n') {
      ++space;
      const char next = space < text.size() ? text[space] : '\0';
      const bool is_word = (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
      if (next == '\n') out += '\n';
      if (!is_word) {
        break_line();
        continue;
      }
      out += ' ';
    }
    ++column;
    ++at;
  }
}

std::string ExpandFormat(Git& git, std::string_view format, const Oid& id, const Commit& commit, const PrettyOptions& options) { return Expansion(git, id, commit, options).Run(format); }

Status CheckFormat(Git& git, std::string_view format, bool colours) {
  for (size_t at = 0; (at = format.find("%C(", at)) != std::string_view::npos; at += 3) {
    const size_t end = format.find(')', at);
    if (end == std::string_view::npos) break;
    std::string_view words = format.substr(at + 3, end - at - 3);
    if (words == "auto" || (!colours && !words.starts_with("always,"))) continue;
    for (const std::string_view lead : {"auto,", "always,"}) {
      if (words.starts_with(lead)) words.remove_prefix(lead.size());
    }
    if (ColourSequence(words)) continue;
    git.Complain("invalid color value: " + std::string(words));
    return Error(Code::kInvalid, "unable to parse --pretty format");
  }
  return {};
}

}  // namespace paddock::git
