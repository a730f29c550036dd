#include "git/mail.h"

#include <algorithm>
#include <optional>

#include "text/base64.h"
#include "text/char_encoding.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr size_t kMostParts = 5;   // inside of each other

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool StartsWithFolded(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return Lower(a) == Lower(b); });
}
std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}
std::string WithSingleBlanks(std::string_view text) {
  std::string out;
  for (const char c : Trim(text)) {
    if (!IsBlank(c)) out += c;
    else if (!out.ends_with(' ')) out += ' ';
  }
  return out;
}

bool IsUtf8(std::string_view text) {
  const auto utf8 = CharEncoding::Find("UTF-8");
  while (!text.empty()) {
    const CharEncoding::Decoded decoded = utf8->Decode(text);
    if (decoded.state != CharEncoding::Decoded::State::kChar) return false;
    text.remove_prefix(decoded.length);
  }
  return true;
}

// In UTF-8; what has no character there, and an unknown encoding, stay as they are.
std::string ToUtf8(std::string_view text, std::string_view charset) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (is_plain && !StartsWithFolded(charset, "utf-16") && !StartsWithFolded(charset, "utf-32")) return std::string(text);
  if (charset.empty()) charset = IsUtf8(text) ? "UTF-8" : "ISO-8859-1";
  const auto from = CharEncoding::Find(charset), utf8 = CharEncoding::Find("UTF-8");
  if (!from || from->kind() == CharEncoding::Kind::kUtf8) return std::string(text);
  size_t mark = 0;
  const CharEncoding settled = from->Settled(text, &mark);
  std::string_view rest = text.substr(mark);
  std::string out;
  while (!rest.empty()) {
    const CharEncoding::Decoded decoded = settled.Decode(rest);
    if (decoded.state != CharEncoding::Decoded::State::kChar || !utf8->Encode(decoded.code, out)) return std::string(text);
    rest.remove_prefix(decoded.length);
  }
  return out;
}

int HexValue(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

std::string DecodeQuoted(std::string_view text, bool is_header) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_header && text[i] == '_') {
      out += ' ';
      continue;
    }
    if (text[i] != '=') {
      out += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      continue;
    }
    const int high = i + 1 < text.size() ? HexValue(text[i + 1]) : -1, low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += '=';
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string DecodeBase64Text(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    if (!IsBlank(c)) clean += c;
  }
  return DecodeBase64(clean).value_or(std::string());
}

// "=?UTF-8?q?x?=" at the front of `text`, taken off; nothing when there is none.
std::optional<std::string> TakeEncodedWord(std::string_view& text, bool recodes) {
  if (!text.starts_with("=?")) return std::nullopt;
  const size_t charset_end = text.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end + 2 >= text.size() || text[charset_end + 2] != '?') return std::nullopt;
  const size_t end = text.find("?=", charset_end + 3);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view charset = text.substr(2, charset_end - 2), data = text.substr(charset_end + 3, end - charset_end - 3);
  const char kind = Lower(text[charset_end + 1]);
  if (kind != 'q' && kind != 'b') return std::nullopt;
  text.remove_prefix(end + 2);
  const std::string plain = kind == 'q' ? DecodeQuoted(data, true) : DecodeBase64Text(data);
  return recodes ? ToUtf8(plain, charset) : plain;
}

std::string DecodeHeader(std::string_view text, bool recodes, Budget& budget) {
  std::string out, gap;
  bool was_encoded = false;
  while (!text.empty()) {
    budget.Step();
    if (auto word = TakeEncodedWord(text, recodes)) {
      // Blanks between two encoded words are no text.
      if (!was_encoded) out += gap;
      gap.clear();
      out += *word;
      was_encoded = true;
      continue;
    }
    if (IsBlank(text[0])) {
      gap += text[0];
    } else {
      out += gap + text[0];
      gap.clear();
      was_encoded = false;
    }
    text.remove_prefix(1);
  }
  return recodes ? ToUtf8(out + gap, "") : out + gap;
}

// The value of "name=value" in a Content-Type.
std::string Attribute(std::string_view header, std::string_view name) {
  for (size_t at = header.find(';'); at != std::string_view::npos; at = header.find(';', at + 1)) {
    std::string_view rest = header.substr(at + 1);
    while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
    if (!StartsWithFolded(rest, name) || rest.size() <= name.size() || rest[name.size()] != '=') continue;
    rest.remove_prefix(name.size() + 1);
    if (rest.starts_with('"')) return std::string(rest.substr(1, std::min(rest.find('"', 1), rest.size()) - 1));
    return std::string(rest.substr(0, rest.find_first_of("; \t\n")));
  }
  return {};
}

bool IsHeaderLine(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) { return c > ' ' && c < 127; });
}

// Where a patch begins.
bool BreaksOff(std::string_view line) {
  if (line.starts_with("diff -") || line.starts_with("Index: ")) return true;
  if (!line.starts_with("---")) return false;
  if (line.size() > 4 && line[3] == ' ' && !IsBlank(line[4])) return true;
  return Trim(line.substr(3)).empty();
}

// "-- >8 --": dashes, blanks and scissors, more of them than of anything else.
bool IsScissors(std::string_view line) {
  size_t marks = 0, dashes = 0, seen = 0;
  bool has_scissors = false;
  const std::string_view trimmed = Trim(line);
  for (size_t i = 0; i < trimmed.size(); ++i) {
    ++seen;
    if (IsBlank(trimmed[i])) continue;
    if (trimmed[i] == '-') {
      ++marks, ++dashes;
      continue;
    }
    const std::string_view two = trimmed.substr(i, 2);
    if (two == ">8" || two == "8<" || two == ">%" || two == "%<") {
      has_scissors = true;
      marks += 2;
      ++seen, ++i;
    }
  }
  return has_scissors && dashes > 0 && seen >= 8 && marks * 3 > seen;
}

class Reader {
 public:
  Reader(std::string_view text, const MailReading& reading, Budget& budget) : lines_(SplitLines(text)), reading_(reading), budget_(budget) {}

  Result<Mail> Run() {
    while (at_ < lines_.size() && Trim(lines_[at_]).empty()) ++at_;
    PADDOCK_TRY(ReadHeaders(true));
    PADDOCK_TRY(ReadBody());
    if (!inner_from_.empty()) TakePerson(inner_from_);
    if (!inner_date_.empty()) mail_.date = inner_date_;
    if (has_inner_subject_) mail_.subject = inner_subject_;
    mail_.subject = CleanSubject(mail_.subject);
    return std::move(mail_);
  }

 private:
  struct Part {
    std::string boundary;   // of the parts inside
    std::string charset, transfer;
  };

  // Header lines up to the empty one; of the mail or of a part.
  Status ReadHeaders(bool is_first) {
    Part part;
    bool has_type = false;
    for (; at_ < lines_.size(); ++at_) {
      budget_.Step();
      std::string line(Trim(lines_[at_]));
      if (line.empty()) {
        ++at_;
        break;
      }
      if (is_first && (line.starts_with("From ") || line.starts_with(">From "))) continue;
      if (!IsHeaderLine(line)) break;
      while (at_ + 1 < lines_.size() && (lines_[at_ + 1].starts_with(' ') || lines_[at_ + 1].starts_with('\t'))) {
        budget_.Step();
        line += " " + std::string(Trim(lines_[++at_]));
      }
      const std::string_view value = Trim(std::string_view(line).substr(line.find(':') + 1));
      if (StartsWithFolded(line, "Content-Type:")) {
        has_type = true;
        part.charset = Attribute(value, "charset");
        part.boundary = Attribute(value, "boundary");
      } else if (StartsWithFolded(line, "Content-Transfer-Encoding:")) {
        for (const char c : value) part.transfer += Lower(c);
      } else if (is_first) {
        if (StartsWithFolded(line, "Subject:")) mail_.subject = DecodeHeader(value, reading_.recodes, budget_);
        else if (StartsWithFolded(line, "From:")) TakePerson(DecodeHeader(value, reading_.recodes, budget_));
        else if (StartsWithFolded(line, "Date:")) mail_.date = DecodeHeader(value, reading_.recodes, budget_);
        else if (StartsWithFolded(line, "Message-ID:")) mail_.message_id = value;
      }
    }
    if (has_type && !part.boundary.empty()) {
      if (parts_.size() >= kMostParts) return Error(Code::kSyntax, "too many parts inside of each other");
      parts_.push_back("--" + part.boundary);
    }
    part_ = std::move(part);
    return {};
  }

  Status ReadBody() {
    std::string piece;
    for (; at_ < lines_.size(); ++at_) {
      budget_.Step();
      const std::string_view line = lines_[at_];
      if (parts_.empty() || !line.starts_with(parts_.back())) {
        piece += line;
        continue;
      }
      // What stands before the first part is for readers of another time.
      if (part_.boundary.empty()) TakeText(piece);
      piece.clear();
      if (Trim(line) == parts_.back() + "--") {
        parts_.pop_back();
        part_ = Part{.boundary = "none", .charset = {}, .transfer = {}};
        continue;
      }
      ++at_;
      PADDOCK_TRY(ReadHeaders(false));
      --at_;
    }
    if (part_.boundary.empty()) TakeText(piece);
    return {};
  }

  void TakeText(const std::string& piece) {
    std::string text = piece;
    if (part_.transfer == "quoted-printable") text = DecodeQuoted(piece, false);
    else if (part_.transfer == "base64") text = DecodeBase64Text(piece);
    for (std::string_view line : SplitLines(text)) {
      budget_.Step();
      std::string own;
      const bool returns = line.ends_with("\r\n");
      mail_.has_return |= returns;
      if (returns && reading_.strips_return) {
        own = std::string(line.substr(0, line.size() - 2)) + "\n";
        line = own;
      }
      if (is_patch_) mail_.patch += line;
      else TakeMessageLine(reading_.recodes ? ToUtf8(line, part_.charset) : std::string(line), line);
    }
  }

  void TakeMessageLine(const std::string& line, std::string_view raw) {
    if (may_have_headers_ && reading_.has_inner_headers) {
      if (Trim(line).empty()) {
        if (!has_headers_) return;
        may_have_headers_ = false;
        return;
      }
      if (TakeInnerHeader(line)) return;
      may_have_headers_ = false;
    }
    if (reading_.has_scissors && IsScissors(line)) {
      mail_.body.clear();
      inner_from_.clear();
      inner_date_.clear();
      has_inner_subject_ = has_headers_ = false;
      may_have_headers_ = true;
      return;
    }
    if (BreaksOff(line)) {
      is_patch_ = true;
      mail_.patch += raw;
      return;
    }
    mail_.body += line;
    if (!line.ends_with('\n')) mail_.body += '\n';
  }

  // "From: …" and its like at the start of the message hold instead of the mail's.
  bool TakeInnerHeader(const std::string& line) {
    if (has_headers_ && (line[0] == ' ' || line[0] == '\t') && last_inner_ != nullptr) {
      *last_inner_ += " " + std::string(Trim(line));
      return true;
    }
    const auto take = [&](std::string_view name, std::string& out) {
      if (!StartsWithFolded(line, name)) return false;
      out = DecodeHeader(Trim(std::string_view(line).substr(name.size())), reading_.recodes, budget_);
      last_inner_ = &out;
      return has_headers_ = true;
    };
    if (take("From:", inner_from_) || take("Date:", inner_date_)) return true;
    if (take("Subject:", inner_subject_)) return has_inner_subject_ = true;
    if (line.starts_with("[PATCH]")) {
      inner_subject_ = Trim(line);
      return has_headers_ = has_inner_subject_ = true;
    }
    return false;
  }

  // "Name <a@b>", "a@b (Name)".
  void TakePerson(const std::string& text) {
    const size_t at = text.find('@');
    if (at == std::string::npos) {
      const size_t open = text.find('<'), close = text.find('>', open == std::string::npos ? 0 : open);
      if (open == std::string::npos || close == std::string::npos) return;
      mail_.email = text.substr(open + 1, close - open - 1);
      SetName(text.substr(0, open));
      return;
    }
    size_t begin = at, end = at;
    while (begin > 0 && !IsBlank(text[begin - 1]) && text[begin - 1] != '<') --begin;
    while (end < text.size() && !IsBlank(text[end]) && text[end] != '>') ++end;
    mail_.email = text.substr(begin, end - begin);
    std::string rest = text.substr(0, begin > 0 && text[begin - 1] == '<' ? begin - 1 : begin) + text.substr(std::min(text.size(), end + (end < text.size() ? 1 : 0)));
    SetName(rest);
  }
  void SetName(std::string_view text) {
    text = Trim(text);
    if (text.size() > 1 && ((text.front() == '(' && text.back() == ')') || (text.front() == '"' && text.back() == '"'))) text = text.substr(1, text.size() - 2);
    std::string name;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      else if (text[i] == '"') continue;
      name += text[i];
    }
    name = WithSingleBlanks(name);
    const bool is_sane = !name.empty() && name.size() < 60 && name.find_first_of("@<>") == std::string::npos;
    mail_.name = is_sane ? name : mail_.email;
  }

  std::string CleanSubject(const std::string& subject) const {
    if (reading_.keeps_subject) return WithSingleBlanks(subject);
    std::string text(Trim(subject));
    size_t at = 0;
    while (at < text.size()) {
      budget_.Step(1 + static_cast<int64_t>(text.size() / 64));
      if (StartsWithFolded(std::string_view(text).substr(at), "re:")) {
        text.erase(at, 3);
      } else if (IsBlank(text[at]) || text[at] == ':') {
        text.erase(at, 1);
      } else if (text[at] == '[') {
        const size_t end = text.find(']', at);
        if (end == std::string::npos) break;
        const bool is_kept = reading_.keeps_non_patch && text.substr(at, end - at).find("PATCH") == std::string::npos;
        if (is_kept) {
          at = end + 1;
          if (at < text.size() && IsBlank(text[at])) ++at;
        } else {
          text.erase(at, end + 1 - at);
        }
      } else {
        break;
      }
    }
    return WithSingleBlanks(text);
  }

  std::vector<std::string_view> lines_;
  const MailReading& reading_;
  Budget& budget_;
  size_t at_ = 0;
  Mail mail_;
  Part part_;
  std::vector<std::string> parts_;   // boundaries
  bool is_patch_ = false, may_have_headers_ = true, has_headers_ = false, has_inner_subject_ = false;
  std::string inner_from_, inner_date_, inner_subject_;
  std::string* last_inner_ = nullptr;
};

// "From x Mon Sep 17 00:00:00 2001".
bool IsFromLine(std::string_view line) {
  line = Trim(line);
  if (line.size() < 20 || !line.starts_with("From ")) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || colon < 6 || colon + 7 > line.size()) return false;
  if (!is_digit(line[colon - 1]) || !is_digit(line[colon - 2]) || !is_digit(line[colon + 1]) || !is_digit(line[colon + 2])) return false;
  std::string_view year = line.substr(colon + 3);
  while (!year.empty() && IsBlank(year.front())) year.remove_prefix(1);
  size_t digits = 0;
  while (digits < year.size() && is_digit(year[digits])) ++digits;
  return digits >= 4 || (digits >= 2 && year.substr(0, digits) > "90");
}

bool NeedsEncoding(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 128 || c == '\n' || c == '\033'; }) || text.find("=?") != std::string_view::npos;
}

size_t CharLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return std::min(length, text.size());
}

// Encoded words of at most 76 columns each, from the column that the line has reached. `is_name`: of an address.
std::string EncodeWords(std::string_view text, size_t column, bool is_name) {
  static constexpr std::string_view kLead = "=?UTF-8?q?", kEnd = "?=";
  std::string out(kLead);
  column += kLead.size();
  while (!text.empty()) {
    const size_t length = CharLength(text);
    std::string piece;
    for (const char c : text.substr(0, length)) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool is_plain = is_name ? is_word || c == '!' || c == '*' || c == '+' || c == '-' || c == '/' : byte > 32 && byte < 127 && c != '=' && c != '?' && c != '_';
      if (is_plain) {
        piece += c;
      } else {
        static constexpr char kHex[] = "0123456789ABCDEF";
        piece += {'=', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    if (column + piece.size() + kEnd.size() > 76) {
      out += std::string(kEnd) + "\n " + std::string(kLead);
      column = kLead.size() + 1;
    }
    out += piece;
    column += piece.size();
    text.remove_prefix(length);
  }
  return out + std::string(kEnd);
}

bool NeedsQuotes(std::string_view name) { return name.find_first_of("()<>@,:;.\\\"[]") != std::string_view::npos; }

size_t LastLineSize(std::string_view text) {
  const size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? text.size() : text.size() - newline - 1;
}

}  // namespace

Result<Mail> ReadMail(std::string_view text, const MailReading& reading, Budget& budget) { return Reader(text, reading, budget).Run(); }

std::vector<std::string_view> SplitMbox(std::string_view text, Budget& budget) {
  std::vector<std::string_view> mails;
  const std::vector<std::string_view> lines = SplitLines(text);
  size_t first = 0;
  while (first < lines.size() && Trim(lines[first]).empty()) ++first;
  if (first == lines.size()) return mails;
  const auto offset = [&](size_t line) { return static_cast<size_t>(lines[line].data() - text.data()); };
  if (!IsFromLine(lines[first])) return {text.substr(offset(first))};
  size_t begin = first;
  for (size_t i = first + 1; i < lines.size(); ++i) {
    budget.Step();
    if (!IsFromLine(lines[i])) continue;
    mails.push_back(text.substr(offset(begin), offset(i) - offset(begin)));
    begin = i;
  }
  mails.push_back(text.substr(offset(begin)));
  return mails;
}

std::string WithoutReturns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') out += text[i];
  }
  return out;
}

bool LooksLikeMail(std::string_view text) {
  while (text.starts_with('\n') || text.starts_with("\r\n")) text.remove_prefix(text[0] == '\r' ? 2 : 1);
  if (text.starts_with("From ") || text.starts_with("From: ")) return true;
  bool has_header = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (Trim(line).empty()) break;
    const bool continues = has_header && (line[0] == ' ' || line[0] == '\t');
    if (!continues && !IsHeaderLine(line)) return false;
    has_header = true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return has_header;
}

std::string WrapWords(std::string_view text, size_t first_column, size_t indent, size_t width) {
  std::string out;
  size_t column = first_column;
  bool is_line_start = true;
  while (!text.empty()) {
    while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
    if (text.empty()) break;
    const std::string_view word = text.substr(0, std::min(text.find_first_of(" \t\n\r"), text.size()));
    const size_t columns = static_cast<size_t>(std::count_if(word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
    if (!is_line_start && column + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      is_line_start = true;
    }
    if (!is_line_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
    is_line_start = false;
    text.remove_prefix(word.size());
  }
  return out;
}

std::string SubjectHeader(std::string_view prefix, std::string_view subject) {
  std::string line = "Subject: " + std::string(prefix);
  if (NeedsEncoding(subject)) return line + EncodeWords(subject, line.size(), false) + "\n";
  // The first word stays on the line of the prefix.
  return line + WrapWords(subject, line.size(), 1, 78) + "\n";
}

std::string PersonHeader(std::string_view field, std::string_view name, std::string_view email) {
  std::string line = std::string(field) + ": ";
  if (NeedsEncoding(name)) {
    line += EncodeWords(name, line.size(), true);
  } else if (NeedsQuotes(name)) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    line += WrapWords(quoted + "\"", line.size(), 1, 78);
  } else {
    line += WrapWords(name, line.size(), 1, 78);
  }
  if (LastLineSize(line) + 3 + email.size() > 78) line += '\n';
  return line + " <" + std::string(email) + ">\n";
}

}  // namespace paddock::git
