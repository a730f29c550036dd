#include "cli/srt_command.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/srt_control.h"

namespace paddock::cli {
namespace {

enum class Name { kDebug, kSettings, kString, kControl, kVersion, kHelp };

struct Spelling {
  char letter;
  const char* word;
  Name name;
  bool has_value;
  const char* shown;
};
constexpr std::array<Spelling, 6> kOptions{{
    {'d', "--debug", Name::kDebug, false, "-d, --debug"},
    {'s', "--settings", Name::kSettings, true, "-s, --settings FILE"},
    {'c', nullptr, Name::kString, true, "-c STRING"},
    {'\0', "--control-fd", Name::kControl, true, "--control-fd N"},
    {'V', "--version", Name::kVersion, false, "-V, --version"},
    {'h', "--help", Name::kHelp, false, "-h, --help"},
}};

const Spelling* Find(char letter) {
  const auto at = std::find_if(kOptions.begin(), kOptions.end(), [letter](const Spelling& s) { return s.letter == letter && letter != '\0'; });
  return at == kOptions.end() ? nullptr : &*at;
}
const Spelling* Find(std::string_view word) {
  const auto at = std::find_if(kOptions.begin(), kOptions.end(), [word](const Spelling& s) { return s.word != nullptr && word == s.word; });
  return at == kOptions.end() ? nullptr : &*at;
}

class Parser {
 public:
  explicit Parser(std::span<const std::string> args) : args_(args) {}

  Result<SrtCommand> Parse() {
    for (; at_ < args_.size(); ++at_) {
      const std::string& word = args_[at_];
      if (word == "--") {
        words_.insert(words_.end(), args_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, args_.end());
        break;
      }
      PADDOCK_ASSIGN(const bool is_option, TakeOption(word));
      if (is_option) continue;
      if (words_.empty() && word.size() > 1 && word[0] == '-') {
        return Error(Code::kSyntax, "unknown option '" + word + "'; 'paddock srt --help' lists them");
      }
      words_.push_back(word);
    }
    if (!words_.empty() && !has_string_ && (words_[0] == "windows-install" || words_[0] == "windows-uninstall")) {
      return Error(Code::kInvalid, "'" + words_[0] + "' sets up Windows; there is nothing to install here");
    }
    if (has_string_ && !command_.script.empty()) return command_;
    for (const std::string& word : words_) command_.script += (command_.script.empty() ? "" : " ") + QuoteSrtWord(word);
    return command_;
  }

 private:
  // False for what is no option of ours.
  Result<bool> TakeOption(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return false;
    if (word[1] == '-') {
      const size_t equals = word.find('=');
      const Spelling* option = Find(std::string_view(word).substr(0, equals));
      if (option == nullptr || (equals != std::string::npos && !option->has_value)) return false;
      PADDOCK_TRY(equals == std::string::npos ? Set(*option, std::nullopt) : Set(*option, word.substr(equals + 1)));
      return true;
    }
    const Spelling* first = Find(word[1]);
    if (first == nullptr) return false;
    for (size_t i = 1; i < word.size(); ++i) {
      const Spelling* option = Find(word[i]);
      if (option == nullptr) return Error(Code::kSyntax, "unknown option '-" + word.substr(i) + "' in '" + word + "'");
      const bool takes_rest = option->has_value && i + 1 < word.size();
      PADDOCK_TRY(Set(*option, takes_rest ? std::optional(word.substr(i + 1)) : std::nullopt));
      if (option->has_value) break;
    }
    return true;
  }

  Status Set(const Spelling& option, std::optional<std::string> value) {
    if (option.has_value && !value) {
      if (at_ + 1 >= args_.size()) return Error(Code::kInvalid, "option '" + std::string(option.shown) + "' argument missing");
      value = args_[++at_];
    }
    switch (option.name) {
      case Name::kDebug: command_.tells = true; break;
      case Name::kSettings: command_.settings = *value; break;
      case Name::kString:
        command_.script = *value;
        has_string_ = true;
        break;
      case Name::kControl: {
        const auto number = SrtControl::ParseDescriptor(*value);
        if (!number) return Error(Code::kInvalid, "option '--control-fd N' argument '" + *value + "' is invalid: it " + std::string(number.error().Text()));
        command_.control = *number;
        break;
      }
      case Name::kVersion: command_.wants_version = true; break;
      case Name::kHelp: command_.wants_help = true; break;
    }
    return {};
  }

  const std::span<const std::string> args_;
  size_t at_ = 0;
  SrtCommand command_;
  bool has_string_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::string QuoteSrtWord(std::string_view word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

Result<SrtCommand> ParseSrtCommand(std::span<const std::string> args) { return Parser(args).Parse(); }

}  // namespace paddock::cli
