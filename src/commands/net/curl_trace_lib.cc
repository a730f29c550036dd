#include <algorithm>
#include <cstdio>

#include "commands/net/curl.h"

namespace paddock::curl {
namespace {

char Shown(char c) { return c >= ' ' && c < 0x7f ? c : '.'; }

// Sixteen bytes a line.
void AddHexadecimal(std::string& text, std::string_view bytes, size_t at) {
  constexpr size_t kColumns = 16;
  std::string shown;
  for (size_t i = 0; i < kColumns; ++i) {
    char cell[8] = "   ";
    if (at + i < bytes.size()) {
      std::snprintf(cell, sizeof cell, "%02x ", static_cast<unsigned char>(bytes[at + i]));
      shown += Shown(bytes[at + i]);
    }
    text += cell;
  }
  text += shown;
}

}  // namespace

std::string TraceText(proc::HttpObserver::Debug kind, std::string_view bytes, bool is_hexadecimal) {
  using Debug = proc::HttpObserver::Debug;
  if (kind == Debug::kText) return "== Info: " + std::string(bytes) + "\n";
  const char* const what = kind == Debug::kHeadIn ? "<= Recv header" : kind == Debug::kHeadOut ? "=> Send header" : kind == Debug::kDataIn ? "<= Recv data" : "=> Send data";
  char head[64];
  std::snprintf(head, sizeof head, "%s, %zu bytes (0x%zx)\n", what, bytes.size(), bytes.size());
  std::string text = head;
  for (size_t at = 0; at < bytes.size();) {
    std::snprintf(head, sizeof head, "%04zx: ", at);
    text += head;
    if (is_hexadecimal) {
      AddHexadecimal(text, bytes, at);
      at += 16;
    } else {
      // Up to the end of a line of the head, or a full line.
      constexpr size_t kColumns = 64;
      const size_t line = bytes.find("\r\n", at);
      const size_t end = std::min({line, at + kColumns, bytes.size()});
      for (; at < end; ++at) text += Shown(bytes[at]);
      if (line == end) at += 2;
    }
    text += '\n';
  }
  return text;
}

}  // namespace paddock::curl
