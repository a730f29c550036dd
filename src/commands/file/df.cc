// df - report the space of file systems
//
// usage: df [OPTION]... [FILE]...
// Shows size, use and rest of what each FILE is on; of everything mounted without FILEs.
//
// Exit status: 0, or 1 when a FILE could not be looked at or nothing was left to show.
// Source: POSIX df; GNU coreutils 9.1.
// Differs: a volume without a limit shows "-" for its size and its rest.

#include <algorithm>

#include "commands/file/disk_unit.h"
#include "proc/kernel.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool all = false;
  bool inodes = false;
  bool local = false;
  bool posix = false;
  bool print_type = false;
  bool total = false;
  bool ignored = false;
  std::vector<std::string> types, excluded_types;
  std::vector<std::string> fields;   // of --output, in the order given
  bool has_fields = false;
  // The unit, as the last of several options says it.
  struct Unit {
    std::string option, text;
  };
  std::vector<Unit> units;
};

template <char kLetter>
Status SetUnit(Options& options, std::string_view text) {
  options.units.push_back({kLetter == 'L' ? "--block-size" : std::string("-") + kLetter, std::string(text)});
  return {};
}
Status SetFields(Options& options, std::string_view list) {
  options.has_fields = true;
  if (list.data() == nullptr) return {};
  while (true) {
    const size_t comma = list.find(',');
    options.fields.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all", "include pseudo, duplicate, inaccessible file systems"),
    Call<SetUnit<'B'>>('B', nullptr, "SIZE", nullptr),
    Call<SetUnit<'L'>>(0, "block-size", "SIZE", "scale sizes by SIZE before printing them (also -B SIZE)"),
    Call<SetUnit<'h'>>('h', "human-readable", nullptr, "print sizes in powers of 1024 (e.g., 1023M)"),
    Call<SetUnit<'H'>>('H', "si", nullptr, "print sizes in powers of 1000 (e.g., 1.1G)"),
    Flag<&Options::inodes>('i', "inodes", "list inode information instead of block usage"),
    Call<SetUnit<'k'>>('k', nullptr, nullptr, "like --block-size=1K"),
    Flag<&Options::local>('l', "local", "limit listing to local file systems"),
    Call<SetUnit<'m'>>('m', nullptr, nullptr, nullptr),
    Flag<&Options::ignored>(0, "no-sync", "do not invoke sync before getting usage info (default)"),
    CallOptional<SetFields>(0, "output", "FIELD_LIST",
                            "use the output format defined by FIELD_LIST, or print all fields if it is omitted"),
    Flag<&Options::posix>('P', "portability", "use the POSIX output format"),
    Flag<&Options::ignored>(0, "sync", "invoke sync before getting usage info"),
    Flag<&Options::total>(0, "total",
                          "elide all entries insignificant to available space, and produce a grand total"),
    Value<&Options::types>('t', "type", "TYPE", "limit listing to file systems of type TYPE"),
    Flag<&Options::print_type>('T', "print-type", "print file system type"),
    Value<&Options::excluded_types>('x', "exclude-type", "TYPE", "limit listing to file systems not of type TYPE"),
    Flag<&Options::ignored>('v', nullptr, "(ignored)"),
};

enum class Field { kSource, kType, kInodes, kInodesUsed, kInodesFree, kInodesPercent, kSize, kUsed, kFree, kPercent, kFile, kTarget };

struct FieldFacts {
  const char* name;      // in --output
  const char* heading;   // null for the unit
  size_t width;          // at least
  bool is_left;
};
constexpr FieldFacts kFields[] = {
    {"source", "Filesystem", 14, true}, {"fstype", "Type", 4, true},    {"itotal", "Inodes", 5, false},
    {"iused", "IUsed", 5, false},       {"iavail", "IFree", 5, false},  {"ipcent", "IUse%", 4, false},
    {"size", nullptr, 5, false},        {"used", "Used", 5, false},     {"avail", "Avail", 5, false},
    {"pcent", "Use%", 4, false},        {"file", "File", 0, true},      {"target", "Mounted on", 0, true},
};
const FieldFacts& FactsOf(Field field) { return kFields[static_cast<size_t>(field)]; }

// One line before it is text. Amounts are nothing where there is no limit.
struct Row {
  std::string source, type, file, target;
  std::optional<uint64_t> bytes, inodes;
  uint64_t used_bytes = 0;
  uint64_t used_inodes = 0;
};

std::optional<uint64_t> Rest(const std::optional<uint64_t>& all, uint64_t used) {
  if (!all) return std::nullopt;
  return *all - std::min(*all, used);
}

class Report {
 public:
  Report(Invocation& in, const Options& options, BlockSize unit, std::vector<Field> fields)
      : in_(in), o_(options), unit_(std::move(unit)), fields_(std::move(fields)) {
    for (const Field field : fields_) headings_.push_back(Heading(field));
  }

  void Add(Row row) {
    if (o_.total) Sum(row);
    rows_.push_back(std::move(row));
  }

  bool is_empty() const { return rows_.empty(); }

  void Print() {
    const bool names_source = std::find(fields_.begin(), fields_.end(), Field::kSource) != fields_.end();
    if (!names_source) sum_.target = "total";
    if (o_.total) rows_.push_back(std::move(sum_));
    std::vector<std::vector<std::string>> table = {headings_};
    for (const Row& row : rows_) {
      in_.budget.Step();
      std::vector<std::string>& cells = table.emplace_back();
      for (const Field field : fields_) cells.push_back(Visible(Cell(row, field)));
    }
    std::vector<size_t> widths;
    for (size_t i = 0; i < fields_.size(); ++i) {
      widths.push_back(FactsOf(fields_[i]).width);
      for (const auto& cells : table) widths[i] = std::max(widths[i], Width(cells[i]));
    }
    for (const auto& cells : table) PrintLine(cells, widths);
  }

 private:
  size_t Width(std::string_view text) const { return in_.locale.is_utf8 ? TextWidth(text) : text.size(); }

  void PrintLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) in_.out.Put(' ');
      const std::string padding(widths[i] - std::min(widths[i], Width(cells[i])), ' ');
      const bool is_left = FactsOf(fields_[i]).is_left;
      if (!is_left) in_.out.Write(padding);
      in_.out.Write(cells[i]);
      if (is_left && i + 1 < cells.size()) in_.out.Write(padding);
    }
    in_.out.Put('\n');
  }

  // A name must not break the table.
  static std::string Visible(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    }
    return text;
  }

  std::string Heading(Field field) const {
    const bool is_plain = !o_.has_fields && !unit_.is_human;
    if (field == Field::kFree && is_plain) return "Available";
    if (field == Field::kPercent && is_plain && o_.posix) return "Capacity";
    if (field != Field::kSize) return FactsOf(field).heading;
    if (unit_.is_human) return "Size";
    return (o_.posix ? std::to_string(unit_.unit) : UnitName(unit_.unit)) + "-blocks";
  }

  // 1024 is "1K", 1000 "1kB", 512 "512B": in powers of what divides it longer, without a zero after the point.
  static std::string UnitName(uint64_t unit) {
    uint64_t by_1000 = unit, by_1024 = unit;
    bool divides_1000 = true, divides_1024 = true;
    while (divides_1000 && divides_1024) {
      divides_1000 = by_1000 % 1000 == 0;
      divides_1024 = by_1024 % 1024 == 0;
      by_1000 /= 1000;
      by_1024 /= 1024;
    }
    const bool is_binary = divides_1024 && !divides_1000;
    std::string name = HumanSize(unit, !is_binary);
    if (const size_t point = name.find(".0"); point != std::string::npos) name.erase(point, 2);
    return is_binary ? name : name + "B";
  }

  std::string Amount(const std::optional<uint64_t>& value, const BlockSize& unit) const {
    return value ? unit.Format(*value) : "-";
  }

  // Rounded up; nothing to have has no share.
  static std::string Percent(const std::optional<uint64_t>& all, uint64_t used) {
    if (!all || *all == 0) return "-";
    __extension__ typedef unsigned __int128 Wide;
    const uint64_t percent = static_cast<uint64_t>((Wide{used} * 100 + *all - 1) / *all);
    return std::to_string(percent) + "%";
  }

  std::string Cell(const Row& row, Field field) const {
    BlockSize count = unit_;
    if (!count.is_human) count = BlockSize::Of(1);
    switch (field) {
      case Field::kSource: return row.source;
      case Field::kType: return row.type;
      case Field::kInodes: return Amount(row.inodes, count);
      case Field::kInodesUsed: return Amount(row.used_inodes, count);
      case Field::kInodesFree: return Amount(Rest(row.inodes, row.used_inodes), count);
      case Field::kInodesPercent: return Percent(row.inodes, row.used_inodes);
      case Field::kSize: return Amount(row.bytes, unit_);
      case Field::kUsed: return Amount(row.used_bytes, unit_);
      case Field::kFree: return Amount(Rest(row.bytes, row.used_bytes), unit_);
      case Field::kPercent: return Percent(row.bytes, row.used_bytes);
      case Field::kFile: return row.file;
      case Field::kTarget: return row.target;
    }
    return "";
  }

  void Sum(const Row& row) {
    sum_.used_bytes = SaturatingAdd(sum_.used_bytes, row.used_bytes);
    sum_.used_inodes = SaturatingAdd(sum_.used_inodes, row.used_inodes);
    if (row.bytes) sum_.bytes = SaturatingAdd(sum_.bytes.value_or(0), *row.bytes);
    if (row.inodes) sum_.inodes = SaturatingAdd(sum_.inodes.value_or(0), *row.inodes);
  }

  Invocation& in_;
  const Options& o_;
  const BlockSize unit_;
  const std::vector<Field> fields_;
  std::vector<std::string> headings_;
  std::vector<Row> rows_;
  Row sum_{.source = "total", .type = "-", .file = "-", .target = "-", .bytes = {}, .inodes = {}};
};

// The unit that the options name; nothing after a complaint.
std::optional<BlockSize> UnitOf(Invocation& in, const Options& options) {
  BlockSize unit = UnitFromEnvironment(in.env, "DF_BLOCK_SIZE");
  if (options.posix) unit = BlockSize::Of(in.env.Get("POSIXLY_CORRECT") ? 512 : 1024);
  for (const Options::Unit& given : options.units) {
    if (given.option == "-h") unit = BlockSize::Human();
    else if (given.option == "-H") unit = BlockSize::Si();
    else if (given.option == "-k") unit = BlockSize::Of(1024);
    else if (given.option == "-m") unit = BlockSize::Of(1 << 20);
    else if (auto size = ParseBlockSize(given.text)) unit = std::move(*size);
    else {
      in.Fail(BlockSizeComplaint(given.option, given.text, size.error()));
      return std::nullopt;
    }
  }
  return unit;
}

// The columns in order; nothing after a complaint.
std::optional<std::vector<Field>> FieldsOf(Invocation& in, const Options& options) {
  const auto refuse = [&](const std::string& message) {
    in.Usage(message);
    return std::nullopt;
  };
  if (!options.has_fields) {
    std::vector<Field> fields = {Field::kSource};
    if (options.print_type) fields.push_back(Field::kType);
    const std::vector<Field> middle =
        options.inodes ? std::vector{Field::kInodes, Field::kInodesUsed, Field::kInodesFree, Field::kInodesPercent}
                       : std::vector{Field::kSize, Field::kUsed, Field::kFree, Field::kPercent};
    fields.insert(fields.end(), middle.begin(), middle.end());
    fields.push_back(Field::kTarget);
    return fields;
  }
  for (const auto& [is_given, name] : {std::pair(options.inodes, "-i"), std::pair(options.posix, "-P"),
                                       std::pair(options.print_type, "-T")}) {
    if (is_given) return refuse(std::string("options ") + name + " and --output are mutually exclusive");
  }
  std::vector<Field> fields;
  if (options.fields.empty()) {
    for (size_t i = 0; i < std::size(kFields); ++i) fields.push_back(static_cast<Field>(i));
  }
  for (const std::string& name : options.fields) {
    const std::string quoted = "option --output: field " + Quote(name, in.locale.is_utf8);
    const auto* found = std::find_if(std::begin(kFields), std::end(kFields), [&](const FieldFacts& f) { return name == f.name; });
    if (found == std::end(kFields)) return refuse(quoted + " unknown");
    const auto field = static_cast<Field>(found - std::begin(kFields));
    if (std::find(fields.begin(), fields.end(), field) != fields.end()) return refuse(quoted + " used more than once");
    fields.push_back(field);
  }
  return fields;
}

bool IsWanted(const Options& options, const std::string& type) {
  const auto has = [&type](const std::vector<std::string>& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  return (options.types.empty() || has(options.types)) && !has(options.excluded_types);
}

// What is used counts by blocks, as a disk would.
constexpr uint64_t kBlock = 4096;

Row RowOf(const vfs::SpaceInfo& space, std::string target, std::string file) {
  Row row{.source = space.source, .type = space.type, .file = std::move(file), .target = std::move(target),
          .bytes = {}, .inodes = {}, .used_bytes = SaturatingAdd(space.used_bytes, kBlock - 1) / kBlock * kBlock, .used_inodes = space.used_inodes};
  if (space.total_bytes != kUnlimited) row.bytes = space.total_bytes;
  if (space.total_inodes != kUnlimited) row.inodes = space.total_inodes;
  return row;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  auto unit = UnitOf(in, options);
  if (!unit) return 1;
  auto fields = FieldsOf(in, options);
  if (!fields) return 1;
  for (const std::string& type : options.types) {
    const auto& excluded = options.excluded_types;
    if (std::find(excluded.begin(), excluded.end(), type) == excluded.end()) continue;
    return in.Fail("file system type " + Quote(type, in.locale.is_utf8) + " both selected and excluded");
  }
  Report report(in, options, std::move(*unit), std::move(*fields));
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    const auto space = in.fs.Space(path);
    if (!space) {
      status = in.Fail(QuoteSubject(path, in.locale.is_utf8), space.error());
    } else if (IsWanted(options, space->type)) {
      report.Add(RowOf(*space, MountPointOf(in, path, vfs::Follow::kYes), path));
    }
  }
  if (operands.empty()) {
    for (const auto& mount : in.kernel.names().mounts()) {
      const vfs::SpaceInfo space = mount.volume->Space();
      const bool holds_nothing = space.total_bytes == 0 && !options.all;
      if (!holds_nothing && IsWanted(options, space.type)) report.Add(RowOf(space, mount.path, "-"));
    }
  }
  if (!report.is_empty()) report.Print();
  else if (status == 0) return in.Fail("no file systems processed");
  return status;
}

}  // namespace

extern const Command kCommand_df;
const Command kCommand_df = Define<Options, Run>({
    .name = "df",
    .summary = "show information about the file system on which each FILE resides, or all file systems by default",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "Display values are in units of the first available SIZE from --block-size,\n"
               "and the DF_BLOCK_SIZE, BLOCK_SIZE and BLOCKSIZE environment variables.\n"
               "Otherwise, units default to 1024 bytes (or 512 if POSIXLY_CORRECT is set).\n\n"
               "FIELD_LIST is a comma-separated list of columns to be included.  Valid\n"
               "field names are: 'source', 'fstype', 'itotal', 'iused', 'iavail', 'ipcent',\n"
               "'size', 'used', 'avail', 'pcent', 'file' and 'target' (see info page).\n",
    .options = kOptions,
});

}  // namespace paddock
