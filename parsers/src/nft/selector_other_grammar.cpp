// Grammar of the rarer selectors: generators, hashes, options and extension headers, osf, ipsec.
#include "nft/x3.h"

namespace egt::parsers::nft {

bool parse_simple_selector(Position& first, Position last, Expression& out);
bool parse_other_selector(Position& first, Position last, Expression& out);

namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

const auto simple_selector = PlainParser<Expression, &parse_simple_selector>{};

template <class Member>
auto into_optional(Member member) {
  return [member](auto& context) { x3::_val(context).*member = x3::_attr(context); };
}

const auto mode = rule<struct ModeRule, std::string>("mode") =
    x3::lexeme[x3::raw[(x3::lit("random") | "inc") >> !x3::char_("A-Za-z0-9_-")]];
const auto numgen = rule<struct NumgenRule, Numgen>("numgen") = kw("numgen") >> mode[into(&Numgen::mode)] >>
                                                                kw("mod") >> number[into(&Numgen::modulus)] >>
                                                                -(kw("offset") >> number[into_optional(&Numgen::offset)]);

const auto seed = rule<struct SeedRule, std::string>("seed") = x3::lexeme[x3::raw[+x3::char_("0-9a-fx")]];
const auto hash = rule<struct HashRule, Hash>("hash") = ((kw("jhash") >> (simple_selector[append(&Hash::operand)] % '.')) |
                                                         kw("symhash")) >>
                                                        kw("mod") >> number[into(&Hash::modulus)] >>
                                                        -(kw("seed") >> seed[into(&Hash::seed)]) >>
                                                        -(kw("offset") >> number[into_optional(&Hash::offset)]);

const auto option_name = rule<struct OptionRule, std::string>("option") =
    x3::lexeme[x3::raw[x3::char_("A-Za-z0-9@") >> *x3::char_("A-Za-z0-9_,-")]];
const auto presence = kw("exists") | kw("missing") | kw("set");
const auto option_field = -(!presence >> identifier[into(&HeaderOption::field)]);
const auto option_protocol = rule<struct OptionProtocolRule, std::string>("protocol") =
    x3::lexeme[x3::raw[(x3::lit("tcp") | "ip" | "dccp") >> !x3::char_("A-Za-z0-9_-")]];
const auto word = [](const char* text) { return [text](auto& context) { x3::_val(context).word = text; }; };
const auto protocol_is = [](const char* text) { return [text](auto& context) { x3::_val(context).protocol = text; }; };
const auto header_option = rule<struct HeaderOptionRule, HeaderOption>("option") =
    (kw("exthdr")[protocol_is("exthdr")] >> identifier[into(&HeaderOption::option)]) |
    (kw("sctp")[protocol_is("sctp")] >> kw("chunk")[word("chunk")] >> option_name[into(&HeaderOption::option)] >> option_field) |
    (option_protocol[into(&HeaderOption::protocol)] >> kw("option")[word("option")] >> option_name[into(&HeaderOption::option)] >>
     option_field);

const auto ttl = rule<struct TtlRule, std::string>("ttl") =
    x3::lexeme[x3::raw[(x3::lit("skip") | "loose") >> !x3::char_("A-Za-z0-9_-")]];
const auto osf_key = rule<struct OsfKeyRule, std::string>("osf key") =
    x3::lexeme[x3::raw[(x3::lit("name") | "version") >> !x3::char_("A-Za-z0-9_-")]];
const auto osf = rule<struct OsfRule, Osf>("osf") = kw("osf") >> -(kw("ttl") >> ttl[into(&Osf::ttl)]) >> osf_key[into(&Osf::key)];

const auto way = rule<struct WayRule, std::string>("direction") =
    x3::lexeme[x3::raw[(x3::lit("in") | "out") >> !x3::char_("A-Za-z0-9_-")]];
const auto ip_word = rule<struct IpWordRule, std::string>("family") =
    x3::lexeme[x3::raw[(x3::lit("ip6") | "ip") >> !x3::char_("A-Za-z0-9_-")]];
const auto ipsec_key = rule<struct IpsecKeyRule, std::string>("ipsec key") =
    x3::lexeme[x3::raw[(x3::lit("reqid") | "spi" | "saddr" | "daddr") >> !x3::char_("A-Za-z0-9_-")]];
const auto ipsec = rule<struct IpsecRule, Ipsec>("ipsec") = kw("ipsec") >> way[into(&Ipsec::direction)] >>
                                                            -(kw("spnum") >> x3::uint_[into_optional(&Ipsec::spnum)]) >>
                                                            -ip_word[into(&Ipsec::family)] >> ipsec_key[into(&Ipsec::key)];

}  // namespace

bool parse_other_selector(Position& first, Position last, Expression& out) {
  static const auto any = x3::rule<struct OtherSelectorRule, Expression>{"selector"} =
      header_option[as_node] | numgen[as_node] | osf[as_node] | ipsec[as_node];
  return run_grammar(first, last, any, out);
}

bool parse_selector(Position& first, Position last, Expression& out) {
  static const auto any = x3::rule<struct SelectorRule, Expression>{"selector"} = hash[as_node];
  return parse_simple_selector(first, last, out) || run_grammar(first, last, any, out);
}

}  // namespace egt::parsers::nft
