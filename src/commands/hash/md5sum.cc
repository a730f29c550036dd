// md5sum - compute and check MD5 message digest
//
// usage: md5sum [OPTION]... [FILE]...
// Writes the MD5 digest of each FILE, or (-c) checks files against lists of digests.
//
// Exit status: 0, or 1 when a file could not be read or a check failed.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/digest_sum.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in, const DigestOptions& options, const std::vector<std::string>& operands) {
  return RunDigestSum(in, kMd5, options, operands);
}

}  // namespace

extern const Command kCommand_md5sum;
const Command kCommand_md5sum = Define<DigestOptions, Run>({
    .name = "md5sum",
    .summary = "compute and check MD5 message digest",
    .synopsis = kDigestSynopsis,
    .details = kDigestDetails,
    .options = kDigestOptions,
});

}  // namespace paddock
