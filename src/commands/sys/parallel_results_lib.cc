#include "commands/sys/parallel_results.h"

#include <cstdio>

#include "proc/process.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

// An argument as the name of a directory.
std::string AsName(std::string_view argument) {
  std::string name;
  for (const char c : argument) {
    switch (c) {
      case '\\': name += "\\\\"; break;
      case '\t': name += "\\t"; break;
      case '\0': name += "\\0"; break;
      case '/': name += "\\_"; break;
      default: name += c;
    }
  }
  return name;
}

// As a row of a table: blanks are quoted, too.
std::string Row(const std::vector<std::string>& record, char delimiter) {
  std::string row;
  for (const std::string& field : record) {
    if (&field != record.data()) row += delimiter;
    const bool is_quoted = field.find_first_of(" \t\r\n\"") != std::string::npos || field.find(delimiter) != std::string::npos;
    if (is_quoted) row += '"';
    for (const char c : field) row.append(c == '"' ? 2 : 1, c);
    if (is_quoted) row += '"';
  }
  return row + "\n";
}

}  // namespace

bool ParallelResults::is_table() const { return options_.results->ends_with(".csv") || options_.results->ends_with(".tsv"); }

ParallelResults::Names ParallelResults::NamesFor(const std::vector<std::string>& arguments, std::string_view name) const {
  std::string base(name);
  if (name != *options_.results) {   // it has places of its own
    if (!base.ends_with('/')) return {base, base + ".err", base + ".seq"};
  } else {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string label = i < names_.size() ? AsName(names_[i]) : std::to_string(i + 1);
      base += "/" + label + "/" + AsName(arguments[i]);
    }
    base += "/";
  }
  return {base + "stdout", base + "stderr", base + "seq"};
}

bool ParallelResults::HasAny(const std::vector<std::string>& arguments, std::string_view name) const {
  return !is_table() && in_.fs.Stat(NamesFor(arguments, name).sequence).has_value();
}

bool ParallelResults::Write(const std::string& name, std::string_view text) {
  const size_t slash = name.rfind('/');
  Status done = slash == std::string::npos || slash == 0 ? Status() : vfs::MakeDirectories(in_.fs, name.substr(0, slash));
  if (done) done = vfs::WriteFile(in_.fs, name, text);
  if (!done) in_.Fail("Error: Cannot write to `" + name + "': " + std::string(done.error().Text()) + ".");
  return static_cast<bool>(done);
}

bool ParallelResults::KeepRow(const Entry& entry) {
  const char delimiter = options_.results->ends_with(".csv") ? ',' : '\t';
  vfs::OpenFlags flags = vfs::OpenFlags::Write();
  flags.append = has_head_;
  flags.truncate = !has_head_;
  const auto file = in_.fs.Open(*options_.results, flags);
  if (!file) {
    in_.Fail("Error: Cannot open results file `" + *options_.results + "': " + std::string(file.error().Text()) + ".");
    return false;
  }
  std::string text;
  if (!std::exchange(has_head_, true)) {
    std::vector<std::string> head = {"Seq", "Host", "Starttime", "JobRuntime", "Send", "Receive", "Exitval", "Signal", "Command"};
    for (size_t i = 0; i < entry.arguments->size(); ++i) head.push_back(i < names_.size() ? names_[i] : "V" + std::to_string(i + 1));
    head.insert(head.end(), {"Stdout", "Stderr"});
    text += Row(head, delimiter);
  }
  const auto time = [](double seconds) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.3f", seconds);
    return std::string(digits);
  };
  std::vector<std::string> row = {std::to_string(entry.sequence), ":", time(entry.started), time(entry.seconds), std::to_string(entry.sent), std::to_string(entry.out.size()),
                   std::to_string(entry.status), std::to_string(entry.signal), std::string(entry.command)};
  row.insert(row.end(), entry.arguments->begin(), entry.arguments->end());
  row.insert(row.end(), {std::string(entry.out), std::string(entry.err)});
  text += Row(row, delimiter);
  return static_cast<bool>((*file)->Write(text));
}

bool ParallelResults::Keep(const Entry& entry) {
  if (is_table()) return KeepRow(entry);
  const Names names = NamesFor(*entry.arguments, entry.name);
  return Write(names.out, entry.out) && Write(names.err, entry.err) && Write(names.sequence, std::to_string(entry.sequence));
}

std::string ParallelResults::FreshName() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const std::string directory = options_.tmpdir.value_or(std::string(in_.env.Get("TMPDIR", "/tmp")));
  while (true) {
    in_.budget.Step();
    // The names differ by the process and by a count; what is there already is passed over.
    uint64_t number = (static_cast<uint64_t>(in_.process.pid()) * 1000003 + ++files_) * 0x9E3779B97F4A7C15ull;
    std::string name = directory + "/par";
    for (int i = 0; i < 5; ++i, number /= kLetters.size()) name += kLetters[number % kLetters.size()];
    name += ".par";
    if (!in_.fs.Stat(name)) return name;
  }
}

std::optional<std::string> ParallelResults::Put(std::string_view text) {
  std::string name = FreshName();
  if (!Write(name, text)) return std::nullopt;
  return name;
}

}  // namespace paddock
