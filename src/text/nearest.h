// The word that somebody meant who wrote another one.
#pragma once

#include <span>
#include <string_view>

namespace paddock {

// The candidate with the fewest letters to add, remove or replace; empty if none is near (a third of the letters, at
// least two), else one that begins with the word or the other way round. Words longer than 64 bytes are near to nothing.
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace paddock
