#include "tools/schema/field.h"

#include <gtest/gtest.h>

#include "tools/schema/parse_json.h"
#include "tools/schema/patterns.h"

namespace paddock::tools {
namespace {

enum class Colour { kRed, kGreen };
constexpr const char* kColours[] = {"red", "green"};
std::span<const char* const> NamesOf(Colour) { return kColours; }

struct Item {
  std::string name;
};
constexpr Field kItem[] = {Required<&Item::name>("name", "A name.", {.min_length = 1})};
std::span<const Field> FieldsOf(const Item*) { return kItem; }

struct Example {
  std::string path;
  int64_t limit = 2000;
  bool is_deep = false;
  std::optional<std::string> note;
  Colour colour = Colour::kGreen;
  std::vector<Item> items;
  std::map<std::string, std::string> env;
  std::optional<ByteAmount> memory;
  std::optional<CoreAmount> cpus;
};
constexpr Field kExample[] = {
    Required<&Example::path>("path", "A path.", kPathRules),
    Optional<&Example::limit>("limit", "A limit.", {.min = 1, .max = 5000}),
    Optional<&Example::is_deep>("deep", "Deep?"),
    Optional<&Example::note>("note", "A note.", {.max_length = 5}),
    Optional<&Example::colour>("colour", "A colour."),
    Optional<&Example::items>("items", "Items.", {.max_items = 2}),
    Optional<&Example::env>("env", "Variables.", kEnvironmentRules),
    Optional<&Example::memory>("memory_limit", "Memory.", {.min = 6 << 20}),
    Optional<&Example::cpus>("cpu_limit", "Cores."),
};
std::span<const Field> FieldsOf(const Example*) { return kExample; }

std::string ErrorOf(std::string_view text) {
  const auto value = ParseJson(text);
  if (!value) return "JSON: " + value.error().message;
  const auto read = ReadAs<Example>(*value);
  return read ? "" : read.error().message;
}

TEST(Fields, TheSchemaIsClosedAndHasDefaultsAndLimits) {
  const json::object schema = SchemaOf<Example>();
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(json::serialize(schema.at("required")), R"(["path"])");
  const json::object& properties = schema.at("properties").as_object();
  EXPECT_EQ(json::serialize(properties.at("limit")), R"({"type":"integer","minimum":1,"maximum":5000,"description":"A limit.","default":2000})");
  EXPECT_EQ(json::serialize(properties.at("colour")), R"({"type":"string","enum":["red","green"],"description":"A colour.","default":"green"})");
  EXPECT_FALSE(properties.at("note").as_object().contains("default"));
  EXPECT_EQ(properties.at("items").as_object().at("items").as_object().at("additionalProperties"), false);
}

TEST(Fields, WhatIsLeftOutHasItsDefault) {
  const auto read = ReadAs<Example>(ParseJson(R"({"path": "/a", "items": [{"name": "x"}], "env": {"A": "b"}, "memory_limit": "2g", "cpu_limit": 500000000})").value());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->limit, 2000);
  EXPECT_EQ(read->colour, Colour::kGreen);
  EXPECT_FALSE(read->note);
  EXPECT_EQ(read->items.at(0).name, "x");
  EXPECT_EQ(read->env.at("A"), "b");
  EXPECT_EQ(read->memory->bytes, 2ull << 30);
  EXPECT_DOUBLE_EQ(read->cpus->cores, 0.5);
}

TEST(Fields, ErrorsNameTheKeyAndWhatIsRight) {
  EXPECT_EQ(ErrorOf("{}"), "missing argument 'path': A path.");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "limt": 3})"), "unknown argument 'limt'; did you mean 'limit'?");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "frobnicate": 3})"),
            "unknown argument 'frobnicate'; the arguments are path, limit, deep, note, colour, items, env, memory_limit, cpu_limit");
  EXPECT_EQ(ErrorOf(R"({"path": 3})"), "path: must be a string, not an integer");
  EXPECT_EQ(ErrorOf(R"({"path": "a/b"})"), "path: must be an absolute path, such as /workspace/notes.txt, not 'a/b'");
  EXPECT_EQ(ErrorOf(R"({"path": "/a\u0000b"})"), "path: must be an absolute path, such as /workspace/notes.txt, not '/a?b'");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "limit": 0})"), "limit: must be from 1 to 5000, not 0");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "limit": 1.5})"), "limit: must be a whole number");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "limit": "7"})"), "limit: must be an integer, not a string");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "limit": 99999999999999999999})"), "limit: must be a whole number");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "note": null})"), "note: must be a string, not null; leave the argument out instead");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "note": "too long"})"), "note: must have at most 5 bytes, not 8");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "colour": "blue"})"), "colour: must be one of red, green, not 'blue'");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "items": [{"name": "x"}, {"nam": "y"}]})"), "items[1]: unknown argument 'nam'; did you mean 'name'?");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "items": [{}, {}, {}]})"), "items: must hold at most 2 items, not 3");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "env": {"1x": "a"}})"), "env: must be the name of a variable: letters, digits and _, not beginning with a digit, not '1x'");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "env": {"A": 1}})"), "env.A: must be a string, not an integer");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "memory_limit": "lots"})"), "memory_limit: must be a number of bytes or text such as \"512m\" or \"2g\"");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "memory_limit": 5})"), "memory_limit: must be at least 6291456, not 5");
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "cpu_limit": 0})"), "cpu_limit: must be more than 0 and at most 1024 cores");
  EXPECT_EQ(ErrorOf("[]"), "must be an object, not a list");
}

TEST(ParseJson, RefusesWhatIsAmbiguousOrTooMuch) {
  EXPECT_EQ(ErrorOf(R"({"path": "/a", "path": "/b"})"), "JSON: key 'path' stands twice in one object; keep one");
  EXPECT_TRUE(ErrorOf(R"({"path": )").starts_with("JSON: not valid JSON at byte 9"));
  EXPECT_TRUE(ErrorOf("{} x").starts_with("JSON: not valid JSON"));
  EXPECT_EQ(ErrorOf(std::string(100, '[')), "JSON: the JSON text is nested more than 32 deep");
  EXPECT_TRUE(ErrorOf("{\"path\": \"/\xff\"}").starts_with("JSON: not valid JSON"));
  EXPECT_FALSE(ParseJson("{}", {.max_bytes = 1}));
}

TEST(Fields, ResultsLeaveOutWhatIsAbsentAndMayBeAndRepairText) {
  const Example example{.path = "/a\xff", .items = {{"x"}}, .env = {{"A", "b"}}};
  EXPECT_EQ(json::serialize(Json<Example>::Write(example)),
            "{\"path\":\"/a\xEF\xBF\xBD\",\"limit\":2000,\"deep\":false,\"colour\":\"green\",\"items\":[{\"name\":\"x\"}],\"env\":{\"A\":\"b\"}}");
}

}  // namespace
}  // namespace paddock::tools
