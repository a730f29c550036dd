// dig - ask for the records of a name
//
// usage: dig [-x ADDRESS] [-t TYPE] [-q NAME] [NAME] [TYPE] [+[no]OPTION]...
// Prints what the sandbox's policy answers for a name. Only in sandboxes whose policy allows hosts (docs/virtual-network.md).
//
// Options behind + : short, all, answer, question, comments, stats, cmd; each with "no" in front.
//
// Exit status: 0 with any answer, 1 usage, 9 without one.
// Source: BIND 9.18.
// Differs: there is no other server than the policy; names of allowed hosts have one address, of the policy's engine, and no other records.

#include <ctime>

#include "commands/net/dns.h"

namespace paddock {
namespace {

struct Shown {
  bool is_short = false, cmd = true, comments = true, question = true, answer = true, stats = true;
};

struct Query {
  std::string name;
  uint16_t type = dns::kA;
  bool is_reverse = false;
};

struct Options {
  std::string reverse, type, name;
};

// For --help; the words are read below, where their order counts.
constexpr Option kOptions[] = {
    Value<&Options::reverse>('x', nullptr, "addr", "the name of an address"),
    Value<&Options::type>('t', nullptr, "type", "the query's type"),
    Value<&Options::name>('q', nullptr, "name", "the query's name"),
};

ExitStatus Usage(Invocation& in, const std::string& option) {
  in.err.Write("Invalid option: " + option + "\nUsage:  dig [domain] [q-type] {q-opt}\n\nUse \"dig --help\" for complete list of options\n");
  return 1;
}

bool SetShown(std::string_view word, Shown* shown) {
  const bool value = !word.starts_with("no");
  if (!value) word.remove_prefix(2);
  if (word == "short") shown->is_short = value;
  else if (word == "all") shown->comments = shown->question = shown->answer = shown->stats = shown->cmd = value;
  else if (word == "answer") shown->answer = value;
  else if (word == "question") shown->question = value;
  else if (word == "comments") shown->comments = value;
  else if (word == "stats") shown->stats = value;
  else if (word == "cmd") shown->cmd = value;
  else return false;
  return true;
}

std::string StatsText(Invocation& in, const dns::Answer& answer) {
  const std::time_t now = std::chrono::duration_cast<std::chrono::seconds>(in.clock.RealNow()).count();
  std::tm parts{};
  gmtime_r(&now, &parts);
  char when[64];
  std::strftime(when, sizeof when, "%a %b %d %H:%M:%S UTC %Y", &parts);
  return ";; Query time: " + std::to_string(answer.time.count() / 1000000) + " msec\n;; SERVER: 127.0.0.1#53(127.0.0.1) (TCP)\n;; WHEN: " + when +
         "\n;; MSG SIZE  rcvd: " + std::to_string(answer.bytes) + "\n\n";
}

bool Print(Invocation& in, const Query& query, const Shown& shown) {
  const auto answer = dns::Ask(in, query.name, query.type);
  if (!answer) {
    if (answer.error().code == Code::kInvalid) in.err.Write("dig: '" + query.name + "' is not a legal name (" + std::string(answer.error().Text()) + ")\n");
    else in.out.Write(";; communications error: " + std::string(answer.error().Text()) + "\n");
    return false;
  }
  if (shown.is_short) {
    for (const dns::Record& record : answer->records) in.out.WriteLine(record.data);
    dns::TellDenial(in, query.name, *answer);
    return true;
  }
  if (shown.comments) in.out.Write(";; Got answer:\n" + dns::HeaderText(*answer) + "\n");
  if (shown.question) in.out.Write((shown.comments ? ";; QUESTION SECTION:\n" : "") + dns::QuestionText(*answer) + (shown.comments ? "\n" : ""));
  if (shown.answer && !answer->records.empty()) {
    if (shown.comments) in.out.Write(";; ANSWER SECTION:\n");
    for (const dns::Record& record : answer->records) in.out.Write(dns::RecordText(record));
    if (shown.comments) in.out.Write("\n");
  }
  if (shown.stats) in.out.Write(StatsText(in, *answer));
  dns::TellDenial(in, query.name, *answer);
  return true;
}

ExitStatus Run(Invocation& in) {
  Shown shown;
  std::vector<Query> queries;
  std::string line;
  uint16_t pending_type = dns::kA;
  bool wants_name = true;
  const auto set_type = [&](uint16_t type) {
    if (!queries.empty() && !wants_name) queries.back().type = type;
    else pending_type = type;
  };
  for (size_t i = 1; i < in.args.size(); ++i) {
    in.budget.Step();
    const std::string& word = in.args[i];
    line += " " + word;
    if (word == "--help" || word == "-h") {
      in.out.Write(HelpText(in.command, in.name()));
      return 0;
    }
    if (word.starts_with('@')) return in.Fail(word + ": the sandbox's policy answers names; no other server can be asked", 9);
    if (word.starts_with('+')) {
      if (!SetShown(std::string_view(word).substr(1), &shown)) return Usage(in, word);
      continue;
    }
    if (word.size() >= 2 && word[0] == '-' && (word[1] == 'x' || word[1] == 't' || word[1] == 'q')) {
      std::string value = word.substr(2);
      if (value.empty()) {
        if (++i >= in.args.size()) return Usage(in, word);
        value = in.args[i];
        line += " " + value;
      }
      const auto type = word[1] == 't' ? dns::TypeOf(value) : std::nullopt;
      const auto reverse = word[1] == 'x' ? dns::ReverseName(value) : std::nullopt;
      if (word[1] == 'x' && !reverse) return in.Fail("Invalid IP address " + value, 1);
      if (word[1] == 't' && !type) {
        in.err.Write(";; Warning, ignoring invalid type " + value + "\n");
        continue;
      }
      if (type) set_type(*type);
      else queries.push_back({reverse ? *reverse : value, reverse ? uint16_t{dns::kPtr} : pending_type, reverse.has_value()}), wants_name = false;
      continue;
    }
    if (word.starts_with('-')) return Usage(in, word);
    if (const auto type = dns::TypeOf(word)) {
      set_type(*type);
      continue;
    }
    queries.push_back({word, pending_type, false});
    wants_name = false;
  }
  if (queries.empty()) return in.Fail("a name is needed: the root's servers cannot be asked", 9);
  bool is_first = true, has_answers = true;
  for (const Query& query : queries) {
    in.budget.Step();
    if (shown.cmd && !shown.is_short && is_first) in.out.Write("\n; <<>> DiG 9.18 (Paddock) <<>>" + line + "\n;; global options: +cmd\n");
    is_first = false;
    has_answers = Print(in, query, shown) && has_answers;
  }
  return has_answers ? 0 : 9;
}

}  // namespace

extern const Command kCommand_dig;
const Command kCommand_dig = {
    .name = "dig",
    .summary = "ask for the records of a name",
    .synopsis = "[domain] [q-type] [-x addr] [-t type] [-q name] [+[no]short] [+[no]all] [+[no]answer] [+[no]question] [+[no]comments] [+[no]stats]",
    .options = kOptions,
    .cuts_own_name = true,
    .needs_network = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
