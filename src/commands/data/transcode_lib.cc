#include "commands/data/transcode.h"

#include <array>
#include <charconv>
#include <deque>

#include "commands/data/jq_options.h"
#include "commands/data/toml_writer.h"
#include "lang/jq/json_reader.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/number.h"
#include "lang/toml/toml.h"
#include "proc/process.h"

namespace paddock::data {
namespace {

using jq::Value;

class YamlDocuments final : public DocumentReader {
 public:
  YamlDocuments(const std::string& text, const std::string& name, const yaml::ReadSettings& settings, Budget& budget)
      : reader_(text, name, settings, budget) {}
  bool Next(std::string& json) override { return reader_.Next(json); }
  std::string Complaint() const override {
    if (reader_.is_unsafe()) return "Error: detected unsafe YAML entity expansion";
    return reader_.error().empty() ? "" : "Error running jq: " + reader_.error() + ".";
  }

 private:
  yaml::Reader reader_;
};

class TomlDocument final : public DocumentReader {
 public:
  TomlDocument(const std::string& text, Budget& budget) : text_(text), budget_(budget) {}
  bool Next(std::string& json) override {
    if (is_done_) return false;
    is_done_ = true;
    if (const Status read = toml_text::ToJson(text_, json, budget_); !read) {
      error_ = std::string(read.error().Text());
      return false;
    }
    json += '\n';
    return true;
  }
  std::string Complaint() const override { return error_.empty() ? "" : "Error running jq: TomlDecodeError: " + error_ + "."; }

 private:
  const std::string& text_;
  Budget& budget_;
  std::string error_;
  bool is_done_ = false;
};

class XmlDocument final : public DocumentReader {
 public:
  XmlDocument(const std::string& text, const xml::ToJsonSettings& settings, Budget& budget) : text_(text), settings_(settings), budget_(budget) {}
  bool Next(std::string& json) override {
    if (is_done_) return false;
    is_done_ = true;
    const Status read = xml::ToJson(text_, settings_, json, budget_);
    if (!read) error_ = std::string(read.error().Text());
    return static_cast<bool>(read);
  }
  std::string Complaint() const override { return error_.empty() ? "" : "Error running jq: " + error_ + "."; }

 private:
  const std::string& text_;
  const xml::ToJsonSettings& settings_;
  Budget& budget_;
  std::string error_;
  bool is_done_ = false;
};

// A float as YAML 1.1 takes it: with a point.
std::string FloatText(double number) {
  std::string text = PythonFloat(number);
  const size_t e = text.find('e');
  if (e != std::string::npos && text.find('.') == std::string::npos) text.insert(e, ".0");
  return text;
}

// JSON values as the trees that the emitter writes.
class TreeMaker {
 public:
  TreeMaker(bool reads_notes, Budget& budget) : reads_notes_(reads_notes), budget_(budget) {}

  yaml::Node* Make(const Value& value) {
    budget_.Step();
    budget_.CheckStack();
    if (value.is_array()) return MakeSequence(value);
    if (value.is_object()) return MakeMapping(value);
    if (value.is_string()) return Scalar("str", std::string(value.view()));
    if (value.is_null()) return Scalar("null", "null");
    if (value.is_bool()) return Scalar("bool", value.is_truthy() ? "true" : "false");
    std::array<char, jq::kNumberBytes> buffer{};
    const std::string text(jq::NumberText(value, buffer.data()));
    if (text.find_first_of(".eE") == std::string::npos) return Scalar(text == "null" ? "null" : "int", text);
    return Scalar("float", FloatText(value.number()));
  }

 private:
  yaml::Node* New(yaml::Node::Kind kind, std::string_view tag) {
    yaml::Node& node = nodes_.emplace_back();
    node.kind = kind;
    node.tag = std::string(yaml::kTagPrefix).append(tag);
    return &node;
  }
  yaml::Node* Scalar(std::string_view tag, std::string text) {
    yaml::Node* node = New(yaml::Node::kScalar, tag);
    node->text = std::move(text);
    return node;
  }

  // "__yq_style_KEY__" or, with an argument, "__yq_style_KEY_ARGUMENT__".
  static bool ReadNote(std::string_view text, bool has_argument, std::string& key, std::string& argument, bool& is_tag) {
    constexpr std::string_view kTag = "__yq_tag_", kStyle = "__yq_style_";
    is_tag = text.starts_with(kTag);
    if ((!is_tag && !text.starts_with(kStyle)) || !text.ends_with("__")) return false;
    text.remove_prefix(is_tag ? kTag.size() : kStyle.size());
    if (text.size() < 3) return false;
    text.remove_suffix(2);
    if (has_argument) {
      const size_t end = text.find_first_not_of("0123456789");
      if (end == 0 || end == std::string_view::npos || text[end] != '_' || end + 1 == text.size()) return false;
      key = text.substr(0, end);
      argument = text.substr(end + 1);
    } else {
      key = text;
    }
    return true;
  }

  static void Apply(yaml::Node* node, bool is_tag, const std::string& told) {
    if (is_tag) {
      node->tag = told;
    } else if (node->kind != yaml::Node::kScalar) {
      node->is_flow = told == "flow";
    } else if (told.size() == 1 && std::string_view("|>'\"").find(told[0]) != std::string_view::npos) {
      node->style = told[0];
    }
  }

  yaml::Node* MakeSequence(const Value& value) {
    yaml::Node* node = New(yaml::Node::kSequence, "seq");
    std::vector<std::array<std::string, 2>> tags, styles;
    for (const Value& item : value) {
      std::string key, told;
      bool is_tag = false;
      if (reads_notes_ && item.is_string() && ReadNote(item.view(), true, key, told, is_tag)) {
        (is_tag ? tags : styles).push_back({key, told});
      } else {
        node->items.push_back(Make(item));
      }
    }
    const auto apply = [&](const auto& notes, bool is_tag) {
      for (const auto& [key, told] : notes) {
        size_t index = 0;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
        if (read.ec == std::errc() && index < node->items.size()) Apply(node->items[index], is_tag, told);
      }
    };
    apply(styles, false);
    apply(tags, true);
    return node;
  }

  yaml::Node* MakeMapping(const Value& value) {
    yaml::Node* node = New(yaml::Node::kMapping, "map");
    Value tags = Value::Object(), styles = Value::Object();
    size_t cursor = 0;
    jq::Text* key = nullptr;
    const Value* member = nullptr;
    while (value.Next(cursor, key, member)) {
      std::string hash, none;
      bool is_tag = false;
      if (reads_notes_ && key->view() == "__yq_alias__") continue;
      if (reads_notes_ && ReadNote(key->view(), false, hash, none, is_tag)) {
        if (member->is_string()) (is_tag ? tags : styles).Set(hash, *member);
        continue;
      }
      node->items.push_back(Scalar("str", std::string(key->view())));
      node->items.push_back(Make(*member));
    }
    if (tags.object_size() + styles.object_size() == 0) return node;
    for (size_t i = 0; i < node->items.size(); i += 2) {
      const std::string hash = yaml::HashKey(node->items[i]->text);
      if (const Value* told = styles.Find(hash)) Apply(node->items[i + 1], false, std::string(told->view()));
      if (const Value* told = tags.Find(hash)) Apply(node->items[i + 1], true, std::string(told->view()));
    }
    return node;
  }

  bool reads_notes_;
  Budget& budget_;
  std::deque<yaml::Node> nodes_;
};

// The JSON of all inputs, document after document: jq's standard input.
class JsonSource final : public ByteSource {
 public:
  JsonSource(Invocation& in, std::vector<InputFile> files, const TranscodeOptions& options)
      : in_(in), files_(std::move(files)), options_(options) {}

  Result<Block> ReadBlock(size_t max) override {
    if (at_ >= json_.size()) {
      json_.clear();
      at_ = 0;
      while (json_.empty() && Fill()) in_.budget.Step();
    }
    const std::string_view bytes = std::string_view(json_).substr(at_, max);
    at_ += bytes.size();
    return Block{nullptr, bytes};
  }
  void GiveBack(size_t count) override { at_ -= count; }

  // Converts what jq did not ask for, as long as nothing is wrong.
  void Drain() {
    while (Fill()) json_.clear();
  }
  const std::string& complaint() const { return complaint_; }

 private:
  // More JSON if there is any.
  bool Fill() {
    if (reader_ != nullptr) {
      if (reader_->Next(json_)) return true;
      complaint_ = reader_->Complaint();
      reader_.reset();
      ++next_;
      if (complaint_.empty()) return true;
      next_ = files_.size();
      return false;
    }
    if (next_ >= files_.size()) return false;
    InputFile& file = files_[next_];
    text_ = file.input().ReadAll();
    if (const Status& status = file.input().status(); !status) {
      const Error& error = status.error();
      complaint_ = "Error running jq: OSError: " + std::string(error.Text()) + ".";
      next_ = files_.size();
      return false;
    }
    reader_ = ReadDocuments(text_, file.is_stdin() ? "<stdin>" : file.name(), options_, in_.budget);
    return true;
  }

  Invocation& in_;
  std::vector<InputFile> files_;
  const TranscodeOptions& options_;
  size_t next_ = 0;
  std::string text_;
  std::unique_ptr<DocumentReader> reader_;
  std::string json_;
  size_t at_ = 0;
  std::string complaint_;
};

class Program {
 public:
  Program(Invocation& in, const TranscodeOptions& options) : in_(in), options_(options), name_(in.command.name) {
    arguments_.emplace_back("jq");
    arguments_.insert(arguments_.end(), options.jq_arguments.begin(), options.jq_arguments.end());
  }

  // Runs jq over the inputs; its outputs go to `file`, or to standard output when there is none.
  ExitStatus Run(std::vector<InputFile> files, const std::string* file) {
    JsonSource source(in_, std::move(files), options_);
    Input input(source, in_.budget);
    StringSink text;
    Output captured(text);
    const bool is_json = options_.output == DocumentFormat::kJson;
    Invocation inner{arguments_, input, is_json ? in_.out : captured, in_.err,     in_.fs,       in_.env,     in_.budget,
                     in_.clock,  in_.process, in_.kernel,              in_.launcher, in_.command, in_.locale};
    const ExitStatus status = RunJq(inner);
    captured.Flush();
    if (status == 0) source.Drain();
    if (!is_json && source.complaint().empty() && !Write(text.text, file)) return 1;
    if (source.complaint().empty()) return status;
    in_.out.Flush();
    in_.err.Write(name_ + ": " + source.complaint() + "\n");
    return 1;
  }

 private:
  bool Write(std::string_view json, const std::string* file) {
    std::string out, complaint;
    const bool is_good = WriteDocuments(json, options_, out, complaint, in_.budget);
    if (file == nullptr) {
      in_.out.Write(out);
      in_.out.Flush();
    } else if (!out.empty()) {
      if (const Status written = vfs::WriteFile(in_.fs, *file, out); !written) {
        in_.err.Write(name_ + ": Error running jq: OSError: " + std::string(written.error().Text()) + ": '" + *file + "'.\n");
        return false;
      }
    }
    if (!is_good) in_.err.Write(name_ + ": " + complaint + "\n");
    return is_good;
  }

  Invocation& in_;
  const TranscodeOptions& options_;
  const std::string name_;
  std::vector<std::string> arguments_;
};

ExitStatus FailToOpen(Invocation& in, const TranscodeOptions& options, const std::string& name, const Error& error) {
  const char* number = error.code == Code::kIsDirectory ? "21" : error.code == Code::kAccess ? "13" : error.code == Code::kNotDirectory ? "20" : "2";
  in.err.Write(TranscodeUsage(options) + in.command.name + ": error: argument files: can't open '" + name + "': [Errno " + number + "] " +
               std::string(error.Text()) + ": '" + name + "'\n");
  return 2;
}

std::string Help(const Command& command, DocumentFormat input) {
  std::string text = "usage: " + std::string(command.name) + " [options] <jq filter> [input file...]\n\n" + command.details + "\noptions:\n";
  if (input == DocumentFormat::kYaml) {
    text +=
        "  -y, --yaml-output, --yml-output        write YAML and not JSON\n"
        "  -Y, --yaml-roundtrip, --yml-roundtrip  the same, with the tags and styles of the input; the filter meets\n"
        "                                         them as members and elements __yq_tag_…__ and __yq_style_…__\n"
        "      --yaml-output-grammar-version V, --yml-out-ver V\n"
        "                                         quote what is no string in YAML 1.1 (default) or 1.2\n"
        "  -w, --width WIDTH                      fold YAML text at this column (80)\n"
        "      --indentless-lists, --indentless   lists in mappings stand as far left as their keys\n"
        "      --explicit-start, --explicit-end   write --- before and ... behind each document\n"
        "      --no-expand-aliases                show aliases as {\"__yq_alias__\": NAME}\n"
        "      --max-expansion-factor N           refuse aliases that make more than N times the text (1024)\n";
  }
  if (input == DocumentFormat::kXml) {
    text +=
        "      --xml-root NAME                    with -x: an element of this name around each output\n"
        "      --xml-dtd                          with -x: write the XML declaration, and one root only\n"
        "      --xml-force-list NAME              elements of this name are lists even when there is one\n"
        "      --xml-item-depth N                 give the filter each element at this depth, not the document\n";
  }
  text +=
      "  -x, --xml-output                       write XML and not JSON\n"
      "  -t, --toml-output                      write TOML and not JSON\n"
      "  -i, --in-place                         write the output into the input files\n"
      "  -o, --output-format FORMAT             json, yaml, toml or xml\n"
      "  -p, --input-format FORMAT              json, yaml, toml or xml\n"
      "  -h, --help                             show this help\n"
      "      --version                          show the version\n\n";
  return text;
}

}  // namespace

std::unique_ptr<DocumentReader> ReadDocuments(const std::string& text, const std::string& name, const TranscodeOptions& options, Budget& budget) {
  if (options.input == DocumentFormat::kToml) return std::make_unique<TomlDocument>(text, budget);
  if (options.input == DocumentFormat::kXml) return std::make_unique<XmlDocument>(text, options.xml_input, budget);
  return std::make_unique<YamlDocuments>(text, name, options.read, budget);   // JSON is YAML too
}

bool WriteDocuments(std::string_view json, const TranscodeOptions& options, std::string& out, std::string& complaint, Budget& budget) {
  bool is_given = false;
  jq::JsonReader reader([&] { return std::exchange(is_given, true) ? std::string_view() : json; }, {}, budget);
  yaml::Emitter emitter(options.emit, out, budget);
  const bool is_toml = options.output == DocumentFormat::kToml, is_xml = options.output == DocumentFormat::kXml;
  for (;;) {
    Value value;
    const jq::JsonReader::Got got = reader.Next(value);
    if (got == jq::JsonReader::Got::kEnd) break;
    if (got == jq::JsonReader::Got::kError) {
      complaint = "Error running jq: JSONDecodeError: Expecting value: line 1 column 1 (char 0).";
      return false;
    }
    if (is_xml) {
      const Status written = WriteXml(value, options.xml_output, out, budget);
      if (written) continue;
      complaint = std::string(written.error().code == Code::kSyntax ? "Error running jq: " : "") + std::string(written.error().Text()) + (written.error().code == Code::kSyntax ? "." : "");
      return false;
    }
    if (!is_toml && options.writes_bare_scalars && !value.is_object() && !value.is_array()) {
      out += (value.is_string() ? std::string(value.view()) : jq::JsonText(value, budget)) + "\n";
    } else if (!is_toml) {
      TreeMaker maker(options.output == DocumentFormat::kAnnotatedYaml, budget);
      emitter.Document(*maker.Make(value));
    } else if (value.is_object()) {
      WriteToml(value, out, budget);
    } else {
      complaint = "Error converting JSON to TOML: cannot represent non-object types at top level.";
      return false;
    }
  }
  if (!is_toml && !is_xml) emitter.Finish();
  return true;
}

ExitStatus Transcode(Invocation& in, DocumentFormat input) {
  TranscodeOptions options;
  options.input = input;
  if (const auto status = ParseTranscodeOptions(in, options)) return *status;
  if (options.wants_help) {
    in.out.Write(Help(in.command, input) + JqUsage("jq"));
    return 0;
  }
  if (options.wants_version) {
    in.out.Write(std::string(in.command.name) + " 3.1.0\n");
    return 0;
  }
  const std::vector<std::string> standard_input = {"-"};
  const std::vector<std::string>& names = options.files.empty() && !options.reads_nothing ? standard_input : options.files;
  Program program(in, options);
  std::vector<InputFile> files;
  for (const std::string& name : names) {
    Result<InputFile> file = InputFile::Open(in, name);
    if (const auto facts = in.fs.Stat(name); file && name != "-" && facts && facts->type == vfs::FileType::kDirectory) file = Error(Code::kIsDirectory);
    if (!file) return FailToOpen(in, options, name, file.error());
    files.push_back(std::move(*file));
  }
  if (!options.is_in_place) return program.Run(std::move(files), nullptr);
  for (size_t i = 0; i < files.size(); ++i) {
    std::vector<InputFile> one;
    one.push_back(std::move(files[i]));
    if (const ExitStatus status = program.Run(std::move(one), &names[i]); status != 0) return status;
  }
  return 0;
}

}  // namespace paddock::data
