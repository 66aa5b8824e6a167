// Address sets and port groups as values (expr_const_sets_add_integers() and _strings() in lib/expr.c of OVN).
#include <algorithm>
#include <tuple>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/lexer.h"

namespace egt::parsers::ovn_lang {

std::shared_ptr<const ovn::ValueSet> make_address_set(const std::string& name, const std::vector<std::string>& values) {
  ovn::ConstantSet set{false, true, {}};
  set.values.reserve(values.size());
  for (const std::string& value : values) {
    const Token token = next_token(value, 0);
    const bool masked = token.type == TokenType::masked_integer;
    if (masked || token.type == TokenType::integer) set.values.push_back({token.value, token.mask, masked, token.format, {}});
  }
  std::sort(set.values.begin(), set.values.end(), [](const ovn::Constant& a, const ovn::Constant& b) {
    return std::tuple(a.value, a.masked, a.mask) < std::tuple(b.value, b.masked, b.mask);
  });
  return std::make_shared<const ovn::ValueSet>(name, std::move(set));
}

std::shared_ptr<const ovn::ValueSet> make_port_group(const std::string& name, const std::vector<std::string>& ports) {
  ovn::ConstantSet set{true, true, {}};
  for (const std::string& port : ports) set.values.push_back({0, 0, false, ovn::ConstantFormat::hexadecimal, port});
  return std::make_shared<const ovn::ValueSet>(name, std::move(set));
}

}  // namespace egt::parsers::ovn_lang
