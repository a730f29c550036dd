#include "api/rest/openapi.h"

#include <algorithm>
#include <cctype>

namespace paddock::api {
namespace {

// The names in braces of a path.
std::vector<std::string> NamesIn(std::string_view path) {
  std::vector<std::string> names;
  for (size_t open = path.find('{'); open != std::string_view::npos; open = path.find('{', open + 1)) {
    names.emplace_back(path.substr(open + 1, path.find('}', open) - open - 1));
  }
  return names;
}

json::array ParametersOf(const Operation& operation) {
  json::array list;
  for (const std::string& name : NamesIn(operation.path)) {
    list.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const Field& field : operation.query) {
    list.push_back({{"name", field.name}, {"in", "query"}, {"required", field.is_required}, {"description", field.description},
                    {"schema", field.schema(field.rules)}});
  }
  if (operation.takes_key) {
    list.push_back({{"name", kIdempotencyKey}, {"in", "header"}, {"required", false},
                    {"description", "A repetition of the request with the same key gets what the first one made; another request with it is refused (409)."},
                    {"schema", {{"type", "string"}, {"minLength", 1}, {"maxLength", kMostIdempotencyKey}}}});
  }
  return list;
}

json::object Error(const char* description) {
  return {{"description", description},
          {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
}

json::object ResponsesOf(const Operation& operation) {
  json::object success{{"description", operation.summary}};
  if (operation.answer == Operation::Content::kJson) {
    json::object content{{"application/json", {{"schema", operation.answer_schema()}}}};
    if (operation.can_stream) content["text/event-stream"] = {{"schema", {{"type", "string"}}}};
    success["content"] = std::move(content);
  } else if (operation.answer == Operation::Content::kBytes) {
    success["content"] = {{"application/octet-stream", json::object()}};
  }
  const bool is_stream_alone = operation.can_stream && operation.answer == Operation::Content::kNone;
  if (is_stream_alone) success["content"] = {{"text/event-stream", {{"schema", {{"type", "string"}}}}}};
  json::object responses{{is_stream_alone ? "200" : std::to_string(operation.status), success}};
  if (operation.status == 201) responses["200"] = success;   // what was made before
  if (operation.answer == Operation::Content::kBytes) {
    responses["206"] = success;
    responses["416"] = {{"description", "The range lies behind the end."}};
  }
  responses["400"] = Error("The request is not what this operation takes.");
  if (operation.access != Access::kAnyone) {
    responses["401"] = Error("There is no key with the request, or none that holds.");
    responses["403"] = Error("The key may not do this.");
  }
  responses["404"] = Error("What is named is not there.");
  responses["409"] = Error("Not in the state that things are in.");
  responses["413"] = Error("The body is too large.");
  responses["429"] = Error("A limit or a quota is reached.");
  responses["default"] = Error("Any other failure.");
  return responses;
}

}  // namespace

json::object OpenApi(std::span<const Operation> operations, const std::string& version) {
  json::object paths;
  for (const Operation& operation : operations) {
    json::object entry{{"operationId", operation.id}, {"summary", operation.summary}, {"responses", ResponsesOf(operation)}};
    if (json::array parameters = ParametersOf(operation); !parameters.empty()) entry["parameters"] = std::move(parameters);
    if (operation.access == Access::kAnyone) entry["security"] = json::array();
    if (operation.body == Operation::Content::kJson) {
      entry["requestBody"] = {{"required", true}, {"content", {{"application/json", {{"schema", operation.body_schema()}}}}}};
    } else if (operation.body == Operation::Content::kBytes) {
      entry["requestBody"] = {{"required", true}, {"content", {{"application/octet-stream", json::object()}}}};
    }
    std::string method(operation.method);
    std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!paths.contains(operation.path)) paths[operation.path] = json::object();
    paths[operation.path].get_object()[method] = std::move(entry);
  }
  const json::object error{{"type", "object"},
                           {"properties", {{"code", {{"type", "string"}}}, {"message", {{"type", "string"}}}}},
                           {"required", json::array{"code", "message"}},
                           {"additionalProperties", false}};
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Paddock"}, {"version", version}, {"summary", "Sandboxes for code that nobody has read."},
                    {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"servers", json::array{json::object{{"url", "/"}}}},
          {"security", json::array{json::object{{"key", json::array()}}}},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"key", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas", {{"Error", {{"type", "object"}, {"properties", {{"error", error}}}, {"required", json::array{"error"}}, {"additionalProperties", false}}}}}}}};
}

}  // namespace paddock::api
