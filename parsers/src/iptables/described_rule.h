// A rule whose options are found in a description of iptables -L: each is added as iptables-save would print it.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "iptables/document.h"

namespace egt::parsers::iptables {

class DescribedRule {
 public:
  DescribedRule(Family family, Rule& rule) : family_(family), rule_(rule) {}

  // Options of a match, which is added where the rule has none of this module.
  std::vector<Option>& match_options(std::string_view module);
  // False where iptables has no such option or takes no such values.
  bool match(std::string_view module, std::string_view option, std::initializer_list<std::string_view> values,
             bool negate = false);
  bool target(std::string_view option, std::initializer_list<std::string_view> values);
  // Null where the rule has none.
  Target* target() { return rule_.target ? &*rule_.target : nullptr; }

 private:
  Family family_;
  Rule& rule_;
};

}  // namespace egt::parsers::iptables
