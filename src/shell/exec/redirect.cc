// Redirections: opening, duplicating, moving and closing descriptors, and putting them back.

#include <algorithm>
#include <charconv>

#include "shell/exec/executor.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "vfs/pipe.h"

namespace paddock::shell {
namespace {

constexpr int kFirstNamedDescriptor = 10;   // {fd}> takes the lowest free one from here

// As many bytes of a here-document as a pipe takes at once come through one, as in bash: a reader that takes
// more than it needs cannot give it back.
constexpr size_t kMostInPipe = 64 << 10;

// The text of a longer here-document or here-string as an open file: bash's nameless temporary one.
class TextFile final : public vfs::OpenFile {
 public:
  explicit TextFile(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view bytes = std::string_view(*text_).substr(offset_, max);
    offset_ += bytes.size();
    return Block{text_, bytes};
  }
  void GiveBack(size_t count) override { offset_ -= count; }
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override {
    const int64_t base = whence == vfs::Whence::kStart     ? 0
                         : whence == vfs::Whence::kCurrent ? static_cast<int64_t>(offset_)
                                                           : static_cast<int64_t>(text_->size());
    if (base + offset < 0) return Code::kInvalid;
    offset_ = std::min(static_cast<size_t>(base + offset), text_->size());
    return offset_;
  }
  Result<vfs::Attributes> GetAttributes() const override {
    return vfs::Attributes{.type = vfs::FileType::kFile, .mode = 0600, .size = text_->size()};
  }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return "/tmp/sh-thd (deleted)"; }

 private:
  std::shared_ptr<const std::string> text_;
  size_t offset_ = 0;
};

int DefaultDescriptor(Redirect::Kind kind) {
  switch (kind) {
    case Redirect::Kind::kInput:
    case Redirect::Kind::kReadWrite:
    case Redirect::Kind::kDuplicateInput:
    case Redirect::Kind::kHereDocument:
    case Redirect::Kind::kHereString:
      return 0;
    default:
      return 1;
  }
}

vfs::OpenFlags FlagsOf(Redirect::Kind kind) {
  switch (kind) {
    case Redirect::Kind::kInput: return vfs::OpenFlags::Read();
    case Redirect::Kind::kAppend:
    case Redirect::Kind::kBothAppend: return vfs::OpenFlags::Append();
    case Redirect::Kind::kReadWrite: return vfs::OpenFlags::ReadWrite();
    default: return vfs::OpenFlags::Write();
  }
}

class Redirector {
 public:
  Redirector(Shell& shell, std::vector<Shell::SavedDescriptor>* saved)
      : shell_(shell), descriptors_(shell.process().descriptors()), saved_(saved) {}

  bool Apply(const Redirect& redirect) {
    switch (redirect.kind) {
      case Redirect::Kind::kHereDocument: return ApplyHereDocument(redirect);
      case Redirect::Kind::kHereString: return ApplyHereString(redirect);
      case Redirect::Kind::kDuplicateInput:
      case Redirect::Kind::kDuplicateOutput: return ApplyDuplicate(redirect);
      default: return ApplyOpen(redirect);
    }
  }

 private:
  // Remembers what `number` is, the first time it is touched.
  void Save(int number) {
    for (const auto& entry : *saved_) {
      if (entry.number == number) return;
    }
    Shell::SavedDescriptor entry{.number = number, .file = descriptors_.Get(number)};
    for (const auto& open : descriptors_.entries()) {
      if (open.number == number) entry.close_on_exec = open.close_on_exec;
    }
    saved_->push_back(std::move(entry));
  }

  // Puts `file` where the redirection says: a number, or a variable that gets a new number.
  bool Install(const Redirect& redirect, vfs::OpenFilePtr file, int number) {
    if (redirect.variable.empty()) {
      if (number >= descriptors_.capacity()) return Fail(std::to_string(number), Code::kBadDescriptor);
      Save(number);
      descriptors_.Set(number, std::move(file));
      return true;
    }
    const int free = descriptors_.LowestFree(kFirstNamedDescriptor);
    if (free < 0) return Fail(redirect.variable, Code::kTooManyFiles);
    if (!AssignVariable(redirect.variable, std::to_string(free))) {
      return false;
    }
    // Stays open after the command, as in bash (unless varredir_close).
    if (shell_.options.Get(ShoptOption::kVarredirClose)) Save(free);
    descriptors_.Set(free, std::move(file));
    return true;
  }

  bool AssignVariable(const std::string& variable, const std::string& value) {
    const size_t bracket = variable.find('[');
    bool is_assigned = false;
    if (bracket == std::string::npos) {
      is_assigned = AssignScalar(shell_, Name(variable), value);
    } else {
      is_assigned = AssignElement(shell_, Name(variable.substr(0, bracket)),
                                  variable.substr(bracket + 1, variable.size() - bracket - 2), value);
    }
    if (!is_assigned) shell_.Complain(variable + ": cannot assign fd to variable");
    return is_assigned;
  }

  bool Fail(const std::string& subject, const Error& error) {
    shell_.Complain(subject + ": " + std::string(error.Text()));
    return false;
  }

  bool InstallText(const Redirect& redirect, std::string text) {
    vfs::OpenFilePtr file;
    if (text.size() <= kMostInPipe) {
      vfs::PipeEnds pipe = vfs::MakePipe(shell_.kernel().scheduler(), kMostInPipe);
      if (const Status written = pipe.write->Write(text); !written) return Fail("here-document", written.error());
      file = std::move(pipe.read);
    } else {
      file = std::make_shared<TextFile>(std::move(text));
    }
    return Install(redirect, std::move(file), redirect.descriptor < 0 ? 0 : redirect.descriptor);
  }

  bool ApplyHereDocument(const Redirect& redirect) {
    std::string text;
    if (redirect.is_quoted) {
      text = redirect.target.parts.empty() ? std::string() : redirect.target.parts[0].text;
    } else if (!ExpandHereDocument(shell_, redirect.target, &text)) {
      return false;
    }
    return InstallText(redirect, std::move(text));
  }

  bool ApplyHereString(const Redirect& redirect) {
    std::string text;
    if (!ExpandHereString(shell_, redirect.target, &text)) return false;
    text += '\n';
    return InstallText(redirect, std::move(text));
  }

  bool ApplyDuplicate(const Redirect& redirect) {
    std::string target;
    if (!ExpandRedirectTarget(shell_, redirect.target, &target)) return false;
    const int number = redirect.descriptor < 0 ? DefaultDescriptor(redirect.kind) : redirect.descriptor;
    if (target == "-") return ApplyClose(redirect, number);
    const bool moves = target.size() > 1 && target.back() == '-';
    const std::string_view digits = std::string_view(target).substr(0, target.size() - (moves ? 1 : 0));
    int source = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), source);
    if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
      return Fail(std::string(digits), Code::kBadDescriptor);
    }
    if (error != std::errc() || end != digits.data() + digits.size() || source < 0) {
      // `>&word` without a number opens the file for stdout and stderr.
      if (redirect.kind == Redirect::Kind::kDuplicateOutput && redirect.descriptor < 0 && redirect.variable.empty()) {
        return OpenBoth(redirect, target, vfs::OpenFlags::Write());
      }
      shell_.Complain(target + ": ambiguous redirect");
      return false;
    }
    vfs::OpenFilePtr file = descriptors_.Get(source);
    if (!file) {
      // Bash names the expansion as it was written, or the number to its left if there is one.
      const bool is_written = !redirect.target.is_plain && redirect.descriptor < 0;
      const int named = redirect.target.is_plain ? source : number;
      return Fail(is_written ? redirect.target.source : std::to_string(named), Code::kBadDescriptor);
    }
    if (!Install(redirect, std::move(file), number)) return false;
    if (moves && source != number) {
      Save(source);
      descriptors_.Close(source);
    }
    return true;
  }

  bool ApplyClose(const Redirect& redirect, int number) {
    if (!redirect.variable.empty()) {
      std::string value;
      const auto word = ParseWord("${" + redirect.variable + "}", shell_.parser_options(), shell_.budget());
      if (!word || !ExpandToString(shell_, *word, &value)) return false;
      int named = -1;
      std::from_chars(value.data(), value.data() + value.size(), named);
      if (named < 0) {
        shell_.Complain(redirect.variable + ": ambiguous redirect");
        return false;
      }
      descriptors_.Close(named);
      return true;
    }
    if (!descriptors_.Get(number)) return true;
    Save(number);
    descriptors_.Close(number);
    return true;
  }

  Result<vfs::OpenFilePtr> Open(const Redirect& redirect, const std::string& path, vfs::OpenFlags flags) {
    const bool guards = shell_.options.Get(SetOption::kNoclobber) &&
                        (redirect.kind == Redirect::Kind::kOutput || redirect.kind == Redirect::Kind::kBoth);
    if (guards) {
      auto stat = shell_.files().Stat(path);
      if (stat && stat->is_file()) return Error(Code::kExists, "cannot overwrite existing file");
    }
    if (descriptors_.LowestFree() < 0) return Code::kTooManyFiles;
    return shell_.files().Open(path, flags);
  }

  bool OpenBoth(const Redirect& redirect, const std::string& path, vfs::OpenFlags flags) {
    auto file = Open(redirect, path, flags);
    if (!file) return Fail(path, file.error());
    Save(1);
    Save(2);
    descriptors_.Set(1, *file);
    descriptors_.Set(2, std::move(*file));
    return true;
  }

  bool ApplyOpen(const Redirect& redirect) {
    std::string target;
    if (!ExpandRedirectTarget(shell_, redirect.target, &target)) return false;
    const vfs::OpenFlags flags = FlagsOf(redirect.kind);
    if (redirect.kind == Redirect::Kind::kBoth || redirect.kind == Redirect::Kind::kBothAppend) {
      return OpenBoth(redirect, target, flags);
    }
    auto file = Open(redirect, target, flags);
    if (!file) return Fail(target, file.error());
    return Install(redirect, std::move(*file),
                   redirect.descriptor < 0 ? DefaultDescriptor(redirect.kind) : redirect.descriptor);
  }

  Shell& shell_;
  proc::DescriptorTable& descriptors_;
  std::vector<Shell::SavedDescriptor>* saved_;
};

}  // namespace

namespace {

bool HasEffect(const Shell& shell, const std::vector<WordPart>& parts) {
  for (const WordPart& part : parts) {
    if (part.kind == WordPart::Kind::kArithmetic || HasEffect(shell, part.parts)) return true;
    if (part.kind != WordPart::Kind::kParameter) continue;
    if (part.parameter->op != ParameterOp::kNone || part.parameter->subscript != nullptr) return true;
    if (shell.options.Get(SetOption::kNounset)) return true;
  }
  return false;
}

}  // namespace

bool HaveEffects(const Shell& shell, const std::vector<Redirect>& redirects) {
  for (const Redirect& redirect : redirects) {
    if (!redirect.variable.empty()) return true;
    if (!redirect.is_quoted && HasEffect(shell, redirect.target.parts)) return true;
  }
  return false;
}

bool HaveParameters(const std::vector<Redirect>& redirects) {
  return std::any_of(redirects.begin(), redirects.end(), [](const Redirect& redirect) {
    return !redirect.is_quoted && !redirect.target.is_plain;
  });
}

bool Shell::ApplyRedirects(const std::vector<Redirect>& redirects, std::vector<SavedDescriptor>* saved) {
  out_.Flush();
  Redirector redirector(*this, saved);
  for (const Redirect& redirect : redirects) {
    if (redirect.line > 0) line = redirect.line;
    if (!redirector.Apply(redirect)) return false;
  }
  return true;
}

void Shell::RestoreRedirects(std::vector<SavedDescriptor>& saved) {
  if (saved.empty()) return;
  out_.Flush();
  out_.ClearStatus();
  while (!saved.empty()) {
    SavedDescriptor entry = std::move(saved.back());
    saved.pop_back();
    if (entry.file) {
      process_->descriptors().Set(entry.number, std::move(entry.file), entry.close_on_exec);
    } else {
      process_->descriptors().Close(entry.number);
    }
  }
}

}  // namespace paddock::shell
