// How snapshots stand in JSON; and bodies and answers as streams of bytes.
#pragma once

#include "api/rest/shapes.h"
#include "base/stream.h"

namespace paddock::api {

struct SnapshotShape {
  std::string id, name, owner, isolation;
  std::optional<std::string> sandbox_id;
  Texts labels;
  uint64_t entries = 0, content_bytes = 0;
  std::string tree, created_at;
};
std::span<const Field> FieldsOf(const SnapshotShape*);
SnapshotShape ShapeOf(const registry::SnapshotInfo& info);

std::vector<Operation> SnapshotFileOperations();   // snapshot_files.cc; part of SnapshotOperations()

// KEY=VALUE texts of a query. Errors: kInvalid.
Result<registry::Labels> LabelsOf(const std::vector<std::string>& texts);

// The body of a request.
class BodySource final : public ByteSource {
 public:
  explicit BodySource(net::Exchange& exchange) : exchange_(exchange) {}
  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t) override {}

 private:
  net::Exchange& exchange_;
  std::string buffer_;
};

// The answer, begun with the first bytes: an error before them is told as one.
class AnswerSink final : public ByteSink {
 public:
  AnswerSink(net::Exchange& exchange, net::Headers headers) : exchange_(exchange), headers_(std::move(headers)) {}
  Status Write(std::string_view bytes) override;

 private:
  net::Exchange& exchange_;
  net::Headers headers_;
};

}  // namespace paddock::api
