#include "lang/m4/processor.h"

namespace paddock::m4 {
namespace {

constexpr char kMark = '\1';   // around the name of a builtin that defn gave

bool IsNameStart(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(int c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }

}  // namespace

Processor::Processor(const Settings& settings, Host& host) : settings_(settings), host_(host) {
  for (const Builtin* builtin : AllBuiltins()) {
    macros[(settings.prefixes_builtins ? "m4_" : "") + std::string(builtin->name)].push_back({"", builtin});
  }
  for (const char* name : {"unix", "gnu"}) {
    macros[settings.prefixes_builtins ? "m4___" + std::string(name) + "__" : "__" + std::string(name) + "__"].push_back({"", nullptr});
  }
}

void Processor::Warn(std::string_view text) {
  if (is_over_ || settings_.is_silent) return;
  host_.Err("m4:" + call_file_ + ":" + std::to_string(call_line_) + ": " + std::string(text) + "\n");
  if (settings_.fatal_warnings > 0) exit_status_ = 1;
  if (settings_.fatal_warnings > 1) End(1);
}

void Processor::Error(std::string_view text) {
  if (is_over_) return;
  host_.Err("m4:" + call_file_ + ":" + std::to_string(call_line_) + ": " + std::string(text) + "\n");
  if (settings_.fatal_warnings > 0) exit_status_ = 1;
  if (settings_.fatal_warnings > 1) End(1);
}

void Processor::Fatal(std::string_view text) {
  Error(text);
  End(1);
}

void Processor::End(int status) {
  if (!is_over_) exit_status_ = status;
  is_over_ = true;
}

int Processor::Peek() {
  while (!sources_.empty() && sources_.back().at >= sources_.back().text.size()) sources_.pop_back();
  return sources_.empty() ? -1 : static_cast<unsigned char>(sources_.back().text[sources_.back().at]);
}

int Processor::Take() {
  const int c = Peek();
  if (c < 0) return c;
  budget().Step();
  Source& source = sources_.back();
  ++source.at;
  if (c == '\n' && source.is_file) ++source.line;
  return c;
}

bool Processor::LooksAt(const std::string& text) {
  if (text.empty() || Peek() != static_cast<unsigned char>(text[0])) return false;
  if (text.size() == 1) return true;
  size_t matched = 0;
  for (size_t i = sources_.size(); i > 0; --i) {
    const Source& source = sources_[i - 1];
    for (size_t at = source.at; at < source.text.size(); ++at) {
      if (source.text[at] != text[matched]) return false;
      if (++matched == text.size()) return true;
    }
  }
  return false;
}

void Processor::Skip(size_t count) {
  while (count-- > 0) Take();
}

void Processor::Place() {
  for (size_t i = sources_.size(); i > 0; --i) {
    if (!sources_[i - 1].is_file) continue;
    call_file_ = sources_[i - 1].file;
    call_line_ = sources_[i - 1].line;
    return;
  }
}

void Processor::Push(std::string text) {
  if (text.empty()) return;
  budget().WillAllocate(text.size());
  budget().Step(static_cast<int64_t>(text.size() / 32));
  sources_.push_back({.text = std::move(text), .file = {}});
}

std::string Processor::TakeName() {
  std::string name;
  while (IsNamePart(Peek())) name += static_cast<char>(Take());
  return name;
}

void Processor::TakeQuoted(std::string& out) {
  Place();
  Skip(open_quote.size());
  size_t depth = 1;
  while (true) {
    if (Peek() < 0) return Fatal("ERROR: end of file in string");
    if (LooksAt(close_quote)) {
      Skip(close_quote.size());
      if (--depth == 0) return;
      out += close_quote;
    } else if (LooksAt(open_quote)) {
      Skip(open_quote.size());
      ++depth;
      out += open_quote;
    } else {
      out += static_cast<char>(Take());
    }
    if (out.size() == out.capacity()) budget().WillAllocate(2 * out.size());
  }
}

void Processor::TakeComment(std::string& out) {
  Place();
  out += comment_begin;
  Skip(comment_begin.size());
  while (!LooksAt(comment_end)) {
    if (Peek() < 0) return Fatal("ERROR: end of file in comment");
    out += static_cast<char>(Take());
  }
  out += comment_end;
  Skip(comment_end.size());
}

const Macro* Processor::Find(std::string_view name) const {
  const auto found = macros.find(name);
  return found == macros.end() || found->second.empty() ? nullptr : &found->second.back();
}

Macro Processor::MacroOf(const std::string& text) {
  if (text.size() > 2 && text.front() == kMark && text.back() == kMark) {
    if (const Builtin* builtin = FindBuiltin(std::string_view(text).substr(1, text.size() - 2))) return {"", builtin};
  }
  return {text, nullptr};
}

std::string Processor::TextOf(const Macro& macro) {
  return macro.builtin == nullptr ? macro.text : kMark + std::string(macro.builtin->name) + kMark;
}

void Processor::TakeArguments(Arguments& arguments) {
  const std::string file = call_file_;
  const size_t line = call_line_;
  Take();   // the parenthesis
  while (!is_over_) {
    while (Peek() == ' ' || (Peek() >= '\t' && Peek() <= '\r')) Take();
    std::string argument;
    size_t depth = 0;
    bool is_last = false;
    while (!is_over_) {
      const int c = Peek();
      if (c < 0) {
        call_file_ = file;
        call_line_ = line;
        return Fatal("ERROR: end of file in argument list");
      }
      if (argument.size() == argument.capacity()) budget().WillAllocate(2 * argument.size());
      if (LooksAt(comment_begin)) {
        TakeComment(argument);
      } else if (IsNameStart(c)) {
        RunName(TakeName(), argument);
      } else if (LooksAt(open_quote)) {
        TakeQuoted(argument);
      } else {
        Take();
        if (c == ')' && depth == 0) {
          is_last = true;
          break;
        }
        if (c == ',' && depth == 0) break;
        depth += c == '(' ? 1 : 0;
        depth -= c == ')' ? 1 : 0;
        argument += static_cast<char>(c);
      }
    }
    arguments.push_back(std::move(argument));
    if (is_last) break;
  }
  call_file_ = file;
  call_line_ = line;
}

void Processor::RunName(const std::string& name, std::string& out) {
  budget().CheckStack();
  const Macro* const found = Find(name);
  const bool has_arguments = found != nullptr && Peek() == '(';
  if (found == nullptr || (found->builtin != nullptr && found->builtin->needs_arguments && !has_arguments)) {
    out += name;
    return;
  }
  const Macro macro = *found;   // it may be defined anew by its own arguments
  Place();
  if (settings_.nesting_limit > 0 && nesting_ >= settings_.nesting_limit) {
    return Fatal("recursion limit of " + std::to_string(settings_.nesting_limit) + " exceeded, use -L<N> to change it");
  }
  ++nesting_;
  Arguments arguments{name};
  if (has_arguments) TakeArguments(arguments);
  if (!is_over_) Call(macro, arguments);
  --nesting_;
}

void Processor::Call(const Macro& macro, const Arguments& arguments) {
  budget().Step(4);
  if (macro.builtin != nullptr) return macro.builtin->run(*this, arguments);
  ExpandText(macro, arguments);
}

void Processor::ExpandText(const Macro& macro, const Arguments& arguments) {
  std::string out;
  const std::string& text = macro.text;
  const auto put = [&](std::string_view part) {
    budget().Step(1 + static_cast<int64_t>(part.size() / 32));
    if (out.size() + part.size() > out.capacity()) budget().WillAllocate(2 * (out.size() + part.size()));
    out += part;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '$' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next >= '0' && next <= '9') {
      size_t number = 0;
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && number < 100000000) {
        number = number * 10 + static_cast<size_t>(text[++i] - '0');
      }
      if (number < arguments.size()) put(arguments[number]);
    } else if (next == '#') {
      put(std::to_string(arguments.size() - 1));
      ++i;
    } else if (next == '*' || next == '@') {
      for (size_t k = 1; k < arguments.size(); ++k) {
        if (k > 1) out += ',';
        put(next == '@' ? Quoted(arguments[k]) : arguments[k]);
      }
      ++i;
    } else {
      put(std::string_view(&text[i], 1));
    }
  }
  Push(std::move(out));
}

void Processor::Emit(std::string_view text) {
  if (text.empty() || diversion_ < 0) return;
  std::string plain;
  if (text.find(kMark) != std::string_view::npos) {   // a builtin as text is nothing
    bool is_inside = false;
    for (const char c : text) {
      if (c == kMark) {
        is_inside = !is_inside;
      } else if (!is_inside) {
        plain += c;
      }
    }
    text = plain;
  }
  if (diversion_ == 0) return host_.Out(text);
  std::string& kept = diverted_[diversion_];
  if (kept.size() + text.size() > kept.capacity()) budget().WillAllocate(2 * (kept.size() + text.size()));
  kept += text;
}

void Processor::Undivert(int64_t number) {
  if (number == diversion_) return;
  const auto found = diverted_.find(number);
  if (found == diverted_.end()) return;
  const std::string text = std::move(found->second);
  diverted_.erase(found);
  Emit(text);
}

void Processor::UndivertAll() {
  std::vector<int64_t> numbers;
  for (const auto& [number, text] : diverted_) numbers.push_back(number);
  for (const int64_t number : numbers) Undivert(number);
}

void Processor::Expand() {
  std::string out;
  while (!is_over_) {
    const int c = Peek();
    if (c < 0) break;
    if (LooksAt(comment_begin)) {
      TakeComment(out);
    } else if (IsNameStart(c)) {
      RunName(TakeName(), out);
    } else if (LooksAt(open_quote)) {
      TakeQuoted(out);
    } else {
      out += static_cast<char>(Take());
    }
    Emit(out);
    out.clear();
  }
}

void Processor::SkipLine() {
  while (true) {
    const int c = Take();
    if (c == '\n') return;
    if (c < 0) return Warn("Warning: end of file treated as newline");
  }
}

Result<std::string> Processor::FindFile(const std::string& name) {
  auto text = host_.Read(name);
  if (text || name.starts_with('/')) return text;
  for (const std::string& directory : settings_.include_directories) {
    auto found = host_.Read(directory + "/" + name);
    if (found) return found;
  }
  return text;
}

bool Processor::IncludeFile(const std::string& name, bool is_optional) {
  auto text = FindFile(name);
  if (!text) {
    if (is_optional) return false;
    Error("cannot open `" + name + "': " + std::string(text.error().Text()));
    exit_status_ = 1;
    return false;
  }
  if (sources_.size() > 4096) {
    Fatal("cannot open `" + name + "': Too many open files");
    return false;
  }
  budget().WillAllocate(text->size());
  sources_.push_back({.text = std::move(*text), .file = name, .is_file = true});
  return true;
}

int Processor::Run(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (is_over_) break;
    if (step.kind == Step::Kind::kDefine) {
      const size_t equals = step.text.find('=');
      macros[step.text.substr(0, equals)] = {{equals == std::string::npos ? "" : step.text.substr(equals + 1), nullptr}};
    } else if (step.kind == Step::Kind::kUndefine) {
      macros.erase(step.text);
    } else {
      auto text = step.text == "-" ? host_.Read("-") : FindFile(step.text);
      if (!text) {
        host_.Err("m4: cannot open `" + step.text + "': " + std::string(text.error().Text()) + "\n");
        exit_status_ = 1;
        continue;
      }
      sources_.push_back({.text = std::move(*text), .file = step.text == "-" ? "stdin" : step.text, .is_file = true});
      Expand();
      call_line_ = 0;
    }
  }
  while (!wraps.empty() && !is_over_) {
    std::vector<std::string> now = std::exchange(wraps, {});
    for (std::string& text : now) Push(std::move(text));   // the last one is read first
    Expand();
  }
  if (is_over_) return exit_status_;
  diversion_ = 0;
  UndivertAll();
  return exit_status_;
}

int Run(const Settings& settings, const std::vector<Step>& steps, Host& host) { return Processor(settings, host).Run(steps); }

}  // namespace paddock::m4
