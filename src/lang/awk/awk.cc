#include "lang/awk/awk.h"

#include "lang/awk/compiler.h"
#include "lang/awk/parser.h"

namespace paddock::awk {
namespace {

Result<std::string> ReadAll(Host& host, const std::string& path) {
  PADDOCK_ASSIGN(const auto file, host.OpenForReading(path));
  std::string text;
  for (;;) {
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(64 << 10));
    if (block.bytes.empty()) return text;
    text.append(block.bytes);
  }
}

// Regular expressions of the program text are checked before it runs. Returns a complaint or "".
std::string CheckPatterns(const Program& program, bool is_utf8) {
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const bool has_constant = instruction.op == Op::kPushConstant || instruction.op == Op::kMatchRegex ||
                              instruction.op == Op::kMatchRecord;
    if (!has_constant) continue;
    const Value& constant = program.constants[static_cast<size_t>(instruction.b)];
    if (constant.kind() != Kind::kRegex) continue;
    if (auto pattern = AwkPattern::Compile(constant.view(), false, is_utf8); !pattern) {
      return PlaceName(program.sources, program.places[i]) + ": error: " +
             std::string(pattern.error().Text()) + ": /" + std::string(constant.view()) + "/";
    }
  }
  return "";
}

}  // namespace

Result<std::string> ReadProgramFile(Host& host, std::string_view path, std::string_view search) {
  std::vector<std::string> folders;
  if (path.find('/') != std::string_view::npos) {
    folders.emplace_back();
  } else {
    if (search.empty()) search = ".:/usr/local/share/awk";
    for (size_t at = 0; at <= search.size();) {
      const size_t end = std::min(search.find(':', at), search.size());
      const std::string_view folder = search.substr(at, end - at);
      folders.push_back(folder.empty() || folder == "." ? "" : std::string(folder) + "/");
      at = end + 1;
    }
  }
  Result<std::string> first = Code::kNoEntry;
  for (const std::string_view suffix : {"", ".awk"}) {
    for (const std::string& folder : folders) {
      host.budget().Step();
      auto text = ReadAll(host, folder + std::string(path) + std::string(suffix));
      if (text) return text;
      if (first.error().code == Code::kNoEntry) first = text.error();
    }
  }
  return first;
}

int RunAwk(std::vector<Source> sources, const RunOptions& options, Host& host) {
  const auto complain = [&](const std::string& text) { (void)host.standard_error().Write(text); };
  std::vector<std::string> warnings;
  const ParseInput input = {options.name, sources, options.strictness, warnings,
                            [&](std::string_view path) { return ReadProgramFile(host, path, options.program_path); }};
  auto tree = Parse(input, host.budget());
  for (const std::string& warning : warnings) complain(warning + "\n");
  if (!tree) {
    complain(tree.error().message + "\n");
    return tree.error().code == Code::kSyntax ? 1 : 2;
  }
  Program program = Compile(*tree, std::move(sources), host.budget());
  // What is to be shown at the end has to be kept up to date.
  if (options.dump_path) program.uses_rt = program.uses_symtab = program.uses_functab = program.uses_environ = true;
  if (const std::string complaint = CheckPatterns(program, options.is_utf8); !complaint.empty()) {
    complain(options.name + ": " + complaint + "\n");
    return 1;
  }
  return Interpreter(program, options, host).Run();
}

}  // namespace paddock::awk
