// The stream that git fast-import reads: commands as they come, one at a time. Nothing here touches a repository.
//
// Source: git-fast-import(1), "INPUT FORMAT".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "base/stream.h"

namespace paddock::git {

// Who and when, as the stream has it: its date may be in another form than a commit's.
struct ImportPerson {
  std::string who;    // "Name <email>"
  std::string date;
};

struct ImportCommand {
  enum class Kind {
    kEnd, kBlob, kCommit, kTag, kReset, kAlias, kCheckpoint, kProgress, kFeature, kOption, kDone,
    kModify, kDelete, kCopy, kRename, kDeleteAll, kNote,   // behind a commit
    kGetMark, kCatBlob, kLs,                               // anywhere
  } kind = Kind::kEnd;
  std::string line;                    // as it is written
  std::string name;                    // a reference or a tag; what a feature, an option or a message says
  uint64_t mark = 0;                   // 0: none
  std::string from;                    // a commit-ish; empty: none
  std::vector<std::string> merges;
  std::optional<ImportPerson> author, committer;   // or tagger
  std::string encoding;
  std::string data;                    // of a blob; a message
  uint32_t mode = 0;                   // of a file
  std::string object;                  // ":1", an id, "inline"
  std::string path, target;
  bool is_in_commit = false;           // the commit before it goes on
};

class ImportStream {
 public:
  ImportStream(Input& input, Budget& budget) : input_(input), budget_(budget) {}

  // Errors: kSyntax, in git's words.
  Result<ImportCommand> Next();
 private:
  // Takes the next line; none at the end.
  Status ReadLine();
  // An empty line that is at hand belongs to what was read.
  void SkipEmptyLine() {
    if (input_.Peek().starts_with('\n')) input_.Consume(1);
  }
  Result<std::string> ReadData();
  Result<ImportCommand> ReadBlob();
  Result<ImportCommand> ReadCommit();
  Result<ImportCommand> ReadTag();
  Result<ImportCommand> ReadReset();
  Result<ImportCommand> ReadAlias();
  Result<std::optional<ImportCommand>> TakeAnywhere();
  Result<std::optional<ImportCommand>> TakeFile();
  Result<ImportCommand> TakeModify(std::string_view rest);
  Status TakeMark(ImportCommand& command);
  Status TakeOriginal();
  Status TakeFrom(ImportCommand& command);
  Result<ImportPerson> TakePerson(std::string_view text);
  // A path up to a blank (`ends`) or the end of the line, in quotes or not.
  Result<std::string> TakePath(std::string_view& rest, bool ends);
  bool Skips(std::string_view lead);   // the line begins so

  Input& input_;
  Budget& budget_;
  std::string line_;
  bool has_line_ = false, is_end_ = false, is_commit_ = false;
};

}  // namespace paddock::git
