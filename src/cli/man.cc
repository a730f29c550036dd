// paddock man: the manual as a page for man(1).

#include <cstdio>

#include "cli/manual.h"

namespace paddock::cli {
namespace {

constexpr const char* kHelp =
    "Usage: paddock man\n"
    "Prints the manual of all subcommands, as a page for man(1): paddock man > paddock.1; man -l paddock.1\n\n"
    "Exit status: 0, 2 for a usage error.\n";

// Text as roff(7) takes it.
std::string Roff(const std::string& text) {
  std::string out;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '`') out += "\\(ga";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else out += c;
  }
  return out;
}

// An argument of a macro.
std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : Roff(text)) {
    if (c == '"') out += "\\(dq";
    else out += c;
  }
  return out + "\"";
}

// Lines as paragraphs; indented ones stay as they are.
void PrintText(const std::vector<std::string>& lines) {
  bool is_kept = false, is_new = true;
  for (const std::string& line : lines) {
    const bool is_indented = line.starts_with("  ");
    if (is_indented != is_kept && !line.empty()) {
      std::puts(is_indented ? ".PP\n.nf" : ".fi\n.PP");
      is_kept = is_indented;
      is_new = false;
    }
    if (line.empty()) {
      is_new = true;
      continue;
    }
    if (is_new) std::puts(is_kept ? "" : ".PP");
    is_new = false;
    std::puts(Roff(line).c_str());
  }
  if (is_kept) std::puts(".fi");
}

void PrintPage(const Subcommand& subcommand, const ManualPage& page) {
  std::printf(".SS %s\n%s.\n.PP\n.nf\n", Quoted(std::string("paddock ") + subcommand.name).c_str(), Roff(subcommand.summary).c_str());
  for (const std::string& usage : page.usages) std::printf("%s\n", Roff(usage).c_str());
  std::puts(".fi");
  PrintText(page.description);
  for (const ManualOption& option : page.options) {
    std::string head;
    if (option.short_name != 0) head += std::string("\\fB\\-") + Roff(std::string(1, option.short_name)) + "\\fR";
    if (!option.long_name.empty()) head += (head.empty() ? "" : ", ") + ("\\fB\\-\\-" + Roff(option.long_name)) + "\\fR";
    if (!option.value.empty()) {
      const std::string value = "\\fI" + Roff(option.value) + "\\fR";
      head += option.is_optional ? "[=" + value + "]" : option.long_name.empty() ? " " + value : "=" + value;
    }
    std::printf(".TP\n%s\n%s\n", head.c_str(), Roff(option.help).c_str());
  }
  PrintText(page.rest);
}

}  // namespace

int RunMan(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  if (args.size() == 1 && args[0] == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (!args.empty()) return Fail("man", "takes no argument '" + args[0] + "'; 'paddock man --help' explains it");
  std::printf(".TH PADDOCK 1 \"\" %s\n.SH NAME\npaddock \\- a computer of its own for every agent\n.SH SYNOPSIS\n\\fBpaddock\\fR \\fISUBCOMMAND\\fR [\\fIARGUMENT\\fR]...\n",
              Quoted(std::string("paddock ") + kVersion).c_str());
  std::puts(".SH DESCRIPTION\nRuns what nobody has read in sandboxes: in this process, behind the walls of the operating system, or in a daemon that others use too.");
  for (const SubcommandGroup& group : SubcommandGroups()) {
    std::printf(".SH %s\n", Quoted(group.title).c_str());
    for (const Subcommand& subcommand : group.subcommands) {
      const auto page = PageOf(drivers, subcommand);
      if (!page) return Fail("man", page.error().Text());
      PrintPage(subcommand, *page);
    }
  }
  std::puts(".SH ENVIRONMENT\n.TP\n\\fBPADDOCK_SERVER\\fR\nThe daemon to speak to: http://HOST:PORT, https://HOST:PORT or unix:PATH.\n.TP\n\\fBPADDOCK_KEY\\fR\nThe key for it.");
  return 0;
}

}  // namespace paddock::cli
