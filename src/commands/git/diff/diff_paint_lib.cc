#include "commands/git/diff/diff_paint.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "commands/git/colour_spec.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsBlankLine(std::string_view line) { return std::all_of(line.begin(), line.end(), IsSpace); }

BlankRule ParseBlankRule(std::string_view text) {
  BlankRule rule;
  while (!text.empty()) {
    const size_t begin = std::min(text.find_first_not_of(", \t\n\r"), text.size());
    text.remove_prefix(begin);
    const size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    while (!word.empty() && IsSpace(word.back())) word.remove_suffix(1);
    const bool is_on = !word.starts_with('-');
    if (!is_on) word.remove_prefix(1);
    // A part of a name will do.
    const auto is = [word](std::string_view name) { return !word.empty() && name.starts_with(word); };
    if (word.starts_with("tabwidth=")) {
      size_t width = 0;
      std::from_chars(word.data() + 9, word.data() + word.size(), width);
      if (width > 0 && width < 64) rule.tab_width = width;
    } else if (is("trailing-space")) {
      rule.at_end = rule.at_eof = is_on;
    } else if (is("space-before-tab")) {
      rule.before_tab = is_on;
    } else if (is("indent-with-non-tab")) {
      rule.indent_with_spaces = is_on;
    } else if (is("cr-at-eol")) {
      rule.cr_at_end = is_on;
    } else if (is("blank-at-eol")) {
      rule.at_end = is_on;
    } else if (is("blank-at-eof")) {
      rule.at_eof = is_on;
    } else if (is("tab-in-indent")) {
      rule.tab_in_indent = is_on;
    }
  }
  return rule;
}

// Where the blank lines at the end of a text begin, counted from 1; and how many there are.
size_t TrailingBlanks(std::string_view text, size_t& lines) {
  lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + (!text.empty() && !text.ends_with('\n') ? 1 : 0);
  size_t blanks = 0;
  if (text.ends_with('\n')) text.remove_suffix(1);
  else if (text.empty()) return 0;
  while (true) {
    const size_t begin = text.rfind('\n');
    const std::string_view line = begin == std::string_view::npos ? text : text.substr(begin + 1);
    if (!IsBlankLine(line)) return blanks;
    ++blanks;
    if (begin == std::string_view::npos) return blanks;
    text = text.substr(0, begin);
  }
}

}  // namespace

BlankRule BlankRuleOf(Git& git, const std::string& path) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  const std::string value = git.attributes->Get(path, "whitespace");
  const auto configured = git.config.Get("core.whitespace");
  if (value == "unspecified") return configured ? ParseBlankRule(*configured) : BlankRule{};
  BlankRule rule;
  if (value == "unset") rule.at_end = rule.at_eof = rule.before_tab = false;
  else if (value == "set") rule.indent_with_spaces = true;
  else rule = ParseBlankRule(value);
  return rule;
}

Palette PaletteOf(const Git& git) {
  const auto colour = [&git](std::string_view name, std::string_view otherwise) {
    const auto set = git.config.Get("color.diff." + std::string(name));
    if (set) {
      if (auto parsed = ColourSequence(*set)) return *parsed;
    }
    return std::string(otherwise);
  };
  Palette palette;
  palette.plain = colour("context", colour("plain", ""));
  palette.meta = colour("meta", "\033[1m");
  palette.fragment = colour("frag", "\033[36m");
  palette.function = colour("func", "");
  palette.old_line = colour("old", "\033[31m");
  palette.new_line = colour("new", "\033[32m");
  palette.commit = colour("commit", "\033[33m");
  palette.blanks = colour("whitespace", "\033[41m");
  palette.old_moved = colour("oldmoved", "\033[1;35m");
  palette.old_moved_other = colour("oldmovedalternative", "\033[1;34m");
  palette.old_moved_dim = colour("oldmoveddimmed", "\033[2m");
  palette.old_moved_other_dim = colour("oldmovedalternativedimmed", "\033[2;3m");
  palette.new_moved = colour("newmoved", "\033[1;36m");
  palette.new_moved_other = colour("newmovedalternative", "\033[1;33m");
  palette.new_moved_dim = colour("newmoveddimmed", "\033[2m");
  palette.new_moved_other_dim = colour("newmovedalternativedimmed", "\033[2;3m");
  return palette;
}

PatchText::PatchText(Git& git, const DiffOptions& options) : git_(git), options_(options) {
  if (!is_coloured()) return;
  palette_ = PaletteOf(git);
  DiffOptions configured;
  if (options.highlight) highlight_ = *options.highlight;
  else if (const auto set = git.config.Get("diff.wserrorhighlight"); set && TakeHighlightOption(configured, *set)) highlight_ = *configured.highlight;
  if (const auto set = git.config.Get("diff.colormovedws"); !options.moved_blanks && set && TakeMovedBlanksOption(configured, *set)) moved_ = *configured.moved_blanks;
  else moved_ = options.moved_blanks.value_or(MovedLines{});
  if (const auto set = git.config.Get("diff.colormoved"); !options.moved && set && TakeMovedOption(configured, *set)) moved_.mode = *configured.moved;
  else moved_.mode = options.moved.value_or(MovedLines::Mode::kNo);
  may_pass_on_ = moved_.mode == MovedLines::Mode::kNo;
}

void PatchText::SetFile(const BlankRule& rule, std::string_view before, std::string_view after) {
  old_blank_ = new_blank_ = 0;
  if (!is_coloured()) return;
  rules_.push_back(rule);
  if (may_pass_on_) rules_.erase(rules_.begin(), rules_.end() - 1);
  size_t old_lines = 0, new_lines = 0;
  const size_t old_count = TrailingBlanks(before, old_lines), new_count = TrailingBlanks(after, new_lines);
  if (!rule.at_eof || new_count <= old_count) return;
  old_blank_ = old_lines - old_count + 1;
  new_blank_ = new_lines - new_count + 1;
}

void PatchText::Add(Kind kind, std::string_view text, bool is_blank_at_eof) {
  if (!is_coloured()) {
    if (kind == Kind::kOld) out_ += options_.old_mark;
    else if (kind == Kind::kNew) out_ += options_.new_mark;
    else if (kind == Kind::kContext) out_ += options_.context_mark;
    out_ += text;
    if (kind != Kind::kText) out_ += '\n';
    return;
  }
  Entry entry{.kind = kind, .is_blank_at_eof = is_blank_at_eof, .rule = static_cast<uint32_t>(rules_.size() - 1), .text = std::string(text)};
  if (may_pass_on_) {
    Paint(entry);
    return;
  }
  git_.in.budget.WillAllocate(sizeof(Entry) + text.size());
  entries_.push_back(std::move(entry));
}

void PatchText::Fragment(std::string_view range, std::string_view heading) {
  has_lines_ = true;
  std::from_chars(range.data() + 4, range.data() + range.size(), old_number_);
  const size_t plus = range.find('+');
  std::from_chars(range.data() + plus + 1, range.data() + range.size(), new_number_);
  Add(Kind::kFragment, std::string(range) + std::string(heading));
}

void PatchText::Line(char mark, std::string_view line) {
  has_lines_ = true;
  const bool is_whole = line.ends_with('\n');
  if (is_whole) line.remove_suffix(1);
  if (mark != '-') ++new_number_;
  const bool is_at_eof = mark == '+' && old_blank_ != 0 && old_blank_ <= old_number_ && new_blank_ <= new_number_ && IsBlankLine(line);
  if (mark != '+') ++old_number_;
  Add(mark == '+' ? Kind::kNew : mark == '-' ? Kind::kOld : Kind::kContext, line, is_at_eof);
  if (!is_whole) Add(Kind::kIncomplete, "\\ No newline at end of file");
}

std::string PatchText::Take() {
  if (!entries_.empty()) {
    MarkMoved();
    if (moved_.mode == MovedLines::Mode::kDimmedZebra) DimMoved();
    for (const Entry& entry : entries_) Paint(entry);
    entries_.clear();
  }
  return std::move(out_);
}

// Return and newline stand behind what ends a colour.
void PatchText::Put(std::string_view set, char first, std::string_view line) {
  const bool has_return = line.ends_with('\r');
  if (has_return) line.remove_suffix(1);
  if (first != 0 || !line.empty()) {
    out_ += set;
    if (first != 0) out_ += first;
    out_ += line;
    out_ += palette_.reset;
  }
  if (has_return) out_ += '\r';
  out_ += '\n';
}

void PatchText::Paint(const Entry& entry) {
  switch (entry.kind) {
    case Kind::kText: out_ += entry.text; return;
    case Kind::kMeta: {
      std::string_view line = entry.text;
      const bool has_tab = line.ends_with('\t');
      if (has_tab) line.remove_suffix(1);
      out_ += palette_.meta;
      out_ += line;
      out_ += palette_.reset;
      out_ += has_tab ? "\t\n" : "\n";
      return;
    }
    case Kind::kFragment: {
      std::string_view line = entry.text;
      const size_t end = line.find("@@", 2) + 2;
      size_t begin = std::min(line.find_first_not_of(" \t", end), line.size());
      out_ += palette_.fragment + std::string(line.substr(0, end)) + palette_.reset;
      if (begin > end) out_ += palette_.plain + std::string(line.substr(end, begin - end)) + palette_.reset;
      if (begin < line.size()) out_ += palette_.function + std::string(line.substr(begin)) + palette_.reset;
      out_ += '\n';
      return;
    }
    case Kind::kIncomplete: Put(palette_.plain, 0, entry.text); return;
    default: PaintLine(entry);
  }
}

void PatchText::PaintLine(const Entry& entry) {
  const bool is_old = entry.kind == Kind::kOld, is_new = entry.kind == Kind::kNew;
  const char mark = is_old ? options_.old_mark : is_new ? options_.new_mark : options_.context_mark;
  const std::string* set = is_old ? &palette_.old_line : is_new ? &palette_.new_line : &palette_.plain;
  if (entry.is_moved && is_old) set = entry.is_other ? (entry.is_dim ? &palette_.old_moved_other_dim : &palette_.old_moved_other) : entry.is_dim ? &palette_.old_moved_dim : &palette_.old_moved;
  if (entry.is_moved && is_new) set = entry.is_other ? (entry.is_dim ? &palette_.new_moved_other_dim : &palette_.new_moved_other) : entry.is_dim ? &palette_.new_moved_dim : &palette_.new_moved;
  const uint8_t kind = is_old ? kHighlightOld : is_new ? kHighlightNew : kHighlightContext;
  if ((highlight_ & kind) == 0 || palette_.blanks.empty()) {
    Put(*set, mark, entry.text);
  } else if (entry.is_blank_at_eof) {
    Put(palette_.blanks, mark, entry.text);
  } else {
    out_ += *set;
    out_ += mark;
    out_ += palette_.reset;
    PaintBlanks(entry.text, rules_[entry.rule], *set);
  }
}

void PatchText::PaintBlanks(std::string_view line, const BlankRule& rule, std::string_view set) {
  const auto paint = [this](std::string_view colour, std::string_view text) {
    out_ += colour;
    out_ += text;
    out_ += palette_.reset;
  };
  const bool has_return = rule.cr_at_end && line.ends_with('\r');
  if (has_return) line.remove_suffix(1);
  size_t end = line.size();
  while (rule.at_end && end > 0 && IsSpace(line[end - 1])) --end;
  size_t written = 0, i = 0;
  for (; i < end; ++i) {
    if (line[i] == ' ') continue;
    if (line[i] != '\t') break;
    if (rule.before_tab && written < i) {
      paint(palette_.blanks, line.substr(written, i - written));
      out_ += '\t';
    } else if (rule.tab_in_indent) {
      out_ += line.substr(written, i - written);
      paint(palette_.blanks, "\t");
    } else {
      out_ += line.substr(written, i - written + 1);
    }
    written = i + 1;
  }
  if (rule.indent_with_spaces && i - written >= rule.tab_width) {
    paint(palette_.blanks, line.substr(written, i - written));
    written = i;
  }
  if (end > written) paint(set, line.substr(written, end - written));
  if (end < line.size()) paint(palette_.blanks, line.substr(end));
  if (has_return) out_ += '\r';
  out_ += '\n';
}

namespace {

constexpr int64_t kBlankIndent = -1;

// What of a line has to be the same, and how far it is indented.
std::string MovedKey(std::string_view line, const MovedLines& moved, int64_t tab_width, int64_t& indent) {
  if (moved.may_be_indented) {
    size_t at = 0;
    while (at < line.size() && (line[at] == '\f' || line[at] == '\v' || line[at] == '\r')) ++at;
    int64_t width = 0;
    for (; at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at) width += line[at] == ' ' ? 1 : tab_width - width % tab_width;
    if (IsBlankLine(line.substr(at))) {
      indent = kBlankIndent;
      return {};
    }
    indent = width;
    return std::string(line.substr(at));
  }
  if (!moved.ignores_all_space && !moved.ignores_space_change && !moved.ignores_space_at_end) return std::string(line);
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  if (!moved.ignores_all_space && !moved.ignores_space_change) return std::string(line);
  std::string key;
  for (size_t i = 0; i < line.size(); ++i) {
    if (!IsSpace(line[i])) key += line[i];
    else if (!moved.ignores_all_space && (i == 0 || !IsSpace(line[i - 1]))) key += ' ';
  }
  return key;
}

}  // namespace

// Looks for runs of lines that went here and came there. A run counts when it has enough letters and digits.
void PatchText::MarkMoved() {
  constexpr size_t kNone = static_cast<size_t>(-1), kLeastLetters = 20;
  struct Spot {
    size_t key = 0;
    int64_t indent = 0;
    size_t next_same = kNone;   // the next one with this key on this side
  };
  struct Block {
    size_t at;                  // the last line of the other side that belongs to it
    int64_t shift;
  };
  std::vector<Spot> places(entries_.size());
  git_.in.budget.WillAllocate(places.size() * sizeof(Spot));
  std::unordered_map<std::string, size_t> keys;
  std::vector<size_t> first_old, first_new;
  const auto is_changed = [this](size_t i) { return entries_[i].kind == Kind::kOld || entries_[i].kind == Kind::kNew; };
  for (size_t i = 0; i < entries_.size(); ++i) {
    git_.in.budget.Step();
    if (!is_changed(i)) continue;
    Spot& place = places[i];
    place.key = keys.emplace(MovedKey(entries_[i].text, moved_, static_cast<int64_t>(rules_[entries_[i].rule].tab_width), place.indent), keys.size()).first->second;
    if (place.key >= first_old.size()) {
      first_old.push_back(kNone);
      first_new.push_back(kNone);
    }
    size_t& first = (entries_[i].kind == Kind::kOld ? first_old : first_new)[place.key];
    place.next_same = first;
    first = i;
  }
  std::vector<Block> blocks;
  size_t length = 0;
  bool is_flipped = false;
  Kind moved_kind = Kind::kText;   // of the blocks; kText: none
  const auto settle = [&](size_t end) {
    if (moved_.mode == MovedLines::Mode::kPlain) return length > 0;
    size_t letters = 0;
    for (size_t i = end - length; i < end; ++i) {
      for (const char c : entries_[i].text) letters += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1 : 0;
    }
    if (letters >= kLeastLetters) return true;
    for (size_t i = end - length; i < end; ++i) entries_[i].is_moved = false;
    return false;
  };
  const auto shift_of = [&](size_t here, size_t there) { return places[here].indent == kBlankIndent ? kBlankIndent - 1000000 : places[here].indent - places[there].indent; };
  constexpr int64_t kAnyShift = kBlankIndent - 1000000;
  const auto advance = [&](size_t i) {
    std::erase_if(blocks, [&](Block& block) {
      git_.in.budget.Step();
      const size_t next = block.at + 1;
      if (next >= entries_.size() || entries_[next].kind != entries_[block.at].kind || places[next].key != places[i].key) return true;
      if (moved_.may_be_indented && places[i].indent != kBlankIndent) {
        const int64_t shift = shift_of(i, next);
        if (block.shift == kAnyShift) block.shift = shift;
        if (block.shift != shift) return true;
      }
      block.at = next;
      return false;
    });
  };
  for (size_t i = 0; i < entries_.size(); ++i) {
    git_.in.budget.Step();
    size_t match = kNone;
    if (entries_[i].kind == Kind::kNew) match = first_old[places[i].key];
    else if (entries_[i].kind == Kind::kOld) match = first_new[places[i].key];
    else is_flipped = false;
    if (!blocks.empty() && (match == kNone || entries_[i].kind != moved_kind)) {
      if (!settle(i) && length > 1) {
        // Another block may begin with the second line of this one.
        match = kNone;
        i -= length;
      }
      blocks.clear();
      length = 0;
      is_flipped = false;
    }
    if (match == kNone) {
      moved_kind = Kind::kText;
      continue;
    }
    Entry& entry = entries_[i];
    if (moved_.mode == MovedLines::Mode::kPlain) {
      entry.is_moved = true;
      continue;
    }
    advance(i);
    if (blocks.empty()) {
      const bool is_contiguous = settle(i);
      const size_t at = i;
      if (!is_contiguous && length > 1) {
        i -= length;
      } else {
        for (size_t other = match; other != kNone; other = places[other].next_same) blocks.push_back({other, moved_.may_be_indented ? shift_of(i, other) : 0});
      }
      is_flipped = is_contiguous && !blocks.empty() && entries_[at].kind == moved_kind ? !is_flipped : false;
      if (blocks.empty()) moved_kind = Kind::kText;
      else moved_kind = entries_[at].kind;
      length = 0;
    }
    if (!blocks.empty()) {
      ++length;
      entry.is_moved = true;
      entry.is_other = entry.is_other || (is_flipped && moved_.mode != MovedLines::Mode::kBlocks);
    }
  }
  settle(entries_.size());
}

// Only where blocks meet is it interesting that a line was moved.
void PatchText::DimMoved() {
  const auto is_changed = [this](size_t i) { return entries_[i].kind == Kind::kOld || entries_[i].kind == Kind::kNew; };
  for (size_t i = 0; i < entries_.size(); ++i) {
    git_.in.budget.Step();
    Entry& entry = entries_[i];
    if (!is_changed(i) || !entry.is_moved) continue;
    const Entry* before = i > 0 && is_changed(i - 1) ? &entries_[i - 1] : nullptr;
    const Entry* after = i + 1 < entries_.size() && is_changed(i + 1) ? &entries_[i + 1] : nullptr;
    const auto is_same = [&entry](const Entry* other) { return other != nullptr && other->is_moved == entry.is_moved && other->is_other == entry.is_other; };
    const auto borders = [&entry](const Entry* other) { return other != nullptr && other->is_moved && other->is_other != entry.is_other; };
    if ((is_same(before) && is_same(after)) || (!borders(before) && !borders(after))) entry.is_dim = true;
  }
}

}  // namespace paddock::git
