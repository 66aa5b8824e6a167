// ltrace against ovn-trace itself: random northbound configurations through ovn-northd, random microflows, full text. The
// configurations are phrases of northbound.grammar, the packets of microflow.grammar. Skipped where OVN is not installed.
// EGTRACE_CASES=N asks for N microflows; another OVN is taken from PATH, with EGTRACE_OVN_SCHEMAS for its .ovsschema files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "configurator.h"
#include "egtrace/base/text.h"
#include "support/run.h"

namespace egt::testing {
namespace {

unsigned cases() {
  const char* asked = std::getenv("EGTRACE_CASES");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 60;
}

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
  PhraseGrammar grammar = configuration_grammar(seed);
  Configurator configurator(central, grammar);
  configurator.configure();
  tally.commands += configurator.accepted() + configurator.refused();
  tally.refused += configurator.refused();
  for (unsigned i = 0; i < packets; ++i) {
    const Question question = random_question(grammar);
    Words call = shell_words(grammar.phrase("call"));
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
