// The pieces that split writes: their names in order, the file or filter behind each, and the checks on both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proc/command.h"

namespace paddock::split {

// How pieces are called: PREFIX SUFFIX ADDITIONAL.
struct Naming {
  std::string prefix = "x";
  std::string additional;
  std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz";
  std::string start;      // digits of the first suffix; empty: the first of the alphabet
  size_t length = 2;
  bool can_grow = true;   // xyz is followed by xzaaa, so that names keep their order
};

class Names {
 public:
  explicit Names(const Naming& naming) : naming_(naming) {}
  // Nothing when all suffixes are used up.
  std::optional<std::string> Next();

 private:
  bool Advance();

  const Naming naming_;
  std::string grown_;            // letters that were added to the prefix by growing
  std::vector<size_t> digits_;   // indices into the alphabet; empty before the first name
};

// Where a piece goes. The error of its functions means that the problem is reported and split has to end.
struct Piece {
  std::string name;
  vfs::OpenFilePtr file;   // null while it is not open
  int filter_pid = 0;
  bool is_abandoned = false;   // the filter does not read any more
};

struct PieceSettings {
  std::optional<std::string> filter;   // shell command that gets the pieces
  bool is_verbose = false;
};

class PieceWriter {
 public:
  // `input` is the file that no piece may overwrite; may be null.
  PieceWriter(Invocation& in, const PieceSettings& settings, const vfs::OpenFile* input);

  Status Open(Piece& piece);
  Status Write(Piece& piece, std::string_view bytes);
  // Closes it and waits for its filter.
  Status Close(Piece& piece);

  // Reports and returns the error to hand on.
  Error Fail(std::string_view message, ExitStatus status = 1);
  Error Fail(std::string_view subject, const Error& error);
  // Of what was reported last.
  ExitStatus status() const { return status_; }

 private:
  Status OpenFile(Piece& piece);
  Status OpenFilter(Piece& piece);

  Invocation& in_;
  const PieceSettings& settings_;
  std::optional<vfs::Attributes> input_;
  ExitStatus status_ = 0;
};

// The pieces of a run in order, one open at a time.
class Pieces {
 public:
  Pieces(PieceWriter& writer, const Naming& naming) : writer_(writer), names_(naming) {}

  // Ends the current piece, if any, and begins the next.
  Status Begin();
  Status Write(std::string_view bytes) { return writer_.Write(current_, bytes); }
  Status End();
  // The name for a piece that the caller opens.
  Result<std::string> NextName();

 private:
  PieceWriter& writer_;
  Names names_;
  Piece current_;
};

}  // namespace paddock::split
