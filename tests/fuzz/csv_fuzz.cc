// Fuzz target of the CSV reader: records come out alike however the input is cut, and what is written of them reads back.
// The first byte is the size of the pieces.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "text/csv.h"

namespace paddock {
namespace {

std::vector<CsvRecord> ReadAll(std::string_view text, size_t piece, char delimiter, Budget& budget) {
  StringSource source(text);
  Input input(source, budget);
  input.set_block_size(piece);
  CsvReader reader(input, delimiter, budget);
  std::vector<CsvRecord> records;
  for (CsvRecord record; reader.Next(record);) records.push_back(record);
  return records;
}

void RunOne(unsigned flags, std::string_view text, Budget& budget) {
  const char delimiter = (flags & 128) != 0 ? ';' : ',';
  const auto records = ReadAll(text, 1 + (flags & 15), delimiter, budget);
  if (!text.starts_with("\xEF")) PADDOCK_CHECK(records == ReadAll(text, 64 << 10, delimiter, budget));
  std::string written;
  for (const CsvRecord& record : records) AppendCsv(record, delimiter, written);
  if (!written.starts_with("\xEF")) PADDOCK_CHECK(ReadAll(written, 64 << 10, delimiter, budget) == records);
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::RunOne(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1}, budget);
  });
  return 0;
}
