// sha224sum - compute and check SHA224 message digest
//
// usage: sha224sum [OPTION]... [FILE]...
// Writes the SHA224 digest of each FILE, or (-c) checks files against lists of digests.
//
// Exit status: 0, or 1 when a file could not be read or a check failed.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/digest_sum.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in, const DigestOptions& options, const std::vector<std::string>& operands) {
  return RunDigestSum(in, kSha224, options, operands);
}

}  // namespace

extern const Command kCommand_sha224sum;
const Command kCommand_sha224sum = Define<DigestOptions, Run>({
    .name = "sha224sum",
    .summary = "compute and check SHA224 message digest",
    .synopsis = kDigestSynopsis,
    .details = kDigestDetails,
    .options = kDigestOptions,
});

}  // namespace paddock
