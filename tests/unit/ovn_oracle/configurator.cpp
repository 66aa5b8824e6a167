#include "configurator.h"

#include <fmt/format.h>

#include <utility>

#include "support/run.h"

namespace egt::testing {
namespace {

using Bound = PhraseGrammar::Bound;

std::string grammar_text(const char* name) {
  return read_file(fmt::format("{}/tests/unit/ovn_oracle/{}", EGTRACE_SOURCE_DIR, name));
}

}  // namespace

PhraseGrammar configuration_grammar(unsigned seed) {
  return PhraseGrammar(grammar_text("northbound.grammar") + grammar_text("microflow.grammar"), seed);
}

void Configurator::configure() {
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

void Configurator::fixed() {
  for (const char* line :
       {"sb chassis-add hv1 geneve 1.0.0.1", "sb chassis-add hv2 geneve 1.0.0.2",
        "create Address_Set name=as1 addresses='\"10.0.0.10\",\"10.0.1.0/28\",\"10.0.2.11\"'",
        "create Address_Set name=as2 addresses='\"8.8.8.8\",\"10.0.0.11\"'",
        "create Address_Set name=as6 addresses='\"fd00:0::10\",\"fd00:1::/64\"'", "meter-add m1 drop 10 pktps 5"})
    command(shell_words(line));
}

void Configurator::add_switch(const std::string& s) {
  command({"ls-add", "sw" + s, "--", "set", "logical_switch", "sw" + s,
           fmt::format("other_config:requested-tnl-key={}", s[0] - '0' + 1)});
  for (unsigned p = 0; p < kPorts; ++p) {
    const Bound bound = {{"s", s}, {"p", fmt::format("{}", p)}};
    some(p > 0 && grammar_.below(8) == 0 ? "port-tagged" : "port", 1, 1, bound);
    const std::string name = fmt::format("sw{}-p{}", s, p);
    Words words = shell_words(grammar_.phrase("port-addresses", bound));
    words.insert(words.begin(), {"lsp-set-addresses", name});
    command(words);
    command({"set", "logical_switch_port", name, fmt::format("options:requested-tnl-key={}", p + 1)});
    some("port-setting", 0, 2, bound);
  }
  some("switch", 0, 3, {{"s", s}});
}

void Configurator::add_router(const std::string& r) {
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
        shell_words("lrp-add lr0 lr0-lr1 0a:00:00:01:aa:01 100.64.9.1/30 fd64:9::1/64 peer=lr1-lr0 -- "
                    "lrp-add lr1 lr1-lr0 0a:00:00:01:aa:02 100.64.9.2/30 fd64:9::2/64 peer=lr0-lr1"));
  some("routing", 0, 9, bound);
}

void Configurator::some(std::string_view rule, unsigned least, unsigned most, const Bound& bound) {
  for (unsigned n = least + grammar_.below(most - least + 1); n > 0; --n) command(shell_words(grammar_.phrase(rule, bound)));
}

void Configurator::command(Words words) {
  const bool southbound = words.front() == "sb";
  if (southbound) words.erase(words.begin());
  ++(central_.control(southbound ? "sb" : "nb", std::move(words)) ? accepted_ : refused_);
}

}  // namespace egt::testing
