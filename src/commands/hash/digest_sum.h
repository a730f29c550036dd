// md5sum, sha1sum … sha512sum and the digests of cksum: one program with different hashes.
//
// Source: GNU coreutils 9.1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/digest.h"

namespace paddock {

// A hash as the tools name it.
struct DigestKind {
  const char* tag;        // "MD5", "SHA256": in BSD-style lines
  DigestAlgorithm algorithm;
  size_t hex_length;      // BLAKE2b may have less than its 128
};

inline constexpr DigestKind kMd5 = {"MD5", DigestAlgorithm::kMd5, 32};
inline constexpr DigestKind kSha1 = {"SHA1", DigestAlgorithm::kSha1, 40};
inline constexpr DigestKind kSha224 = {"SHA224", DigestAlgorithm::kSha224, 56};
inline constexpr DigestKind kSha256 = {"SHA256", DigestAlgorithm::kSha256, 64};
inline constexpr DigestKind kSha384 = {"SHA384", DigestAlgorithm::kSha384, 96};
inline constexpr DigestKind kSha512 = {"SHA512", DigestAlgorithm::kSha512, 128};
inline constexpr DigestKind kBlake2b = {"BLAKE2b", DigestAlgorithm::kBlake2b, 128};
inline constexpr DigestKind kSm3 = {"SM3", DigestAlgorithm::kSm3, 64};

enum class DigestMode { kUnset, kBinary, kText };

struct DigestOptions {
  DigestMode mode = DigestMode::kUnset;
  bool check = false;
  bool tag = false;
  bool zero = false;
  bool ignore_missing = false;
  bool quiet = false;
  bool status = false;
  bool strict = false;
  bool warn = false;
};

// A later -t is at odds with it, an earlier one is forgotten.
inline Status SetDigestTag(DigestOptions& options, std::string_view) {
  options.tag = true;
  options.mode = DigestMode::kBinary;
  return {};
}

inline constexpr Option kDigestOptions[] = {
    Set<&DigestOptions::mode, DigestMode::kBinary>('b', "binary", "read in binary mode"),
    Flag<&DigestOptions::check>('c', "check", "read checksums from the FILEs and check them"),
    Call<SetDigestTag>(0, "tag", nullptr, "create a BSD-style checksum"),
    Set<&DigestOptions::mode, DigestMode::kText>('t', "text", "read in text mode (default)"),
    Flag<&DigestOptions::zero>('z', "zero",
                               "end each output line with NUL, not newline, and disable file name escaping"),
    Flag<&DigestOptions::ignore_missing>(0, "ignore-missing",
                                         "don't fail or report status for missing files"),
    Flag<&DigestOptions::quiet>(0, "quiet", "don't print OK for each successfully verified file"),
    Flag<&DigestOptions::status>(0, "status", "don't output anything, status code shows success"),
    Flag<&DigestOptions::strict>(0, "strict", "exit non-zero for improperly formatted checksum lines"),
    Flag<&DigestOptions::warn>('w', "warn", "warn about improperly formatted checksum lines"),
};

inline constexpr const char* kDigestSynopsis = "[OPTION]... [FILE]...";
inline constexpr const char* kDigestDetails =
    "\nThe options --ignore-missing, --quiet, --status, --strict and --warn are useful only when verifying\n"
    "checksums.  The input should be a former output of this program.\n";

// Hashes the files, or checks them against the lists that `operands` name.
ExitStatus RunDigestSum(Invocation& in, const DigestKind& kind, const DigestOptions& options,
                        const std::vector<std::string>& operands);

// Looks whether BITS is a number of whole bytes; the exit status after a complaint.
std::optional<ExitStatus> CheckDigestLength(Invocation& in, const std::string& bits);
// The BLAKE2b of -l BITS; the exit status after a complaint.
std::optional<ExitStatus> SetBlake2Length(Invocation& in, const std::string& bits, DigestKind& kind);

// Parts that cksum uses too.

// Lower-case digits of the hash of a file ("-": standard input). The error is that of opening or reading.
Result<std::string> HashFile(Invocation& in, const DigestKind& kind, const std::string& name);
// Writes one line of output.
void WriteDigest(Output& out, const DigestKind& kind, std::string_view digest, std::string_view name,
                 const DigestOptions& options);
// Checks lists of hashes of any of the kinds; untagged lines need exactly one kind.
ExitStatus CheckDigests(Invocation& in, std::span<const DigestKind> kinds, const DigestOptions& options,
                        const std::vector<std::string>& operands);
// Complains about options that go with --check only, or not with it; nothing when all is well.
std::optional<ExitStatus> CheckDigestOptions(Invocation& in, const DigestOptions& options);

}  // namespace paddock
