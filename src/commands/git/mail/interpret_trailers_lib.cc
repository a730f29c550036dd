// git interpret-trailers.
//
// Source: git-interpret-trailers(1).
#include "commands/git/git.h"
#include "commands/git/mail/trailer_edit.h"

namespace paddock::git {
namespace {

struct InterpretOptions {
  bool in_place = false;
  TrailerEdit edit;
  std::vector<NewTrailer> added;
  NewTrailer next;   // how the options so far want those behind them
};
template <auto kMember, auto kParse>
Status TakeAction(InterpretOptions& options, std::string_view value) {
  options.next.*kMember = kParse(value);
  return options.next.*kMember ? Status() : Error(Code::kRange, "unknown place or action: '" + std::string(value) + "'");
}
template <auto kMember>
Status ForgetAction(InterpretOptions& options, std::string_view) {
  (options.next.*kMember).reset();
  return {};
}
template <bool TrailerEdit::*kMember, bool kValue>
Status SetEdit(InterpretOptions& options, std::string_view) {
  options.edit.*kMember = kValue;
  return {};
}
Status TakeParse(InterpretOptions& options, std::string_view) {
  options.edit.only_trailers = options.edit.only_input = options.edit.unfolds = true;
  return {};
}
Status TakeTrailer(InterpretOptions& options, std::string_view value) {
  options.added.push_back(options.next);
  options.added.back().text = value;
  return {};
}
Status ForgetTrailers(InterpretOptions& options, std::string_view) {
  options.added.clear();
  return {};
}

constexpr Option kOptions[] = {
    Flag<&InterpretOptions::in_place>(0, "in-place", "change the files"),
    Set<&InterpretOptions::in_place, false>(0, "no-in-place", "write to standard output (the default)"),
    Call<SetEdit<&TrailerEdit::trims_empty, true>>(0, "trim-empty", nullptr, "without trailers that have no value"),
    Call<SetEdit<&TrailerEdit::trims_empty, false>>(0, "no-trim-empty", nullptr, "with them (the default)"),
    Call<TakeAction<&NewTrailer::where, ParseTrailerWhere>>(0, "where", "PLACE", "where those that follow go: after, before, end or start"),
    Call<ForgetAction<&NewTrailer::where>>(0, "no-where", nullptr, "where the configuration says"),
    Call<TakeAction<&NewTrailer::if_exists, ParseTrailerExists>>(0, "if-exists", "ACTION", "what to do beside one of that kind: addIfDifferent, addIfDifferentNeighbor, add, replace or doNothing"),
    Call<ForgetAction<&NewTrailer::if_exists>>(0, "no-if-exists", nullptr, "what the configuration says"),
    Call<TakeAction<&NewTrailer::if_missing, ParseTrailerMissing>>(0, "if-missing", "ACTION", "what to do without one: add or doNothing"),
    Call<ForgetAction<&NewTrailer::if_missing>>(0, "no-if-missing", nullptr, "what the configuration says"),
    Call<SetEdit<&TrailerEdit::only_trailers, true>>(0, "only-trailers", nullptr, "show the trailers alone"),
    Call<SetEdit<&TrailerEdit::only_trailers, false>>(0, "no-only-trailers", nullptr, "show all (the default)"),
    Call<SetEdit<&TrailerEdit::only_input, true>>(0, "only-input", nullptr, "add none, not even those of the configuration"),
    Call<SetEdit<&TrailerEdit::only_input, false>>(0, "no-only-input", nullptr, "add them (the default)"),
    Call<SetEdit<&TrailerEdit::unfolds, true>>(0, "unfold", nullptr, "join lines that continue others"),
    Call<SetEdit<&TrailerEdit::unfolds, false>>(0, "no-unfold", nullptr, "leave them (the default)"),
    Call<TakeParse>(0, "parse", nullptr, "--only-trailers --only-input --unfold"),
    Call<SetEdit<&TrailerEdit::no_divider, true>>(0, "no-divider", nullptr, "a line --- is nothing special"),
    Call<SetEdit<&TrailerEdit::no_divider, false>>(0, "divider", nullptr, "the message ends before such a line (the default)"),
    Call<TakeTrailer>(0, "trailer", "KEY[(=|:)VALUE]", "add this one"),
    Call<ForgetTrailers>(0, "no-trailer", nullptr, "add none of those so far"),
};

Result<ExitStatus> RunInterpretTrailers(Invocation& in, Git* git, InterpretOptions& options, Args& args) {
  const std::vector<std::string> files = args.All();
  if (options.edit.only_input && !options.added.empty()) {
    in.err.Write("fatal: --trailer with --only-input does not make sense\n\nusage: git interpret-trailers [--in-place] [--trim-empty]\n"
                 "                              [(--trailer <token>[(=|:)<value>])...]\n                              [--parse] [<file>...]\n");
    return 129;
  }
  Config outside;
  if (git == nullptr) {
    PADDOCK_ASSIGN(outside, ReadConfig(in, nullptr));
  }
  const TrailerRules rules = TrailerRules::Load(git != nullptr ? git->config : outside, in.budget, [&in](const std::string& text) { in.err.Write("warning: " + text + "\n"); });
  if (files.empty() && options.in_place) return Error(Code::kInvalid, "no input file given for in-place editing");
  if (files.empty()) in.out.Write(WithNewTrailers(in, in.in.ReadAll(), rules, options.added, options.edit));
  for (const std::string& file : files) {
    const auto text = vfs::ReadFile(in.fs, file);
    if (!text) return Error(text.error().code, "could not read input file '" + file + "': " + std::string(text.error().Text()));
    const std::string changed = WithNewTrailers(in, *text, rules, options.added, options.edit);
    if (!options.in_place) {
      in.out.Write(changed);
      continue;
    }
    PADDOCK_ASSIGN(const vfs::Attributes attributes, in.fs.Stat(file));
    if (!attributes.is_file()) return Error(Code::kInvalid, "file " + file + " is not a regular file");
    if ((attributes.mode & 0200) == 0) return Error(Code::kAccess, "file " + file + " is not writable by user");
    PADDOCK_TRY(vfs::WriteFile(in.fs, file, changed));
  }
  return 0;
}

}  // namespace

extern const Subcommand kInterpretTrailers;
const Subcommand kInterpretTrailers = DefineFreeSubcommand<InterpretOptions, RunInterpretTrailers>({.name = "interpret-trailers", .summary = "read and add lines like Reviewed-by: x in messages", .synopsis = "[--in-place] [--trim-empty] [(--trailer <token>[(=|:)<value>])...] [--parse] [<file>...]", .options = kOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
