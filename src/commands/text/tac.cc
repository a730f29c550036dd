// tac - concatenate and print files in reverse
//
// usage: tac [OPTION]... [FILE]...
// Writes the records of each FILE, last one first. Records end in a newline, or in (-b: begin with) what -s
// says.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: GNU coreutils 9.1; -r takes the old Emacs syntax, where + and ? repeat.
// Differs: nothing known.

#include <algorithm>
#include <cstring>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/quote.h"
#include "text/regex.h"

namespace paddock {
namespace {

struct Options {
  bool before = false;
  bool regex = false;
  std::string separator = "\n";
};

constexpr Option kOptions[] = {
    Flag<&Options::before>('b', "before", "attach the separator before instead of after"),
    Flag<&Options::regex>('r', "regex", "interpret the separator as a regular expression"),
    Value<&Options::separator>('s', "separator", "STRING", "use STRING as the separator instead of newline"),
};

struct Found {
  size_t begin;
  size_t length;
};

// Finds separators from the end of a text.
class Separator {
 public:
  explicit Separator(std::string text) : text_(std::move(text)) {}
  explicit Separator(Regex regex) : regex_(std::move(regex)) {}

  bool is_regex() const { return regex_.has_value(); }

  // The separator within text[0, end) that begins last.
  Result<std::optional<Found>> FindLast(std::string_view text, size_t end, Budget& budget) const {
    const std::string_view part = text.substr(0, end);
    budget.Step();
    if (!regex_) {
      const size_t at = Rfind(part);
      if (at == std::string_view::npos) return std::optional<Found>();
      budget.Step(static_cast<int64_t>((end - at) / 32));
      return std::optional<Found>({at, text_.size()});
    }
    // Looks through growing pieces at the end, then takes the last start within the piece.
    for (size_t window = 64; end > 0; window *= 4) {
      const size_t from = end - std::min(window, end);
      std::optional<Found> last;
      for (size_t at = from; at < end;) {
        std::vector<RegexGroup> groups(1);
        PADDOCK_ASSIGN(const bool is_match, regex_->Search(part, at, &groups, budget));
        if (!is_match || groups[0].begin >= end) break;
        last = Found{groups[0].begin, groups[0].end - groups[0].begin};
        at = groups[0].begin + 1;
      }
      if (last) return last;
      if (from == 0) break;
    }
    return std::optional<Found>();
  }

 private:
  size_t Rfind(std::string_view part) const {
    if (text_.size() > part.size()) return std::string_view::npos;
    if (text_.size() != 1) return part.rfind(text_);
    const void* const found = memrchr(part.data(), text_[0], part.size());
    return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - part.data());
  }

  std::string text_;
  std::optional<Regex> regex_;
};

// The end of a file that is not written yet, read block by block from the back.
class BackwardText {
 public:
  // Everything at once.
  static BackwardText Whole(std::string text) {
    BackwardText result;
    result.text_ = std::move(text);
    return result;
  }
  static BackwardText OfFile(vfs::OpenFile& file, uint64_t end) {
    BackwardText result;
    result.file_ = &file;
    result.loaded_from_ = end;
    return result;
  }

  std::string& text() { return text_; }
  // Puts more of the file before text(); returns how much, 0 at the beginning of the file.
  Result<size_t> LoadMore() {
    constexpr uint64_t kBlock = 64 << 10;
    if (file_ == nullptr || loaded_from_ == 0) return size_t{0};
    const uint64_t size = std::min<uint64_t>(std::max<uint64_t>(kBlock, text_.size()), loaded_from_);
    const uint64_t from = loaded_from_ - size;
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(from), vfs::Whence::kStart));
    std::string block;
    while (block.size() < size) {
      PADDOCK_ASSIGN(const Block piece, file_->ReadBlock(size - block.size()));
      if (piece.bytes.empty()) break;
      block.append(piece.bytes);
    }
    loaded_from_ = from;
    const size_t loaded = block.size();
    block.append(text_);
    text_ = std::move(block);
    return loaded;
  }

 private:
  std::string text_;
  vfs::OpenFile* file_ = nullptr;
  uint64_t loaded_from_ = 0;
};

Status WriteReversed(Invocation& in, BackwardText& source, const Separator& separator, bool is_before) {
  size_t record_end = source.text().size();
  size_t search_end = record_end;
  bool is_first = true;
  while (in.out.status()) {
    std::string& text = source.text();
    PADDOCK_ASSIGN(const auto found, separator.FindLast(text, search_end, in.budget));
    if (!found) {
      text.resize(record_end);
      PADDOCK_ASSIGN(const size_t loaded, source.LoadMore());
      in.budget.Step(static_cast<int64_t>(loaded / 32));
      record_end += loaded;
      search_end += loaded;
      if (loaded > 0) continue;
      in.out.Write(text);
      return {};
    }
    const size_t cut = is_before ? found->begin : found->begin + found->length;
    if (is_before || !is_first || cut != record_end) {
      in.out.Write(std::string_view(text).substr(cut, record_end - cut));
    }
    is_first = false;
    record_end = cut;
    search_end = found->begin;
  }
  return {};
}

// Writes one file; the error, if any, is a read error.
Status ReverseFile(Invocation& in, InputFile& file, const Separator& separator, bool is_before) {
  if (file.file() != nullptr) {
    auto attributes = file.file()->GetAttributes();
    if (attributes && attributes->is_directory()) return Code::kInvalid;
    if (attributes && attributes->is_file() && !separator.is_regex()) {
      file.input().Finish();
      // A file is taken from its beginning, wherever its offset stands.
      if (auto end = file.file()->Seek(0, vfs::Whence::kEnd)) {
        BackwardText text = BackwardText::OfFile(*file.file(), *end);
        return WriteReversed(in, text, separator, is_before);
      }
    }
  }
  BackwardText text = BackwardText::Whole(file.input().ReadAll());
  if (!file.input().status()) return file.input().status();
  return WriteReversed(in, text, separator, is_before);
}

// From the old Emacs syntax, where + and ? are operators and \+ and \? are not, and there are no intervals.
std::string ToBasicSyntax(std::string_view pattern) {
  std::string basic;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '[') {
      size_t end = i + 1;
      if (end < pattern.size() && pattern[end] == '^') ++end;
      end = pattern.find(']', end + 1);
      if (end == std::string_view::npos) end = pattern.size() - 1;
      basic += pattern.substr(i, end - i + 1);
      i = end;
    } else if (c == '+' || c == '?') {
      basic += '\\';
      basic += c;
    } else if (c == '\\' && i + 1 < pattern.size()) {
      const char next = pattern[++i];
      const bool is_letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
      const bool is_plain = std::string_view("+?{}").find(next) != std::string_view::npos ||
                            (is_letter && std::string_view("wWsSbB").find(next) == std::string_view::npos);
      if (!is_plain) basic += '\\';
      basic += next;
    } else {
      basic += c;
    }
  }
  return basic;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (options.regex && options.separator.empty()) return in.Fail("separator cannot be empty");
  std::string text = options.separator.empty() ? std::string(1, '\0') : options.separator;
  Separator separator(std::move(text));
  if (options.regex) {
    auto regex = Regex::Compile(ToBasicSyntax(options.separator),
                                {.dialect = RegexDialect::kBasic, .is_utf8 = is_utf8, .multiline = true, .newline_is_text = false});
    if (!regex) return in.Fail(regex.error().Text());
    separator = Separator(std::move(*regex));
  }
  std::vector<std::string> names = operands;
  if (names.empty()) names.push_back("-");
  ExitStatus status = 0;
  for (const std::string& name : names) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      status = in.Fail("failed to open " + QuoteFile(name, is_utf8) + " for reading", file.error());
      continue;
    }
    const Status written = ReverseFile(in, *file, separator, options.before);
    if (!written) status = in.Fail(QuoteSubject(file->display_name(), is_utf8) + ": read error", written.error());
  }
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_tac;
const Command kCommand_tac = Define<Options, Run>({
    .name = "tac",
    .summary = "concatenate and print files in reverse",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
