#include "text/utf8.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

namespace paddock {
namespace {

// The C library's own tables, where the machine has them.
class CLibrary {
 public:
  CLibrary() : locale_(newlocale(LC_ALL_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) previous_ = uselocale(locale_);
  }
  ~CLibrary() {
    if (locale_ == nullptr) return;
    uselocale(previous_);
    freelocale(locale_);
  }
  bool is_present() const { return locale_ != nullptr; }

 private:
  locale_t locale_;
  locale_t previous_ = nullptr;
};

template <class F>
void ForEachCharacter(F f) {
  for (char32_t c = 1; c < 0x110000; ++c) {
    if (c < 0xD800 || c > 0xDFFF) f(c);
  }
}

TEST(Utf8, EncodeAndDecodeAgree) {
  ForEachCharacter([](char32_t c) {
    std::string bytes;
    AppendUtf8(bytes, c);
    const DecodedChar decoded = DecodeUtf8(bytes + "x");
    ASSERT_TRUE(decoded.is_valid);
    ASSERT_EQ(decoded.code, c);
    ASSERT_EQ(decoded.length, bytes.size());
  });
}

TEST(Utf8, MalformedBytesAreSingle) {
  for (std::string_view bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                               "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82"}) {
    const DecodedChar c = DecodeUtf8(bad);
    EXPECT_FALSE(c.is_valid);
    EXPECT_EQ(c.length, 1);
    EXPECT_EQ(c.code, static_cast<unsigned char>(bad[0]));
    EXPECT_FALSE(IsValidUtf8(bad));
  }
}

TEST(Utf8, CountsAndOffsetsAreInCharacters) {
  EXPECT_EQ(CountUtf8("a\xC3\xA9\xE2\x82\xAC\xFF"), 4u);
  EXPECT_EQ(OffsetOfChar("a\xC3\xA9\xE2\x82\xAC", 2), 3u);
  EXPECT_EQ(OffsetOfChar("ab", 9), 2u);
  EXPECT_EQ(TextWidth("a\xE4\xB8\xAD\x01"), 3u);
  EXPECT_EQ(UpperUtf8("stra\xC3\x9F\x65 \xC3\xA9\xFF"), "STRA\xC3\x9F\x45 \xC3\x89\xFF");
}

TEST(Utf8, ClassesAreThoseOfTheCLibrary) {
  const CLibrary library;
  if (!library.is_present()) GTEST_SKIP();
  for (const char* name : {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
                           "space", "upper", "xdigit"}) {
    const CharClass char_class = FindCharClass(name);
    int different = 0;
    ForEachCharacter([&](char32_t c) {
      // A newer Unicode version on either side adds characters; only those both know are compared.
      if (iswprint(c) == 0 || !IsInClass(c, CharClass::kPrint)) return;
      if ((iswctype(c, wctype(name)) != 0) != IsInClass(c, char_class)) ++different;
    });
    EXPECT_LE(different, 60) << name;
  }
}

TEST(Utf8, HarmlessLinesKeepWhatCanBeRead) {
  EXPECT_EQ(HarmlessLine("caf\xc3\xa9 \"x\""), "caf\xc3\xa9 \"x\"");
  EXPECT_EQ(HarmlessLine("a\nb\x1b[0m\x7f\xc2\x9b\xe2\x80\xae\xff\xc3"), "a?b?[0m?????");
}

TEST(Utf8, CaseAndWidthAreThoseOfTheCLibrary) {
  const CLibrary library;
  if (!library.is_present()) GTEST_SKIP();
  int width = 0;
  int letter_case = 0;
  ForEachCharacter([&](char32_t c) {
    if (iswprint(c) == 0 || !IsInClass(c, CharClass::kPrint)) return;
    if (towupper(c) != ToUpper(c) || towlower(c) != ToLower(c)) ++letter_case;
    if (wcwidth(static_cast<wchar_t>(c)) != CharWidth(c)) ++width;
  });
  EXPECT_LE(letter_case, 10);
  EXPECT_LE(width, 40);
}

}  // namespace
}  // namespace paddock
