#include "guest/protocol/tree_messages.h"

#include "guest/protocol/file_fields.h"

namespace paddock::guest {

std::string Encode(const PackRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.Bool(message.stays_on_device);
  writer.Bool(message.has_exact_times);
  return writer.Take();
}

Result<PackRequest> DecodePack(std::string_view bytes) {
  WireReader reader(bytes);
  PackRequest message;
  message.path = TakePath(reader);
  message.stays_on_device = reader.Bool();
  message.has_exact_times = reader.Bool();
  PADDOCK_TRY(reader.Finish("pack"));
  return message;
}

std::string Encode(const UnpackRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.Bool(message.keeps_set_id);
  writer.Bool(message.keeps_owners);
  return writer.Take();
}

Result<UnpackRequest> DecodeUnpack(std::string_view bytes) {
  WireReader reader(bytes);
  UnpackRequest message;
  message.path = TakePath(reader);
  message.keeps_set_id = reader.Bool();
  message.keeps_owners = reader.Bool();
  PADDOCK_TRY(reader.Finish("unpack"));
  return message;
}

std::string Encode(const TreeReport& message) {
  WireWriter writer;
  writer.U64(message.entries);
  writer.U64(message.bytes);
  writer.U64(message.problem_count);
  writer.U32(static_cast<uint32_t>(message.problems.size()));
  for (const TreeProblem& problem : message.problems) {
    writer.String(problem.name);
    writer.I32(problem.error_number);
  }
  return writer.Take();
}

Result<TreeReport> DecodeTreeReport(std::string_view bytes) {
  WireReader reader(bytes);
  TreeReport message;
  message.entries = reader.U64();
  message.bytes = reader.U64();
  message.problem_count = reader.U64();
  const uint32_t count = reader.Count(kMaxTreeProblems, 8);
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    TreeProblem problem;
    problem.name = reader.Text(kMaxPathBytes);
    problem.error_number = reader.I32();
    if (problem.error_number <= 0 || problem.error_number > 4095) reader.Fail();
    message.problems.push_back(std::move(problem));
  }
  if (message.problem_count < message.problems.size()) reader.Fail();
  PADDOCK_TRY(reader.Finish("tree report"));
  return message;
}

}  // namespace paddock::guest
