// JSON texts out of a stream of bytes, one value after the other, in memory of one value.
//
// Reads what jq reads, with its messages: values need no separator, text may be malformed UTF-8, nan and numbers of
// any precision. In streaming form each value comes as the events [path, leaf] and [path].
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/value.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

class JsonReader {
 public:
  struct Mode {
    bool is_stream = false;
    bool is_seq = false;    // RFC 7464: texts begin with a record separator
  };
  // Gives the next bytes, which stay valid until the next call; empty at the end.
  using Source = std::function<std::string_view()>;
  enum class Got { kValue, kEnd, kError };

  JsonReader(Source source, Mode mode, Budget& budget);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // The next value or event. After kError, error() tells what and where; with is_seq reading may go on.
  Got Next(Value& value);
  const std::string& error() const { return error_; }
  // Where a stream was when the error came.
  const Value& error_path() const { return error_path_; }
  // Newlines in what has been read, as of the last call of the source.
  uint64_t newlines() const { return line_ - 1; }
  // The same up to the end of the line that the last value ended in.
  uint64_t LinesSeen();

 private:
  static constexpr size_t kMaxDepth = 10000;
  static constexpr size_t kKeyCache = 256;
  struct Level {
    uint32_t start;       // of its values in values_
    bool is_object;
    bool has_key = false;     // ':' was read, the key is on values_
    bool is_empty = true;     // streaming: nothing was told of it yet
    bool has_value = false;   // streaming: something since the last comma
  };

  bool Refill();
  // Each of these returns false after Fail().
  bool Token(char c);
  bool StreamToken(char c);
  bool FinishLiteral();
  bool ReadString();
  bool AcceptString(std::string_view raw, bool has_escape, bool has_high);
  bool Accept(Value value);
  bool Unescape(std::string_view raw);
  bool FinishInput();
  bool StartRecord();
  bool Fail(std::string_view message);
  void Reset();

  bool Open(bool is_object);
  bool Colon();
  bool Comma();
  bool Close(bool is_object);
  Value TakeContainer();
  bool StreamLeaf();
  bool StreamOpen(bool is_object);
  bool StreamColon();
  bool StreamComma();
  bool StreamClose(bool is_object);
  void Told();

  bool IsDone() const { return levels_.empty() && next_.is_valid(); }
  bool IsKeyNext() const { return !levels_.empty() && levels_.back().is_object && !levels_.back().has_key; }
  Value KeyText(std::string_view bytes);
  // Line and column of what ends before at_.
  void CountLines();

  Source source_;
  Mode mode_;
  Budget& budget_;
  const char* begin_ = nullptr;    // the block at hand
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* counted_ = nullptr;  // lines are counted up to here
  uint64_t line_ = 1;
  uint64_t column_ = 0;
  bool is_at_end_ = false;
  bool is_first_block_ = true;
  bool saw_record_ = false;        // is_seq: a record separator began this text
  bool ends_in_space_ = false;

  Value next_;
  std::vector<Value> values_;
  std::vector<Level> levels_;
  size_t depth_ = 0;
  std::string literal_;            // an unfinished literal
  std::string text_;               // a string across blocks, or unescaped
  std::deque<Value> events_;
  Value path_;
  Value error_path_;
  std::string error_;
  std::array<Value, kKeyCache> keys_;
};

// The one value in `text`. Fails with jq's message; "" is no value and no message.
bool ParseJson(std::string_view text, Budget& budget, Value& value, std::string& error);

}  // namespace paddock::jq
