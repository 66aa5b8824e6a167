#include "iptables/described_rule.h"

#include "iptables/rule_parser.h"

namespace egt::parsers::iptables {
namespace {

std::vector<Word> arguments(std::initializer_list<std::string_view> values) {
  std::vector<Word> out;
  for (const std::string_view v : values) out.push_back({std::string(v), false});
  return out;
}

}  // namespace

std::vector<Option>& DescribedRule::match_options(std::string_view module) {
  for (Match& m : rule_.matches)
    if (m.module == module) return m.options;
  rule_.matches.push_back({std::string(module), true, {}});
  return rule_.matches.back().options;
}

bool DescribedRule::match(std::string_view module, std::string_view option, std::initializer_list<std::string_view> values,
                          bool negate) {
  std::vector<Option> options;
  if (!add_option(module, option, negate, arguments(values), family_, options)) return false;
  auto& all = match_options(module);
  all.insert(all.end(), options.begin(), options.end());
  return true;
}

bool DescribedRule::target(std::string_view option, std::initializer_list<std::string_view> values) {
  return rule_.target && add_option(rule_.target->name, option, false, arguments(values), family_, rule_.target->options);
}

}  // namespace egt::parsers::iptables
