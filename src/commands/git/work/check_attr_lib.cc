// git check-attr.
#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {
namespace {

struct Options {
  bool all = false, from_stdin = false, nul = false, cached = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all", "all attributes of the files"),
    Flag<&Options::cached>(0, "cached", "only by the .gitattributes of the index"),
    Flag<&Options::from_stdin>(0, "stdin", "read names of files from standard input"),
    Flag<&Options::nul>('z', nullptr, "names end with NUL, both ways"),
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  std::vector<std::string> names = args.operands, files = args.paths;
  if (options.all) {
    files.insert(files.begin(), names.begin(), names.end());
    names.clear();
  } else if (!args.has_dashes && !options.from_stdin && !names.empty()) {
    files.assign(names.begin() + 1, names.end());
    names.resize(1);
  }
  const auto usage = [&](const char* text) { return git.Complain(text, 129); };
  if (options.all && !names.empty()) return usage("Attributes and --all both specified");
  if (!options.all && names.empty()) return usage("No attribute specified");
  if (options.from_stdin && !files.empty()) return usage("Can't specify files with --stdin");
  if (!options.from_stdin && files.empty()) return usage("No file specified");
  Attributes attributes(git);
  if (options.cached) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    attributes.UseFiles(IndexFiles(index), true);
  }
  const auto show = [&](const std::string& file) -> Status {
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(file));
    const auto values = attributes.Of(path);
    const auto print = [&](const std::string& name, const std::string& value) {
      git.Print(options.nul ? file + '\0' + name + '\0' + value + '\0' : git.Quoted(file) + ": " + name + ": " + value + "\n");
    };
    if (options.all) {
      for (const std::string& name : attributes.names()) {
        git.in.budget.Step();
        if (const auto found = values.find(name); found != values.end()) print(name, found->second);
      }
      return {};
    }
    for (const std::string& name : names) {
      const auto found = values.find(name);
      print(name, found == values.end() ? "unspecified" : found->second);
    }
    return {};
  };
  for (const std::string& file : files) PADDOCK_TRY(show(file));
  if (options.from_stdin) {
    while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) PADDOCK_TRY(show(options.nul ? std::string(line->text) : UnquotePath(line->text)));
  }
  return 0;
}

}  // namespace

extern const Subcommand kCheckAttr;
const Subcommand kCheckAttr = DefineSubcommand<Options, Run>({.name = "check-attr", .summary = "tell what .gitattributes says of files", .synopsis = "[-a | --all | <attr>...] [--] <pathname>...\n--stdin [-z] [-a | --all | <attr>...]", .options = kOptions});

}  // namespace paddock::git
