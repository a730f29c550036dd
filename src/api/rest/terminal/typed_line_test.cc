#include "api/rest/terminal/typed_line.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

std::string Type(TypedLine& line, std::string keys, TypedLine::Key* key = nullptr) {
  std::string shown;
  const TypedLine::Key last = line.Take(keys, shown);
  if (key != nullptr) *key = last;
  return shown;
}

TEST(TypedLine, WhatIsTypedIsShownAndReturnEndsIt) {
  TypedLine line(80);
  EXPECT_EQ(line.Begin("a\nb$ "), "a\r\nb$ ");
  TypedLine::Key key{};
  EXPECT_EQ(Type(line, "echo h\xc3\xa9", &key), "echo h\xc3\xa9");
  EXPECT_EQ(key, TypedLine::Key::kNone);
  EXPECT_EQ(Type(line, "\r", &key), "\r\n");
  EXPECT_EQ(key, TypedLine::Key::kLine);
  EXPECT_EQ(line.text(), "echo h\xc3\xa9");
}

TEST(TypedLine, KeysBehindTheLineStayForTheNext) {
  TypedLine line(80);
  line.Begin("$ ");
  std::string keys = "one\ntwo\n", shown;
  EXPECT_EQ(line.Take(keys, shown), TypedLine::Key::kLine);
  EXPECT_EQ(line.text(), "one");
  EXPECT_EQ(keys, "two\n");
}

TEST(TypedLine, KeysMayComeInPieces) {
  TypedLine line(80);
  line.Begin("$ ");
  std::string keys = "ab\x1b", shown;
  line.Take(keys, shown);
  EXPECT_EQ(keys, "\x1b");
  keys += "[D";
  line.Take(keys, shown);
  EXPECT_EQ(keys, "");
  EXPECT_EQ(line.cursor(), 1u);
  keys = "\xe2\x82";
  line.Take(keys, shown);
  EXPECT_EQ(keys, "\xe2\x82");
  keys += "\xac";
  line.Take(keys, shown);
  EXPECT_EQ(line.text(), "a\xe2\x82\xac" "b");
}

TEST(TypedLine, ItIsEditedAsInBash) {
  TypedLine line(80);
  line.Begin("$ ");
  Type(line, "one two three\x17");
  EXPECT_EQ(line.text(), "one two ");
  Type(line, "\x19");
  EXPECT_EQ(line.text(), "one two three");
  Type(line, "\x01X\x05Y\x7f\x7f");
  EXPECT_EQ(line.text(), "Xone two thre");
  Type(line, "\x1b[D\x0b");
  EXPECT_EQ(line.text(), "Xone two thr");
  Type(line, "\x1b" "b\x15");
  EXPECT_EQ(line.text(), "thr");
}

TEST(TypedLine, HistoryComesBackAndTheNewLineToo) {
  TypedLine line(80);
  line.Remember("first\n");
  line.Remember("second");
  line.Begin("$ ");
  Type(line, "new\x1b[A");
  EXPECT_EQ(line.text(), "second");
  Type(line, "\x10");
  EXPECT_EQ(line.text(), "first");
  EXPECT_EQ(Type(line, "\x10"), "\a");
  Type(line, "\x1b[B\x1b[B");
  EXPECT_EQ(line.text(), "new");
}

TEST(TypedLine, EndOfInputOnlyOnAnEmptyLine) {
  TypedLine line(80);
  line.Begin("$ ");
  TypedLine::Key key{};
  Type(line, "a\x04", &key);
  EXPECT_EQ(key, TypedLine::Key::kNone);
  Type(line, "\x7f\x04", &key);
  EXPECT_EQ(key, TypedLine::Key::kEnd);
  Type(line, "abc\x03", &key);
  EXPECT_EQ(key, TypedLine::Key::kInterrupt);
}

TEST(TypedLine, HostileKeysNeitherGrowItNorBreakIt) {
  TypedLine line(10);
  line.Begin("\1\x1b[31m\2$ ");
  std::string keys(100'000, 'x'), shown;
  while (!keys.empty() && shown.size() < (1u << 26)) {
    std::string piece = keys.substr(0, 1000);
    keys.erase(0, 1000);
    line.Take(piece, shown);
  }
  EXPECT_LE(line.text().size(), TypedLine::kMostBytes);
  std::string odd = "\x1b[" + std::string(10'000, '1') + "\xff\xfe\xc0\x80\x1b\x1b\x1b\x7f\x9b";
  line.Take(odd, shown);
  EXPECT_LE(odd.size(), 4u);
  line.Complete(5000000, "x", {"a\x1b[2J"});
  EXPECT_EQ(line.text().find('\x1b'), std::string::npos);
}

TEST(TypedLine, ALongLineIsDrawnOverItsRows) {
  TypedLine line(10);
  line.Begin("$ ");
  Type(line, "12345678");   // to the edge
  EXPECT_EQ(Type(line, "9"), "9");
  EXPECT_EQ(Type(line, "\x01"), "\x1b[1A\r\x1b[J$ 123456789\x1b[1A\r\x1b[2C");
}

}  // namespace
}  // namespace paddock::api
