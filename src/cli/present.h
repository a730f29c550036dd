// How answers of the daemon are shown: tables for people, JSON for programs.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

namespace json = boost::json;

// A member as text; empty when it is absent or null.
std::string TextOf(const json::object& object, std::string_view member);
// "2026-11-22T06:10:47.123Z" as "3 min ago"; as it is when it is no time.
std::string Ago(const std::string& time);
// Columns of the members that are named, "member" or "member=HEADING"; escape sequences in values are shown, not obeyed.
std::string Table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);
// What came out of a sandbox, on one line of a terminal: control characters as \xNN.
std::string Harmless(std::string_view text);
// JSON with two spaces a level.
std::string Indented(const json::value& value);

}  // namespace paddock::cli
