// How tree shows what it has read: as lines, JSON, XML or HTML.
#pragma once

#include <memory>
#include <string>

#include "commands/file/tree_scan.h"

namespace paddock::tree {

enum class Lines { kUtf8, kAscii, kAnsi, kConsole };
enum class Unprintable { kEscaped, kQuestionMark, kRaw };

struct PrintSettings {
  bool full_path = false;
  bool no_indent = false;
  bool no_report = false;
  bool mode = false, user = false, group = false, size = false, inode = false, device = false, date = false;
  bool human = false;
  bool si = false;
  bool sums_sizes = false;
  bool changed_time = false;
  bool type_marks = false;
  bool quotes = false;
  bool facts_first = false;
  bool only_directories = false;
  bool colors = false;
  Unprintable unprintable = Unprintable::kEscaped;
  Lines lines = Lines::kAscii;
  std::string charset;       // of the XML declaration; empty for none
  std::string time_format;   // empty: as ls -l
};

// What only the HTML form has.
struct HtmlSettings {
  std::string base;                     // what links begin with
  std::string title = "Directory Tree";
  std::optional<std::string> intro, outro;   // instead of our own
  bool has_links = true;
};

struct Totals {
  uint64_t directories = 0;
  uint64_t files = 0;
  uint64_t size = 0;
};

class Printer {
 public:
  virtual ~Printer() = default;
  virtual void Begin() = 0;
  virtual void Root(const Node& root, bool is_last) = 0;
  virtual void End(const Totals& totals) = 0;
};

std::unique_ptr<Printer> MakeTextPrinter(Invocation& in, Output& out, const PrintSettings& settings);
std::unique_ptr<Printer> MakeJsonPrinter(Invocation& in, Output& out, const PrintSettings& settings);
std::unique_ptr<Printer> MakeXmlPrinter(Invocation& in, Output& out, const PrintSettings& settings);
std::unique_ptr<Printer> MakeHtmlPrinter(Invocation& in, Output& out, const PrintSettings& settings,
                                         const HtmlSettings& html);

bool IsUtf8Charset(std::string_view charset);

}  // namespace paddock::tree
