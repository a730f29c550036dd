// tar's --checkpoint and --checkpoint-action: what is done every so many records.

#include <charconv>

#include "commands/archive/tar.h"
#include "commands/file_facts.h"
#include "proc/kernel.h"
#include "text/date/duration.h"
#include "text/date/time_format.h"

namespace paddock::tar {

Status ParseCheckpointAction(Context& context, const std::string& text, std::vector<CheckpointAction>& actions) {
  using Kind = CheckpointAction::Kind;
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals), value = equals < text.size() ? text.substr(equals + 1) : "";
  const bool has_value = equals < text.size();
  if (text == "." || text == "dot") actions.push_back({Kind::kDot, {}});
  else if (text == "bell") actions.push_back({Kind::kBell, {}});
  else if (text == "totals") actions.push_back({Kind::kTotals, {}});
  else if (text == "echo") actions.push_back({Kind::kReport, {}});
  else if (has_value && name == "echo") actions.push_back({Kind::kEcho, value});
  else if (has_value && name == "ttyout") actions.push_back({Kind::kTerminal, value});
  else if (has_value && name == "exec") actions.push_back({Kind::kRun, value});
  else if (has_value && name == "sleep") {
    const auto seconds = ParseDuration(value);
    if (!seconds) return context.Fatal(text + ": not a valid timeout");
    actions.push_back({Kind::kSleep, value});
  } else {
    return context.Fatal(text + ": unknown checkpoint action");
  }
  return {};
}

Status Checkpoints::Start(Context& context, bool writes) {
  Options& o = context.o;
  writes_ = writes;
  std::string every = o.checkpoint;
  if (o.wants_checkpoints && every.starts_with('.')) {
    actions_.push_back({CheckpointAction::Kind::kDot, {}});
    every.erase(0, 1);
  }
  for (const std::string& text : o.checkpoint_actions) PADDOCK_TRY(ParseCheckpointAction(context, text, actions_));
  if (!o.wants_checkpoints && actions_.empty()) return {};
  every_ = kUsualDistance;
  if (!every.empty()) {
    const auto parsed = std::from_chars(every.data(), every.data() + every.size(), every_);
    if (parsed.ec != std::errc() || parsed.ptr != every.data() + every.size()) return context.Fatal("--checkpoint value is not an integer");
  }
  if (actions_.empty()) actions_.push_back({CheckpointAction::Kind::kReport, {}});
  return {};
}

void Checkpoints::Reached(Context& context, uint64_t records) {
  if (every_ == 0) return;
  while (count_ < records) {
    context.in.budget.Step();
    if (++count_ % every_ == 0) Run(context);
  }
}

void Checkpoints::Run(Context& context) {
  using Kind = CheckpointAction::Kind;
  for (const CheckpointAction& action : actions_) {
    switch (action.kind) {
      case Kind::kDot:
        context.shown->Write(".");
        context.shown->Flush();
        break;
      case Kind::kBell: ToTerminal(context, "\a"); break;
      case Kind::kTerminal: ToTerminal(context, Expanded(context, action.text)); break;
      case Kind::kReport: context.Warn((writes_ ? "Write" : "Read") + (" checkpoint " + std::to_string(count_))); break;
      case Kind::kEcho: context.Warn(Expanded(context, action.text)); break;
      case Kind::kTotals: ShowTotals(context, writes_ ? "written" : "read", bytes(context)); break;
      case Kind::kSleep: {
        const Nanoseconds until = context.in.clock.MonotonicNow() + ToNanoseconds(*ParseDuration(action.text));
        static_cast<void>(context.in.kernel.Sleep(context.in.process, until));
        break;
      }
      case Kind::kRun: {
        Environment environment = ChildEnvironment(context);
        environment.Set("TAR_CHECKPOINT", std::to_string(count_));
        environment.Set("TAR_SUBCOMMAND", "-" + std::string(1, LetterOf(context.o.mode)));
        ChildSpec spec;
        spec.args = {"sh", "-c", action.text};
        spec.environment = &environment;
        context.in.out.Flush();
        static_cast<void>(context.in.launcher.Run(context.in.process, spec));
        break;
      }
    }
  }
}

uint64_t Checkpoints::bytes(const Context& context) const { return (count_ - 1) * context.o.record_blocks * codec::kTarBlock; }

void Checkpoints::ToTerminal(Context& context, const std::string& text) {
  if (const auto terminal = context.in.fs.Open("/dev/tty", {.write = true})) static_cast<void>((*terminal)->Write(text));
}

std::string Checkpoints::Expanded(Context& context, std::string_view format) const {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    std::string argument;
    size_t at = i + 1;
    if (const size_t end = format.find('}', at); format[at] == '{' && end != std::string_view::npos && end + 1 < format.size()) {
      argument = std::string(format.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    switch (format[at]) {
      case 's': text += writes_ ? "write" : "read"; break;
      case 'u': text += std::to_string(count_); break;
      case 'd': text += std::to_string(std::chrono::duration_cast<std::chrono::seconds>(context.in.clock.MonotonicNow() - context.started).count()); break;
      case 'T': text += (writes_ ? "W: " : "R: ") + TotalsText(context, bytes(context)); break;
      case 't': {
        const TimePoint now = Now(context.in.clock);
        text += FormatTime(argument.empty() ? "%c" : argument, context.zone.ToLocal(now.seconds), now, context.in.budget);
        break;
      }
      default: text += format.substr(i, at + 1 - i);
    }
    i = at;
  }
  return text;
}

char LetterOf(Mode mode) {
  switch (mode) {
    case Mode::kCreate: return 'c';
    case Mode::kExtract: return 'x';
    case Mode::kList: return 't';
    case Mode::kAppend: return 'r';
    case Mode::kUpdate: return 'u';
    case Mode::kCatenate: return 'A';
    case Mode::kDiff: return 'd';
    default: return 'D';
  }
}

bool IsWriting(Mode mode) { return mode == Mode::kCreate || mode == Mode::kAppend || mode == Mode::kUpdate || mode == Mode::kCatenate || mode == Mode::kDelete; }

Environment ChildEnvironment(const Context& context) {
  constexpr const char* kFormats[] = {"v7", "oldgnu", "gnu", "ustar", "posix"};
  Environment environment = context.in.env;
  environment.Set("TAR_VERSION", "1.34");
  environment.Set("TAR_ARCHIVE", context.o.archives.front());
  environment.Set("TAR_VOLUME", std::to_string(context.volumes.number()));
  environment.Set("TAR_BLOCKING_FACTOR", std::to_string(context.o.record_blocks));
  environment.Set("TAR_FORMAT", kFormats[static_cast<int>(context.o.format.value_or(codec::TarFormat::kGnu))]);
  return environment;
}

}  // namespace paddock::tar
