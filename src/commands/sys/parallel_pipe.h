// parallel --pipe: what stands on standard input (or in a file) goes to the jobs in blocks of whole records.
#pragma once

#include "commands/sys/parallel_jobs.h"
#include "commands/sys/parallel_records.h"

namespace paddock {

// Runs all jobs. `jobs_at_once` is -j's number. False: told what is wrong.
bool RunParallelPipe(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, int64_t jobs_at_once);
// --pipe-part with its file.
bool RunParallelPipePart(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, const std::string& name, int64_t jobs_at_once);
// --bin and --shard: each line to the job that a column of it chooses.
bool RunParallelBins(Invocation& in, const ParallelOptions& options, ParallelJobs& jobs, int64_t jobs_at_once);
// --tee: all of the input to each of the jobs that `records` makes.
bool RunParallelTee(Invocation& in, ParallelJobs& jobs, ParallelRecords& records);

}  // namespace paddock
