#include <span>

#include "base/budget.h"
#include "commands/file/file_kind.h"
#include "text/regex.h"

namespace paddock::file {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads JSON as loosely as file does: a comma may stand before a closing bracket.
class JsonReader {
 public:
  JsonReader(std::string_view text, Budget& budget) : text_(text), budget_(budget) {}

  // 0: no JSON; 1: one array or object; 2: several.
  int Read() {
    bool is_container = false;
    int values = 0;
    for (SkipSpace(); at_ < text_.size(); SkipSpace()) {
      is_container = text_[at_] == '{' || text_[at_] == '[';
      if (!is_container || !Value(0)) return 0;
      ++values;
    }
    return std::min(values, 2);
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(char wanted) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool Value(int depth) {
    constexpr int kDeepest = 500;
    budget_.Step();
    SkipSpace();
    if (at_ >= text_.size() || depth > kDeepest) return false;
    switch (text_[at_]) {
      case '{':
      case '[': return Container(text_[at_] == '{', depth);
      case '"': return String();
      case 't': return Word("true");
      case 'f': return Word("false");
      case 'n': return Word("null");
      default: return Number();
    }
  }

  bool Container(bool is_object, int depth) {
    const char close = is_object ? '}' : ']';
    ++at_;
    while (!Take(close)) {
      if (is_object && !(Take('"') && (--at_, String()) && Take(':'))) return false;
      if (!Value(depth + 1)) return false;
      if (Take(close)) return true;
      if (!Take(',')) return false;
    }
    return true;
  }

  bool String() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') ++at_;
      else if (text_[at_] == '"') return ++at_, true;
      else if (text_[at_] == '\0') return false;
    }
    return false;
  }

  bool Word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool Number() {
    const size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const size_t digits = at_;
    while (at_ < text_.size() && (IsDigit(text_[at_]) || (at_ > digits && std::string_view(".eE+-").find(text_[at_]) != std::string_view::npos))) ++at_;
    return at_ > digits && at_ > start;
  }

  std::string_view text_;
  Budget& budget_;
  size_t at_ = 0;
};

struct Interpreter {
  const char* paths;   // of the program, separated by blanks; "env:NAME" for #!/usr/bin/env NAME
  const char* text;
  const char* mime;
  bool is_whole = false;   // no encoding is named
};
constexpr Interpreter kInterpreters[] = {
    {"/bin/sh", "POSIX shell script", "text/x-shellscript"},
    {"/bin/bash /usr/bin/bash /usr/local/bash /usr/local/bin/bash env:bash", "Bourne-Again shell script",
     "text/x-shellscript"},
    {"/bin/csh", "C shell script", "text/x-shellscript"},
    {"/bin/ksh /usr/bin/ksh", "Korn shell script", "text/x-shellscript"},
    {"/bin/tcsh /usr/bin/tcsh /usr/local/tcsh /usr/local/bin/tcsh", "Tenex C shell script", "text/x-shellscript"},
    {"/bin/zsh /usr/bin/zsh /usr/local/bin/zsh env:zsh", "Paul Falstad's zsh script", "text/x-shellscript"},
    {"/usr/bin/fish /usr/local/bin/fish env:fish", "fish shell script", "text/x-shellscript"},
    {"/bin/awk /usr/bin/awk", "awk script", "text/x-awk"},
    {"/bin/gawk /usr/bin/gawk /usr/local/bin/gawk", "GNU awk script", "text/x-gawk"},
    {"/bin/nawk /usr/bin/nawk", "new awk script", "text/x-nawk"},
    {"/usr/bin/ruby /usr/local/bin/ruby env:ruby", "Ruby script", "text/x-ruby"},
    {"/usr/bin/php /usr/local/bin/php", "PHP script", "text/x-php"},
    {"/usr/bin/lua /usr/local/bin/lua env:lua", "Lua script", "text/x-lua"},
    {"/usr/bin/tclsh /usr/local/bin/tclsh env:tclsh", "Tcl/Tk script", "text/x-tcl"},
    {"/bin/perl /usr/bin/perl /usr/local/bin/perl env:perl", "Perl script text executable", "text/x-perl", true},
};

// The program of a first line "#! PROGRAM ARGUMENT"; "env:NAME" when it is env's.
std::string ProgramOf(std::string_view line) {
  std::string_view rest = line.substr(2);
  const auto word = [&rest] {
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
    size_t end = 0;
    while (end < rest.size() && !IsSpace(rest[end])) ++end;
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(end);
    return std::string(found);
  };
  const std::string program = word();
  return program == "/usr/bin/env" || program == "/bin/env" ? "env:" + word() : program;
}

bool IsAmong(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(' '));
    if (item == word) return true;
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return false;
}

// Formats that are known by how the text starts.
struct Start {
  const char* start;
  const char* text;
  const char* mime;
  const char* extensions = "???";
  bool is_whole = true;
};
constexpr Start kStarts[] = {
    {"-----BEGIN CERTIFICATE-----", "PEM certificate", "text/plain"},
    {"-----BEGIN CERTIFICATE REQ", "PEM certificate request", "text/plain"},
    {"-----BEGIN RSA PRIVATE", "PEM RSA private key", "text/plain"},
    {"-----BEGIN DSA PRIVATE", "PEM DSA private key", "text/plain"},
    {"-----BEGIN EC PRIVATE", "PEM EC private key", "text/plain"},
    {"-----BEGIN OPENSSH PRIVATE KEY-----", "OpenSSH private key", "text/plain"},
    {"-----BEGIN PGP MESSAGE-", "PGP message", "application/pgp-encrypted", "asc"},
    {"-----BEGIN PGP PUBLIC KEY BLOCK-", "PGP public key block", "application/pgp-keys", "asc"},
    {"-----BEGIN PGP SIGNATURE-", "PGP signature", "application/pgp-signature", "asc"},
    {"-----BEGIN PGP SIGNED MESSAGE-", "PGP signed message", "text/PGP"},
    {"ssh-rsa ", "OpenSSH RSA public key", "text/plain"},
    {"ssh-dss ", "OpenSSH DSA public key", "text/plain"},
    {"ssh-ed25519 ", "OpenSSH ED25519 public key", "text/plain"},
    {"BEGIN:VCARD", "vCard visiting card", "text/vcard", "vcf/vcard"},
    {"BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar", "ics/ifb"},
    {"{\\rtf1", "Rich Text Format data, version 1", "text/rtf", "rtf"},
    {"#EXTM3U", "M3U playlist", "text/plain", "m3u/m3u8", false},
    {"<?php", "PHP script", "text/x-php", "???", false},
    {"Return-Path:", "SMTP mail", "message/rfc822", "???", false},
    {"Received:", "RFC 822 mail", "message/rfc822", "???", false},
    {"From:", "news or mail", "message/rfc822", "???", false},
    {"MIME-Version:", "MIME entity", "text/plain", "???", false},
    {"diff ", "diff output", "text/x-diff", "???", false},
    {"Only in ", "diff output", "text/x-diff", "???", false},
    {"Common subdirectories: ", "diff output", "text/x-diff", "???", false},
    {"@echo off", "DOS batch file", "text/x-msdos-batch", "bat", false},
    {"\\input", "TeX document", "text/x-tex", "???", false},
    {"\\documentclass", "LaTeX 2e document", "text/x-tex", "???", false},
    {".TH ", "troff or preprocessor input", "text/troff", "???", false},
    {".\\\"", "troff or preprocessor input", "text/troff", "???", false},
    {"\"use strict\"", "JavaScript source", "application/javascript", "???", false},
    {"'use strict'", "JavaScript source", "application/javascript", "???", false},
};

// Source files, by something in the first 8 KiB. What stands first wins.
struct Source {
  const char* pattern;   // extended regular expression, ^ and $ at lines
  const char* text;
  const char* mime;
  bool is_executable = false;
};
constexpr Source kSources[] = {
    {"^package[ \t]+[0-9A-Za-z_:]+ *;", "Perl5 module source", "text/plain"},
    {"^import[ \t]+java[^\n]*;$", "Java source", "text/x-java"},
    {"^package[ \t]+[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+;", "Java source", "text/x-java"},
    {"^public[ \t]+(abstract |final )?class[ \t]+[A-Za-z_0-9]+[^\n]*[{][^\n]*[}]", "Java source", "text/x-java"},
    {"^(using[ \t]+(namespace )?std(:|;)|namespace[ \t]+[A-Za-z]+|[ \t]*template[ \t]*<[^\n]*>[ \t]*$|[ \t]*virtual[ \t]+[^\n]*[;{]$|[ \t]*(public|private|protected):)",
     "C++ source", "text/x-c++"},
    {"^#include[ \t]*[<\"]", "C source", "text/x-c"},
    {"^#[ \t]*pragma", "C source", "text/x-c"},
    {"^#[ \t]*ifn?def(.|\n)*^#[ \t]*(define|endif)", "C source", "text/x-c"},
    {"^[ \t]*(char( \\*|\\*)|double|float|extern|union|struct)[ \t]+[A-Za-z_][^\n]*[;{]?[ \t]*$", "C source", "text/x-c"},
    {"main\\([^\n]*\\)[ \t\n]*[{]", "C source", "text/x-c"},
    {"^[ \t]{0,50}def {1,50}[a-zA-Z_][a-zA-Z0-9_]{0,100} *\\([^)]{0,500}\\) *(->[^\n]*)?:$", "Python script",
     "text/x-script.python", true},
    {"^from[ \t]+[A-Za-z0-9_.]+[ \t]+import[ \t]+[^ ]", "Python script", "text/x-script.python", true},
    {"^(try:\n[^\n]*\nexcept|if __name__ ==)", "Python script", "text/x-script.python", true},
    {"^class[ \t]+[A-Za-z_0-9]+(\\([^\n]*\\))?:", "Python script", "text/x-script.python", true},
    {"^(def [a-z_]+[^:\n]*$(.|\n)*^end$|class [A-Z][A-Za-z:]*( < [^\n]*)?$(.|\n)*^end$)", "Ruby script", "text/x-ruby"},
    {"^(module\\.exports|exports\\.[a-z]+ =|export default|import [^\n;]* from [\"'])", "JavaScript source",
     "application/javascript"},
    {"^\\((defun|setq|defvar|defparam|defmacro) ", "Lisp/Scheme program", "text/x-lisp"},
    {"^(\\.PHONY|CFLAGS|VPATH|LDFLAGS|all:|\\.PRECIOUS|CC[ \t]*=)", "makefile script", "text/x-makefile"},
};

constexpr size_t kSearched = 8192;

std::string_view SkipBlank(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

std::optional<Kind> FindMarkup(std::string_view bytes) {
  const std::string head = LowerAscii(bytes.substr(0, 4096));
  if (bytes.starts_with("<?xml")) {
    const size_t version = head.find("version=");
    const std::string number = version == std::string::npos ? "1.0" : std::string(Part(bytes, version + 9, 3));
    if (head.find("<svg") != std::string::npos) {
      return Kind{"SVG Scalable Vector Graphics image", "image/svg+xml", "svg"};
    }
    return Kind{.text = "XML " + number + " document", .mime = "text/xml", .names_encoding = true};
  }
  if (bytes.starts_with("<svg")) return Kind{"SVG Scalable Vector Graphics image", "image/svg+xml", "svg"};
  for (const char* tag : {"<!doctype html", "<html", "<head", "<title"}) {
    const size_t at = head.find(tag);
    if (at == std::string::npos) continue;
    const size_t end = at + std::string_view(tag).size();
    if (end >= head.size() || (head[end] != '>' && !IsSpace(head[end]))) continue;
    return Kind{.text = "HTML document", .mime = "text/html", .names_encoding = true};
  }
  if (head.find("<!--") != std::string::npos) {
    return Kind{.text = "exported SGML document", .mime = "text/html", .names_encoding = true};
  }
  return std::nullopt;
}

std::optional<Kind> FindDiff(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  const auto follows = [&](std::string_view first, std::string_view second) {
    const size_t at = head.find(first);
    return at == std::string_view::npos ? at : head.find(second, at);
  };
  const size_t plus = follows("--- ", "\n+++ ");
  const bool is_unified = plus != std::string_view::npos && head.find("\n@@", plus) != std::string_view::npos;
  if (is_unified) return Kind{.text = "unified diff output", .mime = "text/x-diff", .names_encoding = true};
  if (follows("*** ", "\n--- ") != std::string_view::npos) {
    return Kind{.text = "context diff output", .mime = "text/x-diff", .names_encoding = true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Kind> FindJson(std::string_view bytes, Budget& budget) {
  const int found = JsonReader(bytes, budget).Read();
  if (found == 0) return std::nullopt;
  if (found == 1) return Kind{"JSON text data", "application/json"};
  return Kind{"New Line Delimited JSON text data", "application/x-ndjson"};
}

std::optional<Kind> FindCsv(std::string_view bytes, Budget& budget) {
  constexpr size_t kEnoughLines = 10;
  const Kind kind{"CSV text", "text/csv"};
  size_t lines = 0, fields = 0, expected = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    budget.Step();
    if (bytes[i] == '"') {
      // To the end of the quoted field; a doubled quote stands for one.
      for (++i; i < bytes.size(); ++i) {
        if (bytes[i] != '"') continue;
        if (i + 1 >= bytes.size() || bytes[i + 1] != '"') break;
        ++i;
      }
    } else if (bytes[i] == ',') {
      ++fields;
    } else if (bytes[i] == '\n') {
      if (++lines == kEnoughLines) return expected > 0 && expected == fields ? std::optional(kind) : std::nullopt;
      if (expected == 0) expected = fields;
      if (fields == 0 || fields != expected) return std::nullopt;
      fields = 0;
    }
  }
  return expected > 0 && lines > 2 ? std::optional(kind) : std::nullopt;
}

std::optional<Kind> FindScript(std::string_view bytes) {
  const size_t newline = bytes.find('\n');
  if (!bytes.starts_with("#!") || newline == std::string_view::npos) return std::nullopt;
  const std::string program = ProgramOf(bytes.substr(0, newline));
  for (const Interpreter& known : kInterpreters) {
    if (!IsAmong(known.paths, program)) continue;
    return Kind{.text = known.text, .mime = known.mime, .names_encoding = !known.is_whole, .is_executable = !known.is_whole};
  }
  const std::string name = program.substr(program.find_last_of("/:") + 1);
  if (name.starts_with("python")) {
    return Kind{.text = "Python script", .mime = "text/x-script.python", .names_encoding = true, .is_executable = true};
  }
  if (name == "node" || name == "nodejs") {
    return Kind{.text = "Node.js script executable", .mime = "application/javascript", .names_encoding = true};
  }
  return std::nullopt;
}

std::optional<Kind> FindAnyScript(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return std::nullopt;
  std::string_view line = bytes.substr(2, bytes.find('\n') - 2);
  while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  constexpr std::string_view kEnv = "/usr/bin/env ";
  if (line.starts_with(kEnv)) line.remove_prefix(kEnv.size());
  return Kind{.text = "a " + std::string(line) + " script", .mime = "text/plain", .names_encoding = true,
              .is_executable = true};
}

std::optional<Kind> FindTextFormat(std::string_view bytes, Budget& budget) {
  if (auto script = FindScript(bytes)) return script;
  if (bytes.starts_with("#!")) return FindAnyScript(bytes);
  if (auto diff = FindDiff(bytes)) return diff;
  const std::string_view trimmed = SkipBlank(bytes);
  const std::string lower = LowerAscii(trimmed.substr(0, 16));
  for (const Start& known : kStarts) {
    const bool is_batch = std::string_view(known.start) == "@echo off" && lower.starts_with(known.start);
    if (!bytes.starts_with(known.start) && !is_batch) continue;
    return Kind{.text = known.text, .mime = known.mime, .extensions = known.extensions, .names_encoding = !known.is_whole};
  }
  if (bytes.starts_with("tree ")) {
    const std::string_view rest = bytes.substr(5, bytes.find('\n') == std::string_view::npos ? bytes.npos : bytes.find('\n') - 5);
    return Kind{"Git tree " + std::string(rest.substr(0, rest.find('\n'))), "text/plain"};
  }
  if (auto markup = FindMarkup(bytes)) return markup;
  if (trimmed.starts_with("\"\"\"") && trimmed.find("\"\"\"", 3) != std::string_view::npos) {
    return Kind{.text = "Python script", .mime = "text/plain", .names_encoding = true, .is_executable = true};
  }
  const std::string_view head = bytes.substr(0, kSearched);
  for (const Source& source : kSources) {
    const auto regex = Regex::Compile(source.pattern, {.is_utf8 = false, .multiline = true});
    if (!regex) continue;
    const auto found = regex->Search(head, 0, nullptr, budget);
    if (!found || !*found) continue;
    return Kind{.text = source.text, .mime = source.mime, .names_encoding = true, .is_executable = source.is_executable};
  }
  return std::nullopt;
}

}  // namespace paddock::file
