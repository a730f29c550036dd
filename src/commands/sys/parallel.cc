// parallel - run command lines for arguments, several at a time
//
// usage: parallel [OPTION]... [COMMAND [ARGUMENT]...] < LIST
//        parallel [OPTION]... [COMMAND [ARGUMENT]...] (::: ARGUMENT...|:::: FILE...)...
//        ... | parallel --pipe [OPTION]... COMMAND
//
// Exit status: how many jobs failed, 101 for more than 100; with --halt that of the job; 255 for errors of its own.
// Source: GNU parallel 20221122.
// Differs: no other machines (-S and its kin), no perl expressions ({= =}), no --results, no progress display; -j counts as many as asked
// for whatever the load.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>

#include "commands/input_files.h"
#include "commands/sys/parallel_template.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/duration.h"
#include "text/regex.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailed = 255;

struct Options {
  std::optional<std::string> jobs, colsep, placeholder, delimiter, joblog, tagstring, halt, delay, timeout;
  std::optional<int64_t> max_args, replace_args, lines, retries;
  std::string block = "1M";
  std::vector<std::string> files;
  bool keeps_order = false, dry_run = false, multiple = false, repeats = false, tags = false, line_buffer = false, ungroup = false;
  bool pipe = false, null = false, no_run_if_empty = false, verbose = false, trace = false, quotes = false, cites = false;
};

constexpr Option kOptions[] = {
    Value<&Options::jobs>('j', "jobs", "N", "run N jobs at once; 0: as many as can be"),
    Value<&Options::jobs>('P', "max-procs", "N", "the same"),
    Flag<&Options::keeps_order>('k', "keep-order", "print output in the order of the input"),
    Value<&Options::files>('a', "arg-file", "FILE", "read arguments from FILE"),
    Value<&Options::colsep>('C', "colsep", "REGEXP", "split arguments into columns {1} {2} …"),
    Value<&Options::delimiter>('d', "delimiter", "CHARACTER", "what ends an argument of the input"),
    Flag<&Options::null>('0', "null", "NUL ends an argument of the input"),
    Flag<&Options::dry_run>(0, "dry-run", "print the command lines, do not run them"),
    Flag<&Options::dry_run>(0, "dryrun", "the same"),
    Value<&Options::max_args>('n', "max-args", "N", "use up to N arguments a command line"),
    Value<&Options::replace_args>('N', "max-replace-args", "N", "the same, as {1} … {N}; with --pipe, N records"),
    Flag<&Options::repeats>('X', nullptr, "as many arguments as fit; words with {} come once for each"),
    Flag<&Options::multiple>('m', nullptr, "as many arguments as fit"),
    Flag<&Options::multiple>(0, "xargs", "the same"),
    Value<&Options::lines>('L', "max-lines", "N", "use up to N lines of input a command line"),
    Value<&Options::placeholder>('I', "replace", "STRING", "STRING in place of {}"),
    Value<&Options::halt>(0, "halt", "WHEN", "never, or soon or now with ,fail=N ,success=N or ,done=N"),
    Value<&Options::halt>(0, "halt-on-error", "WHEN", "the same"),
    Value<&Options::joblog>(0, "joblog", "FILE", "log the jobs to FILE"),
    Flag<&Options::tags>(0, "tag", "put the arguments in front of each line of output"),
    Value<&Options::tagstring>(0, "tagstring", "TEXT", "put TEXT in front of each line of output"),
    Flag<&Options::line_buffer>(0, "line-buffer", "print whole lines as they come"),
    Flag<&Options::line_buffer>(0, "linebuffer", "the same"),
    Flag<&Options::line_buffer>(0, "lb", "the same"),
    Flag<&Options::ungroup>('u', "ungroup", "let jobs print when they like"),
    Flag<&Options::pipe>(0, "pipe", "give blocks of the input to the jobs"),
    Value<&Options::block>(0, "block", "SIZE", "size of a block (1M)"),
    Value<&Options::retries>(0, "retries", "N", "run a failing job up to N times"),
    Value<&Options::timeout>(0, "timeout", "SECONDS", "kill a job that runs longer"),
    Value<&Options::delay>(0, "delay", "SECONDS", "wait between starts"),
    Flag<&Options::no_run_if_empty>('r', "no-run-if-empty", "leave empty arguments out"),
    Flag<&Options::trace>('t', "verbose", "print each command line to standard error"),
    Flag<&Options::verbose>('v', nullptr, "print each command line"),
    Flag<&Options::quotes>('q', "quote", "quote the command for the shell"),
    Flag<&Options::cites>(0, "will-cite", "nothing is asked here"),
};

// Where a job's output goes: kept until the job ends, or passed on line by line.
class JobOutput final : public vfs::OpenFile {
 public:
  JobOutput(Budget& budget, Output* lines_to, std::string tag) : budget_(budget), lines_to_(lines_to), tag_(std::move(tag)) {}

  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (text_.size() + bytes.size() > text_.capacity()) budget_.WillAllocate(2 * (text_.size() + bytes.size()));
    text_.append(bytes);
    const size_t end = text_.rfind('\n');
    if (lines_to_ == nullptr || end == std::string::npos) return {};
    Print(*lines_to_, std::string_view(text_).substr(0, end + 1));
    text_.erase(0, end + 1);
    return lines_to_->Flush();
  }
  Result<vfs::Attributes> GetAttributes() const override { return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600}; }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

  void Flush(Output& out) {
    Print(out, text_);
    text_.clear();
    out.Flush();
  }
  void Clear() { text_.clear(); }
  size_t written() const { return text_.size(); }

 private:
  void Print(Output& out, std::string_view text) {
    if (tag_.empty()) return out.Write(text);
    while (!text.empty()) {
      budget_.Step();
      const size_t end = std::min(text.find('\n'), text.size() - 1);
      out.Write(tag_);
      out.Put('\t');
      out.Write(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
  }

  Budget& budget_;
  Output* lines_to_;   // null: kept
  std::string tag_;
  std::string text_;
};

using Record = std::vector<std::string>;

struct Job {
  int64_t sequence = 0;
  ParallelTemplate::Values values;
  std::string command, block;
  std::shared_ptr<JobOutput> out, err;
  int pid = 0;
  int64_t slot = 0, tries = 0;
  Nanoseconds started{0}, started_real{0}, deadline = Nanoseconds::max();
  bool timed_out = false, is_done = false;
};

struct Halt {
  enum class When { kNever, kSoon, kNow } when = When::kNever;
  enum class What { kFail, kSuccess, kDone } what = What::kFail;
  int64_t count = 1;
};

// nothing for what cannot be understood.
std::optional<Halt> ParseHalt(std::string_view text) {
  Halt halt;
  if (text == "0" || text == "never") return halt;
  if (text == "1") text = "soon,fail=1";
  if (text == "2") text = "now,fail=1";
  halt.when = text.starts_with("now,") ? Halt::When::kNow : Halt::When::kSoon;
  if (!text.starts_with("now,") && !text.starts_with("soon,")) return std::nullopt;
  text.remove_prefix(text.find(',') + 1);
  for (const auto& [name, what] : {std::pair<std::string_view, Halt::What>{"fail=", Halt::What::kFail},
                                   {"success=", Halt::What::kSuccess}, {"done=", Halt::What::kDone}}) {
    if (!text.starts_with(name)) continue;
    halt.what = what;
    text.remove_prefix(name.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), halt.count);
    if (error == std::errc() && end == text.data() + text.size() && halt.count > 0) return halt;
  }
  return std::nullopt;
}

// The arguments: of ::: and ::::, of -a, or line by line of standard input.
class Records {
 public:
  struct Source {
    std::vector<std::string> values;
    bool is_linked = false;   // goes along with the one before it
  };
  Records(Invocation& in, char delimiter) : in_(in), delimiter_(delimiter) {}

  void Add(Source source) { sources_.push_back(std::move(source)); }
  bool AddFile(const std::string& name, bool is_linked) {
    auto file = InputFile::Open(in_, name);
    if (!file) {
      in_.Fail("Error: Cannot open input file `" + name + "': " + std::string(file.error().Text()) + ".");
      return false;
    }
    Source source{{}, is_linked};
    while (const auto line = file->input().ReadLine(delimiter_)) source.values.emplace_back(line->text);
    Add(std::move(source));
    return true;
  }
  bool reads_stdin() const { return sources_.empty(); }

  std::optional<Record> Next() {
    in_.budget.Step();
    if (sources_.empty()) {
      const auto line = in_.in.ReadLine(delimiter_);
      return line ? std::optional(Record{std::string(line->text)}) : std::nullopt;
    }
    if (at_.empty()) {
      at_.assign(sources_.size(), 0);
      for (const Source& source : sources_) is_over_ = is_over_ || source.values.empty();
    } else {
      Advance();
    }
    if (is_over_) return std::nullopt;
    Record record;
    for (size_t i = 0; i < sources_.size(); ++i) record.push_back(sources_[i].values[at_[i] % sources_[i].values.size()]);
    return record;
  }

 private:
  // The last source that stands for itself changes first; what is linked to it goes along.
  void Advance() {
    for (size_t end = sources_.size(); end > 0;) {
      size_t begin = end - 1;
      while (begin > 0 && sources_[begin].is_linked) --begin;
      size_t longest = 0;
      for (size_t i = begin; i < end; ++i) longest = std::max(longest, sources_[i].values.size());
      for (size_t i = begin; i < end; ++i) ++at_[i];
      if (at_[begin] < longest) return;
      for (size_t i = begin; i < end; ++i) at_[i] = 0;
      end = begin;
    }
    is_over_ = true;
  }

  Invocation& in_;
  char delimiter_;
  std::vector<Source> sources_;
  std::vector<size_t> at_;
  bool is_over_ = false;
};

class Parallel {
 public:
  Parallel(Invocation& in, const Options& options, Halt halt, int64_t jobs, ParallelTemplate command, bool quotes)
      : in_(in), options_(options), halt_(halt), most_(jobs), command_(std::move(command)), quotes_(quotes) {}

  bool OpenLog(const std::string& name) {
    auto file = in_.fs.Open(name, vfs::OpenFlags::Write());
    if (!file) {
      in_.Fail("Error: Cannot write to --joblog " + name + ": " + std::string(file.error().Text()) + ".");
      return false;
    }
    log_file_ = *file;
    log_.emplace(*log_file_);
    log_->Write("Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
    return true;
  }

  bool is_halted() const { return is_halted_; }

  // Starts a job when there is room for one.
  void Add(std::vector<std::string> arguments, std::string block = {}) {
    while (running_.size() >= static_cast<size_t>(most_) && !is_halted_) WaitForOne();
    if (is_halted_) return;
    auto job = std::make_shared<Job>();
    job->sequence = ++sequence_;
    job->slot = FreeSlot();
    job->block = std::move(block);
    job->values = {std::move(arguments), job->sequence, job->slot, quotes_, options_.repeats};
    job->command = command_.Fill(job->values, in_.budget);
    std::string tag;
    if (options_.tagstring) {
      ParallelTemplate::Values plain = job->values;
      plain.quotes = plain.repeats_words = false;
      tag = ParallelTemplate(*options_.tagstring, options_.placeholder.value_or("{}")).Fill(plain, in_.budget);
    } else if (options_.tags) {
      for (const std::string& argument : job->values.arguments) tag += (tag.empty() ? "" : " ") + argument;
    }
    job->out = std::make_shared<JobOutput>(in_.budget, options_.line_buffer && !options_.keeps_order ? &in_.out : nullptr, tag);
    job->err = std::make_shared<JobOutput>(in_.budget, options_.line_buffer && !options_.keeps_order ? &in_.err : nullptr, tag);
    if (options_.keeps_order) ordered_.push_back(job);
    if (options_.dry_run) {
      in_.budget.Step();
      Said(*job, job->command + "\n");
      job->is_done = true;
      return Print(*job);
    }
    Start(job);
  }

  ExitStatus Finish() {
    while (!running_.empty()) WaitForOne();
    if (halt_status_) return *halt_status_;
    return static_cast<ExitStatus>(std::min<int64_t>(failed_, 101));
  }

 private:
  using JobPtr = std::shared_ptr<Job>;

  int64_t FreeSlot() const {
    int64_t slot = 1;
    while (std::any_of(running_.begin(), running_.end(), [&](const JobPtr& job) { return job->slot == slot; })) ++slot;
    return slot;
  }

  void Said(Job& job, const std::string& text) {
    if (options_.ungroup) {
      in_.out.Write(text);
      return;
    }
    [[maybe_unused]] const Status kept = job.out->Write(text);   // it is memory
  }

  void Start(const JobPtr& job) {
    if (options_.delay && last_start_ != Nanoseconds(0)) {
      const auto seconds = ParseDuration(*options_.delay);
      if (seconds) [[maybe_unused]] const Status slept = in_.kernel.Sleep(in_.process, last_start_ + ToNanoseconds(*seconds));
    }
    if (options_.trace) in_.err.Write(job->command + "\n");
    if (options_.verbose) Said(*job, job->command + "\n");
    Environment environment = in_.env;
    environment.Set("PARALLEL_SEQ", std::to_string(job->sequence));
    environment.Set("PARALLEL_JOBSLOT", std::to_string(job->slot));
    environment.Set("PARALLEL_PID", std::to_string(in_.process.pid()));
    ChildSpec spec;
    spec.args = {"/usr/bin/bash", "-c", job->command};
    spec.environment = &environment;
    spec.own_group = true;
    if (!options_.ungroup) {
      spec.out = job->out;
      spec.err = job->err;
    }
    if (options_.pipe) {
      auto ends = vfs::MakePipe(in_.kernel.scheduler(), std::max<size_t>(job->block.size(), 1));
      [[maybe_unused]] const Status filled = ends.write->Write(job->block);   // it has room for all of it
      spec.in = ends.read;
    } else if (auto null = in_.fs.Open("/dev/null", vfs::OpenFlags::Read())) {
      spec.in = *null;
    }
    in_.out.Flush();
    last_start_ = job->started = in_.clock.MonotonicNow();
    job->started_real = in_.clock.RealNow();
    if (options_.timeout) {
      if (const auto seconds = ParseDuration(*options_.timeout); seconds && *seconds < 1e9) job->deadline = job->started + ToNanoseconds(*seconds);
    }
    ++job->tries;
    const auto pid = in_.launcher.Spawn(in_.process, spec);
    if (!pid) {
      in_.Fail("/usr/bin/bash", pid.error());
      return End(job, {127, 0});
    }
    job->pid = *pid;
    running_.push_back(job);
  }

  void WaitForOne() {
    std::vector<int> pids;
    Nanoseconds until = Nanoseconds::max();
    for (const JobPtr& job : running_) {
      pids.push_back(job->pid);
      until = std::min(until, job->deadline);
    }
    const auto ended = in_.kernel.WaitAny(in_.process, pids, until, proc::Kernel::OnSignal::kWaitOn);
    if (!ended && ended.error().code == Code::kTimedOut) return KillLate();
    if (!ended) return running_.clear();
    const auto it = std::find_if(running_.begin(), running_.end(), [&](const JobPtr& job) { return job->pid == ended->pid; });
    const JobPtr job = *it;
    running_.erase(it);
    End(job, ended->status);
  }

  void Kill(const Job& job) { [[maybe_unused]] const Status sent = in_.kernel.Signal(in_.process, -job.pid, proc::kSigTerm); }

  void KillLate() {
    const Nanoseconds now = in_.clock.MonotonicNow();
    for (const JobPtr& job : running_) {
      if (job->deadline > now) continue;
      job->deadline = Nanoseconds::max();
      job->timed_out = true;
      in_.out.Flush();
      in_.err.Write("parallel: Warning: This job was killed because it timed out:\nparallel: Warning: " + job->command + "\n");
      Kill(*job);
    }
  }

  void End(const JobPtr& job, const proc::WaitStatus& how) {
    const bool failed = how.status != 0 || how.signal != 0 || job->timed_out;
    if (failed && options_.retries && job->tries < *options_.retries && !is_halted_) {
      job->out->Clear();
      job->err->Clear();
      job->timed_out = false;
      return Start(job);
    }
    if (log_) Log(*job, how);
    job->is_done = true;
    Print(*job);
    failed_ += failed ? 1 : 0;
    succeeded_ += failed ? 0 : 1;
    if (!was_killed_) CheckHalt(*job, failed, how.status);
  }

  void Log(const Job& job, const proc::WaitStatus& how) {
    const auto seconds = [](Nanoseconds time) { return static_cast<double>(time.count()) / 1e9; };
    char text[160];
    const int length = std::snprintf(text, sizeof text, "%lld\t:\t%.3f\t%10.3f\t%zu\t%zu\t%d\t%d\t", static_cast<long long>(job.sequence),
                                     seconds(job.started_real), seconds(in_.clock.MonotonicNow() - job.started), job.block.size(),
                                     job.out->written(), how.signal != 0 ? 0 : job.timed_out ? -1 : how.status, how.signal);
    log_->Write(std::string_view(text, static_cast<size_t>(length)));
    log_->WriteLine(job.command);
    log_->Flush();
  }

  void CheckHalt(const Job& job, bool failed, ExitStatus status) {
    if (halt_.when == Halt::When::kNever) return;
    const bool counts = halt_.what == Halt::What::kDone || failed == (halt_.what == Halt::What::kFail);
    if (!counts) return;
    const char* const verb = halt_.what == Halt::What::kDone ? "finished" : failed ? "failed" : "succeeded";
    in_.out.Flush();
    in_.err.Write(std::string("parallel: This job ") + verb + ":\n" + job.command + "\n");
    const int64_t reached = halt_.what == Halt::What::kDone ? failed_ + succeeded_ : failed ? failed_ : succeeded_;
    if (reached < halt_.count) return;
    is_halted_ = true;
    if (halt_.what == Halt::What::kFail) halt_status_ = halt_.count == 1 ? status : static_cast<ExitStatus>(std::min<int64_t>(failed_, 101));
    if (halt_.what != Halt::What::kFail) halt_status_ = halt_.count == 1 ? status : 0;
    if (halt_.when == Halt::When::kNow) {
      was_killed_ = true;
      for (const JobPtr& other : running_) Kill(*other);
    } else if (!running_.empty()) {
      in_.err.Write("parallel: Starting no more jobs. Waiting for " + std::to_string(running_.size()) + " jobs to finish.\n");
    }
  }

  void Print(Job& job) {
    if (!options_.keeps_order) {
      if (was_killed_) return;
      job.out->Flush(in_.out);
      job.err->Flush(in_.err);
      return;
    }
    while (!ordered_.empty() && ordered_.front()->is_done) {
      ordered_.front()->out->Flush(in_.out);
      ordered_.front()->err->Flush(in_.err);
      ordered_.pop_front();
    }
  }

  Invocation& in_;
  const Options& options_;
  const Halt halt_;
  const int64_t most_;
  const ParallelTemplate command_;
  const bool quotes_;
  vfs::OpenFilePtr log_file_;
  std::optional<Output> log_;
  std::vector<JobPtr> running_;
  std::deque<JobPtr> ordered_;
  int64_t sequence_ = 0, failed_ = 0, succeeded_ = 0;
  Nanoseconds last_start_{0};
  bool is_halted_ = false, was_killed_ = false;
  std::optional<ExitStatus> halt_status_;
};

// 10, 10k, 1M …; 0 for what is no size.
size_t ParseSize(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0 || value > (1ull << 40)) return 0;
  const std::string_view unit(end, text.data() + text.size());
  if (unit.empty()) return value;
  if (unit.size() > 1) return 0;
  switch (unit[0]) {
    case 'K': return value << 10;
    case 'k': return value * 1000;
    case 'M': return value << 20;
    case 'm': return value * 1000000;
    case 'G': return value << 30;
    default: return 0;
  }
}

void RunPipe(Invocation& in, const Options& options, Parallel& parallel, size_t block_size) {
  const int64_t records = options.replace_args.value_or(options.max_args.value_or(options.lines.value_or(0)));
  std::string block;
  int64_t lines = 0;
  while (!parallel.is_halted()) {
    const auto line = in.in.ReadLine();
    if (!line) break;
    // A block ends with the last record that fits.
    if (records == 0 && !block.empty() && block.size() + line->text.size() + 1 > block_size) parallel.Add({}, std::exchange(block, {}));
    in.budget.WillAllocate(block.size() + line->text.size());
    block += line->text;
    if (line->is_terminated) block += '\n';
    if (records > 0 && ++lines % records == 0) parallel.Add({}, std::exchange(block, {}));
  }
  if (!block.empty()) parallel.Add({}, std::move(block));
}

void RunArguments(Invocation& in, const Options& options, Parallel& parallel, Records& records, const Regex* colsep, int64_t jobs) {
  const auto next = [&]() -> std::optional<Record> {
    auto record = records.Next();
    if (!record || colsep == nullptr) return record;
    Record columns;
    for (const std::string& value : *record) {
      std::vector<RegexGroup> groups(1);
      size_t at = 0;
      while (true) {
        in.budget.Step();
        const auto found = colsep->Search(value, at, &groups, in.budget);
        if (!found || !*found || groups[0].end == groups[0].begin) break;
        columns.push_back(value.substr(at, groups[0].begin - at));
        at = groups[0].end;
      }
      columns.push_back(value.substr(at));
    }
    return columns;
  };
  const bool fills = options.repeats || options.multiple;
  size_t most = static_cast<size_t>(options.replace_args.value_or(options.max_args.value_or(options.lines.value_or(fills ? 0 : 1))));
  std::deque<Record> waiting;
  size_t bytes = 0;
  const auto run = [&](size_t count) {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < count && !waiting.empty(); ++i) {
      for (std::string& value : waiting.front()) arguments.push_back(std::move(value));
      waiting.pop_front();
    }
    const bool is_blank = std::all_of(arguments.begin(), arguments.end(), [](const std::string& text) {
      return text.find_first_not_of(" \t") == std::string::npos;
    });
    if (!(options.no_run_if_empty && is_blank)) parallel.Add(std::move(arguments));
    bytes = 0;
  };
  while (!parallel.is_halted()) {
    auto record = next();
    if (!record) break;
    for (const std::string& value : *record) bytes += 2 * value.size() + 8;
    if (most == 0 && bytes > (100u << 10) && !waiting.empty()) run(waiting.size());
    waiting.push_back(std::move(*record));
    if (most > 0 && waiting.size() >= most) run(most);
  }
  // What is left is spread over the jobs that may run at once.
  size_t share = most;
  if (most == 0 && !waiting.empty()) share = (waiting.size() + static_cast<size_t>(jobs) - 1) / static_cast<size_t>(jobs);
  while (!waiting.empty() && !parallel.is_halted()) run(share);
}

// The number of -j; 0 for what is none.
int64_t ParseJobs(Invocation& in, const Options& options) {
  int64_t processors = 0;
  if (const auto text = vfs::ReadFile(in.fs, "/proc/cpuinfo", 1 << 20)) {
    for (size_t at = text->find("processor"); at != std::string::npos; at = text->find("processor", at + 1)) ++processors;
  }
  processors = std::max<int64_t>(processors, 1);
  if (!options.jobs) return processors;
  std::string_view text = *options.jobs;
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

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const int64_t jobs = ParseJobs(in, options);
  if (jobs == 0) return in.Fail("Error: Parsing of --jobs/-j/--max-procs/-P failed.", kFailed);
  const auto halt = ParseHalt(options.halt.value_or("never"));
  if (!halt) return in.Fail("Error: --halt must have 'never', 'soon', or 'now'.", kFailed);
  const size_t block_size = ParseSize(options.block);
  if (block_size == 0) return in.Fail("Error: --block-size must be a number.", kFailed);
  char delimiter = options.null ? '\0' : '\n';
  if (options.delimiter) {
    if (options.delimiter->size() != 1 && *options.delimiter != "\\n" && *options.delimiter != "\\0" && *options.delimiter != "\\t") {
      return in.Fail("Error: --delimiter must be one character.", kFailed);
    }
    delimiter = options.delimiter->size() == 1 ? (*options.delimiter)[0] : *options.delimiter == "\\t" ? '\t' : *options.delimiter == "\\0" ? '\0' : '\n';
  }
  Records records(in, delimiter);
  std::string command;
  size_t at = 0;
  const auto is_marker = [](std::string_view word) { return word == ":::" || word == "::::" || word == ":::+" || word == "::::+"; };
  for (; at < operands.size() && !is_marker(operands[at]); ++at) {
    command += (command.empty() ? "" : " ") + (options.quotes ? QuoteTemplateWord(operands[at], options.placeholder.value_or("{}")) : operands[at]);
  }
  for (const std::string& name : options.files) {
    if (!records.AddFile(name, false)) return kFailed;
  }
  while (at < operands.size()) {
    const std::string marker = operands[at++];
    const bool is_linked = marker.ends_with('+');
    Records::Source source{{}, is_linked};
    bool is_first = true;
    for (; at < operands.size() && !is_marker(operands[at]); ++at) {
      if (!marker.starts_with("::::")) {
        source.values.push_back(operands[at]);
      } else if (!records.AddFile(operands[at], is_linked && std::exchange(is_first, false))) {
        return kFailed;
      }
    }
    if (!marker.starts_with("::::")) records.Add(std::move(source));
  }
  ParallelTemplate line(command, options.placeholder.value_or("{}"));
  if (!options.pipe && !line.has_arguments()) line.Append((command.empty() ? "" : " ") + options.placeholder.value_or("{}"));
  std::optional<Regex> colsep;
  if (options.colsep) {
    auto compiled = Regex::Compile(*options.colsep, {.dialect = RegexDialect::kPerl, .is_utf8 = in.locale.is_utf8});
    if (!compiled) return in.Fail("Error: --colsep " + *options.colsep + ": " + std::string(compiled.error().Text()), kFailed);
    colsep.emplace(std::move(*compiled));
  }
  // Without a command an argument is a command line itself.
  Parallel parallel(in, options, *halt, jobs, std::move(line), !command.empty());
  if (options.joblog && !parallel.OpenLog(*options.joblog)) return kFailed;
  if (options.pipe) {
    RunPipe(in, options, parallel, block_size);
  } else {
    RunArguments(in, options, parallel, records, colsep ? &*colsep : nullptr, jobs);
  }
  return parallel.Finish();
}

}  // namespace

extern const Command kCommand_parallel;
const Command kCommand_parallel = Define<Options, Run>({
    .name = "parallel",
    .summary = "run COMMAND for each ARGUMENT, several at a time",
    .synopsis = "[OPTION]... [COMMAND [ARGUMENT]...] < LIST\n[OPTION]... [COMMAND [ARGUMENT]...] (::: ARGUMENT...|:::: FILE...)...\n"
                "[OPTION]... --pipe COMMAND",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
    .cuts_own_name = true,
});

}  // namespace paddock
