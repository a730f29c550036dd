// tr - translate or delete characters
//
// usage: tr [OPTION]... STRING1 [STRING2]
// Maps, squeezes or deletes bytes of standard input.
//
// Exit status: 0, or 1 for operands that make no sense.
// Source: POSIX tr; GNU coreutils 9.1, where a character is a byte.
// Differs: nothing known.

#include <memory>

#include "commands/text/tr_sets.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool complement = false;
  bool deletes = false;
  bool squeezes = false;
  bool truncate = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::complement>('c', "complement", "use the complement of STRING1"),
    Flag<&Options::complement>('C', nullptr, nullptr),
    Flag<&Options::deletes>('d', "delete", "delete characters in STRING1, do not translate"),
    Flag<&Options::squeezes>('s', "squeeze-repeats",
                             "replace each sequence of a repeated character by a single one"),
    Flag<&Options::truncate>('t', "truncate-set1", "first truncate STRING1 to length of STRING2"),
};

// What happens to each byte: dropped, mapped, then dropped again when it repeats.
struct Plan {
  bool maps = false;
  bool drops = false;
  bool squeezes = false;
  ByteMap map{};
  ByteSet dropped;
  ByteSet squeezed;
};

void Transform(Invocation& in, const Plan& plan) {
  constexpr size_t kBlock = 16 << 10;
  const auto buffer = std::make_unique<char[]>(kBlock);
  bool keeps[256];
  bool squeezes[256];
  for (size_t i = 0; i < 256; ++i) {
    keeps[i] = !plan.dropped.test(i);
    squeezes[i] = plan.squeezed.test(i);
  }
  int last = -1;
  for (std::string_view bytes = in.in.Peek().substr(0, kBlock); !bytes.empty();
       bytes = in.in.Peek().substr(0, kBlock)) {
    char* end = buffer.get();
    if (plan.drops) {
      for (const char c : bytes) {
        *end = c;
        end += keeps[static_cast<unsigned char>(c)];
      }
    } else if (plan.maps) {
      for (const char c : bytes) *end++ = plan.map[static_cast<unsigned char>(c)];
    } else {
      for (const char c : bytes) *end++ = c;
    }
    if (plan.squeezes) {
      char* to = buffer.get();
      for (const char* at = to; at != end; ++at) {
        const int c = static_cast<unsigned char>(*at);
        *to = *at;
        to += !(c == last && squeezes[c]);
        last = c;
      }
      end = to;
    }
    in.out.Write({buffer.get(), static_cast<size_t>(end - buffer.get())});
    in.in.Consume(bytes.size());
    in.budget.Step(static_cast<int64_t>(bytes.size() / 64));
    if (!in.out.status()) return;
  }
}

std::optional<ExitStatus> CheckOperands(Invocation& in, const Options& options,
                                        const std::vector<std::string>& operands) {
  const size_t least = options.deletes == options.squeezes ? 2 : 1;
  const size_t most = options.deletes && !options.squeezes ? 1 : 2;
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() < least) {
    return in.Usage("missing operand after " + Quote(operands.back(), is_utf8) +
                    (options.squeezes ? "\nTwo strings must be given when both deleting and squeezing repeats."
                                      : "\nTwo strings must be given when translating."));
  }
  if (operands.size() > most) {
    std::string message = "extra operand " + Quote(operands[most], is_utf8);
    if (operands.size() == 2) {
      message += "\nOnly one string may be given when deleting without squeezing repeats.";
    }
    return in.Usage(message);
  }
  return std::nullopt;
}

bool HasOpenRepeat(const TrSet& set) {
  for (const TrElement& element : set.elements) {
    if (element.kind == TrElement::kRepeat && element.count == 0) return true;
  }
  return false;
}

Result<Plan> MakePlan(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  std::vector<TrSet> sets;
  for (const std::string& operand : operands) {
    PADDOCK_ASSIGN(ParsedTrSet parsed, ParseTrSet(operand, in.locale.is_utf8));
    for (const std::string& warning : parsed.warnings) in.Fail("warning: " + warning);
    sets.push_back(std::move(parsed.set));
  }
  if (HasOpenRepeat(sets[0])) {
    return Error(Code::kInvalid, "the [c*] repeat construct may not appear in string1");
  }
  Plan plan;
  const ByteSet first = options.complement ? ~sets[0].Members() : sets[0].Members();
  plan.drops = options.deletes;
  if (options.deletes) plan.dropped = first;
  plan.maps = sets.size() == 2 && !options.deletes;
  plan.squeezes = options.squeezes;
  if (plan.maps) {
    const TrMapRules rules{.complement = options.complement, .truncate = options.truncate};
    PADDOCK_ASSIGN(plan.map, MakeTrMap(sets[0], sets[1], rules));
  } else if (sets.size() == 2 && HasOpenRepeat(sets[1])) {
    return Error(Code::kInvalid, "the [c*] construct may appear in string2 only when translating");
  }
  if (options.squeezes) plan.squeezed = sets.size() == 2 ? sets[1].Members() : first;
  return plan;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (auto status = CheckOperands(in, options, operands)) return *status;
  auto plan = MakePlan(in, options, operands);
  if (!plan) return in.Fail(plan.error().Text());
  Transform(in, *plan);
  if (!in.in.status()) return in.Fail("read error", in.in.status().error());
  return 0;
}

}  // namespace

extern const Command kCommand_tr;
const Command kCommand_tr = Define<Options, Run>({
    .name = "tr",
    .summary = "translate or delete characters",
    .synopsis = "[OPTION]... STRING1 [STRING2]",
    .details = "\nSTRINGs are specified as strings of characters.  Most represent themselves.\n"
               "Interpreted sequences are: \\NNN \\\\ \\a \\b \\f \\n \\r \\t \\v CHAR1-CHAR2 [CHAR*]\n"
               "[CHAR*REPEAT] [:alnum:] [:alpha:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:]\n"
               "[:print:] [:punct:] [:space:] [:upper:] [:xdigit:] [=CHAR=]\n",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
});

}  // namespace paddock
