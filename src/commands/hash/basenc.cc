// basenc - encode/decode data in one of several encodings and print to standard output
//
// usage: basenc ENCODING [OPTION]... [FILE]
// Encodes FILE or standard input in lines of 76 characters, or decodes it.
//
// Exit status: 0, or 1 for input that is not of the encoding, or without ENCODING.
// Source: RFC 4648; ZeroMQ spec:32/Z85; GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/hash/base_encoding.h"

namespace paddock {
namespace {

struct Options {
  BaseEncodingOptions base;
  std::optional<BaseEncoding> encoding;
};

template <auto kMember>
Status Turn(Options& options, std::string_view) {
  options.base.*kMember = true;
  return {};
}
template <BaseEncoding kEncoding>
Status SetEncoding(Options& options, std::string_view) {
  options.encoding = kEncoding;
  return {};
}
Status SetWrap(Options& options, std::string_view columns) {
  options.base.wrap = columns;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetEncoding<BaseEncoding::kBase64>>(0, "base64", nullptr, "same as 'base64' program (RFC4648 section 4)"),
    Call<SetEncoding<BaseEncoding::kBase64Url>>(0, "base64url", nullptr,
                                                "file- and url-safe base64 (RFC4648 section 5)"),
    Call<SetEncoding<BaseEncoding::kBase32>>(0, "base32", nullptr, "same as 'base32' program (RFC4648 section 6)"),
    Call<SetEncoding<BaseEncoding::kBase32Hex>>(0, "base32hex", nullptr,
                                                "extended hex alphabet base32 (RFC4648 section 7)"),
    Call<SetEncoding<BaseEncoding::kBase16>>(0, "base16", nullptr, "hex encoding (RFC4648 section 8)"),
    Call<SetEncoding<BaseEncoding::kBase2Msbf>>(0, "base2msbf", nullptr,
                                                "bit string with most significant bit (msb) first"),
    Call<SetEncoding<BaseEncoding::kBase2Lsbf>>(0, "base2lsbf", nullptr,
                                                "bit string with least significant bit (lsb) first"),
    Call<Turn<&BaseEncodingOptions::decode>>('d', "decode", nullptr, "decode data"),
    Call<Turn<&BaseEncodingOptions::ignore_garbage>>('i', "ignore-garbage", nullptr,
                                                     "when decoding, ignore non-alphabet characters"),
    Call<SetWrap>('w', "wrap", "COLS", "wrap encoded lines after COLS character (default 76)"),
    Call<SetEncoding<BaseEncoding::kZ85>>(0, "z85", nullptr, "ascii85-like encoding (ZeroMQ spec:32/Z85)"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (!options.encoding) return in.Usage("missing encoding type");
  return RunBaseEncoding(in, *options.encoding, options.base, operands);
}

}  // namespace

extern const Command kCommand_basenc;
const Command kCommand_basenc = Define<Options, Run>({
    .name = "basenc",
    .summary = "encode/decode data in one of several encodings and print to standard output",
    .synopsis = "[OPTION]... [FILE]",
    .options = kOptions,
});

}  // namespace paddock
