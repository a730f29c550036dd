// cksum - compute and verify file checksums
//
// usage: cksum [OPTION]... [FILE]...
// Writes the CRC checksum and size of each FILE, or the digest that -a names, or (-c) checks digests.
//
// Exit status: 0, or 1 when a file could not be read or a check failed.
// Source: POSIX cksum; GNU coreutils 9.1.
// Differs: the CRC of a directory is refused.

#include "commands/closed_input.h"
#include "commands/hash/crc.h"
#include "commands/hash/digest_sum.h"
#include "commands/input_files.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> algorithm;
  std::optional<std::string> length;
  bool check = false;
  bool untagged = false;
  bool zero = false;
  bool ignore_missing = false;
  bool quiet = false;
  bool status = false;
  bool strict = false;
  bool warn = false;
  bool debug = false;
};

constexpr Option kOptions[] = {
    Value<&Options::algorithm>('a', "algorithm", "TYPE", "select the digest type to use: sysv, bsd, crc, md5, "
                                                         "sha1, sha224, sha256, sha384, sha512, blake2b, sm3"),
    Flag<&Options::check>('c', "check", "read checksums from the FILEs and check them"),
    Value<&Options::length>('l', "length", "BITS", "digest length in bits"),
    Set<&Options::untagged, false>(0, "tag", "create a BSD-style checksum (the default)"),
    Flag<&Options::untagged>(0, "untagged", "create a reversed style checksum, without digest type"),
    Flag<&Options::zero>('z', "zero",
                         "end each output line with NUL, not newline, and disable file name escaping"),
    Flag<&Options::ignore_missing>(0, "ignore-missing", "don't fail or report status for missing files"),
    Flag<&Options::quiet>(0, "quiet", "don't print OK for each successfully verified file"),
    Flag<&Options::status>(0, "status", "don't output anything, status code shows success"),
    Flag<&Options::strict>(0, "strict", "exit non-zero for improperly formatted checksum lines"),
    Flag<&Options::warn>('w', "warn", "warn about improperly formatted checksum lines"),
    Flag<&Options::debug>(0, "debug", "indicate which implementation used"),
};

constexpr Choice kAlgorithms[] = {{"bsd", 0},    {"sysv", 1},   {"crc", 2},    {"md5", 3},
                                  {"sha1", 4},   {"sha224", 5}, {"sha256", 6}, {"sha384", 7},
                                  {"sha512", 8}, {"blake2b", 9}, {"sm3", 10}};
constexpr SumKind kSums[] = {SumKind::kBsd, SumKind::kSysv, SumKind::kCrc};
constexpr DigestKind kDigests[] = {kMd5, kSha1, kSha224, kSha256, kSha384, kSha512, kBlake2b, kSm3};
constexpr int kFirstDigest = 3;
constexpr int kCrcIndex = 2;
constexpr int kBlakeIndex = 9;

ExitStatus WriteSums(Invocation& in, SumKind kind, const Options& options, const std::vector<std::string>& operands) {
  ExitStatus status = 0;
  const std::vector<std::string> names = operands.empty() ? std::vector<std::string>{"-"} : operands;
  for (const std::string& name : names) {
    auto sum = SumFile(in, kind, name);
    if (!sum) {
      ReportFile(in, name, sum.error());
      status = 1;
      continue;
    }
    WriteSum(in.out, kind, *sum, operands.empty() ? "" : name, options.zero ? '\0' : '\n');
  }
  return CloseStandardInput(in, operands, status, "standard input");
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  int algorithm = kCrcIndex;
  if (options.algorithm) {
    auto found = FindWholeChoice("--algorithm", *options.algorithm, kAlgorithms, is_utf8);
    if (!found) return in.Usage(found.error().Text());
    algorithm = *found;
  }
  DigestKind kind = algorithm < kFirstDigest ? kMd5 : kDigests[algorithm - kFirstDigest];
  if (options.length) {
    if (const auto failed = CheckDigestLength(in, *options.length)) return *failed;
    if (algorithm == kBlakeIndex) {
      if (const auto failed = SetBlake2Length(in, *options.length, kind)) return *failed;
    } else if (ParseSize(*options.length, "").value != 0) {
      return in.Fail("--length is only supported with --algorithm=blake2b");
    }
  }
  DigestOptions digest_options;
  digest_options.tag = !options.untagged && !options.check;
  digest_options.check = options.check;
  digest_options.zero = options.zero;
  digest_options.ignore_missing = options.ignore_missing;
  digest_options.quiet = options.quiet;
  digest_options.status = options.status;
  digest_options.strict = options.strict;
  digest_options.warn = options.warn;
  if (options.check && options.algorithm && algorithm < kFirstDigest) {
    return in.Fail("--check is not supported with --algorithm={bsd,sysv,crc}");
  }
  if (const auto status = CheckDigestOptions(in, digest_options)) return *status;
  if (options.debug && algorithm == kCrcIndex) in.Fail("using generic support");
  if (options.check) {
    if (algorithm < kFirstDigest) return CheckDigests(in, kDigests, digest_options, operands);
    return CheckDigests(in, {&kind, 1}, digest_options, operands);
  }
  if (algorithm < kFirstDigest) return WriteSums(in, kSums[algorithm], options, operands);
  return RunDigestSum(in, kind, digest_options, operands);
}

}  // namespace

extern const Command kCommand_cksum;
const Command kCommand_cksum = Define<Options, Run>({
    .name = "cksum",
    .summary = "compute and verify file checksums",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
