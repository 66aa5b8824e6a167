// tools/ci: the steps of the GitHub Action and of the GitLab component, run as they are; and that inputs, variables, outputs and the
// examples of docs/ci.md fit each other.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;
using Words = std::vector<std::string>;
using Inputs = std::map<std::string, std::string>;

const std::string kSource = EGTRACE_SOURCE_DIR;
const std::string kAction = kSource + "/tools/ci/github/action.yml",
                  kComponent = kSource + "/tools/ci/gitlab/templates/egtrace.yml";

std::set<std::string> keys_of(const YAML::Node& map) {
  std::set<std::string> keys;
  for (const auto& entry : map) keys.insert(entry.first.as<std::string>());
  return keys;
}

// The names between `open` + "inputs." and `close`.
std::set<std::string> inputs_used(const std::string& text, const std::string& open, const std::string& close) {
  std::set<std::string> names;
  const std::string begin = open + " inputs.";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    names.insert(text.substr(first, text.find(" " + close, first) - first));
  }
  return names;
}

// The text with each input in place of its expression.
std::string filled(std::string text, const Inputs& inputs, const std::string& open, const std::string& close) {
  for (const auto& [name, value] : inputs) {
    const std::string expression = open + " inputs." + name + " " + close;
    for (std::size_t at = text.find(expression); at != std::string::npos; at = text.find(expression, at + value.size()))
      text.replace(at, expression.size(), value);
  }
  return text;
}

// Those of `given`, the others as declared.
Inputs with_defaults(const YAML::Node& declared, Inputs given) {
  for (const auto& input : declared)
    if (input.second["default"]) given.emplace(input.first.as<std::string>(), input.second["default"].as<std::string>());
  return given;
}

// A repository with the sample as dumps, expectations that hold, and others that do not. A folder of it is on the PATH.
class Repository {
 public:
  Repository() {
    fs::copy(kSource + "/samples/egressip-secondary", path() + "/my dumps", fs::copy_options::recursive);
    home_.file(
        "good.yaml",
        "version: 1\nexpect:\n- {name: good, from: demo-egress/requester-3a, to: '192.168.55.13:80', snat: 192.168.66.100}\n");
    home_.file("bad.yaml",
               "version: 1\nexpect:\n- {name: bad, from: demo-egress/requester-3a, to: '192.168.55.13:80', snat: 192.0.2.7}\n");
    fs::create_directory(path() + "/bin");
    fs::create_symlink(EGTRACE_BINARY, path() + "/bin/egtrace");
  }
  const std::string& path() const { return home_.path(); }
  std::string text(const std::string& file) const { return read_file(path() + "/" + file); }
  bool has(const std::string& file) const { return fs::exists(path() + "/" + file); }
  void file(const std::string& name, const std::string& content) const { home_.file(name, content); }
  void remove_egtrace() const { fs::remove(path() + "/bin/egtrace"); }

  // As a runner does: a script for bash, with the variables of the step.
  Ran run(const std::string& script, const std::map<std::string, std::string>& variables) const {
    Words words = {"env",
                   "-u",
                   "CI_PROJECT_DIR",
                   "-u",
                   "GITHUB_WORKSPACE",
                   "-u",
                   "GITHUB_STEP_SUMMARY",
                   "-u",
                   "GITHUB_OUTPUT",
                   "PATH=" + path() + "/bin:/usr/bin:/bin"};
    for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
    words.insert(words.end(), {"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script});
    return egt::testing::run(words, "", path());
  }

 private:
  TemporaryDirectory home_;
};

class Action {
 public:
  Ran run(const Repository& repository, const Inputs& given) const {
    const Inputs inputs = with_defaults(action_["inputs"], given);
    std::map<std::string, std::string> variables = {{"GITHUB_ACTIONS", "true"},
                                                    {"GITHUB_WORKSPACE", repository.path()},
                                                    {"GITHUB_OUTPUT", repository.path() + "/output"},
                                                    {"GITHUB_STEP_SUMMARY", repository.path() + "/summary"},
                                                    {"GITHUB_ACTION_PATH", kSource + "/tools/ci/github"}};
    Ran ran;
    for (const auto& step : action_["runs"]["steps"]) {
      for (const auto& variable : step["env"])
        variables[variable.first.as<std::string>()] = filled(variable.second.as<std::string>(), inputs, "${{", "}}");
      ran = repository.run(step["run"].as<std::string>(), variables);
      if (ran.status != 0) break;
    }
    return ran;
  }

 private:
  YAML::Node action_ = YAML::LoadFile(kAction);
};

// GitLab fills inputs into the values of the second document.
class Component {
 public:
  Ran run(const Repository& repository, const Inputs& given) const {
    const Inputs inputs = with_defaults(documents_[0]["spec"]["inputs"], given);
    const YAML::Node job = documents_[1].begin()->second;
    std::map<std::string, std::string> variables = {
        {"GITLAB_CI", "true"}, {"GITHUB_ACTIONS", ""}, {"EGTRACE_CI_RUN", kSource + "/tools/ci/run"}};
    for (const auto& variable : job["variables"])
      variables[variable.first.as<std::string>()] = filled(variable.second.as<std::string>(), inputs, "$[[", "]]");
    std::string script;
    for (const auto& line : job["script"]) script += filled(line.as<std::string>(), inputs, "$[[", "]]") + "\n";
    return repository.run(script, variables);
  }

 private:
  std::vector<YAML::Node> documents_ = YAML::LoadAllFromFile(kComponent);
};

const Inputs kGood = {{"snapshot", "my dumps"}, {"expectations", "good.yaml"}, {"triage", "off"}};

Inputs with(Inputs inputs, const Inputs& more) {
  for (const auto& [name, value] : more) inputs[name] = value;
  return inputs;
}

TEST(Action, RunsItsSteps) {
  const Repository repository;
  const Action action;
  const Ran good = action.run(repository, with(kGood, {{"triage", "never"}}));
  EXPECT_EQ(0, good.status) << good.err;
  EXPECT_NE(std::string::npos, good.out.find("1 expectation: 1 hold, 0 fail, 0 undecided\n")) << good.out;
  EXPECT_EQ("status=0\nreports=egtrace-reports\n", repository.text("output"));
  for (const char* report : {"junit.xml", "check.sarif", "triage.sarif"})
    EXPECT_TRUE(repository.has("egtrace-reports/" + std::string(report))) << report;

  const Ran bad = action.run(repository, with(kGood, {{"expectations", "bad.yaml"}, {"reports", "out"}}));
  EXPECT_EQ(1, bad.status);
  EXPECT_EQ(0U, bad.out.find("::error file=bad.yaml,line=3,title=bad::")) << bad.out;
  EXPECT_NE(std::string::npos, repository.text("output").find("status=1\nreports=out\n"));
  EXPECT_TRUE(repository.has("out/check.sarif"));
  EXPECT_FALSE(repository.has("out/triage.sarif"));
}

TEST(Action, KnowsBaselines) {
  const Repository repository;
  const Action action;
  EXPECT_EQ(0, repository.run("egtrace check 'my dumps' bad.yaml --write-baseline known.json", {}).status);
  EXPECT_EQ(0, action.run(repository, with(kGood, {{"expectations", "bad.yaml"}, {"baseline", "known.json"}})).status);
  EXPECT_EQ(2, action.run(repository, with(kGood, {{"baseline", "good.yaml"}})).status);
}

TEST(Action, RefusesWhatItDoesNotKnow) {
  const Repository repository;
  const Action action;
  for (const Inputs& wrong : {Inputs{{"triage", "sometimes"}},
                              {{"from-objects", "yes"}},
                              {{"undecided", "maybe"}},
                              {{"expectations", ""}},
                              {{"snapshot", "nowhere"}}}) {
    const Ran ran = action.run(repository, with(kGood, wrong));
    EXPECT_EQ(2, ran.status) << wrong.begin()->first;
    EXPECT_NE(std::string::npos, ran.err.find("egtrace: ")) << ran.err;
  }
}

// Inputs are no code: neither in the script nor in what it calls.
TEST(Action, InputsAreNoCommands) {
  const Repository repository;
  const std::string harm = "$(touch harm); touch harm; `touch harm` \" '";
  for (const char* input : {"snapshot", "expectations", "baseline", "reports"})
    Action().run(repository, with(kGood, {{input, harm}}));
  EXPECT_FALSE(repository.has("harm"));
}

// Where egtrace is not installed docker runs the image: here a docker that says what it was asked, and does it.
TEST(Action, TakesTheImageWhereTheJobHasNone) {
  const Repository repository;
  repository.remove_egtrace();
  EXPECT_EQ(2, Action().run(repository, kGood).status);
  repository.file(
      "bin/docker",
      "#!/bin/bash\nprintf '%s\\n' \"$@\" >> asked\nwhile [ \"$1\" != egtrace ]; do shift; done\nshift\nexec " EGTRACE_BINARY
      " \"$@\"\n");
  fs::permissions(repository.path() + "/bin/docker", fs::perms::owner_all);
  EXPECT_EQ(0, Action().run(repository, with(kGood, {{"image", "registry.example.com/x:1"}})).status);
  const std::string asked = repository.text("asked");
  for (const std::string& part :
       {std::string("run\n--rm\n--network\nnone\n--user\n"), "--volume\n" + repository.path() + ":" + repository.path() + "\n",
        std::string("registry.example.com/x:1\negtrace\ncheck\nmy dumps\ngood.yaml\n")})
    EXPECT_NE(std::string::npos, asked.find(part)) << asked;
}

TEST(Action, SummaryShowsTextOnly) {
  const Repository repository;
  if (repository.run("command -v jq", {}).status != 0) GTEST_SKIP() << "no jq";
  repository.file("bad.yaml",
                  "version: 1\nexpect:\n- {name: '<img src=x> `b` [c](d)', from: demo-egress/requester-3a, to: "
                  "'192.168.55.13:80', snat: 192.0.2.7}\n");
  Action().run(repository, with(kGood, {{"expectations", "bad.yaml"}, {"triage", "never"}}));
  const std::string summary = repository.text("summary");
  EXPECT_EQ(0U, summary.find("### egtrace check: 1 to look at\n<pre>\nerror: &lt;img src=x&gt;  b  [c]")) << summary;
  EXPECT_NE(std::string::npos, summary.find("### egtrace triage: ")) << summary;
}

TEST(Component, RunsItsSteps) {
  const Repository repository;
  const Component component;
  const Ran good = component.run(repository, kGood);
  EXPECT_EQ(0, good.status) << good.err;
  EXPECT_NE(std::string::npos, good.out.find("ok   good\n")) << good.out;
  EXPECT_TRUE(repository.has("egtrace-reports/junit.xml"));
  EXPECT_EQ(1, component.run(repository, with(kGood, {{"expectations", "bad.yaml"}})).status);
  EXPECT_EQ(2, component.run(repository, with(kGood, {{"expectations", "absent.yaml"}})).status);
}

// A job has one report of code quality: of expectations and of findings.
TEST(Component, ReportsCodeQuality) {
  const Repository repository;
  EXPECT_EQ(1, Component().run(repository, with(kGood, {{"expectations", "bad.yaml"}, {"triage", "never"}})).status);
  const std::string text = repository.text("egtrace-reports/gl-code-quality-report.json");
  const auto issues = nlohmann::json::parse(text);
  const auto checked = nlohmann::json::parse(repository.run("egtrace check 'my dumps' bad.yaml --format gitlab", {}).out),
             found = nlohmann::json::parse(repository.run("egtrace triage 'my dumps' --format gitlab", {}).out);
  ASSERT_EQ(1U, checked.size());
  ASSERT_EQ(checked.size() + found.size(), issues.size());
  EXPECT_EQ(checked[0], issues[0]);
  EXPECT_EQ(found.back(), issues.back());
  EXPECT_FALSE(repository.has("egtrace-reports/check.codequality"));
  EXPECT_EQ(0, Component().run(repository, with(kGood, {{"reports", "none"}})).status);
  EXPECT_EQ(nlohmann::json::array(), nlohmann::json::parse(repository.text("none/gl-code-quality-report.json")));
  EXPECT_EQ("$[[ inputs.reports ]]/gl-code-quality-report.json",
            YAML::LoadAllFromFile(kComponent)[1]["$[[ inputs.job ]]"]["artifacts"]["reports"]["codequality"].as<std::string>());
}

// Status 3 is what the component lets pass with a warning.
TEST(Component, UndecidedIsNoFailure) {
  const Repository repository;
  const Component component;
  fs::remove_all(repository.path() + "/my dumps/master-02-demo");  // the egress node
  EXPECT_EQ(3, component.run(repository, kGood).status);
  EXPECT_EQ(1, component.run(repository, with(kGood, {{"undecided", "fail"}})).status);
  EXPECT_EQ(0, component.run(repository, with(kGood, {{"undecided", "pass"}})).status);
  EXPECT_EQ("3", YAML::LoadAllFromFile(kComponent)[1]["$[[ inputs.job ]]"]["allow_failure"]["exit_codes"][0].as<std::string>());
}

// What the schema of GitHub's actions asks of the parts that are used.
TEST(Structure, OfTheAction) {
  const YAML::Node action = YAML::LoadFile(kAction);
  EXPECT_EQ((std::set<std::string>{"name", "description", "inputs", "outputs", "runs", "branding"}), keys_of(action));
  EXPECT_EQ("composite", action["runs"]["using"].as<std::string>());
  std::set<std::string> ids;
  for (const auto& step : action["runs"]["steps"]) {
    ids.insert(step["id"].as<std::string>());
    EXPECT_EQ("bash", step["shell"].as<std::string>());
    EXPECT_EQ(std::string::npos, step["run"].as<std::string>().find("${{"));  // an input in a script is a piece of it
  }
  for (const auto& input : action["inputs"]) {
    EXPECT_TRUE(input.second["description"]) << input.first;
    EXPECT_TRUE(input.second["default"] || input.second["required"].as<bool>()) << input.first;
  }
  EXPECT_EQ(keys_of(action["inputs"]), inputs_used(read_file(kAction), "${{", "}}"));
  for (const auto& output : action["outputs"]) {
    const std::string value = output.second["value"].as<std::string>(), begin = "${{ steps.";
    ASSERT_TRUE(value.starts_with(begin));
    EXPECT_TRUE(ids.contains(value.substr(begin.size(), value.find('.', begin.size()) - begin.size()))) << value;
    EXPECT_NE(std::string::npos, read_file(kSource + "/tools/ci/run").find("echo \"" + output.first.as<std::string>() + "="));
  }
}

// What GitLab's schema asks of the parts that are used.
TEST(Structure, OfTheComponent) {
  const auto documents = YAML::LoadAllFromFile(kComponent);
  ASSERT_EQ(2U, documents.size());
  EXPECT_EQ(std::set<std::string>{"spec"}, keys_of(documents[0]));
  EXPECT_EQ(std::set<std::string>{"inputs"}, keys_of(documents[0]["spec"]));
  const YAML::Node inputs = documents[0]["spec"]["inputs"];
  for (const auto& input : inputs) {
    for (const std::string& key : keys_of(input.second))
      EXPECT_TRUE((std::set<std::string>{"description", "default", "type", "options"}).contains(key)) << key;
    if (!input.second["options"]) continue;
    std::set<std::string> options;
    for (const auto& option : input.second["options"]) options.insert(option.as<std::string>());
    EXPECT_TRUE(options.contains(input.second["default"].as<std::string>()));
  }
  EXPECT_EQ(keys_of(inputs), inputs_used(read_file(kComponent), "$[[", "]]"));
  EXPECT_EQ((std::set<std::string>{"stage", "image", "variables", "script", "allow_failure", "artifacts"}),
            keys_of(documents[1].begin()->second));
}

// Both set what the script reads, and nothing else.
TEST(Structure, VariablesAreThoseOfTheScript) {
  const std::string script = read_file(kSource + "/tools/ci/run");
  std::set<std::string> read;
  const std::string prefix = "${EGTRACE_CI_";
  for (std::size_t at = script.find(prefix); at != std::string::npos; at = script.find(prefix, at + 1))
    read.insert(script.substr(at + 2, script.find(':', at) - at - 2));
  EXPECT_EQ(read, keys_of(YAML::LoadFile(kAction)["runs"]["steps"][0]["env"]));
  read.erase("EGTRACE_CI_IMAGE");  // the job of GitLab runs in it
  EXPECT_EQ(read, keys_of(YAML::LoadAllFromFile(kComponent)[1].begin()->second["variables"]));
}

// The blocks of YAML of docs/ci.md.
std::vector<std::string> examples() {
  std::vector<std::string> blocks;
  const std::string page = read_file(kSource + "/docs/ci.md"), fence = "```yaml\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    blocks.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return blocks;
}

TEST(Structure, ExamplesNameInputsThatExist) {
  const auto blocks = examples();
  ASSERT_EQ(3U, blocks.size());
  const std::set<std::string> action = keys_of(YAML::LoadFile(kAction)["inputs"]),
                              component = keys_of(YAML::LoadAllFromFile(kComponent)[0]["spec"]["inputs"]);
  for (const std::string& key : keys_of(YAML::Load(blocks[0])["jobs"]["check"]["steps"][1]["with"]))
    EXPECT_TRUE(action.contains(key)) << key;
  for (const std::string& key : keys_of(YAML::Load(blocks[1])["include"][0]["inputs"]))
    EXPECT_TRUE(component.contains(key)) << key;
}

// Against the schemas themselves, which are not part of the repository: EGTRACE_SCHEMAS names a folder that has them.
constexpr const char* kValidate = R"(
import datetime, json, sys, yaml, jsonschema
schema = json.load(open(sys.argv[1]))
class Loader(yaml.SafeLoader): pass
Loader.yaml_implicit_resolvers = {k: [r for r in v if r[0] not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")] for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
import re
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
document = {}
for part in yaml.load_all(sys.stdin.read(), Loader): document.update(part)
errors = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(document))
for error in errors: print("/".join(map(str, error.absolute_path)), error.message[:300])
sys.exit(bool(errors))
)";

TEST(Schemas, Hold) {
  const char* folder = std::getenv("EGTRACE_SCHEMAS");
  if (folder == nullptr) GTEST_SKIP() << "EGTRACE_SCHEMAS is not set: structure alone was checked";
  if (egt::testing::run({"python3", "-c", "import jsonschema, yaml"}).status != 0)
    GTEST_SKIP() << "no python3-jsonschema, or no python3-yaml";
  const Repository repository;
  EXPECT_EQ(
      1,
      repository.run("egtrace triage 'my dumps' --sarif triage.sarif; egtrace check 'my dumps' bad.yaml --sarif check.sarif", {})
          .status);
  const auto blocks = examples();
  for (const auto& [schema, text] :
       std::vector<std::pair<std::string, std::string>>{{"github-action", read_file(kAction)},
                                                        {"gitlab-ci", read_file(kComponent)},
                                                        {"github-workflow", blocks.at(0)},
                                                        {"gitlab-ci", blocks.at(1)},
                                                        {"gitlab-ci", blocks.at(2)},
                                                        {"sarif-2.1.0", repository.text("check.sarif")},
                                                        {"sarif-2.1.0", repository.text("triage.sarif")}}) {
    const std::string file = std::string(folder) + "/" + schema + ".json";
    if (!fs::exists(file)) continue;
    const Ran ran = egt::testing::run({"python3", "-c", kValidate, file}, text);
    EXPECT_EQ(0, ran.status) << schema << ":\n" << ran.out << ran.err << text.substr(0, 500);
  }
}

}  // namespace
