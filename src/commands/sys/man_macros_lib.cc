#include "commands/sys/man_formatter.h"

#include <algorithm>

#include "commands/sys/man_characters.h"
#include "text/utf8.h"

namespace paddock::manual {

size_t RoffFormatter::Amount(const Words& words, size_t index, size_t otherwise) {
  if (index >= words.size()) return otherwise;
  return static_cast<size_t>(std::clamp<int64_t>(Number(ExpressionText(words[index])), 0, 400));
}

void RoffFormatter::Leave() {
  if (waits_for_tag_) {
    waits_for_tag_ = false;
    PlaceTag(layout_.TakeLine());
  }
  layout_.Break();
}

void RoffFormatter::Paragraph() {
  Leave();
  layout_.Space(distance_);
  layout_.set_indent(margin_ + kBody);
  tag_width_ = kBody;
}

std::string RoffFormatter::Shown(const std::string& text) {
  std::string shown = ShownOn(Escaped(text, nullptr), style_.encoding, budget_);
  std::replace(shown.begin(), shown.end(), kHyphen, '-');
  std::erase(shown, kNothing);
  return shown;
}

std::string RoffFormatter::Joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Status RoffFormatter::Macro(const std::string& name, const Words& words) {
  const auto is = [&](std::string_view one) { return name == one; };
  if (is("TH")) {
    Title(words);
  } else if (is("SH") || is("SS")) {
    Leave();
    margin_ = 0;
    margins_.clear();
    fills_ = true;
    tag_width_ = kBody;
    distance_ = std::max<size_t>(distance_, 1);
    layout_.Space();
    layout_.set_indent(is("SS") ? 3 : 0);
    if (words.empty()) {
      waits_for_heading_ = true;
      return {};
    }
    layout_.AddText(Shown(Joined(words)));
    EndHeading();
  } else if (is("PP") || is("P") || is("LP")) {
    Paragraph();
  } else if (is("TP") || is("TQ")) {
    Leave();
    if (is("TP")) layout_.Space(distance_);
    if (is("TP")) tag_width_ = Amount(words, 0, tag_width_);
    tag_indent_ = tag_width_;
    layout_.set_indent(margin_ + kBody);
    waits_for_tag_ = true;
  } else if (is("IP")) {
    Leave();
    layout_.Space(distance_);
    tag_width_ = tag_indent_ = Amount(words, 1, tag_width_);
    if (words.empty() || words[0].empty()) layout_.set_indent(margin_ + kBody + tag_indent_);
    else PlaceTag(Shown(words[0]));
  } else if (is("HP")) {
    Paragraph();
    tag_width_ = Amount(words, 0, tag_width_);
    layout_.set_first_indent(margin_ + kBody);
    layout_.set_indent(margin_ + kBody + tag_width_);
  } else if (is("RS")) {
    Leave();
    if (margins_.size() < 100) margins_.push_back({margin_, tag_width_});
    margin_ = std::min<size_t>(margin_ + Amount(words, 0, tag_width_), 400);
    tag_width_ = kBody;
    layout_.set_indent(margin_ + kBody);
  } else if (is("RE")) {
    Leave();
    size_t level = words.empty() ? margins_.size() : std::max<size_t>(Amount(words, 0, 1), 1);
    while (!margins_.empty() && margins_.size() >= level) {
      margin_ = margins_.back().margin;
      tag_width_ = margins_.back().tag_width;
      margins_.pop_back();
    }
    layout_.set_indent(margin_ + kBody);
  } else if (is("B") || is("I") || is("R") || is("SM") || is("SB") || is("CW")) {
    if (!words.empty()) Text(Protected(Joined(words)));
  } else if (is("BI") || is("BR") || is("IB") || is("IR") || is("RB") || is("RI")) {
    std::string text;
    for (const std::string& word : words) text += word;
    if (!text.empty()) Text(Protected(text));
  } else if (is("PD")) {
    distance_ = words.empty() ? 1 : Amount(words, 0, 1);
  } else if (is("UR") || is("MT")) {
    link_ = words.empty() ? "" : words[0];
  } else if (is("UE") || is("ME")) {
    layout_.AddText(Shown("\\(la" + link_ + "\\(ra" + (words.empty() ? "" : words[0])));
    EndInput();
  } else if (is("SY")) {
    Leave();
    if (!in_synopsis_) layout_.Space(distance_);
    in_synopsis_ = true;
    const std::string command = Shown(words.empty() ? "" : words[0]);
    layout_.SetTag(command, margin_ + kBody);
    layout_.set_indent(margin_ + kBody + TextWidth(command) + 1);
    layout_.set_justifies(false);
  } else if (is("OP")) {
    Text("[" + (words.empty() ? "" : words[0]) + (words.size() > 1 ? "\\ " + words[1] : "") + "]");
  } else if (is("YS")) {
    Leave();
    in_synopsis_ = false;
    layout_.set_indent(margin_ + kBody);
    layout_.set_justifies(style_.justifies && adjusts_);
  } else if (is("EX") || is("nf")) {
    Leave();
    fills_ = false;
  } else if (is("EE") || is("fi")) {
    Leave();
    fills_ = true;
  } else {
    Plain(name, words);
  }
  if (waits_for_heading_ && layout_.has_text()) EndHeading();
  return {};
}

void RoffFormatter::EndHeading() {
  waits_for_heading_ = false;
  layout_.Break();
  layout_.DropSpace();
  layout_.set_indent(margin_ + kBody);
}

void RoffFormatter::Title(const Words& words) {
  constexpr std::string_view kManuals[] = {"", "General Commands Manual", "System Calls Manual", "Library Functions Manual", "Kernel Interfaces Manual", "File Formats Manual", "Games Manual",
                                           "Miscellaneous Information Manual", "System Manager's Manual", "Kernel Developer's Manual"};
  const auto word = [&](size_t i) { return i < words.size() ? words[i] : std::string(); };
  has_title_ = true;
  title_ = word(0) + "(" + word(1) + ")";
  date_ = word(2);
  source_ = word(3);
  std::string manual = word(4);
  if (words.size() < 5 && !word(1).empty() && word(1)[0] >= '1' && word(1)[0] <= '9') manual = kManuals[word(1)[0] - '0'];
  layout_.AddThreeParts(Shown(title_), Shown(manual), Shown(title_));
  layout_.Space();
  layout_.DropSpace();
  layout_.set_indent(kBody);
}

}  // namespace paddock::manual
