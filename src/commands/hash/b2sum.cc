// b2sum - compute and check BLAKE2b message digest
//
// usage: b2sum [OPTION]... [FILE]...
// Writes the BLAKE2b digest of each FILE (of 512 bits, or -l), or (-c) checks files against lists of digests.
//
// Exit status: 0, or 1 when a file could not be read or a check failed.
// Source: RFC 7693; GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/digest_sum.h"

namespace paddock {
namespace {

struct Options {
  DigestOptions digest;
  std::optional<std::string> length;
};

template <auto kMember>
Status Turn(Options& options, std::string_view) {
  options.digest.*kMember = true;
  return {};
}
template <DigestMode kMode>
Status SetMode(Options& options, std::string_view) {
  options.digest.mode = kMode;
  return {};
}
Status SetTag(Options& options, std::string_view) { return SetDigestTag(options.digest, {}); }

constexpr Option kOptions[] = {
    Call<SetMode<DigestMode::kBinary>>('b', "binary", nullptr, "read in binary mode"),
    Call<Turn<&DigestOptions::check>>('c', "check", nullptr, "read checksums from the FILEs and check them"),
    Value<&Options::length>('l', "length", "BITS", "digest length in bits, a multiple of 8 up to 512"),
    Call<SetTag>(0, "tag", nullptr, "create a BSD-style checksum"),
    Call<SetMode<DigestMode::kText>>('t', "text", nullptr, "read in text mode (default)"),
    Call<Turn<&DigestOptions::zero>>('z', "zero", nullptr,
                                     "end each output line with NUL, not newline, and disable file name escaping"),
    Call<Turn<&DigestOptions::ignore_missing>>(0, "ignore-missing", nullptr,
                                               "don't fail or report status for missing files"),
    Call<Turn<&DigestOptions::quiet>>(0, "quiet", nullptr, "don't print OK for each successfully verified file"),
    Call<Turn<&DigestOptions::status>>(0, "status", nullptr, "don't output anything, status code shows success"),
    Call<Turn<&DigestOptions::strict>>(0, "strict", nullptr,
                                       "exit non-zero for improperly formatted checksum lines"),
    Call<Turn<&DigestOptions::warn>>('w', "warn", nullptr, "warn about improperly formatted checksum lines"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  DigestKind kind = kBlake2b;
  if (options.length) {
    if (const auto failed = SetBlake2Length(in, *options.length, kind)) return *failed;
  }
  return RunDigestSum(in, kind, options.digest, operands);
}

}  // namespace

extern const Command kCommand_b2sum;
const Command kCommand_b2sum = Define<Options, Run>({
    .name = "b2sum",
    .summary = "compute and check BLAKE2b message digest",
    .synopsis = kDigestSynopsis,
    .details = kDigestDetails,
    .options = kOptions,
});

}  // namespace paddock
