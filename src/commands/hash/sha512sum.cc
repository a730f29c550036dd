// sha512sum - compute and check SHA512 message digest
//
// usage: sha512sum [OPTION]... [FILE]...
// Writes the SHA512 digest of each FILE, or (-c) checks files against lists of digests.
//
// Exit status: 0, or 1 when a file could not be read or a check failed.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/digest_sum.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in, const DigestOptions& options, const std::vector<std::string>& operands) {
  return RunDigestSum(in, kSha512, options, operands);
}

}  // namespace

extern const Command kCommand_sha512sum;
const Command kCommand_sha512sum = Define<DigestOptions, Run>({
    .name = "sha512sum",
    .summary = "compute and check SHA512 message digest",
    .synopsis = kDigestSynopsis,
    .details = kDigestDetails,
    .options = kDigestOptions,
});

}  // namespace paddock
