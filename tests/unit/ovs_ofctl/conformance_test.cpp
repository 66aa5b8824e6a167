// Vectors of Open vSwitch's own suite and real dumps, read in place; skipped where the folder is not there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/typed_flow.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kShared = fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared";

// All vectors of one kind, over all versions of the suite.
std::vector<Json> vectors(const std::string& kind) {
  std::vector<Json> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(kShared / "conformance", none)) {
    std::ifstream file(entry.path() / (kind + ".json"));
    if (!file) continue;
    const Json suite = Json::parse(file);
    for (const Json& v : suite["vectors"]) all.push_back(v);
  }
  return all;
}

struct Counts {
  std::size_t good = 0, all = 0;
};

template <class Check>
Counts count(const std::vector<Json>& all, Check good) {
  Counts c{0, all.size()};
  for (const Json& v : all) c.good += good(v) ? 1 : 0;
  return c;
}

bool understood(const std::string& flow) {
  const auto line = parse_flow_line(flow);
  if (!line) return false;
  std::vector<TextError> errors;
  parse_actions(line->actions, errors);
  return errors.empty();
}

// Taken by ovs-ofctl, too, as far as the line alone shows.
bool accepted(const std::string& flow) {
  const auto line = parse_flow_line(flow);
  if (!line) return false;
  std::vector<TextError> errors;
  const openflow::ActionList actions = parse_actions(line->actions, errors);
  return errors.empty() && !ofctl::why_refused(*line, actions);
}

TEST(Conformance, ActionText) {
  const auto all = vectors("ovs-action-text");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Json& v : all) {
    const std::string text = v["given"]["actions"];
    std::vector<TextError> errors;
    EXPECT_EQ(format_actions(parse_actions(text, errors)), text);
    EXPECT_TRUE(errors.empty()) << text;
  }
}

TEST(Conformance, FlowsOfEveryProtocolAreUnderstood) {
  const auto all = vectors("ovs-flow-protocols");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  for (const Json& v : all) EXPECT_TRUE(understood(v["given"]["flow"])) << v["given"]["flow"];
}

// The expectation is a flow-mod, which shows cookie and timeouts behind the match, and it depends on the protocol for
// which the actions were encoded; compared is what does not.
TEST(Conformance, NormalForm) {
  const auto all = vectors("ovs-flow-normal-form");
  if (all.empty()) GTEST_SKIP() << "no vectors";
  // Words before "actions=" that are neither "table:255", "cookie:0x5" and the like nor terms such as "cookie=0x5,".
  const auto match_of = [](const std::string& flow) {
    std::istringstream words(flow.substr(0, flow.find("actions=")));
    std::string match;
    for (std::string word; words >> word;) {
      const bool flow_mod_term = word.find('=') == std::string::npos && word.find(':') != std::string::npos;
      if (!flow_mod_term && word.back() != ',' && word != "send_flow_rem") match += word;
    }
    return match;
  };
  const Counts c = count(all, [&](const Json& v) {
    const std::string text = v["given"]["flow"];
    const auto line = parse_flow_line(text);
    return line && match_of(normal_flow_line(*line)) == match_of(v["expect"]["flow"]);
  });
  RecordProperty("good", static_cast<int>(c.good));
  EXPECT_GE(c.good * 100, c.all * 90) << c.good << " of " << c.all;
}

// Not shown by a line alone: names of ports and tables.
TEST(Conformance, Refused) {
  auto all = vectors("ovs-refused");
  std::erase_if(all, [](const Json& v) {
    const std::string op = v["given"]["op"];
    return v["expect"]["by"] != "parser" || (op != "add-flow" && op != "parse-flow");
  });
  if (all.empty()) GTEST_SKIP() << "no vectors";
  const Counts c = count(all, [](const Json& v) { return !accepted(v["given"]["text"]); });
  RecordProperty("good", static_cast<int>(c.good));
  EXPECT_GE(c.good * 100, c.all * 94) << c.good << " of " << c.all;
}

// One scenario's dumps, uncompressed ones only: the whole corpus takes too long for a unit test.
TEST(Corpus, PrintsBack) {
  const Formats formats{ovs_ofctl_formats()};
  std::size_t files = 0;
  std::error_code none;
  for (const auto& corpus : fs::directory_iterator(kShared / "corpus", none)) {
    if (!corpus.is_directory()) continue;
    for (const auto& scenario : fs::directory_iterator(corpus)) {
      if (files >= 60 || !scenario.is_directory()) break;
      for (const auto& file : fs::recursive_directory_iterator(scenario)) {
        const std::string name = file.path().filename();
        if (!name.starts_with("ovs-ofctl") || name.ends_with(".gz") || !file.is_regular_file()) continue;
        std::ostringstream text;
        text << std::ifstream(file.path()).rdbuf();
        if (text.str().empty()) continue;
        const Dump dump{1, name, name, {}, 1, false};
        const std::string kept = text.str();
        Dump whole = dump;
        whole.text = kept;
        const Printed p = formats.reprint(whole);
        EXPECT_EQ(p.out, kept) << file.path();
        EXPECT_TRUE(p.report.not_understood.empty()) << file.path();
        ++files;
      }
    }
  }
  if (files == 0) GTEST_SKIP() << "no corpus";
}

}  // namespace
}  // namespace egt::parsers
