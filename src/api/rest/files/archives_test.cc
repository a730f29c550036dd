#include <gtest/gtest.h>

#include "api/rest/api_for_test.h"

namespace paddock::api {
namespace {

class ArchiveTest : public ApiTest {};

TEST_F(ArchiveTest, ADirectoryGoesOutAndComesInElsewhere) {
  const std::string from = Make(), to = Make();
  const Reply made = Ask("POST", "/v1/sandboxes/" + from + "/exec",
                         R"({"script":"mkdir -p d/e; seq 1 100000 > d/big; echo x > d/e/f; chmod 751 d/e/f; ln -s ../big d/e/l; ln d/big d/other; mkfifo d/p; : > d/empty; touch -d @5 d/e/f"})");
  ASSERT_EQ(made.json().at("exit_code").as_int64(), 0) << made.text;
  const Reply packed = Ask("GET", "/v1/sandboxes/" + from + "/files/archive?path=/home/agent/d");
  ASSERT_EQ(packed.status, 200);
  const Reply unpacked = Ask("PUT", "/v1/sandboxes/" + to + "/files/archive?path=/home/agent/new/d", packed.text);
  ASSERT_EQ(unpacked.status, 200) << unpacked.text;
  EXPECT_EQ(unpacked.json().at("files").to_number<int>(), 3);
  EXPECT_EQ(unpacked.json().at("skipped").to_number<int>(), 1);
  const Reply looked = Ask("POST", "/v1/sandboxes/" + to + "/exec",
                           R"({"script":"cd new/d; tail -n 1 big; cmp big other && stat -c %h big; stat -c '%a %Y' e/f; readlink e/l; ls"})");
  EXPECT_EQ(looked.json().at("stdout").as_string(), "100000\n2\n751 5\n../big\nbig\ne\nempty\nother\n");
}

TEST_F(ArchiveTest, OneFileIsAnArchiveToo) {
  const std::string id = Make();
  Ask("PUT", "/v1/sandboxes/" + id + "/files/content?path=/tmp/one", "text");
  Ask("POST", "/v1/sandboxes/" + id + "/exec", R"({"script":"touch -d @5 /tmp/one"})");   // a whole second needs no second header
  const Reply packed = Ask("GET", "/v1/sandboxes/" + id + "/files/archive?path=/tmp/one");
  EXPECT_EQ(packed.text.substr(0, 4), std::string("one\0", 4));
  EXPECT_EQ(packed.text.size(), 4 * 512u);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id + "/files/archive?path=/nothing").status, 404);
  EXPECT_EQ(Ask("GET", "/v1/sandboxes/" + id + "/files/archive?path=relative").status, 400);
  EXPECT_EQ(Ask("PUT", "/v1/sandboxes/" + id + "/files/archive?path=/tmp/one", packed.text).status, 409);
}

TEST_F(ArchiveTest, WhatIsNoArchiveIsRefusedAndTheSandboxIsWell) {
  const std::string id = Make();
  EXPECT_EQ(Ask("PUT", "/v1/sandboxes/" + id + "/files/archive?path=/tmp/x", std::string(5000, 'x')).status, 400);
  EXPECT_EQ(Ask("PUT", "/v1/sandboxes/" + id + "/files/archive?path=/tmp/x", "").status, 200);
  EXPECT_EQ(Ask("PUT", "/v1/sandboxes/" + id + "/files/archive?path=/etc", "", {}, "alice:read").status, 403);
  EXPECT_EQ(Ask("POST", "/v1/sandboxes/" + id + "/exec", R"({"script":":"})").status, 200);
}

TEST_F(ArchiveTest, TextIsFoundAndReplaced) {
  const std::string id = Make();
  Ask("PUT", "/v1/sandboxes/" + id + "/files/content?path=/tmp/s/a.py", "one\ntwo (2)\nthree\n");
  Ask("PUT", "/v1/sandboxes/" + id + "/files/content?path=/tmp/s/b.txt", "two\n");
  const std::string path = "/v1/sandboxes/" + id + "/files/";
  const Reply found = Ask("POST", path + "search", R"x({"pattern":"two (","path":"/tmp/s","context":1})x");
  ASSERT_EQ(found.status, 200) << found.text;
  ASSERT_EQ(found.json().at("matches").as_array().size(), 1u) << found.text;
  EXPECT_EQ(found.json().at("matches").at(0).at("line").as_int64(), 2);
  EXPECT_EQ(found.json().at("matches").at(0).at("before").at(0).as_string(), "one");
  EXPECT_EQ(Ask("POST", path + "search", R"({"pattern":"^t","regex":true,"path":"/tmp/s","glob":"*.py"})").json().at("matches").as_array().size(), 2u);
  EXPECT_EQ(Ask("POST", path + "search", R"({"pattern":"(","regex":true,"path":"/tmp"})").status, 400);
  EXPECT_EQ(Ask("POST", path + "search", R"({"pattern":"x","path":"/tmp/none"})").status, 404);
  EXPECT_EQ(Ask("POST", path + "search", R"({"pattern":"x"})", {}, "bob").status, 404);

  EXPECT_EQ(Ask("POST", path + "edit", R"({"path":"/tmp/s/a.py","old_text":"e\n","new_text":"E\n"})").status, 400);   // twice
  const Reply edited = Ask("POST", path + "edit", R"({"path":"/tmp/s/a.py","old_text":"e\n","new_text":"E\n","all":true})");
  EXPECT_EQ(edited.json().at("replacements").to_number<int>(), 2) << edited.text;
  EXPECT_EQ(Ask("GET", path + "content?path=/tmp/s/a.py").text, "onE\ntwo (2)\nthreE\n");
  EXPECT_EQ(Ask("POST", path + "edit", R"({"path":"/tmp/s/none","old_text":"e","new_text":"E"})").status, 404);
}

}  // namespace
}  // namespace paddock::api
