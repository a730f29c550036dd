// zipnote - write the comments in a zip archive to standard output, edit them and rename its files
//
// usage: zipnote [-w] [-q] [-b PATH] ZIPFILE
//
// Exit status: 0; 3 for no zip archive, 7 for comments in a wrong format, 9 when there is no archive, 10 when there is no
// room for a draft, 16 for a usage error.
// Source: Info-ZIP Zip 3.0.
// Differs: an empty new name is refused, where the archive would become one that nothing opens.

#include "commands/archive/zip.h"
#include "commands/archive/zip_tools.h"
#include "commands/archive/zip_writer.h"

namespace paddock {
namespace {

constexpr ExitStatus kBadComment = 7;
constexpr size_t kLongest = 0xffff;   // of a comment, and of a name
constexpr std::string_view kEndOfComment = "@ (comment above this line)", kArchiveComment = "@ (zip file comment below this line)";

struct Options {
  bool writes = false;
  std::optional<std::string> draft_directory, file;
};

class Notes {
 public:
  Notes(Invocation& in, const Options& options) : in_(in), o_(options), path_(*options.file) {}

  ExitStatus Run() {
    if (const ExitStatus status = zip::OpenTool(in_, path_, zip_); status != 0) return status;
    if (!o_.writes) return Show();
    entries_ = zip_->directory().entries;
    comment_ = zip_->directory().comment;
    if (const ExitStatus status = Read(); status != 0) return status;
    return Write();
  }

 private:
  // Lines end in CR LF within the archive. A backslash keeps what follows from being a mark.
  void ShowComment(std::string_view comment) {
    for (const char c : comment) {
      if (c == '\r') continue;
      if (c == '@' || c == '\\') in_.out.Put('\\');
      in_.out.Put(c);
    }
    if (!comment.empty() && comment.back() != '\n') in_.out.Put('\n');
  }
  ExitStatus Show() {
    for (const codec::ZipEntry& entry : zip_->directory().entries) {
      in_.budget.Step(4);
      in_.out.Write("@ " + entry.name + "\n");
      ShowComment(entry.comment);
      in_.out.WriteLine(kEndOfComment);
    }
    in_.out.WriteLine(kArchiveComment);
    ShowComment(zip_->directory().comment);
    return 0;
  }

  std::optional<std::string> Next() {
    in_.budget.Step();
    const auto line = in_.in.ReadLine();
    if (!line) return std::nullopt;
    return std::string(line->text);
  }
  static void AddLine(std::string& comment, std::string_view line, bool is_first) {
    if (!is_first) comment += "\r\n";
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      comment += line[i];
    }
    if (comment.size() > kLongest) comment.resize(kLongest);
  }
  ExitStatus Bad(const char* what) { return zip::ToolError(in_, std::string("Invalid comment format (") + what + ")", kBadComment); }

  ExitStatus Read() {
    std::optional<std::string> line = Next();
    while (line && *line != kArchiveComment) {
      if (!line->starts_with("@ ")) return Bad("unexpected input");
      codec::ZipEntry* const entry = Find(std::string_view(*line).substr(2));
      if (entry == nullptr) return Bad("unknown entry name");
      line = Next();
      if (line && line->starts_with("@=")) {
        if (line->size() == 2) return Bad("empty entry name");
        entry->name = line->substr(2, kLongest);
        line = Next();
      }
      entry->comment.clear();
      for (bool is_first = true; line && !line->starts_with('@'); is_first = false) {
        AddLine(entry->comment, *line, is_first);
        line = Next();
      }
      if (line) line = Next();   // past the mark that ends the comment
    }
    if (!line) return 0;
    comment_.clear();
    for (bool is_first = true; (line = Next()); is_first = false) AddLine(comment_, *line, is_first);
    return 0;
  }
  // Entries come in the archive's order: one in front of the one before is unknown.
  codec::ZipEntry* Find(std::string_view name) {
    while (next_ < entries_.size()) {
      in_.budget.Step();
      codec::ZipEntry& entry = entries_[next_++];
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  ExitStatus Write() {
    const std::string directory = o_.draft_directory ? *o_.draft_directory + "/" : path_.substr(0, path_.rfind('/') + 1);
    std::string draft;
    auto file = zip::OpenDraft(in_, directory, draft);
    if (!file) return zip::ToolError(in_, "Temporary file failure (" + draft + ")", zip::kNoDraft);
    ZipWriter writer(in_, *file, nullptr);
    const Status written = WriteMembers(writer);
    file->reset();
    if (!written) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return zip::ToolCopyError(in_, path_, written.error());
    }
    if (const auto before = in_.fs.Stat(path_)) static_cast<void>(in_.fs.SetMode(draft, before->mode));
    if (!in_.fs.Rename(draft, path_)) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return zip::ToolError(in_, "Could not create output file (" + path_ + ")", zip::kCannotCreate);
    }
    return 0;
  }
  Status WriteMembers(ZipWriter& writer) {
    PADDOCK_TRY(writer.CopyLead(*zip_));
    for (size_t i = 0; i < entries_.size(); ++i) {
      in_.budget.Step(4);
      PADDOCK_TRY(writer.CopyRenamed(*zip_, zip_->directory().entries[i], entries_[i].name));
      writer.SetComment(i, entries_[i].comment);
    }
    return writer.Finish(comment_);
  }

  Invocation& in_;
  const Options& o_;
  std::string path_, comment_;
  std::unique_ptr<ZipFile> zip_;
  std::vector<codec::ZipEntry> entries_;
  size_t next_ = 0;   // where Find() begins
};

ExitStatus Run(Invocation& in) {
  Options options;
  if (in.args.size() < 2) return in.out.Write(HelpText(in.command, in.name())), 0;
  for (size_t i = 1; i < in.args.size(); ++i) {
    const std::string& word = in.args[i];
    ExitStatus status = 0;
    const zip::ToolWord kind = zip::ReadToolWord(in, word, options.file, status);
    if (kind == zip::ToolWord::kEnd) return status;
    if (kind == zip::ToolWord::kFile) continue;
    for (const char letter : word.substr(1)) {
      if (zip::TellToolFacts(in, letter)) return 0;
      switch (letter) {
        case 'w': options.writes = true; break;
        case 'q': break;   // there is nothing that it would say
        case 'b':
          if (options.draft_directory) return zip::BadWords(in, "use -b before zip file name");
          if (i + 1 >= in.args.size()) return zip::BadWords(in, "need to specify zip file");
          options.draft_directory = in.args[++i];
          break;
        default: return zip::BadWords(in, "unknown option");
      }
    }
  }
  if (!options.file) return zip::BadWords(in, "need to specify zip file");
  return Notes(in, options).Run();
}

}  // namespace

extern const Command kCommand_zipnote;
const Command kCommand_zipnote = {
    .name = "zipnote",
    .summary = "write the comments in a zip archive to standard output, edit them and rename its files",
    .synopsis = "[-w] [-q] [-b PATH] ZIPFILE",
    .details =
        "  -w        read comments from standard input, as they were written\n"
        "  -b PATH   make the new archive in the directory PATH\n"
        "  -q        say less\n"
        "  -h        this help; -v and -L: the version\n"
        "\n"
        "A line \"@=NEWNAME\" behind \"@ NAME\" renames a file.\n",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
