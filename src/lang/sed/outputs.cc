#include "lang/sed/outputs.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock::sed {

Status Outputs::Open() {
  stdout_.output = &host_.out();
  files_.resize(program_.output_files.size());
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string& name = program_.output_files[i];
    Sink* const sink = &files_[i];
    if (name == "/dev/stdout") {
      sink->output = &host_.out();
    } else if (name == "/dev/stderr") {
      sink->output = &host_.err();
    } else {
      auto created = host_.Create(name);
      if (!created) {
        return Error(created.error().code, "couldn't open file " + name + ": " + std::string(created.error().Text()));
      }
      sink->keep = std::move(*created);
      sink->own = std::make_unique<Output>(*sink->keep);
      sink->output = sink->own.get();
    }
  }
  read_files_.resize(program_.read_files.size());
  return {};
}

void Outputs::FlushFiles() {
  for (const Sink& sink : files_) {
    if (sink.own != nullptr) sink.own->Flush();
  }
}

Status Outputs::BeginFile(const std::string& name) {
  if (!options_.in_place) return {};
  auto created = host_.BeginReplace(name);
  if (!created) return created.error();
  replacement_ = {};
  replacement_.keep = std::move(*created);
  replacement_.own = std::make_unique<Output>(*replacement_.keep);
  replacement_.output = replacement_.own.get();
  main_ = &replacement_;
  return {};
}

Status Outputs::EndFile(const std::string& name) {
  if (!options_.in_place || main_ != &replacement_) return {};
  main_ = &stdout_;
  if (const Status& status = replacement_.own->Flush(); !status) {
    return Error(status.error().code, "couldn't write to " + name + ": " + std::string(status.error().Text()));
  }
  replacement_ = {};
  return host_.CommitReplace(name, options_.backup_suffix);
}

void Outputs::Print(std::string_view text, bool has_newline, Sink& sink) {
  if (sink.lacks_newline) sink.output->Put(options_.delimiter);
  sink.output->Write(text);
  if (has_newline) sink.output->Put(options_.delimiter);
  sink.lacks_newline = !has_newline;
}

void Outputs::EndLine(Sink& sink) {
  if (sink.lacks_newline) sink.output->Put(options_.delimiter);
  sink.lacks_newline = false;
}

void Outputs::PrintText(std::string_view text, Sink& sink) {
  EndLine(sink);
  sink.output->Write(text);
}

Status Outputs::CopyFile(std::string_view name) {
  FlushFiles();
  SourceFile file;
  if (name == "/dev/stdin") {
    file = host_.OpenStandardInput();
  } else {
    auto opened = host_.Open(std::string(name));
    if (!opened) return {};  // a missing file is an empty one
    file = std::move(*opened);
  }
  for (;;) {
    const std::string_view bytes = file.input->Peek();
    if (bytes.empty()) break;
    PrintText(bytes, *main_);
    file.input->Consume(bytes.size());
  }
  if (file.input->status()) return {};
  return Error(Code::kIo, "read error on " + std::string(name) + ": " +
                              std::string(file.input->status().error().Text()));
}

Status Outputs::FlushAppendices() {
  for (size_t i = 0; i < appendices_.size(); ++i) {
    budget_.Step();
    const Appendix& appendix = appendices_[i];
    EndLine(*main_);   // even where nothing follows: r of a missing file
    if (appendix.kind == Appendix::Kind::kFile) {
      PADDOCK_TRY(CopyFile(appendix.text));
    } else {
      PrintText(appendix.own.empty() ? appendix.text : std::string_view(appendix.own), *main_);
    }
  }
  appendices_.clear();
  return {};
}

void Outputs::AppendLine(const SedCommand& command) {
  auto& file = read_files_[static_cast<size_t>(command.file)];
  if (!file) {
    FlushFiles();
    file.emplace();
    if (command.text == "/dev/stdin") {
      *file = host_.OpenStandardInput();
    } else if (auto opened = host_.Open(command.text)) {
      *file = std::move(*opened);
    }
  }
  if (file->input == nullptr) return;
  const auto line = file->input->ReadLine(options_.delimiter);
  if (!line) return;
  std::string text(line->text);
  if (line->is_terminated) text.push_back(options_.delimiter);
  if (!text.empty()) appendices_.push_back({Appendix::Kind::kText, {}, std::move(text)});
}

void Outputs::PrintGivenText(const SedCommand& command) {
  if (command.text.empty()) return;
  PrintText(std::string_view(command.text).substr(0, command.text.size() - 1), *main_);
  main_->output->Put(options_.delimiter);
}

void Outputs::PrintUnambiguously(std::string_view text, int64_t width) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\";
  constexpr std::string_view kLetters = "abfnrtv\\";
  std::string line;
  const auto limit = static_cast<size_t>(std::max<int64_t>(width - 1, 0));
  for (const char c : text) {
    budget_.Step();
    const auto byte = static_cast<unsigned char>(c);
    char piece[4] = {c};
    size_t size = 1;
    if (const size_t named = kNamed.find(c); named != std::string_view::npos) {
      piece[0] = '\\';
      piece[1] = kLetters[named];
      size = 2;
    } else if (byte < 0x20 || byte >= 0x7F) {
      piece[0] = '\\';
      piece[1] = static_cast<char>('0' + (byte >> 6));
      piece[2] = static_cast<char>('0' + (byte >> 3 & 7));
      piece[3] = static_cast<char>('0' + (byte & 7));
      size = 4;
    }
    if (width > 0 && line.size() + size > limit) {
      PrintText(line, *main_);
      PrintText("\\", *main_);
      main_->output->Put(options_.delimiter);
      line.clear();
    }
    line.append(piece, size);
  }
  line.push_back('$');
  PrintText(line, *main_);
  main_->output->Put(options_.delimiter);
}

}  // namespace paddock::sed
