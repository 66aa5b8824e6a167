// Random northbound configurations.
#pragma once

#include <string>
#include <string_view>

#include "central.h"
#include "phrase_grammar.h"

namespace egt::testing {

constexpr unsigned kSwitches = 3, kPorts = 3, kRouters = 2;

// The grammars of configurations and of microflows for them, from the files beside this one.
PhraseGrammar configuration_grammar(unsigned seed);

// Commands of random phrases. What a release refuses is left out of the configuration.
class Configurator {
 public:
  Configurator(Central& central, PhraseGrammar& grammar) : central_(central), grammar_(grammar) {}

  void configure();
  unsigned refused() const { return refused_; }
  unsigned accepted() const { return accepted_; }

 private:
  void fixed();
  void add_switch(const std::string& s);
  void add_router(const std::string& r);
  // As many phrases of the rule as the dice say.
  void some(std::string_view rule, unsigned least, unsigned most, const PhraseGrammar::Bound& bound);
  void command(Words words);

  Central& central_;
  PhraseGrammar& grammar_;
  unsigned refused_ = 0, accepted_ = 0;
};

}  // namespace egt::testing
