// openssl - digests, base64, random bytes and password hashes
//
// usage: openssl COMMAND [OPTION]... [ARGUMENT]...
// Commands: dgst (and the digests by name), enc with AES (-aes-{128,192,256}-{cbc,ctr,ecb}, by these names, too) or -base64, base64, rand, passwd,
// version, list, help.
//
// Exit status: 0, or 1 for an error.
// Source: OpenSSL 3.0.
// Differs: key pairs, certificates, other ciphers, TLS and all other commands are refused. Errors are told without OpenSSL's own queue of them.
// Base64 that is damaged is an error (the real one prints nothing and is content), and its last line needs no newline.

#include <algorithm>

#include "codec/password_cipher.h"
#include "commands/hash/openssl_parts.h"

namespace paddock {
namespace openssl {

bool Words::Has(std::string_view name) const {
  return std::ranges::any_of(options, [&](const auto& option) { return option.first == name; });
}
std::optional<std::string> Words::Get(std::string_view name) const {
  std::optional<std::string> value;
  for (const auto& option : options) {
    if (option.first == name) value = option.second;
  }
  return value;
}

ExitStatus UseHelp(Invocation& in, std::string_view command) {
  in.err.Write(std::string(command) + ": Use -help for summary.\n");
  return 1;
}
ExitStatus CannotOpen(Invocation& in, std::string_view name, std::string_view purpose, const Error& error) {
  in.out.Flush();
  in.err.Write("Can't open \"" + std::string(name) + "\" for " + std::string(purpose) + ", " + std::string(error.Text()) + "\n");
  return 1;
}

std::optional<Words> ReadWords(Invocation& in, std::string_view command, std::span<const std::string> words, std::span<const Word> table,
                               bool (*takes_other)(std::string_view name)) {
  Words read;
  const std::string head = std::string(command) + ": ";
  size_t at = 0;
  for (; at < words.size(); ++at) {
    in.budget.Step();
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
    const auto found = std::ranges::find(table, std::string_view(name), &Word::name);
    if (found == table.end()) {
      if (takes_other != nullptr && takes_other(name)) {
        read.options.emplace_back(name, "");
        continue;
      }
      if (takes_other != nullptr) in.err.Write(head + "Unknown option or message digest: " + name + "\n");
      else if (command == "enc" || command == "base64") in.err.Write(head + "Unknown cipher: " + name + "\n");
      else in.err.Write(head + "Unknown option: " + word + "\n");
      UseHelp(in, command);
      return std::nullopt;
    }
    if (found->has_value && at + 1 == words.size()) {
      in.err.Write(head + "Option -" + name + " needs a value\n");
      UseHelp(in, command);
      return std::nullopt;
    }
    read.options.emplace_back(name, found->has_value ? words[at + 1] : "");
    if (found->has_value) ++at;
  }
  read.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return read;
}

}  // namespace openssl

namespace {

constexpr std::string_view kVersion = "OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)\n";

// What the real one has and this one has not.
constexpr std::string_view kOthers[] = {
    "asn1parse", "ca", "ciphers", "cmp", "cms", "crl", "crl2pkcs7", "dhparam", "dsa", "dsaparam", "ec", "ecparam", "engine", "errstr", "fipsinstall", "gendsa",
    "genpkey", "genrsa", "info", "kdf", "mac", "nseq", "ocsp", "pkcs12", "pkcs7", "pkcs8", "pkey", "pkeyparam", "pkeyutl", "prime", "rehash", "req", "rsa",
    "rsautl", "s_client", "s_server", "s_time", "sess_id", "smime", "speed", "spkac", "srp", "storeutl", "ts", "verify", "x509", "md4", "rmd160", "blake2s256",
    "sha3-224", "sha3-256", "sha3-384", "sha3-512", "sha512-224", "sha512-256", "shake128", "shake256"};

ExitStatus PrintHelp(Invocation& in) {
  in.out.Write("help:\n\nStandard commands\ndgst enc help list passwd rand version\n\nMessage Digest commands (see the `dgst' command for more details)\n");
  for (const auto& digest : openssl::DigestNames()) in.out.Write(std::string(digest.name) + " ");
  in.out.Write("\n\nCipher commands (see the `enc' command for more details)\n");
  for (const auto& kind : codec::CipherKinds()) in.out.Write(std::string(kind.name) + " ");
  in.out.Write("base64\n\n");
  return 0;
}

ExitStatus PrintVersion(Invocation& in, std::span<const std::string> words) {
  constexpr openssl::Word kWords[] = {{"v"}, {"help"}};
  const auto read = openssl::ReadWords(in, "version", words, kWords);
  if (!read) return 1;
  if (!read->rest.empty()) return openssl::UseHelp(in, "version");
  in.out.Write(read->Has("help") ? "Usage: version [options]\n\n -v  Show library version\n" : kVersion);
  return 0;
}

ExitStatus PrintList(Invocation& in, std::span<const std::string> words) {
  constexpr openssl::Word kWords[] = {{"digest-commands"}, {"commands"}, {"help"}, {"1"}};
  const auto read = openssl::ReadWords(in, "list", words, kWords);
  if (!read) return 1;
  if (read->Has("help")) in.out.Write("Usage: list [options]\n\n -1                List in one column\n -commands         List standard commands\n -digest-commands  List digest commands\n");
  const std::string_view after = read->Has("1") ? "\n" : " ";
  const auto print = [&](std::string_view name) { in.out.Write(std::string(name) + std::string(after)); };
  if (read->Has("commands")) for (const char* name : {"dgst", "enc", "help", "list", "passwd", "rand", "version"}) print(name);
  if (read->Has("digest-commands")) for (const auto& digest : openssl::DigestNames()) print(digest.name);
  if (!read->Has("1")) in.out.Put('\n');
  return 0;
}

ExitStatus Run(Invocation& in) {
  if (in.args.size() < 2) return PrintHelp(in);
  const std::string& command = in.args[1];
  const std::span<const std::string> words = in.args.subspan(2);
  if (command == "help" || command == "--help" || command == "-help" || command == "-h") return PrintHelp(in);
  if (command == "version" || command == "--version" || command == "-version" || command == "-v") return PrintVersion(in, words);
  if (command == "list") return PrintList(in, words);
  if (command == "dgst") return openssl::RunDigest(in, words, nullptr);
  if (command == "enc" && openssl::NamesCipher(words)) return openssl::RunCipher(in, words, "");
  if (codec::FindCipher(command) != nullptr) return openssl::RunCipher(in, words, command);
  if (command == "enc" || command == "base64") return openssl::RunEncode(in, words, command == "base64");
  if (command == "rand") return openssl::RunRandom(in, words);
  if (command == "passwd") return openssl::RunPassword(in, words);
  if (const auto* digest = openssl::FindDigest(command)) return openssl::RunDigest(in, words, digest);
  if (std::ranges::find(kOthers, command) != std::end(kOthers)) return in.Fail(command + ": not supported");
  in.err.Write("Invalid command '" + command + "'; type \"help\" for a list.\n");
  return 1;
}

}  // namespace

extern const Command kCommand_openssl;
const Command kCommand_openssl = {
    .name = "openssl",
    .summary = "digests, AES, base64, random bytes and password hashes of OpenSSL",
    .synopsis = "COMMAND [OPTION]... [ARGUMENT]...",
    .details = "Commands: dgst, enc, base64, rand, passwd, version, list, help, md5, sha1, sha224, sha256,\n"
               "sha384, sha512, sm3, blake2b512, aes-256-cbc and the other ciphers of 'openssl enc -list'.\n"
               "Each explains itself with -help.\n",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
