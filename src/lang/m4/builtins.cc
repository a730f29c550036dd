// The macros that m4 has from the start.
#include <algorithm>
#include <charconv>

#include "lang/m4/processor.h"
#include "text/regex.h"

namespace paddock::m4 {
namespace {

const std::string& Argument(const Arguments& a, size_t index) {
  static const std::string kEmpty;
  return index < a.size() ? a[index] : kEmpty;
}

// A number; complains and gives nothing for what is none. Nothing at all counts as 0.
std::optional<int32_t> Number(Processor& m4, const Arguments& a, size_t index) {
  const std::string& text = Argument(a, index);
  if (text.empty()) {
    m4.Error("empty string treated as 0 in builtin `" + a[0] + "'");
    return 0;
  }
  const char* begin = text.data();
  while (*begin == ' ' || (*begin >= '\t' && *begin <= '\r')) ++begin;
  if (*begin == '+') ++begin;
  int32_t value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  m4.Error("non-numeric argument to builtin `" + a[0] + "'");
  return std::nullopt;
}

// A name cannot be a builtin itself.
bool HasName(Processor& m4, const Arguments& a) {
  if (a.builtin(1) == nullptr) return true;
  m4.Warn("Warning: " + a[0] + ": invalid macro name ignored");
  return false;
}

void DefineAs(Processor& m4, const Arguments& a, bool replaces) {
  if (!HasName(m4, a)) return;
  m4.CheckDefinition(a[1], Argument(a, 2));
  auto& stack = m4.macros[a[1]];
  if (replaces && !stack.empty()) stack.pop_back();
  stack.push_back({Argument(a, 2), a.builtin(2)});
}
// What they give with too few arguments.
void GiveZero(Processor& m4, const Arguments& a) { m4.Push(a.size() == 2 ? "0" : ""); }
void GiveFirst(Processor& m4, const Arguments& a) { m4.Push(Argument(a, 1)); }

void Define(Processor& m4, const Arguments& a) { DefineAs(m4, a, true); }
void PushDef(Processor& m4, const Arguments& a) { DefineAs(m4, a, false); }
void Undefine(Processor& m4, const Arguments& a) {
  for (size_t i = 1; i < a.size(); ++i) m4.macros.erase(a[i]);
}
void PopDef(Processor& m4, const Arguments& a) {
  for (size_t i = 1; i < a.size(); ++i) {
    const auto found = m4.macros.find(a[i]);
    if (found == m4.macros.end()) continue;
    if (!found->second.empty()) found->second.pop_back();
    if (found->second.empty()) m4.macros.erase(found);
  }
}
void Defn(Processor& m4, const Arguments& a) {
  std::string out;
  for (size_t i = 1; i < a.size(); ++i) {
    const Macro* const macro = m4.Find(a[i]);
    if (macro == nullptr) continue;
    if (macro->builtin == nullptr) {
      m4.budget().Step();
      if (out.size() + macro->text.size() > out.capacity()) m4.budget().WillAllocate(2 * (out.size() + macro->text.size()));
      out += m4.Quoted(macro->text);
    } else if (a.size() == 2) {
      return m4.PushBuiltin(*macro->builtin);
    } else {
      m4.Warn("Warning: cannot concatenate builtin `" + a[i] + "'");
    }
  }
  m4.Push(std::move(out));
}

void IfDef(Processor& m4, const Arguments& a) {
  m4.Push(m4.Find(a[1]) != nullptr ? a[2] : Argument(a, 3));
}

void IfElse(Processor& m4, const Arguments& a) {
  if (a.size() == 2) return;   // a comment
  if (a.size() < 4) return m4.Warn("Warning: too few arguments to builtin `" + a[0] + "'");
  if ((a.size() + 2) % 3 > 1) m4.Warn("Warning: excess arguments to builtin `" + a[0] + "' ignored");
  size_t at = 1;
  while (true) {
    if (Argument(a, at) == Argument(a, at + 1)) return m4.Push(Argument(a, at + 2));
    const size_t left = a.size() - at;
    if (left <= 3) return;
    if (left <= 5) return m4.Push(Argument(a, at + 3));
    at += 3;
  }
}

void Shift(Processor& m4, const Arguments& a) {
  std::string out;
  for (size_t i = 2; i < a.size(); ++i) {
    m4.budget().Step();
    if (i > 2) out += ',';
    out += m4.Quoted(a[i]);
  }
  m4.Push(std::move(out));
}

void ChangeQuote(Processor& m4, const Arguments& a) {
  m4.open_quote = a.size() > 1 ? a[1] : "`";
  m4.close_quote = a.size() > 2 && !a[2].empty() ? a[2] : "'";
}
void ChangeCom(Processor& m4, const Arguments& a) {
  m4.comment_begin = Argument(a, 1);
  m4.comment_end = a.size() > 2 && !a[2].empty() ? a[2] : "\n";
}
void Dnl(Processor& m4, const Arguments&) { m4.SkipLine(); }

void Divert(Processor& m4, const Arguments& a) {
  if (a.size() < 2) return m4.Divert(0);
  if (const auto number = Number(m4, a, 1)) m4.Divert(*number);
}
void Undivert(Processor& m4, const Arguments& a) {
  if (a.size() < 2) return m4.UndivertAll();
  for (size_t i = 1; i < a.size(); ++i) {
    int32_t number = 0;
    const auto [end, error] = std::from_chars(a[i].data(), a[i].data() + a[i].size(), number);
    if (error == std::errc() && end == a[i].data() + a[i].size()) {
      if (number > 0) m4.Undivert(number);
    } else if (!a[i].empty()) {
      auto text = m4.FindFile(a[i]);
      if (text) {
        m4.Emit(text->text);
      } else {
        m4.Error("cannot undivert `" + a[i] + "': " + std::string(text.error().Text()));
      }
    }
  }
}
void DivNum(Processor& m4, const Arguments&) { m4.Push(std::to_string(m4.diversion())); }

void Include(Processor& m4, const Arguments& a) { m4.IncludeFile(a[1], false); }
void SInclude(Processor& m4, const Arguments& a) { m4.IncludeFile(a[1], true); }

void Len(Processor& m4, const Arguments& a) { m4.Push(std::to_string(a[1].size())); }
void Index(Processor& m4, const Arguments& a) {
  m4.budget().Step(1 + static_cast<int64_t>(a[1].size() / 32));
  const size_t at = a[1].find(a[2]);
  m4.Push(at == std::string::npos ? "-1" : std::to_string(at));
}
void Substr(Processor& m4, const Arguments& a) {
  const auto from = Number(m4, a, 2);
  if (!from) return;
  int64_t length = static_cast<int64_t>(a[1].size());
  if (a.size() > 3) {
    const auto given = Number(m4, a, 3);
    if (!given) return;
    length = *given;
  }
  if (*from < 0 || length <= 0 || *from >= static_cast<int64_t>(a[1].size())) return;
  m4.Push(a[1].substr(static_cast<size_t>(*from), static_cast<size_t>(length)));
}

std::string ExpandRange(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '-' || out.empty() || i + 1 >= text.size()) {
      out += text[i];
      continue;
    }
    const int from = static_cast<unsigned char>(text[i - 1]);
    const int to = static_cast<unsigned char>(text[++i]);
    const int step = from <= to ? 1 : -1;
    for (int c = from; c != to;) out += static_cast<char>(c += step);
  }
  return out;
}
void Translit(Processor& m4, const Arguments& a) {
  const std::string from = ExpandRange(a[2]);
  const std::string to = ExpandRange(Argument(a, 3));
  std::string out;
  for (const char c : a[1]) {
    m4.budget().Step();
    const size_t at = from.find(c);
    if (at == std::string::npos) {
      out += c;
    } else if (at < to.size()) {
      out += to[at];
    }
  }
  m4.Push(std::move(out));
}

std::optional<Regex> CompileRegex(Processor& m4, const Arguments& a) {
  auto regex = Regex::Compile(a[2], {.dialect = RegexDialect::kEmacs, .is_utf8 = false, .multiline = true});
  if (regex) return std::move(*regex);
  m4.Error("bad regular expression: `" + a[2] + "': " + std::string(regex.error().Text()));
  return std::nullopt;
}

// The replacement with \& and \N.
void Substitute(Processor& m4, const std::string& replacement, const std::string& text, const std::vector<RegexGroup>& groups,
                std::string& out) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    if (replacement[i] != '\\') {
      out += replacement[i];
      continue;
    }
    if (i + 1 >= replacement.size()) return m4.Warn("Warning: trailing \\ ignored in replacement");
    const char c = replacement[++i];
    const size_t group = c == '&' ? 0 : static_cast<size_t>(c - '0');
    if (c != '&' && (c < '0' || c > '9')) {
      out += c;
    } else if (group < groups.size() && groups[group].is_set()) {
      m4.budget().Step(1 + static_cast<int64_t>((groups[group].end - groups[group].begin) / 32));
      if (out.size() + text.size() > out.capacity()) m4.budget().WillAllocate(2 * (out.size() + text.size()));
      out += text.substr(groups[group].begin, groups[group].end - groups[group].begin);
    } else if (group >= groups.size()) {
      m4.Warn("Warning: sub-expression " + std::to_string(group) + " not present");
    }
  }
}

void RegExp(Processor& m4, const Arguments& a) {
  const auto regex = CompileRegex(m4, a);
  if (!regex) return;
  std::vector<RegexGroup> groups(regex->group_count() + 1);
  const auto found = regex->Search(a[1], 0, &groups, m4.budget());
  const bool matches = found && *found;
  if (a.size() == 3) return m4.Push(matches ? std::to_string(groups[0].begin) : "-1");
  std::string out;
  if (matches) Substitute(m4, a[3], a[1], groups, out);
  m4.Push(std::move(out));
}

void PatSubst(Processor& m4, const Arguments& a) {
  const auto regex = CompileRegex(m4, a);
  if (!regex) return;
  std::string out;
  size_t at = 0;
  while (at <= a[1].size()) {
    m4.budget().Step();
    std::vector<RegexGroup> groups(regex->group_count() + 1);
    const auto found = regex->Search(a[1], at, &groups, m4.budget());
    if (!found || !*found) break;
    out += a[1].substr(at, groups[0].begin - at);
    Substitute(m4, Argument(a, 3), a[1], groups, out);
    at = groups[0].end;
    if (groups[0].begin == groups[0].end) {
      if (at < a[1].size()) out += a[1][at];
      ++at;
    }
  }
  if (at < a[1].size()) out += a[1].substr(at);
  m4.Push(std::move(out));
}

void Incr(Processor& m4, const Arguments& a) {
  if (const auto number = Number(m4, a, 1)) m4.Push(std::to_string(static_cast<int32_t>(static_cast<uint32_t>(*number) + 1)));
}
void Decr(Processor& m4, const Arguments& a) {
  if (const auto number = Number(m4, a, 1)) m4.Push(std::to_string(static_cast<int32_t>(static_cast<uint32_t>(*number) - 1)));
}

void Eval(Processor& m4, const Arguments& a) {
  int32_t radix = 10, width = 1;
  if (!Argument(a, 2).empty()) {
    const auto given = Number(m4, a, 2);
    if (!given) return;
    radix = *given;
  }
  if (radix < 1 || radix > 36) return m4.Error("radix " + std::to_string(radix) + " in builtin `" + a[0] + "' out of range");
  if (a.size() > 3) {
    const auto given = Number(m4, a, 3);
    if (!given) return;
    width = *given;
    if (width < 0) return m4.Error("negative width to builtin `" + a[0] + "'");
  }
  if (a[1].empty()) {
    m4.Error("empty string treated as 0 in builtin `" + a[0] + "'");
    return m4.Push("0");
  }
  const auto value = Evaluate(m4, a[1]);
  if (!value) return;
  uint32_t left = *value < 0 ? 0u - static_cast<uint32_t>(*value) : static_cast<uint32_t>(*value);
  m4.budget().WillAllocate(radix == 1 ? left : static_cast<uint64_t>(width));
  m4.budget().Step(width + (radix == 1 ? static_cast<int64_t>(left) : 0));
  std::string digits;
  if (radix == 1) digits.assign(left, '1');
  while (radix > 1 && (left > 0 || digits.empty())) {
    digits.insert(digits.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[left % static_cast<uint32_t>(radix)]);
    left /= static_cast<uint32_t>(radix);
  }
  if (digits.size() < static_cast<size_t>(width)) digits.insert(0, static_cast<size_t>(width) - digits.size(), '0');
  m4.Push((*value < 0 ? "-" : "") + digits);
}

void FormatText(Processor& m4, const Arguments& a) { m4.Push(Format(m4, a)); }

void SysCmd(Processor& m4, const Arguments& a) { m4.system_status = m4.host().RunShell(a[1], false).second; }
void ESysCmd(Processor& m4, const Arguments& a) {
  auto [text, status] = m4.host().RunShell(a[1], true);
  m4.system_status = status;
  m4.Push(std::move(text));
}
void SysVal(Processor& m4, const Arguments&) { m4.Push(std::to_string(m4.system_status)); }

void M4Exit(Processor& m4, const Arguments& a) {
  int32_t status = 0;
  if (a.size() > 1) {
    const auto given = Number(m4, a, 1);
    status = given && *given >= 0 && *given <= 255 ? *given : 1;
  }
  m4.End(status);   // what is diverted is lost
}
void M4Wrap(Processor& m4, const Arguments& a) {
  std::string text;
  for (size_t i = 1; i < a.size(); ++i) text += (i > 1 ? " " : "") + a[i];
  m4.budget().WillAllocate(text.size());
  m4.Wrap(std::move(text));
}
void MakeTemporaryFile(Processor& m4, const Arguments& a) {
  const auto name = m4.host().MakeTemporaryFile(a[1]);
  if (name) return m4.Push(m4.Quoted(*name));
  m4.Error(a[0] + ": cannot create tempfile `" + a[1] + "': " + std::string(name.error().Text()));
}
// With -G only a name: the number of the process instead of the last X.
void MakeTemp(Processor& m4, const Arguments& a) {
  if (!m4.is_traditional()) return MakeTemporaryFile(m4, a);
  m4.Warn("recommend using mkstemp instead");
  std::string name = a[1];
  size_t end = name.size();
  while (end > 0 && name[end - 1] == 'X') --end;
  const std::string number = std::to_string(m4.host().ProcessId());
  const size_t count = name.size() - end;
  name.resize(end);
  if (count > number.size()) name.append(count - number.size(), '0');
  m4.Push(name + number.substr(number.size() - std::min(number.size(), count)));
}
void ErrPrint(Processor& m4, const Arguments& a) {
  std::string text;
  for (size_t i = 1; i < a.size(); ++i) text += (i > 1 ? " " : "") + a[i];
  m4.host().Err(text);
}
void DumpDef(Processor& m4, const Arguments& a) {
  std::vector<std::string> names;
  for (size_t i = 1; i < a.size(); ++i) names.push_back(a[i]);
  if (names.empty()) {
    for (const auto& [name, stack] : m4.macros) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const Macro* const macro = m4.Find(name);
    if (macro == nullptr) {
      m4.Warn("undefined macro `" + name + "'");
      continue;
    }
    m4.host().Err(name + ":\t" + (macro->builtin != nullptr ? "<" + std::string(macro->builtin->name) + ">" : m4.Quoted(macro->text)) + "\n");
  }
}
void FileName(Processor& m4, const Arguments&) { m4.Push(m4.Quoted(m4.call_file())); }
void LineNumber(Processor& m4, const Arguments&) { m4.Push(std::to_string(m4.call_line())); }
void ProgramName(Processor& m4, const Arguments&) { m4.Push(m4.Quoted("m4")); }

void CallBuiltin(Processor& m4, const Arguments& a) {
  if (!HasName(m4, a)) return;
  const Builtin* const builtin = FindBuiltin(a[1]);
  if (builtin == nullptr) return m4.Error("undefined builtin `" + a[1] + "'");
  m4.Call({"", builtin}, a.Inner(builtin->takes_builtins));
}
void Indir(Processor& m4, const Arguments& a) {
  if (!HasName(m4, a)) return;
  const Macro* const macro = m4.Find(a[1]);
  if (macro == nullptr) return m4.Error("undefined macro `" + a[1] + "'");
  const Macro copy = *macro;
  m4.Call(copy, a.Inner(copy.builtin != nullptr && copy.builtin->takes_builtins));
}

void TraceOn(Processor& m4, const Arguments& a) {
  if (a.size() < 2) return m4.Trace({}, true);
  for (size_t i = 1; i < a.size(); ++i) m4.Trace(a[i], true);
}
void TraceOff(Processor& m4, const Arguments& a) {
  if (a.size() < 2) return m4.Trace({}, false);
  for (size_t i = 1; i < a.size(); ++i) m4.Trace(a[i], false);
}
void DebugMode(Processor& m4, const Arguments& a) {
  if (a.size() < 2) m4.ClearDebugFlags();
  else if (!m4.SetDebugFlags(a[1])) m4.Error("Debugmode: bad debug flags: `" + a[1] + "'");
}
void DebugFile(Processor& m4, const Arguments& a) {
  const Status set = m4.host().SetDebugFile(a.size() < 2 ? std::nullopt : std::optional(a[1]));
  if (!set) m4.Error("cannot set debug file `" + a[1] + "': " + std::string(set.error().Text()));
}

constexpr size_t kAny = SIZE_MAX;

constexpr Builtin kBuiltins[] = {
    {"__file__", false, FileName, 0, 0, true},
    {"__line__", false, LineNumber, 0, 0, true},
    {"__program__", false, ProgramName, 0, 0, true},
    {"builtin", true, CallBuiltin, 1, kAny, true, true},
    {"changecom", false, ChangeCom, 0, 2},
    {"changequote", false, ChangeQuote, 0, 2},
    {"debugfile", false, DebugFile, 0, 1, true},
    {"debugmode", false, DebugMode, 0, 1, true},
    {"decr", true, Decr, 1, 1},
    {"define", true, Define, 1, 2, false, true},
    {"defn", true, Defn, 1},
    {"divert", false, Divert, 0, 1},
    {"divnum", false, DivNum, 0, 0},
    {"dnl", false, Dnl, 0, 0},
    {"dumpdef", false, DumpDef},
    {"errprint", true, ErrPrint, 1},
    {"esyscmd", true, ESysCmd, 1, 1, true},
    {"eval", true, Eval, 1, 3},
    {"format", true, FormatText, 1, kAny, true},
    {"ifdef", true, IfDef, 2, 3},
    {"ifelse", true, IfElse, 1},
    {"include", true, Include, 1, 1},
    {"incr", true, Incr, 1, 1},
    {"index", true, Index, 2, 2, false, false, GiveZero},
    {"indir", true, Indir, 1, kAny, true, true},
    {"len", true, Len, 1, 1},
    {"m4exit", false, M4Exit, 0, 1},
    {"m4wrap", true, M4Wrap, 1},
    {"maketemp", true, MakeTemp, 1, 1},
    {"mkstemp", true, MakeTemporaryFile, 1, 1},
    {"patsubst", true, PatSubst, 2, 3, true, false, GiveFirst},
    {"popdef", true, PopDef, 1},
    {"pushdef", true, PushDef, 1, 2, false, true},
    {"regexp", true, RegExp, 2, 3, true, false, GiveZero},
    {"shift", true, Shift, 1},
    {"sinclude", true, SInclude, 1, 1},
    {"substr", true, Substr, 2, 3, false, false, GiveFirst},
    {"syscmd", true, SysCmd, 1, 1},
    {"sysval", false, SysVal},
    {"traceoff", false, TraceOff},
    {"traceon", false, TraceOn},
    {"translit", true, Translit, 2, 3, false, false, GiveFirst},
    {"undefine", true, Undefine, 1},
    {"undivert", false, Undivert},
};

}  // namespace

const Builtin* FindBuiltin(std::string_view name) {
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.name == name) return &builtin;
  }
  return nullptr;
}

std::vector<const Builtin*> AllBuiltins() {
  std::vector<const Builtin*> all;
  for (const Builtin& builtin : kBuiltins) all.push_back(&builtin);
  return all;
}

}  // namespace paddock::m4
