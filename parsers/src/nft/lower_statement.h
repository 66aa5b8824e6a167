// Statements of a rule as statements of the rule model.
#pragma once

#include <string>
#include <vector>

#include "nft/lower_expression.h"

namespace egt::parsers::nft {

struct LoweredRule {
  netfilter::Rule rule;
  std::vector<std::string> unclear;  // what the engine will have to leave open, for diagnostics
};

// `blocks`: where the rules of "jump { … }" go; they become chains of their own.
LoweredRule lower_rule(const Rule& rule, const TableScope& scope, std::vector<netfilter::Chain>& blocks);

}  // namespace egt::parsers::nft
