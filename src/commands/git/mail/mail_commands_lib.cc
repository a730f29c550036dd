// git mailsplit and git mailinfo: what am does, step by step.
#include <algorithm>

#include "commands/git/git.h"
#include "commands/input_files.h"
#include "git/mail.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostMailBytes = 64 << 20;

struct MailSplitOptions {
  std::optional<int64_t> digits, first;
  bool takes_bare = false, keeps_returns = false;
  std::string directory;
};
constexpr Option kMailSplitOptions[] = {
    Value<&MailSplitOptions::digits>('d', nullptr, "N", "names of N digits"),
    Value<&MailSplitOptions::first>('f', nullptr, "N", "the first one is N + 1"),
    Flag<&MailSplitOptions::takes_bare>('b', nullptr, "what does not begin with \"From \" is one mail"),
    Flag<&MailSplitOptions::keeps_returns>(0, "keep-cr", "lines may end with CR LF"),
    Value<&MailSplitOptions::directory>('o', nullptr, "DIR", "where the mails go"),
};

class MailSplitter {
 public:
  MailSplitter(Invocation& in, const MailSplitOptions& options) : in_(in), options_(options), number_(options.first.value_or(0)) {}

  Result<ExitStatus> Run(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      bool is_folder = false;
      if (name != "-") {
        const auto facts = in_.fs.Stat(name);
        if (!facts) {
          in_.err.Write("error: cannot stat " + name + ": " + std::string(facts.error().Text()) + "\n");
          return 1;
        }
        is_folder = facts->is_directory();
      }
      PADDOCK_ASSIGN(const bool is_done, is_folder ? TakeFolder(name) : TakeFile(name));
      if (!is_done) return 1;
    }
    in_.out.Write(std::to_string(number_ - options_.first.value_or(0)) + "\n");
    return 0;
  }

 private:
  Result<bool> TakeFile(const std::string& name) {
    auto input = InputFile::Open(in_, name);
    if (!input) {
      in_.err.Write("error: cannot open mbox " + name + ": " + std::string(input.error().Text()) + "\n");
      return false;
    }
    const std::string text = input->input().ReadAll();
    if (text.empty()) return true;
    if (!options_.takes_bare && !text.starts_with("From ")) {
      in_.err.Write("corrupt mailbox\n");
      return false;
    }
    for (const std::string_view mail : SplitMbox(text, in_.budget)) PADDOCK_TRY(Write(mail));
    return true;
  }
  // A Maildir: each file of cur and new is a mail.
  Result<bool> TakeFolder(const std::string& name) {
    std::vector<std::string> files;
    for (const char* part : {"cur", "new"}) {
      const auto list = in_.fs.List(name + "/" + part);
      if (!list && list.error().code == Code::kNoEntry) continue;
      if (!list) {
        in_.err.Write("error: cannot opendir " + name + "/" + part + " (" + std::string(list.error().Text()) + ")\n");
        return false;
      }
      for (const vfs::DirectoryEntry& entry : *list) {
        if (!entry.name.starts_with('.')) files.push_back(std::string(part) + "/" + entry.name);
      }
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      in_.budget.Step();
      PADDOCK_ASSIGN(const std::string mail, vfs::ReadFile(in_.fs, name + "/" + file, kMostMailBytes));
      PADDOCK_TRY(Write(mail));
    }
    return true;
  }
  Status Write(std::string_view mail) {
    std::string digits = std::to_string(++number_);
    const size_t width = static_cast<size_t>(options_.digits.value_or(4));
    digits.insert(0, digits.size() < width ? width - digits.size() : 0, '0');
    const std::string path = options_.directory + "/" + digits;
    if (in_.fs.Stat(path)) return Error(Code::kExists, "unable to create '" + path + "': File exists");
    const Status written = vfs::WriteFile(in_.fs, path, options_.keeps_returns ? std::string(mail) : WithoutReturns(mail));
    if (!written) return Error(written.error().code, "unable to create '" + path + "': " + std::string(written.error().Text()));
    return {};
  }

  Invocation& in_;
  const MailSplitOptions& options_;
  int64_t number_;
};

Result<ExitStatus> RunMailSplit(Invocation& in, Git*, MailSplitOptions& options, Args& args) {
  std::vector<std::string> names = args.All();
  // The old form names the directory last.
  if (options.directory.empty() && (names.size() == 1 || names.size() == 2)) {
    options.directory = names.back();
    names.pop_back();
  }
  const int64_t digits = options.digits.value_or(4), first = options.first.value_or(0);
  if (options.directory.empty() || digits < 3 || digits >= 10 || first < 0) {
    in.err.Write("usage: git mailsplit [-d<prec>] [-f<n>] [-b] [--keep-cr] -o<directory> [(<mbox>|<Maildir>)...]\n");
    return 129;
  }
  if (names.empty()) names.emplace_back("-");
  return MailSplitter(in, options).Run(names);
}

struct MailInfoOptions {
  MailReading reading;
  bool adds_id = false;
  std::optional<bool> scissors;
  std::string encoding, quoted_return;
};
template <auto kMember, bool kValue>
Status TakeReading(MailInfoOptions& options, std::string_view) {
  options.reading.*kMember = kValue;
  return {};
}
template <bool kValue>
Status TakeScissors(MailInfoOptions& options, std::string_view) {
  options.scissors = kValue;
  return {};
}
Status TakeQuotedReturnAction(MailInfoOptions& options, std::string_view value) {
  if (value != "nowarn" && value != "warn" && value != "strip") return Error(Code::kRange, "bad action '" + std::string(value) + "' for '--quoted-cr'");
  options.quoted_return = value;
  return {};
}
constexpr Option kMailInfoOptions[] = {
    Call<TakeReading<&MailReading::keeps_subject, true>>('k', nullptr, nullptr, "the subject as it is"),
    Call<TakeReading<&MailReading::keeps_non_patch, true>>('b', nullptr, nullptr, "keep [x] where x does not say PATCH"),
    Flag<&MailInfoOptions::adds_id>('m', "message-id", "the message ends with a line Message-ID"),
    Call<TakeReading<&MailReading::recodes, true>>('u', nullptr, nullptr, "recode into UTF-8 (the default)"),
    Call<TakeReading<&MailReading::recodes, false>>('n', nullptr, nullptr, "take it as it is"),
    Value<&MailInfoOptions::encoding>(0, "encoding", "NAME", "recode into another one: only UTF-8"),
    Call<TakeScissors<true>>(0, "scissors", nullptr, "the message begins behind a line of scissors"),
    Call<TakeScissors<false>>(0, "no-scissors", nullptr, "scissors are text (the default)"),
    Call<TakeReading<&MailReading::has_inner_headers, false>>(0, "no-inbody-headers", nullptr, "lines like From: in the message are text"),
    Call<TakeQuotedReturnAction>(0, "quoted-cr", "ACTION", "of CR LF in what base64 or quoted-printable carries: nowarn, warn or strip"),
};

Result<ExitStatus> RunMailInfo(Invocation& in, Git* git, MailInfoOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (names.size() != 2) {
    in.err.Write("usage: git mailinfo [<options>] <msg> <patch> < mail >info\n");
    return 129;
  }
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, git));
  std::string encoding = options.encoding.empty() ? config.Get("i18n.commitencoding", "utf-8") : options.encoding;
  std::transform(encoding.begin(), encoding.end(), encoding.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (options.reading.recodes && encoding != "utf-8" && encoding != "utf8") return Error(Code::kNotSupported, "the encoding '" + encoding + "' is not supported");
  const std::string action = options.quoted_return.empty() ? config.Get("mailinfo.quotedcr", "warn") : options.quoted_return;
  options.reading.strips_return = action == "strip";
  options.reading.has_scissors = options.scissors.value_or(config.GetBool("mailinfo.scissors", false));
  const std::string text = in.in.ReadAll();
  auto mail = ReadMail(text, options.reading, in.budget);
  if (!mail && mail.error().code != Code::kSyntax) return mail.error();
  if (!mail) return 1;
  if (mail->has_return && action == "warn") in.err.Write("warning: quoted CRLF detected\n");
  std::string message = mail->body;
  if (options.adds_id && !mail->message_id.empty()) message += "Message-Id: " + mail->message_id + "\n";
  for (const auto& [name, content] : {std::pair<const std::string&, const std::string&>(names[0], message), {names[1], mail->patch}}) {
    const Status written = vfs::WriteFile(in.fs, name, content);
    if (written) continue;
    in.err.Write(name + ": " + std::string(written.error().Text()) + "\n");
    return 1;
  }
  if (text.empty()) {
    in.err.Write("error: empty patch: '" + names[1] + "'\n");
    return 1;
  }
  std::string info;
  if (!mail->email.empty()) info += "Author: " + mail->name + "\nEmail: " + mail->email + "\n";
  if (!mail->subject.empty()) info += "Subject: " + mail->subject + "\n";
  if (!mail->date.empty()) info += "Date: " + mail->date + "\n";
  in.out.Write(info + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kMailSplit, kMailInfo;
const Subcommand kMailSplit = DefineFreeSubcommand<MailSplitOptions, RunMailSplit>({.name = "mailsplit", .summary = "write each mail of a mailbox to a file", .synopsis = "[-d<prec>] [-f<n>] [-b] [--keep-cr] -o<directory> [(<mbox>|<Maildir>)...]", .options = kMailSplitOptions, .needs = Needs::kMaybeRepository});
const Subcommand kMailInfo = DefineFreeSubcommand<MailInfoOptions, RunMailInfo>({.name = "mailinfo", .summary = "take a mail with a patch apart", .synopsis = "[<options>] <msg> <patch> < mail >info", .options = kMailInfoOptions, .needs = Needs::kMaybeRepository});

}  // namespace paddock::git
