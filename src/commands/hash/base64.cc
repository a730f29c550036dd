// base64 - base64 encode/decode data and print to standard output
//
// usage: base64 [OPTION]... [FILE]
// Encodes FILE or standard input in lines of 76 characters, or decodes it.
//
// Exit status: 0, or 1 for input that is not base64.
// Source: RFC 4648; GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/base_encoding.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in, const BaseEncodingOptions& options, const std::vector<std::string>& operands) {
  return RunBaseEncoding(in, BaseEncoding::kBase64, options, operands);
}

}  // namespace

extern const Command kCommand_base64;
const Command kCommand_base64 = Define<BaseEncodingOptions, Run>({
    .name = "base64",
    .summary = "base64 encode/decode data and print to standard output",
    .synopsis = "[OPTION]... [FILE]",
    .options = kBaseEncodingOptions,
});

}  // namespace paddock
