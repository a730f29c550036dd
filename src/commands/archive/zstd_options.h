// What zstd was asked for: shared by its parts (zstd*.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/zstd_dictionary.h"

namespace paddock::zstd {

enum class Way { kPack, kUnpack, kTest, kList, kTrain };
enum class Form { kZstd, kGzip, kXz, kLzma };

struct Options {
  Way way = Way::kPack;
  Form form = Form::kZstd;
  bool to_stdout = false, force = false, removes = false, recursive = false, ultra = false, follows_links = false, excludes_packed = false;
  bool shows_short_help = false, shows_help = false, shows_version = false, checks = true, has_dictionary_id = true, has_size = true, has_patch = false;
  int shown = 2, level = 3, long_log = 0;
  uint64_t memory = 0, threads = 1, job_size = 0, size_hint = 0, target_block = 0;
  std::optional<uint64_t> stream_size;
  std::optional<bool> passes_through, compresses_literals, finds_by_rows;
  bool is_urgent = false;   // --priority=rt
  std::string dictionary, flat_directory, mirror_directory;
  std::optional<std::string> output;
  std::vector<std::string> lists;
  codec::ZstdTraining training;
  uint64_t dictionary_id = 0, dictionary_size = 110 << 10;
  bool benches = false, benches_each = false;
  uint64_t bench_last = 0, bench_seconds = 3;
  bool adapts = false, is_rsyncable = false, is_single_thread = false;
  int least_level = 0, most_level = 0;   // of --adapt; 0: any
  std::string trace;
};

inline constexpr const char* kStdin = "/*stdin*\\";
inline constexpr const char* kStdout = "/*stdout*\\";

}  // namespace paddock::zstd
