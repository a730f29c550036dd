#include <algorithm>

#include "commands/file_facts.h"
#include "commands/text/patch_session.h"
#include "text/diff/patch_names.h"

namespace paddock {

PatchSession::PatchSession(Invocation& in, const PatchSettings& settings, std::optional<std::string> file)
    : in_(in), settings_(settings), file_(std::move(file)), said_(settings.output == "-" ? in.err : in.out), files_(in, settings) {}

// Asks at the terminal; where there is none, the answer is an empty line.
std::string PatchSession::Ask(std::string_view question) {
  Say(question);
  said_.Flush();
  const auto terminal = in_.fs.Open("/dev/tty", vfs::OpenFlags::Read());
  if (terminal && (*terminal)->is_terminal()) {
    Input input(**terminal, in_.budget);
    input.set_block_size(1);
    if (const auto line = input.ReadLine()) return std::string(line->text);
  }
  Say("\n");
  return {};
}

TimeZone PatchSession::HeaderZone() const { return settings_.sets_local_time ? LocalZone(in_.env) : TimeZone(); }

Result<ExitStatus> PatchSession::Run(std::string text) {
  const bool is_empty = text.empty();
  parser_.emplace(std::move(text), settings_.kind, settings_.binary, HeaderZone(), in_.budget);
  ExitStatus status = 0;
  while (true) {
    auto header = parser_->NextHeader();
    if (parser_->TakeEndedInLine()) Say("patch unexpectedly ends in middle of line\n");
    if (!header) return header.error();
    const auto is_named = [](const PatchHeader& one) { return one.names[0] || one.names[1] || one.names[2]; };
    const bool is_script = *header && (*header)->kind == PatchKind::kEd;
    if (!*header || (is_script && !file_ && !is_named(**header))) {
      if (is_empty) {
        PADDOCK_TRY(CopyUnpatched());
        break;
      }
      if (is_first_) return Error(Code::kSyntax, "Only garbage was found in the patch input.");
      if (settings_.verbose) Say((*header || parser_->has_trailing_text()) ? "Hmm...  Ignoring the trailing garbage.\ndone\n" : "done\n");
      break;
    }
    PADDOCK_ASSIGN(const ExitStatus one, Patch(**header));
    status = std::max(status, one);
    is_first_ = false;
    in_.budget.Step();
  }
  PADDOCK_TRY(FlushDelayed());
  PADDOCK_TRY(files_.RemoveMarked());
  PADDOCK_TRY(WriteOutput());
  return status;
}

// Of an empty patch with -o: the output is the file as it is.
Status PatchSession::CopyUnpatched() {
  if (!file_ || !settings_.output) return {};
  Target target;
  target.in_name = target.out_name = *file_;
  target.attributes = files_.Stat(*file_, true);
  if (!target.attributes || !target.attributes->is_file()) return {};
  SayFile({}, target);
  PADDOCK_ASSIGN(std::string content, files_.Read(*file_, *target.attributes));
  return Store({}, target, std::move(content)) ? Status() : Status(Code::kIo);
}

Status PatchSession::WriteOutput() {
  if (!has_output_ || *settings_.output == "-") return {};
  const auto found = in_.fs.Stat(*settings_.output);
  if (found && !found->is_file()) return files_.Append(*settings_.output, output_);
  return files_.Write(*settings_.output, output_, 0600, false);
}

void PatchSession::SayKind(const PatchHeader& header) {
  if (!settings_.verbose) return;
  constexpr std::array<std::string_view, 6> kNames = {"", "a unified diff", "a context diff", "a new-style context diff", "a normal diff", "an ed script"};
  Say("Hmm...  ");
  Say(is_first_ ? "Looks like " : "The next patch looks like ");
  Say(kNames[static_cast<size_t>(header.kind)]);
  Say(" to me...\n");
}

void PatchSession::SayLead(const PatchHeader& header) {
  std::string_view lead = parser_->text().substr(header.lead_begin, header.begin - header.lead_begin);
  if (lead.empty()) return;
  Say("The text leading up to this was:\n--------------------------\n");
  while (!lead.empty()) {
    in_.budget.Step();
    const size_t end = lead.find('\n') + 1;
    Say("|");
    Say(lead.substr(0, end));
    lead.remove_prefix(end);
  }
  Say("--------------------------\n");
}

void PatchSession::SayFile(const PatchHeader& header, const Target& target) {
  if (settings_.silent) return;
  const std::string& shown = settings_.output ? *settings_.output : target.out_name;
  std::string text = settings_.dry_run ? "checking " : "patching ";
  text += std::string(target.is_symlink ? "symbolic link " : "file ") + Quoted(shown);
  if (shown != target.in_name) {
    const char* how = header.is_rename ? "renamed" : header.is_copy ? "copied" : "read";
    if (settings_.output) how = "read";
    text += std::string(" (") + (target.was_renamed_before ? "already " : "") + how + " from " + Quoted(target.in_name) + ")";
  }
  Say(text + "\n");
  if (settings_.verbose) Say("Using Plan A...\n");
}

// Whether the file is there already says a creation or deletion is to be undone, or was done before.
void PatchSession::CheckDirection(const PatchHeader& header, Target& target, bool exists, bool is_empty) {
  const int before = header.absent[target.reverse ? 1 : 0];
  if (header.is_git && is_empty && before == (exists ? 1 : 2)) return;   // just as the patch has it
  const int absent = header.absent[target.reverse != is_empty ? 1 : 0];
  if ((is_empty ? 0 : 1) >= absent) return;
  const std::string what = !exists ? "delete" : is_empty ? "empty out" : "create";
  const std::string why = !exists ? "which does not exist" : is_empty ? "which is already empty" : "which already exists";
  if (MayReverse("The next patch" + std::string(target.reverse ? ", when reversed," : "") + " would " + what + " the file " + Quoted(target.in_name) + ",\n" + why + "!", target)) {
    target.reverse = !target.reverse;
  }
}

bool PatchSession::MayReverse(std::string_view complaint, Target& target) {
  if (!settings_.silent || !settings_.force) Say(complaint);
  if (settings_.force) {
    if (!settings_.silent) Say("  Applying it anyway.\n");
    return false;
  }
  if (settings_.forward) {
    Say("  Skipping patch.\n");
    target.skips = true;
    return false;
  }
  if (settings_.batch) {
    Say(target.reverse ? "  Ignoring -R.\n" : "  Assuming -R.\n");
    return true;
  }
  if (Ask(target.reverse ? "  Ignore -R? [n] " : "  Assume -R? [n] ").starts_with('y')) return true;
  if (Ask("Apply anyway? [n] ").starts_with('y')) {
    target.applies_anyway = true;
    return false;
  }
  if (!settings_.silent) Say("Skipping patch.\n");
  target.skips = true;
  return false;
}

Result<ExitStatus> PatchSession::Patch(const PatchHeader& header) {
  Target target;
  target.reverse = settings_.reverse;
  SayKind(header);
  if (settings_.verbose && header.indent > 0) Say("(Patch is indented " + std::to_string(header.indent) + " space" + (header.indent == 1 ? "" : "s") + ".)\n");
  else if (header.indent > 0 && !settings_.silent) Say("(Patch is indented " + std::to_string(header.indent) + " space" + (header.indent == 1 ? "" : "s") + ".)\n");
  if (header.strips_returns && !settings_.silent) Say("(Stripping trailing CRs from patch; use --binary to disable.)\n");
  if (!header.is_git) PADDOCK_TRY(FlushDelayed());
  PADDOCK_TRY(Choose(header, target));
  if (header.kind == PatchKind::kEd) return ApplyScript(header, target);
  bool is_invalid = false;
  if (!target.skips && header.is_git_binary) {
    Say("File " + Quoted(target.out_name) + ": git binary diffs are not supported.\n");
    return 1;
  }
  if (!target.skips && !target.is_unsafe && !(files_.StaysInside(target.in_name) && files_.StaysInside(target.out_name))) {
    Say("Invalid file name " + Quoted(files_.StaysInside(target.in_name) ? target.out_name : target.in_name) + " -- skipping patch\n");
    target.skips = target.skips_rejects = is_invalid = true;
  }
  bool is_refused = !target.skips && !Inspect(header, target);
  if (!target.skips) {
    PADDOCK_TRY(CheckPrerequisite(header, target));
    if (settings_.output && *settings_.output != "-") {
      const std::string directory = vfs::DirectoryName(*settings_.output);
      if (const auto found = in_.fs.Stat(directory); !found) return files_.Fatal("Can't create file", *settings_.output, found.error());
    }
    SayFile(header, target);
  }
  std::string result, rejects;
  PADDOCK_ASSIGN(const int64_t failed, ApplyHunks(header, target, result, rejects));
  if (is_invalid) return 1;
  ExitStatus status = failed > 0 || is_refused || target.skips ? 1 : 0;
  target.changes_nothing = failed > 0 && failed == hunk_count_;
  const bool deletes = header.absent[target.reverse ? 0 : 1] == 2;
  if (failed > 0 && !target.attributes && target.is_known && !target.skips && !deletes) {
    if (settings_.dry_run) return 1;
    if (settings_.backs_up_mismatch || settings_.backs_up) PADDOCK_TRY(files_.BackUp(target.out_name, std::nullopt, ""));
    return files_.Fatal("Can't reopen file", target.in_name, Error(Code::kNoEntry));
  }
  if (!target.skips) {
    PADDOCK_ASSIGN(const bool is_stored, Store(header, target, std::move(result)));
    if (!is_stored) status = 1;
  }
  if (failed > 0) {
    std::string text = std::to_string(failed) + " out of " + std::to_string(hunk_count_) + " hunk" + (hunk_count_ == 1 ? "" : "s") + (target.skips ? " ignored" : " FAILED");
    const bool saves = target.is_known && !target.skips_rejects && !settings_.dry_run && settings_.reject != "-";
    if (saves) text += " -- saving rejects to file " + Quoted(settings_.reject.value_or((settings_.output ? *settings_.output : target.out_name) + ".rej"));
    Say(text + "\n");
    if (saves) PADDOCK_TRY(SaveRejects(target, RejectHeader(header, target) + rejects));
  }
  return status;
}

std::string PatchSession::RejectHeader(const PatchHeader& header, const Target& target) const {
  const bool is_unified = settings_.unified_rejects.value_or(header.kind == PatchKind::kUnified);
  const auto label = [&](bool second) {
    const size_t side = second ? 1 : 0;
    if (header.is_git) return StripComponents(header.git_names[side], settings_.strip).value_or("/dev/null");
    const std::string& text = header.labels[side];
    // The name loses its components, the date behind it stays.
    if (const auto& name = header.names[side]; name && text.starts_with(*name)) {
      const auto stripped = StripComponents(*name, settings_.strip);
      return stripped ? *stripped + text.substr(name->size()) : "/dev/null";
    }
    return text.empty() ? std::string("/dev/null") : text;
  };
  const auto& index = header.names[kIndexName];   // without an operand it is among the names to choose from
  return (file_ && index ? "Index: " + *index + "\n" : "") + (is_unified ? "--- " : "*** ") + label(target.reverse) + "\n" + (is_unified ? "+++ " : "--- ") + label(!target.reverse) + "\n";
}

Status PatchSession::SaveRejects(const Target& target, std::string_view text) {
  const std::string path = settings_.reject.value_or((settings_.output ? *settings_.output : target.out_name) + ".rej");
  if (const Status saved = files_.Append(path, text); !saved) {
    said_.Flush();
    return saved.error();
  }
  return {};
}

// Finds where a hunk belongs: at each level of fuzz as it is, then the first one also the other way round.
int64_t PatchSession::Place(PatchHunk& hunk, int64_t number, PatchedText& text, Target& target, int64_t& fuzz) {
  const auto most = std::min<int64_t>(settings_.fuzz, static_cast<int64_t>(std::max(hunk.prefix_context, hunk.suffix_context)));
  int64_t where = 0;
  fuzz = 0;
  do {
    where = text.Locate(hunk, fuzz);
    if (number != 1 || where != 0 || settings_.force || target.applies_anyway || target.reverse != settings_.reverse) continue;
    hunk.Reverse();
    where = text.Locate(hunk, fuzz);
    const std::string complaint = std::string(target.reverse ? "Unreversed" : "Reversed (or previously applied)") + " patch detected!";
    if (where != 0 && MayReverse(complaint, target)) {
      target.reverse = !target.reverse;
      target.is_mismatch = true;
      continue;
    }
    hunk.Reverse();
    if (where == 0) continue;
    target.applies_anyway = true;
    target.is_mismatch = true;
    --fuzz;
    where = 0;
  } while (!target.skips && where == 0 && ++fuzz <= most);
  return where;
}

Result<int64_t> PatchSession::ApplyHunks(const PatchHeader& header, Target& target, std::string& result, std::string& rejects) {
  PatchedText text(target.content, settings_.ignores_blanks, in_.budget);
  int64_t failed = 0;
  hunk_count_ = 0;
  while (true) {
    auto next = header.is_git_binary ? Result<std::optional<PatchHunk>>(std::optional<PatchHunk>()) : parser_->NextHunk();
    if (parser_->TakeEndedInLine()) Say("patch unexpectedly ends in middle of line\n");
    if (!next) return next.error();
    if (!*next) break;
    PatchHunk& hunk = **next;
    in_.budget.Step();
    ++hunk_count_;
    if (target.reverse) hunk.Reverse();
    int64_t fuzz = 0;
    int64_t where = target.skips ? 0 : Place(hunk, hunk_count_, text, target, fuzz);
    const int64_t growth = text.growth();
    const int64_t shown = (where != 0 ? where : hunk.first[0]) + growth;
    const bool creates_over = where == 1 && header.absent[target.reverse ? 1 : 0] == 2 && !target.content.empty();
    bool is_done = !target.skips && where != 0 && !creates_over;
    if (is_done && !text.Apply(hunk, where, settings_.ifdef)) {
      Say("misordered hunks! output would be garbled\n");
      is_done = false;
    }
    if (!is_done) {
      ++failed;
      if (!target.skips) target.is_mismatch = true;
      const bool is_unified = settings_.unified_rejects.value_or(header.kind == PatchKind::kUnified);
      rejects += is_unified ? UnifiedHunkText(hunk, growth) : ContextHunkText(hunk, header.kind, growth);
      if (settings_.verbose || (!target.skips && !settings_.silent)) {
        Say("Hunk #" + std::to_string(hunk_count_) + (target.skips ? " ignored at " : " FAILED at ") + std::to_string(shown) +
            (!target.skips && text.HasOtherLineEnding(hunk, shown) ? " (different line endings)" : "") + ".\n");
      }
      continue;
    }
    const int64_t offset = text.offset();
    if (fuzz != 0 || offset != 0) target.is_mismatch = true;
    if (!settings_.verbose && (settings_.silent || (fuzz == 0 && offset == 0))) continue;
    Say("Hunk #" + std::to_string(hunk_count_) + " succeeded at " + std::to_string(shown) + (fuzz != 0 ? " with fuzz " + std::to_string(fuzz) : std::string()) +
        (offset != 0 ? " (offset " + std::to_string(offset) + " line" + (offset == 1 ? "" : "s") + ")" : std::string()) + ".\n");
  }
  result = text.Finish();
  return failed;
}

}  // namespace paddock
