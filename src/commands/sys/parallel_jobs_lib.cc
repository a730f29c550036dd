#include "commands/sys/parallel_jobs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "proc/process.h"
#include "proc/signals.h"
#include "text/date/duration.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

double Seconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

// --color: black or white on the colours of a terminal that this can be read on, those of neighbours unlike each other.
std::vector<std::string> Colors() {
  struct Range {
    int first, last;
  };
  constexpr Range kUnderBlack[] = {{6, 7}, {9, 11}, {13, 15}, {40, 51}, {75, 87}, {113, 123}, {147, 159}, {171, 182}, {185, 231}, {249, 254}};
  constexpr Range kUnderWhite[] = {{1, 9}, {12, 13}, {16, 45}, {52, 81}, {88, 114}, {124, 149}, {160, 178}, {180, 180}, {182, 184}, {196, 214}, {232, 250}};
  std::vector<std::string> plain;
  const auto add = [&plain](std::span<const Range> ranges, const char* ink) {
    for (const Range& range : ranges) {
      for (int color = range.first; color <= range.last; ++color) {
        char text[32];
        std::snprintf(text, sizeof text, "\x1b[48;5;%03d;38;5;%sm\x1b[K", color, ink);
        plain.emplace_back(text);
      }
    }
  };
  add(kUnderBlack, "000");
  add(kUnderWhite, "231");
  std::vector<size_t> order(plain.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [](size_t a, size_t b) { return a % 23 != b % 23 ? a % 23 < b % 23 : a % 7 > b % 7; });
  std::vector<std::string> colors;
  for (const size_t index : order) colors.push_back(plain[index]);
  return colors;
}

const std::string& ColorOf(int64_t sequence) {
  static const std::vector<std::string> colors = Colors();
  return colors[static_cast<size_t>(sequence) % colors.size()];
}

}  // namespace

std::optional<ParallelJobs::Halt> ParallelJobs::ParseHalt(std::string_view text) {
  Halt halt;
  if (text == "0" || text == "never") return halt;
  if (text == "1") text = "soon,fail=1";
  if (text == "2") text = "now,fail=1";
  if (text == "-1") text = "soon,success=1";
  if (text == "-2") text = "now,success=1";
  std::string percent;
  if (text.ends_with('%') && text.find(',') == std::string_view::npos) text = percent = "soon,fail=" + std::string(text);
  halt.when = text.starts_with("now,") ? Halt::When::kNow : Halt::When::kSoon;
  if (!text.starts_with("now,") && !text.starts_with("soon,")) return std::nullopt;
  text.remove_prefix(text.find(',') + 1);
  for (const auto& [name, what] : {std::pair<std::string_view, Halt::What>{"fail=", Halt::What::kFail},
                                   {"success=", Halt::What::kSuccess}, {"done=", Halt::What::kDone}}) {
    if (!text.starts_with(name)) continue;
    halt.what = what;
    text.remove_prefix(name.size());
    halt.is_percent = text.ends_with('%');
    if (halt.is_percent) text.remove_suffix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), halt.count);
    if (error == std::errc() && end == text.data() + text.size() && halt.count > 0) return halt;
  }
  return std::nullopt;
}

ParallelJobs::ParallelJobs(Invocation& in, const ParallelOptions& options, const ParallelSyntax& syntax, Halt halt, int64_t most,
                           ParallelTemplate command, bool quotes)
    : in_(in), options_(options), syntax_(syntax), halt_(halt), most_(most), command_(std::move(command)), quotes_(quotes), results_(in, options) {
  ParseKillSequence();
  if (options_.shows_progress || options_.shows_eta) {
    in_.err.Write("\nComputers / CPU cores / Max jobs to run\n1:local / " + std::to_string(most_) + " / " + std::to_string(most_) + "\n");
  }
}

bool ParallelJobs::OpenLog(const std::string& name) {
  const bool goes_on = options_.resumes || options_.resumes_failed || options_.retries_failed;
  bool has_head = false;
  if (goes_on) {
    if (const auto file = in_.fs.Open(name, vfs::OpenFlags::Read())) {
      Input input(**file, in_.budget);
      std::vector<std::pair<int64_t, std::pair<bool, std::string>>> lines;
      while (const auto line = input.ReadLine()) {
        in_.budget.Step();
        in_.budget.WillAllocate(line->text.size());
        std::string_view rest = line->text;
        std::vector<std::string_view> columns;
        for (size_t tab = rest.find('\t'); tab != std::string_view::npos && columns.size() < 8; tab = rest.find('\t')) {
          columns.push_back(rest.substr(0, tab));
          rest.remove_prefix(tab + 1);
        }
        has_head = true;
        if (columns.size() < 8) continue;
        int64_t sequence = 0;
        if (std::from_chars(columns[0].data(), columns[0].data() + columns[0].size(), sequence).ec != std::errc()) continue;
        const bool is_good = columns[6] == "0" && columns[7] == "0";
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& known) { return known.first == sequence; });
        if (same != lines.end()) lines.erase(same);
        lines.push_back({sequence, {is_good, std::string(rest)}});
      }
      for (auto& [sequence, how] : lines) {
        if (how.first || (options_.resumes && !options_.resumes_failed)) {
          done_before_.insert(sequence);
        } else {
          failed_before_.push_back({sequence, std::move(how.second)});
        }
      }
    }
  }
  auto file = in_.fs.Open(name, has_head ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
  if (!file) {
    in_.Fail("Error: Cannot write to --joblog " + name + ": " + std::string(file.error().Text()) + ".");
    return false;
  }
  log_file_ = *file;
  log_.emplace(*log_file_);
  if (!has_head) log_->Write("Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
  log_->Flush();
  return true;
}

std::string ParallelJobs::FileTest(char test, std::string_view path) {
  const auto facts = in_.fs.Stat(std::string(path));
  if (!facts) return {};
  switch (test) {
    case 'e': return "1";
    case 'f': return facts->type == vfs::FileType::kFile ? "1" : "";
    case 'd': return facts->type == vfs::FileType::kDirectory ? "1" : "";
    case 's': return facts->size > 0 ? std::to_string(facts->size) : "";
    case 'z': return facts->size == 0 ? "1" : "";
    case 'r': return facts->mode & 0444 ? "1" : "";
    case 'w': return facts->mode & 0222 ? "1" : "";
    case 'x': return facts->mode & 0111 ? "1" : "";
    default: return {};
  }
}

void ParallelJobs::Break(const Error& error) {
  if (!is_broken_) in_.Fail("Error: " + std::string(error.Text().substr(0, error.Text().find_last_not_of('\n') + 1)));
  is_broken_ = is_halted_ = true;
}

std::optional<std::string> ParallelJobs::Filled(const std::string& text, const ParallelTemplate::Values& values) {
  ParallelTemplate::Values plain = values;
  plain.quotes = plain.repeats_words = false;
  auto filled = ParallelTemplate(text, syntax_).Fill(plain, *this, in_.budget);
  if (filled) return std::move(filled->text);
  Break(filled.error());
  return std::nullopt;
}

bool ParallelJobs::Passes(const ParallelTemplate::Values& values) {
  if (!options_.filter) return true;
  const auto code = Filled(*options_.filter, values);
  if (!code) return false;
  std::string topic;
  const auto answer = RunParallelPerl("$_ = (" + *code + ") ? 'yes' : ''", values, topic, *this, in_.budget);
  if (!answer) Break(answer.error());
  return answer.has_value() && topic == "yes";
}

size_t ParallelJobs::LengthWith(const std::vector<std::string>& arguments) {
  const ParallelTemplate::Values values = {arguments, sequence_ + 1, 1, total_, quotes_, options_.repeats};
  const auto filled = command_.Fill(values, *this, in_.budget);
  if (filled) return filled->text.size();
  Break(filled.error());
  return 0;
}

std::string ParallelJobs::DirectoryFor(const Job& job) {
  if (*options_.workdir == "...") {
    std::string host = "sandbox";
    if (auto text = vfs::ReadFile(in_.fs, "/proc/sys/kernel/hostname", 1 << 10)) host = text->substr(0, text->find('\n'));
    return std::string(in_.env.Get("HOME", "/")) + "/.parallel/tmp/" + host + "-" + std::to_string(in_.process.pid()) + "-" + std::to_string(job.sequence);
  }
  return Filled(*options_.workdir, job.values).value_or("");
}

// Files of --template, and the directory of --workdir.
bool ParallelJobs::MakeFiles(Job& job) {
  for (const std::string& definition : options_.templates) {
    const size_t equals = definition.find('=');
    const std::string from = definition.substr(0, equals);
    const auto text = vfs::ReadFile(in_.fs, from, 16 << 20);
    if (!text) {
      Break(Error(Code::kNoEntry, "Cannot open template file `" + from + "': " + std::string(text.error().Text()) + "."));
      return false;
    }
    const auto name = Filled(definition.substr(equals + 1), job.values);
    const auto content = name ? Filled(*text, job.values) : std::nullopt;
    if (!content) return false;
    if (const Status written = vfs::WriteFile(in_.fs, *name, *content); !written) {
      Break(Error(Code::kIo, "Cannot write to `" + *name + "': " + std::string(written.error().Text()) + "."));
      return false;
    }
  }
  if (options_.workdir) {
    job.workdir = DirectoryFor(job);
    if (job.workdir.empty()) return !is_broken_;
    if (const Status made = vfs::MakeDirectories(in_.fs, job.workdir); !made) {
      Break(Error(Code::kIo, "Cannot change into non-directory `" + job.workdir + "'."));
      return false;
    }
  }
  return true;
}

void ParallelJobs::WaitForRoom() {
  while (running_.size() >= static_cast<size_t>(most_) && !is_halted_) WaitForOne();
}

// False after it was skipped or something was wrong.
bool ParallelJobs::PrepareCommand(const JobPtr& job) {
  if ((options_.resumes || options_.resumes_failed) && results_.is_wanted() && !log_) {
    const auto name = Filled(*options_.results, job->values);
    if (!name || results_.HasAny(job->values.arguments, *name)) return false;
  }
  if (!Passes(job->values)) {
    ++skipped_;
    return false;
  }
  auto filled = command_.Fill(job->values, *this, in_.budget);
  if (!filled) {
    Break(filled.error());
    return false;
  }
  if (filled->is_skipped) {
    ++skipped_;
    return false;
  }
  job->command = std::move(filled->text);
  return true;
}

void ParallelJobs::Add(std::vector<std::string> arguments, std::string block) {
  WaitForRoom();
  if (is_halted_) return;
  auto job = std::make_shared<Job>();
  job->sequence = ++sequence_;
  if (done_before_.contains(job->sequence)) return;
  job->slot = FreeSlot();
  job->block = std::move(block);
  if (options_.cat || options_.fifo) {
    job->file = results_.FreshName();
    arguments.insert(arguments.begin(), job->file);
  }
  job->values = {std::move(arguments), job->sequence, job->slot, total_, quotes_, options_.repeats};
  if (PrepareCommand(job)) Queue(job);
}

void ParallelJobs::AddLine(int64_t sequence, std::string line) {
  WaitForRoom();
  if (is_halted_) return;
  auto job = std::make_shared<Job>();
  job->sequence = sequence;
  job->slot = FreeSlot();
  job->values = {{}, sequence, job->slot, total_, quotes_, false};
  job->command = std::move(line);
  Queue(job);
}

void ParallelJobs::Queue(const JobPtr& job) {
  std::string tag;
  if (options_.tagstring) {
    const auto text = Filled(*options_.tagstring, job->values);
    if (!text) return;
    tag = *text;
  } else if (options_.tags) {
    for (const std::string& argument : job->values.arguments) tag += (tag.empty() ? "" : " ") + argument;
  }
  const bool passes_on = options_.line_buffer && !options_.keeps_order && !results_.is_wanted() && !options_.to_files;
  const bool has_tag = options_.tags || options_.tagstring;
  const std::string color = options_.colors ? ColorOf(job->sequence) : std::string();
  job->out = std::make_shared<ParallelOutput>(in_.budget, passes_on ? &in_.out : nullptr, has_tag ? std::optional(tag) : std::nullopt, color);
  job->err = std::make_shared<ParallelOutput>(in_.budget, passes_on ? &in_.err : nullptr, has_tag ? std::optional(tag) : std::nullopt, color);
  if (options_.keeps_order) ordered_.push_back(job);
  if (options_.dry_run) {
    in_.budget.Step();
    Said(*job, job->command + "\n");
    job->is_done = true;
    return PrintJob(*job);
  }
  if (options_.asks_first && !Asks(*job)) {
    job->is_done = true;
    return PrintJob(*job);
  }
  if (!MakeFiles(*job)) return;
  Start(job);
}

ExitStatus ParallelJobs::Finish() {
  while (!running_.empty()) WaitForOne();
  if (options_.shows_progress || options_.shows_eta || options_.shows_bar) in_.err.Write("\n");
  if (is_broken_) return kParallelFailed;
  if (halt_status_) return *halt_status_;
  return static_cast<ExitStatus>(std::min<int64_t>(failed_ + skipped_, 101));
}

int64_t ParallelJobs::FreeSlot() const {
  int64_t slot = 1;
  while (std::any_of(running_.begin(), running_.end(), [&](const JobPtr& job) { return job->slot == slot; })) ++slot;
  return slot;
}

void ParallelJobs::Said(Job& job, const std::string& text) {
  if (options_.ungroup) {
    in_.out.Write(text);
    return;
  }
  [[maybe_unused]] const Status kept = job.out->Write(text);   // it is memory
}

// --load, --memfree: until the machine has room.
void ParallelJobs::WaitForMachine() {
  if (!options_.load && !options_.free_memory && !options_.limit && !options_.suspend_memory) return;
  const auto number = [&](const char* path, std::string_view label) {
    const auto text = vfs::ReadFile(in_.fs, path, 1 << 16).value_or("");
    const size_t at = text.find(label);
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + label.size(), nullptr);
  };
  while (true) {
    in_.budget.Step();
    bool has_room = true;
    if (options_.load) {
      const double limit = std::strtod(options_.load->c_str(), nullptr) * (options_.load->ends_with('%') ? static_cast<double>(most_) / 100 : 1);
      has_room = number("/proc/loadavg", "") < limit;
    }
    if (options_.free_memory || options_.suspend_memory) {
      const uint64_t wanted = (options_.free_memory ? ParseParallelSize(*options_.free_memory) : 0) + (options_.suspend_memory ? ParseParallelSize(*options_.suspend_memory) : 0);
      const double kilobytes = number("/proc/meminfo", "MemAvailable:");
      has_room = has_room && (kilobytes < 0 || kilobytes * 1024 >= static_cast<double>(wanted));
    }
    if (options_.limit) {
      ChildSpec spec;
      spec.args = {"/usr/bin/bash", "-c", *options_.limit};
      spec.environment = &in_.env;
      const auto status = in_.launcher.Run(in_.process, spec);
      has_room = has_room && status && *status == 0;
    }
    if (has_room) return;
    if (!in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + std::chrono::seconds(1))) return;
  }
}

void ParallelJobs::Start(const JobPtr& job) {
  if (options_.delay && last_start_ != Nanoseconds(0)) {
    const auto seconds = ParseDuration(*options_.delay);
    if (seconds) [[maybe_unused]] const Status slept = in_.kernel.Sleep(in_.process, last_start_ + ToNanoseconds(*seconds));
  }
  WaitForMachine();
  if (options_.trace) in_.err.Write(job->command + "\n");
  if (options_.verbose) Said(*job, job->command + "\n");
  Environment environment = in_.env;
  environment.Set("PARALLEL_SEQ", std::to_string(job->sequence));
  environment.Set("PARALLEL_JOBSLOT", std::to_string(job->slot));
  environment.Set("PARALLEL_PID", std::to_string(in_.process.pid()));
  if (options_.slot_variable) environment.Set(*options_.slot_variable, std::to_string(job->slot - 1));
  ChildSpec spec;
  std::string line = job->command;
  if (options_.fifo) {
    const std::string name = QuoteForParallel(job->file);
    line = "mkfifo " + name + " || exit; cat <&0 > " + name + " & (" + line + "\n); status=$?; rm -f " + name + "; exit $status";
  }
  spec.args = {"/usr/bin/bash", "-c", line};
  spec.environment = &environment;
  spec.own_group = true;
  if (!job->workdir.empty()) spec.cwd = job->workdir;
  if (!options_.ungroup) {
    spec.out = job->out;
    spec.err = job->err;
  }
  if (options_.cat) {
    if (const Status written = vfs::WriteFile(in_.fs, job->file, job->block); !written) return Break(written.error());
  }
  vfs::OpenFilePtr terminal;
  if ((options_.opens_terminal || options_.is_at_terminal) && !options_.pipe) {
    if (auto opened = in_.fs.Open("/dev/tty", vfs::OpenFlags::Read())) terminal = *opened;
  }
  if (terminal != nullptr) {
    spec.in = terminal;
  } else if (options_.pipe && !options_.cat) {
    auto ends = vfs::MakePipe(in_.kernel.scheduler(), std::max<size_t>(job->block.size(), 1));
    [[maybe_unused]] const Status filled = ends.write->Write(job->block);   // it has room for all of it
    spec.in = ends.read;
  } else if (auto null = in_.fs.Open("/dev/null", vfs::OpenFlags::Read())) {
    spec.in = *null;
  }
  in_.out.Flush();
  last_start_ = job->started = in_.clock.MonotonicNow();
  if (first_start_ == Nanoseconds(0)) first_start_ = last_start_;
  job->started_real = in_.clock.RealNow();
  if (options_.timeout && options_.timeout->ends_with('%')) {
    // A part of what jobs took until now, once there are some.
    if (const int64_t done = failed_ + succeeded_; done >= 3) {
      job->deadline = job->started + Nanoseconds(static_cast<int64_t>(static_cast<double>(time_of_done_.count()) / static_cast<double>(done) *
                                                                      std::strtod(options_.timeout->c_str(), nullptr) / 100));
    }
  } else if (options_.timeout) {
    if (const auto seconds = ParseDuration(*options_.timeout); seconds && *seconds < 1e9) job->deadline = job->started + ToNanoseconds(*seconds);
  }
  ++job->tries;
  const int own_niceness = in_.process.niceness();
  if (options_.niceness) in_.process.set_niceness(static_cast<int>(std::clamp<int64_t>(own_niceness + *options_.niceness, -20, 19)));
  const auto pid = in_.launcher.Spawn(in_.process, spec);
  in_.process.set_niceness(own_niceness);
  if (!pid) {
    in_.Fail("/usr/bin/bash", pid.error());
    return End(job, {127, 0});
  }
  job->pid = *pid;
  running_.push_back(job);
}

void ParallelJobs::WaitForOne() {
  std::vector<int> pids;
  Nanoseconds until = Nanoseconds::max();
  for (const JobPtr& job : running_) {
    pids.push_back(job->pid);
    until = std::min({until, job->deadline, job->next_kill});
  }
  if (options_.suspend_memory) {
    StopYoungest();
    until = std::min(until, in_.clock.MonotonicNow() + std::chrono::seconds(1));
  }
  const auto ended = in_.kernel.WaitAny(in_.process, pids, until, proc::Kernel::OnSignal::kWaitOn);
  if (!ended && ended.error().code == Code::kTimedOut) return KillLate();
  if (!ended) return running_.clear();
  const auto it = std::find_if(running_.begin(), running_.end(), [&](const JobPtr& job) { return job->pid == ended->pid; });
  const JobPtr job = *it;
  running_.erase(it);
  End(job, ended->status);
}

// "TERM,200,KILL,25": signals, and milliseconds until the next one. A name that is none sends nothing.
void ParallelJobs::ParseKillSequence() {
  const std::string text = options_.kill_sequence.value_or("TERM,200,TERM,100,TERM,50,KILL,25");
  std::string_view rest = text;
  while (!rest.empty() && kill_sequence_.size() < 1000) {
    std::string_view parts[2];
    for (std::string_view& part : parts) {
      part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    int64_t milliseconds = 0;
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), milliseconds);
    kill_sequence_.push_back({std::max(proc::FindSignal(parts[0]), 0), std::chrono::milliseconds(std::clamp<int64_t>(milliseconds, 0, 1'000'000'000))});
  }
}

void ParallelJobs::Kill(Job& job) {
  job.next_kill = Nanoseconds::max();
  if (job.kill_step >= kill_sequence_.size()) return;
  const KillStep& step = kill_sequence_[job.kill_step++];
  if (step.signal != 0) [[maybe_unused]] const Status sent = in_.kernel.Signal(in_.process, -job.pid, step.signal);
  if (job.is_stopped) [[maybe_unused]] const Status sent = in_.kernel.Signal(in_.process, -job.pid, proc::kSigCont);
  job.is_stopped = false;
  job.next_kill = in_.clock.MonotonicNow() + step.wait;
}

// The fewer bytes are free of twice the limit, the fewer of the oldest jobs go on.
void ParallelJobs::StopYoungest() {
  const auto limit = static_cast<double>(ParseParallelSize(*options_.suspend_memory));
  const auto text = vfs::ReadFile(in_.fs, "/proc/meminfo", 1 << 16).value_or("");
  constexpr std::string_view kLabel = "MemAvailable:";
  const size_t at = text.find(kLabel);
  if (limit <= 0 || at == std::string::npos) return;
  const double free = std::strtod(text.c_str() + at + kLabel.size(), nullptr) * 1024;
  size_t goes_on = running_.size();
  if (free < 2 * limit) goes_on = std::max<size_t>(1, static_cast<size_t>(1 / (2 - free / limit)));
  std::vector<JobPtr> oldest = running_;
  std::sort(oldest.begin(), oldest.end(), [](const JobPtr& a, const JobPtr& b) { return a->sequence < b->sequence; });
  for (size_t i = 0; i < oldest.size(); ++i) {
    const bool stops = i >= goes_on;
    if (stops == oldest[i]->is_stopped) continue;
    oldest[i]->is_stopped = stops;
    [[maybe_unused]] const Status sent = in_.kernel.Signal(in_.process, -oldest[i]->pid, stops ? proc::kSigStop : proc::kSigCont);
  }
}

bool ParallelJobs::Asks(const Job& job) {
  in_.out.Flush();
  in_.err.Write(job.command + " ?...");
  auto terminal = in_.fs.Open("/dev/tty", vfs::OpenFlags::Read());
  if (!terminal) {
    Break(Error(Code::kIo, "Cannot open /dev/tty to ask."));
    return false;
  }
  Input answers(**terminal, in_.budget);
  const auto line = answers.ReadLine();
  const std::string_view answer = line ? line->text : std::string_view();
  const size_t first = answer.find_first_not_of(" \t");
  const bool is_yes = first != std::string_view::npos && (answer[first] == 'y' || answer[first] == 'Y');
  if (!is_yes) ++skipped_;
  return is_yes;
}

void ParallelJobs::KillLate() {
  const Nanoseconds now = in_.clock.MonotonicNow();
  for (const JobPtr& job : running_) {
    if (job->next_kill <= now) Kill(*job);
    if (job->deadline > now) continue;
    job->deadline = Nanoseconds::max();
    job->timed_out = true;
    in_.out.Flush();
    in_.err.Write("parallel: Warning: This job was killed because it timed out:\nparallel: Warning: " + job->command + "\n");
    Kill(*job);
  }
}

void ParallelJobs::End(const JobPtr& job, const proc::WaitStatus& how) {
  const bool failed = how.status != 0 || how.signal != 0 || job->timed_out;
  if (failed && options_.retries && job->tries < *options_.retries && !is_halted_) {
    job->out->Clear();
    job->err->Clear();
    job->timed_out = false;
    return Start(job);
  }
  if (!job->file.empty()) [[maybe_unused]] const Status gone = in_.fs.RemoveFile(job->file);   // a job may have taken it away itself
  time_of_done_ += in_.clock.MonotonicNow() - job->started;
  if (log_) Log(*job, how);
  if (results_.is_wanted() && !is_broken_) {
    const auto name = Filled(*options_.results, job->values);
    if (name && !results_.Keep({job->sequence, Seconds(job->started_real), Seconds(in_.clock.MonotonicNow() - job->started), job->block.size(),
                                how.signal != 0 ? 0 : job->timed_out ? -1 : how.status, how.signal, job->command, job->out->text(), job->err->text(),
                                &job->values.arguments, *name})) {
      is_broken_ = is_halted_ = true;
    }
    job->out->Clear();
    job->err->Clear();
  }
  if (options_.colors_failed && failed) {
    job->out->Redden();
    job->err->Redden();
  }
  if (options_.to_files) {
    const auto name = results_.Put(job->out->text());
    job->out->Clear();
    if (name) [[maybe_unused]] const Status kept = job->out->Write(*name + "\n");   // it is memory
  }
  job->is_done = true;
  PrintJob(*job);
  failed_ += failed ? 1 : 0;
  succeeded_ += failed ? 0 : 1;
  Tell();
  if (!was_killed_) CheckHalt(*job, failed, how.status);
}

// --progress, --eta, --bar.
void ParallelJobs::Tell() {
  const int64_t done = failed_ + succeeded_;
  const double seconds = Seconds(in_.clock.MonotonicNow() - first_start_);
  const double each = seconds / static_cast<double>(done);
  const int64_t left = std::max<int64_t>(total_ - done, 0);
  char text[160] = "";
  if (options_.shows_bar) {
    std::snprintf(text, sizeof text, "\r%lld%% %lld:%lld=%llds ", static_cast<long long>(total_ == 0 ? 100 : done * 100 / total_), static_cast<long long>(done),
                  static_cast<long long>(left), static_cast<long long>(each * static_cast<double>(left)));
    in_.err.Write(text);
  }
  if (!options_.shows_progress && !options_.shows_eta) return;
  if (options_.shows_eta) {
    std::snprintf(text, sizeof text, "\rETA: %llds Left: %lld AVG: %.2fs  ", static_cast<long long>(each * static_cast<double>(left)), static_cast<long long>(left), each);
    in_.err.Write(text);
  } else {
    in_.err.Write("\r");
  }
  std::snprintf(text, sizeof text, "local:%zu/%lld/100%%/%.1fs ", running_.size(), static_cast<long long>(done), each);
  in_.err.Write(text);
}

void ParallelJobs::Log(const Job& job, const proc::WaitStatus& how) {
  char text[160];
  const int length = std::snprintf(text, sizeof text, "%lld\t:\t%.3f\t%10.3f\t%zu\t%zu\t%d\t%d\t", static_cast<long long>(job.sequence),
                                   Seconds(job.started_real), Seconds(in_.clock.MonotonicNow() - job.started), job.block.size(), job.out->written(),
                                   job.timed_out ? -1 : how.signal != 0 ? 0 : how.status, how.signal);
  log_->Write(std::string_view(text, static_cast<size_t>(length)));
  log_->WriteLine(job.command);
  log_->Flush();
}

void ParallelJobs::CheckHalt(const Job& job, bool failed, ExitStatus status) {
  if (halt_.when == Halt::When::kNever) return;
  const bool counts = halt_.what == Halt::What::kDone || failed == (halt_.what == Halt::What::kFail);
  if (!counts) return;
  const char* const verb = halt_.what == Halt::What::kDone ? "finished" : failed ? "failed" : "succeeded";
  in_.out.Flush();
  in_.err.Write(std::string("parallel: This job ") + verb + ":\n" + job.command + "\n");
  const int64_t reached = halt_.what == Halt::What::kDone ? failed_ + succeeded_ : failed ? failed_ : succeeded_;
  if (halt_.is_percent ? total_ == 0 || reached * 100 < halt_.count * total_ || failed_ + succeeded_ < 3 : reached < halt_.count) return;
  is_halted_ = true;
  const bool is_first = halt_.count == 1 && !halt_.is_percent;
  if (halt_.what == Halt::What::kFail) halt_status_ = is_first ? status : static_cast<ExitStatus>(std::min<int64_t>(halt_.is_percent ? failed_ * 100 / total_ : failed_, 101));
  if (halt_.what != Halt::What::kFail) halt_status_ = is_first ? status : 0;
  if (halt_.when == Halt::When::kNow) {
    was_killed_ = true;
    for (const JobPtr& other : running_) Kill(*other);
  } else if (!running_.empty()) {
    in_.err.Write("parallel: Starting no more jobs. Waiting for " + std::to_string(running_.size()) + " jobs to finish.\n");
  }
}

void ParallelJobs::PutOut(Job& job) {
  job.out->Flush(in_.out);
  job.err->Flush(in_.err);
}

void ParallelJobs::PrintJob(Job& job) {
  if (!options_.keeps_order) {
    if (!was_killed_) PutOut(job);
    return;
  }
  while (!ordered_.empty() && ordered_.front()->is_done) {
    PutOut(*ordered_.front());
    ordered_.pop_front();
  }
}

}  // namespace paddock
