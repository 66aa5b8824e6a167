// ltrace against ovn-trace itself: random northbound configurations through ovn-northd, random microflows, full text. The
// configurations are phrases of northbound.grammar, the packets of microflow.grammar. Skipped where OVN is not installed.
// EGTRACE_CASES=N asks for N microflows; another OVN is taken from PATH, with EGTRACE_OVN_SCHEMAS for its .ovsschema files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "egtrace/base/text.h"
#include "phrase_grammar.h"
#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

unsigned cases() {
  const char* asked = std::getenv("EGTRACE_CASES");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 60;
}

// Those of another OVN that PATH begins with.
std::string schemas() {
  const char* other = std::getenv("EGTRACE_OVN_SCHEMAS");
  return other ? other : "/usr/share/ovn";
}

bool has_program(const char* name) { return run({"sh", "-c", fmt::format("command -v {}", name)}).status == 0; }

// Two database servers and northd in a directory of their own; ends them by their pid files.
class Central {
 public:
  explicit Central(const std::string& directory) : dir_(directory) {
    database("nb", "ovn-nb.ovsschema");
    database("sb", "ovn-sb.ovsschema");
    must({"ovn-northd", "--detach", "--no-chdir", "--pidfile=" + dir_ + "/northd.pid", "--log-file=/dev/null",
          "--unixctl=" + dir_ + "/northd.ctl", "--ovnnb-db=unix:" + dir_ + "/nb.sock", "--ovnsb-db=unix:" + dir_ + "/sb.sock"});
  }
  ~Central() {
    for (const char* name : {"northd", "sb", "nb"}) {
      std::error_code none;
      const std::string file = fmt::format("{}/{}.pid", dir_, name);
      if (!fs::exists(file, none)) continue;
      run({"kill", std::string(trim(read_file(file)))});
    }
  }
  // Arguments of ovn-nbctl or ovn-sbctl; whether it takes them.
  bool control(const std::string& database, Words words) {
    words.insert(words.begin(),
                 {fmt::format("ovn-{}ctl", database), "--no-leader-only", fmt::format("--db=unix:{}/{}.sock", dir_, database)});
    return run(words).status == 0;
  }
  std::string trace(Words call) {
    call.insert(call.begin(), {"ovn-trace", "--no-leader-only", fmt::format("--db=unix:{}/sb.sock", dir_)});
    return run(call).out;
  }
  bool good() const { return good_; }

 private:
  void database(const std::string& name, const std::string& schema) {
    const std::string file = fmt::format("{}/{}.db", dir_, name);
    must({"ovsdb-tool", "create", file, schemas() + "/" + schema});
    must({"ovsdb-server", "--detach", "--no-chdir", "--log-file=/dev/null", fmt::format("--pidfile={}/{}.pid", dir_, name),
          fmt::format("--unixctl={}/{}.ctl", dir_, name), fmt::format("--remote=punix:{}/{}.sock", dir_, name), file});
  }
  void must(const Words& words) {
    const Ran ran = run(words);
    good_ &= ran.status == 0;
    EXPECT_EQ(ran.status, 0) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.err;
  }

  std::string dir_;
  bool good_ = true;
};

using Bound = PhraseGrammar::Bound;

constexpr unsigned kSwitches = 3, kPorts = 3, kRouters = 2;

std::string grammar_text(const char* name) {
  return read_file(fmt::format("{}/tests/unit/ovn_oracle/{}", EGTRACE_SOURCE_DIR, name));
}

// Commands of random phrases. What a release refuses is left out of the configuration.
class Configurator {
 public:
  Configurator(Central& central, PhraseGrammar& grammar) : central_(central), grammar_(grammar) {}

  void configure() {
    fixed();
    some("global", 0, 2, {});
    for (unsigned s = 0; s < kSwitches; ++s) add_switch(fmt::format("{}", s));
    for (const char* group : {"pg1", "pg2"})
      command({"pg-add", group, grammar_.phrase("name"), fmt::format("sw{}-p2", grammar_.below(kSwitches))});
    for (unsigned r = 0; r < kRouters; ++r) add_router(fmt::format("{}", r));
    some("acl", 0, 9, {});
    for (unsigned n = 1, last = grammar_.below(5); n <= last; ++n) {
      const Bound bound = {{"n", fmt::format("{}", n)}};
      some("lb", 1, 1, bound);
      some("lb-setting", 0, 2, bound);
      some("lb-user", 1, 4, bound);
    }
    command({"--wait=sb", "sync"});
    some("learnt", 0, 5, {});
  }
  unsigned refused() const { return refused_; }
  unsigned accepted() const { return accepted_; }

 private:
  void fixed() {
    for (const char* line :
         {"sb chassis-add hv1 geneve 1.0.0.1", "sb chassis-add hv2 geneve 1.0.0.2",
          "create Address_Set name=as1 addresses=\"10.0.0.10\",\"10.0.1.0/28\",\"10.0.2.11\"",
          "create Address_Set name=as2 addresses=\"8.8.8.8\",\"10.0.0.11\"",
          "create Address_Set name=as6 addresses=\"fd00:0::10\",\"fd00:1::/64\"", "meter-add m1 drop 10 pktps 5"})
      command(command_words(line));
  }
  void add_switch(const std::string& s) {
    command({"ls-add", "sw" + s, "--", "set", "logical_switch", "sw" + s,
             fmt::format("other_config:requested-tnl-key={}", s[0] - '0' + 1)});
    for (unsigned p = 0; p < kPorts; ++p) {
      const Bound bound = {{"s", s}, {"p", fmt::format("{}", p)}};
      some(p > 0 && grammar_.below(8) == 0 ? "port-tagged" : "port", 1, 1, bound);
      const std::string name = fmt::format("sw{}-p{}", s, p);
      Words words = command_words(grammar_.phrase("port-addresses", bound));
      words.insert(words.begin(), {"lsp-set-addresses", name});
      command(words);
      command({"set", "logical_switch_port", name, fmt::format("options:requested-tnl-key={}", p + 1)});
      some("port-setting", 0, 2, bound);
    }
    some("switch", 0, 3, {{"s", s}});
  }
  void add_router(const std::string& r) {
    command({"lr-add", "lr" + r});
    const Bound bound = {{"r", r}, {"base", r == "0" ? "1" : "2"}};
    some("router-option", 0, 2, bound);
    for (unsigned s = 0; s < kSwitches; ++s) {
      if (r != "0" && grammar_.below(2) == 0) continue;
      Bound of_switch = bound;
      of_switch.emplace("s", fmt::format("{}", s));
      some("router-port", 1, 1, of_switch);
      some("router-port-setting", 0, 2, of_switch);
    }
    if (r != "0")
      command(
          command_words("lrp-add lr0 lr0-lr1 0a:00:00:01:aa:01 100.64.9.1/30 fd64:9::1/64 peer=lr1-lr0 -- "
                        "lrp-add lr1 lr1-lr0 0a:00:00:01:aa:02 100.64.9.2/30 fd64:9::2/64 peer=lr0-lr1"));
    some("routing", 0, 9, bound);
  }
  void some(std::string_view rule, unsigned least, unsigned most, const Bound& bound) {
    for (unsigned n = least + grammar_.below(most - least + 1); n > 0; --n) command(command_words(grammar_.phrase(rule, bound)));
  }
  void command(Words words) {
    const bool southbound = words.front() == "sb";
    if (southbound) words.erase(words.begin());
    ++(central_.control(southbound ? "sb" : "nb", std::move(words)) ? accepted_ : refused_);
  }

  Central& central_;
  PhraseGrammar& grammar_;
  unsigned refused_ = 0, accepted_ = 0;
};

struct Question {
  std::string datapath, microflow;
};

Question random_question(PhraseGrammar& grammar) {
  const bool at_router = grammar.below(8) == 0;
  const std::string line = grammar.phrase(at_router ? "router-packet" : "packet");
  const std::size_t space = line.find(' ');
  return {(at_router ? "lr" : "sw") + line.substr(0, space), line.substr(space + 1)};
}

// Not of packets that ovn-trace throws a die for, or that it takes from no port (docs/ltrace.md).
bool is_comparable(const std::string& answer) {
  return !trim(answer).empty() && answer.find("does not specify ingress port") == std::string::npos &&
         answer.find("Randomly selected") == std::string::npos && answer.find("inport=\"(unnamed)\"") == std::string::npos;
}

struct Tally {
  unsigned asked = 0, not_comparable = 0, commands = 0, refused = 0;
};

void run_configuration(unsigned seed, unsigned packets, Tally& tally) {
  TemporaryDirectory directory;
  Central central(directory.path());
  ASSERT_TRUE(central.good());
  PhraseGrammar grammar(grammar_text("northbound.grammar") + grammar_text("microflow.grammar"), seed);
  Configurator configurator(central, grammar);
  configurator.configure();
  tally.commands += configurator.accepted() + configurator.refused();
  tally.refused += configurator.refused();
  for (unsigned i = 0; i < packets; ++i) {
    const Question question = random_question(grammar);
    Words call = command_words(grammar.phrase("call"));
    call.insert(call.end(), {question.datapath, question.microflow});
    const std::string wanted = central.trace(call);
    Words ours = {EGTRACE_BINARY, "ltrace", directory.path() + "/sb.db"};
    ours.insert(ours.end(), call.begin(), call.end());
    const Ran ran = run(ours);
    if (!is_comparable(wanted) || ran.err.find("the trace is cut") != std::string::npos) {
      ++tally.not_comparable;
      continue;
    }
    ++tally.asked;
    EXPECT_EQ(trim(ran.out), trim(wanted)) << "seed " << seed << ": " << fmt::format("{}", fmt::join(call, " ")) << "\n"
                                           << ran.err;
  }
}

TEST(OvnTraceOracle, RandomConfigurations) {
  for (const char* program : {"ovn-northd", "ovn-trace", "ovn-nbctl", "ovn-sbctl", "ovsdb-server", "ovsdb-tool"})
    if (!has_program(program)) GTEST_SKIP() << program << " is not installed";
  constexpr unsigned kPackets = 20;
  Tally tally;
  for (unsigned seed = 1; tally.asked + tally.not_comparable < cases(); ++seed) run_configuration(seed, kPackets, tally);
  fmt::print("{} microflows, {} that are not comparable; {} commands, {} refused\n", tally.asked, tally.not_comparable,
             tally.commands, tally.refused);
  EXPECT_LT(tally.refused * 4, tally.commands) << "most of the grammar is not taken by this OVN";
}

}  // namespace
}  // namespace egt::testing
