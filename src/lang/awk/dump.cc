// The listings that options ask for, and that of -d: the global variables and their last values, as gawk writes them.
#include <algorithm>
#include <cstdio>

#include "lang/awk/array.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/pretty_parts.h"

namespace paddock::awk {
namespace {

std::string NumberText(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

}  // namespace

void WriteListing(Host& host, const Listing& listing) {
  if (listing.path == "-") {
    (void)host.standard_output().Write(listing.text);
    return;
  }
  const std::string start = listing.name + ": warning: ";
  if (auto file = host.OpenForWriting(listing.path, false)) {
    if (!(*file)->Write(listing.text)) {
      (void)host.standard_error().Write(start + "could not write the " + listing.what + "\n");
    }
    return;
  } else {
    (void)host.standard_error().Write(start + "could not open `" + listing.path + "' for writing: " +
                                      std::string(file.error().Text()) + "\n" + start + "sending " + listing.what +
                                      " to standard error\n" + listing.text);
  }
}

// A value of -v that looks like a number is one already; other text from outside is text until it is used.
std::string Interpreter::DumpedValue(const std::string& name, Value& value) const {
  if (const Array* const array = value.array()) return "array, " + std::to_string(array->size()) + " elements";
  if (value.kind() == Kind::kNumber || value.kind() == Kind::kBool) return NumberText(value.ToNumber());
  if (value.kind() == Kind::kBig) return std::string(TextOf(value, "%.17g").view());
  if (value.kind() == Kind::kRegex) return "@/" + std::string(value.view()) + "/";
  if (!value.is_text()) return "uninitialized scalar";
  const bool is_given = std::find(options_.assignments.begin(), options_.assignments.end(),
                                  name + "=" + std::string(value.view())) != options_.assignments.end();
  if (value.kind() == Kind::kInput && is_given && value.LooksNumeric()) return NumberText(value.ToNumber());
  return QuotedText(value.view());
}

void Interpreter::DumpVariables() {
  std::vector<std::pair<std::string, std::string>> lines;
  stack_.Reserve(1);   // no rule has, in a program without rules
  if (symtab_ != nullptr) RefreshSymtab();
  for (int slot = 0; slot < static_cast<int>(globals_.size()); ++slot) {
    budget_.Step();
    Value value = global(slot);
    if (slot <= kSlotFnr) {
      PushCounter(slot);
      value = stack_.Take();
    }
    const std::string& name = program_.globals[static_cast<size_t>(slot)];
    lines.emplace_back(name, DumpedValue(name, value));
  }
  // Those of -v that the program does not name have no slot.
  for (const std::string& assignment : options_.assignments) {
    const size_t equals = assignment.find('=');
    const std::string name = assignment.substr(0, equals);
    const bool is_there = std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.first == name; });
    Value value = Value::Input(assignment.substr(equals + 1));
    if (!is_there) lines.emplace_back(name, DumpedValue(name, value));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& [name, value] : lines) text += name + ": " + value + "\n";
  streams_.standard_output().Flush();
  WriteListing(host_, {options_.name, *options_.dump_path, "variable list", text});
}

}  // namespace paddock::awk
