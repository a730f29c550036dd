#include "lang/sed/parser.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/budget.h"
#include "lang/sed/escapes.h"
#include "lang/sed/pattern.h"
#include "lang/sed/replacement.h"
#include "lang/sed/script_reader.h"
#include "text/utf8.h"

namespace paddock::sed {
namespace {

constexpr uint64_t kMaxNumber = uint64_t{1} << 62;

bool IsDigit(int c) { return c >= '0' && c <= '9'; }
bool IsSpace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Parser {
 public:
  Parser(const std::vector<ScriptChunk>& chunks, const ParseOptions& options, Budget& budget)
      : reader_(chunks), options_(options), budget_(budget) {}

  Result<Program> Run();

 private:
  Error Fail(const std::string& message) const { return Error(Code::kSyntax, reader_.Location() + ": " + message); }

  Error FailUnknown(int c) const {
    return Fail(std::string("unknown command: `") + static_cast<char>(c) + "'");
  }

  Status ParseChunk();
  Status ParseCommand(int c);
  Status ParseAddresses(SedCommand& command, int& c);
  Result<bool> ParseAddress(Address& address, int c);
  Status ParseBody(SedCommand& command, int c);
  Status EndCommand();
  Status ResolveLabels();

  uint64_t ParseNumber(int first);
  Status ParseExitOrWidth(SedCommand& command);
  Status ParseText(SedCommand& command);
  Result<std::string> ParseFileName();
  std::string ParseLabel();
  Status ParseVersion();
  Status ParseSubstitution(SedCommand& command);
  Status ParseFlags(Substitution& substitution, RegexFlags& flags);
  Status ParseTransliteration(SedCommand& command);
  Status FillTransliteration(Transliteration& map, std::string_view from, std::string_view to) const;

  // A byte may separate the parts, a longer character may not.
  Status CheckDelimiter(int byte) const;
  // Text up to an unescaped `delimiter`; nothing when it does not come.
  std::optional<std::string> ParseDelimited(int delimiter, bool is_regex);
  bool CopyBracket(std::string& text);
  Result<RegexPtr> CompileRegex(const std::string& text, RegexFlags flags);
  int OutputFile(const std::string& name);

  ScriptReader reader_;
  const ParseOptions& options_;
  Budget& budget_;
  Program program_;
  struct OpenBlock {
    size_t command;
    std::string location;
  };
  std::vector<OpenBlock> blocks_;
  std::map<std::string, size_t> labels_;
  std::map<std::string, size_t> label_marks_;
};

Status Parser::EndCommand() {
  const int c = reader_.NextNonBlank();
  if (c == '}' || c == '#') {
    reader_.Back(c);
  } else if (c != ScriptReader::kEnd && c != '\n' && c != ';') {
    return Fail("extra characters after command");
  }
  return {};
}

uint64_t Parser::ParseNumber(int first) {
  uint64_t number = 0;
  int c = first;
  for (; IsDigit(c); c = reader_.Next()) number = std::min(kMaxNumber, number * 10 + static_cast<uint64_t>(c - '0'));
  reader_.Back(c);
  return number;
}

// --- regular expressions and delimited text ----------------------------------------------------------

// A bracket expression, in which the delimiter is text; the '[' is taken already.
bool Parser::CopyBracket(std::string& text) {
  int c = reader_.Next();
  const auto put = [&] {
    text.push_back(static_cast<char>(c));
    c = reader_.Next();
  };
  if (c == '^') put();
  if (c == ']') put();
  while (c != ScriptReader::kEnd && c != '\n') {
    if (c == ']') {
      text.push_back(']');
      return true;
    }
    if (c == '[') {
      put();
      if (c != '.' && c != '=' && c != ':') continue;
      const int kind = c;
      put();
      while (c != ScriptReader::kEnd && c != '\n') {
        const bool may_close = c == kind;
        put();
        if (may_close && c == ']') break;
      }
      if (c == ']') put();
      continue;
    }
    if (c == '\\' && options_.is_posix) {   // a character like others
      put();
      continue;
    }
    if (c == '\\') {
      c = reader_.Next();
      if (c == 'n') {
        c = '\n';
        put();
        continue;
      }
      text.push_back('\\');
      // What can be told from an escape sequence only later stays together.
      if (c != ScriptReader::kEnd && c != '\n' && c != ']' && c != '[') put();
      continue;
    }
    put();
  }
  reader_.Back(c);
  return false;
}

Status Parser::CheckDelimiter(int byte) const {
  const bool begins_character = byte >= 0xC2 && byte <= 0xF4;
  if (options_.is_utf8 && begins_character) return Fail("delimiter character is not a single-byte character");
  return {};
}

std::optional<std::string> Parser::ParseDelimited(int delimiter, bool is_regex) {
  std::string text;
  for (int c = reader_.Next();; c = reader_.Next()) {
    budget_.Step();
    if (c == ScriptReader::kEnd) return std::nullopt;
    if (c == '\n') {
      reader_.Back(c);
      return std::nullopt;
    }
    if (c == delimiter) return text;
    if (c == '[' && is_regex) {
      text.push_back('[');
      if (!CopyBracket(text)) return std::nullopt;
      continue;
    }
    if (c == '\\') {
      c = reader_.Next();
      if (c == ScriptReader::kEnd) return std::nullopt;
      const bool is_delimiter = c == delimiter && (is_regex || c != '&');
      if (c == 'n' && is_regex && !is_delimiter) {
        c = '\n';
      } else if (!is_delimiter && !(c == '\n' && is_regex)) {
        text.push_back('\\');
      }
    }
    text.push_back(static_cast<char>(c));
  }
}

Result<RegexPtr> Parser::CompileRegex(const std::string& text, RegexFlags flags) {
  if (text.empty()) {
    if (flags.ignore_case || flags.multiline) return Fail("cannot specify modifiers on empty regexp");
    return RegexPtr();
  }
  flags.dialect = options_.is_extended ? RegexDialect::kSedExtended : RegexDialect::kBasic;
  flags.is_utf8 = options_.is_utf8;
  auto converted = ConvertPattern(text, options_, budget_);
  if (!converted) return Fail(converted.error().message);
  // With -z and M lines end in NUL, which regular expressions do not know: it changes places with the line feed.
  const bool swaps_ends = options_.is_zero_terminated && flags.multiline;
  if (swaps_ends) SwapEnds(*converted);
  flags.newline_is_text = !swaps_ends;   // no match goes over the end of a line
  auto regex = Regex::Compile(*converted, flags);
  if (regex) return RegexPtr(std::make_shared<const SedRegex>(SedRegex{std::move(*regex), swaps_ends, text == "^" || text == "$", *converted, flags.ignore_case, flags.multiline}));
  if (regex.error().message.starts_with("character class syntax")) {
    return Error(Code::kInvalid, regex.error().message);
  }
  return Fail(regex.error().message);
}

// --- addresses ---------------------------------------------------------------------------------------

Result<bool> Parser::ParseAddress(Address& address, int c) {
  if (c == '/' || c == '\\') {
    if (c == '\\') c = reader_.Next();
    PADDOCK_TRY(CheckDelimiter(c));
    const auto text = c == ScriptReader::kEnd ? std::nullopt : ParseDelimited(c, true);
    if (!text) return Fail("unterminated address regex");
    RegexFlags flags;
    for (;;) {
      c = reader_.NextNonBlank();
      if (options_.is_posix) break;
      if (c == 'I') {
        flags.ignore_case = true;
      } else if (c == 'M') {
        flags.multiline = true;
      } else {
        break;
      }
    }
    reader_.Back(c);
    address.kind = Address::Kind::kRegex;
    PADDOCK_ASSIGN(address.regex, CompileRegex(*text, flags));
    return true;
  }
  if (IsDigit(c)) {
    address.kind = Address::Kind::kLine;
    address.number = ParseNumber(c);
    c = reader_.NextNonBlank();
    if (c != '~' || options_.is_posix) {
      reader_.Back(c);
      return true;
    }
    address.step = ParseNumber(reader_.NextNonBlank());
    if (address.step > 0) address.kind = Address::Kind::kStep;
    return true;
  }
  if ((c == '+' || c == '~') && !options_.is_posix) {
    address.kind = c == '+' ? Address::Kind::kPlus : Address::Kind::kMultiple;
    address.number = ParseNumber(reader_.NextNonBlank());
    return true;
  }
  if (c == '$') {
    address.kind = Address::Kind::kLast;
    return true;
  }
  return false;
}

// Leaves the command's letter in `c`.
Status Parser::ParseAddresses(SedCommand& command, int& c) {
  PADDOCK_ASSIGN(const bool has_first, ParseAddress(command.first, c));
  if (has_first) {
    if (command.first.kind == Address::Kind::kPlus || command.first.kind == Address::Kind::kMultiple) {
      return Fail("invalid usage of +N or ~N as first address");
    }
    c = reader_.NextNonBlank();
    if (c == ',') {
      PADDOCK_ASSIGN(const bool has_second, ParseAddress(command.second, reader_.NextNonBlank()));
      if (!has_second) return Fail("unexpected `,'");
      c = reader_.NextNonBlank();
    }
    const bool is_zero = command.first.kind == Address::Kind::kLine && command.first.number == 0;
    // 0r: the file goes before everything.
    const bool reads_first = c == 'r' && command.second.kind == Address::Kind::kNone && !options_.is_posix;
    if (is_zero && !reads_first && (command.second.kind != Address::Kind::kRegex || options_.is_posix)) {
      return Fail("invalid usage of line address 0");
    }
  }
  if (c == '!') {
    command.is_negated = true;
    c = reader_.NextNonBlank();
    if (c == '!') return Fail("multiple `!'s");
  }
  return {};
}

// --- commands ----------------------------------------------------------------------------------------

Status Parser::ParseExitOrWidth(SedCommand& command) {
  const int c = options_.is_posix ? ScriptReader::kEnd : reader_.NextNonBlank();
  if (IsDigit(c)) {
    command.number = static_cast<int64_t>(ParseNumber(c));
  } else {
    reader_.Back(c);
  }
  return EndCommand();
}

// The text of a, i, c and e: on this line or, behind a backslash, on the next ones.
Status Parser::ParseText(SedCommand& command) {
  int c = reader_.NextNonBlank();
  if (c == ScriptReader::kEnd) return Fail("expected \\ after `a', `c' or `i'");
  if (c == '\\') {
    c = reader_.Next();
    if (c == '\n') {
      c = reader_.Next();
    } else if (c == ScriptReader::kEnd) {
      if (options_.is_posix) return Fail("incomplete command");
      if (!reader_.NextChunk()) return {};
      c = reader_.Next();
    }
  } else if (options_.is_posix) {
    return Fail("expected \\ after `a', `c' or `i'");
  }
  std::string raw;
  while (c != ScriptReader::kEnd && c != '\n') {
    budget_.Step();
    if (c == '\\') {
      const int next = reader_.Next();
      if (next == ScriptReader::kEnd) {
        // The text goes on in the next -e, as if there were a line between.
        if (!reader_.NextChunk()) break;
        raw.push_back('\n');
        c = reader_.Next();
        continue;
      }
      if (next != '\n') raw.push_back('\\');
      c = next;
    }
    raw.push_back(static_cast<char>(c));
    c = reader_.Next();
  }
  auto converted = ConvertEscapes(raw, EscapeUse::kText);
  if (!converted) return Fail(converted.error().message);
  for (size_t i = 0; i < converted->size(); ++i) {
    if ((*converted)[i] == '\\' && i + 1 < converted->size()) ++i;
    command.text.push_back((*converted)[i]);
  }
  command.text.push_back('\n');
  return {};
}

Result<std::string> Parser::ParseFileName() {
  std::string name;
  for (int c = reader_.NextNonBlank(); c != ScriptReader::kEnd && c != '\n'; c = reader_.Next()) name.push_back(static_cast<char>(c));
  if (name.empty()) return Fail("missing filename in r/R/w/W commands");
  return name;
}

std::string Parser::ParseLabel() {
  std::string label;
  int c = reader_.NextNonBlank();
  for (; c != ScriptReader::kEnd && !IsSpace(c) && c != ';' && c != '}' && c != '#'; c = reader_.Next()) label.push_back(static_cast<char>(c));
  reader_.Back(c);
  return label;
}

// v: any version up to 4.9 will do.
Status Parser::ParseVersion() {
  const std::string version = ParseLabel();
  int wanted[3] = {0, 0, 0};
  size_t part = 0;
  for (size_t i = 0; i < version.size(); ++i) {
    const char c = version[i];
    if (c == '.' && part < 2 && i > 0) {
      ++part;
    } else if (IsDigit(c) && wanted[part] < 100000) {
      wanted[part] = wanted[part] * 10 + (c - '0');
    } else {
      return Fail("expected newer version of sed");
    }
  }
  const int have[3] = {4, 9, 0};
  if (std::lexicographical_compare(have, have + 3, wanted, wanted + 3)) return Fail("expected newer version of sed");
  return EndCommand();
}

int Parser::OutputFile(const std::string& name) {
  auto& files = program_.output_files;
  const auto found = std::find(files.begin(), files.end(), name);
  if (found != files.end()) return static_cast<int>(found - files.begin());
  files.push_back(name);
  return static_cast<int>(files.size() - 1);
}

Status Parser::ParseFlags(Substitution& substitution, RegexFlags& flags) {
  bool has_number = false;
  for (;;) {
    const int c = reader_.Next();
    if (options_.is_posix && c != ScriptReader::kEnd && std::strchr("iImMe", c) != nullptr) return Fail("unknown option to `s'");
    switch (c) {
      case 'i':
      case 'I': flags.ignore_case = true; break;
      case 'm':
      case 'M': flags.multiline = true; break;
      case 'e':
        if (options_.is_sandboxed) return Fail("e/r/w commands disabled in sandbox mode");
        substitution.evaluates = true;
        break;
      case 'p':
        if (substitution.prints || substitution.prints_before_eval) {
          return Fail("multiple `p' options to `s' command");
        }
        (substitution.evaluates ? substitution.prints : substitution.prints_before_eval) = true;
        break;
      case 'g':
        if (substitution.is_global) return Fail("multiple `g' options to `s' command");
        substitution.is_global = true;
        break;
      case 'w': {
        if (options_.is_sandboxed) return Fail("e/r/w commands disabled in sandbox mode");
        PADDOCK_ASSIGN(const std::string name, ParseFileName());
        substitution.file = OutputFile(name);
        return {};
      }
      case ' ':
      case '\t': break;
      case '}':
      case '#': reader_.Back(c); return {};
      case ScriptReader::kEnd:
      case '\n':
      case ';': return {};
      case '\r':
        if (reader_.Next() == '\n') return {};
        return Fail("unknown option to `s'");
      default:
        if (!IsDigit(c)) return Fail("unknown option to `s'");
        if (has_number) return Fail("multiple number options to `s' command");
        has_number = true;
        substitution.number = ParseNumber(c);
        if (substitution.number == 0) return Fail("number option to `s' command may not be zero");
    }
  }
}

Status Parser::ParseSubstitution(SedCommand& command) {
  const int delimiter = reader_.Next();
  PADDOCK_TRY(CheckDelimiter(delimiter));
  const auto pattern = delimiter == ScriptReader::kEnd ? std::nullopt : ParseDelimited(delimiter, true);
  const auto replacement = pattern ? ParseDelimited(delimiter, false) : std::nullopt;
  if (!replacement) return Fail("unterminated `s' command");
  auto substitution = std::make_unique<Substitution>();
  auto converted = ConvertEscapes(*replacement, EscapeUse::kReplacement);
  if (converted) ParseReplacement(*converted, *substitution, !options_.is_posix);
  RegexFlags flags;
  PADDOCK_TRY(ParseFlags(*substitution, flags));
  if (!converted) return Fail(converted.error().message);
  // With only one of p and e their order does not matter.
  if (!substitution->evaluates) std::swap(substitution->prints, substitution->prints_before_eval);
  PADDOCK_ASSIGN(substitution->regex, CompileRegex(*pattern, flags));
  if (substitution->regex != nullptr && !options_.is_posix && !options_.is_correct &&
      static_cast<size_t>(substitution->highest_group) > substitution->regex->regex.group_count()) {
    return Fail("invalid reference \\" + std::to_string(substitution->highest_group) + " on `s' command's RHS");
  }
  command.substitution = std::move(substitution);
  return {};
}

// y's strings after the delimiter is out: \\ and \n, and a backslash before anything else goes.
std::string UnescapeTransliteration(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      plain.push_back(text[i] == 'n' ? '\n' : text[i]);
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

Status Parser::FillTransliteration(Transliteration& map, std::string_view from, std::string_view to) const {
  for (size_t i = 0; i < map.bytes.size(); ++i) map.bytes[i] = static_cast<char>(i);
  const std::string whole_from(from), whole_to(to);
  std::array<bool, 256> is_set{};
  const auto length = [this](std::string_view text) -> size_t {
    return options_.is_utf8 ? DecodeUtf8(text).length : 1;
  };
  std::map<std::string, std::string> wide;
  while (!from.empty() && !to.empty()) {
    const std::string_view a = from.substr(0, length(from));
    const std::string_view b = to.substr(0, length(to));
    from.remove_prefix(a.size());
    to.remove_prefix(b.size());
    const auto byte = static_cast<unsigned char>(a[0]);
    if (a.size() == 1 && b.size() == 1) {
      if (!is_set[byte] && !wide.contains(std::string(a))) map.bytes[byte] = b[0];
      is_set[byte] = true;
    } else if (!(a.size() == 1 && is_set[byte])) {
      wide.emplace(a, b);
    }
  }
  if (!from.empty() || !to.empty()) return Fail("strings for `y' command are different lengths");
  map.from = whole_from;
  map.to = whole_to;
  map.characters.assign(wide.begin(), wide.end());
  return {};
}

Status Parser::ParseTransliteration(SedCommand& command) {
  const int delimiter = reader_.Next();
  PADDOCK_TRY(CheckDelimiter(delimiter));
  const auto from = delimiter == ScriptReader::kEnd ? std::nullopt : ParseDelimited(delimiter, false);
  const auto to = from ? ParseDelimited(delimiter, false) : std::nullopt;
  if (!to) return Fail("unterminated `y' command");
  // A \c without its letter stays as it is, here alone.
  const auto is_cut = [](const std::string& text) { return text.ends_with("\\c") && !text.ends_with("\\\\c"); };
  if (is_cut(*from) != is_cut(*to)) return Fail("strings for `y' command are different lengths");
  auto first = ConvertEscapes(*from, EscapeUse::kText);
  auto second = ConvertEscapes(*to, EscapeUse::kText);
  if (!first || !second) return Fail((first ? second : first).error().message);
  command.transliteration = std::make_unique<Transliteration>();
  PADDOCK_TRY(FillTransliteration(*command.transliteration, UnescapeTransliteration(*first),
                                  UnescapeTransliteration(*second)));
  return EndCommand();
}

Status Parser::ParseBody(SedCommand& command, int c) {
  const bool has_addresses = command.first.kind != Address::Kind::kNone;
  if (options_.is_posix && c > 0) {
    if (std::strchr("eFQRTvWz", c) != nullptr) return FailUnknown(c);
    if (std::strchr("=ailqr", c) != nullptr && command.second.kind != Address::Kind::kNone) {
      return Fail("command only uses one address");
    }
  }
  switch (c) {
    case '{':
      blocks_.push_back({program_.commands.size(), reader_.LocationAt(0)});
      return {};
    case '}':
      if (blocks_.empty()) return Fail("unexpected `}'");
      if (has_addresses) return Fail("`}' doesn't want any addresses");
      program_.commands[blocks_.back().command].target = program_.commands.size();
      program_.commands[blocks_.back().command].target_mark = program_.marks.size();
      blocks_.pop_back();
      program_.marks.push_back({program_.commands.size(), blocks_.size(), "}"});
      return EndCommand();
    case '=': case 'd': case 'D': case 'F': case 'g': case 'G': case 'h': case 'H':
    case 'n': case 'N': case 'p': case 'P': case 'x': case 'z':
      return EndCommand();
    case 'a': case 'i': case 'c': return ParseText(command);
    case 'e': {
      if (options_.is_sandboxed) return Fail("e/r/w commands disabled in sandbox mode");
      const int next = reader_.NextNonBlank();
      if (next == ScriptReader::kEnd || next == '\n') return {};
      reader_.Back(next);
      return ParseText(command);
    }
    case ':': {
      if (has_addresses) return Fail(": doesn't want any addresses");
      const std::string label = ParseLabel();
      if (label.empty()) return Fail("\":\" lacks a label");
      labels_[label] = program_.commands.size();
      label_marks_[label] = program_.marks.size();
      program_.marks.push_back({program_.commands.size(), blocks_.size(), ":" + label});
      return {};
    }
    case 'b': case 't': case 'T': command.text = ParseLabel(); return {};
    case 'q': case 'Q':
      if (command.second.kind != Address::Kind::kNone) return Fail("command only uses one address");
      [[fallthrough]];
    case 'l': return ParseExitOrWidth(command);
    case 'r': case 'R': case 'w': case 'W': {
      if (options_.is_sandboxed) return Fail("e/r/w commands disabled in sandbox mode");
      PADDOCK_ASSIGN(command.text, ParseFileName());
      if (c == 'w' || c == 'W') command.file = OutputFile(command.text);
      if (c == 'R') {
        auto& files = program_.read_files;
        const auto found = std::find(files.begin(), files.end(), command.text);
        command.file = static_cast<int>(found - files.begin());
        if (found == files.end()) files.push_back(command.text);
      }
      return {};
    }
    case 's': return ParseSubstitution(command);
    case 'v': return ParseVersion();
    case 'y': return ParseTransliteration(command);
    case ScriptReader::kEnd:
    case '\n':
    case '\r': return Fail("missing command");
    default: return FailUnknown(c);
  }
}

Status Parser::ParseCommand(int c) {
  SedCommand command;
  command.depth = blocks_.size();
  PADDOCK_TRY(ParseAddresses(command, c));
  if (c == '#' && command.first.kind != Address::Kind::kNone) return Fail("comments don't accept any addresses");
  PADDOCK_TRY(ParseBody(command, c));
  if (c == '}' || c == ':' || c == 'v') return {};
  command.name = static_cast<char>(c);
  program_.commands.push_back(std::move(command));
  return {};
}

Status Parser::ParseChunk() {
  for (;;) {
    budget_.Step();
    int c = reader_.Next();
    while (c == ';' || IsSpace(c)) c = reader_.Next();
    if (c == ScriptReader::kEnd) return {};
    if (c != '#') {
      PADDOCK_TRY(ParseCommand(c));
      continue;
    }
    const bool is_start = reader_.is_first_chunk() && reader_.position() == 1;
    c = reader_.Next();
    if (is_start && c == 'n') program_.is_quiet = true;
    while (c != ScriptReader::kEnd && c != '\n') c = reader_.Next();
  }
}

Status Parser::ResolveLabels() {
  for (SedCommand& command : program_.commands) {
    if (command.name != 'b' && command.name != 't' && command.name != 'T') continue;
    command.target = program_.commands.size();
    command.target_mark = program_.marks.size();
    if (command.text.empty()) continue;
    const auto found = labels_.find(command.text);
    if (found == labels_.end()) {
      return Error(Code::kInvalid, "can't find label for jump to `" + command.text + "'");
    }
    command.target = found->second;
    command.target_mark = label_marks_[command.text];
  }
  return {};
}

Result<Program> Parser::Run() {
  do {
    PADDOCK_TRY(ParseChunk());
  } while (reader_.NextChunk());
  if (!blocks_.empty()) return Error(Code::kSyntax, blocks_.back().location + ": unmatched `{'");
  PADDOCK_TRY(ResolveLabels());
  program_.end_location = reader_.LocationAt(0);
  return std::move(program_);
}

}  // namespace

Result<Program> ParseScript(const std::vector<ScriptChunk>& chunks, const ParseOptions& options, Budget& budget) {
  return Parser(chunks, options, budget).Run();
}

}  // namespace paddock::sed
