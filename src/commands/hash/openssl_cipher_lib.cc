// openssl enc with a cipher, and the ciphers as commands.
#include <algorithm>
#include <charconv>

#include "base/random.h"
#include "codec/password_cipher.h"
#include "commands/hash/openssl_parts.h"
#include "commands/hash/openssl_streams.h"
#include "commands/input_files.h"

namespace paddock::openssl {
namespace {

constexpr std::string_view kMagic = "Salted__";
constexpr size_t kSaltSize = 8;
constexpr uint64_t kUsualRounds = 10000;
constexpr size_t kLongestPassword = 511;   // of a line in a file; OpenSSL reads as many
constexpr size_t kPiece = 16 << 10;

constexpr Word kCipherWords[] = {{"e"}, {"d"}, {"a"}, {"base64"}, {"A"}, {"p"}, {"P"}, {"salt"}, {"nosalt"}, {"nopad"}, {"pbkdf2"}, {"help"}, {"list"}, {"in", true}, {"out", true},
                                 {"pass", true}, {"k", true}, {"kfile", true}, {"S", true}, {"K", true}, {"iv", true}, {"md", true}, {"iter", true}};

// One call. Each step complains for itself.
class CipherJob {
 public:
  CipherJob(Invocation& in, const Words& words, const codec::CipherKind& kind) : in_(in), w_(words), kind_(kind) {
    for (const auto& [option, _] : words.options) {
      if (option == "d" || option == "e") decrypts_ = option == "d";
      if (option == "salt" || option == "nosalt") salts_ = option == "salt";
    }
    is_base64_ = words.Has("a") || words.Has("base64");
  }

  ExitStatus Run() {
    if (!ReadNumbers()) return 1;
    std::optional<std::string> password;
    if (!w_.Has("K") || w_.Has("k") || w_.Has("kfile") || w_.Has("pass")) {
      password = ReadPassword();
      if (!password) return 1;
    }
    std::optional<InputFile> file;
    if (const auto from = w_.Get("in")) {
      auto opened = InputFile::OpenPath(in_, *from);
      if (!opened) return CannotOpen(in_, *from, "reading", opened.error());
      file = std::move(*opened);
    }
    input_ = file ? &file->input() : &in_.in;
    auto target = Target::Open(in_, w_.Get("out"));
    if (!target) return CannotOpen(in_, *w_.Get("out"), "writing", target.error());
    to_ = &(*target)->output();
    if (!ReadGivenSalt()) return 1;
    if (decrypts_) return Decrypt(password);
    return Encrypt(password);
  }

 private:
  bool Say(std::string_view text) {
    in_.out.Flush();
    in_.err.Write(std::string(text) + "\n");
    return false;
  }

  bool ReadNumbers() {
    if (const auto digest = w_.Get("md")) {
      digest_ = *digest;
      if (!codec::IsKeyDigest(digest_)) {
        Say("enc: Unknown option or message digest: " + digest_);
        UseHelp(in_, "enc");
        return false;
      }
    }
    if (const auto rounds = w_.Get("iter")) {
      const auto [end, error] = std::from_chars(rounds->data(), rounds->data() + rounds->size(), rounds_);
      if (error != std::errc() || end != rounds->data() + rounds->size() || rounds_ < 1 || rounds_ > INT32_MAX) {
        const bool is_number = error == std::errc() && end == rounds->data() + rounds->size();
        Say(is_number && rounds_ < 1 ? "enc: Non-positive number \"" + *rounds + "\" for option -iter" : "enc: Can't parse \"" + *rounds + "\" as a number");
        UseHelp(in_, "enc");
        return false;
      }
      derives_well_ = true;
    }
    if (w_.Has("pbkdf2")) derives_well_ = true;
    return true;
  }

  std::optional<std::string> FirstLine(Input& input) {
    const auto line = input.ReadLine();
    std::string text(line ? line->text : std::string_view());
    while (text.ends_with('\r')) text.pop_back();
    return text.substr(0, kLongestPassword);
  }
  std::optional<std::string> FirstLineOf(const std::string& path) {
    auto file = InputFile::OpenPath(in_, path);
    if (!file) {
      CannotOpen(in_, path, "reading", file.error());
      return std::nullopt;
    }
    return FirstLine(file->input());
  }

  std::optional<std::string> ReadPassword() {
    if (const auto word = w_.Get("k")) return *word;
    if (const auto path = w_.Get("kfile")) return FirstLineOf(*path);
    const auto argument = w_.Get("pass");
    if (!argument) {
      Say("openssl: enc: a password is asked for at a terminal; give it with -pass, -k or -kfile");
      return std::nullopt;
    }
    std::optional<std::string> password;
    if (argument->starts_with("pass:")) {
      return argument->substr(5);
    } else if (argument->starts_with("env:")) {
      const std::string name = argument->substr(4);
      if (const auto value = in_.env.Get(name)) return std::string(*value);
      Say("No environment variable " + name);
    } else if (argument->starts_with("file:")) {
      password = FirstLineOf(argument->substr(5));
    } else if (argument->starts_with("fd:")) {
      password = FirstLineOf("/dev/fd/" + argument->substr(3));
    } else if (*argument == "stdin") {
      return FirstLine(in_.in);
    } else {
      const bool has_colon = argument->substr(0, 5).find(':') != std::string::npos;
      Say(has_colon ? "Invalid password argument, starting with \"" + argument->substr(0, argument->find(':') + 1) + "\"" : "Invalid password argument, missing ':' within the first 5 chars");
    }
    if (!password) Say("Error getting password");
    return password;
  }

  // The bytes of hexadecimal digits, cut or filled up with zeros.
  std::optional<std::string> HexValue(const std::string& text, size_t size) {
    std::string bytes(size, '\0');
    const size_t digits = std::min(text.size(), size * 2);
    if (text.size() > size * 2) Say("hex string is too long, ignoring excess");
    else if (text.size() < size * 2) Say("hex string is too short, padding with zero bytes to length");
    for (size_t i = 0; i < digits; ++i) {
      unsigned value = 0;
      if (std::from_chars(&text[i], &text[i] + 1, value, 16).ec != std::errc()) {
        Say("non-hex digit");
        return std::nullopt;
      }
      bytes[i / 2] = static_cast<char>(static_cast<unsigned char>(bytes[i / 2]) | (i % 2 == 0 ? value << 4 : value));
    }
    return bytes;
  }

  bool ReadGivenSalt() {
    if (const auto text = w_.Get("S"); text && salts_) {
      given_salt_ = HexValue(*text, kSaltSize);
      if (!given_salt_) return Say("invalid hex salt value");
    }
    return true;
  }

  bool ReadGivenKeys() {
    if (const auto text = w_.Get("iv"); text && kind_.start_size > 0) {
      given_start_ = HexValue(*text, kind_.start_size);
      if (!given_start_) return Say("invalid hex iv value");
    } else if (w_.Has("K") && !w_.Has("k") && !w_.Has("pass") && !w_.Has("kfile") && kind_.start_size > 0) {
      return Say("iv undefined");
    }
    if (const auto text = w_.Get("K")) {
      given_key_ = HexValue(*text, kind_.key_size);
      if (!given_key_) return Say("invalid hex key value");
    }
    return true;
  }

  bool MakeKeys(const std::optional<std::string>& password, const std::string& salt) {
    if (password) {
      const size_t size = kind_.key_size + kind_.start_size;
      if (!derives_well_) Say("*** WARNING : deprecated key derivation used.\nUsing -iter or -pbkdf2 would be better.");
      auto both = derives_well_ ? codec::Pbkdf2(digest_, *password, salt, rounds_, size, in_.budget) : codec::OldPasswordKey(digest_, *password, salt, size, in_.budget);
      if (!both) return Say("Error deriving the key");
      key_ = both->substr(0, kind_.key_size);
      start_ = both->substr(kind_.key_size);
    }
    if (!ReadGivenKeys()) return false;
    if (given_key_) key_ = *given_key_;
    if (given_start_) start_ = *given_start_;
    return true;
  }

  // -p and -P; whether it was all.
  bool Show(const std::string& salt) {
    if (!w_.Has("p") && !w_.Has("P")) return false;
    const auto line = [&](std::string_view name, std::string_view bytes) {
      std::string hex = HexOf(bytes);
      std::transform(hex.begin(), hex.end(), hex.begin(), [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
      if (!bytes.empty()) in_.out.Write(std::string(name) + hex + "\n");
    };
    line("salt=", salt);
    line("key=", key_);
    line("iv =", start_);
    in_.out.Flush();
    return w_.Has("P");
  }

  Result<std::unique_ptr<codec::PasswordCipher>> Start() { return codec::MakePasswordCipher(kind_, key_, start_, !decrypts_, !w_.Has("nopad")); }

  ExitStatus Encrypt(const std::optional<std::string>& password) {
    std::string salt;
    if (password && salts_) {
      salt = given_salt_.value_or(std::string(kSaltSize, '\0'));
      if (!given_salt_) FillRandom({reinterpret_cast<uint8_t*>(salt.data()), salt.size()});
    }
    if (!MakeKeys(password, salt)) return 1;
    if (Show(salt)) return 0;
    auto cipher = Start();
    if (!cipher) return Say("Error setting cipher " + std::string(kind_.name)), 1;
    Base64Writer writer(*to_, w_.Has("A"));
    const auto put = [&](std::string_view bytes) { is_base64_ ? writer.Write(bytes) : to_->Write(bytes); };
    if (!salt.empty() && !given_salt_) put(std::string(kMagic) + salt);
    std::string made;
    for (std::string_view bytes = input_->Peek(); !bytes.empty() && to_->status(); bytes = input_->Peek()) {
      in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 16));
      made.clear();
      if (!(*cipher)->Update(bytes, made)) return Say("bad encrypt"), 1;
      put(made);
      input_->Consume(bytes.size());
    }
    if (!input_->status()) return Say("error reading input file"), 1;
    made.clear();
    const bool is_whole = (*cipher)->Finish(made).has_value();
    put(made);
    writer.Finish();
    if (!is_whole) Say("bad encrypt");
    return to_->Flush() && is_whole ? 0 : 1;
  }

  ExitStatus Decrypt(const std::optional<std::string>& password) {
    const bool has_head = password && salts_ && !given_salt_;
    std::string head, salt = given_salt_.value_or("");
    std::unique_ptr<codec::PasswordCipher> cipher;
    bool is_over = false, is_bad = false;
    const auto start = [&]() -> bool {
      if (!MakeKeys(password, salt)) return false;
      if (Show(salt)) return is_over = true, false;
      auto started = Start();
      if (!started) return Say("Error setting cipher " + std::string(kind_.name));
      cipher = std::move(*started);
      return true;
    };
    if (!has_head && !start()) return is_over ? 0 : 1;
    std::string made;
    const auto decipher = [&](std::string_view bytes) {
      in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 16));
      if (!cipher) {
        const size_t taken = std::min(bytes.size(), kMagic.size() + kSaltSize - head.size());
        head += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        if (head.size() < kMagic.size() + kSaltSize) return true;
        if (!head.starts_with(kMagic)) return is_bad = true, Say("bad magic number");
        salt = head.substr(kMagic.size());
        if (!start()) return !(is_bad = !is_over) && false;
      }
      made.clear();
      if (!cipher->Update(bytes, made)) return is_bad = true, Say("bad decrypt");
      to_->Write(made);
      return true;
    };
    bool is_read = true;
    if (is_base64_) {
      std::string piece;
      is_read = ReadBase64(in_, *input_, [&](std::string_view plain) {
        piece += plain;
        if (piece.size() < kPiece) return true;
        const bool goes_on = decipher(piece);
        piece.clear();
        return goes_on;
      });
      if (is_read && !piece.empty()) is_read = decipher(piece);
    } else {
      for (std::string_view bytes = input_->Peek(); is_read && !bytes.empty() && to_->status(); bytes = input_->Peek()) {
        is_read = decipher(bytes);
        if (is_read) input_->Consume(bytes.size());
      }
    }
    if (is_over) return 0;
    if (is_bad) return 1;
    if (!is_read || !input_->status() || !cipher) return Say("error reading input file"), 1;
    made.clear();
    const bool is_whole = cipher->Finish(made).has_value();
    to_->Write(made);
    const bool is_written = to_->Flush().has_value();
    if (!is_whole) Say("bad decrypt");
    return is_written && is_whole ? 0 : 1;
  }

  Invocation& in_;
  const Words& w_;
  const codec::CipherKind& kind_;
  bool decrypts_ = false, salts_ = true, is_base64_ = false, derives_well_ = false;
  uint64_t rounds_ = kUsualRounds;
  std::string digest_ = "sha256";
  std::optional<std::string> given_salt_, given_key_, given_start_;
  std::string key_, start_;
  Input* input_ = nullptr;
  Output* to_ = nullptr;
};

}  // namespace

bool NamesCipher(std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) { return word == "-help" || word == "-list" || (word.starts_with('-') && codec::FindCipher(std::string_view(word).substr(1)) != nullptr); });
}

ExitStatus RunCipher(Invocation& in, std::span<const std::string> words, std::string_view cipher) {
  std::vector<Word> table(std::begin(kCipherWords), std::end(kCipherWords));
  for (const codec::CipherKind& kind : codec::CipherKinds()) table.push_back({kind.name});
  for (const std::string_view name : {"aes128", "aes192", "aes256"}) table.push_back({name});
  const auto read = ReadWords(in, "enc", words, table);
  if (!read) return 1;
  if (read->Has("help")) {
    const std::string text = "Usage: enc -CIPHER [options]\n\n -e            Encrypt (the default)\n -d            Decrypt\n -in infile    Input file\n -out outfile  Output file\n"
                       " -pass val     Passphrase source: pass:WORD, env:NAME, file:PATH, fd:N or stdin\n -k val        Passphrase\n -kfile infile Read passphrase from file\n"
                       " -pbkdf2       Use password-based key derivation function 2 (PBKDF2)\n -iter +int    Specify the iteration count and force the use of PBKDF2 (10000)\n"
                       " -md val       Use specified digest to create a key from the passphrase (sha256)\n -salt         Use salt in the KDF (default)\n -nosalt       Do not use salt in the KDF\n"
                       " -S val        Salt, in hex\n -K val        Raw key, in hex\n -iv val       IV in hex\n -nopad        Disable standard block padding\n"
                       " -p            Print the iv/key\n -P            Print the iv/key and exit\n -a, -base64   Base64 encode/decode, depending on encryption flag\n"
                       " -A            Used with -[base64|a] to specify base64 buffer as a single line\n -list         List ciphers\n";
    in.out.Write(text);
    return 0;
  }
  if (read->Has("list")) {
    in.out.Write("Supported ciphers:\n");
    for (const codec::CipherKind& kind : codec::CipherKinds()) in.out.Write("-" + std::string(kind.name) + "\n");
    return 0;
  }
  if (!read->rest.empty()) return UseHelp(in, "enc");
  for (const auto& [option, _] : read->options) {
    if (codec::FindCipher(option) != nullptr) cipher = option;
  }
  return CipherJob(in, *read, *codec::FindCipher(cipher)).Run();
}

}  // namespace paddock::openssl
