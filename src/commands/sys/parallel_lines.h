// The command lines of parallel: how many arguments each of them gets.
#pragma once

#include "commands/sys/parallel_jobs.h"
#include "commands/sys/parallel_records.h"

namespace paddock {

inline constexpr int64_t kLongestParallelLine = 130329;

// Adds a job for each command line, in order or shuffled. `counts`: all are known before the first one begins.
// False when a command line is too long; told.
bool RunParallelArguments(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, ParallelRecords& records, int64_t jobs_at_once, bool counts);

}  // namespace paddock
