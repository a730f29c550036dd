// The functions of make that look at files or run a shell.
#include "lang/make/expand.h"
#include "lang/make/words.h"

namespace paddock::make {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

std::string Wildcard(Session& s, Arguments a) {
  std::vector<std::string> found;
  for (const std::string_view word : SplitWords(a[0], s.budget())) {
    for (std::string& name : Glob(s, std::string(word))) found.push_back(std::move(name));
  }
  return Joined(found);
}

std::string RealPath(Session& s, Arguments a) {
  std::vector<std::string> found;
  for (const std::string_view word : SplitWords(a[0], s.budget())) {
    if (auto path = s.host().Canonical(std::string(word))) found.push_back(std::move(*path));
  }
  return Joined(found);
}

std::string AbsPath(Session& s, Arguments a) {
  std::vector<std::string> found;
  const std::string cwd = s.ValueOf("CURDIR");
  for (const std::string_view word : SplitWords(a[0], s.budget())) found.push_back(AbsoluteName(word, cwd));
  return Joined(found);
}

std::string File(Session& s, Arguments a) {
  std::string_view text = Trim(a[0]);
  const bool appends = text.starts_with(">>");
  if (text.starts_with(">")) {
    const std::string name(Trim(text.substr(appends ? 2 : 1)));
    if (name.empty()) {
      s.Fatal(s.ExpansionPlace(), "file: missing filename");
      return {};
    }
    std::string content = a.size() > 1 ? a[1] : "";
    if (a.size() > 1 && !content.ends_with('\n')) content += '\n';
    if (const Status written = s.host().Write(name, content, appends); !written) {
      s.Fatal(s.ExpansionPlace(), "open: " + name + ": " + std::string(written.error().Text()));
    }
    return {};
  }
  if (!text.starts_with("<")) {
    s.Fatal(s.ExpansionPlace(), "file: invalid file operation: " + std::string(text));
    return {};
  }
  const std::string name(Trim(text.substr(1)));
  if (name.empty()) {
    s.Fatal(s.ExpansionPlace(), "file: missing filename");
    return {};
  }
  if (a.size() > 1) {
    s.Fatal(s.ExpansionPlace(), "file: too many arguments");
    return {};
  }
  auto read = s.host().Read(name);
  if (!read) {
    if (read.error().code != Code::kNoEntry) s.Fatal(s.ExpansionPlace(), "open: " + name + ": " + std::string(read.error().Text()));
    return {};
  }
  if (read->ends_with('\n')) read->pop_back();
  return std::move(*read);
}

std::string Shell(Session& s, Arguments a) { return s.ShellOutput(a[0]); }

constexpr Function kFunctions[] = {
    {"wildcard", 0, 1, false, Wildcard}, {"realpath", 0, 1, false, RealPath}, {"abspath", 0, 1, false, AbsPath},
    {"file", 1, 2, false, File},         {"shell", 0, 1, false, Shell},
};

}  // namespace

std::span<const Function> FileFunctions() { return kFunctions; }

}  // namespace paddock::make
