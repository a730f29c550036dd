// umask - shows or sets the file mode mask

#include <cstdio>

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

std::string Symbolic(uint32_t umask) {
  std::string text;
  const char* names = "ugo";
  for (int i = 0; i < 3; ++i) {
    const uint32_t bits = ~umask >> (6 - 3 * i) & 7;
    if (i > 0) text += ',';
    text += names[i];
    text += '=';
    if ((bits & 4) != 0) text += 'r';
    if ((bits & 2) != 0) text += 'w';
    if ((bits & 1) != 0) text += 'x';
  }
  return text;
}

// u=rwx,g+w,o-rwx; nothing after a complaint.
std::optional<uint32_t> ParseSymbolic(Shell& shell, const std::string& text, uint32_t umask) {
  uint32_t allowed = ~umask & 0777;
  size_t i = 0;
  while (i < text.size()) {
    uint32_t who = 0;
    for (; i < text.size() && std::string_view("ugoa").find(text[i]) != std::string_view::npos; ++i) {
      who |= text[i] == 'u' ? 0700 : text[i] == 'g' ? 0070 : text[i] == 'o' ? 0007 : 0777;
    }
    if (who == 0) who = 0777;
    if (i >= text.size() || std::string_view("+-=").find(text[i]) == std::string_view::npos) {
      shell.Complain("umask", std::string("`") + (i < text.size() ? text[i] : ' ') + "': invalid symbolic mode operator");
      return std::nullopt;
    }
    const char op = text[i++];
    uint32_t bits = 0;
    for (; i < text.size() && text[i] != ','; ++i) {
      if (text[i] == 'r') bits |= 0444;
      else if (text[i] == 'w') bits |= 0222;
      else if (text[i] == 'x') bits |= 0111;
      else {
        shell.Complain("umask", std::string("`") + text[i] + "': invalid symbolic mode character");
        return std::nullopt;
      }
    }
    if (op == '+') allowed |= bits & who;
    if (op == '-') allowed &= ~(bits & who);
    if (op == '=') allowed = (allowed & ~who) | (bits & who);
    if (i < text.size()) ++i;
  }
  return ~allowed & 0777;
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("umask"), "pS");
  bool reusable = false;
  bool symbolic = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    reusable |= letter == 'p';
    symbolic |= letter == 'S';
  }
  const auto operands = options.operands();
  if (!operands.empty()) {
    const std::string& text = operands[0];
    uint32_t umask = 0;
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      for (const char c : text) {
        if (c < '0' || c > '7' || umask > 07777) {
          shell.Complain("umask", text + ": octal number out of range");
          return 1;
        }
        umask = umask * 8 + static_cast<uint32_t>(c - '0');
      }
      if (umask > 07777) {
        shell.Complain("umask", text + ": octal number out of range");
        return 1;
      }
      umask &= 0777;
    } else {
      const auto parsed = ParseSymbolic(shell, text, shell.files().umask());
      if (!parsed) return 1;
      umask = *parsed;
    }
    shell.files().set_umask(umask);
    if (symbolic) shell.out().WriteLine(Symbolic(umask));
    return 0;
  }
  const uint32_t umask = shell.files().umask();
  char octal[8];
  std::snprintf(octal, sizeof octal, "%04o", umask);
  const std::string shown = symbolic ? Symbolic(umask) : std::string(octal);
  shell.out().WriteLine(reusable ? std::string("umask ") + (symbolic ? "-S " : "") + shown : shown);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_umask;
const Builtin kBuiltin_umask = {
    .name = "umask",
    .usage = "[-p] [-S] [mode]",
    .help = "Display or set file mode mask.",
    .run = Run,
};

}  // namespace paddock::shell
