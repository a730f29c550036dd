// What parallel was asked for: shared by its parts (parallel*.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

inline constexpr int kParallelFailed = 255;

struct ParallelOptions {
  std::optional<std::string> jobs, colsep, delimiter, joblog, tagstring, halt, delay, timeout;
  // Other spellings of the places in a template.
  std::optional<std::string> placeholder, base_name, directory, base_stem, stem, sequence, slot;
  std::optional<std::string> end_of_input, header, trim, results, workdir, tmpdir, filter, record_start, record_end, group_by, slot_variable;
  std::optional<std::string> load, free_memory, minimum_version, suspend_memory;
  std::optional<std::string> bin, shard, block_timeout, kill_sequence, completed_shell;
  std::string retired;   // the complaint about an option that is no longer there
  std::string parens = "{==}", argument_marker = ":::", file_marker = "::::", block = "1M";
  std::optional<int64_t> max_args, replace_args, lines, retries, total_jobs, niceness, max_chars;
  std::vector<std::string> files, replacements, templates, variables, profiles;
  // Of other machines: what is asked of them, and the first option that only they would look at.
  std::vector<std::string> hosts, host_files;
  std::optional<std::string> ignored_for_hosts;
  bool runs_without_arguments = false, counts_sockets = false, is_csv = false;
  std::optional<std::string> limit;
  // Of semaphores.
  bool is_semaphore = false, in_foreground = false, waits_for_semaphore = false;
  std::string semaphore = "default";
  std::optional<int64_t> semaphore_timeout;
  bool keeps_order = false, dry_run = false, multiple = false, repeats = false, tags = false, line_buffer = false, ungroup = false;
  bool has_block = false, pipe = false, pipe_part = false, round_robin = false, tee = false, cat = false, fifo = false, is_regexp = false, removes_separators = false;
  bool null = false, no_run_if_empty = false, verbose = false, trace = false, quotes = false, cites = false, plus = false, links = false;
  bool plain = false, shuffles = false, skips_first = false, to_files = false, stops_when_too_long = false;
  bool resumes = false, resumes_failed = false, retries_failed = false, colors_failed = false, quotes_arguments = false, waits_for_no_swap = false;
  bool colors = false, has_host_groups = false, asks_first = false, opens_terminal = false, is_at_terminal = false, records_environment = false, runs_script = false;
  bool shows_progress = false, shows_eta = false, shows_bar = false, shows_limits = false, shows_help = false, shows_version = false;
  // A number or a text that is asked for instead of jobs.
  enum class Question { kNone, kCores, kSockets, kLongestLine } question = Question::kNone;
};

// 10, 10k, 1M …; 0 for what is no size.
uint64_t ParseParallelSize(std::string_view text);

}  // namespace paddock
