// openssl dgst, and the digests by name.
#include <algorithm>

#include "commands/hash/openssl_parts.h"
#include "commands/input_files.h"

namespace paddock::openssl {
namespace {

constexpr DigestName kDigests[] = {
    {"blake2b512", "BLAKE2B-512", DigestAlgorithm::kBlake2b, 128}, {"md5", "MD5", DigestAlgorithm::kMd5, 64},
    {"sha1", "SHA1", DigestAlgorithm::kSha1, 64},                  {"sha224", "SHA2-224", DigestAlgorithm::kSha224, 64},
    {"sha256", "SHA2-256", DigestAlgorithm::kSha256, 64},          {"sha384", "SHA2-384", DigestAlgorithm::kSha384, 128},
    {"sha512", "SHA2-512", DigestAlgorithm::kSha512, 128},         {"sm3", "SM3", DigestAlgorithm::kSm3, 64},
};

constexpr Word kWords[] = {{"c"}, {"r"}, {"hex"}, {"binary"}, {"list"}, {"help"}, {"out", true}, {"hmac", true}};

// RFC 2104.
class Hmac final : public Digester {
 public:
  Hmac(const DigestName& digest, std::string key) : algorithm_(digest.algorithm), inner_(MakeDigester(digest.algorithm)) {
    if (key.size() > digest.block) key = DigestOf(digest.algorithm, key);
    key.resize(digest.block, '\0');
    outer_key_ = key;
    for (char& c : key) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer_key_) c = static_cast<char>(c ^ 0x5c);
    inner_->Update(key);
  }
  void Update(std::string_view bytes) override { inner_->Update(bytes); }
  std::string Finish() override { return DigestOf(algorithm_, outer_key_ + inner_->Finish()); }

 private:
  DigestAlgorithm algorithm_;
  std::unique_ptr<Digester> inner_;
  std::string outer_key_;
};

std::string WithColons(const std::string& hex) {
  std::string text;
  for (size_t i = 0; i < hex.size(); i += 2) text.append(i > 0 ? ":" : "").append(hex, i, 2);
  return text;
}

class Run {
 public:
  Run(Invocation& in, const Words& words, const DigestName* digest) : in_(in), w_(words), key_(words.Get("hmac")) {
    const bool is_named = digest != nullptr;
    digest_ = is_named ? digest : FindDigest("sha256");
    // The one that is meant without a name shows under its older one.
    shown_ = is_named ? digest_->shown : "SHA256";
  }

  ExitStatus All() {
    vfs::OpenFilePtr file;
    if (const auto name = w_.Get("out")) {
      auto opened = in_.fs.Open(*name, vfs::OpenFlags::Write());
      if (!opened) return CannotOpen(in_, *name, "writing", opened.error());
      file = *opened;
    }
    ExitStatus status = 0;
    std::string text;
    if (w_.rest.empty()) {
      text = Print(in_.in, "stdin");
    }
    for (const std::string& name : w_.rest) {
      auto input = InputFile::OpenPath(in_, name);
      if (!input) {
        in_.err.Write(name + ": " + std::string(input.error().Text()) + "\n");
        status = 1;
        continue;
      }
      const std::string line = Print(input->input(), name);
      if (!input->input().status()) {
        in_.err.Write("Read error in " + name + "\n");
        status = 1;
        continue;
      }
      text += line;
    }
    if (file == nullptr) in_.out.Write(text);
    else if (const Status written = file->Write(text); !written) return in_.Fail(*w_.Get("out"), written.error());
    return status;
  }

 private:
  std::string Print(Input& input, const std::string& name) {
    const std::unique_ptr<Digester> digester = key_ ? std::make_unique<Hmac>(*digest_, *key_) : MakeDigester(digest_->algorithm);
    for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
      in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 32));
      digester->Update(bytes);
      input.Consume(bytes.size());
    }
    const std::string digest = digester->Finish();
    if (w_.Has("binary")) return digest;
    const std::string hex = HexOf(digest);
    if (w_.Has("r")) return hex + " *" + name + "\n";
    const bool shows_key = key_ && name != "stdin";
    return (shows_key ? "HMAC-" : "") + std::string(shown_) + "(" + name + ")= " + (w_.Has("c") ? WithColons(hex) : hex) + "\n";
  }

  Invocation& in_;
  const Words& w_;
  const DigestName* digest_;
  std::string_view shown_;
  std::optional<std::string> key_;
};

}  // namespace

std::span<const DigestName> DigestNames() { return kDigests; }

const DigestName* FindDigest(std::string_view name) {
  const auto found = std::ranges::find(kDigests, name, &DigestName::name);
  return found == std::end(kDigests) ? nullptr : found;
}

ExitStatus RunDigest(Invocation& in, std::span<const std::string> words, const DigestName* digest) {
  const auto read = ReadWords(in, "dgst", words, kWords, [](std::string_view name) { return FindDigest(name) != nullptr; });
  if (!read) return 1;
  if (read->Has("help")) {
    in.out.Write("Usage: dgst [options] [file...]\n\n -list         List digests\n -c            Print the digest with separating colons\n"
                 " -r            Print the digest in coreutils format\n -out outfile  Output to filename rather than stdout\n"
                 " -hex          Print as hex dump\n -binary       Print in binary form\n -hmac val     Create hashed MAC with key\n"
                 " -*            Any supported digest\n");
    return 0;
  }
  if (read->Has("list")) {
    in.out.Write("Supported digests:\n");
    for (const DigestName& name : kDigests) in.out.WriteLine("-" + std::string(name.name));
    return 0;
  }
  for (const auto& [name, _] : read->options) {
    if (const DigestName* found = FindDigest(name)) digest = found;
  }
  return Run(in, *read, digest).All();
}

}  // namespace paddock::openssl
