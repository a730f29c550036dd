#include "lang/make/expand.h"

#include "lang/make/words.h"

namespace paddock::make {
namespace {

class Expander {
 public:
  explicit Expander(Session& session) : session_(session), budget_(session.budget()) {}

  std::string Run(std::string_view text) {
    budget_.CheckStack();
    std::string out;
    size_t at = 0;
    while (!session_.is_over()) {
      const size_t dollar = text.find('$', at);
      Append(out, text.substr(at, dollar == std::string_view::npos ? dollar : dollar - at));
      if (dollar == std::string_view::npos || dollar + 1 >= text.size()) return out;
      const char c = text[dollar + 1];
      at = dollar + 2;
      if (c == '$') {
        out += '$';
      } else if (c == '(' || c == '{') {
        Append(out, Reference(text, &at, c));
      } else if (!IsSpace(c)) {
        Append(out, session_.ValueOf(std::string_view(&c, 1)));
      }
    }
    return out;
  }

 private:
  void Append(std::string& out, std::string_view text) {
    budget_.Step(1 + static_cast<int64_t>(text.size() / 32));
    if (out.size() + text.size() > out.capacity()) budget_.WillAllocate(2 * (out.size() + text.size()));
    out += text;
  }

  std::string Reference(std::string_view text, size_t* at, char open) {
    const std::string_view rest = text.substr(*at);
    const size_t name_end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    const Function* function = nullptr;
    if (name_end != std::string_view::npos && name_end > 0 && IsSpace(rest[name_end])) function = FindFunction(rest.substr(0, name_end));
    const size_t close = FindClose(text, *at, open);
    if (close == std::string_view::npos) {
      if (function != nullptr) {
        session_.Fatal(session_.ExpansionPlace(), "unterminated call to function '" + std::string(function->name) + "': missing '" +
                                           (open == '(' ? ")" : "}") + "'");
      } else {
        session_.Fatal(session_.ExpansionPlace(), "unterminated variable reference");
      }
      return {};
    }
    const std::string_view inner = text.substr(*at, close - *at);
    *at = close + 1;
    budget_.Step(1 + static_cast<int64_t>(inner.size() / 32));
    if (function != nullptr) return Call(*function, TrimFront(inner.substr(name_end)), open);
    return VariableReference(inner);
  }

  std::string Call(const Function& function, std::string_view text, char open) {
    const char close = open == '(' ? ')' : '}';
    std::vector<std::string> arguments;
    size_t begin = 0;
    size_t depth = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const bool is_last = function.most != 0 && arguments.size() + 1 == function.most;
      if (i < text.size() && text[i] == open) ++depth;
      if (i < text.size() && text[i] == close && depth > 0) --depth;
      if (i < text.size() && (text[i] != ',' || depth > 0 || is_last)) continue;
      budget_.Step();
      const std::string_view argument = text.substr(begin, i - begin);
      arguments.push_back(function.is_lazy ? std::string(argument) : Run(argument));
      begin = i + 1;
    }
    return CallFunction(session_, function, arguments);
  }

  std::string VariableReference(std::string_view inner) {
    std::string expanded;
    if (inner.find('$') != std::string_view::npos) {
      expanded = Run(inner);
      inner = expanded;
    }
    const size_t colon = inner.find(':');
    const size_t equals = colon == std::string_view::npos ? colon : inner.find('=', colon);
    if (equals == std::string_view::npos) return session_.ValueOf(inner);
    const std::string value = session_.ValueOf(inner.substr(0, colon));
    std::string from(inner.substr(colon + 1, equals - colon - 1));
    std::string to(inner.substr(equals + 1));
    if (from.find('%') == std::string::npos) {
      from = "%" + from;
      to = "%" + to;
    }
    return SubstitutePattern(value, from, to, budget_);
  }

  Session& session_;
  Budget& budget_;
};

}  // namespace

const Function* FindFunction(std::string_view name) {
  for (const auto table : {TextFunctions(), FileFunctions(), ControlFunctions()}) {
    for (const Function& function : table) {
      if (function.name == name) return &function;
    }
  }
  return nullptr;
}

std::string CallFunction(Session& session, const Function& function, Arguments arguments) {
  if (session.is_over()) return {};
  if (arguments.size() < function.least) {
    session.Fatal(session.ExpansionPlace(), "insufficient number of arguments (" + std::to_string(arguments.size()) + ") to function '" +
                                     std::string(function.name) + "'");
    return {};
  }
  session.budget().CheckStack();
  return function.run(session, arguments);
}

std::string Session::Expand(std::string_view text) {
  if (is_over_) return {};
  if (text.find('$') == std::string_view::npos) return std::string(text);
  return Expander(*this).Run(text);
}

}  // namespace paddock::make
