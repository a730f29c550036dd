// The colours of ls --color: LS_COLORS, and which of its entries a file gets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/file/ls_settings.h"

namespace paddock::ls {

class Colors {
 public:
  // Reads the value of LS_COLORS over the defaults; false when it does not parse (then no colour at all),
  // with the key that is unknown, if that was it.
  bool Parse(std::string_view text, std::string* bad_prefix);

  // The code for a file, or nothing when it is shown plain. `of_target` asks for what a symlink leads to.
  std::optional<std::string_view> CodeFor(const File& file, bool of_target) const;

  std::string_view left() const { return Get("lc"); }
  std::string_view right() const { return Get("rc"); }
  std::string_view reset() const { return Get("rs"); }
  std::string_view end() const { return Get("ec"); }
  std::string_view clear_line() const { return Get("cl"); }
  std::string_view normal() const { return Get("no"); }
  bool colors_by_target() const { return Get("ln") == "target"; }
  bool HasCode(std::string_view key) const { return IsColored(key); }

 private:
  struct Entry {
    const char* key;
    std::string value;
    bool is_given = false;  // even as nothing
  };
  struct Extension {
    std::string suffix;
    std::string code;
  };
  std::string_view Get(std::string_view key) const;
  // A code that does something ("", "0" and "00" do not).
  bool IsColored(std::string_view key) const;
  std::string_view KeyForMode(const vfs::Attributes& attributes) const;

  std::vector<Entry> entries_ = {
      {"lc", "\x1b["}, {"rc", "m"},      {"ec", ""},         {"rs", "0"},        {"no", ""},
      {"fi", ""},      {"di", "01;34"},  {"ln", "01;36"},    {"pi", "33"},       {"so", "01;35"},
      {"bd", "01;33"}, {"cd", "01;33"},  {"mi", ""},         {"or", ""},         {"ex", "01;32"},
      {"do", "01;35"}, {"su", "37;41"},  {"sg", "30;43"},    {"st", "37;44"},    {"ow", "34;42"},
      {"tw", "30;42"}, {"ca", "30;41"},  {"mh", ""},         {"cl", "\x1b[K"},
  };
  std::vector<Extension> extensions_;   // later ones win
};

}  // namespace paddock::ls
