#include "shell/builtins/builtin.h"

#include <algorithm>

#include "shell/builtins/help_topics.h"

namespace paddock::shell {
namespace {

struct Index {
  std::vector<const Builtin*> sorted;
  Index() : sorted(BuiltinTable().begin(), BuiltinTable().end()) {
    std::sort(sorted.begin(), sorted.end(),
              [](const Builtin* a, const Builtin* b) { return std::string_view(a->name) < b->name; });
  }
};

const Index& TheIndex() {
  static const Index index;
  return index;
}

}  // namespace

const Builtin* FindBuiltin(std::string_view name) {
  const std::vector<const Builtin*>& sorted = TheIndex().sorted;
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const Builtin* a, std::string_view b) { return a->name < b; });
  return it == sorted.end() || (*it)->name != name ? nullptr : *it;
}

std::span<const Builtin* const> AllBuiltins() { return TheIndex().sorted; }

bool IsDisabled(const Shell& shell, std::string_view name) {
  return !shell.disabled_builtins.empty() &&
         std::find(shell.disabled_builtins.begin(), shell.disabled_builtins.end(), name) !=
             shell.disabled_builtins.end();
}

BuiltinOptions::BuiltinOptions(Shell& shell, const BuiltinCall& call, const Builtin& builtin,
                               std::string_view spec, bool plus_too)
    : shell_(shell), call_(call), builtin_(builtin), spec_(spec), plus_too_(plus_too) {}

char BuiltinOptions::Next() {
  if (offset_ == 0) {
    if (index_ >= call_.args.size()) return 0;
    const std::string& arg = call_.args[index_];
    if (arg == "--") {
      ++index_;
      return 0;
    }
    const bool is_option = arg.size() > 1 && (arg[0] == '-' || (plus_too_ && arg[0] == '+'));
    if (!is_option) return 0;
    if (AnswerHelp(shell_, builtin_.name, arg)) return '?';
    is_plus_ = arg[0] == '+';
    offset_ = 1;
  }
  const std::string& arg = call_.args[index_];
  const char letter = arg[offset_++];
  const bool is_last = offset_ == arg.size();
  const size_t at = letter == ':' ? std::string_view::npos : spec_.find(letter);
  if (at == std::string_view::npos) {
    shell_.Complain(builtin_.name, std::string(1, arg[0]) + letter + ": invalid option");
    UsageError(shell_, builtin_);
    return '?';
  }
  const bool wants_argument = at + 1 < spec_.size() && spec_[at + 1] == ':';
  if (!wants_argument) {
    if (is_last) {
      ++index_;
      offset_ = 0;
    }
    return letter;
  }
  if (!is_last) {
    argument_ = std::string_view(arg).substr(offset_);
  } else if (index_ + 1 < call_.args.size()) {
    argument_ = call_.args[++index_];
  } else {
    shell_.Complain(builtin_.name, std::string("-") + letter + ": option requires an argument");
    UsageError(shell_, builtin_);
    return '?';
  }
  ++index_;
  offset_ = 0;
  return letter;
}

std::span<const std::string> BuiltinOptions::operands() const { return call_.args.subspan(index_); }

int UsageError(Shell& shell, const Builtin& builtin) {
  shell.was_misused = true;
  shell.err().Write(std::string(builtin.name) + ": usage: " + builtin.name + " " + builtin.usage + "\n");
  return 2;
}

}  // namespace paddock::shell
