// openssl enc -base64 and base64, rand, passwd.
#include <algorithm>
#include <charconv>

#include "base/random.h"
#include "commands/hash/openssl_parts.h"
#include "commands/hash/openssl_streams.h"
#include "commands/input_files.h"
#include "text/password_hash.h"

namespace paddock::openssl {
namespace {

constexpr std::string_view kSaltCharacters = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string NewSalt(size_t size) {
  std::vector<uint8_t> bytes(size);
  FillRandom(bytes);
  std::string salt;
  for (const uint8_t byte : bytes) salt += kSaltCharacters[byte & 63];
  return salt;
}

}  // namespace

ExitStatus RunEncode(Invocation& in, std::span<const std::string> words, bool is_base64) {
  constexpr Word kWords[] = {{"base64"}, {"a"}, {"A"}, {"d"}, {"e"}, {"help"}, {"in", true}, {"out", true}};
  const std::string_view name = is_base64 ? "base64" : "enc";
  const auto read = ReadWords(in, name, words, kWords);
  if (!read) return 1;
  if (read->Has("help")) {
    in.out.Write("Usage: " + std::string(name) + " [options]\n\n -e            Encrypt\n -d            Decrypt\n -in infile    Input file\n"
                 " -out outfile  Output file\n -a, -base64   Base64 encode/decode\n -A            Used with -[base64|a] to specify base64 buffer as a single line\n");
    return 0;
  }
  if (!read->rest.empty()) return UseHelp(in, name);
  is_base64 = is_base64 || read->Has("base64") || read->Has("a");
  bool decodes = false;
  for (const auto& [option, _] : read->options) {
    if (option == "d" || option == "e") decodes = option == "d";
  }
  std::optional<InputFile> file;
  if (const auto from = read->Get("in")) {
    auto opened = InputFile::OpenPath(in, *from);
    if (!opened) return CannotOpen(in, *from, "reading", opened.error());
    file = std::move(*opened);
  }
  Input& input = file ? file->input() : in.in;
  auto target = Target::Open(in, read->Get("out"));
  if (!target) return CannotOpen(in, *read->Get("out"), "writing", target.error());
  Output& to = (*target)->output();
  if (is_base64 && decodes) {
    if (!ReadBase64(in, input, [&](std::string_view plain) { to.Write(plain); return true; })) return in.Fail("error decoding base64");
  } else {
    Base64Writer writer(to, read->Has("A"));
    for (std::string_view bytes = input.Peek(); !bytes.empty() && to.status(); bytes = input.Peek()) {
      if (is_base64) writer.Write(bytes);
      else to.Write(bytes);
      input.Consume(bytes.size());
    }
    writer.Finish();
  }
  if (!input.status()) return in.Fail("error reading input file");
  return to.Flush() ? 0 : 1;
}

ExitStatus RunRandom(Invocation& in, std::span<const std::string> words) {
  constexpr Word kWords[] = {{"hex"}, {"base64"}, {"help"}, {"out", true}};
  const auto read = ReadWords(in, "rand", words, kWords);
  if (!read) return 1;
  if (read->Has("help")) {
    in.out.Write("Usage: rand [options] num\n\n -out outfile  Output file\n -base64       Base64 encode output\n -hex          Hex encode output\n");
    return 0;
  }
  if (read->rest.size() > 1) return UseHelp(in, "rand");
  uint64_t count = 0;
  if (!read->rest.empty()) {
    const std::string& text = read->rest[0];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) {
      in.err.Write("rand: Can't parse \"" + text + "\" as a number\n");
      return UseHelp(in, "rand");
    }
    if (count == 0) return UseHelp(in, "rand");
  }
  auto target = Target::Open(in, read->Get("out"));
  if (!target) return CannotOpen(in, *read->Get("out"), "writing", target.error());
  Output& to = (*target)->output();
  bool is_hex = false, is_base64 = false;
  for (const auto& [option, _] : read->options) {
    if (option == "hex") is_hex = true, is_base64 = false;
    if (option == "base64") is_base64 = true, is_hex = false;
  }
  Base64Writer writer(to, false);
  uint8_t bytes[4096];
  while (count > 0 && to.status()) {
    const size_t size = std::min<uint64_t>(count, sizeof bytes);
    in.budget.Step(static_cast<int64_t>(1 + size / 8));
    FillRandom({bytes, size});
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (is_base64) writer.Write(text);
    else to.Write(is_hex ? HexOf(text) : std::string(text));
    count -= size;
  }
  writer.Finish();
  if (is_hex) to.Put('\n');
  return to.Flush() ? 0 : 1;
}

ExitStatus RunPassword(Invocation& in, std::span<const std::string> words) {
  constexpr Word kWords[] = {{"1"}, {"apr1"}, {"5"}, {"6"}, {"stdin"}, {"table"}, {"reverse"}, {"quiet"}, {"noverify"}, {"help"}, {"salt", true}, {"in", true}};
  const auto read = ReadWords(in, "passwd", words, kWords);
  if (!read) return 1;
  if (read->Has("help")) {
    in.out.Write("Usage: passwd [options] [password]\n\n -in infile  Read passwords from file\n -noverify   Never verify when reading password from terminal\n"
                 " -quiet      No warnings\n -table      Format output as table\n -reverse    Switch table columns\n -salt val   Use provided salt\n"
                 " -stdin      Read passwords from stdin\n -6          SHA512-based password algorithm\n -5          SHA256-based password algorithm\n"
                 " -apr1       MD5-based password algorithm, Apache variant\n -1          MD5-based password algorithm\n");
    return 0;
  }
  PasswordScheme scheme = PasswordScheme::kMd5;
  for (const auto& [option, _] : read->options) {
    if (option == "1") scheme = PasswordScheme::kMd5;
    if (option == "apr1") scheme = PasswordScheme::kApache;
    if (option == "5") scheme = PasswordScheme::kSha256;
    if (option == "6") scheme = PasswordScheme::kSha512;
  }
  const auto print = [&](const std::string& password) {
    const auto given = read->Get("salt");
    if (password.empty() || (given && given->empty())) return in.out.Write("<NULL>\n");
    const std::string hash = HashPassword(scheme, password, given ? *given : NewSalt(SaltSize(scheme)), in.budget);
    if (!read->Has("table")) in.out.WriteLine(hash);
    else if (read->Has("reverse")) in.out.WriteLine(hash + "\t" + password);
    else in.out.WriteLine(password + "\t" + hash);
  };
  if (!read->rest.empty()) {
    for (const std::string& password : read->rest) print(password);
    return 0;
  }
  std::optional<InputFile> file;
  if (const auto from = read->Get("in")) {
    auto opened = InputFile::OpenPath(in, *from);
    if (!opened) return CannotOpen(in, *from, "reading", opened.error());
    file = std::move(*opened);
  } else if (!read->Has("stdin")) {
    return in.Fail("passwd: a password is asked for at a terminal; give it as an argument or with -stdin");
  }
  Input& input = file ? file->input() : in.in;
  while (const auto line = input.ReadLine()) print(std::string(line->text));
  return 0;
}

}  // namespace paddock::openssl
