#include <algorithm>
#include <array>

#include "commands/sys/terminal_caps.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Row {
  const char* name;
  TerminalCap::Kind kind;
  std::array<const char*, 4> values;   // of the terminals in the order of kTerminals; null: it cannot do that
};

struct Terminal {
  const char* name;
  const char* description;
};
constexpr std::array<Terminal, 4> kTerminals = {{
    {"xterm", "xterm terminal emulator (X Window System)"},
    {"xterm-256color", "xterm with 256 colors"},
    {"linux", "Linux console"},
    {"dumb", "80-column dumb tty"},
}};

constexpr auto kFlag = TerminalCap::Kind::kFlag;
constexpr auto kNumber = TerminalCap::Kind::kNumber;
constexpr auto kText = TerminalCap::Kind::kText;

// clang-format off
constexpr Row kRows[] = {
    {"E3", kText, {"\033[3J", "\033[3J", "\033[3J", nullptr}},
    {"acsc", kText, {"``aaffggiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "``aaffggiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "++,,--..00``aaffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", nullptr}},
    {"am", kFlag, {"1", "1", "1", "1"}},
    {"bce", kFlag, {"1", "1", "1", nullptr}},
    {"bel", kText, {"\007", "\007", "\007", "\007"}},
    {"blink", kText, {"\033[5m", "\033[5m", "\033[5m", nullptr}},
    {"bold", kText, {"\033[1m", "\033[1m", "\033[1m", nullptr}},
    {"cbt", kText, {"\033[Z", "\033[Z", nullptr, nullptr}},
    {"ccc", kFlag, {nullptr, "1", "1", nullptr}},
    {"civis", kText, {"\033[?25l", "\033[?25l", "\033[?25l\033[?1c", nullptr}},
    {"clear", kText, {"\033[H\033[2J\033[3J", "\033[H\033[2J\033[3J", "\033[H\033[J\033[3J", nullptr}},
    {"cnorm", kText, {"\033[?12l\033[?25h", "\033[?12l\033[?25h", "\033[?25h\033[?0c", nullptr}},
    {"colors", kNumber, {"8", "256", "8", nullptr}},
    {"cols", kNumber, {"80", "80", nullptr, "80"}},
    {"cr", kText, {"\015", "\015", "\015", "\015"}},
    {"csr", kText, {"\033[%i%p1%d;%p2%dr", "\033[%i%p1%d;%p2%dr", "\033[%i%p1%d;%p2%dr", nullptr}},
    {"cub", kText, {"\033[%p1%dD", "\033[%p1%dD", "\033[%p1%dD", nullptr}},
    {"cub1", kText, {"\010", "\010", "\010", nullptr}},
    {"cud", kText, {"\033[%p1%dB", "\033[%p1%dB", "\033[%p1%dB", nullptr}},
    {"cud1", kText, {"\012", "\012", "\012", "\012"}},
    {"cuf", kText, {"\033[%p1%dC", "\033[%p1%dC", "\033[%p1%dC", nullptr}},
    {"cuf1", kText, {"\033[C", "\033[C", "\033[C", nullptr}},
    {"cup", kText, {"\033[%i%p1%d;%p2%dH", "\033[%i%p1%d;%p2%dH", "\033[%i%p1%d;%p2%dH", nullptr}},
    {"cuu", kText, {"\033[%p1%dA", "\033[%p1%dA", "\033[%p1%dA", nullptr}},
    {"cuu1", kText, {"\033[A", "\033[A", "\033[A", nullptr}},
    {"cvvis", kText, {"\033[?12;25h", "\033[?12;25h", "\033[?25h\033[?8c", nullptr}},
    {"dch", kText, {"\033[%p1%dP", "\033[%p1%dP", "\033[%p1%dP", nullptr}},
    {"dch1", kText, {"\033[P", "\033[P", "\033[P", nullptr}},
    {"dim", kText, {"\033[2m", "\033[2m", "\033[2m", nullptr}},
    {"dl", kText, {"\033[%p1%dM", "\033[%p1%dM", "\033[%p1%dM", nullptr}},
    {"dl1", kText, {"\033[M", "\033[M", "\033[M", nullptr}},
    {"ech", kText, {"\033[%p1%dX", "\033[%p1%dX", "\033[%p1%dX", nullptr}},
    {"ed", kText, {"\033[J", "\033[J", "\033[J", nullptr}},
    {"el", kText, {"\033[K", "\033[K", "\033[K", nullptr}},
    {"el1", kText, {"\033[1K", "\033[1K", "\033[1K", nullptr}},
    {"enacs", kText, {nullptr, nullptr, "\033)0", nullptr}},
    {"eo", kFlag, {nullptr, nullptr, "1", nullptr}},
    {"flash", kText, {"\033[?5h\033[?5l", "\033[?5h\033[?5l", "\033[?5h\033[?5l", nullptr}},
    {"home", kText, {"\033[H", "\033[H", "\033[H", nullptr}},
    {"hpa", kText, {"\033[%i%p1%dG", "\033[%i%p1%dG", "\033[%i%p1%dG", nullptr}},
    {"ht", kText, {"\011", "\011", "\011", nullptr}},
    {"hts", kText, {"\033H", "\033H", "\033H", nullptr}},
    {"ich", kText, {"\033[%p1%d@", "\033[%p1%d@", "\033[%p1%d@", nullptr}},
    {"ich1", kText, {nullptr, nullptr, "\033[@", nullptr}},
    {"il", kText, {"\033[%p1%dL", "\033[%p1%dL", "\033[%p1%dL", nullptr}},
    {"il1", kText, {"\033[L", "\033[L", "\033[L", nullptr}},
    {"ind", kText, {"\012", "\012", "\012", "\012"}},
    {"indn", kText, {"\033[%p1%dS", "\033[%p1%dS", nullptr, nullptr}},
    {"initc", kText, {nullptr, "\033]4;%p1%d;rgb:%p2%{255}%*%{1000}%/%2.2X/%p3%{255}%*%{1000}%/%2.2X/%p4%{255}%*%{1000}%/%2.2X\033\\", "\033]P%p1%x%p2%{255}%*%{1000}%/%02x%p3%{255}%*%{1000}%/%02x%p4%{255}%*%{1000}%/%02x", nullptr}},
    {"invis", kText, {"\033[8m", "\033[8m", nullptr, nullptr}},
    {"is2", kText, {"\033[!p\033[?3;4l\033[4l\033>", "\033[!p\033[?3;4l\033[4l\033>", nullptr, nullptr}},
    {"it", kNumber, {"8", "8", "8", nullptr}},
    {"kDC", kText, {"\033[3;2~", "\033[3;2~", nullptr, nullptr}},
    {"kEND", kText, {"\033[1;2F", "\033[1;2F", nullptr, nullptr}},
    {"kHOM", kText, {"\033[1;2H", "\033[1;2H", nullptr, nullptr}},
    {"kIC", kText, {"\033[2;2~", "\033[2;2~", nullptr, nullptr}},
    {"kLFT", kText, {"\033[1;2D", "\033[1;2D", nullptr, nullptr}},
    {"kNXT", kText, {"\033[6;2~", "\033[6;2~", nullptr, nullptr}},
    {"kPRV", kText, {"\033[5;2~", "\033[5;2~", nullptr, nullptr}},
    {"kRIT", kText, {"\033[1;2C", "\033[1;2C", nullptr, nullptr}},
    {"ka1", kText, {"\033Ow", "\033Ow", nullptr, nullptr}},
    {"ka3", kText, {"\033Oy", "\033Oy", nullptr, nullptr}},
    {"kb2", kText, {"\033Ou", "\033Ou", "\033[G", nullptr}},
    {"kbeg", kText, {"\033OE", "\033OE", nullptr, nullptr}},
    {"kbs", kText, {"\177", "\177", "\177", nullptr}},
    {"kc1", kText, {"\033Oq", "\033Oq", nullptr, nullptr}},
    {"kc3", kText, {"\033Os", "\033Os", nullptr, nullptr}},
    {"kcbt", kText, {"\033[Z", "\033[Z", "\033\011", nullptr}},
    {"kcub1", kText, {"\033OD", "\033OD", "\033[D", nullptr}},
    {"kcud1", kText, {"\033OB", "\033OB", "\033[B", nullptr}},
    {"kcuf1", kText, {"\033OC", "\033OC", "\033[C", nullptr}},
    {"kcuu1", kText, {"\033OA", "\033OA", "\033[A", nullptr}},
    {"kdch1", kText, {"\033[3~", "\033[3~", "\033[3~", nullptr}},
    {"kend", kText, {"\033OF", "\033OF", "\033[4~", nullptr}},
    {"kent", kText, {"\033OM", "\033OM", nullptr, nullptr}},
    {"kf1", kText, {"\033OP", "\033OP", "\033[[A", nullptr}},
    {"kf10", kText, {"\033[21~", "\033[21~", "\033[21~", nullptr}},
    {"kf11", kText, {"\033[23~", "\033[23~", "\033[23~", nullptr}},
    {"kf12", kText, {"\033[24~", "\033[24~", "\033[24~", nullptr}},
    {"kf13", kText, {"\033[1;2P", "\033[1;2P", "\033[25~", nullptr}},
    {"kf14", kText, {"\033[1;2Q", "\033[1;2Q", "\033[26~", nullptr}},
    {"kf15", kText, {"\033[1;2R", "\033[1;2R", "\033[28~", nullptr}},
    {"kf16", kText, {"\033[1;2S", "\033[1;2S", "\033[29~", nullptr}},
    {"kf17", kText, {"\033[15;2~", "\033[15;2~", "\033[31~", nullptr}},
    {"kf18", kText, {"\033[17;2~", "\033[17;2~", "\033[32~", nullptr}},
    {"kf19", kText, {"\033[18;2~", "\033[18;2~", "\033[33~", nullptr}},
    {"kf2", kText, {"\033OQ", "\033OQ", "\033[[B", nullptr}},
    {"kf20", kText, {"\033[19;2~", "\033[19;2~", "\033[34~", nullptr}},
    {"kf21", kText, {"\033[20;2~", "\033[20;2~", nullptr, nullptr}},
    {"kf22", kText, {"\033[21;2~", "\033[21;2~", nullptr, nullptr}},
    {"kf23", kText, {"\033[23;2~", "\033[23;2~", nullptr, nullptr}},
    {"kf24", kText, {"\033[24;2~", "\033[24;2~", nullptr, nullptr}},
    {"kf25", kText, {"\033[1;5P", "\033[1;5P", nullptr, nullptr}},
    {"kf26", kText, {"\033[1;5Q", "\033[1;5Q", nullptr, nullptr}},
    {"kf27", kText, {"\033[1;5R", "\033[1;5R", nullptr, nullptr}},
    {"kf28", kText, {"\033[1;5S", "\033[1;5S", nullptr, nullptr}},
    {"kf29", kText, {"\033[15;5~", "\033[15;5~", nullptr, nullptr}},
    {"kf3", kText, {"\033OR", "\033OR", "\033[[C", nullptr}},
    {"kf30", kText, {"\033[17;5~", "\033[17;5~", nullptr, nullptr}},
    {"kf31", kText, {"\033[18;5~", "\033[18;5~", nullptr, nullptr}},
    {"kf32", kText, {"\033[19;5~", "\033[19;5~", nullptr, nullptr}},
    {"kf33", kText, {"\033[20;5~", "\033[20;5~", nullptr, nullptr}},
    {"kf34", kText, {"\033[21;5~", "\033[21;5~", nullptr, nullptr}},
    {"kf35", kText, {"\033[23;5~", "\033[23;5~", nullptr, nullptr}},
    {"kf36", kText, {"\033[24;5~", "\033[24;5~", nullptr, nullptr}},
    {"kf37", kText, {"\033[1;6P", "\033[1;6P", nullptr, nullptr}},
    {"kf38", kText, {"\033[1;6Q", "\033[1;6Q", nullptr, nullptr}},
    {"kf39", kText, {"\033[1;6R", "\033[1;6R", nullptr, nullptr}},
    {"kf4", kText, {"\033OS", "\033OS", "\033[[D", nullptr}},
    {"kf40", kText, {"\033[1;6S", "\033[1;6S", nullptr, nullptr}},
    {"kf41", kText, {"\033[15;6~", "\033[15;6~", nullptr, nullptr}},
    {"kf42", kText, {"\033[17;6~", "\033[17;6~", nullptr, nullptr}},
    {"kf43", kText, {"\033[18;6~", "\033[18;6~", nullptr, nullptr}},
    {"kf44", kText, {"\033[19;6~", "\033[19;6~", nullptr, nullptr}},
    {"kf45", kText, {"\033[20;6~", "\033[20;6~", nullptr, nullptr}},
    {"kf46", kText, {"\033[21;6~", "\033[21;6~", nullptr, nullptr}},
    {"kf47", kText, {"\033[23;6~", "\033[23;6~", nullptr, nullptr}},
    {"kf48", kText, {"\033[24;6~", "\033[24;6~", nullptr, nullptr}},
    {"kf49", kText, {"\033[1;3P", "\033[1;3P", nullptr, nullptr}},
    {"kf5", kText, {"\033[15~", "\033[15~", "\033[[E", nullptr}},
    {"kf50", kText, {"\033[1;3Q", "\033[1;3Q", nullptr, nullptr}},
    {"kf51", kText, {"\033[1;3R", "\033[1;3R", nullptr, nullptr}},
    {"kf52", kText, {"\033[1;3S", "\033[1;3S", nullptr, nullptr}},
    {"kf53", kText, {"\033[15;3~", "\033[15;3~", nullptr, nullptr}},
    {"kf54", kText, {"\033[17;3~", "\033[17;3~", nullptr, nullptr}},
    {"kf55", kText, {"\033[18;3~", "\033[18;3~", nullptr, nullptr}},
    {"kf56", kText, {"\033[19;3~", "\033[19;3~", nullptr, nullptr}},
    {"kf57", kText, {"\033[20;3~", "\033[20;3~", nullptr, nullptr}},
    {"kf58", kText, {"\033[21;3~", "\033[21;3~", nullptr, nullptr}},
    {"kf59", kText, {"\033[23;3~", "\033[23;3~", nullptr, nullptr}},
    {"kf6", kText, {"\033[17~", "\033[17~", "\033[17~", nullptr}},
    {"kf60", kText, {"\033[24;3~", "\033[24;3~", nullptr, nullptr}},
    {"kf61", kText, {"\033[1;4P", "\033[1;4P", nullptr, nullptr}},
    {"kf62", kText, {"\033[1;4Q", "\033[1;4Q", nullptr, nullptr}},
    {"kf63", kText, {"\033[1;4R", "\033[1;4R", nullptr, nullptr}},
    {"kf7", kText, {"\033[18~", "\033[18~", "\033[18~", nullptr}},
    {"kf8", kText, {"\033[19~", "\033[19~", "\033[19~", nullptr}},
    {"kf9", kText, {"\033[20~", "\033[20~", "\033[20~", nullptr}},
    {"khome", kText, {"\033OH", "\033OH", "\033[1~", nullptr}},
    {"kich1", kText, {"\033[2~", "\033[2~", "\033[2~", nullptr}},
    {"kind", kText, {"\033[1;2B", "\033[1;2B", nullptr, nullptr}},
    {"km", kFlag, {"1", "1", nullptr, nullptr}},
    {"kmous", kText, {"\033[<", "\033[<", "\033[M", nullptr}},
    {"knp", kText, {"\033[6~", "\033[6~", "\033[6~", nullptr}},
    {"kpp", kText, {"\033[5~", "\033[5~", "\033[5~", nullptr}},
    {"kri", kText, {"\033[1;2A", "\033[1;2A", nullptr, nullptr}},
    {"kspd", kText, {nullptr, nullptr, "\032", nullptr}},
    {"lines", kNumber, {"24", "24", nullptr, nullptr}},
    {"mc0", kText, {"\033[i", "\033[i", nullptr, nullptr}},
    {"mc4", kText, {"\033[4i", "\033[4i", nullptr, nullptr}},
    {"mc5", kText, {"\033[5i", "\033[5i", nullptr, nullptr}},
    {"mc5i", kFlag, {"1", "1", nullptr, nullptr}},
    {"meml", kText, {"\033l", "\033l", nullptr, nullptr}},
    {"memu", kText, {"\033m", "\033m", nullptr, nullptr}},
    {"mgc", kText, {"\033[?69l", "\033[?69l", nullptr, nullptr}},
    {"mir", kFlag, {"1", "1", "1", nullptr}},
    {"msgr", kFlag, {"1", "1", "1", nullptr}},
    {"ncv", kNumber, {nullptr, nullptr, "18", nullptr}},
    {"nel", kText, {"\033E", "\033E", "\015\012", nullptr}},
    {"npc", kFlag, {"1", "1", nullptr, nullptr}},
    {"oc", kText, {nullptr, "\033]104\007", "\033]R", nullptr}},
    {"op", kText, {"\033[39;49m", "\033[39;49m", "\033[39;49m", nullptr}},
    {"pairs", kNumber, {"64", "65536", "64", nullptr}},
    {"rc", kText, {"\0338", "\0338", "\0338", nullptr}},
    {"rep", kText, {"%p1%c\033[%p2%{1}%-%db", "%p1%c\033[%p2%{1}%-%db", nullptr, nullptr}},
    {"rev", kText, {"\033[7m", "\033[7m", "\033[7m", nullptr}},
    {"ri", kText, {"\033M", "\033M", "\033M", nullptr}},
    {"rin", kText, {"\033[%p1%dT", "\033[%p1%dT", nullptr, nullptr}},
    {"ritm", kText, {"\033[23m", "\033[23m", nullptr, nullptr}},
    {"rmacs", kText, {"\033(B", "\033(B", "\017", nullptr}},
    {"rmam", kText, {"\033[?7l", "\033[?7l", "\033[?7l", nullptr}},
    {"rmcup", kText, {"\033[?1049l\033[23;0;0t", "\033[?1049l\033[23;0;0t", nullptr, nullptr}},
    {"rmir", kText, {"\033[4l", "\033[4l", "\033[4l", nullptr}},
    {"rmkx", kText, {"\033[?1l\033>", "\033[?1l\033>", nullptr, nullptr}},
    {"rmm", kText, {"\033[?1034l", "\033[?1034l", nullptr, nullptr}},
    {"rmpch", kText, {nullptr, nullptr, "\033[10m", nullptr}},
    {"rmso", kText, {"\033[27m", "\033[27m", "\033[27m", nullptr}},
    {"rmul", kText, {"\033[24m", "\033[24m", "\033[24m", nullptr}},
    {"rs1", kText, {"\033c", "\033c\033]104\007", "\033c\033]R", nullptr}},
    {"rs2", kText, {"\033[!p\033[?3;4l\033[4l\033>", "\033[!p\033[?3;4l\033[4l\033>", nullptr, nullptr}},
    {"sc", kText, {"\0337", "\0337", "\0337", nullptr}},
    {"setab", kText, {"\033[4%p1%dm", "\033[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m", "\033[4%p1%dm", nullptr}},
    {"setaf", kText, {"\033[3%p1%dm", "\033[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", "\033[3%p1%dm", nullptr}},
    {"setb", kText, {"\033[4%?%p1%{1}%=%t4%e%p1%{3}%=%t6%e%p1%{4}%=%t1%e%p1%{6}%=%t3%e%p1%d%;m", nullptr, nullptr, nullptr}},
    {"setf", kText, {"\033[3%?%p1%{1}%=%t4%e%p1%{3}%=%t6%e%p1%{4}%=%t1%e%p1%{6}%=%t3%e%p1%d%;m", nullptr, nullptr, nullptr}},
    {"sgr", kText, {"%?%p9%t\033(0%e\033(B%;\033[0%?%p6%t;1%;%?%p5%t;2%;%?%p2%t;4%;%?%p1%p3%|%t;7%;%?%p4%t;5%;%?%p7%t;8%;m", "%?%p9%t\033(0%e\033(B%;\033[0%?%p6%t;1%;%?%p5%t;2%;%?%p2%t;4%;%?%p1%p3%|%t;7%;%?%p4%t;5%;%?%p7%t;8%;m", "\033[0;10%?%p1%t;7%;%?%p2%t;4%;%?%p3%t;7%;%?%p4%t;5%;%?%p5%t;2%;%?%p6%t;1%;m%?%p9%t\016%e\017%;", nullptr}},
    {"sgr0", kText, {"\033(B\033[m", "\033(B\033[m", "\033[m\017", nullptr}},
    {"sitm", kText, {"\033[3m", "\033[3m", nullptr, nullptr}},
    {"smacs", kText, {"\033(0", "\033(0", "\016", nullptr}},
    {"smam", kText, {"\033[?7h", "\033[?7h", "\033[?7h", nullptr}},
    {"smcup", kText, {"\033[?1049h\033[22;0;0t", "\033[?1049h\033[22;0;0t", nullptr, nullptr}},
    {"smglp", kText, {"\033[?69h\033[%i%p1%ds", "\033[?69h\033[%i%p1%ds", nullptr, nullptr}},
    {"smglr", kText, {"\033[?69h\033[%i%p1%d;%p2%ds", "\033[?69h\033[%i%p1%d;%p2%ds", nullptr, nullptr}},
    {"smgrp", kText, {"\033[?69h\033[%i;%p1%ds", "\033[?69h\033[%i;%p1%ds", nullptr, nullptr}},
    {"smir", kText, {"\033[4h", "\033[4h", "\033[4h", nullptr}},
    {"smkx", kText, {"\033[?1h\033=", "\033[?1h\033=", nullptr, nullptr}},
    {"smm", kText, {"\033[?1034h", "\033[?1034h", nullptr, nullptr}},
    {"smpch", kText, {nullptr, nullptr, "\033[11m", nullptr}},
    {"smso", kText, {"\033[7m", "\033[7m", "\033[7m", nullptr}},
    {"smul", kText, {"\033[4m", "\033[4m", "\033[4m", nullptr}},
    {"tbc", kText, {"\033[3g", "\033[3g", "\033[3g", nullptr}},
    {"u6", kText, {"\033[%i%d;%dR", "\033[%i%d;%dR", "\033[%i%d;%dR", nullptr}},
    {"u7", kText, {"\033[6n", "\033[6n", "\033[6n", nullptr}},
    {"u8", kText, {"\033[?%[;0123456789]c", "\033[?%[;0123456789]c", "\033[?6c", nullptr}},
    {"u9", kText, {"\033[c", "\033[c", "\033[c", nullptr}},
    {"vpa", kText, {"\033[%i%p1%dd", "\033[%i%p1%dd", "\033[%i%p1%dd", nullptr}},
    {"xenl", kFlag, {"1", "1", "1", nullptr}},
    {"xon", kFlag, {nullptr, nullptr, "1", nullptr}},
};
// clang-format on

// What other terminals have.
constexpr const char* kOtherNames[] = {
    "dsl", "fsl", "if", "is1", "kFND", "kdl1", "kel", "kf0", "kfnd", "khlp", "kil1", "kll",
    "kopt", "krdo", "kres", "kslt", "kund", "lf1", "lf2", "lf3", "lf4", "s0ds", "s1ds", "s2ds",
    "s3ds", "tsl", "bw", "hs",
};
constexpr const char* kOtherNumbers[] = {"btns", "lm", "ncv", "vt"};

constexpr size_t kMostStack = 32;

// Runs the little stack language of terminfo(5).
class Expander {
 public:
  Expander(std::string_view text, std::span<const int64_t> parameters) : text_(text) {
    for (size_t i = 0; i < std::min(parameters.size(), values_.size()); ++i) values_[i] = parameters[i];
  }

  std::string Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '%' || at_ == text_.size()) out_ += c;
      else Operator();
    }
    return out_;
  }

 private:
  void Push(int64_t value) {
    if (stack_.size() < kMostStack) stack_.push_back(value);
  }
  int64_t Pop() {
    if (stack_.empty()) return 0;
    const int64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  char Next() { return at_ < text_.size() ? text_[at_++] : '\0'; }

  void Operator() {
    const char c = Next();
    switch (c) {
      case '%': out_ += '%'; return;
      case 'i': ++values_[0], ++values_[1]; return;
      case 'p': Push(values_[std::min<size_t>(static_cast<size_t>(std::max(Next() - '1', 0)), values_.size() - 1)]); return;
      case 'c': Byte(Pop()); return;
      case 'd': out_ += std::to_string(Pop()); return;
      case '{': Constant(); return;
      case '\'': Push(Next()), Next(); return;
      case '?': case ';': return;
      case 't': if (Pop() == 0) Skip(true); return;
      case 'e': Skip(false); return;
      case '!': Push(Pop() == 0); return;
      default: if ((c >= '0' && c <= '9') || c == '.' || c == ':' || c == 'x' || c == 'X' || c == 'o') Formatted(c); else Binary(c);
    }
  }
  // A NUL would end the text where programs keep it: it goes as 0200.
  void Byte(int64_t value) { out_ += value == 0 ? '\200' : static_cast<char>(value); }
  // "2.2X": a number with a width, a precision and a base.
  void Formatted(char c) {
    size_t width = 0, digits = 0;
    if (c == ':') c = Next();
    for (; c >= '0' && c <= '9'; c = Next()) width = std::min<size_t>(width * 10 + static_cast<size_t>(c - '0'), 99);
    if (c == '.') {
      for (c = Next(); c >= '0' && c <= '9'; c = Next()) digits = std::min<size_t>(digits * 10 + static_cast<size_t>(c - '0'), 99);
    }
    const uint64_t base = c == 'o' ? 8 : c == 'x' || c == 'X' ? 16 : 10;
    auto value = static_cast<uint64_t>(std::max<int64_t>(Pop(), 0));
    std::string text;
    do text.insert(text.begin(), (c == 'x' ? "0123456789abcdef" : "0123456789ABCDEF")[value % base]);
    while ((value /= base) > 0);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    out_ += text;
  }
  void Constant() {
    int64_t value = 0;
    for (char c = Next(); c >= '0' && c <= '9'; c = Next()) value = value * 10 + (c - '0');
    Push(value);
  }
  void Binary(char c) {
    const int64_t b = Pop(), a = Pop();
    switch (c) {
      case '+': Push(a + b); break;
      case '-': Push(a - b); break;
      case '*': Push(a * b); break;
      case '/': Push(b == 0 ? 0 : a / b); break;
      case 'm': Push(b == 0 ? 0 : a % b); break;
      case '&': Push(a & b); break;
      case '|': Push(a | b); break;
      case '<': Push(a < b); break;
      case '>': Push(a > b); break;
      case '=': Push(a == b); break;
      case 'A': Push(a != 0 && b != 0); break;
      case 'O': Push(a != 0 || b != 0); break;
      default: break;
    }
  }
  // To behind the end of this condition, or (`stops_at_else`) behind its %e.
  void Skip(bool stops_at_else) {
    int depth = 0;
    while (at_ < text_.size()) {
      if (Next() != '%') continue;
      const char c = Next();
      if (c == '?') ++depth;
      else if (c == ';' && depth-- == 0) return;
      else if (c == 'e' && depth == 0 && stops_at_else) return;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::array<int64_t, 9> values_{};
  std::vector<int64_t> stack_;
  std::string out_;
};

}  // namespace

std::optional<size_t> FindTerminal(std::string_view name) {
  for (size_t i = 0; i < kTerminals.size(); ++i) {
    if (name == kTerminals[i].name) return i;
  }
  return std::nullopt;
}

std::string_view TerminalDescription(size_t terminal) { return kTerminals[terminal].description; }

std::optional<TerminalCap> FindTerminalCap(size_t terminal, std::string_view name) {
  for (const Row& row : kRows) {
    if (name != row.name) continue;
    // Names with capitals are no part of terminfo: they are known where a terminal has them.
    const char* value = row.values[terminal];
    if (value == nullptr && name[0] >= 'A' && name[0] <= 'Z') return std::nullopt;
    if (value == nullptr && name == "cols") value = "80";
    if (value == nullptr && name == "lines") value = "24";
    return TerminalCap{row.kind, value};
  }
  const auto is_name = [&](const char* other) { return name == other; };
  if (std::any_of(std::begin(kOtherNumbers), std::end(kOtherNumbers), is_name)) return TerminalCap{kNumber, nullptr};
  if (std::any_of(std::begin(kOtherNames), std::end(kOtherNames), is_name)) return TerminalCap{kText, nullptr};
  return std::nullopt;
}

size_t CountTerminalParameters(std::string_view text) {
  size_t most = 0;
  for (size_t at = text.find("%p"); at != std::string_view::npos && at + 2 < text.size(); at = text.find("%p", at + 1)) {
    const char digit = text[at + 2];
    if (digit >= '1' && digit <= '9') most = std::max(most, static_cast<size_t>(digit - '0'));
  }
  return most;
}

std::string ExpandTerminalText(std::string_view text, std::span<const int64_t> parameters) { return Expander(text, parameters).Run(); }

std::optional<std::vector<std::string>> ParseTerminalOptions(Invocation& in, void* options, const bool& version, ExitStatus (*complain)(Invocation&),
                                                             ExitStatus* status) {
  const auto refuse = [&](std::string_view complaint) {
    ComplainOfOption(in, complaint);
    *status = complain(in);
    return std::nullopt;
  };
  for (const std::string& word : in.args.subspan(1)) {
    if (word.starts_with("--") && word != "--") return refuse("invalid option -- '-'");   // there are no long options
  }
  auto parsed = ParseOptions(in.args, in.command.options, options, in.command.rules);
  if (!parsed) return refuse(parsed.error().Text());
  if (!version) return std::move(parsed->operands);
  in.out.Write(VersionText(in.command, in.name()));
  *status = 0;
  return std::nullopt;
}

}  // namespace paddock
