// A command's Output where a ByteSink is asked for.
#pragma once

#include <string_view>

#include "base/stream.h"

namespace paddock {

class OutputSink final : public ByteSink {
 public:
  // `output` outlives the sink.
  explicit OutputSink(Output& output) : output_(output) {}
  // Errors: the output's, which stick.
  Status Write(std::string_view bytes) override {
    output_.Write(bytes);
    return output_.status();
  }

 private:
  Output& output_;
};

}  // namespace paddock
