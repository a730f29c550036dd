// base64, base32 and basenc: one program with different encodings.
//
// Source: RFC 4648; ZeroMQ spec:32/Z85; GNU coreutils 9.1.
#pragma once

#include <string>
#include <vector>

#include "proc/command.h"

namespace paddock {

enum class BaseEncoding { kBase64, kBase64Url, kBase32, kBase32Hex, kBase16, kBase2Msbf, kBase2Lsbf, kZ85 };

struct BaseEncodingOptions {
  bool decode = false;
  bool ignore_garbage = false;
  std::string wrap = "76";
};

inline constexpr Option kBaseEncodingOptions[] = {
    Flag<&BaseEncodingOptions::decode>('d', "decode", "decode data"),
    Flag<&BaseEncodingOptions::ignore_garbage>('i', "ignore-garbage",
                                               "when decoding, ignore non-alphabet characters"),
    Value<&BaseEncodingOptions::wrap>('w', "wrap", "COLS", "wrap encoded lines after COLS character (default 76)"),
};

// Encodes or decodes the one operand, or standard input.
ExitStatus RunBaseEncoding(Invocation& in, BaseEncoding encoding, const BaseEncodingOptions& options,
                           const std::vector<std::string>& operands);

}  // namespace paddock
