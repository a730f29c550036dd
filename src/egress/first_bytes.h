// What a client speaks, by the first bytes of its stream.
#pragma once

#include <string_view>

namespace paddock::egress {

enum class FirstBytes { kNeedMore, kTls, kHttp, kOther };

// Where a lenient server might see HTTP (after empty lines, in lower case, with a NUL in the line) it is HTTP, and the strict
// parser then says what it thinks of it. What is not kNeedMore stays as it is when more bytes come.
FirstBytes Classify(std::string_view bytes);

}  // namespace paddock::egress
