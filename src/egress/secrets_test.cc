// Secrets: where values go, and that they do not come back.
#include "egress/secrets.h"

#include "text/base64.h"
#include "egress/tls_for_test.h"

namespace paddock::egress {
namespace {

const char kValue[] = "sk-live/0123\"456789+abc";

Secret Token(const std::string& host, const std::string& header = "") {
  Secret secret;
  secret.binding.name = "TOKEN";
  secret.binding.origin = "test binding";
  policy::SecretBinding::Destination destination;
  destination.host = host;
  destination.header = header;
  secret.binding.destinations = {destination};
  secret.value = kValue;
  return secret;
}

// A bound server, api.example, and one that is not, other.example, both with TLS; each echoes the request's head.
class EgressSecrets : public testing::Test {
 protected:
  void Start(Secret secret) {
    EgressOptions options;
    options.extra_trust_pem = authority_.Pem();
    options.secrets.push_back(std::move(secret));
    auto opened = AllowRule("other.example");
    opened.terminate_tls = true;
    engine_ = std::make_unique<TestEngine>(std::vector{AllowRule("api.example"), opened}, std::move(options));
    engine_->names["api.example"] = {"127.0.0.1"};
    engine_->names["other.example"] = {"127.0.0.1"};
    placeholder_ = engine_->engine->Placeholders().at(0).second;
  }
  std::string Curl(std::vector<std::string> words) {
    const TestFile trust(*engine_->engine->CaCertificatePem());
    words.insert(words.begin(), {"curl", "-sS", "--max-time", "20", "-x",
                                 "http://127.0.0.1:" + std::to_string(engine_->proxy_port), "--cacert", trust.path()});
    return RunProgram(std::move(words)).output;
  }
  std::string Api() const { return "https://api.example:" + std::to_string(api_.port()) + "/"; }
  std::string Other() const { return "https://other.example:" + std::to_string(other_.port()) + "/"; }
  // The heads that the bound server got.
  std::string Received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }

  TestAuthority authority_;
  std::mutex mutex_;
  std::string received_;
  std::string answer_headers_;
  std::function<std::string(const std::string&)> Echo() {
    return [this](const std::string& head) {
      const std::lock_guard lock(mutex_);
      received_ += head;
      return HttpAnswer(head, answer_headers_);
    };
  }
  TestServer api_{authority_.Https("api.example", Echo())}, other_{authority_.Https("other.example", Echo())};
  std::unique_ptr<TestEngine> engine_;
  std::string placeholder_;
};

TEST_F(EgressSecrets, ValueReachesTheBoundServerAndComesBackAsPlaceholder) {
  Start(Token("api.example"));
  const std::string shown = Curl({"-H", "Authorization: Bearer " + placeholder_, Api()});
  EXPECT_NE(Received().find(std::string("Authorization: Bearer ") + kValue + "\r\n"), std::string::npos) << Received();
  EXPECT_NE(shown.find("Authorization: Bearer " + placeholder_ + "\r\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find(kValue), std::string::npos);
  EXPECT_TRUE(engine_->HasEvent("secret used https TOKEN GET api.example:"));
}

TEST_F(EgressSecrets, BasicAuthorizationIsRewrittenInside) {
  Start(Token("api.example"));
  const std::string shown = Curl({"-u", "user:" + placeholder_, Api()});
  EXPECT_NE(Received().find("Authorization: Basic " + EncodeBase64(std::string("user:") + kValue) + "\r\n"), std::string::npos)
      << Received();
  EXPECT_EQ(shown.find(EncodeBase64(kValue).substr(0, 20)), std::string::npos);
  EXPECT_EQ(shown.find(EncodeBase64(std::string("user:") + kValue)), std::string::npos) << shown;
}

TEST_F(EgressSecrets, OtherDestinationsAreDenied) {
  Start(Token("api.example"));
  const std::string shown = Curl({"-H", "Authorization: Bearer " + placeholder_, Other()});
  EXPECT_NE(shown.find("secret TOKEN is not bound to other.example:"), std::string::npos) << shown;
  EXPECT_EQ(Received(), "");
  EXPECT_TRUE(engine_->HasEvent("denied https GET other.example:"));
}

TEST_F(EgressSecrets, OtherHeadersAndTargetsAreDenied) {
  Start(Token("api.example", "X-Key"));
  EXPECT_NE(Curl({"-H", "Authorization: " + placeholder_, Api()}).find("secret TOKEN is not bound to header Authorization"),
            std::string::npos);
  EXPECT_NE(Curl({Api() + "?key=" + placeholder_}).find("may stand in header values only"), std::string::npos);
  EXPECT_EQ(Received(), "");
  Curl({"-H", "x-key: " + placeholder_, Api()});
  EXPECT_NE(Received().find(std::string("x-key: ") + kValue), std::string::npos) << Received();
}

TEST_F(EgressSecrets, PlainHttpNeedsABindingThatSaysSo) {
  Start(Token("api.example"));
  const std::string shown =
      Curl({"-H", "Authorization: Bearer " + placeholder_, "http://api.example:" + std::to_string(api_.port()) + "/"});
  EXPECT_NE(shown.find("secret TOKEN is not sent without TLS"), std::string::npos) << shown;
}

TEST_F(EgressSecrets, RevokedSecretsAreDeniedAndStillRedacted) {
  Start(Token("api.example"));
  ASSERT_TRUE(engine_->engine->Revoke("TOKEN"));
  EXPECT_FALSE(engine_->engine->Revoke("NONE"));
  EXPECT_NE(Curl({"-H", "Authorization: Bearer " + placeholder_, Api()}).find("secret TOKEN was revoked"), std::string::npos);
  EXPECT_EQ(engine_->engine->Redact(std::string("a ") + kValue + " b"), "a " + placeholder_ + " b");
}

TEST_F(EgressSecrets, AnswersThatCannotBeSearchedAreWithheld) {
  answer_headers_ = "Content-Encoding: gzip\r\n";
  Start(Token("api.example"));
  const std::string shown = Curl({"-H", "Accept-Encoding: gzip", Api()});
  EXPECT_NE(shown.find("the answer is encoded (gzip)"), std::string::npos) << shown;
  EXPECT_NE(Received().find("Accept-Encoding: identity\r\n"), std::string::npos);
  EXPECT_EQ(Received().find("gzip"), std::string::npos);
}

TEST(Secrets, ScrubberFindsValuesAcrossPieces) {
  const std::vector<Replacement> replacements = {{"SECRET-VALUE", "<1>"}, {"SECRET", "<2>"}};
  const std::string text = "a SECRET-VALUE b SECRET c SECRET-VALU";
  for (size_t size = 1; size <= text.size(); ++size) {
    Scrubber scrubber(replacements);
    std::string out;
    for (size_t at = 0; at < text.size(); at += size) out += scrubber.Feed(std::string_view(text).substr(at, size));
    out += scrubber.Finish();
    EXPECT_EQ(out, "a <1> b <2> c <2>-VALU") << size;
  }
}

TEST(Secrets, ScrubberKeepsNothingBackThatCannotBeAValue) {
  const std::vector<Replacement> replacements = {{"SECRET", "<>"}};
  Scrubber scrubber(replacements);
  EXPECT_EQ(scrubber.Feed("data: hello\n\n"), "data: hello\n\n");
}

TEST(Secrets, RedactKnowsTheUsualSpellings) {
  auto store = SecretStore::Make({Token("api.example")});
  ASSERT_TRUE(store);
  const std::string placeholder = (*store)->Placeholders()[0].second;
  EXPECT_TRUE(placeholder.starts_with("sk-paddock-secret-"));
  EXPECT_EQ((*store)->Redact("sk-live%2F0123%22456789%2Babc"), placeholder);
  EXPECT_EQ((*store)->Redact("sk-live/0123\\\"456789+abc"), placeholder);
  for (const std::string before : {"", "u", "us", "user:"}) {
    const std::string shown = (*store)->Redact(EncodeBase64(before + kValue + "tail"));
    EXPECT_NE(shown.find(placeholder), std::string::npos) << before;
    EXPECT_EQ(shown.find(EncodeBase64(std::string(kValue)).substr(4, 12)), std::string::npos);
  }
}

TEST(Secrets, ValuesAndDestinationsThatCannotBeAreRefused) {
  const auto with = [](const std::string& value, const std::string& host) {
    Secret secret = Token(host);
    secret.value = value;
    return SecretStore::Make({secret}).has_value();
  };
  EXPECT_TRUE(with("long enough", "api.example"));
  EXPECT_FALSE(with("short", "api.example"));
  EXPECT_FALSE(with("long enough\r\nX-Evil: 1", "api.example"));
  EXPECT_FALSE(with("long enough", "*"));
  EXPECT_FALSE(with("long enough", "127.1"));
}

}  // namespace
}  // namespace paddock::egress
