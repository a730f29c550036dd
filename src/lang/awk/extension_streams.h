// What the libraries readdir, readfile, revoutput and revtwoway make of the files and commands that a program names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stream.h"
#include "lang/awk/host.h"
#include "lang/awk/record_reader.h"

namespace paddock::awk {

// Questions to the libraries that are loaded; each is asked when something is opened.
struct StreamLibraries {
  bool lists_directories = false;            // readdir
  bool has_mirror = false;                   // revtwoway
  std::function<bool()> reads_whole_files;   // readfile
  std::function<bool()> reverses_output;     // revoutput
};

struct OpenedInput {
  std::unique_ptr<ByteSource> source;
  std::optional<RecordRule> rule;   // instead of RS
};
Result<OpenedInput> OpenInput(Host& host, const StreamLibraries& libraries, std::string_view path);

// Turns every piece that is written around.
std::unique_ptr<ByteSink> MakeReversingSink(std::unique_ptr<ByteSink> target, Budget& budget);

// The coprocess "/magic/mirror", which gives every piece back turned around.
inline constexpr std::string_view kMirrorName = "/magic/mirror";
std::unique_ptr<Coprocess> MakeMirror(Budget& budget);

}  // namespace paddock::awk
