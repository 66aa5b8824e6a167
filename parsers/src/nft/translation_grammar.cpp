// Grammar of the statements that send packets elsewhere: NAT, tproxy, dup, fwd.
#include "nft/x3.h"

namespace egt::parsers::nft {
namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

// Where a translation leads: address and port, each possibly an expression.
struct Target {
  std::vector<Expression> address, port;
  bool bracketed = false;
};

Expression range_or_single(std::vector<std::string> words) {
  std::vector<Expression> ends;
  for (const std::string& w : words) ends.push_back({classify(w)});
  if (ends.size() == 1) return std::move(ends.front());
  return {RangeExpr{std::move(ends), false}};
}
const auto make_range = [](auto& context) { x3::_val(context) = range_or_single(std::move(x3::_attr(context))); };

const auto v4_word = rule<struct V4Rule, std::string>("address") =
    x3::raw[+digit >> '.' >> +digit >> '.' >> +digit >> '.' >> +digit >> -('/' >> +digit)];
const auto v4_words = rule<struct V4WordsRule, std::vector<std::string>>("addresses") = x3::lexeme[v4_word % '-'];
const auto v4_range = rule<struct V4RangeRule, Expression>("address") = v4_words[make_range] >>
                                                                        &(x3::lit(':') | x3::lit(' ') | x3::eoi);
const auto v6_word = rule<struct V6Rule, std::string>("address") = '[' >> x3::raw[+x3::char_("0-9a-fA-F.:/")] >> ']';
const auto v6_words = rule<struct V6WordsRule, std::vector<std::string>>("addresses") = x3::lexeme[v6_word % '-'];
const auto v6_range = rule<struct V6RangeRule, Expression>("address") = v6_words[make_range];

const auto port = ':' >> value_[append(&Target::port)];
const auto target = rule<struct TargetRule, Target>("target") =
    port | (v6_range[append(&Target::address)] >> x3::eps[raise(&Target::bracketed)] >> -port) |
    (x3::no_skip[*x3::lit(' ') >> v4_range[append(&Target::address)]] >> -port) | (value_[append(&Target::address)] >> -port);
const auto set_target = [](auto& context) {
  auto& value = x3::_val(context);
  Target& t = x3::_attr(context);
  value.address = std::move(t.address);
  value.port = std::move(t.port);
  value.bracketed = t.bracketed;
};

const auto family = rule<struct FamilyRule, std::string>("family") =
    x3::lexeme[x3::raw[(x3::lit("ip6") | "ip") >> !x3::char_("A-Za-z0-9_-")]];
const auto flag = rule<struct FlagRule, std::string>("flag") =
    x3::lexeme[x3::raw[(x3::lit("random") | "fully-random" | "persistent") >> !x3::char_("A-Za-z0-9_-")]];
const auto flags = -(flag[append(&Nat::flags)] % ',');
const auto with_address = rule<struct AddressKindRule, std::string>("nat") =
    x3::lexeme[x3::raw[(x3::lit("snat") | "dnat") >> !x3::char_("A-Za-z0-9_-")]];
const auto without_address = rule<struct PlainKindRule, std::string>("nat") =
    x3::lexeme[x3::raw[(x3::lit("masquerade") | "redirect") >> !x3::char_("A-Za-z0-9_-")]];
const auto nat = rule<struct NatRule, Nat>("nat") =
    (with_address[into(&Nat::kind)] >> -family[into(&Nat::family)] >>
     -(kw("addr") >> '.' >> kw("port"))[raise(&Nat::concatenated)] >> -kw("interval")[raise(&Nat::interval)] >>
     -kw("prefix")[raise(&Nat::prefix)] >> kw("to") >> target[set_target] >> flags) |
    (without_address[into(&Nat::kind)] >> -(kw("to") >> target[set_target]) >> flags);

const auto tproxy = rule<struct TproxyRule, Tproxy>("tproxy") = kw("tproxy") >> -family[into(&Tproxy::family)] >>
                                                                kw("to") >> target[set_target];
const auto dup = rule<struct DupRule, Dup>("dup") = kw("dup") >> kw("to") >> value_[append(&Dup::to)] >>
                                                    -(kw("device") >> value_[append(&Dup::device)]);
const auto fwd = rule<struct FwdRule, Fwd>("fwd") = kw("fwd") >> -family[into(&Fwd::family)] >>
                                                    kw("to") >> value_[append(&Fwd::to)] >>
                                                    -(kw("device") >> value_[append(&Fwd::device)]);

}  // namespace

bool parse_translation(Position& first, Position last, Statement& out) {
  static const auto any = x3::rule<struct TranslationRule, Statement>{"statement"} =
      nat[as_node] | tproxy[as_node] | dup[as_node] | fwd[as_node];
  return run_grammar(first, last, any, out);
}

}  // namespace egt::parsers::nft
