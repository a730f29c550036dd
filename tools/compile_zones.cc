// compile_zones FOLDER: writes the compiled tz database below FOLDER (TZif files, RFC 8536) as the source of FindZone to standard output.
//
// A tool of the build: its input is the machine's tzdata and trusted as the compiler is; what is not as expected ends it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Period {
  int32_t offset;
  bool is_summer;
  std::string name;
};
struct Zone {
  std::string rule;
  std::vector<int64_t> moments;
  std::vector<int> kinds;
  std::vector<Period> periods;
  size_t first = 0;
};

[[noreturn]] void Fail(const std::string& file, const char* what) {
  std::fprintf(stderr, "compile_zones: %s: %s\n", file.c_str(), what);
  std::exit(1);
}

class Reader {
 public:
  Reader(const std::string& file, std::string_view data) : file_(file), rest_(data) {}

  std::string_view Take(size_t count) {
    if (rest_.size() < count) Fail(file_, "ends early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // A number of so many bytes, the highest first.
  int64_t Number(size_t bytes) {
    uint64_t value = 0;
    for (const char byte : Take(bytes)) value = value << 8 | static_cast<unsigned char>(byte);
    const unsigned unused = static_cast<unsigned>(64 - 8 * bytes);
    return static_cast<int64_t>(value << unused) >> unused;
  }
  std::string_view rest() const { return rest_; }

 private:
  const std::string& file_;
  std::string_view rest_;
};

// What a header says of the block behind it.
struct Counts {
  size_t is_ut, is_standard, leaps, moments, types, name_bytes;
  size_t BlockSize(size_t moment_bytes) const { return moments * (moment_bytes + 1) + types * 6 + name_bytes + leaps * (moment_bytes + 4) + is_standard + is_ut; }
};

Counts Header(Reader& in, const std::string& file) {
  if (in.Take(4) != "TZif") Fail(file, "no TZif file");
  if (in.Take(16).front() < '2') Fail(file, "version 1 has no rule");
  Counts counts{};
  for (size_t* count : {&counts.is_ut, &counts.is_standard, &counts.leaps, &counts.moments, &counts.types, &counts.name_bytes}) *count = static_cast<size_t>(in.Number(4));
  return counts;
}

Zone Parse(const std::string& file, std::string_view data) {
  Reader in(file, data);
  in.Take(Header(in, file).BlockSize(4));   // the block of 32-bit moments
  const Counts counts = Header(in, file);
  Zone zone;
  for (size_t i = 0; i < counts.moments; ++i) zone.moments.push_back(in.Number(8));
  for (size_t i = 0; i < counts.moments; ++i) zone.kinds.push_back(static_cast<int>(in.Number(1)));
  std::vector<size_t> names;
  for (size_t i = 0; i < counts.types; ++i) {
    const auto offset = static_cast<int32_t>(in.Number(4));
    const bool is_summer = in.Number(1) != 0;
    zone.periods.push_back({offset, is_summer, ""});
    names.push_back(static_cast<size_t>(in.Number(1)));
  }
  const std::string_view text = in.Take(counts.name_bytes);
  for (size_t i = 0; i < counts.types; ++i) zone.periods[i].name = text.substr(names[i], text.find('\0', names[i]) - names[i]);
  in.Take(counts.leaps * 12 + counts.is_standard + counts.is_ut);
  const std::string_view footer = in.rest();
  if (footer.size() < 2 || footer.front() != '\n' || footer.back() != '\n') Fail(file, "has no rule");
  zone.rule = footer.substr(1, footer.size() - 2);
  // As the C library has it: before all moments holds the first period that is no summer time.
  while (zone.first < zone.periods.size() && zone.periods[zone.first].is_summer) ++zone.first;
  if (zone.first == zone.periods.size()) zone.first = 0;
  return zone;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: compile_zones FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path top = arguments[1];
  std::map<std::string, std::string> files;   // name and content; posix/ has the same again, right/ counts leap seconds
  for (auto entry = std::filesystem::recursive_directory_iterator(top); entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().lexically_relative(top).string();
    if (name == "posix" || name == "right") {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || name == "posixrules" || name == "localtime") continue;
    std::string content = ReadAll(entry->path());
    if (content.starts_with("TZif")) files.emplace(name, std::move(content));
  }
  if (files.size() < 300) Fail(top.string(), "holds no tz database (package tzdata)");

  // Flat tables without pointers: a start of the program has nothing to relocate.
  std::map<std::string, size_t> known;   // content and its number: most names are other names of another zone
  std::string names, zones, rules, moments, kinds, periods;
  size_t rule_bytes = 0, moment_count = 0, period_count = 0, longest_name = 0;
  for (const auto& [name, content] : files) {
    const auto [found, is_new] = known.emplace(content, known.size());
    names += "  {\"" + name + "\", " + std::to_string(found->second) + "},\n";
    longest_name = std::max(longest_name, name.size());
    if (!is_new) continue;
    const Zone zone = Parse(name, content);
    zones += "  {" + std::to_string(rule_bytes) + ", " + std::to_string(zone.rule.size()) + ", " + std::to_string(moment_count) + ", " + std::to_string(zone.moments.size()) + ", " +
             std::to_string(period_count) + ", " + std::to_string(zone.periods.size()) + ", " + std::to_string(zone.first) + "},\n";
    rules += "  \"" + zone.rule + "\"\n";
    rule_bytes += zone.rule.size();
    for (const int64_t moment : zone.moments) moments += std::to_string(moment) + "LL, ";
    for (const int kind : zone.kinds) kinds += std::to_string(kind) + ", ";
    for (const Period& period : zone.periods) {
      if (period.name.size() > 7) Fail(name, "has a long name of a period");
      periods += "{" + std::to_string(period.offset) + (period.is_summer ? ", true, \"" : ", false, \"") + period.name + "\"}, ";
    }
    moments += '\n';
    kinds += '\n';
    periods += '\n';
    moment_count += zone.moments.size();
    period_count += zone.periods.size();
  }
  std::printf("// Made by compile_zones.\n#include <algorithm>\n#include <iterator>\n\n#include \"text/date/zones/zone_table.h\"\n\nnamespace paddock {\nnamespace {\n\n"
              "constexpr char kRules[] =\n%s;\nconstexpr int64_t kMoments[] = {\n%s};\nconstexpr uint8_t kKinds[] = {\n%s};\nconstexpr ZonePeriod kPeriods[] = {\n%s};\n\n",
              rules.c_str(), moments.c_str(), kinds.c_str(), periods.c_str());
  std::printf("struct Zone {\n  uint32_t rule, rule_size, moments, moment_count, periods, period_count;\n  uint8_t first;\n};\nconstexpr Zone kZones[] = {\n%s};\n\n", zones.c_str());
  std::printf("struct Name {\n  char text[%zu];\n  uint16_t zone;\n};\nconstexpr Name kNames[] = {\n%s};\n\n}  // namespace\n\n", longest_name + 1, names.c_str());
  std::puts("std::optional<ZoneHistory> FindZone(std::string_view name) {\n"
            "  const auto found = std::lower_bound(std::begin(kNames), std::end(kNames), name, [](const Name& a, std::string_view b) { return a.text < b; });\n"
            "  if (found == std::end(kNames) || found->text != name) return std::nullopt;\n"
            "  const Zone& zone = kZones[found->zone];\n"
            "  return ZoneHistory{{kRules + zone.rule, zone.rule_size}, {kMoments + zone.moments, zone.moment_count}, {kKinds + zone.moments, zone.moment_count},\n"
            "                     {kPeriods + zone.periods, zone.period_count}, zone.first};\n}\n\n}  // namespace paddock");
  return 0;
}
