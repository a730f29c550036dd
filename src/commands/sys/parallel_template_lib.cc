#include <charconv>
#include <optional>

#include "commands/sys/parallel_template.h"

namespace paddock {
namespace {

struct Place {
  size_t length = 0;       // in the template
  std::string_view part;   // "", ".", "/", "//", "/.", "#", "%"
  size_t position = 0;     // 0: all arguments
};

std::optional<Place> PlaceAt(std::string_view text, std::string_view placeholder) {
  if (!placeholder.empty() && text.starts_with(placeholder)) return Place{placeholder.size(), "", 0};
  if (!text.starts_with('{')) return std::nullopt;
  const size_t close = text.find('}');
  if (close == std::string_view::npos || close > 24) return std::nullopt;
  std::string_view inner = text.substr(1, close - 1);
  Place place{close + 1, "", 0};
  const auto [end, error] = std::from_chars(inner.data(), inner.data() + inner.size(), place.position);
  const bool has_number = error == std::errc() && place.position > 0;
  if (has_number) inner.remove_prefix(static_cast<size_t>(end - inner.data()));
  if (inner.empty() && !has_number) return std::nullopt;   // {} is the placeholder or nothing
  for (const std::string_view part : {"", ".", "/", "//", "/.", "#", "%"}) {
    if (inner != part) continue;
    if (has_number && (part == "#" || part == "%")) return std::nullopt;
    place.part = part;
    return place;
  }
  return std::nullopt;
}

std::string Cut(const std::string& argument, std::string_view part) {
  const size_t slash = argument.rfind('/');
  const std::string base = slash == std::string::npos ? argument : argument.substr(slash + 1);
  if (part == "/") return base;
  if (part == "//") return slash == std::string::npos ? "." : slash == 0 ? "/" : argument.substr(0, slash);
  if (part.empty()) return argument;
  const std::string& from = part == "/." ? base : argument;
  const size_t dot = from.rfind('.');
  const size_t last_slash = from.rfind('/');
  if (dot == std::string::npos || (last_slash != std::string::npos && dot < last_slash)) return from;
  return from.substr(0, dot);
}

}  // namespace

std::string QuoteForParallel(std::string_view text) {
  if (text.empty()) return "''";
  static constexpr std::string_view kPlain = "-_.+/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\"'\"'";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  if (quoted.starts_with("''")) quoted.erase(0, 2);
  if (quoted.ends_with("''")) quoted.resize(quoted.size() - 2);
  return quoted;
}

std::string QuoteTemplateWord(std::string_view word, std::string_view placeholder) {
  std::string quoted;
  size_t begin = 0;
  for (size_t i = 0; i < word.size();) {
    const auto place = PlaceAt(word.substr(i), placeholder);
    if (!place) {
      ++i;
      continue;
    }
    if (i > begin) quoted += QuoteForParallel(word.substr(begin, i - begin));
    quoted += word.substr(i, place->length);
    begin = i += place->length;
  }
  if (begin < word.size() || word.empty()) quoted += QuoteForParallel(word.substr(begin));
  return quoted;
}

bool ParallelTemplate::has_arguments() const {
  for (size_t i = 0; i < command_.size(); ++i) {
    const auto place = PlaceAt(std::string_view(command_).substr(i), placeholder_);
    if (place && place->part != "#" && place->part != "%") return true;
  }
  return false;
}

std::string ParallelTemplate::FillOne(std::string_view text, const Values& values, const std::vector<std::string>& arguments,
                                      Budget& budget) const {
  std::string out;
  const auto put = [&](const std::string& argument, std::string_view part) {
    const std::string value = Cut(argument, part);
    budget.Step(1 + static_cast<int64_t>(value.size() / 32));
    if (out.size() + value.size() > out.capacity()) budget.WillAllocate(2 * (out.size() + value.size()));
    out += values.quotes ? QuoteForParallel(value) : value;
  };
  for (size_t i = 0; i < text.size();) {
    const auto place = PlaceAt(text.substr(i), placeholder_);
    if (!place) {
      out += text[i++];
      continue;
    }
    i += place->length;
    if (place->part == "#") {
      out += std::to_string(values.sequence);
    } else if (place->part == "%") {
      out += std::to_string(values.slot);
    } else if (place->position > 0) {
      if (place->position <= arguments.size()) put(arguments[place->position - 1], place->part);
    } else {
      for (size_t k = 0; k < arguments.size(); ++k) {
        if (k > 0) out += ' ';
        put(arguments[k], place->part);
      }
    }
  }
  return out;
}

std::string ParallelTemplate::Fill(const Values& values, Budget& budget) const {
  if (!values.repeats_words) return FillOne(command_, values, values.arguments, budget);
  std::string out;
  for (size_t begin = 0; begin < command_.size();) {
    size_t end = command_.find(' ', begin);
    if (end == std::string::npos) end = command_.size();
    const std::string_view word = std::string_view(command_).substr(begin, end - begin);
    const bool has_place = ParallelTemplate(std::string(word), placeholder_).has_arguments();
    for (size_t k = 0; k < (has_place ? values.arguments.size() : 1); ++k) {
      budget.Step();
      if (k > 0) out += ' ';
      out += has_place ? FillOne(word, values, {values.arguments[k]}, budget) : std::string(word);
    }
    if (end < command_.size()) out += ' ';
    begin = end + 1;
  }
  return out;
}

}  // namespace paddock
