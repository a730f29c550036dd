#include "commands/git/work/convert.h"

#include <algorithm>

#include "commands/child_output.h"
#include "commands/git/work/attributes.h"
#include "proc/kernel.h"
#include "text/char_encoding.h"
#include "vfs/pipe.h"

namespace paddock::git {
namespace {

enum class Crlf { kUndefined, kBinary, kText, kTextInput, kTextCrlf, kAuto, kAutoInput, kAutoCrlf };

struct Rules {
  Crlf crlf = Crlf::kUndefined, from_attributes = Crlf::kUndefined;
  bool has_ident = false;
  std::string filter, encoding;
};

bool IsAuto(Crlf crlf) { return crlf == Crlf::kAuto || crlf == Crlf::kAutoInput || crlf == Crlf::kAutoCrlf; }

// core.autocrlf: "true", "input" or "false".
std::string AutoCrlf(Git& git) {
  const std::string value = git.config.Get("core.autocrlf", "false");
  if (value == "input") return value;
  return ParseConfigBool(value).value_or(false) ? "true" : "false";
}

bool TextEndsInCrlf(Git& git) {
  const std::string automatic = AutoCrlf(git);
  if (automatic != "false") return automatic == "true";
  return git.config.Get("core.eol", "native") == "crlf";
}

Attributes& AttributesOf(Git& git) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  return *git.attributes;
}

Rules RulesOf(Git& git, const std::string& path) {
  Rules rules;
  const std::map<std::string, std::string> values = AttributesOf(git).Of(path);
  const auto value_of = [&values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  const auto take = [&rules](const std::string& value) {
    if (value == "set") rules.crlf = Crlf::kText;
    else if (value == "unset") rules.crlf = Crlf::kBinary;
    else if (value == "input") rules.crlf = Crlf::kTextInput;
    else if (value == "auto") rules.crlf = Crlf::kAuto;
  };
  take(value_of("text"));
  if (rules.crlf == Crlf::kUndefined) take(value_of("crlf"));
  if (rules.crlf != Crlf::kBinary) {
    const std::string eol = value_of("eol");
    if (eol == "lf") rules.crlf = rules.crlf == Crlf::kAuto ? Crlf::kAutoInput : Crlf::kTextInput;
    else if (eol == "crlf") rules.crlf = rules.crlf == Crlf::kAuto ? Crlf::kAutoCrlf : Crlf::kTextCrlf;
  }
  rules.from_attributes = rules.crlf;
  if (rules.crlf == Crlf::kText) rules.crlf = TextEndsInCrlf(git) ? Crlf::kTextCrlf : Crlf::kTextInput;
  if (rules.crlf == Crlf::kUndefined) {
    const std::string automatic = AutoCrlf(git);
    rules.crlf = automatic == "true" ? Crlf::kAutoCrlf : automatic == "input" ? Crlf::kAutoInput : Crlf::kBinary;
  }
  rules.has_ident = value_of("ident") == "set";
  rules.filter = value_of("filter");
  if (rules.filter == "set" || rules.filter == "unset") rules.filter.clear();
  rules.encoding = value_of("working-tree-encoding");
  return rules;
}

// What a text is made of.
struct Stats {
  size_t nul = 0, lone_cr = 0, lone_lf = 0, crlf = 0, printable = 0, other = 0;
  bool IsBinary() const { return lone_cr > 0 || nul > 0 || (printable >> 7) < other; }
};

Stats StatsOf(std::string_view text) {
  Stats stats;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') {
        ++stats.crlf;
        ++i;
      } else {
        ++stats.lone_cr;
      }
    } else if (c == '\n') {
      ++stats.lone_lf;
    } else if (c == 127) {
      ++stats.other;
    } else if (c < 32) {
      if (c == '\b' || c == '\t' || c == 033 || c == 014) ++stats.printable;
      else ++stats.other;
      if (c == 0) ++stats.nul;
    } else {
      ++stats.printable;
    }
  }
  if (text.ends_with('\032')) --stats.other;   // the end of a file of DOS
  return stats;
}

bool WouldAddCr(Git& git, const Stats& stats, Crlf crlf) {
  const bool ends_in_crlf = crlf == Crlf::kTextCrlf || crlf == Crlf::kAutoCrlf || ((crlf == Crlf::kText || crlf == Crlf::kAuto) && TextEndsInCrlf(git));
  if (!ends_in_crlf || stats.lone_lf == 0) return false;
  return !IsAuto(crlf) || (stats.lone_cr == 0 && stats.crlf == 0 && !stats.IsBinary());
}

// A file that was committed with its CRs keeps them.
Result<bool> HasCrlfInIndex(Git& git, const std::string& path) {
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  const IndexEntry* entry = index.Find(path);
  for (int stage = 2; entry == nullptr && stage > 0; --stage) entry = index.Find(path, stage);
  if (entry == nullptr || entry->is_intended || (entry->mode & 0170000) != 0100000) return false;
  PADDOCK_ASSIGN(const std::string text, git.ReadBlob(entry->id));
  const Stats stats = StatsOf(text);
  return !stats.IsBinary() && stats.crlf > 0;
}

Status CheckRoundTrip(Git& git, const std::string& path, const Stats& before, const Stats& after) {
  const std::string safe = git.config.Get("core.safecrlf", "warn");
  const bool refuses = safe != "warn" && ParseConfigBool(safe).value_or(false);
  if (safe != "warn" && !refuses) return {};
  const bool loses_cr = before.crlf > 0 && after.crlf == 0, loses_lf = before.lone_lf > 0 && after.lone_lf == 0;
  if (!loses_cr && !loses_lf) return {};
  const std::string what = loses_cr ? "CRLF" : "LF", with = loses_cr ? "LF" : "CRLF";
  if (refuses) return Error(Code::kInvalid, what + " would be replaced by " + with + " in " + path);
  git.Warn("in the working copy of '" + path + "', " + what + " will be replaced by " + with + " the next time Git touches it");
  return {};
}

Result<std::string> WithoutCr(Git& git, const std::string& path, const Rules& rules, std::string text, RoundTrip check) {
  if (rules.crlf == Crlf::kBinary || text.empty()) return text;
  const Stats stats = StatsOf(text);
  bool converts = stats.crlf > 0;
  if (IsAuto(rules.crlf)) {
    if (stats.IsBinary()) return text;
    if (converts && check != RoundTrip::kRenormalized) {
      PADDOCK_ASSIGN(const bool keeps, HasCrlfInIndex(git, path));
      if (keeps) converts = false;
    }
  }
  if (check == RoundTrip::kChecked) {
    Stats after = stats;
    if (converts) {
      after.lone_lf += after.crlf;
      after.crlf = 0;
    }
    if (WouldAddCr(git, after, rules.crlf)) {
      after.crlf += after.lone_lf;
      after.lone_lf = 0;
    }
    PADDOCK_TRY(CheckRoundTrip(git, path, stats, after));
  }
  if (!converts) return text;
  size_t to = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[to++] = text[i];
  }
  text.resize(to);
  return text;
}

std::string WithCr(Git& git, const Rules& rules, std::string text) {
  if (rules.crlf == Crlf::kBinary || text.empty()) return text;
  const Stats stats = StatsOf(text);
  if (!WouldAddCr(git, stats, rules.crlf)) return text;
  std::string out;
  git.in.budget.WillAllocate(text.size() + stats.lone_lf);
  out.reserve(text.size() + stats.lone_lf);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) out += '\r';
    out += text[i];
  }
  return out;
}

// "$Id$" as `id` makes it; nothing: "$Id: … $" as "$Id$". Idents of other systems ("$Id: name 1.2 …$") stay.
std::string WithIdent(std::string_view text, const std::string* id) {
  std::string out;
  while (true) {
    const size_t at = text.find("$Id");
    if (at == std::string_view::npos) break;
    out.append(text.substr(0, at + 3));
    text.remove_prefix(at + 3);
    size_t end = 0;
    if (text.starts_with(':')) {
      end = text.find_first_of("$\n");
      if (end == std::string_view::npos || text[end] == '\n') continue;
      const size_t space = text.substr(0, end).find(' ', 2);
      if (id != nullptr && space != std::string_view::npos && space + 1 < end) continue;
    } else if (!text.starts_with('$')) {
      continue;
    }
    out += id != nullptr ? ": " + *id + " $" : "$";
    text.remove_prefix(end + 1);
  }
  return out.append(text);
}

// Between an encoding and UTF-8. `is_out`: to the encoding.
Result<std::string> Encoded(Git& git, const std::string& path, const std::string& name, std::string text, bool is_out) {
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (upper == "UTF-8" || upper == "UTF8" || text.empty()) return text;
  if (upper == "SET" || upper == "UNSET") return Error(Code::kInvalid, "true/false are no valid working-tree-encodings");
  const bool has_mark = text.starts_with("\xfe\xff") || text.starts_with("\xff\xfe");
  const bool with_mark = upper == "UTF-16LE-BOM" || upper == "UTF-16BE-BOM";
  if (!is_out && has_mark && (upper == "UTF-16LE" || upper == "UTF-16BE" || upper == "UTF-32LE" || upper == "UTF-32BE")) {
    const std::string wide = upper.substr(0, 6);
    git.Say("hint: The file '" + path + "' contains a byte order mark (BOM). Please use " + wide + " as working-tree-encoding.\n");
    return Error(Code::kInvalid, "BOM is prohibited in '" + path + "' if encoded as " + name);
  }
  if (!is_out && !has_mark && (upper == "UTF-16" || upper == "UTF-32")) {
    git.Say("hint: The file '" + path + "' is missing a byte order mark (BOM). Please use " + upper + "BE or " + upper + "LE (depending on the byte order) as working-tree-encoding.\n");
    return Error(Code::kInvalid, "BOM is required in '" + path + "' if encoded as " + name);
  }
  const auto found = CharEncoding::Find(with_mark ? upper.substr(0, 8) : name);
  const auto utf8 = CharEncoding::Find("UTF-8");
  if (!found || !utf8) return Error(Code::kInvalid, "failed to encode '" + path + "' from " + (is_out ? "UTF-8 to " + name : name + " to UTF-8"));
  size_t mark = 0;
  const CharEncoding other = is_out ? *found : found->Settled(text, &mark);
  std::string_view rest = std::string_view(text).substr(mark);
  if (!is_out && with_mark && has_mark) rest.remove_prefix(2);
  std::string out;
  git.in.budget.WillAllocate(4 * text.size() + 4);
  if (is_out && upper == "UTF-16") out = "\xff\xfe";
  if (is_out && upper == "UTF-32") out = std::string("\xff\xfe\0\0", 4);
  if (is_out && with_mark) out = upper == "UTF-16LE-BOM" ? "\xff\xfe" : "\xfe\xff";
  const CharEncoding from = is_out ? *utf8 : other;
  const auto wide = CharEncoding::Find(upper == "UTF-16" ? "UTF-16LE" : upper == "UTF-32" ? "UTF-32LE" : "UTF-8");
  const CharEncoding to = !is_out ? *utf8 : upper == "UTF-16" || upper == "UTF-32" ? *wide : other;
  while (!rest.empty()) {
    git.in.budget.Step();
    const CharEncoding::Decoded one = from.Decode(rest);
    if (one.state != CharEncoding::Decoded::State::kChar || !to.Encode(one.code, out)) {
      if (!is_out) return Error(Code::kInvalid, "failed to encode '" + path + "' from " + name + " to UTF-8");
      git.Complain("failed to encode '" + path + "' from UTF-8 to " + name);
      return text;
    }
    rest.remove_prefix(one.length);
  }
  return out;
}

// Runs filter.NAME.clean or .smudge on the content.
Result<std::string> Filtered(Git& git, const std::string& path, const std::string& name, const char* way, std::string text) {
  if (name.empty()) return text;
  const std::string section = "filter." + name + ".";
  if (git.config.Get(section + "process")) return Error(Code::kNotSupported, section + "process is not supported: filters are clean and smudge");
  const bool is_required = git.config.GetBool(section + "required", false);
  const std::string failure = is_required ? std::string(way) == "clean" ? path + ": clean filter '" + name + "' failed" : path + ": smudge filter " + name + " failed" : "";
  const std::string command = git.config.Get(section + way, "");
  if (command.empty()) {
    if (is_required) return Error(Code::kInvalid, failure);
    return text;
  }
  std::string expanded;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] != '%' || i + 1 >= command.size()) {
      expanded += command[i];
      continue;
    }
    ++i;
    if (command[i] == 'f') {
      expanded += "'";
      for (const char c : path) expanded += c == '\'' || c == '!' ? std::string("'\\") + c + "'" : std::string(1, c);
      expanded += "'";
    } else {
      expanded += command[i] == '%' ? "%" : std::string("%") + command[i];
    }
  }
  std::string output;
  vfs::PipeEnds ends = vfs::MakePipe(git.in.kernel.scheduler());
  ChildSpec spec{.args = {"sh", "-c", expanded}, .environment = &git.in.env};
  spec.cwd = git.work_tree;
  spec.in = std::move(ends.read);
  spec.out = TextSink(git.in.budget, output);
  git.in.out.Flush();
  PADDOCK_ASSIGN(const int pid, git.in.launcher.Spawn(git.in.process, spec));
  spec.in.reset();
  // A filter need not read all of it.
  static_cast<void>(ends.write->Write(text).has_value());
  ends.write.reset();
  PADDOCK_ASSIGN(const proc::WaitStatus ended, git.in.kernel.Wait(git.in.process, pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn));
  if (ended.status == 0) return output;
  git.Complain("external filter '" + command + "' failed " + std::to_string(ended.status));
  git.Complain("external filter '" + command + "' failed");
  if (is_required) return Error(Code::kInvalid, failure);
  return text;
}

}  // namespace

Result<std::string> ToRepository(Git& git, const std::string& path, std::string content, RoundTrip check) {
  const Rules rules = RulesOf(git, path);
  PADDOCK_ASSIGN(std::string text, Filtered(git, path, rules.filter, "clean", std::move(content)));
  if (!rules.encoding.empty()) {
    PADDOCK_ASSIGN(text, Encoded(git, path, rules.encoding, std::move(text), false));
  }
  PADDOCK_ASSIGN(text, WithoutCr(git, path, rules, std::move(text), check));
  return rules.has_ident ? WithIdent(text, nullptr) : text;
}

Result<std::string> ToWorkTree(Git& git, const std::string& path, std::string content) {
  const Rules rules = RulesOf(git, path);
  if (rules.has_ident) {
    const std::string id = HashObject(ObjectType::kBlob, content).Hex();
    content = WithIdent(content, &id);
  }
  content = WithCr(git, rules, std::move(content));
  if (!rules.encoding.empty()) {
    PADDOCK_ASSIGN(content, Encoded(git, path, rules.encoding, std::move(content), true));
  }
  return Filtered(git, path, rules.filter, "smudge", std::move(content));
}

std::string EolAttributes(Git& git, const std::string& path) {
  switch (RulesOf(git, path).from_attributes) {
    case Crlf::kUndefined: return "";
    case Crlf::kBinary: return "-text";
    case Crlf::kText: return "text";
    case Crlf::kTextInput: return "text eol=lf";
    case Crlf::kTextCrlf: return "text eol=crlf";
    case Crlf::kAuto: return "text=auto";
    case Crlf::kAutoInput: return "text=auto eol=lf";
    case Crlf::kAutoCrlf: return "text=auto eol=crlf";
  }
  return "";
}

void AttributesFrom(Git& git, const FlatTree& files) {
  git.attributes = std::make_shared<Attributes>(git);
  git.attributes->UseFiles(files);
}

void AttributesFromFiles(Git& git) { git.attributes.reset(); }

}  // namespace paddock::git
