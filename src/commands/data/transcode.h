// What yq, tomlq and xq share: documents become JSON, jq runs on it, and what it writes may become documents again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/data/xml_writer.h"
#include "commands/input_files.h"
#include "lang/xml/to_json.h"
#include "lang/yaml/emitter.h"
#include "lang/yaml/reader.h"
#include "proc/command.h"

namespace paddock::data {

enum class DocumentFormat { kJson, kYaml, kAnnotatedYaml, kToml, kXml };

struct TranscodeOptions {
  DocumentFormat input = DocumentFormat::kYaml;
  DocumentFormat output = DocumentFormat::kJson;
  bool is_in_place = false;
  bool writes_bare_scalars = false;      // YAML documents that are one scalar are its text, in the Go form
  bool reads_nothing = false;            // -n without files
  bool wants_help = false;
  bool wants_version = false;
  yaml::EmitSettings emit;
  yaml::ReadSettings read;
  XmlSettings xml_output;
  xml::ToJsonSettings xml_input;
  std::vector<std::string> jq_arguments; // with the filter, without files
  std::vector<std::string> files;
};

// Reads the command line. Complains and returns a status when there is something wrong with it.
std::optional<ExitStatus> ParseTranscodeOptions(Invocation& in, TranscodeOptions& options);

// The first lines of a complaint about the command line.
std::string TranscodeUsage(const TranscodeOptions& options);

// Makes JSON texts of documents, one a line.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  // Appends the next document's line; false at the end and after an error.
  virtual bool Next(std::string& json) = 0;
  // What is wrong, as the program says it after "NAME: "; empty when nothing is.
  virtual std::string Complaint() const = 0;
};

std::unique_ptr<DocumentReader> ReadDocuments(const std::string& text, const std::string& name, const TranscodeOptions& options, Budget& budget);
// All that jq wrote, as documents; false with a complaint (documents before it are in `out`).
bool WriteDocuments(std::string_view json, const TranscodeOptions& options, std::string& out, std::string& complaint, Budget& budget);

// The whole program; the format of the input and the help depend on its name.
ExitStatus Transcode(Invocation& in, DocumentFormat input);

}  // namespace paddock::data
