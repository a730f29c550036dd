// mcookie - generate a magic cookie: 128 random bits in hexadecimal
//
// usage: mcookie [options]
//
// Exit status: 0, or 1 for a usage error.
// Source: util-linux 2.38.
// Differs: nothing known.

#include "base/random.h"
#include "commands/input_files.h"
#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/digest.h"
#include "text/numbers.h"

namespace paddock {
namespace {

struct Options {
  std::vector<std::string> files;
  std::optional<std::string> most;
  bool verbose = false, wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Value<&Options::files>('f', "file", "FILE", "use file as a cookie seed"),
    Value<&Options::most>('m', "max-size", "NUM", "limit how much is read from seed files"),
    Flag<&Options::verbose>('v', "verbose", "explain what is being done"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  if (!PrepareWithLetters(in, options, &status)) return status;
  uint64_t most = UINT64_MAX;
  if (options.most) {
    const auto value = ParseCount(*options.most, "KMGTPEZY0");
    if (!value) return in.Fail("failed to parse length: '" + *options.most + "': Invalid argument");
    most = *value;
  }
  const auto digester = MakeDigester(DigestAlgorithm::kMd5);
  for (const std::string& name : options.files) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      in.Fail("cannot open " + name, file.error());
      continue;
    }
    Input& input = file->input();
    uint64_t taken = 0;
    for (std::string_view bytes = input.Peek(); !bytes.empty() && taken < most; bytes = input.Peek()) {
      bytes = bytes.substr(0, most - taken);
      in.budget.Step(static_cast<int64_t>(1 + bytes.size() / 32));
      digester->Update(bytes);
      taken += bytes.size();
      input.Consume(bytes.size());
    }
    if (options.verbose) in.err.Write("Got " + std::to_string(taken) + (taken == 1 ? " byte from " : " bytes from ") + name + "\n");
  }
  uint8_t bytes[128];
  FillRandom(bytes);
  digester->Update({reinterpret_cast<const char*>(bytes), sizeof bytes});
  if (options.verbose) in.err.Write("Got " + std::to_string(sizeof bytes) + " bytes from getrandom() function\n");
  in.out.WriteLine(HexOf(digester->Finish()));
  return 0;
}

}  // namespace

extern const Command kCommand_mcookie;
const Command kCommand_mcookie = {
    .name = "mcookie",
    .summary = "generate magic cookies for xauth",
    .synopsis = "[options]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
