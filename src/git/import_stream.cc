#include "git/import_stream.h"

#include <charconv>

#include "git/object.h"

namespace paddock::git {
namespace {

constexpr size_t kLongestLine = 1 << 20;
constexpr size_t kMostData = size_t{1} << 31;
constexpr size_t kMostMerges = 10000;
using Kind = ImportCommand::Kind;

Error Bad(const std::string& what) { return {Code::kSyntax, what}; }

bool IsNumber(std::string_view text, uint64_t& number) { return !text.empty() && std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size(); }

}  // namespace

Status ImportStream::ReadLine() {
  has_line_ = false;
  line_.clear();
  if (is_end_) return {};
  // Lines that begin with # are comments.
  while (true) {
    budget_.Step();
    const auto line = input_.ReadLine();
    if (!line) {
      if (!input_.status()) return input_.status().error();
      is_end_ = true;
      return {};
    }
    if (line->text.size() > kLongestLine) return Bad("line is too long");
    if (line->text.starts_with('#')) continue;
    line_ = line->text;
    has_line_ = true;
    return {};
  }
}

bool ImportStream::Skips(std::string_view lead) {
  if (!has_line_ || !line_.starts_with(lead)) return false;
  line_.erase(0, lead.size());
  return true;
}

Result<std::string> ImportStream::ReadData() {
  const std::string shown = line_;
  if (!Skips("data ")) return Bad("Expected 'data n' command, found: " + shown);
  std::string data;
  if (line_.starts_with("<<")) {
    const std::string end = line_.substr(2);
    if (end.empty()) return Bad("Invalid blob delimiter '<<' in input");
    while (true) {
      budget_.Step();
      const auto line = input_.ReadLine();
      if (!line) return Bad("EOF in data (terminator '" + end + "' not found)");
      if (line->text == end) break;
      budget_.WillAllocate(line->text.size() + 1);
      data += line->text;
      data += '\n';
      if (data.size() > kMostData) return Bad("data is too large");
    }
  } else {
    uint64_t size = 0;   // what is no number counts as none
    const auto number = std::from_chars(line_.data(), line_.data() + line_.size(), size);
    if (number.ec == std::errc::result_out_of_range || size > kMostData) return Bad("data is too large to use in this context");
    while (data.size() < size) {
      const std::string_view more = input_.Peek();
      if (more.empty()) return Bad("EOF in data (" + std::to_string(size - data.size()) + " bytes remaining)");
      const size_t count = std::min<size_t>(more.size(), size - data.size());
      budget_.WillAllocate(count);
      budget_.Step(static_cast<int64_t>(1 + count / 64));
      data += more.substr(0, count);
      input_.Consume(count);
    }
  }
  // An empty line behind it is part of it.
  SkipEmptyLine();
  has_line_ = false;
  return data;
}

Status ImportStream::TakeMark(ImportCommand& command) {
  if (!Skips("mark :")) return {};
  if (!IsNumber(line_, command.mark)) return Bad("Invalid mark: " + line_);
  return ReadLine();
}
Status ImportStream::TakeOriginal() {
  if (!Skips("original-oid ")) return {};
  return ReadLine();
}
Status ImportStream::TakeFrom(ImportCommand& command) {
  if (!Skips("from ")) return {};
  command.from = line_;
  return ReadLine();
}

Result<ImportPerson> ImportStream::TakePerson(std::string_view text) {
  const size_t open = text.find('<'), close = text.rfind('>');
  if (open == std::string_view::npos) return Bad("Missing < in ident string: " + std::string(text));
  if (open > 0 && text[open - 1] != ' ') return Bad("Missing space before < in ident string: " + std::string(text));
  if (close == std::string_view::npos || close < open) return Bad("Missing > in ident string: " + std::string(text));
  if (close + 1 >= text.size() || text[close + 1] != ' ') return Bad("Missing space after > in ident string: " + std::string(text));
  if (text.substr(open + 1, close - open - 1).find_first_of("<>") != std::string_view::npos) return Bad("Missing > in ident string: " + std::string(text));
  if (text.find('\0') != std::string_view::npos) return Bad("NUL in ident string");
  return ImportPerson{(open == 0 ? " " : "") + std::string(text.substr(0, close + 1)), std::string(text.substr(close + 2))};
}

Result<std::string> ImportStream::TakePath(std::string_view& rest, bool ends) {
  std::string path;
  if (!rest.starts_with('"')) {
    const size_t end = ends ? rest.find(' ') : std::string_view::npos;
    if (ends && end == std::string_view::npos) return Bad("Missing space after source: " + line_);
    path = rest.substr(0, end);
    rest.remove_prefix(path.size());
  } else {
    size_t i = 1;
    for (; i < rest.size() && rest[i] != '"'; ++i) {
      budget_.Step();
      if (rest[i] != '\\' || ++i >= rest.size()) {
        if (i < rest.size()) path += rest[i];
        continue;
      }
      static constexpr std::string_view kLetters = "abfnrtv\\\"", kBytes = "\a\b\f\n\r\t\v\\\"";
      if (const size_t at = kLetters.find(rest[i]); at != std::string_view::npos) {
        path += kBytes[at];
        continue;
      }
      int byte = 0;
      for (size_t digit = 0; digit < 3; ++digit) {
        if (i + digit >= rest.size() || rest[i + digit] < '0' || rest[i + digit] > '7') return Bad("Invalid path: " + line_);
        byte = byte * 8 + (rest[i + digit] - '0');
      }
      path += static_cast<char>(byte & 0xff);
      i += 2;
    }
    if (i >= rest.size()) return Bad("Invalid path: " + line_);
    rest.remove_prefix(i + 1);
  }
  if (path.find('\0') != std::string::npos) return Bad("NUL in path: " + line_);
  if (ends) {
    if (!rest.starts_with(' ')) return Bad("Missing space after source: " + line_);
    rest.remove_prefix(1);
  } else if (!rest.empty()) {
    return Bad("Garbage after path in: " + line_);
  }
  return path;
}

Result<ImportCommand> ImportStream::ReadBlob() {
  ImportCommand command{.kind = Kind::kBlob, .line = line_};
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeMark(command));
  PADDOCK_TRY(TakeOriginal());
  PADDOCK_ASSIGN(command.data, ReadData());
  return command;
}

Result<ImportCommand> ImportStream::ReadCommit() {
  ImportCommand command{.kind = Kind::kCommit, .line = line_};
  command.name = line_.substr(7);
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeMark(command));
  PADDOCK_TRY(TakeOriginal());
  if (Skips("author ")) {
    PADDOCK_ASSIGN(command.author, TakePerson(line_));
    PADDOCK_TRY(ReadLine());
  }
  if (!Skips("committer ")) return Bad("Expected committer but didn't get one");
  PADDOCK_ASSIGN(command.committer, TakePerson(line_));
  PADDOCK_TRY(ReadLine());
  if (Skips("encoding ")) {
    command.encoding = line_;
    PADDOCK_TRY(ReadLine());
  }
  PADDOCK_ASSIGN(command.data, ReadData());
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeFrom(command));
  while (Skips("merge ")) {
    if (command.merges.size() >= kMostMerges) return Bad("too many parents");
    command.merges.push_back(line_);
    PADDOCK_TRY(ReadLine());
  }
  is_commit_ = true;
  return command;
}

Result<ImportCommand> ImportStream::ReadTag() {
  ImportCommand command{.kind = Kind::kTag, .line = line_};
  command.name = line_.substr(4);
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeMark(command));
  PADDOCK_TRY(TakeFrom(command));
  if (command.from.empty()) return Bad("Expected from command, got " + line_);
  PADDOCK_TRY(TakeOriginal());
  if (Skips("tagger ")) {
    PADDOCK_ASSIGN(command.committer, TakePerson(line_));
    PADDOCK_TRY(ReadLine());
  }
  PADDOCK_ASSIGN(command.data, ReadData());
  return command;
}

Result<ImportCommand> ImportStream::ReadReset() {
  ImportCommand command{.kind = Kind::kReset, .line = line_};
  command.name = line_.substr(6);
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeFrom(command));
  if (has_line_ && line_.empty()) has_line_ = false;
  return command;
}

Result<ImportCommand> ImportStream::ReadAlias() {
  ImportCommand command{.kind = Kind::kAlias, .line = line_};
  PADDOCK_TRY(ReadLine());
  PADDOCK_TRY(TakeMark(command));
  if (command.mark == 0) return Bad("Expected 'mark' command, got " + line_);
  if (!Skips("to ")) return Bad("Expected 'to' command, got " + line_);
  command.from = line_;
  has_line_ = false;
  SkipEmptyLine();
  return command;
}

// What may stand between the files of a commit, too.
Result<std::optional<ImportCommand>> ImportStream::TakeAnywhere() {
  ImportCommand command{.line = line_};
  const std::string_view line = command.line;
  if (line.starts_with("get-mark ")) {
    command.kind = Kind::kGetMark;
    command.object = line.substr(9);
  } else if (line.starts_with("cat-blob ")) {
    command.kind = Kind::kCatBlob;
    command.object = line.substr(9);
  } else if (line.starts_with("ls ")) {
    command.kind = Kind::kLs;
    std::string_view rest = line.substr(3);
    if (!rest.starts_with('"')) {
      const size_t blank = rest.find(' ');
      if (blank == std::string_view::npos) return Bad("Missing space after tree-ish: " + line_);
      command.object = rest.substr(0, blank);
      rest.remove_prefix(blank + 1);
    }
    PADDOCK_ASSIGN(command.path, TakePath(rest, false));
  } else if (line.starts_with("progress ")) {
    command.kind = Kind::kProgress;
    command.name = line;
    SkipEmptyLine();
  } else {
    return std::optional<ImportCommand>();
  }
  has_line_ = false;
  return std::optional(std::move(command));
}

Result<ImportCommand> ImportStream::TakeModify(std::string_view rest) {
  ImportCommand command{.kind = Kind::kModify, .line = line_};
  const size_t blank = rest.find(' ');
  const auto end = rest.data() + (blank == std::string_view::npos ? 0 : blank);
  if (blank == std::string_view::npos || std::from_chars(rest.data(), end, command.mode, 8).ptr != end) return Bad("Corrupt mode: " + line_);
  if (command.mode == 0644 || command.mode == 0755) command.mode |= 0100000;
  if (command.mode == 0100664) command.mode = kModeFile;
  if (command.mode != kModeFile && command.mode != kModeExecutable && command.mode != kModeLink && command.mode != kModeCommit && command.mode != kModeTree) return Bad("Corrupt mode: " + line_);
  rest.remove_prefix(blank + 1);
  const size_t second = rest.find(' ');
  if (second == std::string_view::npos) return Bad("Missing space after SHA1: " + line_);
  command.object = rest.substr(0, second);
  rest.remove_prefix(second + 1);
  PADDOCK_ASSIGN(command.path, TakePath(rest, false));
  if (command.object != "inline") {
    has_line_ = false;
    return command;
  }
  if (command.mode == kModeCommit) return Bad("Git links cannot be specified 'inline': " + line_);
  if (command.mode == kModeTree) return Bad("Directories cannot be specified 'inline': " + line_);
  PADDOCK_TRY(ReadLine());
  PADDOCK_ASSIGN(command.data, ReadData());
  return command;
}

Result<std::optional<ImportCommand>> ImportStream::TakeFile() {
  const std::string line = line_;
  ImportCommand command{.line = line};
  std::string_view rest = line;
  rest.remove_prefix(std::min<size_t>(2, rest.size()));
  if (line.starts_with("M ")) {
    PADDOCK_ASSIGN(command, TakeModify(rest));
    return std::optional(std::move(command));
  }
  if (line.starts_with("D ")) {
    command.kind = Kind::kDelete;
    PADDOCK_ASSIGN(command.path, TakePath(rest, false));
  } else if (line.starts_with("R ") || line.starts_with("C ")) {
    command.kind = line[0] == 'R' ? Kind::kRename : Kind::kCopy;
    PADDOCK_ASSIGN(command.path, TakePath(rest, true));
    if (rest.empty()) return Bad("Missing dest: " + line);
    PADDOCK_ASSIGN(command.target, TakePath(rest, false));
  } else if (line == "deleteall") {
    command.kind = Kind::kDeleteAll;
  } else if (line.starts_with("N ")) {
    command.kind = Kind::kNote;
    const size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return Bad("Missing space after SHA1: " + line);
    command.object = rest.substr(0, blank);
    command.target = rest.substr(blank + 1);
    if (command.object == "inline") {
      PADDOCK_TRY(ReadLine());
      PADDOCK_ASSIGN(command.data, ReadData());
      return std::optional(std::move(command));
    }
  } else {
    return std::optional<ImportCommand>();
  }
  has_line_ = false;
  return std::optional(std::move(command));
}

Result<ImportCommand> ImportStream::Next() {
  budget_.Step(4);
  if (!has_line_) PADDOCK_TRY(ReadLine());
  if (!has_line_) return ImportCommand{};
  if (is_commit_) {
    // An empty line, or what is no change of a file, ends the commit.
    PADDOCK_ASSIGN(auto file, TakeFile());
    if (file) {
      file->is_in_commit = true;
      return *std::move(file);
    }
    if (line_.starts_with("progress ") || line_.starts_with("get-mark ")) is_commit_ = false;
    PADDOCK_ASSIGN(auto other, TakeAnywhere());
    if (other) {
      other->is_in_commit = is_commit_;
      return *std::move(other);
    }
    is_commit_ = false;
    if (line_.empty()) {
      has_line_ = false;
      PADDOCK_TRY(ReadLine());
      if (!has_line_) return ImportCommand{};
    }
  }
  if (line_ == "blob") return ReadBlob();
  if (line_.starts_with("commit ")) return ReadCommit();
  if (line_.starts_with("tag ")) return ReadTag();
  if (line_.starts_with("reset ")) return ReadReset();
  if (line_ == "alias") return ReadAlias();
  PADDOCK_ASSIGN(auto other, TakeAnywhere());
  if (other) return *std::move(other);
  ImportCommand command{.line = line_};
  has_line_ = false;
  if (line_ == "checkpoint") command.kind = Kind::kCheckpoint;
  else if (line_ == "done") command.kind = Kind::kDone;
  else if (line_.starts_with("feature ")) command.kind = Kind::kFeature;
  else if (line_.starts_with("option ")) command.kind = Kind::kOption;
  else return Bad("Unsupported command: " + line_);
  if (const size_t blank = line_.find(' '); blank != std::string::npos) command.name = line_.substr(blank + 1);
  if (command.kind == Kind::kCheckpoint) SkipEmptyLine();
  return command;
}

}  // namespace paddock::git
