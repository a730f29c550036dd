// parallel - run command lines for arguments, several at a time
//
// usage: parallel [OPTION]... [COMMAND [ARGUMENT]...] < LIST
//        sem [OPTION]... COMMAND
//        parallel [OPTION]... [COMMAND [ARGUMENT]...] (::: ARGUMENT...|:::: FILE...)...
//        ... | parallel --pipe [OPTION]... COMMAND
//
// Exit status: how many jobs failed or were skipped, 101 for more than 100; with --halt that of the job; 255 for errors of its own.
// Source: GNU parallel 20221122.
// Differs: no other machines (-S takes ':' alone), no data bases, no tmux, no --latest-line; output that waits is in memory, not compressed; {= =} takes the Perl that rename takes, with seq(),
// slot(), total_jobs(), skip(), uq() and @arg; --group-by takes the number of a column; --bar draws a
// number; -j counts as many as asked for whatever the load.

#include <algorithm>
#include <charconv>

#include "commands/sys/parallel_hosts.h"
#include "commands/sys/parallel_jobs.h"
#include "commands/sys/parallel_lines.h"
#include "commands/sys/parallel_pipe.h"
#include "commands/sys/parallel_profiles.h"
#include "commands/sys/parallel_records.h"
#include "commands/sys/parallel_semaphore.h"

namespace paddock {
namespace {

using Options = ParallelOptions;
constexpr ExitStatus kFailed = kParallelFailed;

Status SetBlock(Options& options, std::string_view text) {
  options.block = text;
  options.has_block = true;
  return {};
}
Status SetReplace(Options& options, std::string_view text) {
  options.placeholder = text.data() == nullptr ? "{}" : std::string(text);
  return {};
}
Status SetLines(Options& options, std::string_view text) {
  options.lines = 1;
  return text.data() == nullptr ? Status() : ParseOptionValue(text, options.lines);
}
Status SetEnd(Options& options, std::string_view text) {
  options.end_of_input = text.data() == nullptr ? std::nullopt : std::optional(std::string(text));
  return {};
}
Status SetPipePart(Options& options, std::string_view) {
  options.pipe = options.pipe_part = true;
  return {};
}
Status SetTee(Options& options, std::string_view) {
  options.pipe = options.tee = true;
  return {};
}
Status SetCat(Options& options, std::string_view) {
  options.pipe = options.cat = true;
  return {};
}
Status SetFifo(Options& options, std::string_view) {
  options.pipe = options.fifo = true;
  return {};
}
Status SetRoundRobin(Options& options, std::string_view) {
  options.pipe = options.round_robin = true;
  return {};
}
Status SetRetryFailed(Options& options, std::string_view) {
  options.retries_failed = options.resumes_failed = true;
  return {};
}

template <const char* kName>
Status IgnoreForHosts(Options& options, std::string_view) {
  if (!options.ignored_for_hosts) options.ignored_for_hosts = kName;
  return {};
}
constexpr char kTransferFile[] = "transferfile", kTransfer[] = "transfer", kReturn[] = "return", kCleanup[] = "cleanup", kTrc[] = "trc", kBaseFile[] = "basefile";
Status OfHostsAlone(Options&, std::string_view) { return {}; }
Status OfWaitingOutput(Options&, std::string_view) { return {}; }
Status SetSemaphore(Options& options, std::string_view text) {
  options.is_semaphore = true;
  if (text.data() != nullptr) options.semaphore = std::string(text);
  return {};
}
Status SetSemaphoreTimeout(Options& options, std::string_view text) {
  options.is_semaphore = true;
  return ParseOptionValue(text, options.semaphore_timeout);
}
template <bool kIsForeground>
Status SetForeground(Options& options, std::string_view) {
  options.is_semaphore = true;
  options.in_foreground = kIsForeground;
  return {};
}
Status SetWait(Options& options, std::string_view) {
  options.is_semaphore = options.waits_for_semaphore = true;
  return {};
}

Status SetColorTag(Options& options, std::string_view) {
  options.tags = options.colors = true;
  return {};
}
Status SetColorTagString(Options& options, std::string_view text) {
  if (!options.tagstring) options.tagstring = std::string(text);
  options.colors = true;
  return {};
}
Status SetTerminal(Options& options, std::string_view) {
  options.is_at_terminal = options.ungroup = true;
  return {};
}
Status RefuseSql(Options& options, std::string_view) {
  options.retired = "Error: --sql has been retired. Use --sqlmaster.";
  return {};
}

constexpr Option kOptions[] = {
    Value<&Options::jobs>('j', "jobs", "N", "run N jobs at once; 0: as many as can be; +N, -N, N%; or a file with that"),
    Value<&Options::jobs>('P', "max-procs", "N", "the same"),
    Flag<&Options::keeps_order>('k', "keep-order", "print output in the order of the input"),
    Set<&Options::keeps_order, false>(0, "no-keep-order", "print it as it comes (the default)"),
    Value<&Options::files>('a', "arg-file", "FILE", "read arguments from FILE"),
    Value<&Options::argument_marker>(0, "arg-sep", "STRING", "what stands for :::"),
    Value<&Options::file_marker>(0, "arg-file-sep", "STRING", "what stands for ::::"),
    Value<&Options::colsep>('C', "colsep", "REGEXP", "split arguments into columns {1} {2} …"),
    Value<&Options::delimiter>('d', "delimiter", "CHARACTER", "what ends an argument of the input"),
    Flag<&Options::null>('0', "null", "NUL ends an argument of the input"),
    Value<&Options::end_of_input>('E', nullptr, "STRING", "an argument that ends the input"),
    CallOptional<SetEnd>('e', "eof", "STRING", "the same"),
    Value<&Options::header>(0, "header", "REGEXP", "the input has a header (: the first line): names of columns, or in front of each block"),
    Flag<&Options::skips_first>(0, "skip-first-line", "pass over the first line of the input"),
    Value<&Options::trim>(0, "trim", "HOW", "take blanks off arguments: n, l, r, lr or rl"),
    Flag<&Options::links>(0, "link", "the sources of arguments go along with each other"),
    Flag<&Options::links>(0, "xapply", "the same"),
    Flag<&Options::shuffles>(0, "shuf", "run the jobs in any order"),
    Value<&Options::filter>(0, "filter", "PERL", "run only jobs for which PERL is true"),
    Flag<&Options::dry_run>(0, "dry-run", "print the command lines, do not run them"),
    Flag<&Options::dry_run>(0, "dryrun", "the same"),
    Flag<&Options::quotes_arguments>(0, "shell-quote", "print the arguments as words of a shell"),
    Value<&Options::max_args>('n', "max-args", "N", "use up to N arguments a command line"),
    Value<&Options::replace_args>('N', "max-replace-args", "N", "the same, as {1} … {N}; with --pipe, N records"),
    Flag<&Options::repeats>('X', nullptr, "as many arguments as fit; words with {} come once for each"),
    Flag<&Options::multiple>('m', nullptr, "as many arguments as fit"),
    Flag<&Options::multiple>(0, "xargs", "the same"),
    Value<&Options::max_chars>('s', "max-chars", "N", "command lines of up to N bytes"),
    Flag<&Options::stops_when_too_long>('x', "exit", "end where a command line is longer than that"),
    Value<&Options::lines>('L', nullptr, "N", "use up to N lines of input a command line; with --pipe, records of N lines"),
    CallOptional<SetLines>('l', "max-lines", "N", "the same, 1 without N"),
    Value<&Options::placeholder>('I', nullptr, "STRING", "STRING in place of {}"),
    CallOptional<SetReplace>('i', "replace", "STRING", "the same, {} without STRING"),
    Value<&Options::base_name>(0, "basenamereplace", "STRING", "STRING in place of {/}"),
    Value<&Options::base_name>(0, "bnr", "STRING", "the same"),
    Value<&Options::directory>(0, "dirnamereplace", "STRING", "STRING in place of {//}"),
    Value<&Options::directory>(0, "dnr", "STRING", "the same"),
    Value<&Options::base_stem>(0, "basenameextensionreplace", "STRING", "STRING in place of {/.}"),
    Value<&Options::base_stem>(0, "bner", "STRING", "the same"),
    Value<&Options::stem>(0, "extensionreplace", "STRING", "STRING in place of {.}"),
    Value<&Options::stem>(0, "er", "STRING", "the same"),
    Value<&Options::sequence>(0, "seqreplace", "STRING", "STRING in place of {#}"),
    Value<&Options::slot>(0, "slotreplace", "STRING", "STRING in place of {%}"),
    Value<&Options::replacements>(0, "rpl", "'TAG PERL'", "TAG stands for the argument after PERL changed $_"),
    Flag<&Options::plus>(0, "plus", "more places: {..} {+.} {+/} {##} {:-text} {%regexp} …"),
    Value<&Options::parens>(0, "parens", "STRING", "what stands around Perl in place of {= and =}"),
    Value<&Options::templates>(0, "template", "FILE=NAME", "fill the places in FILE for each job, as NAME"),
    Value<&Options::templates>(0, "tmpl", "FILE=NAME", "the same"),
    Value<&Options::halt>(0, "halt", "WHEN", "never, or soon or now with ,fail=N ,success=N or ,done=N (or N%)"),
    Value<&Options::halt>(0, "halt-on-error", "WHEN", "the same"),
    Value<&Options::joblog>(0, "joblog", "FILE", "log the jobs to FILE"),
    Value<&Options::joblog>(0, "jl", "FILE", "the same"),
    Flag<&Options::resumes>(0, "resume", "pass over jobs that the log has"),
    Flag<&Options::resumes_failed>(0, "resume-failed", "pass over jobs that did well by the log"),
    Call<SetRetryFailed>(0, "retry-failed", nullptr, "run again what failed by the log"),
    Value<&Options::results>(0, "results", "NAME", "keep output in files below NAME, in files of that name, or in a table NAME.csv; print none"),
    Value<&Options::results>(0, "res", "NAME", "the same"),
    Flag<&Options::to_files>(0, "files", "keep output in files, print their names"),
    Flag<&Options::to_files>(0, "output-as-files", "the same"),
    Flag<&Options::to_files>(0, "outputasfiles", "the same"),
    Value<&Options::tmpdir>(0, "tmpdir", "DIRECTORY", "where such files are"),
    Flag<&Options::tags>(0, "tag", "put the arguments in front of each line of output"),
    Value<&Options::tagstring>(0, "tagstring", "TEXT", "put TEXT in front of each line of output"),
    Flag<&Options::colors>(0, "color", "each job's output in a colour of its own"),
    Call<SetColorTag>(0, "ctag", nullptr, "as --tag, in such a colour"),
    Call<SetColorTagString>(0, "ctagstring", "TEXT", "as --tagstring, in such a colour"),
    Flag<&Options::colors_failed>(0, "color-failed", "the output of jobs that fail stands in red"),
    Flag<&Options::colors_failed>(0, "cf", "the same"),
    Flag<&Options::line_buffer>(0, "line-buffer", "print whole lines as they come"),
    Flag<&Options::line_buffer>(0, "linebuffer", "the same"),
    Flag<&Options::line_buffer>(0, "lb", "the same"),
    Flag<&Options::ungroup>('u', "ungroup", "let jobs print when they like"),
    Set<&Options::ungroup, false>(0, "group", "print what a job wrote when it ends (the default)"),
    Flag<&Options::pipe>(0, "pipe", "give blocks of the input to the jobs"),
    Flag<&Options::pipe>(0, "spreadstdin", "the same"),
    Call<SetPipePart>(0, "pipe-part", nullptr, "give parts of the file of -a to the jobs"),
    Call<SetPipePart>(0, "pipepart", nullptr, "the same"),
    Call<SetBlock>(0, "block", "SIZE", "size of a block (1M); -N: N for each job"),
    Call<SetBlock>(0, "block-size", "SIZE", "the same"),
    Value<&Options::record_start>(0, "recstart", "STRING", "what records begin with"),
    Value<&Options::record_end>(0, "recend", "STRING", "what records end with (\\n)"),
    Flag<&Options::is_regexp>(0, "regexp", "these are regular expressions"),
    Flag<&Options::removes_separators>(0, "remove-rec-sep", "take them off"),
    Flag<&Options::removes_separators>(0, "removerecsep", "the same"),
    Flag<&Options::removes_separators>(0, "rrs", "the same"),
    Value<&Options::group_by>(0, "group-by", "N", "lines that are the same in column N are a record"),
    Value<&Options::bin>(0, "bin", "N", "lines go to the job that column N tells, by its remainder"),
    Value<&Options::shard>(0, "shard", "N", "lines that are the same in column N go to the same job"),
    Value<&Options::block_timeout>(0, "block-timeout", "SECONDS", "after SECONDS a block is as long as it is"),
    Value<&Options::block_timeout>(0, "bt", "SECONDS", "the same"),
    Call<SetRoundRobin>(0, "round-robin", nullptr, "give the blocks to as many jobs as run at once"),
    Call<SetRoundRobin>(0, "round", nullptr, "the same"),
    Call<SetTee>(0, "tee", nullptr, "give all of the input to each job"),
    Call<SetCat>(0, "cat", nullptr, "the block is in a file, {}"),
    Call<SetFifo>(0, "fifo", nullptr, "the block comes out of a named pipe, {}"),
    Value<&Options::retries>(0, "retries", "N", "run a failing job up to N times"),
    Value<&Options::timeout>(0, "timeout", "SECONDS", "kill a job that runs longer; N%: than that part of the others"),
    Value<&Options::delay>(0, "delay", "SECONDS", "wait between starts"),
    Value<&Options::load>(0, "load", "N", "start jobs only below this load"),
    Value<&Options::free_memory>(0, "memfree", "SIZE", "start jobs only with so much memory free"),
    Value<&Options::suspend_memory>(0, "memsuspend", "SIZE", "stop the youngest jobs while less than twice that is free"),
    Value<&Options::kill_sequence>(0, "term-seq", "SIGNAL,MS...", "how jobs are killed (TERM,200,TERM,100,TERM,50,KILL,25)"),
    Value<&Options::kill_sequence>(0, "termseq", "SIGNAL,MS...", "the same"),
    Flag<&Options::waits_for_no_swap>(0, "noswap", "start jobs only while nothing is swapped, which is always"),
    Value<&Options::niceness>(0, "nice", "N", "run jobs at this niceness"),
    Value<&Options::workdir>(0, "workdir", "DIRECTORY", "run jobs there; ...: in a directory of their own"),
    Value<&Options::workdir>(0, "wd", "DIRECTORY", "the same"),
    Value<&Options::variables>(0, "env", "NAME", "a variable that jobs get: they get all"),
    Value<&Options::slot_variable>(0, "process-slot-var", "NAME", "a variable with the slot of the job, from 0"),
    Value<&Options::total_jobs>(0, "total-jobs", "N", "how many jobs there will be"),
    Value<&Options::total_jobs>(0, "total", "N", "the same"),
    Flag<&Options::no_run_if_empty>('r', "no-run-if-empty", "leave empty arguments out"),
    Flag<&Options::trace>('t', "verbose", "print each command line to standard error"),
    Flag<&Options::verbose>('v', nullptr, "print each command line"),
    Set<&Options::verbose, false>(0, "silent", "do not"),
    Flag<&Options::shows_progress>(0, "progress", "tell how many jobs are done"),
    Flag<&Options::shows_eta>(0, "eta", "tell when they will be"),
    Flag<&Options::shows_bar>(0, "bar", "tell how much is done"),
    Flag<&Options::asks_first>('p', "interactive", "ask at the terminal before each job"),
    Flag<&Options::opens_terminal>('o', "open-tty", "jobs read the terminal, where there is one"),
    Call<SetTerminal>(0, "tty", nullptr, "the same, one at a time, and -u"),
    Flag<&Options::quotes>('q', "quote", "quote the command for the shell"),
    Flag<&Options::runs_script>(0, "shebang", "in the first line of a script: its other lines are arguments"),
    Flag<&Options::runs_script>(0, "hashbang", "the same"),
    Flag<&Options::runs_script>(0, "shebang-wrap", "in the first line of a script: the command runs it, for each argument"),
    Value<&Options::completed_shell>(0, "shell-completion", "SHELL", "print what completes options in bash"),
    Flag<&Options::records_environment>(0, "record-env", "write the names of variables to ~/.parallel/ignored_vars"),
    Call<OfHostsAlone>(0, "session", nullptr, "of env_parallel, which is another command"),
    Call<RefuseSql>(0, "sql", "DBURL", "is retired"),
    Flag<&Options::plain>(0, "plain", "read no profiles and no $PARALLEL"),
    Value<&Options::profiles>('J', "profile", "NAME", "take options from ~/.parallel/NAME, too"),
    Flag<&Options::has_host_groups>(0, "hostgroups", "an argument's @GROUP names the hosts it is for"),
    Flag<&Options::has_host_groups>(0, "hgrp", "the same"),
    Value<&Options::hosts>('S', "sshlogin", "[@GROUP+.../][N/]:", "run N jobs here, the only machine"),
    Value<&Options::host_files>(0, "sshloginfile", "FILE", "the same, from FILE"),
    Value<&Options::host_files>(0, "slf", "FILE", "the same"),
    Flag<&Options::runs_without_arguments>(0, "nonall", "run the command once, without arguments"),
    Call<OfHostsAlone>(0, "onall", nullptr, "run all jobs on each machine, which is this one"),
    Call<IgnoreForHosts<kTransferFile>>(0, "transferfile", "FILE", "for other machines"),
    Call<IgnoreForHosts<kTransferFile>>(0, "tf", "FILE", "the same"),
    Call<IgnoreForHosts<kTransfer>>(0, "transfer", nullptr, "the same"),
    Call<IgnoreForHosts<kReturn>>(0, "return", "FILE", "the same"),
    Call<IgnoreForHosts<kCleanup>>(0, "cleanup", nullptr, "the same"),
    Call<IgnoreForHosts<kTrc>>(0, "trc", "FILE", "the same"),
    Call<IgnoreForHosts<kBaseFile>>(0, "basefile", "FILE", "the same"),
    Call<IgnoreForHosts<kBaseFile>>(0, "bf", "FILE", "the same"),
    Call<OfHostsAlone>(0, "filter-hosts", nullptr, "the same"),
    Call<OfHostsAlone>('M', "controlmaster", nullptr, "the same"),
    Call<OfHostsAlone>(0, "rsync-opts", "OPTIONS", "the same"),
    Call<OfHostsAlone>(0, "ssh", "COMMAND", "the same"),
    Call<OfHostsAlone>(0, "ssh-delay", "SECONDS", "the same"),
    Call<OfHostsAlone>(0, "use-cores-instead-of-threads", nullptr, "count cores for -j"),
    Call<OfHostsAlone>(0, "use-cpus-instead-of-cores", nullptr, "the same"),
    Flag<&Options::counts_sockets>(0, "use-sockets-instead-of-threads", "count sockets for -j"),
    Flag<&Options::is_csv>(0, "csv", "arguments are CSV, which needs a module of Perl that is not there"),
    Call<OfWaitingOutput>(0, "compress", nullptr, "compress output that waits in files (it is in memory)"),
    Call<OfWaitingOutput>(0, "compress-program", "COMMAND", "the same, by COMMAND"),
    Call<OfWaitingOutput>(0, "decompress-program", "COMMAND", "the same, by COMMAND"),
    Value<&Options::limit>(0, "limit", "COMMAND", "start jobs only while COMMAND ends with status 0"),
    Call<SetSemaphore>(0, "semaphore", nullptr, "be sem: run a command when fewer than -j others of that name do"),
    Call<SetSemaphore>(0, "semaphore-name", "NAME", "the name of the semaphore"),
    Call<SetSemaphore>(0, "id", "NAME", "the same"),
    Call<SetSemaphoreTimeout>(0, "semaphore-timeout", "SECONDS", "go on after SECONDS; give up after -SECONDS"),
    Call<SetSemaphoreTimeout>(0, "st", "SECONDS", "the same"),
    Call<SetForeground<false>>(0, "bg", nullptr, "run it in the background (the default of sem)"),
    Call<SetForeground<true>>(0, "fg", nullptr, "wait until it ends"),
    Call<SetWait>(0, "wait", nullptr, "wait for all commands of the semaphore"),
    Flag<&Options::plain>(0, "gnu", "be GNU parallel, as always"),
    Flag<&Options::cites>(0, "will-cite", "nothing is asked here"),
    Value<&Options::minimum_version>(0, "minversion", "N", "print the version; fail below N"),
    Set<&Options::question, Options::Question::kCores>(0, "number-of-cores", "print how many there are"),
    Set<&Options::question, Options::Question::kCores>(0, "number-of-cpus", "the same"),
    Set<&Options::question, Options::Question::kCores>(0, "number-of-threads", "the same"),
    Set<&Options::question, Options::Question::kSockets>(0, "number-of-sockets", "print how many there are"),
    Set<&Options::question, Options::Question::kLongestLine>(0, "max-line-length-allowed", "print the most bytes of a command line"),
    Flag<&Options::shows_help>('h', nullptr, "as --help"),
    Flag<&Options::shows_version>('V', nullptr, "as --version"),
    Flag<&Options::shows_limits>(0, "show-limits", "tell the limits of command lines"),
};

int64_t Processors(Invocation& in) {
  int64_t processors = 0;
  if (const auto text = vfs::ReadFile(in.fs, "/proc/cpuinfo", 1 << 20)) {
    for (size_t at = text->find("processor"); at != std::string::npos; at = text->find("processor", at + 1)) ++processors;
  }
  return std::max<int64_t>(processors, 1);
}

// The number of -j; 0 for what is none.
int64_t ParseJobs(Invocation& in, const Options& options) {
  const int64_t processors = options.counts_sockets ? 1 : Processors(in);
  if (!options.jobs) return processors;
  std::string_view text = *options.jobs;
  std::string content;
  if (!text.empty() && text.find_first_not_of("0123456789+-%.") != std::string_view::npos) {
    const auto file = vfs::ReadFile(in.fs, *options.jobs, 1 << 10);
    if (!file) return 0;
    content = *file;
    content.erase(content.find_last_not_of(" \t\n") + 1);
    text = content;
  }
  const char sign = text.empty() ? '\0' : text[0];
  if (sign == '+' || sign == '-') text.remove_prefix(1);
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return 0;
  if (is_percent) value = processors * std::min<int64_t>(value, 100000) / 100;
  if (sign == '+') value = processors + value;
  if (sign == '-') value = processors - value;
  if (value == 0 && sign == '\0' && !is_percent) return 252;
  return std::clamp<int64_t>(value, 1, 1000);
}

// What is asked for instead of jobs.
std::optional<ExitStatus> Answer(Invocation& in, const Options& options) {
  static constexpr std::string_view kVersion = "20221122";
  if (options.minimum_version) {
    in.out.WriteLine(kVersion);
    uint64_t wanted = 0;
    std::from_chars(options.minimum_version->data(), options.minimum_version->data() + options.minimum_version->size(), wanted);
    return wanted > 20221122 ? kFailed : 0;
  }
  switch (options.question) {
    case Options::Question::kNone: return std::nullopt;
    case Options::Question::kCores: in.out.WriteLine(std::to_string(Processors(in))); break;
    case Options::Question::kSockets: in.out.WriteLine("1"); break;
    case Options::Question::kLongestLine: in.out.WriteLine(std::to_string(kLongestParallelLine)); break;
  }
  return 0;
}

// What is wrong with the options; empty for nothing.
std::string Complaint(const Options& options) {
  if (!options.retired.empty()) return options.retired;
  if (options.bin && options.shard) return "Error: --bin and --shard exclude each other.";
  if (options.trim) {
    for (const std::string_view known : {"n", "l", "r", "lr", "rl"}) {
      if (*options.trim == known) return {};
    }
    return "Error: --trim must be one of: r l rl lr.";
  }
  if ((options.resumes || options.resumes_failed) && !options.joblog && !options.results) {
    return "Error: --resume and --resume-failed require --joblog or --results.";
  }
  for (const std::string& definition : options.templates) {
    if (definition.find('=') == std::string::npos) return "Error: --template " + definition + " needs FILE=NAME.";
  }
  if (options.parens.size() < 2 || options.parens.size() % 2 != 0) return "Error: --parens needs two strings of one length.";
  if (options.lines && *options.lines < 1) return "Error: --max-lines must be greater than 0.";
  if (options.is_csv) return "Error: The perl module Text::CSV is not installed.\nparallel: Error: Try installing libtext-csv-perl or perl-Text-CSV.";
  if (options.cat && options.fifo) return "Error: --cat and --fifo exclude each other.";
  return {};
}

std::optional<char> ParseDelimiter(const Options& options) {
  if (!options.delimiter) return options.null ? '\0' : '\n';
  const std::string& text = *options.delimiter;
  if (text.size() == 1) return text[0];
  if (text == "\\n") return '\n';
  if (text == "\\t") return '\t';
  if (text == "\\0") return '\0';
  return std::nullopt;
}

Status FillSyntax(const Options& options, ParallelSyntax& syntax) {
  syntax.placeholder = options.placeholder.value_or("{}");
  for (const auto& [spelling, part] : {std::pair{&options.base_name, "/"}, {&options.directory, "//"}, {&options.base_stem, "/."},
                                       {&options.stem, "."}, {&options.sequence, "#"}, {&options.slot, "%"}}) {
    if (*spelling) syntax.renamed[**spelling] = part;
  }
  const size_t half = options.parens.size() / 2;
  syntax.open = options.parens.substr(0, half);
  syntax.close = options.parens.substr(half);
  if (options.plus) syntax.AddPlus();
  for (const std::string& definition : options.replacements) PADDOCK_TRY(syntax.AddReplacement(definition));
  return {};
}

// --record-env: which variables are there now, for --env _ of other machines.
ExitStatus RecordEnvironment(Invocation& in) {
  const std::string home = ParallelHome(in);
  std::string text;
  for (const Environment::Variable& variable : in.env.variables()) text += variable.name + "\n";
  const Status written = vfs::WriteFile(in.fs, home + "/ignored_vars", text);
  return written ? 0 : in.Fail("Error: Cannot write to " + home + "/ignored_vars.", kFailed);
}

// --shell-completion: bash completes the words of our own table.
ExitStatus PrintCompletion(Invocation& in, const std::string& shell) {
  if (shell != "bash" && shell != "auto") return in.Fail("Error: --shell-completion is for bash here, not " + shell + ".", kFailed);
  std::string words;
  for (const Option& option : kOptions) {
    if (option.long_name != nullptr) words += "--" + std::string(option.long_name) + " ";
    if (option.short_name != 0) words += std::string("-") + option.short_name + " ";
  }
  in.out.WriteLine("complete -F _comp_parallel parallel;_comp_parallel() { COMPREPLY=($(compgen -W \"" + words + "\" -- \"${COMP_WORDS[$COMP_CWORD]}\")); };");
  return 0;
}

bool IsFileMarker(const Options& options, std::string_view word) { return word == options.file_marker || word == options.file_marker + "+"; }
bool IsMarker(const Options& options, std::string_view word) {
  return IsFileMarker(options, word) || word == options.argument_marker || word == options.argument_marker + "+";
}

// The lists behind the command, each behind its marker. Those of --pipe-part go to `files`. False when one cannot be read; told.
bool AddSources(const Options& options, std::span<const std::string> words, ParallelRecords& records, std::vector<std::string>& files) {
  for (size_t at = 0; at < words.size();) {
    const std::string& marker = words[at++];
    const bool is_linked = marker.ends_with('+'), is_file = IsFileMarker(options, marker);
    ParallelRecords::Source source{{}, is_linked};
    bool is_first = true;
    for (; at < words.size() && !IsMarker(options, words[at]); ++at) {
      if (!is_file) source.values.push_back(words[at]);
      else if (options.pipe_part) files.push_back(words[at]);
      else if (!records.AddFile(words[at], is_linked && std::exchange(is_first, false))) return false;
    }
    if (!is_file) records.Add(std::move(source));
  }
  return true;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.shows_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.shows_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (const auto answered = Answer(in, options)) return *answered;
  if (options.runs_script) return in.Fail("Error: --shebang and --shebang-wrap stand in the first line of a script.", kFailed);
  if (options.records_environment) return RecordEnvironment(in);
  if (options.completed_shell) return PrintCompletion(in, *options.completed_shell);
  if (const std::string complaint = Complaint(options); !complaint.empty()) return in.Fail(complaint, kFailed);
  const bool is_semaphore = options.is_semaphore || in.name() == "sem";
  const int64_t jobs_at_once = (is_semaphore || options.is_at_terminal) && !options.jobs ? 1 : ParseJobs(in, options);
  if (!IsParallelLocal(in, options)) return kFailed;
  if (jobs_at_once == 0) return in.Fail("Error: Parsing of --jobs/-j/--max-procs/-P failed.", kFailed);
  if (is_semaphore) return RunSemaphore(in, options, jobs_at_once, operands);
  const auto halt = ParallelJobs::ParseHalt(options.halt.value_or("never"));
  if (!halt) return in.Fail("Error: --halt must have 'never', 'soon', or 'now'.", kFailed);
  const auto delimiter = ParseDelimiter(options);
  if (!delimiter) return in.Fail("Error: --delimiter must be one character.", kFailed);
  ParallelSyntax syntax;
  if (const Status filled = FillSyntax(options, syntax); !filled) return in.Fail("Error: " + filled.error().message, kFailed);
  std::optional<Regex> colsep;
  if (options.colsep && !options.pipe) {
    auto compiled = Regex::Compile(*options.colsep, {.dialect = RegexDialect::kPerl, .is_utf8 = in.locale.is_utf8});
    if (!compiled) return in.Fail("Error: --colsep " + *options.colsep + ": " + std::string(compiled.error().Text()), kFailed);
    colsep.emplace(std::move(*compiled));
  }
  ParallelRecords records(in, options, *delimiter, colsep ? &*colsep : nullptr);
  if (options.has_host_groups) records.set_groups(LocalParallelGroups(options));
  std::string command;
  const size_t command_end = static_cast<size_t>(std::find_if(operands.begin(), operands.end(), [&](const std::string& word) { return IsMarker(options, word); }) - operands.begin());
  const bool reads_parts = options.pipe && !options.tee;
  std::vector<std::string> files = options.files;
  for (const std::string& name : reads_parts ? std::vector<std::string>{} : options.files) {
    if (!records.AddFile(name, false)) return kFailed;
  }
  if (!AddSources(options, std::span(operands).subspan(command_end), records, files)) return kFailed;
  if (options.header && !reads_parts) syntax.names = records.TakeNames();
  for (size_t i = 0; i < command_end; ++i) {
    command += (command.empty() ? "" : " ") + (options.quotes ? QuoteTemplateWord(operands[i], syntax) : operands[i]);
  }
  if (options.runs_without_arguments) {
    ParallelJobs once(in, options, syntax, *halt, jobs_at_once, ParallelTemplate(command, syntax), false);
    once.AddLine(1, command);
    return once.Finish();
  }
  ParallelTemplate line(command, syntax);
  const bool has_arguments = !options.pipe || options.cat || options.fifo;
  if (has_arguments && !line.has_places()) line.Append((command.empty() ? "" : " ") + syntax.placeholder);
  if (options.shows_limits) {
    in.out.Write("Maximal size of command: " + std::to_string(kLongestParallelLine) + "\nMaximal usable size of command: 63664\n\n" +
                 "Execution will continue now, and it will try to read its input\n" +
                 "and run commands; if this is not what you wanted to happen, please\npress CTRL-D or CTRL-C\n");
  }
  const bool counts = line.counts_jobs() || halt->is_percent || options.shows_bar || options.shows_eta;
  if (options.quotes_arguments) {
    while (const auto record = records.Next()) {
      std::string words;
      for (const std::string& value : *record) words += (words.empty() ? "" : " ") + QuoteForParallel(value);
      in.out.WriteLine(words);
    }
    return 0;
  }
  // Without a command an argument is a command line itself.
  ParallelJobs jobs(in, options, syntax, *halt, jobs_at_once, std::move(line), !command.empty());
  jobs.set_names(syntax.names);
  jobs.set_total(options.total_jobs.value_or(0));
  if (options.joblog && !jobs.OpenLog(*options.joblog)) return kFailed;
  bool is_good = true;
  if (options.retries_failed && command.empty() && records.is_empty()) {
    for (const auto& [sequence, text] : jobs.failed_before()) jobs.AddLine(sequence, text);
  } else if (options.tee) {
    is_good = RunParallelTee(in, jobs, records);
  } else if (options.pipe_part) {
    if (files.empty()) return in.Fail("Error: --pipe-part is incompatible with reading from stdin; it needs -a or ::::.", kFailed);
    is_good = RunParallelPipePart(in, options, jobs, files.front(), jobs_at_once);
  } else if (options.pipe && (options.bin || options.shard)) {
    is_good = RunParallelBins(in, options, jobs, jobs_at_once);
  } else if (options.pipe) {
    is_good = RunParallelPipe(in, options, jobs, jobs_at_once);
  } else {
    is_good = RunParallelArguments(in, options, jobs, records, jobs_at_once, counts && !options.total_jobs);
  }
  const ExitStatus status = jobs.Finish();
  return is_good && !records.is_broken() ? status : kFailed;
}

// With the options of profiles and of $PARALLEL in front of those that are typed.
ExitStatus RunWithProfiles(Invocation& in) {
  std::vector<std::string> script;
  Invocation expanded = in;
  if (const auto unpacked = UnpackParallelScript(in)) {
    script = *unpacked;
    expanded.args = script;
  }
  const std::vector<std::string> words = WithParallelProfiles(expanded);
  expanded.args = words;
  return command_internal::ParseAndRun<Options, Run>(expanded);
}

constexpr const char* kAliases[] = {"sem"};

}  // namespace

extern const Command kCommand_parallel;
const Command kCommand_parallel = {
    .name = "parallel",
    .aliases = kAliases,
    .summary = "run COMMAND for each ARGUMENT, several at a time",
    .synopsis = "[OPTION]... [COMMAND [ARGUMENT]...] < LIST\n[OPTION]... [COMMAND [ARGUMENT]...] (::: ARGUMENT...|:::: FILE...)...\n"
                "[OPTION]... --pipe COMMAND",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
    .cuts_own_name = true,
    .run = RunWithProfiles,
};

}  // namespace paddock
