// Grammar of the statements that count and limit; rules, sets and elements carry them.
#include "nft/x3.h"

namespace egt::parsers::nft {
namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

const auto counts = rule<struct CountsRule, std::pair<std::uint64_t, std::uint64_t>>("counts") =
    kw("packets") >> number[([](auto& context) { x3::_val(context).first = x3::_attr(context); })] >>
    kw("bytes") >> number[([](auto& context) { x3::_val(context).second = x3::_attr(context); })];
const auto counter = rule<struct CounterRule, Counter>("counter") =
    kw("counter") >> (counts[([](auto& context) { x3::_val(context).values = x3::_attr(context); })] |
                      (kw("name") >> value_[append(&Counter::name)]) | x3::eps);

// "25 mbytes"
const auto amount = rule<struct AmountRule, std::string>("amount") = x3::lexeme[x3::raw[+digit >> ' ' >> +x3::char_("a-z")]];
const auto quota = rule<struct QuotaRule, Quota>("quota") = kw("quota") >>
                                                            ((kw("name") >> value_[append(&Quota::name)]) |
                                                             (-kw("over")[raise(&Quota::over)] >> amount[into(&Quota::amount)] >>
                                                              -(kw("used") >> amount[into(&Quota::used)])));

// "400/minute", "1025 kbytes/second"
const auto rate = rule<struct RateRule, std::string>("rate") =
    x3::lexeme[x3::raw[+digit >> -(' ' >> +x3::char_("a-z")) >> '/' >> +x3::char_("a-z")]];
const auto limit = rule<struct LimitRule, Limit>("limit") = kw("limit") >> ((kw("name") >> value_[append(&Limit::name)]) |
                                                                            (kw("rate") >> -kw("over")[raise(&Limit::over)] >>
                                                                             rate[into(&Limit::rate)] >>
                                                                             -(kw("burst") >> amount[into(&Limit::burst)])));

const auto time_word = rule<struct TimeRule, std::string>("time") = x3::lexeme[x3::raw[+x3::char_("0-9a-z")]];
const auto last_used = rule<struct LastRule, Last>("last") = kw("last") >> x3::eps >>
                                                             -(kw("used") >> time_word[into(&Last::used)]);

const auto ct_count = rule<struct CtCountRule, CtCount>("ct count") =
    kw("ct") >> kw("count") >> -kw("over")[raise(&CtCount::over)] >> number[into(&CtCount::count)];

}  // namespace

bool parse_stateful(Position& first, Position last, Statement& out) {
  static const auto any = x3::rule<struct StatefulRule, Statement>{"statement"} =
      counter[as_node] | limit[as_node] | quota[as_node] | ct_count[as_node] | last_used[as_node];
  return run_grammar(first, last, any, out);
}

}  // namespace egt::parsers::nft
