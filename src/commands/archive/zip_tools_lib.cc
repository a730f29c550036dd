#include "commands/archive/zip_tools.h"

#include "commands/archive/zip.h"
#include "proc/process.h"

namespace paddock::zip {
namespace {

void Say(Invocation& in, const std::string& text) {
  in.out.Flush();
  (in.name() == "zipsplit" ? in.out : in.err).Write(text);
}

}  // namespace

ExitStatus ToolError(Invocation& in, const std::string& message, ExitStatus status) {
  Say(in, std::string(in.name()) + " error: " + message + "\n");
  return status;
}
void ToolWarning(Invocation& in, const std::string& message) {
  Say(in, std::string(in.name()) + " warning: " + message + "\n");
}

ExitStatus ToolCopyError(Invocation& in, const std::string& archive, const Error& error) {
  if (error.code == Code::kCorrupt) return ToolError(in, "Zip file structure invalid (" + archive + ")", kToolInvalid);
  return ToolError(in, "Output file write failure (" + std::string(error.Text()) + ")", kCannotWrite);
}

ExitStatus BadWords(Invocation& in, const char* what) { return ToolError(in, std::string("Invalid command arguments (") + what + ")", kBadUsage); }

bool TellToolFacts(Invocation& in, char letter) {
  if (letter != 'h' && letter != 'v' && letter != 'L') return false;
  in.out.Write(letter == 'h' ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
  return true;
}

ToolWord ReadToolWord(Invocation& in, const std::string& word, std::optional<std::string>& file, ExitStatus& status) {
  status = 0;
  if (word == "--help" || word == "--version") {
    TellToolFacts(in, word == "--help" ? 'h' : 'v');
    return ToolWord::kEnd;
  }
  if (word.starts_with('-') && word != "-") return ToolWord::kLetters;
  if (word == "-" || file) {
    status = BadWords(in, word == "-" ? "zip file cannot be stdin" : "can only specify one zip file");
    return ToolWord::kEnd;
  }
  file = word;
  return ToolWord::kFile;
}

ExitStatus OpenTool(Invocation& in, std::string& path, std::unique_ptr<ZipFile>& zip) {
  if (vfs::BaseName(path).find('.') == std::string::npos) {
    const auto found = in.fs.Stat(path);
    if (!found || found->is_directory()) path += ".zip";
  }
  auto opened = ZipFile::Open(in.fs, path, in.budget);
  if (opened) {
    zip = std::move(*opened);
    return 0;
  }
  const Code code = opened.error().code;
  if (code != Code::kSyntax && code != Code::kCorrupt) {
    Say(in, "\n");
    return ToolError(in, "Interrupted (aborting)", kToolAborted);
  }
  if (code == Code::kSyntax) {
    ToolWarning(in, "missing end signature--probably not a zip file (did you");
    ToolWarning(in, "remember to use binary mode when you transferred it?)");
    ToolWarning(in, "(if you are trying to read a damaged archive try -F)");
  }
  return ToolError(in, "Zip file structure invalid (" + path + ")", kToolInvalid);
}

Result<vfs::OpenFilePtr> OpenDraft(Invocation& in, const std::string& directory, std::string& draft) {
  for (int i = 0; i < 100; ++i) {
    draft = directory + "zi" + std::to_string(in.process.pid()) + "_" + std::to_string(i);
    auto opened = in.fs.Open(draft, {.read = true, .write = true, .create = true, .exclusive = true});
    if (opened || opened.error().code != Code::kExists) return opened;
  }
  return Code::kExists;
}

}  // namespace paddock::zip
