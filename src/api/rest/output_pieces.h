// Output of processes in JSON, and followed as server-sent events.
#pragma once

#include "api/rest/operation.h"

namespace paddock::sandbox {
std::span<const char* const> NamesOf(Stream);
}

namespace paddock::api {

struct PieceShape {
  uint64_t offset = 0;
  sandbox::Stream stream = sandbox::Stream::kStdout;
  std::string data;
  bool is_base64 = false;
};
std::span<const Field> FieldsOf(const PieceShape*);
PieceShape ShapeOf(registry::OutputLog::Piece piece);
// The same as JSON text.
std::string PieceText(registry::OutputLog::Piece piece);

// An offset as event ids carry it. kInvalid.
Result<uint64_t> OffsetOf(std::string_view text);

// Answers with a stream of events "output" (id: the offset behind it), "lost" and at the end "exit" with the process. Needs no thread while
// the process is silent.
Status FollowOutput(Call& call, const std::shared_ptr<registry::RunningProcess>& process, uint64_t offset);

}  // namespace paddock::api
