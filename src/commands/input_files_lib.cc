#include "commands/input_files.h"

#include "proc/process.h"
#include "text/quote.h"

namespace paddock {

Result<InputFile> InputFile::Open(Invocation& in, const std::string& name) {
  if (name != "-") return OpenPath(in, name);
  InputFile file;
  file.name_ = name;
  file.file_ = in.process.descriptors().Get(0);
  file.shared_ = &in.in;
  return file;
}

Result<InputFile> InputFile::OpenPath(Invocation& in, const std::string& path) {
  InputFile file;
  file.name_ = path;
  PADDOCK_ASSIGN(file.file_, in.fs.Open(path, vfs::OpenFlags::Read()));
  file.own_ = std::make_unique<Input>(*file.file_, in.budget);
  return file;
}

void ReportFile(Invocation& in, std::string_view name, const Error& error) {
  in.Fail(QuoteSubject(name, in.locale.is_utf8), error);
}

ExitStatus ForEachInput(Invocation& in, const std::vector<std::string>& operands,
                        const std::function<bool(InputFile&)>& body) {
  const std::vector<std::string> standard_input = {"-"};
  ExitStatus status = 0;
  for (const std::string& name : operands.empty() ? standard_input : operands) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      ReportFile(in, name, file.error());
      status = 1;
      continue;
    }
    if (!body(*file)) status = 1;
    if (!file->input().status()) {
      ReportFile(in, name, file->input().status().error());
      status = 1;
    }
  }
  return status;
}

}  // namespace paddock
