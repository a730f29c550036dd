#include "commands/archive/7z_writer.h"

#include <algorithm>

namespace paddock::seven_zip {

ExitStatus ArchiveWriter::OpenOld() {
  Say("\nOpen archive: " + o_.archive + "\n");
  auto opened = OpenPacked(in_, o_, zone_);
  if (!opened || (*opened)->type != type_) {
    in_.out.Flush();
    TellError(in_, o_, "\nERROR: " + o_.archive + "\n" + (opened || opened.error().code == Code::kSyntax ? "Cannot open the file as archive" : std::string(opened.error().Text())) + "\n\n");
    return System("Cannot open the file as archive");
  }
  old_ = std::move(*opened);
  Say("--\nPath = " + o_.archive + "\nType = " + old_->type + "\n" + old_->facts + "\n");
  return 0;
}

void ArchiveWriter::FindStdin() {
  Found found;
  found.is_stdin = true;
  found.name = o_.stdin_name->empty() ? std::string() : *o_.stdin_name;
  found.attributes.mode = 0644;
  found.attributes.modify_time = in_.clock.RealNow();
  std::string text = in_.in.ReadAll();
  found.attributes.size = text.size();
  stdin_text_ = std::move(text);
  found_.push_back(std::move(found));
}

void ArchiveWriter::Scan(bool exists) {
  if (!exists) Say("\n");
  std::vector<Wildcard> patterns;
  std::vector<std::string> operands = o_.operands;
  if (operands.empty() && o_.wanted.empty()) operands = {"."};
  std::string warnings;
  for (const std::string& operand : operands) {
    const bool has_wildcard = operand.find_first_of("*?") != std::string::npos;
    if (has_wildcard || o_.is_recursive) patterns.push_back({Parts(operand), o_.is_recursive});
    else warnings += FindPath(operand);
  }
  patterns.insert(patterns.end(), o_.wanted.begin(), o_.wanted.end());
  if (!patterns.empty()) FindPatterns("", patterns, 0);
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return IsBefore(a.name, b.name); });
  if (!warnings.empty()) {
    in_.out.Flush();
    TellError(in_, o_, warnings);
  }
  Counts counts;
  for (const Found& found : found_) counts.Add(found.attributes.is_directory(), found.attributes.is_symlink() ? 0 : found.size());
  Say("Scanning the drive:\n" + counts.Text() + "\n\n");
}

std::string ArchiveWriter::FindPath(const std::string& operand) {
  std::string path = operand;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto attributes = in_.fs.Stat(path, vfs::Follow::kNo);
  if (!attributes) {
    missing_.emplace_back(operand, Reason(attributes.error()));
    return "\nWARNING: " + Reason(attributes.error()) + "\n" + operand + "\n\n";
  }
  const std::vector<std::string> parts = Parts(path);
  const bool is_relative = !path.starts_with('/') && std::find(parts.begin(), parts.end(), "..") == parts.end() && (parts.empty() || parts[0] != ".");
  const std::string last = parts.empty() ? "" : parts.back();
  if (last.empty() || last == "." || last == "..") Walk(path, "", 0);
  else Take(path, is_relative ? path : last, *attributes, 0);
  return {};
}

void ArchiveWriter::Take(const std::string& path, const std::string& name, const vfs::Attributes& attributes, int depth) {
  in_.budget.Step(8);
  in_.budget.CheckStack();
  const std::vector<std::string> parts = Parts(name);
  if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), [&](const Wildcard& wildcard) { return Matches(wildcard, parts, in_.budget); })) return;
  if (!attributes.is_directory() && !attributes.is_file() && !attributes.is_symlink()) return;
  if (path == o_.archive || !names_.insert(name).second) return;
  Found found = {.path = path, .name = name, .attributes = attributes};
  if (attributes.is_symlink()) found.link = in_.fs.ReadLink(path).value_or("");
  found_.push_back(std::move(found));
  if (attributes.is_directory()) Walk(path, name + "/", depth);
}

void ArchiveWriter::Walk(const std::string& path, const std::string& prefix, int depth) {
  for (const std::string& name : NamesIn(path)) {
    const std::string below = path == "." ? name : vfs::JoinPath(path, name);
    if (const auto attributes = in_.fs.Stat(below, vfs::Follow::kNo)) Take(below, prefix + name, *attributes, depth + 1);
  }
}

std::vector<std::string> ArchiveWriter::NamesIn(const std::string& path) {
  std::vector<std::string> names;
  const auto entries = in_.fs.List(path);
  if (!entries) return names;
  for (const vfs::DirectoryEntry& entry : *entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

void ArchiveWriter::FindPatterns(const std::string& prefix, const std::vector<Wildcard>& patterns, int depth) {
  in_.budget.CheckStack();
  size_t deepest = 0;
  bool is_recursive = false;
  for (const Wildcard& pattern : patterns) {
    deepest = std::max(deepest, pattern.parts.size());
    is_recursive = is_recursive || pattern.is_recursive;
  }
  for (const std::string& name : NamesIn(prefix.empty() ? "." : prefix)) {
    in_.budget.Step(8);
    const std::string path = prefix.empty() ? name : vfs::JoinPath(prefix, name);
    const auto attributes = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!attributes) continue;
    const std::vector<std::string> parts = Parts(path);
    if (std::any_of(patterns.begin(), patterns.end(), [&](const Wildcard& pattern) { return Matches(pattern, parts, in_.budget); })) Take(path, path, *attributes, depth);
    else if (attributes->is_directory() && (is_recursive || static_cast<size_t>(depth) + 1 < deepest)) FindPatterns(path, patterns, depth + 1);
  }
}

bool ArchiveWriter::IsBefore(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return rank(x) < rank(y);
  });
}

}  // namespace paddock::seven_zip
