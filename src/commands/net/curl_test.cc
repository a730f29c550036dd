#include "commands/net/curl.h"

#include <gtest/gtest.h>

namespace paddock::curl {
namespace {

class CurlGlob : public testing::Test {
 protected:
  std::vector<std::string> Urls(const std::string& pattern) {
    std::vector<std::string> urls;
    auto globbed = Glob(budget_, pattern);
    if (!globbed) return {std::string(globbed.error().Text())};
    for (const GlobbedUrl& url : *globbed) urls.push_back(url.url);
    return urls;
  }
  Budget budget_{Limits{}, SystemClock()};
};

TEST_F(CurlGlob, SetsAndRangesMultiply) {
  EXPECT_EQ(Urls("h/{a,b}[1-2]"), (std::vector<std::string>{"h/a1", "h/a2", "h/b1", "h/b2"}));
  EXPECT_EQ(Urls("h/[08-10]"), (std::vector<std::string>{"h/08", "h/09", "h/10"}));
  EXPECT_EQ(Urls("h/[a-e:2]"), (std::vector<std::string>{"h/a", "h/c", "h/e"}));
}

TEST_F(CurlGlob, AddressesAndEscapesAreText) {
  EXPECT_EQ(Urls("http://[::1]:80/"), (std::vector<std::string>{"http://[::1]:80/"}));
  EXPECT_EQ(Urls("h/\\{a\\}"), (std::vector<std::string>{"h/{a}"}));
}

TEST_F(CurlGlob, RefusesWhatNeverEnds) {
  EXPECT_NE(Urls("[0-18446744073709551615]").at(0).find("range overflow"), std::string::npos);
  EXPECT_NE(Urls("[1-9999][1-9999]").at(0).find("range overflow"), std::string::npos);
  EXPECT_EQ(Urls("[18446744073709551610-18446744073709551615:4]").size(), 2u);
  EXPECT_NE(Urls("[1-5:0]").at(0).find("bad range"), std::string::npos);
}

TEST_F(CurlGlob, NumbersInNamesStandForParts) {
  EXPECT_EQ(FillIn("#1_#2.#3", {"a", "b"}), "a_b.#3");
  EXPECT_EQ(FillIn("#99999999999999999999", {"a"}), "#99999999999999999999");
}

TEST(CurlUrlEncoded, LeavesUnreservedBytesAlone) {
  EXPECT_EQ(UrlEncoded("a-._~Z9 /\xc3\xa4"), "a-._~Z9%20%2F%C3%A4");
  EXPECT_EQ(UrlEncoded("a b", "+"), "a+b");
}

}  // namespace
}  // namespace paddock::curl
